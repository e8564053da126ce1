//! The cells of a row as the encoder's inputs and as what the decoder's outputs speak of.
//!
//! ```text
//! inputs   | numbers, pixels, binaries: (x - shift) factor; categories: one per level; 0 where missing | marks |
//! outputs  | means n | deviations n | degrees of freedom n | a score for each binary, one per level of a category |
//! ```
//!
//! with n numbers; what a likelihood does not have is left out. Pixels are all of one kind, so their outputs lie plane
//! by plane, as a convolution gives them.

use super::density::{
    bernoulli, bernoulli_row, categorical, chance, chances, deviation, freedom, gaussian, student_t,
};
use super::source::Cells;
use crate::encode::wide::pick;
use crate::encode::{Encoder, ImageCoder};
use crate::nn::Shape;
use crate::rng::Stream;

/// What a cell is, for the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number: mean and deviation.
    Gaussian,
    /// A number: mean, deviation and degrees of freedom.
    StudentT,
    /// A pixel from 0 to 1, or one of two levels: a score.
    Bernoulli,
    /// One of some codes, the first of which are levels that a hole may get: a score for each.
    Categorical {
        /// How many codes.
        codes: usize,
        /// How many of them are levels.
        levels: usize,
    },
}

/// One cell of every row.
#[derive(Debug, Clone)]
struct Feature {
    kind: Kind,
    /// The first of its inputs.
    input: usize,
    /// The first of its outputs.
    output: usize,
    /// What is subtracted from a value, and what the difference is multiplied by.
    scale: (f32, f32),
}

/// The cells of a row.
#[derive(Debug, Clone)]
pub struct Features {
    all: Vec<Feature>,
    /// How many come first that are numbers or pixels: an output's next one stands so much later.
    numbers: usize,
    /// Inputs without the marks.
    slots: usize,
    marks: bool,
    outputs: usize,
}

impl Features {
    /// The columns of a table; `number` is the likelihood of its numbers.
    pub fn of_table(encoder: &Encoder, number: Kind, marks: bool) -> Self {
        let mut features = Self::same(encoder.numbers.len(), number, marks, |_| (0.0, 1.0));
        for category in &encoder.categories {
            let (codes, levels) = (category.codes(), category.levels.len());
            let kind = match codes == 2 && levels == 2 {
                true => Kind::Bernoulli,
                false => Kind::Categorical { codes, levels },
            };
            let width = if kind == Kind::Bernoulli { 1 } else { codes };
            let (input, output) = (features.slots, features.outputs);
            // The two levels of a binary become -1 and 1.
            features.all.push(Feature { kind, input, output, scale: (0.5, 2.0) });
            (features.slots, features.outputs) = (input + width, output + width);
        }
        features
    }

    /// The pixels of images on a canvas.
    pub fn of_images(coder: &ImageCoder, canvas: Shape, kind: Kind, marks: bool) -> Self {
        let scale = |cell: usize| {
            let channel = cell / canvas.pixels();
            (coder.means[channel], 1.0 / coder.deviations[channel].max(0.05))
        };
        Self::same(canvas.numbers(), kind, marks, scale)
    }

    fn same(count: usize, kind: Kind, marks: bool, scale: impl Fn(usize) -> (f32, f32)) -> Self {
        let each = match kind {
            Kind::StudentT => 3,
            Kind::Gaussian => 2,
            _ => 1,
        };
        let feature = |place| Feature { kind, input: place, output: place, scale: scale(place) };
        let all = (0..count).map(feature).collect();
        Self { all, numbers: count, slots: count, marks, outputs: each * count }
    }

    /// How many cells a row has.
    pub fn cells(&self) -> usize {
        self.all.len()
    }

    /// How many of them come first that are numbers or pixels.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// How many inputs an encoder has.
    pub fn inputs(&self) -> usize {
        self.slots + if self.marks { self.cells() } else { 0 }
    }

    /// How many outputs a decoder has.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Numbers in an expected line: one for a number, a pixel or a binary, one per code for a category.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The encoder's inputs, `[B, inputs]`, of rows of which the cells under true marks are seen.
    pub fn inputs_of(&self, cells: &Cells, seen: &[bool]) -> Vec<f32> {
        let (width, inputs) = (self.cells().max(1), self.inputs());
        let mut input = vec![0.0; cells.rows * inputs];
        let rows = cells.values.chunks(width).zip(seen.chunks(width));
        for (line, (values, seen)) in input.chunks_mut(inputs.max(1)).zip(rows) {
            self.write_input(values, seen, line);
        }
        input
    }

    /// The encoder's input of a row of which the cells under true marks are seen.
    fn write_input(&self, values: &[f32], seen: &[bool], into: &mut [f32]) {
        let (slots, marks) = into.split_at_mut(self.slots);
        for (feature, (value, _)) in self.all.iter().zip(values.iter().zip(seen)).filter(|(_, cell)| *cell.1)
        {
            match feature.kind {
                Kind::Categorical { .. } => slots[feature.input + *value as usize] = 1.0,
                _ => slots[feature.input] = (value - feature.scale.0) * feature.scale.1,
            }
        }
        marks.iter_mut().zip(seen).for_each(|(mark, seen)| *mark = f32::from(u8::from(*seen)));
    }

    /// The log-likelihood of a row's known cells under a decoder's outputs; its slopes are written to `gradient`, which
    /// is 0 before.
    pub fn log_likelihood(
        &self,
        outputs: &[f32],
        values: &[f32],
        observed: &[bool],
        gradient: &mut [f32],
    ) -> f32 {
        if self.is_all_pixels() {
            let marks: Vec<f32> = observed.iter().map(|known| f32::from(u8::from(*known))).collect();
            return bernoulli_row(values, &marks, outputs, gradient);
        }
        let n = self.numbers;
        let mut sum = 0.0;
        for (feature, (x, _)) in self.all.iter().zip(values.iter().zip(observed)).filter(|(_, cell)| *cell.1)
        {
            let at = feature.output;
            sum += match feature.kind {
                Kind::Gaussian => {
                    let (value, slopes) = gaussian(*x, [outputs[at], outputs[at + n]]);
                    slopes.iter().enumerate().for_each(|(own, slope)| gradient[at + own * n] = *slope as f32);
                    value
                }
                Kind::StudentT => {
                    let (value, slopes) = student_t(*x, [outputs[at], outputs[at + n], outputs[at + 2 * n]]);
                    slopes.iter().enumerate().for_each(|(own, slope)| gradient[at + own * n] = *slope as f32);
                    value
                }
                Kind::Bernoulli => {
                    let (value, slope) = bernoulli(*x, outputs[at]);
                    gradient[at] = slope as f32;
                    value
                }
                Kind::Categorical { codes, .. } => {
                    let own = at..at + codes;
                    categorical(*x as usize, &outputs[own.clone()], &mut gradient[own])
                }
            };
        }
        sum as f32
    }

    fn is_all_pixels(&self) -> bool {
        self.numbers == self.cells() && self.all.first().is_some_and(|own| own.kind == Kind::Bernoulli)
    }

    /// Adds `weight` times what a decoder's outputs expect to a line of [`Self::slots`].
    pub fn add_expected(&self, outputs: &[f32], weight: f64, line: &mut [f64]) {
        for feature in &self.all {
            let slot = feature.input;
            match feature.kind {
                Kind::Gaussian | Kind::StudentT => line[slot] += weight * f64::from(outputs[feature.output]),
                Kind::Bernoulli => line[slot] += weight * chance(outputs[feature.output]),
                Kind::Categorical { codes, .. } => {
                    let scores = &outputs[feature.output..feature.output + codes];
                    let all = chances(scores.iter().copied()).0;
                    line[slot..].iter_mut().zip(all).for_each(|(sum, chance)| *sum += weight * chance);
                }
            }
        }
    }

    /// The cells that an expected line stands for: a category's likeliest level, or with a stream a drawn one.
    pub fn decide(&self, line: &[f64], mut stream: Option<&mut Stream>) -> Vec<f32> {
        let cell = |feature: &Feature| match feature.kind {
            Kind::Bernoulli if self.is_all_pixels() => line[feature.input] as f32,
            Kind::Gaussian | Kind::StudentT => line[feature.input] as f32,
            Kind::Bernoulli => {
                let chance = line[feature.input];
                pick(&[1.0 - chance, chance], stream.as_deref_mut()).unwrap_or(0) as f32
            }
            Kind::Categorical { levels, .. } => {
                let chances = &line[feature.input..feature.input + levels];
                pick(chances, stream.as_deref_mut()).unwrap_or(0) as f32
            }
        };
        self.all.iter().map(cell).collect()
    }

    /// One row drawn from a decoder's outputs. Pixels of a Bernoulli are their chances: what is drawn is the latent.
    pub fn drawn(&self, outputs: &[f32], stream: &mut Stream) -> Vec<f32> {
        let mut line = vec![0.0; self.slots];
        self.add_expected(outputs, 1.0, &mut line);
        let drawn = self.decide(&line, Some(stream));
        let noise: Vec<f64> = self.noise(outputs, stream);
        drawn.iter().zip(noise.into_iter().chain(std::iter::repeat(0.0))).map(|(x, e)| x + e as f32).collect()
    }

    /// What a drawn number differs from its mean by, for each number.
    fn noise(&self, outputs: &[f32], stream: &mut Stream) -> Vec<f64> {
        let n = self.numbers;
        let one = |place: usize| match self.all[place].kind {
            Kind::Gaussian => deviation(outputs[place + n]).0 * stream.normal(),
            Kind::StudentT => {
                let nu = freedom(outputs[place + 2 * n]).0;
                // A normal divided by the root of a chi-squared over its degrees of freedom.
                let spread = (2.0 * stream.gamma(0.5 * nu) / nu).sqrt();
                deviation(outputs[place + n]).0 * stream.normal() / spread
            }
            _ => 0.0,
        };
        (0..n).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind as ColumnKind, Table};
    use crate::encode::Encoding;
    use crate::nn::product::tests::random;

    /// Two numbers, a binary and a category of three levels.
    pub(crate) fn encoder() -> Encoder {
        let table = Table::new(vec![
            Column::from_numbers("a", ColumnKind::Real, &[1.0, 2.0, 4.0]),
            Column::from_numbers("b", ColumnKind::Real, &[0.0, 1.0, -1.0]),
            Column::from_words("two", ColumnKind::Binary, &[Some("no"), Some("yes"), Some("no")]),
            Column::from_words("three", ColumnKind::Category, &[Some("x"), Some("y"), Some("z")]),
        ]);
        let names = ["a", "b", "two", "three"].map(String::from);
        Encoder::fit(&table.unwrap(), &names, Encoding::default()).unwrap()
    }

    #[test]
    fn inputs_and_outputs_lie_where_they_should() {
        let features = Features::of_table(&encoder(), Kind::StudentT, true);
        assert_eq!(
            (features.cells(), features.slots(), features.inputs(), features.outputs()),
            (4, 6, 10, 10)
        );
        let mut input = vec![0.0; 10];
        features.write_input(&[0.5, 9.0, 1.0, 2.0], &[true, false, true, true], &mut input);
        assert_eq!(input, [0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn the_likelihood_of_a_row_has_the_slopes_of_its_parts() {
        for kind in [Kind::Gaussian, Kind::StudentT] {
            let features = Features::of_table(&encoder(), kind, false);
            let outputs = random(features.outputs(), "outputs");
            let (values, observed) = ([0.5, f32::NAN, 1.0, 2.0], [true, false, true, true]);
            let of = |outputs: &[f32], gradient: &mut [f32]| {
                f64::from(features.log_likelihood(outputs, &values, &observed, gradient))
            };
            let mut gradient = vec![0.0; outputs.len()];
            of(&outputs, &mut gradient);
            for place in 0..outputs.len() {
                let moved = |step: f32| {
                    let mut outputs = outputs.clone();
                    outputs[place] += step;
                    of(&outputs, &mut vec![0.0; outputs.len()])
                };
                let wanted = (moved(0.01) - moved(-0.01)) / 0.02;
                assert!((f64::from(gradient[place]) - wanted).abs() < 2e-3, "{kind:?} {place}");
            }
            assert_eq!(gradient[1], 0.0, "what is not known has no slope");
        }
    }

    #[test]
    fn draws_have_the_moments_that_the_outputs_say() {
        let features = Features::of_table(&encoder(), Kind::StudentT, false);
        // Deviations of 0.03 + log 2 and degrees of freedom of 3 + softplus(5); the binary at a chance of 0.73.
        let outputs = [0.5, -1.0, 0.0, 0.0, 5.0, 5.0, 1.0, 0.0, 20.0, 0.0];
        let count = 20_000;
        let draws: Vec<Vec<f32>> = (0..count)
            .map(|number| features.drawn(&outputs, &mut Stream::new(1, "drawn", number, 0)))
            .collect();
        let mean = |of: &dyn Fn(&[f32]) -> f64| draws.iter().map(|own| of(own)).sum::<f64>() / count as f64;
        let nu = 3.0 + 5.0_f64.exp().ln_1p();
        let variance = (0.03 + 2.0_f64.ln()).powi(2) * nu / (nu - 2.0);
        let found = [
            (mean(&|x| f64::from(x[0])), 0.5),
            (mean(&|x| f64::from(x[0] - 0.5).powi(2)), variance),
            (mean(&|x| f64::from((x[0] - 0.5) * (x[1] + 1.0))), 0.0),
            (mean(&|x| f64::from(x[2])), 1.0 / (1.0 + (-1.0_f64).exp())),
            (mean(&|x| f64::from(x[3])), 1.0),
        ];
        found.iter().for_each(|(found, wanted)| assert!((found - wanted).abs() < 0.03, "{found} {wanted}"));
    }
}
