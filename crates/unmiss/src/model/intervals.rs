//! Prediction intervals from held-out residuals (split conformal), wider for rows of which less is known.
//!
//! With residuals r_1..r_n of rows the model did not see, the interval `prediction +- q`, with q the
//! ceil((n + 1) level)-th smallest |r|, covers a new row from the same source with probability `level`
//! (Vovk et al. 2005; Lei et al. 2018). Rows are grouped by how many of their inputs are known and each group
//! has its own q (a Mondrian taxonomy), so that the promise holds for sparse rows too.

use serde::{Deserialize, Serialize};

/// Fewest residuals a group may have: enough for a 95 % interval with some precision.
const SMALLEST_GROUP: usize = 60;
/// At most this many groups.
const MOST_GROUPS: usize = 5;
/// Order statistics kept per group.
const MOST_KEPT: usize = 1000;

/// Held-out absolute residuals in model units, by number of known inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    /// Rows with at most this many known inputs belong here (the last group takes all others).
    most_known: usize,
    /// How many residuals there were.
    count: usize,
    /// Ascending |residual|s, thinned evenly if there were many.
    residuals: Vec<f32>,
}

impl Intervals {
    /// Learns from residuals of rows that were held out, and the number of known inputs of each row.
    /// `None` when there are too few to promise anything.
    pub fn learn(residuals: &[f64], known: &[usize]) -> Option<Self> {
        let mut rows: Vec<(usize, f64)> =
            known.iter().copied().zip(residuals.iter().map(|r| r.abs())).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        if rows.len() < 10 {
            return None;
        }
        let wanted = (rows.len() / SMALLEST_GROUP).clamp(1, MOST_GROUPS);
        let target_size = rows.len() / wanted;
        let mut groups: Vec<Group> = Vec::new();
        let mut start = 0;
        while start < rows.len() {
            let mut end = (start + target_size).min(rows.len());
            // A group ends where the count changes, and the rest joins it when too small to stand alone.
            while end < rows.len() && rows[end].0 == rows[end - 1].0 {
                end += 1;
            }
            if rows.len() - end < SMALLEST_GROUP {
                end = rows.len();
            }
            groups.push(Group::new(&rows[start..end]));
            start = end;
        }
        Some(Self { groups })
    }

    /// Half the width of the interval for a row with so many known inputs.
    pub fn half_width(&self, known: usize, level: f64) -> f64 {
        let group = self.groups.iter().find(|group| known <= group.most_known).or(self.groups.last());
        group.map_or(f64::INFINITY, |group| group.quantile(level))
    }

    /// The levels that every group can promise without an infinite interval.
    pub fn largest_level(&self) -> f64 {
        let smallest = self.groups.iter().map(|group| group.count).min().unwrap_or(0) as f64;
        smallest / (smallest + 1.0)
    }
}

impl Group {
    fn new(rows: &[(usize, f64)]) -> Self {
        let mut residuals: Vec<f32> = rows.iter().map(|(_, residual)| *residual as f32).collect();
        residuals.sort_unstable_by(f32::total_cmp);
        let count = residuals.len();
        if count > MOST_KEPT {
            // The larger neighbour of each position: thinning may widen an interval, never narrow it.
            let position = |index: usize| ((index + 1) * count).div_ceil(MOST_KEPT) - 1;
            residuals = (0..MOST_KEPT).map(|index| residuals[position(index)]).collect();
        }
        Self { most_known: rows.last().map_or(0, |row| row.0), count, residuals }
    }

    fn quantile(&self, level: f64) -> f64 {
        let rank = ((self.count as f64 + 1.0) * level).ceil();
        if rank > self.count as f64 {
            return f64::INFINITY;
        }
        let position = (rank / self.count as f64 * self.residuals.len() as f64).ceil() as usize;
        self.residuals.get(position.saturating_sub(1)).map_or(f64::INFINITY, |r| f64::from(*r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn coverage_holds_in_sparse_and_dense_rows() {
        let mut stream = Stream::new(1, "intervals", 0, 0);
        // Errors of rows with 2 known inputs are five times those of rows with 10.
        let mut draw = || {
            let known = if stream.uniform() < 0.3 { 2 } else { 10 };
            (known, stream.normal() * if known == 2 { 5.0 } else { 1.0 })
        };
        let (known, residuals): (Vec<usize>, Vec<f64>) = (0..4000).map(|_| draw()).unzip();
        let intervals = Intervals::learn(&residuals, &known).unwrap();
        for group in [2, 10] {
            let new: Vec<f64> =
                (0..20_000).map(|_| draw()).filter(|row| row.0 == group).map(|row| row.1).collect();
            let inside = new.iter().filter(|r| r.abs() <= intervals.half_width(group, 0.9)).count();
            let coverage = inside as f64 / new.len() as f64;
            assert!((coverage - 0.9).abs() < 0.02, "{group}: {coverage}");
        }
    }

    #[test]
    fn few_residuals_promise_little() {
        assert!(Intervals::learn(&[1.0; 5], &[1; 5]).is_none());
        let twenty = Intervals::learn(&(0..20).map(f64::from).collect::<Vec<_>>(), &[1; 20]).unwrap();
        assert_eq!(twenty.half_width(1, 0.9), 18.0);
        assert_eq!(twenty.half_width(1, 0.99), f64::INFINITY);
    }
}
