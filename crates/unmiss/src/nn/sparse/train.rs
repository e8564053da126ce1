//! Training a sparse network: batches, early stopping on what was set aside, best weights, progress, stop.
//!
//! The general loop of [`nn::train`](crate::nn::train) asks for a loss in tensors and holds every gradient before it
//! moves a weight; here gradients are used up as they come, so the network moves itself.

use std::time::{Duration, Instant};

use super::ahead::one_ahead;
use super::network::{SparseNetwork, Work};
use super::pattern::Batch;
use super::trainer::Trainer;
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};

/// Pause between two progress events.
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);

/// What is learned.
pub trait SparseLearner: Sync {
    /// How many rows there are to learn from.
    fn rows(&self) -> usize;

    /// Some rows as a batch. What is random about it depends on seed and epoch alone.
    fn batch(&self, rows: &[u32], seed: u64, epoch: usize) -> Batch;

    /// Whether the same rows give another batch in another epoch.
    fn varies(&self) -> bool {
        false
    }

    /// The sum of the loss over a batch; fills in its derivatives by the scores.
    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64;

    /// How good a network is, lower is better; `None` if nothing was set aside to tell.
    fn validate(&self, network: &SparseNetwork) -> Option<f64>;
}

/// How to train.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseSettings {
    /// Passes over the rows, at most.
    pub epochs: usize,
    /// Rows in a batch; 0 for all.
    pub batch: usize,
    /// The rule that turns gradients into steps.
    pub optimizer: Optimizer,
    /// The learning rate.
    pub rate: f64,
    /// Weight decay of the whole loss, λ in `λ/2 |w|²`, on the weights of inputs and of outputs.
    pub decay: [f64; 2],
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
}

/// What training gives.
pub struct SparseTrained {
    /// The best network by validation, or the last.
    pub network: SparseNetwork,
    /// How many epochs had been done when it was kept.
    pub best_epoch: usize,
    /// How many epochs were done in all.
    pub epochs: usize,
    /// The best validation score.
    pub validation: Option<f64>,
}

/// Trains a network. Stopped from outside, it gives the best so far.
///
/// # Errors
/// When the loss is not finite, or the run was stopped before the first epoch was done.
pub fn train_sparse(
    learner: &dyn SparseLearner,
    network: SparseNetwork,
    settings: &SparseSettings,
    run: &Run,
) -> Result<SparseTrained> {
    run.compute(|| Training::new(learner, network, settings, run).go())
}

struct Training<'a> {
    learner: &'a dyn SparseLearner,
    settings: &'a SparseSettings,
    run: &'a Run,
    trainer: Trainer,
    work: Work,
    /// The one batch of all rows, where it is always the same.
    whole: Option<Batch>,
    curve: Curve,
}

impl<'a> Training<'a> {
    fn new(
        learner: &'a dyn SparseLearner,
        network: SparseNetwork,
        settings: &'a SparseSettings,
        run: &'a Run,
    ) -> Self {
        let trainer = Trainer::new(network, settings.optimizer);
        let curve = Curve {
            task: run.task().to_owned(),
            step: "epoch",
            training: Vec::new(),
            validation: Vec::new(),
            best: 0,
        };
        Self { learner, settings, run, trainer, work: Work::default(), whole: None, curve }
    }

    fn go(mut self) -> Result<SparseTrained> {
        let mut best: Option<(f64, SparseNetwork)> = None;
        let mut told: Option<Instant> = None;
        for epoch in 0..self.settings.epochs {
            if self.run.stopped() {
                break;
            }
            let loss = self.epoch(epoch)?;
            self.curve.training.push(loss);
            let score = self.learner.validate(&self.trainer.network);
            if let Some(score) = score {
                self.curve.validation.push(score);
                if best.as_ref().is_none_or(|(least, _)| score < *least) {
                    self.keep(&mut best, score);
                    self.curve.best = epoch + 1;
                }
            }
            if told.is_none_or(|last| last.elapsed() >= BETWEEN_EVENTS) {
                told = Some(Instant::now());
                let detail =
                    score.map_or_else(|| format!("loss {loss:.4}"), |score| format!("validation {score:.4}"));
                self.run.progress(epoch as u64 + 1, self.settings.epochs as u64, detail);
            }
            let waited = epoch + 1 - self.curve.best;
            if score.is_some() && self.settings.patience > 0 && waited >= self.settings.patience {
                break;
            }
        }
        self.run.finished();
        let epochs = self.curve.training.len();
        if epochs == 0 {
            return Err(Error::Stopped);
        }
        let (validation, network) = match best {
            Some((score, network)) => (Some(score), network),
            None => {
                self.curve.best = epochs;
                (None, self.trainer.network)
            }
        };
        let best_epoch = self.curve.best;
        self.run.tell(&Event::Trained(self.curve));
        Ok(SparseTrained { network, best_epoch, epochs, validation })
    }

    /// Copies the network, into the memory of the one before if there is one.
    fn keep(&self, best: &mut Option<(f64, SparseNetwork)>, score: f64) {
        match best {
            Some((least, network)) => {
                *least = score;
                network.copy_from(&self.trainer.network);
            }
            None => *best = Some((score, self.trainer.network.clone())),
        }
    }

    /// One pass over the rows; the mean loss of a wanted output.
    fn epoch(&mut self, epoch: usize) -> Result<f64> {
        let rows = self.learner.rows();
        let size = if self.settings.batch == 0 { rows } else { self.settings.batch.min(rows) }.max(1);
        let (mut loss, mut wanted) = (0.0, 0);
        if size >= rows && !self.learner.varies() {
            let all: Vec<u32> = (0..rows as u32).collect();
            let batch = self.whole.take().unwrap_or_else(|| self.learner.batch(&all, self.run.seed(), epoch));
            (loss, wanted) = self.step(&batch, 1.0);
            self.whole = Some(batch);
        } else {
            let order = Stream::new(self.run.seed(), "shuffle", epoch as u64, 0).permutation(rows);
            let order: Vec<u32> = order.into_iter().map(|row| row as u32).collect();
            let (learner, seed) = (self.learner, self.run.seed());
            let make = |rows: &[u32]| (learner.batch(rows, seed, epoch), rows.len() as f64);
            one_ahead(order.chunks(size), make, |(batch, count)| {
                let done = self.step(&batch, count / rows as f64);
                loss += done.0;
                wanted += done.1;
            });
        }
        if loss.is_finite() {
            return Ok(loss / wanted.max(1) as f64);
        }
        self.run.finished();
        Err(Error::data("the training diverged: its loss is not a finite number")
            .with_hint("try a smaller `rate`"))
    }

    /// One step; `share` is that of all rows, by which the decay of the whole loss counts here.
    fn step(&mut self, batch: &Batch, share: f64) -> (f64, usize) {
        self.trainer.network.forward(batch, &mut self.work);
        self.work.gradients.resize(self.work.scores.len(), 0.0);
        let loss = self.learner.loss(batch, &self.work.scores, &mut self.work.gradients);
        let decay = self.settings.decay.map(|decay| (decay * share) as f32);
        self.trainer.backward(batch, &mut self.work, self.settings.rate as f32, decay);
        (loss, batch.outputs().len())
    }
}
