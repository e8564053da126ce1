//! Mean and covariance drawn from what finitely many rows leave open about them.
//!
//! With n rows' worth of known cells and the estimate μ̂, Σ̂ = L L',
//!
//! ```text
//! Σ ~ inverse Wishart(n Σ̂, n)    drawn as  n L (A A')⁻¹ L',  A lower triangular (Bartlett)
//! μ ~ N(μ̂, Σ / n)
//! ```

use crate::linalg::{Normal, Square};
use crate::rng::Stream;

/// Draws a distribution around the estimate; `None` where the rows are too few to say anything.
pub fn draw(estimate: &Normal, rows: f64, stream: &mut Stream) -> Option<Normal> {
    let size = estimate.mean.len();
    // Fewer rows than columns leave the covariance open without bounds: as many as columns are pretended.
    let freedom = rows.max(size as f64 + 2.0);
    let lower = estimate.covariance.cholesky(0.0).ok()?;
    let mut bartlett = Square::zero(size);
    for i in 0..size {
        *bartlett.at_mut(i, i) = chi_squared(freedom - i as f64, stream).sqrt();
        for j in 0..i {
            *bartlett.at_mut(i, j) = stream.normal();
        }
    }
    let inner = bartlett.inverse_of_product();
    // Σ = n L inner L', row by row.
    let half: Vec<Vec<f64>> = (0..size).map(|column| lower.times(inner.row(column))).collect();
    let row = |i: usize| lower.times(&half.iter().map(|line| line[i]).collect::<Vec<f64>>());
    let cells = (0..size).flat_map(row).map(|value| freedom * value).collect();
    let covariance = Square { size, cells };
    let spread = covariance.cholesky(0.0).ok()?;
    let noise: Vec<f64> = (0..size).map(|_| stream.normal()).collect();
    let shift = spread.times(&noise);
    let mean = estimate.mean.iter().zip(shift).map(|(mean, shift)| mean + shift / freedom.sqrt()).collect();
    Some(Normal::from_parts(mean, covariance.cells))
}

/// A draw from the chi-squared distribution with k degrees of freedom, k at least 2.
fn chi_squared(k: f64, stream: &mut Stream) -> f64 {
    2.0 * stream.gamma(k / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_has_its_mean_and_variance() {
        let mut stream = Stream::new(1, "chi", 0, 0);
        let values: Vec<f64> = (0..20_000).map(|_| chi_squared(7.0, &mut stream)).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 7.0).abs() < 0.1 && (variance - 14.0).abs() < 0.6, "{mean} {variance}");
    }

    #[test]
    fn draws_lie_around_the_estimate_and_nearer_with_more_rows() {
        let estimate = Normal::from_parts(vec![1.0, -1.0], vec![2.0, 0.8, 0.8, 1.0]);
        let spread = |rows: f64| {
            let mut stream = Stream::new(1, "posterior", 0, 0);
            let drawn: Vec<Normal> = (0..3000).filter_map(|_| draw(&estimate, rows, &mut stream)).collect();
            let covariances: Vec<f64> = drawn.iter().map(|normal| normal.covariance.at(0, 1)).collect();
            let mean = covariances.iter().sum::<f64>() / 3000.0;
            let deviation = covariances.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 3000.0;
            (mean, deviation.sqrt(), drawn.iter().map(|normal| normal.mean[0]).sum::<f64>() / 3000.0)
        };
        // The mean of the inverse Wishart is n Σ̂ / (n - p - 1).
        let (mean, deviation, center) = spread(50.0);
        assert!((mean - 0.8 * 50.0 / 47.0).abs() < 0.03 && (center - 1.0).abs() < 0.02, "{mean} {center}");
        assert!(spread(5000.0).1 < 0.2 * deviation);
    }
}
