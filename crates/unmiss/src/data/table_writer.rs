//! Writing tables: every cell that was read and not touched comes back byte for byte.

use std::collections::BTreeMap;
use std::path::Path;

use super::cell::{Number, content, number, trim, word};
use super::columnar::{self, Columnar};
use super::gather::level;
use super::notation::Notation;
use super::options::Tokens;
use super::source::Source;
use super::split::split_record;
use super::table::{Column, Kind, Table, Values};
use super::text_output::TextOutput;
use super::write::{check_ending, is_tab_separated, push_number, push_quoted, push_value};
use crate::error::{Error, Result};

/// Writes tables one below the other under one header, as CSV, TSV, Parquet or Arrow by the ending of the path; `-` is
/// standard output, `.gz` packs. The file appears under its name when [`finish`](Self::finish) is called.
///
/// A table that kept its source is written as that file was: header, delimiter, line ends and every cell
/// that still says the same, byte for byte. Only cells that were hidden (now empty), filled or changed are
/// written anew. A table without a source, or one that goes from another delimiter to `.tsv`, is written
/// from its values: numbers in the shortest form that reads back equal, holes empty. Integer columns are
/// rounded to whole numbers where they are written anew.
pub struct TableWriter {
    output: Destination,
    tabs: bool,
    /// Name of a column that the writer puts in front, such as the number of a draw.
    lead: Option<String>,
    /// Whether the table is for R's mice: rows are numbered behind the lead, and holes are called `NA`.
    for_mice: bool,
    started: bool,
    /// How the rows above were written, where they stood in a file.
    above: Option<Above>,
}

/// How a file is written whose rows stand above those of a table without a text of its own.
struct Above {
    delimiter: u8,
    line_end: &'static [u8],
    /// Whether the last row has no line end yet.
    open: bool,
    notations: BTreeMap<String, Notation>,
}

/// Where tables go.
enum Destination {
    Text(TextOutput),
    Columnar(Box<Columnar>),
}

impl Destination {
    fn write(&mut self, text: &[u8], delimiter: u8) -> Result<()> {
        match self {
            Self::Text(output) => output.write(text, delimiter),
            // What is written column by column is written as a table.
            Self::Columnar(_) => Ok(()),
        }
    }
}

impl TableWriter {
    /// Opens a path. With `lead`, every row starts with one more cell under that name.
    ///
    /// # Errors
    /// When the path can't be written to or its ending is one of a format that can't be written.
    pub fn create(path: &Path, lead: Option<&str>) -> Result<Self> {
        check_ending(path)?;
        let output = match Columnar::create(path)? {
            Some(columnar) => Destination::Columnar(Box::new(columnar)),
            None => Destination::Text(TextOutput::create(path)?),
        };
        let tabs = is_tab_separated(path);
        Ok(Self { output, tabs, lead: lead.map(str::to_owned), for_mice: false, started: false, above: None })
    }

    /// The same in memory: [`bytes`](Self::bytes) gives what was written.
    pub fn in_memory(lead: Option<&str>) -> Self {
        let lead = lead.map(str::to_owned);
        Self {
            output: Destination::Text(TextOutput::in_memory()),
            tabs: false,
            lead,
            for_mice: false,
            started: false,
            above: None,
        }
    }

    /// The same below a header that stands there already.
    #[must_use]
    pub fn below_others(mut self) -> Self {
        self.started = true;
        self
    }

    /// What was written to memory since it was last asked.
    pub fn bytes(&mut self) -> Vec<u8> {
        match &mut self.output {
            Destination::Text(output) => output.bytes(),
            Destination::Columnar(_) => Vec::new(),
        }
    }

    /// Opens a path for one long table that `as.mids` of R's mice reads: `.imp` numbers the tables, `.id` the rows of
    /// each, and holes are `NA`. The first table is to be the one with the holes, of number 0.
    ///
    /// # Errors
    /// When the path can't be written to or its ending is one of a format that can't be written.
    pub fn for_mice(path: &Path) -> Result<Self> {
        let writer = Self { for_mice: true, ..Self::create(path, Some(".imp"))? };
        match writer.output {
            Destination::Text(_) => Ok(writer),
            Destination::Columnar(_) => Err(Error::data(format!("{}: R's mice reads CSV", path.display()))
                .with_hint("write to a `.csv` file")),
        }
    }

    /// Adds the rows of a table. All tables must have the same columns. `lead` is the cell in front of each row.
    ///
    /// # Errors
    /// When the rows can't be written.
    pub fn write(&mut self, table: &Table, lead: &str) -> Result<()> {
        if let Destination::Columnar(output) = &mut self.output {
            let lead = self.lead.as_deref().map(|name| (name, lead));
            return output.write_table(&columnar::Table {
                columns: table.columns(),
                rows: table.rows(),
                lead,
            });
        }
        match &table.source {
            Some(source) if !self.for_mice && (!self.tabs || source.delimiter == b'\t') => {
                self.write_as_read(table, source, lead)
            }
            _ => self.write_values(table, lead),
        }
    }

    /// Closes the file until more is written: see [`Output::rest`](crate::store::Output::rest).
    ///
    /// # Errors
    /// When what was collected can't be written.
    pub fn rest(&mut self) -> Result<()> {
        match &mut self.output {
            Destination::Text(output) => output.rest(),
            Destination::Columnar(output) => output.rest(),
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes can't be written or the name can't be given.
    pub fn finish(self) -> Result<()> {
        match self.output {
            Destination::Text(output) => output.finish(),
            Destination::Columnar(output) => output.finish(),
        }
    }

    /// The bytes in front of a row or of the header.
    fn push_lead(&self, text: &mut Vec<u8>, cell: &str, delimiter: u8) {
        if self.lead.is_some() {
            push_quoted(text, cell, delimiter);
            text.push(delimiter);
        }
    }

    fn write_values(&mut self, table: &Table, lead: &str) -> Result<()> {
        // Rows below those of a file are written as these are.
        let above = self.above.take();
        let usual = if self.tabs { b'\t' } else { b',' };
        let delimiter = above.as_ref().map_or(usual, |above| above.delimiter);
        let line_end: &[u8] = above.as_ref().map_or(b"\n", |above| above.line_end);
        let notation = |column: &Column| above.as_ref().and_then(|above| above.notations.get(&column.name));
        let notations: Vec<Option<&Notation>> = table.columns().iter().map(notation).collect();
        if above.as_ref().is_some_and(|above| above.open) && table.rows() > 0 {
            self.output.write(line_end, delimiter)?;
        }
        let mut text = Vec::new();
        if !std::mem::replace(&mut self.started, true) {
            let names = table.columns().iter().map(|column| column.name.as_str());
            let numbers = self.for_mice.then_some(".id");
            let mut names = self.lead.as_deref().into_iter().chain(numbers).chain(names).peekable();
            while let Some(name) = names.next() {
                push_quoted(&mut text, name, delimiter);
                text.push(if names.peek().is_some() { delimiter } else { b'\n' });
            }
            self.output.write(&text, delimiter)?;
        }
        for row in 0..table.rows() {
            text.clear();
            self.push_lead(&mut text, lead, delimiter);
            if self.for_mice {
                push_number(&mut text, row as f64 + 1.0);
                text.push(delimiter);
            }
            for (position, (column, notation)) in table.columns().iter().zip(&notations).enumerate() {
                if position > 0 {
                    text.push(delimiter);
                }
                if self.for_mice && !column.observed[row] {
                    text.extend_from_slice(b"NA");
                }
                match (notation, column.numbers(), column.observed[row]) {
                    (Some(notation), Some(values), true) => {
                        push_quoted(&mut text, &notation.text(values[row]), delimiter);
                    }
                    _ => push_value(&mut text, column, row, delimiter),
                }
            }
            if text.is_empty() {
                // Many readers pass over empty lines: a lone hole needs quotes to be seen.
                text.extend_from_slice(b"\"\"");
            }
            text.extend_from_slice(line_end);
            self.output.write(&text, delimiter)?;
        }
        let open = above.as_ref().is_some_and(|above| above.open) && table.rows() == 0;
        self.above = above.map(|above| Above { open, ..above });
        Ok(())
    }

    fn write_as_read(&mut self, table: &Table, source: &Source, lead: &str) -> Result<()> {
        let read_as = |column: &Column| (source.missing.of(&column.name), source.notations.get(&column.name));
        let read_as: Vec<(Tokens, Option<&Notation>)> = table.columns().iter().map(read_as).collect();
        let bytes = source.bytes.as_slice();
        let line_end = line_end(source);
        // In a table of one column an empty line is a row.
        let lone = table.columns().len() == 1;
        let below = std::mem::replace(&mut self.started, true);
        if !below {
            self.write_header(source, lone)?;
        } else if source.continues && self.lead.is_none() {
            let first = source.rows.first().map_or(bytes.len(), |row| row.0);
            self.output.write(&bytes[source.header_end..first], source.delimiter)?;
        }
        let (mut row_text, mut ends, mut open) = (Vec::new(), Vec::new(), false);
        for (row, &(start, end)) in source.rows.iter().enumerate() {
            ends.clear();
            row_text.clear();
            self.push_lead(&mut row_text, lead, source.delimiter);
            split_record(&bytes[..end], start, source.delimiter, true, &mut ends)
                .map_err(|_| Error::data("the text of the table no longer reads as it did"))?;
            let mut from = start;
            for (position, (column, read_as)) in table.columns().iter().zip(&read_as).enumerate() {
                let to = ends.get(position).map_or(end, |end| *end as usize);
                if position > 0 {
                    row_text.push(source.delimiter);
                }
                push_cell(&mut row_text, (column, row), &bytes[from..to], read_as, source.delimiter);
                from = (to + 1).min(end);
            }
            // Many readers pass over empty lines: a hole that was not one before needs quotes to be seen.
            if row_text.is_empty() && start < end {
                row_text.extend_from_slice(b"\"\"");
            }
            self.output.write(&row_text, source.delimiter)?;
            // Where rows are written several times, each gets a line end of its own.
            let after = if self.lead.is_some() { line_end } else { after_row(source, row, line_end, lone) };
            self.output.write(after, source.delimiter)?;
            open = after.is_empty();
        }
        let (delimiter, notations) = (source.delimiter, source.notations.clone());
        self.above = Some(Above { delimiter, line_end, open, notations });
        Ok(())
    }

    fn write_header(&mut self, source: &Source, lone: bool) -> Result<()> {
        let bytes = source.bytes.as_slice();
        let first = source.rows.first().map_or(bytes.len(), |row| row.0);
        // What stands between the header and the first row is kept if that is still the first row.
        let is_kept = !lone && is_blank(&bytes[source.header_end..first]);
        let header = &bytes[..if is_kept { first } else { source.header_end }];
        match self.lead.clone() {
            Some(lead) => {
                // A byte order mark, blank lines and a title stay above everything.
                let mut text = header[..source.header_start].to_vec();
                self.push_lead(&mut text, &lead, source.delimiter);
                self.output.write(&text, source.delimiter)?;
                self.output.write(&header[source.header_start..], source.delimiter)
            }
            None => self.output.write(header, source.delimiter),
        }
    }
}

/// Writes one table: see [`TableWriter`].
///
/// # Errors
/// When the path can't be written to.
pub fn write(table: &Table, path: &Path) -> Result<()> {
    let mut writer = TableWriter::create(path, None)?;
    writer.write(table, "")?;
    writer.finish()
}

/// A table as CSV text in memory, from its values: the header, numbers in the shortest form that reads back
/// equal, holes empty.
pub fn csv_text(table: &Table) -> Vec<u8> {
    let mut text = Vec::new();
    let end_line = |text: &mut Vec<u8>, start: usize| {
        // Many readers pass over empty lines: a lone hole needs quotes to be seen.
        if text.len() == start {
            text.extend_from_slice(b"\"\"");
        }
        text.push(b'\n');
    };
    for (place, column) in table.columns().iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        push_quoted(&mut text, &column.name, b',');
    }
    end_line(&mut text, 0);
    for row in 0..table.rows() {
        let start = text.len();
        for (place, column) in table.columns().iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            push_value(&mut text, column, row, b',');
        }
        end_line(&mut text, start);
    }
    text
}

/// What follows a row: the same bytes as in the file if the same row follows, else a line end.
fn after_row<'a>(source: &'a Source, row: usize, line_end: &'a [u8], lone: bool) -> &'a [u8] {
    let end = source.rows[row].1;
    let next = source.rows.get(row + 1).map_or(source.bytes.len(), |next| next.0);
    let between = source.bytes.get(end..next).unwrap_or_default();
    let is_same = match between {
        b"" => row + 1 == source.rows.len(),
        b"\n" | b"\r" | b"\r\n" => true,
        _ => !lone && is_blank(between),
    };
    if is_same { between } else { line_end }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}

/// The line end that the file uses, told by its header.
fn line_end(source: &Source) -> &'static [u8] {
    match &source.bytes[..source.header_end] {
        [.., b'\r', b'\n'] => b"\r\n",
        [.., b'\r'] => b"\r",
        _ => b"\n",
    }
}

/// A cell as it was if it still says the same, else anew.
fn push_cell(
    row_text: &mut Vec<u8>,
    (column, row): (&Column, usize),
    raw: &[u8],
    (tokens, notation): &(Tokens, Option<&Notation>),
    delimiter: u8,
) {
    let text = content(raw);
    let was_observed = !tokens.contain(trim(&text));
    let is_untouched = match (was_observed, column.observed[row]) {
        (false, false) => true,
        // In text that is read batch by batch, a word for "missing" is text.
        (_, true) if was_observed || matches!(column.values, Values::Texts(_)) => {
            says_the_same(column, row, raw, *notation)
        }
        _ => false,
    };
    if is_untouched {
        row_text.extend_from_slice(raw);
    } else if let (true, Some(values)) = (column.observed[row], column.numbers()) {
        let value = if column.kind == Kind::Integer { values[row].round() } else { values[row] };
        match notation {
            Some(notation) => push_quoted(row_text, &notation.text(value), delimiter),
            None => push_number(row_text, value),
        }
    } else if let Some(cell) = column.cell(row) {
        push_quoted(row_text, &cell, delimiter);
    }
}

fn says_the_same(column: &Column, row: usize, raw: &[u8], notation: Option<&Notation>) -> bool {
    match &column.values {
        Values::Numbers(values) => {
            let word = word(raw);
            let read = notation.map_or_else(|| number(word.as_bytes()), |own| own.number(word.as_bytes()));
            read == Number::Finite(values[row])
        }
        Values::Codes { codes, levels } => {
            let kind = Some(column.kind).filter(|kind| *kind == Kind::Binary);
            level(&word(raw), kind) == levels[codes[row] as usize].as_str()
        }
        Values::Texts(texts) => *content(raw) == *texts[row].as_bytes(),
    }
}
