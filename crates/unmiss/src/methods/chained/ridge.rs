//! Ridge regression whose strength the data choose.
//!
//! With noise precision α and weight precision λ, the evidence of both is maximal where
//!
//! ```text
//! γ = Σ α s_i / (α s_i + λ)      λ = γ / |w|²      α = (n - γ) / |y - Xw|²
//! ```
//!
//! s_i being the eigenvalues of X'X. The weights are then normal with mean w and covariance V (α s + λ)⁻¹ V'.

use crate::linalg::{Mat, eigen};

/// Steps towards the maximum, which is flat.
const STEPS: usize = 30;

/// A fitted line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// One weight per predictor.
    pub weights: Vec<f64>,
    /// Where all predictors are 0.
    pub bias: f64,
    /// Standard deviation of the noise.
    pub noise: f64,
    /// `[predictors, predictors]`: F with F F' the covariance of the weights.
    pub factor: Vec<f64>,
    /// Means of the predictors, about which the weights turn.
    pub center: Vec<f64>,
}

/// Sums over rows: how many, of the predictors, of their products, and with the target.
pub struct Sums {
    /// Rows.
    pub count: f64,
    /// Σ x.
    pub x: Vec<f64>,
    /// Σ x x', `[predictors, predictors]`.
    pub xx: Vec<f64>,
    /// Σ x y.
    pub xy: Vec<f64>,
    /// Σ y.
    pub y: f64,
    /// Σ y².
    pub yy: f64,
}

/// Fits a line to sums; the mean alone where the sums allow no more.
pub fn fit(sums: &Sums) -> Line {
    let size = sums.x.len();
    let n = sums.count.max(1.0);
    let mean_y = sums.y / n;
    let center: Vec<f64> = sums.x.iter().map(|x| x / n).collect();
    let spread = (sums.yy / n - mean_y * mean_y).max(0.0);
    let flat = Line {
        weights: vec![0.0; size],
        bias: mean_y,
        noise: spread.sqrt(),
        factor: vec![0.0; size * size],
        center: center.clone(),
    };
    if sums.count < 3.0 || spread < 1e-12 || size == 0 {
        return flat;
    }
    let centered = Mat::from_fn(size, size, |i, j| sums.xx[i * size + j] - n * center[i] * center[j]);
    let Some((values, vectors)) = eigen(&centered) else { return flat };
    let values: Vec<f64> = values.into_iter().map(|value| value.max(0.0)).collect();
    let xy: Vec<f64> = (0..size).map(|i| sums.xy[i] - n * center[i] * mean_y).collect();
    // q = V' X'y: everything below is one number per eigenvector.
    let q: Vec<f64> = (0..size).map(|k| (0..size).map(|i| vectors[(i, k)] * xy[i]).sum()).collect();
    let (alpha, lambda, w) = maximise(&values, &q, n * spread, n);
    let weights: Vec<f64> = (0..size).map(|i| (0..size).map(|k| vectors[(i, k)] * w[k]).sum()).collect();
    let bias = mean_y - weights.iter().zip(&center).map(|(w, c)| w * c).sum::<f64>();
    let open: Vec<f64> = values.iter().map(|s| 1.0 / (alpha * s + lambda).sqrt()).collect();
    let factor =
        (0..size * size).map(|cell| vectors[(cell / size, cell % size)] * open[cell % size]).collect();
    Line { weights, bias, noise: (1.0 / alpha).sqrt(), factor, center }
}

/// α, λ and the weights along the eigenvectors at the maximum of the evidence.
fn maximise(values: &[f64], q: &[f64], yy: f64, n: f64) -> (f64, f64, Vec<f64>) {
    let (mut alpha, mut lambda) = (n / yy, 1.0);
    let weights = |alpha: f64, lambda: f64| -> Vec<f64> {
        values.iter().zip(q).map(|(s, q)| alpha * q / (alpha * s + lambda)).collect()
    };
    for _ in 0..STEPS {
        let w = weights(alpha, lambda);
        let gamma: f64 = values.iter().map(|s| alpha * s / (alpha * s + lambda)).sum();
        let fitted: f64 = w.iter().zip(values).zip(q).map(|((w, s), q)| w * (2.0 * q - s * w)).sum();
        let length: f64 = w.iter().map(|w| w * w).sum();
        let next = (gamma / length.max(1e-12)).clamp(1e-9, 1e9);
        alpha = ((n - gamma).max(1.0) / (yy - fitted).max(1e-9 * yy)).clamp(1e-12, 1e12);
        if (next - lambda).abs() < 1e-4 * lambda {
            lambda = next;
            break;
        }
        lambda = next;
    }
    let w = weights(alpha, lambda);
    (alpha, lambda, w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn sums(rows: usize, noise: f64) -> Sums {
        let mut stream = Stream::new(1, "chained ridge", rows as u64, 0);
        let mut sums =
            Sums { count: 0.0, x: vec![0.0; 2], xx: vec![0.0; 4], xy: vec![0.0; 2], y: 0.0, yy: 0.0 };
        for _ in 0..rows {
            let x = [stream.normal(), 3.0 + stream.normal()];
            let y = 1.0 + 2.0 * x[0] - 0.5 * x[1] + noise * stream.normal();
            sums.count += 1.0;
            (sums.y, sums.yy) = (sums.y + y, sums.yy + y * y);
            for i in 0..2 {
                sums.x[i] += x[i];
                sums.xy[i] += x[i] * y;
                (0..2).for_each(|j| sums.xx[i * 2 + j] += x[i] * x[j]);
            }
        }
        sums
    }

    #[test]
    fn a_line_is_found_with_its_noise() {
        let line = fit(&sums(2000, 0.7));
        assert!((line.weights[0] - 2.0).abs() < 0.05 && (line.weights[1] + 0.5).abs() < 0.05, "{line:?}");
        assert!((line.bias - 1.0).abs() < 0.15 && (line.noise - 0.7).abs() < 0.03);
        // The weights of independent standard normal predictors are known to noise / √n.
        let deviation = (line.factor[0].powi(2) + line.factor[1].powi(2)).sqrt();
        assert!((deviation - 0.7 / 2000_f64.sqrt()).abs() < 0.002, "{deviation}");
    }

    #[test]
    fn noise_alone_is_shrunk_to_nothing_and_few_rows_to_the_mean() {
        let mut alone = sums(200, 0.7);
        alone.xy = vec![3.0, 3.0 * alone.y];
        (alone.y, alone.xy[1]) = (0.0, 5.0);
        assert!(fit(&alone).weights.iter().all(|weight| weight.abs() < 0.1));
        let two = fit(&sums(2, 0.7));
        assert_eq!(two.weights, [0.0, 0.0]);
    }
}
