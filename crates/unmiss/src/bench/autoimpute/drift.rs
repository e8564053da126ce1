//! Whether what is said of a gene drifts with how much of its cell is known: the audit of an imputer, with one of its
//! columns as the answer.

use crate::audit::{AuditSettings, audit};
use crate::bench::report::Row;
use crate::bench::{Cell, Figure, Section};
use crate::data::{Data, Table};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::run::Run;

use super::sets::Set;
use super::share_name;

/// Cells, shares of their counts, and masks for each.
const SIZE: (usize, usize, usize) = (20, 10, 20);

/// The audit of one fitted model: the gene that is known in most cells is hidden in all of them and asked for.
///
/// # Errors
/// When the table has no gene or no cell with two known ones, or the run was stopped.
pub fn row(set: &Set, share: f64, line: &str, model: &Model, data: &Data, run: &Run) -> Result<Row> {
    let table = data.table()?;
    let known = |place: &usize| table.columns()[*place].observed.iter().filter(|known| **known).count();
    let asked =
        (0..table.columns().len()).max_by_key(known).ok_or_else(|| Error::data("there is no gene"))?;
    let name = &table.columns()[asked].name;
    let inputs: Vec<String> =
        table.columns().iter().map(|column| column.name.clone()).filter(|other| other != name).collect();
    let said = |rows: &Table| -> Result<Vec<f64>> {
        let mut rows = rows.clone();
        rows.columns_mut()[asked].observed.fill(false);
        let filled = run.compute(|| model.filling()?.fill(&Data::from(rows), None, |_, _| {}))?;
        Ok(filled.data.table()?.columns()[asked].numbers().unwrap_or_default().to_vec())
    };
    let (rows, levels, masks) = SIZE;
    let settings = AuditSettings { rows, levels, masks, target: None, contrast: false };
    let found = audit(table, &inputs, &said, &settings, run)?;
    let figure = |value: f64| Cell::Figure(Figure::given(value, None));
    let figures = found.figures;
    Ok(Row {
        name: format!("{}, {}, {line}", set.name, share_name(share)),
        cells: vec![
            figure(figures.slope),
            figure(figures.share),
            figure(figures.spearman),
            figure(figures.drift),
        ],
    })
}

/// All audits.
pub fn section(rows: Vec<Row>) -> Section {
    Section {
        title: "Does what is said of a gene drift with how much of its cell is known? (first seed)".into(),
        columns: ["slope", "share", "spearman", "drift"].map(str::to_owned).to_vec(),
        digits: 2,
        rows,
    }
}
