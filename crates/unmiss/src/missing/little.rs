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

use super::gaussian::{self, PatternMoments};
use super::patterns::group_rows;
use super::scores::{numeric, standardise};
use super::significance::chi_square_tail;
use super::together::intersection;
use crate::data::Column;

/// At most this many columns and patterns, so that the test ends in seconds on any table.
const MOST_COLUMNS: usize = 30;
const MOST_PATTERNS: usize = 1000;
/// Rows per column that the estimates need, and rows in which two columns must be known together.
const ROWS_PER_COLUMN: usize = 5;
const FEWEST_TOGETHER: usize = 10;
/// A column whose variance given others is below this share of its own is a combination of them.
const SMALLEST_SHARE: f64 = 1e-4;
const ITERATIONS: usize = 500;
const TOLERANCE: f64 = 1e-7;

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
        patterns.push(PatternMoments::new(known, chosen.len(), rows, |row, values| {
            let cells = columns.iter().map(|&j| chosen[j].values[row as usize]);
            values.iter_mut().zip(cells).for_each(|(value, cell)| *value = cell);
        }));
    }
    let fitted = gaussian::fit(&patterns, chosen.len(), SMALLEST_SHARE, ITERATIONS, TOLERANCE)?;
    let count: f64 = patterns.iter().map(|pattern| pattern.count).sum();
    little.columns = chosen.iter().map(|candidate| candidate.name.to_owned()).collect();
    little.rows = count as usize;
    little.patterns = patterns.len();
    if left_out > 0 {
        little.remarks.push(format!(
            "{left_out} rows were left out: only the {MOST_PATTERNS} most frequent patterns are compared."
        ));
    }
    if !fitted.converged {
        little.remarks.push(format!(
            "The estimates had not settled after {} iterations: take the p-value as rough.",
            fitted.iterations
        ));
    }

    let mut statistic = 0.0;
    let mut freedom = -(chosen.len() as f64);
    for pattern in &patterns {
        let sigma = fitted.normal.sigma.part(&pattern.observed);
        let lower = sigma.cholesky(SMALLEST_SHARE).map_err(|position| pattern.observed[position])?;
        // |L^-1 (m - mu)|^2 = (m - mu)' Sigma^-1 (m - mu)
        let mut shift = pattern.shift(&fitted.normal.mu);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, Table};
    use crate::missing::{Mechanism, hide, hideable};
    use crate::rng::Stream;

    /// Three correlated columns.
    fn normal_table(rows: u64, seed: u64) -> Table {
        let column = |j: u64| {
            let cell = |row| {
                Stream::new(seed, "common", row, 0).normal() + Stream::new(seed, "own", row, 1 + j).normal()
            };
            Column::from_numbers(format!("x{j}"), Kind::Real, &(0..rows).map(cell).collect::<Vec<_>>())
        };
        Table::new((0..3).map(column).collect()).unwrap()
    }

    fn p_value(table: &Table) -> f64 {
        let columns: Vec<&Column> = table.columns().iter().collect();
        test(&columns, table.rows()).result.unwrap().p_value
    }

    #[test]
    fn agrees_with_a_reference() {
        const NAN: f64 = f64::NAN;
        let columns = [
            [
                9.5, NAN, 8.8, NAN, 10.4, NAN, 8.0, 9.2, 10.6, 10.8, 10.0, NAN, 9.6, 11.6, 10.3, 8.0, 10.0,
                7.9, 10.0, 8.7, NAN, 10.3, 9.9, 8.5,
            ],
            [
                0.0, -2.3, -0.2, NAN, NAN, NAN, -0.3, -0.7, NAN, NAN, -0.6, NAN, -0.1, NAN, 0.2, -1.9, -0.9,
                -2.4, -1.0, -0.1, -0.1, NAN, 1.3, -2.4,
            ],
            [
                -5.9, -4.5, -3.3, NAN, -1.6, -2.0, -5.0, -6.4, -1.0, -2.8, -0.8, -3.4, NAN, -1.9, -2.0, -4.4,
                -1.9, -5.8, -4.9, NAN, -5.3, -3.0, -3.7, -3.9,
            ],
        ];
        let columns: Vec<Column> = columns
            .iter()
            .zip(["a", "b", "c"])
            .map(|(x, name)| Column::from_numbers(name, Kind::Real, x))
            .collect();
        let little = test(&columns.iter().collect::<Vec<_>>(), 24);
        let result = little.result.unwrap();
        // Expectation-maximisation row by row in NumPy, without patterns, to a tolerance of 1e-12. The same
        // script gives 35.106 with 14 degrees of freedom for R's airquality.
        assert!((result.statistic - 12.722_337).abs() < 1e-4, "{result:?}");
        assert_eq!(result.degrees_of_freedom, 7.0);
        assert!((result.p_value - 0.079_169_6).abs() < 1e-5, "{result:?}");
        assert_eq!((little.rows, little.patterns), (23, 5));
    }

    #[test]
    fn at_five_percent_about_five_percent_of_random_holes_are_rejected() {
        let rejected = (0..200)
            .filter(|&seed| {
                let table = normal_table(150, seed);
                let holes = hide(&table, &Mechanism::Mcar(0.2), &hideable(&table, &[]), seed).unwrap();
                p_value(&holes.table) < 0.05
            })
            .count();
        assert!((2..=24).contains(&rejected), "{rejected} of 200");
    }

    #[test]
    fn holes_that_depend_on_another_column_are_found() {
        let found = (0..20).filter(|&seed| {
            let table = normal_table(300, seed);
            let holes = hide(&table, &Mechanism::Mar(0.3), &hideable(&table, &[]), seed).unwrap();
            p_value(&holes.table) < 0.05
        });
        assert!(found.count() >= 19);
    }

    #[test]
    fn copies_and_constants_are_left_out_and_named() {
        let table = normal_table(100, 1);
        let holes = hide(&table, &Mechanism::Mcar(0.2), &["x0".to_owned()], 1).unwrap().table;
        let mut columns: Vec<Column> = holes.columns().to_vec();
        let mut copy = columns[1].clone();
        copy.name = "copy".to_owned();
        columns.push(copy);
        columns.push(Column::from_numbers("flat", Kind::Real, &[7.0; 100]));
        let result = test(&columns.iter().collect::<Vec<_>>(), 100);
        assert!(result.result.is_some());
        assert_eq!(result.columns, ["x0", "x1", "x2"]);
        assert!(result.remarks.iter().any(|remark| remark.contains("`copy`")), "{:?}", result.remarks);
    }

    #[test]
    fn without_holes_it_says_why_there_is_no_result() {
        let table = normal_table(50, 1);
        let result = test(&table.columns().iter().collect::<Vec<_>>(), 50);
        assert!(result.result.is_none());
        assert!(result.reason.unwrap().contains("no numeric"));
        assert!(test(&[], 0).reason.is_some());
    }
}
