//! And back: from the gradient of the states to those of weights, input and decay.

use rayon::prelude::*;

use super::cell::{add_rows, gru_backward, lstm_backward};
use super::forward::{Batch, Kept};
use super::kernel::{Left, PAD, add_product};
use super::layer::{Cell, Give, Recurrent, Weights, whole};
use super::steps::Block;

/// The gradient of what the layer gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull<'a> {
    pub give: Give,
    pub values: &'a [f32],
}

/// Gradients; those of input and decay are empty where they are not wanted.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// `[rows, inputs]`
    pub input: Vec<f32>,
    /// `[rows, units]`
    pub decay: Vec<f32>,
    /// Of W, U and b.
    pub weights: [Vec<f32>; 3],
}

/// Weights as the way back reads them: packed and transposed.
struct Across {
    input: Option<Vec<f32>>,
    state: Vec<f32>,
}

impl Recurrent {
    /// The gradients from that of the states.
    pub(super) fn backward(
        &self,
        batch: Batch<'_>,
        weights: Weights<'_>,
        kept: Vec<Kept>,
        pull: Pull<'_>,
        input_wanted: bool,
    ) -> Found {
        let across = |weights: &[f32]| self.transposed(&self.packed(weights, self.gates()));
        let input = input_wanted.then(|| across(weights.input));
        let across = Across { input, state: across(weights.state) };
        let (steps, rows) = (batch.steps, batch.steps.rows());
        let work = |(block, kept)| self.backward_block(&block, batch, kept, &across, pull);
        let blocks: Vec<Found> = steps.blocks().into_par_iter().zip(kept).map(work).collect();
        let mut found = Found {
            input: vec![0.0; if input_wanted { rows * self.inputs } else { 0 }],
            decay: vec![0.0; if batch.decay.is_some() { rows * self.units } else { 0 }],
            weights: [self.inputs, self.units, 1].map(|rows| vec![0.0; rows * self.gates() * self.pitch()]),
        };
        found.weights[2].resize(4 * self.pitch(), 0.0);
        for (block, part) in steps.blocks().iter().zip(blocks) {
            for (all, part) in found.weights.iter_mut().zip(part.weights) {
                all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
            }
            scatter(block, &part.input, self.inputs, &mut found.input);
            scatter(block, &part.decay, self.units, &mut found.decay);
        }
        found.weights = found.weights.map(|packed| self.unpacked(&packed));
        found
    }

    /// A block of series from the last step that the layer took to the first.
    fn backward_block(
        &self,
        block: &Block<'_>,
        batch: Batch<'_>,
        mut kept: Kept,
        across: &Across,
        pull: Pull<'_>,
    ) -> Found {
        let (pitch, units, inputs, wide) =
            (self.pitch(), self.units, self.inputs, self.gates() * self.pitch());
        let (of_input, of_state) = (self.input_columns(), self.state_columns());
        let (series, starts) = (block.places.len(), block.starts());
        let rows = starts[block.most()];
        let input_pitch = inputs.next_multiple_of(PAD);
        let mut found = Found {
            input: vec![0.0; if across.input.is_some() { rows * input_pitch } else { 0 }],
            decay: vec![0.0; if batch.decay.is_some() { rows * pitch } else { 0 }],
            weights: [vec![0.0; inputs * wide], vec![0.0; units * wide], vec![0.0; 4 * pitch]],
        };
        // Gradients of h and c as they come from later steps, and what the step saw of h and c.
        let [mut state, mut memory, mut before, mut remembered] = [(); 4].map(|()| vec![0.0; series * pitch]);
        for step in self.course(block.most()).rev() {
            let (count, at, row) = (block.under_way(step), block.rows(step), starts[step]);
            let (state, before) = (&mut state[..count * pitch], &mut before[..count * pitch]);
            self.pull(block, step, pull, state);
            // Series that begin at this step saw nothing.
            let earlier = self.before(step, block.most());
            let (from, seen) =
                earlier.map_or((0, 0), |step| (starts[step], block.under_way(step).min(count)));
            let (from, seen) = (from * pitch, seen * pitch);
            before[..seen].copy_from_slice(&kept.states[from..][..seen]);
            before[seen..].fill(0.0);
            self.fade(before, batch.decay, at.start);
            let gates = &mut kept.gates[row * 4 * pitch..][..count * 4 * pitch];
            match self.cell {
                Cell::Lstm => {
                    remembered[..seen].copy_from_slice(&kept.memory[from..][..seen]);
                    remembered[seen..].fill(0.0);
                    let (after, of_c) = (&kept.memory[row * pitch..], &mut memory[..count * pitch]);
                    lstm_backward(gates, &remembered, &after[..count * pitch], state, of_c, pitch);
                    state.fill(0.0);
                }
                Cell::Gru => gru_backward(gates, before, state, pitch),
            }
            let sums = |first: usize| Left::new(&gates[first..], count, wide, 4 * pitch);
            add_product(sums(of_state.first), &across.state, whole(pitch), state, whole(pitch));
            if batch.decay.is_some() {
                // d(d ⊙ h) = h d(d) + d d(h)
                let decays = found.decay[row * pitch..].chunks_exact_mut(pitch);
                let states = kept.states[from..][..seen].chunks_exact(pitch);
                for ((decay, earlier), state) in decays.zip(states).zip(state.chunks_exact(pitch)) {
                    let terms = earlier.iter().zip(state);
                    decay.iter_mut().zip(terms).for_each(|(decay, (h, gradient))| *decay = h * gradient);
                }
                self.fade(state, batch.decay, at.start);
            }
            if let Some(weights) = &across.input {
                let to = &mut found.input[row * input_pitch..][..count * input_pitch];
                add_product(sums(of_input.first), weights, whole(input_pitch), to, whole(input_pitch));
            }
            let [of_weights, of_recurrent, of_bias] = &mut found.weights;
            let left = Left::new(before, count, units, pitch).transposed();
            add_product(left, gates, of_state, of_recurrent, whole(wide));
            let left = Left::new(&batch.input[at.start * inputs..], count, inputs, inputs).transposed();
            add_product(left, gates, of_input, of_weights, whole(wide));
            add_rows(gates, of_bias);
        }
        [kept.gates, kept.memory, kept.states].into_iter().for_each(|buffer| self.spare.give(buffer));
        found
    }

    /// Whether the layer takes no step of a series after this one.
    fn ends(&self, block: &Block<'_>, place: usize, step: usize) -> bool {
        if self.reversed { step == 0 } else { place >= block.under_way(step + 1) }
    }

    /// Adds the gradient that comes in at a step to that of the states.
    fn pull(&self, block: &Block<'_>, step: usize, pull: Pull<'_>, state: &mut [f32]) {
        let units = self.units;
        let lines = state.chunks_exact_mut(self.pitch()).enumerate();
        for (place, state) in lines {
            let row = match pull.give {
                Give::Every => block.rows(step).start + place,
                Give::Last if !self.ends(block, place, step) => continue,
                Give::Last => block.steps.order()[block.places.start + place],
            };
            let values = &pull.values[row * units..][..units];
            state.iter_mut().zip(values).for_each(|(state, value)| *state += value);
        }
    }
}

/// A block's rows of a gradient to their rows of the batch.
fn scatter(block: &Block<'_>, rows: &[f32], width: usize, all: &mut [f32]) {
    if all.is_empty() {
        return;
    }
    let places = (0..block.most()).flat_map(|step| block.rows(step));
    for (row, part) in places.zip(rows.chunks_exact(width.next_multiple_of(PAD))) {
        all[row * width..][..width].copy_from_slice(&part[..width]);
    }
}
