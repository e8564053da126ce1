//! The text a table was read from, so that writing gives every untouched cell back byte for byte.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::notation::Notation;
use super::options::MissingTokens;

/// The raw bytes of a delimited file and where each data row stands in them.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) bytes: Arc<Vec<u8>>,
    /// Start and end of each data row, without its line end.
    pub(crate) rows: Vec<(usize, usize)>,
    /// Where the header's line starts: what stands above is a title or the like.
    pub(crate) header_start: usize,
    /// Where the header's line, with its line end, is over.
    pub(crate) header_end: usize,
    pub(crate) delimiter: u8,
    /// Whether these rows follow others of the same file: then what stands before the first belongs to them.
    pub(crate) continues: bool,
    /// The words for "missing" with which the text was read.
    pub(crate) missing: MissingTokens,
    /// How numbers are written in columns where they are not plain.
    pub(crate) notations: BTreeMap<String, Notation>,
}

impl Source {
    /// The text of a row as it stands in the file, without its line end.
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        self.rows.get(row).map_or(&[], |&(start, end)| &self.bytes[start..end])
    }

    /// The same text for a choice of rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self {
            bytes: Arc::clone(&self.bytes),
            rows: rows.iter().map(|&row| self.rows[row]).collect(),
            header_start: self.header_start,
            header_end: self.header_end,
            delimiter: self.delimiter,
            continues: false,
            missing: self.missing.clone(),
            notations: self.notations.clone(),
        }
    }
}
