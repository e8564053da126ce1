//! The best split of one column of one node.
//!
//! With G and H the sums of gradients and hessians over the rows of a node, the best value of a leaf is
//! -G / (H + l2), and a split into L and R lowers the loss by half of
//!
//! gain = GL^2 / (HL + l2) + GR^2 / (HR + l2) - G^2 / (H + l2).

use super::bins::Meaning;
use super::histogram::{Cell, Units};
use crate::nn::vectorised::vectorised;

/// Added to the hessian when categories are put in order, so that rare ones stay in the middle.
const ORDER_SMOOTHING: f64 = 10.0;
/// Categories beyond which sets of them are held back,
const FEW_CATEGORIES: usize = 4;
/// by this much more l2: there are many ways to choose a set.
const SET_L2: f64 = 10.0;
/// What rounding alone may seem to gain.
const SMALLEST_GAIN: f64 = 1e-12;

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
    pub left: Cell,
    /// Sums of the right side.
    pub right: Cell,
}

/// Rules in the units of the sums.
struct Scaled {
    min_rows: u32,
    min_hessian: f64,
    l2: f64,
    /// What turns a score in units into a gain.
    worth: f64,
}

impl Scaled {
    /// GL^2 / (HL + l2) + GR^2 / (HR + l2), with one division; below 0 for a split that does not keep to the rules.
    #[inline(always)]
    fn score(&self, left: Cell, node: Cell) -> f64 {
        let right = node.minus(left);
        let ((left_gradient, left_hessian), (right_gradient, right_hessian)) = (left.sums(), right.sums());
        let (on_left, on_right) = (left_hessian + self.l2, right_hessian + self.l2);
        let squares = left_gradient * left_gradient * on_right + right_gradient * right_gradient * on_left;
        let score = squares / (on_left * on_right);
        let enough = (left.rows() >= self.min_rows)
            & (right.rows() >= self.min_rows)
            & (left_hessian >= self.min_hessian)
            & (right_hessian >= self.min_hessian);
        if enough { score } else { -1.0 }
    }

    /// The gain of a split of that score, if there is any.
    fn gain(&self, score: f64, node: Cell) -> Option<f64> {
        let (gradient, hessian) = node.sums();
        let gain = (score - gradient * gradient / (hessian + self.l2)) * self.worth;
        (score >= 0.0 && gain > SMALLEST_GAIN).then_some(gain)
    }
}

vectorised! {
    /// The best of some splits that send `more` and the rows up to a bin left: score and place, the first of equals.
    fn best_of(rules: &Scaled, up_to: &[Cell], more: Cell, node: Cell) -> (f64, usize) {
        let mut scores = [0.0; 256];
        let scores = &mut scores[..up_to.len()];
        for (score, left) in scores.iter_mut().zip(up_to) {
            *score = rules.score(left.plus(more), node);
        }
        // Eight at a time: one running maximum would wait for itself.
        let (eights, rest) = scores.as_chunks::<8>();
        let mut best = [-1.0_f64; 8];
        for eight in eights {
            best.iter_mut().zip(eight).for_each(|(best, score)| *best = if *score > *best { *score } else { *best });
        }
        let best = best.iter().chain(rest).fold(-1.0_f64, |best, &score| if score > best { score } else { best });
        let place = scores.iter().position(|&score| score == best);
        place.map_or((-1.0, 0), |place| (best, place))
    }
}

impl Rules {
    fn scaled(&self, units: Units, more_l2: f64) -> Scaled {
        Scaled {
            min_rows: self.min_rows,
            min_hessian: self.min_hessian / units.hessian,
            l2: (self.l2 + more_l2) / units.hessian,
            worth: units.gradient * units.gradient / units.hessian,
        }
    }

    /// The best split of a column from the sums of its bins (missing cells last) and of the whole node.
    pub fn best(&self, meaning: &Meaning, bins: &[Cell], node: Cell, units: Units) -> Option<Split> {
        match meaning {
            Meaning::Number { .. } => self.best_number(bins, node, units),
            Meaning::Category { .. } => self.best_category(bins, node, units),
        }
    }

    /// Known values up to a bin go left, missing cells go right or left. Up to the last bin: known against
    /// missing.
    fn best_number(&self, bins: &[Cell], node: Cell, units: Units) -> Option<Split> {
        let (rules, known) = (self.scaled(units, 0.0), bins.len() - 1);
        let missing = bins[known];
        let (mut buffer, mut sum) = ([Cell::default(); 256], Cell::default());
        let up_to = &mut buffer[..known];
        for (up_to, bin) in up_to.iter_mut().zip(bins) {
            sum = sum.plus(*bin);
            *up_to = sum;
        }
        // With enough rows on both sides, of which `more` stand left already; the rest need not be scored.
        let best_of = |more: Cell| {
            let start = up_to.partition_point(|left| left.plus(more).rows() < rules.min_rows);
            let end = up_to.partition_point(|left| left.plus(more).rows() + rules.min_rows <= node.rows());
            if start >= end {
                return (-1.0, 0);
            }
            let (score, place) = best_of(&rules, &up_to[start..end], more, node);
            (score, start + place)
        };
        let (mut score, mut last) = best_of(Cell::default());
        let mut missing_left = false;
        if missing.rows() > 0 {
            let (other, place) = best_of(missing);
            if other > score {
                (score, last, missing_left) = (other, place, true);
            }
        }
        let gain = rules.gain(score, node)?;
        let left = if missing_left { up_to[last].plus(missing) } else { up_to[last] };
        let right = node.minus(left);
        let mut goes_left = Set::default();
        (0..=last).for_each(|bin| add(&mut goes_left, bin));
        // Nothing is missing here: if something is later, it goes with the many.
        if missing_left || (missing.rows() == 0 && left.rows() > right.rows()) {
            add(&mut goes_left, known);
        }
        Some(Split { gain, goes_left, last, left, right })
    }

    /// Codes in the order of their gradient / hessian: the best set is one that comes first in that order
    /// (Fisher 1958). Missing is a code like any other. Codes without a row here go with the many.
    fn best_category(&self, bins: &[Cell], node: Cell, units: Units) -> Option<Split> {
        let smoothing = ORDER_SMOOTHING / units.hessian;
        let key = |bin: &Cell| {
            let (gradient, hessian) = bin.sums();
            gradient / (hessian + smoothing)
        };
        let present = bins.iter().enumerate().filter(|(_, cell)| cell.rows() > 0);
        let mut order: Vec<(f64, usize)> = present.map(|(bin, cell)| (key(cell), bin)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rules = self.scaled(units, if order.len() > FEW_CATEGORIES { SET_L2 } else { 0.0 });
        let (mut left, mut best) = (Cell::default(), (-1.0, 0, Cell::default()));
        for (place, &(_, bin)) in order.iter().enumerate() {
            left = left.plus(bins[bin]);
            let score = rules.score(left, node);
            if score > best.0 {
                best = (score, place, left);
            }
        }
        let (score, place, left) = best;
        let gain = rules.gain(score, node)?;
        let right = node.minus(left);
        let mut goes_left = Set::default();
        order[..=place].iter().for_each(|&(_, bin)| add(&mut goes_left, bin));
        if left.rows() > right.rows() {
            (0..bins.len()).filter(|&bin| bins[bin].rows() == 0).for_each(|bin| add(&mut goes_left, bin));
        }
        Some(Split { gain, goes_left, last: 0, left, right })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    const RULES: Rules = Rules { min_rows: 3, min_hessian: 1e-3, l2: 1.0 };
    const UNITS: Units = Units { gradient: 0.01, hessian: 0.02 };

    fn rows_of(stream: &mut Stream, bins: usize, rows: usize) -> Vec<(usize, Cell)> {
        let row = |_| {
            let (gradient, hessian) =
                (stream.normal() / UNITS.gradient, (0.1 + stream.uniform()) / UNITS.hessian);
            (stream.below(bins), Cell::new(gradient.round() as i64, hessian.round() as i64, 1))
        };
        (0..rows).map(row).collect()
    }

    fn histogram(rows: &[(usize, Cell)], bins: usize) -> (Vec<Cell>, Cell) {
        let (mut sums, mut node) = (vec![Cell::default(); bins], Cell::default());
        for (bin, cell) in rows {
            sums[*bin] = sums[*bin].plus(*cell);
            node = node.plus(*cell);
        }
        (sums, node)
    }

    /// The gain of sending some rows left, from the rows themselves.
    fn gain_of(rows: &[(usize, Cell)], goes_left: impl Fn(usize) -> bool) -> f64 {
        let sum = |left: bool| {
            let own = rows.iter().filter(|(bin, _)| goes_left(*bin) == left);
            own.fold(Cell::default(), |sum, (_, row)| sum.plus(*row))
        };
        let (left, right) = (sum(true), sum(false));
        if left.rows() < 3 || right.rows() < 3 {
            return 0.0;
        }
        let score = |cell: Cell| {
            let (gradient, hessian) = cell.sums();
            (gradient * UNITS.gradient).powi(2) / (hessian * UNITS.hessian + 1.0)
        };
        score(left) + score(right) - score(left.plus(right))
    }

    #[test]
    fn number_splits_are_the_best_there_are() {
        for draw in 0..200 {
            let mut stream = Stream::new(1, "splits", draw, 0);
            let bins = 2 + stream.below(19);
            let rows = rows_of(&mut stream, bins, 25);
            let (sums, node) = histogram(&rows, bins);
            let missing = bins - 1;
            let mut best = 0.0_f64;
            for last in 0..missing {
                best = best.max(gain_of(&rows, |bin| bin <= last));
                best = best.max(gain_of(&rows, |bin| bin <= last || bin == missing));
            }
            let found = RULES.best_number(&sums, node, UNITS);
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
            let row = |place: usize| {
                let gradient = (stream.normal() / UNITS.gradient).round() as i64;
                (place % bins, Cell::new(gradient, 50, 1))
            };
            let rows: Vec<(usize, Cell)> = (0..4 * bins).map(row).collect();
            let (sums, node) = histogram(&rows, bins);
            let sets = 0..1_usize << bins;
            let best = sets.map(|set| gain_of(&rows, |bin| set >> bin & 1 == 1)).fold(0.0, f64::max);
            let found = RULES.best_category(&sums, node, UNITS);
            assert!((found.map_or(0.0, |split| split.gain) - best).abs() < 1e-9);
        }
    }

    #[test]
    fn what_a_node_has_not_seen_goes_with_the_many() {
        let cell = |gradient, rows: u32| Cell::new(gradient, i64::from(rows) * 50, rows);
        // Bins: two known, one unseen code or missing at the end.
        for (first, second, left) in [(9, 4, true), (4, 9, false)] {
            let bins = [cell(-500, first), cell(500, second), Cell::default()];
            let node = cell(0, first + second);
            let number = RULES.best_number(&bins, node, UNITS).unwrap();
            let category = RULES.best_category(&bins, node, UNITS).unwrap();
            assert_eq!((has(&number.goes_left, 2), has(&category.goes_left, 2)), (left, left));
        }
    }
}
