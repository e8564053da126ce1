//! Models as graphs for other runtimes.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unmiss::model::Model;

use crate::errors::exception;

/// Writes a model, given as the bytes of its file, as an ONNX file.
#[pyfunction]
pub(crate) fn export_onnx(bytes: &[u8], path: PathBuf, level: Option<f64>) -> PyResult<()> {
    let model = Model::from_bytes(bytes).map_err(PyValueError::new_err)?;
    model.export(level).and_then(|exported| exported.save(&path)).map_err(exception)
}

/// The columns that a model takes, and whether each holds numbers or words.
#[pyfunction]
pub(crate) fn input_kinds(bytes: &[u8]) -> PyResult<Vec<(String, &'static str)>> {
    let model = Model::from_bytes(bytes).map_err(PyValueError::new_err)?;
    let encoder = model.coder.table().map_err(exception)?;
    let numbers = encoder.numbers.iter().map(|feature| (feature.name.clone(), "number"));
    let words = encoder.categories.iter().map(|feature| (feature.name.clone(), "word"));
    Ok(numbers.chain(words).collect())
}
