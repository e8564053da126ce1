//! A weighted sum of inputs, fitted: by ridge regression for numbers, by logistic regression for classes.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::logistic::{self, Problem};
use super::{Inputs, Strength, ridge, strength};
use crate::encode::design::SparseRows;
use crate::encode::{Encoded, Encoder, Rows, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::methods::written::of_sums;
use crate::methods::{Exact, Learned, Predictor, Training};
use crate::onnx::{Graph, Kind, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// Inputs up to which the summary lists every coefficient.
const MOST_LISTED: usize = 50;

/// What was learned.
struct Fit {
    /// `[inputs + 1, logits]`, the bias last.
    weights: Vec<f64>,
    strength: f64,
    /// Steps of the final solver; 1 for a regression, which is solved directly.
    steps: usize,
}

/// Sums a row gives: one for a number or for two classes, else one per class.
fn logits_of(task: Task) -> usize {
    match task {
        Task::Regression | Task::Classification { classes: 0..=2 } => 1,
        Task::Classification { classes } => classes,
    }
}

fn fit_numbers(rows: &SparseRows, inputs: usize, targets: &Targets, strength: Option<f64>) -> Result<Fit> {
    let ridge = ridge::fit(rows, inputs, &targets.numbers, &targets.weights, strength)?;
    Ok(Fit { weights: ridge.weights, strength: ridge.strength, steps: 1 })
}

fn fit_classes(rows: &SparseRows, inputs: usize, targets: &Targets, strength: Option<f64>, run: &Run) -> Fit {
    let picked: Vec<u32> =
        (0..rows.len() as u32).filter(|row| targets.weights[*row as usize] > 0.0).collect();
    let problem = Problem {
        rows,
        inputs,
        classes: &targets.classes,
        weights: &targets.weights,
        picked: &picked,
        outputs: logits_of(targets.task),
    };
    let (strength, start) = match strength {
        Some(strength) => (strength, vec![0.0; problem.size()]),
        None => strength::choose(&problem, run),
    };
    let solution = problem.minimize(strength, start, run);
    Fit { weights: solution.weights, strength, steps: solution.steps }
}

/// A fitted weighted sum.
pub struct WeightedSum {
    inputs: Inputs,
    names: Vec<String>,
    task: Task,
    fit: Fit,
}

impl WeightedSum {
    /// Learns the weights for a method of this name.
    ///
    /// # Errors
    /// When no row counts, or numbers are too large.
    pub fn learn(
        method: &str,
        inputs: Inputs,
        training: Training<'_>,
        strength: Strength,
        run: &Run,
    ) -> Result<Box<dyn Learned>> {
        let Training { encoder, inputs: cells, targets } = training;
        if targets.weights.iter().all(|weight| *weight <= 0.0) {
            return Err(Error::method(method, "there is no row with a weight above 0 to learn from"));
        }
        let (rows, count, strength) = (inputs.rows(cells), inputs.len(), strength.given());
        let fit = run.compute(|| match targets.task {
            Task::Regression => fit_numbers(&rows, count, targets, strength),
            Task::Classification { .. } => Ok(fit_classes(&rows, count, targets, strength, run)),
        })?;
        run.finished();
        Ok(Box::new(Self { names: inputs.names(encoder), inputs, task: targets.task, fit }))
    }

    /// Puts together again what was learned.
    ///
    /// # Errors
    /// When arrays are missing, of another shape or not finite.
    pub fn load(inputs: Inputs, encoder: &Encoder, task: Task, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let weights = arrays.doubles("weights", &[inputs.len() + 1, logits_of(task)])?.to_vec();
        let [strength, steps] = *arrays.doubles("fit", &[2])? else {
            return Err(Error::data("array `fit` does not have two numbers"));
        };
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::data("array `weights` has a number that is not finite")
                .with_hint("the file is damaged; fit the model again"));
        }
        let fit = Fit { weights, strength, steps: steps as usize };
        Ok(Box::new(Self { names: inputs.names(encoder), inputs, task, fit }))
    }

    fn predict_row(&self, rows: &Encoded, row: usize, answer: &mut [f64]) {
        let mut pairs = Vec::new();
        self.inputs.row(rows, row, |input, value| pairs.push((input as usize, f64::from(value))));
        match self.task {
            Task::Regression => logistic::logits(pairs.into_iter(), &self.fit.weights, answer),
            Task::Classification { classes: 0..=2 } => {
                let mut z = [0.0];
                logistic::logits(pairs.into_iter(), &self.fit.weights, &mut z);
                logistic::probabilities_in_place(&mut z);
                answer[0] = 1.0 - z[0];
                answer[1..].fill(z[0]);
            }
            Task::Classification { .. } => {
                logistic::logits(pairs.into_iter(), &self.fit.weights, answer);
                logistic::probabilities_in_place(answer);
            }
        }
    }
}

impl Learned for WeightedSum {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let shape = [self.inputs.len() + 1, logits_of(self.task)];
        arrays.put_doubles("weights", &shape, self.fit.weights.clone());
        arrays.put_singles("k", &[1], vec![self.inputs.normalization().unwrap_or(1.0)]);
        arrays.put_doubles("fit", &[2], vec![self.fit.strength, self.fit.steps as f64]);
        self.inputs.save(&mut arrays);
        arrays
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "strength": self.fit.strength,
            "iterations": self.fit.steps,
            "inputs": self.inputs.len(),
        });
        if let Some(k) = self.inputs.normalization() {
            summary["k"] = json!(k);
        }
        if self.names.len() <= MOST_LISTED {
            let names = self.names.iter().map(String::as_str).chain(["(bias)"]);
            let lines = self.fit.weights.chunks(logits_of(self.task));
            let listed = names.zip(lines).map(|(name, line)| {
                (name.to_owned(), if let [weight] = line { json!(weight) } else { json!(line) })
            });
            summary["coefficients"] = Value::Object(listed.collect::<Map<_, _>>());
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for WeightedSum {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let outputs = self.task.outputs();
        let mut answers = vec![0.0; rows.rows * outputs];
        let rows_with_answers = answers.par_chunks_mut(outputs.max(1)).with_min_len(256).enumerate();
        rows_with_answers.for_each(|(row, answer)| self.predict_row(rows, row, answer));
        Ok(answers)
    }

    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let inputs = self.inputs.write(graph, rows.table()?);
        let inputs = graph.cast(&inputs, Kind::Double);
        let (count, logits) = (self.inputs.len(), logits_of(self.task));
        let (weights, bias) = self.fit.weights.split_at(count * logits);
        let weights = graph.doubles(&[count, logits], weights.to_vec());
        let bias = graph.doubles(&[1, logits], bias.to_vec());
        let sums = graph.product(&inputs, &weights);
        let sums = graph.add(&sums, &bias);
        Ok(of_sums(graph, &sums, self.task))
    }

    /// The contribution of column j to a sum: what its inputs (number or codes, indicator) add for the row, less what
    /// they add for the background on average. Where rows are normalised, no column adds anything on its own.
    fn contributions(&self, rows: &Rows, background: &Rows) -> Result<Option<Exact>> {
        if self.task != Task::Regression || self.inputs.normalization().is_some() {
            return Ok(None);
        }
        let (columns, width) = (self.inputs.columns(), self.inputs.width());
        let added = |rows: &Encoded| {
            let mut sums = vec![0.0; rows.rows * width];
            for (row, sums) in sums.chunks_exact_mut(width.max(1)).enumerate() {
                self.inputs.row(rows, row, |input, value| {
                    sums[columns[input as usize]] += self.fit.weights[input as usize] * f64::from(value);
                });
            }
            sums
        };
        let (mut own, around) = (added(rows.table()?), added(background.table()?));
        let share = 1.0 / background.len().max(1) as f64;
        let mean = |column: usize| share * around.iter().skip(column).step_by(width).sum::<f64>();
        let means: Vec<f64> = (0..width).map(mean).collect();
        for line in own.chunks_exact_mut(width.max(1)) {
            line.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
        }
        // The bias stands behind the inputs' weights.
        let base = self.fit.weights.last().copied().unwrap_or(0.0) + means.iter().sum::<f64>();
        Ok(Some(Exact { base, values: own }))
    }
}
