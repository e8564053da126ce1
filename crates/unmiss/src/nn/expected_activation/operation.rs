//! The expected activation on the tape.

use std::sync::Arc;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;

use super::batch::{Input, backward, forward};
use crate::nn::convolution::Convolution;
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::windows::Observed;

/// The layer with gradients of the mixture, the weights and the bias; the images are constants.
///
/// # Shapes
/// - `images`: `[rows, channels x height x width]`
/// - `mixture`: see [`Mixture`]
/// - `weight`: `[out, channels, kernel, kernel]`; `bias`: `[1, out]`
/// - output: `[rows, out x height x width]`
pub fn expected_convolution(
    layer: &Arc<Convolution>,
    images: Vec<f32>,
    observed: Observed<'_>,
    (mixture, size): (Mixture<Tensor<2>>, MixtureSize),
    (weight, bias): (Tensor<4>, Tensor<2>),
) -> Tensor<2> {
    let rows = images.len() / layer.input().numbers();
    let Mixture { scores, mean, factors, diagonal } = mixture;
    let [scores, mean, factors, diagonal] =
        [scores, mean, factors, diagonal].map(|own| taped(own).into_parts());
    let (weight, weight_node) = taped(weight).into_parts();
    let (bias, bias_node) = taped(bias).into_parts();
    let nodes = [scores.1, mean.1, factors.1, diagonal.1, weight_node, bias_node];
    let mixture = [scores.0, mean.0, factors.0, diagonal.0].map(contiguous);
    let observed = Observed::new(observed.marks.into_owned(), observed.channels);
    let mut state = State {
        layer: Arc::clone(layer),
        images,
        observed,
        mixture,
        size,
        weight: contiguous(weight),
        bias: contiguous(bias),
        output: plain(Vec::new(), [0, 0]),
    };
    let mut output = Vec::new();
    forward(layer, &state.input(), (values(&state.weight), values(&state.bias)), &mut output);
    let output = plain(output, [rows, layer.output().numbers()]);
    from_taped(match ExpectedConvolution.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            state.output = output.clone();
            prepared.finish(state, output)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

/// What the way back needs.
#[derive(Debug, Clone)]
struct State {
    layer: Arc<Convolution>,
    images: Vec<f32>,
    observed: Observed<'static>,
    /// Scores, mean, factors and diagonal.
    mixture: [FlexTensor; 4],
    size: MixtureSize,
    weight: FlexTensor,
    bias: FlexTensor,
    output: FlexTensor,
}

impl State {
    fn input(&self) -> Input<'_> {
        let [scores, mean, factors, diagonal] = self.mixture.each_ref().map(values);
        let mixture = Mixture { scores, mean, factors, diagonal };
        Input { images: &self.images, observed: &self.observed, mixture, size: self.size }
    }
}

#[derive(Debug)]
struct ExpectedConvolution;

impl Backward<Flex, 6> for ExpectedConvolution {
    type State = State;

    fn backward(self, ops: Ops<State, 6>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let state = ops.state;
        let [scores, mean, factors, diagonal, weight_node, bias_node] = ops.parents;
        let nodes = [scores, mean, factors, diagonal];
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let rows = gradient.shape()[0];
        let found = backward(
            &state.layer,
            &state.input(),
            (values(&state.weight), values(&state.bias)),
            (values(&state.output), values(&gradient)),
            nodes.iter().any(Option::is_some),
        );
        if let Some(node) = weight_node {
            gradients.register::<Flex>(node.id, plain(found.weights, state.layer.weight_shape()));
        }
        if let Some(node) = bias_node {
            gradients.register::<Flex>(node.id, plain(found.bias, [1, state.layer.output().channels]));
        }
        if let Some(Mixture { scores, mean, factors, diagonal }) = found.mixture {
            let found = [scores, mean, factors, diagonal].into_iter().zip(state.size.columns());
            for (node, (found, columns)) in nodes.into_iter().zip(found) {
                if let Some(node) = node {
                    gradients.register::<Flex>(node.id, plain(found, [rows, columns]));
                }
            }
        }
    }
}
