//! Counts in a delimited file: a name in front of every row, a header of names, numbers everywhere else.

use super::CountsOptions;
use super::matrix::Counts;
use crate::data::cell::word;
use crate::data::faults::Locator;
use crate::data::head::guess_delimiter;
use crate::data::split::{LineCounter, check_text, split_record};
use crate::error::{Error, Place, Result, nearest};

/// Headers that say, in small letters, that a column names the rows.
const NAMES: &[&str] =
    &["", "cell", "cells", "gene", "genes", "id", "index", "name", "names", "barcode", "sample", "symbol"];
/// What people write into a cell of which nothing is known.
const EMPTY: &[&str] = &["na", "n/a", "nan", "null", "none", "-", "?"];

/// What has been read so far.
struct Sheet<'a> {
    file: &'a str,
    ignored: &'a [String],
    /// The header as it stands.
    header: Vec<String>,
    /// For every column behind the names its place among those that count; none where it is left out.
    places: Vec<Option<u32>>,
    columns: Vec<String>,
    rows: Vec<String>,
    /// Rows that were left out.
    dropped: Vec<String>,
    entries: Vec<(u32, u32, f64)>,
    /// What stands in front of the rows, as long as all of it are numbers: then it may be a column of counts.
    first: Option<Vec<f64>>,
}

/// Reads a file; its rows are cells unless they are said to be genes.
///
/// # Errors
/// When a row has another number of cells than the header has names, or a cell is no number.
pub fn read(file: &str, bytes: Vec<u8>, options: &CountsOptions) -> Result<Counts> {
    let locator = Locator { file, names: &[], before: LineCounter::default(), bytes: &bytes };
    check_text(&bytes).map_err(|fault| locator.explain(fault))?;
    let start = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let delimiter = guess_delimiter(&bytes[start..]);
    let mut sheet = Sheet::new(file, &options.ignored);
    let (mut at, mut line) = (start, 1);
    while at < bytes.len() {
        if matches!(bytes[at], b'\n' | b'\r') {
            line += u64::from(bytes[at] == b'\n');
            at += 1;
            continue;
        }
        let mut ends = Vec::new();
        let next = split_record(&bytes, at, delimiter, true, &mut ends);
        let next = next.map_err(|fault| locator.explain(fault))?.unwrap_or(bytes.len());
        let starts = std::iter::once(at).chain(ends.iter().map(|end| *end as usize + 1));
        let cells: Vec<&[u8]> = starts.zip(&ends).map(|(from, to)| &bytes[from..*to as usize]).collect();
        sheet.add(&cells, line)?;
        line += bytes[at..next].iter().filter(|byte| **byte == b'\n').count() as u64;
        at = next;
    }
    Ok(sheet.counts()?.turned(options.transposed))
}

impl<'a> Sheet<'a> {
    fn new(file: &'a str, ignored: &'a [String]) -> Self {
        Self {
            file,
            ignored,
            header: Vec::new(),
            places: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            dropped: Vec::new(),
            entries: Vec::new(),
            first: Some(Vec::new()),
        }
    }

    fn add(&mut self, cells: &[&[u8]], line: u64) -> Result<()> {
        if self.header.is_empty() {
            self.header = cells.iter().map(|cell| word(cell).into_owned()).collect();
            return Ok(());
        }
        if self.places.is_empty() {
            self.take_names(cells.len());
        }
        let place = || Place::file(self.file).at_line(line);
        let Some((name, counts)) = cells.split_first().filter(|_| cells.len() == self.places.len() + 1)
        else {
            let what = format!("this row has {} cells, and {} are named", cells.len(), self.header.len());
            return Err(Error::input(place(), what)
                .with_hint("a row is a name and one count for each name of the header"));
        };
        let name = word(name);
        if self.ignored.iter().any(|ignored| *ignored == *name) {
            self.dropped.push(name.into_owned());
            return Ok(());
        }
        let row = self.rows.len() as u32;
        for (column, (cell, to)) in counts.iter().zip(&self.places).enumerate() {
            let Some(to) = to else { continue };
            let count = count(&word(cell)).map_err(|(what, hint)| {
                let column = &self.header[self.header.len() - self.places.len() + column];
                Error::input(place().in_column(column), what).with_hint(hint)
            })?;
            if count != 0.0 {
                self.entries.push((row, *to, count));
            }
        }
        match (&mut self.first, count(&name)) {
            (Some(first), Ok(number)) => first.push(number),
            _ => self.first = None,
        }
        self.rows.push(name.into_owned());
        Ok(())
    }

    /// Whether the first column is one of counts and not of names: its header is no word for names, and its numbers
    /// repeat themselves or are not whole, as no names do.
    fn lacks_names(&self) -> bool {
        let told = self.header.first().is_none_or(|name| NAMES.contains(&name.to_lowercase().as_str()));
        let left_out = self.header.first().is_some_and(|name| self.ignored.contains(name));
        if told || left_out || !self.dropped.is_empty() || self.header.len() != self.places.len() + 1 {
            return false;
        }
        self.first.as_ref().is_some_and(|numbers| {
            let mut bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
            bits.sort_unstable();
            bits.windows(2).any(|pair| pair[0] == pair[1]) || numbers.iter().any(|own| own.fract() != 0.0)
        })
    }

    /// Takes the first column for the counts that it holds, and numbers the rows.
    fn number_rows(&mut self) {
        self.columns.insert(0, self.header[0].clone());
        self.entries.iter_mut().for_each(|entry| entry.1 += 1);
        let first = self.first.take().unwrap_or_default();
        let entries = first.iter().enumerate().filter(|(_, count)| **count != 0.0);
        self.entries.extend(entries.map(|(row, count)| (row as u32, 0, *count)));
        self.rows = (1..=self.rows.len()).map(|number| format!("row {number}")).collect();
    }

    /// The header names the column of names too, or leaves that out, as R does.
    fn take_names(&mut self, width: usize) {
        let names = &self.header[usize::from(width <= self.header.len()).min(self.header.len())..];
        for name in names {
            let left_out = self.ignored.contains(name);
            self.places.push((!left_out).then_some(self.columns.len() as u32));
            if !left_out {
                self.columns.push(name.clone());
            }
        }
    }

    fn counts(mut self) -> Result<Counts> {
        let unnamed = self.lacks_names();
        if unnamed {
            self.number_rows();
        }
        if self.rows.is_empty() || self.columns.is_empty() {
            return Err(Error::input(Place::file(self.file), "there are no counts in this file")
                .with_hint("a header of names comes first, then rows of a name and counts"));
        }
        let there = |name: &&String| self.header.contains(name) || self.dropped.contains(name);
        if let Some(name) = self.ignored.iter().find(|name| !there(name)) {
            let error = Error::setting("ignore", format!("there is no column and no row `{name}`"));
            let near = nearest(name, self.header.iter().map(String::as_str));
            return Err(match near {
                Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        Ok(Counts { unnamed, ..Counts::new(self.rows, self.columns, self.entries)? })
    }
}

/// The count that a cell holds, or what is wrong with it and what to do.
fn count(text: &str) -> std::result::Result<f64, (String, &'static str)> {
    let wrong = format!("`{text}` is not a count");
    match text.parse::<f64>().ok() {
        Some(count) if count < 0.0 => Err((
            format!("`{text}` is below 0, which no count is"),
            "numbers that were centred or scaled are a table as they are: go on with `unmiss impute`",
        )),
        Some(count) if count.is_finite() => Ok(count),
        _ if text.is_empty() => {
            Err(("an empty cell is not a count".into(), "write 0 where nothing was counted"))
        }
        _ if EMPTY.contains(&text.to_lowercase().as_str()) => {
            Err((wrong, "write 0 where nothing was counted"))
        }
        _ => Err((wrong, "columns that are no counts are left out by naming them: --ignore label")),
    }
}
