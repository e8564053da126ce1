//! A sparse matrix of counts.

use crate::error::{Error, Result};

/// Counts of a whole experiment reach this; their logarithms do not.
const LEAST_OF_COUNTS: f64 = 30.0;

/// Rows or columns that a matrix may have, at most.
pub const MOST: usize = 20_000_000;

/// Counts of genes in cells: of every cell the genes that were counted at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Names of the cells: the rows.
    pub cells: Vec<String>,
    /// Names of the genes: the columns.
    pub genes: Vec<String>,
    /// Whether a file of rows had no column of names in front of them.
    pub unnamed: bool,
    /// Cell by cell, (gene, count), genes ascending, no count 0.
    pub(super) rows: Vec<Vec<(u32, f64)>>,
}

impl Counts {
    /// From (row, column, count), each place once; zeros are dropped.
    ///
    /// # Errors
    /// When a place occurs twice.
    pub fn new(cells: Vec<String>, genes: Vec<String>, entries: Vec<(u32, u32, f64)>) -> Result<Self> {
        let mut rows = vec![Vec::new(); cells.len()];
        for (cell, gene, count) in entries.into_iter().filter(|entry| entry.2 != 0.0) {
            rows[cell as usize].push((gene, count));
        }
        for (cell, row) in rows.iter_mut().enumerate() {
            row.sort_unstable_by_key(|entry| entry.0);
            if let Some(twice) = row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                let (gene, cell) = (twice[0].0 as usize + 1, cell + 1);
                return Err(Error::data(format!("the count at {gene}, {cell} is there twice")));
            }
        }
        Ok(Self { cells, genes, unnamed: false, rows })
    }

    /// The count of a gene in a cell.
    pub fn count(&self, cell: usize, gene: usize) -> f64 {
        let row = &self.rows[cell];
        row.binary_search_by_key(&(gene as u32), |entry| entry.0).map_or(0.0, |place| row[place].1)
    }

    /// Whether the numbers look like logarithms: small, and not whole.
    pub(super) fn look_like_logarithms(&self) -> bool {
        let counts = || self.rows.iter().flatten().map(|entry| entry.1);
        counts().any(|count| count.fract() != 0.0) && counts().all(|count| count < LEAST_OF_COUNTS)
    }

    /// How many counts are not zero.
    pub fn known(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// The same matrix, or with rows and columns changed places.
    #[must_use]
    pub(super) fn turned(self, turn: bool) -> Self {
        if !turn {
            return self;
        }
        let mut rows = vec![Vec::new(); self.genes.len()];
        for (cell, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|(gene, count)| rows[*gene as usize].push((cell as u32, *count)));
        }
        Self { cells: self.genes, genes: self.cells, rows, ..self }
    }
}
