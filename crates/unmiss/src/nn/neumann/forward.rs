//! There: rows through the block.

use rayon::prelude::*;

use super::block::{Form, Neumann, PIECE, Saved, Weights};
use super::kernel::{After, ROWS, layer};
use crate::nn::spare::Spare;

/// Values and marks of some rows.
type Part<'a> = (&'a [f32], &'a [bool]);

impl Neumann {
    /// The rows through the block: `output` becomes `[rows, d]`. Values under a false mark are not read.
    pub fn infer(&self, weights: Weights<'_>, values: &[f32], observed: &[bool], output: &mut Vec<f32>) {
        let rows = values.len() / self.columns.max(1);
        output.resize(rows * self.columns, 0.0);
        if self.columns == 0 {
            return;
        }
        let packed = self.packed(weights, false);
        let piece = PIECE * self.columns;
        let work = |planes: &mut Vec<f32>, (cells, output): (Part<'_>, &mut [f32])| {
            planes.resize(4 * self.plane(), 0.0);
            self.forward_piece(weights, &packed, cells, planes, false, output);
        };
        if self.threaded(rows) {
            let pieces = values.par_chunks(piece).zip(observed.par_chunks(piece));
            pieces.zip(output.par_chunks_mut(piece)).for_each_init(Vec::new, work);
        } else {
            let (mut planes, pieces) = (Vec::new(), values.chunks(piece).zip(observed.chunks(piece)));
            pieces.zip(output.chunks_mut(piece)).for_each(|piece| work(&mut planes, piece));
        }
    }

    /// The same, with what the way back needs.
    pub fn forward(
        &self,
        weights: Weights<'_>,
        values: &[f32],
        observed: &[bool],
        spare: &Spare,
    ) -> (Vec<f32>, Saved) {
        let rows = values.len() / self.columns.max(1);
        let mut output = vec![0.0; rows * self.columns];
        let mut saved = Saved { planes: spare.take(rows.div_ceil(PIECE) * self.kept()), rows };
        if self.columns == 0 {
            return (output, saved);
        }
        let packed = self.packed(weights, false);
        let (piece, kept) = (PIECE * self.columns, self.kept());
        let work = |((cells, output), planes): ((Part<'_>, &mut [f32]), &mut [f32])| {
            self.forward_piece(weights, &packed, cells, planes, true, output);
        };
        if self.threaded(rows) {
            let pieces = values.par_chunks(piece).zip(observed.par_chunks(piece));
            pieces.zip(output.par_chunks_mut(piece)).zip(saved.planes.par_chunks_mut(kept)).for_each(work);
        } else {
            let pieces = values.chunks(piece).zip(observed.chunks(piece));
            pieces.zip(output.chunks_mut(piece)).zip(saved.planes.chunks_mut(kept)).for_each(work);
        }
        (output, saved)
    }

    /// One piece. Planes: mask, v, then every h (`keep`) or two that take turns.
    fn forward_piece(
        &self,
        weights: Weights<'_>,
        packed: &[f32],
        cells: Part<'_>,
        planes: &mut [f32],
        keep: bool,
        output: &mut [f32],
    ) {
        let (d, pitch, plane) = (self.columns, self.pitch(), self.plane());
        let used = (cells.0.len() / d).next_multiple_of(ROWS) * pitch;
        let (mask, planes) = planes.split_at_mut(plane);
        let (v, planes) = planes.split_at_mut(plane);
        self.centre(weights.mean, cells, &mut mask[..used], &mut v[..used]);
        let (mask, v) = (&mask[..used], &v[..used]);
        let place = |step: usize| if keep { step } else { step % 2 };
        let matrix = |which: usize| &packed[which * d * pitch..][..d * pitch];
        for step in 0..self.depth {
            let (input, out) = from_to(planes, v, step.checked_sub(1).map(place), place(step), plane);
            let (input, factor) = (&input[..used], weights.residuals[step]);
            let mut after = After { observed: mask, factor, shift: v, ..After::default() };
            if self.form == Form::Steps {
                (after.carried, after.scale) = (input, -factor);
            }
            layer(input, matrix(self.matrix_of(step)), pitch, &mut after, &mut out[..used]);
        }
        let last = self.depth.checked_sub(1).map(place);
        if self.mixed {
            let (h, filled) = from_to(planes, v, last, place(self.depth), plane);
            layer(&h[..used], matrix(self.matrices()), pitch, &mut After::default(), &mut filled[..used]);
            self.fill(weights.mean, cells, filled, output);
        } else {
            let h = last.map_or(v, |last| &planes[last * plane..][..used]);
            let lines = output.chunks_exact_mut(d).zip(h.chunks_exact(pitch));
            lines.for_each(|(output, h)| output.copy_from_slice(&h[..d]));
        }
    }

    /// v = x - μ where known, 0 elsewhere.
    fn centre(&self, mean: &[f32], (values, observed): Part<'_>, mask: &mut [f32], v: &mut [f32]) {
        mask.fill(0.0);
        v.fill(0.0);
        let lines = mask.chunks_exact_mut(self.pitch()).zip(v.chunks_exact_mut(self.pitch()));
        let cells = values.chunks(self.columns).zip(observed.chunks(self.columns));
        for ((mask, v), (values, observed)) in lines.zip(cells) {
            for place in (0..self.columns).filter(|&place| observed[place]) {
                (mask[place], v[place]) = (1.0, values[place] - mean[place]);
            }
        }
    }

    /// z = x where known, h W_mix + μ elsewhere.
    fn fill(&self, mean: &[f32], (values, observed): Part<'_>, filled: &[f32], output: &mut [f32]) {
        let lines = output.chunks_exact_mut(self.columns).zip(filled.chunks_exact(self.pitch()));
        let cells = values.chunks(self.columns).zip(observed.chunks(self.columns));
        for ((output, filled), (values, observed)) in lines.zip(cells) {
            for (place, output) in output.iter_mut().enumerate() {
                *output = if observed[place] { values[place] } else { filled[place] + mean[place] };
            }
        }
    }
}

/// A plane to read from (v, or one of the planes) and another to write to.
fn from_to<'a>(
    planes: &'a mut [f32],
    v: &'a [f32],
    from: Option<usize>,
    to: usize,
    plane: usize,
) -> (&'a [f32], &'a mut [f32]) {
    match from {
        None => (v, &mut planes[to * plane..][..plane]),
        Some(from) if from < to => {
            let (before, after) = planes.split_at_mut(to * plane);
            (&before[from * plane..], &mut after[..plane])
        }
        Some(from) => {
            let (before, after) = planes.split_at_mut(from * plane);
            (after, &mut before[to * plane..][..plane])
        }
    }
}
