//! The best split of one column of one node.
//!
//! With G and H the sums of gradients and hessians over the rows of a node, the best value of a leaf is
//! -G / (H + l2), and a split into L and R lowers the loss by half of
//!
//! gain = GL^2 / (HL + l2) + GR^2 / (HR + l2) - G^2 / (H + l2).

use std::ops::{AddAssign, Sub, SubAssign};

use super::bins::{Column, Meaning};

/// Added to the hessian when categories are put in order, so that rare ones stay in the middle.
const ORDER_SMOOTHING: f64 = 10.0;
/// Categories beyond which sets of them are held back,
const FEW_CATEGORIES: usize = 4;
/// by this much more l2: there are many ways to choose a set.
const SET_L2: f64 = 10.0;
/// What rounding alone may seem to gain.
const SMALLEST_GAIN: f64 = 1e-12;

/// Sums over rows: of a bin, or of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// First derivatives of the loss.
    pub gradient: f64,
    /// Second derivatives.
    pub hessian: f64,
    /// How many rows.
    pub rows: u32,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.hessian += other.hessian;
        self.rows += other.rows;
    }
}

impl SubAssign for Sum {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sub for Sum {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }
}

/// What a split has to keep to.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Rows of a leaf at least.
    pub min_rows: u32,
    /// Hessian of a leaf at least.
    pub min_hessian: f64,
    /// Pulls the values of leaves to 0.
    pub l2: f64,
}

/// A set of bins, one bit each.
pub type Set = [u64; 4];

/// Whether a set has a bin.
pub fn has(set: &Set, bin: usize) -> bool {
    set[bin / 64] >> (bin % 64) & 1 == 1
}

/// Adds a bin to a set.
pub fn add(set: &mut Set, bin: usize) {
    set[bin / 64] |= 1 << (bin % 64);
}

/// A split of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Twice the loss it saves.
    pub gain: f64,
    /// Bins that go left, the one of missing cells among them or not.
    pub goes_left: Set,
    /// For a number: the last known bin that goes left.
    pub last: usize,
    /// Sums of the left side.
    pub left: Sum,
    /// Sums of the right side.
    pub right: Sum,
}

impl Rules {
    /// GL^2 / (HL + l2) + GR^2 / (HR + l2) of a split that keeps to the rules, with one division.
    fn score(&self, left: &Sum, right: &Sum, l2: f64) -> Option<f64> {
        let enough = |side: &Sum| side.rows >= self.min_rows && side.hessian >= self.min_hessian;
        if !(enough(left) && enough(right)) {
            return None;
        }
        let (on_left, on_right) = (left.hessian + l2, right.hessian + l2);
        let squares = left.gradient * left.gradient * on_right + right.gradient * right.gradient * on_left;
        Some(squares / (on_left * on_right))
    }

    /// The gain of a split of that score, if there is any.
    fn gain(score: f64, node: &Sum, l2: f64) -> Option<f64> {
        let gain = score - node.gradient * node.gradient / (node.hessian + l2);
        (gain > SMALLEST_GAIN).then_some(gain)
    }

    /// The best split of a column from the sums of its bins (missing cells last) and of the whole node.
    pub fn best(&self, column: &Column, bins: &[Sum], node: &Sum) -> Option<Split> {
        match column.meaning {
            Meaning::Number { .. } => self.best_number(bins, node),
            Meaning::Category { .. } => self.best_category(bins, node),
        }
    }

    /// Known values up to a bin go left, missing cells go right or left. Up to the last bin: known against
    /// missing.
    fn best_number(&self, bins: &[Sum], node: &Sum) -> Option<Split> {
        let known = bins.len() - 1;
        let missing = bins[known];
        let mut best: Option<(f64, usize, bool, Sum)> = None;
        let mut consider = |left: Sum, last: usize, missing_left: bool| {
            let Some(score) = self.score(&left, &(*node - left), self.l2) else { return };
            if best.is_none_or(|(best, ..)| score > best) {
                best = Some((score, last, missing_left, left));
            }
        };
        let mut left = Sum::default();
        for (last, sum) in bins[..known].iter().enumerate().filter(|(_, sum)| sum.rows > 0) {
            left += *sum;
            if node.rows - left.rows < self.min_rows {
                break;
            }
            consider(left, last, false);
            if missing.rows > 0 && node.rows - left.rows > missing.rows {
                let mut with_missing = left;
                with_missing += missing;
                consider(with_missing, last, true);
            }
        }
        let (score, last, missing_left, left) = best?;
        let gain = Self::gain(score, node, self.l2)?;
        let right = *node - left;
        let mut goes_left = Set::default();
        (0..=last).for_each(|bin| add(&mut goes_left, bin));
        // Nothing is missing here: if something is later, it goes with the many.
        if missing_left || (missing.rows == 0 && left.rows > right.rows) {
            add(&mut goes_left, known);
        }
        Some(Split { gain, goes_left, last, left, right })
    }

    /// Codes in the order of their gradient / hessian: the best set is one that comes first in that order
    /// (Fisher 1958). Missing is a code like any other. Codes without a row here go with the many.
    fn best_category(&self, bins: &[Sum], node: &Sum) -> Option<Split> {
        let key = |bin: usize| bins[bin].gradient / (bins[bin].hessian + ORDER_SMOOTHING);
        let mut order: Vec<usize> = (0..bins.len()).filter(|&bin| bins[bin].rows > 0).collect();
        order.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
        let l2 = self.l2 + if order.len() > FEW_CATEGORIES { SET_L2 } else { 0.0 };
        let (mut left, mut best) = (Sum::default(), None::<(f64, usize, Sum)>);
        for (place, &bin) in order.iter().enumerate() {
            left += bins[bin];
            let Some(score) = self.score(&left, &(*node - left), l2) else { continue };
            if best.is_none_or(|(best, ..)| score > best) {
                best = Some((score, place, left));
            }
        }
        let (score, place, left) = best?;
        let gain = Self::gain(score, node, l2)?;
        let right = *node - left;
        let mut goes_left = Set::default();
        order[..=place].iter().for_each(|&bin| add(&mut goes_left, bin));
        if left.rows > right.rows {
            (0..bins.len()).filter(|&bin| bins[bin].rows == 0).for_each(|bin| add(&mut goes_left, bin));
        }
        Some(Split { gain, goes_left, last: 0, left, right })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    const RULES: Rules = Rules { min_rows: 3, min_hessian: 1e-3, l2: 1.0 };

    fn rows_of(stream: &mut Stream, bins: usize, rows: usize) -> Vec<(usize, Sum)> {
        let row = |_| {
            let (gradient, hessian) = (stream.normal(), 0.1 + stream.uniform());
            (stream.below(bins), Sum { gradient, hessian, rows: 1 })
        };
        (0..rows).map(row).collect()
    }

    fn histogram(rows: &[(usize, Sum)], bins: usize) -> (Vec<Sum>, Sum) {
        let (mut sums, mut node) = (vec![Sum::default(); bins], Sum::default());
        for (bin, sum) in rows {
            sums[*bin] += *sum;
            node += *sum;
        }
        (sums, node)
    }

    /// The gain of sending some rows left, from the rows themselves.
    fn gain_of(rows: &[(usize, Sum)], goes_left: impl Fn(usize) -> bool) -> f64 {
        let sum = |left: bool| {
            let mut sum = Sum::default();
            rows.iter().filter(|(bin, _)| goes_left(*bin) == left).for_each(|(_, row)| sum += *row);
            sum
        };
        let (left, right) = (sum(true), sum(false));
        let mut whole = left;
        whole += right;
        if left.rows < 3 || right.rows < 3 {
            return 0.0;
        }
        let score = |sum: Sum| sum.gradient.powi(2) / (sum.hessian + 1.0);
        score(left) + score(right) - score(whole)
    }

    #[test]
    fn number_splits_are_the_best_there_are() {
        for draw in 0..200 {
            let mut stream = Stream::new(1, "splits", draw, 0);
            let bins = 2 + stream.below(7);
            let rows = rows_of(&mut stream, bins, 12);
            let (sums, node) = histogram(&rows, bins);
            let missing = bins - 1;
            let mut best = 0.0_f64;
            for last in 0..missing {
                best = best.max(gain_of(&rows, |bin| bin <= last));
                best = best.max(gain_of(&rows, |bin| bin <= last || bin == missing));
            }
            let found = RULES.best_number(&sums, &node);
            let gain = found.as_ref().map_or(0.0, |split| split.gain);
            assert!((gain - best).abs() < 1e-9, "{gain} {best}");
            if let Some(split) = found {
                assert!((gain_of(&rows, |bin| has(&split.goes_left, bin)) - gain).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn category_splits_are_the_best_of_all_sets() {
        for draw in 0..200 {
            // Equal hessians and at most four codes: order and l2 are those of the theorem.
            let mut stream = Stream::new(2, "splits", draw, 0);
            let bins = 2 + stream.below(3);
            let mut rows = rows_of(&mut stream, bins, 4 * bins);
            rows.iter_mut().enumerate().for_each(|(place, row)| {
                row.0 = place % bins;
                row.1.hessian = 1.0;
            });
            let (sums, node) = histogram(&rows, bins);
            let sets = 0..1_usize << bins;
            let best = sets.map(|set| gain_of(&rows, |bin| set >> bin & 1 == 1)).fold(0.0, f64::max);
            let found = RULES.best_category(&sums, &node);
            assert!((found.map_or(0.0, |split| split.gain) - best).abs() < 1e-9);
        }
    }

    #[test]
    fn what_a_node_has_not_seen_goes_with_the_many() {
        let sum = |gradient, rows| Sum { gradient, hessian: f64::from(rows), rows };
        // Bins: two known, one unseen code or missing at the end.
        for (first, second, left) in [(9, 4, true), (4, 9, false)] {
            let bins = [sum(-5.0, first), sum(5.0, second), Sum::default()];
            let node = sum(0.0, first + second);
            let number = RULES.best_number(&bins, &node).unwrap();
            let category = RULES.best_category(&bins, &node).unwrap();
            assert_eq!((has(&number.goes_left, 2), has(&category.goes_left, 2)), (left, left));
        }
    }
}
