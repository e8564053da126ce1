//! A filler: encoder and fitted imputer in one, learned from a table, applied to any new rows, saved as one file.
//!
//! ```no_run
//! use unmiss::{data, model::{Filler, Limits, RecipeOf}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table;
//! let run = Run::new(0, 0)?;
//! let filler = Filler::fit(&ward, &[], &RecipeOf::imputer("gaussian")?, Limits::default(), &run)?;
//! let full = filler.fill(&ward, None, |_, _| {})?;
//! assert!(full.unfilled.is_empty());
//! # Ok(())
//! # }
//! ```

mod file;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RecipeOf, missing_share};
use crate::data::{Column, Kind, MissingTokens, Table, Values};
use crate::encode::features::{CategoryFeature, NumberFeature};
use crate::encode::{Encoded, Encoder, Encoding};
use crate::error::{Error, Result};
use crate::methods::{Draw, Imputation, Imputer};
use crate::run::Run;

pub use file::kind_of;

/// Between which values filled numbers may lie.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Whether a filled number stays between the smallest and the largest known value of its column.
    pub observed_range: bool,
    /// Lowest and highest value of single columns, which overrule that.
    pub columns: BTreeMap<String, (f64, f64)>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { observed_range: true, columns: BTreeMap::new() }
    }
}

impl Limits {
    /// The limits of a column, where they are not those of its known values.
    fn of(&self, column: &str) -> Option<(f64, f64)> {
        let beyond = (!self.observed_range).then_some((f64::MIN, f64::MAX));
        self.columns.get(column).map(|(low, high)| (low.max(f64::MIN), high.min(f64::MAX))).or(beyond)
    }

    /// An error where a column's limits leave no value.
    fn check(&self) -> Result<()> {
        let empty = |(low, high): &(f64, f64)| low.is_nan() || high.is_nan() || low > high;
        match self.columns.iter().find(|(_, limits)| empty(limits)) {
            Some((name, (low, high))) => {
                Err(Error::setting("within", format!("column `{name}` can't lie between {low} and {high}")))
            }
            None => Ok(()),
        }
    }
}

/// What is worth knowing about a fit, kept in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FillerSummary {
    /// Rows the imputer learned from.
    pub rows: usize,
    /// Share of their cells that were holes.
    pub missing_share: f64,
    /// The seed.
    pub seed: u64,
    /// What the imputer says about its fit.
    pub method: Value,
}

/// A fitted imputer with its translation of columns.
pub struct Filler {
    /// The imputer and its settings.
    pub recipe: RecipeOf<dyn Imputation>,
    /// The translation of columns.
    pub encoder: Encoder,
    /// Columns that are neither read nor filled.
    pub ignored: Vec<String>,
    /// Columns that can't be filled, each with the reason.
    pub unfillable: BTreeMap<String, String>,
    /// Between which values filled numbers lie.
    pub limits: Limits,
    /// The words that meant "missing" in the training file; new files are read the same way.
    pub missing: MissingTokens,
    /// What is worth knowing about the fit.
    pub summary: FillerSummary,
    imputer: Box<dyn Imputer>,
}

/// A filled table.
#[derive(Debug, Clone)]
pub struct Filled {
    /// The table without holes, but for those told in `unfilled`.
    pub table: Table,
    /// How many cells were filled in each column, by name, in the table's order.
    pub counts: Vec<(String, usize)>,
    /// Holes that are left.
    pub unfilled: Vec<Unfilled>,
}

/// Holes of a column that are left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unfilled {
    /// The column.
    pub column: String,
    /// Positions of the rows, from 0.
    pub rows: Vec<usize>,
    /// Why.
    pub reason: String,
}

impl Filler {
    /// Learns from all rows of a table. The ignored columns are neither used nor filled.
    ///
    /// # Errors
    /// When settings, names or data don't allow it.
    pub fn fit(
        table: &Table,
        ignored: &[String],
        recipe: &RecipeOf<dyn Imputation>,
        limits: Limits,
        run: &Run,
    ) -> Result<Self> {
        for name in ignored.iter().chain(limits.columns.keys()) {
            table.column(name)?;
        }
        limits.check()?;
        recipe.method.check(&recipe.settings)?;
        let (mut names, mut unfillable) = (Vec::new(), BTreeMap::new());
        for column in table.columns().iter().filter(|column| !ignored.contains(&column.name)) {
            match reason(column) {
                Some(reason) => drop(unfillable.insert(column.name.clone(), reason.to_owned())),
                None => names.push(column.name.clone()),
            }
        }
        if names.is_empty() {
            return Err(Error::data("there is no column with a known number or category to learn from"));
        }
        let mut encoder = Encoder::fit(table, &names, Encoding::default())?;
        encoder.numbers.iter_mut().for_each(|feature| feature.limits = limits.of(&feature.name));
        let rows = encoder.encode(table, |_, _| {})?;
        let imputer = run.compute(|| recipe.method.fit(&recipe.settings, &encoder, &rows, run))?;
        let summary = FillerSummary {
            rows: table.rows(),
            missing_share: missing_share(&rows),
            seed: run.seed(),
            method: imputer.summary(),
        };
        Ok(Self {
            recipe: recipe.clone(),
            encoder,
            ignored: ignored.to_vec(),
            unfillable,
            limits,
            missing: MissingTokens::default(),
            summary,
            imputer,
        })
    }

    /// Fills the holes of a table's columns, with best guesses or with one of many plausible draws. Columns may stand
    /// in any order. `unseen` is told (column, level) for category levels that training never saw: they stay as they
    /// are and tell nothing about the rest of their row.
    ///
    /// # Errors
    /// When a column that was learned is absent or of another kind.
    pub fn fill(&self, table: &Table, draw: Option<Draw>, unseen: impl FnMut(&str, &str)) -> Result<Filled> {
        self.fill_encoded(table, self.encoder.encode(table, unseen)?, draw)
    }

    /// The same where the rows of the table are encoded already, by this filler's encoder: for one draw after the other.
    ///
    /// # Errors
    /// When the rows are not those of the table.
    pub fn fill_encoded(&self, table: &Table, mut rows: Encoded, draw: Option<Draw>) -> Result<Filled> {
        if rows.rows != table.rows() {
            return Err(Error::data(format!(
                "{} encoded rows for {} rows of a table",
                rows.rows,
                table.rows()
            )));
        }
        self.imputer.fill(&mut rows, draw);
        let mut table = table.clone();
        for (place, feature) in self.encoder.numbers.iter().enumerate() {
            let position = table.position(&feature.name)?;
            self.fill_numbers(&mut table.columns_mut()[position], feature, place, &rows);
        }
        for (place, feature) in self.encoder.categories.iter().enumerate() {
            let position = table.position(&feature.name)?;
            fill_codes(&mut table.columns_mut()[position], feature, place, &rows);
        }
        Ok(self.count(table, &rows))
    }

    fn fill_numbers(&self, column: &mut Column, feature: &NumberFeature, place: usize, rows: &Encoded) {
        let width = self.encoder.numbers.len();
        let (low, high) = feature.allowed();
        let Values::Numbers(values) = &mut column.values else { return };
        for (row, value) in values.iter_mut().enumerate().filter(|(row, _)| !column.observed[*row]) {
            let filled = decode(feature, rows.numbers[row * width + place]);
            *value = filled.clamp(low, high);
            if feature.kind == Kind::Integer {
                *value = value.round().clamp(low.ceil(), high.floor().max(low.ceil()));
            }
        }
        column.observed.fill(true);
    }

    /// What was filled and what is left. Learned columns have no hole any more.
    fn count(&self, table: Table, rows: &Encoded) -> Filled {
        let filled_in = |marks: &[bool], width: usize, place: usize| {
            (0..rows.rows).filter(|row| !marks[row * width + place]).count()
        };
        let (mut counts, mut unfilled) = (Vec::new(), Vec::new());
        for column in table.columns().iter().filter(|column| !self.ignored.contains(&column.name)) {
            let name = &column.name;
            let number = self.encoder.numbers.iter().position(|feature| feature.name == *name);
            let category = self.encoder.categories.iter().position(|feature| feature.name == *name);
            let count = match (number, category) {
                (Some(place), _) => filled_in(&rows.numbers_observed, self.encoder.numbers.len(), place),
                (_, Some(place)) => filled_in(&rows.codes_observed, self.encoder.categories.len(), place),
                _ => 0,
            };
            counts.push((name.clone(), count));
            let left: Vec<usize> = (0..column.rows()).filter(|&row| !column.observed[row]).collect();
            if !left.is_empty() {
                let reason = self
                    .unfillable
                    .get(name)
                    .map_or("the imputer has not learned this column", String::as_str);
                unfilled.push(Unfilled { column: name.clone(), rows: left, reason: reason.to_owned() });
            }
        }
        Filled { table, counts, unfilled }
    }

    /// The arrays of the imputer and their header, for the file.
    pub(super) fn imputer(&self) -> &dyn Imputer {
        self.imputer.as_ref()
    }

    /// Names of the columns that were learned: numbers, then categories.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let numbers = self.encoder.numbers.iter().map(|feature| feature.name.as_str());
        numbers.chain(self.encoder.categories.iter().map(|feature| feature.name.as_str()))
    }
}

/// Why a column can't be learned or filled.
fn reason(column: &Column) -> Option<&'static str> {
    match column.kind {
        Kind::Date => Some("it holds dates"),
        Kind::Text => Some("it holds free text"),
        _ if column.missing() == column.rows() => Some("it has no known cell to learn from"),
        _ => None,
    }
}

/// Back to the user's units, without digits that a standardised single-precision number can't carry.
fn decode(feature: &NumberFeature, scaled: f32) -> f64 {
    let value = feature.center + feature.width * f64::from(scaled);
    let digits = (5.0 - feature.width.log10()).ceil().clamp(0.0, 15.0);
    let unit = 10_f64.powf(digits);
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { value }
}

/// Codes become levels; a level that the table does not have yet is added after its own.
fn fill_codes(column: &mut Column, feature: &CategoryFeature, place: usize, rows: &Encoded) {
    let width = rows.codes.len().checked_div(rows.rows).unwrap_or(0);
    let Values::Codes { codes, levels } = &mut column.values else { return };
    let mut translation: Vec<Option<u32>> = vec![None; feature.levels.len()];
    for (row, code) in codes.iter_mut().enumerate().filter(|(row, _)| !column.observed[*row]) {
        let learned = rows.codes[row * width + place] as usize;
        let Some(known) = translation.get_mut(learned) else { continue };
        *code = *known.get_or_insert_with(|| {
            let level = &feature.levels[learned];
            let position = levels.iter().position(|own| own == level).unwrap_or_else(|| {
                levels.push(level.clone());
                levels.len() - 1
            });
            position as u32
        });
    }
    // A table of holes only has no level that the codes could fall back to.
    if levels.is_empty() {
        return;
    }
    column.observed.fill(true);
}

#[cfg(test)]
mod tests;
