//! The perceptron: dense layers with ReLU, optional dropout and hidden normalisation. Letters: B rows of a
//! batch, H units of a hidden layer, O outputs.

use super::{DecayOn, Settings};
use crate::encode::{Design, Encoded};
use crate::error::Result;
use crate::methods::supervised::Scorer;
use crate::nn::{Activation, Engine, Parameters};
use crate::rng::Stream;
use crate::store::Arrays;

/// How the first weights are drawn, each in streams of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Weights uniform in ±sqrt(6 / inputs) (He), biases 0.
    He,
    /// Weights and biases uniform in ±1/sqrt(inputs): the usual start in the tools that published figures come from.
    Usual,
}

impl Start {
    fn bound(self, inputs: f64) -> f64 {
        match self {
            Self::He => (6.0 / inputs).sqrt(),
            Self::Usual => 1.0 / inputs.sqrt(),
        }
    }

    /// The purpose of the stream of first weights.
    fn weights(self) -> &'static str {
        if self == Self::He { "perceptron weights" } else { "bench weights" }
    }

    /// The purpose of the streams of dropout.
    fn dropout(self) -> &'static str {
        if self == Self::He { "dropout" } else { "bench dropout" }
    }
}

/// The layout: everything but the weights.
#[derive(Debug, Clone)]
pub struct Perceptron {
    settings: Settings,
    start: Start,
    /// Width of every layer, from the inputs to the outputs.
    widths: Vec<usize>,
}

impl Perceptron {
    /// The layout for settings and so many inputs and outputs.
    pub fn new(settings: &Settings, inputs: usize, outputs: usize, start: Start) -> Self {
        let mut widths = vec![inputs];
        widths.extend(&settings.hidden);
        widths.push(outputs);
        Self { settings: settings.clone(), start, widths }
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

    /// Weights with their first values.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, self.start.weights(), 0, 0);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let bound = self.start.bound(pair[0].max(1) as f64);
            let mut draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            let weight = parameters.add_dense(&format!("layer {layer}"), pair[0], pair[1], &mut draw);
            parameters[weight].decay = layer > 0 || self.settings.decay_on == DecayOn::All;
            if self.start == Start::Usual {
                parameters[weight + 1].values.fill_with(draw);
            }
        }
        parameters
    }

    fn activation(&self, layer: usize) -> Activation {
        if layer + 1 == self.layers() { Activation::Identity } else { self.settings.activation }
    }

    /// Scores `[B, O]` of a batch of inputs.
    pub fn forward<E: Engine>(&self, engine: &mut E, inputs: E::Value) -> E::Value {
        let Settings { normalize_hidden, dropout, dropout_kind, .. } = &self.settings;
        let mut hidden = inputs;
        for layer in 0..self.layers() {
            hidden = engine.dense(hidden, 2 * layer, self.activation(layer)); // [B, H]
            if layer + 1 == self.layers() {
                break;
            }
            if normalize_hidden.have(layer) {
                hidden = engine.normalize_hidden(hidden, self.widths[layer + 1] as f32);
            }
            hidden = engine.dropout(hidden, *dropout, *dropout_kind, (self.start.dropout(), layer));
        }
        hidden
    }
}

/// The perceptron and the training rows.
pub struct Held<'a> {
    /// The layout.
    pub perceptron: &'a Perceptron,
    /// How a row of inputs is built.
    pub design: &'a Design,
    /// The rows.
    pub rows: &'a Encoded,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let inputs = engine.input(self.design.dense(self.rows, rows), rows.len());
        self.perceptron.forward(engine, inputs)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::mlp::Layers;
    use crate::nn::engine::tests::assert_agree;
    use crate::nn::product::tests::random;

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        let (none, all, second) = (Layers::All(false), Layers::All(true), Layers::Some(vec![2]));
        let forms = [(vec![8, 6], none.clone()), (vec![8, 6], all), (vec![8, 6], second), (vec![], none)];
        for (hidden, normalize_hidden) in forms {
            let settings = Settings { hidden, normalize_hidden, ..Settings::default() };
            for start in [Start::He, Start::Usual] {
                let perceptron = Perceptron::new(&settings, 3, 2, start);
                assert_agree!(&perceptron.parameters(1), 5 * 2, |engine| {
                    let inputs = engine.input(random(5 * 3, "inputs"), 5);
                    perceptron.forward(engine, inputs)
                });
            }
        }
    }
}
