//! The state of a training between two steps: everything a checkpoint has to hold.

use serde::{Deserialize, Serialize};

use super::{Epoch, Learner, Moment, TrainSettings, Trained, Why};
use crate::error::{Error, Result};
use crate::nn::optimizer::{Optimizer, Step, square_norm};
use crate::nn::parameters::{Parameter, Parameters};
use crate::nn::schedule::Pace;
use crate::run::Run;

/// How often the learning rate is halved after a loss that is not finite before training gives up.
const HALVINGS: i32 = 6;

/// Weights, optimiser and counters.
pub(super) struct State {
    pub parameters: Parameters,
    /// The optimiser's memory: for each parameter its slices.
    pub memory: Vec<Vec<Vec<f32>>>,
    /// The best weights so far; at first those that training began with.
    pub best: Parameters,
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
    /// Sum of the current epoch's losses, each times its rows.
    pub loss: f64,
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

/// How a step went.
pub(super) enum Outcome {
    Done,
    NotFinite,
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

fn fresh_memory(parameters: &Parameters, optimizer: &Optimizer) -> Vec<Vec<Vec<f32>>> {
    // What is only carried along needs none.
    let memory = |parameter: &Parameter| match parameter.learned {
        true => optimizer.state(parameter.values.len()),
        false => Vec::new(),
    };
    parameters.iter().map(memory).collect()
}

impl State {
    pub fn new(parameters: Parameters, settings: &TrainSettings) -> Self {
        let counters = Counters {
            epoch: 0,
            batch: 0,
            loss: 0.0,
            updates: 0,
            halvings: 0,
            best_score: None,
            best_epoch: 0,
            waited: 0,
            rate: 0.0,
            pace: Pace::new(settings.schedule),
            decay_pace: Pace::new(settings.decay_schedule),
        };
        let memory = fresh_memory(&parameters, &settings.optimizer);
        Self { best: parameters.clone(), memory, parameters, counters, history: Vec::new() }
    }

    /// Forward, backward, update. The weights are lent to Burn and come back without a copy.
    pub fn step(
        &mut self,
        learner: &dyn Learner,
        rows: &[usize],
        moment: &Moment,
        settings: &TrainSettings,
    ) -> Outcome {
        let lent = self.parameters.lend();
        let loss = learner.loss(&lent, rows, moment);
        let value = loss.clone().into_scalar::<f32>();
        let gradients = value.is_finite().then(|| lent.gradients(loss));
        self.parameters.take_back(lent);
        let Some(gradients) = gradients else { return Outcome::NotFinite };
        let mut scale = 1.0;
        if let Some(clip) = settings.clip {
            let norm = square_norm(gradients.iter().flatten().map(Vec::as_slice)).sqrt();
            if !norm.is_finite() {
                return Outcome::NotFinite;
            }
            // The small number keeps the norm just below the limit, as is customary.
            scale = (clip / (norm + 1e-6)).min(1.0);
        }
        self.update(&gradients, scale as f32, moment, settings);
        self.counters.loss += f64::from(value) * rows.len() as f64;
        Outcome::Done
    }

    fn update(
        &mut self,
        gradients: &[Option<Vec<f32>>],
        scale: f32,
        moment: &Moment,
        settings: &TrainSettings,
    ) {
        let counters = &mut self.counters;
        counters.updates += 1;
        let halved = 0.5_f64.powi(counters.halvings);
        counters.rate = settings.rate * halved * counters.pace.factor(moment.epoch, moment.share);
        let decay = settings.weight_decay * counters.decay_pace.factor(moment.epoch, moment.share);
        for ((parameter, gradient), memory) in self.parameters.iter_mut().zip(gradients).zip(&mut self.memory)
        {
            let Some(gradient) = gradient else { continue };
            let step = Step {
                number: counters.updates,
                rate: counters.rate as f32 * parameter.rate,
                decay: if parameter.decay { decay as f32 } else { 0.0 },
                scale,
            };
            settings.optimizer.update(step, &mut parameter.values, gradient, memory);
        }
    }

    /// Closes an epoch over `rows` rows.
    pub fn end_epoch(&mut self, validation: Option<f64>, rows: usize) {
        let counters = &mut self.counters;
        let loss = counters.loss / rows as f64;
        counters.epoch += 1;
        counters.batch = 0;
        counters.loss = 0.0;
        counters.waited += 1;
        // A score that is no number is the worst there is.
        let validation = validation.map(|score| if score.is_finite() { score } else { f64::MAX });
        let better = match (validation, counters.best_score) {
            (None, _) => true,
            (Some(score), None) => score < f64::MAX,
            (Some(score), Some(best)) => score < best,
        };
        if better {
            self.best = self.parameters.clone();
            counters.best_score = validation;
            counters.best_epoch = counters.epoch;
            counters.waited = 0;
        }
        let score = validation.unwrap_or(loss);
        counters.pace.tell(score);
        counters.decay_pace.tell(score);
        self.history.push(Epoch { loss, validation, rate: counters.rate });
    }

    /// After a loss that is not finite: back to the best weights, with half the rate.
    pub fn retreat(&mut self, settings: &TrainSettings, run: &Run) -> Result<()> {
        if self.counters.halvings == HALVINGS {
            let what = format!(
                "the loss is not a finite number, even with the learning rate lowered to {:.1e}",
                settings.rate * 0.5_f64.powi(HALVINGS)
            );
            return Err(Error::method(run.task(), what)
                .with_hint("look for enormous values in the data, or set a lower learning rate or a clip"));
        }
        self.counters.halvings += 1;
        self.counters.batch = 0;
        self.counters.loss = 0.0;
        self.counters.updates = 0;
        self.parameters = self.best.clone();
        self.memory = fresh_memory(&self.parameters, &settings.optimizer);
        run.note(format!(
            "epoch {}: the loss is not finite; going on from the best weights with half the learning rate",
            self.counters.epoch + 1
        ));
        Ok(())
    }

    /// What training gives. Without an epoch to the end, the weights of the moment do if they are sound.
    pub fn result(self, stopped: Why) -> Result<Trained> {
        let begun = self.counters.updates > 0 && self.parameters.finite();
        let judged = self.history.iter().any(|epoch| epoch.validation.is_some());
        let parameters = match stopped {
            Why::Stopped if self.history.is_empty() && !begun => return Err(Error::Stopped),
            Why::Stopped if !judged && begun => self.parameters,
            _ => self.best,
        };
        let best_epoch = self.counters.best_epoch;
        Ok(Trained { parameters, history: self.history, best_epoch, stopped })
    }
}
