//! Logistic regression of one indicator on the other columns, by a few Newton steps from the last round's weights.

use rayon::prelude::*;

use crate::linalg::{Mat, Square, solve};
use crate::rng::Stream;

/// Pull of every weight to 0, in rows: what separates the classes perfectly stays finite.
const RIDGE: f64 = 1.0;
/// The same for drawn weights, which shrinking would bias.
const DRAWN_RIDGE: f64 = 0.25;
/// Variance below which a predictor says nothing, and what holds its weight at 0.
const LEAST_VARIANCE: f64 = 1e-4;
const CONSTANT_RIDGE: f64 = 1e8;
/// Newton steps in a round: the next round goes on from there.
const STEPS: usize = 3;
/// Newton steps before weights are drawn, at most.
const MOST_STEPS: usize = 12;
/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1024;

/// What a logistic regression learns from.
pub struct Sample<'a> {
    /// The rows.
    pub rows: &'a [usize],
    /// How many predictors there are.
    pub predictors: usize,
    /// Writes a row's predictors.
    pub row: &'a (dyn Fn(usize, &mut [f64]) + Sync),
    /// 1 where the indicator stands, 0 elsewhere, and what the row counts.
    pub target: &'a (dyn Fn(usize) -> (f64, f64) + Sync),
}

impl Sample<'_> {
    /// Gradient and curvature (lower triangle) of the loss at weights `[predictors + 1]`, the bias last.
    fn slopes(&self, weights: &[f64], ridge: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (predictors, size) = (self.predictors, self.predictors + 1);
        let parts: Vec<(Vec<f64>, Vec<f64>)> = self
            .rows
            .par_chunks(CHUNK)
            .map(|rows| {
                let (mut gradient, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
                let mut x = vec![1.0; size];
                for &r in rows {
                    (self.row)(r, &mut x[..predictors]);
                    let chance = logistic(&x, weights);
                    let (target, counts) = (self.target)(r);
                    let (error, weight) =
                        (counts * (chance - target), counts * (chance * (1.0 - chance)).max(1e-6));
                    for i in 0..size {
                        gradient[i] += error * x[i];
                        let scaled = weight * x[i];
                        let line = &mut curvature[i * size..i * size + i + 1];
                        line.iter_mut().zip(&x).for_each(|(cell, other)| *cell += scaled * other);
                    }
                }
                (gradient, curvature)
            })
            .collect();
        let (mut gradient, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
        for (g, c) in parts {
            gradient.iter_mut().zip(g).for_each(|(sum, value)| *sum += value);
            curvature.iter_mut().zip(c).for_each(|(sum, value)| *sum += value);
        }
        for i in 0..predictors {
            gradient[i] += ridge[i] * weights[i];
            curvature[i * size + i] += ridge[i];
        }
        curvature[size * size - 1] += 1e-6;
        (gradient, curvature)
    }

    /// Improves weights by a few steps: the next round goes on from there.
    pub fn improve(&self, weights: &mut [f64]) {
        for _ in 0..STEPS {
            if self.step(weights, &vec![RIDGE; self.predictors]).is_none() {
                return;
            }
        }
    }

    /// One step; how far it went, or nothing where the curvature can't be solved.
    fn step(&self, weights: &mut [f64], ridge: &[f64]) -> Option<f64> {
        let size = self.predictors + 1;
        let (gradient, curvature) = self.slopes(weights, ridge);
        let lower = Mat::from_fn(size, size, |i, j| if j <= i { curvature[i * size + j] } else { 0.0 });
        let step = solve(lower, &gradient)?;
        weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight -= step.clamp(-5.0, 5.0));
        Some(step.iter().map(|step| step.abs()).fold(0.0, f64::max))
    }

    /// The pull on each weight before it is drawn: a predictor that does not vary here says nothing and gets none.
    fn ridge(&self) -> Vec<f64> {
        let (mut sums, mut squares) = (vec![0.0; self.predictors], vec![0.0; self.predictors]);
        let mut x = vec![0.0; self.predictors];
        for &row in self.rows {
            (self.row)(row, &mut x);
            sums.iter_mut().zip(&x).for_each(|(sum, x)| *sum += x);
            squares.iter_mut().zip(&x).for_each(|(sum, x)| *sum += x * x);
        }
        let n = self.rows.len().max(1) as f64;
        let variance = sums.iter().zip(squares).map(|(sum, square)| square / n - (sum / n).powi(2));
        variance
            .map(|variance| if variance < LEAST_VARIANCE { CONSTANT_RIDGE } else { DRAWN_RIDGE })
            .collect()
    }

    /// Plausible weights: normal about the likeliest ones, with the inverse of the curvature as their covariance.
    /// `nearer` shrinks the distance, for a sample of more rows.
    pub fn draw(&self, weights: &mut [f64], nearer: f64, stream: &mut Stream) -> Vec<f64> {
        let ridge = self.ridge();
        for _ in 0..MOST_STEPS {
            if self.step(weights, &ridge).is_none_or(|far| far < 1e-3) {
                break;
            }
        }
        let size = self.predictors + 1;
        let mut shift: Vec<f64> = (0..size).map(|_| nearer * stream.normal()).collect();
        let (_, cells) = self.slopes(weights, &ridge);
        match (Square { size, cells }).cholesky(0.0) {
            Ok(lower) => lower.backward(&mut shift),
            Err(_) => shift.fill(0.0),
        }
        weights.iter().zip(shift).map(|(weight, shift)| weight + shift).collect()
    }
}

/// The chance that weights give to a row whose last entry is 1.
pub fn logistic(x: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = x.iter().zip(weights).map(|(x, w)| x * w).sum();
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn weights_are_found() {
        let mut stream = Stream::new(1, "chained logistic", 0, 0);
        let x: Vec<f64> = (0..4000).map(|_| stream.normal()).collect();
        let y: Vec<f64> = x
            .iter()
            .map(|x| f64::from(u8::from(stream.uniform() < logistic(&[*x, 1.0], &[1.5, -0.5]))))
            .collect();
        let rows: Vec<usize> = (0..4000).collect();
        let (row, target) = (|r: usize, into: &mut [f64]| into[0] = x[r], |r: usize| (y[r], 1.0));
        let sample = Sample { rows: &rows, predictors: 1, row: &row, target: &target };
        let mut weights = vec![0.0; 2];
        for _ in 0..3 {
            sample.improve(&mut weights);
        }
        assert!((weights[0] - 1.5).abs() < 0.12 && (weights[1] + 0.5).abs() < 0.1, "{weights:?}");
        // Drawn weights vary as the curvature says: here about .05 and .04.
        let drawn: Vec<f64> = (0..500).map(|_| sample.draw(&mut weights, 1.0, &mut stream)[0]).collect();
        let mean = drawn.iter().sum::<f64>() / 500.0;
        let deviation = (drawn.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / 500.0).sqrt();
        assert!((mean - weights[0]).abs() < 0.01 && (0.04..0.07).contains(&deviation), "{mean} {deviation}");
    }

    #[test]
    fn separated_classes_stay_finite() {
        let rows: Vec<usize> = (0..20).collect();
        let row = |r: usize, into: &mut [f64]| into[0] = r as f64 - 9.5;
        let target = |r: usize| (f64::from(u8::from(r > 9)), 1.0);
        let sample = Sample { rows: &rows, predictors: 1, row: &row, target: &target };
        let mut weights = vec![0.0; 2];
        for _ in 0..20 {
            sample.improve(&mut weights);
        }
        assert!(weights.iter().all(|weight| weight.is_finite() && weight.abs() < 50.0), "{weights:?}");
    }
}
