//! Arrays to tables. NaN is a hole; the numbers of an array are read in place, whatever its strides.

use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use unmiss::data::{self, Column, Kind, LARGEST, Values};

use crate::errors::exception;

/// Rows that are read at a time from all columns: few enough to stay in the processor's memory.
const BLOCK: usize = 256;

/// A table of the library.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Table {
    pub(crate) data: data::Data,
}

impl Table {
    /// The columns.
    pub(crate) fn table(&self) -> &data::Table {
        self.data.table().expect("it was made from columns")
    }
}

#[pymethods]
impl Table {
    /// A table of real numbers from a two-dimensional array of float64 or float32, with further columns behind.
    #[staticmethod]
    #[pyo3(signature = (values, names, kind, further = Vec::new()))]
    fn matrix(
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        names: Vec<String>,
        kind: &str,
        further: Vec<ColumnArguments<'_>>,
    ) -> PyResult<Self> {
        let kind = number_kind(kind)?;
        let mut columns = if let Ok(doubles) = values.extract::<PyReadonlyArray2<'_, f64>>() {
            let view = doubles.as_array();
            py.detach(|| read_columns(view, names, kind))
        } else if let Ok(singles) = values.extract::<PyReadonlyArray2<'_, f32>>() {
            let view = singles.as_array();
            py.detach(|| read_columns(view, names, kind))
        } else {
            return Err(PyTypeError::new_err("expected a two-dimensional array of float64 or float32"));
        };
        columns.extend(further.iter().map(column).collect::<PyResult<Vec<_>>>()?);
        Ok(Self { data: data::Table::new(columns).map_err(exception)?.into() })
    }

    /// A table from columns `(name, what, values, levels)`:
    ///
    /// - `real`, `integer`, `number` (either of these), `found` (as in a file, two values being a category): float64
    ///   values, NaN is a hole
    /// - `category`, `words` (the kind is found out): int64 positions in `levels`, negative is a hole
    /// - `date`: with levels of text as ISO 8601, int64 positions in them, negative is a hole
    /// - `text`, `date`: without levels bool values, true where the cell is known; what it says is not used
    #[staticmethod]
    fn columns(columns: Vec<ColumnArguments<'_>>) -> PyResult<Self> {
        let columns = columns.iter().map(column).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { data: data::Table::new(columns).map_err(exception)?.into() })
    }

    /// How many rows there are.
    #[getter]
    fn rows(&self) -> usize {
        self.data.rows()
    }

    /// The kind of each column.
    #[getter]
    fn kinds(&self) -> Vec<String> {
        self.data.columns().iter().map(|column| column.kind.to_string()).collect()
    }
}

/// Name, what it is, values, levels.
pub(crate) type ColumnArguments<'py> = (String, String, Bound<'py, PyAny>, Option<Vec<String>>);

/// A column from what Python says of it.
pub(crate) fn column((name, what, values, levels): &ColumnArguments<'_>) -> PyResult<Column> {
    match what.as_str() {
        "real" | "integer" | "number" | "found" => {
            let numbers: PyReadonlyArray1<'_, f64> = values.extract()?;
            let numbers = numbers.as_array();
            if let Some(row) = numbers.iter().position(|number| number.abs() > LARGEST) {
                let which = if numbers[row].is_infinite() { "infinity" } else { "a number beyond 1e100" };
                let what = format!("column `{name}`, row {}: {which} is no value to learn from", row + 1);
                return Err(PyValueError::new_err(format!("{what}\nhint: make it a hole (NaN) or a number")));
            }
            Ok(match what.as_str() {
                "found" => Column::found_numbers(name, numbers.iter().copied()),
                "number" => {
                    let whole = numbers.iter().all(|number| number.is_nan() || number.fract() == 0.0);
                    read_column(name.clone(), numbers, if whole { Kind::Integer } else { Kind::Real })
                }
                kind => read_column(name.clone(), numbers, number_kind(kind)?),
            })
        }
        "category" | "words" => {
            let kind = (what == "category").then_some(Kind::Category);
            Ok(Column::found_words(name, &codes(values)?, levels.as_deref().unwrap_or_default(), kind))
        }
        "date" if levels.is_some() => {
            let levels = levels.as_deref().unwrap_or_default();
            Ok(Column::found_words(name, &codes(values)?, levels, Some(Kind::Date)))
        }
        "text" | "date" => {
            let known: PyReadonlyArray1<'_, bool> = values.extract()?;
            let observed = known.as_array().to_vec();
            let kind = if what == "date" { Kind::Date } else { Kind::Text };
            let values = Values::Texts(vec![String::new(); observed.len()]);
            Ok(Column { name: name.clone(), kind, values, observed })
        }
        other => Err(PyValueError::new_err(format!("there is no `{other}` for a column"))),
    }
}

/// Positions in levels; a negative one is a hole.
fn codes(values: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let codes: PyReadonlyArray1<'_, i64> = values.extract()?;
    Ok(codes.as_array().iter().map(|code| u32::try_from(*code).unwrap_or(u32::MAX)).collect())
}

fn number_kind(name: &str) -> PyResult<Kind> {
    match name {
        "real" => Ok(Kind::Real),
        "integer" => Ok(Kind::Integer),
        other => Err(PyValueError::new_err(format!("`{other}` is no kind of numbers"))),
    }
}

/// One column of numbers.
fn read_column(name: String, numbers: ArrayView1<'_, f64>, kind: Kind) -> Column {
    let observed = numbers.iter().map(|number| !number.is_nan()).collect();
    let values = numbers.iter().map(|&number| if number.is_nan() { 0.0 } else { number }).collect();
    Column { name, kind, values: Values::Numbers(values), observed }
}

/// All columns of an array in one pass, block by block: an array stored row by row is not walked through once per
/// column.
fn read_columns<T>(array: ArrayView2<'_, T>, names: Vec<String>, kind: Kind) -> Vec<Column>
where
    T: Element + Copy + Into<f64>,
{
    let (rows, width) = array.dim();
    let mut numbers: Vec<(Vec<f64>, Vec<bool>)> =
        (0..width).map(|_| (Vec::with_capacity(rows), Vec::with_capacity(rows))).collect();
    for block in array.axis_chunks_iter(Axis(0), BLOCK) {
        for (cells, (values, observed)) in block.columns().into_iter().zip(&mut numbers) {
            for cell in cells {
                let number: f64 = (*cell).into();
                let known = !number.is_nan();
                values.push(if known { number } else { 0.0 });
                observed.push(known);
            }
        }
    }
    let column =
        |(name, (values, observed))| Column { name, kind, values: Values::Numbers(values), observed };
    names.into_iter().zip(numbers).map(column).collect()
}
