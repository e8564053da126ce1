//! A joint normal distribution learned from rows with holes, by expectation-maximisation.
//!
//! For a row with known columns o and missing columns m, mean μ and covariance Σ say of the missing part
//!
//! ```text
//! mean        x̂_m = μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o)
//! covariance  C   = Σ_mm - Σ_mo Σ_oo⁻¹ Σ_om
//! ```
//!
//! A round fills every row with x̂ and takes mean and covariance anew, the latter with C added where cells were
//! filled (what the known columns leave open) and a ridge on its diagonal, which keeps it solvable when columns
//! nearly repeat each other and holds back what few rows can't tell.

mod pattern;

use std::collections::HashMap;
use std::sync::OnceLock;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::missing::gaussian::Square;

pub use pattern::Conditional;
use pattern::Pattern;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 512;
/// Numbers that the sums of all chunks at work may hold together.
const MOST_NUMBERS: usize = 16 << 20;

/// Rows of numbers with holes.
#[derive(Clone, Copy)]
pub struct Holes<'a> {
    /// How many columns.
    pub columns: usize,
    /// `[rows, columns]`; what stands under a `false` mark is never read.
    pub values: &'a [f32],
    /// `[rows, columns]`: true where known.
    pub observed: &'a [bool],
}

impl Holes<'_> {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The marks of a row.
    pub fn marks(&self, row: usize) -> &[bool] {
        &self.observed[row * self.columns..(row + 1) * self.columns]
    }

    /// The row's distance from a mean, 0 where missing.
    pub(crate) fn deviations(&self, row: usize, mean: &[f64], into: &mut [f64]) {
        let cells = self.values[row * self.columns..].iter().zip(self.marks(row));
        for ((into, mean), (value, observed)) in into.iter_mut().zip(mean).zip(cells) {
            *into = if *observed { f64::from(*value) - mean } else { 0.0 };
        }
    }
}

/// When expectation-maximisation ends.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// Added to the diagonal of the covariance in every round.
    pub ridge: f64,
    /// Rounds, at most.
    pub rounds: usize,
    /// A round that moves no entry of mean and covariance further than this is the last.
    pub tolerance: f64,
}

/// Mean and covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Normal {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Square,
    /// Σ⁻¹, computed when it is first asked for; `None` inside where there is none.
    precision: OnceLock<Option<Square>>,
}

/// Rows with the same holes.
struct Group {
    observed: Vec<bool>,
    rows: Vec<usize>,
}

impl Normal {
    /// From its saved form: mean, and covariance row by row.
    pub fn from_parts(mean: Vec<f64>, covariance: Vec<f64>) -> Self {
        let size = mean.len();
        Self::new(mean, Square { size, cells: covariance })
    }

    fn new(mean: Vec<f64>, covariance: Square) -> Self {
        Self { mean, covariance, precision: OnceLock::new() }
    }

    /// The inverse of the covariance; `None` where it has none.
    fn precision(&self) -> Option<&Square> {
        let invert = || self.covariance.cholesky(0.0).ok().map(|lower| lower.inverse_of_product());
        self.precision.get_or_init(invert).as_ref()
    }

    /// Mean, and covariance row by row.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        (&self.mean, &self.covariance.cells)
    }

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
        let mut normal = Self::start(data, rows);
        let groups = groups(data, rows);
        for round in 1..=course.rounds {
            let next = normal.round(data, &groups, rows.len(), course.ridge);
            let change = next.distance(&normal);
            normal = next;
            if !listen(round, change) || change < course.tolerance {
                break;
            }
        }
        normal
    }

    /// The largest difference of an entry of mean and covariance.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let pairs = self.mean.iter().zip(&other.mean);
        let pairs = pairs.chain(self.covariance.cells.iter().zip(&other.covariance.cells));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// One round: expected sums and products given the old mean and covariance, and the new ones from them.
    fn round(&self, data: Holes<'_>, groups: &[Group], count: usize, ridge: f64) -> Self {
        let columns = self.mean.len();
        let conditional = Conditional::new(self);
        let chunks = cut(groups);
        let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
        // As many chunks at a time as memory allows; added in order, so that threads change nothing.
        for wave in chunks.chunks((MOST_NUMBERS / (columns * columns).max(1)).clamp(2, 64)) {
            let sums: Vec<(Vec<f64>, Square)> =
                wave.par_iter().map(|groups| expect(data, groups, &conditional)).collect();
            for (t, products) in sums {
                shift.iter_mut().zip(t).for_each(|(sum, value)| *sum += value / count as f64);
                let cells = squares.cells.iter_mut().zip(products.cells);
                cells.for_each(|(sum, value)| *sum += value / count as f64);
            }
        }
        self.moved(&shift, squares, ridge)
    }

    /// The distribution whose mean lies `shift` from this one's and whose mean products of deviations from the OLD mean
    /// are `squares`, with a ridge.
    pub(crate) fn moved(&self, shift: &[f64], mut squares: Square, ridge: f64) -> Self {
        for i in 0..shift.len() {
            for j in 0..shift.len() {
                *squares.at_mut(i, j) -= shift[i] * shift[j];
            }
            *squares.at_mut(i, i) += ridge;
        }
        let mean = self.mean.iter().zip(shift).map(|(mean, shift)| mean + shift).collect();
        Self::new(mean, squares)
    }
}

/// Groups in chunks of about [`CHUNK`] rows; a group with more rows stays whole.
fn cut(groups: &[Group]) -> Vec<&[Group]> {
    let (mut chunks, mut start, mut rows) = (Vec::new(), 0, 0);
    for (place, group) in groups.iter().enumerate() {
        rows += group.rows.len();
        if rows >= CHUNK || place + 1 == groups.len() {
            chunks.push(&groups[start..=place]);
            (start, rows) = (place + 1, 0);
        }
    }
    chunks
}

/// Sums of the filled deviations t = Σ f and of their products T = Σ f f' + C over the rows of some groups.
fn expect(data: Holes<'_>, groups: &[Group], conditional: &Conditional<'_>) -> (Vec<f64>, Square) {
    let columns = data.columns;
    let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
    // [rows, columns]: deviations of the filled rows from the old mean.
    let mut filled = Vec::new();
    for group in groups {
        let pattern = Pattern::new(conditional, &group.observed);
        for &row in &group.rows {
            let start = filled.len();
            filled.resize(start + columns, 0.0);
            data.deviations(row, conditional.mean(), &mut filled[start..]);
            pattern.fill(conditional, &mut filled[start..]);
            shift.iter_mut().zip(&filled[start..]).for_each(|(sum, value)| *sum += value);
            if filled.len() >= CHUNK * columns {
                add_products(&mut squares, &filled);
                filled.clear();
            }
        }
        pattern.add_open(conditional, group.rows.len() as f64, &mut squares);
    }
    add_products(&mut squares, &filled);
    (shift, squares)
}

/// squares += F'F for the rows F.
fn add_products(squares: &mut Square, rows: &[f64]) {
    let columns = squares.size;
    let count = rows.len() / columns.max(1);
    let rows = MatRef::from_row_major_slice(rows, count, columns);
    let sum = MatMut::from_row_major_slice_mut(&mut squares.cells, columns, columns);
    matmul(sum, Accum::Add, rows.transpose(), rows, 1.0, Par::Seq);
}

/// Rows grouped by what is known, in the order in which the patterns first occur.
fn groups(data: Holes<'_>, rows: &[usize]) -> Vec<Group> {
    let mut places: HashMap<&[bool], usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for &row in rows {
        let marks = &data.observed[row * data.columns..(row + 1) * data.columns];
        let place = *places.entry(marks).or_insert_with(|| {
            groups.push(Group { observed: marks.to_vec(), rows: Vec::new() });
            groups.len() - 1
        });
        groups[place].rows.push(row);
    }
    groups
}

#[cfg(test)]
mod tests;
