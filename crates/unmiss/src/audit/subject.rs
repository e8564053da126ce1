//! What is audited: anything that answers for rows of which some cells were hidden.

use crate::data::{Column, Data, Table, Values};
use crate::encode::{Rows, Source};
use crate::error::{Error, Result};
use crate::model::Predicting;
use crate::run::Run;

/// A predictor from outside: for the rows of a table `[rows, outputs]` numbers.
pub type Predict<'a> = dyn Fn(&Table) -> Result<Vec<f64>> + Sync + 'a;

/// Rows of the table with some of their known inputs hidden.
pub(super) struct Cases {
    /// The row of each case.
    pub rows: Vec<usize>,
    /// `[cases, inputs]`: true where the cell is known and not hidden.
    pub observed: Vec<bool>,
}

/// Something that answers for cases.
pub(super) trait Subject: Sync {
    /// Cases that are answered at a time, at most.
    fn most_cases(&self) -> usize;
    /// Places of the inputs that are known in a row.
    fn known(&self, row: usize) -> Vec<usize>;
    /// `[cases, outputs]`.
    fn answer(&self, cases: &Cases) -> Result<Vec<f64>>;
}

/// A function over tables. It sees every column but the target, hidden cells with neutral values.
pub(super) struct Foreign<'a> {
    table: Table,
    /// The column of each input.
    places: Vec<usize>,
    predict: &'a Predict<'a>,
}

impl<'a> Foreign<'a> {
    /// The table without its target; inputs are found by name.
    pub fn new(
        rows: &Table,
        inputs: &[String],
        target: Option<&str>,
        predict: &'a Predict<'a>,
    ) -> Result<Self> {
        let others = rows.columns().iter().filter(|column| Some(column.name.as_str()) != target);
        let table = Table::new(others.cloned().collect())?;
        let places = inputs.iter().map(|name| table.position(name)).collect::<Result<_>>()?;
        Ok(Self { table, places, predict })
    }
}

impl Subject for Foreign<'_> {
    fn most_cases(&self) -> usize {
        // Each call may start a program, which costs more than the rows.
        65_536
    }

    fn known(&self, row: usize) -> Vec<usize> {
        let columns = self.table.columns();
        (0..self.places.len()).filter(|&input| columns[self.places[input]].observed[row]).collect()
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let mut table = self.table.select(&cases.rows);
        for (input, &place) in self.places.iter().enumerate() {
            let column = &mut table.columns_mut()[place];
            for case in 0..cases.rows.len() {
                if !cases.observed[case * self.places.len() + input] {
                    hide(column, case);
                }
            }
        }
        (self.predict)(&table)
    }
}

/// Makes a cell a hole and forgets its value, so that nobody can read it by mistake.
fn hide(column: &mut Column, row: usize) {
    column.observed[row] = false;
    match &mut column.values {
        Values::Numbers(values) => values[row] = 0.0,
        Values::Codes { codes, .. } => codes[row] = 0,
        Values::Texts(texts) => texts[row].clear(),
    }
}

/// One of our own models: cells are hidden in encoded rows, which is fast.
pub(super) struct Own<'a> {
    model: Predicting<'a>,
    rows: Rows,
    /// Number of inputs of a case.
    inputs: usize,
    /// For each input of the model its place among the inputs of a case.
    places: Vec<usize>,
    run: &'a Run,
}

impl<'a> Own<'a> {
    /// A model and the data to ask it about. `inputs` says in which order cases list the columns that the model reads;
    /// it may hold more than those. All that is made of a column is hidden together. `unseen` is told of category
    /// levels that training never saw.
    pub fn new(
        model: Predicting<'a>,
        data: &Data,
        inputs: &[String],
        unseen: impl FnMut(&str, &str),
        run: &'a Run,
    ) -> Result<Self> {
        let mut places = vec![0; model.coder.names().len()];
        for Source { column, inputs: made } in model.coder.by_column() {
            let place = inputs.iter().position(|input| *input == column).ok_or_else(|| {
                Error::data(format!("the model's column `{column}` is not among the inputs"))
            })?;
            made.into_iter().for_each(|input| places[input] = place);
        }
        let rows = model.coder.encode(data, unseen)?;
        Ok(Self { model, rows, inputs: inputs.len(), places, run })
    }
}

impl Subject for Own<'_> {
    fn most_cases(&self) -> usize {
        16_384
    }

    fn known(&self, row: usize) -> Vec<usize> {
        let mut known: Vec<usize> =
            self.rows.known(row).into_iter().map(|input| self.places[input]).collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let mut rows = self.rows.select(&cases.rows)?;
        for case in 0..cases.rows.len() {
            for (input, place) in self.places.iter().enumerate() {
                if !cases.observed[case * self.inputs + place] {
                    rows.hide(case, input)?;
                }
            }
        }
        self.run.compute(|| self.model.predict_rows(&rows))
    }
}
