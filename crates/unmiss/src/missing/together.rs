//! Columns missing together: groups whose holes coincide in every row, and pairs whose holes are correlated.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::data::Column;

/// How many pairs are listed.
const LISTED: usize = 10;
/// Pairs are looked for among at most this many columns: their number grows with the square.
const MOST_COLUMNS: usize = 2000;

/// Which columns are missing together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Groups of columns that are missing in exactly the same rows, the largest group first.
    pub groups: Vec<Group>,
    /// Pairs of columns whose holes are most strongly correlated; a group stands here with its first column.
    pub pairs: Vec<Pair>,
    /// Columns left out of the search for pairs because there are too many.
    pub left_out: usize,
}

/// Columns that are missing in exactly the same rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The columns in the table's order.
    pub columns: Vec<String>,
    /// Rows in which they are missing.
    pub rows: usize,
}

/// Two columns whose holes are correlated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// One column.
    pub first: String,
    /// The other column.
    pub second: String,
    /// Correlation of the two marks "missing": 1 always together, 0 unrelated, -1 one or the other.
    pub correlation: f64,
    /// Rows in which both are missing.
    pub both: usize,
}

/// A distinct set of rows with holes, and the columns that have exactly it.
pub(super) struct Indicator {
    /// Positions of the columns in the list they were made from.
    pub columns: Vec<usize>,
    /// One bit per row, set where missing.
    pub missing: Vec<u64>,
    /// Rows in which they are missing.
    pub count: usize,
}

impl Indicator {
    /// The rows in which the columns are missing, in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.missing.iter().enumerate().flat_map(|(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// The distinct sets of holes, without the complete columns and the empty ones, in the table's order.
pub(super) fn indicators(columns: &[&Column], rows: usize) -> Vec<Indicator> {
    let pack = |column: &&Column| -> Vec<u64> {
        let chunk = |chunk: &[bool]| {
            chunk.iter().enumerate().fold(0, |word, (bit, observed)| word | (u64::from(!observed) << bit))
        };
        column.observed.chunks(64).map(chunk).collect()
    };
    let packed: Vec<Vec<u64>> = columns.par_iter().map(pack).collect();
    let mut found: Vec<Indicator> = Vec::new();
    let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
    for (position, missing) in packed.into_iter().enumerate() {
        let count = missing.iter().map(|word| word.count_ones() as usize).sum();
        if count == 0 || count == rows {
            continue;
        }
        if let Some(&index) = known.get(&missing) {
            found[index].columns.push(position);
        } else {
            known.insert(missing.clone(), found.len());
            found.push(Indicator { columns: vec![position], missing, count });
        }
    }
    found
}

/// Groups and pairs from the distinct sets of holes.
pub(super) fn summarise(columns: &[&Column], indicators: &[Indicator], rows: usize) -> Together {
    let name = |position: usize| columns[position].name.clone();
    let mut groups: Vec<Group> = indicators
        .iter()
        .filter(|indicator| indicator.columns.len() > 1)
        .map(|indicator| Group {
            columns: indicator.columns.iter().map(|&position| name(position)).collect(),
            rows: indicator.count,
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.columns.len(), group.rows)));

    let searched = &indicators[..indicators.len().min(MOST_COLUMNS)];
    let mut pairs: Vec<(f64, usize, usize, usize)> = (0..searched.len())
        .into_par_iter()
        .flat_map_iter(|first| {
            let mut best: Vec<(f64, usize, usize, usize)> = (first + 1..searched.len())
                .map(|second| {
                    let both = intersection(&searched[first].missing, &searched[second].missing);
                    (
                        correlation(searched[first].count, searched[second].count, both, rows),
                        first,
                        second,
                        both,
                    )
                })
                .collect();
            best.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
            best.truncate(LISTED);
            best
        })
        .collect();
    pairs.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then((a.1, a.2).cmp(&(b.1, b.2))));
    let pair = |(correlation, first, second, both): (f64, usize, usize, usize)| Pair {
        first: name(searched[first].columns[0]),
        second: name(searched[second].columns[0]),
        correlation,
        both,
    };
    Together {
        groups,
        pairs: pairs.into_iter().take(LISTED).map(pair).collect(),
        left_out: indicators.len() - searched.len(),
    }
}

/// Correlations of the marks "missing" of columns two by two, `[columns, columns]`; NaN for a column that is
/// complete or empty.
pub fn correlations(columns: &[&Column]) -> Vec<f64> {
    let rows = columns.first().map_or(0, |column| column.rows());
    let sets = indicators(columns, rows);
    // Columns with the same holes share a set; those without one are complete or empty.
    let set_of = |column: usize| sets.iter().find(|set| set.columns.contains(&column));
    let found: Vec<Option<&Indicator>> = (0..columns.len()).map(set_of).collect();
    let one = |(first, second): (&Option<&Indicator>, &Option<&Indicator>)| match (first, second) {
        (Some(first), Some(second)) => {
            let both = intersection(&first.missing, &second.missing);
            correlation(first.count, second.count, both, rows)
        }
        _ => f64::NAN,
    };
    found.iter().flat_map(|first| found.iter().map(move |second| one((first, second)))).collect()
}

/// Rows in both sets.
pub(super) fn intersection(first: &[u64], second: &[u64]) -> usize {
    first.iter().zip(second).map(|(a, b)| (a & b).count_ones() as usize).sum()
}

/// Correlation of two marks with the given numbers of rows marked: each, both, and rows in all.
fn correlation(first: usize, second: usize, both: usize, rows: usize) -> f64 {
    let [first, second, both, rows] = [first, second, both, rows].map(|count| count as f64);
    (rows * both - first * second) / (first * (rows - first)).sqrt() / (second * (rows - second)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn column(name: &str, missing: &[usize]) -> Column {
        let number = |row| if missing.contains(&row) { f64::NAN } else { 1.0 };
        Column::from_numbers(name, Kind::Real, &(0..100).map(number).collect::<Vec<_>>())
    }

    #[test]
    fn groups_and_pairs_are_found() {
        let low: Vec<usize> = (0..50).collect();
        let high: Vec<usize> = (50..100).collect();
        let columns = [
            column("a", &low),
            column("full", &[]),
            column("b", &low),
            column("c", &high),
            column("d", &[0, 1, 70, 71]),
            column("empty", &(0..100).collect::<Vec<_>>()),
        ];
        let columns: Vec<&Column> = columns.iter().collect();
        let found = indicators(&columns, 100);
        assert_eq!(found.len(), 3);
        assert_eq!(found[2].rows().collect::<Vec<_>>(), [0, 1, 70, 71]);
        let together = summarise(&columns, &found, 100);
        assert_eq!(together.groups, [Group { columns: vec!["a".into(), "b".into()], rows: 50 }]);
        assert_eq!(together.pairs.len(), 3);
        assert_eq!((together.pairs[0].first.as_str(), together.pairs[0].second.as_str()), ("a", "c"));
        assert!((together.pairs[0].correlation + 1.0).abs() < 1e-12);
        assert_eq!(together.pairs[0].both, 0);
        assert!(together.pairs[1].correlation.abs() < 1e-12);
        let square = correlations(&columns);
        assert!(square[1].is_nan() && square[5].is_nan());
        for (place, expected) in [(2, 1.0), (3, -1.0), (18, -1.0), (24, 0.0)] {
            assert!((square[place] - expected).abs() < 1e-12, "{place}: {}", square[place]);
        }
    }
}
