//! The shapes of data, and data of any of them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::images::Images;
use super::ratings::Ratings;
use super::series::Series;
use super::table::{Column, Table};
use crate::error::{Error, Result};

/// How data are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Rows and columns.
    Table,
    /// Who gave what which rating.
    Ratings,
    /// Pictures of one size.
    Images,
    /// Measurements over time.
    Series,
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Table => "table",
            Self::Ratings => "ratings",
            Self::Images => "images",
            Self::Series => "series",
        })
    }
}

/// Data of any shape. Cheap to clone: clones share the cells.
#[derive(Debug, Clone)]
pub enum Data {
    /// A table.
    Table(Arc<Table>),
    /// Ratings.
    Ratings(Arc<Ratings>),
    /// Images.
    Images(Arc<Images>),
    /// Series.
    Series(Arc<Series>),
}

impl Data {
    /// How the data are laid out.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Ratings(_) => Shape::Ratings,
            Self::Images(_) => Shape::Images,
            Self::Series(_) => Shape::Series,
        }
    }

    /// How many rows there are; a row of ratings has a user's, a row of images or series is one of them.
    pub fn rows(&self) -> usize {
        match self {
            Self::Table(table) => table.rows(),
            Self::Ratings(ratings) => ratings.users.len(),
            Self::Images(images) => images.len(),
            Self::Series(series) => series.len(),
        }
    }

    /// What is known about every row under a name: a target, a weight.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        match self {
            Self::Images(images) => images.labels().filter(|labels| labels.name == name).ok_or_else(|| {
                let error = Error::data(format!("nothing is known about images under the name `{name}`"));
                error.with_hint(match images.labels() {
                    Some(labels) => format!("their classes are called `{}`", labels.name),
                    None => "their classes are not known; they can be read from a file of labels".into(),
                })
            }),
            Self::Series(series) => series.column(name),
            _ => self.table()?.column(name),
        }
    }

    /// Everything that is known about rows under a name: of images their classes, of series what does not
    /// change over time, of ratings nothing.
    pub fn columns(&self) -> &[Column] {
        match self {
            Self::Table(table) => table.columns(),
            Self::Ratings(_) => &[],
            Self::Images(images) => images.columns(),
            Self::Series(series) => series.statics().columns(),
        }
    }

    /// The columns whose cells are the data: those of a table. Data of other shapes have cells without such names.
    pub fn cell_columns(&self) -> &[Column] {
        self.table().map_or(&[], Table::columns)
    }

    /// The given rows, in the given order.
    ///
    /// # Errors
    /// When the rows can't be taken apart, as those of ratings.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        self.part(rows, |_| true)
    }

    /// The given rows of the columns that are wanted.
    ///
    /// # Errors
    /// When the rows can't be taken apart, as those of ratings.
    pub fn part(&self, rows: &[usize], wanted: impl Fn(&Column) -> bool) -> Result<Self> {
        match self {
            Self::Images(images) => {
                let some = images.select(rows);
                let kept = some.columns().iter().all(wanted);
                Ok(if kept { some } else { some.without_labels() }.into())
            }
            Self::Series(series) => Ok(series.part(rows, wanted).into()),
            _ => Ok(self.table()?.part(rows, wanted).into()),
        }
    }

    /// The table.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn table(&self) -> Result<&Table> {
        match self {
            Self::Table(table) => Ok(table),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// The ratings.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn ratings(&self) -> Result<&Arc<Ratings>> {
        match self {
            Self::Ratings(ratings) => Ok(ratings),
            other => Err(other_shape(Shape::Ratings, other.shape())),
        }
    }

    /// The images.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn images(&self) -> Result<&Arc<Images>> {
        match self {
            Self::Images(images) => Ok(images),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// The series.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn series(&self) -> Result<&Arc<Series>> {
        match self {
            Self::Series(series) => Ok(series),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }
}

/// An error about data of another shape than is needed.
pub(crate) fn other_shape(wanted: Shape, given: Shape) -> Error {
    Error::data(format!("this needs data of the shape `{wanted}`, and these are of the shape `{given}`"))
}

impl From<Table> for Data {
    fn from(table: Table) -> Self {
        Self::Table(Arc::new(table))
    }
}

impl From<Ratings> for Data {
    fn from(ratings: Ratings) -> Self {
        Self::Ratings(Arc::new(ratings))
    }
}

impl From<Images> for Data {
    fn from(images: Images) -> Self {
        Self::Images(Arc::new(images))
    }
}

impl From<Series> for Data {
    fn from(series: Series) -> Self {
        Self::Series(Arc::new(series))
    }
}

impl From<Arc<Ratings>> for Data {
    fn from(ratings: Arc<Ratings>) -> Self {
        Self::Ratings(ratings)
    }
}
