//! The inputs of a weighted sum: those of a design, and behind them one for each bend.
//!
//! A bend at knot q lets the effect of a number x have another slope beyond q:
//!
//! ```text
//! (max(0, x - q) - mean) / deviation        mean and deviation of the hinge over the known training cells
//! ```
//!
//! Where x is missing it is 0, the mean, as the number itself is.

use crate::encode::design::SparseRows;
use crate::encode::{Design, Encoded, Encoder};
use crate::error::{Error, Result};
use crate::store::Arrays;

/// The inputs that weights are learned for.
pub struct Inputs {
    design: Design,
    bends: Vec<Bend>,
}

/// A place where the effect of a number may take another slope.
#[derive(Clone, Copy)]
pub struct Bend {
    /// Which number column.
    pub column: usize,
    /// Where, in encoded units.
    pub knot: f64,
    /// Of the hinge.
    pub mean: f64,
    /// Of the hinge.
    pub deviation: f64,
}

impl Bend {
    fn value(&self, x: f32) -> f32 {
        (((f64::from(x) - self.knot).max(0.0) - self.mean) / self.deviation) as f32
    }
}

impl Inputs {
    /// Straight effects alone.
    pub fn straight(design: Design) -> Self {
        Self { design, bends: Vec::new() }
    }

    /// Up to `count` bends for each number, at quantiles of its known cells with as many of them between each other.
    /// Columns of two values have none: any effect of theirs is straight.
    pub fn bent(design: Design, rows: &Encoded, count: usize) -> Self {
        let (columns, _) = rows.widths();
        let mut bends = Vec::new();
        for column in 0..columns {
            let cells = (0..rows.rows).map(|row| row * columns + column);
            let known = cells.filter(|cell| rows.numbers_observed[*cell]).map(|cell| rows.numbers[cell]);
            bends.extend(bends_of(column, known.collect(), count));
        }
        Self { design, bends }
    }

    /// The inputs without bends.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The bends.
    pub fn bends(&self) -> &[Bend] {
        &self.bends
    }

    /// How many there are, the bias not counted.
    pub fn len(&self) -> usize {
        self.design.inputs() + self.bends.len()
    }

    /// For each input the column it belongs to: numbers, then categories.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = self.design.columns();
        columns.extend(self.bends.iter().map(|bend| bend.column));
        columns
    }

    /// How many columns the inputs are made of.
    pub fn width(&self) -> usize {
        self.design.width()
    }

    /// K, where rows are normalised.
    pub fn normalization(&self) -> Option<f32> {
        self.design.normalization()
    }

    /// The non-zero inputs of one row, in ascending order.
    pub fn row(&self, rows: &Encoded, row: usize, mut push: impl FnMut(u32, f32)) {
        self.design.row(rows, row, &mut push);
        let (columns, _) = rows.widths();
        for (bend, input) in self.bends.iter().zip(self.design.inputs() as u32..) {
            let cell = row * columns + bend.column;
            if rows.numbers_observed[cell] {
                push(input, bend.value(rows.numbers[cell]));
            }
        }
    }

    /// All rows.
    pub fn rows(&self, encoded: &Encoded) -> SparseRows {
        SparseRows::of(encoded.rows, |row, push| self.row(encoded, row, push))
    }

    /// A name for each input: those of the design, then `age beyond 63.5`.
    pub fn names(&self, encoder: &Encoder) -> Vec<String> {
        let mut names = self.design.names(encoder);
        names.extend(self.bends.iter().map(|bend| {
            let feature = &encoder.numbers[bend.column];
            format!("{} beyond {:.4}", feature.name, feature.decoded(bend.knot))
        }));
        names
    }

    /// Puts the bends among arrays; straight effects need none.
    pub fn save(&self, arrays: &mut Arrays) {
        if !self.bends.is_empty() {
            let numbers = |bend: &Bend| [bend.column as f64, bend.knot, bend.mean, bend.deviation];
            arrays.put_doubles(
                "bends",
                &[self.bends.len(), 4],
                self.bends.iter().flat_map(numbers).collect(),
            );
        }
    }

    /// The inputs with the bends that were saved.
    ///
    /// # Errors
    /// When these are none of the design's columns.
    pub fn load(design: Design, encoder: &Encoder, arrays: &Arrays) -> Result<Self> {
        let Some(shape) = arrays.shape("bends") else { return Ok(Self::straight(design)) };
        let count = shape.first().copied().unwrap_or(0);
        let mut bends = Vec::with_capacity(count);
        for line in arrays.doubles("bends", &[count, 4])?.chunks_exact(4) {
            let bend = Bend { column: line[0] as usize, knot: line[1], mean: line[2], deviation: line[3] };
            let finite = line.iter().all(|number| number.is_finite());
            if !finite || bend.column >= encoder.numbers.len() || bend.deviation <= 0.0 {
                return Err(Error::damaged("its bends are of no column or of no width"));
            }
            bends.push(bend);
        }
        Ok(Self { design, bends })
    }
}

/// The bends of one column from its known cells.
fn bends_of(column: usize, mut known: Vec<f32>, count: usize) -> Vec<Bend> {
    known.sort_unstable_by(f32::total_cmp);
    let (Some(&low), Some(&high)) = (known.first(), known.last()) else { return Vec::new() };
    let quantile = |place: usize| known[(place * (known.len() - 1)) / (count + 1)];
    let mut knots: Vec<f32> = (1..=count).map(quantile).filter(|knot| low < *knot && *knot < high).collect();
    knots.dedup();
    // A hinge at the smallest value would be the number itself: of three values the middle one is a knot.
    let bend = |knot: f32| {
        let hinge = |x: &f32| (f64::from(*x) - f64::from(knot)).max(0.0);
        let rows = known.len() as f64;
        let mean = known.iter().map(hinge).sum::<f64>() / rows;
        let variance = known.iter().map(|x| (hinge(x) - mean).powi(2)).sum::<f64>() / rows;
        (variance > 0.0).then(|| Bend { column, knot: f64::from(knot), mean, deviation: variance.sqrt() })
    };
    knots.into_iter().filter_map(bend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bends_stand_at_quantiles_and_have_mean_0_and_variance_1() {
        let known: Vec<f32> = (0..=100).map(|x| x as f32).rev().collect();
        let bends = bends_of(3, known.clone(), 4);
        assert_eq!(bends.iter().map(|bend| bend.knot).collect::<Vec<_>>(), [20.0, 40.0, 60.0, 80.0]);
        for bend in bends {
            let values: Vec<f64> = known.iter().map(|x| f64::from(bend.value(*x))).collect();
            let mean = values.iter().sum::<f64>() / 101.0;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 101.0;
            assert!(
                bend.column == 3 && mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-5,
                "{mean} {variance}"
            );
        }
    }

    #[test]
    fn two_values_one_value_and_none_do_not_bend() {
        for known in [vec![], vec![1.0], vec![2.0; 9], vec![0.0, 1.0, 1.0, 0.0, 1.0]] {
            assert!(bends_of(0, known, 4).is_empty());
        }
        assert_eq!(bends_of(0, vec![0.0, 1.0, 2.0, 1.0, 0.0, 2.0, 1.0], 4).len(), 1);
    }
}
