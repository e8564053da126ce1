//! Rows of numbers with holes.

use std::collections::HashMap;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
pub(super) const CHUNK: usize = 512;

/// Rows of numbers with holes.
#[derive(Clone, Copy)]
pub struct Holes<'a> {
    /// How many columns.
    pub columns: usize,
    /// `[rows, columns]`; what stands under a `false` mark is never read.
    pub values: &'a [f32],
    /// `[rows, columns]`: true where known.
    pub observed: &'a [bool],
}

impl Holes<'_> {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The marks of a row.
    pub fn marks(&self, row: usize) -> &[bool] {
        &self.observed[row * self.columns..(row + 1) * self.columns]
    }

    /// The row's distance from a mean, 0 where missing.
    pub fn deviations(&self, row: usize, mean: &[f64], into: &mut [f64]) {
        let cells = self.values[row * self.columns..].iter().zip(self.marks(row));
        for ((into, mean), (value, observed)) in into.iter_mut().zip(mean).zip(cells) {
            *into = if *observed { f64::from(*value) - mean } else { 0.0 };
        }
    }
}

/// Rows with the same holes.
pub struct Group {
    /// Which columns they know.
    pub observed: Vec<bool>,
    /// Their positions.
    pub rows: Vec<usize>,
}

/// Rows grouped by what is known, in the order in which the patterns first occur.
pub fn groups(data: Holes<'_>, rows: &[usize]) -> Vec<Group> {
    let mut places: HashMap<&[bool], usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for &row in rows {
        let marks = &data.observed[row * data.columns..(row + 1) * data.columns];
        let place = *places.entry(marks).or_insert_with(|| {
            groups.push(Group { observed: marks.to_vec(), rows: Vec::new() });
            groups.len() - 1
        });
        groups[place].rows.push(row);
    }
    groups
}

/// Groups in chunks of about `CHUNK` rows; a group with more rows stays whole.
pub(super) fn cut(groups: &[Group]) -> Vec<&[Group]> {
    let (mut chunks, mut start, mut rows) = (Vec::new(), 0, 0);
    for (place, group) in groups.iter().enumerate() {
        rows += group.rows.len();
        if rows >= CHUNK || place + 1 == groups.len() {
            chunks.push(&groups[start..=place]);
            (start, rows) = (place + 1, 0);
        }
    }
    chunks
}
