//! How much is known of each row: the histogram of known cells, and the target by the number of known cells.

use serde::Serialize;

use super::outcome::Outcome;
use super::significance::Test;
use crate::data::Column;
use crate::error::Result;

/// At most this many bars in the histogram, unless fewer different numbers occur.
const MOST_BARS: usize = 16;
/// About this many groups of rows for the target.
const GROUPS: usize = 10;
/// A last group of fewer rows joins the one before it.
const FEWEST_ROWS: usize = 30;

/// How many cells of a row are known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownCells {
    /// Columns that count.
    pub columns: usize,
    /// Fewest known cells in a row.
    pub fewest: usize,
    /// Half of the rows have at least so many.
    pub median: usize,
    /// Most known cells in a row.
    pub most: usize,
    /// Known cells per row on average.
    pub mean: f64,
    /// Rows by number of known cells, in bars of equal width.
    pub histogram: Vec<Bar>,
}

/// Rows whose number of known cells lies in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// Fewest known cells in this bar.
    pub from: usize,
    /// Most known cells in this bar.
    pub to: usize,
    /// Rows.
    pub rows: usize,
}

/// The target in rows whose number of known cells lies in a range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownGroup {
    /// Fewest known cells in this group.
    pub from: usize,
    /// Most known cells in this group.
    pub to: usize,
    /// Rows with a known target.
    pub rows: usize,
    /// Mean of a numeric target, or share of each class.
    pub estimates: Vec<Estimate>,
}

/// A mean or a share with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean or the share.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// The target by the number of known cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetByKnown {
    /// The target column.
    pub name: String,
    /// Names of the classes; empty for a numeric target.
    pub classes: Vec<String>,
    /// About ten groups of rows of similar size, from few to many known cells.
    pub groups: Vec<KnownGroup>,
    /// The test of "the target does not depend on the number of known cells"; none with one group only.
    pub test: Option<Test>,
}

impl TargetByKnown {
    /// Compares a target with the number of known cells of each row.
    ///
    /// # Errors
    /// When the target is text or a date.
    pub fn new(target: &Column, known: &[u32]) -> Result<Self> {
        let outcome = Outcome::new(target)?;
        let (groups, test) = target_by_known(known, &outcome);
        Ok(Self { name: target.name.clone(), classes: outcome.levels, groups, test })
    }
}

/// Known cells of each row.
pub(crate) fn count(columns: &[&Column], rows: usize) -> Vec<u32> {
    let mut known = vec![0; rows];
    for column in columns {
        known.iter_mut().zip(&column.observed).for_each(|(known, observed)| *known += u32::from(*observed));
    }
    known
}

/// The histogram and its summary; everything is 0 for a table without rows.
pub(crate) fn summarise(known: &[u32], columns: usize) -> KnownCells {
    let mut sorted = known.to_vec();
    sorted.sort_unstable();
    let (fewest, most) =
        (sorted.first().copied().unwrap_or(0) as usize, sorted.last().copied().unwrap_or(0) as usize);
    let width = (most - fewest + 1).div_ceil(MOST_BARS);
    let bars = (most - fewest) / width + 1;
    let mut histogram: Vec<Bar> = (0..bars)
        .map(|bar| fewest + bar * width)
        .map(|from| Bar { from, to: (from + width - 1).min(most), rows: 0 })
        .collect();
    known.iter().for_each(|&known| histogram[(known as usize - fewest) / width].rows += 1);
    KnownCells {
        columns,
        fewest,
        median: sorted.get(sorted.len() / 2).copied().unwrap_or(0) as usize,
        most,
        mean: known.iter().map(|&known| f64::from(known)).sum::<f64>() / known.len().max(1) as f64,
        histogram,
    }
}

/// The target by number of known cells, in about ten groups of similar size (rows with the same number stay
/// together), and the test of "the target does not depend on it".
pub(super) fn target_by_known(known: &[u32], outcome: &Outcome) -> (Vec<KnownGroup>, Option<Test>) {
    let most = known.iter().copied().max().unwrap_or(0) as usize;
    let mut rows_with = vec![0_usize; most + 1];
    for (known, _) in known.iter().zip(&outcome.observed).filter(|(_, observed)| **observed) {
        rows_with[*known as usize] += 1;
    }
    let ranges = similar_ranges(&rows_with);
    let mut group_of = vec![0; most + 1];
    for (group, &(from, to)) in ranges.iter().enumerate() {
        group_of[from..=to].fill(group);
    }
    let grouped = outcome.grouped(ranges.len(), |row| group_of[known[row] as usize]);
    let describe = |(group, &(from, to)): (usize, &(usize, usize))| KnownGroup {
        from,
        to,
        rows: grouped.count(group) as usize,
        estimates: outcome
            .estimates(&grouped, group)
            .into_iter()
            .map(|(value, standard_error)| Estimate { value, standard_error })
            .collect(),
    };
    (ranges.iter().enumerate().map(describe).collect(), grouped.test())
}

/// Cuts 0..n into ranges that hold about a tenth of the rows each and begin and end with a filled place.
fn similar_ranges(rows_with: &[usize]) -> Vec<(usize, usize)> {
    let total: usize = rows_with.iter().sum();
    let enough = total.div_ceil(GROUPS).max(1);
    let mut ranges: Vec<(usize, usize, usize)> = Vec::new();
    for (known, &rows) in rows_with.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        match ranges.last_mut() {
            Some((_, to, held)) if *held < enough => (*to, *held) = (known, *held + rows),
            _ => ranges.push((known, known, rows)),
        }
    }
    // A rest too small to tell anything joins its neighbour.
    if let [.., before, last] = ranges.as_mut_slice()
        && last.2 < (enough / 2).min(FEWEST_ROWS)
    {
        before.1 = last.1;
        ranges.pop();
    }
    ranges.into_iter().map(|(from, to, _)| (from, to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn every_row_is_in_one_bar() {
        for (most, bars) in [(5_u32, 6), (15, 16), (16, 9), (788, 16)] {
            let known: Vec<u32> = (0..=most).chain([most]).collect();
            let summary = summarise(&known, most as usize);
            assert_eq!(summary.histogram.len(), bars, "{most}");
            assert_eq!(summary.histogram.iter().map(|bar| bar.rows).sum::<usize>(), known.len());
            assert_eq!(summary.histogram.last().unwrap().to, most as usize);
        }
        assert_eq!(summarise(&[], 3).most, 0);
    }

    #[test]
    fn ranges_hold_all_rows_and_similar_numbers() {
        assert_eq!(similar_ranges(&[0, 10, 0, 5, 3]), [(1, 1), (3, 3), (4, 4)]);
        assert_eq!(similar_ranges(&[1; 100]).len(), 10);
        assert_eq!(similar_ranges(&[1000, 0, 30, 1]), [(0, 0), (2, 3)]);
        assert_eq!(similar_ranges(&[1000, 0, 3, 1]), [(0, 3)]);
        assert!(similar_ranges(&[0]).is_empty());
    }

    #[test]
    fn the_target_by_known_cells() {
        // The more is known, the larger the target: 10 rows for each of 0..=9 known cells.
        let known: Vec<u32> = (0..100).map(|row| row / 10).collect();
        let target: Vec<f64> = (0..100).map(|row| f64::from(row / 10) + 0.1 * f64::from(row % 2)).collect();
        let outcome = Outcome::new(&Column::from_numbers("y", Kind::Real, &target)).unwrap();
        let (groups, test) = target_by_known(&known, &outcome);
        assert_eq!(groups.len(), 10);
        for (index, group) in groups.iter().enumerate() {
            assert_eq!((group.from, group.to, group.rows), (index, index, 10));
            assert!((group.estimates[0].value - (index as f64 + 0.05)).abs() < 1e-9);
            // Ten numbers, half 0 and half 0.1: variance 0.025 / 9, standard error sqrt(variance / 10).
            assert!((group.estimates[0].standard_error - (0.025_f64 / 90.0).sqrt()).abs() < 1e-6);
        }
        assert!(test.unwrap().p_value < 1e-10);
    }
}
