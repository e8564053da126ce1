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
mod pages;

use std::cell::Cell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use ::parquet::column::reader::{ColumnReader, get_column_reader};
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use self::cells::{Cells, Meaning, meaning, read_slice};
use self::pages::Checked;
use super::options::{BatchOptions, ReadOptions, Tokens, check_names};
use super::reading::Reading;
use super::remarks::notes;
use super::table::{Kind, Table};
use crate::error::{Error, Place, Result};

/// Rows that are decoded at a time when a whole file is read.
const SLICE: usize = 1 << 16;

/// Cells up to which no file is refused, and how many times its bytes they may be beyond that.
const MOST_CELLS: u64 = 100_000_000;
const MOST_TIMES: u64 = 2000;

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
    /// The size of the file in bytes.
    length: u64,
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
        let length = opened.metadata().map_or(u64::MAX, |about| about.len());
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
        let (file, readers) = (file.to_owned(), Vec::new());
        Ok(Self { file, length, reader, header, wanted, group: 0, readers, left: 0 })
    }

    /// Refuses a file of a few bytes that says it has more cells than would fit into memory: a column of one value is
    /// next to nothing in a file.
    fn refuse_bomb(&self) -> Result<()> {
        let about = self.reader.metadata().file_metadata();
        let cells = about.num_rows().unsigned_abs().saturating_mul(self.header.len() as u64);
        if cells <= MOST_CELLS || cells / MOST_TIMES <= self.length {
            return Ok(());
        }
        let what = format!("{} bytes claim to be a table of {} rows", self.length, about.num_rows());
        Err(Error::input(Place::file(&self.file), what)
            .with_hint("the file is damaged, or holds columns of one value each: leave those out"))
    }

    /// Adds up to `rows` rows of one row group to the cells; returns how many, 0 at the end.
    fn read(&mut self, rows: usize, cells: &mut [Cells]) -> Result<usize> {
        while self.left == 0 {
            if self.group == self.reader.metadata().num_row_groups() {
                return Ok(0);
            }
            let group = self.reader.get_row_group(self.group).map_err(|error| damaged(&self.file, &error))?;
            let readers = self.wanted.iter().map(|wanted| {
                let column = group.metadata().column(wanted.column).column_descr_ptr();
                let pages = Checked::new(group.get_column_page_reader(wanted.column)?, column.clone());
                Ok(get_column_reader(column, Box::new(pages)))
            });
            self.readers = readers
                .collect::<::parquet::errors::Result<_>>()
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
        rows.refuse_bomb()?;
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

thread_local! {
    /// Whether this thread works inside a guard.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The decoder of a damaged file may trip over it; that must not bring the program down.
fn guard<T>(file: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    quietly(|| catch_unwind(AssertUnwindSafe(work)))
        .unwrap_or_else(|_| Err(damaged(file, &"its contents contradict each other")))
}

/// Does work that may trip over a damaged file without printing anything: what a decoder would say is of no use to
/// whoever has the file.
pub(super) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let done = work();
    GUARDED.set(before);
    done
}

#[cfg(test)]
mod tests;
