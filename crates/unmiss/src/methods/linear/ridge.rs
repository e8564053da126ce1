//! Ridge regression, with its strength chosen by generalised cross-validation.
//!
//! Minimises, over coefficients b and bias c,
//!
//! ```text
//! sum_i w_i (y_i - c - x_i'b)^2 + lambda |b|^2,   lambda = strength * sum_i w_i
//! ```
//!
//! One eigen-decomposition serves every lambda: of the covariance (inputs x inputs) or, where there are more
//! inputs than rows, of the kernel (rows x rows). In the eigen-basis the fit of direction i is shrunk by
//! d_i / (d_i + lambda), so the residual and the degrees of freedom are sums over directions.

use rayon::prelude::*;

use super::gram::weighted_gram;
use crate::encode::design::SparseRows;
use crate::error::{Error, Result};
use crate::linalg::{self, ExactSums, Mat};

/// Eigenvalues and eigenvectors of a covariance or kernel.
fn eigen(lower: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>)> {
    let what = "the inputs' covariance has no eigenvalues (numbers too large)";
    linalg::eigen(lower).ok_or_else(|| Error::method("linear", what))
}

/// Strengths tried, from weak to strong: 10^-6 to 10^1 in half decades.
fn grid() -> impl Iterator<Item = f64> {
    (-12..=2).map(|half_decades| 10_f64.powf(f64::from(half_decades) / 2.0))
}

/// A fitted ridge regression.
pub struct Ridge {
    /// One coefficient per input, the bias last.
    pub weights: Vec<f64>,
    /// The strength used.
    pub strength: f64,
}

/// The centred, weighted problem in its eigen-basis.
struct Spectrum {
    /// Eigenvalues d, those of no weight left out.
    values: Vec<f64>,
    /// The target's part a in each direction.
    projected: Vec<f64>,
    /// The target's squared length outside of all directions: no fit can reach it.
    outside: f64,
    /// `[inputs, directions]`: coefficients of a unit step in each direction, before division by d + lambda.
    back: Mat<f64>,
}

/// Fits; `strength` `None` lets generalised cross-validation choose.
///
/// # Errors
/// When the decomposition fails.
pub fn fit(
    rows: &SparseRows,
    inputs: usize,
    targets: &[f32],
    weights: &[f32],
    strength: Option<f64>,
) -> Result<Ridge> {
    let picked: Vec<u32> = (0..rows.len() as u32).filter(|row| weights[*row as usize] > 0.0).collect();
    let means = Means::of(rows, &picked, inputs, targets, weights);
    let spectrum = if inputs <= picked.len() {
        by_covariance(rows, &picked, targets, weights, &means)?
    } else {
        by_kernel(rows, &picked, targets, weights, &means)?
    };
    Ok(solved(&spectrum, &means, picked.len(), strength))
}

/// The same from sums over rows that all weigh 1: of the inputs, and last of the target.
///
/// # Errors
/// When the decomposition fails, or there are not more rows than inputs.
pub fn fit_sums(sums: &ExactSums, strength: Option<f64>) -> Result<Ridge> {
    let (inputs, total) = (sums.columns() - 1, sums.count as f64);
    if sums.count <= inputs as u64 {
        let what = format!("{} rows are too few for sums over {inputs} inputs", sums.count);
        return Err(Error::method("linear", what).with_hint("fit it on one machine"));
    }
    let mean = |column: usize| sums.sum(column) / total;
    let means = Means { total, inputs: (0..inputs).map(mean).collect(), target: mean(inputs) };
    let centred = |a: usize, b: usize| sums.product(a, b) - total * mean(a) * mean(b);
    let covariance = Mat::from_fn(inputs, inputs, centred);
    let cross: Vec<f64> = (0..inputs).map(|input| centred(input, inputs)).collect();
    let spectrum = of_covariance(&covariance, &cross, centred(inputs, inputs))?;
    Ok(solved(&spectrum, &means, sums.count as usize, strength))
}

fn solved(spectrum: &Spectrum, means: &Means, rows: usize, strength: Option<f64>) -> Ridge {
    let score = |strength: &f64| spectrum.cross_validation(strength * means.total, rows);
    let best = || grid().min_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or(1.0);
    let strength = strength.unwrap_or_else(best);
    let mut weights = spectrum.coefficients(strength * means.total);
    let bias = means.target - weights.iter().zip(&means.inputs).map(|(w, mean)| w * mean).sum::<f64>();
    weights.push(bias);
    Ridge { weights, strength }
}

/// Weighted means of inputs and target.
struct Means {
    total: f64,
    inputs: Vec<f64>,
    target: f64,
}

impl Means {
    fn of(rows: &SparseRows, picked: &[u32], inputs: usize, targets: &[f32], weights: &[f32]) -> Self {
        let mut means = Self { total: 0.0, inputs: vec![0.0; inputs], target: 0.0 };
        for row in picked.iter().map(|row| *row as usize) {
            let weight = f64::from(weights[row]);
            means.total += weight;
            means.target += weight * f64::from(targets[row]);
            rows.pairs(row).for_each(|(input, value)| means.inputs[input] += weight * value);
        }
        means.target /= means.total;
        means.inputs.iter_mut().for_each(|mean| *mean /= means.total);
        means
    }
}

/// Directions are eigenvectors v of C = sum_i w_i (x_i - mean)(x_i - mean)'.
fn by_covariance(
    rows: &SparseRows,
    picked: &[u32],
    targets: &[f32],
    weights: &[f32],
    means: &Means,
) -> Result<Spectrum> {
    let inputs = means.inputs.len();
    let gram = weighted_gram(rows, picked, inputs, |place| f64::from(weights[picked[place] as usize]));
    let mean = &means.inputs;
    let covariance = Mat::from_fn(inputs, inputs, |i, j| {
        let (high, low) = (i.max(j), i.min(j));
        gram[high * (inputs + 1) + low] - means.total * mean[i] * mean[j]
    });
    // r = sum_i w_i (x_i - mean)(y_i - mean); the mean of x drops out because the y part sums to 0.
    let mut cross = vec![0.0; inputs];
    let mut length = 0.0;
    for row in picked.iter().map(|row| *row as usize) {
        let centred = f64::from(targets[row]) - means.target;
        let weighted = f64::from(weights[row]) * centred;
        length += weighted * centred;
        rows.pairs(row).for_each(|(input, value)| cross[input] += weighted * value);
    }
    of_covariance(&covariance, &cross, length)
}

/// From C, r and the target's squared length.
fn of_covariance(covariance: &Mat<f64>, cross: &[f64], length: f64) -> Result<Spectrum> {
    let inputs = cross.len();
    let (values, vectors) = eigen(covariance)?;
    let kept = kept_directions(&values);
    let root = |direction: &usize| values[*direction].sqrt();
    let along = |direction: usize| vectors.col(direction).iter().zip(cross).map(|(v, r)| v * r).sum::<f64>();
    let projected: Vec<f64> = kept.iter().map(|i| along(*i) / root(i)).collect();
    let reached: f64 = projected.iter().map(|a| a * a).sum();
    Ok(Spectrum {
        back: Mat::from_fn(inputs, kept.len(), |input, i| vectors[(input, kept[i])] * root(&kept[i])),
        values: kept.iter().map(|i| values[*i]).collect(),
        projected,
        outside: (length - reached).max(0.0),
    })
}

/// Directions are eigenvectors u of K_ij = sqrt(w_i w_j) (x_i - mean)'(x_j - mean).
fn by_kernel(
    rows: &SparseRows,
    picked: &[u32],
    targets: &[f32],
    weights: &[f32],
    means: &Means,
) -> Result<Spectrum> {
    let (count, inputs) = (picked.len(), means.inputs.len());
    let root = |place: usize| f64::from(weights[picked[place] as usize]).sqrt();
    let with_mean = |place: usize| {
        rows.pairs(picked[place] as usize).map(|(input, value)| value * means.inputs[input]).sum::<f64>()
    };
    let along_mean: Vec<f64> = (0..count).map(with_mean).collect();
    let mean_length: f64 = means.inputs.iter().map(|mean| mean * mean).sum();
    let lines: Vec<Vec<f64>> = (0..count)
        .into_par_iter()
        .map(|i| {
            let mut dense = vec![0.0; inputs];
            rows.pairs(picked[i] as usize).for_each(|(input, value)| dense[input] = value);
            let product = |j: usize| {
                let dot: f64 =
                    rows.pairs(picked[j] as usize).map(|(input, value)| dense[input] * value).sum();
                (dot - along_mean[i] - along_mean[j] + mean_length) * root(i) * root(j)
            };
            (0..=i).map(product).collect()
        })
        .collect();
    let kernel = Mat::from_fn(count, count, |i, j| lines[i.max(j)][i.min(j)]);
    let (values, vectors) = eigen(&kernel)?;
    let kept = kept_directions(&values);
    let centred = |place: usize| (f64::from(targets[picked[place] as usize]) - means.target) * root(place);
    let along = |i: &usize| (0..count).map(|place| vectors[(place, *i)] * centred(place)).sum::<f64>();
    let projected: Vec<f64> = kept.iter().map(along).collect();
    let length: f64 = (0..count).map(|place| centred(place).powi(2)).sum();
    let reached: f64 = projected.iter().map(|a| a * a).sum();
    // back = (X - mean)' sqrt(W) U
    let mut back = Mat::<f64>::zeros(inputs, kept.len());
    for (direction, i) in kept.iter().enumerate() {
        let mut column = back.col_mut(direction);
        let mut pull = 0.0;
        for place in 0..count {
            let share = root(place) * vectors[(place, *i)];
            pull += share;
            rows.pairs(picked[place] as usize).for_each(|(input, value)| column[input] += share * value);
        }
        means.inputs.iter().enumerate().for_each(|(input, mean)| column[input] -= pull * mean);
    }
    Ok(Spectrum {
        back,
        values: kept.iter().map(|i| values[*i]).collect(),
        projected,
        outside: (length - reached).max(0.0),
    })
}

/// Directions in which the inputs vary at all, up to rounding.
fn kept_directions(values: &[f64]) -> Vec<usize> {
    let largest = values.last().copied().unwrap_or(0.0);
    (0..values.len()).filter(|i| values[*i] > largest * 1e-12 && values[*i] > 1e-12).collect()
}

impl Spectrum {
    /// (RSS / n) / (1 - df / n)^2, with the bias among the degrees of freedom.
    fn cross_validation(&self, lambda: f64, rows: usize) -> f64 {
        let directions = || self.values.iter().zip(&self.projected);
        let residual =
            self.outside + directions().map(|(d, a)| (lambda * a / (d + lambda)).powi(2)).sum::<f64>();
        let freedom = 1.0 + directions().map(|(d, _)| d / (d + lambda)).sum::<f64>();
        let left = rows as f64 - freedom;
        if left > 1e-9 * rows as f64 { residual * rows as f64 / (left * left) } else { f64::INFINITY }
    }

    fn coefficients(&self, lambda: f64) -> Vec<f64> {
        let shrunk: Vec<f64> =
            self.values.iter().zip(&self.projected).map(|(d, a)| a / (d + lambda)).collect();
        let coefficient = |input: usize| {
            shrunk.iter().enumerate().map(|(i, share)| self.back[(input, i)] * share).sum::<f64>()
        };
        (0..self.back.nrows()).map(coefficient).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// `[rows, inputs]` random inputs and a target that is linear in the first two, with noise.
    fn sample(count: usize, inputs: usize) -> (SparseRows, Vec<f32>) {
        let mut stream = Stream::new(5, "ridge", 0, 0);
        let dense: Vec<f32> = (0..count * inputs).map(|_| stream.normal() as f32).collect();
        let line = |row: &[f32]| 0.7 * row[0] - 0.4 * row[1] + 0.3;
        let targets = dense.chunks(inputs).map(|row| line(row) + 0.1 * stream.normal() as f32).collect();
        (SparseRows::from_dense(&dense, inputs), targets)
    }

    /// Gradient of the objective at the fit: zero at the optimum.
    fn steepest(rows: &SparseRows, targets: &[f32], weights: &[f32], fit: &Ridge) -> f64 {
        let inputs = fit.weights.len() - 1;
        let lambda = fit.strength * weights.iter().map(|w| f64::from(*w)).sum::<f64>();
        let mut gradient: Vec<f64> = fit.weights[..inputs].iter().map(|b| lambda * b).collect();
        gradient.push(0.0);
        for row in 0..rows.len() {
            let guess: f64 = rows.pairs(row).map(|(input, x)| x * fit.weights[input]).sum();
            let pull = f64::from(weights[row]) * (guess + fit.weights[inputs] - f64::from(targets[row]));
            rows.pairs(row).for_each(|(input, x)| gradient[input] += pull * x);
            gradient[inputs] += pull;
        }
        gradient.into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    #[test]
    fn the_fit_is_the_optimum_with_few_and_with_many_inputs() {
        for (count, inputs) in [(60, 5), (12, 30)] {
            let (rows, targets) = sample(count, inputs);
            let weights: Vec<f32> = (0..count).map(|row| (row % 3) as f32).collect();
            for strength in [None, Some(0.01), Some(3.0)] {
                let ridge = fit(&rows, inputs, &targets, &weights, strength).unwrap();
                assert!(steepest(&rows, &targets, &weights, &ridge) < 1e-8, "{count} rows");
            }
        }
    }

    #[test]
    fn cross_validation_prefers_weak_strength_for_signal_and_strong_for_noise() {
        let (rows, targets) = sample(200, 4);
        let weights = vec![1.0; 200];
        let signal = fit(&rows, 4, &targets, &weights, None).unwrap();
        assert!(signal.strength < 0.05 && (signal.weights[0] - 0.7).abs() < 0.03);
        let mut stream = Stream::new(9, "noise", 0, 0);
        let noise: Vec<f32> = (0..200).map(|_| stream.normal() as f32).collect();
        assert!(fit(&rows, 4, &noise, &weights, None).unwrap().strength > signal.strength);
    }

    #[test]
    fn one_row_and_constant_inputs_give_the_mean() {
        let rows = SparseRows::from_dense(&[2.0, 2.0], 2);
        let ridge = fit(&rows, 2, &[0.5], &[1.0], None).unwrap();
        assert_eq!(ridge.weights, [0.0, 0.0, 0.5]);
        let rows = SparseRows::from_dense(&[1.0, 1.0, 1.0], 1);
        let ridge = fit(&rows, 1, &[0.0, 1.0, 2.0], &[1.0; 3], None).unwrap();
        assert!(ridge.weights[0].abs() < 1e-9 && (ridge.weights[1] - 1.0).abs() < 1e-9);
    }
}
