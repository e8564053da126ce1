//! Logistic regression of one indicator on the other columns, by a few Newton steps from the last round's weights.

use rayon::prelude::*;

use crate::linalg::{Mat, solve};

/// Pull of every weight to 0, in rows: what separates the classes perfectly stays finite.
const RIDGE: f64 = 1.0;
/// Newton steps in a round: the next round goes on from there.
const STEPS: usize = 3;
/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1024;

/// Improves weights `[predictors + 1]` (the bias last) for targets 0 or 1; `row(r, into)` writes a row's predictors.
pub fn improve(
    rows: &[usize],
    predictors: usize,
    weights: &mut [f64],
    row: impl Fn(usize, &mut [f64]) + Sync,
    target: impl Fn(usize) -> f64 + Sync,
) {
    let size = predictors + 1;
    for _ in 0..STEPS {
        let parts: Vec<(Vec<f64>, Vec<f64>)> = rows
            .par_chunks(CHUNK)
            .map(|rows| {
                let (mut gradient, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
                let mut x = vec![1.0; size];
                for &r in rows {
                    row(r, &mut x[..predictors]);
                    let chance = logistic(&x, weights);
                    let (error, weight) = (chance - target(r), (chance * (1.0 - chance)).max(1e-6));
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
            gradient[i] += RIDGE * weights[i];
            curvature[i * size + i] += RIDGE;
        }
        curvature[size * size - 1] += 1e-6;
        let lower = Mat::from_fn(size, size, |i, j| if j <= i { curvature[i * size + j] } else { 0.0 });
        let Some(step) = solve(lower, &gradient) else { return };
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step.clamp(-5.0, 5.0));
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
        let mut weights = vec![0.0; 2];
        for _ in 0..3 {
            improve(&rows, 1, &mut weights, |r, into| into[0] = x[r], |r| y[r]);
        }
        assert!((weights[0] - 1.5).abs() < 0.12 && (weights[1] + 0.5).abs() < 0.1, "{weights:?}");
    }

    #[test]
    fn separated_classes_stay_finite() {
        let rows: Vec<usize> = (0..20).collect();
        let mut weights = vec![0.0; 2];
        for _ in 0..20 {
            improve(
                &rows,
                1,
                &mut weights,
                |r, into| into[0] = r as f64 - 9.5,
                |r| f64::from(u8::from(r > 9)),
            );
        }
        assert!(weights.iter().all(|weight| weight.is_finite() && weight.abs() < 50.0), "{weights:?}");
    }
}
