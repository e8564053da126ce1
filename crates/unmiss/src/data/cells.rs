//! Cells that come one by one and not as a file, read as a file's cells are: the way of rows in a request.

use super::cell::{Number, number, trim};
use super::gather::{Dictionary, level};
use super::kind::Kind;
use super::options::{MissingTokens, Tokens};
use super::table::{Column, Values, format_number};

/// How the cells of one column are read, made once for many requests.
pub struct CellReader {
    /// The column's name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    tokens: Tokens,
}

impl CellReader {
    /// A reader for a column of a kind that is known beforehand, with its words for "missing".
    pub fn new(name: impl Into<String>, kind: Kind, missing: &MissingTokens) -> Self {
        let name = name.into();
        Self { tokens: missing.of(&name), name, kind }
    }

    /// Begins a column.
    pub fn cells(&self) -> Cells<'_> {
        let values = match self.kind {
            Kind::Real | Kind::Integer => Read::Numbers(Vec::new()),
            Kind::Binary | Kind::Category => Read::Words(Dictionary::default()),
            Kind::Text | Kind::Date => Read::Texts(Vec::new()),
        };
        Cells { reader: self, values, observed: Vec::new() }
    }
}

/// A column that grows cell by cell.
pub struct Cells<'a> {
    reader: &'a CellReader,
    values: Read,
    observed: Vec<bool>,
}

enum Read {
    Numbers(Vec<f64>),
    Words(Dictionary),
    Texts(Vec<String>),
}

impl Cells<'_> {
    /// The reader.
    pub fn reader(&self) -> &CellReader {
        self.reader
    }

    /// Adds a hole.
    pub fn hole(&mut self) {
        self.observed.push(false);
        match &mut self.values {
            Read::Numbers(values) => values.push(0.0),
            Read::Words(words) => words.push(None),
            Read::Texts(texts) => texts.push(String::new()),
        }
    }

    /// Adds a number; NaN is a hole. Among words it is the word that a file would have for it. False if the number is
    /// infinite, which no cell can be; then nothing was added.
    #[must_use]
    pub fn number(&mut self, value: f64) -> bool {
        match &mut self.values {
            _ if value.is_nan() => self.hole(),
            _ if value.is_infinite() => return false,
            Read::Numbers(values) => {
                values.push(value);
                self.observed.push(true);
            }
            Read::Words(_) | Read::Texts(_) => return self.text(&format_number(value)),
        }
        true
    }

    /// Adds a cell of text: a hole where it is empty or a word for "missing". False if it should be a number and is
    /// none; then nothing was added.
    #[must_use]
    pub fn text(&mut self, text: &str) -> bool {
        let cell = trim(text.as_bytes());
        if self.reader.tokens.contain(cell) {
            self.hole();
            return true;
        }
        match &mut self.values {
            Read::Numbers(values) => match number(cell) {
                Number::Finite(value) => values.push(value),
                Number::Infinite | Number::TooManyDigits | Number::Not => return false,
            },
            Read::Words(words) => {
                words.push(Some(&level(&String::from_utf8_lossy(cell), Some(self.reader.kind))))
            }
            Read::Texts(texts) => texts.push(text.to_owned()),
        }
        self.observed.push(true);
        true
    }

    /// The finished column.
    pub fn finish(self) -> Column {
        let CellReader { name, kind, .. } = self.reader;
        let values = match self.values {
            Read::Numbers(values) => Values::Numbers(values),
            Read::Words(words) => return words.into_column(name, *kind),
            Read::Texts(texts) => Values::Texts(texts),
        };
        Column { name: name.clone(), kind: *kind, values, observed: self.observed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{BatchOptions, Batches};

    /// Cells of a request are what the same cells of a file are, for every kind.
    #[test]
    fn cells_are_read_as_those_of_a_file() {
        let cells = ["1", " 2.5 ", "NA", "", "-3e2", "?", "01", "null", "7.0"];
        let words = ["a", " b ", "NA", "", "a", "1.0", "x y", "true", "é"];
        let mut missing = MissingTokens::default();
        missing.add_for("c", "true");
        for kind in [Kind::Real, Kind::Integer, Kind::Binary, Kind::Category, Kind::Date] {
            let own = if matches!(kind, Kind::Real | Kind::Integer) { cells } else { words };
            let lines: Vec<String> = own.iter().map(|cell| format!("{cell},x")).collect();
            let text = format!("c,other\n{}\n", lines.join("\n"));
            let kinds = [("c".to_owned(), kind)].into();
            let options = BatchOptions { kinds, missing: missing.clone(), ..BatchOptions::default() };
            let table =
                Batches::from_bytes("t.csv", text.as_bytes(), &options).unwrap().next().unwrap().unwrap();
            let reader = CellReader::new("c", kind, &missing);
            let mut column = reader.cells();
            assert!(own.iter().all(|cell| column.text(cell)));
            assert_eq!(column.finish(), table.columns()[0], "{kind}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_and_leaves_nothing() {
        let reader = CellReader::new("c", Kind::Real, &MissingTokens::default());
        let mut column = reader.cells();
        assert!(!column.text("abc") && !column.text("1e999") && !column.number(f64::INFINITY));
        assert!(column.number(1.5) && column.number(f64::NAN));
        assert_eq!(column.finish(), Column::from_numbers("c", Kind::Real, &[1.5, f64::NAN]));
    }
}
