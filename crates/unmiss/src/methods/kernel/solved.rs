//! The weights of the training rows, and the answers they give.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::choose::{Chosen, choose};
use super::clouds::{Clouds, Places};
use super::likeness::{Laid, matrix};
use crate::encode::{Encoded, Encoder, Rows, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::linalg::{Mat, Normal, solve_all};
use crate::methods::{Learned, Predictor};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// Rows that the choice looks at, at most.
const MOST_ROWS_FOR_CHOICE: usize = 200;
/// Rows that a thread answers for at once, at least.
const ROWS_AT_ONCE: usize = 32;
/// The sharpest factor of what is learned of classes, tried in steps of a tenth in its logarithm.
const SHARPEST: f64 = 30.0;

/// A fitted process.
pub struct Solved {
    pub(super) places: Places,
    pub(super) task: Task,
    /// The training rows, marks weighted.
    pub(super) rows: Clouds,
    laid: Laid,
    pub(super) chosen: Chosen,
    /// `[outputs]`: what is answered far from all rows: the mean, or the share of each class.
    pub(super) far: Vec<f64>,
    /// `[rows, outputs]`: α.
    pub(super) weights: Vec<f64>,
    /// s, the factor in front of what was learned of classes.
    pub(super) sharpness: f64,
}

impl Solved {
    /// Learns from rows that are in a random order.
    ///
    /// # Errors
    /// When numbers are too large for the equations.
    pub fn learn(places: Places, inputs: &Encoded, targets: &Targets, run: &Run) -> Result<Self> {
        let clouds = places.clouds(inputs);
        let (far, centred) = centred(targets);
        let failed = || Error::method("kernel", "its equations have no solution (numbers too large)");
        let few: Vec<usize> = (0..clouds.rows().min(MOST_ROWS_FOR_CHOICE)).collect();
        let part = Mat::from_fn(few.len(), far.len(), |row, output| centred[(row, output)]);
        let going = || !run.stopped();
        let (chosen, left_out) = choose(&clouds.select(&few), &part, &going).ok_or_else(failed)?;
        let sharpness = match targets.task {
            Task::Regression => 1.0,
            Task::Classification { .. } => sharpest(&left_out, &targets.classes, &far),
        };
        let rows = clouds.marked_by(chosen.marks);
        let mean = targets.weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() / rows.rows() as f64;
        let mut kernel = matrix(&rows, chosen.gamma);
        for (row, weight) in targets.weights.iter().enumerate() {
            kernel[(row, row)] += chosen.noise * mean / f64::from(*weight);
        }
        let solution = solve_all(kernel, centred).ok_or_else(failed)?;
        let outputs = 0..far.len();
        let weights = (0..rows.rows())
            .flat_map(|row| outputs.clone().map(move |output| (row, output)))
            .map(|place| solution[place])
            .collect();
        let laid = Laid::new(&rows);
        Ok(Self { places, task: targets.task, rows, laid, chosen, far, weights, sharpness })
    }

    /// Puts together again what was learned.
    ///
    /// # Errors
    /// When arrays are missing, of another shape or not finite.
    pub fn load(encoder: &Encoder, task: Task, arrays: &Arrays) -> Result<Self> {
        let columns = crate::encode::Wide::new(encoder).columns();
        let doubles = |name: &str, shape: &[usize]| -> Result<Vec<f64>> {
            let cells = arrays.doubles(name, shape)?.to_vec();
            finite(name, cells.iter().all(|cell| cell.is_finite())).map(|()| cells)
        };
        let normal =
            Normal::from_parts(doubles("mean", &[columns])?, doubles("covariance", &[columns, columns])?);
        let places = Places::new(encoder, normal);
        let (coordinates, marks) = (places.coordinates(), places.marks());
        let count = arrays.shape("places").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let singles = |name: &str| -> Result<Vec<f32>> {
            let cells = arrays.singles(name, &[count, coordinates])?.to_vec();
            finite(name, cells.iter().all(|cell| cell.is_finite())).map(|()| cells)
        };
        let (means, variances) = (singles("places")?, singles("open")?);
        let rows = Clouds { means, variances, coordinates, marks };
        let [gamma, noise, weight, sharpness] = doubles("choice", &[4])?[..] else {
            return Err(Error::damaged("its choice is not four numbers"));
        };
        if gamma < 0.0 || rows.variances.iter().any(|variance| *variance < 0.0) {
            return Err(Error::damaged("it has a reach or a spread below 0"));
        }
        let chosen = Chosen { gamma: gamma as f32, noise, marks: weight as f32 };
        let outputs = task.outputs();
        let (far, weights) = (doubles("far", &[outputs])?, doubles("weights", &[count, outputs])?);
        let laid = Laid::new(&rows);
        Ok(Self { places, task, rows, laid, chosen, far, weights, sharpness })
    }

    /// `[outputs]` for one row.
    fn answer(&self, likeness: &[f64], answer: &mut [f64]) {
        answer.fill(0.0);
        for (likeness, weights) in likeness.iter().zip(self.weights.chunks_exact(answer.len())) {
            answer.iter_mut().zip(weights).for_each(|(answer, weight)| *answer += likeness * weight);
        }
        match self.task {
            Task::Regression => answer.iter_mut().zip(&self.far).for_each(|(answer, far)| *answer += far),
            Task::Classification { .. } => chances(answer, &self.far, self.sharpness),
        }
    }
}

fn finite(name: &str, all: bool) -> Result<()> {
    match all {
        true => Ok(()),
        false => Err(Error::damaged(format!("array `{name}` has a number that is not finite"))),
    }
}

/// The mean of targets, or the share of each class, and `[rows, outputs]` targets less that.
fn centred(targets: &Targets) -> (Vec<f64>, Mat<f64>) {
    let rows = targets.rows();
    let of = |row: usize, output: usize| match targets.task {
        Task::Regression => f64::from(targets.numbers[row]),
        Task::Classification { .. } => f64::from(u8::from(targets.classes[row] as usize == output)),
    };
    let total: f64 = targets.weights.iter().map(|weight| f64::from(*weight)).sum();
    let mean = |output: usize| {
        (0..rows).map(|row| f64::from(targets.weights[row]) * of(row, output)).sum::<f64>() / total
    };
    let far: Vec<f64> = (0..targets.task.outputs()).map(mean).collect();
    let centred = Mat::from_fn(rows, far.len(), |row, output| of(row, output) - far[output]);
    (far, centred)
}

/// Turns what was learned of classes, less their shares, into chances. A share of 0 counts as a small one.
fn chances(learned: &mut [f64], shares: &[f64], sharpness: f64) {
    let log = |share: f64| share.max(1e-6).ln();
    learned.iter_mut().zip(shares).for_each(|(own, share)| *own = sharpness * *own + log(*share));
    let most = learned.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    learned.iter_mut().for_each(|own| *own = (*own - most).exp());
    let total: f64 = learned.iter().sum();
    learned.iter_mut().for_each(|own| *own /= total);
}

/// The sharpness with the least log-loss on left-out rows.
fn sharpest(left_out: &[Vec<f64>], classes: &[u32], shares: &[f64]) -> f64 {
    let loss = |sharpness: f64| -> f64 {
        let of = |(own, class): (&Vec<f64>, &u32)| {
            let mut own = own.clone();
            chances(&mut own, shares, sharpness);
            -own[*class as usize].max(1e-12).ln()
        };
        left_out.iter().zip(classes).map(of).sum()
    };
    let tried = (0..=(SHARPEST.ln() * 10.0) as usize).map(|tenths| (tenths as f64 / 10.0).exp());
    tried.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0)
}

impl Learned for Solved {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (mean, covariance) = self.places.normal.parts();
        arrays.put_doubles("mean", &[mean.len()], mean.to_vec());
        arrays.put_doubles("covariance", &[mean.len(), mean.len()], covariance.to_vec());
        let shape = [self.rows.rows(), self.rows.coordinates];
        arrays.put_singles("places", &shape, self.rows.means.clone());
        arrays.put_singles("open", &shape, self.rows.variances.clone());
        let Chosen { gamma, noise, marks } = self.chosen;
        arrays.put_doubles("choice", &[4], vec![f64::from(gamma), noise, f64::from(marks), self.sharpness]);
        arrays.put_doubles("far", &[self.far.len()], self.far.clone());
        arrays.put_doubles("weights", &[shape[0], self.far.len()], self.weights.clone());
        arrays
    }

    fn summary(&self) -> Value {
        json!({
            "rows": self.rows.rows(),
            "reach": 1.0 / f64::from(2.0 * self.chosen.gamma).sqrt(),
            "noise": self.chosen.noise,
            "holes speak": self.chosen.marks > 0.0,
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Solved {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        Ok(self.write_answers(graph, rows.table()?))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let clouds = self.places.clouds(rows.table()?).marked_by(self.chosen.marks);
        let (outputs, width) = (self.far.len(), clouds.coordinates);
        let mut answers = vec![0.0; rows.len() * outputs];
        let lines = answers.par_chunks_mut(outputs).with_min_len(ROWS_AT_ONCE).enumerate();
        lines.for_each_init(Vec::new, |likeness, (row, answer)| {
            let own = row * width..(row + 1) * width;
            let (means, variances) = (&clouds.means[own.clone()], &clouds.variances[own]);
            self.laid.likeness(means, variances, self.chosen.gamma, likeness);
            self.answer(likeness, answer);
        });
        Ok(answers)
    }
}
