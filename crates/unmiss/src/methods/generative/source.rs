//! Rows of any shape as cells with marks.

use crate::encode::{Encoded, Encoder, ImageRows};
use crate::methods::canvas::Canvas;
use crate::rng::mix;

/// Some rows.
pub struct Cells {
    /// How many.
    pub rows: usize,
    /// `[rows, cells]`; 0 where not known.
    pub values: Vec<f32>,
    /// `[rows, cells]`
    pub observed: Vec<bool>,
}

/// Rows to learn from.
pub trait Source: Sync {
    /// How many rows there are.
    fn len(&self) -> usize;
    /// Some of them.
    fn cells(&self, rows: &[usize]) -> Cells;
    /// A number that changes with any known value or mark.
    fn fingerprint(&self) -> u64;
}

/// Rows of a table: numbers, then the codes of categories.
pub struct TableCells(Cells);

impl TableCells {
    /// From encoded rows.
    pub fn new(encoder: &Encoder, rows: &Encoded) -> Self {
        let (numbers, codes) = (encoder.numbers.len(), encoder.categories.len());
        let (mut values, mut observed) = (Vec::new(), Vec::new());
        for row in 0..rows.rows {
            let (own_numbers, own_codes) =
                (row * numbers..(row + 1) * numbers, row * codes..(row + 1) * codes);
            let numbers = rows.numbers[own_numbers.clone()].iter().copied();
            let all = numbers.chain(rows.codes[own_codes.clone()].iter().map(|code| *code as f32));
            let marks = rows.numbers_observed[own_numbers].iter().chain(&rows.codes_observed[own_codes]);
            values.extend(all.zip(marks.clone()).map(|(value, known)| if *known { value } else { 0.0 }));
            observed.extend(marks);
        }
        Self(Cells { rows: rows.rows, values, observed })
    }
}

impl Source for TableCells {
    fn len(&self) -> usize {
        self.0.rows
    }

    fn cells(&self, rows: &[usize]) -> Cells {
        let width = self.0.values.len() / self.0.rows.max(1);
        let own = |row: usize| row * width..(row + 1) * width;
        Cells {
            rows: rows.len(),
            values: rows.iter().flat_map(|row| &self.0.values[own(*row)]).copied().collect(),
            observed: rows.iter().flat_map(|row| &self.0.observed[own(*row)]).copied().collect(),
        }
    }

    fn fingerprint(&self) -> u64 {
        let cells = self.0.values.iter().zip(&self.0.observed);
        mix(cells.map(|(value, known)| 2 * u64::from(value.to_bits()) + u64::from(*known)))
    }
}

/// Images on a canvas: beside the image nothing is known.
pub struct ImageCells<'a> {
    /// The images.
    pub rows: &'a ImageRows,
    /// The canvas.
    pub canvas: Canvas,
}

impl Source for ImageCells<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn cells(&self, rows: &[usize]) -> Cells {
        let batch = self.rows.batch(rows);
        let observed = self.canvas.spread(&batch.observed).iter().map(|mark| *mark > 0.0).collect();
        Cells { rows: rows.len(), values: self.canvas.spread(&batch.values), observed }
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }
}
