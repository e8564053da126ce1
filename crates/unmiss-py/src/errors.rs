//! Errors of the library as exceptions that scikit-learn's users expect, the hint in the text.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use unmiss::error::{Act, Error};

/// What can be done about something, in Python's words.
fn words(act: &Act) -> String {
    match act {
        Act::ReadAsCategory { column } => {
            format!("if its values are classes, make a pandas category of `{column}`")
        }
        Act::ReadAsNumber { column } => format!("use a Classifier, or make numbers of `{column}`"),
        Act::NameMissing { column, words } => {
            format!("if that stands for a missing value, make {} in `{column}` a NaN or None", quoted(words))
        }
        Act::SayDecimal => "make numbers of the column".to_owned(),
        Act::SayDates => "make dates of the column, as pandas.to_datetime does".to_owned(),
        Act::LeaveOutId { column } => format!("if so, leave `{column}` out"),
        Act::NameColumn { what, columns } => {
            format!("name it with {what}=...; the columns are: {}", columns.join(", "))
        }
        Act::OneRole => "name it once only".to_owned(),
        Act::LookUpSettings { method } => {
            format!("the documentation of the class of `{method}` tells what each setting takes")
        }
        Act::FewerFolds => "ask for fewer with folds=...".to_owned(),
        Act::HideMore => "hide more with how=\"mcar:0.3\", or compare on a larger table".to_owned(),
        Act::OtherFile => "name another file".to_owned(),
        Act::SameQuestion { seed } => format!("ask the same with random_state={seed}"),
        Act::TakeSample { name } => format!("did you mean `{name}`?"),
        Act::ShowModel | Act::UsePredictor | Act::UseImputer | Act::UseRecommender | Act::UseDensity => {
            "`unmiss.load` reads a model of any kind".to_owned()
        }
    }
}

/// Words in quotes.
fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The exception for an error.
pub(crate) fn exception(error: Error) -> PyErr {
    let text = match error.hint() {
        Some(hint) => format!("{error}\nhint: {}", hint.worded(words)),
        None => error.to_string(),
    };
    match error {
        Error::Io { source, .. } => std::io::Error::new(source.kind(), text).into(),
        Error::Stopped => PyKeyboardInterrupt::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What can't be written as JSON or as a page.
pub(crate) fn unwritable(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("the result can't be written: {error}"))
}
