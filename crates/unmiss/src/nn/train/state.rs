//! Where a training stands between two steps, weights aside.

use serde::{Deserialize, Serialize};

use super::course::Loss;
use super::{Epoch, Moment, TrainSettings};
use crate::error::Error;
use crate::nn::schedule::Pace;

/// How often the learning rate is halved after a loss that is not finite before training gives up.
const HALVINGS: i32 = 6;

/// Counters and what has been seen so far.
pub(super) struct State {
    pub counters: Counters,
    pub history: Vec<Epoch>,
}

/// The plain numbers of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Counters {
    /// Epochs done.
    pub epoch: usize,
    /// Batches done in the current epoch.
    pub batch: usize,
    /// Sum of the current epoch's losses, and over how many.
    pub loss: f64,
    pub count: usize,
    /// Updates since the optimiser's memory was last cleared.
    pub updates: u64,
    /// How often the rate was halved.
    pub halvings: i32,
    /// The best validation score and the number of epochs done when it was reached.
    pub best_score: Option<f64>,
    pub best_epoch: usize,
    /// Epochs since then.
    pub waited: usize,
    /// The rate of the last step.
    pub rate: f64,
    pub pace: Pace,
    pub decay_pace: Pace,
}

impl std::ops::Deref for State {
    type Target = Counters;
    fn deref(&self) -> &Counters {
        &self.counters
    }
}

impl std::ops::DerefMut for State {
    fn deref_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }
}

impl State {
    pub fn new(settings: &TrainSettings) -> Self {
        let counters = Counters {
            epoch: 0,
            batch: 0,
            loss: 0.0,
            count: 0,
            updates: 0,
            halvings: 0,
            best_score: None,
            best_epoch: 0,
            waited: 0,
            rate: 0.0,
            pace: Pace::new(settings.schedule),
            decay_pace: Pace::new(settings.decay_schedule),
        };
        Self { counters, history: Vec::new() }
    }

    /// The learning rate and the weight decay of a moment.
    pub fn pace(&self, settings: &TrainSettings, moment: &Moment) -> (f64, f64) {
        let factor = |pace: &Pace| pace.factor(moment.epoch, moment.share);
        let rate = settings.rate * 0.5_f64.powi(self.halvings) * factor(&self.pace);
        (rate, settings.weight_decay * factor(&self.decay_pace))
    }

    /// Notes a step.
    pub fn stepped(&mut self, loss: &Loss, rate: f64) {
        self.updates += 1;
        self.batch += 1;
        self.loss += loss.sum;
        self.count += loss.count;
        self.rate = rate;
    }

    /// Closes an epoch; whether its weights are to be kept.
    pub fn end_epoch(&mut self, validation: Option<f64>) -> bool {
        let counters = &mut self.counters;
        let loss = counters.loss / counters.count.max(1) as f64;
        counters.epoch += 1;
        (counters.batch, counters.loss, counters.count) = (0, 0.0, 0);
        counters.waited += 1;
        // A score that is no number is the worst there is.
        let validation = validation.map(|score| if score.is_finite() { score } else { f64::MAX });
        let better = match (validation, counters.best_score) {
            (None, _) => true,
            (Some(score), None) => score < f64::MAX,
            (Some(score), Some(best)) => score < best,
        };
        if better {
            counters.best_score = validation;
            counters.best_epoch = counters.epoch;
            counters.waited = 0;
        }
        let score = validation.unwrap_or(loss);
        counters.pace.tell(score);
        counters.decay_pace.tell(score);
        self.history.push(Epoch { loss, validation, rate: counters.rate });
        better
    }

    /// Whether the last two epochs had the same training loss, to within this.
    pub fn settled(&self, tolerance: f64) -> bool {
        match self.history.as_slice() {
            [.., before, last] => (last.loss - before.loss).abs() <= tolerance,
            _ => false,
        }
    }

    /// Begins the epoch anew with half the rate; false if that was done often enough.
    pub fn halve(&mut self) -> bool {
        if self.halvings == HALVINGS {
            return false;
        }
        self.halvings += 1;
        (self.batch, self.loss, self.count, self.updates) = (0, 0.0, 0, 0);
        true
    }

    /// The error of a loss that can't be mended.
    pub fn not_finite(&self, settings: &TrainSettings, task: &str) -> Error {
        let lowered = match self.halvings {
            0 => String::new(),
            times => {
                format!(
                    ", even with the learning rate lowered to {:.1e}",
                    settings.rate * 0.5_f64.powi(times)
                )
            }
        };
        Error::method(task, format!("the loss is not a finite number{lowered}"))
            .with_hint("look for enormous values in the data, or set a lower learning rate")
    }
}
