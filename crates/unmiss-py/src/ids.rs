//! The ids of users or items as Python has them: whole numbers, or words that were made positions.

use numpy::ndarray::ArrayView1;
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use unmiss::data::ratings::{IdColumn, Ids};

/// `(name, values, ids, count)`. The values are int64 or int32: positions among `ids`, negative where there is none;
/// positions among the whole numbers below `count`; or, without either, whole numbers that are the ids themselves.
pub(crate) type IdArguments<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>, Option<usize>);

/// A column of ids.
pub(crate) struct IdRows {
    name: String,
    codes: Vec<u32>,
    ids: Vec<String>,
}

impl IdRows {
    /// The column, its values copied once.
    pub(crate) fn read(py: Python<'_>, (name, values, ids, count): IdArguments<'_>) -> PyResult<Self> {
        let (codes, ids) = if let Ok(long) = values.extract::<PyReadonlyArray1<'_, i64>>() {
            let view = long.as_array();
            py.detach(|| coded(view, ids, count))
        } else if let Ok(short) = values.extract::<PyReadonlyArray1<'_, i32>>() {
            let view = short.as_array();
            py.detach(|| coded(view, ids, count))
        } else {
            return Err(PyTypeError::new_err("expected an array of int64 or int32"));
        };
        Ok(Self { name, codes, ids })
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The column for the library.
    pub(crate) fn column(&self) -> IdColumn<'_> {
        IdColumn { name: &self.name, codes: &self.codes, ids: &self.ids }
    }

    /// The id of a row; every row must have one.
    pub(crate) fn id(&self, row: usize) -> &str {
        &self.ids[self.codes[row] as usize]
    }

    /// Of each row its position among the known ids; every row must have an id.
    pub(crate) fn places(&self, known: &Ids) -> Vec<Option<u32>> {
        let places: Vec<Option<u32>> = self.ids.iter().map(|id| known.find(id)).collect();
        self.codes.iter().map(|code| places[*code as usize]).collect()
    }
}

fn coded<T: Element + Copy + Into<i64>>(
    values: ArrayView1<'_, T>,
    ids: Option<Vec<String>>,
    count: Option<usize>,
) -> (Vec<u32>, Vec<String>) {
    let position = |value: &T| u32::try_from((*value).into()).unwrap_or(u32::MAX);
    match (ids, count) {
        (Some(ids), _) => (values.iter().map(position).collect(), ids),
        (None, Some(count)) => {
            (values.iter().map(position).collect(), (0..count).map(|number| number.to_string()).collect())
        }
        (None, None) => {
            let mut distinct: Vec<i64> = values.iter().map(|value| (*value).into()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            let place =
                |value: &T| distinct.binary_search(&(*value).into()).map_or(u32::MAX, |place| place as u32);
            (values.iter().map(place).collect(), distinct.iter().map(i64::to_string).collect())
        }
    }
}

/// Ids as whole numbers, if all are written as such.
pub(crate) fn whole_numbers(ids: &Ids) -> Option<Vec<i64>> {
    let number = |id: &String| id.parse::<i64>().ok().filter(|number| number.to_string() == *id);
    ids.names().iter().map(number).collect()
}
