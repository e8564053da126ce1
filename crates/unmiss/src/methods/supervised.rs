//! What every network that predicts a target shares: its loss, its validation score, the part of the rows
//! set aside for it, and the way from scores to predictions.

use burn::Tensor;

use crate::encode::{Targets, Task};
use crate::metrics::Score;
use crate::nn::loss::{cross_entropy, squared_error};
use crate::nn::train::{Learner, Moment};
use crate::nn::{Engine, Lent, Parameters, Plain, Taped};
use crate::rng::{Stream, mix};

/// A network over rows that it holds: scores of some of them.
pub trait Scorer: Sync {
    /// `[rows, outputs]`; where members share a network, one such block for each.
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value;
    /// A number that changes with the rows.
    fn fingerprint(&self) -> u64;
    /// How many rows are scored at a time where no gradient is wanted: images take much memory on their way.
    fn rows_at_once(&self) -> usize {
        usize::MAX
    }
    /// The figure by which weights are chosen; lower is better.
    fn judged(&self, score: &Score) -> f64 {
        score.loss()
    }
}

/// Learning a target: squared error of a number, cross-entropy of classes, rows weighted.
pub struct Supervised<'a, S> {
    /// The network and its rows.
    pub scorer: &'a S,
    /// Targets of all rows.
    pub targets: &'a Targets,
    /// Rows to learn from.
    pub learning: Vec<usize>,
    /// Rows that tell when to stop; none: the last weights are kept.
    pub validation: Vec<usize>,
}

impl<S: Scorer> Learner for Supervised<'_, S> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.learning[row]).collect();
        let scores = self.scorer.forward(&mut Taped::new(parameters, moment), &rows);
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
        let targets = self.targets.select(&self.validation);
        let answers = |rows: &[usize]| {
            let scores = self.scorer.forward(&mut Plain::new(parameters), rows);
            predictions(scores.values(), rows.len(), targets.task)
        };
        let all: Vec<f64> = self.validation.chunks(self.scorer.rows_at_once()).flat_map(answers).collect();
        Some(self.scorer.judged(&Score::of(&all, &targets)))
    }

    fn fingerprint(&self) -> u64 {
        let rows = self.learning.iter().map(|&row| row as u64);
        mix([self.scorer.fingerprint(), self.targets.fingerprint(), mix(rows)])
    }
}

/// Scores of the output layer as predictions of so many rows: as they are, or the softmax over classes. Members'
/// scores, one block after the other, become predictions first and are then averaged.
pub fn predictions(scores: &[f32], rows: usize, task: Task) -> Vec<f64> {
    let outputs = task.outputs();
    let block = (rows * outputs).max(1);
    let mut answers = vec![0.0; rows * outputs];
    let mut row = Vec::with_capacity(outputs);
    for member in scores.chunks_exact(block) {
        for (answer, scores) in answers.chunks_exact_mut(outputs).zip(member.chunks_exact(outputs)) {
            row.clear();
            row.extend(scores.iter().map(|score| f64::from(*score)));
            if let Task::Classification { .. } = task {
                softmax(&mut row);
            }
            answer.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value);
        }
    }
    let members = (scores.len() / block) as f64;
    answers.iter_mut().for_each(|sum| *sum /= members);
    answers
}

fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|score| *score /= total);
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
    fn probabilities_add_up_to_one_and_are_those_of_the_members_on_average() {
        let (scores, task) = ([1000.0, 0.0, -3.0, -3.0], Task::Classification { classes: 2 });
        assert_eq!(predictions(&scores, 2, task), [1.0, 0.0, 0.5, 0.5]);
        assert_eq!(predictions(&scores, 1, task), [0.75, 0.25]);
        assert_eq!(predictions(&[1.0, 2.0, 5.0, 6.0], 2, Task::Regression), [3.0, 4.0]);
        assert!(predictions(&[], 0, task).is_empty());
    }
}
