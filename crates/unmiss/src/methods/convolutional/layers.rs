//! The network: convolutions in blocks, then dense layers. Letters: B images of a batch, n numbers of an image, O
//! outputs.
//!
//! ```text
//! conv ... conv   smaller   conv ... conv   smaller   ...   dense ... dense   [B, O]
//! ```
//!
//! Each convolution is followed by ReLU and maybe by batch norm, before it or after. Only the first one sees holes,
//! except where partial convolutions hand on a mask, and where Sparsity Normalization goes deeper: there, a number that
//! a ReLU made 0 counts as missing.

use std::sync::Arc;

use super::nets::{Architecture, BatchNorm, Down};
use super::{Missing, Settings};
use crate::data::images::Size;
use crate::error::Result;
use crate::nn::sparsity::Dropout;
use crate::nn::{
    Activation, Convolution, Engine, Mixture, MixtureSize, Observed, Parameters, Pool, Shape, Window,
};
use crate::rng::Stream;

/// The layout: everything but the weights.
pub struct Network {
    missing: Missing,
    batch_norm: BatchNorm,
    /// Convolutions that Sparsity Normalization applies to.
    normalised: usize,
    dropout: f64,
    convolution_dropout: f64,
    /// Numbers of an image, without masks.
    numbers: usize,
    /// The convolution that sees the images.
    first: Arc<Convolution>,
    /// What comes after it.
    steps: Vec<Step>,
    /// Width of every dense layer, from what the convolutions give to the outputs.
    widths: Vec<usize>,
}

enum Step {
    Convolution(Arc<Convolution>),
    /// The largest of 2 x 2 pixels of images of a shape.
    Pool(Shape),
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

/// What one step hands to the next.
struct Passed<V> {
    hidden: V,
    /// Which of its pixels are known, where that is handed on.
    known: Option<Observed<'static>>,
    /// The share of its numbers that are not 0 at the first weights.
    active: f32,
}

impl Network {
    /// The layout for settings, images of a size and so many outputs.
    ///
    /// # Errors
    /// When the images are too large.
    pub fn new(settings: &Settings, size: Size, outputs: usize) -> Result<Self> {
        let Architecture { blocks, down, batch_norm, hidden, dropout, convolution_dropout } =
            settings.architecture(size);
        let masks = if settings.missing == Missing::MaskChannel { 2 } else { 1 };
        let images = Shape::new(masks * size.channels, size.height, size.width);
        let first = Convolution::new(images, blocks[0][0], Window::same(3))?;
        let (mut shape, mut steps) = (first.output(), Vec::new());
        for (block, filters) in blocks.iter().enumerate() {
            let smaller = Window { kernel: 3, stride: 2, padding: 1 };
            let before = (block > 0 && down == Down::Stride).then_some((shape.channels, smaller));
            let same =
                filters.iter().skip(usize::from(block == 0)).map(|filters| (*filters, Window::same(3)));
            for (filters, window) in before.into_iter().chain(same) {
                let layer = Convolution::new(shape, filters, window)?;
                shape = layer.output();
                steps.push(Step::Convolution(Arc::new(layer)));
            }
            if down == Down::MaxPool && shape.height.min(shape.width) > 1 {
                steps.push(Step::Pool(shape));
                shape = Pool::Max.output(shape);
            }
        }
        let widths = [vec![shape.numbers()], hidden, vec![outputs]].concat();
        let normalised = if settings.missing == Missing::SnConv { settings.sn_depth } else { 0 };
        let (missing, numbers, first) = (settings.missing, size.cells(), Arc::new(first));
        Ok(Self {
            missing,
            batch_norm,
            normalised,
            dropout,
            convolution_dropout,
            numbers,
            first,
            steps,
            widths,
        })
    }

    fn convolutions(&self) -> impl Iterator<Item = &Arc<Convolution>> {
        let later = self.steps.iter().filter_map(|step| match step {
            Step::Convolution(layer) => Some(layer),
            Step::Pool(_) => None,
        });
        std::iter::once(&self.first).chain(later)
    }

    /// Arrays of a convolution, with its norm where there is one.
    fn arrays(&self) -> usize {
        if self.batch_norm == BatchNorm::None { 2 } else { 6 }
    }

    /// Weights with their first values (He; the last layer's are 0, so that all classes are alike at first).
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "convolutional weights", 0, 0);
        let mut draw = |inputs: usize| {
            let bound = (6.0 / inputs.max(1) as f64).sqrt();
            ((2.0 * stream.uniform() - 1.0) * bound) as f32
        };
        for (number, layer) in self.convolutions().enumerate() {
            let name = format!("convolution {number}");
            let draw = || draw(layer.window_numbers());
            match self.batch_norm {
                BatchNorm::None => layer.add_parameters(&mut parameters, &name, draw),
                _ => layer.add_normalised(&mut parameters, &name, draw),
            };
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
        let (mut passed, convolutions) = (self.enter(engine, view), self.convolutions().count());
        let mut number = 1;
        for step in &self.steps {
            passed = match step {
                Step::Pool(shape) => pool(engine, passed, *shape),
                Step::Convolution(layer) => {
                    number += 1;
                    let inner = number < convolutions && layer.window().stride == 1;
                    self.convolve(engine, passed, layer, (number - 1, inner))
                }
            };
        }
        let (first, last) = (self.arrays() * convolutions, self.widths.len() - 2);
        let mut hidden = passed.hidden;
        for layer in 0..=last {
            let address = ("convolutional dropout", layer);
            hidden = engine.dropout(hidden, self.dropout, Dropout::Average, address);
            let activation = if layer == last { Activation::Identity } else { Activation::Relu };
            hidden = engine.dense(hidden, first + 2 * layer, activation);
        }
        hidden
    }

    /// The first convolution, which makes something of the holes.
    fn enter<E: Engine>(&self, engine: &mut E, view: View) -> Passed<E::Value> {
        let (View { values, observed, density }, layer) = (view, &self.first);
        let (n, rows) = (self.numbers, observed.len() / self.numbers);
        let marked = |observed: Vec<bool>| Observed::new(observed, layer.input().channels);
        if let (Missing::Misconv, Some((mixture, size))) = (self.missing, density) {
            let mixture = Mixture {
                scores: engine.input(mixture.scores, rows),
                mean: engine.input(mixture.mean, rows),
                factors: engine.input(mixture.factors, rows),
                diagonal: engine.input(mixture.diagonal, rows),
            };
            // The mean of a ReLU has passed it already.
            let mut hidden =
                engine.expected_convolution(values, &marked(observed), (mixture, size), layer, 0);
            if self.batch_norm != BatchNorm::None {
                hidden = engine.batch_norm(hidden, 2);
            }
            return Passed { hidden, known: None, active: 1.0 };
        }
        let (input, known) = match self.missing {
            Missing::MaskChannel => {
                let marks: Vec<f32> = observed.iter().map(|known| f32::from(u8::from(*known))).collect();
                let both = values.chunks_exact(n).zip(marks.chunks_exact(n));
                (both.flat_map(|(values, marks)| [values, marks].concat()).collect(), None)
            }
            Missing::PartialConv | Missing::SnConv => (values, Some(marked(observed))),
            _ => (values, None),
        };
        let passed = Passed { hidden: engine.input(input, rows), known, active: 1.0 };
        self.convolve(engine, passed, layer, (0, self.convolutions().count() > 1))
    }

    /// A convolution with its ReLU and norm. `number` is its place, and `inner` whether dropout comes after it.
    fn convolve<E: Engine>(
        &self,
        engine: &mut E,
        before: Passed<E::Value>,
        layer: &Arc<Convolution>,
        (number, inner): (usize, bool),
    ) -> Passed<E::Value> {
        let Passed { hidden, known, active } = before;
        let first = self.arrays() * number;
        let relu =
            if self.batch_norm == BatchNorm::BeforeRelu { Activation::Identity } else { Activation::Relu };
        let (sums, known) = match (self.missing, known) {
            (Missing::PartialConv, Some(known)) => {
                let (sums, known) = engine.partial_convolution(hidden, &known, layer, first, relu);
                (sums, Some(known))
            }
            (_, known) if number < self.normalised => {
                let channels = layer.input().channels;
                let known = known.unwrap_or_else(|| Observed::new(engine.active(&hidden), channels));
                // K: as many numbers as are expected under a window, so that sums keep their size on average.
                let k = active * layer.window_numbers() as f32;
                (engine.sparsity_convolution(hidden, &known, layer, first, k, relu), None)
            }
            _ if self.batch_norm == BatchNorm::AfterRelu => {
                let hidden = engine.normalised_convolution(hidden, layer, first);
                return self.passed(engine, hidden, None, (number, inner));
            }
            _ => (engine.convolution(hidden, layer, first, relu), None),
        };
        let hidden = match self.batch_norm {
            BatchNorm::None => sums,
            BatchNorm::AfterRelu => engine.batch_norm(sums, first + 2),
            BatchNorm::BeforeRelu => {
                let sums = engine.batch_norm(sums, first + 2);
                engine.activate(sums, Activation::Relu)
            }
        };
        self.passed(engine, hidden, known, (number, inner))
    }

    /// What a convolution hands on, some of it dropped.
    fn passed<E: Engine>(
        &self,
        engine: &mut E,
        hidden: E::Value,
        known: Option<Observed<'static>>,
        (number, inner): (usize, bool),
    ) -> Passed<E::Value> {
        let address = ("convolution dropout", number);
        let share = if inner { self.convolution_dropout } else { 0.0 };
        let hidden = engine.dropout(hidden, share, Dropout::Average, address);
        // A ReLU lets half of its sums pass; a norm behind it moves the zeros elsewhere.
        let active = if self.batch_norm == BatchNorm::AfterRelu { 1.0 } else { 0.5 };
        Passed { hidden, known, active }
    }
}

/// The largest of 2 x 2 pixels. It is known if one of them is; what a hole became on the way, the same in all images,
/// takes part.
fn pool<E: Engine>(engine: &mut E, before: Passed<E::Value>, shape: Shape) -> Passed<E::Value> {
    let known = before.known.map(|known| {
        let marks = known.marks.chunks_exact(shape.pixels());
        let smaller = marks.flat_map(|marks| {
            let known = |row: usize, column: usize| marks[row * shape.width + column];
            let square = move |(row, column): (usize, usize)| {
                (0..4).any(|corner| known(2 * row + corner / 2, 2 * column + corner % 2))
            };
            let output = Pool::Max.output(shape);
            (0..output.pixels()).map(move |pixel| square((pixel / output.width, pixel % output.width)))
        });
        Observed::new(smaller.collect::<Vec<bool>>(), known.channels)
    });
    let active = 1.0 - (1.0 - before.active).powi(4);
    Passed { hidden: engine.pool(before.hidden, shape, Pool::Max), known, active }
}

#[cfg(test)]
mod tests;
