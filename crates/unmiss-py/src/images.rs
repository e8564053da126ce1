//! Images for Python: arrays in, a classifier or an imputer of images, arrays out.

use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::json;
use unmiss::compare::{ImageChoice, choose_filling, fit_best_on_images};
use unmiss::data::images::{self, LABEL, Observed, Pixels, Size};
use unmiss::data::{Data, Shape};
use unmiss::encode::{ClassWeights, Task, target::TaskKind};
use unmiss::error::{Error, Result};
use unmiss::methods::{Draw, Job, find, short_list};
use unmiss::metrics::Score;
use unmiss::missing::{Region, describe_images, hide_region};
use unmiss::model::{Aim, Model, Predictions, Recipe, Roles};
use unmiss::report::sections;

use crate::errors::{exception, unwritable};
use crate::finding::Finding;
use crate::predictor::recipe;
use crate::table::{ColumnArguments, column};
use crate::work::{Manner, compute, work};

/// Images of the library.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Images {
    pub(crate) data: Data,
}

#[pymethods]
impl Images {
    /// Images from all their numbers in one row, bytes or float32, marks of those that are known (none: all are), and
    /// their classes as a column `(name, what, values, levels)`.
    #[new]
    #[pyo3(signature = (values, size, observed = None, labels = None))]
    fn new(
        values: &Bound<'_, PyAny>,
        size: (usize, usize, usize),
        observed: Option<PyReadonlyArray1<'_, bool>>,
        labels: Option<ColumnArguments<'_>>,
    ) -> PyResult<Self> {
        let size = Size { channels: size.0, height: size.1, width: size.2 };
        let pixels = if let Ok(bytes) = values.extract::<PyReadonlyArray1<'_, u8>>() {
            Pixels::Bytes(bytes.as_array().to_vec())
        } else if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, f32>>() {
            Pixels::Numbers(numbers.as_array().to_vec())
        } else {
            return Err(PyTypeError::new_err(
                "expected all numbers of the images in a row, uint8 or float32",
            ));
        };
        let count = pixels.len().checked_div(size.cells()).unwrap_or(0);
        let observed = match observed {
            None => Observed::All,
            Some(marks) => {
                let marks = marks.as_slice()?;
                if marks.len() != pixels.len() {
                    return Err(PyValueError::new_err("there must be a mark for each number"));
                }
                Observed::of_cells(size, count, |cell| marks[cell])
            }
        };
        let labels = labels.as_ref().map(column).transpose()?;
        let made = images::Images::new(size, pixels, observed).and_then(|images| images.with_labels(labels));
        Ok(Self { data: made.map_err(exception)?.into() })
    }

    /// How many there are.
    #[getter]
    fn count(&self) -> usize {
        self.data.rows()
    }
}

impl Images {
    fn images(&self) -> PyResult<&images::Images> {
        Ok(self.data.images().map_err(exception)?)
    }
}

/// The bytes of the built-in digits, their size and their classes.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "taken apart where it is called")]
pub(crate) fn sample_images(
    py: Python<'_>,
) -> PyResult<(Bound<'_, PyArray1<u8>>, (usize, usize), Vec<String>)> {
    let digits = images::sample().map_err(exception)?;
    let classes = (0..digits.len()).filter_map(|image| digits.labels()?.cell(image)).collect();
    let Pixels::Bytes(bytes) = digits.values() else {
        return Err(PyValueError::new_err("the sample is not of bytes"));
    };
    Ok((bytes.clone().into_pyarray(py), (digits.size().height, digits.size().width), classes))
}

/// `[images, height * width]`: true where a region of each image is hidden.
#[pyfunction]
pub(crate) fn hide_images<'py>(
    py: Python<'py>,
    count: usize,
    size: (usize, usize),
    how: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let region: Region = how.parse().map_err(exception)?;
    let size = Size { channels: 1, height: size.0, width: size.1 };
    let blank = images::Images::new(size, Pixels::Bytes(vec![0; count * size.cells()]), Observed::All);
    let hidden = hide_region(blank.map_err(exception)?, &region, seed);
    let mask =
        Array2::from_shape_fn((count, size.pixels()), |(image, pixel)| !hidden.is_pixel_known(image, pixel));
    Ok(mask.into_pyarray(py))
}

/// Describes the holes of images.
#[pyfunction]
pub(crate) fn describe_images_of(images: &Images) -> PyResult<Finding> {
    let found = describe_images(images.images()?);
    Finding::new(&found, sections::images(images.images()?, &found).map_err(exception)?)
}

/// A fitted model that tells the classes of images, or a number that goes with them.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct ImagePredictor {
    pub(crate) model: Model,
    /// How methods did on images held out; not kept in files.
    choice: Option<(ImageChoice, Data)>,
}

#[pymethods]
impl ImagePredictor {
    /// A model from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(Model::from_bytes(bytes).map_err(PyValueError::new_err)?)
    }

    /// Learns. `recipes` are (method, settings as JSON), none: the short list; they are measured on a share of the
    /// images, and the best learns from all. With a share of 0 there must be one.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        images: &Images,
        recipes: Vec<(String, String)>,
        share: f64,
        task: &str,
        balanced: bool,
        manner: Manner,
    ) -> PyResult<Self> {
        let found =
            |(name, settings): &(String, String)| recipe(find(name, Shape::Images, Job::Predict)?, settings);
        let mut recipes: Vec<Recipe> = recipes.iter().map(found).collect::<Result<_>>().map_err(exception)?;
        if recipes.is_empty() {
            recipes = short_list(Shape::Images, Job::Predict).into_iter().map(Recipe::of).collect();
        }
        let roles = Roles {
            class_weights: if balanced { ClassWeights::Balanced } else { ClassWeights::Equal },
            task: Some(match task {
                "regression" => TaskKind::Regression,
                _ => TaskKind::Classification,
            }),
            ..Roles::target(LABEL)
        };
        let data = &images.data;
        let (model, choice) =
            work(py, &manner, |run| fit_best_on_images(data, &roles, &recipes, share, run))?;
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

    /// `[images, outputs]`: a number, or a chance for each class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        images: &Images,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predicting = self.model.predicting().map_err(exception)?;
        let data = &images.data;
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

    /// How the methods did on images that were held out, best first, as JSON.
    #[getter]
    fn scores(&self) -> PyResult<String> {
        let entries = self.choice.iter().flat_map(|(choice, _)| &choice.entries);
        let entry = |entry: &unmiss::compare::MeasuredOnImages| {
            let scores = match entry.score {
                Score::Classification { log_loss, accuracy, .. } => {
                    json!({ "log-loss": log_loss, "accuracy": accuracy })
                }
                Score::Regression { rmse, r2, .. } => json!({ "RMSE / sd": rmse, "R2": r2 }),
            };
            json!({ "method": entry.recipe.method.name(), "seconds": entry.seconds, "scores": scores })
        };
        serde_json::to_string(&entries.map(entry).collect::<Vec<_>>()).map_err(unwritable)
    }

    /// The same as a page, if something was held out.
    fn page(&self) -> PyResult<Option<Finding>> {
        let Some((choice, data)) = &self.choice else { return Ok(None) };
        let (words, images) = (self.words()?, data.images().map_err(exception)?);
        let sections = sections::fit_images(&self.model, images, Some(choice), &words).map_err(exception)?;
        Finding::new(&words, sections).map(Some)
    }
}

impl ImagePredictor {
    /// A model from a file.
    pub(crate) fn of(model: Model) -> PyResult<Self> {
        model.predicting().map_err(exception)?;
        size_of(&model)?;
        Ok(Self { model, choice: None })
    }
}

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

fn size_of(model: &Model) -> PyResult<(usize, usize, usize)> {
    let size = model.coder.images().map_err(exception)?.size;
    Ok((size.channels, size.height, size.width))
}

fn words(model: &Model) -> PyResult<Vec<String>> {
    let (summary, size) = (&model.summary, model.coder.images().map_err(exception)?.size);
    let mut words = vec![format!(
        "`{}` learned from {} images of {size}; {:.1} % of their pixels are missing.",
        model.recipe.method.name(),
        summary.rows,
        100.0 * summary.missing_share
    )];
    words.extend(summary.notes.iter().chain(&summary.cut_off).cloned());
    Ok(words)
}
