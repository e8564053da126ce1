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

/// Columns whose bins stand side by side: one read of a row brings four bins, and the sums over four columns' bins stay
/// in the fastest memory.
pub const TOGETHER: usize = 4;

/// The bins of four columns of a row.
pub type Four = [u8; TOGETHER];

/// All columns of all rows: number columns, then category columns, in the order of the encoder.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    /// What the bins of each column stand for.
    pub meanings: Vec<Meaning>,
    /// `[columns / 4][rows]`; where columns are no multiple of four, the last bytes are 0 and mean nothing.
    pub fours: Vec<Vec<Four>>,
}

impl Meaning {
    /// How many bins hold known cells. The bin of this number holds the missing ones.
    pub fn known(&self) -> usize {
        match self {
            Self::Number { cuts } => cuts.len() + 1,
            Self::Category { codes } => *codes,
        }
    }
}

impl Bins {
    /// Cuts are those of `rows`; every row gets its bins.
    pub fn new(encoder: &Encoder, inputs: &Encoded, rows: &[u32], most: usize) -> Self {
        let columns: Vec<usize> = (0..encoder.width()).collect();
        let fours = columns.par_chunks(TOGETHER).map(|columns| {
            let mut four = vec![Four::default(); inputs.rows];
            let meanings = columns.iter().enumerate().map(|(place, &column)| {
                let meaning = meaning(encoder, inputs, rows, most, column);
                let bin =
                    |(row, four): (usize, &mut Four)| four[place] = meaning.bin(inputs, encoder, row, column);
                four.iter_mut().enumerate().for_each(bin);
                meaning
            });
            (meanings.collect::<Vec<_>>(), four)
        });
        let (meanings, fours): (Vec<_>, Vec<_>) = fours.unzip();
        Self { meanings: meanings.concat(), fours }
    }

    /// The bin of a cell.
    pub fn bin(&self, column: usize, row: u32) -> u8 {
        self.fours[column / TOGETHER][row as usize][column % TOGETHER]
    }
}

impl Meaning {
    fn bin(&self, inputs: &Encoded, encoder: &Encoder, row: usize, column: usize) -> u8 {
        let (numbers, categories) = (encoder.numbers.len(), encoder.categories.len());
        let bin = match self {
            Self::Number { cuts } => {
                number(inputs, numbers, row, column).map(|value| cuts.partition_point(|&cut| cut < value))
            }
            Self::Category { codes } => {
                code(inputs, categories, row, column - numbers).map(|code| code.min(*codes))
            }
        };
        bin.unwrap_or(self.known()) as u8
    }
}

fn meaning(encoder: &Encoder, inputs: &Encoded, rows: &[u32], most: usize, column: usize) -> Meaning {
    let numbers = encoder.numbers.len();
    if let Some(category) = encoder.categories.get(column.wrapping_sub(numbers)) {
        return Meaning::Category { codes: category.codes().clamp(1, MOST_BINS) };
    }
    let known = rows.iter().filter_map(|&row| number(inputs, numbers, row as usize, column));
    Meaning::Number { cuts: cuts(known.collect(), most.min(MOST_BINS)) }
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
