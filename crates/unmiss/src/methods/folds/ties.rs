//! Rows that are not free to be dealt: those of one person or place stay on one side, and what comes later is never
//! learned from to judge what came before.

use super::deal::{Folds, ROWS_KEPT_APART, folds};
use crate::encode::Targets;
use crate::rng::Stream;

/// Groups of the size of numbers among which the targets of each fold are balanced.
const SIZES: usize = 5;

/// What ties rows together.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Ties {
    /// Nothing: every row stands for itself.
    #[default]
    Free,
    /// A number for the group of each row; groups are dealt as a whole.
    Groups(Vec<u32>),
    /// The time of each row; rows are judged by models that learned from earlier ones.
    Times(Vec<f64>),
}

impl Ties {
    /// Deals rows into folds, as [`folds`] does where nothing ties them.
    pub fn deal(&self, targets: &Targets, count: usize, most_rows: usize, seed: u64) -> Folds {
        match self {
            Self::Free => folds(targets, count, most_rows, seed),
            Self::Groups(groups) => of_groups(groups, targets, count, most_rows, seed),
            Self::Times(times) => of_times(times, count, most_rows, seed),
        }
    }

    /// The same for some of the rows.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Free => Self::Free,
            Self::Groups(groups) => Self::Groups(rows.iter().map(|&row| groups[row]).collect()),
            Self::Times(times) => Self::Times(rows.iter().map(|&row| times[row]).collect()),
        }
    }
}

/// Whole groups in each fold, the large ones first, each where its classes are scarce.
fn of_groups(groups: &[u32], targets: &Targets, count: usize, most_rows: usize, seed: u64) -> Folds {
    let number = groups.iter().map(|own| *own as usize + 1).max().unwrap_or(0);
    let mut members = vec![Vec::new(); number];
    groups.iter().enumerate().for_each(|(row, group)| members[*group as usize].push(row));
    let mut order = Stream::new(seed, "sample for comparison", 0, 0).permutation(number);
    order.retain(|&group| !members[group].is_empty());
    let mut apart = Vec::new();
    if groups.len() > most_rows + ROWS_KEPT_APART {
        while apart.len() < ROWS_KEPT_APART && order.len() > 2 {
            apart.extend(order.pop().map(|group| members[group].clone()).unwrap_or_default());
        }
        apart.sort_unstable();
        let mut taken = 0;
        order.retain(|&group| {
            let fits = taken < most_rows;
            taken += if fits { members[group].len() } else { 0 };
            fits
        });
    }
    // The sort is stable: groups of equal size stay in their random order.
    order.sort_by_key(|&group| std::cmp::Reverse(members[group].len()));
    let kinds = kinds(targets);
    let totals = counts(&(0..kinds.len()).collect::<Vec<_>>(), &kinds);
    let count = count.clamp(2, order.len().max(2));
    let mut held_out = vec![Vec::new(); count];
    let mut there = vec![vec![0.0; totals.len()]; count];
    for group in order {
        let own = counts(&members[group], &kinds);
        let crowd = |fold: &Vec<f64>| -> f64 {
            let all = own.iter().zip(fold).zip(&totals);
            all.map(|((own, there), total)| if *total > 0.0 { own * there / total } else { 0.0 }).sum()
        };
        let crowds: Vec<(f64, usize)> =
            there.iter().zip(&held_out).map(|(fold, rows)| (crowd(fold), rows.len())).collect();
        let best = (0..count)
            .min_by(|&a, &b| crowds[a].0.total_cmp(&crowds[b].0).then(crowds[a].1.cmp(&crowds[b].1)));
        let best = best.unwrap_or(0);
        held_out[best].extend(&members[group]);
        there[best].iter_mut().zip(&own).for_each(|(there, own)| *there += own);
    }
    held_out.iter_mut().for_each(|fold| fold.sort_unstable());
    Folds { rows: held_out.iter().map(Vec::len).sum(), held_out, apart, first: None }
}

/// The class of each row, or the fifth of the numbers that its own is in.
fn kinds(targets: &Targets) -> Vec<usize> {
    if !targets.classes.is_empty() {
        return targets.classes.iter().map(|class| *class as usize).collect();
    }
    let mut order: Vec<usize> = (0..targets.rows()).collect();
    order.sort_by(|a, b| targets.numbers[*a].total_cmp(&targets.numbers[*b]));
    let mut kinds = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &row)| kinds[row] = place * SIZES / order.len());
    kinds
}

fn counts(rows: &[usize], kinds: &[usize]) -> Vec<f64> {
    let mut counts = vec![0.0; kinds.iter().max().map_or(0, |most| most + 1)];
    rows.iter().for_each(|&row| counts[kinds[row]] += 1.0);
    counts
}

/// Blocks of rows one after the other: the first is only learned from, the last is kept apart for the model that learns
/// from all others, and each between is judged by what was learned from those before it. Rows of one time stay
/// together. Of many rows a sample takes part in the comparison; nothing later than a block is ever learned from.
fn of_times(times: &[f64], count: usize, most_rows: usize, seed: u64) -> Folds {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let ends: Vec<usize> = (1..=count + 1)
        .map(|block| {
            let mut end = block * order.len() / (count + 2);
            while end > 0 && end < order.len() && times[order[end]] == times[order[end - 1]] {
                end += 1;
            }
            end
        })
        .collect();
    let last = ends.last().copied().unwrap_or(0);
    let mut taken = vec![true; times.len()];
    if last > most_rows {
        let mut stream = Stream::new(seed, "sample for comparison", 0, 0);
        stream.permutation(last).into_iter().skip(most_rows).for_each(|place| taken[order[place]] = false);
    }
    let block = |from: usize, to: usize| -> Vec<usize> {
        let mut rows: Vec<usize> = order[from..to].iter().copied().filter(|&row| taken[row]).collect();
        rows.sort_unstable();
        rows
    };
    let held_out: Vec<Vec<usize>> = ends.windows(2).map(|pair| block(pair[0], pair[1])).collect();
    let held_out: Vec<Vec<usize>> = held_out.into_iter().filter(|rows| !rows.is_empty()).collect();
    let first = block(0, ends.first().copied().unwrap_or(0));
    let mut apart = order[last..].to_vec();
    apart.sort_unstable();
    Folds {
        rows: first.len() + held_out.iter().map(Vec::len).sum::<usize>(),
        held_out,
        apart,
        first: Some(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Task;

    fn classes(truth: Vec<u32>) -> Targets {
        let weights = vec![1.0; truth.len()];
        Targets { task: Task::Classification { classes: 2 }, numbers: vec![], classes: truth, weights }
    }

    #[test]
    fn a_person_is_never_on_both_sides_and_classes_are_spread() {
        let groups: Vec<u32> = (0..300).map(|row| row / 7).collect();
        let targets = classes((0..300).map(|row| u32::from(row % 10 == 0)).collect());
        let folds = Ties::Groups(groups.clone()).deal(&targets, 5, 1000, 1);
        let mut all = folds.held_out.concat();
        all.sort_unstable();
        assert_eq!(all, (0..300).collect::<Vec<_>>());
        for (fold, rows) in folds.held_out.iter().enumerate() {
            let other = folds.training(fold);
            assert!(rows.iter().all(|&row| other.iter().all(|&two| groups[two] != groups[row])));
            let events = rows.iter().filter(|&&row| targets.classes[row] == 1).count();
            assert!((49..=70).contains(&rows.len()) && (4..=8).contains(&events), "{} {events}", rows.len());
        }
        let two = Ties::Groups((0..300).map(|row| row % 2).collect()).deal(&targets, 5, 1000, 1);
        assert_eq!(two.held_out.len(), 2);
        // Of a large table some groups take part and others are kept apart, all of them whole.
        let groups: Vec<u32> = (0..9_000).map(|row| row / 7).collect();
        let large = Ties::Groups(groups.clone()).deal(&classes(vec![0; 9_000]), 3, 2_000, 1);
        let of =
            |rows: &[usize]| rows.iter().map(|&row| groups[row]).collect::<std::collections::BTreeSet<_>>();
        assert!(of(&large.apart).is_disjoint(&of(&large.held_out.concat())));
        assert!(large.apart.len() >= ROWS_KEPT_APART && (2_000..2_007).contains(&large.rows));
    }

    #[test]
    fn what_is_judged_is_later_than_what_is_learned_from() {
        let times: Vec<f64> = (0..700).map(|row| f64::from((row * 37) % 100)).collect();
        let folds = Ties::Times(times.clone()).deal(&classes(vec![0; 700]), 5, 1000, 1);
        assert_eq!((folds.held_out.len(), folds.rows + folds.apart.len()), (5, 700));
        let latest = |rows: &[usize]| rows.iter().map(|&row| times[row]).fold(f64::MIN, f64::max);
        let earliest = |rows: &[usize]| rows.iter().map(|&row| times[row]).fold(f64::MAX, f64::min);
        for (fold, rows) in folds.held_out.iter().enumerate() {
            assert!(latest(&folds.training(fold)) < earliest(rows), "{fold}");
        }
        assert!(latest(&folds.held_out.concat()) < earliest(&folds.apart));
        let sample = Ties::Times(times).deal(&classes(vec![0; 700]), 5, 200, 1);
        assert_eq!((sample.rows, &sample.apart), (200, &folds.apart));
    }
}
