//! A model that fills holes: data with holes in, the same without them out, once or as many plausible ways as asked.
//!
//! ```no_run
//! use unmiss::{data, model::{Aim, Model, Recipe}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table.into();
//! let model = Model::fit(&ward, &Aim::fill(), &Recipe::named("gaussian")?, &Run::new(0, 0)?)?;
//! let full = model.filling()?.fill(&ward, None, |_, _| {})?;
//! assert!(full.unfilled.is_empty());
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;

use serde::Serialize;

use super::parts::{Fill, Limits, Made, Part, Summary};
use super::recipe::Recipe;
use crate::data::{Column, Data, Kind, Shape};
use crate::encode::{Coder, Rows};
use crate::error::{Error, Result};
use crate::methods::{Draw, Examples, Imputer};
use crate::run::Run;

/// A model as one that fills holes.
#[derive(Clone, Copy)]
pub struct Filling<'a> {
    /// The translation of data.
    pub coder: &'a Coder,
    /// What may be filled in.
    pub part: &'a Fill,
    imputer: &'a dyn Imputer,
}

/// Data whose holes were filled.
#[derive(Debug, Clone)]
pub struct Filled {
    /// The data without holes, but for those told in `unfilled`.
    pub data: Data,
    /// How many cells were filled in each column, by name, in the data's order.
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

/// Learns from all rows. The ignored columns are neither used nor filled.
pub(super) fn fit(
    data: &Data,
    ignored: &[String],
    (limits, draws): (&Limits, usize),
    recipe: &Recipe,
    run: &Run,
) -> Result<Made> {
    for name in ignored.iter().chain(limits.columns.keys()) {
        data.column(name)?;
    }
    limits.check()?;
    let (names, unfillable) = fillable(data, ignored)?;
    let mut coder = Coder::fit(data, &names, recipe.method.encoding(&recipe.settings)?)?;
    coder.set_limits(|column| limits.of(column));
    let rows = coder.encode(data, |_, _| {})?;
    let examples = Examples::new(&coder, &rows, None)?;
    let mut learned = run.compute(|| recipe.method.fit(&recipe.settings, examples, run))?;
    if draws > 0 {
        run.compute(|| learned.prepare_draws(draws, examples, &run.part("draws")))?;
    }
    let summary = Summary::new(&rows, &*learned, run);
    let part = Fill { ignored: ignored.to_vec(), unfillable, limits: limits.clone() };
    Ok(Made { coder, part: Part::Fill(part), summary, learned })
}

impl<'a> Filling<'a> {
    pub(super) fn new(coder: &'a Coder, part: &'a Fill, imputer: &'a dyn Imputer) -> Self {
        Self { coder, part, imputer }
    }

    /// How many sets of parameters its draws have: 0 where they differ by noise alone, which is too little for Rubin's
    /// rules.
    pub fn parameter_sets(&self) -> usize {
        self.imputer.parameter_sets()
    }

    /// Fills the holes of data, with best guesses or with one of many plausible draws. Columns may stand in any order.
    /// `unseen` is told (column, level) for category levels that training never saw: they stay as they are and tell
    /// nothing about the rest of their row.
    ///
    /// # Errors
    /// When a column that was learned is absent or of another kind.
    pub fn fill(&self, data: &Data, draw: Option<Draw>, unseen: impl FnMut(&str, &str)) -> Result<Filled> {
        self.fill_rows(data, &self.coder.encode(data, unseen)?, draw)
    }

    /// The same for data that the model's translation has encoded: for many draws it has to be done once.
    ///
    /// # Errors
    /// When the rows are not of the data.
    pub fn fill_rows(&self, data: &Data, rows: &Rows, draw: Option<Draw>) -> Result<Filled> {
        if rows.len() != data.rows() {
            return Err(Error::data(format!("{} encoded rows for {} rows of data", rows.len(), data.rows())));
        }
        let mut filled = rows.clone();
        self.imputer.fill(&mut filled, draw)?;
        let data = self.coder.decode(data, &filled, draw.is_some())?;
        let counts = self.counts(&data, rows);
        let unfilled = self.unfilled(&data);
        Ok(Filled { data, counts, unfilled })
    }

    /// How many cells were filled in each column.
    fn counts(&self, data: &Data, rows: &Rows) -> Vec<(String, usize)> {
        let names = self.coder.names();
        let missing = rows.missing_by_input();
        let filled = |name: &str| names.iter().position(|own| *own == name).map_or(0, |place| missing[place]);
        if data.columns().is_empty() {
            return names.iter().map(|name| ((*name).to_owned(), filled(name))).collect();
        }
        let columns = data.columns().iter().filter(|column| !self.part.ignored.contains(&column.name));
        columns.map(|column| (column.name.clone(), filled(&column.name))).collect()
    }

    /// What is left. Learned columns have no hole any more.
    fn unfilled(&self, data: &Data) -> Vec<Unfilled> {
        let holed = |column: &&Column| !self.part.ignored.contains(&column.name) && column.missing() > 0;
        let columns = data.columns().iter().filter(holed);
        let left = |column: &Column| {
            let reason = self.part.unfillable.get(&column.name);
            Unfilled {
                column: column.name.clone(),
                rows: (0..column.rows()).filter(|&row| !column.observed[row]).collect(),
                reason: reason.map_or("the imputer has not learned this column", String::as_str).to_owned(),
            }
        };
        columns.map(left).collect()
    }
}

/// The columns that can be filled, and the others with the reason; data without columns are filled as they are.
fn fillable(data: &Data, ignored: &[String]) -> Result<(Vec<String>, BTreeMap<String, String>)> {
    let (mut names, mut unfillable) = (Vec::new(), BTreeMap::new());
    for column in data.columns().iter().filter(|column| !ignored.contains(&column.name)) {
        match reason(column) {
            Some(reason) => drop(unfillable.insert(column.name.clone(), reason.to_owned())),
            None => names.push(column.name.clone()),
        }
    }
    if names.is_empty() && data.shape() == Shape::Table {
        return Err(Error::data("there is no column with a known number or category to learn from"));
    }
    Ok((names, unfillable))
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

#[cfg(test)]
mod tests;
