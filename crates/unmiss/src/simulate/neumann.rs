//! The best answer of MCAR and MAR with its inverse cut short: what a NeuMiss network of some depth would do if its
//! weights were the model's own.
//!
//! ```text
//! S⁽⁰⁾ = I,  S⁽ˡ⁾ = (I - Σ_oo / L) S⁽ˡ⁻¹⁾ + I,  Σ_oo⁻¹ ≈ S⁽ˡ⁾ / L      L: the largest eigenvalue of Σ
//! ```
//!
//! Applied to x_o - μ_o, one step is one product with Σ; missing coordinates stay 0.

use rayon::prelude::*;

use super::world::{Drawn, World};
use crate::error::{Error, Result};
use crate::linalg::{Mat, dot, eigen};

impl World {
    /// The answers with so many steps, for a linear response; with more and more steps they become the best ones where
    /// holes tell nothing.
    ///
    /// # Errors
    /// When the covariance has no eigenvalues, which a world's has.
    pub fn neumann(&self, drawn: &Drawn, steps: usize) -> Result<Vec<f64>> {
        let (columns, covariance) = (drawn.columns, &self.normal.covariance);
        let matrix = Mat::from_fn(columns, columns, |i, j| covariance.at(i, j));
        let largest = eigen(&matrix).and_then(|(values, _)| values.last().copied());
        let largest = largest.ok_or_else(|| Error::data("the covariance has no eigenvalues"))?;
        let answer = |row: usize| {
            let cells = row * columns..(row + 1) * columns;
            let (values, observed) = (&drawn.values[cells.clone()], &drawn.observed[cells]);
            let known = |column: usize| {
                if observed[column] { values[column] - self.normal.mean[column] } else { 0.0 }
            };
            let start: Vec<f64> = (0..columns).map(known).collect();
            let product = |h: &[f64], column: usize| dot(covariance.row(column), h) / largest;
            let mut h = start.clone();
            for _ in 0..steps {
                let next = |column: usize| h[column] - product(&h, column) + start[column];
                h = (0..columns).map(|column| if observed[column] { next(column) } else { 0.0 }).collect();
            }
            let filled = |column: usize| if observed[column] { start[column] } else { product(&h, column) };
            let deviations: Vec<f64> = (0..columns).map(filled).collect();
            self.intercept + dot(&self.weights, &self.normal.mean) + dot(&self.weights, &deviations)
        };
        Ok((0..drawn.rows()).into_par_iter().map(answer).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::simulate::{SWEEPS, Settings, World};

    #[test]
    fn more_steps_come_nearer_to_the_best_answer_and_reach_it() {
        let world = World::new(&Settings { columns: 6, ..Settings::default() }, 3).unwrap();
        let drawn = world.draw(0, 300);
        let best = world.bayes(&drawn, SWEEPS).unwrap().answers;
        let distance = |steps| {
            let answers = world.neumann(&drawn, steps).unwrap();
            answers.iter().zip(&best).map(|(own, best)| (own - best).powi(2)).sum::<f64>() / 300.0
        };
        let distances = [0, 1, 3, 10, 100, 20_000].map(distance);
        assert!(distances.windows(2).all(|pair| pair[1] < pair[0]), "{distances:?}");
        assert!(distances[5] < 1e-9, "{distances:?}");
    }
}
