//! Images for Python: arrays in, and what is known of them.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use unmiss::data::images::{self, Observed, Pixels, Size};
use unmiss::missing::{Region, describe_images, hide_region};
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::instances::Instances;
use crate::table::{ColumnArguments, column};

/// Images from all their numbers in one row, bytes or float32, marks of those that are known (none: all are), and their
/// classes as a column `(name, what, values, levels)`.
#[pyfunction]
#[pyo3(signature = (values, size, observed = None, labels = None))]
pub(crate) fn images_of(
    values: &Bound<'_, PyAny>,
    size: (usize, usize, usize),
    observed: Option<PyReadonlyArray1<'_, bool>>,
    labels: Option<ColumnArguments<'_>>,
) -> PyResult<Instances> {
    let size = Size { channels: size.0, height: size.1, width: size.2 };
    let pixels = if let Ok(bytes) = values.extract::<PyReadonlyArray1<'_, u8>>() {
        Pixels::Bytes(bytes.as_array().to_vec())
    } else if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, f32>>() {
        Pixels::Numbers(numbers.as_array().to_vec())
    } else {
        return Err(PyTypeError::new_err("expected all numbers of the images in a row, uint8 or float32"));
    };
    let count = pixels.len().checked_div(size.cells()).unwrap_or(0);
    let observed = match observed {
        None => Observed::All,
        Some(marks) => {
            let marks = marks.as_slice()?;
            if marks.len() != pixels.len() {
                return Err(PyValueError::new_err("there must be a mark for each number"));
            }
            Observed::of_cells(size, count, |cell| marks[cell])
        }
    };
    let labels = labels.as_ref().map(column).transpose()?;
    let made = images::Images::new(size, pixels, observed).and_then(|images| images.with_labels(labels));
    Ok(Instances { data: made.map_err(exception)?.into() })
}

/// The bytes of the built-in digits, their size and their classes.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "taken apart where it is called")]
pub(crate) fn sample_images(
    py: Python<'_>,
) -> PyResult<(Bound<'_, PyArray1<u8>>, (usize, usize), Vec<String>)> {
    let digits = images::sample().map_err(exception)?;
    let classes = (0..digits.len()).filter_map(|image| digits.labels()?.cell(image)).collect();
    let Pixels::Bytes(bytes) = digits.values() else {
        return Err(PyValueError::new_err("the sample is not of bytes"));
    };
    Ok((bytes.clone().into_pyarray(py), (digits.size().height, digits.size().width), classes))
}

/// `[images, height * width]`: true where a region of each image is hidden.
#[pyfunction]
pub(crate) fn hide_images<'py>(
    py: Python<'py>,
    count: usize,
    size: (usize, usize),
    how: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let region: Region = how.parse().map_err(exception)?;
    let size = Size { channels: 1, height: size.0, width: size.1 };
    let blank = images::Images::new(size, Pixels::Bytes(vec![0; count * size.cells()]), Observed::All);
    let hidden = hide_region(blank.map_err(exception)?, &region, seed);
    let mask =
        Array2::from_shape_fn((count, size.pixels()), |(image, pixel)| !hidden.is_pixel_known(image, pixel));
    Ok(mask.into_pyarray(py))
}

/// Describes the holes of images.
#[pyfunction]
pub(crate) fn describe_images_of(images: &Instances) -> PyResult<Finding> {
    let images = images.data.images().map_err(exception)?;
    let found = describe_images(images);
    Finding::new(&found, sections::images(images, &found).map_err(exception)?)
}
