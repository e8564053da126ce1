//! The text a table was read from, so that writing gives every untouched cell back byte for byte.

use std::sync::Arc;

/// The raw bytes of a delimited file and where each data row stands in them.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) bytes: Arc<[u8]>,
    /// Start and end of each data row, without its line end.
    pub(crate) rows: Vec<(usize, usize)>,
}

impl Source {
    /// The same text for a choice of rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self { bytes: Arc::clone(&self.bytes), rows: rows.iter().map(|&row| self.rows[row]).collect() }
    }
}
