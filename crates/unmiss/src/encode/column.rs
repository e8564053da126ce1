//! What is learned of one column: the scale of a number, the codes of a category.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::{Column, Kind, level};

/// Standard deviations from the mean beyond which a straight line is no knowledge: values stop there. (Of the range
/// from minimum to maximum, three lengths are as far.)
const FARTHEST: f64 = 30.0;
/// Places behind the point that people write; numbers with more of them were computed.
const MOST_DECIMALS: i32 = 6;
/// Levels that are looked up one by one.
const FEW_LEVELS: usize = 4;

/// How numbers are scaled before a method sees them. Statistics are those of observed training cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// (x - mean) / standard deviation.
    Standard,
    /// (x - minimum) / (maximum - minimum): non-negative inputs, the setting of the sparsity papers.
    MinMax,
    /// (x - median) / interquartile range, then the smooth clip x / sqrt(1 + (x/3)^2): safe with outliers.
    Robust,
}

/// A number column: encoded = (x - center) / width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberFeature {
    /// The column's name.
    pub name: String,
    /// Real or integer.
    pub kind: Kind,
    /// What is subtracted.
    pub center: f64,
    /// What is divided by; 1 for a column of one value.
    pub width: f64,
    /// Smallest observed training value.
    pub low: f64,
    /// Largest observed training value.
    pub high: f64,
    /// Lowest and highest value that a filled cell may get; none: the smallest and the largest observed one.
    pub limits: Option<(f64, f64)>,
    /// Mean of the encoded observed training values.
    pub mean: f32,
    /// Training cells that were not observed.
    pub missing: usize,
    /// Places behind the point that real numbers have, which are those that filled cells get; none where they have
    /// many, and in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
}

/// A category column: encoded = position in `levels`, or `levels.len()` for a level pooled as `other`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoryFeature {
    /// The column's name.
    pub name: String,
    /// Binary or category.
    pub kind: Kind,
    /// Levels with a code of their own, in ascending order.
    pub levels: Vec<String>,
    /// Share of each code among observed training cells, `other` last if there is one.
    pub shares: Vec<f32>,
    /// Training cells that were not observed.
    pub missing: usize,
}

/// Places behind the point of a filled number: what a standardised single-precision number can tell apart, and no more
/// than the column's own values have.
pub(super) fn places(width: f64, decimals: Option<u8>) -> f64 {
    let carried = (5.0 - width.log10()).ceil().clamp(0.0, 15.0);
    decimals.map_or(carried, |own| carried.min(f64::from(own)))
}

/// Places behind the point that numbers are given with; none where they are many, as of what was computed.
pub(crate) fn decimals(known: &[f64]) -> Option<u8> {
    let mut places = 0;
    for value in known {
        let fits = |places: i32| (value * 10_f64.powi(places)).round() / 10_f64.powi(places) == *value;
        while !fits(places) {
            places += 1;
            if places > MOST_DECIMALS {
                return None;
            }
        }
    }
    Some(places as u8)
}

impl NumberFeature {
    /// Learns from the observed cells of a column.
    pub(super) fn fit(column: &Column, scale: Scale) -> Self {
        let values = column.numbers().unwrap_or_default();
        let cells = values.iter().zip(&column.observed).filter(|(_, observed)| **observed);
        let known = cells.map(|(value, _)| *value).collect();
        Self::learn(column.name.clone(), column.kind, scale, known, column.missing())
    }

    fn learn(name: String, kind: Kind, scale: Scale, mut known: Vec<f64>, missing: usize) -> Self {
        known.sort_unstable_by(f64::total_cmp);
        let (low, high) = (known.first().copied().unwrap_or(0.0), known.last().copied().unwrap_or(0.0));
        let count = known.len().max(1) as f64;
        let mean = known.iter().sum::<f64>() / count;
        let deviation = deviation(&known, mean);
        let quantile =
            |share: f64| known.get((share * (count - 1.0)).round() as usize).copied().unwrap_or(0.0);
        let (center, width) = match scale {
            Scale::Standard => (mean, deviation),
            Scale::MinMax => (low, high - low),
            Scale::Robust => {
                let spread = quantile(0.75) - quantile(0.25);
                // A column that is mostly one value has no interquartile range: half of its range stands in.
                (quantile(0.5), if spread > 0.0 { spread } else { (high - low) / 2.0 })
            }
        };
        let width = if width > 0.0 && width.is_finite() { width } else { 1.0 };
        let mut feature =
            Self { name, kind, center, width, low, high, limits: None, mean: 0.0, missing, decimals: None };
        feature.decimals = decimals(&known).filter(|_| feature.kind == Kind::Real && !known.is_empty());
        let total: f64 = known.iter().map(|&value| f64::from(feature.scaled(scale, value))).sum();
        feature.mean = (total / count) as f32;
        feature
    }

    /// The same column, learned from other rows: `known` are their encoded cells. What may be filled stays.
    pub(super) fn relearned(&self, scale: Scale, known: impl Iterator<Item = f32>, rows: usize) -> Self {
        self.learned_from(scale, known.map(|encoded| self.decoded(f64::from(encoded))).collect(), rows)
    }

    /// The same column, learned from the known values of so many other rows. What may be filled stays.
    pub(super) fn learned_from(&self, scale: Scale, known: Vec<f64>, rows: usize) -> Self {
        let missing = rows - known.len();
        let (limits, decimals) = (self.limits, self.decimals);
        Self { limits, decimals, ..Self::learn(self.name.clone(), self.kind, scale, known, missing) }
    }

    /// A value as a method sees it.
    pub(crate) fn scaled(&self, scale: Scale, value: f64) -> f32 {
        let scaled = self.encoded(value);
        match Self::bounds(scale) {
            Some((low, high)) => scaled.clamp(low, high) as f32,
            None => smooth_clip(scaled) as f32,
        }
    }

    /// Where scaled values stop; none where they are bent instead.
    pub(super) fn bounds(scale: Scale) -> Option<(f64, f64)> {
        match scale {
            Scale::Robust => None,
            Scale::Standard => Some((-FARTHEST, FARTHEST)),
            Scale::MinMax => Some((-3.0, 4.0)),
        }
    }

    /// The value that [`NumberFeature::scaled`] made this of; where it stopped, the value where it stopped.
    pub(super) fn unscaled(&self, scale: Scale, scaled: f32) -> f64 {
        let scaled = f64::from(scaled);
        self.decoded(match scale {
            // x / sqrt(1 + (x/3)^2) turned round; in single precision far outliers are 3 itself.
            Scale::Robust => scaled / (1.0 - (scaled / 3.0).powi(2)).max(1e-12).sqrt(),
            Scale::Standard | Scale::MinMax => scaled,
        })
    }

    /// A value in widths from the center, however far.
    pub fn encoded(&self, value: f64) -> f64 {
        (value - self.center) / self.width
    }

    /// The value so many widths from the center.
    pub fn decoded(&self, encoded: f64) -> f64 {
        self.center + self.width * encoded
    }

    /// Lowest and highest value that a filled cell may get.
    pub fn allowed(&self) -> (f64, f64) {
        self.limits.unwrap_or((self.low, self.high))
    }

    /// Lowest and highest value that a drawn cell may get: what was asked for, or beyond the observed values as far as
    /// these lie apart. Draws that were cut at the observed values would vary too little; a line that goes on far
    /// beyond them is no longer to be believed.
    pub fn allowed_for_draws(&self) -> (f64, f64) {
        let wide = self.high - self.low;
        self.limits.unwrap_or((self.low - wide, self.high + wide))
    }

    /// What [`allowed`](Self::allowed) says, encoded: not further from the mean than a line reaches, or than what was
    /// observed.
    pub fn range(&self) -> (f64, f64) {
        let lowest = self.encoded(self.low).min(-FARTHEST);
        let highest = self.encoded(self.high).max(FARTHEST);
        let (low, high) = self.allowed();
        (self.encoded(low).clamp(lowest, highest), self.encoded(high).clamp(lowest, highest))
    }
}

/// The standard deviation around a mean; 0 without values. Squares of numbers next to nothing vanish: such numbers are
/// measured in units of the largest of them.
pub(super) fn deviation(values: &[f64], mean: f64) -> f64 {
    let count = values.len().max(1) as f64;
    let around = |unit: f64| {
        unit * (values.iter().map(|value| ((value - mean) / unit).powi(2)).sum::<f64>() / count).sqrt()
    };
    let usual = around(1.0);
    if usual >= 1e-150 {
        return usual;
    }
    let largest = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    if largest > 0.0 { around(largest) } else { 0.0 }
}

impl CategoryFeature {
    /// Learns from the observed cells of a column; the rarest of more than `most_levels` share a code.
    pub(super) fn fit(column: &Column, codes: &[u32], levels: &[String], most_levels: usize) -> Self {
        let known = codes.iter().zip(&column.observed).filter(|(_, observed)| **observed);
        let known = known.map(|(code, _)| *code);
        Self::learn((column.name.clone(), column.kind), known, levels, most_levels, column.rows())
    }

    /// Learns from known codes of so many rows; a code beyond the levels is that of others, pooled before.
    fn learn(
        (name, kind): (String, Kind),
        known: impl Iterator<Item = u32>,
        levels: &[String],
        most_levels: usize,
        rows: usize,
    ) -> Self {
        let mut counts = vec![0_usize; levels.len() + 1];
        known.for_each(|code| counts[code as usize] += 1);
        Self::of_counts((name, kind), levels, &counts, most_levels, rows)
    }

    /// From how often each level was known in so many rows, and last how often one that was pooled before.
    pub(crate) fn of_counts(
        (name, kind): (String, Kind),
        levels: &[String],
        counts: &[usize],
        most_levels: usize,
        rows: usize,
    ) -> Self {
        // The most frequent levels keep a code of their own; ties go to the earlier level.
        let mut order: Vec<usize> = (0..levels.len()).filter(|&level| counts[level] > 0).collect();
        order.sort_by_key(|&level| std::cmp::Reverse(counts[level]));
        let rare = order.iter().skip(most_levels).map(|&level| counts[level]).sum::<usize>();
        let pooled = counts[levels.len()] + rare;
        order.truncate(most_levels);
        order.sort_unstable();
        let known = counts.iter().sum::<usize>();
        let total = known.max(1) as f32;
        let mut shares: Vec<f32> = order.iter().map(|&level| counts[level] as f32 / total).collect();
        if pooled > 0 {
            shares.push(pooled as f32 / total);
        }
        let levels = order.iter().map(|&level| levels[level].clone()).collect();
        Self { name, kind, levels, shares, missing: rows - known }
    }

    /// The same column as other rows alone would have given it, whose known codes are given.
    pub(super) fn learned_from(
        &self,
        known: impl Iterator<Item = u32>,
        most_levels: usize,
        rows: usize,
    ) -> Self {
        Self::learn((self.name.clone(), self.kind), known, &self.levels, most_levels, rows)
    }

    /// The same column and codes with the shares of other rows, whose known codes are given.
    pub(super) fn relearned(&self, known: impl Iterator<Item = u32>, rows: usize) -> Self {
        let mut counts = vec![0_usize; self.codes()];
        known.for_each(|code| counts[code as usize] += 1);
        let total: usize = counts.iter().sum();
        let shares = counts.iter().map(|count| *count as f32 / total.max(1) as f32).collect();
        Self { shares, missing: rows - total, ..self.clone() }
    }

    /// How many codes there are, with `other` if rare levels were pooled.
    pub fn codes(&self) -> usize {
        self.shares.len()
    }

    /// Whether rare levels were pooled under a code of their own.
    pub fn has_other(&self) -> bool {
        self.shares.len() > self.levels.len()
    }

    /// For each level of a table its training code: unseen levels are `other` if training had one, else holes. Binary
    /// numbers count by their value, as when they were read for training: `1.0` is `1`.
    pub(super) fn translation(&self, levels: &[String]) -> Vec<Option<u32>> {
        let fallback = self.has_other().then_some(self.levels.len() as u32);
        if levels.len() <= FEW_LEVELS {
            // The levels of a single row: an index would cost more than it saves.
            let place = |word: &str| self.levels.iter().position(|own| own == word).map(|code| code as u32);
            return levels.iter().map(|word| place(&level(word, Some(self.kind))).or(fallback)).collect();
        }
        let known: HashMap<&str, u32> = self.levels.iter().map(String::as_str).zip(0..).collect();
        let code = |word: &String| known.get(&*level(word, Some(self.kind))).copied().or(fallback);
        levels.iter().map(code).collect()
    }
}

/// x / sqrt(1 + (x/3)^2): the identity near 0, never beyond 3.
fn smooth_clip(value: f64) -> f64 {
    value / (1.0 + (value / 3.0).powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_clip_is_bounded_and_monotone() {
        assert!((smooth_clip(0.01) - 0.01).abs() < 1e-6);
        assert!(smooth_clip(1e9) <= 3.0 && smooth_clip(5.0) < smooth_clip(6.0));
    }

    #[test]
    fn what_may_be_filled_is_what_is_known_unless_told_otherwise() {
        let column = Column::from_numbers("a", Kind::Real, &[0.0, f64::NAN, 4.0, 2.0]);
        let mut feature = NumberFeature::fit(&column, Scale::Standard);
        assert_eq!(feature.range(), (feature.encoded(0.0), feature.encoded(4.0)));
        for (limits, range) in
            [((1.0, 9.0), (1.0, 9.0)), ((f64::MIN, 3.0), (2.0 - 30.0 * feature.width, 3.0))]
        {
            feature.limits = Some(limits);
            let (low, high) = feature.range();
            assert!(
                (feature.decoded(low) - range.0).abs() < 1e-9
                    && (feature.decoded(high) - range.1).abs() < 1e-9
            );
        }
    }
}
