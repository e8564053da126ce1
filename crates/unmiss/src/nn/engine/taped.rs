//! The engine of training: Burn tensors on the tape, so that gradients can be had.

use std::ops::Range;
use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;

use super::Engine;
use crate::nn::activate::activate;
use crate::nn::activation::Activation;
use crate::nn::batch_norm::batch_norm;
use crate::nn::cells::Cells;
use crate::nn::convolution::{Convolution, Shape};
use crate::nn::dense::dense;
use crate::nn::expected_activation::expected_convolution;
use crate::nn::front::Front;
use crate::nn::lent::Lent;
use crate::nn::masked_dense::Connections;
use crate::nn::members::{heads, spread};
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::neumann::Block;
use crate::nn::partial_convolution::partial_convolution;
use crate::nn::pool::{Pool, pool};
use crate::nn::recurrent::{Give, Recurrent, Steps};
use crate::nn::sparsity::{Dropout, dropout, normalize_hidden};
use crate::nn::sparsity_convolution::sparsity_convolution;
use crate::nn::tape::{into_values, training_device};
use crate::nn::train::Moment;
use crate::nn::windows::Observed;
use crate::rng::Stream;

/// Records the operations, all members at once.
pub struct Taped<'a> {
    parameters: &'a Lent,
    moment: &'a Moment,
}

impl<'a> Taped<'a> {
    /// With the weights of a step and its moment.
    pub fn new(parameters: &'a Lent, moment: &'a Moment) -> Self {
        Self { parameters, moment }
    }
}

impl Engine for Taped<'_> {
    type Value = Tensor<2>;

    fn moment(&self) -> Option<&Moment> {
        Some(self.moment)
    }

    fn input(&mut self, values: Vec<f32>, rows: usize) -> Tensor<2> {
        let width = values.len() / rows.max(1);
        Tensor::from_data(TensorData::new(values, [rows, width]), &training_device())
    }

    fn front(&mut self, front: &Arc<Front>, cells: Cells<'_>, first: usize) -> Tensor<2> {
        front.forward(cells, self.parameters, first)
    }

    fn neumann(&mut self, block: &Arc<Block>, cells: Cells<'_>, first: usize) -> Tensor<2> {
        block.forward(&cells, self.parameters, first)
    }

    fn dense(&mut self, input: Tensor<2>, weight: usize, activation: Activation) -> Tensor<2> {
        dense(input, self.parameters.tensor(weight), self.parameters.tensor(weight + 1), activation)
    }

    fn linear(&mut self, input: Tensor<2>, weight: usize) -> Tensor<2> {
        input.matmul(self.parameters.tensor(weight))
    }

    fn masked_dense(
        &mut self,
        input: Tensor<2>,
        weight: usize,
        mask: &Connections,
        scale: Option<Vec<f32>>,
        activation: Activation,
    ) -> Tensor<2> {
        let rows = input.dims()[0];
        let mut sums = input.matmul(mask.masked_tensor(self.parameters.tensor(weight)));
        if let Some(scale) = scale {
            sums = sums * self.input(scale, rows);
        }
        activate(sums + self.parameters.tensor(weight + 1), activation)
    }

    fn add(&mut self, left: Tensor<2>, right: Tensor<2>) -> Tensor<2> {
        left + right
    }

    fn times(&mut self, left: Tensor<2>, right: Tensor<2>) -> Tensor<2> {
        left * right
    }

    fn beside(&mut self, left: Tensor<2>, right: Tensor<2>) -> Tensor<2> {
        Tensor::cat(vec![left, right], 1)
    }

    fn members(
        &mut self,
        input: Tensor<2>,
        factors: usize,
        inside: impl Fn(&mut Self, Tensor<2>) -> Tensor<2>,
    ) -> Tensor<2> {
        let views = spread(input, self.parameters.tensor(factors));
        inside(self, views)
    }

    fn heads(&mut self, hidden: Tensor<2>, weight: usize) -> Tensor<2> {
        heads(hidden, self.parameters.tensor(weight), self.parameters.tensor(weight + 1))
    }

    fn dropout(
        &mut self,
        hidden: Tensor<2>,
        share: f64,
        kind: Dropout,
        (purpose, number): (&str, usize),
    ) -> Tensor<2> {
        if share == 0.0 {
            return hidden;
        }
        let mut stream = Stream::new(self.moment.seed, purpose, self.moment.step, number as u64);
        dropout(hidden, share, kind, &mut stream)
    }

    fn recurrent(
        &mut self,
        input: Tensor<2>,
        decay: Option<Tensor<2>>,
        layer: &Arc<Recurrent>,
        steps: &Arc<Steps>,
        first: usize,
        give: Give,
    ) -> Tensor<2> {
        layer.forward_taped(input, decay, steps, (self.parameters, first), give)
    }

    fn convolution(
        &mut self,
        input: Tensor<2>,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> Tensor<2> {
        let (weight, bias) = (self.parameters.tensor(weight), self.parameters.tensor(weight + 1));
        if activation == Activation::Relu {
            return layer.forward(input, weight, bias, true);
        }
        activate(layer.forward(input, weight, bias, false), activation)
    }

    fn normalised_convolution(
        &mut self,
        input: Tensor<2>,
        layer: &Arc<Convolution>,
        weight: usize,
    ) -> Tensor<2> {
        layer.forward_normalised(input, self.parameters, weight)
    }

    fn sparsity_convolution(
        &mut self,
        input: Tensor<2>,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        k: f32,
        activation: Activation,
    ) -> Tensor<2> {
        let arrays = (input, self.parameters.tensor(weight), self.parameters.tensor(weight + 1));
        let relu = activation == Activation::Relu;
        let output = sparsity_convolution(layer, arrays, observed.clone(), k, relu);
        if relu { output } else { activate(output, activation) }
    }

    fn partial_convolution(
        &mut self,
        input: Tensor<2>,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> (Tensor<2>, Observed<'static>) {
        let arrays = (input, self.parameters.tensor(weight), self.parameters.tensor(weight + 1));
        let relu = activation == Activation::Relu;
        let (output, next) = partial_convolution(layer, arrays, observed.clone(), relu);
        (if relu { output } else { activate(output, activation) }, next)
    }

    fn expected_convolution(
        &mut self,
        images: Vec<f32>,
        observed: &Observed<'_>,
        mixture: (Mixture<Tensor<2>>, MixtureSize),
        layer: &Arc<Convolution>,
        weight: usize,
    ) -> Tensor<2> {
        let arrays = (self.parameters.tensor(weight), self.parameters.tensor(weight + 1));
        expected_convolution(layer, images, observed.clone(), mixture, arrays)
    }

    fn batch_norm(&mut self, images: Tensor<2>, first: usize) -> Tensor<2> {
        batch_norm(images, self.parameters, first)
    }

    fn pool(&mut self, images: Tensor<2>, shape: Shape, kind: Pool) -> Tensor<2> {
        pool(images, shape, kind)
    }

    fn activate(&mut self, input: Tensor<2>, activation: Activation) -> Tensor<2> {
        activate(input, activation)
    }

    fn scale_shift(&mut self, input: Tensor<2>, factor: f32, shift: f32) -> Tensor<2> {
        input * factor + shift
    }

    fn columns(&mut self, input: Tensor<2>, columns: Range<usize>) -> Tensor<2> {
        let rows = input.dims()[0];
        input.slice([0..rows, columns])
    }

    fn active(&self, value: &Tensor<2>) -> Vec<bool> {
        into_values(value.clone().detach()).iter().map(|value| *value != 0.0).collect()
    }

    fn normalize_hidden(&mut self, hidden: Tensor<2>, k: f32) -> Tensor<2> {
        normalize_hidden(hidden, k)
    }
}
