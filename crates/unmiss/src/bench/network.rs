//! The plain network of the benches, which is `mlp`'s, on inputs that they build themselves, and its answers.
//!
//! First weights and biases are uniform in ±1/sqrt(inputs), the usual start in the tools that the peers'
//! figures come from; the papers say nothing about it. Where a paper has biases of 0 at first, so have we.

use crate::encode::{Targets, Task};
use crate::error::{Error, Result};
use crate::methods::mlp::layers::Perceptron;
pub use crate::methods::mlp::layers::Start;
use crate::methods::mlp::{ScheduleName, Settings};
use crate::methods::supervised::{Scorer, Supervised, predictions};
use crate::metrics::most_probable;
use crate::nn::train::{Why, train};
use crate::nn::{Engine, Parameters, Plain};
use crate::rng::{Stream, mix};
use crate::run::Run;

/// Rows to learn from, to choose the epoch by, and to score on.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    pub learning: Vec<usize>,
    pub validation: Vec<usize>,
    pub test: Vec<usize>,
}

impl Split {
    /// Random parts: a share of all rows for the test, then a share of the rest for validation.
    pub fn new(rows: usize, test: f64, validation: f64, seed: u64) -> Self {
        let order = Stream::new(seed, "bench split", 0, 0).permutation(rows);
        let test_rows = (rows as f64 * test).round() as usize;
        let rest = rows - test_rows;
        let validation_rows = (rest as f64 * validation).round() as usize;
        Self {
            test: order[..test_rows].to_vec(),
            validation: order[test_rows..test_rows + validation_rows].to_vec(),
            learning: order[test_rows + validation_rows..].to_vec(),
        }
    }
}

/// What all trainings share: a constant rate, and the best epoch of all.
pub fn plain_settings() -> Settings {
    Settings { schedule: ScheduleName::Constant, patience: 0, ..Settings::default() }
}

/// Inputs `[rows, width]` and targets of all rows.
pub struct Rows<'a> {
    pub width: usize,
    pub inputs: Vec<f32>,
    pub targets: &'a Targets,
}

/// The perceptron and its rows.
struct Held<'a> {
    perceptron: Perceptron,
    rows: &'a Rows<'a>,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let width = self.rows.width;
        let mut inputs = Vec::with_capacity(rows.len() * width);
        for row in rows {
            inputs.extend_from_slice(&self.rows.inputs[row * width..(row + 1) * width]);
        }
        let inputs = engine.input(inputs, rows.len());
        self.perceptron.forward(engine, inputs)
    }

    fn fingerprint(&self) -> u64 {
        mix(self.rows.inputs.iter().map(|value| u64::from(value.to_bits())))
    }
}

/// What a trained network answers.
pub struct Tested {
    /// `[test rows, outputs]`: numbers or probabilities.
    pub answers: Vec<f64>,
    /// The epoch whose weights were kept.
    pub best_epoch: usize,
    /// The first weights, and those that were kept.
    pub weights: [Parameters; 2],
}

/// [`train_and_test_from`] the usual start.
pub fn train_and_test(
    rows: &Rows<'_>,
    split: &Split,
    settings: &Settings,
    run: &Run,
) -> Result<Option<Tested>> {
    train_and_test_from(Start::Usual, rows, split, settings, run)
}

/// Trains with the run's seed, keeps the best epoch by validation (root mean square or log-loss), and
/// predicts the test rows. `None` if the run was stopped, as half a training compares with nothing.
pub fn train_and_test_from(
    start: Start,
    rows: &Rows<'_>,
    split: &Split,
    settings: &Settings,
    run: &Run,
) -> Result<Option<Tested>> {
    let task = rows.targets.task;
    let perceptron = Perceptron::new(settings, rows.width, task.outputs(), start);
    let held = Held { perceptron, rows };
    let learner = Supervised {
        scorer: &held,
        targets: rows.targets,
        learning: split.learning.clone(),
        validation: split.validation.clone(),
    };
    let parameters = held.perceptron.parameters(run.seed());
    let trained = match train(&learner, parameters.clone(), &settings.plan(), run) {
        Ok(trained) if !matches!(trained.stopped, Why::Stopped(_)) => trained,
        Ok(_) | Err(Error::Stopped) => return Ok(None),
        Err(error) => return Err(error),
    };
    let answers = run.compute(|| {
        let scores = held.forward(&mut Plain::new(&trained.parameters), &split.test);
        predictions(scores.values(), split.test.len(), task)
    });
    let weights = [parameters, trained.parameters];
    Ok(Some(Tested { answers, best_epoch: trained.best_epoch, weights }))
}

/// Root mean squared error of numbers, or the share of rows whose class is wrong.
pub fn error_rate(predictions: &[f64], targets: &Targets, rows: &[usize]) -> f64 {
    let errors: f64 = match targets.task {
        Task::Regression => {
            let squares = predictions.iter().zip(rows);
            squares.map(|(answer, row)| (answer - f64::from(targets.numbers[*row])).powi(2)).sum()
        }
        Task::Classification { classes } => {
            let wrong = predictions
                .chunks_exact(classes)
                .zip(rows)
                .filter(|(answer, row)| most_probable(answer) != targets.classes[**row] as usize);
            wrong.count() as f64
        }
    };
    let mean = errors / rows.len().max(1) as f64;
    if targets.task == Task::Regression { mean.sqrt() } else { mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_has_every_row_once() {
        let split = Split::new(50, 0.2, 0.25, 3);
        assert_eq!((split.learning.len(), split.validation.len(), split.test.len()), (30, 10, 10));
        let mut all = [split.learning, split.validation, split.test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_is_learned() {
        let inputs: Vec<f32> = (0..60).map(|row| row as f32 / 60.0).collect();
        let numbers = inputs.iter().map(|x| 3.0 * x + 1.0).collect();
        let targets =
            Targets { task: Task::Regression, numbers, classes: Vec::new(), weights: vec![1.0; 60] };
        let rows = Rows { width: 1, inputs, targets: &targets };
        let split = Split::new(60, 0.2, 0.25, 0);
        let plan = Settings { hidden: vec![10], epochs: 400, batch: 0, rate: 1e-2, ..plain_settings() };
        let run = Run::new(0, 1).unwrap();
        let tested = train_and_test(&rows, &split, &plan, &run).unwrap().unwrap();
        let error = error_rate(&tested.answers, &targets, &split.test);
        assert!(error < 0.2, "{error}");
        run.stop_switch().store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(train_and_test(&rows, &split, &plan, &run).unwrap().is_none());
    }

    #[test]
    fn wrong_classes_are_counted() {
        let targets = Targets {
            task: Task::Classification { classes: 2 },
            numbers: Vec::new(),
            classes: vec![0, 1, 1, 0],
            weights: vec![1.0; 4],
        };
        assert_eq!(error_rate(&[0.9, 0.1, 0.8, 0.2], &targets, &[0, 2]), 0.5);
    }
}
