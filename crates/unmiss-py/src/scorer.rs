//! A fitted model of how plausible rows are, for Python.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::data::Shape;
use unmiss::error::Result;
use unmiss::methods::{Job, find};
use unmiss::model::{Aim, DensityPlan, Model, Scored};

use crate::align::aligned;
use crate::errors::exception;
use crate::predictor::{Unseen, recipe, warn_of_unseen};
use crate::table::Table;
use crate::work::{Manner, work};

/// A fitted model of how plausible rows are.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Scorer {
    model: Model,
}

/// For each row: log-likelihood, known cells, rarity (NaN: none), position of the most surprising input (-1: none).
type Scores<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Scorer {
    /// A model from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. `test` is the share of the rows that is held out to measure and to compare with.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        table: &Table,
        method: &str,
        settings: &str,
        test: f64,
        manner: Manner,
    ) -> PyResult<Self> {
        let recipe = find(method, Shape::Table, Job::Density)
            .and_then(|method| recipe(method, settings))
            .map_err(exception)?;
        let aim = Aim::Density(DensityPlan { test, ..DensityPlan::default() });
        let model = work(py, &manner, |run| Model::fit(&table.data, &aim, &recipe, run))?;
        Ok(Self { model })
    }

    /// Writes the model file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.model.save(&path).map_err(exception)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// How plausible each row is.
    fn score<'py>(&self, py: Python<'py>, table: &Table, manner: Manner) -> PyResult<Scores<'py>> {
        let mut unseen = Unseen::new();
        let scoring = self.model.scoring().map_err(exception)?;
        let scored = work(py, &manner, |run| -> Result<Vec<Scored>> {
            let aligned = aligned(&table.data, scoring.coder)?;
            let note = |column: &str, level: &str| {
                unseen.entry(column.to_owned()).or_default().push(level.to_owned());
            };
            run.compute(|| scoring.score(&aligned, note))
        })?;
        warn_of_unseen(py, &unseen, &manner.2)?;
        let numbers = |of: fn(&Scored) -> f64| scored.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
        let places = |of: fn(&Scored) -> i64| scored.iter().map(of).collect::<Vec<i64>>().into_pyarray(py);
        Ok((
            numbers(|row| row.log_likelihood),
            places(|row| row.known as i64),
            numbers(|row| row.rarity.unwrap_or(f64::NAN)),
            places(|row| row.surprise.map_or(-1, |input| input as i64)),
        ))
    }

    /// The method's name.
    #[getter]
    fn method(&self) -> &'static str {
        self.model.recipe.method.name()
    }

    /// The method's settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.model.recipe.settings.to_string()
    }

    /// Names of the columns that were learned.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.model.coder.names().into_iter().map(str::to_owned).collect()
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        let part = self.model.scoring().map_err(exception)?.part;
        Ok(vec![format!(
            "`{}` learned from {} rows; the mean log-likelihood of {} rows held out is {:.4}.",
            self.method(),
            self.model.summary.rows,
            part.held_out,
            part.mean_log_likelihood
        )])
    }

    /// The mean log-likelihood of the rows that were held out, or of those learned from where none were.
    #[getter]
    fn mean_log_likelihood(&self) -> PyResult<f64> {
        Ok(self.model.scoring().map_err(exception)?.part.mean_log_likelihood)
    }
}

impl Scorer {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.scoring().map_err(exception)?;
        model.coder.table().map_err(exception)?;
        Ok(Self { model })
    }
}
