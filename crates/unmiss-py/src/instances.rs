//! Images and series for Python: what both are to models, which learn from instances of any shape alike.

use pyo3::prelude::*;
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::model::Model;

use crate::errors::exception;

/// Images or series of the library.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Instances {
    pub(crate) data: Data,
}

#[pymethods]
impl Instances {
    /// How many there are.
    #[getter]
    fn count(&self) -> usize {
        self.data.rows()
    }
}

/// The name under which instances carry what is to be predicted of them.
pub(crate) fn target_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Images => LABEL,
        _ => "target",
    }
}

/// Channels, height and width of the images that a model is for.
pub(crate) fn size_of(model: &Model) -> PyResult<(usize, usize, usize)> {
    let size = model.coder.images().map_err(exception)?.size;
    Ok((size.channels, size.height, size.width))
}

/// The variables of the series that a model is for.
pub(crate) fn variables_of(model: &Model) -> PyResult<Vec<String>> {
    let coder = model.coder.series().map_err(exception)?;
    Ok(coder.variables.iter().map(|variable| variable.name.clone()).collect())
}

/// What is worth knowing about a fit, in sentences.
pub(crate) fn words(model: &Model) -> PyResult<Vec<String>> {
    let (summary, method) = (&model.summary, model.recipe.method.name());
    let (rows, missing) = (summary.rows, 100.0 * summary.missing_share);
    let learned = match model.shape() {
        Shape::Images => {
            let size = model.coder.images().map_err(exception)?.size;
            format!("{rows} images of {size}; {missing:.1} % of their pixels are missing")
        }
        _ => {
            let width = model.coder.series().map_err(exception)?.variables.len();
            format!(
                "{rows} series of {width} variables; {missing:.1} % of the values at their steps are missing"
            )
        }
    };
    let first = format!("`{method}` learned from {learned}.");
    Ok(std::iter::once(first).chain(summary.notes.iter().chain(&summary.cut_off).cloned()).collect())
}
