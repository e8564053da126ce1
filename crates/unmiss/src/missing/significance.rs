//! The statistical tests behind the words: one-way analysis of variance, chi-square, false discovery rate.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

/// A test of "unrelated".
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Test {
    /// F or chi-square.
    pub statistic: f64,
    /// Degrees of freedom: of the numerator (F), or the only ones (chi-square).
    pub degrees_of_freedom: f64,
    /// Probability of a statistic at least as large if the two were unrelated.
    pub p_value: f64,
    /// Strength from 0 (unrelated) to 1 (one gives the other): the correlation ratio for numbers, Cramér's V
    /// for classes. With many rows even a weak relation has a small p-value.
    pub strength: f64,
}

/// Count, sum and sum of squares of a group of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moments {
    pub count: f64,
    pub sum: f64,
    pub squares: f64,
}

impl Moments {
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// The moments of the rest after taking a part away.
    pub fn without(self, part: Self) -> Self {
        Self {
            count: self.count - part.count,
            sum: self.sum - part.sum,
            squares: self.squares - part.squares,
        }
    }

    pub fn mean(self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// Standard error of the mean; 0 for fewer than two numbers.
    pub fn standard_error(self) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let squares = (self.squares - self.sum * self.sum / self.count).max(0.0);
        (squares / (self.count - 1.0) / self.count).sqrt()
    }
}

/// Do the groups have the same mean? `None` where fewer than two groups have rows or no row is left over.
/// The numbers should be centred near 0, because the moments are raw.
pub(super) fn one_way(groups: &[Moments]) -> Option<Test> {
    let filled: Vec<&Moments> = groups.iter().filter(|group| group.count > 0.0).collect();
    let count: f64 = filled.iter().map(|group| group.count).sum();
    let freedom = (filled.len() as f64 - 1.0, count - filled.len() as f64);
    if freedom.0 < 1.0 || freedom.1 < 1.0 {
        return None;
    }
    let sum: f64 = filled.iter().map(|group| group.sum).sum();
    let total = filled.iter().map(|group| group.squares).sum::<f64>() - sum * sum / count;
    let between =
        filled.iter().map(|group| group.sum * group.sum / group.count).sum::<f64>() - sum * sum / count;
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let between = between.clamp(0.0, total);
    let within = (total - between).max(1e-12 * total);
    let statistic = (between / freedom.0) / (within / freedom.1);
    // Squares of numbers next to nothing vanish, and with them what could be compared.
    if !statistic.is_finite() {
        return None;
    }
    let p_value = FisherSnedecor::new(freedom.0, freedom.1).ok()?.sf(statistic);
    Some(Test { statistic, degrees_of_freedom: freedom.0, p_value, strength: (between / total).sqrt() })
}

/// Are rows and columns of a table of counts unrelated? `None` where only one row or column has counts.
pub(super) fn chi_square(counts: &[Vec<f64>]) -> Option<Test> {
    let rows: Vec<f64> = counts.iter().map(|row| row.iter().sum()).collect();
    let width = counts.first().map_or(0, Vec::len);
    let columns: Vec<f64> = (0..width).map(|j| counts.iter().map(|row| row[j]).sum()).collect();
    let total: f64 = rows.iter().sum();
    let filled = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count() as f64 - 1.0;
    let freedom = filled(&rows) * filled(&columns);
    if freedom < 1.0 || filled(&rows) < 1.0 {
        return None;
    }
    let mut statistic = 0.0;
    for (row, row_sum) in counts.iter().zip(&rows) {
        for (count, column_sum) in row.iter().zip(&columns) {
            let expected = row_sum * column_sum / total;
            if expected > 0.0 {
                statistic += (count - expected).powi(2) / expected;
            }
        }
    }
    let p_value = chi_square_tail(statistic, freedom)?;
    let strength = (statistic / total / filled(&rows).min(filled(&columns))).sqrt().min(1.0);
    Some(Test { statistic, degrees_of_freedom: freedom, p_value, strength })
}

/// P(chi-square with so many degrees of freedom > statistic).
pub(super) fn chi_square_tail(statistic: f64, freedom: f64) -> Option<f64> {
    let tail = ChiSquared::new(freedom).ok()?.sf(statistic);
    tail.is_finite().then(|| tail.clamp(0.0, 1.0))
}

/// Benjamini and Hochberg's adjustment: reject where the adjusted p-value is at most the share of false
/// discoveries one accepts.
pub(super) fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        let rank = (p_values.len() - place) as f64;
        smallest = smallest.min(p_values[index] * p_values.len() as f64 / rank);
        adjusted[index] = smallest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|value| moments.add(*value));
        moments
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-6 * right.abs().max(1e-3)
    }

    // Expected values: scipy.stats (f_oneway, chi2_contingency without correction, false_discovery_control).
    #[test]
    fn one_way_agrees_with_a_reference() {
        let test =
            one_way(&[moments(&[1.0, 2.0, 3.0]), moments(&[2.0, 4.0, 5.0, 7.0]), moments(&[0.5, 1.5])]);
        let test = test.unwrap();
        assert!(
            close(test.statistic, 3.849_462_365_591) && close(test.p_value, 0.084_022_251_093),
            "{test:?}"
        );
        assert!(one_way(&[moments(&[1.0, 2.0])]).is_none());
        assert!(one_way(&[moments(&[1.0]), moments(&[1.0])]).is_none());
        for size in [1e-163, 1e-200, 1e160, 1e300] {
            let groups = [moments(&[size, 2.0 * size]), moments(&[-size, size, 3.0 * size])];
            assert!(one_way(&groups).is_none_or(|test| test.p_value.is_finite()), "{size}");
        }
    }

    #[test]
    fn chi_square_agrees_with_a_reference() {
        let test = chi_square(&[vec![12.0, 5.0, 0.0], vec![7.0, 9.0, 0.0]]).unwrap();
        assert!(
            close(test.statistic, 2.430_575_519_682) && close(test.p_value, 0.118_989_205_532),
            "{test:?}"
        );
        assert_eq!(test.degrees_of_freedom, 1.0);
        assert!(chi_square(&[vec![3.0, 0.0], vec![4.0, 0.0]]).is_none());
    }

    #[test]
    fn false_discovery_rate_agrees_with_a_reference() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.053_333_333, 0.053_333_333, 0.5];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| close(*a, b)), "{adjusted:?}");
    }

    #[test]
    fn standard_error_of_a_mean() {
        assert!(close(moments(&[1.0, 2.0, 3.0, 6.0]).standard_error(), (14.0_f64 / 3.0 / 4.0).sqrt()));
    }
}
