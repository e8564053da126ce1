//! Regressions of filled tables, pooled.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unmiss::analyse::{Completed, Family, Options, analyse as analyse_tables};
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::table::Table;
use crate::work::{Manner, work};

/// What is asked for: kind of regression, level, reference levels, terms to test, whether by likelihood ratio too.
type Asked = (Option<String>, f64, BTreeMap<String, String>, Vec<String>, bool);

/// Fits a formula to every table and pools; the table with the holes, if given, is shown beside.
#[pyfunction]
pub(crate) fn analyse(
    py: Python<'_>,
    formula: &str,
    tables: Vec<PyRef<'_, Table>>,
    original: Option<PyRef<'_, Table>>,
    asked: Asked,
    manner: Manner,
) -> PyResult<Finding> {
    let (family, level, references, tests, likelihood_ratio) = asked;
    let family = match family.as_deref() {
        None => None,
        Some("linear") => Some(Family::Linear),
        Some("logistic") => Some(Family::Logistic),
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "family={other:?} is neither 'linear' nor 'logistic'"
            )));
        }
    };
    let options = Options { family, level, references, tests, likelihood_ratio };
    let named =
        |(place, table): (usize, &PyRef<'_, Table>)| (format!("table {}", place + 1), table.table().clone());
    let tables = tables.iter().enumerate().map(named).collect();
    let original = original.map(|table| ("the table with the holes".to_owned(), table.table().clone()));
    let completed = Completed::new(tables, original).map_err(exception)?;
    let (analysis, sections) = work(py, &manner, |run| {
        let analysis = analyse_tables(formula, &completed, &options, run)?;
        let sections = sections::analyse(&analysis)?;
        Ok((analysis, sections))
    })?;
    Finding::new(&analysis, sections)
}
