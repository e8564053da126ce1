//! Rows of numbers with holes, and what they add to a round of expectation-maximisation.

use std::collections::HashMap;

use super::conditional::{Conditional, Pattern};
use super::products::add_crossed;
use super::square::Square;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 512;

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

/// Sums of the filled deviations t = Σ f and of their products T = Σ f f' + C over the rows of some groups.
pub(super) fn expect(data: Holes<'_>, groups: &[Group], conditional: &Conditional<'_>) -> (Vec<f64>, Square) {
    let columns = data.columns;
    let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
    // [rows, columns]: deviations of the filled rows from the old mean.
    let mut filled = Vec::new();
    for group in groups {
        let pattern = Pattern::new(conditional, &group.observed);
        for &row in &group.rows {
            let start = filled.len();
            filled.resize(start + columns, 0.0);
            data.deviations(row, conditional.mean(), &mut filled[start..]);
            pattern.fill(conditional, &mut filled[start..]);
            shift.iter_mut().zip(&filled[start..]).for_each(|(sum, value)| *sum += value);
            if filled.len() >= CHUNK * columns {
                add_crossed(&mut squares.cells, (&filled, columns), (&filled, columns), 1.0);
                filled.clear();
            }
        }
        pattern.add_open(conditional, group.rows.len() as f64, &mut squares);
    }
    add_crossed(&mut squares.cells, (&filled, columns), (&filled, columns), 1.0);
    (shift, squares)
}
