//! From a formula and tables to numbers: the explained column y and the explaining columns X.
//!
//! Categories become columns of 0 and 1. One of k levels is the reference where the others' columns would say the same
//! together with the rest of the model (treatment coding); R's rule tells where: a category of a term is coded with a
//! reference if the term without it is in the model, too.

use std::collections::BTreeMap;

use serde::Serialize;

use super::completed::Completed;
use super::formula::{Factor, Formula, Response, Term, name_of};
use crate::data::formula::{Arithmetic, numbers};
use crate::data::{Column, Table, Values};
use crate::error::{Error, Result};

/// What kind of regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Least squares for a number.
    Linear,
    /// The logarithm of the odds of one of two outcomes.
    Logistic,
}

/// How X and y are made of any of the tables.
#[derive(Debug, Clone)]
pub(super) struct Design {
    pub family: Family,
    response: Explained,
    /// What is explained, in words: `days`, `died = yes`.
    pub response_name: String,
    /// Names of the columns of X.
    pub names: Vec<String>,
    /// The formula's terms, each with its columns of X.
    pub terms: Vec<PlannedTerm>,
    /// Category and its reference level, where there is one.
    pub references: Vec<(String, String)>,
    pub intercept: bool,
}

/// A term and its columns of X.
#[derive(Debug, Clone)]
pub(super) struct PlannedTerm {
    pub name: String,
    pub columns: std::ops::Range<usize>,
    factors: Vec<Coded>,
    /// Whether a category is among its factors.
    pub is_category: bool,
}

#[derive(Debug, Clone)]
enum Explained {
    Number(Arithmetic),
    /// 1 where the column has this level.
    Level(String, String),
}

/// A factor of a term as columns of numbers.
#[derive(Debug, Clone)]
enum Coded {
    Number(Arithmetic),
    /// One column for each of these levels.
    Levels(String, Vec<String>),
}

/// X column by column, and y.
pub(super) struct Numbers {
    pub columns: Vec<Vec<f64>>,
    pub response: Vec<f64>,
}

impl Design {
    /// Plans for all tables at once, so that all have the same columns.
    pub fn new(
        formula: &Formula,
        completed: &Completed,
        family: Option<Family>,
        references: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let (family, response, response_name) = explained(&formula.response, completed, family)?;
        let mut categories: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for factor in formula.terms.iter().flatten() {
            if let Some(levels) = levels_of(factor, completed)? {
                categories
                    .insert(factor.name().to_owned(), with_reference(factor.name(), levels, references)?);
            }
        }
        if let Some(name) = references.keys().find(|name| !categories.contains_key(*name)) {
            return Err(Error::setting("reference", format!("`{name}` is no category of the formula")));
        }
        let mut design = Self {
            family,
            response,
            response_name,
            names: formula.intercept.then(|| "(intercept)".to_owned()).into_iter().collect(),
            terms: Vec::new(),
            references: Vec::new(),
            intercept: formula.intercept,
        };
        for term in &formula.terms {
            design.add(term, formula, &categories);
        }
        Ok(design)
    }

    fn add(&mut self, term: &Term, formula: &Formula, categories: &BTreeMap<String, Vec<String>>) {
        let mut factors = Vec::new();
        for factor in term {
            factors.push(match (factor, categories.get(factor.name())) {
                (Factor::Number(_, of), _) => Coded::Number(of.clone()),
                (_, None) => Coded::Number(Arithmetic::Column(factor.name().to_owned())),
                (_, Some(levels)) => {
                    let without: Vec<&Factor> = term.iter().filter(|own| *own != factor).collect();
                    let present =
                        |own: &Term| own.len() == without.len() && without.iter().all(|f| own.contains(f));
                    let is_marginal = if without.is_empty() {
                        formula.intercept
                    } else {
                        formula.terms.iter().any(present)
                    };
                    if is_marginal && !self.references.iter().any(|(name, _)| name == factor.name()) {
                        self.references.push((factor.name().to_owned(), levels[0].clone()));
                    }
                    let from = usize::from(is_marginal);
                    Coded::Levels(factor.name().to_owned(), levels[from..].to_vec())
                }
            });
        }
        let first = self.names.len();
        // The first factor's levels change fastest, as in R.
        let mut names = vec![String::new()];
        for (factor, coded) in term.iter().zip(&factors) {
            let own: Vec<String> = match coded {
                Coded::Number(_) => vec![factor.name().to_owned()],
                Coded::Levels(name, levels) => levels.iter().map(|level| format!("{name}={level}")).collect(),
            };
            let join = |before: &String, own: &String| {
                if before.is_empty() { own.clone() } else { format!("{before}:{own}") }
            };
            names = own.iter().flat_map(|own| names.iter().map(move |before| join(before, own))).collect();
        }
        self.names.extend(names);
        let is_category = factors.iter().any(|coded| matches!(coded, Coded::Levels(..)));
        let columns = first..self.names.len();
        self.terms.push(PlannedTerm { name: name_of(term), columns, factors, is_category });
    }

    /// X and y of a table. Cells that are not observed have some neutral value in them.
    pub fn numbers(&self, table: &Table) -> Result<Numbers> {
        let rows = table.rows();
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(self.names.len());
        if self.intercept {
            columns.push(vec![1.0; rows]);
        }
        for term in &self.terms {
            let mut own = vec![vec![1.0; rows]];
            for coded in &term.factors {
                let parts = coded.columns(table)?;
                let times = |before: &Vec<f64>, part: &Vec<f64>| -> Vec<f64> {
                    before.iter().zip(part).map(|(one, other)| one * other).collect()
                };
                own =
                    parts.iter().flat_map(|part| own.iter().map(move |before| times(before, part))).collect();
            }
            columns.extend(own);
        }
        let response = match &self.response {
            Explained::Number(of) => of.values(table)?,
            Explained::Level(name, level) => indicator(table.column(name)?, level),
        };
        Ok(Numbers { columns, response })
    }
}

impl Coded {
    fn columns(&self, table: &Table) -> Result<Vec<Vec<f64>>> {
        match self {
            Self::Number(of) => Ok(vec![of.values(table)?]),
            Self::Levels(name, levels) => {
                let column = table.column(name)?;
                Ok(levels.iter().map(|level| indicator(column, level)).collect())
            }
        }
    }
}

/// 1 where a column has a level, else 0. Numbers are compared as they are written.
fn indicator(column: &Column, level: &str) -> Vec<f64> {
    let mark = |is: bool| f64::from(u8::from(is));
    match &column.values {
        Values::Codes { codes, levels } => {
            let place = levels.iter().position(|own| own == level);
            codes.iter().map(|code| mark(place == Some(*code as usize))).collect()
        }
        _ => (0..column.rows()).map(|row| mark(column.cell(row).as_deref() == Some(level))).collect(),
    }
}

/// The levels of a factor over all tables if it is a category.
fn levels_of(factor: &Factor, completed: &Completed) -> Result<Option<Vec<String>>> {
    let (name, is_forced) = match factor {
        Factor::Number(..) => return Ok(None),
        Factor::Column(name) => (name, completed.is_told_category(name)),
        Factor::Category(name) => (name, true),
    };
    let columns: Vec<&Column> = completed.tables().map(|table| table.column(name)).collect::<Result<_>>()?;
    if columns.iter().any(|column| !column.is_usable()) {
        let what = format!("`{name}` holds free text or dates, which a regression can't use");
        return Err(
            Error::data(what).with_hint(format!("leave it out of the formula, with `. - {name}` too"))
        );
    }
    if !is_forced && columns.iter().all(|column| numbers(column).is_ok()) {
        return Ok(None);
    }
    Ok(Some(known_levels(&columns)))
}

/// The levels that occur in any of some columns, in ascending order, by value if all are numbers.
fn known_levels(columns: &[&Column]) -> Vec<String> {
    let mut levels: Vec<String> = Vec::new();
    for column in columns {
        match &column.values {
            Values::Codes { codes, levels: own } => {
                let mut used = vec![false; own.len()];
                let known = codes.iter().zip(&column.observed).filter(|(_, observed)| **observed);
                known.for_each(|(code, _)| used[*code as usize] = true);
                levels.extend(own.iter().zip(used).filter(|(_, used)| *used).map(|(level, _)| level.clone()));
            }
            _ => levels.extend((0..column.rows()).filter_map(|row| column.cell(row))),
        }
        levels.sort_unstable();
        levels.dedup();
    }
    let value = |level: &String| level.parse::<f64>();
    if levels.iter().all(|level| value(level).is_ok()) {
        levels.sort_by(|one, other| value(one).unwrap_or(0.0).total_cmp(&value(other).unwrap_or(0.0)));
    }
    levels
}

/// The levels with the reference in front.
fn with_reference(
    name: &str,
    mut levels: Vec<String>,
    references: &BTreeMap<String, String>,
) -> Result<Vec<String>> {
    if let Some(wanted) = references.get(name) {
        let place = levels.iter().position(|level| level == wanted).ok_or_else(|| {
            Error::setting("reference", format!("`{name}` never is `{wanted}`"))
                .with_hint(format!("its levels are: {}", levels.join(", ")))
        })?;
        let reference = levels.remove(place);
        levels.insert(0, reference);
    }
    if levels.len() < 2 {
        let what = format!("`{name}` is the same in all rows, so it can't explain anything");
        return Err(Error::data(what).with_hint("leave it out of the formula"));
    }
    Ok(levels)
}

/// What is explained, and by which kind of regression if none is asked for: the odds of two outcomes, a number as it
/// is.
fn explained(
    response: &Response,
    completed: &Completed,
    family: Option<Family>,
) -> Result<(Family, Explained, String)> {
    let level = |name: &String, level: &String| {
        (Family::Logistic, Explained::Level(name.clone(), level.clone()), format!("{name} = {level}"))
    };
    let (name, columns) = match response {
        Response::Number(name, of) => {
            refuse(family, Family::Logistic, name)?;
            return Ok((Family::Linear, Explained::Number(of.clone()), name.clone()));
        }
        Response::Level(name, _) | Response::Column(name) => {
            (name, completed.tables().map(|table| table.column(name)).collect::<Result<Vec<_>>>()?)
        }
    };
    if let Response::Level(_, wanted) = response {
        refuse(family, Family::Linear, &format!("{name} == {wanted}"))?;
        let levels = known_levels(&columns);
        if !levels.contains(wanted) {
            return Err(Error::data(format!("`{name}` never is `{wanted}`")).with_hint(format!(
                "it is one of: {}",
                levels.iter().take(9).cloned().collect::<Vec<_>>().join(", ")
            )));
        }
        return Ok(level(name, wanted));
    }
    let are_numbers = columns.iter().all(|column| numbers(column).is_ok());
    let is_number = (Family::Linear, Explained::Number(Arithmetic::Column(name.clone())), name.clone());
    let is_long = columns.iter().all(|column| column.numbers().is_some());
    if are_numbers && (family == Some(Family::Linear) || (is_long && family.is_none())) {
        return Ok(is_number);
    }
    let levels = known_levels(&columns);
    match levels.as_slice() {
        [_, second] if family != Some(Family::Linear) => Ok(level(name, second)),
        _ if family == Some(Family::Linear) => {
            Err(Error::data(format!("`{name}` does not hold numbers, which a linear regression explains"))
                .with_hint("leave out --family, or compare one level with all others"))
        }
        _ if are_numbers && family.is_none() => Ok(is_number),
        _ => {
            let what = format!(
                "`{name}` has {} different values, and logistic regression explains two",
                levels.len()
            );
            if are_numbers {
                return Err(Error::data(what).with_hint("say --family linear to explain a number"));
            }
            let example = levels.last().cloned().unwrap_or_default();
            Err(Error::data(what)
                .with_hint(format!("compare one with all others: `{name} == {example} ~ ...`")))
        }
    }
}

/// Refuses a kind of regression that does not fit what is explained.
fn refuse(asked: Option<Family>, unfit: Family, name: &str) -> Result<()> {
    match asked {
        Some(family) if family == unfit => {
            let (what, other) = match unfit {
                Family::Linear => ("one of two outcomes", "logistic"),
                Family::Logistic => ("a number", "linear"),
            };
            Err(Error::setting("family", format!("`{name}` is {what}"))
                .with_hint(format!("say --family {other}")))
        }
        _ => Ok(()),
    }
}
