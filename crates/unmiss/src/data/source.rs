//! The text a table was read from, so that writing gives every untouched cell back byte for byte.

use std::sync::Arc;

use super::options::MissingTokens;

/// The raw bytes of a delimited file and where each data row stands in them.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) bytes: Arc<Vec<u8>>,
    /// Start and end of each data row, without its line end.
    pub(crate) rows: Vec<(usize, usize)>,
    /// Where the header's line, with its line end, is over.
    pub(crate) header_end: usize,
    pub(crate) delimiter: u8,
    /// Whether these rows follow others of the same file: then what stands before the first belongs to them.
    pub(crate) continues: bool,
    /// The words for "missing" with which the text was read.
    pub(crate) missing: MissingTokens,
}

impl Source {
    /// The same text for a choice of rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self {
            bytes: Arc::clone(&self.bytes),
            rows: rows.iter().map(|&row| self.rows[row]).collect(),
            header_end: self.header_end,
            delimiter: self.delimiter,
            continues: false,
            missing: self.missing.clone(),
        }
    }
}
