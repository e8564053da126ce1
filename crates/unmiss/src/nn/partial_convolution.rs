//! Partial convolution (Liu et al. 2018): the sum under a window is scaled up by how much of the window is missing, and
//! a result of which nothing was known is a hole of the next layer.
//!
//! ```text
//! y[o, p] = size / known[p] Σ over window W[o] (x ⊙ observed) + b[o]    where known[p] > 0
//!           0                                                           elsewhere
//! observed'[p] = known[p] > 0                                           one mark for all output channels
//! ```
//!
//! size = channels x kernel², `known[p]` counts the known numbers under the window at p; the border around an image
//! counts as missing. Where something is known this is Sparsity Normalization with K = size.
//!
//! # Shapes
//! - input: `[rows, channels x height x width]`; observed: the same, or one channel for all
//! - weight: `[out, channels, kernel, kernel]`; bias: `[1, out]`
//! - output: `[rows, out x height x width]`, and its marks, `[rows, height x width]`

use std::sync::Arc;

use burn::Tensor;

use crate::nn::convolution::Convolution;
use crate::nn::masked::{Factors, masked_forward, masked_infer};
use crate::nn::windows::Observed;

/// What the mask says of each window, and the mask of the result.
fn factors(layer: &Convolution, observed: &Observed<'_>) -> (Factors, Observed<'static>) {
    let known = observed.count(layer, true);
    let size = layer.window_numbers() as f32;
    let factor = |known: &u32| if *known > 0 { size / *known as f32 } else { 0.0 };
    let factor: Vec<f32> = known.iter().map(factor).collect();
    let present = known.iter().map(|known| f32::from(u8::from(*known > 0))).collect();
    let marks: Vec<bool> = known.iter().map(|known| *known > 0).collect();
    (Factors { factor, present }, Observed::new(marks, 1))
}

/// The layer with gradients, maybe through ReLU, and what is known of its result.
pub fn partial_convolution(
    layer: &Arc<Convolution>,
    arrays: (Tensor<2>, Tensor<4>, Tensor<2>),
    observed: Observed<'_>,
    relu: bool,
) -> (Tensor<2>, Observed<'static>) {
    let (factors, next) = factors(layer, &observed);
    (masked_forward(layer, arrays, observed, factors, relu), next)
}

/// The layer for prediction: `output` becomes `[rows, output numbers]`; gives what is known of it.
pub fn partial_convolution_infer(
    layer: &Convolution,
    arrays: (&[f32], &[f32], &[f32]),
    observed: &Observed<'_>,
    relu: bool,
    output: &mut Vec<f32>,
) -> Observed<'static> {
    let (factors, next) = factors(layer, observed);
    masked_infer(layer, arrays, observed, &factors, relu, output);
    next
}
