//! A part of a matrix of ratings, without a copy of it.

use super::{Compressed, Ratings};
use crate::rng::mix;

/// The entries of a matrix but some that are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<'a> {
    matrix: &'a Compressed,
    /// Whether each entry is left out, by its place in `values`.
    left_out: Vec<bool>,
}

impl<'a> Part<'a> {
    /// A matrix but the entries marked.
    ///
    /// # Panics
    /// When there is not one mark for each entry.
    pub fn new(matrix: &'a Compressed, left_out: Vec<bool>) -> Self {
        assert_eq!(left_out.len(), matrix.values.len(), "a mark for every entry");
        Self { matrix, left_out }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.matrix.rows()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.matrix.columns
    }

    /// Columns and values of a row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let places = self.matrix.starts[row as usize]..self.matrix.starts[row as usize + 1];
        let (columns, values) = self.matrix.row(row);
        let entries = columns.iter().zip(values).zip(&self.left_out[places]);
        entries.filter(|(_, left_out)| !**left_out).map(|((column, value), _)| (*column, *value))
    }

    /// How many entries a row has.
    pub fn count(&self, row: u32) -> usize {
        let places = self.matrix.starts[row as usize]..self.matrix.starts[row as usize + 1];
        self.left_out[places].iter().filter(|left_out| !**left_out).count()
    }

    /// The smallest and the largest value; (0, 0) without any.
    pub fn range(&self) -> (f32, f32) {
        let values = self.matrix.values.iter().zip(&self.left_out);
        let mut kept = values.filter(|(_, left_out)| !**left_out).map(|(value, _)| *value);
        let Some(first) = kept.next() else { return (0.0, 0.0) };
        kept.fold((first, first), |(low, high), value| (low.min(value), high.max(value)))
    }

    /// A number that changes with the entries and with which of them are left out.
    pub(crate) fn fingerprint(&self) -> u64 {
        mix(self.left_out.iter().map(|out| u64::from(*out)).chain([self.matrix.fingerprint()]))
    }

    /// The entries that are left out, as a matrix of their own.
    pub fn rest(&self) -> Compressed {
        self.matrix.kept(|place| self.left_out[place])
    }
}

impl Ratings {
    /// Marks for the entries of `by_item`, from those of `by_user`.
    pub fn marks_by_item(&self, by_user: &[bool]) -> Vec<bool> {
        let mut next = self.by_item.starts.clone();
        let mut marks = vec![false; by_user.len()];
        for (item, mark) in self.by_user.others.iter().zip(by_user) {
            let place = &mut next[*item as usize];
            marks[*place] = *mark;
            *place += 1;
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_part_is_what_a_split_copies() {
        let ratings = sample();
        let (learning, test) = ratings.split(0.3, 2);
        let marks = ratings.set_aside(0.3, 2);
        let by_item = ratings.marks_by_item(&marks);
        let parts = [
            (Part::new(&ratings.by_user, marks), &learning.by_user),
            (Part::new(&ratings.by_item, by_item), &learning.by_item),
        ];
        for (part, copy) in parts {
            assert_eq!(
                (part.rows(), part.columns(), part.range()),
                (copy.rows(), copy.columns, learning.range())
            );
            for row in 0..copy.rows() as u32 {
                let (columns, values) = copy.row(row);
                let expected: Vec<_> = columns.iter().copied().zip(values.iter().copied()).collect();
                assert_eq!(part.row(row).collect::<Vec<_>>(), expected);
                assert_eq!(part.count(row), copy.count(row));
            }
            assert_eq!(part.rest().values.len(), test.len());
        }
    }

    #[test]
    fn nothing_has_a_range_of_zero() {
        let ratings = sample();
        let none = Part::new(&ratings.by_user, vec![true; ratings.len()]);
        assert_eq!((none.range(), none.count(0), none.row(0).count()), ((0.0, 0.0), 0, 0));
    }
}
