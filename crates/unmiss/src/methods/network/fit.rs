//! Training of the network: a few members, each with another part of the rows set aside for validation.

use burn::Tensor;

use super::network::Network;
use super::{Settings, rows_of};
use crate::encode::{Targets, Task};
use crate::error::Result;
use crate::methods::Training;
use crate::metrics::Score;
use crate::nn::Parameters;
use crate::nn::front::FrontRows;
use crate::nn::loss::{cross_entropy, squared_error};
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::{Learner, Moment, TrainSettings, Trained, train};
use crate::rng::Stream;
use crate::run::Run;

/// Steps of one member's training, at most: large tables get fewer epochs.
const MOST_STEPS: usize = 12_000;
/// Rows set aside for validation, at most.
const MOST_VALIDATION: usize = 10_000;

/// Trains all members.
pub fn fit(
    network: &Network,
    settings: &Settings,
    training: Training<'_>,
    run: &Run,
) -> Result<Vec<Trained>> {
    let all = rows_of(training.inputs);
    let rows = training.targets.rows();
    let members = settings.members.unwrap_or(match rows {
        0..5_000 => 4,
        5_000..20_000 => 2,
        _ => 1,
    });
    let mut order = Stream::new(run.seed(), "network validation", 0, 0).permutation(rows);
    if !training.targets.classes.is_empty() {
        // Stable: rows of a class stay in random order, and every part gets its share of the class.
        order.sort_by_key(|&row| training.targets.classes[row]);
    }
    let parts = if rows > 5 * MOST_VALIDATION { rows.div_ceil(MOST_VALIDATION) } else { members.max(5) };
    let mut trained = Vec::with_capacity(members);
    for member in 0..members {
        if member > 0 && run.stopped() {
            break;
        }
        let held_out = |place: &usize| rows >= 20 && place % parts == member % parts;
        let (validation, learning): (Vec<usize>, Vec<usize>) = (0..rows).partition(held_out);
        let take = |places: Vec<usize>| places.into_iter().map(|place| order[place]).collect::<Vec<_>>();
        let (validation, learning) = (take(validation), take(learning));
        let learner = NetworkLearner {
            network,
            rows: &all,
            targets: training.targets,
            validation_rows: select(&all, &validation),
            validation_targets: training.targets.select(&validation),
            learning,
        };
        let seed = run.seed().wrapping_mul(1000).wrapping_add(member as u64);
        let part =
            if members > 1 { run.part(&format!("member {} of {members}", member + 1)) } else { run.clone() };
        let plan = plan(settings, learner.learning.len(), training.targets.task);
        trained.push(train(&learner, network.parameters(seed), &plan, &part.with_seed(seed))?);
    }
    Ok(trained)
}

/// The course of training: learning rate in four waves, decay and dropout fading in the second half.
fn plan(settings: &Settings, rows: usize, task: Task) -> TrainSettings {
    let steps_per_epoch = rows.div_ceil(settings.batch.max(1)).max(1);
    let epochs = settings.epochs.unwrap_or_else(|| (MOST_STEPS / steps_per_epoch).clamp(4, 256));
    let rate = settings.rate.unwrap_or(if task == Task::Regression { 0.2 } else { 0.04 });
    TrainSettings {
        epochs,
        batch: settings.batch,
        optimizer: Optimizer::AdamW { beta1: 0.9, beta2: 0.95, epsilon: 1e-8 },
        rate,
        schedule: Schedule::Coslog4,
        weight_decay: settings.weight_decay,
        decay_schedule: Schedule::FlatCosine,
        clip: None,
        patience: None,
    }
}

struct NetworkLearner<'a> {
    network: &'a Network,
    rows: &'a FrontRows,
    targets: &'a Targets,
    /// Rows to learn from.
    learning: Vec<usize>,
    validation_rows: FrontRows,
    validation_targets: Targets,
}

impl Learner for NetworkLearner<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &[Tensor<2>], rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.learning[row]).collect();
        let scores = self.network.forward(select(self.rows, &rows), parameters, moment);
        let weights: Vec<f32> = rows.iter().map(|&row| self.targets.weights[row]).collect();
        match self.targets.task {
            Task::Regression => {
                let target: Vec<f32> = rows.iter().map(|&row| self.targets.numbers[row]).collect();
                squared_error(scores, &target, Some(&weights))
            }
            Task::Classification { .. } => {
                let classes: Vec<usize> =
                    rows.iter().map(|&row| self.targets.classes[row] as usize).collect();
                cross_entropy(scores, &classes, Some(&weights), 0.0)
            }
        }
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        if self.validation_rows.rows == 0 {
            return None;
        }
        let scores = self.network.infer(&self.validation_rows, parameters);
        let predictions = super::outputs(&scores, self.targets.task);
        Some(Score::of(&predictions, &self.validation_targets).loss())
    }
}

/// The given rows, in the given order.
fn select(all: &FrontRows, rows: &[usize]) -> FrontRows {
    let numbers = all.numbers.len().checked_div(all.rows).unwrap_or(0);
    let codes = all.codes.len().checked_div(all.rows).unwrap_or(0);
    fn take<T: Copy>(values: &[T], width: usize, rows: &[usize]) -> Vec<T> {
        rows.iter().flat_map(|&row| &values[row * width..(row + 1) * width]).copied().collect()
    }
    FrontRows {
        rows: rows.len(),
        numbers: take(&all.numbers, numbers, rows),
        numbers_observed: take(&all.numbers_observed, numbers, rows),
        codes: take(&all.codes, codes, rows),
        codes_observed: take(&all.codes_observed, codes, rows),
    }
}
