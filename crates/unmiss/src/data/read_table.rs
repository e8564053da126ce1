//! Reading a whole table, whatever its form.

use std::path::Path;

use super::forms::plain;
use super::options::ReadOptions;
use super::reading::Reading;
use super::{input, parquet, text};
use crate::error::Result;

/// Reads a table: CSV, TSV, Parquet, Arrow, `.xlsx` or lines of JSON, plain or gzipped; `-` is standard input,
/// `sample:NAME` a sample.
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
    match plain(content, &options.form)? {
        input::Content::Text(mut stream) => {
            let bytes = stream.read_all()?;
            let mut reading = text::read_text(&stream.file, bytes, options, text::PIECE)?;
            reading.notes.splice(..0, stream.notes());
            Ok(reading)
        }
        input::Content::Parquet(file) => parquet::read_parquet(name, file, options),
    }
}
