//! Sparsity Normalization: the cure for the *variable sparsity problem*, a network's output drifting with
//! HOW MUCH is known.
//!
//! With missing cells set to 0, the sum a layer makes grows with the number of known cells. Dividing by that
//! number keeps its mean the same (Yi et al. 2020, Algorithm 1):
//!
//! ```text
//! input     h0 = K (x ⊙ m) / max(‖m‖₁, 1)         m: 1 where known, K: a constant of the model
//! hidden    h  = K h / max(‖h‖₀, 1)               ‖h‖₀: non-zero units, a constant for the gradient
//! dropout   h  = h ⊙ m · n / max(‖m‖₁, 1)         m: 1 where kept; ordinary dropout divides by n(1 - p),
//!                                                 the MEAN of ‖m‖₁, and lets the sum vary
//! ```
//!
//! What it does not do: the mean of the sum is constant in the number k of known cells, its variance is
//! K²σ²/k. With inputs of mean zero (standardised) there is no drift to cure and sparse rows get larger sums,
//! so it belongs with non-negative inputs (min-max scale).

use burn::Tensor;
use burn::tensor::TensorData;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::nn::training_device;
use crate::rng::Stream;

/// K: how large normalised inputs are. Chosen in training and stored with the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected mean, hidden, input or a positive number")]
pub enum Constant {
    /// A rule.
    Rule(Rule),
    /// As given. 1 suits shallow networks.
    Number(f64),
}

/// Rules for K.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Mean number of known columns of the training rows: keeps the average size of inputs as it is.
    Mean,
    /// Number of units of the first hidden layer: balances the first layer against the second under one
    /// weight decay.
    Hidden,
    /// Number of columns: for deep networks, whose units would otherwise die.
    Input,
}

impl Default for Constant {
    fn default() -> Self {
        Self::Rule(Rule::Mean)
    }
}

impl Constant {
    /// Refuses a number that is not positive.
    ///
    /// # Errors
    /// When it is not.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Number(number) if !(number > 0.0 && number.is_finite()) => {
                Err(Error::setting("k", format!("{number} is not a positive number")))
            }
            _ => Ok(()),
        }
    }

    /// The number: from the mean number of known columns, the width of the first hidden layer and the number of
    /// columns.
    pub fn number(self, mean_known: f64, hidden: usize, columns: usize) -> f64 {
        match self {
            Self::Rule(Rule::Mean) => mean_known,
            Self::Rule(Rule::Hidden) => hidden as f64,
            Self::Rule(Rule::Input) => columns as f64,
            Self::Number(number) => number,
        }
    }
}

/// `K / max(known, 1)`: what an input row is multiplied by. A row of which nothing is known stays all zero.
pub fn input_factor(k: f32, known: usize) -> f32 {
    k / known.max(1) as f32
}

/// Normalises hidden units `[rows, units]` by the number that are not zero. No gradient flows through the
/// count.
pub fn normalize_hidden(hidden: Tensor<2>, k: f32) -> Tensor<2> {
    let [rows, units] = hidden.dims();
    let values = crate::nn::tape::into_values(hidden.clone().detach());
    let factors: Vec<f32> = values.chunks_exact(units.max(1)).map(|row| active_factor(row, k)).collect();
    hidden * Tensor::<2>::from_data(TensorData::new(factors, [rows, 1]), &training_device())
}

/// The same of one row, for prediction.
pub(super) fn normalize_row(units: &mut [f32], k: f32) {
    let factor = active_factor(units, k);
    units.iter_mut().for_each(|value| *value *= factor);
}

fn active_factor(units: &[f32], k: f32) -> f32 {
    input_factor(k, units.iter().filter(|value| **value != 0.0).count())
}

/// How the units that are kept make up for those that are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropout {
    /// Divide by the share kept on average: ordinary dropout.
    Average,
    /// Divide by the share kept in this very row: Sparsity Normalization.
    Normalized,
}

/// Drops each unit of `[rows, units]` with a probability, during training only.
pub fn dropout(hidden: Tensor<2>, share: f64, kind: Dropout, stream: &mut Stream) -> Tensor<2> {
    let [rows, units] = hidden.dims();
    let factors = dropout_factors(rows, units, share, kind, stream);
    hidden * Tensor::<2>::from_data(TensorData::new(factors, [rows, units]), &training_device())
}

/// What each unit is multiplied by: 0, or the factor that makes up for the dropped ones.
fn dropout_factors(rows: usize, units: usize, share: f64, kind: Dropout, stream: &mut Stream) -> Vec<f32> {
    // 16 bits decide over a unit, so that one draw of 64 serves four.
    let threshold = (share * f64::from(1 << 16)).round() as u64;
    let mut factors = vec![0.0; rows * units];
    for row in factors.chunks_exact_mut(units.max(1)) {
        let mut kept = 0_usize;
        for four in row.chunks_mut(4) {
            let mut bits = stream.bits();
            for factor in four {
                let keep = bits & 0xffff >= threshold;
                kept += usize::from(keep);
                *factor = f32::from(u8::from(keep));
                bits >>= 16;
            }
        }
        let factor = match kind {
            Dropout::Average => (1.0 / (1.0 - share)) as f32,
            Dropout::Normalized => input_factor(units as f32, kept),
        };
        row.iter_mut().for_each(|mark| *mark *= factor);
    }
    factors
}

/// How much the number of active units varies under dropout, as standard deviation over mean:
/// `sqrt(p / (n (1 - p)))`, the degree of the variable sparsity problem.
pub fn dropout_degree(share: f64, units: usize) -> f64 {
    (share / (units as f64 * (1.0 - share))).sqrt()
}

#[cfg(test)]
mod tests;
