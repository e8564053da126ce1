//! A table of copies with holes, and what a network makes of it.

use super::TEST_SHARE;
use crate::bench::folder::Sheet;
use crate::bench::network::{Rows, Split, error_rate, train_and_test};
use crate::bench::treatment::{Holes, Treatment};
use crate::encode::Task;
use crate::error::Result;
use crate::methods::mlp;
use crate::rng::Stream;
use crate::run::Run;

/// One training's outcome on the test rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub error: f64,
    pub drift: Drift,
}

/// What the network answers on average in either group. The groups are drawn at random, so a fair network
/// answers the same in both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drift {
    /// Mean answer for sparse and dense rows; for classes the mean probability of the last.
    pub sparse: f64,
    pub dense: f64,
    /// Dense less sparse, of what the answers have beyond the truth (whose means differ by chance too); for
    /// classes the share of probability that moves from one class to another.
    pub drift: f64,
}

/// A table with r copies, erased.
pub(super) struct Erased<'a> {
    pub holes: Holes<'a>,
    sheet: &'a Sheet,
    pub dense: Vec<bool>,
    pub split: Split,
}

impl<'a> Erased<'a> {
    pub fn new(sheet: &'a Sheet, copies: usize, seed: u64) -> Self {
        let mut dense = vec![false; sheet.rows];
        for row in &Stream::new(seed, "bench groups", 0, 0).permutation(sheet.rows)[..sheet.rows / 2] {
            dense[*row] = true;
        }
        let width = copies * sheet.columns;
        let mut observed = Vec::with_capacity(sheet.rows * width);
        for (row, dense) in dense.iter().enumerate() {
            let mut stream = Stream::new(seed, "bench erase", row as u64, copies as u64);
            let keep = if *dense { 0.8 } else { 0.2 };
            observed.extend((0..width).map(|_| stream.uniform() < keep));
        }
        let holes =
            Holes { rows: sheet.rows, columns: sheet.columns, copies, values: &sheet.values, observed };
        // 3:1:1.
        let split = Split::new(sheet.rows, TEST_SHARE, 0.25, seed);
        Self { holes, sheet, dense, split }
    }

    pub fn outcome(&self, treatment: Treatment, plan: &mlp::Settings, run: &Run) -> Result<Option<Outcome>> {
        let (width, inputs) = self.holes.inputs(treatment, &self.split.learning);
        let rows = Rows { width, inputs, targets: &self.sheet.targets };
        let Some(tested) = train_and_test(&rows, &self.split, plan, run)? else { return Ok(None) };
        let error = error_rate(&tested.answers, &self.sheet.targets, &self.split.test);
        Ok(Some(Outcome { error, drift: self.drift(&tested.answers) }))
    }

    /// The error of the mean predictor: the mean target of the rows learned from, or their most frequent class, for
    /// every test row. Whoever errs more has learned less than nothing.
    pub fn constant_error(&self) -> f64 {
        let Split { learning, test, .. } = &self.split;
        let targets = &self.sheet.targets;
        let answer: Vec<f64> = match targets.task {
            Task::Regression => {
                let sum: f64 = learning.iter().map(|row| f64::from(targets.numbers[*row])).sum();
                vec![sum / learning.len().max(1) as f64]
            }
            Task::Classification { classes } => {
                let mut counts = vec![0.0; classes];
                learning.iter().for_each(|row| counts[targets.classes[*row] as usize] += 1.0);
                counts
            }
        };
        error_rate(&answer.repeat(test.len()), targets, test)
    }

    pub fn drift(&self, answers: &[f64]) -> Drift {
        let targets = &self.sheet.targets;
        let outputs = targets.task.outputs();
        // The right answer: the number itself, or 1 for the class and 0 for the others.
        let truth = |row: usize, output: usize| match targets.task {
            Task::Regression => f64::from(targets.numbers[row]),
            Task::Classification { .. } => f64::from(u8::from(targets.classes[row] as usize == output)),
        };
        // Means of each output over the test rows of a group: of the answer, and of how far it is too high.
        let means = |dense: bool, output: usize| {
            let rows = answers.chunks_exact(outputs).zip(&self.split.test);
            let group = rows.filter(|(_, row)| self.dense[**row] == dense);
            let (mut answer, mut excess, mut count) = (0.0, 0.0, 0.0_f64);
            for (answers, row) in group {
                answer += answers[output];
                excess += answers[output] - truth(*row, output);
                count += 1.0;
            }
            (answer / count.max(1.0), excess / count.max(1.0))
        };
        let differences = || (0..outputs).map(|output| means(true, output).1 - means(false, output).1);
        let drift = match targets.task {
            Task::Regression => differences().sum(),
            Task::Classification { .. } => differences().map(f64::abs).sum::<f64>() / 2.0,
        };
        Drift { sparse: means(false, outputs - 1).0, dense: means(true, outputs - 1).0, drift }
    }
}
