//! Filled tables straight from an imputer, without files between.

use super::completed::Completed;
use crate::data::{Data, Table};
use crate::error::{Error, Result};
use crate::methods::Draw;
use crate::model::{Delta, Model};
use crate::pool::Record;
use crate::run::Run;

/// Fills data in so many plausible ways, with filled values shifted, and keeps them beside the data with the holes.
///
/// # Errors
/// When the model does not fill, a shift does not suit its column, or the run was stopped.
pub fn drawn(model: &Model, data: &Data, deltas: &[Delta], draws: usize, run: &Run) -> Result<Completed> {
    let original = data.table()?;
    deltas.iter().try_for_each(|delta| delta.check(original))?;
    let filling = model.filling()?;
    let rows = filling.encode(data, |_, _| {})?;
    let everything: Vec<usize> = (0..original.rows()).collect();
    let mut tables: Vec<(String, Table)> = Vec::with_capacity(draws);
    for number in 1..=draws {
        let draw = Some(Draw { seed: run.seed(), number: number as u64, first_row: 0 });
        let filled = run.compute(|| filling.fill_shifted(data, &rows, draw, deltas))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        // The text that the table was read from is of no use here.
        tables.push((format!("draw {number}"), filled.data.table()?.part(&everything, |_| true)));
    }
    let original = ("the table with the holes".to_owned(), original.clone());
    let mut completed = Completed::new(tables, Some(original))?;
    completed.record = Some(Record {
        rows: data.rows(),
        draws,
        method: model.recipe.method.name().to_owned(),
        seed: run.seed(),
        proper: Some(filling.parameter_sets() > 0),
        delta: deltas.iter().map(Delta::to_string).collect(),
        ..Record::default()
    });
    Ok(completed)
}
