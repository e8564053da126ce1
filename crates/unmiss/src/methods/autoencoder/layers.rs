//! The network: normalised inputs, hidden layers that narrow and widen again, one output per column.

use burn::Tensor;
use burn::tensor::TensorData;

use crate::encode::wide::WideRows;
use crate::nn::sparsity::input_factor;
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Parameters, dense, dense_forward, training_device};
use crate::rng::{Stream, mix};
use crate::store::Arrays;

/// Share of a row's known cells that is hidden at a step: drawn for each row between 0 and this.
const MOST_HIDDEN: f64 = 0.5;

/// The layout: everything but the weights.
pub struct Layers {
    /// Width of every layer, from the inputs to the outputs.
    widths: Vec<usize>,
    /// Lowest value and range of each column: what makes inputs run from 0 to 1.
    scales: Vec<(f32, f32)>,
    /// K of Sparsity Normalization.
    pub k: f32,
}

impl Layers {
    /// The layout for columns and hidden layers.
    pub fn new(scales: Vec<(f32, f32)>, hidden: &[usize], k: f32) -> Self {
        let mut widths = vec![scales.len()];
        widths.extend(hidden);
        widths.push(scales.len());
        Self { widths, scales, k }
    }

    /// Weights with their first values: uniform in ±sqrt(6 / inputs), biases 0.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "autoencoder weights", 0, 0);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let bound = (6.0 / pair[0].max(1) as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            parameters.add(format!("layer {layer}/weight"), pair[0], pair[1], draw);
            parameters.add(format!("layer {layer}/bias"), 1, pair[1], || 0.0);
        }
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
        Ok(())
    }

    fn activation(&self, layer: usize) -> Activation {
        if layer + 2 == self.widths.len() { Activation::Identity } else { Activation::Mish }
    }

    /// h0 = K (x ⊙ m) / |m|₁, into a line.
    fn normalise(&self, values: &[f32], marks: &[bool], into: &mut [f32]) {
        let factor = input_factor(self.k, marks.iter().filter(|mark| **mark).count());
        for (column, (low, range)) in self.scales.iter().enumerate() {
            into[column] = if marks[column] { factor * (values[column] - low) / range } else { 0.0 };
        }
    }

    /// `[rows, columns]` expected values of all cells.
    pub fn infer(&self, rows: &WideRows, marks: &[bool], parameters: &Parameters) -> Vec<f32> {
        let columns = self.scales.len();
        let count = rows.values.len().checked_div(columns).unwrap_or(0);
        let mut hidden = vec![0.0; count * columns];
        for (row, line) in hidden.chunks_mut(columns.max(1)).enumerate() {
            let cells = row * columns..(row + 1) * columns;
            self.normalise(&rows.values[cells.clone()], &marks[cells], line);
        }
        let mut next = Vec::new();
        for layer in 0..self.widths.len() - 1 {
            let (weight, bias) = (parameters[2 * layer].matrix(), &parameters[2 * layer + 1].values);
            dense_forward(&hidden, count, weight, bias, self.activation(layer), &mut next);
            std::mem::swap(&mut hidden, &mut next);
        }
        hidden
    }
}

/// Learning to restore hidden cells.
pub struct Restoring<'a> {
    /// The network.
    pub layers: &'a Layers,
    /// All rows.
    pub rows: &'a WideRows,
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

impl Learner for Restoring<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &[Tensor<2>], rows: &[usize], moment: &Moment) -> Tensor<1> {
        let columns = self.rows.columns;
        let size = rows.len() * columns;
        let (mut inputs, mut targets, mut weights) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        let known: usize = rows.iter().map(|&row| self.known(self.learning[row])).sum();
        for (place, &row) in rows.iter().enumerate() {
            let row = self.learning[row];
            let cells = row * columns..(row + 1) * columns;
            let line = place * columns..(place + 1) * columns;
            let mut stream = Stream::new(moment.seed, "autoencoder holes", moment.step, row as u64);
            let share = MOST_HIDDEN * stream.uniform();
            let marks: Vec<bool> = self.rows.observed[cells.clone()]
                .iter()
                .map(|known| *known && stream.uniform() >= share)
                .collect();
            let values = &self.rows.values[cells.clone()];
            self.layers.normalise(values, &marks, &mut inputs[line.clone()]);
            for (column, cell) in cells.enumerate().filter(|(_, cell)| self.rows.observed[*cell]) {
                targets[line.start + column] = self.rows.values[cell];
                weights[line.start + column] = 1.0 / known.max(1) as f32;
            }
        }
        let device = training_device();
        let tensor = |values: Vec<f32>| {
            Tensor::<2>::from_data(TensorData::new(values, [rows.len(), columns]), &device)
        };
        let mut hidden = tensor(inputs);
        for (layer, pair) in parameters.chunks_exact(2).enumerate() {
            hidden = dense(hidden, pair[0].clone(), pair[1].clone(), self.layers.activation(layer));
        }
        let difference = hidden - tensor(targets);
        (difference.clone() * difference * tensor(weights)).sum()
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

impl Restoring<'_> {
    fn known(&self, row: usize) -> usize {
        let columns = self.rows.columns;
        self.rows.observed[row * columns..(row + 1) * columns].iter().filter(|mark| **mark).count()
    }
}
