//! Slopes of the loss, in closed form. With ŷ = w'x̂ = w'μ + v'r and u = w - v,
//!
//! ```text
//! ∂ŷ/∂w = x̂        ∂ŷ/∂μ = u        ∂ŷ/∂Σ = (u h' + h u') / 2
//! ∂ŷ/∂η = M v / τ      ∂ŷ/∂log τ = -M v x̂
//! ∂Var/∂w = 2 Σ u      ∂Var/∂Σ = u u'      ∂Var/∂log τ = -M v² / τ
//! ```
//!
//! All of ŷ's are linear in r or h, so rows with the same holes are summed first: with g the slope of the loss in each
//! row's ŷ, R = Σ g r and H = A⁻¹ R stand for all of them. The slopes of x̂ itself, which the network reads, are those
//! of ŷ with w = ∂loss/∂x̂.

use rayon::prelude::*;

use super::answer::{Answer, BLOCK, Block, Item, Loss, softness};
use crate::linalg::lanes::{LANES, times};
use crate::linalg::{Holes, add_crossed, add_product};

/// Sums over rows.
#[derive(Debug, Clone)]
pub struct Slopes {
    /// The loss itself.
    pub loss: f64,
    /// In μ.
    pub mean: Vec<f64>,
    /// In Σ, `[columns, columns]`; not symmetric before [`finish`](Self::finish).
    pub covariance: Vec<f64>,
    /// In η.
    pub tilt: Vec<f64>,
    /// In log τ.
    pub precision: Vec<f64>,
    /// In w, `[directions, columns]`.
    pub weights: Vec<f64>,
    /// What Σ times adds to those in w.
    through: Vec<f64>,
    /// In b.
    pub bias: Vec<f64>,
    /// In γ, `[outputs, columns]`.
    pub marks: Vec<f64>,
    /// In the parameters of the network.
    pub head: Vec<f64>,
}

/// What the rows are to be answered with.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Numbers.
    pub numbers: &'a [f32],
    /// Classes.
    pub classes: &'a [u32],
}

impl Slopes {
    fn zero(answer: &Answer) -> Self {
        let (columns, directions) = (answer.joint.columns, answer.joint.directions());
        Self {
            loss: 0.0,
            mean: vec![0.0; columns],
            covariance: vec![0.0; columns * columns],
            tilt: vec![0.0; columns],
            precision: vec![0.0; columns],
            weights: vec![0.0; directions * columns],
            through: vec![0.0; directions * columns],
            bias: vec![0.0; answer.outputs()],
            marks: vec![0.0; answer.outputs() * columns],
            head: vec![0.0; answer.head.as_ref().map_or(0, |(head, _)| head.len())],
        }
    }

    fn parts(&mut self) -> [&mut Vec<f64>; 9] {
        let Self { mean, covariance, tilt, precision, weights, through, bias, marks, head, .. } = self;
        [mean, covariance, tilt, precision, weights, through, bias, marks, head]
    }

    fn add(&mut self, mut other: Self) {
        self.loss += other.loss;
        for (sum, part) in self.parts().into_iter().zip(other.parts()) {
            sum.iter_mut().zip(part).for_each(|(sum, value)| *sum += *value);
        }
    }

    /// Means over so many rows, from their sums.
    fn finish(&mut self, answer: &Answer, rows: f64) {
        let columns = answer.joint.columns;
        let through = std::mem::take(&mut self.through);
        // Σ is symmetric: rows of `through` times it.
        add_product(&mut self.weights, (&through, columns), (&answer.joint.covariance, columns));
        for i in 0..columns {
            for j in 0..i {
                let middle = 0.5 * (self.covariance[i * columns + j] + self.covariance[j * columns + i]);
                (self.covariance[i * columns + j], self.covariance[j * columns + i]) = (middle, middle);
            }
        }
        self.loss /= rows;
        self.parts().into_iter().flatten().for_each(|slope| *slope /= rows);
    }
}

impl Answer {
    /// Mean loss over some rows and its slopes. Rows that are neighbours in the list and have the same holes are worked
    /// on together.
    pub fn slopes(&self, data: Holes<'_>, wanted: Wanted<'_>, rows: &[usize], patterns: &[u32]) -> Slopes {
        let same = |a: &usize, b: &usize| self.head.is_none() && patterns[*a] == patterns[*b];
        let items: Vec<Item<'_>> =
            rows.chunk_by(same).map(|rows| Item { observed: data.marks(rows[0]), rows }).collect();
        let parts: Vec<Slopes> =
            items.par_chunks(BLOCK).map(|items| self.block_slopes(data, wanted, items)).collect();
        let mut sum = Slopes::zero(self);
        parts.into_iter().for_each(|part| sum.add(part));
        sum.finish(self, rows.len().max(1) as f64);
        sum
    }

    fn block_slopes(&self, data: Holes<'_>, wanted: Wanted<'_>, items: &[Item<'_>]) -> Slopes {
        let (outputs, directions) = (self.outputs(), self.joint.directions());
        let block = self.block(data, items);
        let rows = block.means.len() / directions;
        let mut slopes = Slopes::zero(self);
        // Slopes in w'x̂ and Var[w'x], [rows, directions].
        let (mut in_means, mut in_open) = (vec![0.0; rows * directions], vec![0.0; rows * directions]);
        let run = self.head.as_ref().map(|(head, own)| head.forward(own, &block.inputs));
        let mut in_scores = vec![0.0; rows * outputs];
        for (place, &row) in items.iter().flat_map(|item| item.rows).enumerate() {
            let own = place * directions..place * directions + outputs;
            let added = run.as_ref().map_or(&[][..], |run| &run.0[place * outputs..(place + 1) * outputs]);
            let scores = &mut in_scores[place * outputs..(place + 1) * outputs];
            let (means, open) = (&block.means[own.clone()], &block.open[own.clone()]);
            self.scores(means, open, added, scores);
            slopes.loss += self.loss.slopes(wanted, row, scores);
            self.through_scores(scores, (means, open), (&mut in_means[own.clone()], &mut in_open[own]));
        }
        let mut in_inputs = Vec::new();
        if let (Some((head, own)), Some((_, trace))) = (&self.head, &run) {
            in_inputs = head.backward(own, &block.inputs, trace, &in_scores, &mut slopes.head);
            self.through_inputs(&block, &in_inputs, &mut in_means, &mut in_open);
        }
        self.through_directions(&block, items, (&in_means, &in_open), &mut slopes);
        if !in_inputs.is_empty() {
            self.through_filled(&block, items, &in_inputs, &mut slopes);
        }
        slopes
    }

    /// From scores to the outputs that they are made of.
    fn through_scores(&self, scores: &[f64], of: (&[f64], &[f64]), into: (&mut [f64], &mut [f64])) {
        for (output, slope) in scores.iter().enumerate() {
            match self.loss {
                Loss::Squares => into.0[output] = *slope,
                Loss::Chances => {
                    let soft = softness(of.1[output]);
                    into.0[output] = slope / soft;
                    into.1[output] =
                        -slope * of.0[output] * std::f64::consts::PI / 16.0 / (soft * soft * soft);
                }
            }
        }
    }

    /// From the inputs of the network to what is known along the directions.
    fn through_inputs(&self, block: &Block, slopes: &[f64], means: &mut [f64], open: &mut [f64]) {
        let (columns, directions) = (self.joint.columns, self.joint.directions());
        let inputs = Self::inputs(columns, directions);
        for (row, own) in slopes.chunks_exact(inputs).enumerate() {
            for direction in 0..directions {
                let root = block.inputs[row * inputs + 2 * columns + directions + direction];
                means[row * directions + direction] += own[2 * columns + direction];
                open[row * directions + direction] +=
                    own[2 * columns + directions + direction] / (2.0 * root);
            }
        }
    }

    /// From what is known along the directions to all they depend on.
    fn through_directions(
        &self,
        block: &Block,
        items: &[Item<'_>],
        (in_means, in_open): (&[f64], &[f64]),
        slopes: &mut Slopes,
    ) {
        let (columns, directions) = (self.joint.columns, self.joint.directions());
        // u of items over columns, and what each is multiplied with.
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut first = 0;
        for (items, solved) in items.chunks(LANES).zip(&block.solved) {
            for direction in 0..directions {
                // g and R = Σ g r of each item, the slope in its variance.
                let (mut total, mut open) = ([0.0; LANES], [0.0; LANES]);
                let mut sums = vec![[0.0; LANES]; columns];
                let mut place = first;
                for (lane, item) in items.iter().enumerate() {
                    for _ in item.rows {
                        let slope = in_means[place * directions + direction];
                        total[lane] += slope;
                        open[lane] += in_open[place * directions + direction];
                        let residual = &block.residuals[place * columns..(place + 1) * columns];
                        sums.iter_mut().zip(residual).for_each(|(sum, r)| sum[lane] += slope * r);
                        place += 1;
                    }
                }
                solved.solve(&mut sums);
                let weights = self.joint.weights(direction);
                let mut effect = vec![0.0; columns];
                for (lane, item) in items.iter().enumerate() {
                    solved.effect(direction, lane, &mut effect);
                    let start = left.len();
                    left.extend(weights.iter().zip(&effect).map(|(w, v)| w - v));
                    right.extend(sums.iter().map(|sum| sum[lane]));
                    self.add_sites(
                        item.observed,
                        &effect,
                        (total[lane], open[lane]),
                        &right[start..],
                        slopes,
                    );
                    let own = direction * columns..(direction + 1) * columns;
                    for column in 0..columns {
                        let at = own.start + column;
                        slopes.mean[column] += total[lane] * left[start + column];
                        slopes.weights[at] +=
                            total[lane] * self.joint.mean[column] + 2.0 * open[lane] * self.joint.spread[at];
                        slopes.through[at] += right[start + column] - 2.0 * open[lane] * effect[column];
                    }
                    if open[lane] != 0.0 {
                        left.extend_from_within(start..start + columns);
                        right.extend(left[start..start + columns].iter().map(|u| open[lane] * u));
                    }
                    if let Some(bias) = slopes.bias.get_mut(direction) {
                        *bias += total[lane];
                        let marks = slopes.marks[own].iter_mut().zip(item.observed);
                        marks.filter(|(_, known)| !**known).for_each(|(mark, _)| *mark += total[lane]);
                    }
                }
            }
            first += items.iter().map(|item| item.rows.len()).sum::<usize>();
        }
        add_crossed(&mut slopes.covariance, (&left, columns), (&right, columns), 1.0);
    }

    /// Slopes in η and log τ: `sums` is H, and g x̂ of a hole is (g η - H) / τ.
    fn add_sites(
        &self,
        observed: &[bool],
        effect: &[f64],
        (total, open): (f64, f64),
        sums: &[f64],
        slopes: &mut Slopes,
    ) {
        for column in (0..observed.len()).filter(|column| !observed[*column]) {
            let precision = self.joint.precision[column];
            if precision > 0.0 {
                let share = effect[column] / precision;
                slopes.tilt[column] += total * share;
                slopes.precision[column] -= share * (total * self.joint.tilt[column] - sums[column]);
                slopes.precision[column] -= open * share * effect[column];
            }
        }
    }

    /// From x̂, which the network reads, to all it depends on.
    fn through_filled(&self, block: &Block, items: &[Item<'_>], in_inputs: &[f64], slopes: &mut Slopes) {
        let columns = self.joint.columns;
        let inputs = Self::inputs(columns, self.joint.directions());
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (eight, (items, h)) in items.chunks(LANES).zip(&block.solutions).enumerate() {
            let mut wanted = vec![[0.0; LANES]; columns];
            for lane in 0..items.len() {
                let own = &in_inputs[(eight * LANES + lane) * inputs..][..columns];
                wanted.iter_mut().zip(own).for_each(|(wanted, slope)| wanted[lane] = *slope);
            }
            let mut effects = vec![[0.0; LANES]; columns];
            times(columns, &self.joint.covariance, &wanted, &mut effects);
            block.solved[eight].solve(&mut effects);
            for (lane, item) in items.iter().enumerate() {
                let effect: Vec<f64> = effects.iter().map(|effect| effect[lane]).collect();
                let start = left.len();
                left.extend((0..columns).map(|column| wanted[column][lane] - effect[column]));
                right.extend(h.iter().map(|h| h[lane]));
                let sums = &right[start..];
                self.add_sites(item.observed, &effect, (1.0, 0.0), sums, slopes);
                slopes.mean.iter_mut().zip(&left[start..]).for_each(|(sum, u)| *sum += u);
            }
        }
        add_crossed(&mut slopes.covariance, (&left, columns), (&right, columns), 1.0);
    }
}

impl Loss {
    /// The loss of a row with these scores, which become its slopes.
    pub fn slopes(self, wanted: Wanted<'_>, row: usize, scores: &mut [f64]) -> f64 {
        match (self, scores) {
            (Self::Squares, scores) => {
                let error = scores[0] - f64::from(wanted.numbers[row]);
                scores[0] = 2.0 * error;
                error * error
            }
            (Self::Chances, [score]) => {
                let positive = f64::from(u8::from(wanted.classes[row] == 1));
                let log_sum = score.max(0.0) + (-score.abs()).exp().ln_1p();
                let loss = log_sum - positive * *score;
                *score = (*score - log_sum).exp() - positive;
                loss
            }
            (Self::Chances, scores) => {
                let class = wanted.classes[row] as usize;
                let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = scores.iter().map(|score| (score - highest).exp()).sum();
                let loss = highest + sum.ln() - scores[class];
                scores.iter_mut().for_each(|score| *score = (*score - highest).exp() / sum);
                scores[class] -= 1.0;
                loss
            }
        }
    }
}

#[cfg(test)]
mod tests;
