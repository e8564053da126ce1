//! One row's equations: a regression on what the other side has where the row has ratings.

use rayon::prelude::*;

use crate::data::ratings::Compressed;
use crate::linalg::Square;

/// Offsets and factors of users or of items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Side {
    pub offsets: Vec<f32>,
    /// `[rows, width]`
    pub factors: Vec<f32>,
    pub width: usize,
}

impl Side {
    pub fn row(&self, row: usize) -> &[f32] {
        &self.factors[row * self.width..(row + 1) * self.width]
    }

    /// A side from rows of factors with the offset last.
    pub fn of(rows: &[Vec<f32>], width: usize) -> Self {
        let offsets = rows.iter().map(|row| row[width]).collect();
        Self { offsets, factors: rows.iter().flat_map(|row| &row[..width]).copied().collect(), width }
    }
}

/// What is believed of a row before its ratings are seen: factors, and last the offset.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Belief {
    /// How far each is likely to be from its mean: 1 / variance.
    pub precision: Vec<f64>,
    pub mean: Vec<f64>,
}

/// Sums over a row's ratings, the other side fixed: with `z = (q_i, 1)`, `Σ z z'` and `Σ z (r - μ - b_i)`.
pub(super) struct Sums {
    /// `[size, size]`, lower triangle; single precision as the factors are.
    gram: Vec<f32>,
    right: Vec<f32>,
    size: usize,
}

impl Sums {
    pub fn of(columns: &[u32], values: &[f32], mean: f32, others: &Side) -> Self {
        let width = others.width;
        let size = width + 1;
        let (mut gram, mut right) = (vec![0.0_f32; size * size], vec![0.0_f32; size]);
        let mut inputs = vec![1.0_f32; size];
        for (column, value) in columns.iter().zip(values) {
            let column = *column as usize;
            inputs[..width].copy_from_slice(others.row(column));
            let rest = value - mean - others.offsets[column];
            for (i, input) in inputs.iter().enumerate() {
                right[i] += input * rest;
                for (sum, other) in gram[i * size..=i * size + i].iter_mut().zip(&inputs) {
                    *sum += input * other;
                }
            }
        }
        Self { gram, right, size }
    }

    /// L of `Λ = precision + noise Σ z z' = L L'`, where `noise` is 1 / variance of a rating. Positive precisions make
    /// Λ positive definite; rounding can't undo that for usual ratings.
    fn lower(&self, noise: f64, belief: &Belief) -> Option<Square> {
        let cell = |i: usize, j: usize| {
            let sum = noise * f64::from(self.gram[i.max(j) * self.size + i.min(j)]);
            sum + if i == j { belief.precision[i] } else { 0.0 }
        };
        let cells = (0..self.size).flat_map(|i| (0..self.size).map(move |j| cell(i, j))).collect();
        Square { size: self.size, cells }.cholesky(0.0).ok()
    }

    /// `Λ mean`, the right side of the equations.
    fn right(&self, noise: f64, belief: &Belief) -> Vec<f64> {
        let terms = self.right.iter().zip(&belief.precision).zip(&belief.mean);
        terms.map(|((sum, precision), mean)| noise * f64::from(*sum) + precision * mean).collect()
    }

    /// The most likely factors and offset: a ridge regression.
    pub fn solved(&self, noise: f64, belief: &Belief) -> Vec<f32> {
        self.drawn(noise, belief, || 0.0)
    }

    /// A draw from what is believed after the ratings: `N(Λ⁻¹ right, Λ⁻¹)`, by `x = L'⁻¹ (L⁻¹ right + normal)`.
    pub fn drawn(&self, noise: f64, belief: &Belief, mut normal: impl FnMut() -> f64) -> Vec<f32> {
        let mut x = belief.mean.clone();
        if let Some(lower) = self.lower(noise, belief) {
            x = self.right(noise, belief);
            lower.forward(&mut x);
            x.iter_mut().for_each(|value| *value += normal());
            lower.backward(&mut x);
        }
        x.into_iter().map(|value| value as f32).collect()
    }
}

/// Makes every row anew from its sums; `make` also gets the row and how many ratings it has.
pub(super) fn each_row(
    rows: &Compressed,
    mean: f32,
    others: &Side,
    make: impl Fn(usize, usize, &Sums) -> Vec<f32> + Sync,
) -> Side {
    let made: Vec<Vec<f32>> = (0..rows.rows())
        .into_par_iter()
        .map(|row| {
            let (columns, values) = rows.row(row as u32);
            make(row, columns.len(), &Sums::of(columns, values, mean, others))
        })
        .collect();
    Side::of(&made, others.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// Means and covariances of many draws are those of the equations.
    #[test]
    fn draws_have_the_mean_and_the_spread_they_should() {
        let others = Side { offsets: vec![0.1, -0.2, 0.0], factors: vec![1.0, 0.5, -0.3], width: 1 };
        let sums = Sums::of(&[0, 1, 2], &[4.0, 3.0, 2.5], 3.0, &others);
        let belief = Belief { precision: vec![2.0, 1.0], mean: vec![0.3, -0.1] };
        let centre = sums.solved(1.5, &belief);
        let mut stream = Stream::new(1, "draws", 0, 0);
        let count = 40_000;
        let mut moments = [0.0_f64; 5];
        for _ in 0..count {
            let x = sums.drawn(1.5, &belief, || stream.normal());
            let (a, b) = (f64::from(x[0] - centre[0]), f64::from(x[1] - centre[1]));
            let terms = [a, b, a * a, b * b, a * b];
            moments.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term / f64::from(count));
        }
        // Λ = [[2 + 1.5 · 1.34, 1.5 · 1.2], [.., 1 + 1.5 · 3]]
        let (a, b, c) = (2.0 + 1.5 * 1.34, 1.5 * 1.2, 5.5);
        let determinant = a * c - b * b;
        let expected = [0.0, 0.0, c / determinant, a / determinant, -b / determinant];
        for (moment, expected) in moments.iter().zip(expected) {
            assert!((moment - expected).abs() < 0.005, "{moments:?}, not {expected}");
        }
    }
}
