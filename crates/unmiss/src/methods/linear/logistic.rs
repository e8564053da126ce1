//! Logistic regression: the objective, its gradient and its curvature.
//!
//! Minimises, over weights W `[inputs + 1, outputs]` with the bias as last input,
//!
//! ```text
//! sum_i w_i loss(y_i, x_i'W) / sum_i w_i + strength / 2 |W without bias|^2
//! ```
//!
//! Two classes need one output z, the log-odds of class 1: loss = ln(1 + e^z) - y z. More classes have an
//! output each: loss = ln(sum_k e^z_k) - z_y.

use super::gram::weighted_gram;
use super::lbfgs;
use crate::encode::design::SparseRows;
use crate::linalg::{Mat, solve, sum_over};
use crate::run::Run;

/// Inputs up to which the curvature is formed and Newton's method used, for two classes.
const MOST_NEWTON_INPUTS: usize = 1200;
/// Newton steps at most; it takes 5 to 10.
const MOST_STEPS: usize = 60;

/// Rows with classes and weights, and which of the rows count.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The rows.
    pub rows: &'a SparseRows,
    /// Inputs of a row, the bias not counted.
    pub inputs: usize,
    /// The class of each row.
    pub classes: &'a [u32],
    /// The weight of each row.
    pub weights: &'a [f32],
    /// The rows that count.
    pub picked: &'a [u32],
    /// 1 for two classes, else the number of classes.
    pub outputs: usize,
}

/// Where a solver ended.
pub struct Solution {
    /// `[inputs + 1, outputs]`.
    pub weights: Vec<f64>,
    /// Steps it took.
    pub steps: usize,
}

impl Problem<'_> {
    /// How many numbers W has.
    pub fn size(&self) -> usize {
        (self.inputs + 1) * self.outputs
    }

    /// Total weight of the picked rows.
    pub fn total(&self) -> f64 {
        self.picked.iter().map(|row| f64::from(self.weights[*row as usize])).sum()
    }

    /// Finds the optimum from a starting point; stopped early, it returns the best so far.
    pub fn minimize(&self, strength: f64, start: Vec<f64>, run: &Run) -> Solution {
        if self.outputs == 1 && self.inputs <= MOST_NEWTON_INPUTS {
            self.newton(strength, start, run)
        } else {
            let total = self.total();
            let (weights, steps) =
                lbfgs::minimize(start, |w| self.value_and_gradient(w, strength, total), run);
            Solution { weights, steps }
        }
    }

    /// Mean loss of the picked rows, without penalty.
    pub fn mean_loss(&self, weights: &[f64]) -> f64 {
        let add = |places: std::ops::Range<usize>, sum: &mut [f64]| {
            let mut z = vec![0.0; self.outputs];
            for place in places {
                sum[0] += self.row_loss(place, weights, &mut z);
            }
        };
        sum_over(self.picked.len(), 1, add)[0] / self.total()
    }

    /// Weighted loss of one row; leaves the outputs' probabilities in `z`.
    fn row_loss(&self, place: usize, weights: &[f64], z: &mut [f64]) -> f64 {
        let row = self.picked[place] as usize;
        logits(self.rows.pairs(row), weights, z);
        let class = self.classes[row] as usize;
        let raw = if self.outputs == 1 { if class == 1 { z[0] } else { 0.0 } } else { z[class] };
        let log_sum = probabilities_in_place(z);
        f64::from(self.weights[row]) * (log_sum - raw)
    }

    fn value_and_gradient(&self, weights: &[f64], strength: f64, total: f64) -> (f64, Vec<f64>) {
        let outputs = self.outputs;
        let size = self.size();
        // The last number of the sum is the loss.
        let mut sum = sum_over(self.picked.len(), size + 1, |places, sum| {
            let mut z = vec![0.0; outputs];
            for place in places {
                let row = self.picked[place] as usize;
                sum[size] += self.row_loss(place, weights, &mut z);
                // dloss/dz = probability - [class]
                let class = self.classes[row] as usize;
                match outputs {
                    1 => z[0] -= class as f64,
                    _ => z[class] -= 1.0,
                }
                let weight = f64::from(self.weights[row]);
                z.iter_mut().for_each(|slope| *slope *= weight);
                for (input, value) in self.rows.pairs(row).chain([(self.inputs, 1.0)]) {
                    let places = &mut sum[input * outputs..][..outputs];
                    places.iter_mut().zip(&z).for_each(|(sum, slope)| *sum += value * slope);
                }
            }
        });
        let penalised = self.inputs * outputs;
        let square: f64 = weights[..penalised].iter().map(|w| w * w).sum();
        let value = sum[size] / total + 0.5 * strength * square;
        sum.truncate(size);
        sum.iter_mut().for_each(|slope| *slope /= total);
        sum[..penalised].iter_mut().zip(weights).for_each(|(slope, w)| *slope += strength * w);
        (value, sum)
    }

    /// Newton's method with step halving, for two classes: curvature = X' diag(w p (1 - p)) X / total.
    fn newton(&self, strength: f64, start: Vec<f64>, run: &Run) -> Solution {
        let total = self.total();
        let mut weights = start;
        let (mut value, mut gradient) = self.value_and_gradient(&weights, strength, total);
        let mut steps = 0;
        while steps < MOST_STEPS && !run.stopped() {
            let Some(step) = self.newton_step(&weights, &gradient, strength, total) else { break };
            let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            // `slope` is twice what the quadratic model promises to gain.
            if slope < 1e-12 * (1.0 + value) {
                break;
            }
            let tried = (0..30).map(|halvings| 0.5_f64.powi(halvings)).find_map(|scale| {
                let trial: Vec<f64> = weights.iter().zip(&step).map(|(w, s)| w - scale * s).collect();
                let (new_value, new_gradient) = self.value_and_gradient(&trial, strength, total);
                (new_value <= value - 1e-4 * scale * slope).then_some((trial, new_value, new_gradient))
            });
            let Some(better) = tried else { break };
            (weights, value, gradient) = better;
            steps += 1;
        }
        Solution { weights, steps }
    }

    fn newton_step(&self, weights: &[f64], gradient: &[f64], strength: f64, total: f64) -> Option<Vec<f64>> {
        let size = self.inputs + 1;
        let curvature = weighted_gram(self.rows, self.picked, self.inputs, |place| {
            let row = self.picked[place] as usize;
            let mut z = [0.0];
            logits(self.rows.pairs(row), weights, &mut z);
            probabilities_in_place(&mut z);
            f64::from(self.weights[row]) * z[0] * (1.0 - z[0]) / total
        });
        // Where all rows are certain the curvature vanishes: a little is added until it can be inverted.
        [1e-12, 1e-9, 1e-6, 1e-3].into_iter().find_map(|little| {
            let lower = Mat::from_fn(size, size, |i, j| {
                let penalty =
                    if i == j { little + if i < self.inputs { strength } else { 0.0 } } else { 0.0 };
                curvature[i * size + j] + penalty
            });
            solve(lower, gradient)
        })
    }
}

/// z = x'W for one row of (input, value) pairs; W is `[inputs + 1, outputs]`, its last line the bias.
pub fn logits(pairs: impl Iterator<Item = (usize, f64)>, weights: &[f64], z: &mut [f64]) {
    let outputs = z.len();
    z.copy_from_slice(&weights[weights.len() - outputs..]);
    for (input, value) in pairs {
        let line = &weights[input * outputs..][..outputs];
        z.iter_mut().zip(line).for_each(|(z, w)| *z += value * w);
    }
}

/// Turns logits into probabilities (one output: that of class 1) and returns ln of the normaliser.
pub fn probabilities_in_place(z: &mut [f64]) -> f64 {
    if let [z] = z {
        // ln(1 + e^z) and 1 / (1 + e^-z), without overflow.
        let log_sum = z.max(0.0) + (-z.abs()).exp().ln_1p();
        *z = (*z - log_sum).exp();
        return log_sum;
    }
    let highest = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    z.iter_mut().for_each(|z| *z = (*z - highest).exp());
    let sum: f64 = z.iter().sum();
    z.iter_mut().for_each(|z| *z /= sum);
    highest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn sample(count: usize, inputs: usize, classes: u32) -> (SparseRows, Vec<u32>, Vec<f32>) {
        let mut stream = Stream::new(4, "logistic", u64::from(classes), 0);
        let dense: Vec<f32> = (0..count * inputs).map(|_| stream.normal() as f32).collect();
        let class = |row: &[f32]| {
            let noisy = f64::from(row[0]) + 0.5 * stream.normal();
            ((noisy + 1.5) / 3.0 * f64::from(classes)).clamp(0.0, f64::from(classes) - 1.0) as u32
        };
        let labels = dense.chunks(inputs).map(class).collect();
        let weights = (0..count).map(|row| 0.5 + (row % 4) as f32).collect();
        (SparseRows::from_dense(&dense, inputs), labels, weights)
    }

    fn solved(classes: u32, solver: impl Fn(&Problem<'_>, &Run) -> Vec<f64>) -> f64 {
        let (rows, labels, weights) = sample(300, 4, classes);
        let picked: Vec<u32> = (0..300).filter(|row| row % 7 != 0).collect();
        let outputs = if classes == 2 { 1 } else { classes as usize };
        let problem =
            Problem { rows: &rows, inputs: 4, classes: &labels, weights: &weights, picked: &picked, outputs };
        let found = solver(&problem, &Run::new(1, 1).unwrap());
        let (_, gradient) = problem.value_and_gradient(&found, 0.01, problem.total());
        gradient.into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    #[test]
    fn both_solvers_end_at_the_optimum() {
        let minimum =
            |problem: &Problem<'_>, run: &Run| problem.minimize(0.01, vec![0.0; problem.size()], run).weights;
        assert!(solved(2, minimum) < 1e-6);
        assert!(solved(3, minimum) < 1e-5);
        let by_gradients = |problem: &Problem<'_>, run: &Run| {
            let total = problem.total();
            lbfgs::minimize(vec![0.0; problem.size()], |w| problem.value_and_gradient(w, 0.01, total), run).0
        };
        assert!(solved(2, by_gradients) < 1e-5);
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        for classes in [2, 3] {
            let (rows, labels, weights) = sample(40, 3, classes);
            let picked: Vec<u32> = (0..40).collect();
            let outputs = if classes == 2 { 1 } else { 3 };
            let problem = Problem {
                rows: &rows,
                inputs: 3,
                classes: &labels,
                weights: &weights,
                picked: &picked,
                outputs,
            };
            let mut point: Vec<f64> = (0..problem.size()).map(|i| 0.1 * i as f64 - 0.3).collect();
            let (_, gradient) = problem.value_and_gradient(&point, 0.2, problem.total());
            for (i, slope) in gradient.iter().enumerate() {
                let mut value_at = |shift: f64| {
                    point[i] += shift;
                    let value = problem.value_and_gradient(&point, 0.2, problem.total()).0;
                    point[i] -= shift;
                    value
                };
                assert!(((value_at(1e-5) - value_at(-1e-5)) / 2e-5 - slope).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn large_logits_stay_finite() {
        let mut z = [1000.0];
        assert_eq!(probabilities_in_place(&mut z), 1000.0);
        assert_eq!(z, [1.0]);
        let mut z = [-1e4, 0.0, 1e4];
        probabilities_in_place(&mut z);
        assert_eq!(z, [0.0, 0.0, 1.0]);
    }
}
