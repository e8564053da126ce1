//! Ridge regression whose strength the data choose.
//!
//! With noise precision α and weight precision λ, the evidence of both is maximal where
//!
//! ```text
//! γ = Σ α s_i / (α s_i + λ)      λ = γ / |w|²      α = (n - γ) / |y - Xw|²
//! ```
//!
//! s_i being the eigenvalues of X'X. The weights are then normal with mean w and covariance V (α s + λ)⁻¹ V'. Guesses
//! use it always, draws only where rows are few: there the noise is drawn first (noise² ν / χ²_ν), then weights.

use crate::linalg::{Mat, dot, eigen};
use crate::rng::Stream;

/// Steps towards the maximum, which is flat.
const STEPS: usize = 30;

/// Rows beyond coefficients from which on weights need no shrinking, and three for each of these.
const FEWEST_DEGREES: f64 = 10.0;
/// Variance among the known rows below which a direction says nothing; columns have variance 1 over all rows.
const LEAST_VARIANCE: f64 = 1e-4;

/// A fitted line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// One weight per predictor.
    pub weights: Vec<f64>,
    /// Where all predictors are 0.
    pub bias: f64,
    /// Standard deviation of the noise.
    pub noise: f64,
}

/// What the rows leave open about a line.
pub struct Posterior {
    /// The likeliest line.
    pub line: Line,
    /// `[predictors, predictors]`: F with noise² F F' the covariance of the weights.
    factor: Vec<f64>,
    /// Means of the predictors, about which the weights turn.
    center: Vec<f64>,
    /// Rows.
    count: f64,
    /// Degrees of freedom of the noise.
    degrees: f64,
}

impl Posterior {
    /// A plausible line: noise first, then, given it, the mean and the weights.
    pub fn draw(&self, stream: &mut Stream) -> Line {
        let size = self.line.weights.len();
        let chi_squared = 2.0 * stream.gamma(self.degrees / 2.0);
        let noise = self.line.noise * (self.degrees / chi_squared).sqrt();
        let z: Vec<f64> = (0..size).map(|_| noise * stream.normal()).collect();
        let shift = |i: usize| dot(&self.factor[i * size..(i + 1) * size], &z);
        let weights: Vec<f64> = (0..size).map(|i| self.line.weights[i] + shift(i)).collect();
        let turned =
            self.line.weights.iter().zip(&weights).zip(&self.center).map(|((old, new), c)| (old - new) * c);
        let bias = self.line.bias + turned.sum::<f64>() + noise * stream.normal() / self.count.sqrt();
        Line { weights, bias, noise }
    }
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
    shrunk(sums).line
}

/// What sums say and leave open about a line. Without shrinking where there are rows enough, as that would bias the
/// answers of whoever analyses the draws: the noise has as many degrees of freedom as rows beyond coefficients. With
/// few rows for the predictors the shrunk line.
///
/// Either way nothing is made of directions in which the known rows hardly vary: a column that is constant wherever
/// this one is known (a source that never measured it) says nothing about it, and any weight would be as plausible.
pub fn posterior(sums: &Sums) -> Posterior {
    let size = sums.x.len() as f64;
    let degrees = sums.count - 1.0 - size;
    if degrees < FEWEST_DEGREES.max(3.0 * size) { shrunk(sums) } else { fitted(sums, false) }
}

fn shrunk(sums: &Sums) -> Posterior {
    fitted(sums, true)
}

/// The line along the eigenvectors of the predictors' products, where everything is one number each.
fn fitted(sums: &Sums, shrinks: bool) -> Posterior {
    let size = sums.x.len();
    let n = sums.count.max(1.0);
    let mean_y = sums.y / n;
    let center: Vec<f64> = sums.x.iter().map(|x| x / n).collect();
    let spread = (sums.yy / n - mean_y * mean_y).max(0.0);
    let flat = Posterior {
        line: Line { weights: vec![0.0; size], bias: mean_y, noise: spread.sqrt() },
        factor: vec![0.0; size * size],
        center: center.clone(),
        count: n,
        degrees: (n - 1.0).max(2.0),
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
    let varies: Vec<bool> = values.iter().map(|value| *value > LEAST_VARIANCE * n).collect();
    let (alpha, lambda, w) = match shrinks {
        true => maximise(&values, &q, n * spread, n),
        false => least_squares(&values, &q, &varies, (n * spread, n)),
    };
    let weights: Vec<f64> = (0..size).map(|i| (0..size).map(|k| vectors[(i, k)] * w[k]).sum()).collect();
    let bias = mean_y - weights.iter().zip(&center).map(|(w, c)| w * c).sum::<f64>();
    let open =
        |(value, varies): (&f64, &bool)| if *varies { 1.0 / (value + lambda / alpha).sqrt() } else { 0.0 };
    let open: Vec<f64> = values.iter().zip(&varies).map(open).collect();
    let factor =
        (0..size * size).map(|cell| vectors[(cell / size, cell % size)] * open[cell % size]).collect();
    let told = values.iter().zip(&varies).filter(|(_, varies)| **varies);
    let gamma: f64 = told.map(|(s, _)| alpha * s / (alpha * s + lambda)).sum();
    let line = Line { weights, bias, noise: (1.0 / alpha).sqrt() };
    Posterior { line, factor, center, count: n, degrees: (n - 1.0 - gamma).max(2.0) }
}

/// 1 / σ², no pull, and the weights along the directions that vary.
fn least_squares(values: &[f64], q: &[f64], varies: &[bool], (yy, n): (f64, f64)) -> (f64, f64, Vec<f64>) {
    let along = values.iter().zip(q).zip(varies);
    let w: Vec<f64> = along.map(|((s, q), varies)| if *varies { q / s } else { 0.0 }).collect();
    let fitted: f64 = w.iter().zip(q).map(|(w, q)| w * q).sum();
    let degrees = n - 1.0 - varies.iter().filter(|varies| **varies).count() as f64;
    let alpha = (degrees.max(1.0) / (yy - fitted).max(1e-9 * yy)).clamp(1e-12, 1e12);
    (alpha, 0.0, w)
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
        let posterior = shrunk(&sums(2000, 0.7));
        let line = &posterior.line;
        assert!((line.weights[0] - 2.0).abs() < 0.05 && (line.weights[1] + 0.5).abs() < 0.05, "{line:?}");
        assert!((line.bias - 1.0).abs() < 0.15 && (line.noise - 0.7).abs() < 0.03);
        // The weights of independent standard normal predictors are known to noise / √n.
        let deviation = line.noise * (posterior.factor[0].powi(2) + posterior.factor[1].powi(2)).sqrt();
        assert!((deviation - 0.7 / 2000_f64.sqrt()).abs() < 0.002, "{deviation}");
    }

    /// A predictor that is the same in all rows that know the target has no weight, in the line and in its draws.
    #[test]
    fn what_does_not_vary_says_nothing() {
        let mut sums = sums(400, 0.7);
        (sums.x[1], sums.xy[1]) = (400.0 * 2.5, 2.5 * sums.y);
        (sums.xx[1], sums.xx[2], sums.xx[3]) = (2.5 * sums.x[0], 2.5 * sums.x[0], 400.0 * 2.5 * 2.5);
        let posterior = posterior(&sums);
        let mut stream = Stream::new(1, "constant", 0, 0);
        for _ in 0..20 {
            assert!(posterior.draw(&mut stream).weights[1].abs() < 1e-9);
        }
        assert!((posterior.line.weights[0] - 2.0).abs() < 0.15);
    }

    /// Drawn lines vary about the least-squares line as theory says: noise / √n for weights and mean, noise / √2n for
    /// the noise.
    #[test]
    fn drawn_lines_vary_as_they_should() {
        let sums = sums(400, 0.7);
        let posterior = posterior(&sums);
        let mut stream = Stream::new(1, "drawn lines", 0, 0);
        let lines: Vec<Line> = (0..4000).map(|_| posterior.draw(&mut stream)).collect();
        let spread = |of: &dyn Fn(&Line) -> f64| {
            let mean = lines.iter().map(of).sum::<f64>() / 4000.0;
            let variance = lines.iter().map(|line| (of(line) - mean).powi(2)).sum::<f64>() / 4000.0;
            (mean, variance.sqrt())
        };
        let noise = posterior.line.noise;
        let (weight, about_weight) = spread(&|line| line.weights[0]);
        assert!((weight - posterior.line.weights[0]).abs() < 0.003);
        assert!((about_weight / (noise / 20.0) - 1.0).abs() < 0.1, "{about_weight}");
        let middle = |line: &Line| {
            line.bias + line.weights[0] * sums.x[0] / 400.0 + line.weights[1] * sums.x[1] / 400.0
        };
        let (_, about_mean) = spread(&middle);
        assert!((about_mean / (noise / 20.0) - 1.0).abs() < 0.1, "{about_mean}");
        let (_, about_noise) = spread(&|line| line.noise);
        assert!((about_noise / (noise / 800_f64.sqrt()) - 1.0).abs() < 0.1, "{about_noise}");
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
