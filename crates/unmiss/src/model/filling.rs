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

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use serde::Serialize;

use super::derived::Derived;
use super::group::Groups;
use super::left::Left;
use super::parts::{Fill, FillPlan, Made, Part, Summary};
use crate::data::series::Series;
use crate::data::{Column, Data, Kind, Shape};
use crate::encode::{Coder, Encoded, Rows, SeriesCoder};
use crate::error::{Error, Result};
use crate::methods::Recipe;
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
    /// Holes that were to be left, by column.
    pub left: Vec<(String, usize)>,
    /// What is to be said about formulas that do not hold everywhere.
    pub warnings: Vec<String>,
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
pub(super) fn fit(data: &Data, plan: &FillPlan, recipe: &Recipe, run: &Run) -> Result<Made> {
    let FillPlan { ignored, limits, draws, .. } = plan;
    let varies = |name: &String| data.series().is_ok_and(|series| series.variables().contains(name));
    for name in ignored.iter().chain(limits.columns.keys().filter(|name| !varies(name))) {
        data.column(name)?;
    }
    limits.check()?;
    // What follows from others is no input; what is no rule is refused before anything is learned.
    let mut followers = Vec::new();
    for text in &plan.derived {
        followers.push(Derived::parse(text, data.table()?)?.column);
    }
    for text in &plan.left {
        Left::parse(text, data.table()?)?;
    }
    let mut outside: Vec<String> = ignored.iter().chain(&followers).chain(&plan.group).cloned().collect();
    let learned = plan.group.as_ref().map(|column| Groups::learn(data.table()?, column, &outside));
    let groups = learned.transpose()?;
    let data = &extended(groups.as_ref(), data)?;
    let (names, unfillable) = fillable(data, &outside)?;
    outside.retain(|name| ignored.contains(name) || plan.group.as_ref() == Some(name));
    let mut coder = Coder::fit(data, &names, recipe.method.encoding(&recipe.settings)?)?;
    coder.set_limits(|column| limits.of(column));
    let rows = coder.encode(data, |_, _| {})?;
    let examples = Examples::new(&coder, &rows, None)?;
    let mut learned = run.compute(|| recipe.method.fit(&recipe.settings, examples, run))?;
    if *draws > 0 {
        run.compute(|| learned.prepare_draws(*draws, examples, &run.part("draws")))?;
    }
    let summary = Summary::new(&rows, &*learned, run);
    let part = Fill {
        ignored: outside,
        unfillable,
        limits: limits.clone(),
        derived: plan.derived.clone(),
        left: plan.left.clone(),
        groups,
    };
    Ok(Made { coder, part: Part::Fill(part), summary, learned })
}

impl<'a> Filling<'a> {
    pub(super) fn new(coder: &'a Coder, part: &'a Fill, imputer: &'a dyn Imputer) -> Self {
        Self { coder, part, imputer }
    }

    /// What fills, in the model's units.
    pub(super) fn imputer(&self) -> &'a dyn Imputer {
        self.imputer
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
        self.fill_rows(data, &self.encode(data, unseen)?, draw)
    }

    /// Rows as the imputer sees them.
    ///
    /// # Errors
    /// When a column that was learned is absent or of another kind.
    pub fn encode(&self, data: &Data, unseen: impl FnMut(&str, &str)) -> Result<Rows> {
        self.coder.encode(extended(self.part.groups.as_ref(), data)?.as_ref(), unseen)
    }

    /// The same for data that [`encode`](Self::encode) has encoded: for many draws it has to be done once.
    ///
    /// # Errors
    /// When the rows are not of the data.
    pub fn fill_rows(&self, data: &Data, rows: &Rows, draw: Option<Draw>) -> Result<Filled> {
        self.finished(data, rows, self.decoded(data, rows, draw)?)
    }

    /// One of many plausible draws of rows of a table that have keys: what a row gets depends on its key and not on its
    /// place, so that rows which come in other files or in another order get the same.
    ///
    /// # Errors
    /// When the rows are not of the data, or there are not as many keys.
    pub fn fill_by_key(&self, data: &Data, rows: &Rows, draw: Draw, keys: &[u64]) -> Result<Filled> {
        if rows.len() != data.rows() || keys.len() != rows.len() {
            return Err(Error::data(format!("{} keys for {} rows of data", keys.len(), data.rows())));
        }
        let one = |(row, key): (usize, &u64)| {
            let mut own = rows.select(&[row])?;
            self.imputer.fill(&mut own, Some(Draw { first_row: *key, ..draw }))?;
            own.table().cloned()
        };
        let filled: Vec<Encoded> = keys.par_iter().enumerate().map(one).collect::<Result<_>>()?;
        let filled = Encoded::joined(&filled).into();
        self.finished(data, rows, self.decoded_rows(data, &filled, Some(draw))?)
    }

    /// What the imputer fills in, in the user's units.
    pub(super) fn decoded(&self, data: &Data, rows: &Rows, draw: Option<Draw>) -> Result<Data> {
        if rows.len() != data.rows() {
            return Err(Error::data(format!("{} encoded rows for {} rows of data", rows.len(), data.rows())));
        }
        let mut filled = rows.clone();
        self.imputer.fill(&mut filled, draw)?;
        self.decoded_rows(data, &filled, draw)
    }

    fn decoded_rows(&self, data: &Data, filled: &Rows, draw: Option<Draw>) -> Result<Data> {
        let groups = self.part.groups.as_ref();
        let full = self.coder.decode(extended(groups, data)?.as_ref(), filled, draw.is_some())?;
        match groups {
            Some(groups) => Ok(groups.taken_off(full.table()?)?.into()),
            None => Ok(full),
        }
    }

    /// Holes that stay are opened again, and formulas made true.
    pub(super) fn finished(&self, before: &Data, rows: &Rows, mut data: Data) -> Result<Filled> {
        let (mut left, mut warnings) = (Vec::<(String, usize)>::new(), Vec::new());
        // Columns that may have holes: those left on purpose, and what follows from them.
        let mut open: Vec<String> = Vec::new();
        let mut counts = self.counts(&data, rows);
        if !self.part.left.is_empty() || !self.part.derived.is_empty() {
            let before = before.table()?;
            let mut table = data.table()?.clone();
            for text in &self.part.left {
                left.push(Left::parse(text, before)?.apply(before, &mut table)?);
            }
            open.extend(left.iter().filter(|(_, count)| *count > 0).map(|(name, _)| name.clone()));
            for text in &self.part.derived {
                let derived = Derived::parse(text, before)?;
                warnings.extend(derived.apply(before, &mut table)?.words());
                if derived.parts.iter().any(|part| open.contains(part)) {
                    open.push(derived.column);
                }
            }
            for (name, count) in &mut counts {
                *count = before.column(name)?.missing() - table.column(name)?.missing();
            }
            data = table.into();
        }
        let unfilled = self.unfilled(&data, &open);
        Ok(Filled { data, counts, unfilled, left, warnings })
    }

    /// How many cells were filled in each column.
    fn counts(&self, data: &Data, rows: &Rows) -> Vec<(String, usize)> {
        let names = self.coder.names();
        let missing = match rows {
            Rows::Series(rows) => rows.holes_by_variable(),
            _ => rows.missing_by_input(),
        };
        let missing: HashMap<&str, usize> = names.iter().copied().zip(missing).collect();
        let filled = |name: &str| missing.get(name).copied().unwrap_or(0);
        if data.cell_columns().is_empty() {
            return names.iter().map(|name| ((*name).to_owned(), filled(name))).collect();
        }
        let columns = data.cell_columns().iter().filter(|column| !self.part.ignored.contains(&column.name));
        columns.map(|column| (column.name.clone(), filled(&column.name))).collect()
    }

    /// What is left, but for columns that may have holes. Learned columns have none any more.
    fn unfilled(&self, data: &Data, open: &[String]) -> Vec<Unfilled> {
        let may = |column: &Column| self.part.ignored.contains(&column.name) || open.contains(&column.name);
        let holed = |column: &&Column| column.missing() > 0 && !may(column);
        if let (Data::Series(series), Coder::Series(coder)) = (data, self.coder) {
            return unfilled_variables(series, coder);
        }
        let columns = data.cell_columns().iter().filter(holed);
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

/// Variables of series that are left as they are; a row is a step.
fn unfilled_variables(series: &Series, coder: &SeriesCoder) -> Vec<Unfilled> {
    let (width, known) = (series.variables().len(), series.known_by_variable());
    let holed = (0..width).filter(|&variable| known[variable] < series.all_steps());
    let left = |variable: usize| {
        let name = &series.variables()[variable];
        let learned = coder.variables.iter().any(|own| own.name == *name);
        let marks =
            (0..series.len()).flat_map(|one| series.observed(one).iter().skip(variable).step_by(width));
        Unfilled {
            column: name.clone(),
            rows: marks.enumerate().filter(|(_, known)| !**known).map(|(step, _)| step).collect(),
            reason: match learned {
                true => "it has no known value to learn from".into(),
                false => "the imputer has not learned this variable".into(),
            },
        }
    };
    holed.map(left).collect()
}

/// The data with the means of each row's group, where rows belong to groups.
fn extended<'a>(groups: Option<&Groups>, data: &'a Data) -> Result<Cow<'a, Data>> {
    match groups {
        Some(groups) => Ok(Cow::Owned(groups.extended(data.table()?)?.into())),
        None => Ok(Cow::Borrowed(data)),
    }
}

/// The columns that can be filled, and the others with the reason; data without columns are filled as they are.
pub(super) fn fillable(data: &Data, ignored: &[String]) -> Result<(Vec<String>, BTreeMap<String, String>)> {
    let (mut names, mut unfillable) = (Vec::new(), BTreeMap::new());
    for column in data.cell_columns().iter().filter(|column| !ignored.contains(&column.name)) {
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
