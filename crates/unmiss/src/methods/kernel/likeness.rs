//! The expected likeness of two clouds, of one row with eight at a time.
//!
//! ```text
//! E k(a, b) = Π_j (1 + 2 γ s_j)^-½ exp(-γ (m_aj - m_bj)² / (1 + 2 γ s_j)),   s_j = v_aj + v_bj
//! ```

use rayon::prelude::*;

use super::clouds::Clouds;
use crate::linalg::Mat;
use crate::linalg::registers::vectorised;

/// Rows that are compared at a time.
const LANES: usize = 8;
type Lane = [f32; LANES];

/// Rows laid out for comparison, `[blocks, coordinates, lanes]` of means and variances.
pub struct Laid {
    cells: Vec<(Lane, Lane)>,
    coordinates: usize,
    rows: usize,
}

impl Laid {
    /// Lays rows out; a last block is filled up with its first row.
    pub fn new(clouds: &Clouds) -> Self {
        let (rows, coordinates) = (clouds.rows(), clouds.coordinates);
        let mut cells = Vec::with_capacity(rows.div_ceil(LANES) * coordinates);
        for first in (0..rows).step_by(LANES) {
            for coordinate in 0..coordinates {
                let cell = |lane: usize| {
                    (if first + lane < rows { first + lane } else { first }) * coordinates + coordinate
                };
                let lanes = |of: &[f32]| std::array::from_fn(|lane| of[cell(lane)]);
                cells.push((lanes(&clouds.means), lanes(&clouds.variances)));
            }
        }
        Self { cells, coordinates, rows }
    }

    /// `[rows]`: how alike a cloud is to each of the rows.
    pub fn likeness(&self, means: &[f32], variances: &[f32], gamma: f32, into: &mut Vec<f64>) {
        into.clear();
        for block in self.cells.chunks_exact(self.coordinates.max(1)) {
            let (exponents, products) = sums(block, means, variances, gamma);
            for (exponent, product) in exponents.iter().zip(products) {
                into.push(f64::from(-exponent).exp() / f64::from(product).sqrt());
            }
        }
        into.truncate(self.rows);
    }
}

vectorised! {
    /// Of each lane Σ_j γ (m_aj - m_bj)² / (1 + 2 γ s_j) and Π_j (1 + 2 γ s_j).
    fn sums(block: &[(Lane, Lane)], means: &[f32], variances: &[f32], gamma: f32) -> (Lane, Lane) {
        let (mut exponents, mut products) = ([0.0_f32; LANES], [1.0_f32; LANES]);
        for (((own, open), mean), variance) in block.iter().zip(means).zip(variances) {
            for lane in 0..LANES {
                let wider = 1.0 + 2.0 * gamma * (open[lane] + variance);
                let apart = own[lane] - mean;
                exponents[lane] += gamma * apart * apart / wider;
                products[lane] *= wider;
            }
        }
        (exponents, products)
    }
}

/// The lower triangle of the likeness of all rows with each other, and what stands above it.
pub fn matrix(clouds: &Clouds, gamma: f32) -> Mat<f64> {
    let (laid, rows, coordinates) = (Laid::new(clouds), clouds.rows(), clouds.coordinates);
    let lines: Vec<Vec<f64>> = (0..rows)
        .into_par_iter()
        .with_min_len(16)
        .map(|row| {
            let own = row * coordinates..(row + 1) * coordinates;
            let mut line = Vec::new();
            laid.likeness(&clouds.means[own.clone()], &clouds.variances[own], gamma, &mut line);
            line
        })
        .collect();
    Mat::from_fn(rows, rows, |row, column| lines[row.max(column)][row.min(column)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn clouds() -> Clouds {
        let mut stream = Stream::new(1, "clouds", 0, 0);
        let means = (0..11 * 3).map(|_| stream.normal() as f32).collect();
        let variances = (0..11 * 3).map(|cell| if cell % 4 == 0 { stream.uniform() as f32 } else { 0.0 });
        Clouds { means, variances: variances.collect(), coordinates: 3, marks: 0 }
    }

    /// The formula against the mean over many draws of both rows.
    #[test]
    fn the_expectation_is_that_of_draws() {
        let (clouds, gamma) = (clouds(), 0.4);
        let laid = Laid::new(&clouds);
        let mut stream = Stream::new(2, "draws", 0, 0);
        for (a, b) in [(0, 10), (4, 8), (3, 3)] {
            let mut line = Vec::new();
            let own = a * 3..(a + 1) * 3;
            laid.likeness(&clouds.means[own.clone()], &clouds.variances[own], gamma, &mut line);
            let draws = 40_000;
            let mut sum = 0.0;
            for _ in 0..draws {
                let mut distance = 0.0;
                for coordinate in 0..3 {
                    let mut at = |row: usize| {
                        let cell = row * 3 + coordinate;
                        f64::from(clouds.means[cell])
                            + f64::from(clouds.variances[cell]).sqrt() * stream.normal()
                    };
                    distance += (at(a) - at(b)).powi(2);
                }
                sum += (-f64::from(gamma) * distance).exp();
            }
            assert!(
                (line[b] - sum / f64::from(draws)).abs() < 0.006,
                "{} {}",
                line[b],
                sum / f64::from(draws)
            );
        }
    }

    #[test]
    fn known_rows_have_the_plain_kernel() {
        let mut clouds = clouds();
        clouds.variances.fill(0.0);
        let kernel = matrix(&clouds, 0.7);
        for (a, b) in [(0, 0), (2, 9), (10, 1)] {
            let apart = |c: usize| f64::from(clouds.means[a * 3 + c] - clouds.means[b * 3 + c]);
            let plain = (-0.7 * (0..3).map(|c| apart(c).powi(2)).sum::<f64>()).exp();
            assert!((kernel[(a, b)] - plain).abs() < 1e-5, "{} {plain}", kernel[(a, b)]);
        }
    }
}
