//! Encoder and decoder: a list of layers each, dense ones alone or convolutions before and after them.
//!
//! ```text
//! dense           inputs - h₁ - h₂ - code                       latent - h₂ - h₁ - outputs
//! convolutional   image - down f₁ - down f₂ - h - code          latent - h - dense - up f₁ - up f₁ - conv outputs
//! ```
//!
//! `down` is a 3 x 3 convolution with stride 2, `up` a transposed one of 2 x 2 with stride 2, both with ReLU and batch
//! norm. Dense layers have ReLU, the last of either list nothing.

use std::sync::Arc;

use crate::error::Result;
use crate::nn::{Activation, Convolution, Engine, Parameters, Shape, Window};
use crate::rng::Stream;
use crate::store::Arrays;

/// What the first weights of the last layers are multiplied by: at first all rows are nearly the same to them.
const LAST: f64 = 0.1;

/// What a network is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Units of the dense layers of the encoder; the decoder has them in reverse order.
    pub hidden: Vec<usize>,
    /// Filters of the convolutions; none: dense layers alone.
    pub filters: Vec<usize>,
}

/// How many numbers go in and out.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// The encoder's inputs.
    pub inputs: usize,
    /// What the encoder says of a row.
    pub code: usize,
    /// A latent.
    pub latent: usize,
    /// The decoder's outputs.
    pub outputs: usize,
}

/// A layer and the index of its first array.
enum Layer {
    Dense { first: usize, inputs: usize, outputs: usize, activation: Activation },
    Convolution { first: usize, layer: Arc<Convolution>, normalised: bool },
}

/// The layout: everything but the weights.
pub struct Network {
    encoder: Vec<Layer>,
    decoder: Vec<Layer>,
    arrays: usize,
}

impl Network {
    /// The layout; with filters, of images on a canvas.
    ///
    /// # Errors
    /// When the images are too large.
    pub fn new(form: &Form, ends: Ends, canvas: Option<Shape>) -> Result<Self> {
        let mut network = Self { encoder: Vec::new(), decoder: Vec::new(), arrays: 0 };
        let Some(canvas) = canvas.filter(|_| !form.filters.is_empty()) else {
            network.encoder = network.dense(ends.inputs, &form.hidden, ends.code);
            let back: Vec<usize> = form.hidden.iter().rev().copied().collect();
            network.decoder = network.dense(ends.latent, &back, ends.outputs);
            return Ok(network);
        };
        let down = Window { kernel: 3, stride: 2, padding: 1 };
        let up = Window { kernel: 2, stride: 2, padding: 0 };
        let mut shape = Shape { channels: ends.inputs / canvas.pixels(), ..canvas };
        let mut layers = Vec::new();
        for filters in &form.filters {
            layers.push(network.convolution(Convolution::new(shape, *filters, down)?, true));
            shape = Shape {
                channels: *filters,
                height: shape.height.div_ceil(2),
                width: shape.width.div_ceil(2),
            };
        }
        layers.extend(network.dense(shape.numbers(), &form.hidden, ends.code));
        network.encoder = layers;
        let back: Vec<usize> = form.hidden.iter().rev().copied().collect();
        let mut layers = network.dense(ends.latent, &back, shape.numbers());
        if let Some(Layer::Dense { activation, .. }) = layers.last_mut() {
            *activation = Activation::Relu;
        }
        let fewer = form.filters.iter().rev().skip(1).chain(form.filters.first());
        for filters in fewer {
            let layer = Convolution::transposed(shape, *filters, up, 0)?;
            shape = layer.output();
            layers.push(network.convolution(layer, true));
        }
        let last = Convolution::new(shape, ends.outputs / canvas.pixels(), Window::same(3))?;
        layers.push(network.convolution(last, false));
        network.decoder = layers;
        Ok(network)
    }

    fn dense(&mut self, inputs: usize, hidden: &[usize], outputs: usize) -> Vec<Layer> {
        let widths: Vec<usize> = [inputs].iter().chain(hidden).chain([&outputs]).copied().collect();
        let last = widths.len() - 2;
        let mut layer = |(number, pair): (usize, &[usize])| {
            let activation = if number == last { Activation::Identity } else { Activation::Relu };
            self.arrays += 2;
            Layer::Dense { first: self.arrays - 2, inputs: pair[0], outputs: pair[1], activation }
        };
        widths.windows(2).enumerate().map(&mut layer).collect()
    }

    fn convolution(&mut self, layer: Convolution, normalised: bool) -> Layer {
        let first = self.arrays;
        self.arrays += if normalised { 6 } else { 2 };
        Layer::Convolution { first, layer: Arc::new(layer), normalised }
    }

    /// How many arrays it has: what a method adds stands behind them.
    pub fn arrays(&self) -> usize {
        self.arrays
    }

    /// Weights with their first values (He).
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "generative weights", 0, 0);
        for (name, layers) in [("encoder", &self.encoder), ("decoder", &self.decoder)] {
            for (number, layer) in layers.iter().enumerate() {
                let share = if number + 1 == layers.len() { LAST } else { 1.0 };
                let mut draw = |inputs: usize| {
                    let bound = share * (6.0 / inputs.max(1) as f64).sqrt();
                    ((2.0 * stream.uniform() - 1.0) * bound) as f32
                };
                let name = format!("{name} {number}");
                match layer {
                    Layer::Dense { inputs, outputs, .. } => {
                        parameters.add_dense(&name, *inputs, *outputs, || draw(*inputs));
                    }
                    Layer::Convolution { layer, normalised: true, .. } => {
                        // A pixel of a transposed convolution whose windows don't overlap sums over channels alone.
                        let inputs = match name.starts_with("decoder") {
                            true => layer.input().channels,
                            false => layer.window_numbers(),
                        };
                        layer.add_normalised(&mut parameters, &name, || draw(inputs));
                    }
                    Layer::Convolution { layer, .. } => {
                        layer.add_parameters(&mut parameters, &name, || draw(layer.window_numbers()));
                    }
                }
            }
        }
        parameters
    }

    /// Compares the dense layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> Result<()> {
        for (name, layers) in [("encoder", &self.encoder), ("decoder", &self.decoder)] {
            for (number, layer) in layers.iter().enumerate() {
                if let Layer::Dense { inputs, outputs, .. } = layer {
                    arrays.singles(&format!("{name} {number}/weight"), &[*inputs, *outputs])?;
                }
            }
        }
        Ok(())
    }

    /// What the encoder says: `[B, inputs]` to `[B, code]`.
    pub fn encode<E: Engine>(&self, engine: &mut E, inputs: E::Value) -> E::Value {
        through(&self.encoder, engine, inputs)
    }

    /// What the decoder says: `[B, latent]` to `[B, outputs]`.
    pub fn decode<E: Engine>(&self, engine: &mut E, latents: E::Value) -> E::Value {
        through(&self.decoder, engine, latents)
    }
}

fn through<E: Engine>(layers: &[Layer], engine: &mut E, mut hidden: E::Value) -> E::Value {
    for layer in layers {
        hidden = match layer {
            Layer::Dense { first, activation, .. } => engine.dense(hidden, *first, *activation),
            Layer::Convolution { first, layer, normalised: true } => {
                engine.normalised_convolution(hidden, layer, *first)
            }
            Layer::Convolution { first, layer, .. } => {
                engine.convolution(hidden, layer, *first, Activation::Identity)
            }
        };
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::engine::tests::assert_agree;
    use crate::nn::product::tests::random;

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        let ends = Ends { inputs: 5, code: 4, latent: 2, outputs: 7 };
        for hidden in [vec![6, 3], vec![]] {
            let network = Network::new(&Form { hidden, filters: vec![] }, ends, None).unwrap();
            let parameters = network.parameters(1);
            assert_eq!(parameters.len(), network.arrays());
            assert_agree!(&parameters, 3 * 7, |engine| {
                let inputs = engine.input(random(15, "inputs"), 3);
                let code = network.encode(engine, inputs);
                let latents = engine.columns(code, 1..3);
                network.decode(engine, latents)
            });
        }
    }

    #[test]
    fn convolutions_halve_and_double_the_canvas() {
        let canvas = Shape::new(2, 8, 4);
        let ends = Ends { inputs: 2 * canvas.numbers(), code: 6, latent: 3, outputs: canvas.numbers() };
        let form = Form { hidden: vec![5], filters: vec![3, 4] };
        let network = Network::new(&form, ends, Some(canvas)).unwrap();
        let parameters = network.parameters(1);
        assert_eq!(parameters.len(), network.arrays());
        let engine = &mut crate::nn::Plain::new(&parameters);
        let inputs = engine.input(random(2 * ends.inputs, "inputs"), 2);
        let code = network.encode(engine, inputs);
        assert_eq!(code.values().len(), 2 * 6);
        let latents = engine.columns(code, 0..3);
        assert_eq!(network.decode(engine, latents).values().len(), 2 * canvas.numbers());
    }
}
