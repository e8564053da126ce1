//! The network: normalised inputs beside their marks, hidden layers that narrow and widen again, one output per column,
//! and a direct way from inputs to outputs, which says what a line can say and leaves the rest to the layers.
//!
//! Sparsity Normalization keeps the mean of a sum of inputs from 0 up; of standardised inputs, whose mean is 0 anyway,
//! it would only blow up the scatter of rows of which little is known. So inputs go from 0 to 1, and what a row is
//! divided by counts known features, as K does: a category is one, however many indicators it has.

use burn::Tensor;
use serde::{Deserialize, Serialize};

use crate::encode::wide::WideRows;
use crate::nn::sparsity::input_factor;
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Engine, Lent, Parameters, Plain, Taped};
use crate::onnx::{Graph, Kind, Symbol, WrittenNumbers};
use crate::rng::{Stream, mix};
use crate::store::Arrays;

/// Share of a row's known cells that is hidden at a step: drawn for each row between 0 and this.
const MOST_HIDDEN: f64 = 0.5;
/// How often a mask is copied, where masks are.
const COPIED: f64 = 0.9;
/// What a known cell that the network sees counts in the loss, beside a hidden one: saying it again is no art.
const SEEN_WEIGHT: f32 = 0.1;

/// The layout: everything but the weights.
pub struct Layers {
    /// Width of every layer, from the inputs to the outputs.
    widths: Vec<usize>,
    /// How many columns rows have.
    columns: usize,
    /// How inputs are normalised.
    pub normalizer: Normalizer,
}

/// Sparsity Normalization of a line: `K (x - low) / (high - low) / known`.
pub struct Normalizer {
    /// K.
    pub k: f32,
    /// Per column the lowest known value of training and 1 / (highest - lowest). None in files from before inputs were
    /// shifted: there they are as they come, and every indicator of a category counts as known.
    pub range: Option<[Vec<f32>; 2]>,
    /// Whether a column is the first of its feature.
    pub first: Vec<bool>,
}

impl Normalizer {
    /// From the rows to learn from; K is their mean number of known features.
    pub fn new(rows: &WideRows, features: &[usize]) -> Self {
        let columns = rows.columns;
        let mut range = [vec![f32::INFINITY; columns], vec![f32::NEG_INFINITY; columns]];
        for (cell, value) in rows.values.iter().enumerate().filter(|(cell, _)| rows.observed[*cell]) {
            let (low, high) = (range[0][cell % columns], range[1][cell % columns]);
            (range[0][cell % columns], range[1][cell % columns]) = (low.min(*value), high.max(*value));
        }
        let [low, high] = range;
        // Of a column of one value, or of none, nothing can be said: it stays 0.
        let sound = |(low, high): (&f32, &f32)| if high > low { 1.0 / (high - low) } else { 0.0 };
        let widths = low.iter().zip(&high).map(sound).collect();
        let low = low.into_iter().map(|low| if low.is_finite() { low } else { 0.0 }).collect();
        let mut normalizer = Self { k: 1.0, range: Some([low, widths]), first: first_columns(features) };
        let counts = rows.observed.chunks(columns.max(1)).map(|marks| normalizer.known(marks));
        let (used, known) =
            counts.filter(|known| *known > 0).fold((0, 0), |(rows, sum), known| (rows + 1, sum + known));
        normalizer.k = known.max(1) as f32 / used.max(1) as f32;
        normalizer
    }

    /// How many features of a row are known.
    fn known(&self, marks: &[bool]) -> usize {
        let every = self.range.is_none();
        marks.iter().zip(&self.first).filter(|(mark, first)| **mark && (every || **first)).count()
    }

    /// `[rows, 2 columns]`: what [`Layers::normalise`] gives, as operations of a graph.
    pub fn write(&self, graph: &mut Graph, rows: &WrittenNumbers) -> Symbol {
        let columns = rows.columns;
        let shown = graph.cast(&rows.observed, Kind::Single);
        let counted: Vec<f32> = (0..columns)
            .map(|column| f32::from(u8::from(self.range.is_none() || self.first[column])))
            .collect();
        let counted = graph.singles(&[columns, 1], &counted);
        let (known, one, k) = (graph.product(&shown, &counted), graph.single(1.0), graph.single(self.k));
        let known = graph.op("Max", &[&known, &one]);
        let factor = graph.divide(&k, &known);
        let inputs = match &self.range {
            Some([low, width]) => {
                let (low, width) = (graph.singles(&[1, columns], low), graph.singles(&[1, columns], width));
                let shifted = graph.subtract(&rows.values, &low);
                graph.times(&shifted, &width)
            }
            None => rows.values.clone(),
        };
        let (scaled, nothing) = (graph.times(&factor, &inputs), graph.single(0.0));
        let scaled = graph.choose(&rows.observed, &scaled, &nothing);
        graph.beside(&[&scaled, &shown])
    }

    /// The input of a known cell, before it is multiplied by K / known.
    fn input(&self, column: usize, value: f32) -> f32 {
        self.range.as_ref().map_or(value, |[low, width]| (value - low[column]) * width[column])
    }
}

/// Whether each column is the first of its feature.
pub fn first_columns(features: &[usize]) -> Vec<bool> {
    (0..features.len()).map(|column| column == 0 || features[column] != features[column - 1]).collect()
}

impl Layers {
    /// The layout for columns and hidden layers.
    pub fn new(columns: usize, hidden: &[usize], normalizer: Normalizer) -> Self {
        let mut widths = vec![2 * columns];
        widths.extend(hidden);
        widths.push(columns);
        Self { widths, columns, normalizer }
    }

    /// Weights with their first values: uniform in ±sqrt(6 / inputs), biases 0.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "autoencoder weights", 0, 0);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let bound = (6.0 / pair[0].max(1) as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            parameters.add_dense(&format!("layer {layer}"), pair[0], pair[1], draw);
        }
        parameters.add("direct/weight", [2 * self.columns, self.columns], || 0.0);
        parameters
    }

    /// Compares the layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> crate::error::Result<()> {
        for (layer, pair) in self.widths.windows(2).enumerate() {
            arrays.singles(&format!("layer {layer}/weight"), pair)?;
        }
        arrays.singles("direct/weight", &[2 * self.columns, self.columns])?;
        Ok(())
    }

    fn activation(&self, layer: usize) -> Activation {
        if layer + 2 == self.widths.len() { Activation::Identity } else { Activation::Mish }
    }

    /// h0 = (K (x ⊙ m) / |m|₁, m), into a line of twice the columns; x from 0 to 1, |m|₁ known features.
    fn normalise(&self, values: &[f32], marks: &[bool], into: &mut [f32]) {
        let factor = input_factor(self.normalizer.k, self.normalizer.known(marks));
        let (scaled, shown) = into.split_at_mut(self.columns);
        for (column, mark) in marks.iter().enumerate() {
            scaled[column] = if *mark { factor * self.normalizer.input(column, values[column]) } else { 0.0 };
            shown[column] = f32::from(u8::from(*mark));
        }
    }

    /// `[rows, columns]` expected values of all cells, from inputs `[rows, 2 columns]`.
    pub fn forward<E: Engine>(&self, engine: &mut E, inputs: E::Value) -> E::Value {
        let layers = self.widths.len() - 1;
        let direct = engine.linear(inputs.clone(), 2 * layers);
        let mut hidden = inputs;
        for layer in 0..layers {
            hidden = engine.dense(hidden, 2 * layer, self.activation(layer));
        }
        engine.add(hidden, direct)
    }

    /// `[rows, columns]` expected values of all cells, given those under true marks.
    pub fn infer(&self, rows: &WideRows, marks: &[bool], parameters: &Parameters) -> Vec<f32> {
        let columns = self.columns;
        let count = rows.values.len().checked_div(columns).unwrap_or(0);
        let mut inputs = vec![0.0; count * 2 * columns];
        for (row, line) in inputs.chunks_mut((2 * columns).max(1)).enumerate() {
            let cells = row * columns..(row + 1) * columns;
            self.normalise(&rows.values[cells.clone()], &marks[cells], line);
        }
        let mut engine = Plain::new(parameters);
        let inputs = engine.input(inputs, count);
        self.forward(&mut engine, inputs).into_values()
    }
}

/// What is hidden at a step, beside what is missing anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Masks {
    /// Every known column with the same chance, another for each row and step.
    Uniform,
    /// What is missing in another row (An et al. 2025), nine times out of ten.
    Copied,
    /// Every known column as often as it is missing (Kim et al. 2025).
    ByColumn,
    /// Copied, and the tenth time by column.
    Both,
}

/// Learning to restore hidden cells.
pub struct Restoring<'a> {
    /// What is hidden.
    pub masks: Masks,
    /// Share of the rows to learn from in which each column is missing.
    pub rates: Vec<f64>,
    /// The network.
    pub layers: &'a Layers,
    /// All rows.
    pub rows: &'a WideRows,
    /// The feature of each column: all indicators of a category are hidden together, as one would tell the others.
    pub features: &'a [usize],
    /// Rows to learn from.
    pub learning: Vec<usize>,
    /// Rows that tell when to stop, and their marks with some known cells hidden.
    pub aside: Option<Aside>,
}

/// Rows set aside.
pub struct Aside {
    /// The rows.
    pub rows: WideRows,
    /// Marks with some known cells hidden.
    pub marks: Vec<bool>,
}

impl Aside {
    /// (column, what the network leaves) of the hidden cells.
    pub fn differences(&self, layers: &Layers, parameters: &Parameters) -> Vec<(usize, f32)> {
        let said = layers.infer(&self.rows, &self.marks, parameters);
        let hidden = (0..said.len()).filter(|&cell| self.rows.observed[cell] && !self.marks[cell]);
        hidden.map(|cell| (cell % self.rows.columns, self.rows.values[cell] - said[cell])).collect()
    }
}

impl Restoring<'_> {
    /// The marks of a row with some of its known columns hidden.
    fn hidden(&self, observed: &[bool], stream: &mut Stream) -> Vec<bool> {
        let columns = self.rows.columns;
        let copies = matches!(self.masks, Masks::Copied | Masks::Both) && stream.uniform() < COPIED;
        if copies {
            let other = self.learning[stream.below(self.learning.len())] * columns;
            let others = &self.rows.observed[other..other + columns];
            return observed.iter().zip(others).map(|(known, other)| *known && *other).collect();
        }
        match self.masks {
            Masks::ByColumn | Masks::Both => {
                hide(observed, self.features, |column| self.rates[column], stream)
            }
            _ => {
                let share = MOST_HIDDEN * stream.uniform();
                hide(observed, self.features, |_| share, stream)
            }
        }
    }
}

impl Learner for Restoring<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let columns = self.rows.columns;
        let size = rows.len() * columns;
        let (mut inputs, mut targets, mut weights) = (vec![0.0; 2 * size], vec![0.0; size], vec![0.0; size]);
        for (place, &row) in rows.iter().enumerate() {
            let row = self.learning[row];
            let cells = row * columns..(row + 1) * columns;
            let line = place * columns..(place + 1) * columns;
            let mut stream = Stream::new(moment.seed, "autoencoder holes", moment.step, row as u64);
            let marks = self.hidden(&self.rows.observed[cells.clone()], &mut stream);
            let values = &self.rows.values[cells.clone()];
            self.layers.normalise(values, &marks, &mut inputs[2 * line.start..2 * line.end]);
            for (column, cell) in cells.enumerate().filter(|(_, cell)| self.rows.observed[*cell]) {
                targets[line.start + column] = self.rows.values[cell];
                weights[line.start + column] = if marks[column] { SEEN_WEIGHT } else { 1.0 };
            }
        }
        let total = weights.iter().sum::<f32>().max(SEEN_WEIGHT);
        weights.iter_mut().for_each(|weight| *weight /= total);
        let mut engine = Taped::new(parameters, moment);
        let inputs = engine.input(inputs, rows.len());
        let (targets, weights) = (engine.input(targets, rows.len()), engine.input(weights, rows.len()));
        let difference = self.layers.forward(&mut engine, inputs) - targets;
        (difference.clone() * difference * weights).sum()
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let differences = self.aside.as_ref()?.differences(self.layers, parameters);
        let squares: f64 = differences.iter().map(|(_, difference)| f64::from(*difference).powi(2)).sum();
        Some((squares / differences.len().max(1) as f64).sqrt())
    }

    fn fingerprint(&self) -> u64 {
        let known = self.rows.values.iter().zip(&self.rows.observed).filter(|cell| *cell.1);
        mix(known.map(|(value, _)| u64::from(value.to_bits())))
    }
}

/// The marks with a share of the known features hidden, the share that their first column has.
pub fn hide(
    observed: &[bool],
    features: &[usize],
    share: impl Fn(usize) -> f64,
    stream: &mut Stream,
) -> Vec<bool> {
    let mut marks = Vec::with_capacity(observed.len());
    let (mut feature, mut stays) = (usize::MAX, true);
    for (column, (known, own)) in observed.iter().zip(features).enumerate() {
        if *own != feature {
            (feature, stays) = (*own, stream.uniform() >= share(column));
        }
        marks.push(*known && stays);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::engine::tests::assert_agree;
    use crate::nn::product::tests::random;

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        for hidden in [vec![6, 2, 6], vec![]] {
            let normalizer = Normalizer { k: 2.0, range: None, first: vec![true; 3] };
            let layers = Layers::new(3, &hidden, normalizer);
            let mut parameters = layers.parameters(1);
            let direct = parameters.len() - 1;
            parameters[direct].values = random(6 * 3, "direct");
            assert_agree!(&parameters, 5 * 3, |engine| {
                let inputs = engine.input(random(5 * 6, "inputs"), 5);
                layers.forward(engine, inputs)
            });
        }
    }

    #[test]
    fn columns_are_hidden_as_often_as_the_kind_of_mask_says() {
        // Of two columns the first is never missing, the second in every other row.
        let observed: Vec<bool> = (0..400).flat_map(|row| [true, row % 2 == 0]).collect();
        let rows = WideRows { values: vec![0.0; 800], observed, columns: 2 };
        let layers = Layers::new(2, &[], Normalizer::new(&rows, &[0, 1]));
        let seen = |masks: Masks| {
            let (learning, rates) = ((0..400).collect(), vec![0.0, 0.5]);
            let learner = Restoring {
                masks,
                rates,
                layers: &layers,
                rows: &rows,
                features: &[0, 1],
                learning,
                aside: None,
            };
            let mut seen = [0.0; 2];
            for visit in 0..4000 {
                let marks = learner.hidden(&[true, true], &mut Stream::new(1, "hidden", visit, 0));
                (0..2).for_each(|column| seen[column] += f64::from(u8::from(marks[column])) / 4000.0);
            }
            seen
        };
        let near = |found: [f64; 2], wanted: [f64; 2]| {
            found.iter().zip(wanted).for_each(|(a, b)| assert!((a - b).abs() < 0.03, "{found:?} {wanted:?}"));
        };
        near(seen(Masks::Uniform), [0.75, 0.75]);
        near(seen(Masks::Copied), [0.9 + 0.075, 0.45 + 0.075]);
        near(seen(Masks::ByColumn), [1.0, 0.5]);
        near(seen(Masks::Both), [1.0, 0.5]);
    }

    #[test]
    fn a_sum_of_inputs_does_not_depend_on_how_much_is_known() {
        // Two numbers and a category of three indicators; the same values known in part.
        let features = [0, 1, 2, 2, 2];
        let observed = [true, true, true, true, true, true, false, true, true, true];
        let values = vec![-1.0, 2.0, -0.5, 3.0, -0.5, 1.0, 9.0, 2.0, -0.4, -0.5];
        let rows = WideRows { values, observed: observed.to_vec(), columns: 5 };
        let normalizer = Normalizer::new(&rows, &features);
        assert_eq!(normalizer.k, 2.5, "three and two features are known");
        assert_eq!(normalizer.first, [true, true, true, false, false]);
        let layers = Layers::new(5, &[], normalizer);
        let line = |marks: [bool; 5]| {
            let mut line = vec![0.0; 10];
            layers.normalise(&[1.0, 2.0, 2.0, -0.4, -0.5], &marks, &mut line);
            line
        };
        // The first number stands at its highest, 1; the category's first indicator too, its others at their lowest.
        let all = line([true, false, true, true, true]);
        assert_eq!(all[..5], [1.25, 0.0, 1.25, 0.0, 0.0]);
        let one = line([true, false, false, false, false]);
        assert_eq!(one[..5].iter().sum::<f32>(), all[..5].iter().sum::<f32>());
    }
}
