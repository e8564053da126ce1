//! Sparsity Normalization of plain arrays: `h = K (x ⊙ m) / max(‖m‖₁, 1)`, m being 1 where a cell is known.

use numpy::ndarray::Zip;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

/// Mean number of known cells of a row, 1 at least: the K that keeps inputs as large as they are on average.
#[pyfunction]
pub(crate) fn mean_known(py: Python<'_>, values: PyReadonlyArray2<'_, f64>) -> f64 {
    let values = values.as_array();
    py.detach(|| {
        let known = values.iter().filter(|value| !value.is_nan()).count();
        (known as f64 / values.nrows().max(1) as f64).max(1.0)
    })
}

/// Normalised rows without holes. A row of which nothing is known stays all zero.
#[pyfunction]
pub(crate) fn normalize<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    k: f64,
) -> Bound<'py, PyArray2<f64>> {
    let values = values.as_array();
    let normalized = py.detach(|| {
        let mut normalized = values.to_owned();
        Zip::from(normalized.rows_mut()).for_each(|mut row| {
            let known = row.iter().filter(|value| !value.is_nan()).count();
            let factor = k / known.max(1) as f64;
            row.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { *value * factor });
        });
        normalized
    });
    normalized.into_pyarray(py)
}
