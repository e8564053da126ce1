//! The target of a description: numbers or classes, and its tests against groups of rows.

use super::significance::{Moments, Test, chi_square, one_way};
use crate::data::{Column, Values};
use crate::error::{Act, Error, Result};

/// Whole numbers 0..k or 1..=k with at most this many values are classes.
const MOST_NUMBERED_CLASSES: usize = 10;

/// A target in the form that tests need.
pub(super) struct Outcome {
    /// One mark per row: true where the target is known.
    pub observed: Vec<bool>,
    /// Names of the classes; empty for a number.
    pub levels: Vec<String>,
    /// Mean that was taken away from a number, so that sums of squares stay exact.
    pub centre: f64,
    /// Per row: the number minus `centre`, or the position of the class.
    values: Vec<f64>,
}

impl Outcome {
    /// Reads a target column. Words and two values are classes, and so are whole numbers that count up.
    pub fn new(column: &Column) -> Result<Self> {
        let observed = column.observed.clone();
        match &column.values {
            Values::Codes { codes, levels } => {
                let values = codes.iter().map(|&code| f64::from(code)).collect();
                Ok(Self { observed, levels: levels.clone(), centre: 0.0, values })
            }
            Values::Numbers(numbers) => Ok(Self::from_numbers(numbers, observed)),
            Values::Texts(_) => {
                let what =
                    format!("the target `{}` holds {}s, not numbers or classes", column.name, column.kind);
                Err(Error::data(what).with_hint(Act::ReadAsCategory { column: column.name.clone() }))
            }
        }
    }

    fn from_numbers(numbers: &[f64], observed: Vec<bool>) -> Self {
        let known = || numbers.iter().zip(&observed).filter(|(_, seen)| **seen).map(|(y, _)| *y);
        if let Some(first) = counts_up(known()) {
            let last = known().fold(first, f64::max);
            let levels = (first as u32..=last as u32).map(|level| level.to_string()).collect();
            let values = numbers.iter().map(|y| y - first).collect();
            return Self { observed, levels, centre: 0.0, values };
        }
        let centre = known().sum::<f64>() / known().count().max(1) as f64;
        let values = numbers.iter().map(|y| y - centre).collect();
        Self { observed, levels: Vec::new(), centre, values }
    }

    /// The groups' statistics: rows with a known target, in groups given by `group_of(row)`.
    pub fn grouped(&self, groups: usize, group_of: impl Fn(usize) -> usize) -> Grouped {
        let mut grouped = Grouped::empty(groups, self.levels.len());
        for row in (0..self.values.len()).filter(|&row| self.observed[row]) {
            grouped.add(group_of(row), self.values[row]);
        }
        grouped
    }

    /// Statistics of two groups, the rows listed and the rest, given those of all rows.
    pub fn split(&self, all: &Grouped, listed: impl Iterator<Item = usize>) -> Grouped {
        let mut split = Grouped::empty(2, self.levels.len());
        for row in listed.filter(|&row| self.observed[row]) {
            split.add(0, self.values[row]);
        }
        split.take_rest(all);
        split
    }

    /// Mean (numbers, in the user's units) or share of each class in a group, with standard errors.
    pub fn estimates(&self, grouped: &Grouped, group: usize) -> Vec<(f64, f64)> {
        let count = grouped.count(group);
        match grouped {
            Grouped::Numbers(groups) => {
                vec![(groups[group].mean() + self.centre, groups[group].standard_error())]
            }
            Grouped::Classes(groups) => {
                let share = |rows: &f64| {
                    let share = rows / count.max(1.0);
                    (share, (share * (1.0 - share) / count.max(1.0)).sqrt())
                };
                groups[group].iter().map(share).collect()
            }
        }
    }
}

/// The first number if all are whole, count up from 0 or 1 without a gap, and are few.
fn counts_up(known: impl Iterator<Item = f64>) -> Option<f64> {
    let mut seen = [false; MOST_NUMBERED_CLASSES + 1];
    for y in known {
        if y.fract() != 0.0 || !(0.0..=MOST_NUMBERED_CLASSES as f64).contains(&y) {
            return None;
        }
        seen[y as usize] = true;
    }
    let first = seen.iter().position(|seen| *seen)?;
    let last = seen.iter().rposition(|seen| *seen)?;
    let gapless = seen[first..=last].iter().all(|seen| *seen);
    let values = last - first + 1;
    (first <= 1 && gapless && (2..=MOST_NUMBERED_CLASSES).contains(&values)).then_some(first as f64)
}

/// Statistics of the target in groups of rows.
pub(super) enum Grouped {
    /// Moments of the centred numbers per group.
    Numbers(Vec<Moments>),
    /// Rows of each class per group.
    Classes(Vec<Vec<f64>>),
}

impl Grouped {
    fn empty(groups: usize, classes: usize) -> Self {
        if classes == 0 {
            Self::Numbers(vec![Moments::default(); groups])
        } else {
            Self::Classes(vec![vec![0.0; classes]; groups])
        }
    }

    fn add(&mut self, group: usize, value: f64) {
        match self {
            Self::Numbers(groups) => groups[group].add(value),
            Self::Classes(groups) => groups[group][value as usize] += 1.0,
        }
    }

    /// Sets the second group to all rows (the only group of `all`) without those of the first.
    fn take_rest(&mut self, all: &Self) {
        match (self, all) {
            (Self::Numbers(groups), Self::Numbers(all)) => groups[1] = all[0].without(groups[0]),
            (Self::Classes(groups), Self::Classes(all)) => {
                groups[1] = all[0].iter().zip(&groups[0]).map(|(all, part)| all - part).collect();
            }
            _ => {}
        }
    }

    /// Rows in a group.
    pub fn count(&self, group: usize) -> f64 {
        match self {
            Self::Numbers(groups) => groups[group].count,
            Self::Classes(groups) => groups[group].iter().sum(),
        }
    }

    /// Is the target unrelated to the grouping?
    pub fn test(&self) -> Option<Test> {
        match self {
            Self::Numbers(groups) => one_way(groups),
            Self::Classes(groups) => chi_square(groups),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn whole_numbers_that_count_up_are_classes() {
        let outcome =
            |numbers: &[f64]| Outcome::new(&Column::from_numbers("y", Kind::Integer, numbers)).unwrap();
        assert_eq!(outcome(&[1.0, 2.0, f64::NAN, 3.0, 1.0]).levels, ["1", "2", "3"]);
        assert_eq!(outcome(&[0.0, 1.0]).levels, ["0", "1"]);
        assert!(outcome(&[0.0, 2.0]).levels.is_empty());
        assert!(outcome(&[1.5, 2.0]).levels.is_empty());
        assert!(outcome(&(0..20).map(f64::from).collect::<Vec<_>>()).levels.is_empty());
    }

    #[test]
    fn a_split_equals_a_grouping() {
        let column = Column::from_numbers("y", Kind::Real, &[1.5, 2.0, f64::NAN, 8.0, 9.0]);
        let outcome = Outcome::new(&column).unwrap();
        let all = outcome.grouped(1, |_| 0);
        let split = outcome.split(&all, [0, 1, 2].into_iter());
        let grouped = outcome.grouped(2, |row| usize::from(row > 2));
        for group in 0..2 {
            let (a, b) = (outcome.estimates(&split, group)[0], outcome.estimates(&grouped, group)[0]);
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-9);
        }
        assert_eq!(outcome.estimates(&grouped, 0)[0].0, 1.75);
    }
}
