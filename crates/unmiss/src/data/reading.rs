//! What a reader gives.

use super::note::Note;
use super::table::Table;

/// A table that was read, and what is worth telling about it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The table.
    pub table: Table,
    /// Remarks in plain words: columns set aside, empty, of one value, or nearly numeric.
    pub notes: Vec<Note>,
}
