//! Training: one network, or several whose mean is the answer.

use super::Settings;
use super::fitted::{Fit, Fitted};
use super::learner::Rows;
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::methods::vectors::mean_known;
use crate::nn::sparse::{SparseNetwork, SparseSettings, Squash, train_sparse};
use crate::rng::mix;
use crate::run::Run;

/// Deviation of the first weights. Small, and with biases of 0: what is common to all ratings then grows in the weights
/// of the outputs, `W_j · h`, where a row as a whole can be moved up and down by its hidden units. Biases that start at
/// the columns' means take that part over for good; it cost .03 of the error on MovieLens 100K with user vectors
/// (docs/results/ratings.md).
const FIRST_WEIGHTS: f64 = 0.01;

/// Steps of an epoch at least, unless all rows are to be taken at once: few rows would otherwise give so few steps that
/// the patience is over before anything is learned.
const STEPS: usize = 6;

/// The largest rating that the usual decays and rates belong to. Other ratings are brought to this size, and the
/// weights back after training, so that a scale of 1 to 100 is learned like one of 1 to 5.
const LARGEST: f32 = 5.0;

/// Learns as many networks as there are to be members. Stopped early, it gives the mean of those that there are.
pub(super) fn fit(settings: Settings, ratings: &Ratings, run: &Run) -> Result<Fitted> {
    let mut k = None;
    let (mut networks, mut fits) = (Vec::new(), Vec::new());
    for member in 0..settings.members {
        let own = match (settings.members, member) {
            (1, _) => run.clone(),
            _ => run.part(&format!("network {} of {}", member + 1, settings.members)),
        };
        // The first is the one that would be there alone.
        let seed = if member == 0 { run.seed() } else { mix([run.seed(), member as u64]) };
        let (network, fit) = match one(&settings, k, ratings, &own.with_seed(seed)) {
            // One that was cut off would make the mean worse; it is kept only where there is no other.
            Ok(_) | Err(Error::Stopped) if member > 0 && run.stopped() => break,
            trained => trained?,
        };
        k = Some(fit.k);
        networks.push(network);
        fits.push(fit);
    }
    Fitted::new(settings, Fit::mean_of(&fits), SparseNetwork::mean_of(networks).into(), ratings)
}

/// One network; K is found from the ratings if it is not given.
fn one(settings: &Settings, k: Option<f32>, ratings: &Ratings, run: &Run) -> Result<(SparseNetwork, Fit)> {
    let rows = settings.vectors.part(ratings, ratings.set_aside(settings.validation, run.seed()));
    let range = rows.range();
    let k = k.unwrap_or_else(|| {
        let known = mean_known((0..rows.rows() as u32).map(|row| rows.count(row)));
        settings.k.number(known, settings.hidden, rows.columns()) as f32
    });
    let network = SparseNetwork::random(
        [rows.columns(), settings.hidden, rows.columns()],
        Squash::Sigmoid,
        [FIRST_WEIGHTS; 2],
        run.seed(),
    );
    let largest = range.0.abs().max(range.1.abs());
    let unit = Some(LARGEST / largest).filter(|unit| unit.is_finite()).unwrap_or(1.0);
    let learner = Rows::new(&rows, range, settings, k, unit);
    let plan = SparseSettings {
        epochs: settings.epochs,
        batch: settings.batch.min(rows.rows().div_ceil(STEPS)),
        optimizer: settings.optimizer.into(),
        rate: settings.rate,
        decay: settings.decay_on.decays(settings.decay),
        patience: settings.patience,
        ..SparseSettings::default()
    };
    let mut trained = train_sparse(&learner, network, &plan, run)?;
    trained.network.rescale(unit, 1.0 / unit);
    let fit =
        Fit { k, best_epoch: trained.best_epoch, epochs: trained.epochs, validation: trained.validation };
    Ok((trained.network, fit))
}
