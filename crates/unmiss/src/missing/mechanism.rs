//! The mechanisms by name, and the one function that applies them to a table.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;
use serde::Serialize;

use super::{mar, self_masking};
use crate::data::{Data, Table, Values};
use crate::error::{Error, Result, nearest};
use crate::rng::Stream;

/// How holes come about; each with the share of known cells to hide, strictly between 0 and 1.
///
/// Numbers are standardised over a column's observed cells. Categories have no order, so each level gets a
/// score drawn from N(0, 1) once per call, and the scores are standardised like numbers. A column of one
/// value can't hide by its value: it is hidden completely at random.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Mechanism {
    /// `mcar:RATE` Missing completely at random: every cell with the same probability.
    Mcar(f64),
    /// `mar:RATE` Missing at random: a tenth of the columns (at least one) is never hidden and drives, through
    /// a logistic function, what is hidden in the others. The rate is that of the others.
    Mar(f64),
    /// `self-logistic:RATE` Not at random: the larger (or the smaller, by a coin for each column) a value,
    /// the likelier it is hidden. The rate holds in each column, whatever its distribution.
    SelfLogistic(f64),
    /// `self-gaussian:RATE` Not at random: values near mean + 2 standard deviations are hidden most. The rate
    /// holds in each column whose values are normally distributed.
    SelfGaussian(f64),
    /// `self-probit:RATE` Not at random: the larger a value, the likelier it is hidden. The rate holds in each
    /// column whose values are normally distributed.
    SelfProbit(f64),
}

/// The names in [`Mechanism`]'s text form, each followed by `:RATE`.
const NAMES: [&str; 5] = ["mcar", "mar", "self-logistic", "self-gaussian", "self-probit"];

impl Mechanism {
    /// The share of known cells to hide.
    pub fn rate(&self) -> f64 {
        match *self {
            Self::Mcar(rate)
            | Self::Mar(rate)
            | Self::SelfLogistic(rate)
            | Self::SelfGaussian(rate)
            | Self::SelfProbit(rate) => rate,
        }
    }

    /// The name without the rate.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mcar(_) => NAMES[0],
            Self::Mar(_) => NAMES[1],
            Self::SelfLogistic(_) => NAMES[2],
            Self::SelfGaussian(_) => NAMES[3],
            Self::SelfProbit(_) => NAMES[4],
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.name(), self.rate())
    }
}

impl FromStr for Mechanism {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rate) = text.split_once(':').unwrap_or((text, ""));
        let make = match name.trim() {
            "mcar" => Self::Mcar,
            "mar" => Self::Mar,
            "self-logistic" => Self::SelfLogistic,
            "self-gaussian" => Self::SelfGaussian,
            "self-probit" => Self::SelfProbit,
            other => {
                let error = Error::setting("how", format!("there is no mechanism `{other}`"));
                return Err(error.with_hint(match nearest(other, NAMES) {
                    Some(near) => format!("did you mean `{near}:0.3`?"),
                    None => format!("the mechanisms are: {}; write for example mcar:0.3", NAMES.join(", ")),
                }));
            }
        };
        let rate = rate.trim().parse().map_err(|_| {
            let what = format!("`{text}` needs a rate after the colon");
            Error::setting("how", what).with_hint(format!("write for example {}:0.3", name.trim()))
        })?;
        let mechanism = make(rate);
        check_rate(&mechanism)?;
        Ok(mechanism)
    }
}

fn check_rate(mechanism: &Mechanism) -> Result<()> {
    let rate = mechanism.rate();
    if rate > 0.0 && rate < 1.0 {
        return Ok(());
    }
    let error = Error::setting("how", format!("the rate {rate} is not between 0 and 1"));
    Err(error.with_hint(format!("write the share to hide, for example {}:0.3", mechanism.name())))
}

/// What [`hide`] did.
#[derive(Debug, Clone)]
pub struct Hidden {
    /// The table with the new holes; holes that were there before are still there.
    pub table: Table,
    /// For each column of the table, for each row: true where a known cell was hidden.
    pub hidden: Vec<Vec<bool>>,
    /// What became of each chosen column, in the table's order.
    pub rates: Vec<ColumnRate>,
}

/// How much of a column was hidden.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnRate {
    /// The column.
    pub name: String,
    /// Cells known before.
    pub known: usize,
    /// Cells hidden.
    pub hidden: usize,
    /// Whether the mechanism spared the column because it drives what is hidden in the others.
    pub spared: bool,
}

impl ColumnRate {
    /// The share of the known cells that was hidden; 0 where none was known.
    pub fn rate(&self) -> f64 {
        if self.known == 0 { 0.0 } else { self.hidden as f64 / self.known as f64 }
    }
}

/// The probability that a known cell of a column is hidden.
#[derive(Debug)]
pub(super) enum Probability {
    /// Never: the column drives the others.
    Spared,
    /// The same in every row.
    Same(f64),
    /// One for each row; not read where the cell is already missing.
    PerRow(Vec<f64>),
}

/// The columns in which cells can be hidden: all but text, dates and those named in `except`.
pub fn hideable(table: &Table, except: &[&str]) -> Vec<String> {
    let columns = table.columns().iter().filter(|column| column.is_usable());
    let names = columns.map(|column| column.name.clone());
    names.filter(|name| !except.contains(&name.as_str())).collect()
}

/// Data of any shape with cells that were hidden.
#[derive(Debug, Clone)]
pub struct HiddenData {
    /// The data with the new holes.
    pub data: Data,
    /// For each column, for each row: true where a known cell was hidden.
    pub hidden: Vec<Vec<bool>>,
}

/// Hides cells of data of any shape, wherever they can be hidden but in the columns named in `except`.
///
/// # Errors
/// As for [`hide`], or when cells of such data can't be hidden.
pub fn hide_data(data: &Data, how: &Mechanism, except: &[String], seed: u64) -> Result<HiddenData> {
    let except: Vec<&str> = except.iter().map(String::as_str).collect();
    let table = data.table()?;
    let Hidden { table, hidden, .. } = hide(table, how, &hideable(table, &except), seed)?;
    Ok(HiddenData { data: table.into(), hidden })
}

/// Hides cells of the named columns. The rate refers to their known cells; cells already missing stay missing.
///
/// Each cell has a random stream of its own, addressed by seed, row and column, and the mechanism (weights,
/// drivers, level scores) is drawn once per call: the result depends neither on threads nor on the order of
/// the names.
///
/// # Errors
/// When a name is unknown, a column is text or a date, no column is named, the rate is not between 0 and 1,
/// or the mechanism needs more columns than there are.
pub fn hide(table: &Table, mechanism: &Mechanism, columns: &[String], seed: u64) -> Result<Hidden> {
    check_rate(mechanism)?;
    let chosen = positions(table, columns)?;
    let plan: Vec<Probability> = match *mechanism {
        Mechanism::Mcar(rate) => chosen.iter().map(|_| Probability::Same(rate)).collect(),
        Mechanism::Mar(rate) => mar::plan(table, &chosen, rate, seed)?,
        Mechanism::SelfLogistic(_) | Mechanism::SelfGaussian(_) | Mechanism::SelfProbit(_) => {
            self_masking::plan(table, &chosen, mechanism, seed)
        }
    };
    let drawn: Vec<Vec<bool>> = chosen
        .par_iter()
        .zip(&plan)
        .map(|(&position, probability)| {
            draw(&table.columns()[position].observed, probability, position, seed)
        })
        .collect();

    let mut result = Hidden {
        table: table.clone(),
        hidden: vec![vec![false; table.rows()]; table.columns().len()],
        rates: Vec::with_capacity(chosen.len()),
    };
    for ((position, probability), hidden) in chosen.into_iter().zip(plan).zip(drawn) {
        let column = &mut result.table.columns_mut()[position];
        let known = column.rows() - column.missing();
        for row in (0..hidden.len()).filter(|&row| hidden[row]) {
            column.observed[row] = false;
            match &mut column.values {
                Values::Numbers(values) => values[row] = 0.0,
                Values::Codes { codes, .. } => codes[row] = 0,
                Values::Texts(values) => values[row].clear(),
            }
        }
        result.rates.push(ColumnRate {
            name: column.name.clone(),
            known,
            hidden: hidden.iter().filter(|hidden| **hidden).count(),
            spared: matches!(probability, Probability::Spared),
        });
        result.hidden[position] = hidden;
    }
    Ok(result)
}

/// Positions of the named columns in the table's order, each once.
fn positions(table: &Table, names: &[String]) -> Result<Vec<usize>> {
    let mut chosen = Vec::with_capacity(names.len());
    for name in names {
        let position = table.position(name)?;
        let column = &table.columns()[position];
        if !column.is_usable() {
            let error = Error::data(format!("column `{name}` is {} and can't be hidden", column.kind));
            return Err(error.with_hint("only numbers and categories can be hidden; leave the column out"));
        }
        chosen.push(position);
    }
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() {
        return Err(Error::data("there is no column in which to hide cells")
            .with_hint("name at least one column of numbers or categories"));
    }
    Ok(chosen)
}

fn draw(observed: &[bool], probability: &Probability, position: usize, seed: u64) -> Vec<bool> {
    let below = |row: usize, probability: f64| {
        observed[row] && Stream::new(seed, "hide", row as u64, position as u64).uniform() < probability
    };
    let rows = 0..observed.len();
    match probability {
        Probability::Spared => vec![false; observed.len()],
        Probability::Same(rate) => rows.map(|row| below(row, *rate)).collect(),
        Probability::PerRow(probabilities) => rows.map(|row| below(row, probabilities[row])).collect(),
    }
}

#[cfg(test)]
mod tests;
