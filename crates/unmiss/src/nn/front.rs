//! The front of the tabular network: a row with holes becomes a vector without any.
//!
//! Every column contributes a token; the tokens stand side by side.
//!
//! ```text
//! number x, known     [x, Σ_f cos(2π(w_f x + b_f)) V_f]     w, b, V learned per column
//! number, missing     h                                      h learned per column
//!   with a guess x̂    token of x̂, + h                        x̂: its mean given the known columns
//! category, known     row `code` of the column's table       learned
//! category, missing   the table's last row                   learned
//! ```
//!
//! The network is so told which cells are missing, and what that means is learned column by column. With
//! Sparsity Normalization the tokens of known cells are multiplied by K / (number of known columns). Last,
//! every coordinate has a learned factor of its own.
//!
//! It is one operation with its own backward pass: the tokens of a batch are small and many, and as single
//! tensor operations they would cost more than the layers behind them.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;
use std::sync::Arc;

use crate::encode::Encoded;
use crate::nn::Parameters;
use crate::nn::periodic::{cosines, sines};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::rng::Stream;

/// Cosines per number column.
pub const FREQUENCIES: usize = 16;
/// Coordinates of a number's token: the number itself and three mixtures of cosines.
pub const NUMBER_TOKEN: usize = 4;
const MIXTURES: usize = NUMBER_TOKEN - 1;
/// Most coordinates of a category's token.
const MOST_CATEGORY_TOKEN: usize = 8;
/// Batches with fewer tokens than this stay on one thread.
const TOKENS_WORTH_THREADS: usize = 2048;

/// The layout of tokens: made from the columns, the same for fit and load.
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    numbers: usize,
    categories: Vec<Table>,
    /// K, if rows are normalised by the number of their known columns.
    normalization: Option<f32>,
    /// Whether missing numbers come with a guess.
    guessed: bool,
    width: usize,
    table_size: usize,
}

/// Where a category's table stands among all tables, and its token among all tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Table {
    codes: usize,
    token: usize,
    start: usize,
    first: usize,
}

/// The learned matrices, in the order in which [`Front::add_parameters`] adds them.
#[derive(Clone, Copy)]
struct Weights<'a> {
    frequencies: &'a [f32],
    phases: &'a [f32],
    mixing: &'a [f32],
    holes: &'a [f32],
    tables: &'a [f32],
    factors: &'a [f32],
}

/// How many matrices the front has.
pub const FRONT_PARAMETERS: usize = 6;

impl Front {
    /// The layout for so many number columns and categories with so many codes each.
    pub fn new(numbers: usize, codes: &[usize], normalization: Option<f32>, guessed: bool) -> Self {
        let (mut start, mut first) = (0, numbers * NUMBER_TOKEN);
        let categories = codes.iter().map(|&codes| {
            let table = Table { codes, token: codes.min(MOST_CATEGORY_TOKEN), start, first };
            start += (codes + 1) * table.token;
            first += table.token;
            table
        });
        let categories = categories.collect();
        Self { numbers, categories, normalization, guessed, width: first, table_size: start }
    }

    /// Length of a row's vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Widths of the tokens, in the order in which they stand side by side.
    pub fn tokens(&self) -> impl Iterator<Item = usize> {
        let numbers = std::iter::repeat_n(NUMBER_TOKEN, self.numbers);
        numbers.chain(self.categories.iter().map(|table| table.token))
    }

    /// Adds the learned matrices, with their first values.
    pub fn add_parameters(&self, parameters: &mut Parameters, stream: &mut Stream) {
        let first = parameters.len();
        let mut normal = |deviation: f64| (stream.normal() * deviation) as f32;
        parameters.add("front/frequencies", self.numbers, FREQUENCIES, || normal(0.1));
        let mut turn = || normal(1.0).rem_euclid(1.0);
        parameters.add("front/phases", self.numbers, FREQUENCIES, &mut turn);
        let scale = 1.0 / (FREQUENCIES as f64).sqrt();
        parameters.add("front/mixing", self.numbers, FREQUENCIES * MIXTURES, || normal(scale));
        parameters.add("front/holes", self.numbers, NUMBER_TOKEN, || 0.0);
        let mut tables = Vec::with_capacity(self.table_size);
        for table in &self.categories {
            let identity = table.codes == table.token;
            for code in 0..table.codes {
                tables.extend((0..table.token).map(|place| match identity {
                    true => f32::from(u8::from(code == place)),
                    false => normal(0.5),
                }));
            }
            tables.extend(std::iter::repeat_n(0.0, table.token));
        }
        let mut tables = tables.into_iter();
        parameters.add("front/tables", 1, self.table_size, || tables.next().unwrap_or(0.0));
        parameters.add("front/factors", 1, self.width, || 1.0);
        for index in first..parameters.len() {
            parameters[index].decay = false;
        }
    }

    /// The vectors of a batch, with gradients. Numbers under a false mark are guesses, or not read at all.
    ///
    /// # Shapes
    /// - `parameters`: the [`FRONT_PARAMETERS`] matrices
    /// - output: `[rows, width]`
    pub fn forward(self: &Arc<Self>, rows: Encoded, parameters: &[Tensor<2>]) -> Tensor<2> {
        let parts = parameters.iter().take(FRONT_PARAMETERS).map(|tensor| taped(tensor.clone()).into_parts());
        let (tensors, nodes): (Vec<FlexTensor>, Vec<_>) = parts.unzip();
        let tensors: Vec<FlexTensor> = tensors.into_iter().map(contiguous).collect();
        let nodes: [_; FRONT_PARAMETERS] =
            nodes.try_into().unwrap_or_else(|_| unreachable!("the front has six matrices"));
        let shape = [rows.rows, self.width];
        let mut output = Vec::new();
        self.apply(&rows, Weights::new(&tensors), &mut output);
        let state = State { front: Arc::clone(self), rows: Arc::new(rows), tensors };
        let operation = FrontOperation.prepare::<NoCheckpointing>(nodes).compute_bound().stateful();
        from_taped(match operation {
            OpsKind::Tracked(prepared) => prepared.finish(state, plain(output, shape)),
            OpsKind::UnTracked(prepared) => prepared.finish(plain(output, shape)),
        })
    }

    /// The vectors of rows, for prediction: `output` becomes `[rows, width]`.
    pub fn infer(&self, rows: &Encoded, parameters: &Parameters, first: usize, output: &mut Vec<f32>) {
        let matrix = |index: usize| parameters[first + index].values.as_slice();
        let weights = Weights {
            frequencies: matrix(0),
            phases: matrix(1),
            mixing: matrix(2),
            holes: matrix(3),
            tables: matrix(4),
            factors: matrix(5),
        };
        self.apply(rows, weights, output);
    }

    fn apply(&self, rows: &Encoded, weights: Weights<'_>, output: &mut Vec<f32>) {
        output.clear();
        output.resize(rows.rows * self.width, 0.0);
        if self.width == 0 {
            return;
        }
        let work = |(row, output): (usize, &mut [f32])| self.apply_row(rows, row, weights, output);
        if rows.rows * (self.numbers + self.categories.len()) > TOKENS_WORTH_THREADS {
            output.par_chunks_mut(self.width).enumerate().with_min_len(16).for_each(work);
        } else {
            output.chunks_mut(self.width).enumerate().for_each(work);
        }
    }

    fn apply_row(&self, rows: &Encoded, row: usize, weights: Weights<'_>, output: &mut [f32]) {
        let normal = self.factor(rows, row);
        for column in 0..self.numbers {
            let cell = row * self.numbers + column;
            let token = &mut output[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
            let observed = rows.numbers_observed[cell];
            if observed || self.guessed {
                number_token(rows.numbers[cell], weights, column, token);
            }
            finish_number(token, observed, normal, &weights.holes[column * NUMBER_TOKEN..]);
        }
        for (column, table) in self.categories.iter().enumerate() {
            let (entry, observed) = table.entry(rows, row * self.categories.len() + column);
            let factor = if observed { normal } else { 1.0 };
            let token = &mut output[table.first..table.first + table.token];
            for (value, learned) in token.iter_mut().zip(&weights.tables[entry..]) {
                *value = learned * factor;
            }
        }
        for (value, factor) in output.iter_mut().zip(weights.factors) {
            *value *= factor;
        }
    }

    /// K / max(known columns, 1), or 1 without normalisation.
    fn factor(&self, rows: &Encoded, row: usize) -> f32 {
        self.normalization.map_or(1.0, |k| {
            let numbers = &rows.numbers_observed[row * self.numbers..(row + 1) * self.numbers];
            let width = self.categories.len();
            let codes = &rows.codes_observed[row * width..(row + 1) * width];
            let known = numbers.iter().chain(codes).filter(|observed| **observed).count();
            k / known.max(1) as f32
        })
    }
}

impl Table {
    /// Start of the entry for a cell among all tables, and whether the cell is known.
    fn entry(&self, rows: &Encoded, cell: usize) -> (usize, bool) {
        let observed = rows.codes_observed[cell];
        let code = if observed { (rows.codes[cell] as usize).min(self.codes) } else { self.codes };
        (self.start + code * self.token, observed)
    }
}

impl<'a> Weights<'a> {
    fn new(tensors: &'a [FlexTensor]) -> Self {
        Self {
            frequencies: values(&tensors[0]),
            phases: values(&tensors[1]),
            mixing: values(&tensors[2]),
            holes: values(&tensors[3]),
            tables: values(&tensors[4]),
            factors: values(&tensors[5]),
        }
    }

    fn of_column(&self, column: usize) -> (&'a [f32], &'a [f32], &'a [f32]) {
        let range = column * FREQUENCIES..(column + 1) * FREQUENCIES;
        let mixing = column * FREQUENCIES * MIXTURES..(column + 1) * FREQUENCIES * MIXTURES;
        (&self.frequencies[range.clone()], &self.phases[range], &self.mixing[mixing])
    }
}

/// `[x, Σ_f cos(2π(w_f x + b_f)) V_f]`
fn number_token(x: f32, weights: Weights<'_>, column: usize, token: &mut [f32]) {
    let (frequencies, phases, mixing) = weights.of_column(column);
    let mut turns = [0.0_f32; FREQUENCIES];
    for ((turn, w), b) in turns.iter_mut().zip(frequencies).zip(phases) {
        *turn = w * x + b;
    }
    cosines(&mut turns);
    token[0] = x;
    for (cosine, mix) in turns.iter().zip(mixing.chunks_exact(MIXTURES)) {
        for (value, v) in token[1..].iter_mut().zip(mix) {
            *value += cosine * v;
        }
    }
}

fn finish_number(token: &mut [f32], observed: bool, normal: f32, hole: &[f32]) {
    for (value, hole) in token.iter_mut().zip(hole) {
        *value = if observed { *value * normal } else { *value + hole };
    }
}

#[derive(Debug, Clone)]
struct State {
    front: Arc<Front>,
    rows: Arc<Encoded>,
    tensors: Vec<FlexTensor>,
}

#[derive(Debug)]
struct FrontOperation;

impl Backward<Flex, FRONT_PARAMETERS> for FrontOperation {
    type State = State;

    fn backward(self, ops: Ops<State, FRONT_PARAMETERS>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { front, rows, tensors } = ops.state;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let found = front.backward(&rows, Weights::new(&tensors), values(&gradient));
        let shapes = [
            [front.numbers, FREQUENCIES],
            [front.numbers, FREQUENCIES],
            [front.numbers, FREQUENCIES * MIXTURES],
            [front.numbers, NUMBER_TOKEN],
            [1, front.table_size],
            [1, front.width],
        ];
        for ((node, found), shape) in ops.parents.into_iter().zip(found).zip(shapes) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, plain(found, shape));
            }
        }
    }
}

/// Gradients of one number column's weights.
#[derive(Default)]
struct NumberGradient {
    frequencies: [f32; FREQUENCIES],
    phases: [f32; FREQUENCIES],
    mixing: [[f32; MIXTURES]; FREQUENCIES],
    hole: [f32; NUMBER_TOKEN],
    factors: [f32; NUMBER_TOKEN],
}

impl Front {
    /// Gradients of the six matrices. Columns are independent, so threads share them out and every sum
    /// over rows is made in one order.
    fn backward(
        &self,
        rows: &Encoded,
        weights: Weights<'_>,
        gradient: &[f32],
    ) -> [Vec<f32>; FRONT_PARAMETERS] {
        let normals: Vec<f32> = (0..rows.rows).map(|row| self.factor(rows, row)).collect();
        let number = |column: usize| self.number_gradient(rows, weights, gradient, &normals, column);
        let parallel = rows.rows * self.numbers > TOKENS_WORTH_THREADS;
        let numbers: Vec<NumberGradient> = if parallel {
            (0..self.numbers).into_par_iter().map(number).collect()
        } else {
            (0..self.numbers).map(number).collect()
        };
        let mut tables = vec![0.0; self.table_size];
        let mut factors: Vec<f32> = numbers.iter().flat_map(|number| number.factors).collect();
        factors.resize(self.width, 0.0);
        for (column, table) in self.categories.iter().enumerate() {
            for (row, normal) in normals.iter().enumerate() {
                let (entry, observed) = table.entry(rows, row * self.categories.len() + column);
                let normal = if observed { *normal } else { 1.0 };
                for place in 0..table.token {
                    let flow = gradient[row * self.width + table.first + place] * normal;
                    factors[table.first + place] += flow * weights.tables[entry + place];
                    tables[entry + place] += flow * weights.factors[table.first + place];
                }
            }
        }
        [
            numbers.iter().flat_map(|number| number.frequencies).collect(),
            numbers.iter().flat_map(|number| number.phases).collect(),
            numbers.iter().flat_map(|number| number.mixing.into_iter().flatten()).collect(),
            numbers.iter().flat_map(|number| number.hole).collect(),
            tables,
            factors,
        ]
    }

    fn number_gradient(
        &self,
        rows: &Encoded,
        weights: Weights<'_>,
        gradient: &[f32],
        normals: &[f32],
        column: usize,
    ) -> NumberGradient {
        let (frequencies, phases, mixing) = weights.of_column(column);
        let factors = &weights.factors[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
        let holes = &weights.holes[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
        let mut found = NumberGradient::default();
        for (row, normal) in normals.iter().enumerate() {
            let cell = row * self.numbers + column;
            let observed = rows.numbers_observed[cell];
            let start = row * self.width + column * NUMBER_TOKEN;
            let incoming = &gradient[start..start + NUMBER_TOKEN];
            let mut flow = [0.0_f32; NUMBER_TOKEN];
            let mut token = [0.0_f32; NUMBER_TOKEN];
            let normal = if observed { *normal } else { 1.0 };
            for place in 0..NUMBER_TOKEN {
                flow[place] = incoming[place] * factors[place] * normal;
                if !observed {
                    token[place] = holes[place];
                    found.hole[place] += flow[place];
                }
            }
            if observed || self.guessed {
                let x = rows.numbers[cell];
                let mut turns = [0.0_f32; FREQUENCIES];
                for ((turn, w), b) in turns.iter_mut().zip(frequencies).zip(phases) {
                    *turn = w * x + b;
                }
                let mut sine = turns;
                cosines(&mut turns);
                sines(&mut sine);
                token[0] += x;
                for (f, mix) in mixing.chunks_exact(MIXTURES).enumerate() {
                    let mut to_cosine = 0.0;
                    for place in 0..MIXTURES {
                        token[place + 1] += turns[f] * mix[place];
                        found.mixing[f][place] += flow[place + 1] * turns[f];
                        to_cosine += flow[place + 1] * mix[place];
                    }
                    // d cos(2πt)/dt = -2π sin(2πt)
                    let to_turn = -std::f32::consts::TAU * sine[f] * to_cosine;
                    found.frequencies[f] += to_turn * x;
                    found.phases[f] += to_turn;
                }
            }
            for place in 0..NUMBER_TOKEN {
                found.factors[place] += incoming[place] * normal * token[place];
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Encoded {
        Encoded {
            rows: 3,
            numbers: vec![0.5, -1.2, 0.3, 0.7, -0.4, 2.0],
            numbers_observed: vec![true, false, true, true, false, false],
            codes: vec![1, 0, 2],
            codes_observed: vec![true, false, true],
        }
    }

    fn parameters(front: &Front) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(1, "front", 0, 0);
        front.add_parameters(&mut parameters, &mut stream);
        // Away from the special first values, so that no gradient is zero by accident.
        for parameter in parameters.iter_mut() {
            parameter.values.iter_mut().for_each(|value| *value += (stream.normal() * 0.3) as f32);
        }
        parameters
    }

    /// A loss with a different slope at every output: Σ c_i out_i.
    fn loss(front: &Front, parameters: &Parameters) -> f64 {
        let mut output = Vec::new();
        front.infer(&rows(), parameters, 0, &mut output);
        output.iter().enumerate().map(|(place, value)| f64::from(*value) * (place as f64 * 0.7).sin()).sum()
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        for (normalization, guessed) in [(None, false), (Some(2.0), false), (Some(2.0), true), (None, true)] {
            let front = Arc::new(Front::new(2, &[3], normalization, guessed));
            let parameters = parameters(&front);
            let tensors = parameters.tensors();
            let output = front.forward(rows(), &tensors);
            let slopes: Vec<f32> = (0..3 * front.width()).map(|place| (place as f32 * 0.7).sin()).collect();
            let slopes = burn::tensor::TensorData::new(slopes, [3, front.width()]);
            let slopes = Tensor::<2>::from_data(slopes, &crate::nn::training_device());
            let gradients = (output * slopes).sum().backward();
            for (index, tensor) in tensors.iter().enumerate() {
                let found = crate::nn::tape::into_values(tensor.grad(&gradients).unwrap());
                for (place, found) in found.iter().enumerate() {
                    let moved = |by: f32| {
                        let mut parameters = parameters.clone();
                        parameters[index].values[place] += by;
                        loss(&front, &parameters)
                    };
                    let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                    let error = (f64::from(*found) - expected).abs();
                    assert!(error < 0.01 * (1.0 + expected.abs()), "{index} {place}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn values_under_the_mask_are_not_read() {
        let front = Front::new(2, &[3], Some(2.0), false);
        let parameters = parameters(&front);
        let (mut clean, mut dirty) = (Vec::new(), Vec::new());
        front.infer(&rows(), &parameters, 0, &mut clean);
        let mut garbage = rows();
        garbage.numbers[1] = f32::NAN;
        garbage.numbers[5] = 1e30;
        garbage.codes[1] = u32::MAX;
        front.infer(&garbage, &parameters, 0, &mut dirty);
        assert_eq!(clean, dirty);
    }
}
