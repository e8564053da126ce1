//! Does missingness go with the target? By the number of known cells, and column by column.

use rayon::prelude::*;
use serde::Serialize;

use super::known::{Estimate, KnownGroup, target_by_known};
use super::outcome::{Grouped, Outcome};
use super::significance::{Test, benjamini_hochberg};
use super::together::Indicator;
use crate::data::Column;
use crate::error::Result;

/// Rows needed with and without the holes of a column.
const FEWEST_ROWS: usize = 5;

/// What the holes have to do with the target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetDescription {
    /// The target column.
    pub name: String,
    /// Names of the classes; empty for a numeric target.
    pub classes: Vec<String>,
    /// Rows in which the target itself is missing; they have no part in what follows.
    pub missing: usize,
    /// Mean of a numeric target, or share of each class.
    pub overall: Vec<Estimate>,
    /// The target by the number of known cells.
    pub by_known_cells: Vec<KnownGroup>,
    /// The test of "the target does not depend on the number of known cells".
    pub known_cells_test: Option<Test>,
    /// For each different set of holes, the test of "the target does not depend on it"; strongest first.
    pub columns: Vec<ColumnTest>,
    /// Sets of holes that were not tested because too few rows have, or do not have, them.
    pub not_tested: usize,
}

/// The target where a column is missing and where it is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnTest {
    /// The column.
    pub column: String,
    /// Columns that are missing in exactly the same rows.
    pub same_holes: Vec<String>,
    /// Rows in which it is missing (and the target known).
    pub missing_rows: usize,
    /// Mean, or share of each class, where it is missing.
    pub when_missing: Vec<Estimate>,
    /// Mean, or share of each class, where it is known.
    pub when_known: Vec<Estimate>,
    /// The test.
    pub test: Test,
    /// Its p-value adjusted for the number of columns (false discovery rate).
    pub adjusted_p_value: f64,
}

impl ColumnTest {
    /// Whether the holes go with the target beyond chance.
    pub fn is_significant(&self) -> bool {
        self.adjusted_p_value < 0.05
    }
}

/// Describes the target against the holes of the other columns.
pub(super) fn describe(
    target: &Column,
    columns: &[&Column],
    known: &[u32],
    indicators: &[Indicator],
) -> Result<TargetDescription> {
    let outcome = Outcome::new(target)?;
    let all = outcome.grouped(1, |_| 0);
    let (by_known_cells, known_cells_test) = target_by_known(known, &outcome);
    let tested = |indicator: &Indicator| {
        let split = outcome.split(&all, indicator.rows());
        let (missing_rows, known_rows) = (split.count(0) as usize, split.count(1) as usize);
        if missing_rows.min(known_rows) < FEWEST_ROWS {
            return None;
        }
        let mut names = indicator.columns.iter().map(|&position| columns[position].name.clone());
        Some(ColumnTest {
            column: names.next()?,
            same_holes: names.collect(),
            missing_rows,
            when_missing: estimates(&outcome, &split, 0),
            when_known: estimates(&outcome, &split, 1),
            test: split.test()?,
            adjusted_p_value: 1.0,
        })
    };
    let mut tests: Vec<ColumnTest> = indicators.par_iter().filter_map(tested).collect();
    let adjusted = benjamini_hochberg(&tests.iter().map(|test| test.test.p_value).collect::<Vec<_>>());
    tests.iter_mut().zip(adjusted).for_each(|(test, adjusted)| test.adjusted_p_value = adjusted);
    tests.sort_by(|a, b| {
        let order = (!a.is_significant()).cmp(&!b.is_significant());
        order.then(b.test.strength.total_cmp(&a.test.strength))
    });
    Ok(TargetDescription {
        name: target.name.clone(),
        overall: estimates(&outcome, &all, 0),
        missing: target.missing(),
        by_known_cells,
        known_cells_test,
        not_tested: indicators.len() - tests.len(),
        columns: tests,
        classes: outcome.levels,
    })
}

fn estimates(outcome: &Outcome, grouped: &Grouped, group: usize) -> Vec<Estimate> {
    let estimate = |(value, standard_error)| Estimate { value, standard_error };
    outcome.estimates(grouped, group).into_iter().map(estimate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;
    use crate::missing::together::indicators;
    use crate::rng::Stream;

    #[test]
    fn holes_that_go_with_the_target_are_told_from_those_that_do_not() {
        let rows = 400_usize;
        let draw = |row: usize, column: u64| Stream::new(11, "cell", row as u64, column).uniform();
        let dead: Vec<Option<&str>> = (0..rows)
            .map(|row| (row > 3).then_some(if row.is_multiple_of(4) { "yes" } else { "no" }))
            .collect();
        // `test` is missing for 60 % of the dead and 20 % of the others; `other` for 30 % of all.
        let rate = |row: usize| if row.is_multiple_of(4) { 0.6 } else { 0.2 };
        let hole = |missing: bool| if missing { f64::NAN } else { 1.5 };
        let test: Vec<f64> = (0..rows).map(|row| hole(draw(row, 0) < rate(row))).collect();
        let other: Vec<f64> = (0..rows).map(|row| hole(draw(row, 1) < 0.3)).collect();
        let target = Column::from_words("dead", Kind::Binary, &dead);
        let columns = [
            Column::from_numbers("test", Kind::Real, &test),
            Column::from_numbers("other", Kind::Real, &other),
        ];
        let columns: Vec<&Column> = columns.iter().collect();
        let known = crate::missing::known::count(&columns, rows);
        let found = describe(&target, &columns, &known, &indicators(&columns, rows)).unwrap();
        assert_eq!(found.missing, 4);
        assert_eq!(found.classes, ["no", "yes"]);
        assert_eq!(found.columns[0].column, "test");
        assert!(found.columns[0].is_significant() && !found.columns[1].is_significant());
        assert!(found.columns[0].when_missing[1].value > 0.4 && found.columns[0].when_known[1].value < 0.25);
        assert!(found.known_cells_test.unwrap().p_value < 0.001);
        assert!((found.overall[1].value - 0.25).abs() < 0.01);
    }
}
