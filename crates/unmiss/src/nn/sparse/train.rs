//! Training a sparse network: a learner says what to learn, the tiles move themselves, and the loop is
//! [that of all networks](crate::nn::train).

use super::network::{SparseNetwork, Work};
use super::pattern::Batch;
use super::trainer::Trainer;
use crate::error::Result;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::{Course, Loss, Stride, TrainSettings, Trainee, Why, train_with};
use crate::rng::mix;
use crate::run::Run;
use crate::store::Named;

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

    /// A number that changes with the data, by which a checkpoint of another training is told apart.
    fn fingerprint(&self) -> u64 {
        0
    }
}

/// How to train; the defaults are those of all networks.
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
    /// The course of the learning rate.
    pub schedule: Schedule,
    /// How much of the running mean of the weights each step keeps; the network is then that mean. 0: it is the
    /// weights themselves.
    pub averaging: f64,
}

impl Default for SparseSettings {
    fn default() -> Self {
        let TrainSettings { epochs, batch, optimizer, rate, schedule, .. } = TrainSettings::default();
        Self { epochs, batch, optimizer, rate, decay: [0.0; 2], patience: 0, schedule, averaging: 0.0 }
    }
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
    /// Why training ended.
    pub stopped: Why,
}

/// Trains a network. Stopped from outside, it gives the best so far.
///
/// # Errors
/// When a setting can't be used, there are no rows, the loss is not finite, or the run was stopped before the first
/// step.
pub fn train_sparse(
    learner: &dyn SparseLearner,
    network: SparseNetwork,
    settings: &SparseSettings,
    run: &Run,
) -> Result<SparseTrained> {
    let SparseSettings { epochs, batch, optimizer, rate, decay, patience, schedule, averaging } = *settings;
    let patience = Some(patience).filter(|patience| *patience > 0);
    let plan =
        TrainSettings { epochs, batch, optimizer, rate, patience, schedule, ..TrainSettings::default() };
    let mean = (averaging > 0.0).then(|| network.clone());
    let trainer = Trainer::new(network, optimizer);
    let (work, ready) = (Work::default(), None);
    let sparse = Sparse { learner, decay, averaging, trainer, mean, best: None, work, ready };
    let (sparse, Course { history, best_epoch, best_score, stopped }) = train_with(sparse, &plan, run)?;
    // Where nothing was judged, the last mean is as good as any.
    let (network, epochs) = (sparse.mean.unwrap_or(sparse.trainer.network), history.len());
    Ok(SparseTrained { network, best_epoch, epochs, validation: best_score, stopped })
}

/// A sparse network in training. Gradients are used up as they come, so none is ever held.
struct Sparse<'a> {
    learner: &'a dyn SparseLearner,
    decay: [f64; 2],
    averaging: f64,
    trainer: Trainer,
    /// The running mean of the weights, if there is to be one.
    mean: Option<SparseNetwork>,
    /// The best network by validation, once there is one.
    best: Option<SparseNetwork>,
    work: Work,
    /// A batch that is ready, and the step that it is for.
    ready: Option<(u64, Batch)>,
}

impl Trainee for Sparse<'_> {
    fn rows(&self) -> usize {
        self.learner.rows()
    }

    fn shuffled(&self, batches: usize) -> bool {
        batches > 1 || self.learner.varies()
    }

    /// Forward, loss, backward and update; meanwhile one thread puts the next batch together.
    fn step(&mut self, stride: &Stride<'_>) -> Option<Loss> {
        let moment = &stride.moment;
        let learner = self.learner;
        let make = |rows: &[usize]| {
            let rows: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
            learner.batch(&rows, moment.seed, moment.epoch)
        };
        let ready = self.ready.take().filter(|(step, _)| *step == moment.step);
        let batch = ready.map_or_else(|| make(stride.rows), |(_, batch)| batch);
        let (loss, next) = rayon::join(|| self.learn(&batch, stride), || stride.next.map(make));
        // The one batch of all rows is the next as well, where it is always the same.
        let again = stride.rows.len() == self.rows() && !learner.varies();
        let next = if again { Some(batch) } else { next };
        self.ready = next.map(|batch| (moment.step + 1, batch));
        loss
    }

    /// Weights that were drawn at random are no candidate.
    fn first_score(&self) -> Option<f64> {
        None
    }

    fn validate(&self) -> Option<f64> {
        self.learner.validate(self.candidate())
    }

    fn finite(&self) -> bool {
        self.trainer.network.finite()
    }

    /// Copies the network, into the memory of the one before if there is one. Without a score it is spared: the last is
    /// as good as any.
    fn keep(&mut self, judged: bool) {
        let candidate = self.mean.as_ref().unwrap_or(&self.trainer.network);
        match &mut self.best {
            _ if !judged => {}
            Some(best) => best.copy_from(candidate),
            None => self.best = Some(candidate.clone()),
        }
    }

    fn retreat(&mut self) -> bool {
        let Some(best) = &self.best else { return false };
        self.trainer.network.copy_from(best);
        self.mean.iter_mut().for_each(|mean| mean.copy_from(best));
        self.trainer.forget();
        true
    }

    fn settle(&mut self) -> bool {
        let Some(best) = self.best.take() else { return false };
        (self.trainer.network, self.mean) = (best, None);
        true
    }

    fn fingerprint(&self) -> u64 {
        let SparseNetwork { inputs, hidden, outputs, .. } = self.trainer.network;
        let sizes = [inputs, hidden, outputs].map(|size| size as u64);
        let learner = self.learner.fingerprint();
        // A training without a mean is told by the same number as before there were any.
        let mean = Some(self.averaging.to_bits()).filter(|_| self.averaging > 0.0);
        mix(sizes.into_iter().chain(self.decay.map(f64::to_bits)).chain([learner]).chain(mean))
    }

    fn slices(&mut self) -> Vec<Named<'_>> {
        let mut slices = self.trainer.slices();
        slices.extend(self.mean.iter_mut().flat_map(|mean| mean.weights.slices("mean")));
        slices.extend(self.best.iter_mut().flat_map(|best| best.weights.slices("best")));
        slices
    }
}

impl Sparse<'_> {
    /// The network that is judged and kept.
    fn candidate(&self) -> &SparseNetwork {
        self.mean.as_ref().unwrap_or(&self.trainer.network)
    }

    fn learn(&mut self, batch: &Batch, stride: &Stride<'_>) -> Option<Loss> {
        let Self { trainer, work, .. } = self;
        trainer.network.forward(batch, work);
        work.gradients.resize(work.scores.len(), 0.0);
        let sum = self.learner.loss(batch, &work.scores, &mut work.gradients);
        if !sum.is_finite() {
            return None;
        }
        // The decay of the whole loss counts here by the share of all rows.
        let share = stride.rows.len() as f64 / self.learner.rows() as f64;
        let decay = self.decay.map(|decay| (decay * share) as f32);
        // The loop counts the updates, also over a stop.
        trainer.steps = stride.number - 1;
        trainer.backward(batch, work, stride.rate as f32, decay);
        if let Some(mean) = &mut self.mean {
            // Of few steps it is the plain mean, nearly: the first weights are soon forgotten.
            let kept = self.averaging.min(stride.number as f64 / (stride.number as f64 + 9.0));
            mean.approach(&trainer.network, (1.0 - kept) as f32);
        }
        Some(Loss { sum, count: batch.outputs().len() })
    }
}

#[cfg(test)]
mod tests;
