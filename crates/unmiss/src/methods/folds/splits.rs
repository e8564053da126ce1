//! Some rows to learn from and others to be judged on, each time in the units of the rows that are learned from.

use std::sync::{Arc, Mutex, PoisonError};

use super::deal::Folds;
use super::measured::Entry;
use super::models::FoldPart;
use crate::encode::{Coder, Encoded, Encoding, Rows, Targets, Task};
use crate::error::Result;
use crate::methods::{Examples, Learned, Recipe, Training};
use crate::metrics::{Figures, Judge, Metric, figure};
use crate::run::Run;

/// Rows with their folds, encoded for each method as often as methods ask for another encoding.
pub struct Splits<'a> {
    /// Everything that may be learned from, in the units of all rows.
    pub training: Training<'a>,
    /// The targets as rows are judged by them: class weights serve learning, not judging.
    pub truth: &'a Targets,
    /// Who is held out when.
    pub folds: &'a Folds,
    /// What methods are ordered by; none: the mean over folds of the loss.
    metric: Option<Metric>,
    made: Mutex<Vec<Made>>,
}

/// A split with the place of its fold and its encoding.
type Made = ((usize, Encoding), Arc<Split>);

/// Some rows to learn from and others to be judged on, encoded for a method.
pub struct Split {
    /// The translation that the rows to learn from give.
    pub coder: Arc<Coder>,
    learning: Encoded,
    targets: Targets,
    /// Mean and standard deviation of the numbers that are learned from, in units of all rows; 0 and 1 for classes.
    units: (f64, f64),
    /// The rows that are held out.
    pub held_out: Rows,
    /// Their targets.
    pub truth: Targets,
}

impl<'a> Splits<'a> {
    /// Rows with their folds.
    pub fn new(training: Training<'a>, truth: &'a Targets, folds: &'a Folds) -> Self {
        Self { training, truth, folds, metric: None, made: Mutex::default() }
    }

    /// The same, whose methods are ordered by a figure of all held-out rows.
    #[must_use]
    pub fn judged_by(mut self, metric: Option<Metric>) -> Self {
        self.metric = metric;
        self
    }

    /// What methods are ordered by: lower is better.
    pub(super) fn cost(&self, entry: &Entry) -> f64 {
        let Some(metric) = self.metric else { return entry.loss() };
        metric.cost(figure(
            &judged(&entry.predictions, &self.truth.select(&self.folds.held_out.concat()), metric),
            metric,
        ))
    }

    /// A fold for methods that ask for an encoding.
    pub fn split(&self, fold: usize, encoding: Encoding) -> Arc<Split> {
        self.once((fold, encoding), || (self.folds.training(fold), &self.folds.held_out[fold]))
    }

    /// All rows but those that are kept apart, which are held out.
    pub fn all(&self, encoding: Encoding) -> Arc<Split> {
        let apart = &self.folds.apart;
        let others = || (0..self.truth.rows()).filter(|row| apart.binary_search(row).is_err()).collect();
        self.once((self.folds.held_out.len(), encoding), || (others(), apart))
    }

    /// A split that was made already, or made now.
    fn once<'r>(
        &self,
        name: (usize, Encoding),
        rows: impl FnOnce() -> (Vec<usize>, &'r Vec<usize>),
    ) -> Arc<Split> {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || made().iter().find(|(own, _)| *own == name).map(|(_, split)| Arc::clone(split));
        if let Some(found) = find() {
            return found;
        }
        let (training, held_out) = rows();
        let split = Arc::new(self.made_of(&training, held_out, name.1));
        // Another thread may have been faster: all share one, so that what is of one encoding is known by it.
        let mut all = made();
        match all.iter().find(|(own, _)| *own == name) {
            Some((_, earlier)) => Arc::clone(earlier),
            None => {
                all.push((name, Arc::clone(&split)));
                split
            }
        }
    }

    /// `[outputs]`: the answer of whoever knows nothing of a row but what the rows outside of a fold are on average:
    /// the mean, or the share of each class.
    pub fn constant(&self, fold: usize) -> Vec<f64> {
        average(&self.training.targets.select(&self.folds.training(fold)))
    }

    fn made_of(&self, training: &[usize], held_out: &[usize], encoding: Encoding) -> Split {
        let Training { encoder: common, inputs, targets } = self.training;
        let learning = inputs.select(training);
        let encoder = common.learned_from(&learning, encoding);
        let mut targets = targets.select(training);
        let units = own_units(&mut targets.numbers);
        Split {
            learning: encoder.recode(common, &learning),
            held_out: Rows::Table(encoder.recode(common, &inputs.select(held_out))),
            truth: self.truth.select(held_out),
            coder: Arc::new(Coder::Table(encoder)),
            targets,
            units,
        }
    }
}

/// All figures of answers `[rows, outputs]` in model units; what has a threshold is told at the best one.
fn judged(answers: &[f64], truth: &Targets, metric: Metric) -> Figures {
    match truth.task {
        Task::Regression => {
            let numbers: Vec<f64> = truth.numbers.iter().map(|y| f64::from(*y)).collect();
            Judge::of_numbers(answers, &numbers, &truth.weights).figures()
        }
        Task::Classification { .. } => {
            let plain = Judge::of_classes(answers, truth, None);
            match plain.best_threshold(metric) {
                Some((_, value)) => vec![(metric, value)],
                None => plain.figures(),
            }
        }
    }
}

/// `[outputs]`: the mean of targets, or the share of each class; one more row of each class is thought to be there, so
/// that none is impossible.
pub(super) fn average(targets: &Targets) -> Vec<f64> {
    match targets.task {
        Task::Regression => {
            let sum: f64 = targets.numbers.iter().map(|y| f64::from(*y)).sum();
            vec![sum / targets.numbers.len().max(1) as f64]
        }
        Task::Classification { classes } => {
            let mut shares = vec![1.0; classes];
            targets.classes.iter().for_each(|class| shares[*class as usize] += 1.0);
            let total: f64 = shares.iter().sum();
            shares.iter().map(|share| share / total).collect()
        }
    }
}

/// Standardises numbers and says by what: what is learned from them has then seen nothing of the other rows, not even
/// the mean of their target.
pub(crate) fn own_units(numbers: &mut [f32]) -> (f64, f64) {
    if numbers.is_empty() {
        return (0.0, 1.0);
    }
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|y| f64::from(*y)).sum::<f64>() / count;
    let variance = numbers.iter().map(|y| (f64::from(*y) - mean).powi(2)).sum::<f64>() / count;
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    numbers.iter_mut().for_each(|y| *y = ((f64::from(*y) - mean) / deviation) as f32);
    (mean, deviation)
}

impl Split {
    /// Learns from the one part.
    ///
    /// # Errors
    /// When the method can't.
    pub fn fit(&self, recipe: &Recipe, run: &Run) -> Result<FoldPart> {
        let encoder = self.coder.table()?;
        let examples = Examples::Table { encoder, rows: &self.learning, targets: Some(&self.targets) };
        Ok(self.part(run.compute(|| recipe.method.fit(&recipe.settings, examples, run))?))
    }

    /// What was learned from the one part, with its units.
    pub fn part(&self, learned: Box<dyn Learned>) -> FoldPart {
        let (shift, factor) = self.units;
        let coder = Arc::clone(&self.coder);
        let numbers = self.targets.numbers.iter().map(|y| f64::from(*y));
        let (low, high) = (numbers.clone().reduce(f64::min), numbers.reduce(f64::max));
        FoldPart {
            member: 0,
            weight: 1.0,
            coder,
            shift,
            factor,
            range: low.zip(high),
            temperature: 1.0,
            learned,
        }
    }

    /// `[rows, outputs]`: what a model answers for the other part.
    ///
    /// # Errors
    /// When it can't.
    pub fn answers(&self, part: &FoldPart, run: &Run) -> Result<Vec<f64>> {
        run.compute(|| part.answer(&self.held_out, self.truth.task))
    }

    /// A number that changes with the rows.
    pub fn fingerprint(&self) -> u64 {
        let parts = [self.learning.fingerprint(), self.targets.fingerprint(), self.held_out.fingerprint()];
        crate::rng::mix(parts)
    }
}
