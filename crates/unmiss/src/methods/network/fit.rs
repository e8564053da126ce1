//! Training: a few networks, each with another part of the rows set aside for validation.

use super::Settings;
use super::layers::Network;
use crate::encode::Encoded;
use crate::error::Result;
use crate::methods::Training;
use crate::methods::supervised::{Scorer, Supervised, set_aside};
use crate::nn::optimizer::Optimizer;
use crate::nn::train::{TrainSettings, Trained, train};
use crate::nn::{Cells, Engine, Parameters};
use crate::run::Run;

/// Steps of one network's training, at most: large tables get fewer epochs.
const MOST_STEPS: usize = 6_000;
/// Rows set aside for validation, at most.
const MOST_VALIDATION: usize = 10_000;

/// One trained network.
pub struct Trunk {
    /// The layout.
    pub network: Network,
    /// The weights.
    pub parameters: Parameters,
    /// The epoch whose weights were kept; 0: the first weights, which predict the mean, were not improved on.
    pub best_epoch: usize,
}

/// Trains all networks; `k` is that of Sparsity Normalization.
pub fn fit(settings: &Settings, training: Training<'_>, k: Option<f32>, run: &Run) -> Result<Vec<Trunk>> {
    let (inputs, targets) = (training.inputs, training.targets);
    let networks = settings.networks.unwrap_or(match targets.rows() {
        0..5_000 => 4,
        5_000..20_000 => 2,
        _ => 1,
    });
    let parts = networks.max(5).max(targets.rows().div_ceil(MOST_VALIDATION));
    let mut trained = Vec::with_capacity(networks);
    for index in 0..networks {
        if index > 0 && run.stopped() {
            break;
        }
        let (learning, validation) = set_aside(targets, parts, index, run.seed());
        let own = settings.variant(index);
        let network = Network::new(training.encoder, targets.task, &own, k);
        let scorer = Held { network: &network, rows: inputs };
        let plan = own.plan(learning.len());
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        // Networks differ in their first weights, shuffles and dropout as well.
        let seed = run.seed().wrapping_mul(1000).wrapping_add(index as u64);
        let part = match networks {
            1 => run.clone(),
            _ => run.part(&format!("network {} of {networks}", index + 1)),
        };
        let Trained { parameters, best_epoch, .. } =
            train(&learner, network.parameters(seed), &plan, &part.with_seed(seed))?;
        trained.push(Trunk { network, parameters, best_epoch });
    }
    Ok(trained)
}

impl Settings {
    /// The course of training on so many rows: a constant rate, until validation has not got better for long.
    pub(super) fn plan(&self, rows: usize) -> TrainSettings {
        let batch = self.batch.unwrap_or(match rows {
            0..2_000 => 64,
            2_000..10_000 => 128,
            _ => 256,
        });
        let steps_per_epoch = rows.div_ceil(batch.max(1)).max(1);
        TrainSettings {
            epochs: self.epochs.unwrap_or_else(|| (MOST_STEPS / steps_per_epoch).clamp(4, 256)),
            batch,
            optimizer: Optimizer::adam_w(),
            rate: self.rate,
            weight_decay: self.weight_decay,
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

/// The network and the training rows.
struct Held<'a> {
    network: &'a Network,
    rows: &'a Encoded,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        self.network.forward(engine, Cells::from(self.rows.select(rows)))
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}
