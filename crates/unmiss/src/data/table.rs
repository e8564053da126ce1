//! `Table`: named columns of one kind each, with values and `observed` kept apart.
//!
//! A cell that is not observed holds a neutral value (0, the first code, an empty text) which nothing may
//! read: what is known and what is not is told by `observed` alone. NaN does not occur inside a table.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::largest::{LARGEST, too_large};
use super::source::Source;
use crate::error::{Error, Result, nearest};

pub use super::digits::format_number;
pub use super::kind::Kind;

/// Columns that an error names at most.
const MOST_NAMED: usize = 50;

/// A column's values, one per row. Values of cells that are not observed are neutral and never read.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Kinds real and integer: finite numbers; 0 where not observed.
    Numbers(Vec<f64>),
    /// Kinds binary and category: positions in `levels`; 0 where not observed.
    Codes {
        /// One position in `levels` per row.
        codes: Vec<u32>,
        /// The distinct values as they stand in the file, in ascending order (numerically if all are numbers).
        levels: Vec<String>,
    },
    /// Kinds text and date: the cell as it was read; empty where not observed.
    Texts(Vec<String>),
}

impl Values {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Codes { codes, .. } => codes.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(rows.iter().map(|&row| values[row]).collect()),
            Self::Codes { codes, levels } => {
                Self::Codes { codes: rows.iter().map(|&row| codes[row]).collect(), levels: levels.clone() }
            }
            Self::Texts(values) => Self::Texts(rows.iter().map(|&row| values[row].clone()).collect()),
        }
    }
}

/// One named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// What the column holds.
    pub kind: Kind,
    /// One value per row.
    pub values: Values,
    /// One mark per row: true where the value is known.
    pub observed: Vec<bool>,
}

impl Column {
    /// A column of numbers from the border's convention: NaN is a hole.
    pub fn from_numbers(name: impl Into<String>, kind: Kind, numbers: &[f64]) -> Self {
        let observed: Vec<bool> = numbers.iter().map(|value| !value.is_nan()).collect();
        let values = numbers.iter().map(|&value| if value.is_nan() { 0.0 } else { value }).collect();
        Self { name: name.into(), kind, values: Values::Numbers(values), observed }
    }

    /// A column of words; `None` is a hole. Levels are put into ascending order.
    pub fn from_words<T: AsRef<str>>(name: impl Into<String>, kind: Kind, words: &[Option<T>]) -> Self {
        let mut levels: Vec<String> = words.iter().flatten().map(|word| word.as_ref().to_owned()).collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |word: &Option<T>| {
            word.as_ref()
                .map_or(0, |word| levels.partition_point(|level| level.as_str() < word.as_ref()) as u32)
        };
        let codes = words.iter().map(code).collect();
        let observed = words.iter().map(Option::is_some).collect();
        Self { name: name.into(), kind, values: Values::Codes { codes, levels }, observed }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.observed.len()
    }

    /// How many cells are not observed.
    pub fn missing(&self) -> usize {
        self.observed.iter().filter(|observed| !**observed).count()
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            kind: self.kind,
            values: self.values.select(rows),
            observed: rows.iter().map(|&row| self.observed[row]).collect(),
        }
    }

    /// The numbers, for kinds real and integer.
    pub fn numbers(&self) -> Option<&[f64]> {
        match &self.values {
            Values::Numbers(values) => Some(values),
            _ => None,
        }
    }

    /// Codes and levels, for kinds binary and category.
    pub fn codes(&self) -> Option<(&[u32], &[String])> {
        match &self.values {
            Values::Codes { codes, levels } => Some((codes, levels)),
            _ => None,
        }
    }

    /// Whether a method can use the column as an input: text and dates can't be.
    pub fn is_usable(&self) -> bool {
        !matches!(self.kind, Kind::Text | Kind::Date)
    }

    /// The cell as text, or `None` for a hole. Numbers are written in the shortest form that reads back equal.
    pub fn cell(&self, row: usize) -> Option<String> {
        self.observed[row].then(|| match &self.values {
            Values::Numbers(values) => format_number(values[row]),
            Values::Codes { codes, levels } => levels[codes[row] as usize].clone(),
            Values::Texts(values) => values[row].clone(),
        })
    }
}

/// A table: columns of equal length with distinct names.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
    /// The text the table was read from, kept where it will be written again cell by cell.
    pub(crate) source: Option<Arc<Source>>,
    /// Where each name is, once somebody has asked.
    places: OnceLock<HashMap<String, usize>>,
}

impl Table {
    /// A table from its columns.
    ///
    /// # Errors
    /// When lengths differ, a name is empty or occurs twice, or a number is not finite or larger than [`LARGEST`].
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, Column::rows);
        let mut names = HashSet::new();
        for column in &columns {
            let name = &column.name;
            if column.rows() != rows || column.values.len() != rows {
                return Err(Error::data(format!(
                    "column `{name}` has another number of rows than the first"
                )));
            }
            if name.is_empty() || !names.insert(name.as_str()) {
                return Err(Error::data(format!("column name `{name}` is empty or occurs twice")));
            }
            let mut cells = column.numbers().unwrap_or_default().iter().zip(&column.observed);
            let refused =
                |(value, observed): &(&f64, &bool)| **observed && (value.is_nan() || value.abs() > LARGEST);
            if let Some((value, _)) = cells.find(refused) {
                return Err(Error::data(format!("column `{name}`: {}", too_large(&format!("{value:e}")))));
            }
        }
        Ok(Self { columns, rows, source: None, places: OnceLock::new() })
    }

    /// The same table with its number of rows told, which a table without columns can't know.
    #[must_use]
    pub(crate) fn with_rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns in the file's order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns, to hide or fill cells in place. Lengths and names must stay as they are.
    pub fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// The position of a column.
    ///
    /// # Errors
    /// When there is none of that name; the hint names the nearest.
    pub fn position(&self, name: &str) -> Result<usize> {
        let places = self.places.get_or_init(|| {
            self.columns.iter().enumerate().map(|(place, column)| (column.name.clone(), place)).collect()
        });
        places.get(name).copied().ok_or_else(|| {
            let names = || self.columns.iter().map(|column| column.name.as_str());
            let error = Error::data(format!("there is no column `{name}`"));
            error.with_hint(match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let shown = names().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
                    let more = if self.columns.len() > MOST_NAMED { ", ..." } else { "" };
                    format!("the columns are: {shown}{more}")
                }
            })
        })
    }

    /// The column of that name.
    ///
    /// # Errors
    /// When there is none; the hint names the nearest.
    pub fn column(&self, name: &str) -> Result<&Column> {
        Ok(&self.columns[self.position(name)?])
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let source = self.source.as_ref().map(|source| Arc::new(source.select(rows)));
        Self { source, ..self.part(rows, |_| true) }
    }

    /// The given rows of the columns that are wanted, without the bytes that they were read from.
    #[must_use]
    pub fn part(&self, rows: &[usize], wanted: impl Fn(&Column) -> bool) -> Self {
        let wanted = self.columns.iter().filter(|column| wanted(column));
        let columns = wanted.map(|column| column.select(rows)).collect();
        Self { columns, rows: rows.len(), source: None, places: OnceLock::new() }
    }
}

#[cfg(test)]
mod tests;
