//! A convolution over what is known, each result scaled by a factor of its own: what `sparsity_convolution` and
//! `partial_convolution` share.
//!
//! ```text
//! y[o, p] = relu( factor[p] Σ over window W[o] (x ⊙ observed) + b[o] present[p] )
//! ```
//!
//! Factors and presence follow from the mask alone and are the same for every output channel o.

use std::sync::Arc;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::nn::convolution::{Convolution, channel_sums};
use crate::nn::tape::{contiguous, flex_values, from_taped, plain, taped, values};
use crate::nn::windows::Observed;

/// What the mask says of each window: `[rows, output pixels]` each.
#[derive(Debug, Clone)]
pub(in crate::nn) struct Factors {
    /// What its sum is multiplied by.
    pub factor: Vec<f32>,
    /// 1 where the bias is added, 0 where not.
    pub present: Vec<f32>,
}

/// The layer on plain numbers: `output` becomes `[rows, output numbers]`.
pub(in crate::nn) fn masked_infer(
    layer: &Convolution,
    (input, weights, bias): (&[f32], &[f32], &[f32]),
    observed: &Observed<'_>,
    factors: &Factors,
    relu: bool,
    output: &mut Vec<f32>,
) {
    layer.infer(&observed.masked(input, layer.input()), weights, None, false, output);
    let (pixels, numbers) = (layer.output().pixels(), layer.output().numbers());
    let own = factors.factor.par_chunks(pixels).zip(factors.present.par_chunks(pixels));
    output.par_chunks_mut(numbers).zip(own).for_each(|(image, (factor, present))| {
        for (plane, bias) in image.chunks_exact_mut(pixels).zip(bias) {
            finish(plane, factor, present, *bias);
            if relu {
                plane.iter_mut().for_each(|value| *value = if *value < 0.0 { 0.0 } else { *value });
            }
        }
    });
}

vectorised! {
    fn finish(plane: &mut [f32], factor: &[f32], present: &[f32], bias: f32) {
        for ((value, factor), present) in plane.iter_mut().zip(factor).zip(present) {
            *value = *value * factor + bias * present;
        }
    }
}

/// The layer with gradients.
pub(in crate::nn) fn masked_forward(
    layer: &Arc<Convolution>,
    (input, weight, bias): (Tensor<2>, Tensor<4>, Tensor<2>),
    observed: Observed<'_>,
    factors: Factors,
    relu: bool,
) -> Tensor<2> {
    let (input, input_node) = taped(input).into_parts();
    let (weight, weight_node) = taped(weight).into_parts();
    let (bias, bias_node) = taped(bias).into_parts();
    let (input, weight, bias) = (contiguous(input), contiguous(weight), contiguous(bias));
    let mut output = Vec::new();
    let arrays = (values(&input), values(&weight), values(&bias));
    masked_infer(layer, arrays, &observed, &factors, relu, &mut output);
    let output = plain(output, [input.shape()[0], layer.output().numbers()]);
    let operation = Masked.prepare::<NoCheckpointing>([input_node, weight_node, bias_node]);
    from_taped(match operation.compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let observed = Observed::new(observed.marks.into_owned(), observed.channels);
            let result = relu.then(|| output.clone());
            let state = State { layer: Arc::clone(layer), input, weight, observed, factors, result };
            prepared.finish(state, output)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

/// What the way back needs.
#[derive(Debug, Clone)]
struct State {
    layer: Arc<Convolution>,
    input: FlexTensor,
    weight: FlexTensor,
    observed: Observed<'static>,
    factors: Factors,
    result: Option<FlexTensor>,
}

#[derive(Debug)]
struct Masked;

impl Backward<Flex, 3> for Masked {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { layer, input, weight, observed, factors, result } = ops.state;
        let [input_node, weight_node, bias_node] = ops.parents;
        let mut gradient = flex_values(contiguous(gradients.consume::<Flex>(&ops.node)));
        if let Some(result) = &result {
            let pairs = gradient.iter_mut().zip(values(result));
            pairs.for_each(|(gradient, value)| *gradient = if *value > 0.0 { *gradient } else { 0.0 });
        }
        let shape = layer.output();
        if let Some(node) = bias_node {
            let mut shown = gradient.clone();
            times_each_plane(&mut shown, shape.pixels(), shape.channels, &factors.present);
            gradients.register::<Flex>(node.id, plain(channel_sums(&shown, shape), [1, shape.channels]));
        }
        times_each_plane(&mut gradient, shape.pixels(), shape.channels, &factors.factor);
        let masked = observed.masked(values(&input), layer.input());
        let wanted = (input_node.is_some(), weight_node.is_some());
        let mut found = layer.gradients((&masked, values(&weight), &gradient), None, wanted);
        if let Some(node) = weight_node {
            gradients.register::<Flex>(node.id, plain(found.weights, layer.weight_shape()));
        }
        if let Some(node) = input_node {
            observed.mask(&mut found.input, layer.input());
            let shape = [input.shape()[0], layer.input().numbers()];
            gradients.register::<Flex>(node.id, plain(found.input, shape));
        }
    }
}

/// Multiplies every channel of an image with the factors of its pixels.
fn times_each_plane(images: &mut [f32], pixels: usize, channels: usize, factors: &[f32]) {
    images.par_chunks_mut(pixels * channels).zip(factors.par_chunks(pixels)).for_each(|(image, factors)| {
        for plane in image.chunks_exact_mut(pixels) {
            plane.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
        }
    });
}

#[cfg(test)]
mod tests;
