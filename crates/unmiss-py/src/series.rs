//! Series for Python: arrays in, and what is known of them.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use unmiss::data::series::{Clock, Parts, Series};
use unmiss::missing::describe_series;
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::instances::Instances;
use crate::table::{ColumnArguments, column};

/// Series from their ids, the names of their variables, how many steps each has, all times, all values (NaN: not
/// known), and what does not change over time as columns `(name, what, values, levels)`.
#[pyfunction]
pub(crate) fn series_of(
    ids: Vec<String>,
    variables: Vec<String>,
    lengths: Vec<usize>,
    times: PyReadonlyArray1<'_, f64>,
    values: PyReadonlyArray1<'_, f64>,
    statics: Vec<ColumnArguments<'_>>,
) -> PyResult<Instances> {
    let values = values.as_slice()?.to_vec();
    let parts = Parts {
        clock: Clock::Numbers,
        ids,
        variables,
        lengths,
        times: times.as_slice()?.to_vec(),
        observed: values.iter().map(|value| !value.is_nan()).collect(),
        values,
        statics: statics.iter().map(column).collect::<PyResult<_>>()?,
        ..Parts::default()
    };
    Ok(Instances { data: Series::new(parts).map_err(exception)?.into() })
}

/// Describes the holes of series.
#[pyfunction]
pub(crate) fn describe_series_of(series: &Instances) -> PyResult<Finding> {
    let series = series.data.series().map_err(exception)?;
    let found = describe_series(series);
    Finding::new(&found, sections::series(series, &found).map_err(exception)?)
}
