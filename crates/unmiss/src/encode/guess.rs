//! A guess for every missing number: its mean given the known numbers of the row, as if all columns were
//! jointly normal (see `linalg`).

use rayon::prelude::*;

use super::Encoded;
use crate::linalg::{Conditional, Course, Holes, Normal, given_known};
use crate::onnx::{Graph, Kind, Symbol, WrittenNumbers};
use crate::rng::Stream;

/// A firm ridge and few rounds: a guess need not be the best imputation, but must never be wild.
const COURSE: Course = Course { ridge: 0.01, rounds: 30, tolerance: 1e-3 };
/// Work of a round, in rows x columns³: more rows are sampled.
const MOST_WORK: f64 = 4e9;
/// Rows worth learning from, at most.
const MOST_ROWS: usize = 20_000;
/// With more columns than this every guess is the mean.
const MOST_COLUMNS: usize = 256;

/// Mean and covariance of the scaled numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess(Normal);

impl Guess {
    /// Learns from the numbers of the rows.
    pub fn fit(rows: &Encoded, seed: u64) -> Self {
        let columns = rows.numbers.len().checked_div(rows.rows).unwrap_or(0);
        let data = Holes { columns, values: &rows.numbers, observed: &rows.numbers_observed };
        let affordable = (MOST_WORK / (columns.max(1) as f64).powi(3)) as usize;
        let mut sample = Stream::new(seed, "guess", 0, 0).permutation(rows.rows);
        sample.truncate(affordable.clamp(200, MOST_ROWS));
        Self(match columns {
            2..=MOST_COLUMNS => Normal::fit(data, &sample, COURSE, |_, _| true),
            _ => Normal::start(data, &sample),
        })
    }

    /// From its saved form.
    pub fn from_parts(mean: Vec<f64>, covariance: Vec<f64>) -> Self {
        Self(Normal::from_parts(mean, covariance))
    }

    /// Mean, and covariance row by row.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        self.0.parts()
    }

    /// `[rows, columns]` in single precision: what [`Guess::fill`] does, as operations of a graph.
    pub fn write(&self, graph: &mut Graph, numbers: &WrittenNumbers) -> Symbol {
        let values = graph.cast(&numbers.values, Kind::Double);
        let (mean, _) = given_known(graph, &self.0, (&values, &numbers.observed), None);
        let mean = graph.cast(&mean, Kind::Single);
        graph.choose(&numbers.observed, &numbers.values, &mean)
    }

    /// Puts a guess under every mark that says "missing". Known values stay as they are.
    pub fn fill(&self, rows: &mut Encoded) {
        let conditional = Conditional::new(&self.0);
        let columns = conditional.mean().len();
        if columns == 0 {
            return;
        }
        let cells = rows.numbers.par_chunks_mut(columns).zip(rows.numbers_observed.par_chunks(columns));
        cells.with_min_len(64).filter(|(_, observed)| observed.contains(&false)).for_each(
            |(numbers, observed)| {
                let mean = conditional.mean();
                let cells = numbers.iter().zip(observed).zip(mean);
                let mut row: Vec<f64> =
                    cells.map(|((x, known), mean)| if *known { f64::from(*x) - mean } else { 0.0 }).collect();
                conditional.fill(observed, &mut row, None);
                for ((number, known), (deviation, mean)) in
                    numbers.iter_mut().zip(observed).zip(row.iter().zip(mean))
                {
                    if !known {
                        *number = (mean + deviation) as f32;
                    }
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three columns: z, z + noise, -z + noise; a third of the cells hidden.
    fn rows(count: usize) -> (Encoded, Vec<f32>) {
        let mut stream = Stream::new(2, "guess test", 0, 0);
        let mut truth = Vec::new();
        for _ in 0..count {
            let z = stream.normal();
            truth.extend([z, z + 0.3 * stream.normal(), -z + 0.3 * stream.normal()].map(|x| x as f32));
        }
        let observed: Vec<bool> = truth.iter().map(|_| stream.uniform() < 0.67).collect();
        let numbers = truth.iter().zip(&observed).map(|(x, known)| if *known { *x } else { 0.0 }).collect();
        let rows = Encoded {
            rows: count,
            numbers,
            numbers_observed: observed,
            codes: vec![],
            codes_observed: vec![],
        };
        (rows, truth)
    }

    #[test]
    fn guesses_follow_the_known_columns() {
        let (mut encoded, truth) = rows(2000);
        let guess = Guess::fit(&encoded, 1);
        // The covariance of z and -z + noise is -1.
        assert!((guess.parts().1[2] + 1.0).abs() < 0.1, "{:?}", guess.parts());
        let before = encoded.clone();
        guess.fill(&mut encoded);
        let (mut filled, mut mean, mut count) = (0.0, 0.0, 0.0);
        for (cell, truth) in truth.iter().enumerate() {
            if before.numbers_observed[cell] {
                assert_eq!(before.numbers[cell], encoded.numbers[cell]);
            } else {
                filled += (truth - encoded.numbers[cell]).powi(2);
                mean += truth.powi(2);
                count += 1.0;
            }
        }
        assert!((filled / count).sqrt() < 0.65 * (mean / count).sqrt(), "{filled} {mean}");
    }

    #[test]
    fn what_stands_under_the_mask_is_not_read() {
        let (clean, _) = rows(300);
        let mut dirty = clean.clone();
        for (value, observed) in dirty.numbers.iter_mut().zip(&clean.numbers_observed) {
            if !observed {
                *value = f32::NAN;
            }
        }
        let guess = Guess::fit(&clean, 1);
        assert_eq!(guess, Guess::fit(&dirty, 1));
        let (mut one, mut other) = (clean.clone(), dirty);
        guess.fill(&mut one);
        guess.fill(&mut other);
        assert_eq!(one, other);
        // A row alone gets the same guesses as among others.
        let mut alone = clean.select(&[7]);
        guess.fill(&mut alone);
        assert_eq!(alone, one.select(&[7]));
    }
}
