//! A joint normal distribution learned from rows with holes, by expectation-maximisation.
//!
//! For a row with known columns o and missing columns m, mean μ and covariance Σ say of the missing part
//!
//! ```text
//! mean        x̂_m = μ_m + B (x_o - μ_o),   B = Σ_mo Σ_oo⁻¹
//! covariance  C   = Σ_mm - B Σ_om
//! ```
//!
//! A round fills every row with x̂ and takes mean and covariance anew, the latter with C added where cells were
//! filled (what the known columns leave open) and a ridge on its diagonal, which keeps it solvable when columns
//! nearly repeat each other and holds back what few rows can't tell. Where much is missing rounds become ever shorter
//! without being near the end: leaps shorten the course, and its end is judged by what is still ahead.

use rayon::prelude::*;

use super::conditional::Conditional;
use super::exact::ExactSums;
use super::expected::expect;
use super::holes::{Group, Holes, cut, groups};
use super::moments::{Moments, expect_moments};
use super::normal::Normal;
use super::square::Square;

/// Patterns that are summed in one go: fixed, so that sums do not depend on the number of threads.
const PATTERNS: usize = 16;
/// Numbers that the sums of all chunks at work may hold together.
const MOST_NUMBERS: usize = 16 << 20;

/// A first step after a leap that is so many times longer than the one before it says that the leap led astray.
const ASTRAY: f64 = 4.0;

/// From so many rows, and so many for each column, the first rounds look at every fifth of them.
const MANY_ROWS: usize = 5000;
const ROWS_PER_COLUMN: usize = 100;
const EVERY: usize = 5;

/// When expectation-maximisation ends.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// Added to the diagonal of the covariance in every round.
    pub ridge: f64,
    /// Rounds, at most.
    pub rounds: usize,
    /// The course ends when all further rounds together would move no entry of mean and covariance further than this.
    pub tolerance: f64,
}

impl Normal {
    /// The means of the known cells, and covariance 1: what stands before the first round.
    pub fn start(data: Holes<'_>, rows: &[usize]) -> Self {
        let mut sums = vec![(0.0, 0.0); data.columns];
        for &row in rows {
            let cells = data.values[row * data.columns..].iter().zip(data.marks(row));
            for ((sum, count), (value, _)) in sums.iter_mut().zip(cells).filter(|(_, cell)| *cell.1) {
                *sum += f64::from(*value);
                *count += 1.0;
            }
        }
        let mean = sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect();
        Self::new(mean, Square::identity(data.columns))
    }

    /// Learns from the given rows. `listen` hears the change of every round and may end the course with `false`.
    pub fn fit(
        data: Holes<'_>,
        rows: &[usize],
        course: Course,
        mut listen: impl FnMut(usize, f64) -> bool,
    ) -> Self {
        let start = Self::start(data, rows);
        if rows.len() < MANY_ROWS.max(ROWS_PER_COLUMN * data.columns) {
            return start.fit_on(data, rows, course, listen);
        }
        // The longest part of the way is gone with some of the rows.
        let some: Vec<usize> = rows.iter().copied().step_by(EVERY).collect();
        start.fit_on(data, &some, course, &mut listen).fit_on(data, rows, course, listen)
    }

    /// Learns from the given rows, from this one on.
    #[must_use]
    pub fn fit_on(
        self,
        data: Holes<'_>,
        rows: &[usize],
        course: Course,
        mut listen: impl FnMut(usize, f64) -> bool,
    ) -> Self {
        let mut groups = groups(data, rows);
        // Patterns of like size are solved together.
        groups.sort_by_key(|group| group.observed.iter().filter(|known| **known).count());
        let chunks = cut(&groups);
        let listen = |round, change, _: &Self| listen(round, change);
        let expect = |groups: &&[Group], conditional: &Conditional<'_>| expect(data, groups, conditional);
        let step = |from: &Self| from.round(&chunks, expect, rows.len() as f64, course.ridge);
        self.improved(step, course, listen)
    }

    /// The same from rows that were summed up pattern by pattern, so that a round costs the same for a thousand rows
    /// as for a million. Columns are standardised: the course starts with mean 0 and covariance 1. `listen` hears the
    /// change of every round and what it led to.
    pub fn fit_moments(
        patterns: &[Moments],
        columns: usize,
        course: Course,
        listen: impl FnMut(usize, f64, &Self) -> bool,
    ) -> Self {
        let start = Self::new(vec![0.0; columns], Square::identity(columns));
        let chunks: Vec<&[Moments]> = patterns.chunks(PATTERNS).collect();
        let count = patterns.iter().map(|pattern| pattern.count).sum();
        let expect =
            |patterns: &&[Moments], conditional: &Conditional<'_>| expect_moments(patterns, conditional);
        start.improved(|from| from.round(&chunks, expect, count, course.ridge), course, listen)
    }

    /// The same from sums that somebody else makes: of so many rows, what
    /// [`expect_exactly`](crate::linalg::expect_exactly) gives for all of them.
    pub fn fit_sums(
        columns: usize,
        course: Course,
        expect: impl Fn(&Self) -> ExactSums,
        listen: impl FnMut(usize, f64, &Self) -> bool,
    ) -> Self {
        let start = Self::new(vec![0.0; columns], Square::identity(columns));
        let step = |from: &Self| {
            let sums = expect(from);
            let count = sums.count.max(1) as f64;
            let shift: Vec<f64> = (0..columns).map(|column| sums.sum(column) / count).collect();
            let mut squares = sums.square();
            squares.cells.iter_mut().for_each(|cell| *cell /= count);
            from.moved(&shift, squares, course.ridge)
        };
        start.improved(step, course, listen)
    }

    /// Round after round: expected sums and products given the old mean and covariance, and the new ones from them.
    /// After every second one, a leap along what the two had in common (Varadhan and Roland 2008): with r the first
    /// step and v what the second differs from it, θ - 2 a r + a² v, a = -|r| / |v|.
    fn improved(
        self,
        step: impl Fn(&Self) -> Self,
        course: Course,
        mut listen: impl FnMut(usize, f64, &Self) -> bool,
    ) -> Self {
        // Where to go back to when a leap led astray, and how long steps were there.
        let (mut start, mut safe, mut usual) = (self, None::<Self>, f64::INFINITY);
        let (mut round, mut slowest) = (0, 0.0_f64);
        while round < course.rounds {
            let first = step(&start);
            let length = first.length_from(&start);
            if let Some(safe) = safe.take().filter(|_| length > ASTRAY * usual || !length.is_finite()) {
                (start, usual) = (safe, f64::INFINITY);
                continue;
            }
            round += 1;
            if !listen(round, first.distance(&start), &first) || round == course.rounds {
                return first;
            }
            let second = step(&first);
            let (change, rate) = (second.distance(&first), second.length_from(&first) / length.max(1e-300));
            round += 1;
            // What all further rounds would add, were each shorter than the last as slowly as any was so far.
            slowest = slowest.max(if round > 2 { rate } else { 0.0 });
            let ahead = change * slowest / (1.0 - slowest).max(1e-3);
            if !listen(round, change, &second) || change.max(ahead) < course.tolerance {
                return second;
            }
            usual = length;
            start = start.leap(&first, &second).unwrap_or_else(|| second.clone());
            safe = Some(second);
        }
        safe.unwrap_or(start)
    }

    fn round<C: Sync>(
        &self,
        chunks: &[C],
        expect: impl Fn(&C, &Conditional<'_>) -> (Vec<f64>, Square) + Sync,
        count: f64,
        ridge: f64,
    ) -> Self {
        let columns = self.mean.len();
        let conditional = Conditional::new(self);
        let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
        // As many chunks at a time as memory allows; added in order, so that threads change nothing.
        for wave in chunks.chunks((MOST_NUMBERS / (columns * columns).max(1)).clamp(2, 64)) {
            let sums: Vec<(Vec<f64>, Square)> =
                wave.par_iter().map(|chunk| expect(chunk, &conditional)).collect();
            for (t, products) in sums {
                shift.iter_mut().zip(t).for_each(|(sum, value)| *sum += value / count);
                let cells = squares.cells.iter_mut().zip(products.cells);
                cells.for_each(|(sum, value)| *sum += value / count);
            }
        }
        self.moved(&shift, squares, ridge)
    }
}

#[cfg(test)]
mod tests;
