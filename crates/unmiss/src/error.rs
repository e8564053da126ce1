//! The one error type of the library: what went wrong, where, and what to do about it.
//!
//! [`Display`](std::fmt::Display) gives the "what" and the "where" in one line; [`Error::hint`] gives the
//! advice as data, which the program and the Python package say in their own words.

mod hint;

use std::fmt;
use std::path::{Path, PathBuf};

pub use hint::{Act, Hint};

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, each with its place and, where there is one, a piece of advice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read or write a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A data file says something that can't be read as a table.
    #[error("{place}: {what}")]
    Input {
        /// File, line and column.
        place: Place,
        /// What is wrong there.
        what: String,
        /// What to do about it.
        hint: Option<Box<Hint>>,
    },
    /// The table is readable, but can't be used the way it was asked for.
    #[error("{what}")]
    Data {
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: Option<Box<Hint>>,
    },
    /// A setting has an unknown name or a value it can't have.
    #[error("setting `{name}`: {what}")]
    Setting {
        /// The setting's name.
        name: String,
        /// What is wrong with its value.
        what: String,
        /// What to do about it.
        hint: Option<Box<Hint>>,
    },
    /// A model file is damaged, of another kind, or from a newer program.
    #[error("{}: {what}", path.display())]
    Model {
        /// The model file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What to do about it.
        hint: Option<Box<Hint>>,
    },
    /// A method could not be fitted or applied.
    #[error("method `{method}`: {what}")]
    Method {
        /// The method's name in the list.
        method: String,
        /// What went wrong.
        what: String,
        /// What to do about it.
        hint: Option<Box<Hint>>,
    },
    /// The run was stopped before there was anything worth keeping.
    #[error("stopped before there was a result to keep")]
    Stopped,
}

impl Error {
    /// A fault of the data as a whole.
    pub fn data(what: impl Into<String>) -> Self {
        Self::Data { what: what.into(), hint: None }
    }

    /// A setting that can't be used.
    pub fn setting(name: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Setting { name: name.into(), what: what.into(), hint: None }
    }

    /// A method that could not do its work.
    pub fn method(method: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Method { method: method.into(), what: what.into(), hint: None }
    }

    /// A model file that can't be used.
    pub fn model(path: &Path, what: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), what: what.into(), hint: None }
    }

    /// A file whose parts can't be what was written.
    pub fn damaged(what: impl Into<String>) -> Self {
        Self::data(what).with_hint("the file is damaged; fit the model again")
    }

    /// A place in a data file that can't be read.
    pub fn input(place: Place, what: impl Into<String>) -> Self {
        Self::Input { place, what: what.into(), hint: None }
    }

    /// Wraps what the operating system said about a file.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// The same error in other words, with the same advice.
    #[must_use]
    pub(crate) fn reworded(self, words: impl FnOnce(String) -> Self) -> Self {
        let other = words(self.to_string());
        match self.hint() {
            Some(hint) => other.with_hint(hint.clone()),
            None => other,
        }
    }

    /// The same error with a piece of advice; errors that carry none are returned as they are.
    #[must_use]
    pub fn with_hint(mut self, advice: impl Into<Hint>) -> Self {
        match &mut self {
            Self::Input { hint, .. }
            | Self::Data { hint, .. }
            | Self::Setting { hint, .. }
            | Self::Model { hint, .. }
            | Self::Method { hint, .. } => *hint = Some(Box::new(advice.into())),
            Self::Io { .. } | Self::Stopped => {}
        }
        self
    }

    /// The same, told of a method.
    #[must_use]
    pub fn told_of(self, method: &str) -> Self {
        self.reworded(|what| Self::method(method, what))
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&Hint> {
        match self {
            Self::Input { hint, .. }
            | Self::Data { hint, .. }
            | Self::Setting { hint, .. }
            | Self::Model { hint, .. }
            | Self::Method { hint, .. } => hint.as_deref(),
            Self::Io { .. } | Self::Stopped => None,
        }
    }
}

#[cfg(test)]
impl Error {
    /// The advice in words, empty without any.
    pub(crate) fn hint_text(&self) -> String {
        self.hint().map(Hint::to_string).unwrap_or_default()
    }
}

/// A place in a data file: the file, the line (from 1, the header is line 1) and the column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it, or `standard input`.
    pub file: String,
    /// The line on which the record starts.
    pub line: Option<u64>,
    /// The column's name, or its number where there is no name.
    pub column: Option<String>,
}

impl Place {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// The same file, at a line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same line, in a column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(out, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(out, ", column `{column}`")?;
        }
        Ok(())
    }
}

/// The known name nearest to a misspelt one, for a "did you mean" hint.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted_lower = wanted.to_lowercase();
    known
        .into_iter()
        .map(|name| (edit_distance(&wanted_lower, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count().max(wanted.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Levenshtein distance: insertions, deletions and replacements that turn one word into the other.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_and_where() {
        let place = Place::file("ward.csv").at_line(7).in_column("age");
        let error = Error::input(place, "`abc` is not a number").with_hint("use a number");
        assert_eq!(error.to_string(), "ward.csv, line 7, column `age`: `abc` is not a number");
        assert_eq!(error.hint_text(), "use a number");
    }

    #[test]
    fn finds_the_nearest_name() {
        assert_eq!(nearest("tagret", ["age", "target"]), Some("target"));
        assert_eq!(nearest("zzz", ["age", "target"]), None);
    }
}
