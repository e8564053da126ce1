//! Input columns as a method sees them: scaled numbers and category codes, each with its `observed`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::{Column, Kind, Table, level};
use crate::error::{Error, Result};

/// Standard deviations from the mean beyond which a straight line is no knowledge: values stop there. (Of the range
/// from minimum to maximum, three lengths are as far.)
const FARTHEST: f64 = 30.0;

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

/// What a method asks of the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoding {
    /// The scale of numbers.
    pub scale: Scale,
    /// Category levels kept apart; the rarest beyond that share one code, `other`.
    pub most_levels: usize,
}

impl Default for Encoding {
    fn default() -> Self {
        Self { scale: Scale::Standard, most_levels: 255 }
    }
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

impl NumberFeature {
    /// Lowest and highest value that a filled cell may get.
    pub fn allowed(&self) -> (f64, f64) {
        self.limits.unwrap_or((self.low, self.high))
    }

    /// The same, encoded: never further out than [`FARTHEST`] and what was observed.
    pub fn range(&self) -> (f64, f64) {
        let encoded = |value: f64| (value - self.center) / self.width;
        let (lowest, highest) = (encoded(self.low).min(-FARTHEST), encoded(self.high).max(FARTHEST));
        let (low, high) = self.allowed();
        (encoded(low).clamp(lowest, highest), encoded(high).clamp(lowest, highest))
    }
}

impl CategoryFeature {
    /// How many codes there are, with `other` if rare levels were pooled.
    pub fn codes(&self) -> usize {
        self.shares.len()
    }

    /// Whether rare levels were pooled under a code of their own.
    pub fn has_other(&self) -> bool {
        self.shares.len() > self.levels.len()
    }
}

/// The fitted translation of input columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoder {
    /// What the method asked for.
    pub encoding: Encoding,
    /// Number columns in the order of [`Encoded::numbers`].
    pub numbers: Vec<NumberFeature>,
    /// Category columns in the order of [`Encoded::codes`].
    pub categories: Vec<CategoryFeature>,
}

/// Rows as a method sees them. Under `false` marks the values are 0 and must not be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encoded {
    /// How many rows.
    pub rows: usize,
    /// `[rows, number columns]`, scaled.
    pub numbers: Vec<f32>,
    /// `[rows, number columns]`: true where known.
    pub numbers_observed: Vec<bool>,
    /// `[rows, category columns]`.
    pub codes: Vec<u32>,
    /// `[rows, category columns]`: true where known.
    pub codes_observed: Vec<bool>,
}

impl Encoded {
    /// A number that changes with any value or mark, by which unfinished work on other rows is told apart.
    pub fn fingerprint(&self) -> u64 {
        let numbers = self.numbers.iter().map(|value| u64::from(value.to_bits()));
        let codes = self.codes.iter().map(|code| u64::from(*code));
        let marks = self.numbers_observed.iter().chain(&self.codes_observed).map(|mark| u64::from(*mark));
        crate::rng::mix(numbers.chain(codes).chain(marks))
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.len(),
            numbers: pick(&self.numbers, self.rows, rows),
            numbers_observed: pick(&self.numbers_observed, self.rows, rows),
            codes: pick(&self.codes, self.rows, rows),
            codes_observed: pick(&self.codes_observed, self.rows, rows),
        }
    }
}

fn pick<T: Copy>(values: &[T], all_rows: usize, rows: &[usize]) -> Vec<T> {
    let width = values.len().checked_div(all_rows).unwrap_or(0);
    rows.iter().flat_map(|&row| &values[row * width..(row + 1) * width]).copied().collect()
}

impl Encoder {
    /// Learns scales and codes of the named columns from all rows of a table.
    ///
    /// # Errors
    /// When a column is absent, is text or dates, or none is left.
    pub fn fit(table: &Table, names: &[String], encoding: Encoding) -> Result<Self> {
        let mut encoder = Self { encoding, numbers: Vec::new(), categories: Vec::new() };
        for name in names {
            let column = table.column(name)?;
            if column.numbers().is_some() {
                encoder.numbers.push(fit_number(column, encoding.scale));
            } else if let Some((codes, levels)) = column.codes() {
                encoder.categories.push(fit_category(column, codes, levels, encoding.most_levels));
            } else {
                return Err(Error::data(format!("column `{name}` is {} and can't be an input", column.kind)));
            }
        }
        if encoder.width() == 0 {
            return Err(Error::data("there is no column left to predict from")
                .with_hint("a column needs at least two different values or some holes to be of use"));
        }
        Ok(encoder)
    }

    /// Number of input columns.
    pub fn width(&self) -> usize {
        self.numbers.len() + self.categories.len()
    }

    /// Translates rows. `unseen` is told (column, level) for every level that training never saw and that
    /// is taken as a hole.
    ///
    /// # Errors
    /// When a column is absent or of a kind that does not fit.
    pub fn encode(&self, table: &Table, mut unseen: impl FnMut(&str, &str)) -> Result<Encoded> {
        let rows = table.rows();
        let mut encoded = Encoded {
            rows,
            numbers: vec![0.0; rows * self.numbers.len()],
            numbers_observed: vec![false; rows * self.numbers.len()],
            codes: vec![0; rows * self.categories.len()],
            codes_observed: vec![false; rows * self.categories.len()],
        };
        for (place, feature) in self.numbers.iter().enumerate() {
            let column = table.column(&feature.name)?;
            let values = column.numbers().ok_or_else(|| wrong_kind(column, "numbers"))?;
            for row in (0..rows).filter(|&row| column.observed[row]) {
                let cell = row * self.numbers.len() + place;
                encoded.numbers[cell] = self.scaled(feature, values[row]);
                encoded.numbers_observed[cell] = true;
            }
        }
        for (place, feature) in self.categories.iter().enumerate() {
            let column = table.column(&feature.name)?;
            let (codes, levels) = column.codes().ok_or_else(|| wrong_kind(column, "categories"))?;
            let translation = feature.translation(levels);
            let mut told = vec![false; levels.len()];
            for row in (0..rows).filter(|&row| column.observed[row]) {
                let code = codes[row] as usize;
                if let Some(known) = translation[code] {
                    let cell = row * self.categories.len() + place;
                    encoded.codes[cell] = known;
                    encoded.codes_observed[cell] = true;
                } else if !std::mem::replace(&mut told[code], true) {
                    unseen(&feature.name, &levels[code]);
                }
            }
        }
        Ok(encoded)
    }

    fn scaled(&self, feature: &NumberFeature, value: f64) -> f32 {
        let scaled = (value - feature.center) / feature.width;
        match self.encoding.scale {
            Scale::Robust => smooth_clip(scaled) as f32,
            Scale::Standard => scaled.clamp(-FARTHEST, FARTHEST) as f32,
            Scale::MinMax => scaled.clamp(-3.0, 4.0) as f32,
        }
    }
}

impl CategoryFeature {
    /// For each level of a table its training code: unseen levels are `other` if training had one, else holes. Binary
    /// numbers count by their value, as when they were read for training: `1.0` is `1`.
    fn translation(&self, levels: &[String]) -> Vec<Option<u32>> {
        let known: HashMap<&str, u32> = self.levels.iter().map(String::as_str).zip(0..).collect();
        let fallback = self.has_other().then_some(self.levels.len() as u32);
        let code = |word: &String| known.get(&*level(word, Some(self.kind))).copied().or(fallback);
        levels.iter().map(code).collect()
    }
}

/// x / sqrt(1 + (x/3)^2): the identity near 0, never beyond 3.
fn smooth_clip(value: f64) -> f64 {
    value / (1.0 + (value / 3.0).powi(2)).sqrt()
}

fn wrong_kind(column: &Column, expected: &str) -> Error {
    Error::data(format!("column `{}` held {expected} in training and is {} now", column.name, column.kind))
}

fn fit_number(column: &Column, scale: Scale) -> NumberFeature {
    let values = column.numbers().unwrap_or_default();
    let mut known: Vec<f64> = values
        .iter()
        .zip(&column.observed)
        .filter(|(_, observed)| **observed)
        .map(|(value, _)| *value)
        .collect();
    known.sort_unstable_by(f64::total_cmp);
    let (low, high) = (known.first().copied().unwrap_or(0.0), known.last().copied().unwrap_or(0.0));
    let count = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / count;
    let deviation = (known.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let quantile = |share: f64| known.get((share * (count - 1.0)).round() as usize).copied().unwrap_or(0.0);
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
    let mut feature = NumberFeature {
        name: column.name.clone(),
        kind: column.kind,
        center,
        width,
        low,
        high,
        limits: None,
        mean: 0.0,
        missing: column.missing(),
    };
    let scaler = Encoder {
        encoding: Encoding { scale, ..Encoding::default() },
        numbers: Vec::new(),
        categories: Vec::new(),
    };
    let total: f64 = known.iter().map(|&value| f64::from(scaler.scaled(&feature, value))).sum();
    feature.mean = (total / count) as f32;
    feature
}

fn fit_category(column: &Column, codes: &[u32], levels: &[String], most_levels: usize) -> CategoryFeature {
    let mut counts = vec![0_usize; levels.len()];
    for (code, _) in codes.iter().zip(&column.observed).filter(|(_, observed)| **observed) {
        counts[*code as usize] += 1;
    }
    // The most frequent levels keep a code of their own; ties go to the earlier level.
    let mut order: Vec<usize> = (0..levels.len()).filter(|&level| counts[level] > 0).collect();
    order.sort_by_key(|&level| std::cmp::Reverse(counts[level]));
    let pooled: usize = order.iter().skip(most_levels).map(|&level| counts[level]).sum();
    order.truncate(most_levels);
    order.sort_unstable();
    let total = counts.iter().sum::<usize>().max(1) as f32;
    let mut shares: Vec<f32> = order.iter().map(|&level| counts[level] as f32 / total).collect();
    if pooled > 0 {
        shares.push(pooled as f32 / total);
    }
    CategoryFeature {
        name: column.name.clone(),
        kind: column.kind,
        levels: order.iter().map(|&level| levels[level].clone()).collect(),
        shares,
        missing: column.missing(),
    }
}

#[cfg(test)]
mod tests;
