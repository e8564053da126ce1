//! Batch norm on the tape: alone, and as one operation with the convolution and the ReLU before it.

use std::sync::{Arc, Mutex, PoisonError};

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use super::statistics::{Moments, Statistics, add_batch_norm, gradient_sums, lines, moments, plane_gradient};
use crate::nn::convolution::{Behind, Convolution};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::{Lent, Parameters};

/// Batch norm for training: with the mean and variance of the batch, which the running ones follow.
///
/// # Shapes
/// - `images`: `[rows, channels x pixels]`, as the output
/// - `first`: the index of γ among `parameters`
pub fn batch_norm(images: Tensor<2>, parameters: &Lent, first: usize) -> Tensor<2> {
    let (images, image_node) = taped(images).into_parts();
    let (scale, scale_node) = taped(parameters.tensor::<1>(first)).into_parts();
    let (shift, shift_node) = taped(parameters.tensor::<1>(first + 1)).into_parts();
    let (images, scale, shift) = (contiguous(images), contiguous(scale), contiguous(shift));
    let (rows, channels) = (images.shape()[0], scale.shape()[0]);
    let pixels = images.shape()[1] / channels;
    let planes: Vec<Moments> = values(&images).par_chunks(pixels.max(1)).map(moments).collect();
    let statistics = Statistics::new(&planes, channels, pixels);
    statistics.carry(parameters, first);
    let own = statistics.lines(values(&scale), values(&shift));
    let output = plain(lines(values(&images), pixels, &own), [rows, channels * pixels]);
    let operation = BatchNorm.prepare::<NoCheckpointing>([image_node, scale_node, shift_node]);
    from_taped(match operation.compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(State { images, scale, statistics }, output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

/// What the way back through the norm needs.
#[derive(Debug, Clone)]
struct State {
    images: FlexTensor,
    scale: FlexTensor,
    statistics: Statistics,
}

impl State {
    /// The gradients of γ and β, and `[a, b, c]` of each channel.
    fn backward(&self, gradient: &[f32]) -> (Vec<f32>, Vec<f32>, Vec<[f32; 3]>) {
        let scale = values(&self.scale);
        let pixels = (self.images.shape()[1] / scale.len()).max(1);
        let planes = gradient.par_chunks(pixels).zip(values(&self.images).par_chunks(pixels)).enumerate();
        let sums = planes.map(|(number, (gradient, plane))| {
            gradient_sums(gradient, plane, self.statistics.mean[number % scale.len()])
        });
        self.statistics.backward(&sums.collect::<Vec<_>>(), scale)
    }
}

#[derive(Debug)]
struct BatchNorm;

impl Backward<Flex, 3> for BatchNorm {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let state = ops.state;
        let [image_node, scale_node, shift_node] = ops.parents;
        let mut gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let (of_scale, of_shift, affine) = state.backward(values(&gradient));
        let channels = [affine.len()];
        if let Some(node) = scale_node {
            gradients.register::<Flex>(node.id, plain(of_scale, channels));
        }
        if let Some(node) = shift_node {
            gradients.register::<Flex>(node.id, plain(of_shift, channels));
        }
        if let Some(node) = image_node {
            let pixels = (state.images.shape()[1] / affine.len()).max(1);
            let planes = gradient
                .storage_mut::<f32>()
                .par_chunks_mut(pixels)
                .zip(values(&state.images).par_chunks(pixels));
            planes.enumerate().for_each(|(number, (gradient, plane))| {
                plane_gradient(gradient, plane, affine[number % affine.len()]);
            });
            gradients.register::<Flex>(node.id, gradient);
        }
    }
}

impl Convolution {
    /// Adds `name/weight`, drawn, `name/bias` and a batch norm of the result. Gives the index of the weight.
    pub fn add_normalised(
        &self,
        parameters: &mut Parameters,
        name: &str,
        draw: impl FnMut() -> f32,
    ) -> usize {
        let weight = self.add_parameters(parameters, name, draw);
        add_batch_norm(parameters, name, self.output().channels);
        weight
    }

    /// Convolution, ReLU and batch norm for training, as one operation: the moments of an image are taken while it is
    /// at hand, and the norm's gradient is applied while the convolution copies it.
    ///
    /// # Shapes
    /// - `input`: `[rows, input numbers]`
    /// - `first`: the index of the weight among `parameters`; bias and the norm's arrays come after it
    /// - output: `[rows, output numbers]`
    pub fn forward_normalised(
        self: &Arc<Self>,
        input: Tensor<2>,
        parameters: &Lent,
        first: usize,
    ) -> Tensor<2> {
        let (input, input_node) = taped(input).into_parts();
        let (weight, weight_node) = taped(parameters.tensor::<4>(first)).into_parts();
        let (bias, bias_node) = taped(parameters.tensor::<2>(first + 1)).into_parts();
        let (scale, scale_node) = taped(parameters.tensor::<1>(first + 2)).into_parts();
        let (shift, shift_node) = taped(parameters.tensor::<1>(first + 3)).into_parts();
        let (input, weight, bias) = (contiguous(input), contiguous(weight), contiguous(bias));
        let (scale, shift) = (contiguous(scale), contiguous(shift));
        let (rows, shape) = (input.shape()[0], self.output());
        let planes = Mutex::new(vec![Moments::default(); rows * shape.channels]);
        let done = |number: usize, image: &[f32]| {
            let own: Vec<Moments> = image.chunks_exact(shape.pixels()).map(moments).collect();
            let mut planes = planes.lock().unwrap_or_else(PoisonError::into_inner);
            planes[number * shape.channels..][..shape.channels].copy_from_slice(&own);
        };
        let mut images = Vec::new();
        let arrays = (values(&input), values(&weight), Some(values(&bias)));
        self.apply(arrays, true, &mut images, &done);
        let planes = planes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let statistics = Statistics::new(&planes, shape.channels, shape.pixels());
        statistics.carry(parameters, first + 2);
        let own = statistics.lines(values(&scale), values(&shift));
        let output = plain(lines(&images, shape.pixels(), &own), [rows, shape.numbers()]);
        let images = plain(images, [rows, shape.numbers()]);
        let nodes = [input_node, weight_node, bias_node, scale_node, shift_node];
        from_taped(match Normalised.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let norm = State { images, scale, statistics };
                prepared.finish(NormalisedState { layer: Arc::clone(self), input, weight, norm }, output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        })
    }
}

/// What the way back through norm and convolution needs.
#[derive(Debug, Clone)]
struct NormalisedState {
    layer: Arc<Convolution>,
    input: FlexTensor,
    weight: FlexTensor,
    norm: State,
}

#[derive(Debug)]
struct Normalised;

impl Backward<Flex, 5> for Normalised {
    type State = NormalisedState;

    fn backward(self, ops: Ops<NormalisedState, 5>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let NormalisedState { layer, input, weight, norm } = ops.state;
        let [input_node, weight_node, bias_node, scale_node, shift_node] = ops.parents;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let (of_scale, of_shift, affine) = norm.backward(values(&gradient));
        let behind = Behind { result: values(&norm.images), affine: Some(&affine) };
        let wanted = (input_node.is_some(), weight_node.is_some() || bias_node.is_some());
        let arrays = (values(&input), values(&weight), values(&gradient));
        let found = layer.gradients(arrays, Some(behind), wanted);
        let channels = layer.output().channels;
        if let Some(node) = input_node {
            let shape = [input.shape()[0], layer.input().numbers()];
            gradients.register::<Flex>(node.id, plain(found.input, shape));
        }
        if let Some(node) = weight_node {
            gradients.register::<Flex>(node.id, plain(found.weights, layer.weight_shape()));
        }
        if let Some(node) = bias_node {
            gradients.register::<Flex>(node.id, plain(found.bias, [1, channels]));
        }
        for (node, found) in [(scale_node, of_scale), (shift_node, of_shift)] {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, plain(found, [channels]));
            }
        }
    }
}
