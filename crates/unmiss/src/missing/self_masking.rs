//! Self-masking: whether a cell is hidden depends on its own value (missing not at random).
//!
//! With z a column's standardised value and r the rate:
//!
//! ```text
//! logistic   P = sigmoid(a z + b)              a = +1 or -1, b fitted on the column itself
//! gaussian   P = exp(-(z - k)^2 / (2 x))       k = 2, x solves -2 (1 + x) log(r sqrt(1/x + 1)) = k^2
//! probit     P = Phi(lambda z - c)             lambda = 1/2, c = -lambda Phi^-1(r) sqrt(1/lambda^2 + 1)
//! ```
//!
//! The last two give E\[P\] = r for z ~ N(0, 1). On other distributions the realised rate differs; what it
//! came to is told in [`Hidden::rates`](super::Hidden::rates).

use rayon::prelude::*;
use statrs::function::erf::{erfc, erfc_inv};

use super::mechanism::{Mechanism, Probability};
use super::scores::{intercept, sigmoid, standardised};
use crate::data::Table;
use crate::rng::Stream;

/// The centre of Gaussian self-masking, in standard deviations above the mean.
const CENTRE: f64 = 2.0;
/// The slope of probit self-masking.
const SLOPE: f64 = 0.5;

/// The probabilities for the chosen columns, in their order.
pub(super) fn plan(table: &Table, chosen: &[usize], mechanism: &Mechanism, seed: u64) -> Vec<Probability> {
    let rate = mechanism.rate();
    let (width, offset) = (gaussian_width(rate), probit_offset(rate));
    let probability = |&position: &usize| {
        let column = &table.columns()[position];
        let Some(mut scores) = standardised(column, position, seed) else {
            return Probability::Same(rate);
        };
        match mechanism {
            Mechanism::SelfGaussian(_) => {
                scores.iter_mut().for_each(|z| *z = (-(*z - CENTRE).powi(2) / (2.0 * width)).exp());
            }
            Mechanism::SelfProbit(_) => {
                scores.iter_mut().for_each(|z| *z = normal_cdf(SLOPE * *z - offset));
            }
            _ => {
                // A coefficient from N(0, 1), divided by the standard deviation it gives the logits: its sign.
                let sign = Stream::new(seed, "hide sign", position as u64, 0).normal().signum();
                scores.iter_mut().for_each(|z| *z *= sign);
                let b = intercept(&scores, &column.observed, rate);
                scores.iter_mut().for_each(|z| *z = sigmoid(*z + b));
            }
        }
        Probability::PerRow(scores)
    };
    chosen.par_iter().map(probability).collect()
}

/// The x of Gaussian self-masking: the width's square in units of the column's variance.
///
/// E\[P\] = sqrt(x / (1 + x)) exp(-k^2 / (2 (1 + x))) grows from 0 to 1 with x, so every rate strictly between
/// 0 and 1 has exactly one solution; it is found by bisection in log x.
pub fn gaussian_width(rate: f64) -> f64 {
    let expected = |x: f64| (x / (1.0 + x)).sqrt() * (-CENTRE * CENTRE / (2.0 * (1.0 + x))).exp();
    let (mut low, mut high) = (-700.0_f64, 700.0_f64);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if expected(middle.exp()) < rate { low = middle } else { high = middle }
    }
    ((low + high) / 2.0).exp()
}

/// The c of probit self-masking for a standardised column.
pub fn probit_offset(rate: f64) -> f64 {
    -SLOPE * normal_quantile(rate) * (1.0 / (SLOPE * SLOPE) + 1.0).sqrt()
}

/// Phi^-1(p)
pub(crate) fn normal_quantile(p: f64) -> f64 {
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p)
}

/// Phi(t)
pub(crate) fn normal_cdf(t: f64) -> f64 {
    erfc(-t / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind};
    use crate::missing::hide;

    /// E\[f(z)\] for z ~ N(0, 1) by the trapezium rule.
    fn expectation(f: impl Fn(f64) -> f64) -> f64 {
        let density = |z: f64| (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
        (-9000..=9000).map(|step| f64::from(step) / 1000.0).map(|z| f(z) * density(z) / 1000.0).sum()
    }

    #[test]
    fn gaussian_width_gives_the_rate_for_every_rate() {
        // Root of the equation for rate 0.5 and k = 2, as published with the mechanism.
        assert!((gaussian_width(0.5) - 2.725_34).abs() < 5e-6);
        for rate in [0.001, 0.1, 0.3, 0.5, 0.9, 0.999] {
            let x = gaussian_width(rate);
            let mean = expectation(|z| (-(z - CENTRE).powi(2) / (2.0 * x)).exp());
            assert!((mean - rate).abs() < 1e-6, "{rate}: {mean}");
            let equation = -2.0 * (1.0 + x) * (rate * (1.0 / x + 1.0).sqrt()).ln();
            assert!((equation - CENTRE * CENTRE).abs() < 1e-6 * (1.0 + x), "{rate}: {equation}");
        }
    }

    #[test]
    fn probit_offset_gives_the_rate_on_normal_draws() {
        for rate in [0.1, 0.5, 0.8] {
            let c = probit_offset(rate);
            assert!((expectation(|z| normal_cdf(SLOPE * z - c)) - rate).abs() < 1e-6);
            let mut stream = Stream::new(8, "monte carlo", 0, 0);
            let hidden = (0..40_000).filter(|_| SLOPE * stream.normal() - c + stream.normal() > 0.0).count();
            assert!((hidden as f64 / 40_000.0 - rate).abs() < 3.0 * (rate * (1.0 - rate) / 40_000.0).sqrt());
        }
    }

    #[test]
    fn hidden_values_differ_the_way_the_mechanism_says() {
        let numbers: Vec<f64> = (0..4000).map(|row| Stream::new(2, "x", row, 0).normal().exp()).collect();
        let table = Table::new(vec![Column::from_numbers("skewed", Kind::Real, &numbers)]).unwrap();
        let gap = |mechanism: &Mechanism| {
            let hidden = hide(&table, mechanism, &["skewed".to_owned()], 2).unwrap().hidden.remove(0);
            let mean = |wanted: bool| {
                let some = numbers.iter().zip(&hidden).filter(|(_, hidden)| **hidden == wanted);
                let (sum, count) = some.fold((0.0, 0.0), |(sum, count), (x, _)| (sum + x, count + 1.0));
                sum / count
            };
            mean(true) - mean(false)
        };
        assert!(gap(&Mechanism::SelfProbit(0.5)) > 0.3);
        assert!(gap(&Mechanism::SelfGaussian(0.5)) > 0.3);
        assert!(gap(&Mechanism::SelfLogistic(0.5)).abs() > 0.3);
    }

    #[test]
    fn a_column_of_one_value_is_hidden_at_random() {
        let table = Table::new(vec![Column::from_numbers("flat", Kind::Real, &[0.1; 2000])]).unwrap();
        let holes = hide(&table, &Mechanism::SelfGaussian(0.25), &["flat".to_owned()], 2).unwrap();
        assert!((holes.rates[0].rate() - 0.25).abs() < 0.03);
    }
}
