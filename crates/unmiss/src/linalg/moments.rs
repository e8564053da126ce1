//! Rows with the same holes, summed up: their number n, mean and scatter S say all that a round of
//! expectation-maximisation needs. With d = mean - μ_o, A = S + n d d' and the map M = (1, B') from the known to all
//! columns, they add
//!
//! ```text
//! to the deviations   t = n M' d
//! to the products     T = M' A M + n C
//! ```

use super::conditional::{Conditional, Pattern};
use super::products::{add_crossed, add_product};
use super::square::Square;

/// Rows with the same holes, summed up.
#[derive(Debug, Clone)]
pub struct Moments {
    /// The known columns.
    pub observed: Vec<usize>,
    /// All columns.
    columns: usize,
    /// How many rows.
    pub count: f64,
    /// `[known]`.
    mean: Vec<f64>,
    /// Sums of products of deviations from the mean, known x known.
    scatter: Square,
}

impl Moments {
    /// Sums rows up; `row(r)` gives the values of the observed columns.
    pub fn new(observed: Vec<usize>, columns: usize, rows: &[u32], row: impl Fn(u32, &mut [f64])) -> Self {
        let size = observed.len();
        let (mut mean, mut values) = (vec![0.0; size], vec![0.0; size]);
        let mut scatter = Square::zero(size);
        let count = rows.len() as f64;
        for &index in rows {
            row(index, &mut values);
            mean.iter_mut().zip(&values).for_each(|(mean, value)| *mean += value / count);
        }
        for &index in rows {
            row(index, &mut values);
            values.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
            for (i, a) in values.iter().enumerate() {
                let line = &mut scatter.cells[i * size..(i + 1) * size];
                line.iter_mut().zip(&values).for_each(|(cell, b)| *cell += a * b);
            }
        }
        Self { observed, columns, count, mean, scatter }
    }

    /// The rows' mean less μ, over the known columns: d.
    pub fn shift(&self, mean: &[f64]) -> Vec<f64> {
        self.mean.iter().zip(&self.observed).map(|(own, &column)| own - mean[column]).collect()
    }

    /// t and T, added to the sums.
    fn expect(&self, conditional: &Conditional<'_>, shift: &mut [f64], squares: &mut Square) {
        let (known, columns, n) = (self.observed.len(), self.columns, self.count);
        let mut marks = vec![false; columns];
        self.observed.iter().for_each(|&column| marks[column] = true);
        let pattern = Pattern::new(conditional, &marks);
        // [known, columns]: row k is what a deviation of 1 in the k-th known column means for all.
        let mut map = vec![0.0; known * columns];
        for (line, &column) in map.chunks_exact_mut(columns).zip(&self.observed) {
            line[column] = 1.0;
            pattern.fill(conditional, line);
        }
        let d = self.shift(conditional.mean());
        let mut a = self.scatter.clone();
        for i in 0..known {
            for j in 0..known {
                *a.at_mut(i, j) += n * d[i] * d[j];
            }
        }
        let scaled: Vec<f64> = d.iter().map(|d| n * d).collect();
        add_product(shift, (&scaled, known), (&map, columns));
        let mut half = vec![0.0; known * columns];
        add_product(&mut half, (&a.cells, known), (&map, columns));
        add_crossed(&mut squares.cells, (&map, columns), (&half, columns), 1.0);
        pattern.add_open(conditional, n, squares);
    }
}

/// t and T over the rows of some patterns.
pub(super) fn expect_moments(patterns: &[Moments], conditional: &Conditional<'_>) -> (Vec<f64>, Square) {
    let columns = conditional.mean().len();
    let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
    patterns.iter().for_each(|pattern| pattern.expect(conditional, &mut shift, &mut squares));
    (shift, squares)
}
