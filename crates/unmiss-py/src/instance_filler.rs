//! A fitted imputer of images or of series for Python.

use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::compare::choose_filling;
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::{Draw, Job, find, per_variable::PerVariable, short_list};
use unmiss::model::{Aim, Model, Recipe};
use unmiss::run::Run;

use crate::errors::exception;
use crate::instances::{Instances, size_of, variables_of, words};
use crate::predictor::recipe;
use crate::work::{Manner, work};

/// A fitted imputer of images or of series.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct InstanceFiller {
    model: Model,
}

#[pymethods]
impl InstanceFiller {
    /// An imputer from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. Without a method, the one that suits the data best.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        instances: &Instances,
        method: Option<String>,
        settings: &str,
        manner: Manner,
    ) -> PyResult<Self> {
        let data = &instances.data;
        let named = method
            .map(|name| find(&name, data.shape(), Job::Fill).and_then(|method| recipe(method, settings)))
            .transpose()
            .map_err(exception)?;
        let model = work(py, &manner, |run| {
            let recipe = named.map_or_else(|| usual(data, run), Ok)?;
            Model::fit(data, &Aim::draw(0), &recipe, run)
        })?;
        Ok(Self { model })
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

    /// All numbers of the instances in a row, with holes filled by best guesses or by a draw: float32 of images, and of
    /// series float64, NaN where nothing could be learned.
    fn fill<'py>(
        &self,
        py: Python<'py>,
        instances: &Instances,
        draw: Option<u64>,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyAny>> {
        let filling = self.model.filling().map_err(exception)?;
        let draw = draw.map(|number| Draw { seed: manner.0, number, first_row: 0 });
        let data = &instances.data;
        let filled = work(py, &manner, |run| run.compute(|| filling.fill(data, draw, |_, _| {})))?.data;
        Ok(match filled.shape() {
            Shape::Images => {
                let values = filled.images().map_err(exception)?.values();
                let values = (0..values.len()).map(|cell| values.get(cell)).collect::<Vec<f32>>();
                values.into_pyarray(py).into_any()
            }
            _ => {
                let series = filled.series().map_err(exception)?;
                let cells =
                    (0..series.len()).flat_map(|one| series.values(one).iter().zip(series.observed(one)));
                let values = cells.map(|(value, known)| if *known { *value } else { f64::NAN });
                values.collect::<Vec<f64>>().into_pyarray(py).into_any()
            }
        })
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
}

impl InstanceFiller {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.filling().map_err(exception)?;
        // A model of neither images nor series is refused here and not in the middle of an answer.
        words(&model)?;
        Ok(Self { model })
    }
}

/// What fills when nobody names a method: of images the one of the short list that errs least on hidden pixels, or the
/// first of it where none can be hidden; of series the best one for each variable.
fn usual(data: &Data, run: &Run) -> Result<Recipe> {
    if data.shape() == Shape::Series {
        return Ok(Recipe::of(&PerVariable));
    }
    let listed: Vec<Recipe> = short_list(data.shape(), Job::Fill).into_iter().map(Recipe::of).collect();
    let best = match data.images()?.has_holes().then(|| choose_filling(data, &listed, run)) {
        Some(Err(Error::Stopped)) => return Err(Error::Stopped),
        Some(Ok(choice)) => choice.entries.first().map(|entry| entry.recipe.clone()),
        Some(Err(_)) | None => None,
    };
    let recipe = best.or_else(|| listed.first().cloned());
    recipe.ok_or_else(|| Error::setting("method", "there is no method for this"))
}
