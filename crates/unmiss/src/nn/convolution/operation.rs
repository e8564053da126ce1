//! The convolution on the tape.

use std::sync::Arc;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;

use super::layer::Convolution;
use super::pack::Behind;
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

impl Convolution {
    /// The layer with gradients, maybe through ReLU.
    ///
    /// # Shapes
    /// - `input`: `[rows, input numbers]`
    /// - `weight`: [`Self::weight_shape`]
    /// - `bias`: `[1, out]`
    /// - output: `[rows, output numbers]`
    pub fn forward(
        self: &Arc<Self>,
        input: Tensor<2>,
        weight: Tensor<4>,
        bias: Tensor<2>,
        relu: bool,
    ) -> Tensor<2> {
        let (input, input_node) = taped(input).into_parts();
        let (weight, weight_node) = taped(weight).into_parts();
        let (bias, bias_node) = taped(bias).into_parts();
        let (input, weight, bias) = (contiguous(input), contiguous(weight), contiguous(bias));
        let mut output = Vec::new();
        self.infer(values(&input), values(&weight), Some(values(&bias)), relu, &mut output);
        let output = plain(output, [input.shape()[0], self.output().numbers()]);
        let operation = ConvolutionOperation.prepare::<NoCheckpointing>([input_node, weight_node, bias_node]);
        from_taped(match operation.compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let result = relu.then(|| output.clone());
                prepared.finish(State { layer: Arc::clone(self), input, weight, result }, output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        })
    }
}

/// What the way back needs; the result only where ReLU has to know which of its numbers are positive.
#[derive(Debug, Clone)]
struct State {
    layer: Arc<Convolution>,
    input: FlexTensor,
    weight: FlexTensor,
    result: Option<FlexTensor>,
}

#[derive(Debug)]
struct ConvolutionOperation;

impl Backward<Flex, 3> for ConvolutionOperation {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { layer, input, weight, result } = ops.state;
        let [input_node, weight_node, bias_node] = ops.parents;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let behind = result.as_ref().map(|result| Behind { result: values(result), affine: None });
        let wanted = (input_node.is_some(), weight_node.is_some() || bias_node.is_some());
        let arrays = (values(&input), values(&weight), values(&gradient));
        let found = layer.gradients(arrays, behind, wanted);
        if let Some(node) = input_node {
            let shape = [input.shape()[0], layer.input().numbers()];
            gradients.register::<Flex>(node.id, plain(found.input, shape));
        }
        if let Some(node) = weight_node {
            gradients.register::<Flex>(node.id, plain(found.weights, layer.weight_shape()));
        }
        if let Some(node) = bias_node {
            gradients.register::<Flex>(node.id, plain(found.bias, [1, layer.output().channels]));
        }
    }
}
