//! A guess for every missing number: its mean given the known numbers of the row, as if all columns were
//! jointly normal.
//!
//! Mean μ and covariance Σ come from expectation-maximisation over rows with holes. For a row with known
//! columns o and missing columns m,
//!
//! ```text
//! x̂_m = μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o)
//! ```
//!
//! Rows with the same holes share Σ_mo Σ_oo⁻¹, which is solved for once per pattern. A ridge on the diagonal of Σ
//! keeps it solvable when columns nearly repeat each other.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Encoded;
use crate::missing::gaussian::Square;
use crate::rng::Stream;

/// Added to the diagonal of the covariance at every round.
const RIDGE: f64 = 0.01;
/// Rounds of expectation-maximisation, at most.
const ROUNDS: usize = 30;
/// A round that moves no entry of the covariance further than this is the last.
const TOLERANCE: f64 = 1e-3;
/// Work of a round, in rows x columns³: more rows are sampled.
const MOST_WORK: f64 = 4e9;
/// Rows worth learning from, at most.
const MOST_ROWS: usize = 20_000;
/// With more columns than this every guess is the mean.
const MOST_COLUMNS: usize = 256;
/// Patterns that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 32;

/// Mean and covariance of the scaled numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    mean: Vec<f64>,
    covariance: Square,
}

/// The rows of one pattern.
struct Group {
    known: Vec<usize>,
    missing: Vec<usize>,
    rows: Vec<usize>,
}

impl Guess {
    /// Learns from the numbers of the rows.
    pub fn fit(rows: &Encoded, seed: u64) -> Self {
        let columns = rows.numbers.len().checked_div(rows.rows).unwrap_or(0);
        let mut guess = Self { mean: vec![0.0; columns], covariance: Square::identity(columns) };
        let affordable = (MOST_WORK / (columns.max(1) as f64).powi(3)) as usize;
        let mut sample = Stream::new(seed, "guess", 0, 0).permutation(rows.rows);
        sample.truncate(affordable.clamp(200, MOST_ROWS));
        guess.mean = observed_means(rows, columns, &sample);
        if !(2..=MOST_COLUMNS).contains(&columns) {
            return guess;
        }
        let groups = groups(rows, columns, &sample);
        for _ in 0..ROUNDS {
            let next = guess.round(rows, &groups, sample.len());
            let moved = next.covariance.cells.iter().zip(&guess.covariance.cells).map(|(a, b)| (a - b).abs());
            let change = moved.fold(0.0, f64::max);
            guess = next;
            if change < TOLERANCE {
                break;
            }
        }
        guess
    }

    /// From its saved form.
    pub fn from_parts(mean: Vec<f64>, covariance: Vec<f64>) -> Self {
        let size = mean.len();
        Self { mean, covariance: Square { size, cells: covariance } }
    }

    /// Mean, and covariance row by row.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        (&self.mean, &self.covariance.cells)
    }

    /// Puts a guess under every mark that says "missing". Known values stay as they are.
    pub fn fill(&self, rows: &mut Encoded) {
        let columns = self.mean.len();
        if columns == 0 {
            return;
        }
        let all: Vec<usize> = (0..rows.rows).collect();
        let groups = groups(rows, columns, &all);
        let filled: Vec<(Vec<usize>, Vec<f32>)> = groups
            .par_iter()
            .filter(|group| !group.missing.is_empty())
            .map(|group| {
                let weights = self.weights(group);
                let values = group.rows.iter().flat_map(|&row| self.guesses(rows, row, group, &weights));
                let values = values.map(|value| value as f32).collect();
                let cell = |&row: &usize| group.missing.iter().map(move |column| row * columns + column);
                (group.rows.iter().flat_map(cell).collect(), values)
            })
            .collect();
        for (cells, values) in filled {
            cells.into_iter().zip(values).for_each(|(cell, value)| rows.numbers[cell] = value);
        }
    }

    /// `Σ_mo Σ_oo⁻¹`: one row of weights per missing column.
    fn weights(&self, group: &Group) -> Vec<Vec<f64>> {
        let known = &group.known;
        let Ok(lower) = self.covariance.part(known).cholesky(0.0) else {
            // Not positive definite (a damaged file, at most): the mean stands in.
            return vec![vec![0.0; known.len()]; group.missing.len()];
        };
        let solve = |&row: &usize| {
            let mut line: Vec<f64> = known.iter().map(|&column| self.covariance.at(row, column)).collect();
            lower.forward(&mut line);
            lower.backward(&mut line);
            line
        };
        group.missing.iter().map(solve).collect()
    }

    /// The conditional means of a row's missing columns.
    fn guesses(&self, rows: &Encoded, row: usize, group: &Group, weights: &[Vec<f64>]) -> Vec<f64> {
        let columns = self.mean.len();
        let deviation = |&column: &usize| f64::from(rows.numbers[row * columns + column]) - self.mean[column];
        let deviations: Vec<f64> = group.known.iter().map(deviation).collect();
        let guess = |(&column, line): (&usize, &Vec<f64>)| {
            self.mean[column] + line.iter().zip(&deviations).map(|(w, d)| w * d).sum::<f64>()
        };
        group.missing.iter().zip(weights).map(guess).collect()
    }

    /// One round: expected sums and products given the old mean and covariance, and the new ones from them.
    fn round(&self, rows: &Encoded, groups: &[Group], count: usize) -> Self {
        let columns = self.mean.len();
        let empty = || (vec![0.0; columns], Square::zero(columns));
        let partial: Vec<(Vec<f64>, Square)> = groups
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut sums = empty();
                chunk.iter().for_each(|group| self.expect(rows, group, &mut sums));
                sums
            })
            .collect();
        let (mut shift, mut squares) = empty();
        for (t, products) in partial {
            shift.iter_mut().zip(t).for_each(|(sum, value)| *sum += value / count as f64);
            squares
                .cells
                .iter_mut()
                .zip(products.cells)
                .for_each(|(sum, value)| *sum += value / count as f64);
        }
        for i in 0..columns {
            for j in 0..columns {
                *squares.at_mut(i, j) -= shift[i] * shift[j];
            }
            *squares.at_mut(i, i) += RIDGE;
        }
        let mean = self.mean.iter().zip(&shift).map(|(mean, shift)| mean + shift).collect();
        Self { mean, covariance: squares }
    }

    /// Adds a pattern's expected deviations and products of deviations from the old mean.
    fn expect(&self, rows: &Encoded, group: &Group, (shift, squares): &mut (Vec<f64>, Square)) {
        let columns = self.mean.len();
        let weights = self.weights(group);
        let mut filled = vec![0.0; columns];
        for &row in &group.rows {
            for &column in &group.known {
                filled[column] = f64::from(rows.numbers[row * columns + column]) - self.mean[column];
            }
            for (&column, value) in group.missing.iter().zip(self.guesses(rows, row, group, &weights)) {
                filled[column] = value - self.mean[column];
            }
            for (i, a) in filled.iter().enumerate() {
                shift[i] += a;
                let line = &mut squares.cells[i * columns..(i + 1) * columns];
                line.iter_mut().zip(&filled).for_each(|(cell, b)| *cell += a * b);
            }
        }
        // What the known columns leave open: Σ_mm - Σ_mo Σ_oo⁻¹ Σ_om, once per row.
        let count = group.rows.len() as f64;
        for (&i, line) in group.missing.iter().zip(&weights) {
            for &j in &group.missing {
                let explained: f64 =
                    line.iter().zip(&group.known).map(|(w, &k)| w * self.covariance.at(k, j)).sum();
                *squares.at_mut(i, j) += count * (self.covariance.at(i, j) - explained);
            }
        }
    }
}

fn observed_means(rows: &Encoded, columns: usize, sample: &[usize]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); columns];
    for &row in sample {
        for (column, (sum, count)) in sums.iter_mut().enumerate() {
            if rows.numbers_observed[row * columns + column] {
                *sum += f64::from(rows.numbers[row * columns + column]);
                *count += 1.0;
            }
        }
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect()
}

/// Rows grouped by what is known, in the order in which the patterns first occur.
fn groups(rows: &Encoded, columns: usize, sample: &[usize]) -> Vec<Group> {
    let mut places: HashMap<&[bool], usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for &row in sample {
        let pattern = &rows.numbers_observed[row * columns..(row + 1) * columns];
        let place = *places.entry(pattern).or_insert_with(|| {
            let (known, missing) = (0..columns).partition(|&column| pattern[column]);
            groups.push(Group { known, missing, rows: Vec::new() });
            groups.len() - 1
        });
        groups[place].rows.push(row);
    }
    groups
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
        assert!((guess.covariance.at(0, 2) + 1.0).abs() < 0.1, "{:?}", guess.covariance);
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
