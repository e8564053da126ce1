//! Imputers on hidden cells: known cells are hidden, filled, and held against the truth.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::{ColumnError, Contestant};
use super::contest::{Outcome, repeat_seed};
use super::folds::MOST_ROWS_COMPARED;
use super::tune::settings_for;
use crate::data::{Column, Table, Values};
use crate::error::{Error, Result};
use crate::methods::Imputation;
use crate::missing::{Hidden, Mechanism, hide, hideable};
use crate::model::{Filler, Limits, RecipeOf};
use crate::rng::{Stream, hash, mix};
use crate::run::Run;

/// A table and how its cells are hidden.
pub(super) struct HiddenCells {
    table: Table,
    how: Mechanism,
    ignore: Vec<String>,
    columns: Vec<String>,
    seed: u64,
}

impl HiddenCells {
    /// Takes the table, or a sample of a large one, and tries whether cells can be hidden that way.
    pub fn new(table: &Table, how: Mechanism, ignore: &[String], run: &Run) -> Result<Self> {
        for name in ignore {
            table.column(name)?;
        }
        let mut rows = Stream::new(run.seed(), "sample for comparison", 0, 0).permutation(table.rows());
        rows.truncate(MOST_ROWS_COMPARED);
        rows.sort_unstable();
        let ignored: Vec<&str> = ignore.iter().map(String::as_str).collect();
        let columns = hideable(table, &ignored);
        let cells =
            Self { table: table.select(&rows), how, ignore: ignore.to_vec(), columns, seed: run.seed() };
        hide(&cells.table, &how, &cells.columns, cells.seed)?;
        Ok(cells)
    }

    /// Rows that take part.
    pub fn rows_compared(&self) -> usize {
        self.table.rows()
    }

    /// Fits a contestant on the table with the hidden cells of a repeat and scores what it fills into them.
    pub fn fit(&self, contestant: &Contestant, repeat: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = RecipeOf::imputer(&contestant.method)?;
        let seed = repeat_seed(self.seed, repeat);
        let run = run.with_seed(seed);
        let holes = self.hide(&self.table, seed)?;
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            self.inner_loss(&recipe, settings, &holes.table, run)
        })?;
        let columns = self.errors(&recipe, &self.table, &holes, &run)?;
        let loss = mean(&columns, |_| true).ok_or_else(nothing_hidden)?;
        let figures = BTreeMap::from([
            ("RMSE / sd".to_owned(), mean(&columns, ColumnError::is_number)),
            ("wrong".to_owned(), mean(&columns, |column| !column.is_number())),
        ]);
        Ok(Outcome { settings: recipe.settings, loss, figures, classes: Vec::new(), columns })
    }

    fn hide(&self, table: &Table, seed: u64) -> Result<Hidden> {
        hide(table, &self.how, &self.columns, seed)
    }

    /// The loss of settings on further cells hidden in a table whose held-out cells are holes already.
    fn inner_loss(
        &self,
        recipe: &RecipeOf<dyn Imputation>,
        settings: &Value,
        holed: &Table,
        run: &Run,
    ) -> Result<f64> {
        let recipe = RecipeOf { settings: settings.clone(), ..recipe.clone() };
        let inner = self.hide(holed, mix([run.seed(), hash("inner holdout")]))?;
        mean(&self.errors(&recipe, holed, &inner, run)?, |_| true).ok_or_else(nothing_hidden)
    }

    /// Errors on the hidden cells, column by column; columns of one value and those left without a known cell
    /// tell imputers nothing apart and are left out.
    fn errors(
        &self,
        recipe: &RecipeOf<dyn Imputation>,
        truth: &Table,
        holes: &Hidden,
        run: &Run,
    ) -> Result<Vec<ColumnError>> {
        let filler = Filler::fit(&holes.table, &self.ignore, recipe, Limits::default(), run)?;
        let filled = run.compute(|| filler.fill(&holes.table, None, |_, _| {}))?.table;
        let pairs = truth.columns().iter().zip(filled.columns()).zip(&holes.hidden);
        Ok(pairs.filter_map(|((truth, filled), hidden)| column_error(truth, filled, hidden)).collect())
    }
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

fn mean(columns: &[ColumnError], wanted: impl Fn(&ColumnError) -> bool) -> Option<f64> {
    let errors: Vec<f64> =
        columns.iter().filter(|column| wanted(column)).map(|column| column.error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

fn nothing_hidden() -> Error {
    Error::data("no cell was hidden in a column whose values differ")
        .with_hint("hide more with --how mcar:0.3, or compare on a larger table")
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
