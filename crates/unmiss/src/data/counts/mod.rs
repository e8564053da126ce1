//! Counts of genes in single cells: a matrix that is mostly zeros, read from the files in which such data come, and
//! made into a table of cells and genes.
//!
//! | what | how it is told | genes are |
//! |---|---|---|
//! | Matrix Market `.mtx`, coordinates | by its first line | its rows; names from `genes.tsv` or `features.tsv` and `barcodes.tsv` beside it, if they are there |
//! | a folder of 10x Genomics | `matrix.mtx` in it | as above |
//! | CSV, TSV and their like | anything else | its columns; the first column names the cells, and the header may leave out its name, as R does; where it holds counts, rows are numbered |
//!
//! Each plain or gzipped. [`CountsOptions::transposed`] says that it is the other way round. A zero is a count; whether
//! it stands for a hole is said by [`Zeros`] and never guessed.

mod folder;
mod market;
mod matrix;
mod prepare;
mod text;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::data::input;
use crate::error::Result;

pub use folder::files;
pub use matrix::Counts;
pub use prepare::{Preparation, Prepared, Zeros};

/// What is known of a file of counts beside what stands in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountsOptions {
    /// Genes are where cells are looked for: the columns of a `.mtx` file, the rows of a CSV file.
    pub transposed: bool,
    /// Columns (rows, if transposed) of a CSV file that are no counts.
    pub ignored: Vec<String>,
}

/// Reads counts from a file or a folder.
///
/// # Errors
/// When it can't be read as counts.
pub fn read(path: &Path, options: &CountsOptions) -> Result<Counts> {
    if path.is_dir() {
        return folder::read(path, options);
    }
    let (file, bytes) = input::whole(path)?;
    if market::is_market(&bytes) {
        let counts = market::read(&file, &bytes)?;
        return Ok(folder::named(counts, path)?.turned(!options.transposed));
    }
    text::read(&file, bytes, options)
}
