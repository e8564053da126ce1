//! A table like another: its columns, what they say about each other, and where its holes are.
//!
//! What is learned: each column's own distribution, a joint normal behind all of them (see `joint`), and a chain of
//! logistic regressions for the holes (see `holes`). What is drawn: rows of that model, never rows of the table.
//!
//! What is not learned: texts and dates (left out), rules between columns (sums, orders), more than one direction for a
//! category of many levels, bends and interactions between columns, and whether values hide themselves.

mod marginal;
mod joint;
mod holes;
mod alike;

use rayon::prelude::*;

use self::holes::Holes;
use self::joint::{Joint, order};
use self::marginal::Marginal;
use crate::data::Table;
use crate::error::{Error, Result};
use crate::rng::Stream;

pub use alike::{Alike, ColumnAlike, Pairs};

/// What was learned from a table.
pub struct Like {
    table: Table,
    marginals: Vec<Marginal>,
    joint: Joint,
    holes: Holes,
    /// Columns of texts and dates, which are left out.
    pub left_out: Vec<String>,
}

/// Rows like those of a table.
pub struct LikeRows {
    /// The rows with their holes.
    pub table: Table,
    /// The same rows without.
    pub full: Table,
}

impl Like {
    /// Learns from a table.
    ///
    /// # Errors
    /// When it has fewer than ten rows, or no column of numbers or categories.
    pub fn new(table: &Table) -> Result<Self> {
        if table.rows() < 10 {
            let rows = match table.rows() {
                1 => "one row is".to_owned(),
                rows => format!("{rows} rows are"),
            };
            return Err(Error::data(format!("{rows} too few to learn from"))
                .with_hint("a table of at least ten rows is needed"));
        }
        let all: Vec<usize> = (0..table.rows()).collect();
        let usable = table.part(&all, |column| column.is_usable());
        let texts = table.columns().iter().filter(|column| !column.is_usable());
        let left_out = texts.map(|column| column.name.clone()).collect();
        if usable.columns().is_empty() {
            return Err(Error::data("the table has no column of numbers or categories"));
        }
        let columns = usable.columns();
        let plain: Vec<Marginal> = columns.par_iter().map(|column| Marginal::new(column, None)).collect();
        // What has an order of its own gives one to levels that have none.
        let ordered = columns
            .iter()
            .zip(&plain)
            .filter(|(column, _)| column.codes().is_none_or(|(_, levels)| levels.len() < 3));
        let others: Vec<Vec<f64>> =
            ordered.take(60).map(|(column, marginal)| marginal.scores(column)).collect();
        let marginals: Vec<Marginal> =
            columns.par_iter().map(|column| Marginal::new(column, order(column, &others))).collect();
        let joint = Joint::new(&usable, &marginals);
        let holes = Holes::new(&usable, &marginals);
        Ok(Self { table: usable, marginals, joint, holes, left_out })
    }

    /// Draws rows from a first one on. A row is the same whatever else is drawn.
    ///
    /// # Errors
    /// Never for what was learned from a table.
    pub fn draw(&self, seed: u64, first: usize, rows: usize) -> Result<LikeRows> {
        let columns = self.marginals.len();
        let row = |row: usize| {
            let number = (first + row) as u64;
            let mut stream = Stream::new(seed, "like row", number, 0);
            let noise: Vec<f64> = (0..columns).map(|_| stream.normal()).collect();
            let mut z = self.joint.lower.times(&noise);
            z.iter_mut().zip(&self.joint.mean).for_each(|(z, mean)| *z += mean);
            let scores: Vec<f64> = z.iter().zip(&self.marginals).map(|(z, own)| own.score(*z)).collect();
            let observed = self.holes.draw(&scores, &mut Stream::new(seed, "like holes", number, 0));
            (z, observed)
        };
        let drawn: Vec<(Vec<f64>, Vec<bool>)> = (0..rows).into_par_iter().map(row).collect();
        let table = |holes: bool| {
            let column = |place: usize| {
                let z: Vec<f64> = drawn.iter().map(|(z, _)| z[place]).collect();
                // A column in which nothing is known stays so.
                let all = self.table.columns()[place].missing() < self.table.rows();
                let observed = drawn.iter().map(|(_, observed)| if holes { observed[place] } else { all });
                self.marginals[place].column(&z, observed.collect())
            };
            Table::new((0..columns).map(column).collect())
        };
        Ok(LikeRows { table: table(true)?, full: table(false)? })
    }

    /// How alike a made table is.
    pub fn alike(&self, made: &Table) -> Alike {
        Alike::new(&self.table, made, &self.marginals)
    }
}

#[cfg(test)]
mod tests;
