//! There: series through the layer.

use rayon::prelude::*;

use super::cell::{gru_forward, lstm_forward, multiply};
use super::kernel::{Left, add_product};
use super::layer::{Cell, Give, Recurrent, Weights, whole};
use super::steps::{Block, Steps};

/// What a block leaves behind, P being the pitch: rows step by step, the block's alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    /// What became of the sums: `[rows, 4 P]`.
    pub gates: Vec<f32>,
    /// c of an LSTM after each step: `[rows, P]`.
    pub memory: Vec<f32>,
    /// h after each step: `[rows, P]`.
    pub states: Vec<f32>,
    /// h after the last step of each series: `[series, P]`.
    pub last: Vec<f32>,
}

/// What a batch brings: the input, `[rows, inputs]`, and maybe by how much the state decays before each step, `[rows,
/// units]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch<'a> {
    pub steps: &'a Steps,
    pub input: &'a [f32],
    pub decay: Option<&'a [f32]>,
}

/// What has to be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Keep {
    Nothing,
    States,
    All,
}

impl Recurrent {
    /// The series of a batch through the layer, for prediction: `output` becomes as `give` says. What it gives for a
    /// series has the same bits whatever other series are there.
    pub fn infer(
        &self,
        (steps, input, decay): (&Steps, &[f32], Option<&[f32]>),
        weights: Weights<'_>,
        give: Give,
        output: &mut Vec<f32>,
    ) {
        let keep = if give == Give::Last { Keep::Nothing } else { Keep::States };
        let kept = self.run(Batch { steps, input, decay }, weights, keep);
        self.gather(steps, &kept, give, output);
        kept.into_iter().for_each(|kept| self.spare.give(kept.states));
    }

    /// The same, with what the way back needs.
    pub(super) fn forward(
        &self,
        batch: Batch<'_>,
        weights: Weights<'_>,
        give: Give,
    ) -> (Vec<f32>, Vec<Kept>) {
        let kept = self.run(batch, weights, Keep::All);
        let mut output = Vec::new();
        self.gather(batch.steps, &kept, give, &mut output);
        (output, kept)
    }

    fn run(&self, batch: Batch<'_>, weights: Weights<'_>, keep: Keep) -> Vec<Kept> {
        let rows = batch.steps.rows();
        assert_eq!(batch.input.len(), rows * self.inputs, "an input of {rows} x {}", self.inputs);
        assert!(batch.decay.is_none_or(|decay| decay.len() == rows * self.units), "a decay for every unit");
        let packed = [
            self.packed(weights.input, self.gates()),
            self.packed(weights.state, self.gates()),
            self.packed(weights.bias, 4),
        ];
        let work = |block| self.forward_block(&block, batch, &packed, keep);
        batch.steps.blocks().into_par_iter().map(work).collect()
    }

    /// A block of series from the first step that the layer takes to the last.
    fn forward_block(&self, block: &Block<'_>, batch: Batch<'_>, packed: &[Vec<f32>; 3], keep: Keep) -> Kept {
        let [input, weights, bias] = packed;
        let (pitch, inputs, units) = (self.pitch(), self.inputs, self.units);
        let (series, starts) = (block.places.len(), block.starts());
        let rows = starts[block.most()];
        // What is not kept is made anew at every step.
        let room = |wanted: bool| if wanted { rows } else { series };
        let mut gates = self.spare.take(room(keep == Keep::All) * 4 * pitch);
        let has_memory = usize::from(self.cell == Cell::Lstm);
        let mut memories = self.spare.take(room(keep == Keep::All) * has_memory * pitch);
        let mut states = self.spare.take(room(keep != Keep::Nothing) * pitch);
        let (mut state, mut memory) = (vec![0.0; series * pitch], vec![0.0; series * pitch * has_memory]);
        for step in self.course(block.most()) {
            let (count, at) = (block.under_way(step), block.rows(step));
            let place = |wanted: bool| if wanted { starts[step] } else { 0 };
            let sums = &mut gates[place(keep == Keep::All) * 4 * pitch..][..count * 4 * pitch];
            let states = &mut states[place(keep != Keep::Nothing) * pitch..][..count * pitch];
            sums.chunks_exact_mut(4 * pitch).for_each(|sums| sums.copy_from_slice(bias));
            let state = &mut state[..count * pitch];
            self.fade(state, batch.decay, at.start);
            let steps_input = Left::new(&batch.input[at.start * inputs..], count, inputs, inputs);
            add_product(steps_input, input, whole(self.gates() * pitch), sums, self.input_columns());
            let from = Left::new(state, count, units, pitch);
            add_product(from, weights, whole(self.gates() * pitch), sums, self.state_columns());
            match self.cell {
                Cell::Lstm => {
                    let memories = &mut memories[place(keep == Keep::All) * pitch..][..count * pitch];
                    let memory = &mut memory[..count * pitch];
                    lstm_forward(sums, memory, memories, states, pitch);
                    memory.copy_from_slice(memories);
                }
                Cell::Gru => gru_forward(sums, state, states, pitch),
            }
            state.copy_from_slice(states);
        }
        if keep != Keep::All {
            self.spare.give(std::mem::take(&mut gates));
            self.spare.give(std::mem::take(&mut memories));
        }
        Kept { gates, memory: memories, states, last: state }
    }

    /// The states `[count, P]` before a step, times their decays, which begin at a row.
    pub(super) fn fade(&self, states: &mut [f32], decay: Option<&[f32]>, row: usize) {
        let Some(decay) = decay else { return };
        let decays = decay[row * self.units..].chunks_exact(self.units.max(1));
        for (state, decay) in states.chunks_exact_mut(self.pitch()).zip(decays) {
            multiply(&mut state[..self.units], decay);
        }
    }

    /// The states that are wanted, from all blocks.
    fn gather(&self, steps: &Steps, kept: &[Kept], give: Give, output: &mut Vec<f32>) {
        let (pitch, units) = (self.pitch(), self.units);
        let rows = if give == Give::Last { steps.series() } else { steps.rows() };
        output.resize(rows * units, 0.0);
        if units == 0 {
            return;
        }
        for (block, kept) in steps.blocks().into_iter().zip(kept) {
            let mut copy = |row: usize, state: &[f32]| {
                output[row * units..][..units].copy_from_slice(&state[..units]);
            };
            if give == Give::Last {
                let order = &steps.order()[block.places.clone()];
                order.iter().zip(kept.last.chunks_exact(pitch)).for_each(|(row, state)| copy(*row, state));
            } else {
                let places = (0..block.most()).flat_map(|step| block.rows(step));
                places.zip(kept.states.chunks_exact(pitch)).for_each(|(row, state)| copy(row, state));
            }
        }
    }
}
