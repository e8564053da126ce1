//! Sparsity Normalization for convolutions (Yi et al. 2020, Algorithm 2): the sum under a window is divided by how much
//! of the window is known, so that its mean does not drift with the number of holes.
//!
//! ```text
//! y[o, p] = K Σ over window W[o] (x ⊙ observed) / max(known[p], 1) + b[o]
//! ```
//!
//! `known[p]` counts the known numbers under the window at p, over all input channels; the border around an image
//! counts as missing, so results at the border are normalised too. A window of which nothing is known gives b. The
//! algorithm has K = 1; for deep networks K is the size of a window (`Convolution::window_numbers`), with which the
//! layer is a plain convolution wherever all is known. Sparsity Invariant CNNs (Uhrig et al. 2017) divide in the same
//! way, by one mask for all channels.
//!
//! # Shapes
//! - input: `[rows, channels x height x width]`; observed: the same, or one channel for all
//! - weight: `[out, channels, kernel, kernel]`; bias: `[1, out]`
//! - output: `[rows, out x height x width]`

use std::sync::Arc;

use burn::Tensor;

use crate::nn::convolution::Convolution;
use crate::nn::masked::{Factors, masked_forward, masked_infer};
use crate::nn::sparsity::input_factor;
use crate::nn::windows::Observed;

/// K over what is known under each window; the bias is added everywhere.
fn factors(layer: &Convolution, observed: &Observed<'_>, k: f32) -> Factors {
    let known = observed.count(layer, true);
    let factor: Vec<f32> = known.iter().map(|known| input_factor(k, *known as usize)).collect();
    Factors { present: vec![1.0; factor.len()], factor }
}

/// The layer with gradients, maybe through ReLU.
pub fn sparsity_convolution(
    layer: &Arc<Convolution>,
    arrays: (Tensor<2>, Tensor<4>, Tensor<2>),
    observed: Observed<'_>,
    k: f32,
    relu: bool,
) -> Tensor<2> {
    let factors = factors(layer, &observed, k);
    masked_forward(layer, arrays, observed, factors, relu)
}

/// The layer for prediction: `output` becomes `[rows, output numbers]`.
pub fn sparsity_convolution_infer(
    layer: &Convolution,
    arrays: (&[f32], &[f32], &[f32]),
    observed: &Observed<'_>,
    k: f32,
    relu: bool,
    output: &mut Vec<f32>,
) {
    masked_infer(layer, arrays, observed, &factors(layer, observed, k), relu, output);
}
