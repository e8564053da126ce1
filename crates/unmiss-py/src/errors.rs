//! Errors of the library as exceptions that scikit-learn's users expect, the hint in the text.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use unmiss::error::Error;

/// Hints speak of the program's options; these are what Python calls them.
const SPOKEN: [(&str, &str); 10] = [
    ("unmiss impute --method ", "unmiss.Imputer, method "),
    ("unmiss fit --method ", "unmiss.Classifier or unmiss.Regressor, method "),
    ("say --categorical", "make a pandas category of"),
    ("--how mcar:0.3", "how=\"mcar:0.3\""),
    ("with --folds", "with folds"),
    ("(--rows)", "(rows=...)"),
    ("`sample:", "`"),
    ("say --numeric", "use a Classifier, or make numbers of"),
    (
        "`unmiss fit` makes models that predict; `unmiss impute --with` uses imputers",
        "`unmiss.load` reads both",
    ),
    ("`unmiss impute --save FILE` makes imputers; `unmiss predict` uses models", "`unmiss.load` reads both"),
];

/// A text of the library in Python's words.
pub(crate) fn spoken(text: &str) -> String {
    SPOKEN.iter().fold(text.to_owned(), |text, (program, python)| text.replace(program, python))
}

/// The exception for an error.
pub(crate) fn exception(error: Error) -> PyErr {
    let text = match error.hint() {
        Some(hint) => format!("{error}\nhint: {}", spoken(hint)),
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
