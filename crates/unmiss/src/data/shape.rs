//! The shapes of data, and data of any of them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ratings::Ratings;
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
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Table => "table",
            Self::Ratings => "ratings",
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
}

impl Data {
    /// How the data are laid out.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Ratings(_) => Shape::Ratings,
        }
    }

    /// How many rows there are; a row of ratings has a user's.
    pub fn rows(&self) -> usize {
        match self {
            Self::Table(table) => table.rows(),
            Self::Ratings(ratings) => ratings.users.len(),
        }
    }

    /// What is known about every row under a name: a target, a weight.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.table()?.column(name)
    }

    /// Everything that is known about rows under a name; ratings have nothing of the kind.
    pub fn columns(&self) -> &[Column] {
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
        Ok(self.table()?.part(rows, wanted).into())
    }

    /// The table.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn table(&self) -> Result<&Table> {
        match self {
            Self::Table(table) => Ok(table),
            Self::Ratings(_) => Err(other_shape(Shape::Table, Shape::Ratings)),
        }
    }

    /// The ratings.
    ///
    /// # Errors
    /// When the data have another shape.
    pub fn ratings(&self) -> Result<&Arc<Ratings>> {
        match self {
            Self::Ratings(ratings) => Ok(ratings),
            Self::Table(_) => Err(other_shape(Shape::Ratings, Shape::Table)),
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

impl From<Arc<Ratings>> for Data {
    fn from(ratings: Arc<Ratings>) -> Self {
        Self::Ratings(ratings)
    }
}
