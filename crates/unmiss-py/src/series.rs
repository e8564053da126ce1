//! Series for Python: arrays in, models that predict from them, and models that fill them.

use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::json;
use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::series::{self, Clock, Parts};
use unmiss::data::{Data, Shape};
use unmiss::encode::{ClassWeights, Task, target::TaskKind};
use unmiss::error::Result;
use unmiss::methods::{Draw, Job, find, per_variable, short_list};
use unmiss::metrics::Score;
use unmiss::missing::describe_series;
use unmiss::model::{Aim, Model, Predictions, Recipe, Roles};
use unmiss::report::sections;

use crate::errors::{exception, unwritable};
use crate::finding::Finding;
use crate::predictor::recipe;
use crate::table::{ColumnArguments, column};
use crate::work::{Manner, compute, work};

/// The name of what is predicted.
const TARGET: &str = "target";

/// Series of the library.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Series {
    data: Data,
}

#[pymethods]
impl Series {
    /// Series from their ids, the names of their variables, how many steps each has, all times, all values (NaN: not
    /// known), and what does not change over time as columns `(name, what, values, levels)`.
    #[new]
    fn new(
        ids: Vec<String>,
        variables: Vec<String>,
        lengths: Vec<usize>,
        times: PyReadonlyArray1<'_, f64>,
        values: PyReadonlyArray1<'_, f64>,
        statics: Vec<ColumnArguments<'_>>,
    ) -> PyResult<Self> {
        let values = values.as_slice()?.to_vec();
        let parts = Parts {
            clock: Clock::Numbers,
            ids,
            variables,
            lengths,
            times: times.as_slice()?.to_vec(),
            observed: values.iter().map(|value| !value.is_nan()).collect(),
            values,
            statics: statics.iter().map(column).collect::<PyResult<_>>()?,
            ..Parts::default()
        };
        Ok(Self { data: series::Series::new(parts).map_err(exception)?.into() })
    }

    /// How many there are.
    #[getter]
    fn count(&self) -> usize {
        self.data.rows()
    }
}

/// Describes the holes of series.
#[pyfunction]
pub(crate) fn describe_series_of(series: &Series) -> PyResult<Finding> {
    let own = series.data.series().map_err(exception)?;
    let found = describe_series(own);
    Finding::new(&found, sections::series(own, &found).map_err(exception)?)
}

/// What is worth knowing about a fit, in sentences.
fn words(model: &Model) -> PyResult<Vec<String>> {
    let (summary, coder) = (&model.summary, model.coder.series().map_err(exception)?);
    let mut words = vec![format!(
        "`{}` learned from {} series of {} variables; {:.1} % of the values at their steps are missing.",
        model.recipe.method.name(),
        summary.rows,
        coder.variables.len(),
        100.0 * summary.missing_share
    )];
    words.extend(summary.notes.iter().chain(&summary.cut_off).cloned());
    Ok(words)
}

/// The variables that a model is for.
fn variables(model: &Model) -> PyResult<Vec<String>> {
    let coder = model.coder.series().map_err(exception)?;
    Ok(coder.variables.iter().map(|variable| variable.name.clone()).collect())
}

/// A fitted model that predicts from series.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct SeriesPredictor {
    model: Model,
    /// How methods did on series held out; not kept in files.
    choice: Option<SplitChoice>,
}

#[pymethods]
impl SeriesPredictor {
    /// A model from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. `recipes` are (method, settings as JSON), none: the short list; they are measured on a share of the
    /// series, and the best learns from all. With a share of 0 there must be one.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        series: &Series,
        recipes: Vec<(String, String)>,
        share: f64,
        task: &str,
        balanced: bool,
        manner: Manner,
    ) -> PyResult<Self> {
        let found =
            |(name, settings): &(String, String)| recipe(find(name, Shape::Series, Job::Predict)?, settings);
        let mut recipes: Vec<Recipe> = recipes.iter().map(found).collect::<Result<_>>().map_err(exception)?;
        if recipes.is_empty() {
            recipes = short_list(Shape::Series, Job::Predict).into_iter().map(Recipe::of).collect();
        }
        let roles = Roles {
            class_weights: if balanced { ClassWeights::Balanced } else { ClassWeights::Equal },
            task: Some(match task {
                "regression" => TaskKind::Regression,
                _ => TaskKind::Classification,
            }),
            ..Roles::target(TARGET)
        };
        let data = &series.data;
        let (model, choice) = work(py, &manner, |run| fit_best_on_split(data, &roles, &recipes, share, run))?;
        Ok(Self { model, choice })
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

    /// `[series, outputs]`: a number, or a chance for each class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        series: &Series,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predicting = self.model.predicting().map_err(exception)?;
        let data = &series.data;
        let answers = compute(py, data.rows(), &manner, || {
            let rows = predicting.coder.encode(data, |_, _| {})?;
            Ok(match predicting.answers(&rows)?.predictions() {
                Predictions::Numbers(values) | Predictions::Probabilities(values) => values,
            })
        })?;
        let shape = (data.rows(), predicting.target.task.outputs());
        Ok(Array2::from_shape_vec(shape, answers).map_err(unwritable)?.into_pyarray(py))
    }

    /// Whether it tells classes.
    #[getter]
    fn is_classifier(&self) -> PyResult<bool> {
        Ok(self.model.predicting().map_err(exception)?.target.task != Task::Regression)
    }

    /// The classes as words, in the order of their chances.
    #[getter]
    fn levels(&self) -> PyResult<Vec<String>> {
        Ok(self.model.predicting().map_err(exception)?.target.levels.clone())
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

    /// The names of the variables.
    #[getter]
    fn variables(&self) -> PyResult<Vec<String>> {
        variables(&self.model)
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        words(&self.model)
    }

    /// How the methods did on series that were held out, best first, as JSON.
    #[getter]
    fn scores(&self) -> PyResult<String> {
        let entry = |entry: &MeasuredOnce| {
            let scores = match entry.score {
                Score::Classification { log_loss, accuracy, auroc } => {
                    json!({ "log-loss": log_loss, "accuracy": accuracy, "AUROC": auroc })
                }
                Score::Regression { rmse, r2, .. } => json!({ "RMSE / sd": rmse, "R2": r2 }),
            };
            json!({ "method": entry.recipe.method.name(), "seconds": entry.seconds, "scores": scores })
        };
        let entries = self.choice.iter().flat_map(|choice| &choice.entries).map(entry);
        serde_json::to_string(&entries.collect::<Vec<_>>()).map_err(unwritable)
    }
}

impl SeriesPredictor {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.predicting().map_err(exception)?;
        variables(&model)?;
        Ok(Self { model, choice: None })
    }
}

/// A fitted imputer of series.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct SeriesFiller {
    model: Model,
}

#[pymethods]
impl SeriesFiller {
    /// An imputer from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. Without a method, the best one for each variable.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        series: &Series,
        method: Option<String>,
        settings: &str,
        manner: Manner,
    ) -> PyResult<Self> {
        let recipe = match &method {
            Some(name) => find(name, Shape::Series, Job::Fill).and_then(|method| recipe(method, settings)),
            None => Ok(Recipe::of(&per_variable::PerVariable)),
        };
        let (recipe, data) = (recipe.map_err(exception)?, &series.data);
        Ok(Self { model: work(py, &manner, |run| Model::fit(data, &Aim::fill(), &recipe, run))? })
    }

    /// Writes the file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.model.save(&path).map_err(exception)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// All values of the series in a row, with holes filled by best guesses or by a draw; NaN where nothing could be
    /// learned.
    fn fill<'py>(
        &self,
        py: Python<'py>,
        series: &Series,
        draw: Option<u64>,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let filling = self.model.filling().map_err(exception)?;
        let draw = draw.map(|number| Draw { seed: manner.0, number, first_row: 0 });
        let data = &series.data;
        let values = work(py, &manner, |run| {
            let filled = run.compute(|| filling.fill(data, draw, |_, _| {}))?;
            let filled = filled.data.series()?;
            let cells = (0..filled.len()).flat_map(|one| filled.values(one).iter().zip(filled.observed(one)));
            Ok(cells.map(|(value, known)| if *known { *value } else { f64::NAN }).collect::<Vec<f64>>())
        })?;
        Ok(values.into_pyarray(py))
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

    /// The names of the variables.
    #[getter]
    fn variables(&self) -> PyResult<Vec<String>> {
        variables(&self.model)
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        words(&self.model)
    }
}

impl SeriesFiller {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.filling().map_err(exception)?;
        variables(&model)?;
        Ok(Self { model })
    }
}
