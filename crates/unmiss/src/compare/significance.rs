//! Is one method better than another, or was it chance?
//!
//! Over parts of the data (folds, or repeats of hiding) with paired differences d_1..d_k of the loss: the corrected
//! resampled t test (Nadeau and Bengio 2003),
//!
//! ```text
//! t = mean d / sqrt((1/k + test/train) var d),   k - 1 degrees of freedom
//! ```
//!
//! Over held-out rows, for classes: on the N rows where two classifiers say different things, of which the first is
//! right on a share x, `z = sqrt(N) (2x - 1)`. With more than two classes both may be wrong there, which counts
//! against both. McNemar's test looks only at the b rows on which the first alone is right and the c rows on which
//! the second alone is: were they equal, b would be binomial with b + c trials and probability 1/2.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use crate::metrics::mean_over_folds;

/// A paired difference over parts of the data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedTest {
    /// Mean difference.
    pub difference: f64,
    /// Half its 95 % interval; none with a single part.
    pub half: Option<f64>,
    /// Two-sided p value; none with a single part.
    pub p: Option<f64>,
}

/// The corrected resampled t test of differences over parts that hold out a share of the data each.
pub fn paired_test(differences: &[f64], test_share: f64) -> PairedTest {
    let (difference, half) = mean_over_folds(differences, test_share);
    let count = differences.len() as f64;
    let p = (differences.len() > 1).then(|| {
        let variance = differences.iter().map(|d| (d - difference).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (variance * (1.0 / count + test_share / (1.0 - test_share))).sqrt();
        if difference == 0.0 {
            return 1.0;
        }
        let student = StudentsT::new(0.0, 1.0, count - 1.0);
        student.map_or(1.0, |student| 2.0 * student.cdf(-(difference / error).abs()))
    });
    PairedTest { difference, half: half.is_finite().then_some(half), p }
}

/// Two classifiers on the rows where they say different things.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// Rows where they say different things: N.
    pub rows: usize,
    /// Of these, rows on which the first is right: b.
    pub first_right: usize,
    /// Of these, rows on which the second is right: c.
    pub second_right: usize,
    /// sqrt(N) (2x - 1) with x = b / N; 0 where they never disagree.
    pub z: f64,
    /// Two-sided p value of z.
    pub p_z: f64,
    /// Two-sided p value of McNemar's exact test.
    pub p_mcnemar: f64,
}

/// Compares what two classifiers say about the same rows with the truth.
pub fn disagreement(first: &[u32], second: &[u32], truth: &[u32]) -> Disagreement {
    let (mut rows, mut first_right, mut second_right) = (0, 0, 0);
    for ((one, other), truth) in first.iter().zip(second).zip(truth).filter(|((one, other), _)| one != other)
    {
        rows += 1;
        first_right += usize::from(one == truth);
        second_right += usize::from(other == truth);
    }
    let share = first_right as f64 / rows.max(1) as f64;
    let z = if rows == 0 { 0.0 } else { (rows as f64).sqrt() * (2.0 * share - 1.0) };
    Disagreement {
        rows,
        first_right,
        second_right,
        z,
        p_z: 2.0 * Normal::standard().cdf(-z.abs()),
        p_mcnemar: mcnemar(first_right, second_right),
    }
}

/// Twice the probability of the smaller count or less, of as many tosses of a fair coin as there are rows.
fn mcnemar(one: usize, other: usize) -> f64 {
    let half = Binomial::new(0.5, (one + other) as u64).map_or(0.5, |coin| coin.cdf(one.min(other) as u64));
    (2.0 * half).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paired_test_is_that_of_nadeau_and_bengio() {
        // Mean 3, variance 2.5, five folds of a fifth: error sqrt(2.5 * 0.45) = 1.0606602, t = 2.8284271 with four
        // degrees of freedom. For four degrees P(|T| > t) = 1 - u (3 - u^2) / 2 with u = t / sqrt(t^2 + 4)
        // = 0.8164966: 1 - 0.8164966 * 2.3333333 / 2 = 0.0474207.
        let test = paired_test(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.2);
        assert_eq!(test.difference, 3.0);
        assert!((test.p.unwrap() - 0.047_420_7).abs() < 1e-6, "{test:?}");
        assert!(test.half.unwrap() < 3.0, "interval and p value agree");
    }

    #[test]
    fn no_spread_and_single_parts_are_no_trouble() {
        assert_eq!(paired_test(&[0.0; 4], 0.2).p, Some(1.0));
        assert_eq!(paired_test(&[1.0; 4], 0.2).p, Some(0.0));
        assert_eq!(paired_test(&[1.0], 0.2), PairedTest { difference: 1.0, half: None, p: None });
    }

    #[test]
    fn z_and_mcnemar_by_hand() {
        // Ten rows on which they differ: the first is right on nine, the second on one. x = 0.9,
        // z = sqrt(10) * 0.8 = 2.5298221; McNemar: 2 (1 + 10) / 1024 = 0.0214844.
        let truth = [1_u32; 12];
        let mut first = [1_u32; 12];
        first[0] = 0;
        let mut second = [0_u32; 12];
        (second[0], second[10], second[11]) = (1, 1, 1);
        let found = disagreement(&first, &second, &truth);
        assert_eq!((found.rows, found.first_right, found.second_right), (10, 9, 1));
        assert!((found.z - 2.529_822_1).abs() < 1e-6);
        assert!((found.p_z - 0.011_412).abs() < 1e-5, "{}", found.p_z);
        assert!((found.p_mcnemar - 22.0 / 1024.0).abs() < 1e-9);
    }

    #[test]
    fn rows_on_which_both_are_wrong_count_for_z_alone() {
        // Four rows differ: one won by the first, three on which both are wrong. x = 1/4, z = 2 * (-1/2) = -1.
        let found = disagreement(&[2, 1, 1, 1], &[0, 0, 0, 0], &[2, 2, 2, 2]);
        assert_eq!((found.rows, found.first_right, found.second_right), (4, 1, 0));
        assert_eq!(found.z, -1.0);
        // One toss: 2 * P(0 of 1) = 1, up to the last digits of the distribution function.
        assert!((found.p_mcnemar - 1.0).abs() < 1e-9);
        let same = disagreement(&[0, 1], &[0, 1], &[1, 1]);
        assert_eq!((same.rows, same.z), (0, 0.0));
        assert!((same.p_z - 1.0).abs() < 1e-9 && (same.p_mcnemar - 1.0).abs() < 1e-9);
    }
}
