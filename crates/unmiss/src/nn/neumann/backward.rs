//! And back: from the gradient of the output to those of the weights.

use rayon::prelude::*;

use super::block::{Form, Neumann, PIECE, Saved, Values, Weights};
use super::kernel::{After, Pair, ROWS, crossed, dot, layer};
use crate::nn::spare::Spare;

/// Sums over the rows of a piece.
struct Sums {
    mean: Vec<f32>,
    residuals: Vec<f32>,
}

impl Neumann {
    /// The gradients of the weights from that of the output, `[rows, d]`.
    pub fn backward(&self, weights: Weights<'_>, saved: Saved, gradient: &[f32], spare: &Spare) -> Values {
        let (d, pitch) = (self.columns, self.pitch());
        let mut found = Values {
            mean: vec![0.0; d],
            matrices: vec![0.0; weights.matrices.len()],
            mix: vec![0.0; weights.mix.len()],
            residuals: vec![0.0; self.depth],
        };
        if d == 0 {
            return found;
        }
        let packed = self.packed(weights, true);
        // Planes of a piece: the gradient of v, s_0 to s_depth and that before W_mix.
        let mut planes = spare.take(saved.planes.len());
        let (piece, kept) = (PIECE * d, self.kept());
        let work = |((gradient, saved), planes): ((&[f32], &[f32]), &mut [f32])| {
            self.backward_piece(weights, &packed, gradient, saved, planes)
        };
        let sums: Vec<Sums> = if self.threaded(saved.rows) {
            let pieces = gradient.par_chunks(piece).zip(saved.planes.par_chunks(kept));
            pieces.zip(planes.par_chunks_mut(kept)).map(work).collect()
        } else {
            let pieces = gradient.chunks(piece).zip(saved.planes.chunks(kept));
            pieces.zip(planes.chunks_mut(kept)).map(work).collect()
        };
        for Sums { mean, residuals } in sums {
            found.mean.iter_mut().zip(mean).for_each(|(all, sum)| *all += sum);
            found.residuals.iter_mut().zip(residuals).for_each(|(all, sum)| *all += sum);
        }
        // dW_l = Σ rows h_(l-1)' s_l, each matrix from all pieces in turn.
        let pairs = |from: usize, scale: f32| {
            let pieces = saved.planes.chunks(kept).zip(planes.chunks(kept)).enumerate();
            pieces.map(move |(piece, (h, s))| {
                let rows = (saved.rows - piece * PIECE).min(PIECE).next_multiple_of(ROWS) * pitch;
                let left = &h[(from + 1) * self.plane()..][..rows];
                Pair { left, right: &s[(from + 2) * self.plane()..][..rows], scale }
            })
        };
        let all: Vec<Vec<Pair<'_>>> = match self.form {
            Form::Own => (0..self.depth).map(|from| pairs(from, 1.0).collect()).collect(),
            Form::Shared => vec![(0..self.depth).flat_map(|from| pairs(from, 1.0)).collect()],
            Form::Steps => {
                vec![(0..self.depth).flat_map(|from| pairs(from, -weights.residuals[from])).collect()]
            }
        };
        self.cross(&all, saved.rows, &mut found.matrices);
        if self.mixed {
            self.cross(&[pairs(self.depth, 1.0).collect()], saved.rows, &mut found.mix);
        }
        spare.give(planes);
        spare.give(saved.planes);
        found
    }

    /// Gradients of matrices, one under the other, from the pairs of planes that each is the sum of.
    fn cross(&self, all: &[Vec<Pair<'_>>], rows: usize, found: &mut [f32]) {
        let (d, pitch) = (self.columns, self.pitch());
        for (pairs, found) in all.iter().zip(found.chunks_mut(d * d)) {
            let group = |sums: &mut Vec<f32>, (group, found): (usize, &mut [f32])| {
                crossed(pairs, pitch, group * ROWS, sums);
                let lines = found.chunks_mut(d).zip(sums.chunks(pitch));
                lines.for_each(|(found, sums)| found.copy_from_slice(&sums[..d]));
            };
            let sums = || vec![0.0; ROWS * pitch];
            if self.threaded(rows) {
                found.par_chunks_mut(ROWS * d).enumerate().for_each_init(sums, group);
            } else {
                let mut sums = sums();
                found.chunks_mut(ROWS * d).enumerate().for_each(|part| group(&mut sums, part));
            }
        }
    }

    /// One piece: fills the planes with gradients before each product, gives what is summed over rows.
    ///
    /// With G_l the gradient of h_l and s_l = G_l ⊙ observed that of h_(l-1) W_l: G_(l-1) = s_l W_l', and v, a part of
    /// every h_l, has the gradient Σ γ_l s_l, γ_0 = 1.
    fn backward_piece(
        &self,
        weights: Weights<'_>,
        packed: &[f32],
        gradient: &[f32],
        saved: &[f32],
        planes: &mut [f32],
    ) -> Sums {
        let (d, pitch, plane) = (self.columns, self.pitch(), self.plane());
        let used = (gradient.len() / d).next_multiple_of(ROWS) * pitch;
        let (mask, v) = (&saved[..used], &saved[plane..][..used]);
        let (of_v, planes) = planes.split_at_mut(plane);
        let of_v = &mut of_v[..used];
        of_v.fill(0.0);
        let mut sums = Sums { mean: vec![0.0; d], residuals: Vec::new() };
        let gamma = |l: usize| if l == 0 { 1.0 } else { weights.residuals[l - 1] };
        // The gradient comes in where the output came from: before W_mix in missing columns, or at the last h.
        let entry = if self.mixed { self.depth + 1 } else { self.depth };
        let arrived = &mut planes[entry * plane..][..used];
        arrived.fill(0.0);
        let lines = arrived.chunks_exact_mut(pitch).zip(mask.chunks_exact(pitch));
        for ((s, mask), gradient) in lines.zip(gradient.chunks_exact(d)) {
            for (place, gradient) in gradient.iter().enumerate() {
                let wanted = (mask[place] == 0.0) == self.mixed;
                s[place] = if wanted { *gradient } else { 0.0 };
                sums.mean[place] += if self.mixed { s[place] } else { 0.0 };
            }
        }
        if !self.mixed {
            let last = planes[entry * plane..][..used].iter();
            of_v.iter_mut().zip(last).for_each(|(of_v, s)| *of_v = gamma(self.depth) * s);
        }
        for l in (0..entry).rev() {
            let which = if l == self.depth { self.matrices() } else { self.matrix_of(l) };
            let (out, input) = planes[l * plane..].split_at_mut(plane);
            let input = &input[..used];
            let mut after = After { observed: mask, share: gamma(l), gathered: of_v, ..After::default() };
            if self.form == Form::Steps && l < self.depth {
                (after.carried, after.scale) = (input, -weights.residuals[l]);
            }
            layer(input, &packed[which * d * pitch..][..d * pitch], pitch, &mut after, &mut out[..used]);
        }
        for line in of_v.chunks_exact(pitch) {
            sums.mean.iter_mut().zip(line).for_each(|(sum, value)| *sum -= value);
        }
        sums.residuals = (1..=self.depth)
            .map(|l| {
                let (s, h) = (&planes[l * plane..][..used], |l: usize| &saved[(l + 1) * plane..][..used]);
                match (self.form, gamma(l)) {
                    (Form::Own | Form::Shared, _) => dot(s, v),
                    // h_l - h_(l-1) is γ_l times what is wanted.
                    (Form::Steps, 0.0) => 0.0,
                    (Form::Steps, gamma) => (dot(s, h(l)) - dot(s, h(l - 1))) / gamma,
                }
            })
            .collect();
        sums
    }
}
