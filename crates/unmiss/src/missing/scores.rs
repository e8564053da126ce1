//! The number through which a column's values drive what is hidden, and the root finder behind every rate.

use crate::data::{Column, Values};
use crate::rng::Stream;

/// A column's values with mean 0 and variance 1 over its observed cells, and 0 where not observed; `None` if
/// the observed cells hold fewer than two values. Levels of categories are scored by draws from N(0, 1).
pub(super) fn standardised(column: &Column, position: usize, seed: u64) -> Option<Vec<f64>> {
    let raw: Vec<f64> = match &column.values {
        Values::Numbers(values) => values.clone(),
        Values::Codes { codes, levels } => {
            let score = |level| Stream::new(seed, "hide level score", position as u64, level as u64).normal();
            let scores: Vec<f64> = (0..levels.len()).map(score).collect();
            codes.iter().map(|&code| scores.get(code as usize).copied().unwrap_or(0.0)).collect()
        }
        Values::Texts(_) => return None,
    };
    standardise(&raw, &column.observed)
}

/// The values of a numeric column, or 0 and 1 for a column of two values; `None` for all others.
pub(super) fn numeric(column: &Column) -> Option<Vec<f64>> {
    match &column.values {
        Values::Numbers(values) => Some(values.clone()),
        Values::Codes { codes, levels } if levels.len() == 2 => {
            Some(codes.iter().map(|&code| f64::from(code)).collect())
        }
        _ => None,
    }
}

/// (x - mean) / deviation over the observed cells, and 0 elsewhere; `None` if there are not two values.
pub(super) fn standardise(raw: &[f64], observed: &[bool]) -> Option<Vec<f64>> {
    let known = || raw.iter().zip(observed).filter(|(_, observed)| **observed).map(|(x, _)| *x);
    let count = known().count().max(1) as f64;
    let mean = known().sum::<f64>() / count;
    let deviation = (known().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    // Rounding leaves a deviation of about 1e-16 of the values when all of them are equal.
    if deviation <= 1e-12 * mean.abs() || !deviation.is_finite() {
        return None;
    }
    let scale = |(x, observed): (&f64, &bool)| if *observed { (x - mean) / deviation } else { 0.0 };
    Some(raw.iter().zip(observed).map(scale).collect())
}

/// sigmoid(t) = 1 / (1 + exp(-t))
pub(crate) fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

/// The intercept b with mean sigmoid(logits + b) = rate over the rows where the cell is known.
///
/// Newton's method kept inside a bracket: with b = logit(rate) - max(logits) every probability is at most
/// the rate, with b = logit(rate) - min(logits) at least.
pub(super) fn intercept(logits: &[f64], observed: &[bool], rate: f64) -> f64 {
    let known: Vec<f64> = logits.iter().zip(observed).filter(|(_, seen)| **seen).map(|(x, _)| *x).collect();
    if known.is_empty() {
        return 0.0;
    }
    let logit = (rate / (1.0 - rate)).ln();
    let mut low = logit - known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut high = logit - known.iter().copied().fold(f64::INFINITY, f64::min);
    let mut b = (low + high) / 2.0;
    for _ in 0..100 {
        let (mut mean, mut slope) = (0.0, 0.0);
        for logit in &known {
            let p = sigmoid(logit + b);
            mean += p;
            slope += p * (1.0 - p);
        }
        let excess = (mean / known.len() as f64) - rate;
        if excess.abs() < 1e-12 {
            break;
        }
        if excess > 0.0 {
            high = b
        } else {
            low = b
        }
        let newton = b - excess * known.len() as f64 / slope;
        b = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn scores_have_mean_zero_and_variance_one() {
        let column = Column::from_numbers("a", Kind::Real, &[1e6, f64::NAN, 3e6, 8e6]);
        let scores = standardised(&column, 0, 1).unwrap();
        assert_eq!(scores[1], 0.0);
        assert!(scores.iter().sum::<f64>().abs() < 1e-12);
        assert!((scores.iter().map(|x| x * x).sum::<f64>() / 3.0 - 1.0).abs() < 1e-12);
        assert!(standardised(&Column::from_numbers("b", Kind::Real, &[0.1, 0.1, f64::NAN]), 0, 1).is_none());
        assert!(standardised(&Column::from_numbers("c", Kind::Real, &[f64::NAN]), 0, 1).is_none());
    }

    #[test]
    fn the_intercept_gives_the_rate() {
        for (scale, rate) in [(1.0, 0.5), (10.0, 0.01), (1e-9, 0.3), (1e4, 0.9)] {
            let logits: Vec<f64> =
                (0..500).map(|row| scale * Stream::new(2, "logit", row, 0).normal()).collect();
            let observed: Vec<bool> = (0..500).map(|row| row % 5 != 0).collect();
            let b = intercept(&logits, &observed, rate);
            let known = logits.iter().zip(&observed).filter(|(_, seen)| **seen);
            let mean = known.map(|(logit, _)| sigmoid(logit + b)).sum::<f64>() / 400.0;
            assert!((mean - rate).abs() < 1e-9, "{scale} {rate}: {mean}");
        }
    }
}
