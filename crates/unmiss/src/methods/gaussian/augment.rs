//! Mean and covariance drawn from what the rows leave open about them, by data augmentation (Tanner and Wong 1987).
//!
//! Two draws take turns, from the estimate on, in a chain of its own for every set of parameters:
//!
//! ```text
//! holes        x_m | x_o, μ, Σ       row by row (row.rs)
//! parameters   Σ ~ inverse Wishart(S + n ridge, ν)      drawn as  L (A A')⁻¹ L',  L L' = S + n ridge,  A Bartlett
//!              μ ~ N(x̄, Σ / n)
//! ```
//!
//! x̄ and S are mean and scatter of the completed rows. The degrees of freedom ν = n + p - 2 - 2k are such that a
//! column given k others, as many as rows with holes know on average, has the n - k - 1 of a regression on them.
//!
//! The part of the old that a step keeps is the share of missing information, which is also the rate at which
//! expectation-maximisation converges: it says how many steps make a draw independent of the estimate.

use rayon::prelude::*;

use super::row::Steps;
use crate::encode::Wide;
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Group, Holes, Normal, Square, add_crossed, groups};
use crate::rng::Stream;
use crate::run::Run;

/// What is left of the start in a draw, at most.
const LEFT_OF_START: f64 = 0.02;
/// Steps of a chain, at least and at most.
const STEPS: (f64, f64) = (10.0, 300.0);
/// Work of all chains, in rows x columns² x steps, at most; of more rows a choice is used,
const MOST_WORK: f64 = 2e10;
/// but never fewer than this.
const FEWEST_ROWS: usize = 1000;

/// Rows on the way to being completed again and again.
pub struct Rows<'a> {
    data: Holes<'a>,
    wide: &'a Wide,
    /// Rows with holes, by pattern.
    holed: Vec<Group>,
    /// What deviations are taken from: the estimate's mean.
    center: Vec<f64>,
    /// Sum and sum of products of the complete rows' deviations from the center.
    complete: (Vec<f64>, Square),
    count: f64,
    degrees: f64,
    ridge: f64,
}

/// Draws sets of parameters. `rate` is that of expectation-maximisation at its end.
///
/// # Errors
/// When the run was stopped.
pub fn sets(
    count: usize,
    (data, wide): (Holes<'_>, &Wide),
    (estimate, rate): (&Normal, f64),
    ridge: f64,
    run: &Run,
) -> Result<Vec<Normal>> {
    let steps =
        (LEFT_OF_START.ln() / rate.clamp(1e-6, 1.0 - 1e-6).ln()).ceil().clamp(STEPS.0, STEPS.1) as usize;
    let all = data.rows();
    let work = (data.columns * data.columns * steps * count.max(1)) as f64;
    let most = ((MOST_WORK / work.max(1.0)) as usize).max(FEWEST_ROWS);
    let mut sample: Vec<usize> = (0..all).collect();
    if all > most {
        Stream::new(run.seed(), "gaussian chain rows", 0, 0).shuffle(&mut sample);
        sample.truncate(most);
    }
    // Fewer rows leave more open: draws from them are brought nearer to the estimate accordingly.
    let nearer = (sample.len() as f64 / all.max(1) as f64).sqrt();
    let rows = Rows::new((data, wide), &sample, estimate, ridge);
    let drawn: Vec<Option<Normal>> =
        (0..count).into_par_iter().map(|number| rows.chain(estimate, steps, number as u64, run)).collect();
    run.finished();
    let drawn = drawn.into_iter().collect::<Option<Vec<Normal>>>().ok_or(Error::Stopped)?;
    if sample.len() == all {
        return Ok(drawn);
    }
    let middle = middle(&drawn);
    Ok(drawn.iter().map(|normal| towards(estimate, &middle, normal, nearer)).collect())
}

impl<'a> Rows<'a> {
    fn new((data, wide): (Holes<'a>, &'a Wide), sample: &[usize], estimate: &Normal, ridge: f64) -> Self {
        let columns = data.columns;
        let (complete, holed): (Vec<Group>, Vec<Group>) =
            groups(data, sample).into_iter().partition(|group| !group.observed.contains(&false));
        let mut sums = (vec![0.0; columns], Square::zero(columns));
        let mut line = vec![0.0; columns];
        for &row in complete.iter().flat_map(|group| &group.rows) {
            data.deviations(row, &estimate.mean, &mut line);
            add(&mut sums, &line);
        }
        // k: how many columns a row with a hole knows, on average over holes.
        let (mut holes, mut known) = (0.0, 0.0);
        for group in &holed {
            let own = group.observed.iter().filter(|mark| **mark).count();
            let cells = ((columns - own) * group.rows.len()) as f64;
            (holes, known) = (holes + cells, known + cells * own as f64);
        }
        let (count, size) = (sample.len() as f64, columns as f64);
        let k = if holes > 0.0 { known / holes } else { 0.0 };
        let degrees = (count + size - 2.0 - 2.0 * k).max(size + 2.0);
        Self { data, wide, holed, center: estimate.mean.clone(), complete: sums, count, degrees, ridge }
    }

    /// One chain; `None` where it was stopped.
    fn chain(&self, start: &Normal, steps: usize, number: u64, run: &Run) -> Option<Normal> {
        let mut stream = Stream::new(run.seed(), "gaussian chain", number, 0);
        let mut normal = start.clone();
        for _ in 0..steps {
            if run.stopped() {
                return None;
            }
            let sums = self.completed(&normal, &mut stream);
            // A scatter without an inverse (no row, or numbers beyond measure) leaves things as they are.
            normal = self.parameters(sums, &mut stream).unwrap_or(normal);
        }
        Some(normal)
    }

    /// Sum and sum of products of all rows' deviations from the center, holes drawn.
    fn completed(&self, normal: &Normal, stream: &mut Stream) -> (Vec<f64>, Square) {
        let conditional = Conditional::new(normal);
        let mut sums = self.complete.clone();
        let mut line = vec![0.0; self.data.columns];
        for group in &self.holed {
            let steps = Steps::new(self.wide, &conditional, &group.observed);
            for &row in &group.rows {
                self.data.deviations(row, &normal.mean, &mut line);
                steps.draw(self.wide, &conditional, &mut line, stream);
                let moved = normal.mean.iter().zip(&self.center).map(|(mean, center)| mean - center);
                line.iter_mut().zip(moved).for_each(|(value, moved)| *value += moved);
                add(&mut sums, &line);
            }
        }
        sums
    }

    /// Covariance and mean given completed rows.
    fn parameters(&self, (sum, products): (Vec<f64>, Square), stream: &mut Stream) -> Option<Normal> {
        let (size, n) = (sum.len(), self.count);
        let mut scatter = products;
        for i in 0..size {
            for j in 0..=i {
                let cell = scatter.at(i, j) - sum[i] * sum[j] / n;
                (*scatter.at_mut(i, j), *scatter.at_mut(j, i)) = (cell, cell);
            }
            *scatter.at_mut(i, i) += n * self.ridge;
        }
        let lower = scatter.cholesky(0.0).ok()?;
        let covariance = inverse_wishart(&lower, self.degrees, stream);
        let spread = covariance.cholesky(0.0).ok()?;
        let noise: Vec<f64> = (0..size).map(|_| stream.normal()).collect();
        let shift = spread.times(&noise);
        let mean = (0..size).map(|i| self.center[i] + sum[i] / n + shift[i] / n.sqrt()).collect();
        Some(Normal::from_parts(mean, covariance.cells))
    }
}

/// Adds a row to a sum and the lower triangle of a sum of products.
fn add((sum, products): &mut (Vec<f64>, Square), line: &[f64]) {
    sum.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
    for (i, value) in line.iter().enumerate() {
        let cells = &mut products.cells[i * line.len()..i * line.len() + i + 1];
        cells.iter_mut().zip(line).for_each(|(cell, other)| *cell += value * other);
    }
}

/// A draw from the inverse Wishart distribution with scale L L': L (A A')⁻¹ L' = B' B with B = A⁻¹ L'.
fn inverse_wishart(lower: &Square, degrees: f64, stream: &mut Stream) -> Square {
    let size = lower.size;
    let mut bartlett = Square::zero(size);
    for i in 0..size {
        // χ² with degrees - i degrees of freedom.
        *bartlett.at_mut(i, i) = (2.0 * stream.gamma((degrees - i as f64) / 2.0)).sqrt();
        (0..i).for_each(|j| *bartlett.at_mut(i, j) = stream.normal());
    }
    let mut half: Vec<f64> = (0..size * size).map(|cell| lower.at(cell % size, cell / size)).collect();
    bartlett.forward_all(&mut half, size);
    let mut covariance = Square::zero(size);
    add_crossed(&mut covariance.cells, (&half, size), (&half, size), 1.0);
    covariance
}

/// A distribution as numbers that may be added: the mean, and the triangle of the covariance with the logarithm of its
/// diagonal.
pub fn flat(normal: &Normal) -> Vec<f64> {
    let size = normal.mean.len();
    let lower = normal.covariance.cholesky(0.0).unwrap_or_else(|_| Square::identity(size));
    let cell = |(i, j): (usize, usize)| if i == j { lower.at(i, i).ln() } else { lower.at(i, j) };
    normal
        .mean
        .iter()
        .copied()
        .chain((0..size).flat_map(|i| (0..=i).map(move |j| (i, j))).map(cell))
        .collect()
}

/// The way back.
pub fn unflat(numbers: &[f64], size: usize) -> Normal {
    let (mean, cells) = numbers.split_at(size);
    let mut lower = Square::zero(size);
    for (&cell, (i, j)) in cells.iter().zip((0..size).flat_map(|i| (0..=i).map(move |j| (i, j)))) {
        *lower.at_mut(i, j) = if i == j { cell.exp() } else { cell };
    }
    let product = |cell: usize| {
        let (i, j) = (cell / size, cell % size);
        (0..=i.min(j)).map(|k| lower.at(i, k) * lower.at(j, k)).sum()
    };
    Normal::from_parts(mean.to_vec(), (0..size * size).map(product).collect())
}

/// The mean of several distributions.
fn middle(drawn: &[Normal]) -> Vec<f64> {
    let mut sums: Vec<f64> = Vec::new();
    for numbers in drawn.iter().map(flat) {
        sums.resize(numbers.len(), 0.0);
        sums.iter_mut().zip(numbers).for_each(|(sum, value)| *sum += value / drawn.len() as f64);
    }
    sums
}

/// The estimate moved by a share of the way from the middle of the draws to one of them.
fn towards(estimate: &Normal, middle: &[f64], drawn: &Normal, share: f64) -> Normal {
    let moved = flat(estimate).into_iter().zip(middle).zip(flat(drawn));
    let moved: Vec<f64> =
        moved.map(|((estimate, middle), drawn)| estimate + share * (drawn - middle)).collect();
    unflat(&moved, estimate.mean.len())
}
