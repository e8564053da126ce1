//! Weights of a blend: those with the least squared error among all that are 0 or more and 1 in all.
//!
//! ```text
//! min over w of Σ over ratings of (r - Σ_p w_p a_p)²    with w ≥ 0, Σ w = 1
//! ```
//!
//! With the weights of one part left to the rest, `w_1 = 1 - Σ others`, this is least squares of `r - a_1` on the
//! differences `a_p - a_1`. Which parts have a weight at all is found by trying: there are few.

use crate::linalg::{Mat, solve};

/// Keeps parts that answer alike from making the equations insoluble: added to the mean square of their difference.
const RIDGE: f64 = 1e-9;

/// The weight of each part, from what each answered and what was true.
pub fn weights(answers: &[Vec<f32>], truth: &[f32]) -> Vec<f64> {
    let mut best = (f64::INFINITY, vec![1.0 / answers.len().max(1) as f64; answers.len()]);
    for choice in 1_u32..1 << answers.len().min(16) {
        let parts: Vec<usize> = (0..answers.len()).filter(|part| choice >> part & 1 == 1).collect();
        let Some(own) = of_these(answers, truth, &parts) else { continue };
        let mut all = vec![0.0; answers.len()];
        parts.iter().zip(own).for_each(|(part, weight)| all[*part] = weight);
        let error = squares(&mixed(answers, &all), truth);
        if error < best.0 {
            best = (error, all);
        }
    }
    best.1
}

/// Least squares with some of the parts; `None` where one would have a weight below 0.
fn of_these(answers: &[Vec<f32>], truth: &[f32], parts: &[usize]) -> Option<Vec<f64>> {
    let (first, others) = parts.split_first()?;
    let base = &answers[*first];
    let difference = |part: usize, at: usize| f64::from(answers[part][at] - base[at]);
    let count = truth.len() as f64;
    let sums = |i: usize, j: usize| {
        let (a, b) = (others[i], others[j]);
        (0..truth.len()).map(|at| difference(a, at) * difference(b, at)).sum::<f64>()
    };
    let lower = Mat::from_fn(others.len(), others.len(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => sums(i, i) + RIDGE * count,
        std::cmp::Ordering::Greater => sums(i, j),
    });
    let rest = |at: usize| f64::from(truth[at] - base[at]);
    let right: Vec<f64> = others
        .iter()
        .map(|part| (0..truth.len()).map(|at| difference(*part, at) * rest(at)).sum::<f64>())
        .collect();
    let others = if others.is_empty() { Vec::new() } else { solve(lower, &right)? };
    let own = 1.0 - others.iter().sum::<f64>();
    let all: Vec<f64> = std::iter::once(own).chain(others).collect();
    all.iter().all(|weight| *weight >= 0.0).then_some(all)
}

/// The weighted sum of what the parts answered.
pub fn mixed(answers: &[Vec<f32>], weights: &[f64]) -> Vec<f32> {
    let count = answers.first().map_or(0, Vec::len);
    let sum =
        |at: usize| answers.iter().zip(weights).map(|(own, weight)| weight * f64::from(own[at])).sum::<f64>();
    (0..count).map(|at| sum(at) as f32).collect()
}

/// What a blend answers for each half of the ratings, every second one, with the weights found on the other half: its
/// error is that of ratings which its weights have not seen.
pub fn cross_checked(answers: &[Vec<f32>], truth: &[f32]) -> Vec<f32> {
    let half =
        |values: &[f32], odd: usize| -> Vec<f32> { values.iter().skip(odd).step_by(2).copied().collect() };
    let mut blended = vec![0.0; truth.len()];
    for odd in 0..2 {
        let other: Vec<Vec<f32>> = answers.iter().map(|own| half(own, 1 - odd)).collect();
        let own: Vec<Vec<f32>> = answers.iter().map(|own| half(own, odd)).collect();
        let found = mixed(&own, &weights(&other, &half(truth, 1 - odd)));
        blended.iter_mut().skip(odd).step_by(2).zip(found).for_each(|(place, answer)| *place = answer);
    }
    blended
}

fn squares(answers: &[f32], truth: &[f32]) -> f64 {
    answers.iter().zip(truth).map(|(answer, truth)| f64::from(answer - truth).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn noise(purpose: &str, count: usize, deviation: f64) -> Vec<f32> {
        let mut stream = Stream::new(1, purpose, 0, 0);
        (0..count).map(|_| (deviation * stream.normal()) as f32).collect()
    }

    /// Errors that have nothing to do with each other count by the inverse of their variance.
    #[test]
    fn weights_follow_the_inverse_variance_and_none_goes_to_a_misleading_part() {
        let truth = noise("truth", 40_000, 1.0);
        let off = |purpose: &str, deviation: f64| -> Vec<f32> {
            truth.iter().zip(noise(purpose, truth.len(), deviation)).map(|(a, b)| a + b).collect()
        };
        // The errors of the first, twice as large: nothing but harm.
        let answers = [off("a", 0.5), off("b", 1.0), off("a", 1.0)];
        let found = weights(&answers, &truth);
        assert!((found[0] - 0.8).abs() < 0.01 && (found[1] - 0.2).abs() < 0.01, "{found:?}");
        assert_eq!(found[2], 0.0);
        let error = (squares(&cross_checked(&answers, &truth), &truth) / truth.len() as f64).sqrt();
        // 1 / (1/.25 + 1/1) = .2
        assert!((error - 0.2_f64.sqrt()).abs() < 0.01, "{error}");
    }

    #[test]
    fn parts_that_answer_alike_or_nothing_are_no_trouble() {
        let truth = [1.0, 2.0, 3.0];
        let same = vec![vec![1.5, 2.0, 2.5]; 3];
        assert!((weights(&same, &truth).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(weights(&[vec![], vec![]], &[]), [1.0, 0.0]);
        assert_eq!(cross_checked(&[vec![2.0], vec![4.0]], &[2.0]).len(), 1);
    }
}
