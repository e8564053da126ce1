//! How the columns of a table go together: a joint normal behind their scores (a Gaussian copula), from rows with
//! holes.

use super::marginal::Marginal;
use crate::data::{Column, Table, Values};
use crate::linalg::{Course, Holes, Mat, Normal, Square, eigen};

/// Numbers that a round of expectation-maximisation may cost: rows times the cube of columns.
const MOST_WORK: usize = 4_000_000_000;
/// Rows that are learned from, at least and at most.
const ROWS: (usize, usize) = (500, 20_000);
/// The smallest eigenvalue that a correlation matrix is left with.
const SMALLEST: f64 = 1e-3;
/// No two columns are taken to go together more than this.
const MOST: f64 = 0.999;

/// The joint normal: where each column's numbers lie, and the lower triangle of their covariance.
pub(super) struct Joint {
    pub mean: Vec<f64>,
    pub lower: Square,
}

impl Joint {
    /// Learns from a table whose columns have marginals.
    pub(super) fn new(table: &Table, marginals: &[Marginal]) -> Self {
        let columns = marginals.len();
        let most = (MOST_WORK / columns.pow(3).max(1)).clamp(ROWS.0, ROWS.1);
        let step = table.rows().div_ceil(most).max(1);
        let rows: Vec<usize> = (0..table.rows()).step_by(step).collect();
        let (mut values, mut observed) =
            (vec![0.0_f32; rows.len() * columns], vec![false; rows.len() * columns]);
        for (place, (column, marginal)) in table.columns().iter().zip(marginals).enumerate() {
            let scores = marginal.scores(column);
            for (own, &row) in rows.iter().enumerate() {
                values[own * columns + place] = scores[row] as f32;
                observed[own * columns + place] = column.observed[row];
            }
        }
        let data = Holes { columns, values: &values, observed: &observed };
        let all: Vec<usize> = (0..rows.len()).collect();
        // What few rows can't tell is held back by a ridge of as many rows as there are columns, a tenth each.
        let ridge = 0.1 * columns as f64 / rows.len().max(1) as f64;
        let course = Course { ridge: ridge.clamp(1e-4, 1.0), rounds: 200, tolerance: 1e-3 };
        let normal = Normal::fit(data, &all, course, |_, _| true);
        Self::of(&normal, marginals)
    }

    fn of(normal: &Normal, marginals: &[Marginal]) -> Self {
        let columns = marginals.len();
        let deviation = |place: usize| normal.covariance.at(place, place).max(1e-9).sqrt();
        let mut correlations = Square::identity(columns);
        for i in 0..columns {
            for j in 0..i {
                let seen = normal.covariance.at(i, j) / (deviation(i) * deviation(j));
                let behind = behind(seen, &marginals[i], &marginals[j]);
                (*correlations.at_mut(i, j), *correlations.at_mut(j, i)) = (behind, behind);
            }
        }
        let mut lower = triangle(correlations);
        // Known cells may be others than all cells: holes are where values are large, say. Numbers move with the mean
        // and the spread that expectation-maximisation finds for all, pieces with the mean alone.
        let mut mean = normal.mean.clone();
        for (place, marginal) in marginals.iter().enumerate() {
            match marginal.in_pieces() {
                true => mean[place] /= marginal.series[0].max(0.1),
                false => {
                    let spread = deviation(place).clamp(0.5, 2.0);
                    (0..=place).for_each(|j| *lower.at_mut(place, j) *= spread);
                }
            }
        }
        Self { mean, lower }
    }
}

/// The correlation of normal numbers whose scores have a seen one: the series turned round, by bisection.
fn behind(seen: f64, one: &Marginal, other: &Marginal) -> f64 {
    let products: Vec<f64> = one.series.iter().zip(&other.series).map(|(a, b)| a * b).collect();
    let said = |rho: f64| products.iter().rev().fold(0.0, |sum, product| (sum + product) * rho);
    let (mut low, mut high) = (-MOST, MOST);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if said(middle) < seen { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The lower triangle of the nearest matrix that is a correlation matrix: eigenvalues too small are lifted.
fn triangle(correlations: Square) -> Square {
    let size = correlations.size;
    let Some((values, vectors)) = eigen(&Mat::from_fn(size, size, |i, j| correlations.at(i, j))) else {
        return Square::identity(size);
    };
    let mut lifted = Square::zero(size);
    for (k, value) in values.iter().enumerate() {
        for i in 0..size {
            let part = value.max(SMALLEST) * vectors[(i, k)];
            (0..size).for_each(|j| *lifted.at_mut(i, j) += part * vectors[(j, k)]);
        }
    }
    let deviations: Vec<f64> = (0..size).map(|i| lifted.at(i, i).sqrt()).collect();
    for i in 0..size {
        (0..size).for_each(|j| *lifted.at_mut(i, j) /= deviations[i] * deviations[j]);
    }
    lifted.cholesky(0.0).unwrap_or_else(|_| Square::identity(size))
}

/// Puts levels without an order of their own on the line along which their rows differ most in the other columns: the
/// first axis of the scatter between the levels' means. Levels that are numbers keep their order.
pub(super) fn order(column: &Column, others: &[Vec<f64>]) -> Option<Vec<u32>> {
    let Values::Codes { codes, levels } = &column.values else { return None };
    if levels.len() < 3 || levels.iter().all(|level| level.trim().parse::<f64>().is_ok()) || others.is_empty()
    {
        return None;
    }
    let mut counts = vec![0.0_f64; levels.len()];
    let known: Vec<usize> = (0..column.rows()).filter(|&row| column.observed[row]).collect();
    known.iter().for_each(|&row| counts[codes[row] as usize] += 1.0);
    // [levels][others]: means of the scores.
    let mut means = vec![vec![0.0; others.len()]; levels.len()];
    for &row in &known {
        let level = codes[row] as usize;
        means[level].iter_mut().zip(others).for_each(|(mean, other)| *mean += other[row] / counts[level]);
    }
    let size = others.len();
    let scatter = Mat::from_fn(size, size, |i, j| {
        let products = means.iter().zip(&counts).map(|(mean, count)| count * mean[i] * mean[j]);
        products.sum::<f64>() / known.len().max(1) as f64
    });
    let (_, vectors) = eigen(&scatter)?;
    let place = |level: usize| (0..size).map(|i| means[level][i] * vectors[(i, size - 1)]).sum::<f64>();
    let places: Vec<f64> = (0..levels.len()).map(place).collect();
    let mut order: Vec<u32> = (0..levels.len() as u32).collect();
    order.sort_by(|a, b| places[*a as usize].total_cmp(&places[*b as usize]));
    Some(order)
}
