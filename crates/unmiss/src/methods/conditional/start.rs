//! Where learning starts: mean and covariance of the columns and the target together, by expectation-maximisation
//! through the holes, and the answer that they imply.

use super::answer::{Answer, Loss};
use super::joint::{Joint, dot};
use super::point::Point;
use super::slopes::Wanted;
use crate::linalg::{Course, Holes, Normal, Square};

/// Rounds of expectation-maximisation, at most, and what ends it sooner.
const ROUNDS: usize = 80;
const TOLERANCE: f64 = 1e-3;
/// A column's holes speak for themselves if there are at least so many of them, and as many known cells.
const FEWEST_HOLES: usize = 20;

/// Mean and covariance of the columns and the target.
pub struct Started {
    normal: Normal,
    /// Share and deviation of each class with an indicator.
    scales: Vec<(f64, f64)>,
}

/// Rows to learn from.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// The columns.
    pub data: Holes<'a>,
    /// The target.
    pub wanted: Wanted<'a>,
    /// What the answers are compared by.
    pub loss: Loss,
    /// Outputs: 1 for a number or two classes, else one per class.
    pub outputs: usize,
    /// Of each row: rows with the same number have the same holes.
    pub patterns: &'a [u32],
}

impl Sample<'_> {
    /// The target as columns of their own, standardised: a number, or an indicator per output. With the share and
    /// deviation of each indicator.
    fn targets(&self, rows: &[usize]) -> (Vec<f32>, Vec<(f64, f64)>) {
        if self.loss == Loss::Squares {
            return (rows.iter().map(|&row| self.wanted.numbers[row]).collect(), Vec::new());
        }
        let is = |row: usize, output: usize| {
            let class = if self.outputs == 1 { 1 } else { output };
            self.wanted.classes[row] as usize == class
        };
        let count = rows.len() as f64;
        let scales: Vec<(f64, f64)> = (0..self.outputs)
            .map(|output| {
                let own = rows.iter().filter(|row| is(**row, output)).count() as f64;
                // Half a row more of each keeps rare classes possible.
                let share = (own + 0.5) / (count + 0.5 * self.outputs.max(2) as f64);
                (share, (share * (1.0 - share)).sqrt())
            })
            .collect();
        let cells = rows.iter().flat_map(|&row| {
            let one = move |(output, (share, deviation)): (usize, &(f64, f64))| {
                ((f64::from(u8::from(is(row, output))) - share) / deviation) as f32
            };
            scales.iter().enumerate().map(one)
        });
        (cells.collect(), scales.clone())
    }

    /// Mean and covariance of the columns and the target in these rows, from an earlier answer to the same on.
    pub fn joint(
        &self,
        rows: &[usize],
        ridge: f64,
        from: Option<&Started>,
        going: &dyn Fn() -> bool,
    ) -> Started {
        let (columns, outputs) = (self.data.columns, self.outputs);
        let (targets, scales) = self.targets(rows);
        let width = columns + outputs;
        let (mut values, mut observed) = (Vec::with_capacity(rows.len() * width), Vec::new());
        for (&row, targets) in rows.iter().zip(targets.chunks_exact(outputs)) {
            values.extend_from_slice(&self.data.values[row * columns..(row + 1) * columns]);
            values.extend_from_slice(targets);
            observed.extend_from_slice(self.data.marks(row));
            observed.resize(observed.len() + outputs, true);
        }
        let holes = Holes { columns: width, values: &values, observed: &observed };
        let all: Vec<usize> = (0..rows.len()).collect();
        let course = Course { ridge, rounds: ROUNDS, tolerance: TOLERANCE };
        let listen = |_, _| going();
        let normal = match from {
            Some(from) => from.normal.clone().fit_on(holes, &all, course, listen),
            None => Normal::fit(holes, &all, course, listen),
        };
        Started { normal, scales }
    }

    /// The answer that follows from mean and covariance, without sites.
    pub fn point(&self, started: &Started, rows: &[usize]) -> Point {
        let (columns, outputs, normal) = (self.data.columns, self.outputs, &started.normal);
        let inner: Vec<usize> = (0..columns).collect();
        let covariance = normal.covariance.part(&inner);
        let across = |output: usize| normal.covariance.row(columns + output)[..columns].to_vec();
        let mean = normal.mean[..columns].to_vec();
        let (weights, mut bias) = match self.loss {
            Loss::Squares => (solved(&covariance, &across(0)), vec![normal.mean[columns]]),
            Loss::Chances => discriminant(&covariance, (0..outputs).map(across).collect(), &started.scales),
        };
        for (bias, weights) in bias.iter_mut().zip(weights.chunks_exact(columns.max(1))) {
            *bias -= dot(weights, &mean);
        }
        let silent = (vec![0.0; columns], vec![0.0; columns]);
        let joint = Joint::new(mean, covariance.cells, silent, weights);
        let marks = vec![0.0; outputs * columns];
        let answer = Answer { joint, bias, marks, head: None, loss: self.loss };
        Point::new(answer, self.speaking(rows))
    }

    /// The columns with holes enough to learn from them.
    fn speaking(&self, rows: &[usize]) -> Vec<bool> {
        let holes = |column: usize| rows.iter().filter(|row| !self.data.marks(**row)[column]).count();
        let enough = |holes: usize| holes >= FEWEST_HOLES && rows.len() - holes >= FEWEST_HOLES;
        (0..self.data.columns).map(|column| enough(holes(column))).collect()
    }
}

/// The linear discriminant: with δ_c how far the mean of class c is from that of all and W the covariance within
/// classes, z_c = ln p_c + δ_c'W⁻¹ (x - μ) - δ_c'W⁻¹δ_c / 2. Of two classes, the difference of both.
fn discriminant(covariance: &Square, across: Vec<Vec<f64>>, scales: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    let mut within = covariance.clone();
    let two = scales.len() == 1;
    let apart: Vec<Vec<f64>> = across
        .into_iter()
        .zip(scales)
        .map(|(across, (share, deviation))| {
            let count = if two { share * (1.0 - share) } else { *share };
            across.iter().map(|cell| cell * deviation / count).collect()
        })
        .collect();
    for (apart, (share, _)) in apart.iter().zip(scales) {
        let count = if two { share * (1.0 - share) } else { *share };
        for i in 0..within.size {
            for j in 0..within.size {
                *within.at_mut(i, j) -= count * apart[i] * apart[j];
            }
        }
    }
    if within.cholesky(1e-9).is_err() {
        within = covariance.clone();
    }
    let (mut weights, mut bias) = (Vec::new(), Vec::new());
    for (apart, (share, _)) in apart.iter().zip(scales) {
        let own = solved(&within, apart);
        let length = dot(&own, apart);
        bias.push(match two {
            true => (share / (1.0 - share)).ln() + (share - 0.5) * length,
            false => share.ln() - 0.5 * length,
        });
        weights.extend(own);
    }
    (weights, bias)
}

/// A⁻¹ v; 0 where A has no inverse.
fn solved(matrix: &Square, right: &[f64]) -> Vec<f64> {
    let Ok(lower) = matrix.cholesky(0.0) else { return vec![0.0; right.len()] };
    let mut solution = right.to_vec();
    lower.forward(&mut solution);
    lower.backward(&mut solution);
    solution
}
