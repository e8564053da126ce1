//! The network: the front, hidden layers that the members share, an output layer for each member.
//!
//! Letters: B rows of a batch, M members, F width of the front, H width of a hidden layer, O outputs.

use std::sync::Arc;

use super::Settings;
use crate::encode::{Encoded, Encoder, Task};
use crate::error::Result;
use crate::nn::front::{FRONT_PARAMETERS, Front};
use crate::nn::sparsity::Dropout;
use crate::nn::{Activation, Cells, Engine, Parameters};
use crate::rng::Stream;
use crate::store::Arrays;

/// Activation of the hidden layers.
const ACTIVATION: Activation = Activation::Relu;
/// Where the members' factors stand among the parameters, and the first hidden layer.
const FACTORS: usize = FRONT_PARAMETERS;
const LAYERS: usize = FACTORS + 1;

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

    /// Scores `[M B, O]` of a batch, member by member.
    pub fn forward<E: Engine>(&self, engine: &mut E, cells: Cells<'_>) -> E::Value {
        let front = engine.front(&self.front, cells, 0); // [B, F]
        engine.members(front, FACTORS, |engine, mut hidden| {
            for layer in 0..self.layers {
                hidden = engine.dense(hidden, LAYERS + 2 * layer, ACTIVATION); // [M B, H]
                hidden = engine.dropout(hidden, self.dropout, Dropout::Normalized, ("dropout", layer));
            }
            engine.heads(hidden, LAYERS + 2 * self.layers) // [M B, O]
        })
    }
}

impl<'a> From<&'a Encoded> for Cells<'a> {
    fn from(rows: &'a Encoded) -> Self {
        Cells {
            rows: rows.rows,
            numbers: (&rows.numbers).into(),
            numbers_observed: (&rows.numbers_observed).into(),
            codes: (&rows.codes).into(),
            codes_observed: (&rows.codes_observed).into(),
        }
    }
}

impl From<Encoded> for Cells<'static> {
    fn from(rows: Encoded) -> Self {
        Cells {
            rows: rows.rows,
            numbers: rows.numbers.into(),
            numbers_observed: rows.numbers_observed.into(),
            codes: rows.codes.into(),
            codes_observed: rows.codes_observed.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::engine::tests::assert_agree;

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        let rows = Encoded {
            rows: 3,
            numbers: vec![0.5, -1.2, 0.3, 0.7, -0.4, 2.0],
            numbers_observed: vec![true, false, true, true, false, false],
            codes: vec![1, 0, 2],
            codes_observed: vec![true, false, true],
        };
        for (layers, members, normalization) in [(2, 3, None), (1, 1, Some(2.0)), (0, 2, None)] {
            let front = Arc::new(Front::new(2, &[3], normalization, true));
            let task = Task::Classification { classes: 2 };
            let network = Network { front, layers, width: 7, members, task, dropout: 0.0 };
            let mut parameters = network.parameters(1);
            // Output layers start at 0: away from there, so that there is something to compare.
            let mut stream = Stream::new(2, "moved", 0, 0);
            let values = parameters.iter_mut().flat_map(|parameter| &mut parameter.values);
            values.for_each(|value| *value += 0.3 * stream.normal() as f32);
            assert_agree!(&parameters, 3 * members * 2, |engine| network.forward(engine, Cells::from(&rows)));
        }
    }
}
