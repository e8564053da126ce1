//! Folds for cross-validation: every row held out once, classes spread evenly.

use crate::encode::Targets;
use crate::rng::Stream;

/// Tables well above this size are compared on a sample of it: the ranking settles long before that.
pub const MOST_ROWS_COMPARED: usize = 30_000;
/// Rows that are kept apart where there is a sample, to measure the model that learns from all others.
pub const ROWS_KEPT_APART: usize = 5_000;
/// Rows below which there are ten folds unless told otherwise: models then learn from more of the rows.
const FEW_ROWS: usize = 5_000;

/// How many folds to make of rows with these targets if the user does not say: ten below 5,000 rows, if every class has
/// ten rows, else five.
pub fn usual_folds(targets: &Targets) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    targets.classes.iter().for_each(|class| *counts.entry(class).or_insert(0_usize) += 1);
    let enough = counts.values().all(|count| *count >= 10);
    if targets.rows() < FEW_ROWS && enough { 10 } else { 5 }
}

/// Rows of a comparison, each assigned to one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Folds {
    /// Rows of each fold.
    pub held_out: Vec<Vec<usize>>,
    /// Rows of the table that take part.
    pub rows: usize,
    /// Rows of a large table that no fold has anything to do with; empty where all rows take part.
    pub apart: Vec<usize>,
    /// Where folds follow each other in time: the rows before the first of them. Each is then judged by what was
    /// learned from the rows before it.
    pub first: Option<Vec<usize>>,
}

impl Folds {
    /// Training rows of a fold, in ascending order: all others, or those before it where folds follow each other.
    pub fn training(&self, fold: usize) -> Vec<usize> {
        let ordered = self.first.is_some();
        let others = self.held_out.iter().enumerate();
        let others = others.filter(|(index, _)| if ordered { *index < fold } else { *index != fold });
        let mut rows: Vec<usize> =
            others.flat_map(|(_, rows)| rows).chain(self.first.iter().flatten()).copied().collect();
        rows.sort_unstable();
        rows
    }

    /// Share of the rows that a fold holds out.
    pub fn test_share(&self) -> f64 {
        1.0 / self.held_out.len() as f64
    }
}

/// Deals rows into folds at random: by class for classes, by the order of the target for numbers, so that
/// every fold has its share of each. Of a table of many more rows than `most_rows`, so many take part.
pub fn folds(targets: &Targets, count: usize, most_rows: usize, seed: u64) -> Folds {
    let mut rows = Stream::new(seed, "sample for comparison", 0, 0).permutation(targets.rows());
    let mut apart = Vec::new();
    if rows.len() > most_rows + ROWS_KEPT_APART {
        apart = rows.split_off(rows.len() - ROWS_KEPT_APART);
        apart.sort_unstable();
        rows.truncate(most_rows);
    }
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
    Folds { held_out, rows: taken, apart, first: None }
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
        let folds = folds(&targets, 5, MOST_ROWS_COMPARED, 1);
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
        let large = folds(&classes(4_000 + ROWS_KEPT_APART + 500), 3, 4_000, 1);
        assert_eq!((large.rows, large.apart.len()), (4_000, ROWS_KEPT_APART));
        assert!(large.held_out.iter().flatten().all(|row| large.apart.binary_search(row).is_err()));
    }

    #[test]
    fn few_rows_make_ten_folds_if_classes_allow_it() {
        assert_eq!(usual_folds(&classes(400)), 10);
        assert_eq!(usual_folds(&classes(50)), 5);
        assert_eq!(usual_folds(&classes(5_000)), 5);
    }
}
