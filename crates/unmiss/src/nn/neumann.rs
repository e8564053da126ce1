//! The NeuMiss block: a row with holes becomes a vector without any, by products with a matrix that are masked by what
//! is known. Unrolled, they are the iterations that solve `Σ_oo h = x_o - μ_o` for the known columns o of the row, and
//! `Σ h` then holds the conditional mean of what is missing (Le Morvan et al. 2020).
//!
//! ```text
//! v = (x - μ) ⊙ observed,  h_0 = v
//!
//! own      h_l = (h_(l-1) W_l) ⊙ observed + γ_l v               the block of 2020: γ_1 = 0, the others 1, or all 0
//! shared   h_l = (h_(l-1) W) ⊙ observed + γ_l v                 the block of 2021: γ = 1, or learned
//! steps    h_l = h_(l-1) + γ_l (v - (h_(l-1) W) ⊙ observed)     ours: W is Σ itself, γ_l the length of a step
//!
//! output   h_depth,  or with W_mix:  x where observed, h_depth W_mix + μ elsewhere
//! ```
//!
//! All of it is one operation with its own backward pass: as tensor operations, thirty small products with a mask and a
//! sum behind each would cost many times what they compute.

mod backward;
mod block;
mod forward;
mod kernel;
mod written;

use std::sync::Arc;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;

use crate::nn::cells::Cells;
use crate::nn::spare::Spare;
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::{Lent, Parameters};
use block::Saved;
pub use block::{Form, Neumann, Values, Weights};

/// How many arrays of weights a block has.
pub const NEUMANN_PARAMETERS: usize = 4;

/// A block with its buffers, which are used again from step to step.
#[derive(Debug)]
pub struct Block {
    layout: Neumann,
    spare: Spare,
}

impl Block {
    /// A block of a layout.
    pub fn new(layout: Neumann) -> Self {
        Self { layout, spare: Spare::default() }
    }

    /// The layout.
    pub fn layout(&self) -> Neumann {
        self.layout
    }

    /// Adds the weights: μ, the matrices, W_mix and γ, the last learned or carried along as it is.
    pub fn add_parameters(&self, parameters: &mut Parameters, first: Values, learn_residuals: bool) {
        let Neumann { columns, depth, .. } = self.layout;
        let mut add = |name: &str, shape: [usize; 2], values: Vec<f32>| {
            assert_eq!(values.len(), shape[0] * shape[1], "the numbers of {name}");
            let mut values = values.into_iter();
            parameters.add(name, shape, || values.next().unwrap_or(0.0))
        };
        let rows = |values: &[f32]| values.len() / columns.max(1);
        add("block/mean", [1, columns], first.mean);
        add("block/matrices", [rows(&first.matrices), columns], first.matrices);
        add("block/mix", [rows(&first.mix), columns], first.mix);
        let residuals = add("block/residuals", [1, depth], first.residuals);
        parameters[residuals].learned = learn_residuals;
        parameters[residuals].decay = false;
    }

    /// The vectors of a batch, `[rows, d]`, with gradients. Numbers under a false mark are not read.
    pub fn forward(self: &Arc<Self>, cells: &Cells<'_>, parameters: &Lent, first: usize) -> Tensor<2> {
        let parts =
            (0..NEUMANN_PARAMETERS).map(|index| taped(parameters.tensor::<2>(first + index)).into_parts());
        let (tensors, nodes): (Vec<FlexTensor>, Vec<_>) = parts.unzip();
        let tensors: Vec<FlexTensor> = tensors.into_iter().map(contiguous).collect();
        let nodes: [_; NEUMANN_PARAMETERS] =
            nodes.try_into().unwrap_or_else(|_| unreachable!("the block has four arrays"));
        let (output, saved) =
            self.layout.forward(weights(&tensors), &cells.numbers, &cells.numbers_observed, &self.spare);
        let output = plain(output, [cells.rows, self.layout.columns]);
        let state = State { block: Arc::clone(self), tensors, saved };
        from_taped(match NeumannOperation.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(state, output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        })
    }

    /// The vectors of rows, for prediction: `output` becomes `[rows, d]`.
    pub fn infer(&self, cells: &Cells<'_>, parameters: &Parameters, first: usize, output: &mut Vec<f32>) {
        let array = |index: usize| parameters[first + index].values.as_slice();
        let weights = Weights { mean: array(0), matrices: array(1), mix: array(2), residuals: array(3) };
        self.layout.infer(weights, &cells.numbers, &cells.numbers_observed, output);
    }
}

fn weights(tensors: &[FlexTensor]) -> Weights<'_> {
    let array = |index: usize| values(&tensors[index]);
    Weights { mean: array(0), matrices: array(1), mix: array(2), residuals: array(3) }
}

/// What the way back needs.
#[derive(Debug, Clone)]
struct State {
    block: Arc<Block>,
    tensors: Vec<FlexTensor>,
    saved: Saved,
}

/// The block as one operation of the tape.
#[derive(Debug)]
struct NeumannOperation;

impl Backward<Flex, NEUMANN_PARAMETERS> for NeumannOperation {
    type State = State;

    fn backward(self, ops: Ops<State, NEUMANN_PARAMETERS>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { block, tensors, saved } = ops.state;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let Values { mean, matrices, mix, residuals } =
            block.layout.backward(weights(&tensors), saved, values(&gradient), &block.spare);
        let found = [mean, matrices, mix, residuals].into_iter().zip(&tensors);
        for (node, (found, tensor)) in ops.parents.into_iter().zip(found) {
            if let Some(node) = node {
                let shape = tensor.shape();
                gradients.register::<Flex>(node.id, plain(found, [shape[0], shape[1]]));
            }
        }
    }
}

#[cfg(test)]
mod tests;
