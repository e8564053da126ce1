//! Many networks in one: members share the hidden layers and differ in what they see and what they say.
//!
//! ```text
//! spread   x[b] -> x[b] ⊙ r[m]                  r[m]: the member's own factor for each input
//! heads    h[m, b] -> h[m, b] W[m] + c[m]       W[m], c[m]: the member's own output layer
//! ```
//!
//! Between the two, all members' rows pass the same dense layers, and their answers are averaged. What that
//! brings is measured in `docs/results/network-parts.md`.
//!
//! Letters: B rows of a batch, M members, F inputs, H hidden units, O outputs. A member's rows stand
//! together: row `m B + b` is row `b` as member `m` sees it.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::nn::product::{Matrix, product};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// What each member sees of a batch.
///
/// # Shapes
/// - `input`: `[B, F]`
/// - `factors`: `[M, F]`
/// - output: `[M B, F]`
pub fn spread(input: Tensor<2>, factors: Tensor<2>) -> Tensor<2> {
    let (input, input_node) = taped(input).into_parts();
    let (factors, factors_node) = taped(factors).into_parts();
    let (input, factors) = (contiguous(input), contiguous(factors));
    let (rows, members, width) = (input.shape()[0], factors.shape()[0], input.shape()[1]);
    let mut output = vec![0.0; members * rows * width];
    let parts = output.par_chunks_mut((rows * width).max(1)).zip(values(&factors).par_chunks(width.max(1)));
    parts.for_each(|(part, factors)| scaled(values(&input), factors, part));
    let output = plain(output, [members * rows, width]);
    let operation = Spread.prepare::<NoCheckpointing>([input_node, factors_node]).compute_bound();
    from_taped(match operation.stateful() {
        OpsKind::Tracked(prepared) => prepared.finish((input, factors), output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

vectorised! {
    /// `output[b] = input[b] ⊙ factors`: one member's view of rows.
    pub(crate) fn scaled(input: &[f32], factors: &[f32], output: &mut [f32]) {
        let width = factors.len().max(1);
        for (output, input) in output.chunks_exact_mut(width).zip(input.chunks_exact(width)) {
            for ((output, input), factor) in output.iter_mut().zip(input).zip(factors) {
                *output = input * factor;
            }
        }
    }
}

vectorised! {
    /// `sums += Σ_b left[b] ⊙ right[b]`
    fn add_products(left: &[f32], right: &[f32], sums: &mut [f32]) {
        let width = sums.len().max(1);
        for (left, right) in left.chunks_exact(width).zip(right.chunks_exact(width)) {
            for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
                *sum += left * right;
            }
        }
    }
}

#[derive(Debug)]
struct Spread;

impl Backward<Flex, 2> for Spread {
    type State = (FlexTensor, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let (input, factors) = ops.state;
        let [input_node, factors_node] = ops.parents;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let (rows, members, width) = (input.shape()[0], factors.shape()[0], input.shape()[1]);
        let (flow, block) = (values(&gradient), (rows * width).max(1));
        if let Some(node) = factors_node {
            let mut found = vec![0.0; members * width];
            let parts = found.par_chunks_mut(width.max(1)).zip(flow.par_chunks(block));
            parts.for_each(|(sums, flow)| add_products(flow, values(&input), sums));
            gradients.register::<Flex>(node.id, plain(found, [members, width]));
        }
        if let Some(node) = input_node {
            let mut found = vec![0.0; rows * width];
            let factors = values(&factors);
            found.par_chunks_mut(width.max(1)).enumerate().with_min_len(16).for_each(|(row, sums)| {
                for (flow, factors) in flow.chunks_exact(block).zip(factors.chunks_exact(width)) {
                    add_products(&flow[row * width..(row + 1) * width], factors, sums);
                }
            });
            gradients.register::<Flex>(node.id, plain(found, [rows, width]));
        }
    }
}

/// What each member says: its own output layer on its own rows.
///
/// # Shapes
/// - `hidden`: `[M B, H]`
/// - `weight`: `[M H, O]`, the members' matrices one under the other
/// - `bias`: `[M, O]`
/// - output: `[M B, O]`
pub fn heads(hidden: Tensor<2>, weight: Tensor<2>, bias: Tensor<2>) -> Tensor<2> {
    let (hidden, hidden_node) = taped(hidden).into_parts();
    let (weight, weight_node) = taped(weight).into_parts();
    let (bias, bias_node) = taped(bias).into_parts();
    let (hidden, weight, bias) = (contiguous(hidden), contiguous(weight), contiguous(bias));
    let outputs = bias.shape()[1];
    let shape = [hidden.shape()[0], outputs];
    let parts = parts(&hidden, &weight, bias.shape()[0])
        .into_par_iter()
        .zip(values(&bias).par_chunks(outputs.max(1)));
    let scores: Vec<Vec<f32>> = parts
        .map(|((hidden, weight), bias)| {
            let mut scores = product(hidden, weight);
            scores.chunks_exact_mut(outputs.max(1)).for_each(|row| add(row, bias));
            scores
        })
        .collect();
    let output = plain(scores.concat(), shape);
    let operation = Heads.prepare::<NoCheckpointing>([hidden_node, weight_node, bias_node]).compute_bound();
    from_taped(match operation.stateful() {
        OpsKind::Tracked(prepared) => prepared.finish((hidden, weight, bias.shape()[0]), output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

fn add(row: &mut [f32], other: &[f32]) {
    row.iter_mut().zip(other).for_each(|(value, other)| *value += other);
}

/// Each member's rows and its matrix.
fn parts<'a>(rows: &'a FlexTensor, weight: &'a FlexTensor, members: usize) -> Vec<(Matrix<'a>, Matrix<'a>)> {
    let part = |tensor: &'a FlexTensor, member: usize| {
        let (rows, columns) = (tensor.shape()[0] / members, tensor.shape()[1]);
        Matrix::new(&values(tensor)[member * rows * columns..(member + 1) * rows * columns], rows, columns)
    };
    (0..members).map(|member| (part(rows, member), part(weight, member))).collect()
}

#[derive(Debug)]
struct Heads;

impl Backward<Flex, 3> for Heads {
    /// Hidden units, weights, number of members.
    type State = (FlexTensor, FlexTensor, usize);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let (hidden, weight, members) = ops.state;
        let [hidden_node, weight_node, bias_node] = ops.parents;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let outputs = weight.shape()[1];
        if let Some(node) = bias_node {
            let mut found = vec![0.0; members * outputs];
            let block = (gradient.shape()[0] / members * outputs).max(1);
            for (sums, flow) in found.chunks_mut(outputs.max(1)).zip(values(&gradient).chunks(block)) {
                flow.chunks_exact(outputs.max(1)).for_each(|row| add(sums, row));
            }
            gradients.register::<Flex>(node.id, plain(found, [members, outputs]));
        }
        if let Some(node) = weight_node {
            let parts = parts(&hidden, &gradient, members).into_par_iter();
            let found: Vec<Vec<f32>> =
                parts.map(|(hidden, flow)| product(hidden.transposed(), flow)).collect();
            gradients.register::<Flex>(node.id, plain(found.concat(), [weight.shape()[0], outputs]));
        }
        if let Some(node) = hidden_node {
            let parts = parts(&gradient, &weight, members).into_par_iter();
            let found: Vec<Vec<f32>> =
                parts.map(|(flow, weight)| product(flow, weight.transposed())).collect();
            let shape = [hidden.shape()[0], hidden.shape()[1]];
            gradients.register::<Flex>(node.id, plain(found.concat(), shape));
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};
    use crate::run::Run;

    const MEMBERS: usize = 3;
    const ROWS: usize = 5;

    fn tensor(values: &[f32], shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), &training_device()).require_grad()
    }

    /// Output and gradients of `Σ output * pull` for inputs of the given shapes.
    fn with_gradients(operation: impl Fn(&[Tensor<2>]) -> Tensor<2>, shapes: &[[usize; 2]]) -> Vec<Vec<f32>> {
        let inputs: Vec<Tensor<2>> = shapes
            .iter()
            .enumerate()
            .map(|(place, shape)| tensor(&random(shape[0] * shape[1], &format!("input {place}")), *shape))
            .collect();
        let output = operation(&inputs);
        let [rows, columns] = output.dims();
        let pull = tensor(&random(rows * columns, "pull"), [rows, columns]);
        let mut found = (output.clone() * pull).sum().backward();
        let gradients = inputs.iter().map(|input| into_values(input.grad_remove(&mut found).unwrap()));
        let gradients: Vec<Vec<f32>> = gradients.collect();
        [vec![into_values(output)], gradients].concat()
    }

    fn assert_near(ours: &[Vec<f32>], theirs: &[Vec<f32>]) {
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!(ours.len(), theirs.len());
            ours.iter()
                .zip(theirs)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} {b}"));
        }
    }

    #[test]
    fn spreading_is_a_product_for_each_member() {
        let shapes = [[ROWS, 4], [MEMBERS, 4]];
        let ours = with_gradients(|inputs| spread(inputs[0].clone(), inputs[1].clone()), &shapes);
        let member =
            |inputs: &[Tensor<2>], m: usize| inputs[0].clone() * inputs[1].clone().slice([m..m + 1, 0..4]);
        let theirs = |inputs: &[Tensor<2>]| Tensor::cat((0..MEMBERS).map(|m| member(inputs, m)).collect(), 0);
        assert_near(&ours, &with_gradients(theirs, &shapes));
    }

    #[test]
    fn heads_are_a_layer_for_each_member() {
        for outputs in [1, 3] {
            let shapes = [[MEMBERS * ROWS, 4], [MEMBERS * 4, outputs], [MEMBERS, outputs]];
            let ours = |inputs: &[Tensor<2>]| heads(inputs[0].clone(), inputs[1].clone(), inputs[2].clone());
            let member = |inputs: &[Tensor<2>], m: usize| {
                let hidden = inputs[0].clone().slice([m * ROWS..(m + 1) * ROWS, 0..4]);
                let weight = inputs[1].clone().slice([4 * m..4 * (m + 1), 0..outputs]);
                hidden.matmul(weight) + inputs[2].clone().slice([m..m + 1, 0..outputs])
            };
            let theirs =
                |inputs: &[Tensor<2>]| Tensor::cat((0..MEMBERS).map(|m| member(inputs, m)).collect(), 0);
            assert_near(&with_gradients(ours, &shapes), &with_gradients(theirs, &shapes));
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let work = || {
            let wide =
                with_gradients(|inputs| spread(inputs[0].clone(), inputs[1].clone()), &[[70, 40], [8, 40]]);
            let shapes = [[8 * 70, 40], [8 * 40, 3], [8, 3]];
            let ours = |inputs: &[Tensor<2>]| heads(inputs[0].clone(), inputs[1].clone(), inputs[2].clone());
            (wide, with_gradients(ours, &shapes))
        };
        let one = Run::new(0, 1).unwrap().compute(work);
        assert_eq!(one, Run::new(0, 2).unwrap().compute(work));
    }
}
