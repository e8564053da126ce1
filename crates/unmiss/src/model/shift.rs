//! Missingness that shifted: is what is missing in new rows what was missing in the rows that were learned from?
//!
//! A model learned from rows with certain holes promises something about rows with such holes. Where a column is
//! missing far more often now (or far less), or holes stand together as they never did, nothing was measured. Shares
//! are compared by the test of two proportions, at a level that all columns share, and small changes are not told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::encode::{Coder, Rows};
use crate::rng::mix;

/// The chance of a false alarm in a file whose holes are as in training, over all columns.
const FALSE_ALARM: f64 = 0.001;
/// Changes of a share below this are not worth a word.
const SMALLEST_CHANGE: f64 = 0.1;
/// Combinations of holes that are remembered at most; of a table with more, single columns must do.
const MOST_PATTERNS: usize = 5_000;
/// Rows below which a share is no news: of them only what training never saw is told.
const FEW_ROWS: usize = 30;
/// Columns told by name.
const MOST_TOLD: usize = 5;

/// Which combinations of holes training rows have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Patterns {
    /// A number for each, ascending.
    seen: Vec<u64>,
    /// How many of them only one row has: the share of rows with a combination never seen is about that many of the
    /// rows (Good and Turing).
    once: usize,
}

impl Patterns {
    /// The combinations of holes of rows; `None` where there are too many to be remembered.
    pub(super) fn of(rows: &Rows) -> Option<Self> {
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for row in 0..rows.len() {
            *counts.entry(pattern(rows, row)).or_default() += 1;
            if counts.len() > MOST_PATTERNS {
                return None;
            }
        }
        let once = counts.values().filter(|count| **count == 1).count();
        Some(Self { seen: counts.into_keys().collect(), once })
    }
}

fn pattern(rows: &Rows, row: usize) -> u64 {
    mix(rows.holes(row).into_iter().map(u64::from))
}

/// Holes of new rows, counted on the way.
#[derive(Debug, Clone)]
pub struct Watch<'a> {
    coder: &'a Coder,
    patterns: Option<&'a Patterns>,
    /// Rows learned from.
    learned: usize,
    rows: usize,
    missing: Vec<usize>,
    unseen: usize,
}

impl<'a> Watch<'a> {
    /// Begins to count.
    pub(super) fn new(coder: &'a Coder, patterns: Option<&'a Patterns>, learned: usize) -> Self {
        let missing = vec![0; coder.names().len()];
        Self { coder, patterns, learned, rows: 0, missing, unseen: 0 }
    }

    /// Counts the holes of rows that the model's translation made.
    pub fn look(&mut self, rows: &Rows) {
        self.rows += rows.len();
        self.missing.iter_mut().zip(rows.missing_by_input()).for_each(|(sum, new)| *sum += new);
        if let Some(patterns) = self.patterns {
            let new = |row: &usize| patterns.seen.binary_search(&pattern(rows, *row)).is_err();
            self.unseen += (0..rows.len()).filter(new).count();
        }
    }

    /// Every input's share of holes then and now, the largest change first.
    pub fn columns(&self) -> Vec<ColumnShift> {
        let share = |count: usize, rows: usize| count as f64 / rows.max(1) as f64;
        let counts = self.coder.missing_in_training().into_iter().zip(&self.missing);
        let column = |(name, (before, now)): (&str, (usize, &usize))| ColumnShift {
            name: name.to_owned(),
            before: share(before, self.learned),
            now: share(*now, self.rows),
        };
        let mut columns: Vec<ColumnShift> = self.coder.names().into_iter().zip(counts).map(column).collect();
        columns.sort_by(|a, b| b.change().total_cmp(&a.change()));
        columns
    }

    /// What has shifted, if anything has.
    pub fn shift(&self) -> Option<HoleShift> {
        let (learned, now) = (self.learned as f64, self.rows as f64);
        if self.learned == 0 || self.rows == 0 {
            return None;
        }
        let count = self.missing.len().max(1) as f64;
        let limit = Normal::standard().inverse_cdf(1.0 - FALSE_ALARM / (2.0 * count));
        let mut columns = self.columns();
        columns.retain(|column| {
            // What was never missing has no answer that was measured, however seldom it is missing now.
            let first = column.before == 0.0 && column.now > 0.0;
            let sure = z(column.before, learned, column.now, now) > limit;
            first || self.rows >= FEW_ROWS && column.change() >= SMALLEST_CHANGE && sure
        });
        let patterns = self.patterns.and_then(|patterns| {
            let (expected, unseen) = (patterns.once as f64 / learned, self.unseen as f64 / now);
            let sure = z(expected, learned, unseen, now) > limit;
            (unseen - expected >= SMALLEST_CHANGE && sure).then_some((expected, unseen))
        });
        let found = !columns.is_empty() || patterns.is_some();
        found.then_some(HoleShift { rows: self.rows, columns, patterns })
    }
}

/// How many standard errors two shares are apart, by the test of two proportions with the correction for whole counts.
fn z(one: f64, of_one: f64, other: f64, of_other: f64) -> f64 {
    let pooled = (one * of_one + other * of_other) / (of_one + of_other);
    let error = (pooled * (1.0 - pooled) * (1.0 / of_one + 1.0 / of_other)).sqrt();
    let correction = (1.0 / of_one + 1.0 / of_other) / 2.0;
    if error > 0.0 { ((one - other).abs() - correction).max(0.0) / error } else { 0.0 }
}

/// A change of what is missing between training and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoleShift {
    /// New rows looked at.
    pub rows: usize,
    /// Columns that are missing far more or far less often, the largest change first.
    pub columns: Vec<ColumnShift>,
    /// Share of rows with a combination of holes that no training row has: to be expected, and now.
    pub patterns: Option<(f64, f64)>,
}

/// A column's share of holes, when the model was learned and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnShift {
    /// The column.
    pub name: String,
    /// When the model was learned.
    pub before: f64,
    /// Now.
    pub now: f64,
}

impl ColumnShift {
    /// By how much the share has changed.
    pub fn change(&self) -> f64 {
        (self.now - self.before).abs()
    }
}

impl HoleShift {
    /// The shift in one sentence with figures.
    pub fn words(&self) -> String {
        if self.rows < FEW_ROWS {
            return self.words_of_few();
        }
        let percent = |share: f64| match 100.0 * share {
            small if small > 0.0 && small < 0.1 => "less than 0.1 %".to_owned(),
            share => format!("{share:.1} %"),
        };
        let mut parts: Vec<String> = Vec::new();
        for (place, ColumnShift { name, before, now }) in self.columns.iter().take(MOST_TOLD).enumerate() {
            let (before, now) = (percent(*before), percent(*now));
            parts.push(match place {
                0 => format!(
                    "`{name}` was missing in {before} of the rows when it was learned and is in {now} now"
                ),
                _ => format!("`{name}` {before} then, {now} now"),
            });
        }
        if self.columns.len() > MOST_TOLD {
            parts.push(format!("and {} more columns", self.columns.len() - MOST_TOLD));
        }
        if let Some((expected, now)) = self.patterns {
            parts.push(format!(
                "{} of the rows lack a combination of columns that no training row lacked ({} were to be expected)",
                percent(now),
                percent(expected)
            ));
        }
        format!(
            "what is missing has shifted since the model was learned: {}; nothing was measured on such rows, so expect \
             worse predictions than the model's scores say",
            parts.join("; ")
        )
    }

    /// The same of a handful of rows, where shares would say nothing.
    fn words_of_few(&self) -> String {
        let mut names: Vec<String> =
            self.columns.iter().take(MOST_TOLD).map(|column| format!("`{}`", column.name)).collect();
        if let Some(more) = self.columns.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
            names.push(format!("{more} more"));
        }
        let never = match &names[..] {
            [] => "these columns were never missing together".to_owned(),
            [one] => format!("{one} was never missing"),
            [most @ .., last] => format!("{} and {last} were never missing", most.join(", ")),
        };
        format!("{never} when the model was learned: nothing was measured on such rows")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Data, Kind, Table};
    use crate::rng::Stream;

    /// Three columns, missing with these shares.
    fn data(rows: usize, shares: [f64; 3], seed: u64) -> Data {
        let mut stream = Stream::new(seed, "shift", 0, 0);
        let column = |place: usize, stream: &mut Stream| {
            let values: Vec<f64> = (0..rows)
                .map(|row| if stream.uniform() < shares[place] { f64::NAN } else { row as f64 })
                .collect();
            Column::from_numbers(format!("c{place}"), Kind::Real, &values)
        };
        Table::new((0..3).map(|place| column(place, &mut stream)).collect()).unwrap().into()
    }

    fn shift(now: &Data) -> Option<HoleShift> {
        let training = data(1000, [0.1, 0.3, 0.0], 1);
        let names: Vec<String> = (0..3).map(|place| format!("c{place}")).collect();
        let coder = Coder::fit(&training, &names, Default::default()).unwrap();
        let patterns = Patterns::of(&coder.encode(&training, |_, _| {}).unwrap());
        let mut watch = Watch::new(&coder, patterns.as_ref(), 1000);
        watch.look(&coder.encode(now, |_, _| {}).unwrap());
        watch.shift()
    }

    #[test]
    fn holes_as_in_training_raise_no_alarm_in_files_of_any_size() {
        let alarms = (0..300).filter(|seed| {
            let rows = [1, 3, 10, 40, 200, 2000][*seed as usize % 6];
            shift(&data(rows, [0.1, 0.3, 0.0], 100 + seed)).is_some()
        });
        assert_eq!(alarms.count(), 0);
    }

    #[test]
    fn a_column_that_is_missing_far_more_often_is_told_with_figures() {
        let found = shift(&data(200, [0.71, 0.3, 0.0], 7)).unwrap();
        assert_eq!(found.columns.len(), 1);
        assert!((found.columns[0].now - 0.71).abs() < 0.1 && found.columns[0].name == "c0");
        assert!(
            found.words().contains("`c0` was missing in") && found.words().contains("when it was learned")
        );
        // A hole where there never was one is told even of a single row.
        let one = shift(&data(1, [0.0, 0.0, 1.0], 7)).unwrap();
        assert_eq!((one.columns.len(), one.columns[0].before), (1, 0.0));
        let words = "`c2` was never missing when the model was learned: nothing was measured on such rows";
        assert_eq!(one.words(), words);
    }

    #[test]
    fn of_a_handful_of_rows_only_what_never_was_is_told() {
        // All of them lack a column that seldom was missing: of 29 rows that is no share worth a word.
        assert_eq!(shift(&data(29, [1.0, 0.0, 0.0], 7)), None);
        assert!(shift(&data(30, [1.0, 0.0, 0.0], 7)).is_some());
    }

    #[test]
    fn combinations_that_never_were_are_told() {
        // c0 and c1 are never missing together in training, and always together now, as often each.
        let column = |name: &str, holes: &dyn Fn(usize) -> bool| {
            let values: Vec<f64> =
                (0..400).map(|row| if holes(row) { f64::NAN } else { row as f64 }).collect();
            Column::from_numbers(name, Kind::Real, &values)
        };
        let training: Data =
            Table::new(vec![column("a", &|row| row % 4 == 0), column("b", &|row| row % 4 == 1)])
                .unwrap()
                .into();
        let now: Data = Table::new(vec![column("a", &|row| row % 4 == 0), column("b", &|row| row % 4 == 0)])
            .unwrap()
            .into();
        let coder = Coder::fit(&training, &["a".into(), "b".into()], Default::default()).unwrap();
        let patterns = Patterns::of(&coder.encode(&training, |_, _| {}).unwrap()).unwrap();
        let mut watch = Watch::new(&coder, Some(&patterns), 400);
        watch.look(&coder.encode(&now, |_, _| {}).unwrap());
        let found = watch.shift().unwrap();
        assert!(found.columns.is_empty());
        assert_eq!(found.patterns, Some((0.0, 0.25)));
        assert!(found.words().contains("25.0 % of the rows lack a combination"), "{}", found.words());
        let few = HoleShift { rows: 1, ..found };
        assert!(few.words().starts_with("these columns were never missing together when"), "{}", few.words());
    }
}
