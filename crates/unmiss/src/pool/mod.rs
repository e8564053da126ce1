//! Rubin's rules: one answer from the same analysis of m filled tables.
//!
//! With estimates Q_1..Q_m and their squared standard errors U_1..U_m,
//!
//! ```text
//! estimate  Q̄ = mean Q        within  Ū = mean U        between  B = Σ (Q - Q̄)² / (m - 1)
//! variance  T = Ū + (1 + 1/m) B
//! share of the variance due to the holes   λ = (1 + 1/m) B / T
//! degrees of freedom   Rubin 1987            ν = (m - 1) / λ²
//!                      Barnard and Rubin 1999  1/ν' = 1/ν + 1/ν_obs,  ν_obs = (ν_com + 1) / (ν_com + 3) ν_com (1 - λ)
//! ```
//!
//! ν_com are the degrees of freedom that the analysis would have without holes (rows less coefficients); with few rows
//! only the second rule is right, as the first may exceed ν_com.

mod record;
mod several;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

pub use record::{RECORD_ENDING, Record};
pub(crate) use several::pooled_likelihood_ratio;
pub use several::{JointTest, Rule, pooled_wald};

use crate::error::{Error, Result};

/// One estimate from one filled table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its squared standard error in that table.
    pub variance: f64,
}

impl Estimate {
    /// The mean of some values and its squared standard error.
    pub fn mean(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|own| (own - value).powi(2)).sum::<f64>() / (n - 1.0) / n;
        Self { value, variance }
    }
}

/// An answer pooled over all filled tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooled {
    /// The pooled estimate.
    pub estimate: f64,
    /// Its standard error, the holes' share included.
    pub standard_error: f64,
    /// How many tables.
    pub draws: usize,
    /// Mean variance inside the tables.
    pub within: f64,
    /// Variance between the tables.
    pub between: f64,
    /// Degrees of freedom: Barnard and Rubin's rule where the complete ones are known, else Rubin's.
    pub degrees: f64,
    /// Degrees of freedom by Rubin's rule of 1987.
    pub degrees_rubin: f64,
    /// Degrees of freedom by Barnard and Rubin's rule of 1999, where the complete ones are known.
    pub degrees_barnard_rubin: Option<f64>,
    /// Share of the variance that is due to the holes.
    pub share_of_holes: f64,
    /// How much the variance grows through the holes: (1 + 1/m) B / Ū.
    pub relative_increase: f64,
    /// Share of the information that is missing.
    pub missing_information: f64,
    /// Student's t of the estimate against 0.
    pub statistic: f64,
    /// Its p value, two-sided.
    pub p_value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Pools estimates of one quantity; `complete` are the degrees of freedom that complete data would have, `level` the
/// share that intervals hold for.
///
/// # Errors
/// When there are fewer than two estimates, or one is not a number with a variance of 0 or above.
pub fn pool(estimates: &[Estimate], complete: Option<f64>, level: f64) -> Result<Pooled> {
    let draws = estimates.len();
    if draws < 2 {
        return Err(Error::data(format!("{draws} estimate can't be pooled"))
            .with_hint("Rubin's rules need the same analysis of two filled tables or more"));
    }
    let bad = |e: &&Estimate| !e.value.is_finite() || !e.variance.is_finite() || e.variance < 0.0;
    if let Some(bad) = estimates.iter().find(bad) {
        let what = format!("an estimate of {} with variance {} can't be pooled", bad.value, bad.variance);
        return Err(Error::data(what).with_hint("estimates and standard errors must be finite numbers"));
    }
    let m = draws as f64;
    let estimate = estimates.iter().map(|e| e.value).sum::<f64>() / m;
    let within = estimates.iter().map(|e| e.variance).sum::<f64>() / m;
    let between = estimates.iter().map(|e| (e.value - estimate).powi(2)).sum::<f64>() / (m - 1.0);
    let extra = (1.0 + 1.0 / m) * between;
    let total = within + extra;
    let share = if total > 0.0 { extra / total } else { 0.0 };
    let rubin = if share > 0.0 { (m - 1.0) / (share * share) } else { f64::INFINITY };
    let barnard = complete.map(|complete| barnard_rubin(rubin, complete, share));
    let degrees = barnard.unwrap_or(rubin);
    let increase = if within > 0.0 { extra / within } else { f64::INFINITY };
    let standard_error = total.sqrt();
    let statistic = estimate / standard_error;
    let half = quantile(degrees, 0.5 + level / 2.0) * standard_error;
    Ok(Pooled {
        estimate,
        standard_error,
        draws,
        within,
        between,
        degrees,
        degrees_rubin: rubin,
        degrees_barnard_rubin: barnard,
        share_of_holes: share,
        relative_increase: increase,
        missing_information: if increase.is_finite() {
            (increase + 2.0 / (degrees + 3.0)) / (1.0 + increase)
        } else {
            1.0
        },
        statistic,
        p_value: two_sided(degrees, statistic),
        low: estimate - half,
        high: estimate + half,
    })
}

fn barnard_rubin(rubin: f64, complete: f64, share: f64) -> f64 {
    let observed = (complete + 1.0) / (complete + 3.0) * complete * (1.0 - share);
    if rubin.is_infinite() { observed } else { rubin * observed / (rubin + observed) }
}

/// The point of Student's t below which a share lies; the normal distribution's for very many degrees.
pub(crate) fn quantile(degrees: f64, share: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) if degrees < 1e7 => student.inverse_cdf(share),
        _ => Normal::standard().inverse_cdf(share),
    }
}

/// The chance of a value of Student's t as far from 0 as this or farther.
pub(crate) fn two_sided(degrees: f64, value: f64) -> f64 {
    if !value.is_finite() {
        return if value.is_nan() { f64::NAN } else { 0.0 };
    }
    let beyond = match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) if degrees < 1e7 => student.sf(value.abs()),
        _ => Normal::standard().sf(value.abs()),
    };
    2.0 * beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimates() -> Vec<Estimate> {
        let pairs = [(1.2, 0.25), (1.5, 0.30), (0.9, 0.22), (1.4, 0.28), (1.1, 0.27)];
        pairs.iter().map(|&(value, variance)| Estimate { value, variance }).collect()
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value} is not {expected}");
    }

    /// From mice 3.15: `pool.scalar(Q, U, n = Inf, k = 1)` and `pool.scalar(Q, U, n = 50, k = 3)`.
    #[test]
    fn figures_are_those_of_mice() {
        let many = pool(&estimates(), None, 0.95).unwrap();
        near(many.estimate, 1.22);
        near(many.within, 0.264);
        near(many.between, 0.057);
        near(many.standard_error.powi(2), 0.3324);
        near(many.relative_increase, 0.259_090_909_090_91);
        near(many.degrees, 94.464_758_387_196_13);
        near(many.missing_information, 0.222_073_834_919_15);
        let few = pool(&estimates(), Some(47.0), 0.95).unwrap();
        near(few.degrees, 25.979_868_410_210_05);
        near(few.degrees_rubin, 94.464_758_387_196_13);
        near(few.missing_information, 0.260_588_280_467_51);
        near(few.statistic, 2.116_066_555_064_679);
        assert!((few.p_value - 0.044_080_320_459_336).abs() < 1e-9);
        assert!((few.low - 0.034_857_458_375_655).abs() < 1e-7, "{}", few.low);
        assert!((few.high - 2.405_142_541_624_345).abs() < 1e-7);
    }

    #[test]
    fn tables_that_agree_leave_nothing_to_the_holes() {
        let same = vec![Estimate { value: 2.0, variance: 0.5 }; 3];
        let pooled = pool(&same, None, 0.95).unwrap();
        assert_eq!((pooled.share_of_holes, pooled.degrees), (0.0, f64::INFINITY));
        near(pooled.high, 2.0 + 1.959_963_984_540_054 * 0.5_f64.sqrt());
        near(pool(&same, Some(10.0), 0.95).unwrap().degrees, 11.0 / 13.0 * 10.0);
    }

    /// Without any variance there is no test, and a value apart from 0 is surely apart.
    #[test]
    fn sure_estimates_are_pooled() {
        assert!(pool(&[Estimate { value: 0.0, variance: 0.0 }; 2], None, 0.95).unwrap().p_value.is_nan());
        assert_eq!(pool(&[Estimate { value: 1.0, variance: 0.0 }; 2], Some(9.0), 0.95).unwrap().p_value, 0.0);
    }

    #[test]
    fn what_can_not_be_pooled_is_refused() {
        assert!(pool(&estimates()[..1], None, 0.95).is_err());
        let odd = [Estimate { value: f64::NAN, variance: 1.0 }, Estimate { value: 1.0, variance: 1.0 }];
        assert!(pool(&odd, None, 0.95).is_err());
    }
}
