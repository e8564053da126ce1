//! What becomes of a row with holes before a plain network gets it: the treatments that the published tables
//! compare, and controls.
//!
//! With `x` the values, `m` 1 where known, `‖m‖₁` the number known in this row and `c` its mean over the
//! rows to learn from:
//!
//! ```text
//! zero                   x ⊙ m
//! mean                   x ⊙ m + column mean ⊙ (1 - m)
//! observation indicator  [x ⊙ m, m]
//! missing indicator      [x ⊙ m, 1 - m]
//! SN, K                  K (x ⊙ m) / max(‖m‖₁, 1)          K = 1 or K = c
//! ... / constant         one of the first four, divided by c: the size of SN's inputs with K = 1, but the
//!                        same divisor for every row. What is gained by that alone is not due to SN.
//! floor                  the known copies of each column averaged first: what the data would allow
//! ```

use crate::nn::sparsity::input_factor;

/// Rows of several copies of the same columns, each cell known or not.
pub struct Holes<'a> {
    pub rows: usize,
    pub columns: usize,
    pub copies: usize,
    /// `[rows, columns]`
    pub values: &'a [f32],
    /// `[rows, copies x columns]`, copy by copy
    pub observed: Vec<bool>,
}

/// The first four treatments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    Zero,
    Mean,
    ObservedIndicator,
    MissingIndicator,
}

/// All treatments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    Plain(Fill),
    Divided(Fill),
    NormalizedToOne,
    NormalizedToMean,
    Floor,
}

impl Treatment {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain(Fill::Zero) => "zero",
            Self::Plain(Fill::Mean) => "mean",
            Self::Plain(Fill::ObservedIndicator) => "observation indicator",
            Self::Plain(Fill::MissingIndicator) => "missing indicator",
            Self::NormalizedToOne => "SN, K = 1",
            Self::NormalizedToMean => "SN, K = mean count",
            Self::Divided(Fill::Zero) => "zero / constant",
            Self::Divided(Fill::Mean) => "mean / constant",
            Self::Divided(Fill::ObservedIndicator) => "observation i. / constant",
            Self::Divided(Fill::MissingIndicator) => "missing i. / constant",
            Self::Floor => "floor: copies averaged",
        }
    }
}

impl Holes<'_> {
    fn width(&self) -> usize {
        self.copies * self.columns
    }

    /// The values (under holes too) and marks of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = (f32, bool)> {
        let values = &self.values[row * self.columns..(row + 1) * self.columns];
        let observed = &self.observed[row * self.width()..(row + 1) * self.width()];
        values.iter().copied().cycle().zip(observed.iter().copied())
    }

    fn known(&self, row: usize) -> usize {
        self.row(row).filter(|(_, observed)| *observed).count()
    }

    /// Mean number of known cells.
    fn mean_known(&self, rows: &[usize]) -> f32 {
        let known: usize = rows.iter().map(|row| self.known(*row)).sum();
        (known as f32 / rows.len().max(1) as f32).max(1.0)
    }

    /// The inputs `[rows, width]` of a network, row by row, and their width. Constants come from the rows to
    /// learn from alone.
    pub fn inputs(&self, treatment: Treatment, learning: &[usize]) -> (usize, Vec<f32>) {
        match treatment {
            Treatment::Plain(fill) => self.filled(fill, 1.0, learning),
            Treatment::Divided(fill) => self.filled(fill, 1.0 / self.mean_known(learning), learning),
            Treatment::NormalizedToOne => self.normalized(1.0),
            Treatment::NormalizedToMean => self.normalized(self.mean_known(learning)),
            Treatment::Floor => self.averaged(learning),
        }
    }

    fn filled(&self, fill: Fill, factor: f32, learning: &[usize]) -> (usize, Vec<f32>) {
        let instead = match fill {
            Fill::Mean => self.column_means(learning),
            _ => vec![0.0; self.width()],
        };
        let indicators = matches!(fill, Fill::ObservedIndicator | Fill::MissingIndicator);
        let width = self.width() * (1 + usize::from(indicators));
        let mut inputs = Vec::with_capacity(self.rows * width);
        for row in 0..self.rows {
            let cells = self.row(row).zip(&instead);
            inputs.extend(
                cells.map(|((value, observed), instead)| factor * if observed { value } else { *instead }),
            );
            if indicators {
                let marked = fill == Fill::ObservedIndicator;
                inputs
                    .extend(self.row(row).map(|(_, observed)| if observed == marked { factor } else { 0.0 }));
            }
        }
        (width, inputs)
    }

    fn normalized(&self, k: f32) -> (usize, Vec<f32>) {
        let mut inputs = Vec::with_capacity(self.rows * self.width());
        for row in 0..self.rows {
            let factor = input_factor(k, self.known(row));
            inputs.extend(self.row(row).map(|(value, observed)| if observed { factor * value } else { 0.0 }));
        }
        (self.width(), inputs)
    }

    /// Means of what is known in each column of each copy; 0 where nothing is.
    fn column_means(&self, rows: &[usize]) -> Vec<f32> {
        let mut sums = vec![(0.0_f64, 0_usize); self.width()];
        for row in rows {
            for ((value, observed), (sum, count)) in self.row(*row).zip(&mut sums) {
                if observed {
                    *sum += f64::from(value);
                    *count += 1;
                }
            }
        }
        sums.iter().map(|(sum, count)| (sum / (*count).max(1) as f64) as f32).collect()
    }

    /// All copies of a cell are equal: it is known where one of them is.
    fn averaged(&self, learning: &[usize]) -> (usize, Vec<f32>) {
        let known = |row: usize, column: usize| {
            let start = row * self.width() + column;
            (0..self.copies).any(|copy| self.observed[start + copy * self.columns])
        };
        let observed = (0..self.rows * self.columns)
            .map(|place| known(place / self.columns, place % self.columns))
            .collect();
        let single =
            Holes { rows: self.rows, columns: self.columns, copies: 1, values: self.values, observed };
        single.filled(Fill::Mean, 1.0, learning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of two columns in two copies; 9 stands under holes and must not be read.
    fn holes(values: &[f32]) -> Holes<'_> {
        let observed = vec![true, false, true, false, true, true, false, true];
        Holes { rows: 2, columns: 2, copies: 2, values, observed }
    }

    #[test]
    fn treatments_are_what_the_formulas_say() {
        let values = [1.0, 9.0, 2.0, 4.0];
        let holes = holes(&values);
        let inputs = |treatment| holes.inputs(treatment, &[0, 1]).1;
        assert_eq!(inputs(Treatment::Plain(Fill::Zero)), [1., 0., 1., 0., 2., 4., 0., 4.]);
        assert_eq!(inputs(Treatment::Plain(Fill::Mean)), [1., 4., 1., 4., 2., 4., 1., 4.]);
        // Two and three cells are known: K / 2 and K / 3, with K = 1 or 2.5.
        assert_eq!(
            inputs(Treatment::NormalizedToOne),
            [0.5, 0., 0.5, 0., 2. * (1. / 3.), 4. * (1. / 3.), 0., 4. * (1. / 3.)]
        );
        assert_eq!(inputs(Treatment::NormalizedToMean)[0], 1.25);
        assert_eq!(inputs(Treatment::Divided(Fill::Zero))[0], 1.0 / 2.5);
        assert_eq!(inputs(Treatment::Floor), [1., 4., 2., 4.]);
        let (width, marks) = holes.inputs(Treatment::Plain(Fill::MissingIndicator), &[0]);
        assert_eq!((width, &marks[..8]), (8, &[1., 0., 1., 0., 0., 1., 0., 1.][..]));
        let (_, marks) = holes.inputs(Treatment::Plain(Fill::ObservedIndicator), &[0]);
        assert_eq!(marks[4..8], [1., 0., 1., 0.]);
    }

    #[test]
    fn nothing_is_read_under_a_hole() {
        let (one, other) = ([1.0, 9.0, 2.0, 4.0], [1.0, -7.0, 2.0, 4.0]);
        for fill in [Fill::Zero, Fill::Mean, Fill::ObservedIndicator, Fill::MissingIndicator] {
            for treatment in [Treatment::Plain(fill), Treatment::Divided(fill)] {
                assert_eq!(holes(&one).inputs(treatment, &[0, 1]), holes(&other).inputs(treatment, &[0, 1]));
            }
        }
        for treatment in [Treatment::NormalizedToOne, Treatment::NormalizedToMean, Treatment::Floor] {
            assert_eq!(holes(&one).inputs(treatment, &[0, 1]), holes(&other).inputs(treatment, &[0, 1]));
        }
    }
}
