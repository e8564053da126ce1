//! A joint normal distribution: mean and covariance.

use std::sync::OnceLock;

use super::square::Square;

/// Mean and covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    /// μ.
    pub mean: Vec<f64>,
    /// Σ.
    pub covariance: Square,
    /// Σ⁻¹, computed when it is first asked for; `None` inside where there is none.
    precision: OnceLock<Option<Square>>,
}

impl Normal {
    /// From its saved form: mean, and covariance row by row.
    pub fn from_parts(mean: Vec<f64>, covariance: Vec<f64>) -> Self {
        let size = mean.len();
        Self::new(mean, Square { size, cells: covariance })
    }

    pub(super) fn new(mean: Vec<f64>, covariance: Square) -> Self {
        Self { mean, covariance, precision: OnceLock::new() }
    }

    /// The inverse of the covariance; `None` where it has none.
    pub(super) fn precision(&self) -> Option<&Square> {
        let invert = || self.covariance.cholesky(0.0).ok().map(|lower| lower.inverse_of_product());
        self.precision.get_or_init(invert).as_ref()
    }

    /// Mean, and covariance row by row.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        (&self.mean, &self.covariance.cells)
    }

    /// The largest difference of an entry of mean and covariance.
    pub fn distance(&self, other: &Self) -> f64 {
        let pairs = self.mean.iter().zip(&other.mean);
        let pairs = pairs.chain(self.covariance.cells.iter().zip(&other.covariance.cells));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// The Euclidean length of the way from another.
    pub(super) fn length_from(&self, other: &Self) -> f64 {
        let pairs = self.mean.iter().zip(&other.mean);
        let pairs = pairs.chain(self.covariance.cells.iter().zip(&other.covariance.cells));
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// Where two steps from here point to, taken as far as they allow; `None` where it is no further than the second,
    /// or no distribution.
    pub(super) fn leap(&self, first: &Self, second: &Self) -> Option<Self> {
        let size = self.mean.len();
        let flat =
            |own: &Self| -> Vec<f64> { own.mean.iter().chain(&own.covariance.cells).copied().collect() };
        let (from, one, two) = (flat(self), flat(first), flat(second));
        let r: Vec<f64> = one.iter().zip(&from).map(|(one, from)| one - from).collect();
        let v: Vec<f64> = two.iter().zip(&one).zip(&r).map(|((two, one), r)| two - one - r).collect();
        let length = |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>().sqrt();
        let a = -length(&r) / length(&v).max(1e-300);
        if a >= -1.0 {
            return None;
        }
        let cells = from.iter().zip(&r).zip(&v).map(|((from, r), v)| from - 2.0 * a * r + a * a * v);
        let cells: Vec<f64> = cells.collect();
        let there = Self::from_parts(cells[..size].to_vec(), cells[size..].to_vec());
        there.precision().is_some().then_some(there)
    }

    /// The distribution whose mean lies `shift` from this one's and whose mean products of deviations from the OLD mean
    /// are `squares`, with a ridge.
    pub fn moved(&self, shift: &[f64], mut squares: Square, ridge: f64) -> Self {
        for i in 0..shift.len() {
            for j in 0..shift.len() {
                *squares.at_mut(i, j) -= shift[i] * shift[j];
            }
            *squares.at_mut(i, i) += ridge;
        }
        let mean = self.mean.iter().zip(shift).map(|(mean, shift)| mean + shift).collect();
        Self::new(mean, squares)
    }
}
