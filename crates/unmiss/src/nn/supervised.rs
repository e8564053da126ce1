//! What every network that predicts a target shares: its loss, its validation score, the part of the rows
//! set aside for it, and the way from scores to predictions.

use burn::Tensor;

use super::loss::{cross_entropy, squared_error};
use super::train::{Learner, Moment};
use super::{Lent, Parameters};
use crate::encode::{Targets, Task};
use crate::metrics::Score;
use crate::rng::{Stream, mix};

/// A network over rows that it holds: scores of some of them.
pub trait Scorer: Sync {
    /// `[rows, outputs]`, with gradients; where members share a network, one such block for each.
    fn forward(&self, rows: &[usize], parameters: &Lent, moment: &Moment) -> Tensor<2>;
    /// `[rows, outputs]`: predictions, members averaged.
    fn predict(&self, rows: &[usize], parameters: &Parameters) -> Vec<f64>;
    /// A number that changes with the rows.
    fn fingerprint(&self) -> u64;
}

/// Learning a target: squared error of a number, cross-entropy of classes, rows weighted.
pub struct Supervised<'a> {
    /// The network and its rows.
    pub scorer: &'a dyn Scorer,
    /// Targets of all rows.
    pub targets: &'a Targets,
    /// Rows to learn from.
    pub learning: Vec<usize>,
    /// Rows that tell when to stop; none: the last weights are kept.
    pub validation: Vec<usize>,
}

impl Learner for Supervised<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.learning[row]).collect();
        let scores = self.scorer.forward(&rows, parameters, moment);
        // Every member learns the same targets.
        let rows = rows.repeat(scores.dims()[0] / rows.len().max(1));
        let weights: Vec<f32> = rows.iter().map(|&row| self.targets.weights[row]).collect();
        match self.targets.task {
            Task::Regression => {
                let target: Vec<f32> = rows.iter().map(|&row| self.targets.numbers[row]).collect();
                squared_error(scores, &target, Some(&weights))
            }
            Task::Classification { .. } => {
                let classes: Vec<usize> =
                    rows.iter().map(|&row| self.targets.classes[row] as usize).collect();
                cross_entropy(scores, &classes, Some(&weights), 0.0)
            }
        }
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        if self.validation.is_empty() {
            return None;
        }
        let predictions = self.scorer.predict(&self.validation, parameters);
        Some(Score::of(&predictions, &self.targets.select(&self.validation)).loss())
    }

    fn fingerprint(&self) -> u64 {
        let rows = self.learning.iter().map(|&row| row as u64);
        mix([self.scorer.fingerprint(), self.targets.fingerprint(), mix(rows)])
    }
}

/// Scores of the output layer as predictions: as they are, or the softmax over classes.
pub fn predictions(scores: &[f32], task: Task) -> Vec<f64> {
    let mut outputs: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
    if let Task::Classification { classes } = task {
        for row in outputs.chunks_exact_mut(classes) {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter_mut().for_each(|score| *score = (*score - largest).exp());
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|score| *score /= total);
        }
    }
    outputs
}

/// Rows below which none is set aside.
const FEWEST_ROWS: usize = 20;

/// Splits the rows in `parts` parts at random, classes spread evenly, and sets one aside:
/// (learning, validation).
pub fn set_aside(targets: &Targets, parts: usize, part: usize, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let rows = targets.rows();
    let mut order = Stream::new(seed, "validation", 0, 0).permutation(rows);
    if rows < FEWEST_ROWS {
        return (order, Vec::new());
    }
    if !targets.classes.is_empty() {
        // Stable: rows of a class stay in random order, and every part gets its share of the class.
        order.sort_by_key(|&row| targets.classes[row]);
    }
    let aside = |place: usize| place % parts == part % parts;
    let take =
        |wanted: bool| (0..rows).filter(|&place| aside(place) == wanted).map(|place| order[place]).collect();
    (take(false), take(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_set_aside_once_and_has_its_share_of_each_class() {
        let targets = Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: (0..100).map(|row| u32::from(row < 20)).collect(),
            weights: vec![1.0; 100],
        };
        let mut all = Vec::new();
        for part in 0..5 {
            let (learning, validation) = set_aside(&targets, 5, part, 1);
            assert_eq!((learning.len(), validation.len()), (80, 20));
            assert_eq!(validation.iter().filter(|&&row| row < 20).count(), 4);
            all.extend(validation);
        }
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let outputs = predictions(&[1000.0, 0.0, -3.0, -3.0], Task::Classification { classes: 2 });
        assert_eq!(outputs, [1.0, 0.0, 0.5, 0.5]);
    }
}
