//! The layer: its sizes, its weights, and how they lie in memory on the way there and back.

use serde::{Deserialize, Serialize};

use super::kernel::{Columns, PAD};
use crate::nn::Parameters;
use crate::nn::spare::Spare;

/// How many arrays of weights a layer has.
pub const RECURRENT_PARAMETERS: usize = 3;

/// What a unit does at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Long short-term memory.
    #[default]
    Lstm,
    /// Gated recurrent unit.
    Gru,
}

/// Which states are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Give {
    /// The state after every step, `[rows, units]`, in the order of [`Steps`](super::Steps).
    Every,
    /// The state after the last step that the layer takes of each series, `[series, units]`, in the order of the
    /// series; zeros where a series has no step.
    Last,
}

/// A layer with its buffers, which are used again from step to step.
#[derive(Debug)]
pub struct Recurrent {
    pub(super) cell: Cell,
    /// Whether it goes from the last step of a series to the first.
    pub(super) reversed: bool,
    pub(super) inputs: usize,
    pub(super) units: usize,
    pub(super) spare: Spare,
}

/// The weights of a layer, with k the number of gates: 4 of an LSTM (i f g o), 3 of a GRU (n r z; of the state r z n).
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// W: `[inputs, k units]`.
    pub input: &'a [f32],
    /// U: `[units, k units]`.
    pub state: &'a [f32],
    /// b: `[1, 4 units]`; of a GRU n r z and what is added to the state's part of n.
    pub bias: &'a [f32],
}

impl Recurrent {
    /// From so many numbers a step to so many units.
    pub fn new(cell: Cell, inputs: usize, units: usize) -> Self {
        Self { cell, reversed: false, inputs, units, spare: Spare::default() }
    }

    /// The same from the last step of a series to the first.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { reversed: true, ..self }
    }

    /// Whether it goes from the last step to the first.
    pub fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// Numbers a step.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Numbers of the state.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Steps in the order in which the layer takes them.
    pub(super) fn course(&self, steps: usize) -> impl DoubleEndedIterator<Item = usize> {
        let reversed = self.reversed;
        (0..steps).map(move |at| if reversed { steps - 1 - at } else { at })
    }

    /// The step that the layer takes before another.
    pub(super) fn before(&self, step: usize, steps: usize) -> Option<usize> {
        if self.reversed { Some(step + 1).filter(|next| *next < steps) } else { step.checked_sub(1) }
    }

    /// How many gates input and state have a weight for.
    pub(super) fn gates(&self) -> usize {
        match self.cell {
            Cell::Lstm => 4,
            Cell::Gru => 3,
        }
    }

    /// Adds `name/input`, `name/state`, both drawn, and `name/bias`: zero, but 1 for the gate that keeps what an LSTM
    /// remembers, as is customary. Gives the index of the first.
    pub fn add_parameters(
        &self,
        parameters: &mut Parameters,
        name: &str,
        mut draw: impl FnMut() -> f32,
    ) -> usize {
        let wide = self.gates() * self.units;
        let first = parameters.add(format!("{name}/input"), [self.inputs, wide], &mut draw);
        parameters.add(format!("{name}/state"), [self.units, wide], &mut draw);
        let bias = parameters.add(format!("{name}/bias"), [1, 4 * self.units], || 0.0);
        if self.cell == Cell::Lstm {
            parameters[bias].values[self.units..2 * self.units].fill(1.0);
        }
        first
    }

    /// Numbers of one part of a row of sums in memory: the units, filled up to whole registers with units that stay 0.
    pub(super) fn pitch(&self) -> usize {
        self.units.next_multiple_of(PAD)
    }

    /// The columns of the sums that the input is for.
    pub(super) fn input_columns(&self) -> Columns {
        Columns { pitch: 4 * self.pitch(), first: 0, count: self.gates() * self.pitch() }
    }

    /// The columns of the sums that the state is for: the last ones.
    pub(super) fn state_columns(&self) -> Columns {
        let count = self.gates() * self.pitch();
        Columns { pitch: 4 * self.pitch(), first: 4 * self.pitch() - count, count }
    }

    /// Weights `[rows, k units]` with a pitch, `[rows, k pitch]`.
    pub(super) fn packed(&self, weights: &[f32], gates: usize) -> Vec<f32> {
        let (units, pitch) = (self.units.max(1), self.pitch());
        let rows = weights.len() / (gates * units);
        let mut packed = vec![0.0; rows * gates * pitch];
        for (packed, part) in packed.chunks_exact_mut(pitch.max(1)).zip(weights.chunks_exact(units)) {
            packed[..units].copy_from_slice(part);
        }
        packed
    }

    /// The way back of [`Self::packed`].
    pub(super) fn unpacked(&self, packed: &[f32]) -> Vec<f32> {
        packed.chunks_exact(self.pitch().max(1)).flat_map(|part| &part[..self.units]).copied().collect()
    }

    /// Packed weights `[rows, k pitch]` transposed, `[k pitch, rows in whole registers]`.
    pub(super) fn transposed(&self, packed: &[f32]) -> Vec<f32> {
        let wide = self.gates() * self.pitch();
        let pitch = (packed.len() / wide.max(1)).next_multiple_of(PAD);
        let mut transposed = vec![0.0; wide * pitch];
        for (row, line) in packed.chunks_exact(wide.max(1)).enumerate() {
            line.iter().enumerate().for_each(|(column, weight)| transposed[column * pitch + row] = *weight);
        }
        transposed
    }
}

/// All columns of rows of so many numbers.
pub(super) fn whole(pitch: usize) -> Columns {
    Columns { pitch, first: 0, count: pitch }
}
