//! How alike a made table is to the one it was learned from.

use std::collections::HashMap;

use serde::Serialize;

use super::marginal::Marginal;
use crate::data::{Column, Table, Values};
use crate::rng::mix;

/// Columns whose pairs are looked at, and rows, at most.
const MOST: (usize, usize) = (100, 20_000);

/// Rows in which both columns of a pair must be known: fewer say nothing of a correlation.
const LEAST: f64 = 30.0;

/// How alike two tables are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alike {
    /// Every column.
    pub columns: Vec<ColumnAlike>,
    /// Correlations of values, pair by pair.
    pub values: Option<Pairs>,
    /// Correlations of holes, pair by pair.
    pub holes: Option<Pairs>,
    /// Made rows whose known cells are all those of a row of the table with the same holes.
    pub repeated: usize,
    /// Made rows.
    pub rows: usize,
    /// The share of the table's own rows that repeat another of its rows: what chance alone brings about.
    pub twins: f64,
}

/// A column in both tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnAlike {
    /// Its name.
    pub name: String,
    /// The share missing: there and made.
    pub missing: (f64, f64),
    /// The mean of the known numbers, there and made; for levels the share of the most frequent one.
    pub centre: (f64, f64),
    /// The most frequent level, for levels.
    pub level: Option<String>,
}

/// How far correlations are from those of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairs {
    /// How many pairs.
    pub pairs: usize,
    /// The mean distance.
    pub mean: f64,
    /// The largest distance, and the two columns.
    pub largest: (f64, String, String),
    /// The mean size of the table's correlations: what the distances are to be held against.
    pub size: f64,
}

impl Alike {
    pub(super) fn new(table: &Table, made: &Table, marginals: &[Marginal]) -> Self {
        let both = table.columns().iter().zip(made.columns());
        let columns = both.clone().map(|(own, made)| ColumnAlike::new(own, made)).collect();
        let scores = |table: &Table| -> Vec<Numbers> {
            let columns = table.columns().iter().zip(marginals).take(MOST.0);
            columns.map(|(column, marginal)| (marginal.scores(column), column.observed.clone())).collect()
        };
        let marks = |table: &Table| -> Vec<Numbers> {
            let columns = table.columns().iter().take(MOST.0);
            columns
                .map(|column| {
                    let marks = column.observed.iter().map(|seen| f64::from(u8::from(!seen)));
                    (marks.collect(), vec![true; column.rows()])
                })
                .collect()
        };
        let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let mut keys: HashMap<u64, usize> = HashMap::new();
        (0..table.rows())
            .filter_map(|row| key(table, row))
            .for_each(|key| *keys.entry(key).or_default() += 1);
        let is_there = |row: &usize| key(made, *row).is_some_and(|key| keys.contains_key(&key));
        let twins: usize = keys.values().filter(|count| **count > 1).sum();
        Self {
            columns,
            values: pairs(&scores(table), &scores(made), &names),
            holes: pairs(&marks(table), &marks(made), &names),
            repeated: (0..made.rows()).filter(is_there).count(),
            rows: made.rows(),
            twins: twins as f64 / table.rows().max(1) as f64,
        }
    }
}

impl ColumnAlike {
    fn new(own: &Column, made: &Column) -> Self {
        let missing = |column: &Column| column.missing() as f64 / column.rows().max(1) as f64;
        let mean = |column: &Column, value: &dyn Fn(usize) -> f64| {
            let known: Vec<f64> = (0..column.rows()).filter(|&row| column.observed[row]).map(value).collect();
            known.iter().sum::<f64>() / known.len().max(1) as f64
        };
        let (centre, level) = match (&own.values, &made.values) {
            (Values::Numbers(first), Values::Numbers(second)) => {
                ((mean(own, &|row| first[row]), mean(made, &|row| second[row])), None)
            }
            (Values::Codes { codes: first, levels }, Values::Codes { codes: second, .. }) => {
                let mut counts = vec![0; levels.len()];
                (0..own.rows())
                    .filter(|&row| own.observed[row])
                    .for_each(|row| counts[first[row] as usize] += 1);
                let top = (0..levels.len()).max_by_key(|&level| (counts[level], std::cmp::Reverse(level)));
                let is_top = |code: u32| f64::from(u8::from(Some(code as usize) == top));
                let shares = (mean(own, &|row| is_top(first[row])), mean(made, &|row| is_top(second[row])));
                (shares, top.map(|top| levels[top].clone()))
            }
            _ => ((0.0, 0.0), None),
        };
        Self { name: own.name.clone(), missing: (missing(own), missing(made)), centre, level }
    }
}

/// Numbers, and where they are known.
type Numbers = (Vec<f64>, Vec<bool>);

/// The correlation over the rows where both are known; `None` where one of them has no scatter there.
fn correlation(one: &Numbers, other: &Numbers) -> Option<f64> {
    let step = one.0.len().div_ceil(MOST.1).max(1);
    let (mut sums, mut count) = ([0.0; 5], 0.0);
    for row in (0..one.0.len()).step_by(step).filter(|&row| one.1[row] && other.1[row]) {
        let (a, b) = (one.0[row], other.0[row]);
        [a, b, a * a, b * b, a * b].into_iter().zip(&mut sums).for_each(|(value, sum)| *sum += value);
        count += 1.0;
    }
    if count < LEAST {
        return None;
    }
    let [a, b, aa, bb, ab] = sums.map(|sum| sum / count);
    let (first, second) = (aa - a * a, bb - b * b);
    (first > 1e-9 && second > 1e-9).then(|| (ab - a * b) / (first * second).sqrt())
}

fn pairs(own: &[Numbers], made: &[Numbers], names: &[&str]) -> Option<Pairs> {
    let mut found = Pairs { pairs: 0, mean: 0.0, largest: (-1.0, String::new(), String::new()), size: 0.0 };
    for i in 0..own.len() {
        for j in 0..i {
            let there = correlation(&own[i], &own[j]);
            let (Some(there), Some(here)) = (there, correlation(&made[i], &made[j])) else { continue };
            let away = (there - here).abs();
            found.pairs += 1;
            found.mean += away;
            found.size += there.abs();
            if away > found.largest.0 {
                found.largest = (away, names[j].to_owned(), names[i].to_owned());
            }
        }
    }
    let count = found.pairs as f64;
    (found.pairs > 0).then(|| Pairs { mean: found.mean / count, size: found.size / count, ..found })
}

/// One number for a row's cells and holes; `None` where nothing is known.
fn key(table: &Table, row: usize) -> Option<u64> {
    let cell = |column: &Column| match (&column.values, column.observed[row]) {
        (_, false) => u64::MAX,
        (Values::Numbers(numbers), _) => (numbers[row] + 0.0).to_bits(),
        (Values::Codes { codes, .. }, _) => u64::from(codes[row]),
        (Values::Texts(_), _) => 0,
    };
    table.columns().iter().any(|column| column.observed[row]).then(|| mix(table.columns().iter().map(cell)))
}
