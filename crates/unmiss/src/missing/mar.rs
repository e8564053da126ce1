//! Missing at random, logistic: some columns are never hidden and drive what is hidden in the others.
//!
//! With d chosen columns, d_obs = max(floor(0.1 d), 1) of them are spared. For each other column
//!
//! ```text
//! P(hidden) = sigmoid(X w + b)       X: standardised spared columns, rows x d_obs
//! w = v / (s sqrt(v' C v))           v ~ N(0, 1)^d_obs, s ~ U(0.1, 0.5), C = covariance of X
//! ```
//!
//! so that the logits have a standard deviation of 1/s, between 2 and 10, and b makes the mean probability
//! over the column's known cells the rate. All is drawn once per call, never per batch of rows.

use rayon::prelude::*;

use super::mechanism::Probability;
use super::scores::{intercept, sigmoid, standardised};
use crate::data::Table;
use crate::error::{Error, Result};
use crate::rng::Stream;

/// The probabilities for the chosen columns, in their order.
pub(super) fn plan(table: &Table, chosen: &[usize], rate: f64, seed: u64) -> Result<Vec<Probability>> {
    if chosen.len() < 2 {
        return Err(Error::data("hiding at random given other columns needs at least two columns")
            .with_hint("choose more columns, or use mcar or one of the self- mechanisms"));
    }
    let (spared, scores) = drivers(table, chosen, seed)?;
    let probability = |&position: &usize| {
        if spared.contains(&position) {
            return Probability::Spared;
        }
        let logits = logits(&scores, position, seed);
        let b = intercept(&logits, &table.columns()[position].observed, rate);
        Probability::PerRow(logits.iter().map(|logit| sigmoid(logit + b)).collect())
    };
    Ok(chosen.par_iter().map(probability).collect())
}

/// The columns that are spared, and their standardised values. A random choice, but columns without holes
/// come first (a hole in a driver counts as its mean), and columns of one value can drive nothing.
fn drivers(table: &Table, chosen: &[usize], seed: u64) -> Result<(Vec<usize>, Vec<Vec<f64>>)> {
    let count = (chosen.len() / 10).max(1);
    let mut order = chosen.to_vec();
    Stream::new(seed, "hide drivers", 0, 0).shuffle(&mut order);
    order.sort_by_key(|&position| table.columns()[position].missing());
    let scored = order
        .into_iter()
        .filter_map(|position| Some((position, standardised(&table.columns()[position], position, seed)?)));
    let (spared, scores): (Vec<usize>, Vec<Vec<f64>>) = scored.take(count).unzip();
    if spared.is_empty() {
        return Err(Error::data("no chosen column has two different values that could drive the others")
            .with_hint("choose other columns, or use mcar"));
    }
    Ok((spared, scores))
}

/// X w for one column. The variance of X v is v' C v, so C itself is not needed.
fn logits(scores: &[Vec<f64>], position: usize, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, "hide weights", position as u64, 0);
    let mut sums = vec![0.0; scores[0].len()];
    for score in scores {
        let v = stream.normal();
        sums.iter_mut().zip(score).for_each(|(sum, x)| *sum += v * x);
    }
    let s = 0.1 + 0.4 * stream.uniform();
    let count = sums.len() as f64;
    let mean = sums.iter().sum::<f64>() / count;
    let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / count).sqrt();
    let scale = s * deviation.max(f64::MIN_POSITIVE);
    sums.iter_mut().for_each(|sum| *sum /= scale);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind};
    use crate::missing::{Mechanism, hide, hideable};

    fn table(columns: u64, rows: u64) -> Table {
        let numbers = |column| (0..rows).map(move |row| Stream::new(4, "x", row, column).normal());
        let column = |column| {
            Column::from_numbers(format!("x{column}"), Kind::Real, &numbers(column).collect::<Vec<_>>())
        };
        Table::new((0..columns).map(column).collect()).unwrap()
    }

    #[test]
    fn spared_columns_stay_complete_and_drive_the_others() {
        let table = table(25, 2000);
        let holes = hide(&table, &Mechanism::Mar(0.5), &hideable(&table, &[]), 3).unwrap();
        let spared: Vec<usize> = (0..25).filter(|&column| holes.rates[column].spared).collect();
        assert_eq!(spared.len(), 2);
        for column in 0..25 {
            assert_eq!(holes.table.columns()[column].missing() == 0, spared.contains(&column));
        }
        // Logits of standard deviation 2 to 10: each column's holes must go with the drivers, and only with them.
        let strongest = |hidden: &[bool], drivers: &[usize]| {
            drivers.iter().map(|&driver| correlation(&table, driver, hidden).powi(2)).sum::<f64>()
        };
        let others: Vec<usize> = (0..25).filter(|column| !spared.contains(column)).collect();
        for &column in &others {
            let hidden = &holes.hidden[column];
            assert!(strongest(hidden, &spared) > 0.25, "column {column} does not depend on the drivers");
            assert!(strongest(hidden, &[column]) < 0.01, "column {column} depends on itself");
        }
    }

    fn correlation(table: &Table, column: usize, hidden: &[bool]) -> f64 {
        let x = standardised(&table.columns()[column], column, 0).unwrap();
        let count = hidden.len() as f64;
        let mean = hidden.iter().filter(|hidden| **hidden).count() as f64 / count;
        let product: f64 = x.iter().zip(hidden).map(|(x, hidden)| x * (f64::from(*hidden) - mean)).sum();
        product / count / (mean * (1.0 - mean)).sqrt()
    }

    #[test]
    fn too_little_to_drive_is_an_error() {
        let one = table(1, 20);
        assert!(hide(&one, &Mechanism::Mar(0.5), &hideable(&one, &[]), 3).is_err());
        let flat = |name: &str| Column::from_numbers(name, Kind::Real, &[1.0; 9]);
        let flat = Table::new(vec![flat("a"), flat("b")]).unwrap();
        assert!(hide(&flat, &Mechanism::Mar(0.5), &hideable(&flat, &[]), 3).is_err());
    }
}
