//! Weights of a mean: those with the least squared error among all that are 0 or more and 1 in all.
//!
//! With e_p = a_p - truth, what part p is off by, weights that sum to 1 give
//!
//! ```text
//! mean of (Σ_p w_p a_p - truth)² = w' G w,    G_pq = mean of e_p e_q
//! ```
//!
//! which over given parts is least at w = G⁻¹ 1 / (1' G⁻¹ 1). Which parts have a weight at all is found by trying:
//! there are few. Each further part must earn more than chance gives it: the choice with the least ln(w' G w) + 2 parts
//! / count is taken (Akaike's criterion).

use crate::linalg::{Mat, solve};

/// Keeps parts that answer alike from making the equations insoluble: added to the mean square of each.
const RIDGE: f64 = 1e-9;
/// Parts among which weights are found, at most: all choices of them are tried.
const MOST_PARTS: usize = 16;

/// The weight of each part, from what each is off by at each of `count` places.
pub fn weights(parts: usize, count: usize, off: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let product = |a: usize, b: usize| (0..count).map(|at| off(a, at) * off(b, at)).sum::<f64>();
    let products =
        Mat::from_fn(parts, parts, |a, b| if b <= a { product(a, b) / count.max(1) as f64 } else { 0.0 });
    let mut best = (f64::INFINITY, vec![1.0 / parts.max(1) as f64; parts]);
    for choice in 1_u32..1 << parts.min(MOST_PARTS) {
        let chosen: Vec<usize> = (0..parts).filter(|part| choice >> part & 1 == 1).collect();
        let Some((own, error)) = of_these(&products, &chosen) else { continue };
        let price = error.ln() + 2.0 * chosen.len() as f64 / count.max(1) as f64;
        if price < best.0 {
            let mut all = vec![0.0; parts];
            chosen.iter().zip(own).for_each(|(part, weight)| all[*part] = weight);
            best = (price, all);
        }
    }
    best.1
}

/// The best weights of some of the parts and their mean square; `None` where one would have a weight below 0.
fn of_these(products: &Mat<f64>, chosen: &[usize]) -> Option<(Vec<f64>, f64)> {
    let at = |i: usize, j: usize| products[(chosen[i].max(chosen[j]), chosen[i].min(chosen[j]))];
    let size = chosen.len();
    if size == 1 {
        return Some((vec![1.0], at(0, 0)));
    }
    let lower = Mat::from_fn(size, size, |i, j| at(i, j) * if i == j { 1.0 + RIDGE } else { 1.0 });
    let solution = solve(lower, &vec![1.0; size])?;
    let total: f64 = solution.iter().sum();
    let weights: Vec<f64> = solution.iter().map(|weight| weight / total).collect();
    let cells = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
    let error = cells.map(|(i, j)| weights[i] * weights[j] * at(i, j)).sum::<f64>();
    weights.iter().all(|weight| *weight >= 0.0).then_some((weights, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn noise(purpose: &str, count: usize, deviation: f64) -> Vec<f64> {
        let mut stream = Stream::new(1, purpose, 0, 0);
        (0..count).map(|_| deviation * stream.normal()).collect()
    }

    fn found(off: &[Vec<f64>]) -> Vec<f64> {
        weights(off.len(), off[0].len(), |part, at| off[part][at])
    }

    /// Errors that have nothing to do with each other count by the inverse of their variance.
    #[test]
    fn weights_follow_the_inverse_variance_and_none_goes_to_a_misleading_part() {
        let first = noise("a", 40_000, 0.5);
        // The errors of the first, twice as large: nothing but harm.
        let twice = first.iter().map(|off| 2.0 * off).collect();
        let found = found(&[first, noise("b", 40_000, 1.0), twice]);
        assert!((found[0] - 0.8).abs() < 0.01 && (found[1] - 0.2).abs() < 0.01, "{found:?}");
        assert_eq!(found[2], 0.0);
    }

    /// Opposite errors cancel.
    #[test]
    fn a_mean_is_never_worse_than_the_best_part() {
        let off = |amount: f64| -> Vec<f64> {
            (0..200).map(|at| if at % 2 == 0 { amount } else { -0.5 * amount }).collect()
        };
        let parts = [noise("c", 200, 2.0), off(1.0), off(-1.2)];
        let found = found(&parts);
        assert!((found[1] - 1.2 / 2.2).abs() < 1e-6 && (found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    /// Of a few cells it can't be told that a part which knows nothing helps.
    #[test]
    fn few_places_give_few_weights() {
        let parts: Vec<Vec<f64>> =
            (0..4).map(|part| noise(&format!("d{part}"), 30, if part == 0 { 0.2 } else { 1.0 })).collect();
        assert_eq!(found(&parts).iter().filter(|weight| **weight > 0.1).count(), 1);
    }

    #[test]
    fn parts_that_answer_alike_or_nothing_are_no_trouble() {
        let same = vec![vec![0.5, 0.0, -0.5]; 3];
        assert!((found(&same).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(weights(2, 0, |_, _| 0.0), [1.0, 0.0]);
        assert_eq!(found(&[vec![0.0; 9], vec![1.0; 9]]), [1.0, 0.0]);
        assert_eq!(found(&[vec![f64::INFINITY; 9], vec![1.0; 9]]), [0.0, 1.0]);
        assert_eq!(found(&vec![vec![f64::NAN; 9]; 2]), [0.5, 0.5]);
    }
}
