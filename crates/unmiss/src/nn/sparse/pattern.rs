//! Which entries a batch has, by row and by column.

use std::sync::Arc;

/// Entries of some rows. Learners speak of them row by row; the network walks them column by column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pattern {
    /// Where each row starts, and where the last ends.
    starts: Vec<usize>,
    /// The column of each entry.
    pub(super) columns: Vec<u32>,
    /// Where each column starts among `rows`, and where the last ends.
    column_starts: Vec<usize>,
    /// The row of each entry, column by column.
    pub(super) rows: Vec<u32>,
    /// The place of each entry among `rows`, row by row.
    pub(super) places: Vec<u32>,
}

impl Pattern {
    /// A pattern from its rows. `width` is the number of columns.
    ///
    /// # Panics
    /// When a column is not below the width, or there are 2^32 entries or more.
    pub fn new(width: usize, starts: Vec<usize>, columns: Vec<u32>) -> Self {
        assert!(u32::try_from(columns.len()).is_ok(), "a batch has fewer than 2^32 entries");
        let mut column_starts = vec![0; width + 1];
        columns.iter().for_each(|column| column_starts[*column as usize + 1] += 1);
        (0..width).for_each(|column| column_starts[column + 1] += column_starts[column]);
        let mut next = column_starts.clone();
        let mut rows = vec![0; columns.len()];
        let mut places = Vec::with_capacity(columns.len());
        for (row, ends) in starts.windows(2).enumerate() {
            for column in &columns[ends[0]..ends[1]] {
                let place = &mut next[*column as usize];
                rows[*place] = row as u32;
                places.push(*place as u32);
                *place += 1;
            }
        }
        Self { starts, columns, column_starts, rows, places }
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The entries of a row.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of all entries, row by row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.column_starts.len().saturating_sub(1)
    }

    /// The entries of a column, among `rows`.
    pub(super) fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.column_starts[column]..self.column_starts[column + 1]
    }

    /// Values of entries, told row by row, in the order of columns.
    pub(super) fn by_column(&self, values: &[f32], into: &mut Vec<f32>) {
        into.resize(values.len(), 0.0);
        self.places.iter().zip(values).for_each(|(place, value)| into[*place as usize] = *value);
    }
}

/// Some rows to learn from: what is known of each, and which outputs are wanted.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The known inputs.
    pub(super) inputs: Arc<Pattern>,
    /// Their values, column by column.
    pub(super) values: Vec<f32>,
    /// The wanted outputs.
    pub(super) outputs: Arc<Pattern>,
    /// What each wanted output should be, or a class; the learner's affair.
    pub targets: Vec<f32>,
}

impl Batch {
    /// A batch of rows, values and targets row by row. Inputs and outputs may be the same pattern.
    ///
    /// # Panics
    /// When inputs and outputs differ in rows, or values are not one for each entry.
    pub fn new(inputs: Arc<Pattern>, values: &[f32], outputs: Arc<Pattern>, targets: Vec<f32>) -> Self {
        assert_eq!(inputs.row_count(), outputs.row_count(), "rows of inputs and outputs");
        assert_eq!(inputs.len(), values.len(), "a value for every known input");
        let mut by_column = Vec::new();
        inputs.by_column(values, &mut by_column);
        Self { inputs, values: by_column, outputs, targets }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.inputs.row_count()
    }

    /// The known inputs of a row.
    pub fn input_columns(&self, row: usize) -> &[u32] {
        &self.inputs.columns[self.inputs.row(row)]
    }

    /// The wanted outputs.
    pub fn outputs(&self) -> &Pattern {
        &self.outputs
    }
}
