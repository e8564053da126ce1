//! The whole description of a table's holes, as one plain structure.

use serde::Serialize;

use super::dependence::Dependences;
use super::known::KnownCells;
use super::little::Little;
use super::patterns::Patterns;
use super::target::TargetDescription;
use super::together::Together;
use crate::data::Kind;

/// What is missing in a table, where, together with what, whether it looks random and whether it goes with
/// the target. Everything but the part on the target leaves the target out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// What to know, in sentences, the most important first.
    pub findings: Vec<String>,
    /// What to be careful about, in sentences.
    pub warnings: Vec<String>,
    /// What was noticed when the table was read, for whoever read it to put here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Rows of the table.
    pub rows: usize,
    /// Cells that are missing.
    pub missing_cells: usize,
    /// Rows without a hole.
    pub complete_rows: usize,
    /// The columns in the table's order.
    pub columns: Vec<ColumnHoles>,
    /// Which columns are missing in the same row, and how often.
    pub patterns: Patterns,
    /// Columns whose holes go together.
    pub together: Together,
    /// How much is known of each row.
    pub known_cells: KnownCells,
    /// Little's test of "missing completely at random".
    pub little: Little,
    /// Columns whose values differ where another column is missing.
    pub dependences: Dependences,
    /// What the holes have to do with the target.
    pub target: Option<TargetDescription>,
}

/// The holes of one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnHoles {
    /// The column's name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Its known values in short: the range of numbers and dates, the most frequent words.
    pub values: String,
    /// Cells that are missing.
    pub missing: usize,
    /// Their share of the rows; 0 for a table without rows.
    pub share: f64,
}

impl Description {
    /// Cells in all.
    pub fn cells(&self) -> usize {
        self.rows * self.columns.len()
    }

    /// The share of all cells that is missing; 0 for an empty table.
    pub fn share_missing(&self) -> f64 {
        self.missing_cells as f64 / self.cells().max(1) as f64
    }
}
