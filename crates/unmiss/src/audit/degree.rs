//! How strongly the answer depends on the number of known cells: the figures, per row, then over rows.
//!
//! For one row, level i of L keeps k_i of its n known cells; p_ij is the answer under mask j of M, m_i the mean of
//! level i:
//!
//! ```text
//! slope      of the least squares line of m_i on k_i / n, divided by sd(answers of all rows as they are)
//! share      sum_i M (m_i - m)^2 / sum_ij (p_ij - m)^2           0: no part, 1: the number decides everything
//! range      (max m_i - min m_i) / sd(targets)
//! spearman   rank correlation of k_i and m_i
//! ```
//!
//! Each is the MEDIAN over rows. A row's own answer may move for a good reason: the less is known, the closer a
//! good answer is to the average. What may not move when cells are hidden at random is the MEAN answer of all
//! rows, since E[E(y | known cells)] = E(y) whatever is known. Hence the verdict rests on a fifth figure:
//!
//! ```text
//! drift      (mean answer at the level where it differs most - mean answer with all known) / sd(answers)
//! ```

use serde::Serialize;

use super::collect::Answers;
use super::plan::Plan;
use crate::rng::Stream;

/// Resamples of rows behind each interval.
const RESAMPLES: u64 = 1000;
/// Changes smaller than this part of the unit are rounding, not drift.
const ROUNDING: f64 = 1e-6;

/// The degree to which answers depend on the number of known cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// Change of a row's answer from nothing to all known, in standard deviations of the answers; median row.
    pub slope: f64,
    /// Part of the scatter of a row's answers that the number of known cells explains, 0 to 1; median row.
    pub share: f64,
    /// Largest difference between a row's level means, in standard deviations of the target; median row.
    pub range: f64,
    /// Rank correlation between the number of known cells and a row's level means, -1 to 1; median row.
    pub spearman: f64,
    /// Largest departure of the mean answer of all rows from the one with all known, in standard deviations of
    /// the answers. A model without fault has 0.
    pub drift: f64,
    /// The same departure in units of the answer.
    pub drift_in_units: f64,
    /// The share of known cells at which it is found.
    pub drift_at: f64,
    /// Bootstrap intervals over rows, 95 %.
    pub intervals: Bounds,
}

/// Lower and upper ends of the 95 % intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Of the slope.
    pub slope: [f64; 2],
    /// Of the share.
    pub share: [f64; 2],
    /// Of the range.
    pub range: [f64; 2],
    /// Of Spearman's correlation.
    pub spearman: [f64; 2],
    /// Of the drift.
    pub drift: [f64; 2],
}

/// The standard deviations that figures are told in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// Of the answers of all rows as they are.
    pub answers: f64,
    /// Of the target.
    pub target: f64,
}

impl Units {
    /// The deviations of an output. Where one is 0 or unknown, the other stands in.
    pub fn new(answers: &Answers, output: usize, target: Option<f64>) -> Self {
        let full: Vec<f64> = (0..answers.rows()).map(|row| answers.full(row, output)).collect();
        let spread = deviation(&full);
        let size = full.iter().fold(0.0_f64, |most, answer| most.max(answer.abs()));
        // Equal answers leave a deviation of rounding errors.
        let spread = Some(spread).filter(|spread| *spread > 1e-9 * size);
        let target = target.filter(|target| *target > 0.0);
        Self { answers: spread.or(target).unwrap_or(1.0), target: target.or(spread).unwrap_or(1.0) }
    }
}

/// Standard deviation, 0 for fewer than two values.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The figures of one output.
pub(super) fn figures(plan: &Plan, answers: &Answers, output: usize, units: Units, seed: u64) -> Figures {
    let rows: Vec<RowFigures> =
        (0..answers.rows()).map(|row| RowFigures::new(plan, answers, row, output, units)).collect();
    let all: Vec<usize> = (0..rows.len()).collect();
    let mean_at = |level: usize, rows_drawn: &[usize]| {
        rows_drawn.iter().map(|&row| rows[row].departures[level]).sum::<f64>() / rows_drawn.len() as f64
    };
    // The first of equals is the one with least known: there drift is easiest to see.
    let mut furthest = 0;
    for level in 1..plan.shares.len() {
        if mean_at(level, &all).abs() > mean_at(furthest, &all).abs() {
            furthest = level;
        }
    }
    let of = |drawn: &[usize]| {
        let median_of = |figure: fn(&RowFigures) -> f64| {
            median(&mut drawn.iter().map(|&row| figure(&rows[row])).collect::<Vec<_>>())
        };
        [
            median_of(|row| row.slope),
            median_of(|row| row.share),
            median_of(|row| row.range),
            median_of(|row| row.spearman),
            mean_at(furthest, drawn) / units.answers,
        ]
    };
    let [slope, share, range, spearman, drift] = of(&all);
    let resampled: Vec<[f64; 5]> = (0..RESAMPLES)
        .map(|resample| {
            let mut stream = Stream::new(seed, "audit bootstrap", resample, 0);
            of(&all.iter().map(|_| stream.below(rows.len())).collect::<Vec<_>>())
        })
        .collect();
    let bounds = |figure: usize| {
        let mut values: Vec<f64> = resampled.iter().map(|figures| figures[figure]).collect();
        values.sort_unstable_by(f64::total_cmp);
        [quantile(&values, 0.025), quantile(&values, 0.975)]
    };
    let intervals = Bounds {
        slope: bounds(0),
        share: bounds(1),
        range: bounds(2),
        spearman: bounds(3),
        drift: bounds(4),
    };
    let (drift_in_units, drift_at) = (drift * units.answers, plan.shares[furthest]);
    Figures { slope, share, range, spearman, drift, drift_in_units, drift_at, intervals }
}

/// The figures of one row.
struct RowFigures {
    slope: f64,
    share: f64,
    range: f64,
    spearman: f64,
    /// At every share of the plan: mean answer minus the answer with all known.
    departures: Vec<f64>,
}

impl RowFigures {
    fn new(plan: &Plan, answers: &Answers, row: usize, output: usize, units: Units) -> Self {
        let planned = &plan.rows[row];
        let full = answers.full(row, output);
        let least = ROUNDING * units.answers;
        let (mut means, mut within) = (Vec::new(), 0.0);
        for level in 0..planned.counts.len() {
            // Departures from the full answer: a model that never moves gives exact zeros.
            let departure = |answer: f64| Some(answer - full).filter(|d| d.abs() > least).unwrap_or(0.0);
            let departures: Vec<f64> = answers.at(row, level, output).map(departure).collect();
            within += deviation(&departures).powi(2);
            means.push(departures.iter().sum::<f64>() / departures.len() as f64);
        }
        let known: Vec<f64> =
            planned.counts.iter().map(|&count| count as f64 / planned.known.len() as f64).collect();
        let levels = means.len() as f64;
        let between = deviation(&means).powi(2);
        let within = within / levels;
        let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let low = means.iter().copied().fold(f64::INFINITY, f64::min);
        let departures = plan.shares.iter().map(|&share| means[planned.level(share)]).collect();
        Self {
            slope: slope(&known, &means) / units.answers,
            share: if between + within > 0.0 { between / (between + within) } else { 0.0 },
            range: (high - low) / units.target,
            spearman: correlation(&ranks(&known), &ranks(&means)),
            departures,
        }
    }
}

/// Slope of the least squares line.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let (products, squares, _) = moments(x, y);
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Pearson's correlation; 0 where one of the two does not vary.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (products, squares_x, squares_y) = moments(x, y);
    let scale = (squares_x * squares_y).sqrt();
    if scale > 0.0 { (products / scale).clamp(-1.0, 1.0) } else { 0.0 }
}

/// Sums of products and squares around the means.
fn moments(x: &[f64], y: &[f64]) -> (f64, f64, f64) {
    let count = x.len().max(1) as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / count, y.iter().sum::<f64>() / count);
    x.iter().zip(y).fold((0.0, 0.0, 0.0), |(products, squares_x, squares_y), (x, y)| {
        let (x, y) = (x - mean_x, y - mean_y);
        (products + x * y, squares_x + x * x, squares_y + y * y)
    })
}

/// Ranks from 0; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|&value| below(value) + (equal(value) - 1.0) / 2.0).collect()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// The quantile of ascending values, between neighbours in proportion.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len().max(1) - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(low), sorted.get(high)) {
        (Some(low), Some(high)) => low + (high - low) * place.fract(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_ranks_and_quantiles() {
        assert_eq!(slope(&[0.0, 1.0, 2.0], &[1.0, 3.0, 5.0]), 2.0);
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
        // scipy.stats.spearmanr([1, 2, 3, 4], [3, 1, 3, 9]) = 0.6324555320
        let rho = correlation(&ranks(&[1.0, 2.0, 3.0, 4.0]), &ranks(&[3.0, 1.0, 3.0, 9.0]));
        assert!((rho - 0.632_455_532).abs() < 1e-9, "{rho}");
        assert_eq!(correlation(&[1.0, 2.0], &[5.0, 5.0]), 0.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
    }
}
