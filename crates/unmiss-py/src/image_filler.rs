//! A fitted imputer of images for Python.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::compare::choose_filling;
use unmiss::data::Shape;
use unmiss::error::Error;
use unmiss::methods::{Draw, Job, find, short_list};
use unmiss::model::{Aim, Model, Recipe};

use crate::errors::exception;
use crate::images::{Images, size_of, words};
use crate::predictor::recipe;
use crate::work::{Manner, work};

/// A fitted imputer of images.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct ImageFiller {
    model: Model,
}

#[pymethods]
impl ImageFiller {
    /// An imputer from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. Without a method, the one of the short list that errs least on hidden pixels, or the first of it where
    /// none can be hidden.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        images: &Images,
        method: Option<String>,
        settings: &str,
        manner: Manner,
    ) -> PyResult<Self> {
        let named = match &method {
            Some(name) => Some(
                find(name, Shape::Images, Job::Fill)
                    .and_then(|method| recipe(method, settings))
                    .map_err(exception)?,
            ),
            None => None,
        };
        let data = &images.data;
        let model = work(py, &manner, |run| {
            let listed: Vec<Recipe> =
                short_list(Shape::Images, Job::Fill).into_iter().map(Recipe::of).collect();
            let best = match named {
                None if data.images()?.has_holes() => match choose_filling(data, &listed, run) {
                    Err(Error::Stopped) => return Err(Error::Stopped),
                    measured => measured.ok().and_then(|choice| Some(choice.entries.first()?.recipe.clone())),
                },
                named => named,
            };
            let recipe = best.or_else(|| listed.first().cloned());
            let recipe = recipe.ok_or_else(|| Error::setting("method", "there is no method for this"))?;
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

    /// All numbers of the images in a row, with holes filled by best guesses or by a draw.
    fn fill<'py>(
        &self,
        py: Python<'py>,
        images: &Images,
        draw: Option<u64>,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let filling = self.model.filling().map_err(exception)?;
        let draw = draw.map(|number| Draw { seed: manner.0, number, first_row: 0 });
        let data = &images.data;
        let values = work(py, &manner, |run| {
            let filled = run.compute(|| filling.fill(data, draw, |_, _| {}))?;
            let values = filled.data.images()?.values();
            Ok((0..values.len()).map(|cell| values.get(cell)).collect::<Vec<f32>>())
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

    /// Channels, height and width of each image.
    #[getter]
    fn size(&self) -> PyResult<(usize, usize, usize)> {
        size_of(&self.model)
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        words(&self.model)
    }
}

impl ImageFiller {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.filling().map_err(exception)?;
        size_of(&model)?;
        Ok(Self { model })
    }
}
