//! The loss of one predicted rating, and its derivative by the scores of the levels.

/// log Σ exp, and the softmax itself, of some scores.
fn softmax(scores: &[f64], chances: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for (chance, score) in chances.iter_mut().zip(scores) {
        *chance = (score - largest).exp();
        total += *chance;
    }
    chances.iter_mut().for_each(|chance| *chance /= total);
    largest + total.ln()
}

/// The chances of the levels.
pub(super) fn chances(scores: &[f32]) -> Vec<f64> {
    let scores: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
    let mut chances = vec![0.0; scores.len()];
    softmax(&scores, &mut chances);
    chances
}

/// `(1 - ordinal) NLL + ordinal C` for the true level; its derivatives go into `gradients`.
pub(super) fn loss(scores: &[f32], truth: usize, ordinal: f64, gradients: &mut [f64]) -> f64 {
    let levels = scores.len();
    let s: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
    let mut p = vec![0.0; levels];
    gradients.fill(0.0);
    let mut loss = 0.0;
    // Each term is -log( p_k / Σ over some range of p ) = log Σ over the range of exp(s) - s_k.
    let mut term = |range: std::ops::Range<usize>, k: usize, weight: f64, gradients: &mut [f64]| {
        let part = &mut p[range.clone()];
        loss += weight * (softmax(&s[range.clone()], part) - s[k]);
        gradients[range].iter_mut().zip(part).for_each(|(gradient, chance)| *gradient += weight * *chance);
        gradients[k] -= weight;
    };
    if ordinal < 1.0 {
        term(0..levels, truth, 1.0 - ordinal, gradients);
    }
    if ordinal > 0.0 {
        (0..=truth).for_each(|k| term(0..k + 1, k, ordinal, gradients));
        (truth..levels).for_each(|k| term(k..levels, k, ordinal, gradients));
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the formula stands, from chances.
    fn by_the_book(scores: &[f32], truth: usize, ordinal: f64) -> f64 {
        let p = chances(scores);
        let up: f64 = (0..=truth).map(|k| -(p[k] / p[..=k].iter().sum::<f64>()).ln()).sum();
        let down: f64 = (truth..p.len()).map(|k| -(p[k] / p[k..].iter().sum::<f64>()).ln()).sum();
        (1.0 - ordinal) * -p[truth].ln() + ordinal * (up + down)
    }

    #[test]
    fn loss_and_derivative_are_those_of_the_formula() {
        let scores = [0.3_f32, -1.2, 2.0, 0.1, 0.7];
        for truth in 0..5 {
            for ordinal in [0.0, 0.4, 1.0] {
                let mut gradients = [0.0; 5];
                let value = loss(&scores, truth, ordinal, &mut gradients);
                assert!((value - by_the_book(&scores, truth, ordinal)).abs() < 1e-9);
                for level in 0..5 {
                    let moved = |by: f32| {
                        let mut scores = scores;
                        scores[level] += by;
                        by_the_book(&scores, truth, ordinal)
                    };
                    let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                    assert!((slope - gradients[level]).abs() < 1e-3, "{slope} {}", gradients[level]);
                }
            }
        }
    }

    #[test]
    fn large_scores_do_not_overflow() {
        let mut gradients = [0.0; 3];
        let value = loss(&[1e4, -1e4, 0.0], 1, 0.5, &mut gradients);
        assert!(value.is_finite() && gradients.iter().all(|gradient| gradient.is_finite()));
    }
}
