//! What was made, summed up piece by piece: shares missing, and how much of the response can be known at all.

use serde::Serialize;

use super::bayes::Bayes;
use super::world::{Drawn, World};

/// Sums over the pieces of a table.
pub struct Tally {
    /// A number near the mean of the response, off which sums of squares are taken.
    centre: f64,
    rows: usize,
    missing: Vec<usize>,
    judged: Judged,
}

/// Sums over the rows whose best answer is known.
#[derive(Default)]
struct Judged {
    rows: f64,
    sum: f64,
    squares: f64,
    /// Of what is left by the best answer, and by the response without noise.
    left: f64,
    noise: f64,
    /// Squares of standard errors.
    errors: f64,
    sampled: bool,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Made {
    /// Rows.
    pub rows: usize,
    /// The share missing in each column.
    pub missing: Vec<f64>,
    /// How much of the response can be known; nothing where no best answer was asked for.
    pub reached: Option<Reached>,
}

/// How much of the response can be known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reached {
    /// The rows it was judged by.
    pub rows: usize,
    /// R² of the response without noise: what no predictor beats, even with every cell known.
    pub complete: f64,
    /// R² of the best answers from the known cells.
    pub bayes: f64,
    /// Where answers are sampled: the root mean square of their standard errors.
    pub error: Option<f64>,
    /// By how much sampling lowers the R² of the best answers.
    pub lowered: f64,
}

impl Tally {
    /// Nothing yet.
    pub fn new(world: &World) -> Self {
        let (intercept, weights) = world.line();
        let centre = intercept + weights.iter().zip(world.mean()).map(|(w, mean)| w * mean).sum::<f64>();
        Self { centre, rows: 0, missing: vec![0; world.settings.columns], judged: Judged::default() }
    }

    /// Adds rows, with their best answers where those are known.
    pub fn add(&mut self, drawn: &Drawn, bayes: Option<&Bayes>) {
        self.rows += drawn.rows();
        for row in drawn.observed.chunks_exact(drawn.columns) {
            self.missing.iter_mut().zip(row).for_each(|(count, seen)| *count += usize::from(!seen));
        }
        let Some(bayes) = bayes else { return };
        let sums = &mut self.judged;
        sums.sampled = bayes.errors.is_some();
        for ((response, noiseless), answer) in drawn.response.iter().zip(&drawn.noiseless).zip(&bayes.answers)
        {
            sums.rows += 1.0;
            sums.sum += response - self.centre;
            sums.squares += (response - self.centre).powi(2);
            sums.left += (response - answer).powi(2);
            sums.noise += (response - noiseless).powi(2);
        }
        sums.errors += bayes.errors.iter().flatten().map(|error| error * error).sum::<f64>();
    }

    /// All of it.
    pub fn made(&self) -> Made {
        let share = |count: &usize| *count as f64 / self.rows.max(1) as f64;
        let sums = &self.judged;
        let scatter = sums.squares - sums.sum * sums.sum / sums.rows.max(1.0);
        let reached = (sums.rows > 1.0 && scatter > 0.0).then(|| Reached {
            rows: sums.rows as usize,
            complete: 1.0 - sums.noise / scatter,
            bayes: 1.0 - sums.left / scatter,
            error: sums.sampled.then(|| (sums.errors / sums.rows).sqrt()),
            lowered: sums.errors / scatter,
        });
        Made { rows: self.rows, missing: self.missing.iter().map(share).collect(), reached }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Masking, SWEEPS, Settings};

    #[test]
    fn pieces_add_up_and_the_best_answer_stays_below_the_noise() {
        let settings = Settings { masking: Masking::SelfProbit, ..Settings::default() };
        let world = World::new(&settings, 4).unwrap();
        let drawn = world.draw(0, 400);
        let mut whole = Tally::new(&world);
        whole.add(&drawn, Some(&world.bayes(&drawn, SWEEPS).unwrap()));
        let mut parts = Tally::new(&world);
        for first in [0, 200] {
            let drawn = world.draw(first, 200);
            parts.add(&drawn, Some(&world.bayes(&drawn, SWEEPS).unwrap()));
        }
        assert_eq!(whole.made().missing, parts.made().missing);
        let (one, other) = (whole.made().reached.unwrap(), parts.made().reached.unwrap());
        assert!((one.bayes - other.bayes).abs() < 1e-12);
        assert!(one.bayes < one.complete && (one.complete - 10.0 / 11.0).abs() < 0.02);
        assert!(one.lowered < 0.005 && one.error.unwrap() > 0.0);
        let mut unasked = Tally::new(&world);
        unasked.add(&drawn, None);
        assert_eq!(unasked.made().reached, None);
    }
}
