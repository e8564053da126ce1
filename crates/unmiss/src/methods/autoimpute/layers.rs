//! The network, its loss, and the cells set aside.
//!
//! Letters: B rows of a batch, G columns of the wide layout (genes), H hidden units.

use burn::Tensor;

use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Wide};
use crate::nn::sparsity::input_factor;
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Engine, Lent, Parameters, Plain, Taped};
use crate::rng::{Stream, mix};

/// Rows that go through the network at a time where no gradient is wanted.
const AT_ONCE: usize = 512;

/// From the encoder's units to those that the network sees and back: `x = low + width · encoded`, column by column.
pub struct Units {
    low: Vec<f32>,
    width: Vec<f32>,
}

impl Units {
    /// Numbers from 0 to 1 each, or all as they stand in the table; indicators of categories are 0 or 1.
    pub fn new(encoder: &Encoder, wide: &Wide, as_they_stand: bool) -> Self {
        let column = |column: usize| match (wide.indicator(column), encoder.numbers.get(column)) {
            (Some((mean, deviation)), _) => (mean as f32, deviation as f32),
            (None, Some(number)) if as_they_stand => (number.center as f32, number.width as f32),
            _ => (0.0, 1.0),
        };
        let (low, width) = (0..wide.columns()).map(column).unzip();
        Self { low, width }
    }

    fn seen(&self, column: usize, encoded: f32) -> f32 {
        self.low[column] + self.width[column] * encoded
    }

    /// A cell as the encoder has it, from what the network says.
    pub fn encoded(&self, column: usize, said: f32) -> f32 {
        (said - self.low[column]) / self.width[column]
    }
}

/// The layout: everything but the weights.
pub struct Layers {
    /// G.
    pub columns: usize,
    /// H.
    pub hidden: usize,
    /// K of Sparsity Normalization; none: inputs are as they are.
    pub k: Option<f32>,
    /// What the network sees of a cell.
    pub units: Units,
}

impl Layers {
    /// First weights: N(0, start²), or without a start N(0, 1 / inputs) and output biases at the columns' means.
    pub fn parameters(&self, start: Option<f64>, means: &[f32], seed: u64) -> Parameters {
        let mut stream = Stream::new(seed, "autoimpute weights", 0, 0);
        let mut parameters = Parameters::new();
        for (name, inputs, outputs) in
            [("encoder", self.columns, self.hidden), ("decoder", self.hidden, self.columns)]
        {
            let deviation = start.unwrap_or((inputs.max(1) as f64).sqrt().recip());
            parameters.add_dense(name, inputs, outputs, || (deviation * stream.normal()) as f32);
            if start.is_some() {
                let biases = parameters.len() - 1;
                parameters[biases].values.fill_with(|| (deviation * stream.normal()) as f32);
            }
        }
        if start.is_none() {
            let biases = parameters.len() - 1;
            parameters[biases].values.copy_from_slice(means);
        }
        parameters
    }

    /// The input of a row: x where known, K over the number known times that with normalisation, 0 elsewhere.
    fn input(&self, values: &[f32], known: &[bool], into: &mut [f32]) {
        let count = known.iter().filter(|known| **known).count();
        let factor = self.k.map_or(1.0, |k| input_factor(k, count));
        for (column, cell) in into.iter_mut().enumerate() {
            *cell = if known[column] { factor * self.units.seen(column, values[column]) } else { 0.0 };
        }
    }

    /// `[B, G]`: what is said of all cells.
    fn forward<E: Engine>(&self, engine: &mut E, inputs: E::Value) -> E::Value {
        let hidden = engine.dense(inputs, 0, Activation::Sigmoid);
        engine.dense(hidden, 2, Activation::Identity)
    }

    /// What is said of all cells of all rows, given those under true marks, in the network's units.
    pub fn infer(&self, rows: &WideRows, known: &[bool], parameters: &Parameters) -> Vec<f32> {
        let columns = self.columns.max(1);
        let mut said = Vec::with_capacity(rows.values.len());
        let mut engine = Plain::new(parameters);
        let pieces = rows.values.chunks(AT_ONCE * columns).zip(known.chunks(AT_ONCE * columns));
        for (values, known) in pieces {
            let mut inputs = vec![0.0; values.len()];
            let lines = inputs.chunks_mut(columns).zip(values.chunks(columns)).zip(known.chunks(columns));
            lines.for_each(|((line, values), known)| self.input(values, known, line));
            let inputs = engine.input(inputs, values.len() / columns);
            let answer = self.forward(&mut engine, inputs);
            said.extend_from_slice(answer.values());
            engine.recycle(answer);
        }
        said
    }
}

/// Learning to say what is known again.
pub struct Restoring<'a> {
    /// The network.
    pub layers: &'a Layers,
    /// All rows.
    pub rows: &'a WideRows,
    /// `[rows, G]`: what is known and not set aside.
    pub learning: Vec<bool>,
    /// Whether some known cells are set aside.
    pub sets_aside: bool,
}

impl Restoring<'_> {
    /// The mean of each column over cells to learn from, in the network's units; 0 where there are none.
    pub fn means(&self) -> Vec<f32> {
        let columns = self.layers.columns;
        let mut sums = vec![(0.0, 0.0_f64); columns];
        for cell in (0..self.learning.len()).filter(|&cell| self.learning[cell]) {
            let own = &mut sums[cell % columns];
            own.0 += f64::from(self.layers.units.seen(cell % columns, self.rows.values[cell]));
            own.1 += 1.0;
        }
        sums.iter().map(|(sum, count)| (sum / count.max(1.0)) as f32).collect()
    }

    /// (column, what is left of the truth in the network's units) at known cells that it does not see.
    pub fn left(&self, parameters: &Parameters, seen: &[bool]) -> Vec<(usize, f32)> {
        let said = self.layers.infer(self.rows, seen, parameters);
        let aside = (0..said.len()).filter(|&cell| self.rows.observed[cell] && !seen[cell]);
        aside
            .map(|cell| {
                let column = cell % self.layers.columns;
                (column, self.layers.units.seen(column, self.rows.values[cell]) - said[cell])
            })
            .collect()
    }
}

impl Learner for Restoring<'_> {
    fn rows(&self) -> usize {
        self.rows.values.len().checked_div(self.layers.columns).unwrap_or(0)
    }

    /// Σ over known cells of the rows (x - y)², per row.
    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let columns = self.layers.columns;
        let size = rows.len() * columns;
        let (mut inputs, mut targets, mut marks) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        for (place, &row) in rows.iter().enumerate() {
            let (cells, line) = (row * columns..(row + 1) * columns, place * columns..(place + 1) * columns);
            let (values, known) = (&self.rows.values[cells.clone()], &self.learning[cells]);
            self.layers.input(values, known, &mut inputs[line.clone()]);
            for column in (0..columns).filter(|&column| known[column]) {
                targets[line.start + column] = self.layers.units.seen(column, values[column]);
                marks[line.start + column] = 1.0;
            }
        }
        let mut engine = Taped::new(parameters, moment);
        let inputs = engine.input(inputs, rows.len());
        let (targets, marks) = (engine.input(targets, rows.len()), engine.input(marks, rows.len()));
        let left = (self.layers.forward(&mut engine, inputs) - targets) * marks;
        (left.clone() * left).sum() / rows.len() as f32
    }

    /// Root mean square error at cells set aside.
    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        if !self.sets_aside {
            return None;
        }
        let left = self.left(parameters, &self.learning);
        let squares: f64 = left.iter().map(|(_, left)| f64::from(*left).powi(2)).sum();
        Some((squares / left.len().max(1) as f64).sqrt())
    }

    fn fingerprint(&self) -> u64 {
        let cells = self.rows.values.iter().zip(&self.learning).filter(|(_, known)| **known);
        mix(cells.map(|(value, _)| u64::from(value.to_bits())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::engine::tests::assert_agree;
    use crate::nn::product::tests::random;

    fn layers(k: Option<f32>) -> Layers {
        let units = Units { low: vec![0.0, 1.0, 0.0], width: vec![1.0, 2.0, 1.0] };
        Layers { columns: 3, hidden: 4, k, units }
    }

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        let layers = layers(None);
        let parameters = layers.parameters(Some(1.0), &[], 1);
        assert_agree!(&parameters, 5 * 3, |engine| {
            let inputs = engine.input(random(15, "inputs"), 5);
            layers.forward(engine, inputs)
        });
    }

    #[test]
    fn normalised_inputs_have_the_same_sum_however_much_is_known() {
        let line = |k, known: [bool; 3]| {
            let mut line = [9.0; 3];
            layers(k).input(&[3.0, 1.0, 3.0], &known, &mut line);
            line
        };
        assert_eq!(line(None, [true, false, true]), [3.0, 0.0, 3.0]);
        assert_eq!(line(Some(2.0), [true, false, true]), [3.0, 0.0, 3.0]);
        assert_eq!(line(Some(2.0), [true, true, true]), [2.0, 2.0, 2.0], "the second is 1 + 2 · 1");
        assert_eq!(line(Some(2.0), [false, true, false]), [0.0, 6.0, 0.0]);
    }

    #[test]
    fn only_known_cells_are_learned_from() {
        let layers = layers(None);
        let rows = WideRows { values: vec![1.0, 0.0, 2.0], observed: vec![true, true, true], columns: 3 };
        let parameters = layers.parameters(None, &[0.5, 0.5, 0.5], 1);
        let moment = Moment { seed: 0, epoch: 0, step: 0, share: 0.0 };
        let loss = |rows: &WideRows, learning: Vec<bool>| {
            let learner = Restoring { layers: &layers, rows, learning, sets_aside: false };
            learner.loss(&parameters.tensors(), &[0], &moment).into_scalar::<f32>()
        };
        let said = layers.infer(&rows, &[true, false, true], &parameters);
        let expected = (said[0] - 1.0).powi(2) + (said[2] - 2.0).powi(2);
        let found = loss(&rows, vec![true, false, true]);
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        let garbage = WideRows { values: vec![1.0, 1e9, 2.0], ..rows };
        assert_eq!(loss(&garbage, vec![true, false, true]), found);
    }
}
