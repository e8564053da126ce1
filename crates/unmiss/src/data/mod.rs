//! Tables with holes: values and `observed` kept apart; reading and writing files; built-in samples.

mod batches;
mod cell;
mod faults;
mod gather;
mod head;
mod input;
mod kinds;
mod options;
mod output;
mod parquet;
mod raw;
pub mod samples;
pub mod source;
mod split;
pub mod table;
mod text;
pub mod write;

use std::path::Path;

pub use batches::Batches;
pub use options::{BatchOptions, MissingTokens, ReadOptions};
pub use samples::{SAMPLES, Sample, sample};
pub use table::{Column, Kind, Table, Values};
pub use write::{CsvWriter, write};

use crate::error::Result;

/// A table that was read, and what is worth telling about it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The table.
    pub table: Table,
    /// Remarks in plain words: columns set aside, empty, of one value, or nearly numeric.
    pub notes: Vec<String>,
}

/// Reads a table: CSV, TSV or Parquet, plain or gzipped; `-` is standard input, `sample:NAME` a sample.
///
/// # Errors
/// When the file can't be opened, or something in it can't be read as a table.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Reading> {
    read_content(&path.display().to_string(), input::open(path)?, options)
}

/// Reads a table from bytes; the name says which ending they would have and appears in errors.
///
/// # Errors
/// When something in the bytes can't be read as a table.
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Reading> {
    read_content(name, input::from_bytes(name, bytes)?, options)
}

fn read_content(name: &str, content: input::Content, options: &ReadOptions) -> Result<Reading> {
    match content {
        input::Content::Text(mut stream) => {
            let bytes = stream.read_all()?;
            text::read_text(&stream.file, bytes, options, text::PIECE)
        }
        input::Content::Parquet(file) => parquet::read_parquet(name, file, options),
    }
}
