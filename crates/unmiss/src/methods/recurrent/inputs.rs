//! From series with holes to the rows that a recurrent layer reads, one for each step.

use super::settings::Missing;
use crate::encode::{SeriesBatch, SeriesRows};
use crate::nn::Steps;

/// Series looked at together where all are gone through.
const AT_ONCE: usize = 256;

/// What a step becomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// What a missing value becomes.
    pub missing: Missing,
    /// D: how many variables there are.
    pub variables: usize,
    /// K of Sparsity Normalization: known values of a step, or of a series, on average over training.
    pub k: f32,
}

impl Inputs {
    /// For training series.
    pub fn fit(missing: Missing, variables: usize, rows: &SeriesRows) -> Self {
        let (mut known, mut count) = (0.0_f64, 0);
        for first in (0..rows.len()).step_by(AT_ONCE) {
            let some: Vec<usize> = (first..rows.len().min(first + AT_ONCE)).collect();
            let batch = rows.batch(&some);
            known += batch.observed.iter().map(|mark| f64::from(*mark)).sum::<f64>();
            count += match missing {
                Missing::SnSeries => some.len(),
                _ => batch.lengths.iter().sum(),
            };
        }
        Self { missing, variables, k: (known / count.max(1) as f64) as f32 }
    }

    /// Numbers a step.
    pub fn width(&self) -> usize {
        match self.missing {
            Missing::Mask => 3 * self.variables,
            Missing::Decay => 2 * self.variables,
            _ => self.variables,
        }
    }

    /// Every step as a row in the order of `steps`: `[rows, width]`; where values decay, `[x, observed]` with 0 for
    /// what is missing.
    pub fn rows(&self, batch: &SeriesBatch, steps: &Steps) -> Vec<f32> {
        let (width, count) = (self.width(), self.variables);
        let mut all = vec![0.0; steps.rows() * width];
        for series in 0..steps.series() {
            let mut last = vec![0.0; count];
            let own = self.of_series(batch, series);
            for step in 0..steps.length(series) {
                let first = (series * batch.steps + step) * count;
                let [values, observed, since] =
                    [&batch.values, &batch.observed, &batch.since].map(|all| &all[first..first + count]);
                let row = &mut all[steps.row(series, step) * width..][..width];
                // A mark of 0 hides whatever stands under it.
                let known = |at: usize| observed[at] > 0.0;
                for at in (0..count).filter(|at| known(*at)) {
                    last[at] = values[at];
                    row[at] = values[at];
                }
                match self.missing {
                    Missing::Zero => {}
                    Missing::Mean | Missing::ForwardFill => {
                        let filled = if self.missing == Missing::Mean { &own } else { &last };
                        (0..count).filter(|at| !known(*at)).for_each(|at| row[at] = filled[at]);
                    }
                    Missing::Mask => {
                        row[..count].copy_from_slice(&last);
                        row[count..2 * count].copy_from_slice(observed);
                        let ages = row[2 * count..].iter_mut().zip(since);
                        ages.for_each(|(age, since)| *age = since.ln_1p());
                    }
                    Missing::SnStep => {
                        let factor = self.k / observed.iter().sum::<f32>().max(1.0);
                        row.iter_mut().for_each(|value| *value *= factor);
                    }
                    Missing::SnSeries => {
                        row.iter_mut().zip(&own).for_each(|(value, factor)| *value *= factor)
                    }
                    Missing::Decay => row[count..].copy_from_slice(observed),
                }
            }
        }
        all
    }

    /// For each variable what the whole series says: its mean, or K / (number of all known values).
    fn of_series(&self, batch: &SeriesBatch, series: usize) -> Vec<f32> {
        let count = self.variables;
        let cells = series * batch.steps * count..(series * batch.steps + batch.lengths[series]) * count;
        let (values, observed) = (&batch.values[cells.clone()], &batch.observed[cells]);
        if self.missing == Missing::SnSeries {
            return vec![self.k / observed.iter().sum::<f32>().max(1.0); count];
        }
        let (mut sums, mut known) = (vec![0.0_f32; count], vec![0.0_f32; count]);
        for (cell, (value, mark)) in values.iter().zip(observed).enumerate() {
            if *mark > 0.0 {
                sums[cell % count] += value;
                known[cell % count] += 1.0;
            }
        }
        sums.iter().zip(known).map(|(sum, known)| sum / known.max(1.0)).collect()
    }

    /// How long ago each variable was seen, by its logarithm, and its last value where it is missing: `[rows, D]` each.
    pub fn ages(&self, batch: &SeriesBatch, steps: &Steps) -> (Vec<f32>, Vec<f32>) {
        let count = self.variables;
        let [mut ages, mut lasts] = [(); 2].map(|()| vec![0.0; steps.rows() * count]);
        for series in 0..steps.series() {
            let mut last = vec![0.0; count];
            for step in 0..steps.length(series) {
                let (first, row) = ((series * batch.steps + step) * count, steps.row(series, step) * count);
                for at in 0..count {
                    ages[row + at] = batch.since[first + at].ln_1p();
                    if batch.observed[first + at] > 0.0 {
                        last[at] = batch.values[first + at];
                    } else {
                        lasts[row + at] = last[at];
                    }
                }
            }
        }
        (ages, lasts)
    }
}
