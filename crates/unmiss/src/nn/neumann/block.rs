//! The block on plain memory: its layout, its weights, and how rows lie on the way there and back.
//!
//! Rows are taken in pieces that stay in the cache. Threads share out pieces, and on the way back the rows of the
//! matrices: every number has one owner and every sum one order, so the bits are the same for any number of threads.

use crate::nn::lanes::LANES;

/// Rows of a piece.
pub(super) const PIECE: usize = 64;
/// Multiplications below which the work stays on one thread: waking another costs more.
const THREADED: usize = 1 << 22;

/// How h_l comes from h_(l-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `(h W_l) ⊙ observed + γ_l v`
    Own,
    /// `(h W) ⊙ observed + γ_l v`
    Shared,
    /// `h + γ_l (v - (h W) ⊙ observed)`
    Steps,
}

/// The layout of a block: everything but its weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neumann {
    /// d: columns of the input and of the output.
    pub columns: usize,
    /// How many products with W follow each other.
    pub depth: usize,
    /// What a product is made of.
    pub form: Form,
    /// Whether W_mix fills the missing columns and known ones are copied; else what the products give is the output.
    pub mixed: bool,
}

/// The weights of a block.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// μ: `[1, d]`.
    pub mean: &'a [f32],
    /// W_1 to W_depth one under the other, `[depth d, d]`, or the one W, `[d, d]`.
    pub matrices: &'a [f32],
    /// W_mix: `[d, d]`; empty without.
    pub mix: &'a [f32],
    /// γ_1 to γ_depth: `[1, depth]`.
    pub residuals: &'a [f32],
}

/// A number for each weight, in the same shapes: first values, or gradients.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values {
    /// Of μ.
    pub mean: Vec<f32>,
    /// Of the matrices.
    pub matrices: Vec<f32>,
    /// Of W_mix.
    pub mix: Vec<f32>,
    /// Of γ.
    pub residuals: Vec<f32>,
}

/// What the way back needs: for each piece of rows the mask and v = h_0, h_1, .. as planes `[PIECE, pitch]`.
#[derive(Debug, Clone)]
pub struct Saved {
    pub(super) planes: Vec<f32>,
    pub(super) rows: usize,
}

impl Neumann {
    /// Length of a row in memory.
    pub(super) fn pitch(&self) -> usize {
        self.columns.next_multiple_of(LANES)
    }

    /// Numbers of a plane.
    pub(super) fn plane(&self) -> usize {
        PIECE * self.pitch()
    }

    /// Numbers of a piece: mask, h_0 to h_depth, and what W_mix gives.
    pub(super) fn kept(&self) -> usize {
        (self.depth + 3) * self.plane()
    }

    /// How many matrices there are, W_mix not counted.
    pub(super) fn matrices(&self) -> usize {
        if self.form == Form::Own { self.depth } else { self.depth.min(1) }
    }

    /// Which of the matrices a step (from 0) multiplies with.
    pub(super) fn matrix_of(&self, step: usize) -> usize {
        if self.form == Form::Own { step } else { 0 }
    }

    /// Whether so many rows are worth more than one thread.
    pub(super) fn threaded(&self, rows: usize) -> bool {
        let work = rows * (self.depth + 1) * self.columns * self.columns;
        rows > PIECE && work >= THREADED && rayon::current_num_threads() > 1
    }

    /// All matrices with a pitch, W_mix last: `[d, pitch]` each, as they are or transposed.
    pub(super) fn packed(&self, weights: Weights<'_>, transposed: bool) -> Vec<f32> {
        let (d, pitch) = (self.columns, self.pitch());
        let matrices = weights.matrices.chunks_exact(d * d).chain(weights.mix.chunks_exact(d * d));
        let mut packed = vec![0.0; (self.matrices() + usize::from(self.mixed)) * d * pitch];
        for (packed, matrix) in packed.chunks_exact_mut(d * pitch).zip(matrices) {
            for (row, line) in matrix.chunks_exact(d).enumerate() {
                if transposed {
                    line.iter()
                        .enumerate()
                        .for_each(|(column, weight)| packed[column * pitch + row] = *weight);
                } else {
                    packed[row * pitch..][..d].copy_from_slice(line);
                }
            }
        }
        packed
    }
}
