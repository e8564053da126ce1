//! How near filled cells come to the truth that was hidden, column by column.

use serde::{Deserialize, Serialize};

use crate::data::{Column, Data, Kind, Values};

/// How far filled cells of a column were from the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnError {
    /// The column.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Cells that were hidden.
    pub cells: usize,
    /// Numbers: root mean squared error in standard deviations of the known cells. Categories: share wrong.
    pub error: f64,
}

impl ColumnError {
    /// Whether the column holds numbers: its error is then in standard deviations.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Real | Kind::Integer)
    }
}

/// Errors on hidden cells, column by column: `hidden` marks them for each column of the data. Columns of one value and
/// those left without a known cell tell imputers nothing apart and are left out.
pub fn fill_errors(truth: &Data, filled: &Data, hidden: &[Vec<bool>]) -> Vec<ColumnError> {
    let pairs = truth.columns().iter().zip(filled.columns()).zip(hidden);
    pairs.filter_map(|((truth, filled), hidden)| column_error(truth, filled, hidden)).collect()
}

fn column_error(truth: &Column, filled: &Column, hidden: &[bool]) -> Option<ColumnError> {
    let rows: Vec<usize> = (0..hidden.len()).filter(|&row| hidden[row] && filled.observed[row]).collect();
    if rows.is_empty() {
        return None;
    }
    let cells = rows.len() as f64;
    let error = match (&truth.values, &filled.values) {
        (Values::Numbers(true_values), Values::Numbers(said)) => {
            let squares: f64 = rows.iter().map(|&row| (said[row] - true_values[row]).powi(2)).sum();
            (squares / cells).sqrt() / deviation(true_values, &truth.observed)?
        }
        (Values::Codes { codes: true_codes, levels }, Values::Codes { codes: said, levels: said_levels }) => {
            if levels.len() < 2 {
                return None;
            }
            let right = |row: &&usize| {
                levels.get(true_codes[**row] as usize) == said_levels.get(said[**row] as usize)
            };
            1.0 - rows.iter().filter(right).count() as f64 / cells
        }
        _ => return None,
    };
    Some(ColumnError { name: truth.name.clone(), kind: truth.kind, cells: rows.len(), error })
}

/// Standard deviation of the known cells; none where they are all equal.
fn deviation(values: &[f64], observed: &[bool]) -> Option<f64> {
    let known: Vec<f64> = values.iter().zip(observed).filter(|(_, seen)| **seen).map(|(v, _)| *v).collect();
    let center = known.iter().sum::<f64>() / known.len() as f64;
    let variance = known.iter().map(|value| (value - center).powi(2)).sum::<f64>() / known.len() as f64;
    (variance > 0.0).then(|| variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn errors_are_in_standard_deviations_and_shares() {
        // Known values 1, 3, 5, 7: standard deviation sqrt(5). Hidden 1 and 7, filled 3 and 7: RMSE sqrt(2).
        let truth = Column::from_numbers("x", Kind::Real, &[1.0, 3.0, 5.0, 7.0]);
        let filled = Column::from_numbers("x", Kind::Real, &[3.0, 3.0, 5.0, 7.0]);
        let found = column_error(&truth, &filled, &[true, false, false, true]).unwrap();
        assert!((found.error - (2.0_f64 / 5.0).sqrt()).abs() < 1e-12 && found.cells == 2, "{found:?}");
        let truth = Column::from_words("w", Kind::Category, &[Some("a"), Some("b"), Some("b")]);
        let filled = Column::from_words("w", Kind::Category, &[Some("b"), Some("b"), Some("b")]);
        assert_eq!(column_error(&truth, &filled, &[true, true, true]).unwrap().error, 1.0 - 2.0 / 3.0);
        let constant = Column::from_numbers("c", Kind::Real, &[2.0, 2.0]);
        assert!(column_error(&constant, &constant, &[true, false]).is_none());
    }
}
