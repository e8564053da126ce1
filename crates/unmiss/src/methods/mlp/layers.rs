//! The perceptron: dense layers with ReLU, optional dropout and hidden normalisation. Letters: B rows of a
//! batch, H units of a hidden layer, O outputs.

use burn::Tensor;
use burn::tensor::TensorData;

use super::{DecayOn, Settings};
use crate::encode::{Design, Encoded, Task};
use crate::error::Result;
use crate::nn::sparsity::{dropout, input_factor, normalize_hidden};
use crate::nn::supervised::{Scorer, predictions};
use crate::nn::train::Moment;
use crate::nn::{Activation, Lent, Parameters, dense, dense_forward, training_device};
use crate::rng::Stream;
use crate::store::Arrays;

/// The layout: everything but the weights.
pub struct Perceptron {
    /// How a row of inputs is built.
    pub design: Design,
    settings: Settings,
    /// Width of every layer, from the inputs to the outputs.
    widths: Vec<usize>,
}

impl Perceptron {
    /// The layout for a design, settings and a number of outputs.
    pub fn new(design: Design, settings: &Settings, outputs: usize) -> Self {
        let mut widths = vec![design.inputs()];
        widths.extend(&settings.hidden);
        widths.push(outputs);
        Self { design, settings: settings.clone(), widths }
    }

    fn layers(&self) -> usize {
        self.widths.len() - 1
    }

    /// Compares the layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> Result<()> {
        for (layer, pair) in self.widths.windows(2).enumerate() {
            arrays.singles(&format!("layer {layer}/weight"), pair)?;
        }
        Ok(())
    }

    /// Weights with their first values: uniform in ±sqrt(6 / inputs) (He), biases 0.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "perceptron weights", 0, 0);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let bound = (6.0 / pair[0].max(1) as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            let weight = parameters.add_dense(&format!("layer {layer}"), pair[0], pair[1], draw);
            parameters[weight].decay = layer > 0 || self.settings.decay_on == DecayOn::All;
        }
        parameters
    }

    fn activation(&self, layer: usize) -> Activation {
        if layer + 1 == self.layers() { Activation::Identity } else { self.settings.activation }
    }

    /// Scores `[B, O]` of a batch of inputs, with gradients and dropout.
    pub fn forward(&self, inputs: Tensor<2>, parameters: &Lent, moment: &Moment) -> Tensor<2> {
        let mut hidden = inputs;
        for layer in 0..self.layers() {
            let (weight, bias) = (parameters.tensor(2 * layer), parameters.tensor(2 * layer + 1));
            hidden = dense(hidden, weight, bias, self.activation(layer)); // [B, H]
            if layer + 1 == self.layers() {
                break;
            }
            if self.settings.normalize_hidden {
                hidden = normalize_hidden(hidden, self.widths[layer + 1] as f32);
            }
            if self.settings.dropout > 0.0 {
                let mut stream = Stream::new(moment.seed, "dropout", moment.step, layer as u64);
                hidden = dropout(hidden, self.settings.dropout, self.settings.dropout_kind, &mut stream);
            }
        }
        hidden
    }

    /// Scores `[rows, O]`, for prediction.
    pub fn infer(&self, inputs: Vec<f32>, rows: usize, parameters: &Parameters) -> Vec<f32> {
        let (mut hidden, mut next) = (inputs, Vec::new());
        for layer in 0..self.layers() {
            let (weight, bias) = (parameters[2 * layer].matrix(), &parameters[2 * layer + 1].values);
            dense_forward(&hidden, rows, weight, bias, self.activation(layer), &mut next);
            std::mem::swap(&mut hidden, &mut next);
            if self.settings.normalize_hidden && layer + 1 < self.layers() {
                let units = self.widths[layer + 1];
                for row in hidden.chunks_exact_mut(units) {
                    let active = row.iter().filter(|value| **value != 0.0).count();
                    let factor = input_factor(units as f32, active);
                    row.iter_mut().for_each(|value| *value *= factor);
                }
            }
        }
        hidden
    }
}

/// The perceptron and the training rows.
pub struct Held<'a> {
    /// The layout.
    pub perceptron: &'a Perceptron,
    /// The rows.
    pub rows: &'a Encoded,
    /// What is predicted.
    pub task: Task,
}

impl Scorer for Held<'_> {
    fn forward(&self, rows: &[usize], parameters: &Lent, moment: &Moment) -> Tensor<2> {
        let design = &self.perceptron.design;
        let inputs = TensorData::new(design.dense(self.rows, rows), [rows.len(), design.inputs()]);
        self.perceptron.forward(Tensor::from_data(inputs, &training_device()), parameters, moment)
    }

    fn predict(&self, rows: &[usize], parameters: &Parameters) -> Vec<f64> {
        let inputs = self.perceptron.design.dense(self.rows, rows);
        predictions(&self.perceptron.infer(inputs, rows.len(), parameters), self.task)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}
