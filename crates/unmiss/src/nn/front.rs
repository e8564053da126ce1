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

mod backward;
mod written;

use burn::Tensor;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::ops::{Backward, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;
use std::sync::Arc;

use crate::nn::cells::Cells;
use crate::nn::periodic::cosines;
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::{Lent, Parameters};
use crate::rng::Stream;
use backward::{FrontOperation, State};

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
        parameters.add("front/frequencies", [self.numbers, FREQUENCIES], || normal(0.1));
        let mut turn = || normal(1.0).rem_euclid(1.0);
        parameters.add("front/phases", [self.numbers, FREQUENCIES], &mut turn);
        let scale = 1.0 / (FREQUENCIES as f64).sqrt();
        parameters.add("front/mixing", [self.numbers, FREQUENCIES * MIXTURES], || normal(scale));
        parameters.add("front/holes", [self.numbers, NUMBER_TOKEN], || 0.0);
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
        parameters.add("front/tables", [1, self.table_size], || tables.next().unwrap_or(0.0));
        parameters.add("front/factors", [1, self.width], || 1.0);
        for index in first..parameters.len() {
            parameters[index].decay = false;
        }
    }

    /// The vectors of a batch, with gradients. Numbers under a false mark are guesses, or not read at all.
    ///
    /// # Shapes
    /// - `parameters`: the [`FRONT_PARAMETERS`] matrices from `first` on
    /// - output: `[rows, width]`
    pub fn forward(self: &Arc<Self>, cells: Cells<'_>, parameters: &Lent, first: usize) -> Tensor<2> {
        let parts =
            (0..FRONT_PARAMETERS).map(|index| taped(parameters.tensor::<2>(first + index)).into_parts());
        let (tensors, nodes): (Vec<FlexTensor>, Vec<_>) = parts.unzip();
        let tensors: Vec<FlexTensor> = tensors.into_iter().map(contiguous).collect();
        let nodes: [_; FRONT_PARAMETERS] =
            nodes.try_into().unwrap_or_else(|_| unreachable!("the front has six matrices"));
        let shape = [cells.rows, self.width];
        let mut output = Vec::new();
        self.apply(&cells, Weights::new(&tensors), &mut output);
        let state = State { front: Arc::clone(self), cells: Arc::new(cells.into_owned()), tensors };
        let operation = FrontOperation.prepare::<NoCheckpointing>(nodes).compute_bound().stateful();
        from_taped(match operation {
            OpsKind::Tracked(prepared) => prepared.finish(state, plain(output, shape)),
            OpsKind::UnTracked(prepared) => prepared.finish(plain(output, shape)),
        })
    }

    /// The vectors of rows, for prediction: `output` becomes `[rows, width]`.
    pub fn infer(&self, cells: &Cells<'_>, parameters: &Parameters, first: usize, output: &mut Vec<f32>) {
        let matrix = |index: usize| parameters[first + index].values.as_slice();
        let weights = Weights {
            frequencies: matrix(0),
            phases: matrix(1),
            mixing: matrix(2),
            holes: matrix(3),
            tables: matrix(4),
            factors: matrix(5),
        };
        self.apply(cells, weights, output);
    }

    fn apply(&self, cells: &Cells<'_>, weights: Weights<'_>, output: &mut Vec<f32>) {
        output.clear();
        output.resize(cells.rows * self.width, 0.0);
        if self.width == 0 {
            return;
        }
        let work = |(row, output): (usize, &mut [f32])| self.apply_row(cells, row, weights, output);
        if cells.rows * (self.numbers + self.categories.len()) > TOKENS_WORTH_THREADS {
            output.par_chunks_mut(self.width).enumerate().with_min_len(16).for_each(work);
        } else {
            output.chunks_mut(self.width).enumerate().for_each(work);
        }
    }

    fn apply_row(&self, cells: &Cells<'_>, row: usize, weights: Weights<'_>, output: &mut [f32]) {
        let normal = self.factor(cells, row);
        for column in 0..self.numbers {
            let cell = row * self.numbers + column;
            let token = &mut output[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
            let observed = cells.numbers_observed[cell];
            if observed || self.guessed {
                number_token(cells.numbers[cell], weights, column, token);
            }
            finish_number(token, observed, normal, &weights.holes[column * NUMBER_TOKEN..]);
        }
        for (column, table) in self.categories.iter().enumerate() {
            let (entry, observed) = table.entry(cells, row * self.categories.len() + column);
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
    fn factor(&self, cells: &Cells<'_>, row: usize) -> f32 {
        self.normalization.map_or(1.0, |k| {
            let numbers = &cells.numbers_observed[row * self.numbers..(row + 1) * self.numbers];
            let width = self.categories.len();
            let codes = &cells.codes_observed[row * width..(row + 1) * width];
            let known = numbers.iter().chain(codes).filter(|observed| **observed).count();
            k / known.max(1) as f32
        })
    }
}

impl Table {
    /// Start of the entry for a cell among all tables, and whether the cell is known.
    fn entry(&self, cells: &Cells<'_>, cell: usize) -> (usize, bool) {
        let observed = cells.codes_observed[cell];
        let code = if observed { (cells.codes[cell] as usize).min(self.codes) } else { self.codes };
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

#[cfg(test)]
mod tests;
