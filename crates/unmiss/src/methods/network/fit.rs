//! Training of the network: a few members, each with another part of the rows set aside for validation.

use burn::Tensor;
use burn::tensor::TensorData;

use super::Settings;
use super::layers::Network;
use super::start::Start;
use crate::encode::{Encoded, Task};
use crate::error::Result;
use crate::methods::Training;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::supervised::{Scorer, Supervised, set_aside};
use crate::nn::train::{Moment, TrainSettings, train};
use crate::nn::{Parameters, training_device};
use crate::run::Run;

/// Steps of one member's training, at most: large tables get fewer epochs.
const MOST_STEPS: usize = 6_000;
/// Rows set aside for validation, at most.
const MOST_VALIDATION: usize = 10_000;

/// Rows up to which the network starts from a linear model unless told otherwise: larger tables do not need it.
const MOST_ROWS_LINEAR_START: usize = 20_000;

/// One trained network and the linear model it starts from.
pub struct Member {
    /// The weights.
    pub parameters: Parameters,
    /// Whose scores the network's are added to.
    pub start: Option<Start>,
    /// The epoch whose weights were kept; 0: the linear model was not improved on.
    pub best_epoch: usize,
}

/// Trains all members.
pub fn fit(network: &Network, settings: &Settings, training: Training<'_>, run: &Run) -> Result<Vec<Member>> {
    let targets = training.targets;
    let members = settings.members.unwrap_or(match targets.rows() {
        0..5_000 => 4,
        5_000..20_000 => 2,
        _ => 1,
    });
    let parts = members.max(5).max(targets.rows().div_ceil(MOST_VALIDATION));
    let mut members_trained = Vec::with_capacity(members);
    for member in 0..members {
        if member > 0 && run.stopped() {
            break;
        }
        let (learning, validation) = set_aside(targets, parts, member, run.seed());
        let plan = plan(settings, learning.len(), targets.task);
        let start = match settings.linear_start.unwrap_or(targets.rows() <= MOST_ROWS_LINEAR_START) {
            true => Some(Start::fit(training, &learning, run)?),
            false => None,
        };
        let offsets = start.as_ref().map(|start| start.scores(training.inputs));
        let scorer = Held { network, rows: training.inputs, offsets, outputs: targets.task.outputs() };
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        // Members differ in their first weights, shuffles and dropout as well.
        let seed = run.seed().wrapping_mul(1000).wrapping_add(member as u64);
        let part = match members {
            1 => run.clone(),
            _ => run.part(&format!("member {} of {members}", member + 1)),
        };
        let trained = train(&learner, network.parameters(seed), &plan, &part.with_seed(seed))?;
        members_trained.push(Member {
            parameters: trained.parameters,
            start,
            best_epoch: trained.best_epoch,
        });
    }
    Ok(members_trained)
}

/// The course of training: learning rate in four waves, decay and dropout fading in the second half.
fn plan(settings: &Settings, rows: usize, task: Task) -> TrainSettings {
    let steps_per_epoch = rows.div_ceil(settings.batch.max(1)).max(1);
    let epochs = settings.epochs.unwrap_or_else(|| (MOST_STEPS / steps_per_epoch).clamp(4, 256));
    let rate = settings.rate.unwrap_or(if task == Task::Regression { 0.05 } else { 0.04 });
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

/// The network and the training rows.
struct Held<'a> {
    network: &'a Network,
    rows: &'a Encoded,
    /// `[rows, outputs]`: scores of the linear start.
    offsets: Option<Vec<f32>>,
    outputs: usize,
}

impl Held<'_> {
    fn offsets(&self, rows: &[usize]) -> Option<Vec<f32>> {
        let width = self.outputs;
        let all = self.offsets.as_ref()?;
        Some(rows.iter().flat_map(|&row| &all[row * width..(row + 1) * width]).copied().collect())
    }
}

impl Scorer for Held<'_> {
    fn forward(&self, rows: &[usize], parameters: &[Tensor<2>], moment: &Moment) -> Tensor<2> {
        let scores = self.network.forward(self.rows.select(rows), parameters, moment);
        match self.offsets(rows) {
            Some(offsets) => {
                let offsets = TensorData::new(offsets, [rows.len(), self.outputs]);
                scores + Tensor::from_data(offsets, &training_device())
            }
            None => scores,
        }
    }

    fn infer(&self, rows: &[usize], parameters: &Parameters) -> Vec<f32> {
        let mut scores = self.network.infer(&self.rows.select(rows), parameters);
        for (score, offset) in scores.iter_mut().zip(self.offsets(rows).unwrap_or_default()) {
            *score += offset;
        }
        scores
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}
