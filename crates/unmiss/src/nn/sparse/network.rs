//! The network and its answers.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::lanes::Level;
use super::pattern::{Batch, Pattern};
use super::tile::{Block, TILE, TileOf, hide, numbers_of_mut, score};
use crate::rng::Stream;
use crate::store::Named;

/// Rows of weights that are drawn at a time.
const DRAWN: usize = 1024;

/// Wanted outputs that a thread sums up at a time.
const CHUNK: usize = 1 << 14;

/// What squashes the hidden units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Squash {
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `(e^x - e^-x) / (e^x + e^-x)`
    Tanh,
}

/// Weights, or as many numbers that belong to them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights {
    /// V as `[tile, input]`.
    pub inputs: Vec<Block>,
    /// c as `[tile]`.
    pub hidden_bias: Vec<Block>,
    /// W as `[tile, output]`.
    pub outputs: Vec<Block>,
    /// b as `[output]`.
    pub output_bias: Vec<f32>,
}

impl Weights {
    pub fn zero(tiles: usize, inputs: usize, outputs: usize) -> Self {
        Self {
            inputs: vec![Block::ZERO; tiles * inputs],
            hidden_bias: vec![Block::ZERO; tiles],
            outputs: vec![Block::ZERO; tiles * outputs],
            output_bias: vec![0.0; outputs],
        }
    }

    /// All numbers, where they lie.
    pub fn slices(&mut self, name: &str) -> Vec<Named<'_>> {
        vec![
            (format!("{name}/inputs"), numbers_of_mut(&mut self.inputs)),
            (format!("{name}/hidden bias"), numbers_of_mut(&mut self.hidden_bias)),
            (format!("{name}/outputs"), numbers_of_mut(&mut self.outputs)),
            (format!("{name}/output bias"), &mut self.output_bias),
        ]
    }

    pub fn fill(&mut self, number: f32) {
        self.slices("").into_iter().for_each(|(_, numbers)| numbers.fill(number));
    }

    fn copy_from(&mut self, other: &Self) {
        self.inputs.copy_from_slice(&other.inputs);
        self.hidden_bias.copy_from_slice(&other.hidden_bias);
        self.outputs.copy_from_slice(&other.outputs);
        self.output_bias.copy_from_slice(&other.output_bias);
    }

    pub fn tiles(&mut self) -> Vec<TileOf<'_>> {
        let tiles = self.hidden_bias.len();
        let inputs = equal_parts(&mut self.inputs, tiles);
        let outputs = equal_parts(&mut self.outputs, tiles);
        let parts = inputs.into_iter().zip(outputs).zip(&mut self.hidden_bias);
        parts.map(|((inputs, outputs), bias)| TileOf { inputs, outputs, bias }).collect()
    }
}

/// A slice in so many parts of the same length, which may be 0.
pub(super) fn equal_parts<T>(mut slice: &mut [T], parts: usize) -> Vec<&mut [T]> {
    let length = slice.len() / parts.max(1);
    (0..parts)
        .map(|_| {
            let (part, rest) = std::mem::take(&mut slice).split_at_mut(length);
            slice = rest;
            part
        })
        .collect()
}

/// A network with one hidden layer; see the [module](super).
#[derive(Debug, Clone, PartialEq)]
pub struct SparseNetwork {
    /// How many inputs there are.
    pub inputs: usize,
    /// How many hidden units.
    pub hidden: usize,
    /// How many outputs.
    pub outputs: usize,
    pub(super) squash: Squash,
    pub(super) weights: Weights,
}

/// What a step computes on the way, kept from step to step to spare memory traffic.
#[derive(Debug, Default)]
pub struct Work {
    /// `[tile, row]`
    pub(super) hidden: Vec<Block>,
    /// `[tile, row]`: gradients before the squashing.
    pub(super) before: Vec<Block>,
    /// `[tile, wanted output]`, column by column.
    parts: Vec<f32>,
    /// What the network says for each wanted output, row by row.
    pub scores: Vec<f32>,
    /// Derivatives of the loss by the scores, row by row, to be filled in between forward and backward.
    pub gradients: Vec<f32>,
    pub(super) gradients_by_column: Vec<f32>,
}

impl SparseNetwork {
    /// A network with all weights 0.
    pub fn zero(inputs: usize, hidden: usize, outputs: usize, squash: Squash) -> Self {
        let weights = Weights::zero(hidden.div_ceil(TILE), inputs, outputs);
        Self { inputs, hidden, outputs, squash, weights }
    }

    /// A network with normal weights of these deviations and biases 0.
    pub fn random(
        [inputs, hidden, outputs]: [usize; 3],
        squash: Squash,
        [input_deviation, output_deviation]: [f64; 2],
        seed: u64,
    ) -> Self {
        let mut network = Self::zero(inputs, hidden, outputs, squash);
        let set = |row: usize, weights: &[f32]| network.set_input(row, weights);
        draw_rows(seed, "input weights", [inputs, hidden], input_deviation, set);
        let set = |row: usize, weights: &[f32]| network.set_output(row, weights);
        draw_rows(seed, "output weights", [outputs, hidden], output_deviation, set);
        network
    }

    /// The weights of an input to all hidden units.
    pub fn input(&self, input: usize) -> Vec<f32> {
        self.gathered(&self.weights.inputs, self.inputs, input)
    }

    /// The weights of an output to all hidden units.
    pub fn output(&self, output: usize) -> Vec<f32> {
        self.gathered(&self.weights.outputs, self.outputs, output)
    }

    /// The biases of the hidden units.
    pub fn hidden_bias(&self) -> Vec<f32> {
        self.gathered(&self.weights.hidden_bias, 1, 0)
    }

    /// The biases of the outputs.
    pub fn output_bias(&self) -> &[f32] {
        &self.weights.output_bias
    }

    /// Sets the weights of an input.
    pub fn set_input(&mut self, input: usize, weights: &[f32]) {
        scatter(&mut self.weights.inputs, self.inputs, input, weights);
    }

    /// Sets the weights of an output.
    pub fn set_output(&mut self, output: usize, weights: &[f32]) {
        scatter(&mut self.weights.outputs, self.outputs, output, weights);
    }

    /// Sets the biases of the hidden units.
    pub fn set_hidden_bias(&mut self, bias: &[f32]) {
        scatter(&mut self.weights.hidden_bias, 1, 0, bias);
    }

    /// The biases of the outputs, to be changed.
    pub fn output_bias_mut(&mut self) -> &mut [f32] {
        &mut self.weights.output_bias
    }

    /// Takes over the weights of a network of the same shape, into the memory that is there.
    ///
    /// # Panics
    /// When the shapes differ.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.weights.copy_from(&other.weights);
    }

    /// Moves every weight by a share of the way to that of another network of the same shape.
    pub(super) fn approach(&mut self, other: &Self, share: f32) {
        let step = |own: &mut [f32], other: &[f32]| {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += share * (other - *own));
        };
        let blocks = |own: &mut [Block], other: &[Block]| {
            let pairs = own.par_iter_mut().with_min_len(CHUNK / TILE).zip(other);
            pairs.for_each(|(own, other)| step(own.numbers_mut(), other.numbers()));
        };
        let (own, other) = (&mut self.weights, &other.weights);
        blocks(&mut own.inputs, &other.inputs);
        blocks(&mut own.hidden_bias, &other.hidden_bias);
        blocks(&mut own.outputs, &other.outputs);
        step(&mut own.output_bias, &other.output_bias);
    }

    /// Whether every weight is finite.
    pub(super) fn finite(&self) -> bool {
        let sound =
            |block: &Block| block.numbers().iter().fold(true, |sound, weight| sound & weight.is_finite());
        let Weights { inputs, hidden_bias, outputs, output_bias } = &self.weights;
        [inputs, hidden_bias, outputs]
            .iter()
            .all(|blocks| blocks.par_iter().with_min_len(CHUNK / TILE).all(sound))
            && output_bias.iter().all(|bias| bias.is_finite())
    }

    fn gathered(&self, blocks: &[Block], rows: usize, row: usize) -> Vec<f32> {
        let tiles = 0..self.weights.hidden_bias.len();
        let mut numbers: Vec<f32> =
            tiles.flat_map(|tile| blocks[tile * rows + row].numbers()).copied().collect();
        numbers.truncate(self.hidden);
        numbers
    }

    /// The hidden units of some rows, `[rows, hidden]`.
    pub fn codes(&self, batch: &Batch) -> Vec<f32> {
        let mut work = Work::default();
        self.forward(batch, &mut work);
        let rows = batch.rows();
        let mut codes = Vec::with_capacity(rows * self.hidden);
        (0..rows).for_each(|row| codes.extend(self.gathered(&work.hidden, rows, row)));
        codes
    }

    /// Computes hidden units and wanted outputs; the answers are in `work.scores`.
    pub fn forward(&self, batch: &Batch, work: &mut Work) {
        self.forward_with(Level::best(), batch, work);
    }

    pub(super) fn forward_with(&self, level: Level, batch: &Batch, work: &mut Work) {
        let (tiles, rows, wanted) = (self.weights.hidden_bias.len(), batch.rows(), batch.outputs.len());
        work.hidden.resize(tiles * rows, Block::ZERO);
        work.parts.resize(tiles * wanted, 0.0);
        let parts = equal_parts(&mut work.parts, tiles);
        let tasks: Vec<_> = equal_parts(&mut work.hidden, tiles).into_iter().zip(parts).enumerate().collect();
        tasks.into_par_iter().with_max_len(1).for_each(|(tile, (hidden, parts))| {
            let weights = &self.weights.inputs[tile * self.inputs..][..self.inputs];
            let bias = &self.weights.hidden_bias[tile];
            let units = (self.hidden - tile * TILE).min(TILE);
            hide(level, self.squash, batch, weights, bias, units, hidden);
            let weights = &self.weights.outputs[tile * self.outputs..][..self.outputs];
            score(level, &batch.outputs, weights, hidden, parts);
        });
        self.sum_parts(&batch.outputs, work);
    }

    /// Bias and the tiles' parts, in the order of tiles: first the sums, along the memory, then each to its row.
    fn sum_parts(&self, outputs: &Pattern, work: &mut Work) {
        let wanted = outputs.len();
        work.scores.resize(wanted, 0.0);
        if wanted == 0 {
            return;
        }
        let (sums, others) = work.parts.split_at_mut(wanted);
        sums.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, sums)| {
            for tile in others.chunks_exact(wanted) {
                let parts = &tile[chunk * CHUNK..][..sums.len()];
                sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
        });
        let (sums, bias) = (&*sums, &self.weights.output_bias);
        work.scores.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, scores)| {
            let entries = chunk * CHUNK..chunk * CHUNK + scores.len();
            let told = outputs.columns[entries.clone()].iter().zip(&outputs.places[entries]);
            for (score, (column, place)) in scores.iter_mut().zip(told) {
                *score = bias[*column as usize] + sums[*place as usize];
            }
        });
    }
}

/// Draws rows of normal weights, each from a stream of its own: some at a time, by all threads.
fn draw_rows(
    seed: u64,
    purpose: &str,
    [rows, hidden]: [usize; 2],
    deviation: f64,
    mut set: impl FnMut(usize, &[f32]),
) {
    let draw = |row: usize| -> Vec<f32> {
        let mut stream = Stream::new(seed, purpose, row as u64, 0);
        (0..hidden).map(|_| (deviation * stream.normal()) as f32).collect()
    };
    for first in (0..rows).step_by(DRAWN) {
        let some = first..rows.min(first + DRAWN);
        let drawn: Vec<_> = some.clone().into_par_iter().map(draw).collect();
        some.zip(drawn).for_each(|(row, weights)| set(row, &weights));
    }
}

fn scatter(blocks: &mut [Block], rows: usize, row: usize, numbers: &[f32]) {
    for (tile, part) in numbers.chunks(TILE).enumerate() {
        blocks[tile * rows + row].numbers_mut()[..part.len()].copy_from_slice(part);
    }
}
