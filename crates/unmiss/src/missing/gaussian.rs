//! Mean and covariance of a normal distribution from rows with holes, by expectation-maximisation.
//!
//! Rows are grouped by pattern; a pattern's rows enter only through their number n, their mean and their
//! scatter S about the mean, so an iteration costs the same for a thousand rows as for a million. With o the
//! observed and m the missing columns of a pattern, d = mean - mu_o and A = S + n d d':
//!
//! ```text
//! B  = Sigma_mo Sigma_oo^-1
//! E: t_o = n d    T_oo = A          M: mu    <- mu + sum t / N
//!    t_m = B t_o  T_mo = B A           Sigma <- sum T / N - (sum t / N)(sum t / N)'
//!                 T_mm = B A B' + n (Sigma_mm - B Sigma_om)
//! ```

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Matrices larger than this go to the linear algebra library.
const BLOCKED: usize = 96;

/// Patterns that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 16;

/// A square matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Square {
    pub size: usize,
    pub cells: Vec<f64>,
}

impl Square {
    pub fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    pub fn identity(size: usize) -> Self {
        let mut square = Self::zero(size);
        (0..size).for_each(|i| *square.at_mut(i, i) = 1.0);
        square
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }

    /// The part with the given rows and columns.
    pub fn part(&self, positions: &[usize]) -> Self {
        let cells = positions.iter().flat_map(|&i| positions.iter().map(move |&j| self.at(i, j)));
        Self { size: positions.len(), cells: cells.collect() }
    }

    /// The lower triangle L with L L' = self, or the first position whose variance given the earlier ones is
    /// at most `smallest`.
    pub fn cholesky(&self, smallest: f64) -> Result<Self, usize> {
        if self.size > BLOCKED && smallest == 0.0 {
            return self.blocked_cholesky().ok_or(0);
        }
        let mut lower = Self::zero(self.size);
        for i in 0..self.size {
            for j in 0..=i {
                let rest = self.at(i, j) - dot(&lower.row(i)[..j], &lower.row(j)[..j]);
                if i == j {
                    if rest <= smallest || rest.is_nan() {
                        return Err(i);
                    }
                    *lower.at_mut(i, i) = rest.sqrt();
                } else {
                    *lower.at_mut(i, j) = rest / lower.at(j, j);
                }
            }
        }
        Ok(lower)
    }

    /// The same by the linear algebra library, whose blocks pay off for large matrices.
    fn blocked_cholesky(&self) -> Option<Self> {
        let size = self.size;
        let mut lower = Mat::from_fn(size, size, |i, j| if j <= i { self.at(i, j) } else { 0.0 });
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
        let (regularization, settings) = (Default::default(), Default::default());
        let stack = &mut MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            lower.as_mut(),
            regularization,
            Par::Seq,
            MemStack::new(stack),
            settings,
        )
        .ok()?;
        let cells = (0..size * size).map(|cell| {
            let (i, j) = (cell / size, cell % size);
            if j <= i { lower[(i, j)] } else { 0.0 }
        });
        let lower = Self { size, cells: cells.collect() };
        (0..size).all(|i| lower.at(i, i) > 0.0).then_some(lower)
    }

    /// L^-1 B for a lower triangle L, B having as many rows: `[size, columns]`, row by row.
    pub fn forward_all(&self, right: &mut [f64], columns: usize) {
        let lower = MatRef::from_row_major_slice(&self.cells, self.size, self.size);
        let right = MatMut::from_row_major_slice_mut(right, self.size, columns);
        solve_lower_triangular_in_place(lower, right, Par::Seq);
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }

    /// Replaces v by L^-1 v, for a lower triangle.
    pub fn forward(&self, v: &mut [f64]) {
        for i in 0..self.size {
            let known = dot(&self.row(i)[..i], &v[..i]);
            v[i] = (v[i] - known) / self.at(i, i);
        }
    }

    /// L v, for a lower triangle.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(&self.row(i)[..=i], &v[..=i])).collect()
    }

    /// (L L')^-1, for a lower triangle.
    pub fn inverse_of_product(&self) -> Self {
        let size = self.size;
        if size > BLOCKED {
            // H = L^-1, and the inverse is H' H.
            let mut half = Self::identity(size);
            self.forward_all(&mut half.cells, size);
            let mut inverse = Self::zero(size);
            let half = MatRef::from_row_major_slice(&half.cells, size, size);
            let into = MatMut::from_row_major_slice_mut(&mut inverse.cells, size, size);
            matmul(into, Accum::Replace, half.transpose(), half, 1.0, Par::Seq);
            return inverse;
        }
        // Rows of M = L^-1 transposed: column j of L^-1 solves L x = e_j and starts at j.
        let mut columns = Self::zero(size);
        for j in 0..size {
            let column = &mut columns.cells[j * size..(j + 1) * size];
            column[j] = 1.0 / self.at(j, j);
            for i in j + 1..size {
                column[i] = -dot(&self.row(i)[j..i], &column[j..i]) / self.at(i, i);
            }
        }
        let mut inverse = Self::zero(size);
        for i in 0..size {
            for j in 0..=i {
                let product = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                (*inverse.at_mut(i, j), *inverse.at_mut(j, i)) = (product, product);
            }
        }
        inverse
    }

    /// Replaces v by L'^-1 v, for a lower triangle.
    pub fn backward(&self, v: &mut [f64]) {
        for i in (0..self.size).rev() {
            v[i] /= self.at(i, i);
            let value = v[i];
            v[..i].iter_mut().zip(self.row(i)).for_each(|(rest, cell)| *rest -= value * cell);
        }
    }
}

/// The inner product, summed in four lanes so that the compiler can use wide registers.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<4>();
    let (b_lanes, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// The rows of one pattern: what is observed, how many, their mean and scatter.
#[derive(Debug, Clone)]
pub(super) struct PatternMoments {
    pub observed: Vec<usize>,
    pub missing: Vec<usize>,
    pub count: f64,
    /// One mean per observed column.
    pub mean: Vec<f64>,
    /// Sums of products of deviations from the mean, observed x observed.
    pub scatter: Square,
}

impl PatternMoments {
    /// The moments of rows with the same holes; `row(r)` gives the values of the observed columns.
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
        let missing = (0..columns).filter(|column| !observed.contains(column)).collect();
        Self { observed, missing, count, mean, scatter }
    }

    /// Mean of the pattern minus mu, over the observed columns.
    pub fn shift(&self, mu: &[f64]) -> Vec<f64> {
        self.mean.iter().zip(&self.observed).map(|(mean, &j)| mean - mu[j]).collect()
    }

    /// The E step: adds t and T (full size) to the sums.
    fn expect(&self, normal: &Normal, smallest: f64, sums: &mut Sums) -> Result<(), usize> {
        let (o, m, n) = (&self.observed, &self.missing, self.count);
        let sigma = &normal.sigma;
        let lower = sigma.part(o).cholesky(smallest).map_err(|position| o[position])?;
        let d = self.shift(&normal.mu);
        let mut a = self.scatter.clone();
        for i in 0..o.len() {
            for j in 0..o.len() {
                *a.at_mut(i, j) += n * d[i] * d[j];
            }
        }
        for (i, &row) in o.iter().enumerate() {
            sums.t[row] += n * d[i];
            for (j, &column) in o.iter().enumerate() {
                *sums.squares.at_mut(row, column) += a.at(i, j);
            }
        }
        // b: m x o, one solved row per missing column; ba = B A.
        let solve = |&row: &usize| {
            let mut line: Vec<f64> = o.iter().map(|&column| sigma.at(row, column)).collect();
            lower.forward(&mut line);
            lower.backward(&mut line);
            line
        };
        let b: Vec<Vec<f64>> = m.iter().map(solve).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for (line, &row) in b.iter().zip(m) {
            sums.t[row] += n * dot(line, &d);
            let ba: Vec<f64> = a.cells.chunks_exact(o.len()).map(|a_row| dot(line, a_row)).collect();
            for (value, &column) in ba.iter().zip(o) {
                *sums.squares.at_mut(row, column) += value;
                *sums.squares.at_mut(column, row) += value;
            }
            for (other, &column) in b.iter().zip(m) {
                let explained: f64 = line.iter().zip(o).map(|(b, &j)| b * sigma.at(j, column)).sum();
                *sums.squares.at_mut(row, column) +=
                    dot(&ba, other) + n * (sigma.at(row, column) - explained);
            }
        }
        Ok(())
    }
}

/// Sums over rows of expected deviations (t) and products of deviations (T).
struct Sums {
    t: Vec<f64>,
    squares: Square,
}

/// Mean and covariance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Normal {
    pub mu: Vec<f64>,
    pub sigma: Square,
}

/// What expectation-maximisation came to.
pub(super) struct Fitted {
    pub normal: Normal,
    pub iterations: usize,
    /// Whether the last step was below the tolerance.
    pub converged: bool,
}

/// Maximum likelihood for standardised columns, started from mean 0 and unit covariance.
///
/// # Errors
/// The position of a column that is (nearly) a combination of others: its variance given those before it fell
/// to `smallest` or below.
pub(super) fn fit(
    patterns: &[PatternMoments],
    columns: usize,
    smallest: f64,
    iterations: usize,
    tolerance: f64,
) -> Result<Fitted, usize> {
    let mut normal = Normal { mu: vec![0.0; columns], sigma: Square::zero(columns) };
    (0..columns).for_each(|j| *normal.sigma.at_mut(j, j) = 1.0);
    for iteration in 1..=iterations {
        let next = step(patterns, &normal, smallest)?;
        let moved = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let change = moved(&next.mu, &normal.mu).max(moved(&next.sigma.cells, &normal.sigma.cells));
        normal = next;
        if change < tolerance {
            normal.sigma.cholesky(smallest)?;
            return Ok(Fitted { normal, iterations: iteration, converged: true });
        }
    }
    normal.sigma.cholesky(smallest)?;
    Ok(Fitted { normal, iterations, converged: false })
}

fn step(patterns: &[PatternMoments], normal: &Normal, smallest: f64) -> Result<Normal, usize> {
    let columns = normal.mu.len();
    let empty = || Sums { t: vec![0.0; columns], squares: Square::zero(columns) };
    let add = |part: &[PatternMoments]| {
        let mut sums = empty();
        part.iter().try_for_each(|pattern| pattern.expect(normal, smallest, &mut sums)).map(|()| sums)
    };
    let parts: Vec<Result<Sums, usize>> = patterns.par_chunks(CHUNK).map(add).collect();
    let mut total = empty();
    for part in parts {
        let part = part?;
        total.t.iter_mut().zip(&part.t).for_each(|(sum, t)| *sum += t);
        total.squares.cells.iter_mut().zip(&part.squares.cells).for_each(|(sum, t)| *sum += t);
    }
    let count: f64 = patterns.iter().map(|pattern| pattern.count).sum();
    let t: Vec<f64> = total.t.iter().map(|t| t / count).collect();
    let mut sigma = total.squares;
    for i in 0..columns {
        for j in 0..columns {
            *sigma.at_mut(i, j) = sigma.at(i, j) / count - t[i] * t[j];
        }
    }
    Ok(Normal { mu: normal.mu.iter().zip(&t).map(|(mu, t)| mu + t).collect(), sigma })
}

#[cfg(test)]
mod tests;
