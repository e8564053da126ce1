//! Input columns as a method sees them: scaled numbers and category codes, each with its `observed`.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::made::Made;
use crate::data::{Column, Kind, Table};
use crate::error::{Error, Result};

pub use super::column::{CategoryFeature, NumberFeature, Scale};

/// Rows that a thread takes at once at least.
const ROWS_AT_ONCE: usize = 1024;

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

/// The fitted translation of input columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoder {
    /// What the method asked for.
    pub encoding: Encoding,
    /// Number columns in the order of [`Encoded::numbers`].
    pub numbers: Vec<NumberFeature>,
    /// Category columns in the order of [`Encoded::codes`].
    pub categories: Vec<CategoryFeature>,
    /// Columns of which numbers are made, which are among the number columns by names of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<Made>,
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

    /// How many number columns and how many category columns there are; none without rows.
    pub fn widths(&self) -> (usize, usize) {
        let width = |marks: &[bool]| marks.len().checked_div(self.rows).unwrap_or(0);
        (width(&self.numbers_observed), width(&self.codes_observed))
    }

    /// How many cells of each row are known.
    pub fn known_counts(&self) -> Vec<usize> {
        let (numbers, codes) = self.widths();
        let count = |marks: &[bool]| marks.iter().filter(|observed| **observed).count();
        (0..self.rows)
            .map(|row| {
                count(&self.numbers_observed[row * numbers..(row + 1) * numbers])
                    + count(&self.codes_observed[row * codes..(row + 1) * codes])
            })
            .collect()
    }

    /// Mean number of known columns per row; 1 at least, so that it can be divided by.
    pub fn mean_known(&self) -> f64 {
        let marks = self.numbers_observed.iter().chain(&self.codes_observed);
        let known = marks.filter(|observed| **observed).count();
        (known as f64 / self.rows.max(1) as f64).max(1.0)
    }

    /// Rows of the same columns, one below the other.
    pub fn joined(parts: &[Self]) -> Self {
        Self {
            rows: parts.iter().map(|part| part.rows).sum(),
            numbers: parts.iter().flat_map(|part| &part.numbers).copied().collect(),
            numbers_observed: parts.iter().flat_map(|part| &part.numbers_observed).copied().collect(),
            codes: parts.iter().flat_map(|part| &part.codes).copied().collect(),
            codes_observed: parts.iter().flat_map(|part| &part.codes_observed).copied().collect(),
        }
    }

    /// So many rows of so many number and category columns, of which nothing is known.
    pub fn holes(rows: usize, numbers: usize, categories: usize) -> Self {
        Self {
            rows,
            numbers: vec![0.0; rows * numbers],
            numbers_observed: vec![false; rows * numbers],
            codes: vec![0; rows * categories],
            codes_observed: vec![false; rows * categories],
        }
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
        Self::fit_with(table, names, &[], encoding)
    }

    /// The same with numbers that are made of other columns.
    ///
    /// # Errors
    /// As for [`Encoder::fit`].
    pub fn fit_with(table: &Table, names: &[String], made: &[Made], encoding: Encoding) -> Result<Self> {
        let mut encoder = Self { encoding, numbers: Vec::new(), categories: Vec::new(), made: made.to_vec() };
        for name in names {
            let column = table.column(name)?;
            if column.numbers().is_some() {
                encoder.numbers.push(NumberFeature::fit(column, encoding.scale));
            } else if let Some((codes, levels)) = column.codes() {
                let feature = CategoryFeature::fit(column, codes, levels, encoding.most_levels);
                encoder.categories.push(feature);
            } else {
                return Err(Error::data(format!("column `{name}` is {} and can't be an input", column.kind)));
            }
        }
        let further = encoder.make(table, &mut |_, _| {})?;
        encoder.numbers.extend(further.iter().map(|column| NumberFeature::fit(column, encoding.scale)));
        if encoder.width() == 0 {
            return Err(Error::data("there is no column left to predict from")
                .with_hint("a column needs at least two different values or some holes to be of use"));
        }
        Ok(encoder)
    }

    /// Names of the input columns: numbers, then categories.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let numbers = self.numbers.iter().map(|feature| feature.name.as_str());
        numbers.chain(self.categories.iter().map(|feature| feature.name.as_str()))
    }

    /// Number of input columns.
    pub fn width(&self) -> usize {
        self.numbers.len() + self.categories.len()
    }

    /// The numbers that are made of other columns of a table.
    fn make(&self, table: &Table, unseen: &mut impl FnMut(&str, &str)) -> Result<Vec<Column>> {
        let mut columns = Vec::new();
        for made in &self.made {
            columns.extend(made.make(table.column(&made.column)?, unseen)?);
        }
        Ok(columns)
    }

    /// The columns of a table that it reads, each with the kind in which it is read.
    pub fn columns(&self) -> impl Iterator<Item = (&str, Kind)> {
        let made: HashSet<String> = self.made.iter().flat_map(Made::names).collect();
        let numbers = self.numbers.iter().filter(move |feature| !made.contains(&feature.name));
        let numbers = numbers.map(|feature| (feature.name.as_str(), Kind::Real));
        let categories = self.categories.iter().map(|feature| (feature.name.as_str(), Kind::Category));
        numbers.chain(categories).chain(self.made.iter().map(|made| (made.column.as_str(), made.kind())))
    }

    /// Translates rows. `unseen` is told (column, level) for every level that training never saw and that
    /// is taken as a hole.
    ///
    /// # Errors
    /// When a column is absent or of a kind that does not fit.
    pub fn encode(&self, table: &Table, mut unseen: impl FnMut(&str, &str)) -> Result<Encoded> {
        let rows = table.rows();
        let mut encoded = Encoded::holes(rows, self.numbers.len(), self.categories.len());
        let further = self.make(table, &mut unseen)?;
        let further: HashMap<&str, &Column> =
            further.iter().map(|column| (column.name.as_str(), column)).collect();
        let mut numbers = Vec::with_capacity(self.numbers.len());
        for feature in &self.numbers {
            let column = match further.get(feature.name.as_str()) {
                Some(column) => *column,
                None => table.column(&feature.name)?,
            };
            let values = column.numbers().ok_or_else(|| wrong_kind(column, "numbers"))?;
            numbers.push((feature, values, column));
        }
        let mut categories = Vec::with_capacity(self.categories.len());
        for feature in &self.categories {
            let column = table.column(&feature.name)?;
            let (codes, levels) = column.codes().ok_or_else(|| wrong_kind(column, "categories"))?;
            let translation = feature.translation(levels);
            tell_unseen(column, &translation, &mut unseen);
            categories.push((translation, codes, column));
        }
        // Row by row, all columns of some rows at a time: each stretch of memory is written once.
        let width = numbers.len().max(1);
        let lines = encoded.numbers.par_chunks_exact_mut(width);
        let lines = lines.zip(encoded.numbers_observed.par_chunks_exact_mut(width)).enumerate();
        lines.with_min_len(ROWS_AT_ONCE).for_each(|(row, (line, observed))| {
            for ((cell, observed), (feature, values, column)) in line.iter_mut().zip(observed).zip(&numbers) {
                if column.observed[row] {
                    (*cell, *observed) = (feature.scaled(self.encoding.scale, values[row]), true);
                }
            }
        });
        let width = categories.len().max(1);
        let lines = encoded.codes.par_chunks_exact_mut(width);
        let lines = lines.zip(encoded.codes_observed.par_chunks_exact_mut(width)).enumerate();
        lines.with_min_len(ROWS_AT_ONCE).for_each(|(row, (line, observed))| {
            for ((cell, observed), (translation, codes, column)) in
                line.iter_mut().zip(observed).zip(&categories)
            {
                let known = if column.observed[row] { translation[codes[row] as usize] } else { None };
                (*cell, *observed) = (known.unwrap_or(0), known.is_some());
            }
        });
        Ok(encoded)
    }

    /// Refuses an encoder from a file that can't be what was written.
    ///
    /// # Errors
    /// When its parts contradict each other, or a category has no level.
    pub fn check(&self) -> Result<()> {
        if self.categories.iter().any(|feature| feature.shares.is_empty()) {
            return Err(Error::damaged("its header contradicts itself: levels of a category"));
        }
        self.check_part()
    }

    /// The same for an encoder of some rows of a table: in them, a category may be missing everywhere.
    ///
    /// # Errors
    /// When its parts contradict each other.
    pub fn check_part(&self) -> Result<()> {
        let damaged = |what: &str| Err(Error::damaged(format!("its header contradicts itself: {what}")));
        if self.width() == 0 {
            return damaged("no inputs");
        }
        if !self.made.iter().all(Made::is_sound) {
            return damaged("what is made of a column");
        }
        for feature in &self.categories {
            let others = feature.shares.len().wrapping_sub(feature.levels.len());
            if others > 1 || feature.shares.iter().any(|share| !share.is_finite()) {
                return damaged("levels of a category");
            }
        }
        let usable = |feature: &NumberFeature| {
            feature.width > 0.0
                && feature.low <= feature.high
                && feature.allowed().0 <= feature.allowed().1
                && [feature.width, feature.center, feature.low, feature.high].iter().all(|x| x.is_finite())
                && feature.mean.is_finite()
        };
        if self.numbers.iter().all(usable) { Ok(()) } else { damaged("scale of a number") }
    }

    /// `Σ ln width` over the known numbers of each row.
    pub(super) fn log_units(&self, rows: &Encoded) -> Result<Vec<f64>> {
        if self.encoding.scale == Scale::Robust {
            return Err(Error::data("numbers are bent, so that a density has no unit"));
        }
        let widths: Vec<f64> = self.numbers.iter().map(|feature| feature.width.ln()).collect();
        let row = |row: usize| {
            let marks = &rows.numbers_observed[row * widths.len()..(row + 1) * widths.len()];
            widths.iter().zip(marks).filter(|(_, known)| **known).map(|(width, _)| width).sum()
        };
        Ok((0..rows.rows).map(row).collect())
    }

    /// The encoder that these rows alone would have given for the same columns and codes, and the rows as it encodes
    /// them: what holes were made in rows that are encoded already, it has not seen what stood there.
    pub fn relearned(&self, rows: &Encoded) -> (Self, Encoded) {
        let (mut encoder, mut encoded) = (self.clone(), rows.clone());
        let (numbers, categories) = (self.numbers.len(), self.categories.len());
        for (place, (new, old)) in encoder.numbers.iter_mut().zip(&self.numbers).enumerate() {
            let cells = (0..rows.rows).map(|row| row * numbers + place);
            let known = cells.clone().filter(|&cell| rows.numbers_observed[cell]);
            *new =
                old.relearned(self.encoding.scale, known.clone().map(|cell| rows.numbers[cell]), rows.rows);
            cells.for_each(|cell| encoded.numbers[cell] = 0.0);
            for cell in known {
                let value = old.decoded(f64::from(rows.numbers[cell]));
                encoded.numbers[cell] = new.scaled(self.encoding.scale, value);
            }
        }
        for (place, feature) in encoder.categories.iter_mut().enumerate() {
            let cells = (0..rows.rows).map(|row| row * categories + place);
            let known = cells.filter(|&cell| rows.codes_observed[cell]).map(|cell| rows.codes[cell]);
            *feature = feature.relearned(known, rows.rows);
        }
        let hidden = encoded.codes.iter_mut().zip(&rows.codes_observed).filter(|(_, observed)| !**observed);
        hidden.for_each(|(code, _)| *code = 0);
        (encoder, encoded)
    }
}

/// Tells the levels that have no code and stand in some row, in the order of rows.
fn tell_unseen(column: &Column, translation: &[Option<u32>], unseen: &mut impl FnMut(&str, &str)) {
    let Some((codes, levels)) = column.codes().filter(|_| translation.contains(&None)) else { return };
    let mut told = vec![false; levels.len()];
    for (code, _) in codes.iter().zip(&column.observed).filter(|(_, observed)| **observed) {
        let code = *code as usize;
        if translation[code].is_none() && !std::mem::replace(&mut told[code], true) {
            unseen(&column.name, &levels[code]);
        }
    }
}

fn wrong_kind(column: &Column, expected: &str) -> Error {
    Error::data(format!("column `{}` held {expected} in training and is {} now", column.name, column.kind))
}

#[cfg(test)]
mod tests;
