//! Patterns of missingness: which columns are missing together in a row, and how many rows look like that.

use std::collections::HashMap;

use serde::Serialize;

use crate::data::Column;

/// How many patterns are listed.
const LISTED: usize = 10;

/// The patterns of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Patterns {
    /// How many different patterns there are, the complete row among them if it occurs.
    pub distinct: usize,
    /// The most frequent ones.
    pub frequent: Vec<Pattern>,
}

/// One pattern.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pattern {
    /// Rows that look like this.
    pub rows: usize,
    /// The columns that are missing in them, in the table's order.
    pub missing: Vec<String>,
}

/// Rows grouped by their pattern: the most frequent pattern first.
pub(super) struct RowPatterns {
    /// For each pattern, which of the given columns are observed.
    pub observed: Vec<Vec<bool>>,
    /// For each pattern, its rows in ascending order.
    pub rows: Vec<Vec<u32>>,
}

/// Groups rows by what is observed in the given columns.
pub(super) fn group_rows(columns: &[&[bool]], rows: usize) -> RowPatterns {
    // Row-major bit sets: bit j of a row's words is set where column j is missing.
    let words = columns.len().div_ceil(64).max(1);
    let mut keys = vec![0_u64; rows * words];
    for (j, observed) in columns.iter().enumerate() {
        for (row, observed) in observed.iter().enumerate() {
            keys[row * words + j / 64] |= u64::from(!observed) << (j % 64);
        }
    }
    let mut groups: HashMap<&[u64], Vec<u32>> = HashMap::new();
    for (row, key) in keys.chunks_exact(words).enumerate() {
        groups.entry(key).or_default().push(row as u32);
    }
    let mut groups: Vec<(&[u64], Vec<u32>)> = groups.into_iter().collect();
    // The first row decides between patterns of equal frequency, so the order is that of the file.
    groups.sort_unstable_by_key(|(_, rows)| (std::cmp::Reverse(rows.len()), rows[0]));
    let unpack = |key: &[u64]| (0..columns.len()).map(|j| key[j / 64] >> (j % 64) & 1 == 0).collect();
    RowPatterns {
        observed: groups.iter().map(|(key, _)| unpack(key)).collect(),
        rows: groups.into_iter().map(|(_, rows)| rows).collect(),
    }
}

/// The most frequent patterns of the columns, and how many there are.
pub(super) fn summarise(columns: &[&Column], rows: usize) -> Patterns {
    let masks: Vec<&[bool]> = columns.iter().map(|column| column.observed.as_slice()).collect();
    let groups = group_rows(&masks, rows);
    let name = |observed: &[bool]| {
        let missing = columns.iter().zip(observed).filter(|(_, observed)| !**observed);
        missing.map(|(column, _)| column.name.clone()).collect()
    };
    let listed = groups.observed.iter().zip(&groups.rows).take(LISTED);
    Patterns {
        distinct: groups.rows.len(),
        frequent: listed
            .map(|(observed, rows)| Pattern { rows: rows.len(), missing: name(observed) })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn patterns_are_counted_most_frequent_first() {
        let nan = f64::NAN;
        let a = Column::from_numbers("a", Kind::Real, &[1.0, nan, 1.0, nan, nan, 1.0]);
        let b = Column::from_numbers("b", Kind::Real, &[1.0, nan, 1.0, nan, 2.0, nan]);
        let patterns = summarise(&[&a, &b], 6);
        let expected = [(2, vec![]), (2, vec!["a", "b"]), (1, vec!["a"]), (1, vec!["b"])];
        assert_eq!(patterns.distinct, 4);
        for (pattern, (rows, missing)) in patterns.frequent.iter().zip(expected) {
            assert_eq!(
                (pattern.rows, &pattern.missing),
                (rows, &missing.iter().map(|s| s.to_string()).collect())
            );
        }
    }

    #[test]
    fn more_columns_than_a_word_has_bits() {
        let masks: Vec<Vec<bool>> = (0..130).map(|j| (0..130).map(|row| row != j).collect()).collect();
        let groups = group_rows(&masks.iter().map(Vec::as_slice).collect::<Vec<_>>(), 130);
        assert_eq!(groups.rows.len(), 130);
        for (observed, rows) in groups.observed.iter().zip(&groups.rows) {
            assert_eq!(observed.iter().position(|observed| !observed), Some(rows[0] as usize));
        }
    }
}
