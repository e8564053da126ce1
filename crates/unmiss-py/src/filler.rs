//! A fitted imputer for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{Element, IntoPyArray, PyArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::data::{self, Shape, Values};
use unmiss::error::Result;
use unmiss::methods::{Draw, Job, find};
use unmiss::model::{Aim, FillPlan, Filled, Filling, Limits, Model};

use crate::align::aligned;
use crate::errors::exception;
use crate::predictor::{Unseen, recipe, warn_of_unseen};
use crate::table::Table;
use crate::work::{Manner, work};

/// A fitted imputer.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Filler {
    pub(crate) model: Model,
}

/// Filled cells of a column: its position, the rows, and numbers or words as (codes, levels).
type Cells<'py> = (
    usize,
    Bound<'py, PyArray1<i64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<(Bound<'py, PyArray1<i64>>, Vec<String>)>,
);

/// Lowest and highest value of single columns.
type Ranges = BTreeMap<String, (f64, f64)>;

/// Holes that are left: column, how many, why.
type Left = Vec<(String, usize, String)>;

#[pymethods]
impl Filler {
    /// An imputer from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        let model = Model::from_bytes(bytes).map_err(PyValueError::new_err)?;
        model.filling().map_err(exception)?;
        Ok(Self { model })
    }

    /// Learns. `within` gives lowest and highest value of single columns, `sets` how many draws it is to be ready for.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
    fn fit(
        py: Python<'_>,
        table: &Table,
        method: &str,
        settings: &str,
        ignore: Vec<String>,
        within: Ranges,
        beyond_range: bool,
        sets: usize,
        manner: Manner,
    ) -> PyResult<Self> {
        let recipe = find(method, Shape::Table, Job::Fill)
            .and_then(|method| recipe(method, settings))
            .map_err(exception)?;
        if let Some((name, (low, high))) =
            within.iter().find(|(_, (low, high))| low.is_nan() || high.is_nan() || low > high)
        {
            return Err(PyValueError::new_err(format!(
                "within: column `{name}` can't lie between {low} and {high}"
            )));
        }
        let limits = Limits { observed_range: !beyond_range, columns: within };
        let aim = Aim::Fill(FillPlan { ignored: ignore, limits, draws: sets, ..FillPlan::default() });
        let model = work(py, &manner, |run| Model::fit(&table.data, &aim, &recipe, run))?;
        Ok(Self { model })
    }

    /// How many sets of parameters its draws have.
    fn parameter_sets(&self) -> PyResult<usize> {
        Ok(self.model.filling().map_err(exception)?.parameter_sets())
    }

    /// Whether draws could have parameters of their own.
    fn proper_draws(&self) -> bool {
        self.model.recipe.method.proper_draws()
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
            put(&mut doubles, table, filled.data.table().map_err(exception)?, |value| value)?;
        } else if let Ok(mut singles) = array.extract::<PyReadwriteArray2<'_, f32>>() {
            put(&mut singles, table, filled.data.table().map_err(exception)?, |value| value as f32)?;
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
        let columns = table.data.columns().iter().zip(filled.data.columns()).enumerate();
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
        self.model.recipe.method.name()
    }

    /// Its settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.model.recipe.settings.to_string()
    }

    /// Columns that were learned: numbers, then categories.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.model.coder.names().into_iter().map(str::to_owned).collect()
    }

    /// Columns that can't be filled, with the reason.
    #[getter]
    fn unfillable(&self) -> PyResult<BTreeMap<String, String>> {
        Ok(self.filling()?.part.unfillable.clone())
    }

    /// Columns that are neither read nor filled.
    #[getter]
    fn ignored(&self) -> PyResult<Vec<String>> {
        Ok(self.filling()?.part.ignored.clone())
    }

    /// Whether filled numbers may leave the range of the known ones, and the limits of single columns.
    #[getter]
    fn limits(&self) -> PyResult<(bool, Ranges)> {
        let limits = &self.filling()?.part.limits;
        Ok((!limits.observed_range, limits.columns.clone()))
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> PyResult<Vec<String>> {
        let summary = &self.model.summary;
        let mut words = vec![format!(
            "`{}` learned from {} rows and {} columns; {:.1} % of their cells are missing.",
            self.method(),
            summary.rows,
            self.model.coder.names().len(),
            100.0 * summary.missing_share
        )];
        let reasons = self.filling()?.part.unfillable.iter();
        words.extend(reasons.map(|(column, reason)| format!("Column `{column}` can't be filled: {reason}.")));
        Ok(words)
    }

    /// What the imputer says about its fit, as JSON.
    #[getter]
    fn summary(&self) -> String {
        self.model.summary.method.to_string()
    }
}

impl Filler {
    fn filling(&self) -> PyResult<Filling<'_>> {
        self.model.filling().map_err(exception)
    }

    fn filled(&self, py: Python<'_>, table: &Table, draw: Option<u64>, manner: &Manner) -> PyResult<Filled> {
        let mut unseen = Unseen::new();
        let draw = draw.map(|number| Draw { seed: manner.0, number, first_row: 0 });
        let filling = self.filling()?;
        let filled = work(py, manner, |run| -> Result<Filled> {
            let aligned = aligned(&table.data, filling.coder)?;
            let note = |column: &str, level: &str| {
                unseen.entry(column.to_owned()).or_default().push(level.to_owned());
            };
            run.compute(|| filling.fill(&aligned, draw, note))
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
        array.columns_mut().into_iter().zip(before.data.columns()).zip(after.columns())
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
