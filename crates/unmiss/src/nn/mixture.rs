//! The density of what is missing of an image: a mixture of normal distributions whose covariance has few factors,
//!
//! ```text
//! Σ_k π_k N(μ_k, A_k A_kᵀ + diag d_k)       A_k: numbers x l
//! ```
//!
//! and π the softmax of scores. Shapes, for rows of n numbers, K components and l factors:
//!
//! - scores: `[rows, K]`
//! - mean: `[rows, K n]`, component by component
//! - factors: `[rows, K l n]`, for each component its l columns of A one after the other
//! - diagonal: `[rows, K n]`, positive

/// How many numbers, components and factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MixtureSize {
    /// n, numbers of an image.
    pub numbers: usize,
    /// K.
    pub components: usize,
    /// l.
    pub factors: usize,
}

/// The arrays of a mixture, as tensors, values of an engine or slices.
#[derive(Debug, Clone)]
pub struct Mixture<T> {
    /// `[rows, K]`, made to weights by softmax.
    pub scores: T,
    /// `[rows, K n]`
    pub mean: T,
    /// `[rows, K l n]`
    pub factors: T,
    /// `[rows, K n]`
    pub diagonal: T,
}

impl MixtureSize {
    /// Columns of scores, mean, factors and diagonal.
    pub(in crate::nn) fn columns(self) -> [usize; 4] {
        let Self { numbers, components, factors } = self;
        [components, components * numbers, components * factors * numbers, components * numbers]
    }

    /// Asserts that the arrays have so many rows of these columns.
    pub(in crate::nn) fn check(self, mixture: &Mixture<&[f32]>, rows: usize) {
        let lengths = [mixture.scores, mixture.mean, mixture.factors, mixture.diagonal].map(<[f32]>::len);
        assert_eq!(
            lengths,
            self.columns().map(|columns| rows * columns),
            "the arrays of a mixture of {rows} rows"
        );
    }
}

impl<'a> Mixture<&'a [f32]> {
    /// The arrays of one row.
    pub(in crate::nn) fn row(&self, size: MixtureSize, row: usize) -> Self {
        let [scores, mean, factors, diagonal] = size.columns();
        let part = |all: &'a [f32], columns: usize| &all[row * columns..][..columns];
        Self {
            scores: part(self.scores, scores),
            mean: part(self.mean, mean),
            factors: part(self.factors, factors),
            diagonal: part(self.diagonal, diagonal),
        }
    }

    /// π of one row.
    pub(in crate::nn) fn weights(&self) -> Vec<f64> {
        let highest =
            self.scores.iter().fold(f64::NEG_INFINITY, |highest, score| highest.max(f64::from(*score)));
        let mut weights: Vec<f64> =
            self.scores.iter().map(|score| (f64::from(*score) - highest).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    }
}
