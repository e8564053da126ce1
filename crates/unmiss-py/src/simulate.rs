//! Rows of a made world as arrays.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use unmiss::simulate::{Bayes, Drawn, Settings, World};

use crate::errors::exception;
use crate::work::{Manner, work};

/// Values, also where they are missing; marks of what is known; the response; the same without noise; the best
/// possible answers; and their standard errors where they are sampled.
type Rows<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<bool>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
);

/// Draws rows of the world that settings and seed fix, with their best possible answers. `size`: first row, rows,
/// columns; `names`: response, mechanism; `shares`: rate, latent, snr.
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    size: (usize, usize, usize),
    names: (String, String),
    shares: (f64, f64, f64),
    weights: Vec<f64>,
    sweeps: usize,
    manner: Manner,
) -> PyResult<Rows<'py>> {
    let (first, rows, columns) = size;
    let (rate, latent, snr) = shares;
    let settings = Settings {
        columns,
        latent,
        response: names.0.parse().map_err(exception)?,
        masking: names.1.parse().map_err(exception)?,
        rate,
        snr,
        weights,
    };
    let (drawn, bayes): (Drawn, Bayes) = work(py, &manner, |run| {
        run.compute(|| {
            let world = World::new(&settings, run.seed())?;
            let drawn = world.draw(first, rows);
            let bayes = world.bayes(&drawn, sweeps)?;
            Ok((drawn, bayes))
        })
    })?;
    let values = Array2::from_shape_fn((rows, columns), |(row, column)| drawn.values[row * columns + column]);
    let observed =
        Array2::from_shape_fn((rows, columns), |(row, column)| drawn.observed[row * columns + column]);
    Ok((
        values.into_pyarray(py),
        observed.into_pyarray(py),
        drawn.response.into_pyarray(py),
        drawn.noiseless.into_pyarray(py),
        bayes.answers.into_pyarray(py),
        bayes.errors.map(|errors| errors.into_pyarray(py)),
    ))
}
