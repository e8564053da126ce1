//! What fillers share that learn column after column from the others, round by round.

use rayon::prelude::*;

use super::each_row::for_each_row;
use crate::encode::wide::EncodedRow;
use crate::encode::{Encoded, Encoder, Wide};
use crate::linalg::{Conditional, Normal};
use crate::rng::Stream;

/// A choice of rows, where there are more than wanted.
pub fn sampled(rows: &Encoded, most: usize, purpose: &str, seed: u64) -> Option<Encoded> {
    (rows.rows > most).then(|| {
        let mut picked = Stream::new(seed, purpose, 0, 0).permutation(rows.rows);
        picked.truncate(most);
        rows.select(&picked)
    })
}

/// Features with holes and with something known, fewest holes first.
pub fn holed(encoder: &Encoder, rows: &Encoded) -> Vec<usize> {
    let numbers = encoder.numbers.len();
    let holes = |feature: usize| (0..rows.rows).filter(|&row| !is_known(rows, numbers, feature, row)).count();
    let mut order: Vec<usize> =
        (0..encoder.width()).filter(|&feature| (1..rows.rows).contains(&holes(feature))).collect();
    order.sort_by_key(|&feature| holes(feature));
    order
}

/// Whether a row knows a feature (numbers first, then categories).
pub fn is_known(rows: &Encoded, numbers: usize, feature: usize, row: usize) -> bool {
    match feature.checked_sub(numbers) {
        None => rows.numbers_observed[row * numbers + feature],
        Some(place) => rows.codes_observed[row * (rows.codes.len() / rows.rows) + place],
    }
}

/// Lowest and highest value that each number may be filled with.
pub fn ranges(encoder: &Encoder) -> Vec<(f32, f32)> {
    let ranges = encoder.numbers.iter().map(|feature| feature.range());
    ranges.map(|(low, high)| (low as f32, high as f32)).collect()
}

/// What the normal distribution says: the start of every course.
pub struct Start {
    /// The rows with every hole at its guess.
    pub filled: Encoded,
    /// `[rows, numbers]`: each number's guess without itself.
    pub left_out: Vec<f32>,
}

impl Start {
    /// What it says of rows.
    pub fn new(wide: &Wide, normal: &Normal, rows: &Encoded) -> Self {
        let conditional = Conditional::new(normal);
        let widened = wide.widen(rows);
        let columns = wide.columns();
        let numbers = rows.numbers.len().checked_div(rows.rows).unwrap_or(0);
        let guesses = |row: usize| -> Vec<f64> {
            let cells = row * columns..(row + 1) * columns;
            let observed = &widened.observed[cells.clone()];
            let values = widened.values[cells].iter().zip(observed).zip(conditional.mean());
            let deviations: Vec<f64> =
                values.map(|((x, known), mean)| if *known { f64::from(*x) - mean } else { 0.0 }).collect();
            let guesses = conditional.leave_one_out(observed, &deviations);
            guesses.iter().zip(conditional.mean()).map(|(guess, mean)| guess + mean).collect()
        };
        let guesses: Vec<Vec<f64>> = (0..rows.rows).into_par_iter().map(guesses).collect();
        let mut filled = rows.clone();
        for_each_row(&mut filled, |row, mut line: EncodedRow<'_>| {
            wide.narrow(&guesses[row], &mut line, None)
        });
        let left_out =
            guesses.iter().flat_map(|line| line[..numbers].iter().map(|value| *value as f32)).collect();
        Self { filled, left_out }
    }
}

/// How many levels a category has; rare ones that share a code are none of them.
pub fn levels(encoder: &Encoder, feature: usize) -> usize {
    let category = feature.checked_sub(encoder.numbers.len()).and_then(|place| encoder.categories.get(place));
    category.map_or(0, |category| category.levels.len())
}

/// Filled rows as inputs for one feature: everything known but the feature itself.
pub fn inputs(filled: &Encoded, numbers: usize, feature: usize, rows: &[usize]) -> Encoded {
    let mut inputs = filled.select(rows);
    inputs.numbers_observed.fill(true);
    inputs.codes_observed.fill(true);
    let codes = filled.codes.len().checked_div(filled.rows).unwrap_or(0);
    for row in 0..rows.len() {
        match feature.checked_sub(numbers) {
            None => inputs.numbers_observed[row * numbers + feature] = false,
            Some(place) => inputs.codes_observed[row * codes + place] = false,
        }
    }
    inputs
}
