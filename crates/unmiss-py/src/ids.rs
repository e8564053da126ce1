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
            let numbers: Vec<i64> = values.iter().map(|value| (*value).into()).collect();
            let (codes, distinct) = ranked(&numbers);
            (codes, distinct.iter().map(i64::to_string).collect())
        }
    }
}

/// Of each number its position among the distinct ones in ascending order, and these.
fn ranked(numbers: &[i64]) -> (Vec<u32>, Vec<i64>) {
    let (low, high) = numbers.iter().fold((i64::MAX, i64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
    let span = high.checked_sub(low).and_then(|span| usize::try_from(span).ok()).unwrap_or(usize::MAX);
    if span > 2 * numbers.len() {
        // Far apart: their order is found by sorting.
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |number: &i64| distinct.binary_search(number).map_or(u32::MAX, |place| place as u32);
        return (numbers.iter().map(place).collect(), distinct);
    }
    let mut places = vec![u32::MAX; span + 1];
    numbers.iter().for_each(|number| places[(number - low) as usize] = 0);
    let mut distinct = Vec::new();
    for (step, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
        *place = distinct.len() as u32;
        distinct.push(low + step as i64);
    }
    (numbers.iter().map(|number| places[(number - low) as usize]).collect(), distinct)
}

/// Ids as whole numbers, if all are written as such.
pub(crate) fn whole_numbers(ids: &Ids) -> Option<Vec<i64>> {
    let number = |id: &String| id.parse::<i64>().ok().filter(|number| number.to_string() == *id);
    ids.names().iter().map(number).collect()
}
