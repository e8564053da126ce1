//! A fitted model that predicts something for each image or each series, for Python.

use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::json;
use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::{Data, Shape};
use unmiss::encode::{ClassWeights, Task, target::TaskKind};
use unmiss::error::Result;
use unmiss::methods::{Job, find, short_list};
use unmiss::metrics::Score;
use unmiss::model::{Model, Predictions, Recipe, Roles};
use unmiss::report::sections;

use crate::errors::{exception, unwritable};
use crate::finding::Finding;
use crate::instances::{Instances, size_of, target_of, variables_of, words};
use crate::predictor::recipe;
use crate::work::{Manner, compute, work};

/// A fitted model that tells the classes of images or series, or a number that goes with them.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct InstancePredictor {
    pub(crate) model: Model,
    /// How methods did on what was held out of these; not kept in files.
    choice: Option<(SplitChoice, Data)>,
}

#[pymethods]
impl InstancePredictor {
    /// A model from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. `recipes` are (method, settings as JSON), none: the short list; they are measured on a share of the
    /// instances, and the best learns from all. With a share of 0 there must be one.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        instances: &Instances,
        recipes: Vec<(String, String)>,
        share: f64,
        task: &str,
        balanced: bool,
        manner: Manner,
    ) -> PyResult<Self> {
        let (data, shape) = (&instances.data, instances.data.shape());
        let found = |(name, settings): &(String, String)| recipe(find(name, shape, Job::Predict)?, settings);
        let mut recipes: Vec<Recipe> = recipes.iter().map(found).collect::<Result<_>>().map_err(exception)?;
        if recipes.is_empty() {
            recipes = short_list(shape, Job::Predict).into_iter().map(Recipe::of).collect();
        }
        let roles = Roles {
            class_weights: if balanced { ClassWeights::Balanced } else { ClassWeights::Equal },
            task: Some(match task {
                "regression" => TaskKind::Regression,
                _ => TaskKind::Classification,
            }),
            ..Roles::target(target_of(shape))
        };
        let (model, choice) = work(py, &manner, |run| fit_best_on_split(data, &roles, &recipes, share, run))?;
        Ok(Self { model, choice: choice.map(|choice| (choice, data.clone())) })
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

    /// `[instances, outputs]`: a number, or a chance for each class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        instances: &Instances,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predicting = self.model.predicting().map_err(exception)?;
        let data = &instances.data;
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

    /// The shape of the data that it is for.
    #[getter]
    fn shape(&self) -> String {
        self.model.shape().to_string()
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

    /// Channels, height and width of each image.
    #[getter]
    fn size(&self) -> PyResult<(usize, usize, usize)> {
        size_of(&self.model)
    }

    /// The names of the variables of each series.
    #[getter]
    fn variables(&self) -> PyResult<Vec<String>> {
        variables_of(&self.model)
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        words(&self.model)
    }

    /// How the methods did on what was held out, best first, as JSON.
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
        let entries = self.choice.iter().flat_map(|(choice, _)| &choice.entries).map(entry);
        serde_json::to_string(&entries.collect::<Vec<_>>()).map_err(unwritable)
    }

    /// The same as a page, if something was held out.
    fn page(&self) -> PyResult<Option<Finding>> {
        let Some((choice, data)) = &self.choice else { return Ok(None) };
        let words = self.words()?;
        let sections = match data.shape() {
            Shape::Images => data
                .images()
                .and_then(|images| sections::fit_images(&self.model, images, Some(choice), &words)),
            _ => data.series().and_then(|series| sections::fit_series(series, &self.model, Some(choice))),
        };
        Finding::new(&words, sections.map_err(exception)?).map(Some)
    }
}

impl InstancePredictor {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.predicting().map_err(exception)?;
        // A model of neither images nor series is refused here and not in the middle of an answer.
        words(&model)?;
        Ok(Self { model, choice: None })
    }
}
