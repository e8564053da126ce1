//! A fitted imputer for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{Element, IntoPyArray, PyArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::data::{self, Values};
use unmiss::error::Result;
use unmiss::methods::{self, Draw};
use unmiss::model::{self, Filled, Limits};

use crate::align::aligned;
use crate::errors::exception;
use crate::predictor::{Unseen, recipe, warn_of_unseen};
use crate::table::Table;
use crate::work::{Manner, work};

/// A fitted imputer.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Filler {
    pub(crate) filler: model::Filler,
}

/// Filled cells of a column: its position, the rows, and numbers or words as (codes, levels).
type Cells<'py> = (
    usize,
    Bound<'py, PyArray1<i64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<(Bound<'py, PyArray1<i64>>, Vec<String>)>,
);

/// Holes that are left: column, how many, why.
type Left = Vec<(String, usize, String)>;

#[pymethods]
impl Filler {
    /// An imputer from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self { filler: model::Filler::from_bytes(bytes).map_err(PyValueError::new_err)? })
    }

    /// Learns. `within` gives lowest and highest value of single columns.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
    fn fit(
        py: Python<'_>,
        table: &Table,
        method: &str,
        settings: &str,
        ignore: Vec<String>,
        within: BTreeMap<String, (f64, f64)>,
        beyond_range: bool,
        manner: Manner,
    ) -> PyResult<Self> {
        let recipe =
            methods::find_imputer(method).and_then(|method| recipe(method, settings)).map_err(exception)?;
        if let Some((name, (low, high))) =
            within.iter().find(|(_, (low, high))| low.is_nan() || high.is_nan() || low > high)
        {
            return Err(PyValueError::new_err(format!(
                "within: column `{name}` can't lie between {low} and {high}"
            )));
        }
        let limits = Limits { observed_range: !beyond_range, columns: within };
        let filler =
            work(py, &manner, |run| model::Filler::fit(&table.table, &ignore, &recipe, limits, run))?;
        Ok(Self { filler })
    }

    /// Reads a file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { filler: model::Filler::load(&path).map_err(exception)? })
    }

    /// Writes the file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.filler.save(&path).map_err(exception)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.filler.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// Fills the holes of an array in place; `table` was made from it. Numbers for numbers only.
    fn fill_array(
        &self,
        py: Python<'_>,
        table: &Table,
        array: &Bound<'_, PyAny>,
        draw: Option<u64>,
        manner: Manner,
    ) -> PyResult<Left> {
        let filled = self.filled(py, table, draw, &manner)?;
        if let Ok(mut doubles) = array.extract::<PyReadwriteArray2<'_, f64>>() {
            put(&mut doubles, table, &filled.table, |value| value)?;
        } else if let Ok(mut singles) = array.extract::<PyReadwriteArray2<'_, f32>>() {
            put(&mut singles, table, &filled.table, |value| value as f32)?;
        } else {
            return Err(PyTypeError::new_err("expected a two-dimensional array of float64 or float32"));
        }
        Ok(left(&filled))
    }

    /// The cells that are filled, column by column, and what is left.
    fn fill<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        draw: Option<u64>,
        manner: Manner,
    ) -> PyResult<(Vec<Cells<'py>>, Left)> {
        let filled = self.filled(py, table, draw, &manner)?;
        let columns = table.table.columns().iter().zip(filled.table.columns()).enumerate();
        let cells = columns.filter_map(|(position, (before, after))| {
            let holes = before.observed.iter().zip(&after.observed).enumerate();
            let rows: Vec<usize> =
                holes.filter(|(_, (before, after))| !**before && **after).map(|(row, _)| row).collect();
            if rows.is_empty() {
                return None;
            }
            let places = rows.iter().map(|&row| row as i64).collect::<Vec<_>>().into_pyarray(py);
            match &after.values {
                Values::Numbers(values) => {
                    let numbers: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
                    Some((position, places, Some(numbers.into_pyarray(py)), None))
                }
                Values::Codes { codes, levels } => {
                    let codes: Vec<i64> = rows.iter().map(|&row| i64::from(codes[row])).collect();
                    Some((position, places, None, Some((codes.into_pyarray(py), levels.clone()))))
                }
                Values::Texts(_) => None,
            }
        });
        Ok((cells.collect(), left(&filled)))
    }

    /// The imputer's name.
    #[getter]
    fn method(&self) -> &'static str {
        self.filler.recipe.method.name()
    }

    /// Its settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.filler.recipe.settings.to_string()
    }

    /// Columns that were learned: numbers, then categories.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.filler.names().map(str::to_owned).collect()
    }

    /// Columns that can't be filled, with the reason.
    #[getter]
    fn unfillable(&self) -> BTreeMap<String, String> {
        self.filler.unfillable.clone()
    }

    /// Columns that are neither read nor filled.
    #[getter]
    fn ignored(&self) -> Vec<String> {
        self.filler.ignored.clone()
    }

    /// Whether filled numbers may leave the range of the known ones, and the limits of single columns.
    #[getter]
    fn limits(&self) -> (bool, BTreeMap<String, (f64, f64)>) {
        (!self.filler.limits.observed_range, self.filler.limits.columns.clone())
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> Vec<String> {
        let summary = &self.filler.summary;
        let mut words = vec![format!(
            "`{}` learned from {} rows and {} columns; {:.1} % of their cells are missing.",
            self.method(),
            summary.rows,
            self.filler.encoder.width(),
            100.0 * summary.missing_share
        )];
        let reasons = self.filler.unfillable.iter();
        words.extend(reasons.map(|(column, reason)| format!("Column `{column}` can't be filled: {reason}.")));
        words
    }

    /// What the imputer says about its fit, as JSON.
    #[getter]
    fn summary(&self) -> String {
        self.filler.summary.method.to_string()
    }
}

impl Filler {
    fn filled(&self, py: Python<'_>, table: &Table, draw: Option<u64>, manner: &Manner) -> PyResult<Filled> {
        let mut unseen = Unseen::new();
        let draw = draw.map(|number| Draw { seed: manner.0, number, first_row: 0 });
        let table: &data::Table = &table.table;
        let filled = work(py, manner, |run| -> Result<Filled> {
            let aligned = aligned(table, &self.filler.encoder)?;
            let note = |column: &str, level: &str| {
                unseen.entry(column.to_owned()).or_default().push(level.to_owned());
            };
            run.compute(|| self.filler.fill(aligned.as_ref().unwrap_or(table), draw, note))
        })?;
        warn_of_unseen(py, &unseen, &manner.2)?;
        Ok(filled)
    }
}

/// Writes filled numbers over the holes of an array.
fn put<T: Element + Copy>(
    array: &mut PyReadwriteArray2<'_, T>,
    before: &Table,
    after: &data::Table,
    convert: impl Fn(f64) -> T,
) -> PyResult<()> {
    let mut array = array.as_array_mut();
    for ((mut cells, before), after) in
        array.columns_mut().into_iter().zip(before.table.columns()).zip(after.columns())
    {
        let value: Box<dyn Fn(usize) -> f64> = match &after.values {
            Values::Numbers(values) => Box::new(|row| values[row]),
            // The model learned the column as a category of numbers.
            Values::Codes { codes, levels } => {
                let numbers: Vec<f64> =
                    levels.iter().map(|level| level.parse().unwrap_or(f64::NAN)).collect();
                Box::new(move |row| numbers[codes[row] as usize])
            }
            Values::Texts(_) => continue,
        };
        for row in (0..after.rows()).filter(|&row| !before.observed[row] && after.observed[row]) {
            cells[row] = convert(value(row));
        }
    }
    Ok(())
}

fn left(filled: &Filled) -> Left {
    filled.unfilled.iter().map(|left| (left.column.clone(), left.rows.len(), left.reason.clone())).collect()
}
