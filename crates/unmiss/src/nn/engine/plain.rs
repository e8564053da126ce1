//! The engine of prediction: plain buffers, used again as soon as nobody reads them.
//!
//! What it gives for a row has the same bits whatever other rows are there.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::Engine;
use crate::nn::activate::apply;
use crate::nn::activation::Activation;
use crate::nn::batch_norm::batch_norm_infer;
use crate::nn::cells::Cells;
use crate::nn::convolution::{Convolution, Shape};
use crate::nn::dense::dense_forward;
use crate::nn::expected_activation::expected_convolution_infer;
use crate::nn::front::Front;
use crate::nn::masked_dense::Connections;
use crate::nn::members::scaled;
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::neumann::Block;
use crate::nn::parameters::Parameters;
use crate::nn::partial_convolution::partial_convolution_infer;
use crate::nn::pool::Pool;
use crate::nn::product::Matrix;
use crate::nn::recurrent::{Give, Recurrent, Steps, Weights};
use crate::nn::sparsity::{Dropout, normalize_row};
use crate::nn::sparsity_convolution::sparsity_convolution_infer;
use crate::nn::train::Moment;
use crate::nn::windows::Observed;

/// Rows of numbers, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    values: Rc<Vec<f32>>,
    rows: usize,
}

impl Rows {
    /// The numbers.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The numbers, to be kept.
    pub fn into_values(self) -> Vec<f32> {
        Rc::unwrap_or_clone(self.values)
    }

    /// The buffer, to be written to: copied only if somebody else reads it.
    fn buffer(&mut self) -> &mut Vec<f32> {
        Rc::make_mut(&mut self.values)
    }
}

/// Does the operations at once, one member after the other, as a member's rows then stay in the cache.
pub struct Plain<'a> {
    parameters: &'a Parameters,
    /// The member under way, and how many there are.
    member: (usize, usize),
    /// Buffers that nobody reads.
    free: Vec<Rows>,
}

impl<'a> Plain<'a> {
    /// With these weights.
    pub fn new(parameters: &'a Parameters) -> Self {
        Self { parameters, member: (0, 1), free: Vec::new() }
    }

    /// Goes on with other weights and the same buffers.
    pub fn switch_to(&mut self, parameters: &'a Parameters) {
        self.parameters = parameters;
    }

    /// Takes a value back that is no longer read, for the sake of its buffer.
    pub fn recycle(&mut self, value: Rows) {
        if Rc::strong_count(&value.values) == 1 {
            self.free.push(value);
        }
    }

    fn fresh(&mut self, rows: usize) -> Rows {
        Rows { rows, ..self.free.pop().unwrap_or_default() }
    }

    /// The part of a parameter that is the member's own.
    fn own(&self, index: usize) -> &'a [f32] {
        let (member, members) = self.member;
        let values = &self.parameters[index].values;
        let length = values.len() / members;
        &values[member * length..(member + 1) * length]
    }

    fn layer(&mut self, input: Rows, weight: Matrix<'_>, bias: &[f32], activation: Activation) -> Rows {
        let mut output = self.fresh(input.rows);
        dense_forward(&input.values, input.rows, weight, bias, activation, output.buffer());
        self.recycle(input);
        output
    }
}

impl Engine for Plain<'_> {
    type Value = Rows;

    fn moment(&self) -> Option<&Moment> {
        None
    }

    fn input(&mut self, values: Vec<f32>, rows: usize) -> Rows {
        Rows { values: Rc::new(values), rows }
    }

    fn front(&mut self, front: &Arc<Front>, cells: Cells<'_>, first: usize) -> Rows {
        let mut output = self.fresh(cells.rows);
        front.infer(&cells, self.parameters, first, output.buffer());
        output
    }

    fn neumann(&mut self, block: &Arc<Block>, cells: Cells<'_>, first: usize) -> Rows {
        let mut output = self.fresh(cells.rows);
        block.infer(&cells, self.parameters, first, output.buffer());
        output
    }

    fn dense(&mut self, input: Rows, weight: usize, activation: Activation) -> Rows {
        let (weight, bias) = (&self.parameters[weight], &self.parameters[weight + 1]);
        self.layer(input, weight.matrix(), &bias.values, activation)
    }

    fn linear(&mut self, input: Rows, weight: usize) -> Rows {
        let weight = self.parameters[weight].matrix();
        self.layer(input, weight, &vec![0.0; weight.columns()], Activation::Identity)
    }

    fn masked_dense(
        &mut self,
        input: Rows,
        weight: usize,
        mask: &Connections,
        scale: Option<Vec<f32>>,
        activation: Activation,
    ) -> Rows {
        let (own, bias) = (&self.parameters[weight], &self.parameters[weight + 1].values);
        let masked = mask.masked(&own.values);
        let matrix = Matrix::new(&masked, own.shape[0], own.shape[1]);
        let Some(scale) = scale else { return self.layer(input, matrix, bias, activation) };
        let mut sums = self.layer(input, matrix, &vec![0.0; bias.len()], Activation::Identity);
        let rows =
            sums.buffer().chunks_exact_mut(bias.len().max(1)).zip(scale.chunks_exact(bias.len().max(1)));
        for (row, scale) in rows {
            row.iter_mut().zip(scale).zip(bias).for_each(|((sum, scale), bias)| *sum = *sum * scale + bias);
        }
        self.activate(sums, activation)
    }

    fn add(&mut self, mut left: Rows, right: Rows) -> Rows {
        left.buffer().iter_mut().zip(right.values()).for_each(|(left, right)| *left += right);
        self.recycle(right);
        left
    }

    fn times(&mut self, mut left: Rows, right: Rows) -> Rows {
        left.buffer().iter_mut().zip(right.values()).for_each(|(left, right)| *left *= right);
        self.recycle(right);
        left
    }

    fn beside(&mut self, left: Rows, right: Rows) -> Rows {
        let mut both = self.fresh(left.rows);
        both.buffer().clear();
        let width = |rows: &Rows| rows.values.len() / rows.rows.max(1);
        let (first, second) = (width(&left), width(&right));
        for row in 0..left.rows {
            both.buffer().extend_from_slice(&left.values[row * first..(row + 1) * first]);
            both.buffer().extend_from_slice(&right.values[row * second..(row + 1) * second]);
        }
        self.recycle(left);
        self.recycle(right);
        both
    }

    fn members(&mut self, input: Rows, factors: usize, inside: impl Fn(&mut Self, Rows) -> Rows) -> Rows {
        let members = self.parameters[factors].shape[0];
        let mut said = self.fresh(members * input.rows);
        said.buffer().clear();
        for member in 0..members {
            self.member = (member, members);
            let mut view = self.fresh(input.rows);
            view.buffer().resize(input.values.len(), 0.0);
            scaled(&input.values, self.own(factors), view.buffer());
            let answer = inside(self, view);
            said.buffer().extend_from_slice(answer.values());
            self.recycle(answer);
        }
        self.member = (0, 1);
        self.recycle(input);
        said
    }

    fn heads(&mut self, hidden: Rows, weight: usize) -> Rows {
        let shape = &self.parameters[weight].shape;
        let matrix = Matrix::new(self.own(weight), shape[0] / self.member.1, shape[1]);
        self.layer(hidden, matrix, self.own(weight + 1), Activation::Identity)
    }

    fn dropout(&mut self, hidden: Rows, _: f64, _: Dropout, _: (&str, usize)) -> Rows {
        hidden
    }

    fn recurrent(
        &mut self,
        input: Rows,
        decay: Option<Rows>,
        layer: &Arc<Recurrent>,
        steps: &Arc<Steps>,
        first: usize,
        give: Give,
    ) -> Rows {
        let array = |index: usize| self.parameters[first + index].values.as_slice();
        let weights = Weights { input: array(0), state: array(1), bias: array(2) };
        let mut output = self.fresh(if give == Give::Last { steps.series() } else { steps.rows() });
        let batch = (steps.as_ref(), input.values(), decay.as_ref().map(Rows::values));
        layer.infer(batch, weights, give, output.buffer());
        decay.into_iter().chain([input]).for_each(|own| self.recycle(own));
        output
    }

    fn convolution(
        &mut self,
        input: Rows,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> Rows {
        let (weight, bias) = (&self.parameters[weight].values, &self.parameters[weight + 1].values);
        let mut output = self.fresh(input.rows);
        layer.infer(&input.values, weight, Some(bias), activation == Activation::Relu, output.buffer());
        self.recycle(input);
        if activation == Activation::Relu { output } else { self.activate(output, activation) }
    }

    fn normalised_convolution(&mut self, input: Rows, layer: &Arc<Convolution>, weight: usize) -> Rows {
        let images = self.convolution(input, layer, weight, Activation::Relu);
        self.batch_norm(images, weight + 2)
    }

    fn sparsity_convolution(
        &mut self,
        input: Rows,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        k: f32,
        activation: Activation,
    ) -> Rows {
        let (weight, bias) = (&self.parameters[weight].values, &self.parameters[weight + 1].values);
        let mut output = self.fresh(input.rows);
        let arrays = (input.values(), weight.as_slice(), bias.as_slice());
        sparsity_convolution_infer(layer, arrays, observed, k, false, output.buffer());
        self.recycle(input);
        self.activate(output, activation)
    }

    fn partial_convolution(
        &mut self,
        input: Rows,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> (Rows, Observed<'static>) {
        let (weight, bias) = (&self.parameters[weight].values, &self.parameters[weight + 1].values);
        let mut output = self.fresh(input.rows);
        let arrays = (input.values(), weight.as_slice(), bias.as_slice());
        let next = partial_convolution_infer(layer, arrays, observed, false, output.buffer());
        self.recycle(input);
        (self.activate(output, activation), next)
    }

    fn expected_convolution(
        &mut self,
        images: Vec<f32>,
        observed: &Observed<'_>,
        (mixture, size): (Mixture<Rows>, MixtureSize),
        layer: &Arc<Convolution>,
        weight: usize,
    ) -> Rows {
        let (weight, bias) = (&self.parameters[weight].values, &self.parameters[weight + 1].values);
        let Mixture { scores, mean, factors, diagonal } = mixture;
        let mut output = self.fresh(scores.rows);
        let slices = Mixture {
            scores: scores.values(),
            mean: mean.values(),
            factors: factors.values(),
            diagonal: diagonal.values(),
        };
        let arrays = (images.as_slice(), weight.as_slice(), bias.as_slice());
        expected_convolution_infer(layer, arrays, observed, (slices, size), output.buffer());
        [scores, mean, factors, diagonal].into_iter().for_each(|own| self.recycle(own));
        output
    }

    fn batch_norm(&mut self, mut images: Rows, first: usize) -> Rows {
        let rows = images.rows;
        batch_norm_infer(images.buffer(), rows, self.parameters, first);
        images
    }

    fn pool(&mut self, images: Rows, shape: Shape, kind: Pool) -> Rows {
        let mut output = self.fresh(images.rows);
        kind.infer(&images.values, shape, output.buffer());
        self.recycle(images);
        output
    }

    fn activate(&mut self, mut input: Rows, activation: Activation) -> Rows {
        apply(activation, input.buffer());
        input
    }

    fn scale_shift(&mut self, mut input: Rows, factor: f32, shift: f32) -> Rows {
        input.buffer().iter_mut().for_each(|value| *value = *value * factor + shift);
        input
    }

    fn columns(&mut self, input: Rows, columns: Range<usize>) -> Rows {
        let width = input.values.len() / input.rows.max(1);
        let mut output = self.fresh(input.rows);
        output.buffer().clear();
        for row in input.values.chunks_exact(width.max(1)) {
            output.buffer().extend_from_slice(&row[columns.clone()]);
        }
        self.recycle(input);
        output
    }

    fn active(&self, value: &Rows) -> Vec<bool> {
        value.values().iter().map(|value| *value != 0.0).collect()
    }

    fn normalize_hidden(&mut self, mut hidden: Rows, k: f32) -> Rows {
        let units = hidden.values.len() / hidden.rows.max(1);
        hidden.buffer().chunks_exact_mut(units.max(1)).for_each(|row| normalize_row(row, k));
        hidden
    }
}
