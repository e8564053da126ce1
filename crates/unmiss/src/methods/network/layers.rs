//! The network: the front, hidden layers, one output layer. Forward for training and for prediction.
//!
//! Letters: B rows of a batch, F width of the front, H width of a hidden layer, O outputs.

use std::sync::Arc;

use burn::Tensor;

use super::Settings;
use crate::encode::{Encoded, Encoder, Task};
use crate::error::Result;
use crate::nn::front::{FRONT_PARAMETERS, Front};
use crate::nn::sparsity::{Dropout, dropout};
use crate::nn::train::Moment;
use crate::nn::{Activation, Parameters, dense, dense_forward};
use crate::rng::Stream;
use crate::store::Arrays;

/// Bias learning rate against that of the weights.
const BIAS_RATE: f32 = 0.1;

/// The layout: everything but the weights.
#[derive(Debug, Clone)]
pub struct Network {
    front: Arc<Front>,
    layers: usize,
    width: usize,
    outputs: usize,
    activation: Activation,
    dropout: f64,
}

impl Network {
    /// The layout for an encoder's columns, a task and settings.
    pub fn new(encoder: &Encoder, task: Task, settings: &Settings, k: Option<f32>) -> Self {
        let codes: Vec<usize> = encoder.categories.iter().map(|feature| feature.codes()).collect();
        let front = Front::new(encoder.numbers.len(), &codes, k, settings.guess);
        let activation = match task {
            Task::Regression => Activation::Mish,
            Task::Classification { .. } => Activation::Selu,
        };
        Self {
            front: Arc::new(front),
            layers: settings.layers,
            width: settings.width,
            outputs: task.outputs(),
            activation,
            dropout: settings.dropout,
        }
    }

    /// Inputs and outputs of every layer behind the front.
    fn shapes(&self) -> impl Iterator<Item = (usize, usize)> {
        let (layers, front) = (self.layers, self.front.width());
        (0..=layers).map(move |layer| {
            let inputs = if layer == 0 { front } else { self.width };
            (inputs, if layer == layers { self.outputs } else { self.width })
        })
    }

    /// Compares the layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> Result<()> {
        for (layer, (inputs, outputs)) in self.shapes().enumerate() {
            arrays.singles(&format!("layer {layer}/weight"), &[inputs, outputs])?;
        }
        Ok(())
    }

    /// Weights with their first values: normal, with variance 1 / inputs. A layer's learning rate is divided
    /// by the root of its inputs, as if the weights were standard normal and scaled in the forward pass.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "network weights", 0, 0);
        self.front.add_parameters(&mut parameters, &mut stream);
        for (layer, (inputs, outputs)) in self.shapes().enumerate() {
            let last = layer == self.layers;
            let scale = 1.0 / (inputs as f64).sqrt();
            // The output layer starts at 0: the first prediction is the mean.
            let deviation = if last { 0.0 } else { scale };
            let draw = || (stream.normal() * deviation) as f32;
            let weight = parameters.add(format!("layer {layer}/weight"), inputs, outputs, draw);
            parameters[weight].rate = scale as f32;
            let bias = parameters.add(format!("layer {layer}/bias"), 1, outputs, || 0.0);
            parameters[bias].rate = BIAS_RATE;
        }
        parameters
    }

    /// Scores `[B, O]` of a batch, with gradients and dropout.
    pub fn forward(&self, rows: Encoded, parameters: &[Tensor<2>], moment: &Moment) -> Tensor<2> {
        let (front, layers) = parameters.split_at(FRONT_PARAMETERS);
        let mut hidden = self.front.forward(rows, front); // [B, F]
        // The share of units dropped falls with the learning rate, over the second half of training.
        let fade = if moment.share < 0.5 {
            1.0
        } else {
            (1.0 + (2.0 * (moment.share - 0.5) * std::f64::consts::PI).cos()) / 2.0
        };
        let share = self.dropout * fade;
        for (layer, pair) in layers.chunks_exact(2).enumerate() {
            let last = layer == self.layers;
            let activation = if last { Activation::Identity } else { self.activation };
            hidden = dense(hidden, pair[0].clone(), pair[1].clone(), activation); // [B, H], at last [B, O]
            if !last && share > 0.0 {
                let mut stream = Stream::new(moment.seed, "dropout", moment.step, layer as u64);
                hidden = dropout(hidden, share, Dropout::Normalized, &mut stream);
            }
        }
        hidden
    }

    /// Scores `[rows, O]` of rows, for prediction.
    pub fn infer(&self, rows: &Encoded, parameters: &Parameters) -> Vec<f32> {
        let (mut hidden, mut next) = (Vec::new(), Vec::new());
        self.front.infer(rows, parameters, 0, &mut hidden);
        for layer in 0..=self.layers {
            let (weight, bias) = (FRONT_PARAMETERS + 2 * layer, FRONT_PARAMETERS + 2 * layer + 1);
            let activation = if layer == self.layers { Activation::Identity } else { self.activation };
            let (weight, bias) = (parameters[weight].matrix(), &parameters[bias].values);
            dense_forward(&hidden, rows.rows, weight, bias, activation, &mut next);
            std::mem::swap(&mut hidden, &mut next);
        }
        hidden
    }
}
