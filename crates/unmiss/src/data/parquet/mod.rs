//! Parquet files: flat columns of the usual types, read slice by slice.
//!
//! | in the file | in the table |
//! |---|---|
//! | boolean | binary, with the levels `false` and `true` |
//! | whole numbers | integer; beyond 2⁵³ a category or text, so that no digit is lost |
//! | floating point, decimal | real; NaN is a hole, an infinity an error |
//! | strings | by the rules for words (binary, category, text, date); the words for "missing" apply |
//! | dates, times, timestamps | date, written as in ISO 8601 |
//! | null | a hole |
//! | lists, maps, structs, raw bytes | an error that names the column |

mod cells;
mod clock;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::column::reader::ColumnReader;
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use self::cells::{Cells, Meaning, meaning, read_slice};
use super::kinds::notes;
use super::options::{BatchOptions, ReadOptions, Tokens, check_names};
use super::reading::Reading;
use super::table::{Kind, Table};
use crate::error::{Error, Place, Result};

/// Rows that are decoded at a time when a whole file is read.
const SLICE: usize = 1 << 16;

/// A column of the file that is wanted.
struct Wanted {
    name: String,
    /// Its position among the file's columns.
    column: usize,
    meaning: Meaning,
    /// The kind, if it is known.
    kind: Option<Kind>,
    tokens: Tokens,
}

/// An open file and how far it was read.
struct Rows {
    file: String,
    reader: SerializedFileReader<File>,
    header: Vec<String>,
    wanted: Vec<Wanted>,
    /// The next row group.
    group: usize,
    /// One reader per wanted column, in the current row group.
    readers: Vec<ColumnReader>,
    /// Rows of the current row group that were not read yet.
    left: usize,
}

impl Rows {
    fn open(
        file: &str,
        opened: File,
        tokens: impl Fn(&str) -> Tokens,
        kind: impl Fn(&str) -> Option<Option<Kind>>,
    ) -> Result<Self> {
        let reader =
            guard(file, || SerializedFileReader::new(opened).map_err(|error| damaged(file, &error)))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields();
        if fields.is_empty() {
            return Err(Error::input(Place::file(file), "the file has no columns")
                .with_hint("get or make the file again"));
        }
        let (mut header, mut wanted) = (Vec::new(), Vec::new());
        let mut column = 0;
        for field in fields {
            let name = field.name().to_owned();
            let nested = field.is_group()
                || field.get_basic_info().repetition() == ::parquet::basic::Repetition::REPEATED;
            if let Some(kind) = kind(&name) {
                let place = || Place::file(file).in_column(&name);
                if nested {
                    return Err(Error::input(place(), "the column is nested (a list, map or struct)")
                        .with_hint("flatten it to plain columns, or leave it out"));
                }
                let meaning = meaning(&schema.column(column)).map_err(|kind| {
                    Error::input(place(), format!("values of type {kind} can't be read"))
                        .with_hint("store the column as numbers, strings, booleans or dates")
                })?;
                wanted.push(Wanted { name: name.clone(), column, meaning, kind, tokens: tokens(&name) });
            }
            column += leaves(field);
            header.push(name);
        }
        Ok(Self { file: file.to_owned(), reader, header, wanted, group: 0, readers: Vec::new(), left: 0 })
    }

    /// Adds up to `rows` rows of one row group to the cells; returns how many, 0 at the end.
    fn read(&mut self, rows: usize, cells: &mut [Cells]) -> Result<usize> {
        while self.left == 0 {
            if self.group == self.reader.metadata().num_row_groups() {
                return Ok(0);
            }
            let group = self.reader.get_row_group(self.group).map_err(|error| damaged(&self.file, &error))?;
            let readers = self.wanted.iter().map(|wanted| group.get_column_reader(wanted.column));
            self.readers = readers
                .collect::<std::result::Result<_, _>>()
                .map_err(|error| damaged(&self.file, &error))?;
            self.left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            self.group += 1;
        }
        let rows = rows.min(self.left);
        for ((wanted, reader), cells) in self.wanted.iter().zip(&mut self.readers).zip(cells) {
            read_slice(reader, &wanted.meaning, rows, cells)
                .map_err(|what| Error::input(Place::file(&self.file).in_column(&wanted.name), what))?;
        }
        self.left -= rows;
        Ok(rows)
    }

    fn cells(&self) -> Vec<Cells> {
        self.wanted.iter().map(|wanted| Cells::new(&wanted.meaning)).collect()
    }

    fn table(&self, cells: Vec<Cells>, by_batch: bool) -> Result<Table> {
        let columns = self.wanted.iter().zip(cells).map(|(wanted, cells)| {
            let place = Place::file(&self.file).in_column(&wanted.name);
            cells.into_column(&place, wanted.meaning, wanted.kind, &wanted.tokens, by_batch)
        });
        Table::new(columns.collect::<Result<_>>()?)
    }
}

/// Reads a whole file.
pub(crate) fn read_parquet(file: &str, opened: File, options: &ReadOptions) -> Result<Reading> {
    guard(file, || {
        let tokens = |name: &str| options.missing.of(name);
        let mut rows = Rows::open(file, opened, tokens, |name| Some(options.kinds.get(name).copied()))?;
        check_names(&rows.header, options.kinds.keys().chain(options.missing.columns().keys()))?;
        let mut cells = rows.cells();
        while rows.read(SLICE, &mut cells)? > 0 {}
        let table = rows.table(cells, false)?;
        if table.rows() == 0 {
            return Err(Error::input(
                Place::file(file),
                "no data rows: there are columns and nothing in them",
            )
            .with_hint("a table needs at least one row"));
        }
        Ok(Reading { notes: table.columns().iter().flat_map(notes).collect(), table })
    })
}

/// A file read batch by batch.
pub(crate) struct ParquetBatches {
    rows: Rows,
    most: usize,
}

impl ParquetBatches {
    pub(crate) fn open(file: &str, opened: File, options: &BatchOptions) -> Result<Self> {
        let tokens = |name: &str| options.missing.of(name);
        let rows = Rows::open(file, opened, tokens, |name| options.kind(name).map(Some))?;
        Ok(Self { rows, most: options.rows.max(1) })
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.rows.header
    }

    pub(crate) fn next(&mut self) -> Result<Option<Table>> {
        let file = self.rows.file.clone();
        guard(&file, || {
            let mut cells = self.rows.cells();
            match self.rows.read(self.most, &mut cells)? {
                0 => Ok(None),
                rows => Ok(Some(self.rows.table(cells, true)?.with_rows(rows))),
            }
        })
    }
}

/// How many columns of the file a field takes.
fn leaves(field: &::parquet::schema::types::Type) -> usize {
    if field.is_group() { field.get_fields().iter().map(|field| leaves(field)).sum() } else { 1 }
}

fn damaged(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(Place::file(file), format!("the Parquet file is damaged or of an unknown make ({error})"))
        .with_hint("get or make the file again")
}

/// The decoder of a damaged file may trip over it; that must not bring the program down.
fn guard<T>(file: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(damaged(file, &"its contents contradict each other")))
}

#[cfg(test)]
mod tests;
