//! Tests of several coefficients at once, from the same analysis of m filled tables.
//!
//! Wald's test (D1; Li, Raghunathan and Rubin 1991) of k coefficients with estimates Q_i and covariances U_i:
//!
//! ```text
//! Q̄ = mean Q, Ū = mean U, B = Σ (Q - Q̄)(Q - Q̄)' / (m - 1)
//! r = (1 + 1/m) trace(B Ū^-1) / k        D1 = Q̄' Ū^-1 Q̄ / (k (1 + r))
//! ```
//!
//! The likelihood-ratio test (D3; Meng and Rubin 1992) of two nested models, with the mean deviance difference d̄ at
//! each table's own estimates and d̃ at the pooled ones:
//!
//! ```text
//! r = (m + 1) (d̄ - d̃) / (k (m - 1))      D3 = d̃ / (k (1 + r))
//! ```
//!
//! Both follow F on k and ν degrees of freedom, with t = k (m - 1):
//!
//! ```text
//! ν = 4 + (t - 4) (1 + (1 - 2/t) / r)²    for t > 4, else    t (1 + 1/k) (1 + 1/r)² / 2
//! ```
//!
//! D1 has Reiter's ν (2007) instead where the degrees of freedom of complete data are known.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::error::{Error, Result};
use crate::linalg::Square;

/// How several coefficients were tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Rule {
    /// Wald's test, pooled.
    D1,
    /// The likelihood-ratio test, pooled.
    D3,
}

/// A test of several coefficients at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointTest {
    /// Which.
    pub rule: Rule,
    /// F.
    pub statistic: f64,
    /// Degrees of freedom of the numerator: how many coefficients.
    pub coefficients: usize,
    /// Degrees of freedom of the denominator.
    pub degrees: f64,
    /// The p value.
    pub p_value: f64,
    /// How much the variance grows through the holes, on average over the coefficients.
    pub relative_increase: f64,
}

/// Wald's test that all of some coefficients are 0. `estimates` and `covariances` (row by row) have one entry for each
/// table, `complete` are the degrees of freedom that complete data would have.
///
/// # Errors
/// When there are fewer than two tables, or the coefficients can't be told apart.
pub fn pooled_wald(
    estimates: &[Vec<f64>],
    covariances: &[Vec<f64>],
    complete: Option<f64>,
) -> Result<JointTest> {
    let (draws, size) = (estimates.len(), estimates.first().map_or(0, Vec::len));
    if draws < 2 || size == 0 {
        return Err(Error::data("a test needs two filled tables and one coefficient, or more"));
    }
    let fits = |own: &Vec<f64>, covariance: &Vec<f64>| own.len() == size && covariance.len() == size * size;
    if draws != covariances.len() || !estimates.iter().zip(covariances).all(|(own, square)| fits(own, square))
    {
        return Err(Error::data("a test needs as many covariances as estimates, for every table"));
    }
    let (m, k) = (draws as f64, size as f64);
    let mean: Vec<f64> =
        (0..size).map(|place| estimates.iter().map(|own| own[place]).sum::<f64>() / m).collect();
    let mut within = Square::zero(size);
    let mut between = Square::zero(size);
    for (own, covariance) in estimates.iter().zip(covariances) {
        for (cell, covariance) in covariance.iter().enumerate() {
            let (row, column) = (cell / size, cell % size);
            within.cells[cell] += covariance / m;
            between.cells[cell] += (own[row] - mean[row]) * (own[column] - mean[column]) / (m - 1.0);
        }
    }
    let lower =
        within.cholesky(0.0).map_err(|_| Error::data("the coefficients of a test can't be told apart"))?;
    let inverse = lower.inverse_of_product();
    let trace: f64 = inverse.cells.iter().zip(&between.cells).map(|(one, other)| one * other).sum();
    let increase = (1.0 + 1.0 / m) * trace / k;
    let mut scaled = mean;
    lower.forward(&mut scaled);
    let distance: f64 = scaled.iter().map(|value| value * value).sum();
    let small = complete.filter(|_| k * (m - 1.0) > 4.0);
    let degrees = small.and_then(|complete| reiter(k * (m - 1.0), increase, complete));
    let degrees = degrees.unwrap_or_else(|| denominator(size, draws, increase));
    Ok(test(Rule::D1, distance / (k * (1.0 + increase)), size, degrees, increase))
}

/// The likelihood-ratio test of a model of `coefficients` more coefficients, from the mean differences of deviances at
/// the tables' own estimates and at the pooled ones.
pub(crate) fn pooled_likelihood_ratio(own: f64, pooled: f64, coefficients: usize, draws: usize) -> JointTest {
    let (m, k) = (draws as f64, coefficients as f64);
    let increase = (m + 1.0) * (own - pooled) / (k * (m - 1.0));
    let degrees = denominator(coefficients, draws, increase);
    test(Rule::D3, pooled / (k * (1.0 + increase)), coefficients, degrees, increase)
}

fn test(rule: Rule, statistic: f64, coefficients: usize, degrees: f64, relative_increase: f64) -> JointTest {
    let k = coefficients as f64;
    let p_value = match FisherSnedecor::new(k, degrees) {
        _ if statistic.is_nan() || degrees.is_nan() => f64::NAN,
        _ if statistic == f64::INFINITY => 0.0,
        _ if statistic <= 0.0 => 1.0,
        Ok(fisher) if degrees < 1e7 => fisher.sf(statistic),
        _ => ChiSquared::new(k).map_or(f64::NAN, |chi| chi.sf(k * statistic)),
    };
    JointTest { rule, statistic, coefficients, degrees, p_value, relative_increase }
}

/// ν of Li, Raghunathan and Rubin.
fn denominator(coefficients: usize, draws: usize, increase: f64) -> f64 {
    let k = coefficients as f64;
    let t = k * (draws as f64 - 1.0);
    if increase <= 0.0 {
        f64::INFINITY
    } else if t > 4.0 {
        4.0 + (t - 4.0) * (1.0 + (1.0 - 2.0 / t) / increase).powi(2)
    } else {
        t * (1.0 + 1.0 / k) * (1.0 + 1.0 / increase).powi(2) / 2.0
    }
}

/// ν of Reiter for small samples, his equation 10, which stays below what complete data would have; `None` where there
/// are too few rows for it.
fn reiter(t: f64, increase: f64, complete: f64) -> Option<f64> {
    let a = increase * t / (t - 2.0);
    let v = (complete + 1.0) / (complete + 3.0) * complete;
    let (c0, c1, c2) = (1.0 / (t - 4.0), v - 2.0 * (1.0 + a), v - 4.0 * (1.0 + a));
    if c2 <= 0.0 {
        return None;
    }
    let z = 1.0 / c2
        + c0 * (a * a * c1 / ((1.0 + a).powi(2) * c2))
        + c0 * (8.0 * a * a * c1 / ((1.0 + a) * c2 * c2) + 4.0 * a * a / ((1.0 + a) * c2))
        + c0 * (4.0 * a * a / (c2 * c1) + 16.0 * a * a * c1 / c2.powi(3))
        + c0 * (8.0 * a * a / (c2 * c2));
    Some(4.0 + 1.0 / z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever comes in, a test gives a figure or NaN, and never ends the program.
    #[test]
    fn odd_figures_are_survived() {
        assert_eq!(pooled_likelihood_ratio(3.0, 3.0, 2, 5).degrees, f64::INFINITY);
        assert_eq!(pooled_likelihood_ratio(3.0, -1.0, 2, 5).p_value, 1.0);
        assert!(pooled_likelihood_ratio(f64::INFINITY, f64::NAN, 2, 5).p_value.is_nan());
        let (estimates, same) = (vec![vec![1.0, 2.0], vec![1.5, 1.0]], vec![1.0, 0.0, 0.0, 1.0]);
        let few = pooled_wald(&estimates, &[same.clone(), same.clone()], Some(1.0)).unwrap();
        assert!(few.degrees > 0.0 && few.p_value > 0.0 && few.p_value < 1.0, "{few:?}");
        assert!(pooled_wald(&estimates, &[vec![0.0; 4], vec![0.0; 4]], None).is_err());
        assert!(pooled_wald(&estimates[..1], &[same], None).is_err());
    }
}
