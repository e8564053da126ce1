//! Calibration of chances: one number that softens or sharpens them, found on held-out rows, kept where it helps.
//!
//! Chances p become p^(1/T), made to add up to 1 (Guo, Pleiss, Sun and Weinberger 2017). The order of classes stays.

use crate::encode::{Targets, Task};
use crate::metrics::Score;

/// The softest and the sharpest temperature.
const RANGE: (f64, f64) = (0.25, 4.0);
/// Halvings of the range of its logarithm: enough for three digits.
const STEPS: usize = 24;

/// Chances below this count as this much before they are sharpened or softened.
pub(super) const SMALLEST_CHANCE: f64 = 1e-12;

/// Takes each row's chances to the power of 1 / temperature, so that they add up to 1 again (Guo et al. 2017: softmax
/// of logits over the temperature).
pub fn tempered(chances: &mut [f64], classes: usize, temperature: f64) {
    if temperature == 1.0 {
        return;
    }
    for row in chances.chunks_exact_mut(classes) {
        row.iter_mut().for_each(|chance| *chance = chance.max(SMALLEST_CHANCE).powf(1.0 / temperature));
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|chance| *chance /= total);
    }
}

/// For each fold the temperature that does best on the other folds' held-out rows, applied to `answers`; 1 for all
/// folds where that does not lower the log-loss of the fold itself by more than chance would.
pub(super) fn temperatures(answers: &mut [Vec<f64>], truths: &[Targets]) -> Vec<f64> {
    let even = vec![1.0; answers.len()];
    let Some(Task::Classification { classes }) = truths.first().map(|truth| truth.task) else { return even };
    let loss = |fold: usize, answers: &[Vec<f64>], temperature: f64| {
        let mut own = answers[fold].clone();
        tempered(&mut own, classes, temperature);
        Score::of(&own, &truths[fold]).loss()
    };
    let found: Vec<f64> = (0..answers.len())
        .map(|fold| {
            let others: Vec<usize> = (0..answers.len()).filter(|other| *other != fold).collect();
            best(|temperature| others.iter().map(|&other| loss(other, answers, temperature)).sum())
        })
        .collect();
    let gains: Vec<f64> =
        (0..answers.len()).map(|fold| loss(fold, answers, 1.0) - loss(fold, answers, found[fold])).collect();
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (gains.len() as f64 - 1.0);
    // More than the standard error of the mean gain: a power that only fits noise is left out.
    if mean > (variance / gains.len() as f64).sqrt() {
        answers.iter_mut().zip(&found).for_each(|(own, temperature)| tempered(own, classes, *temperature));
        return found;
    }
    even
}

/// Where a loss that falls and then rises in the logarithm of the temperature is least, by golden sections.
fn best(loss: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (RANGE.0.ln(), RANGE.1.ln());
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (loss(left.exp()), loss(right.exp()));
    for _ in 0..STEPS {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = loss(left.exp());
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = loss(right.exp());
        }
    }
    ((low + high) / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// Chances of two classes whose logits are `factor` times what they should be, in five folds.
    fn case(factor: f64, rows: usize) -> (Vec<Vec<f64>>, Vec<Targets>) {
        let mut stream = Stream::new(2, "temperature", 0, 0);
        let mut fold = || {
            let (mut answers, mut classes) = (Vec::new(), Vec::new());
            for _ in 0..rows {
                let logit = 1.5 * stream.normal();
                classes.push(u32::from(stream.uniform() < 1.0 / (1.0 + (-logit).exp())));
                let said = 1.0 / (1.0 + (-factor * logit).exp());
                answers.extend([1.0 - said, said]);
            }
            let task = Task::Classification { classes: 2 };
            (answers, Targets { task, numbers: vec![], classes, weights: vec![1.0; rows] })
        };
        (0..5).map(|_| fold()).unzip()
    }

    #[test]
    fn chances_that_are_too_sure_are_softened_and_sound_ones_left() {
        let (mut answers, truths) = case(2.0, 400);
        let before: f64 = answers.iter().zip(&truths).map(|(a, t)| Score::of(a, t).loss()).sum();
        let found = temperatures(&mut answers, &truths);
        assert!(found.iter().all(|own| (own - 2.0).abs() < 0.3), "{found:?}");
        let after: f64 = answers.iter().zip(&truths).map(|(a, t)| Score::of(a, t).loss()).sum();
        assert!(after < before, "{before} {after}");
        let (mut sound, truths) = case(1.0, 400);
        let kept = sound.clone();
        assert_eq!(temperatures(&mut sound, &truths), [1.0; 5]);
        assert_eq!(sound, kept);
    }

    #[test]
    fn a_temperature_softens_or_sharpens() {
        let mut soft = [0.9, 0.1, 0.5, 0.5];
        tempered(&mut soft, 2, 2.0);
        assert!((soft[0] - 0.75).abs() < 1e-12 && (soft[0] + soft[1] - 1.0).abs() < 1e-12);
        assert_eq!(soft[2..], [0.5, 0.5]);
        let mut sharp = [0.75, 0.25];
        tempered(&mut sharp, 2, 0.5);
        assert!((sharp[0] - 0.9).abs() < 1e-12, "{sharp:?}");
    }
}
