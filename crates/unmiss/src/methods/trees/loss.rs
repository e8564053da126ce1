//! What trees lower: the losses, their derivatives, and the way from sums to predictions.
//!
//! With weight w, sums s and the truth y of a row:
//!
//! | task | loss | gradient | hessian |
//! |---|---|---|---|
//! | number | w (s - y)^2 / 2 | w (s - y) | w |
//! | two classes, p = 1 / (1 + e^-s) | -w ln p(y) | w (p - y) | w p (1 - p) |
//! | more, p_k = e^s_k / sum of e^s_j | -w ln p_y | w (p_k - [y = k]) | w p_k (1 - p_k) |

use super::histogram::Derivatives;
use crate::encode::{Targets, Task};

/// Sums per row: one for a number or for two classes, else one per class.
pub fn outputs(task: Task) -> usize {
    match task {
        Task::Regression | Task::Classification { classes: 0..=2 } => 1,
        Task::Classification { classes } => classes,
    }
}

/// The best constant sums: the mean, the log-odds, the logarithms of the classes' shares.
pub fn base(targets: &Targets, rows: &[u32]) -> Vec<f64> {
    let weight = |row: u32| f64::from(targets.weights[row as usize]);
    let total: f64 = rows.iter().map(|&row| weight(row)).sum();
    let Task::Classification { classes } = targets.task else {
        let sum: f64 = rows.iter().map(|&row| weight(row) * f64::from(targets.numbers[row as usize])).sum();
        return vec![sum / total];
    };
    // Half a row more for each class: none is impossible.
    let mut shares = vec![0.5_f64; classes.max(2)];
    rows.iter().for_each(|&row| shares[targets.classes[row as usize] as usize] += weight(row));
    if outputs(targets.task) == 1 {
        return vec![(shares[1] / shares[0]).ln()];
    }
    shares.iter().map(|share| (share / (total + classes as f64 / 2.0)).ln()).collect()
}

/// Predictions of one row from its sums: the number, or a probability for each class.
pub fn predict(task: Task, sums: &[f64], predictions: &mut [f64]) {
    match task {
        Task::Regression => predictions.copy_from_slice(sums),
        Task::Classification { .. } if sums.len() == 1 => {
            let probability = 1.0 / (1.0 + (-sums[0]).exp());
            predictions[0] = 1.0 - probability;
            predictions[1..].fill(probability);
        }
        Task::Classification { .. } => {
            let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            predictions.iter_mut().zip(sums).for_each(|(p, sum)| *p = (sum - largest).exp());
            let total: f64 = predictions.iter().sum();
            predictions.iter_mut().for_each(|p| *p /= total);
        }
    }
}

/// The loss of one row without its weight.
pub fn loss(targets: &Targets, row: usize, sums: &[f64]) -> f64 {
    match targets.task {
        Task::Regression => (sums[0] - f64::from(targets.numbers[row])).powi(2) / 2.0,
        Task::Classification { .. } if sums.len() == 1 => {
            // ln(1 + e^x) for x = -s or s, without overflow.
            let x = if targets.classes[row] == 0 { sums[0] } else { -sums[0] };
            x.max(0.0) + (-x.abs()).exp().ln_1p()
        }
        Task::Classification { .. } => {
            let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = sums.iter().map(|sum| (sum - largest).exp()).sum();
            total.ln() + largest - sums[targets.classes[row] as usize]
        }
    }
}

/// Gradient and hessian of one row's loss by each of its sums.
pub fn derivatives(targets: &Targets, row: usize, sums: &[f64], derivatives: &mut [Derivatives]) {
    let weight = f64::from(targets.weights[row]);
    let one = |gradient: f64, hessian: f64| [(weight * gradient) as f32, (weight * hessian) as f32];
    match targets.task {
        Task::Regression => derivatives[0] = one(sums[0] - f64::from(targets.numbers[row]), 1.0),
        Task::Classification { .. } if sums.len() == 1 => {
            let p = 1.0 / (1.0 + (-sums[0]).exp());
            derivatives[0] = one(p - f64::from(targets.classes[row]), p * (1.0 - p));
        }
        Task::Classification { .. } => {
            let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = sums.iter().map(|sum| (sum - largest).exp()).sum();
            for (class, (sum, derivatives)) in sums.iter().zip(derivatives).enumerate() {
                let p = (sum - largest).exp() / total;
                let truth = f64::from(u8::from(targets.classes[row] as usize == class));
                *derivatives = one(p - truth, p * (1.0 - p));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for (classes, sums) in [(0, vec![0.7]), (2, vec![-1.3]), (3, vec![0.4, -0.9, 1.2])] {
            let task = if classes == 0 { Task::Regression } else { Task::Classification { classes } };
            let targets = Targets { task, numbers: vec![0.2], classes: vec![1], weights: vec![2.0] };
            let mut found = vec![[0.0; 2]; sums.len()];
            derivatives(&targets, 0, &sums, &mut found);
            for output in 0..sums.len() {
                let at = |step: f64| {
                    let mut sums = sums.clone();
                    sums[output] += step;
                    2.0 * loss(&targets, 0, &sums)
                };
                let step = 1e-4;
                let gradient = (at(step) - at(-step)) / (2.0 * step);
                let hessian = (at(step) - 2.0 * at(0.0) + at(-step)) / (step * step);
                assert!((gradient - f64::from(found[output][0])).abs() < 1e-6);
                assert!((hessian - f64::from(found[output][1])).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn loss_and_probabilities_agree_and_stay_finite() {
        for (classes, sums) in [(2, vec![800.0]), (3, vec![800.0, -800.0, 0.0]), (2, vec![0.3])] {
            let task = Task::Classification { classes };
            let targets = Targets { task, numbers: vec![], classes: vec![1], weights: vec![1.0] };
            let mut p = vec![0.0; classes];
            predict(task, &sums, &mut p);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let found = loss(&targets, 0, &sums);
            assert!(found.is_finite() && (p[1] == 0.0 || (found + p[1].ln()).abs() < 1e-12));
        }
    }
}
