//! Models whose fit is a sum over rows, from rows in parts, for Python: questions and answers are text.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unmiss::data::Shape;
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, find};
use unmiss::model::sums::{Answer, SumAim, answer, fit_sums};

use crate::errors::{exception, unwritable};
use crate::predictor::recipe;
use crate::table::Table;
use crate::work::{Manner, conversation};

/// What is wrong with a question or an answer that can't be read.
fn unreadable(error: &serde_json::Error) -> Error {
    Error::data(format!("what a part of the rows was asked, or answered, can't be read: {error}"))
}

/// A model as the bytes of its file. `ask` is called with each question and gives the answers of all parts, those to
/// the first question in the order of the parts.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
pub(crate) fn fit_parts<'py>(
    py: Python<'py>,
    ask: Py<PyAny>,
    method: &str,
    settings: &str,
    target: Option<String>,
    ignore: Vec<String>,
    manner: Manner,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = if target.is_some() { Job::Predict } else { Job::Fill };
    let recipe = find(method, Shape::Table, job).and_then(|method| recipe(method, settings));
    let recipe = recipe.map_err(exception)?;
    let aim = target.map_or(SumAim::Fill, SumAim::Predict);
    let asked = |py: Python<'_>, question: &String| -> PyResult<Vec<String>> {
        ask.call1(py, (question,))?.extract(py)
    };
    let bytes = conversation(py, &manner, asked, |run, line| {
        let all = |question: &_| -> Result<Vec<Answer>> {
            let text = serde_json::to_string(question).map_err(|error| unreadable(&error))?;
            let answers = line.ask(text)?;
            let read = |text: &String| serde_json::from_str(text).map_err(|error| unreadable(&error));
            answers.iter().map(read).collect()
        };
        fit_sums(&aim, &recipe, &ignore, run, &all)?.to_bytes()
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// What a part of the rows answers to a question.
#[pyfunction]
pub(crate) fn part_answer(py: Python<'_>, question: &str, table: &Table, part: usize) -> PyResult<String> {
    let question = serde_json::from_str(question).map_err(|error| exception(unreadable(&error)))?;
    let found = py.detach(|| answer(&question, table.table(), part)).map_err(exception)?;
    serde_json::to_string(&found).map_err(unwritable)
}
