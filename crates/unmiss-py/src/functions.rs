//! Functions that need no model: the list of methods, samples, description, hiding, pooling.

use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use unmiss::data::Shape;
use unmiss::data::ratings;
use unmiss::data::samples::sample;
use unmiss::error::Error;
use unmiss::methods::{Job, Method, methods_for, short_list};
use unmiss::missing::{self, Mechanism, hideable};
use unmiss::model::Model;
use unmiss::pool::Estimate;
use unmiss::report::sections;

use crate::errors::{exception, unwritable};
use crate::filler::Filler;
use crate::finding::Finding;
use crate::instance_filler::InstanceFiller;
use crate::instance_predictor::InstancePredictor;
use crate::predictor::Predictor;
use crate::recommender::Recommender;
use crate::scorer::Scorer;
use crate::table::Table;
use crate::work::{Manner, work};

/// The list of methods as JSON: `{predictors: [...], imputers: [...], recommenders: [...]}`, each with its texts,
/// settings and defaults.
#[pyfunction]
pub(crate) fn methods_json() -> PyResult<String> {
    let entries = |shape: Shape, job: Job| -> Vec<Value> {
        methods_for(shape, job).map(|method| entry(method, shape, job)).collect()
    };
    let all = json!({
        "predictors": entries(Shape::Table, Job::Predict),
        "imputers": entries(Shape::Table, Job::Fill),
        "recommenders": entries(Shape::Ratings, Job::Rate),
        "image predictors": entries(Shape::Images, Job::Predict),
        "image imputers": entries(Shape::Images, Job::Fill),
        "series predictors": entries(Shape::Series, Job::Predict),
        "series imputers": entries(Shape::Series, Job::Fill),
    });
    serde_json::to_string(&all).map_err(unwritable)
}

fn entry(method: &dyn Method, shape: Shape, job: Job) -> Value {
    let card = method.card();
    json!({
        "name": card.name,
        "about": card.about,
        "settings": card.settings,
        "short list": short_list(shape, job).iter().position(|other| other.name() == card.name),
        "defaults": method.defaults(),
    })
}

/// The model in a file, of any shape and job: a predictor, an imputer or a recommender.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Py<PyAny>> {
    let model = Model::load(&path).map_err(exception)?;
    Ok(match (model.shape(), model.job()) {
        (Shape::Table, Job::Density) => Py::new(py, Scorer::of(model)?)?.into_any(),
        (_, Job::Density) => {
            let what = format!("{}: this model says how plausible images are", path.display());
            return Err(exception(Error::data(what).with_hint("the program's `unmiss score` uses it")));
        }
        (Shape::Images | Shape::Series, Job::Predict) => {
            Py::new(py, InstancePredictor::of(model)?)?.into_any()
        }
        (Shape::Images | Shape::Series, _) => Py::new(py, InstanceFiller::of(model)?)?.into_any(),
        (_, Job::Predict) => Py::new(py, Predictor::of(model))?.into_any(),
        (_, Job::Fill) => Py::new(py, Filler { model })?.into_any(),
        (_, Job::Rate) => Py::new(py, Recommender { model })?.into_any(),
    })
}

/// A built-in table: its text, and the column one would want to predict.
#[pyfunction]
pub(crate) fn sample_csv<'py>(py: Python<'py>, name: &str) -> PyResult<(Bound<'py, PyBytes>, &'static str)> {
    if name == ratings::SAMPLE {
        return Ok((PyBytes::new(py, rated_films().as_bytes()), "rating"));
    }
    let sample = sample(name).map_err(exception)?;
    Ok((PyBytes::new(py, sample.bytes), sample.target))
}

/// The built-in ratings as the text of a table.
fn rated_films() -> String {
    let films = ratings::sample();
    let line = |rating: ratings::Rating| {
        let (user, item) = (films.users.name(rating.user), films.items.name(rating.item));
        format!("{user},{item},{}\n", rating.value)
    };
    std::iter::once("user,item,rating\n".to_owned()).chain(films.iter().map(line)).collect()
}

/// Describes the holes of a table.
#[pyfunction]
pub(crate) fn describe(
    py: Python<'_>,
    table: &Table,
    target: Option<String>,
    manner: Manner,
) -> PyResult<Finding> {
    let table = table.table();
    let (description, sections) = work(py, &manner, |run| {
        run.compute(|| {
            let description = missing::describe(table, target.as_deref())?;
            let sections = sections::describe(table, &description)?;
            Ok((description, sections))
        })
    })?;
    Finding::new(&description, sections)
}

/// `[rows, columns]`: true where a known cell was hidden. Without columns, all that can be hidden in.
#[pyfunction]
pub(crate) fn hide<'py>(
    py: Python<'py>,
    table: &Table,
    how: &str,
    columns: Option<Vec<String>>,
    manner: Manner,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let how: Mechanism = how.parse().map_err(exception)?;
    let table = table.table();
    let columns = columns.unwrap_or_else(|| hideable(table, &[]));
    let hidden =
        work(py, &manner, |run| run.compute(|| missing::hide(table, &how, &columns, run.seed())))?.hidden;
    let mask = Array2::from_shape_fn((table.rows(), hidden.len()), |(row, column)| hidden[column][row]);
    Ok(mask.into_pyarray(py))
}

/// One answer from estimates and their variances, by Rubin's rules, as JSON.
#[pyfunction]
pub(crate) fn pool(
    values: Vec<f64>,
    variances: Vec<f64>,
    complete: Option<f64>,
    level: f64,
) -> PyResult<String> {
    let estimates: Vec<Estimate> =
        values.into_iter().zip(variances).map(|(value, variance)| Estimate { value, variance }).collect();
    let pooled = unmiss::pool::pool(&estimates, complete, level).map_err(exception)?;
    serde_json::to_string(&pooled).map_err(unwritable)
}

/// Wald's test (D1) of several estimates at once, as JSON; covariances row by row.
#[pyfunction]
pub(crate) fn pool_wald(
    estimates: Vec<Vec<f64>>,
    covariances: Vec<Vec<f64>>,
    complete: Option<f64>,
) -> PyResult<String> {
    let test = unmiss::pool::pooled_wald(&estimates, &covariances, complete).map_err(exception)?;
    serde_json::to_string(&test).map_err(unwritable)
}
