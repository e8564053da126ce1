//! What a reader is told: the words that mean "missing", the delimiter, the kinds of columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cell::{Number, number};
use super::form::Form;
use super::kind::Kind;
use crate::error::{Error, Result, nearest};

/// The words that stand for a missing value, for all columns and for single ones.
///
/// A cell is compared without its quotes and without spaces and tabs around it, letter by letter (`NA` is not `na`),
/// and numbers by their value (`-999` is `-999.0`). An empty cell is always missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingTokens {
    everywhere: Vec<String>,
    columns: BTreeMap<String, Vec<String>>,
}

impl Default for MissingTokens {
    fn default() -> Self {
        Self::new(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"])
    }
}

impl MissingTokens {
    /// These words in every column, instead of the usual ones.
    pub fn new<T: AsRef<str>>(tokens: impl IntoIterator<Item = T>) -> Self {
        let everywhere = tokens.into_iter().map(|token| token.as_ref().trim().to_owned()).collect();
        Self { everywhere, columns: BTreeMap::new() }
    }

    /// One more word, in every column.
    pub fn add(&mut self, token: &str) {
        self.everywhere.push(token.trim().to_owned());
    }

    /// One more word, in one column.
    pub fn add_for(&mut self, column: &str, token: &str) {
        self.columns.entry(column.to_owned()).or_default().push(token.trim().to_owned());
    }

    /// The words that hold in every column.
    pub fn everywhere(&self) -> &[String] {
        &self.everywhere
    }

    /// The further words of single columns.
    pub fn columns(&self) -> &BTreeMap<String, Vec<String>> {
        &self.columns
    }

    /// The words of one column, ready to be compared with many cells.
    pub(crate) fn of(&self, column: &str) -> Tokens {
        let own = self.columns.get(column).into_iter().flatten();
        let mut tokens = Tokens { first: [false; 256], words: Vec::new(), values: Vec::new() };
        for token in self.everywhere.iter().chain(own).filter(|token| !token.is_empty()) {
            tokens.first[usize::from(token.as_bytes()[0])] = true;
            tokens.words.push(token.clone().into_bytes());
            if let Number::Finite(value) = number(token.as_bytes()) {
                tokens.values.push(value);
            }
        }
        tokens
    }
}

/// The words for "missing" of one column; the table of first bytes lets nearly every cell pass at once.
pub(crate) struct Tokens {
    first: [bool; 256],
    words: Vec<Vec<u8>>,
    /// What those that are numbers are worth.
    values: Vec<f64>,
}

impl Tokens {
    /// Whether a cell, without quotes and spaces around it, is missing.
    pub(crate) fn contain(&self, cell: &[u8]) -> bool {
        match cell.first() {
            None => true,
            Some(first) if self.first[usize::from(*first)] && self.words.iter().any(|word| word == cell) => {
                true
            }
            Some(_) if self.values.is_empty() => false,
            Some(_) => matches!(number(cell), Number::Finite(value) if self.has_value(value)),
        }
    }

    /// Whether a number is missing.
    pub(crate) fn has_value(&self, value: f64) -> bool {
        self.values.contains(&value)
    }
}

/// How a file is read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The byte between two cells; found out if not given.
    pub delimiter: Option<u8>,
    /// What is told of the file's form.
    pub form: Form,
    /// The words for "missing".
    pub missing: MissingTokens,
    /// Kinds by column name, where the reader is not to find them out itself.
    pub kinds: BTreeMap<String, Kind>,
    /// Whether the table keeps the file's text, so that it can be written back byte for byte.
    pub keep_source: bool,
}

/// How a file is read batch by batch.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// The byte between two cells; found out if not given.
    pub delimiter: Option<u8>,
    /// What is told of the file's form.
    pub form: Form,
    /// The words for "missing".
    pub missing: MissingTokens,
    /// The columns to read, each with its kind; columns named here that the file lacks are left out of the
    /// batches.
    pub kinds: BTreeMap<String, Kind>,
    /// The kind of all columns that are not named; `None`: they are skipped.
    pub others: Option<Kind>,
    /// The most rows in a batch.
    pub rows: usize,
    /// Whether batches keep their text, so that [`TableWriter`](super::TableWriter) gives it back byte for
    /// byte. Only if every column of the file is read.
    pub keep_source: bool,
    /// Whether a row is given as soon as its line has come, and nothing is read ahead: for a pipe at whose other end
    /// somebody waits for the answer.
    pub line_by_line: bool,
}

impl BatchOptions {
    /// The kind that a column is read with, if it is read.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied().or(self.others)
    }
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            form: Form::default(),
            missing: MissingTokens::default(),
            kinds: BTreeMap::new(),
            others: None,
            rows: 8192,
            keep_source: false,
            line_by_line: false,
        }
    }
}

/// Refuses a delimiter that can't stand between cells.
pub(crate) fn check_delimiter(delimiter: Option<u8>) -> Result<()> {
    // Quotes, line ends and all that numbers are made of would be misread.
    let fits = |byte: u8| match byte {
        b'"' | b'.' | b'+' | b'-' => false,
        b'\t' => true,
        _ => (32..127).contains(&byte) && !byte.is_ascii_alphanumeric(),
    };
    match delimiter {
        Some(byte) if !fits(byte) => {
            Err(Error::setting("delimiter", format!("{:?} can't stand between cells", char::from(byte)))
                .with_hint("use a comma, a semicolon, a tab or `|`"))
        }
        _ => Ok(()),
    }
}

/// Refuses names of columns that the file does not have.
pub(crate) fn check_names<'a>(names: &[String], wanted: impl Iterator<Item = &'a String>) -> Result<()> {
    for name in wanted {
        if !names.contains(name) {
            let known = || names.iter().map(String::as_str);
            return Err(Error::data(format!("there is no column `{name}`")).with_hint(
                match nearest(name, known()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the columns are: {}", known().collect::<Vec<_>>().join(", ")),
                },
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_hold_everywhere_or_in_one_column() {
        let mut missing = MissingTokens::default();
        missing.add_for("age", " -999 ");
        assert!(missing.of("age").contain(b"-999") && !missing.of("pulse").contain(b"-999"));
        assert!(missing.of("age").contain(b"-999.0") && !missing.of("age").contain(b"-99"));
        for token in ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"] {
            assert!(missing.of("pulse").contain(token.as_bytes()), "{token}");
        }
        assert!(!missing.of("pulse").contain(b"na") && !missing.of("pulse").contain(b"NANCY"));
        assert!(MissingTokens::new(["-"]).of("x").contain(b""), "an empty cell is always missing");
    }

    #[test]
    fn odd_delimiters_are_refused() {
        assert!(check_delimiter(None).is_ok() && check_delimiter(Some(b'\t')).is_ok());
        for byte in [b'"', b'\n', b'\r', b'a', b'0', b'-', b'.', 0, 200] {
            assert!(check_delimiter(Some(byte)).is_err(), "{byte}");
        }
    }
}
