//! L-BFGS: quasi-Newton steps from the last few gradients, for problems whose curvature is too large to form.

use std::collections::VecDeque;

use crate::run::Run;

/// Pairs of (step, change of gradient) that shape the next step.
const MEMORY: usize = 10;
/// Steps at most.
const MOST_STEPS: usize = 1000;
/// A slope below which a coordinate counts as flat.
const FLAT: f64 = 1e-6;

/// One remembered pair: step s, change of gradient y and 1 / (s'y).
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

/// Minimises a smooth function from a starting point: where it ended and after how many steps.
/// Stopped early, it returns the best so far.
pub fn minimize(
    start: Vec<f64>,
    value_and_gradient: impl Fn(&[f64]) -> (f64, Vec<f64>),
    run: &Run,
) -> (Vec<f64>, usize) {
    let mut point = start;
    let (mut value, mut gradient) = value_and_gradient(&point);
    let mut memory: VecDeque<Pair> = VecDeque::new();
    let mut steps = 0;
    while steps < MOST_STEPS && gradient.iter().any(|slope| slope.abs() > FLAT) && !run.stopped() {
        let direction = direction(&memory, &gradient);
        let slope = dot(&direction, &gradient);
        // The first step has no scale to go by: one unit of length at most.
        let first = if memory.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt().max(1.0) } else { 1.0 };
        let tried = (0..40).map(|halvings| first * 0.5_f64.powi(halvings)).find_map(|scale| {
            let trial: Vec<f64> = point.iter().zip(&direction).map(|(x, d)| x - scale * d).collect();
            let (new_value, new_gradient) = value_and_gradient(&trial);
            (new_value <= value - 1e-4 * scale * slope).then_some((trial, new_value, new_gradient))
        });
        let Some((trial, new_value, new_gradient)) = tried else {
            // No way down along a remembered shape: forget it once, then give up.
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        let step: Vec<f64> = trial.iter().zip(&point).map(|(new, old)| new - old).collect();
        let change: Vec<f64> = new_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * dot(&change, &change) {
            memory.push_back(Pair { step, change, inverse: 1.0 / curvature });
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        let gained = value - new_value;
        (point, value, gradient) = (trial, new_value, new_gradient);
        steps += 1;
        if gained < 1e-11 * (1.0 + value.abs()) {
            break;
        }
    }
    (point, steps)
}

/// The gradient times the remembered inverse curvature (the two-loop recursion).
fn direction(memory: &VecDeque<Pair>, gradient: &[f64]) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut along = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let alpha = pair.inverse * dot(&pair.step, &q);
        q.iter_mut().zip(&pair.change).for_each(|(q, change)| *q -= alpha * change);
        along.push(alpha);
    }
    if let Some(last) = memory.back() {
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for (pair, alpha) in memory.iter().zip(along.into_iter().rev()) {
        let beta = pair.inverse * dot(&pair.change, &q);
        q.iter_mut().zip(&pair.step).for_each(|(q, step)| *q += (alpha - beta) * step);
    }
    q
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_floor_of_a_bent_valley() {
        // Rosenbrock's function: minimum 0 at (1, 1).
        let valley = |x: &[f64]| {
            let (bend, side) = (x[1] - x[0] * x[0], 1.0 - x[0]);
            (100.0 * bend * bend + side * side, vec![-400.0 * bend * x[0] - 2.0 * side, 200.0 * bend])
        };
        let (point, steps) = minimize(vec![-1.2, 1.0], valley, &Run::new(1, 1).unwrap());
        assert!((point[0] - 1.0).abs() < 1e-4 && (point[1] - 1.0).abs() < 1e-4, "{point:?}");
        assert!(steps < 200);
    }
}
