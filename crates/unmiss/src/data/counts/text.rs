//! Counts in a delimited file: a name in front of every row, a header of names, numbers everywhere else.

use super::CountsOptions;
use super::matrix::Counts;
use crate::data::cell::word;
use crate::data::faults::Locator;
use crate::data::head::guess_delimiter;
use crate::data::split::{LineCounter, check_text, split_record};
use crate::error::{Error, Place, Result, nearest};

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
            let text = word(cell);
            let count = text.parse::<f64>().ok().filter(|count| count.is_finite()).ok_or_else(|| {
                let column = &self.header[self.header.len() - self.places.len() + column];
                let what = format!("`{text}` is not a count");
                Error::input(place().in_column(column), what)
                    .with_hint("columns that are no counts are left out by naming them: --ignore label")
            })?;
            if count != 0.0 {
                self.entries.push((row, *to, count));
            }
        }
        self.rows.push(name.into_owned());
        Ok(())
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

    fn counts(self) -> Result<Counts> {
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
        Counts::new(self.rows, self.columns, self.entries)
    }
}
