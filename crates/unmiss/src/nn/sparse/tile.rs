//! One tile: 64 hidden units of all rows, inputs and outputs.

// Parts of several blocks are walked side by side: an index says that better than a chain of zips.
#![allow(clippy::needless_range_loop)]

use super::lanes::{LANES, Lanes, Sixteen, for_lanes};
use super::network::Squash;
use super::pattern::{Batch, Pattern};
use crate::nn::optimizer::{Adam, Rule};

/// Registers of a tile.
const PARTS: usize = 4;
/// Hidden units in a tile.
pub(super) const TILE: usize = LANES * PARTS;

/// A tile's part of one row of weights.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Block(pub [Sixteen; PARTS]);

impl Block {
    pub(super) const ZERO: Self = Self([Sixteen([0.0; LANES]); PARTS]);

    /// The numbers in order.
    pub(super) fn numbers(&self) -> &[f32] {
        // SAFETY: a block is its 64 numbers one after the other and nothing else (`repr(C)`, no room between parts).
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), TILE) }
    }

    pub(super) fn numbers_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), TILE) }
    }
}

/// The numbers of some blocks in order.
pub(super) fn numbers_of_mut(blocks: &mut [Block]) -> &mut [f32] {
    // SAFETY: as above; blocks lie one after the other.
    unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), blocks.len() * TILE) }
}

/// A tile's weights, or what the optimiser remembers of them.
pub(super) struct TileOf<'a> {
    pub inputs: &'a mut [Block],
    pub outputs: &'a mut [Block],
    pub bias: &'a mut Block,
}

/// `Σ factor_e rows[place_e]`, in the order of the entries.
#[inline(always)]
fn gather<L: Lanes>(rows: &[Block], places: &[u32], factors: &[f32]) -> [L; PARTS] {
    let mut sums = [L::splat(0.0); PARTS];
    for (place, factor) in places.iter().zip(factors) {
        let (row, factor) = (&rows[*place as usize], L::splat(*factor));
        for part in 0..PARTS {
            sums[part] = sums[part].plus_times(factor, L::load(&row.0[part]));
        }
    }
    sums
}

/// `rows[row_e] += factor_e weights[column_e]` for every entry, column by column. A column's weights stay in registers
/// and the rows of a batch in the second cache, which all columns together would not fit.
#[inline(always)]
fn scatter<L: Lanes>(pattern: &Pattern, factors: &[f32], weights: &[Block], rows: &mut [Block]) {
    for (column, weight) in weights.iter().enumerate() {
        let entries = pattern.column(column);
        if entries.is_empty() {
            continue;
        }
        let weight: [L; PARTS] = loaded(weight);
        for (row, factor) in pattern.rows[entries.clone()].iter().zip(&factors[entries]) {
            let (row, factor) = (&mut rows[*row as usize], L::splat(*factor));
            for part in 0..PARTS {
                L::load(&row.0[part]).plus_times(factor, weight[part]).store(&mut row.0[part]);
            }
        }
    }
}

/// `weight · row` before the last sum.
#[inline(always)]
fn dot<L: Lanes>(weight: &[L; PARTS], row: &Block) -> L {
    let mut sum = weight[0].times(L::load(&row.0[0]));
    for part in 1..PARTS {
        sum = sum.plus_times(weight[part], L::load(&row.0[part]));
    }
    sum
}

#[inline(always)]
fn loaded<L: Lanes>(block: &Block) -> [L; PARTS] {
    let [a, b, c, d] = &block.0;
    [L::load(a), L::load(b), L::load(c), L::load(d)]
}

for_lanes! {
    /// The hidden units of every row: `g(c + Σ x V)`. Units from `units` on are there to fill the tile and stay 0.
    pub(super) fn hide<L>(squash: Squash, batch: &Batch, weights: &[Block], bias: &Block, units: usize, hidden: &mut [Block]) {
        let one = L::splat(1.0);
        hidden.fill(*bias);
        scatter::<L>(&batch.inputs, &batch.values, weights, hidden);
        for hidden in hidden {
            for part in &mut hidden.0 {
                let sum = L::load(part);
                let value = match squash {
                    Squash::Sigmoid => one.over(one.plus(L::splat(0.0).minus(sum).exponential())),
                    // tanh x = 2 / (1 + e^-2x) - 1
                    Squash::Tanh => L::splat(2.0).over(one.plus(L::splat(-2.0).times(sum).exponential())).minus(one),
                };
                value.store(part);
            }
            hidden.numbers_mut()[units..].fill(0.0);
        }
    }
}

for_lanes! {
    /// This tile's part of every wanted output, `W · h`, column by column.
    pub(super) fn score<L>(outputs: &Pattern, weights: &[Block], hidden: &[Block], scores: &mut [f32]) {
        for (column, weight) in weights.iter().enumerate() {
            let entries = outputs.column(column);
            if entries.is_empty() {
                continue;
            }
            let weight: [L; PARTS] = loaded(weight);
            let (fours, rest) = outputs.rows[entries.clone()].as_chunks::<4>();
            let (score_fours, score_rest) = scores[entries].as_chunks_mut::<4>();
            for (rows, scores) in fours.iter().zip(score_fours) {
                // One by one: a closure might not be inlined, and would then do without wide registers.
                let [a, b, c, d] = *rows;
                *scores = L::sums([
                    dot(&weight, &hidden[a as usize]),
                    dot(&weight, &hidden[b as usize]),
                    dot(&weight, &hidden[c as usize]),
                    dot(&weight, &hidden[d as usize]),
                ]);
            }
            for (row, score) in rest.iter().zip(score_rest) {
                let sum = dot(&weight, &hidden[*row as usize]);
                *score = L::sums([sum; 4])[0];
            }
        }
    }
}

for_lanes! {
    /// The gradient before the squashing, from that of the outputs, for every row; their sum over rows is returned.
    pub(super) fn unhide<L>(squash: Squash, outputs: &Pattern, weights: &[Block], gradients: &[f32], hidden: &[Block], before: &mut [Block]) -> Block {
        let one = L::splat(1.0);
        before.fill(Block::ZERO);
        scatter::<L>(outputs, gradients, weights, before);
        let mut total = [L::splat(0.0); PARTS];
        for (hidden, before) in hidden.iter().zip(before) {
            for part in 0..PARTS {
                let h = L::load(&hidden.0[part]);
                let slope = match squash {
                    Squash::Sigmoid => h.times(one.minus(h)),
                    Squash::Tanh => one.minus(h.times(h)),
                };
                let gradient = L::load(&before.0[part]).times(slope);
                gradient.store(&mut before.0[part]);
                total[part] = total[part].plus(gradient);
            }
        }
        let mut sum = Block::ZERO;
        (0..PARTS).for_each(|part| total[part].store(&mut sum.0[part]));
        sum
    }
}

/// What a tile of weights of inputs or outputs learns from.
pub(super) struct Lesson<'a> {
    /// The rule that turns gradients into steps.
    pub rule: &'a Rule,
    /// Which rows count for which weights.
    pub pattern: &'a Pattern,
    /// How much, for each entry.
    pub factors: &'a [f32],
    /// The rows.
    pub rows: &'a [Block],
    /// The weights, which are moved.
    pub weights: &'a mut [Block],
    /// What the optimiser remembers.
    pub first: &'a mut [Block],
    /// What else it remembers.
    pub second: &'a mut [Block],
}

for_lanes! {
    /// Makes the gradient of each row of weights, `Σ factor rows`, and uses it up at once.
    pub(super) fn learn<L>(lesson: Lesson<'_>) {
        let Lesson { rule, pattern, factors, rows, weights, first, second } = lesson;
        for (column, weight) in weights.iter_mut().enumerate() {
            let entries = pattern.column(column);
            let gradient = gather::<L>(rows, &pattern.rows[entries.clone()], &factors[entries]);
            match rule {
                Rule::Adam(rule) => {
                    for part in 0..PARTS {
                        adam(rule, gradient[part], &mut weight.0[part], &mut first[column].0[part], &mut second[column].0[part]);
                    }
                }
                rule => {
                    let mut numbers = Block::ZERO;
                    (0..PARTS).for_each(|part| gradient[part].store(&mut numbers.0[part]));
                    let (first, second) = (first[column].numbers_mut(), second[column].numbers_mut());
                    rule.apply(weight.numbers_mut(), numbers.numbers(), first, second);
                }
            }
        }
    }
}

/// The rule of [`Optimizer::Adam`](crate::nn::optimizer::Optimizer::Adam) on sixteen weights, operation by operation
/// the same.
#[inline(always)]
fn adam<L: Lanes>(rule: &Adam, gradient: L, weight: &mut Sixteen, mean: &mut Sixteen, square: &mut Sixteen) {
    let (w, m, v) = (L::load(weight), L::load(mean), L::load(square));
    let g = gradient.times(L::splat(rule.scale)).plus(L::splat(rule.decay).times(w));
    let m = m.plus(L::splat(1.0 - rule.beta1).times(g.minus(m)));
    let v = L::splat(rule.beta2).times(v).plus(L::splat(1.0 - rule.beta2).times(g).times(g));
    let root = v.root().times(L::splat(rule.root)).plus(L::splat(rule.epsilon));
    let w = w.times(L::splat(rule.kept)).minus(L::splat(rule.rate).times(m).over(root));
    w.store(weight);
    m.store(mean);
    v.store(square);
}
