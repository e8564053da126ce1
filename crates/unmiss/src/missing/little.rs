//! Little's test of "missing completely at random".
//!
//! If it does not depend on the values what is missing, the mean of a column is the same in every pattern of
//! missingness. With mu and Sigma the maximum-likelihood estimates, and pattern j having n_j rows, observed
//! columns o_j (p_j of p) and mean m_j:
//!
//! ```text
//! d2 = sum_j n_j (m_j - mu_oj)' Sigma_oj^-1 (m_j - mu_oj)  ~  chi-square, (sum_j p_j) - p degrees of freedom
//! ```
//!
//! (R. J. A. Little, A test of missing completely at random for multivariate data with missing values, 1988.)

use serde::Serialize;

use super::patterns::group_rows;
use super::scores::{numeric, standardise};
use super::significance::chi_square_tail;
use super::together::intersection;
use crate::data::Column;
use crate::linalg::{Course, Moments, Normal, Square};

/// At most this many columns and patterns, so that the test ends in seconds on any table.
const MOST_COLUMNS: usize = 30;
const MOST_PATTERNS: usize = 1000;
/// Rows per column that the estimates need, and rows in which two columns must be known together.
const ROWS_PER_COLUMN: usize = 5;
const FEWEST_TOGETHER: usize = 10;
/// A column whose variance given others is below this share of its own is a combination of them.
const SMALLEST_SHARE: f64 = 1e-4;
/// Maximum likelihood: no ridge.
const COURSE: Course = Course { ridge: 0.0, rounds: 500, tolerance: 1e-7 };

/// Little's test: its result, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Little {
    /// The result, where it could be computed.
    pub result: Option<LittleResult>,
    /// Why there is no result.
    pub reason: Option<String>,
    /// The columns it was computed on.
    pub columns: Vec<String>,
    /// Rows it was computed on.
    pub rows: usize,
    /// Patterns of missingness among them.
    pub patterns: usize,
    /// What was left out, and other remarks, in words.
    pub remarks: Vec<String>,
}

/// The figures of Little's test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LittleResult {
    /// d2.
    pub statistic: f64,
    /// Degrees of freedom.
    pub degrees_of_freedom: f64,
    /// Probability of a d2 at least as large if holes were completely at random.
    pub p_value: f64,
}

/// A column ready for the test: standardised, with its mask.
struct Candidate<'a> {
    name: &'a str,
    values: Vec<f64>,
    observed: &'a [bool],
    missing: usize,
    /// One bit per row, set where observed.
    bits: Vec<u64>,
}

/// Tests the numeric and two-valued columns among those given.
pub(super) fn test(columns: &[&Column], rows: usize) -> Little {
    let mut little = Little::default();
    let candidates: Vec<Candidate> = columns.iter().filter_map(candidate).collect();
    let excluded = columns.len() - candidates.len();
    if excluded > 0 {
        little.remarks.push(format!(
            "{excluded} of {} columns have no part in it: categories, text, dates, and columns with a single \
             value or fewer than {FEWEST_TOGETHER} known cells.",
            columns.len()
        ));
    }
    if candidates.iter().all(|candidate| candidate.missing == 0) {
        return little.without("no numeric or two-valued column has holes");
    }
    let mut chosen = choose(candidates, rows, &mut little.remarks);
    loop {
        if chosen.len() < 2 || chosen.iter().all(|candidate| candidate.missing == 0) {
            return little.without("fewer than two columns, one of them with holes, can be tested together");
        }
        match compute(&chosen, rows, &mut little) {
            Ok(()) => return little,
            Err(position) => {
                let dropped = chosen.remove(position);
                let name = dropped.name;
                little.remarks.push(format!("`{name}` was left out: it is nearly a combination of others."));
            }
        }
    }
}

impl Little {
    fn without(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }
}

fn candidate<'a>(column: &&'a Column) -> Option<Candidate<'a>> {
    let count = column.rows() - column.missing();
    if count < FEWEST_TOGETHER {
        return None;
    }
    let values = standardise(&numeric(column)?, &column.observed)?;
    let pack = |chunk: &[bool]| chunk.iter().rev().fold(0, |word, seen| word << 1 | u64::from(*seen));
    Some(Candidate {
        name: &column.name,
        values,
        observed: &column.observed,
        missing: column.rows() - count,
        bits: column.observed.chunks(64).map(pack).collect(),
    })
}

/// The columns to test: those with holes first (nearest to half missing), then complete ones to compare with,
/// in the table's order; each pair known together in enough rows, and not more than the rows can carry.
fn choose<'a>(candidates: Vec<Candidate<'a>>, rows: usize, remarks: &mut Vec<String>) -> Vec<Candidate<'a>> {
    let most = MOST_COLUMNS.min(rows / ROWS_PER_COLUMN).max(2);
    let total = candidates.len();
    let (mut order, complete): (Vec<usize>, Vec<usize>) =
        (0..total).partition(|&index| candidates[index].missing > 0);
    order.sort_by_key(|&index| (2 * candidates[index].missing).abs_diff(rows));
    // A third of the places is kept for complete columns, if there are so many.
    let place = order.len().min(most - (most / 3).min(complete.len()));
    order.splice(place..place, complete);

    let mut taken: Vec<usize> = Vec::new();
    let mut apart = 0;
    for index in order {
        if taken.len() == most {
            break;
        }
        let together = |&other: &usize| intersection(&candidates[index].bits, &candidates[other].bits);
        if taken.iter().all(|other| together(other) >= FEWEST_TOGETHER) {
            taken.push(index);
        } else {
            apart += 1;
        }
    }
    if apart > 0 {
        remarks.push(format!(
            "Left out, because known together with another column in fewer than {FEWEST_TOGETHER} rows: \
             {apart} of the columns."
        ));
    }
    if total - apart > taken.len() {
        remarks.push(format!(
            "It was computed on {} of {total} columns, those with most to tell: at most {MOST_COLUMNS}, and \
             one for each {ROWS_PER_COLUMN} rows.",
            taken.len()
        ));
    }
    let keep = |(index, candidate)| taken.contains(&index).then_some(candidate);
    candidates.into_iter().enumerate().filter_map(keep).collect()
}

/// Fits and tests; the position of a column that is a combination of others is the error.
fn compute(chosen: &[Candidate], rows: usize, little: &mut Little) -> Result<(), usize> {
    let masks: Vec<&[bool]> = chosen.iter().map(|candidate| candidate.observed).collect();
    let groups = group_rows(&masks, rows);
    let mut patterns = Vec::new();
    let mut left_out = 0;
    for (observed, rows) in groups.observed.iter().zip(&groups.rows) {
        let known: Vec<usize> = (0..chosen.len()).filter(|&j| observed[j]).collect();
        if known.is_empty() {
            continue;
        }
        if patterns.len() == MOST_PATTERNS {
            left_out += rows.len();
            continue;
        }
        let columns = known.clone();
        patterns.push(Moments::new(known, chosen.len(), rows, |row, values| {
            let cells = columns.iter().map(|&j| chosen[j].values[row as usize]);
            values.iter_mut().zip(cells).for_each(|(value, cell)| *value = cell);
        }));
    }
    let (normal, converged) = estimates(&patterns, chosen.len())?;
    let count: f64 = patterns.iter().map(|pattern| pattern.count).sum();
    little.columns = chosen.iter().map(|candidate| candidate.name.to_owned()).collect();
    little.rows = count as usize;
    little.patterns = patterns.len();
    if left_out > 0 {
        little.remarks.push(format!(
            "{left_out} rows were left out: only the {MOST_PATTERNS} most frequent patterns are compared."
        ));
    }
    if !converged {
        little.remarks.push(format!(
            "The estimates had not settled after {} iterations: take the p-value as rough.",
            COURSE.rounds
        ));
    }

    let mut statistic = 0.0;
    let mut freedom = -(chosen.len() as f64);
    for pattern in &patterns {
        let lower = triangle(&normal, pattern)?;
        // |L^-1 (m - mu)|^2 = (m - mu)' Sigma^-1 (m - mu)
        let mut shift = pattern.shift(&normal.mean);
        lower.forward(&mut shift);
        statistic += pattern.count * shift.iter().map(|x| x * x).sum::<f64>();
        freedom += pattern.observed.len() as f64;
    }
    let p_value = if freedom >= 1.0 { chi_square_tail(statistic, freedom) } else { None };
    match p_value {
        Some(p_value) => {
            little.result = Some(LittleResult { statistic, degrees_of_freedom: freedom, p_value });
        }
        None => little.reason = Some("there is only one pattern of missingness to compare".to_owned()),
    }
    Ok(())
}

/// Mean and covariance, and whether they settled; the position of a column that is a combination of others is the
/// error.
fn estimates(patterns: &[Moments], columns: usize) -> Result<(Normal, bool), usize> {
    let (mut converged, mut combined) = (false, None);
    let normal = Normal::fit_moments(patterns, columns, COURSE, |_, change, normal| {
        converged = change < COURSE.tolerance;
        // Where all columns together have a triangle, those of every pattern have one.
        if normal.covariance.cholesky(SMALLEST_SHARE).is_err() {
            combined = patterns.iter().find_map(|pattern| triangle(normal, pattern).err());
        }
        combined.is_none()
    });
    match combined.or_else(|| normal.covariance.cholesky(SMALLEST_SHARE).err()) {
        Some(position) => Err(position),
        None => Ok((normal, converged)),
    }
}

/// The lower triangle of a pattern's covariance, or the position of a column that is a combination of others.
fn triangle(normal: &Normal, pattern: &Moments) -> Result<Square, usize> {
    let covariance = normal.covariance.part(&pattern.observed);
    covariance.cholesky(SMALLEST_SHARE).map_err(|position| pattern.observed[position])
}

#[cfg(test)]
mod tests;
