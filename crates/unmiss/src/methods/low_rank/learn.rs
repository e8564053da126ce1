//! Learning the factors by expectation-maximisation, written as a few large matrix products.
//!
//! For all rows at once, with the marks O: [rows, columns] as 0 and 1 and the deviations D, 0 where missing:
//!
//! ```text
//! every A = I + O P            P: [columns, pairs], row j holds w_j w_j' / ψ_j (lower triangle)
//! every u = (ẑ, 1), E = A⁻¹ + ẑ ẑ' bordered by ẑ and 1
//! S = O' E, t = D' u           for column j: (S_j + ridge) c_j = t_j, c_j = (w_j, shift of the mean)
//! ψ_j = (Σ D_j² - 2 c_j t_j + c_j' S_j c_j + ridge w_j²) / rows that know j
//! ```
//!
//! After each round the causes are turned and scaled so that they have mean 0 and covariance I over the rows
//! (parameter expansion), which saves most of the rounds.

use rayon::prelude::*;

use super::factors::Factors;
use crate::linalg::{Holes, Square, add_crossed, add_product, dot, pairs, unpack};
use crate::rng::Stream;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 512;
/// Chunks at work before their sums are added.
const WAVE: usize = 8;
/// No column is explained better than this: the share of its variance that stays noise.
const LEAST_NOISE: f64 = 1e-3;

/// When learning ends, and how strongly loadings are held back.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// Held against every squared loading, in units of rows.
    pub ridge: f64,
    /// Rounds, at most.
    pub rounds: usize,
    /// A round that moves the mean noise less than this is the last.
    pub tolerance: f64,
}

/// Learns `count` factors from the given rows. `listen` hears the change of every round and may end it with `false`.
pub fn learn(
    data: Holes<'_>,
    rows: &[usize],
    count: usize,
    course: Course,
    seed: u64,
    mut listen: impl FnMut(usize, f64) -> bool,
) -> Factors {
    let mut factors = start(data, rows, count, seed);
    for round in 1..=course.rounds {
        let next = factors.round(data, rows, course.ridge);
        let mean = |factors: &Factors| factors.noise.iter().sum::<f64>() / factors.noise.len().max(1) as f64;
        let change = (mean(&next) - mean(&factors)).abs();
        factors = next;
        // The first round only finds the directions: its noise is still that of the start.
        if !listen(round, change) || (round > 2 && change < course.tolerance) {
            break;
        }
    }
    factors
}

/// The means of the known cells, small loadings by chance, noise 1.
fn start(data: Holes<'_>, rows: &[usize], count: usize, seed: u64) -> Factors {
    let (mut sums, mut known) = (vec![0.0; data.columns], vec![0.0; data.columns]);
    for &row in rows {
        for (column, _) in data.marks(row).iter().enumerate().filter(|(_, observed)| **observed) {
            sums[column] += f64::from(data.values[row * data.columns + column]);
            known[column] += 1.0;
        }
    }
    let mean = sums.iter().zip(&known).map(|(sum, known)| sum / f64::max(*known, 1.0)).collect();
    let mut stream = Stream::new(seed, "factor loadings", 0, 0);
    let loadings = (0..data.columns * count).map(|_| 0.3 * stream.normal()).collect();
    Factors { count, mean, loadings, noise: vec![1.0; data.columns] }
}

/// Sums over rows that a round needs.
struct Sums {
    /// `[columns, pairs of u]`: S.
    products: Vec<f64>,
    /// `[columns, u]`: t.
    cross: Vec<f64>,
    /// `[columns]`: sums of squared deviations.
    squares: Vec<f64>,
    /// `[pairs of u]`: the sum of E over all rows.
    causes: Vec<f64>,
}

impl Factors {
    fn round(&self, data: Holes<'_>, rows: &[usize], ridge: f64) -> Self {
        let triangles = self.triangles();
        let scaled: Vec<f64> =
            self.loadings.iter().enumerate().map(|(cell, w)| w / self.noise[cell / self.count]).collect();
        let mut sums = Sums::zero(data.columns, self.count);
        let chunks: Vec<&[usize]> = rows.chunks(CHUNK).collect();
        for wave in chunks.chunks(WAVE) {
            let parts: Vec<Sums> =
                wave.par_iter().map(|rows| self.expect(data, rows, &triangles, &scaled)).collect();
            parts.iter().for_each(|part| sums.add(part));
        }
        self.maximise(&sums, rows.len() as f64, ridge)
    }

    /// P: `[columns, pairs]`.
    fn triangles(&self) -> Vec<f64> {
        let mut triangles = Vec::with_capacity(self.mean.len() * pairs(self.count));
        for column in 0..self.mean.len() {
            let loading = self.loading(column);
            for i in 0..self.count {
                triangles.extend(loading[..=i].iter().map(|w| loading[i] * w / self.noise[column]));
            }
        }
        triangles
    }

    /// The sums over some rows, given the old model.
    fn expect(&self, data: Holes<'_>, rows: &[usize], triangles: &[f64], scaled: &[f64]) -> Sums {
        let (columns, count) = (data.columns, self.count);
        let mut deviations = vec![0.0; rows.len() * columns];
        let mut marks = Vec::with_capacity(rows.len() * columns);
        for (line, &row) in deviations.chunks_exact_mut(columns).zip(rows) {
            data.deviations(row, &self.mean, line);
            marks.extend(data.marks(row).iter().map(|observed| f64::from(u8::from(*observed))));
        }
        let (marks, distances) = ((&marks[..], columns), (&deviations[..], columns));
        let (mut precisions, mut causes) =
            (vec![0.0; rows.len() * pairs(count)], vec![0.0; rows.len() * count]);
        add_product(&mut precisions, marks, (triangles, pairs(count)));
        add_product(&mut causes, distances, (scaled, count));
        let (expected, extended) = posterior(&precisions, &mut causes, count);
        let mut sums = Sums::zero(columns, count);
        add_crossed(&mut sums.products, marks, (&expected, pairs(count + 1)), 1.0);
        add_crossed(&mut sums.cross, distances, (&extended, count + 1), 1.0);
        for line in deviations.chunks_exact(columns) {
            sums.squares.iter_mut().zip(line).for_each(|(sum, value)| *sum += value * value);
        }
        for triangle in expected.chunks_exact(pairs(count + 1)) {
            sums.causes.iter_mut().zip(triangle).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// New loadings, means and noise from the sums, column by column.
    fn maximise(&self, sums: &Sums, rows: f64, ridge: f64) -> Self {
        let size = self.count + 1;
        let column = |column: usize| {
            let products = unpack(&sums.products[column * pairs(size)..(column + 1) * pairs(size)], size);
            let cross = &sums.cross[column * size..(column + 1) * size];
            let known = products.at(size - 1, size - 1);
            let mut system = products.clone();
            (0..self.count).for_each(|i| *system.at_mut(i, i) += ridge);
            let mut solution = cross.to_vec();
            let Ok(lower) = system.cholesky(0.0) else {
                // A column that no row knows: it stays as it is.
                return (self.loading(column).to_vec(), self.mean[column], self.noise[column]);
            };
            lower.forward(&mut solution);
            lower.backward(&mut solution);
            // c' (S + ridge) c = c' t at the solution, so the sum of all but Σ D² is - c' t.
            let noise = (sums.squares[column] - dot(&solution, cross)).max(0.0) / known;
            let shift = solution.pop().unwrap_or(0.0);
            (solution, self.mean[column] + shift, noise.max(LEAST_NOISE))
        };
        let columns: Vec<(Vec<f64>, f64, f64)> =
            (0..self.mean.len()).into_par_iter().with_min_len(16).map(column).collect();
        let (mean, noise) = columns.iter().map(|(_, mean, noise)| (*mean, *noise)).unzip();
        let loadings = columns.into_iter().flat_map(|(loadings, ..)| loadings).collect();
        let mut next = Self { count: self.count, mean, loadings, noise };
        next.standardise(&sums.causes, rows);
        next
    }

    /// Gives the causes mean 0 and covariance I over the rows: μ += W z̄, W <- W L with L L' = cov(z).
    fn standardise(&mut self, causes: &[f64], rows: f64) {
        let all = unpack(causes, self.count + 1);
        let center: Vec<f64> = all.row(self.count)[..self.count].iter().map(|sum| sum / rows).collect();
        let mut covariance = Square::zero(self.count);
        for i in 0..self.count {
            for j in 0..self.count {
                *covariance.at_mut(i, j) = all.at(i, j) / rows - center[i] * center[j];
            }
        }
        let Ok(lower) = covariance.cholesky(0.0) else { return };
        for (column, loading) in self.loadings.chunks_exact_mut(self.count).enumerate() {
            self.mean[column] += dot(loading, &center);
            // Row w L: entry j needs w_i for i >= j only, so it can be written in place.
            for j in 0..loading.len() {
                loading[j] = (j..loading.len()).map(|i| loading[i] * lower.at(i, j)).sum();
            }
        }
    }
}

/// For every row, from A - I and Σ w x / ψ: E packed, `[rows, pairs of u]`, and u = (ẑ, 1), `[rows, u]`.
fn posterior(precisions: &[f64], causes: &mut [f64], count: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut expected, mut extended) = (Vec::new(), Vec::new());
    for (packed, z) in precisions.chunks_exact(pairs(count)).zip(causes.chunks_exact_mut(count)) {
        let mut precision = unpack(packed, count);
        (0..count).for_each(|i| *precision.at_mut(i, i) += 1.0);
        let lower = precision.cholesky(0.0).unwrap_or_else(|_| Square::identity(count));
        lower.forward(z);
        lower.backward(z);
        let open = lower.inverse_of_product();
        for i in 0..count {
            expected.extend((0..=i).map(|j| open.at(i, j) + z[i] * z[j]));
        }
        expected.extend(z.iter().chain(&[1.0]));
        extended.extend(z.iter().chain(&[1.0]));
    }
    (expected, extended)
}

impl Sums {
    fn zero(columns: usize, count: usize) -> Self {
        Self {
            products: vec![0.0; columns * pairs(count + 1)],
            cross: vec![0.0; columns * (count + 1)],
            squares: vec![0.0; columns],
            causes: vec![0.0; pairs(count + 1)],
        }
    }

    fn add(&mut self, other: &Self) {
        let add = |into: &mut [f64], from: &[f64]| {
            into.iter_mut().zip(from).for_each(|(sum, value)| *sum += value);
        };
        add(&mut self.products, &other.products);
        add(&mut self.cross, &other.cross);
        add(&mut self.squares, &other.squares);
        add(&mut self.causes, &other.causes);
    }
}

#[cfg(test)]
mod tests;
