//! Weights between the order they are kept in, `[output channel][input channel][row][column]`, and the lines of 16
//! that the products read.

use rayon::prelude::*;

use super::plan::Plan;
use super::tile::BLOCK;

impl Plan {
    /// Numbers of all weights.
    pub fn weights(&self) -> usize {
        self.output.channels * self.lane()
    }

    /// From the weights of one output channel to those of the next.
    fn lane(&self) -> usize {
        self.input.channels * self.window.kernel * self.window.kernel
    }

    /// Where the weight of (channel and place as the products see them) stands within those of an output channel.
    fn place(&self, channel: usize, row: usize, column: usize) -> usize {
        let kernel = self.window.kernel;
        if self.gathered {
            // Side by side lie (row, column, channel) of a window.
            let (channels, tap) = (self.input.channels, channel / self.input.channels);
            return channel % channels * kernel * kernel + tap;
        }
        (channel * kernel + row) * kernel + column
    }

    /// Calls with (place in the packed block, place within an output channel) for every line of a block.
    fn each_line(&self, mut line: impl FnMut(usize, usize)) {
        let (seen, kernel) = (self.seen.0.channels, self.seen.1.kernel);
        let mut at = 0;
        for block in 0..self.blocks {
            for (row, column) in (0..kernel * kernel).map(|tap| (tap / kernel, tap % kernel)) {
                for channel in block * self.block..(block + 1) * self.block {
                    if channel < seen {
                        line(at, self.place(channel, row, column));
                    }
                    at += BLOCK;
                }
            }
        }
    }

    /// For the way forward: `[block of outputs][block of inputs][row][column][input channel][16 output channels]`.
    pub fn pack_forward(&self, weights: &[f32]) -> Vec<f32> {
        let mut packed = vec![0.0; self.output_blocks() * self.packed_block()];
        let work = |(block, packed): (usize, &mut [f32])| {
            let own = &weights[block * BLOCK * self.lane()..];
            let lanes = BLOCK.min(self.output.channels - block * BLOCK);
            self.each_line(|at, place| {
                let line = packed[at..at + lanes].iter_mut();
                line.zip(own[place..].iter().step_by(self.lane())).for_each(|(to, from)| *to = *from);
            });
        };
        packed.par_chunks_mut(self.packed_block()).enumerate().for_each(work);
        packed
    }

    /// One block of packed gradients back to the order of the weights.
    pub fn unpack_weights(&self, packed: &[f32], weights: &mut [f32]) {
        let lanes = weights.len() / self.lane();
        self.each_line(|at, place| {
            let line = weights[place..].iter_mut().step_by(self.lane());
            line.zip(&packed[at..at + lanes]).for_each(|(to, from)| *to = *from);
        });
    }

    /// For the input's gradient, phase by phase, the window turned around:
    /// `[block of inputs][block of outputs][row][column][output channel][16 input channels]`.
    pub fn pack_backward(&self, weights: &[f32]) -> Vec<f32> {
        let (blocks, stride) = (self.input_blocks(), self.seen.1.stride);
        let total = self.backward.iter().map(|phase| blocks * phase.packed()).sum();
        let mut packed = vec![0.0; total];
        let mut rest = packed.as_mut_slice();
        let mut tasks = Vec::new();
        for (number, phase) in self.backward.iter().enumerate() {
            let (own, others) = rest.split_at_mut(blocks * phase.packed());
            rest = others;
            let parts = own.chunks_mut(phase.packed().max(1)).enumerate();
            tasks.extend(parts.map(|(block, part)| (number / stride, number % stride, phase, block, part)));
        }
        tasks.into_par_iter().for_each(|(down, right, phase, block, part)| {
            let (tall, wide) = (phase.runs.len() / self.output_blocks(), phase.length / BLOCK);
            let lanes = BLOCK.min(self.seen.0.channels - block * BLOCK);
            let taps = (0..tall * wide).map(|tap| (tap / wide, tap % wide));
            for (row, column) in taps {
                let (y, x) = (down + (tall - 1 - row) * stride, right + (wide - 1 - column) * stride);
                let places: Vec<usize> =
                    (0..lanes).map(|lane| self.place(block * BLOCK + lane, y, x)).collect();
                for (channel, own) in weights.chunks_exact(self.lane()).enumerate() {
                    let line = (channel / BLOCK * tall + row) * wide + column;
                    let line = &mut part[(line * BLOCK + channel % BLOCK) * BLOCK..][..lanes];
                    line.iter_mut().zip(&places).for_each(|(to, place)| *to = own[*place]);
                }
            }
        });
        packed
    }
}
