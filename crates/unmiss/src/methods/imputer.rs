//! Filling holes: what an imputer of the list promises.

use rayon::prelude::*;
use serde_json::Value;

use super::Described;
use crate::encode::wide::EncodedRow;
use crate::encode::{Encoded, Encoder};
use crate::error::Result;
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// A way to learn an imputer: an entry of [`IMPUTERS`](super::IMPUTERS). Numbers are standardised, categories
/// are codes.
pub trait Imputation: Described {
    /// Learns from rows. Stopped early, it returns the best so far.
    ///
    /// # Errors
    /// When nothing can be learned from the rows.
    fn fit(&self, settings: &Value, encoder: &Encoder, rows: &Encoded, run: &Run)
    -> Result<Box<dyn Imputer>>;
    /// Puts a fitted imputer together again from its arrays.
    ///
    /// # Errors
    /// When arrays are missing or of another shape than settings and encoder say.
    fn load(&self, settings: &Value, encoder: &Encoder, arrays: &Arrays) -> Result<Box<dyn Imputer>>;
}

/// A fitted imputer. What it fills into a row depends on that row (and on the number of the draw) alone.
pub trait Imputer: Send + Sync {
    /// Puts a value under every mark that says "missing"; marks and known cells stay as they are. Without a draw
    /// it is the best single guess, with one a plausible value, another for every draw.
    fn fill(&self, rows: &mut Encoded, draw: Option<Draw>);
    /// The arrays from which [`Imputation::load`] makes the same imputer again.
    fn save(&self) -> Arrays;
    /// What there is to say about the fit: rounds, change, what was chosen.
    fn summary(&self) -> Value;
}

/// Which of many plausible fillings.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// The seed of all draws.
    pub seed: u64,
    /// The number of this draw.
    pub number: u64,
    /// The place of the first of the given rows in the whole table, so that batches change nothing.
    pub first_row: u64,
}

impl Draw {
    /// The stream of a row.
    pub fn stream(&self, purpose: &str, row: usize) -> Stream {
        Stream::new(self.seed, purpose, self.first_row + row as u64, self.number)
    }

    /// The stream of something that all rows of a draw share.
    pub fn shared(&self, purpose: &str) -> Stream {
        Stream::new(self.seed, purpose, 0, self.number)
    }
}

/// Calls `fill` with every row that has a hole, on all threads.
pub(super) fn for_each_row(rows: &mut Encoded, fill: impl Fn(usize, EncodedRow<'_>) + Sync) {
    let count = rows.rows;
    let numbers = rows.numbers.len().checked_div(count).unwrap_or(0);
    let codes = rows.codes.len().checked_div(count).unwrap_or(0);
    let (mut number_cells, mut code_cells) = (rows.numbers.as_mut_slice(), rows.codes.as_mut_slice());
    let mut lines = Vec::with_capacity(count);
    for row in 0..count {
        let (line_numbers, rest) = std::mem::take(&mut number_cells).split_at_mut(numbers);
        number_cells = rest;
        let (line_codes, rest) = std::mem::take(&mut code_cells).split_at_mut(codes);
        code_cells = rest;
        lines.push(EncodedRow {
            numbers: line_numbers,
            numbers_observed: &rows.numbers_observed[row * numbers..(row + 1) * numbers],
            codes: line_codes,
            codes_observed: &rows.codes_observed[row * codes..(row + 1) * codes],
        });
    }
    let holed = |line: &EncodedRow<'_>| {
        line.numbers_observed.contains(&false) || line.codes_observed.contains(&false)
    };
    lines.into_par_iter().enumerate().with_min_len(16).for_each(|(row, line)| {
        if holed(&line) {
            fill(row, line);
        }
    });
}
