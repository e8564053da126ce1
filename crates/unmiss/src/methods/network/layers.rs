//! The network: the front, hidden layers that the members share, an output layer for each member. Forward for
//! training and for prediction.
//!
//! Letters: B rows of a batch, M members, F width of the front, H width of a hidden layer, O outputs.

use std::sync::Arc;

use burn::Tensor;

use super::Settings;
use crate::encode::{Encoded, Encoder, Task};
use crate::error::Result;
use crate::nn::front::{FRONT_PARAMETERS, Front};
use crate::nn::members::{heads, scaled, spread};
use crate::nn::product::Matrix;
use crate::nn::sparsity::{Dropout, dropout};
use crate::nn::supervised::predictions;
use crate::nn::train::Moment;
use crate::nn::{Activation, Lent, Parameters, dense, dense_forward};
use crate::rng::Stream;
use crate::store::Arrays;

/// Activation of the hidden layers.
const ACTIVATION: Activation = Activation::Relu;

/// The layout: everything but the weights.
#[derive(Debug, Clone)]
pub struct Network {
    front: Arc<Front>,
    layers: usize,
    width: usize,
    members: usize,
    task: Task,
    dropout: f64,
}

impl Network {
    /// The layout for an encoder's columns, a task and settings.
    pub fn new(encoder: &Encoder, task: Task, settings: &Settings, k: Option<f32>) -> Self {
        let codes: Vec<usize> = encoder.categories.iter().map(|feature| feature.codes()).collect();
        let front = Front::new(encoder.numbers.len(), &codes, k, settings.guess);
        Self {
            front: Arc::new(front),
            layers: settings.layers,
            width: settings.width,
            members: settings.members,
            task,
            dropout: settings.dropout,
        }
    }

    /// How many members share the hidden layers.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Inputs and outputs of every hidden layer.
    fn shapes(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.layers).map(|layer| (if layer == 0 { self.front.width() } else { self.width }, self.width))
    }

    /// Inputs of the output layers.
    fn last_width(&self) -> usize {
        if self.layers == 0 { self.front.width() } else { self.width }
    }

    /// Compares the layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> Result<()> {
        for (layer, (inputs, outputs)) in self.shapes().enumerate() {
            arrays.singles(&format!("layer {layer}/weight"), &[inputs, outputs])?;
        }
        arrays.singles("members/factors", &[self.members, self.front.width()])?;
        arrays.singles("heads/weight", &[self.members * self.last_width(), self.task.outputs()])?;
        Ok(())
    }

    /// Weights with their first values: normal, with variance 1 / inputs.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "network weights", 0, 0);
        self.front.add_parameters(&mut parameters, &mut stream);
        let mut factors = self.factors(&mut stream).into_iter();
        let index = parameters
            .add("members/factors", [self.members, self.front.width()], || factors.next().unwrap_or(1.0));
        parameters[index].decay = false;
        for (layer, (inputs, outputs)) in self.shapes().enumerate() {
            let deviation = 1.0 / (inputs.max(1) as f64).sqrt();
            let draw = || (stream.normal() * deviation) as f32;
            parameters.add_dense(&format!("layer {layer}"), inputs, outputs, draw);
        }
        // The output layers start at 0: the first prediction is the mean.
        let outputs = self.task.outputs();
        parameters.add("heads/weight", [self.members * self.last_width(), outputs], || 0.0);
        let bias = parameters.add("heads/bias", [self.members, outputs], || 0.0);
        parameters[bias].decay = false;
        parameters
    }

    /// `[M, F]`: what each member makes of each input at first, one number for all coordinates of a token.
    /// A member alone sees the inputs as they are.
    fn factors(&self, stream: &mut Stream) -> Vec<f32> {
        if self.members == 1 {
            return vec![1.0; self.front.width()];
        }
        let tokens: Vec<usize> = self.front.tokens().collect();
        let places = (0..self.members).flat_map(|_| &tokens);
        places.flat_map(|&width| std::iter::repeat_n(stream.normal() as f32, width)).collect()
    }

    /// Scores `[M B, O]` of a batch, with gradients and dropout.
    pub fn forward(&self, rows: Encoded, parameters: &Lent, moment: &Moment) -> Tensor<2> {
        let first = FRONT_PARAMETERS + 1;
        let front = self.front.forward(rows, parameters, 0);
        let mut hidden = spread(front, parameters.tensor(FRONT_PARAMETERS)); // [M B, F]
        for layer in 0..self.layers {
            let weight = first + 2 * layer;
            let (weight, bias) = (parameters.tensor(weight), parameters.tensor(weight + 1));
            hidden = dense(hidden, weight, bias, ACTIVATION); // [M B, H]
            if self.dropout > 0.0 {
                let mut stream = Stream::new(moment.seed, "dropout", moment.step, layer as u64);
                hidden = dropout(hidden, self.dropout, Dropout::Normalized, &mut stream);
            }
        }
        let last = first + 2 * self.layers;
        heads(hidden, parameters.tensor(last), parameters.tensor(last + 1))
    }

    /// Predictions `[rows, O]`, members averaged.
    pub fn predict(&self, rows: &Encoded, parameters: &Parameters) -> Vec<f64> {
        let outputs = self.task.outputs();
        let mut front = Vec::new();
        self.front.infer(rows, parameters, 0, &mut front);
        let (mut hidden, mut next) = (Vec::new(), Vec::new());
        let mut sum = vec![0.0; rows.rows * outputs];
        for member in 0..self.members {
            let own = |index: usize| {
                let parameter = &parameters[index];
                let length = parameter.values.len() / self.members;
                &parameter.values[member * length..(member + 1) * length]
            };
            hidden.resize(front.len(), 0.0);
            scaled(&front, own(FRONT_PARAMETERS), &mut hidden);
            for layer in 0..self.layers {
                let weight = FRONT_PARAMETERS + 1 + 2 * layer;
                let (weight, bias) = (parameters[weight].matrix(), &parameters[weight + 1].values);
                dense_forward(&hidden, rows.rows, weight, bias, ACTIVATION, &mut next);
                std::mem::swap(&mut hidden, &mut next);
            }
            let last = FRONT_PARAMETERS + 1 + 2 * self.layers;
            let weight = Matrix::new(own(last), self.last_width(), outputs);
            dense_forward(&hidden, rows.rows, weight, own(last + 1), Activation::Identity, &mut next);
            sum.iter_mut().zip(predictions(&next, self.task)).for_each(|(sum, value)| *sum += value);
        }
        sum.iter_mut().for_each(|sum| *sum /= self.members as f64);
        sum
    }
}
