//! The layer on the tape.

use std::sync::Arc;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;

use super::backward::Pull;
use super::forward::{Batch, Kept};
use super::layer::{Give, RECURRENT_PARAMETERS, Recurrent, Weights};
use super::steps::Steps;
use crate::nn::Lent;
use crate::nn::tape::{contiguous, from_taped, plain, taped, training_device, values};

/// Input, decay and weights.
const PARENTS: usize = 2 + RECURRENT_PARAMETERS;

impl Recurrent {
    /// The series of a batch through the layer, with gradients.
    ///
    /// # Shapes
    /// - `input`: `[rows, inputs]`, in the order of `steps`
    /// - `decay`: `[rows, units]`: what the state is multiplied with before each step
    /// - output: see [`Give`]
    pub fn forward_taped(
        self: &Arc<Self>,
        input: Tensor<2>,
        decay: Option<Tensor<2>>,
        steps: &Arc<Steps>,
        (parameters, first): (&Lent, usize),
        give: Give,
    ) -> Tensor<2> {
        let has_decay = decay.is_some();
        let decay = decay.unwrap_or_else(|| Tensor::zeros([0, self.units()], &training_device()));
        let weights = (0..RECURRENT_PARAMETERS).map(|index| parameters.tensor::<2>(first + index));
        let parts = [input, decay].into_iter().chain(weights).map(|tensor| taped(tensor).into_parts());
        let (tensors, nodes): (Vec<FlexTensor>, Vec<_>) = parts.unzip();
        let tensors: Vec<FlexTensor> = tensors.into_iter().map(contiguous).collect();
        let nodes: [_; PARENTS] =
            nodes.try_into().unwrap_or_else(|_| unreachable!("input, decay and three arrays"));
        let mut state = State {
            layer: Arc::clone(self),
            steps: Arc::clone(steps),
            tensors,
            has_decay,
            give,
            kept: vec![],
        };
        let (output, kept) = self.forward(state.batch(), state.weights(), give);
        let rows = if give == Give::Last { steps.series() } else { steps.rows() };
        let output = plain(output, [rows, self.units()]);
        from_taped(match RecurrentOperation.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                state.kept = kept;
                prepared.finish(state, output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        })
    }
}

/// What the way back needs.
#[derive(Debug, Clone)]
struct State {
    layer: Arc<Recurrent>,
    steps: Arc<Steps>,
    /// Input, decay and weights.
    tensors: Vec<FlexTensor>,
    has_decay: bool,
    give: Give,
    kept: Vec<Kept>,
}

impl State {
    fn batch(&self) -> Batch<'_> {
        let decay = self.has_decay.then(|| values(&self.tensors[1]));
        Batch { steps: &self.steps, input: values(&self.tensors[0]), decay }
    }

    fn weights(&self) -> Weights<'_> {
        let array = |index: usize| values(&self.tensors[2 + index]);
        Weights { input: array(0), state: array(1), bias: array(2) }
    }
}

/// The layer as one operation of the tape.
#[derive(Debug)]
struct RecurrentOperation;

impl Backward<Flex, PARENTS> for RecurrentOperation {
    type State = State;

    fn backward(self, ops: Ops<State, PARENTS>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let mut state = ops.state;
        let kept = std::mem::take(&mut state.kept);
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let pull = Pull { give: state.give, values: values(&gradient) };
        let input_wanted = ops.parents[0].is_some();
        let found = state.layer.backward(state.batch(), state.weights(), kept, pull, input_wanted);
        let all = [found.input, found.decay].into_iter().chain(found.weights);
        for (node, (found, tensor)) in ops.parents.into_iter().zip(all.zip(&state.tensors)) {
            if let Some(node) = node {
                let shape = tensor.shape();
                gradients.register::<Flex>(node.id, plain(found, [shape[0], shape[1]]));
            }
        }
    }
}
