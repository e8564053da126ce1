//! The training loop: batches, early stopping, best weights, schedules, clipping, progress, checkpoints.
//!
//! A method brings a [`Learner`]: the loss of some rows under some weights, and a score for the weights.
//! Everything random depends on `(seed, epoch, step)` alone, so a training that was stopped goes on from its
//! checkpoint to the very weights it would have reached.

mod checkpoint;
mod state;

use std::time::{Duration, Instant};

use burn::Tensor;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::nn::Lent;
use crate::nn::optimizer::Optimizer;
use crate::nn::parameters::Parameters;
use crate::nn::schedule::Schedule;
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};
use state::{Outcome, State};

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
    /// Somebody asked it to stop.
    Stopped,
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

/// Pause between two progress events, and between two checkpoints.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(5);

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
    settings.check()?;
    if learner.rows() == 0 {
        return Err(Error::data("there are no rows to learn from"));
    }
    run.compute(|| Training::new(learner, parameters, settings, run).go())
}

/// A training under way.
struct Training<'a> {
    learner: &'a dyn Learner,
    settings: &'a TrainSettings,
    run: &'a Run,
    batch: usize,
    batches: usize,
    fingerprint: String,
    state: State,
    told: Option<Instant>,
    kept: Instant,
}

impl<'a> Training<'a> {
    fn new(
        learner: &'a dyn Learner,
        parameters: Parameters,
        settings: &'a TrainSettings,
        run: &'a Run,
    ) -> Self {
        let rows = learner.rows();
        let batch = if settings.batch == 0 { rows } else { settings.batch.min(rows) };
        let fingerprint = checkpoint::fingerprint(learner, &parameters, settings, run.seed());
        let mut state = State::new(parameters, settings);
        if let Some(path) = run.checkpoint("training") {
            checkpoint::resume(&path, &fingerprint, &mut state, run);
        }
        if state.best_score.is_none() {
            // The first weights are a candidate too: a network that starts from a good guess may keep it.
            state.best_score = learner.validate(&state.parameters).filter(|score| score.is_finite());
        }
        let batches = rows.div_ceil(batch);
        Self { learner, settings, run, batch, batches, fingerprint, state, told: None, kept: Instant::now() }
    }

    fn go(mut self) -> Result<Trained> {
        let stopped = loop {
            if self.state.epoch == self.settings.epochs {
                break Why::Epochs;
            }
            if self.settings.patience.is_some_and(|patience| self.state.waited >= patience.max(1)) {
                break Why::Patience;
            }
            if !self.epoch()? {
                break Why::Stopped;
            }
        };
        self.keep_checkpoint();
        let trained = self.state.result(stopped);
        if let Ok(trained) = &trained {
            self.run.tell(&Event::Trained(Curve {
                task: self.run.task().to_owned(),
                step: "epoch",
                training: trained.history.iter().map(|epoch| epoch.loss).collect(),
                validation: trained.history.iter().filter_map(|epoch| epoch.validation).collect(),
                best: trained.best_epoch,
            }));
        }
        self.run.finished();
        trained
    }

    /// One pass over the rows (or what is left of it after a stop); false if the run was stopped.
    fn epoch(&mut self) -> Result<bool> {
        let order = self.order();
        while self.state.batch < self.batches {
            if self.run.stopped() {
                return Ok(false);
            }
            let start = self.state.batch * self.batch;
            let rows = &order[start..order.len().min(start + self.batch)];
            let moment = self.moment();
            match self.state.step(self.learner, rows, &moment, self.settings) {
                Outcome::Done => self.state.batch += 1,
                Outcome::NotFinite => self.state.retreat(self.settings, self.run)?,
            }
            self.tell_now_and_then();
        }
        if self.state.parameters.finite() {
            let validation = self.learner.validate(&self.state.parameters);
            self.state.end_epoch(validation, order.len());
            self.tell_now_and_then();
        } else {
            self.state.retreat(self.settings, self.run)?;
        }
        if self.kept.elapsed() >= BETWEEN_CHECKPOINTS {
            self.keep_checkpoint();
        }
        Ok(true)
    }

    /// The rows in this epoch's order; a full batch needs none.
    fn order(&self) -> Vec<usize> {
        let rows = self.learner.rows();
        if self.batches == 1 {
            return (0..rows).collect();
        }
        Stream::new(self.run.seed(), "shuffle", self.state.epoch as u64, 0).permutation(rows)
    }

    fn moment(&self) -> Moment {
        let step = (self.state.epoch * self.batches + self.state.batch) as u64;
        let share = step as f64 / (self.settings.epochs * self.batches) as f64;
        Moment { seed: self.run.seed(), epoch: self.state.epoch, step, share }
    }

    fn tell_now_and_then(&mut self) {
        if self.told.is_some_and(|last| last.elapsed() < BETWEEN_EVENTS) {
            return;
        }
        self.told = Some(Instant::now());
        let done = self.state.epoch * self.batches + self.state.batch;
        let total = self.settings.epochs * self.batches;
        let detail = match self.state.history.last() {
            Some(Epoch { validation: Some(score), .. }) => format!("validation {score:.4}"),
            Some(Epoch { loss, .. }) => format!("loss {loss:.4}"),
            None => String::new(),
        };
        self.run.progress(done as u64, total as u64, detail);
    }

    /// Writes the state, if checkpoints are kept; a full disk does not end the training.
    fn keep_checkpoint(&mut self) {
        let Some(path) = self.run.checkpoint("training") else { return };
        if let Err(error) = checkpoint::write(&path, &self.fingerprint, &self.state) {
            self.run.warn(format!("the training can't be resumed from here: {error}"));
        }
        self.kept = Instant::now();
    }
}

#[cfg(test)]
mod tests;
