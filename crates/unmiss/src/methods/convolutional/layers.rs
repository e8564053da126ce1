//! The network: convolutions in blocks, then dense layers. Letters: B images of a batch, n numbers of an image, O
//! outputs.
//!
//! ```text
//! conv ... conv   stride 2   conv ... conv   stride 2   ...   dense ... dense   [B, O]
//! ```
//!
//! Each convolution is followed by ReLU and batch norm. Only the first one sees holes, except where partial
//! convolutions hand on a mask.

use std::sync::Arc;

use super::{Missing, Settings};
use crate::data::images::Size;
use crate::error::Result;
use crate::nn::sparsity::Dropout;
use crate::nn::{Activation, Convolution, Engine, Mixture, MixtureSize, Observed, Parameters, Shape, Window};
use crate::rng::Stream;

/// Arrays of a convolution with its norm.
const ARRAYS: usize = 6;
/// From this side on, images are made smaller by one more block.
const LARGE: usize = 16;

/// The layout: everything but the weights.
pub struct Network {
    missing: Missing,
    dropout: f64,
    convolutions: Vec<Arc<Convolution>>,
    /// Width of every dense layer, from what the convolutions give to the outputs.
    widths: Vec<usize>,
}

/// Some images as the network sees them.
pub struct View {
    /// `[B, n]`; where not known: the mean, or 0.
    pub values: Vec<f32>,
    /// `[B, n]`
    pub observed: Vec<bool>,
    /// The density of what is not known.
    pub density: Option<(Mixture<Vec<f32>>, MixtureSize)>,
}

/// The usual blocks for images of a size: those of the paper for up to 32 x 32, more for larger ones.
fn usual(size: Size) -> Vec<Vec<usize>> {
    let mut blocks = vec![vec![32], vec![64, 64]];
    let mut side = size.height.min(size.width).div_ceil(2);
    while side > LARGE {
        blocks.push(vec![64]);
        side = side.div_ceil(2);
    }
    blocks
}

impl Network {
    /// The layout for settings, images of a size and so many outputs.
    ///
    /// # Errors
    /// When the images are too large.
    pub fn new(settings: &Settings, size: Size, outputs: usize) -> Result<Self> {
        let masks = if settings.missing == Missing::MaskChannel { 2 } else { 1 };
        let mut shape = Shape::new(masks * size.channels, size.height, size.width);
        let blocks = settings.filters.clone().unwrap_or_else(|| usual(size));
        let mut convolutions: Vec<Arc<Convolution>> = Vec::new();
        for (block, filters) in blocks.iter().enumerate() {
            let down = (block > 0).then_some((shape.channels, Window { kernel: 3, stride: 2, padding: 1 }));
            let same = filters.iter().map(|filters| (*filters, Window::same(3)));
            for (filters, window) in down.into_iter().chain(same) {
                let layer = Convolution::new(shape, filters, window)?;
                shape = layer.output();
                convolutions.push(Arc::new(layer));
            }
        }
        let mut widths = vec![shape.numbers()];
        widths.extend(&settings.hidden);
        widths.push(outputs);
        Ok(Self { missing: settings.missing, dropout: settings.dropout, convolutions, widths })
    }

    /// Weights with their first values (He; the last layer's are 0, so that all classes are alike at first).
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "convolutional weights", 0, 0);
        let mut draw = |inputs: usize| {
            let bound = (6.0 / inputs.max(1) as f64).sqrt();
            ((2.0 * stream.uniform() - 1.0) * bound) as f32
        };
        for (number, layer) in self.convolutions.iter().enumerate() {
            let name = format!("convolution {number}");
            layer.add_normalised(&mut parameters, &name, || draw(layer.window_numbers()));
        }
        let last = self.widths.len() - 2;
        for (number, pair) in self.widths.windows(2).enumerate() {
            let first = |draw: f32| if number == last { 0.0 } else { draw };
            parameters.add_dense(&format!("dense {number}"), pair[0], pair[1], || first(draw(pair[0])));
        }
        parameters
    }

    /// Scores `[B, O]` of images.
    pub fn forward<E: Engine>(&self, engine: &mut E, view: View) -> E::Value {
        let rows = view.observed.len() / self.numbers();
        let mut hidden = match self.missing {
            Missing::PartialConv => self.partial(engine, view, rows),
            _ => self.plain(engine, view, rows),
        };
        let first = ARRAYS * self.convolutions.len();
        let last = self.widths.len() - 2;
        for layer in 0..=last {
            let address = ("convolutional dropout", layer);
            hidden = engine.dropout(hidden, self.dropout, Dropout::Average, address);
            let activation = if layer == last { Activation::Identity } else { Activation::Relu };
            hidden = engine.dense(hidden, first + 2 * layer, activation);
        }
        hidden
    }

    /// Numbers of an image, without masks.
    fn numbers(&self) -> usize {
        let numbers = self.convolutions[0].input().numbers();
        if self.missing == Missing::MaskChannel { numbers / 2 } else { numbers }
    }

    /// A first layer that makes something of the holes, then plain ones.
    fn plain<E: Engine>(&self, engine: &mut E, view: View, rows: usize) -> E::Value {
        let layer = &self.convolutions[0];
        let View { values, observed, density } = view;
        let mut hidden = match (self.missing, density) {
            (Missing::MaskChannel, _) => {
                let n = self.numbers();
                let marks: Vec<f32> = observed.iter().map(|known| f32::from(u8::from(*known))).collect();
                let both = values.chunks_exact(n).zip(marks.chunks_exact(n));
                let input = both.flat_map(|(values, marks)| [values, marks].concat()).collect();
                let input = engine.input(input, rows);
                engine.normalised_convolution(input, layer, 0)
            }
            (Missing::SnConv, _) => {
                let input = engine.input(values, rows);
                let observed = Observed::new(observed, layer.input().channels);
                let k = layer.window_numbers() as f32;
                let hidden = engine.sparsity_convolution(input, &observed, layer, 0, k, Activation::Relu);
                engine.batch_norm(hidden, 2)
            }
            (Missing::Misconv, Some((mixture, size))) => {
                let observed = Observed::new(observed, layer.input().channels);
                let mixture = Mixture {
                    scores: engine.input(mixture.scores, rows),
                    mean: engine.input(mixture.mean, rows),
                    factors: engine.input(mixture.factors, rows),
                    diagonal: engine.input(mixture.diagonal, rows),
                };
                let hidden = engine.expected_convolution(values, &observed, (mixture, size), layer, 0);
                engine.batch_norm(hidden, 2)
            }
            _ => {
                let input = engine.input(values, rows);
                engine.normalised_convolution(input, layer, 0)
            }
        };
        for (number, layer) in self.convolutions.iter().enumerate().skip(1) {
            hidden = engine.normalised_convolution(hidden, layer, ARRAYS * number);
        }
        hidden
    }

    /// Partial convolutions, each with what is known of the result before.
    fn partial<E: Engine>(&self, engine: &mut E, view: View, rows: usize) -> E::Value {
        let mut observed = Observed::new(view.observed, self.convolutions[0].input().channels);
        let mut hidden = engine.input(view.values, rows);
        for (number, layer) in self.convolutions.iter().enumerate() {
            let first = ARRAYS * number;
            let (sums, known) = engine.partial_convolution(hidden, &observed, layer, first, Activation::Relu);
            hidden = engine.batch_norm(sums, first + 2);
            observed = known;
        }
        hidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::Plain;
    use crate::nn::product::tests::random;

    const SIZE: Size = Size { channels: 2, height: 6, width: 5 };

    /// Two images with holes, the same but for what stands under the mask.
    fn view(under: f32) -> View {
        let n = SIZE.cells();
        let observed: Vec<bool> = (0..2 * n).map(|cell| cell % 7 != 3).collect();
        let values = random(2 * n, "images").into_iter().zip(&observed);
        let values = values.map(|(value, known)| if *known { value } else { under }).collect();
        let size = MixtureSize { numbers: n, components: 1, factors: 1 };
        let mixture = Mixture {
            scores: vec![0.0; 2],
            mean: vec![0.3; 2 * n],
            factors: vec![0.1; 2 * n],
            diagonal: vec![0.2; 2 * n],
        };
        View { values, observed, density: Some((mixture, size)) }
    }

    #[test]
    fn layers_that_know_the_mask_never_read_what_is_under_it() {
        for missing in [Missing::PartialConv, Missing::SnConv, Missing::Misconv] {
            let filters = Some(vec![vec![4], vec![3, 5]]);
            let settings = Settings { missing, filters, hidden: vec![6], ..Settings::default() };
            let network = Network::new(&settings, SIZE, 3).unwrap();
            let mut parameters = network.parameters(1);
            let mut drawn = random(6 * 3, "last").into_iter();
            let last = parameters.len() - 2;
            parameters[last].values.fill_with(|| drawn.next().unwrap());
            let answer = |under| network.forward(&mut Plain::new(&parameters), view(under)).into_values();
            assert_eq!(answer(0.0), answer(77.0), "{missing:?}");
            let scores = answer(0.0);
            assert!(scores.len() == 6 && scores.iter().any(|score| *score != scores[0]), "{missing:?}");
        }
    }

    #[test]
    fn larger_images_get_more_blocks() {
        let side = |side| usual(Size { channels: 1, height: side, width: side + 5 }).len();
        assert_eq!([side(8), side(28), side(32), side(33), side(64), side(65)], [2, 2, 2, 3, 3, 4]);
    }
}
