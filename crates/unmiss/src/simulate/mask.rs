//! The drawn mechanism: for each column, the probability that its cell is missing, given the whole row.
//!
//! ```text
//! mcar            P = r
//! mar, mnar       P = sigmoid(w·x + b)         w = v / (s √(v' Σ v)),  v ~ N(0, 1),  s ~ U(.1, .5)
//! self-gaussian   P = exp(-(x_j - μ̃_j)² / (2 σ̃²_j))   μ̃_j = μ_j + 2 √Σ_jj,  σ̃²_j = x Σ_jj
//! self-probit     P = Φ(λ x_j - c_j)           λ = 1/2,  c_j = λ (μ_j - Φ⁻¹(r) √(1/λ² + Σ_jj))
//! ```
//!
//! With `mar`, w is 0 but for the columns that drive; with `mnar` it is for all. Intercepts come from the distribution
//! that the columns are drawn from, never from rows: b solves E\[sigmoid(N(b, 1/s²))\] = r.

use super::settings::{Masking, Settings};
use crate::linalg::{Normal, dot};
use crate::missing::{gaussian_width, normal_cdf, normal_quantile, sigmoid};
use crate::rng::Stream;

/// The centre of Gaussian self-masking, in standard deviations above the mean.
const CENTRE: f64 = 2.0;
/// λ: the slope of probit self-masking.
pub(super) const SLOPE: f64 = 0.5;

/// How the cells of one column go missing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    /// Never.
    Never,
    /// With the same probability in every row.
    Same(f64),
    /// By the logistic function of all columns.
    Logistic { weights: Vec<f64>, intercept: f64 },
    /// By a Gaussian bump over the own value: where it is, and the square of its width.
    Gaussian { centre: f64, width: f64 },
    /// By the normal distribution function of λ x - offset, x being the own value.
    Probit { offset: f64 },
}

impl Rule {
    /// The probability that the cell of a column is missing, given the row.
    pub(super) fn probability(&self, column: usize, row: &[f64]) -> f64 {
        match self {
            Self::Never => 0.0,
            Self::Same(rate) => *rate,
            Self::Logistic { weights, intercept } => sigmoid(dot(weights, row) + intercept),
            Self::Gaussian { centre, width } => (-(row[column] - centre).powi(2) / (2.0 * width)).exp(),
            Self::Probit { offset } => normal_cdf(SLOPE * row[column] - offset),
        }
    }
}

/// Draws the rules of all columns.
pub(super) fn rules(settings: &Settings, normal: &Normal, seed: u64) -> Vec<Rule> {
    let (columns, rate) = (settings.columns, settings.rate);
    let variance = |column| normal.covariance.at(column, column);
    let drivers = drivers(columns, seed);
    let all: Vec<usize> = (0..columns).collect();
    let rule = |column: usize| match settings.masking {
        Masking::Mcar => Rule::Same(rate),
        Masking::Mar if drivers.contains(&column) => Rule::Never,
        Masking::MnarUniform if drivers.contains(&column) => Rule::Same(rate),
        Masking::Mar | Masking::MnarUniform => logistic(column, &drivers, normal, rate, seed),
        Masking::Mnar => logistic(column, &all, normal, rate, seed),
        Masking::SelfGaussian => Rule::Gaussian {
            centre: normal.mean[column] + CENTRE * variance(column).sqrt(),
            width: gaussian_width(rate) * variance(column),
        },
        Masking::SelfProbit => {
            let spread = (1.0 / (SLOPE * SLOPE) + variance(column)).sqrt();
            Rule::Probit { offset: SLOPE * (normal.mean[column] - normal_quantile(rate) * spread) }
        }
    };
    (0..columns).map(rule).collect()
}

/// A tenth of the columns, at least one, by chance.
fn drivers(columns: usize, seed: u64) -> Vec<usize> {
    let mut order = Stream::new(seed, "simulate drivers", 0, 0).permutation(columns);
    order.truncate((columns / 10).max(1));
    order
}

fn logistic(column: usize, drivers: &[usize], normal: &Normal, rate: f64, seed: u64) -> Rule {
    let mut stream = Stream::new(seed, "simulate weights", column as u64, 0);
    let mut weights = vec![0.0; normal.mean.len()];
    drivers.iter().for_each(|&driver| weights[driver] = stream.normal());
    let products = (0..weights.len()).map(|row| dot(normal.covariance.row(row), &weights));
    let variance: f64 = products.zip(&weights).map(|(product, weight)| product * weight).sum();
    let s = 0.1 + 0.4 * stream.uniform();
    weights.iter_mut().for_each(|weight| *weight /= s * variance.sqrt());
    let intercept = intercept(1.0 / s, rate) - dot(&weights, &normal.mean);
    Rule::Logistic { weights, intercept }
}

/// The b with E\[sigmoid(b + deviation Z)\] = rate, Z ~ N(0, 1), by bisection over the trapezium rule.
fn intercept(deviation: f64, rate: f64) -> f64 {
    let density = |z: f64| (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let grid: Vec<(f64, f64)> = (-900..=900)
        .map(|step| f64::from(step) / 100.0)
        .map(|z| (deviation * z, density(z) / 100.0))
        .collect();
    let expected = |b: f64| grid.iter().map(|(logit, weight)| weight * sigmoid(b + logit)).sum::<f64>();
    // sigmoid(t) is at least the rate where t is at least its logit: nine deviations hold all of the grid.
    let logit = (rate / (1.0 - rate)).ln();
    let (mut low, mut high) = (logit - 9.0 * deviation, logit + 9.0 * deviation);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if expected(middle) < rate { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::World;

    /// Every mechanism keeps its rate in every column that it touches, whatever the rate.
    #[test]
    fn rates_hold_by_the_model_alone() {
        for masking in Masking::ALL {
            for rate in [0.1, 0.5, 0.8] {
                let settings = Settings { columns: 12, masking, rate, ..Settings::default() };
                let drawn = World::new(&settings, 5).unwrap().draw(0, 8000);
                for column in 0..12 {
                    let missing = (0..8000).filter(|row| !drawn.observed[row * 12 + column]).count();
                    let share = missing as f64 / 8000.0;
                    let spared = masking == Masking::Mar && missing == 0;
                    assert!(spared || (share - rate).abs() < 0.02, "{masking} {rate}: {share}");
                }
            }
        }
    }

    #[test]
    fn a_tenth_of_the_columns_is_spared() {
        for (columns, expected) in [(2, 1), (19, 1), (35, 3)] {
            let settings = Settings { columns, masking: Masking::Mar, ..Settings::default() };
            let world = World::new(&settings, 2).unwrap();
            let spared = world.rules.iter().filter(|rule| **rule == Rule::Never).count();
            assert_eq!(spared, expected);
        }
    }

    #[test]
    fn the_intercept_gives_the_rate() {
        for (deviation, rate) in [(2.0, 0.5), (10.0, 0.05), (3.0, 0.9)] {
            let b = intercept(deviation, rate);
            let mut stream = Stream::new(1, "intercept", 0, 0);
            let draws = (0..100_000).map(|_| sigmoid(b + deviation * stream.normal()));
            let mean = draws.sum::<f64>() / 1e5;
            assert!((mean - rate).abs() < 0.005, "{deviation} {rate}: {mean}");
        }
        assert!(intercept(4.0, 0.5).abs() < 1e-9);
    }
}
