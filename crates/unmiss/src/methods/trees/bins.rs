//! Columns cut into at most 256 bins: what trees are grown on.
//!
//! A split between two bins is a split between two values, so nothing but fineness is lost, and a sum over
//! rows needs one addition per row. Each column's bins are its known values in ascending order (numbers)
//! or its codes (categories), then one last bin for missing cells.

use rayon::prelude::*;

use crate::encode::{Encoded, Encoder};

/// Known bins of a column at most: a byte has room for one more, the missing cells.
pub const MOST_BINS: usize = 255;

/// What the bins of a column stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Bin b holds values v with `cuts[b - 1] < v <= cuts[b]`.
    Number {
        /// Ascending, one fewer than there are known bins.
        cuts: Vec<f32>,
    },
    /// Bin b holds code b.
    Category {
        /// How many codes there are.
        codes: usize,
    },
}

/// One column of all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What the bins stand for.
    pub meaning: Meaning,
    /// The bin of each row.
    pub bins: Vec<u8>,
}

impl Column {
    /// How many bins hold known cells. The bin of this number holds the missing ones.
    pub fn known(&self) -> usize {
        match &self.meaning {
            Meaning::Number { cuts } => cuts.len() + 1,
            Meaning::Category { codes } => *codes,
        }
    }
}

/// Number columns, then category columns, in the order of the encoder. Cuts are those of `rows`; every row
/// gets its bins.
pub fn columns(encoder: &Encoder, inputs: &Encoded, rows: &[u32], most: usize) -> Vec<Column> {
    (0..encoder.width()).into_par_iter().map(|place| column(encoder, inputs, rows, most, place)).collect()
}

fn column(encoder: &Encoder, inputs: &Encoded, rows: &[u32], most: usize, place: usize) -> Column {
    let numbers = encoder.numbers.len();
    if let Some(category) = encoder.categories.get(place.wrapping_sub(numbers)) {
        let codes = category.codes().clamp(1, MOST_BINS);
        let bin = |row| code(inputs, encoder.categories.len(), row, place - numbers).unwrap_or(codes);
        let bins = (0..inputs.rows).map(|row| bin(row).min(codes) as u8).collect();
        return Column { meaning: Meaning::Category { codes }, bins };
    }
    let known = rows.iter().filter_map(|&row| number(inputs, numbers, row as usize, place));
    let cuts = cuts(known.collect(), most.min(MOST_BINS));
    let missing = cuts.len() + 1;
    let bin = |value: f32| cuts.partition_point(|&cut| cut < value);
    let bins = (0..inputs.rows).map(|row| number(inputs, numbers, row, place).map_or(missing, bin) as u8);
    Column { bins: bins.collect(), meaning: Meaning::Number { cuts } }
}

/// A number cell; `None` where it is not observed.
pub fn number(inputs: &Encoded, numbers: usize, row: usize, column: usize) -> Option<f32> {
    let cell = row * numbers + column;
    if inputs.numbers_observed[cell] {
        Some(inputs.numbers[cell]).filter(|value| !value.is_nan())
    } else {
        None
    }
}

/// A category cell; `None` where it is not observed. Codes beyond the last bin share it.
pub fn code(inputs: &Encoded, categories: usize, row: usize, column: usize) -> Option<usize> {
    let cell = row * categories + column;
    if inputs.codes_observed[cell] { Some((inputs.codes[cell] as usize).min(MOST_BINS - 1)) } else { None }
}

/// Cuts half way between neighbouring values: all of them, or those that make at most `most` bins of about
/// the same number of rows. A frequent value has a bin of its own and the rest share what is left.
fn cuts(mut values: Vec<f32>, most: usize) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    let distinct = values.chunk_by(|a, b| a == b).count();
    let (mut cuts, mut left, mut held) = (Vec::new(), values.len(), 0);
    let mut groups = values.chunk_by(|a, b| a == b).peekable();
    while let Some(group) = groups.next() {
        held += group.len();
        let Some(next) = groups.peek() else { break };
        let bins_left = most - cuts.len();
        if distinct <= most || (bins_left > 1 && held * bins_left >= left) {
            left -= held;
            held = 0;
            let middle = group[0] + (next[0] - group[0]) / 2.0;
            // Rounding must not move the cut onto the next value.
            cuts.push(if middle < next[0] { middle } else { group[0] });
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_get_a_bin_each_and_many_share_evenly() {
        assert_eq!(cuts(vec![3.0, 1.0, 1.0, 2.0], 255), [1.5, 2.5]);
        assert!(cuts(vec![], 255).is_empty() && cuts(vec![4.0; 9], 255).is_empty());
        let even = cuts((0..1000).map(|value| value as f32).collect(), 10);
        assert_eq!(even, (1..10).map(|tenth| tenth as f32 * 100.0 - 0.5).collect::<Vec<_>>());
        // Half of the rows are one value: the others still fill nine bins.
        let mut values = vec![0.0; 900];
        values.extend((1..=900).map(|value| value as f32));
        assert_eq!(cuts(values, 10).len(), 9);
        let close = [1.0, 1.0 + f32::EPSILON];
        assert_eq!(cuts(close.to_vec(), 255), [1.0]);
    }
}
