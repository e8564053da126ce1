//! Linear and logistic regression of one table.

use super::design::Family;
use crate::linalg::{Dependent, LeastSquares, Square};

/// Steps of Newton's method, at most; without separation five to ten are enough.
const MOST_STEPS: usize = 30;
/// A step that changes no linear predictor by more than this is the last.
const SMALL_STEP: f64 = 1e-9;
/// Log odds at most in one direction: beyond, weights vanish.
const LARGEST: f64 = 30.0;

/// A regression of one table.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub coefficients: Vec<f64>,
    pub covariance: Square,
    /// -2 log-likelihood at the estimates, up to a constant that all fits of the same rows share.
    pub deviance: f64,
}

/// Why a regression has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// As many coefficients as rows, or more.
    TooFewRows,
    /// A column is a sum of others.
    Dependent(Dependent),
    /// A column tells the two outcomes apart without error.
    Separated(usize),
    /// The response has one value only.
    OneOutcome,
}

/// Fits y by the columns of X.
pub(super) fn fit(family: Family, columns: &[Vec<f64>], y: &[f64]) -> Result<Fit, Fault> {
    if y.len() <= columns.len() {
        return Err(Fault::TooFewRows);
    }
    if y.iter().all(|value| *value == y[0]) {
        return Err(Fault::OneOutcome);
    }
    match family {
        Family::Linear => linear(columns, y),
        Family::Logistic => logistic(columns, y),
    }
}

fn linear(columns: &[Vec<f64>], y: &[f64]) -> Result<Fit, Fault> {
    let LeastSquares { coefficients, inverse, squares } =
        LeastSquares::solve(columns, y).map_err(Fault::Dependent)?;
    let variance = squares / (y.len() - columns.len()) as f64;
    let covariance = scaled(inverse, variance);
    Ok(Fit { coefficients, covariance, deviance: linear_deviance(squares, y.len()) })
}

/// n log(RSS / n): the variance is the one that fits best.
fn linear_deviance(squares: f64, rows: usize) -> f64 {
    let n = rows as f64;
    n * (squares / n).ln()
}

fn scaled(mut square: Square, factor: f64) -> Square {
    square.cells.iter_mut().for_each(|cell| *cell *= factor);
    square
}

/// Newton's method as repeated least squares: with chances p, weights w = p (1 - p) and the working response
/// z = Xb + (y - p) / w, the next b solves min Σ w (z - Xb)².
fn logistic(columns: &[Vec<f64>], y: &[f64]) -> Result<Fit, Fault> {
    // Weights hide what is dependent: it is looked for without them.
    LeastSquares::solve(columns, y).map_err(Fault::Dependent)?;
    let mut predictor: Vec<f64> = y.iter().map(|y| ((y + 0.5) / (1.5 - y)).ln()).collect();
    let mut last: Option<Vec<f64>> = None;
    for _ in 0..MOST_STEPS {
        let (mut roots, mut working) = (Vec::with_capacity(y.len()), Vec::with_capacity(y.len()));
        for (eta, y) in predictor.iter().zip(y) {
            let eta = eta.clamp(-LARGEST, LARGEST);
            let p = 1.0 / (1.0 + (-eta).exp());
            let root = (p * (1.0 - p)).sqrt();
            roots.push(root);
            working.push(root * eta + (y - p) / root);
        }
        let weigh = |column: &Vec<f64>| column.iter().zip(&roots).map(|(x, root)| x * root).collect();
        let weighted: Vec<Vec<f64>> = columns.iter().map(weigh).collect();
        let Ok(step) = LeastSquares::solve(&weighted, &working) else { break };
        let next = times(columns, &step.coefficients, y.len());
        let change = next.iter().zip(&predictor).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        predictor = next;
        if change < SMALL_STEP {
            let deviance = logistic_deviance(&predictor, y);
            return Ok(Fit { coefficients: step.coefficients, covariance: step.inverse, deviance });
        }
        last = Some(step.coefficients);
    }
    // Where outcomes are separated, coefficients grow without end: the one to blame says most about the rows.
    let last = last.unwrap_or_default();
    let reach = |place: &usize| {
        let column = &columns[*place];
        let (low, high) = ends(column);
        last.get(*place).map_or(0.0, |coefficient| coefficient.abs() * (high - low))
    };
    let blamed = (0..columns.len()).max_by(|one, other| reach(one).total_cmp(&reach(other)));
    Err(Fault::Separated(blamed.unwrap_or(0)))
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
}

/// X b for so many rows.
fn times(columns: &[Vec<f64>], coefficients: &[f64], rows: usize) -> Vec<f64> {
    let mut sum = vec![0.0; rows];
    for (column, coefficient) in columns.iter().zip(coefficients) {
        sum.iter_mut().zip(column).for_each(|(sum, x)| *sum += coefficient * x);
    }
    sum
}

/// 2 Σ log(1 + exp(∓Xb)).
fn logistic_deviance(predictor: &[f64], y: &[f64]) -> f64 {
    let loss = |(eta, y): (&f64, &f64)| {
        let against = if *y > 0.5 { -eta } else { *eta };
        against.max(0.0) + (-against.abs()).exp().ln_1p()
    };
    2.0 * predictor.iter().zip(y).map(loss).sum::<f64>()
}

/// The deviance of a table at given coefficients, with the variance that fits best for numbers, and with the intercept
/// that fits best if there is one: as R's mice computes it for D3.
pub(super) fn deviance_at(
    (family, intercept): (Family, bool),
    columns: &[Vec<f64>],
    y: &[f64],
    coefficients: &[f64],
) -> f64 {
    let mut predictor = times(columns, coefficients, y.len());
    let shift = if intercept { best_shift(family, &predictor, y) } else { 0.0 };
    predictor.iter_mut().for_each(|eta| *eta += shift);
    match family {
        Family::Linear => {
            linear_deviance(y.iter().zip(&predictor).map(|(y, eta)| (y - eta).powi(2)).sum(), y.len())
        }
        Family::Logistic => logistic_deviance(&predictor, y),
    }
}

/// What to add to a linear predictor so that it fits best.
fn best_shift(family: Family, predictor: &[f64], y: &[f64]) -> f64 {
    if family == Family::Linear {
        return y.iter().zip(predictor).map(|(y, eta)| y - eta).sum::<f64>() / y.len() as f64;
    }
    let mut shift = 0.0;
    for _ in 0..MOST_STEPS {
        let (mut slope, mut weight) = (0.0, 0.0);
        for (eta, y) in predictor.iter().zip(y) {
            let p = 1.0 / (1.0 + (-(eta + shift)).exp());
            (slope, weight) = (slope + y - p, weight + p * (1.0 - p));
        }
        let step = slope / weight;
        if !step.is_finite() || step.abs() < SMALL_STEP {
            break;
        }
        shift += step;
    }
    shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    /// R 4.2: `glm(c(0,0,1,0,1,1,0,1) ~ c(1,2,3,4,5,6,7,8), family = binomial, epsilon = 1e-14)`.
    #[test]
    fn logistic_regression_is_that_of_r() {
        let columns = [vec![1.0; 8], (1..9).map(f64::from).collect()];
        let y = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let found = fit(Family::Logistic, &columns, &y).unwrap();
        near(found.coefficients[0], LOGISTIC.0);
        near(found.coefficients[1], LOGISTIC.1);
        near(found.covariance.at(1, 1).sqrt(), LOGISTIC.2);
        near(found.deviance, LOGISTIC.3);
        near(deviance_at((Family::Logistic, true), &columns, &y, &found.coefficients), LOGISTIC.3);
    }

    const LOGISTIC: (f64, f64, f64, f64) =
        (-1.949_406_644_970_056, 0.433_201_476_660_012_6, 0.374_865_706_552_885, 9.469_238_715_559_893);

    #[test]
    fn faults_are_told_apart() {
        let ones = vec![1.0; 6];
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let y = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let columns = [ones.clone(), vec![0.3, 0.1, 0.9, 0.5, 0.6, 0.2], x.clone()];
        assert_eq!(fit(Family::Logistic, &columns, &y).err(), Some(Fault::Separated(2)));
        assert_eq!(fit(Family::Logistic, &columns, &[1.0; 6]).err(), Some(Fault::OneOutcome));
        let twice = [ones, x.clone(), x];
        assert!(matches!(fit(Family::Linear, &twice, &y), Err(Fault::Dependent(_))));
        assert_eq!(fit(Family::Linear, &twice[..2], &y[..2]).err(), Some(Fault::TooFewRows));
    }
}
