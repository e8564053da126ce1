//! What is audited: anything that answers for rows of which some cells were hidden.

use crate::data::{Column, Table, Values};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::model::Model;
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
    model: &'a Model,
    encoded: Encoded,
    /// Number of inputs of a case.
    inputs: usize,
    /// For each column of the encoder (numbers, then categories) its input.
    places: Vec<usize>,
    run: &'a Run,
}

impl<'a> Own<'a> {
    /// A model and the rows to ask it about. `inputs` says in which order cases list the model's columns; it may
    /// hold more than those. `unseen` is told of category levels that training never saw.
    pub fn new(
        model: &'a Model,
        rows: &Table,
        inputs: &[String],
        unseen: impl FnMut(&str, &str),
        run: &'a Run,
    ) -> Result<Self> {
        let place = |name: &str| {
            let place = inputs.iter().position(|input| input == name);
            place.ok_or_else(|| Error::data(format!("the model's column `{name}` is not among the inputs")))
        };
        let places = model.input_names().map(place).collect::<Result<_>>()?;
        let encoded = model.encoder.encode(rows, unseen)?;
        Ok(Self { model, encoded, inputs: inputs.len(), places, run })
    }
}

impl Subject for Own<'_> {
    fn most_cases(&self) -> usize {
        16_384
    }

    fn known(&self, row: usize) -> Vec<usize> {
        let numbers = self.model.encoder.numbers.len();
        let codes = self.model.encoder.categories.len();
        let marks = self.encoded.numbers_observed[row * numbers..(row + 1) * numbers]
            .iter()
            .chain(&self.encoded.codes_observed[row * codes..(row + 1) * codes]);
        let known = self.places.iter().zip(marks).filter(|(_, observed)| **observed);
        known.map(|(place, _)| *place).collect()
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let mut rows = self.encoded.select(&cases.rows);
        let (numbers, codes) = self.places.split_at(self.model.encoder.numbers.len());
        let hidden = |case: usize, place: usize| !cases.observed[case * self.inputs + place];
        for case in 0..rows.rows {
            for (column, _) in numbers.iter().enumerate().filter(|(_, place)| hidden(case, **place)) {
                rows.numbers[case * numbers.len() + column] = 0.0;
                rows.numbers_observed[case * numbers.len() + column] = false;
            }
            for (column, _) in codes.iter().enumerate().filter(|(_, place)| hidden(case, **place)) {
                rows.codes[case * codes.len() + column] = 0;
                rows.codes_observed[case * codes.len() + column] = false;
            }
        }
        Ok(self.run.compute(|| self.model.predict_encoded(&rows)))
    }
}
