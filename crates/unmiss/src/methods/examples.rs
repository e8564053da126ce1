//! What a method learns from, and what it is put together again from.

use crate::data::ratings::Ratings;
use crate::data::{Shape, other_shape};
use crate::encode::{
    Coder, Encoded, Encoder, ImageCoder, ImageRows, Rows, SeriesCoder, SeriesRows, Targets, Task,
};
use crate::error::{Error, Result};

/// What a method learns from: rows of some shape, their translation, and where something is to be predicted, their
/// targets.
#[derive(Clone, Copy)]
pub enum Examples<'a> {
    /// Rows of a table.
    Table {
        /// The fitted translation of columns: names, levels, training statistics.
        encoder: &'a Encoder,
        /// The rows.
        rows: &'a Encoded,
        /// What is to be predicted, with the weight of each row.
        targets: Option<&'a Targets>,
    },
    /// Ratings.
    Ratings(&'a Ratings),
    /// Images.
    Images {
        /// The fitted translation of pixels: size, range, training statistics.
        coder: &'a ImageCoder,
        /// The images.
        rows: &'a ImageRows,
        /// What is to be predicted, with the weight of each image.
        targets: Option<&'a Targets>,
    },
    /// Series.
    Series {
        /// The fitted translation of variables and of what does not change over time.
        coder: &'a SeriesCoder,
        /// The series.
        rows: &'a SeriesRows,
        /// What is to be predicted, with the weight of each series.
        targets: Option<&'a Targets>,
    },
}

/// Encoded rows of a table with their encoder and targets.
#[derive(Clone, Copy)]
pub struct Training<'a> {
    /// The fitted translation of columns: names, levels, training statistics.
    pub encoder: &'a Encoder,
    /// The rows.
    pub inputs: &'a Encoded,
    /// What is to be predicted, with the weight of each row.
    pub targets: &'a Targets,
}

impl<'a> Examples<'a> {
    /// Rows with the translation that made them.
    ///
    /// # Errors
    /// When the two are of different shapes.
    pub fn new(coder: &'a Coder, rows: &'a Rows, targets: Option<&'a Targets>) -> Result<Self> {
        match (coder, rows) {
            (Coder::Table(encoder), Rows::Table(rows)) => Ok(Self::Table { encoder, rows, targets }),
            (Coder::Ratings(_), Rows::Ratings(ratings)) => Ok(Self::Ratings(ratings)),
            (Coder::Images(coder), Rows::Images(rows)) => Ok(Self::Images { coder, rows, targets }),
            (Coder::Series(coder), Rows::Series(rows)) => Ok(Self::Series { coder, rows, targets }),
            (coder, rows) => Err(other_shape(coder.shape(), rows.shape())),
        }
    }

    /// The shape they are of.
    pub fn shape(self) -> Shape {
        match self {
            Self::Table { .. } => Shape::Table,
            Self::Ratings(_) => Shape::Ratings,
            Self::Images { .. } => Shape::Images,
            Self::Series { .. } => Shape::Series,
        }
    }

    /// Rows of a table, without looking at targets.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn table(self) -> Result<(&'a Encoder, &'a Encoded)> {
        match self {
            Self::Table { encoder, rows, .. } => Ok((encoder, rows)),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// Rows of a table with their targets.
    ///
    /// # Errors
    /// When they are of another shape or have no targets.
    pub fn training(self) -> Result<Training<'a>> {
        match self {
            Self::Table { encoder, rows: inputs, targets: Some(targets) } => {
                Ok(Training { encoder, inputs, targets })
            }
            Self::Table { targets: None, .. } => Err(no_target()),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// Ratings.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn ratings(self) -> Result<&'a Ratings> {
        match self {
            Self::Ratings(ratings) => Ok(ratings),
            other => Err(other_shape(Shape::Ratings, other.shape())),
        }
    }

    /// Images, without looking at targets.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn images(self) -> Result<(&'a ImageCoder, &'a ImageRows)> {
        match self {
            Self::Images { coder, rows, .. } => Ok((coder, rows)),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// Images with their targets.
    ///
    /// # Errors
    /// When they are of another shape or have no targets.
    pub fn told_images(self) -> Result<(&'a ImageCoder, &'a ImageRows, &'a Targets)> {
        match self {
            Self::Images { coder, rows, targets: Some(targets) } => Ok((coder, rows, targets)),
            Self::Images { targets: None, .. } => Err(no_target()),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// Series, without looking at targets.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn series(self) -> Result<(&'a SeriesCoder, &'a SeriesRows)> {
        match self {
            Self::Series { coder, rows, .. } => Ok((coder, rows)),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }

    /// Series with their targets.
    ///
    /// # Errors
    /// When they are of another shape or have no targets.
    pub fn told_series(self) -> Result<(&'a SeriesCoder, &'a SeriesRows, &'a Targets)> {
        match self {
            Self::Series { coder, rows, targets: Some(targets) } => Ok((coder, rows, targets)),
            Self::Series { targets: None, .. } => Err(no_target()),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }
}

fn no_target() -> Error {
    Error::data("there is no target to learn")
}

/// What stands in a model's file beside the arrays of its method.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    /// The translation of data.
    pub coder: &'a Coder,
    /// What is predicted, if anything is.
    pub task: Option<Task>,
}

impl<'a> Layout<'a> {
    /// The translation of a table.
    ///
    /// # Errors
    /// When the model is of another shape.
    pub fn table(self) -> Result<&'a Encoder> {
        self.coder.table()
    }

    /// The translation of a table and what is predicted.
    ///
    /// # Errors
    /// When the model is of another shape or predicts nothing.
    pub fn predicting(self) -> Result<(&'a Encoder, Task)> {
        Ok((self.coder.table()?, self.task()?))
    }

    /// The translation of images and what is predicted.
    ///
    /// # Errors
    /// When the model is of another shape or predicts nothing.
    pub fn predicting_images(self) -> Result<(&'a ImageCoder, Task)> {
        Ok((self.coder.images()?, self.task()?))
    }

    /// The translation of series and what is predicted.
    ///
    /// # Errors
    /// When the model is of another shape or predicts nothing.
    pub fn predicting_series(self) -> Result<(&'a SeriesCoder, Task)> {
        Ok((self.coder.series()?, self.task()?))
    }

    fn task(self) -> Result<Task> {
        self.task.ok_or_else(|| Error::data("it does not say what is predicted"))
    }

    /// The translation of images.
    ///
    /// # Errors
    /// When the model is of another shape.
    pub fn images(self) -> Result<&'a ImageCoder> {
        self.coder.images()
    }

    /// The translation of series.
    ///
    /// # Errors
    /// When the model is of another shape.
    pub fn series(self) -> Result<&'a SeriesCoder> {
        self.coder.series()
    }

    /// The ratings that the model learned from.
    ///
    /// # Errors
    /// When the model is of another shape.
    pub fn ratings(self) -> Result<&'a Ratings> {
        Ok(self.coder.ratings()?)
    }
}
