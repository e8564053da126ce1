//! The products of the block, each with all that happens to its result before it leaves the registers.
//!
//! Rows and matrices lie with a pitch: their columns are filled up with zeros to whole registers. Four rows by up to 24
//! columns of sums stay in registers from the first factor to the last, so a row's sums are made in the order of the
//! columns, whatever other rows there are.

use crate::nn::lanes::{Eight, LANES, for_eights};

/// Rows that go through a product together.
pub(super) const ROWS: usize = 4;
/// Registers side by side, at most.
const WIDE: usize = 3;

/// What becomes of a product before it is stored: `output = product ⊙ observed + factor shift`, and where
/// something is carried, `output = carried + scale (product ⊙ observed) + factor shift`. Empty slices stand for what is
/// not done.
pub(super) struct After<'a> {
    pub observed: &'a [f32],
    pub scale: f32,
    pub carried: &'a [f32],
    pub factor: f32,
    pub shift: &'a [f32],
    /// `gathered += share * output`
    pub share: f32,
    pub gathered: &'a mut [f32],
}

impl Default for After<'_> {
    fn default() -> Self {
        let none = &[];
        Self {
            observed: none,
            scale: 1.0,
            carried: none,
            factor: 0.0,
            shift: none,
            share: 0.0,
            gathered: &mut [],
        }
    }
}

/// Registers of the next columns when so many are left: never one alone behind three.
fn registers(left: usize) -> usize {
    match left {
        1 => 1,
        2 | 4 => 2,
        _ => WIDE,
    }
}

for_eights! {
    /// `output = input matrix`, and what comes [`After`] it.
    ///
    /// - `input`, `output`: `[rows, pitch]`, rows in whole groups of [`ROWS`]
    /// - `matrix`: `[inner, pitch]`
    pub(super) fn layer<L>(input: &[f32], matrix: &[f32], pitch: usize, after: &mut After<'_>, output: &mut [f32]) {
        let mut column = 0;
        while column < pitch {
            let wide = registers((pitch - column) / LANES);
            match wide {
                1 => layer_columns::<L, 1>(input, matrix, pitch, column, after, output),
                2 => layer_columns::<L, 2>(input, matrix, pitch, column, after, output),
                _ => layer_columns::<L, WIDE>(input, matrix, pitch, column, after, output),
            }
            column += wide * LANES;
        }
    }
}

#[inline(always)]
fn layer_columns<L: Eight, const V: usize>(
    input: &[f32],
    matrix: &[f32],
    pitch: usize,
    column: usize,
    after: &mut After<'_>,
    output: &mut [f32],
) {
    let inner = matrix.len() / pitch;
    for first in (0..output.len() / pitch).step_by(ROWS) {
        let rows: [&[f32]; ROWS] = std::array::from_fn(|row| &input[(first + row) * pitch..][..inner]);
        let mut sums = [[L::splat(0.0); V]; ROWS];
        for (place, line) in matrix.chunks_exact(pitch).enumerate() {
            let weights = load::<L, V>(line, column);
            for (sums, row) in sums.iter_mut().zip(rows) {
                add_times(sums, row[place], weights);
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (v, sum) in sums.into_iter().enumerate() {
                finish(sum, (first + row) * pitch + column + v * LANES, after, output);
            }
        }
    }
}

#[inline(always)]
fn finish<L: Eight>(mut sum: L, at: usize, after: &mut After<'_>, output: &mut [f32]) {
    if !after.observed.is_empty() {
        sum = sum.times(L::load(eight(after.observed, at)));
    }
    if !after.carried.is_empty() {
        sum = L::load(eight(after.carried, at)).plus_times(L::splat(after.scale), sum);
    }
    if !after.shift.is_empty() {
        sum = sum.plus_times(L::splat(after.factor), L::load(eight(after.shift, at)));
    }
    sum.store(eight_mut(output, at));
    if !after.gathered.is_empty() {
        let gathered = eight_mut(after.gathered, at);
        L::load(gathered).plus_times(L::splat(after.share), sum).store(gathered);
    }
}

/// Two planes, `[rows, pitch]` each, whose products over rows are a part of a gradient.
pub(super) struct Pair<'a> {
    pub left: &'a [f32],
    pub right: &'a [f32],
    pub scale: f32,
}

for_eights! {
    /// The gradient of [`ROWS`] rows of a matrix, from `first` on: `sums[k, j] = Σ scale left[row, first + k]
    /// right[row, j]` over all rows of all pairs, one after the other. `sums` is `[ROWS, pitch]`.
    pub(super) fn crossed<L>(pairs: &[Pair<'_>], pitch: usize, first: usize, sums: &mut [f32]) {
        let mut column = 0;
        while column < pitch {
            let wide = registers((pitch - column) / LANES);
            match wide {
                1 => crossed_columns::<L, 1>(pairs, pitch, first, column, sums),
                2 => crossed_columns::<L, 2>(pairs, pitch, first, column, sums),
                _ => crossed_columns::<L, WIDE>(pairs, pitch, first, column, sums),
            }
            column += wide * LANES;
        }
    }
}

#[inline(always)]
fn crossed_columns<L: Eight, const V: usize>(
    pairs: &[Pair<'_>],
    pitch: usize,
    first: usize,
    column: usize,
    output: &mut [f32],
) {
    let mut sums = [[L::splat(0.0); V]; ROWS];
    for Pair { left, right, scale } in pairs {
        for (left, right) in left.chunks_exact(pitch).zip(right.chunks_exact(pitch)) {
            let right = load::<L, V>(right, column);
            for (sums, value) in sums.iter_mut().zip(&left[first..first + ROWS]) {
                add_times(sums, scale * value, right);
            }
        }
    }
    for (row, sums) in sums.into_iter().enumerate() {
        for (v, sum) in sums.into_iter().enumerate() {
            sum.store(eight_mut(output, row * pitch + column + v * LANES));
        }
    }
}

for_eights! {
    /// `Σ left * right` over whole registers.
    pub(super) fn dot<L>(left: &[f32], right: &[f32]) -> f32 {
        // Four sums at a time: one would wait for itself.
        let mut sums = [L::splat(0.0); 4];
        for (left, right) in left.chunks(4 * LANES).zip(right.chunks(4 * LANES)) {
            for (sum, at) in sums.iter_mut().zip((0..left.len()).step_by(LANES)) {
                *sum = sum.plus_times(L::load(eight(left, at)), L::load(eight(right, at)));
            }
        }
        let mut all = [0.0; LANES];
        sums[0].plus(sums[1]).plus(sums[2].plus(sums[3])).store(&mut all);
        all.iter().sum()
    }
}

/// `sums += value * others`
#[inline(always)]
fn add_times<L: Eight, const V: usize>(sums: &mut [L; V], value: f32, others: [L; V]) {
    let value = L::splat(value);
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum = sum.plus_times(value, other);
    }
}

#[inline(always)]
fn load<L: Eight, const V: usize>(line: &[f32], column: usize) -> [L; V] {
    let line = &line[column..column + V * LANES];
    std::array::from_fn(|v| L::load(eight(line, v * LANES)))
}

#[inline(always)]
fn eight(values: &[f32], at: usize) -> &[f32; LANES] {
    (&values[at..at + LANES]).try_into().unwrap_or_else(|_| unreachable!("a slice of eight"))
}

#[inline(always)]
fn eight_mut(values: &mut [f32], at: usize) -> &mut [f32; LANES] {
    (&mut values[at..at + LANES]).try_into().unwrap_or_else(|_| unreachable!("a slice of eight"))
}
