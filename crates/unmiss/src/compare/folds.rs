//! Folds for cross-validation: every row held out once, classes spread evenly.

use crate::encode::Targets;
use crate::rng::Stream;

/// Tables above this size are compared on a sample of it: the ranking settles long before that.
pub const MOST_ROWS_COMPARED: usize = 30_000;

/// Rows of a comparison, each assigned to one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Folds {
    /// Rows of each fold.
    pub held_out: Vec<Vec<usize>>,
    /// Rows of the table that take part.
    pub rows: usize,
}

impl Folds {
    /// Training rows of a fold: all others, in ascending order.
    pub fn training(&self, fold: usize) -> Vec<usize> {
        let others = self.held_out.iter().enumerate().filter(|(index, _)| *index != fold);
        let mut rows: Vec<usize> = others.flat_map(|(_, rows)| rows).copied().collect();
        rows.sort_unstable();
        rows
    }

    /// Share of the rows that a fold holds out.
    pub fn test_share(&self) -> f64 {
        1.0 / self.held_out.len() as f64
    }
}

/// Deals rows into folds at random: by class for classes, by the order of the target for numbers, so that
/// every fold has its share of each.
pub fn folds(targets: &Targets, count: usize, seed: u64) -> Folds {
    let mut rows = Stream::new(seed, "sample for comparison", 0, 0).permutation(targets.rows());
    rows.truncate(MOST_ROWS_COMPARED);
    let taken = rows.len();
    // The sort is stable: rows of equal target stay in their random order.
    if targets.classes.is_empty() {
        rows.sort_by(|a, b| targets.numbers[*a].total_cmp(&targets.numbers[*b]));
    } else {
        rows.sort_by_key(|&row| targets.classes[row]);
    }
    let count = count.clamp(2, taken.max(2));
    let mut held_out = vec![Vec::with_capacity(taken / count + 1); count];
    let mut stream = Stream::new(seed, "folds", 0, 0);
    for block in rows.chunks(count) {
        // Each block of neighbours gives one row to each fold, in a random order.
        for (row, fold) in block.iter().zip(stream.permutation(count)) {
            held_out[fold].push(*row);
        }
    }
    for fold in &mut held_out {
        fold.sort_unstable();
    }
    Folds { held_out, rows: taken }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Task;

    fn classes(count: usize) -> Targets {
        Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: (0..count).map(|row| u32::from(row % 10 == 0)).collect(),
            weights: vec![1.0; count],
        }
    }

    #[test]
    fn every_row_is_held_out_once_and_classes_are_spread() {
        let targets = classes(203);
        let folds = folds(&targets, 5, 1);
        let mut all: Vec<usize> = folds.held_out.concat();
        all.sort_unstable();
        assert_eq!(all, (0..203).collect::<Vec<_>>());
        for (index, fold) in folds.held_out.iter().enumerate() {
            let rare = fold.iter().filter(|&&row| targets.classes[row] == 1).count();
            assert!((3..=5).contains(&rare), "{rare}");
            let training = folds.training(index);
            assert!(training.len() + fold.len() == 203 && fold.iter().all(|row| !training.contains(row)));
        }
    }

    #[test]
    fn large_tables_are_sampled() {
        assert_eq!(folds(&classes(MOST_ROWS_COMPARED + 500), 3, 1).rows, MOST_ROWS_COMPARED);
    }
}
