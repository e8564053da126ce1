//! The dense layer, `activation(input weight + bias)`, as one operation with its own backward pass.
//!
//! Forward: one product, then bias and activation in one pass. Backward, with the gradient `G` of the
//! output and `S = G * activation'`: bias gradient = column sums of `S` (same pass), weight gradient
//! `inputᵀ S`, input gradient `S weightᵀ` (only if somebody wants it).
//!
//! ```
//! use unmiss::nn::{Activation, Parameters, dense};
//! let mut parameters = Parameters::new();
//! parameters.add("weight", [2, 1], || 0.5);
//! parameters.add("bias", [1, 1], || 1.0);
//! let tensors = parameters.tensors();
//! let input = burn::Tensor::<2>::from_data([[1.0_f32, 3.0]], &unmiss::nn::training_device());
//! let output = dense(input, tensors.tensor(0), tensors.tensor(1), Activation::Relu);
//! assert_eq!(output.into_scalar::<f32>(), 3.0);
//! ```

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::nn::activation::{Activation, mish_with_derivative};
use crate::nn::product::{Matrix, product, product_by_row};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::vectorised::PIECE;

/// Rows whose share of the bias gradient is summed in one go: a fixed number, so that the order of the
/// additions does not depend on the threads.
const ROWS_SUMMED: usize = 64;

/// `activation(input weight + bias)`.
///
/// # Shapes
/// - `input`: `[rows, in]`
/// - `weight`: `[in, out]`
/// - `bias`: `[1, out]`
/// - output: `[rows, out]`
pub fn dense(input: Tensor<2>, weight: Tensor<2>, bias: Tensor<2>, activation: Activation) -> Tensor<2> {
    let (input, input_node) = taped(input).into_parts();
    let (weight, weight_node) = taped(weight).into_parts();
    let (bias, bias_node) = taped(bias).into_parts();
    let (input, weight, bias) = (contiguous(input), contiguous(weight), contiguous(bias));
    let operation = Dense.prepare::<NoCheckpointing>([input_node, weight_node, bias_node]);
    let output = match operation.compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let (output, slopes) = forward(&input, &weight, &bias, activation, true);
            let saved = slopes.unwrap_or_else(|| output.clone());
            prepared.finish(State { input, weight, saved, activation }, output)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(forward(&input, &weight, &bias, activation, false).0),
    };
    from_taped(output)
}

/// What the backward pass needs: `saved` holds the output, or the slopes of an activation whose derivative
/// can't be had from its value.
#[derive(Debug, Clone)]
struct State {
    input: FlexTensor,
    weight: FlexTensor,
    saved: FlexTensor,
    activation: Activation,
}

#[derive(Debug)]
struct Dense;

impl Backward<Flex, 3> for Dense {
    type State = State;

    fn backward(self, ops: Ops<State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { input, weight, saved, activation } = ops.state;
        let [input_node, weight_node, bias_node] = ops.parents;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let (gradient, bias_gradient) = through_activation(gradient, saved, activation);
        let sums = matrix(&gradient);
        if let Some(node) = bias_node {
            let shape = [1, sums.columns()];
            gradients.register::<Flex>(node.id, plain(bias_gradient, shape));
        }
        if let Some(node) = weight_node {
            let weight_gradient = product(matrix(&input).transposed(), sums);
            gradients.register::<Flex>(node.id, plain(weight_gradient, shape(&weight)));
        }
        if let Some(node) = input_node {
            let input_gradient = product(sums, matrix(&weight).transposed());
            gradients.register::<Flex>(node.id, plain(input_gradient, shape(&input)));
        }
    }
}

fn shape(tensor: &FlexTensor) -> [usize; 2] {
    let shape = tensor.shape();
    [shape[0], shape[1]]
}

fn matrix(tensor: &FlexTensor) -> Matrix<'_> {
    let [rows, columns] = shape(tensor);
    Matrix::new(values(tensor), rows, columns)
}

/// The output and, where asked for and needed, the slopes of the activation.
fn forward(
    input: &FlexTensor,
    weight: &FlexTensor,
    bias: &FlexTensor,
    activation: Activation,
    tracked: bool,
) -> (FlexTensor, Option<FlexTensor>) {
    let (input, weight, bias) = (matrix(input), matrix(weight), values(bias));
    assert_eq!(bias.len(), weight.columns(), "one bias for each output");
    let mut output = product(input, weight);
    let piece = rows_per_piece(bias.len()) * bias.len().max(1);
    let shape = [input.rows(), weight.columns()];
    if tracked && !activation.derivative_from_value() {
        let mut slopes = vec![0.0; output.len()];
        let apply = |(rows, slopes): (&mut [f32], &mut [f32])| mish_with_derivative(rows, bias, slopes);
        if output.len() > piece {
            output.par_chunks_mut(piece).zip(slopes.par_chunks_mut(piece)).for_each(apply);
        } else {
            apply((&mut output, &mut slopes));
        }
        return (plain(output, shape), Some(plain(slopes, shape)));
    }
    if output.len() > piece {
        output.par_chunks_mut(piece).for_each(|rows| activation.add_bias_and_apply(rows, bias));
    } else {
        activation.add_bias_and_apply(&mut output, bias);
    }
    (plain(output, shape), None)
}

/// Rows that make a piece worth a thread of its own, in whole groups of [`ROWS_SUMMED`].
fn rows_per_piece(columns: usize) -> usize {
    (PIECE / columns.max(1)).max(1).next_multiple_of(ROWS_SUMMED)
}

/// The gradient with respect to the sums under the activation, and its column sums.
fn through_activation(
    mut gradient: FlexTensor,
    saved: FlexTensor,
    activation: Activation,
) -> (FlexTensor, Vec<f32>) {
    let [_, columns] = shape(&gradient);
    let group = (ROWS_SUMMED * columns).max(1);
    let saved = values(&saved);
    let work = |(part, saved): (&mut [f32], &[f32])| {
        activation.times_derivative(part, saved);
        let mut sums = vec![0.0; columns];
        column_sums(part, &mut sums);
        sums
    };
    // In place, unless somebody else holds the gradient.
    let part = gradient.storage_mut::<f32>();
    let groups: Vec<Vec<f32>> = if part.len() > rows_per_piece(columns) * columns {
        part.par_chunks_mut(group).zip(saved.par_chunks(group)).map(work).collect()
    } else {
        part.chunks_mut(group).zip(saved.chunks(group)).map(work).collect()
    };
    let mut groups = groups.into_iter();
    let mut total = groups.next().unwrap_or_else(|| vec![0.0; columns]);
    groups.for_each(|sums| column_sums(&sums, &mut total));
    (gradient, total)
}

vectorised! {
    fn column_sums(rows: &[f32], sums: &mut [f32]) {
        for row in rows.chunks_exact(sums.len().max(1)) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
}

/// Rows that one thread takes through a layer at a time: small enough to stay in its cache.
const ROWS_FORWARD: usize = 128;

/// The layer on plain numbers, for applying a network. What it gives for a row has the same bits whatever
/// other rows are there and wherever the row stands.
///
/// # Shapes
/// - `input`: `[rows, in]`
/// - `weight`: `[in, out]`
/// - `bias`: `[out]`
/// - `output`: becomes `[rows, out]`; its memory is reused
pub fn dense_forward(
    input: &[f32],
    rows: usize,
    weight: Matrix<'_>,
    bias: &[f32],
    activation: Activation,
    output: &mut Vec<f32>,
) {
    let (inputs, outputs) = (weight.rows(), weight.columns());
    assert_eq!(input.len(), rows * inputs, "an input of {rows} x {inputs}");
    assert_eq!(bias.len(), outputs, "one bias for each output");
    output.resize(rows * outputs, 0.0);
    if outputs == 0 {
        return;
    }
    let work = |(block, result): (usize, &mut [f32])| {
        let start = block * ROWS_FORWARD;
        let count = result.len() / outputs;
        let part = Matrix::new(&input[start * inputs..(start + count) * inputs], count, inputs);
        product_by_row(part, weight, result);
        activation.add_bias_and_apply(result, bias);
    };
    let block = ROWS_FORWARD * outputs;
    if rows > ROWS_FORWARD && rayon::current_num_threads() > 1 {
        output.par_chunks_mut(block).enumerate().for_each(work);
    } else {
        output.chunks_mut(block).enumerate().for_each(work);
    }
}

#[cfg(test)]
mod tests;
