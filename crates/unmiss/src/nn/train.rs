//! The training loop: batches, early stopping, best weights, schedules, progress, checkpoints, stop and time.
//!
//! A method brings a [`Learner`]: the loss of some rows under some weights, and a score for the weights. Networks over
//! sparse rows bring a [`SparseLearner`](crate::nn::sparse::SparseLearner) and share all but the step. Everything
//! random depends on `(seed, epoch, step)` alone, so a training that was stopped goes on from its checkpoint to the
//! very weights it would have reached.

mod checkpoint;
mod course;
mod dense;
mod state;

use burn::Tensor;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::nn::Lent;
use crate::nn::optimizer::Optimizer;
use crate::nn::parameters::Parameters;
use crate::nn::schedule::Schedule;
use crate::run::{Run, StopReason};
pub(super) use course::{Course, Loss, Stride, Trainee, train_with};
use dense::Dense;

/// What is learned.
pub trait Learner: Sync {
    /// How many rows there are to learn from.
    fn rows(&self) -> usize;

    /// The mean loss of a batch of rows, made from the parameters' tensors so that gradients can be had.
    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1>;

    /// How good the weights are, lower is better. `None`: nothing was set aside to tell; the last weights
    /// are kept.
    fn validate(&self, parameters: &Parameters) -> Option<f64>;

    /// A number that changes with the data and the network, by which a checkpoint of another training is
    /// told apart. Settings, seed, number of rows and first weights are compared in any case.
    fn fingerprint(&self) -> u64 {
        0
    }
}

/// Where in the training a batch stands: the address of its random streams and of its schedules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The run's seed.
    pub seed: u64,
    /// The epoch, from 0.
    pub epoch: usize,
    /// The step, from 0, over all epochs.
    pub step: u64,
    /// The share of all steps that is done.
    pub share: f64,
}

/// How to train.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct TrainSettings {
    /// Passes over the rows, at most.
    pub epochs: usize,
    /// Rows in a batch; 0 for all.
    pub batch: usize,
    /// The rule that turns gradients into steps.
    pub optimizer: Optimizer,
    /// The learning rate.
    pub rate: f64,
    /// The course of the learning rate.
    pub schedule: Schedule,
    /// Weight decay; on the gradient, or with AdamW on the weights.
    pub weight_decay: f64,
    /// The course of the weight decay.
    pub decay_schedule: Schedule,
    /// The norm of the whole gradient is kept below this.
    pub clip: Option<f64>,
    /// Epochs without a better validation score after which training ends.
    pub patience: Option<usize>,
    /// Training ends once the mean training loss of an epoch differs from the last one's by no more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            epochs: 100,
            batch: 256,
            optimizer: Optimizer::default(),
            rate: 1e-3,
            schedule: Schedule::Constant,
            weight_decay: 0.0,
            decay_schedule: Schedule::Constant,
            clip: None,
            patience: None,
            tolerance: None,
        }
    }
}

impl TrainSettings {
    /// Checks every value.
    ///
    /// # Errors
    /// When a value can't be used.
    pub fn check(&self) -> Result<()> {
        let positive = |name: &str, value: f64| match value {
            value if value > 0.0 && value.is_finite() => Ok(()),
            _ => Err(Error::setting(name, format!("{value} is not a positive number"))),
        };
        positive("rate", self.rate)?;
        self.clip.map_or(Ok(()), |clip| positive("clip", clip))?;
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return Err(Error::setting("weight-decay", format!("{} is not 0 or more", self.weight_decay)));
        }
        if self.epochs == 0 {
            return Err(Error::setting("epochs", "at least one epoch is needed"));
        }
        Ok(())
    }
}

/// How an epoch went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Mean training loss over the epoch.
    pub loss: f64,
    /// Validation score after it.
    pub validation: Option<f64>,
    /// Learning rate of its last step.
    pub rate: f64,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// All epochs were done.
    Epochs,
    /// The validation score had not got better for long enough.
    Patience,
    /// The training loss hardly changed any more.
    Settled,
    /// Somebody asked it to stop, or its time was over.
    Stopped(StopReason),
}

/// What training gives.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The best weights by validation, or the last.
    pub parameters: Parameters,
    /// All epochs.
    pub history: Vec<Epoch>,
    /// How many epochs had been done when the weights were kept.
    pub best_epoch: usize,
    /// Why training ended.
    pub stopped: Why,
}

impl Trained {
    /// What is to be said where the training was stopped from outside. None where it came to its end, and where no
    /// epoch was judged: weights that nothing speaks for are not to be kept.
    pub fn cut_off(&self) -> Option<String> {
        let judged = self.history.get(self.best_epoch.checked_sub(1)?)?.validation.is_some();
        (judged && matches!(self.stopped, Why::Stopped(_))).then(|| {
            let (kept, done) = (self.best_epoch, self.history.len());
            format!("Training was stopped after {done} epochs; the weights of epoch {kept}, the best then, were kept.")
        })
    }
}

/// Trains the parameters. Stopped from outside, it gives the best weights so far.
///
/// # Errors
/// When a setting can't be used, there are no rows, the loss is not finite however small the steps, or the
/// run was stopped before the first step.
pub fn train(
    learner: &dyn Learner,
    parameters: Parameters,
    settings: &TrainSettings,
    run: &Run,
) -> Result<Trained> {
    let (dense, course) = train_with(Dense::new(learner, parameters, settings), settings, run)?;
    let Course { history, best_epoch, stopped, .. } = course;
    Ok(Trained { parameters: dense.parameters, history, best_epoch, stopped })
}

#[cfg(test)]
mod bars;
#[cfg(test)]
mod tests;
