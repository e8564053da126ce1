//! The audit for Python: of our own models, and of any function.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use unmiss::audit::{Audit, AuditSettings};
use unmiss::data::{self, Column, Kind, Values};
use unmiss::report::sections;

use crate::align::aligned;
use crate::errors::exception;
use crate::finding::Finding;
use crate::instance_predictor::InstancePredictor;
use crate::instances::Instances;
use crate::predictor::Predictor;
use crate::table::Table;
use crate::work::{Manner, conversation, work};

/// `(rows, levels, masks)`: how thorough an audit is.
type Size = (usize, usize, usize);

/// Audits one of our models; the table may have its target.
#[pyfunction]
pub(crate) fn audit_model(
    py: Python<'_>,
    predictor: &Predictor,
    table: &Table,
    size: Size,
    contrast: bool,
    manner: Manner,
) -> PyResult<Finding> {
    let (rows, levels, masks) = size;
    let settings = AuditSettings { rows, levels, masks, target: None, contrast };
    let (model, data) = (&predictor.model, &table.data);
    let found = work(py, &manner, |run| {
        let aligned = aligned(data, &model.coder)?;
        unmiss::audit::audit_model(model, &aligned, &settings, run)
    })?;
    finding(found)
}

/// Audits one of our models of images; they may have their classes.
#[pyfunction]
pub(crate) fn audit_images(
    py: Python<'_>,
    predictor: &InstancePredictor,
    images: &Instances,
    size: Size,
    manner: Manner,
) -> PyResult<Finding> {
    let (rows, levels, masks) = size;
    let settings = AuditSettings { rows, levels, masks, target: None, contrast: false };
    let (model, data) = (&predictor.model, &images.data);
    finding(work(py, &manner, |run| unmiss::audit::audit_model(model, data, &settings, run))?)
}

/// Audits a function. It is called with the rows of the table, as positions, and with `[rows, inputs]` marks: true
/// where a cell is known and not hidden; it gives an array of one number or several per row.
#[pyfunction]
pub(crate) fn audit_function(
    py: Python<'_>,
    function: Py<PyAny>,
    table: &Table,
    inputs: Vec<String>,
    target: Option<String>,
    size: Size,
    manner: Manner,
) -> PyResult<Finding> {
    let (rows, levels, masks) = size;
    let settings = AuditSettings { rows, levels, masks, target, contrast: false };
    let (numbered, place) = numbered(table.table())?;
    let answer = |py: Python<'_>, cases: &data::Table| -> PyResult<Vec<f64>> {
        let number = cases.position(&place).map_err(exception)?;
        let rows = cases.columns()[number].numbers().unwrap_or_default();
        let rows: Vec<i64> = rows.iter().map(|row| *row as i64).collect();
        let columns = inputs
            .iter()
            .map(|name| cases.column(name))
            .collect::<unmiss::error::Result<Vec<_>>>()
            .map_err(exception)?;
        let known =
            Array2::from_shape_fn((rows.len(), columns.len()), |(row, column)| columns[column].observed[row]);
        let given = function.call1(py, (rows.into_pyarray(py), known.into_pyarray(py)))?;
        let given: PyReadonlyArrayDyn<'_, f64> = given.bind(py).extract()?;
        Ok(given.as_array().iter().copied().collect())
    };
    let found = conversation(py, &manner, answer, |run, line| {
        unmiss::audit::audit(&numbered, &inputs, &|rows| line.ask(rows.clone()), &settings, run)
    })?;
    finding(found)
}

/// The table with one more column, the position of each row, by which the function finds the rows that are meant.
fn numbered(table: &data::Table) -> PyResult<(data::Table, String)> {
    let mut name = "row".to_owned();
    while table.columns().iter().any(|column| column.name == name) {
        name.push('_');
    }
    let positions = (0..table.rows()).map(|row| row as f64).collect();
    let mut columns = table.columns().to_vec();
    columns.push(Column {
        name: name.clone(),
        kind: Kind::Integer,
        values: Values::Numbers(positions),
        observed: vec![true; table.rows()],
    });
    Ok((data::Table::new(columns).map_err(exception)?, name))
}

fn finding(found: Audit) -> PyResult<Finding> {
    Finding::new(&found, sections::audit(&found).map_err(exception)?)
}
