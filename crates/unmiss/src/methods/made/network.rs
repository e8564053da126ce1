//! The network and its training: masked layers, Sparsity Normalization in its published forms and in one that keeps the
//! density a density.
//!
//! ```text
//! none       h = relu(x (W ⊙ M) + b)
//! paper      the same of K x / |x|₀, every input divided by how many of the row are not 0 (published)
//! paper-all  and every mask divided by the number of connections of each unit, times their mean (published)
//! valid      h_j = relu( K / max(c_j, 1) Σ_i x_i W_ij M_ij + b_j ),   c_j = Σ_i M_ij 1[x_i ≠ 0]
//! ```
//!
//! The published forms let every output know how many inputs are not 0, also those that come after it: what they call
//! a likelihood is not one. In the valid form a unit is divided by the number of inputs that it may know of.

use burn::Tensor;

use super::cells::{Cells, Features};
use super::masks::Order;
use super::{Normalization, Settings};
use crate::nn::loss::fused;
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Connections, Engine, Lent, Parameters, Plain, Taped};
use crate::rng::{Stream, mix};

/// Rows judged at a time.
const AT_ONCE: usize = 128;

/// The layout: everything but the weights.
pub struct Network {
    pub features: Features,
    pub orders: Vec<Order>,
    /// K.
    pub k: f32,
    normalization: Normalization,
    widths: Vec<usize>,
    /// The masks of each order.
    masks: Vec<Vec<Connections>>,
    /// Inputs that hold values and not marks.
    value_inputs: usize,
    /// Where each feature's outputs begin, and where the last end.
    pub starts: Vec<usize>,
}

impl Network {
    /// Whether a cell is told something about later ones, so that the cells' chances make no density of the row.
    pub fn leaks(&self) -> bool {
        matches!(self.normalization, Normalization::Paper | Normalization::PaperAll)
    }

    pub fn new(settings: &Settings, features: Features, orders: Vec<Order>, k: f32) -> Self {
        let (inputs, outputs) = (features.inputs(), features.outputs());
        let marks = if features.marked { features.forms.len() } else { 0 };
        let widths = [vec![inputs.len()], settings.hidden.clone(), vec![outputs.len()]].concat();
        let normalization = settings.normalization;
        let masks = orders.iter().map(|order| order.connections(&inputs, &outputs, normalization)).collect();
        let mut starts = vec![0];
        features.forms.iter().for_each(|form| starts.push(starts[starts.len() - 1] + form.outputs()));
        let value_inputs = inputs.len() - marks;
        Self { features, orders, k, normalization, widths, masks, value_inputs, starts }
    }

    /// K from the rows to learn from: the mean number of values that are not 0, or of those that a unit may know of.
    pub fn learn_k(&mut self, cells: &Cells) {
        let (mut total, mut count) = (0.0, 0.0);
        for row in (0..cells.len()).step_by(cells.len().div_ceil(1_000).max(1)) {
            let (values, known) = cells.row(row);
            let mut line = Vec::new();
            self.features.write(values, known, &mut line);
            let counts: Vec<f32> = match self.normalization {
                Normalization::Valid => {
                    self.counts(&line, &self.masks[0][0]).filter(|own| *own > 0.0).collect()
                }
                _ => vec![line[..self.value_inputs].iter().filter(|value| **value != 0.0).count() as f32],
            };
            total += counts.iter().sum::<f32>();
            count += counts.len() as f32;
        }
        self.k = (total / f32::max(count, 1.0)).max(1.0);
    }

    /// How many values that are not 0 each unit of the first layer may know of.
    fn counts(&self, line: &[f32], mask: &Connections) -> impl Iterator<Item = f32> {
        let mut counts = vec![0.0; self.widths[1]];
        for (input, _) in line[..self.value_inputs].iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let reached = counts.iter_mut().enumerate().filter(|(unit, _)| mask.connected(input, *unit));
            reached.for_each(|(_, count)| *count += 1.0);
        }
        counts.into_iter()
    }

    /// Weights with their first values: uniform in ±sqrt(6 / inputs), biases 0.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "made weights", 0, 0);
        let layers = self.widths.len() - 1;
        for (layer, pair) in self.widths.windows(2).enumerate() {
            // What is said first is near the same for every row.
            let bound = (6.0 / pair[0].max(1) as f64).sqrt() * if layer + 1 == layers { 0.1 } else { 1.0 };
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            parameters.add_dense(&format!("layer {layer}"), pair[0], pair[1], draw);
        }
        parameters
    }

    /// What is said of all features given those before them in an order: `inputs` is `[B, inputs]`.
    pub fn forward<E: Engine>(
        &self,
        engine: &mut E,
        order: usize,
        mut inputs: Vec<f32>,
        rows: usize,
    ) -> E::Value {
        let masks = &self.masks[order];
        let width = self.widths[0].max(1);
        let scale = match self.normalization {
            Normalization::None => None,
            Normalization::Paper | Normalization::PaperAll => {
                for line in inputs.chunks_exact_mut(width) {
                    let values = &mut line[..self.value_inputs];
                    let count = values.iter().filter(|value| **value != 0.0).count();
                    values.iter_mut().for_each(|value| *value *= self.k / count.max(1) as f32);
                }
                None
            }
            Normalization::Valid => {
                let line = |line: &[f32]| {
                    self.counts(line, &masks[0]).map(|own| self.k / own.max(1.0)).collect::<Vec<_>>()
                };
                Some(inputs.chunks_exact(width).flat_map(line).collect())
            }
        };
        let mut hidden = engine.input(inputs, rows);
        hidden = engine.masked_dense(hidden, 0, &masks[0], scale, Activation::Relu);
        let last = masks.len() - 1;
        for (layer, mask) in masks.iter().enumerate().skip(1) {
            let activation = if layer == last { Activation::Identity } else { Activation::Relu };
            hidden = engine.masked_dense(hidden, 2 * layer, mask, None, activation);
        }
        hidden
    }

    /// The same on plain numbers, for rows of values and marks: `[rows, outputs]`.
    pub fn said(&self, parameters: &Parameters, order: usize, rows: &[(&[f32], &[bool])]) -> Vec<f32> {
        let mut inputs = Vec::with_capacity(rows.len() * self.widths[0]);
        rows.iter().for_each(|(values, known)| self.features.write(values, known, &mut inputs));
        self.forward(&mut Plain::new(parameters), order, inputs, rows.len()).into_values()
    }

    /// ln p of the known features of a row, given what was said.
    pub fn log_density(&self, said: &[f32], values: &[f32], known: &[bool]) -> f64 {
        let judged = (0..known.len()).filter(|feature| known[*feature]);
        judged
            .map(|feature| {
                self.features.forms[feature].log_density(self.part(said, feature), values[feature], None)
            })
            .sum()
    }

    /// What was said of a feature.
    pub fn part<'a>(&self, said: &'a [f32], feature: usize) -> &'a [f32] {
        &said[self.starts[feature]..self.starts[feature + 1]]
    }
}

/// Learning the conditionals.
pub struct Learning<'a> {
    pub network: &'a Network,
    pub cells: &'a Cells,
    pub learning: Vec<usize>,
    pub validation: Vec<usize>,
    /// The largest share of a row's known features that is hidden.
    pub hide: f64,
}

impl Learning<'_> {
    /// The marks of a row with a part of what is known hidden; every second row is seen as it is.
    fn marks(&self, row: usize, moment: &Moment) -> Vec<bool> {
        let known = self.cells.row(row).1;
        let mut stream = Stream::new(moment.seed, "made holes", moment.step, row as u64);
        let share = if stream.uniform() < 0.5 { 0.0 } else { self.hide * stream.uniform() };
        known.iter().map(|known| *known && (share == 0.0 || stream.uniform() >= share)).collect()
    }
}

impl Learner for Learning<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    /// The mean over rows of -Σ ln p(x_f | before), over what is shown. Every step has another order.
    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let network = self.network;
        let order = (moment.step % network.orders.len() as u64) as usize;
        let mut inputs = Vec::new();
        let shown: Vec<(&[f32], Vec<bool>)> = rows
            .iter()
            .map(|&row| (self.cells.row(self.learning[row]).0, self.marks(self.learning[row], moment)))
            .collect();
        shown.iter().for_each(|(values, marks)| network.features.write(values, marks, &mut inputs));
        let said = network.forward(&mut Taped::new(parameters, moment), order, inputs, rows.len());
        fused(said, |said, outputs| {
            let (mut total, mut gradient) = (0.0, vec![0.0; said.len()]);
            let factor = 1.0 / rows.len().max(1) as f64;
            for (row, (values, marks)) in shown.iter().enumerate() {
                for feature in (0..marks.len()).filter(|feature| marks[*feature]) {
                    let own =
                        row * outputs + network.starts[feature]..row * outputs + network.starts[feature + 1];
                    let slopes = Some((&mut gradient[own.clone()], factor));
                    let form = network.features.forms[feature];
                    total -= factor * form.log_density(&said[own], values[feature], slopes);
                }
            }
            (total, gradient)
        })
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let (mut total, outputs) = (0.0, self.network.widths[self.network.widths.len() - 1]);
        for some in self.validation.chunks(AT_ONCE) {
            let rows: Vec<(&[f32], &[bool])> = some.iter().map(|&row| self.cells.row(row)).collect();
            for order in 0..self.network.orders.len() {
                let said = self.network.said(parameters, order, &rows);
                for ((values, known), said) in rows.iter().zip(said.chunks_exact(outputs.max(1))) {
                    total -= self.network.log_density(said, values, known);
                }
            }
        }
        (!self.validation.is_empty())
            .then(|| total / (self.validation.len() * self.network.orders.len()) as f64)
    }

    fn fingerprint(&self) -> u64 {
        let cells = self.cells.values.iter().zip(&self.cells.known);
        mix(cells.map(|(value, known)| u64::from(value.to_bits()) << 1 | u64::from(*known)))
    }
}

#[cfg(test)]
mod tests;
