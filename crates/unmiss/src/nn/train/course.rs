//! The course of a training: epochs and batches, for whatever can make a step.

use std::time::{Duration, Instant};

use super::checkpoint;
use super::state::State;
use super::{Epoch, Moment, TrainSettings, Why};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};
use crate::store::Named;

/// Pause between two progress events.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);
/// Pause between two checkpoints, at least; and how many times as long as it takes to write one.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(5);
const TIMES_WRITING: u32 = 20;

/// What is trained: weights, what their optimiser remembers, and the best weights so far.
pub(in crate::nn) trait Trainee: Send {
    /// How many rows there are to learn from.
    fn rows(&self) -> usize;

    /// Whether an epoch of so many batches takes the rows in random order.
    fn shuffled(&self, batches: usize) -> bool;

    /// Moves the weights by one step. `None` if the loss is not finite: the weights are then of no use.
    fn step(&mut self, step: &Stride<'_>) -> Option<Loss>;

    /// How good the first weights are, lower is better; `None` if they are no candidate.
    fn first_score(&self) -> Option<f64>;

    /// How good the weights are, lower is better; `None` if nothing was set aside to tell.
    fn validate(&self) -> Option<f64>;

    /// Whether every weight is finite.
    fn finite(&self) -> bool;

    /// Keeps the weights as the best so far; without a score, as the last that were sound.
    fn keep(&mut self, judged: bool);

    /// Goes back to the weights that were kept, the optimiser's memory empty. False if none were.
    fn retreat(&mut self) -> bool;

    /// Makes the weights that were kept the weights for good. False if none were.
    fn settle(&mut self) -> bool;

    /// A number that changes with the data and the network.
    fn fingerprint(&self) -> u64;

    /// All that a checkpoint has to hold, where it lies.
    fn slices(&mut self) -> Vec<Named<'_>>;
}

/// One step to be made.
pub(in crate::nn) struct Stride<'a> {
    /// The rows to learn from.
    pub rows: &'a [usize],
    /// The rows of the next step in this epoch: what they need can be prepared meanwhile.
    pub next: Option<&'a [usize]>,
    /// Where in the training it stands.
    pub moment: Moment,
    /// Which update it is since the optimiser's memory was empty, from 1.
    pub number: u64,
    /// The learning rate.
    pub rate: f64,
    /// The weight decay.
    pub decay: f64,
}

/// The loss of a batch: a sum, and over how many.
pub(in crate::nn) struct Loss {
    pub sum: f64,
    pub count: usize,
}

/// How a training went.
pub(in crate::nn) struct Course {
    pub history: Vec<Epoch>,
    pub best_epoch: usize,
    pub best_score: Option<f64>,
    pub stopped: Why,
}

/// Trains. Stopped from outside, the best weights so far are those that remain.
///
/// # Errors
/// When a setting can't be used, there are no rows, the loss is not finite however small the steps, or the
/// run was stopped before the first step.
pub(in crate::nn) fn train_with<T: Trainee>(
    trainee: T,
    settings: &TrainSettings,
    run: &Run,
) -> Result<(T, Course)> {
    settings.check()?;
    if trainee.rows() == 0 {
        return Err(Error::data("there are no rows to learn from"));
    }
    run.compute(|| Training::new(trainee, settings, run)?.go())
}

/// A training under way.
struct Training<'a, T> {
    trainee: T,
    settings: &'a TrainSettings,
    run: &'a Run,
    batch: usize,
    batches: usize,
    state: State,
    told: Option<Instant>,
    /// Empty unless checkpoints are kept.
    fingerprint: String,
    /// When the last checkpoint was written, and how long that took.
    kept: (Instant, Duration),
}

impl<'a, T: Trainee> Training<'a, T> {
    fn new(mut trainee: T, settings: &'a TrainSettings, run: &'a Run) -> Result<Self> {
        let rows = trainee.rows();
        let batch = if settings.batch == 0 { rows } else { settings.batch.min(rows) };
        let mut state = State::new(settings);
        let mut fingerprint = String::new();
        if run.keeps_checkpoints() {
            fingerprint = checkpoint::fingerprint(&mut trainee, settings, run.seed());
            if let Some(path) = run.kept(&fingerprint, "training") {
                checkpoint::resume(&path, &fingerprint, &mut trainee, &mut state, run)?;
            }
        }
        if state.best_score.is_none() {
            state.best_score = trainee.first_score().filter(|score| score.is_finite());
        }
        let (batches, kept) = (rows.div_ceil(batch), (Instant::now(), Duration::ZERO));
        Ok(Self { trainee, settings, run, batch, batches, state, told: None, fingerprint, kept })
    }

    fn go(mut self) -> Result<(T, Course)> {
        let stopped = loop {
            if self.state.epoch == self.settings.epochs {
                break Why::Epochs;
            }
            if self.settings.patience.is_some_and(|patience| self.state.waited >= patience.max(1)) {
                break Why::Patience;
            }
            if self.settings.tolerance.is_some_and(|tolerance| self.state.settled(tolerance)) {
                break Why::Settled;
            }
            if let Some(why) = self.epoch()? {
                break why;
            }
        };
        self.keep_checkpoint();
        let run = self.run;
        let ended = self.end(stopped);
        if let Ok((_, course)) = &ended {
            run.tell(&Event::Trained(Curve {
                task: run.task().to_owned(),
                step: "epoch",
                training: course.history.iter().map(|epoch| epoch.loss).collect(),
                validation: course.history.iter().filter_map(|epoch| epoch.validation).collect(),
                best: course.best_epoch,
            }));
        }
        run.finished();
        ended
    }

    /// One pass over the rows (or what is left of it after a stop); why, if the run was stopped.
    fn epoch(&mut self) -> Result<Option<Why>> {
        let order = self.order();
        while self.state.batch < self.batches {
            if let Some(reason) = self.run.stop_reason() {
                return Ok(Some(Why::Stopped(reason)));
            }
            let mut batches = order.chunks(self.batch).skip(self.state.batch);
            let (rows, next) = (batches.next().unwrap_or_default(), batches.next());
            let moment = self.moment();
            let (rate, decay) = self.state.pace(self.settings, &moment);
            let number = self.state.updates + 1;
            match self.trainee.step(&Stride { rows, next, moment, number, rate, decay }) {
                Some(loss) => self.state.stepped(&loss, rate),
                None => self.retreat()?,
            }
            self.tell_now_and_then();
        }
        if self.trainee.finite() {
            let validation = self.trainee.validate();
            if self.state.end_epoch(validation) {
                self.trainee.keep(validation.is_some());
            }
            self.tell_now_and_then();
        } else {
            self.retreat()?;
        }
        if self.kept.0.elapsed() >= BETWEEN_CHECKPOINTS.max(TIMES_WRITING * self.kept.1) {
            self.keep_checkpoint();
        }
        Ok(None)
    }

    /// The rows in this epoch's order.
    fn order(&self) -> Vec<usize> {
        let rows = self.trainee.rows();
        if !self.trainee.shuffled(self.batches) {
            return (0..rows).collect();
        }
        Stream::new(self.run.seed(), "shuffle", self.state.epoch as u64, 0).permutation(rows)
    }

    fn moment(&self) -> Moment {
        let step = (self.state.epoch * self.batches + self.state.batch) as u64;
        let share = step as f64 / (self.settings.epochs * self.batches) as f64;
        Moment { seed: self.run.seed(), epoch: self.state.epoch, step, share }
    }

    /// After a loss that is not finite: back to the best weights, with half the rate.
    fn retreat(&mut self) -> Result<()> {
        if !self.trainee.retreat() || !self.state.halve() {
            self.run.finished();
            return Err(self.state.not_finite(self.settings, self.run.task()));
        }
        self.run.note(format!(
            "epoch {}: the loss is not finite; going on from the best weights with half the learning rate",
            self.state.epoch + 1
        ));
        Ok(())
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
        // From weights that are of no use nobody wants to go on: what was written before stays.
        if !self.run.keeps_checkpoints() || !self.trainee.finite() {
            return;
        }
        let begun = Instant::now();
        self.run.keep(&self.fingerprint, "training", |path| {
            checkpoint::write(path, &self.fingerprint, &mut self.trainee, &self.state)
        });
        self.kept = (Instant::now(), begun.elapsed());
    }

    /// What training gives. Without an epoch to the end, the weights of the moment do if they are sound.
    fn end(mut self, stopped: Why) -> Result<(T, Course)> {
        let sound = self.state.updates > 0 && self.trainee.finite();
        let judged = self.state.history.iter().any(|epoch| epoch.validation.is_some());
        let cut = matches!(stopped, Why::Stopped(_));
        let nothing = cut && self.state.history.is_empty() && !sound;
        let last = cut && sound && !judged;
        let given = last || self.trainee.settle() || sound;
        if nothing || !given {
            return Err(Error::Stopped);
        }
        let State { counters, history } = self.state;
        let (best_epoch, best_score) = (counters.best_epoch, counters.best_score);
        Ok((self.trainee, Course { history, best_epoch, best_score, stopped }))
    }
}
