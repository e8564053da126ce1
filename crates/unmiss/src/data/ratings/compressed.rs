//! Compressed sparse rows: for each row the columns that are known, ascending, and their values.

use crate::rng::mix;

/// A sparse matrix. Row `r` has the entries `starts[r]..starts[r + 1]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compressed {
    /// How many columns there are.
    pub columns: usize,
    /// Where each row starts, and where the last one ends.
    pub starts: Vec<usize>,
    /// The column of each entry, ascending within a row.
    pub others: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f32>,
}

impl Compressed {
    /// A matrix from its cells in any order. Of several values for one cell the last counts.
    pub fn new(rows: usize, columns: usize, cells: impl Iterator<Item = (u32, u32, f32)> + Clone) -> Self {
        let mut starts = vec![0; rows + 1];
        cells.clone().for_each(|(row, _, _)| starts[row as usize + 1] += 1);
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut entries = vec![(0_u32, 0.0_f32); starts[rows]];
        for (row, column, value) in cells {
            let place = &mut next[row as usize];
            entries[*place] = (column, value);
            *place += 1;
        }
        let mut matrix = Self::with_room(columns, rows, entries.len());
        for row in 0..rows {
            let entries = &mut entries[starts[row]..starts[row + 1]];
            // The sort is stable: equal columns stay in the order in which they came.
            entries.sort_by_key(|(column, _)| *column);
            for (place, (column, value)) in entries.iter().enumerate() {
                if entries.get(place + 1).is_none_or(|(next, _)| next != column) {
                    matrix.others.push(*column);
                    matrix.values.push(*value);
                }
            }
            matrix.starts.push(matrix.others.len());
        }
        matrix
    }

    /// A matrix without rows, with room for so many rows and entries: growing step by step would leave gaps in memory.
    fn with_room(columns: usize, rows: usize, entries: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self { columns, starts, others: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Columns and values of a row.
    pub fn row(&self, row: u32) -> (&[u32], &[f32]) {
        let entries = self.starts[row as usize]..self.starts[row as usize + 1];
        (&self.others[entries.clone()], &self.values[entries])
    }

    /// Columns and values of a row, pair by pair.
    pub fn entries(&self, row: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let (columns, values) = self.row(row);
        columns.iter().copied().zip(values.iter().copied())
    }

    /// A number that changes with the entries.
    pub(crate) fn fingerprint(&self) -> u64 {
        let ends = self.starts.iter().map(|start| *start as u64);
        let entries = self.others.iter().zip(&self.values);
        let entries = entries.map(|(other, value)| u64::from(*other) << 32 | u64::from(value.to_bits()));
        mix(ends.chain(entries).chain([self.columns as u64]))
    }

    /// How many entries a row has.
    pub fn count(&self, row: u32) -> usize {
        self.starts[row as usize + 1] - self.starts[row as usize]
    }

    /// The value of a cell, if it is known.
    pub fn get(&self, row: u32, column: u32) -> Option<f32> {
        let (columns, values) = self.row(row);
        columns.binary_search(&column).ok().map(|place| values[place])
    }

    /// The same matrix with some of its entries, by their places in `values`.
    #[must_use]
    pub fn kept(&self, keep: impl Fn(usize) -> bool) -> Self {
        let count = (0..self.values.len()).filter(|place| keep(*place)).count();
        let mut matrix = Self::with_room(self.columns, self.rows(), count);
        for row in 0..self.rows() {
            for place in (self.starts[row]..self.starts[row + 1]).filter(|place| keep(*place)) {
                matrix.others.push(self.others[place]);
                matrix.values.push(self.values[place]);
            }
            matrix.starts.push(matrix.others.len());
        }
        matrix
    }

    /// Rows become columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        self.others.iter().for_each(|column| starts[*column as usize + 1] += 1);
        (0..self.columns).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let (mut others, mut values) = (vec![0; self.others.len()], vec![0.0; self.values.len()]);
        for row in 0..self.rows() {
            let (columns, row_values) = self.row(row as u32);
            for (column, value) in columns.iter().zip(row_values) {
                let place = &mut next[*column as usize];
                (others[*place], values[*place]) = (row as u32, *value);
                *place += 1;
            }
        }
        Self { columns: self.rows(), starts, others, values }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cells_are_found_by_row_and_by_column(cells in prop::collection::vec((0u32..7, 0u32..5, -3i8..4), 0..60)) {
            let given = cells.iter().map(|(row, column, value)| (*row, *column, f32::from(*value)));
            let by_row = Compressed::new(7, 5, given);
            let by_column = by_row.transposed();
            prop_assert_eq!(&by_column.transposed(), &by_row);
            for row in 0..7 {
                for column in 0..5 {
                    let last = cells.iter().rev().find(|(r, c, _)| (*r, *c) == (row, column));
                    let expected = last.map(|(_, _, value)| f32::from(*value));
                    prop_assert_eq!(by_row.get(row, column), expected);
                    prop_assert_eq!(by_column.get(column, row), expected);
                }
                prop_assert!(by_row.row(row).0.is_sorted());
            }
        }
    }
}
