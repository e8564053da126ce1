//! Do values of one column differ where another column is missing? Standardised differences of means.

use rayon::prelude::*;
use serde::Serialize;

use super::scores::{numeric, standardise};
use super::significance::{Moments, benjamini_hochberg, one_way};
use super::together::Indicator;
use crate::data::Column;

/// How many dependences are listed.
const LISTED: usize = 10;
/// Rows needed on either side of a comparison.
const FEWEST_ROWS: f64 = 10.0;
/// Comparisons times rows: beyond this only the columns with most holes are looked at.
const MOST_WORK: usize = 4_000_000_000;

/// Holes of one column go with the values of another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dependence {
    /// The column with holes.
    pub missing: String,
    /// The column whose values differ.
    pub values: String,
    /// Mean of `values` in rows where `missing` is missing, minus the mean in the others, in standard
    /// deviations of `values`. For a two-valued column the second value counts as 1.
    pub difference: f64,
    /// Correlation of "missing" and the values, without its sign: 0 unrelated, 1 one gives the other.
    pub strength: f64,
    /// Adjusted for the number of comparisons (false discovery rate).
    pub adjusted_p_value: f64,
}

/// All dependences looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dependences {
    /// Pairs that were compared.
    pub compared: usize,
    /// Pairs with an adjusted p-value below 0.05.
    pub significant: usize,
    /// The strongest among the significant ones: a large difference in many rows comes first.
    pub strongest: Vec<Dependence>,
}

/// Compares every numeric or two-valued column between rows where another is missing and where it is known.
pub(super) fn find(columns: &[&Column], indicators: &[Indicator], rows: usize) -> Dependences {
    let values: Vec<Vec<f64>> = columns.par_iter().map(|column| standardised(column)).collect();
    let totals: Vec<Moments> =
        columns.par_iter().zip(&values).map(|(column, values)| moments(column, values, 0..rows)).collect();
    let mut searched: Vec<&Indicator> = indicators.iter().collect();
    searched.sort_by_key(|indicator| std::cmp::Reverse(indicator.count.min(rows - indicator.count)));
    searched.truncate((MOST_WORK / (rows * columns.len()).max(1)).max(1));

    let compare = |indicator: &&Indicator| -> Vec<Dependence> {
        let others = (0..columns.len()).filter(|other| !indicator.columns.contains(other));
        let one = |other: usize| {
            let missing = moments(columns[other], &values[other], indicator.rows());
            let known = totals[other].without(missing);
            if missing.count < FEWEST_ROWS || known.count < FEWEST_ROWS {
                return None;
            }
            let test = one_way(&[missing, known])?;
            Some(Dependence {
                missing: columns[indicator.columns[0]].name.clone(),
                values: columns[other].name.clone(),
                difference: missing.mean() - known.mean(),
                strength: test.strength,
                adjusted_p_value: test.p_value,
            })
        };
        others.filter_map(one).collect()
    };
    let mut found: Vec<Dependence> = searched.par_iter().flat_map_iter(compare).collect();
    let compared = found.len();
    let adjusted = benjamini_hochberg(&found.iter().map(|one| one.adjusted_p_value).collect::<Vec<_>>());
    found.iter_mut().zip(adjusted).for_each(|(one, adjusted)| one.adjusted_p_value = adjusted);
    found.retain(|one| one.adjusted_p_value < 0.05);
    let significant = found.len();
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    found.truncate(LISTED);
    Dependences { compared, significant, strongest: found }
}

fn moments(column: &Column, values: &[f64], rows: impl Iterator<Item = usize>) -> Moments {
    let mut moments = Moments::default();
    // Columns without numbers have no values and so no rows on either side.
    if !values.is_empty() {
        rows.filter(|&row| column.observed[row]).for_each(|row| moments.add(values[row]));
    }
    moments
}

/// Values with mean 0 and variance 1 over the observed cells; empty for columns that have no such values.
fn standardised(column: &Column) -> Vec<f64> {
    numeric(column).and_then(|raw| standardise(&raw, &column.observed)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::together::indicators;
    use super::*;
    use crate::data::Kind;

    #[test]
    fn a_column_whose_holes_go_with_another_is_found() {
        let age: Vec<f64> = (0..200).map(|row| f64::from(row % 50)).collect();
        let income: Vec<f64> =
            age.iter().map(|&age| if age < 20.0 { f64::NAN } else { age * 7.0 % 13.0 }).collect();
        let columns = [
            Column::from_numbers("age", Kind::Real, &age),
            Column::from_numbers("income", Kind::Real, &income),
        ];
        let columns: Vec<&Column> = columns.iter().collect();
        let found = find(&columns, &indicators(&columns, 200), 200);
        assert_eq!((found.compared, found.significant), (1, 1));
        let first = &found.strongest[0];
        assert_eq!((first.missing.as_str(), first.values.as_str()), ("income", "age"));
        // Means 9.5 and 34.5; the standard deviation of 0..50 is sqrt((50^2 - 1) / 12).
        assert!((first.difference + 25.0 / (2499.0_f64 / 12.0).sqrt()).abs() < 1e-9);
    }
}
