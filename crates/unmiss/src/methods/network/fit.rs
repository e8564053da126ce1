//! Training of the network: a few members, each with another part of the rows set aside for validation.

use burn::Tensor;

use super::Settings;
use super::network::Network;
use crate::encode::{Encoded, Task};
use crate::error::Result;
use crate::methods::Training;
use crate::nn::Parameters;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::supervised::{Scorer, Supervised, set_aside};
use crate::nn::train::{Moment, TrainSettings, Trained, train};
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
    let scorer = Held { network, rows: training.inputs };
    let targets = training.targets;
    let members = settings.members.unwrap_or(match targets.rows() {
        0..5_000 => 4,
        5_000..20_000 => 2,
        _ => 1,
    });
    let parts = members.max(5).max(targets.rows().div_ceil(MOST_VALIDATION));
    let mut trained = Vec::with_capacity(members);
    for member in 0..members {
        if member > 0 && run.stopped() {
            break;
        }
        let (learning, validation) = set_aside(targets, parts, member, run.seed());
        let plan = plan(settings, learning.len(), targets.task);
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        // Members differ in their first weights, shuffles and dropout as well.
        let seed = run.seed().wrapping_mul(1000).wrapping_add(member as u64);
        let part = match members {
            1 => run.clone(),
            _ => run.part(&format!("member {} of {members}", member + 1)),
        };
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

/// The network and the training rows.
struct Held<'a> {
    network: &'a Network,
    rows: &'a Encoded,
}

impl Scorer for Held<'_> {
    fn forward(&self, rows: &[usize], parameters: &[Tensor<2>], moment: &Moment) -> Tensor<2> {
        self.network.forward(self.rows.select(rows), parameters, moment)
    }

    fn infer(&self, rows: &[usize], parameters: &Parameters) -> Vec<f32> {
        self.network.infer(&self.rows.select(rows), parameters)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}
