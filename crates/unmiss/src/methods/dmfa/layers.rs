//! The network of densities: images with holes in, mean, factors and variances of what is missing out.
//!
//! Letters: B images of a batch, c channels, n = c x height x width numbers of the canvas, l factors, f₀, f₁, ...
//! filters of each level.
//!
//! ```text
//! x ⊙ m, m   [B, 2c]   conv f₀ ──────────────────────────────+── conv f₀ ── conv (2 + l) c
//!                        └ down f₁, conv f₁ ──────+── conv f₁ ── up f₀ ┘
//!                                    └ down f₂, conv f₂, conv f₂ ── up f₁ ┘
//! ```
//!
//! `conv` is a 3 x 3 convolution, ReLU and batch norm, `down` the same with stride 2, `up` a transposed convolution of
//! 2 x 2 with stride 2, and `+` adds what the level had on the way down. The last layer is a convolution alone, or with
//! dense heads one layer from all numbers of the level above, f₀ pixels, to all (2 + l) n that are said.

use std::sync::Arc;

use super::{Heads, Settings};
use crate::data::images::Size;
use crate::encode::ImageBatch;
use crate::error::{Error, Result};
use crate::methods::canvas::Canvas;
use crate::nn::{Activation, Convolution, Engine, Mixture, MixtureSize, Parameters, Shape, Window};
use crate::rng::Stream;

/// The smallest variance: a standard deviation of 0.01 of the range of values.
const LEAST_VARIANCE: f32 = 1e-4;
/// Factors lie between minus and plus half of this.
const AMPLITUDE: f32 = 0.5;

/// Weights of dense heads, at most: 2 GB, and as much twice again in training.
const MOST_WEIGHTS: usize = 500_000_000;

/// A layer and the index of its first array.
type Layer = (Arc<Convolution>, usize);

/// What says the densities in the end.
enum Last {
    Convolution(Layer),
    /// From so many numbers to so many, and the index of its first array.
    Dense([usize; 2], usize),
}

/// The layout: everything but the weights.
pub struct Network {
    /// The image and as much of nothing as lets its sides be halved at every level.
    pub canvas: Canvas,
    factors: usize,
    first: Layer,
    /// For each level below the first: on the way down two layers, on the way up two.
    levels: Vec<[Layer; 4]>,
    /// One more at the lowest level.
    middle: Layer,
    last: Last,
    /// How many inputs each layer's results are sums of, and its name, in the order of the parameters.
    names: Vec<(String, usize)>,
}

impl Network {
    /// The layout for settings and images of a size. Small images have fewer levels.
    ///
    /// # Errors
    /// When the images are too large.
    pub fn new(settings: &Settings, size: Size) -> Result<Self> {
        let levels = size.height.min(size.width).max(1).ilog2() as usize;
        let filters = &settings.filters[..settings.filters.len().min(levels + 1)];
        let canvas = Canvas::new(size, filters.len() - 1);
        let mut made = Made::default();
        let down = Window { kernel: 3, stride: 2, padding: 1 };
        let up = Window { kernel: 2, stride: 2, padding: 0 };
        let input = Shape { channels: 2 * size.channels, ..canvas.shape() };
        let first = made.layer("first", Convolution::new(input, filters[0], Window::same(3))?);
        let mut levels = Vec::new();
        for (level, pair) in filters.windows(2).enumerate() {
            let shape =
                levels.last().map_or(first.0.output(), |[_, inner, ..]: &[Layer; 4]| inner.0.output());
            let mut add = |name: &str, layer| made.layer(&format!("level {level}/{name}"), layer);
            let down = add("down", Convolution::new(shape, pair[1], down)?);
            let lower = down.0.output();
            let inner = add("inner", Convolution::new(lower, pair[1], Window::same(3))?);
            let up = add("up", Convolution::transposed(lower, pair[0], up, 0)?);
            let outer = add("outer", Convolution::new(up.0.output(), pair[0], Window::same(3))?);
            levels.push([down, inner, up, outer]);
        }
        let lowest = levels.last().map_or(first.0.output(), |[_, inner, ..]| inner.0.output());
        let middle = made.layer("middle", Convolution::new(lowest, lowest.channels, Window::same(3))?);
        let outputs = (2 + settings.factors) * size.channels;
        let shape = Shape { channels: filters[0], ..canvas.shape() };
        let last = match settings.heads {
            Heads::Convolutional => {
                Last::Convolution(made.layer("last", Convolution::new(shape, outputs, Window::same(3))?))
            }
            Heads::Dense => {
                let widths = [shape.numbers(), (2 + settings.factors) * canvas.shape().numbers()];
                if widths[0].saturating_mul(widths[1]) > MOST_WEIGHTS {
                    let what = format!("dense heads would have {} x {} weights", widths[0], widths[1]);
                    return Err(Error::setting("heads", what)
                        .with_hint("take convolutional heads, or fewer filters in the first level"));
                }
                Last::Dense(widths, made.arrays)
            }
        };
        Ok(Self { canvas, factors: settings.factors, first, levels, middle, last, names: made.names })
    }

    /// Numbers, components and factors of the densities.
    pub fn mixture_size(&self) -> MixtureSize {
        MixtureSize { numbers: self.canvas.shape().numbers(), components: 1, factors: self.factors }
    }

    /// How many factors pixels move by together.
    pub fn factors(&self) -> usize {
        self.factors
    }

    /// Where images lie.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// Weights with their first values (He).
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "dmfa weights", 0, 0);
        let last = if let Last::Convolution(layer) = &self.last { Some(layer) } else { None };
        let layers = self.levels.iter().flatten().chain([&self.middle]).chain(last);
        for ((layer, _), (name, inputs)) in [&self.first].into_iter().chain(layers).zip(&self.names) {
            let bound = (6.0 / *inputs as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            if name == "last" {
                layer.add_parameters(&mut parameters, name, draw);
            } else {
                layer.add_normalised(&mut parameters, name, draw);
            }
        }
        if let Last::Dense([inputs, outputs], _) = self.last {
            let bound = (6.0 / inputs as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            parameters.add_dense("heads", inputs, outputs, draw);
        }
        parameters
    }

    /// The density of every number of the canvas from what is given: `values` and `given` are `[B, n]`, and values
    /// that are not given are 0.
    pub fn forward<E: Engine>(&self, engine: &mut E, values: &[f32], given: &[f32]) -> Mixture<E::Value> {
        let n = self.canvas.shape().numbers();
        let rows = values.len() / n;
        let both = values.chunks_exact(n).zip(given.chunks_exact(n));
        let input = engine.input(both.flat_map(|(values, given)| [values, given].concat()).collect(), rows);
        let mut hidden = convolve(engine, input, &self.first); // [B, f₀]
        let mut kept = Vec::new();
        for [down, inner, ..] in &self.levels {
            kept.push(hidden.clone());
            hidden = convolve(engine, hidden, down);
            hidden = convolve(engine, hidden, inner);
        }
        hidden = convolve(engine, hidden, &self.middle);
        for ([_, _, up, outer], before) in self.levels.iter().zip(kept).rev() {
            hidden = convolve(engine, hidden, up);
            hidden = engine.add(hidden, before);
            hidden = convolve(engine, hidden, outer);
        }
        // [B, (2 + l) n]
        let said = match &self.last {
            Last::Convolution((last, weight)) => {
                engine.convolution(hidden, last, *weight, Activation::Identity)
            }
            Last::Dense(_, weight) => engine.dense(hidden, *weight, Activation::Identity),
        };
        let mean = engine.columns(said.clone(), 0..n);
        let factors = engine.columns(said.clone(), n..(1 + self.factors) * n);
        let factors = engine.activate(factors, Activation::Sigmoid);
        let diagonal = engine.columns(said, (1 + self.factors) * n..(2 + self.factors) * n);
        let diagonal = engine.activate(diagonal, Activation::Sigmoid);
        Mixture {
            scores: engine.input(vec![0.0; rows], rows),
            mean,
            factors: engine.scale_shift(factors, AMPLITUDE, -0.5 * AMPLITUDE),
            diagonal: engine.scale_shift(diagonal, 1.0 - LEAST_VARIANCE, LEAST_VARIANCE),
        }
    }

    /// Values and marks of a batch on the canvas.
    pub fn on_canvas(&self, batch: &ImageBatch) -> (Vec<f32>, Vec<f32>) {
        (self.canvas.spread(&batch.values), self.canvas.spread(&batch.observed))
    }
}

/// Layers as they are made, each with the place of its arrays.
#[derive(Default)]
struct Made {
    names: Vec<(String, usize)>,
    arrays: usize,
}

impl Made {
    /// Weight, bias and four arrays of the norm.
    const ARRAYS: usize = 6;

    fn layer(&mut self, name: &str, layer: Convolution) -> Layer {
        // A pixel of a transposed convolution whose windows don't overlap is a sum over channels alone.
        let apart = if name.ends_with("up") { layer.window().stride.pow(2) } else { 1 };
        self.names.push((name.to_owned(), (layer.window_numbers() / apart).max(1)));
        self.arrays += Self::ARRAYS;
        (Arc::new(layer), self.arrays - Self::ARRAYS)
    }
}

fn convolve<E: Engine>(engine: &mut E, input: E::Value, (layer, weight): &Layer) -> E::Value {
    engine.normalised_convolution(input, layer, *weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::Plain;
    use crate::nn::product::tests::random;

    fn network(height: usize, width: usize, heads: Heads) -> Network {
        let settings = Settings { filters: vec![3, 4, 5], factors: 2, heads, ..Settings::default() };
        Network::new(&settings, Size { channels: 2, height, width }).unwrap()
    }

    #[test]
    fn small_images_have_fewer_levels() {
        for (height, width, levels) in [(8, 8, 2), (7, 10, 2), (3, 2, 1), (1, 5, 0)] {
            let network = network(height, width, Heads::Convolutional);
            assert_eq!(network.levels.len(), levels);
        }
    }

    #[test]
    fn every_layer_finds_its_arrays() {
        for heads in [Heads::Convolutional, Heads::Dense] {
            let network = network(7, 10, heads);
            let parameters = network.parameters(1);
            let layers = network.levels.iter().flatten().chain([&network.first, &network.middle]);
            for (layer, weight) in layers {
                assert_eq!(parameters[*weight].shape, layer.weight_shape(), "{}", parameters[*weight].name);
            }
            let (weight, shape) = match &network.last {
                Last::Convolution((layer, weight)) => (*weight, layer.weight_shape().to_vec()),
                Last::Dense(widths, weight) => (*weight, widths.to_vec()),
            };
            assert_eq!(parameters[weight].shape, shape);
            let n = network.canvas.shape().numbers();
            let given: Vec<f32> = (0..2 * n).map(|place| f32::from(u8::from(place % 3 > 0))).collect();
            let values: Vec<f32> = random(2 * n, "values").iter().zip(&given).map(|(x, m)| x * m).collect();
            let mixture = network.forward(&mut Plain::new(&parameters), &values, &given);
            assert_eq!(mixture.factors.values().len(), 2 * 2 * n);
            assert!(mixture.diagonal.values().iter().all(|d| (LEAST_VARIANCE..=1.0).contains(d)));
            assert!(mixture.factors.values().iter().all(|a| a.abs() <= 0.5 * AMPLITUDE));
        }
    }
}
