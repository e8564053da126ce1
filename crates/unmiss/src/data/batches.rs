//! Reading batch by batch, in bounded memory, with kinds known beforehand: the way predictions are made.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::faults::Locator;
use super::footers::{Footer, footer};
use super::forms::plain;
use super::gather::{NumberFacts, scan_numbers, scan_texts, scan_words};
use super::head::head;
use super::input::{Content, Stream, from_bytes, open};
use super::notations::{Notations, Odd};
use super::note::Note;
use super::options::{BatchOptions, MissingTokens, Tokens, check_delimiter};
use super::parquet::ParquetBatches;
use super::source::Source;
use super::split::{Fault, LONGEST_RECORD, LineCounter, Records, Wrong, check_text};
use super::table::{Column, Kind, Table, Values};
use crate::error::Result;

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// A batch is closed early when its text reaches this many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// Bytes of blank lines before the next row that are held; of a longer run the rest is passed over.
const MOST_BLANK: usize = 1 << 20;

/// A file read batch by batch.
///
/// Text is held in one buffer of at most 16 MB (the text of a batch) + 1 MB (one read) + one record, which
/// may have 64 MB at most; usually it is the text of one batch. A longer record, such as an unclosed quote
/// makes, is an error. Parquet is read row group by row group, in slices of a batch.
///
/// - Binary and category columns carry the levels of their batch alone.
/// - Text columns give each cell as it stands, without its quotes; only an empty cell is a hole there, so
///   that ids pass unchanged whatever the words for "missing" are.
/// - A header with nothing below it gives no batch.
pub struct Batches {
    header: Vec<String>,
    inner: Inner,
}

enum Inner {
    Text(Box<TextBatches>),
    Parquet(Box<ParquetBatches>),
}

impl Batches {
    /// Opens a file (`-`: standard input, `sample:NAME`: a built-in sample) and reads its header.
    ///
    /// # Errors
    /// When the file can't be opened or its header can't be read.
    pub fn open(path: &Path, options: &BatchOptions) -> Result<Self> {
        Self::of(&path.display().to_string(), open(path)?, options)
    }

    /// The same from bytes; the name says which ending they would have and appears in errors.
    ///
    /// # Errors
    /// When the header can't be read.
    pub fn from_bytes(name: &str, bytes: &[u8], options: &BatchOptions) -> Result<Self> {
        Self::of(name, from_bytes(name, bytes)?, options)
    }

    fn of(name: &str, content: Content, options: &BatchOptions) -> Result<Self> {
        check_delimiter(options.delimiter)?;
        match plain(content, &options.form)? {
            Content::Text(stream) => {
                let (header, inner) = TextBatches::open(stream, options, BLOCK)?;
                Ok(Self { header, inner: Inner::Text(Box::new(inner)) })
            }
            Content::Parquet(file) => {
                let inner = ParquetBatches::open(name, file, options)?;
                Ok(Self { header: inner.header().to_vec(), inner: Inner::Parquet(Box::new(inner)) })
            }
        }
    }

    /// The names of all columns of the file.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The byte between two cells; none of a file that is no text.
    pub fn delimiter(&self) -> Option<u8> {
        match &self.inner {
            Inner::Text(inner) => Some(inner.delimiter),
            Inner::Parquet(_) => None,
        }
    }

    /// What is worth telling of how the file is read, as far as it was read.
    pub fn notes(&self) -> Vec<Note> {
        match &self.inner {
            Inner::Text(inner) => inner.notes(&self.header),
            Inner::Parquet(_) => Vec::new(),
        }
    }

    /// The next rows, in the file's order and with the wanted columns in the file's order; `None` at the end.
    ///
    /// # Errors
    /// When the file goes on with something that can't be read.
    #[allow(clippy::should_implement_trait)] // A batch can fail: `while let Some(batch) = batches.next()?`.
    pub fn next(&mut self) -> Result<Option<Table>> {
        match &mut self.inner {
            Inner::Text(inner) => inner.next(&self.header),
            Inner::Parquet(inner) => inner.next(),
        }
    }
}

/// A wanted column: its place in the file, its kind, its words for "missing".
struct Wanted {
    column: usize,
    kind: Kind,
    tokens: Tokens,
}

struct TextBatches {
    stream: Stream,
    buffer: Vec<u8>,
    /// How much of the buffer earlier batches have used.
    used: usize,
    /// Whether the buffer holds the last bytes of the file.
    ended: bool,
    /// The lines before `used`.
    lines: LineCounter,
    delimiter: u8,
    width: usize,
    wanted: Vec<Wanted>,
    rows: usize,
    block: usize,
    /// Whether nothing is read behind the row that is given.
    line_by_line: bool,
    /// The text of the header and the words for "missing", where batches keep their text.
    kept: Option<(Vec<u8>, MissingTokens)>,
    /// Whether there was a batch before.
    started: bool,
    /// Where the header's line starts.
    header_start: usize,
    /// How numbers are written in columns that are not plain, as far as it was seen.
    notations: Notations,
    /// What was told of the header.
    notes: Vec<String>,
    /// What stood below the last row.
    footer: Option<Footer>,
}

impl TextBatches {
    fn open(mut stream: Stream, options: &BatchOptions, block: usize) -> Result<(Vec<String>, Self)> {
        let mut buffer = Vec::new();
        let mut ended = false;
        let head = loop {
            if let Some(head) = head(&stream.file, &buffer, ended, options.delimiter, &options.form)? {
                break head;
            }
            let most = if options.line_by_line { 1 } else { block.max(buffer.len()) };
            ended = stream.fill(&mut buffer, most)? < most;
        };
        let mut lines = LineCounter::default();
        lines.pass(&buffer[..head.end]);
        let kinds = head.names.iter().map(|name| options.kind(name));
        let wanted = kinds.enumerate().filter_map(|(column, kind)| {
            let tokens = options.missing.of(&head.names[column]);
            kind.map(|kind| Wanted { column, kind, tokens })
        });
        let wanted = wanted.collect();
        let rows = if options.line_by_line { 1 } else { options.rows.max(1) };
        let (delimiter, width) = (head.delimiter, head.names.len());
        let used = head.end;
        let kept = options.keep_source.then(|| (buffer[..used].to_vec(), options.missing.clone()));
        let mut inner = Self {
            stream,
            buffer,
            used,
            ended,
            lines,
            delimiter,
            width,
            wanted,
            rows,
            block,
            line_by_line: options.line_by_line,
            kept,
            started: false,
            header_start: head.start,
            notations: Notations::new(&options.form, delimiter),
            notes: head.notes,
            footer: None,
        };
        if ended {
            inner.leave_out_footer();
        }
        Ok((head.names, inner))
    }

    fn next(&mut self, names: &[String]) -> Result<Option<Table>> {
        let mut records = Records::new(self.delimiter, self.width);
        let length = self.take_records(&mut records, names)?;
        if records.rows() == 0 {
            return Ok(None);
        }
        let bytes = &self.buffer[self.used..][..length];
        let locator = Locator { file: &self.stream.file, names, before: self.lines, bytes };
        check_text(bytes).map_err(|fault| locator.explain(fault))?;
        settle(&mut self.notations, &self.wanted, bytes, &records);
        let notations = &self.notations;
        let columns: Vec<Result<Column>> =
            self.wanted.par_iter().map(|wanted| read_column(&locator, &records, wanted, notations)).collect();
        let mut table = Table::new(columns.into_iter().collect::<Result<_>>()?)?.with_rows(records.rows());
        table.source = self.source(bytes, &records, names).map(Arc::new);
        self.lines.pass(bytes);
        self.started = true;
        self.used += length;
        Ok(Some(table))
    }

    fn notes(&self, names: &[String]) -> Vec<Note> {
        let header = self.notes.iter().cloned().map(Note::from);
        let footer = self.footer.iter().map(Footer::note);
        self.stream.notes().chain(header).chain(footer).chain(self.notations.notes(names)).collect()
    }

    /// The text of a batch below its header, as if it were a file of its own.
    fn source(&self, bytes: &[u8], records: &Records, names: &[String]) -> Option<Source> {
        let (header, missing) = self.kept.as_ref()?;
        // Only if every column is there can cells be told by their place in the row.
        if self.wanted.len() != self.width {
            return None;
        }
        let place = |row| {
            let (start, end) = records.row(row);
            (header.len() + start, header.len() + end)
        };
        Some(Source {
            bytes: Arc::new([header.as_slice(), bytes].concat()),
            rows: (0..records.rows()).map(place).collect(),
            header_start: self.header_start,
            header_end: header.len(),
            delimiter: self.delimiter,
            continues: self.started,
            missing: missing.clone(),
            notations: self.notations.by_name(names),
        })
    }

    /// Finds the records of the next batch, reading on as needed, and returns the length of their text.
    fn take_records(&mut self, records: &mut Records, names: &[String]) -> Result<usize> {
        let mut length = 0;
        loop {
            let bytes = &self.buffer[self.used..];
            let mut outcome = records.advance(bytes, length, self.ended, self.rows);
            if let Ok(reached) = outcome {
                length = reached;
                if records.rows() == self.rows || self.ended || (records.rows() > 0 && length >= BATCH_BYTES)
                {
                    return Ok(length);
                }
                if bytes.len() - length > LONGEST_RECORD {
                    outcome = Err(Fault { at: length, what: Wrong::TooLong });
                }
            }
            if let Err(fault) = outcome {
                let locator = Locator { file: &self.stream.file, names, before: self.lines, bytes };
                // Bytes that are no text are told before what they do to the records.
                let first = check_text(&bytes[..fault.at]).err().unwrap_or(fault);
                return Err(locator.explain(first));
            }
            if records.rows() == 0 && length >= MOST_BLANK {
                self.lines.pass(&self.buffer[self.used..][..length]);
                self.used += length;
                length = 0;
            }
            self.buffer.drain(..self.used);
            self.used = 0;
            // An unfinished record is searched from its start again: let it double.
            let unfinished = self.buffer.len() - length;
            let most = match self.line_by_line {
                true => 1,
                false => self.block.max(unfinished.min(LONGEST_RECORD + 1 - unfinished)),
            };
            self.ended = self.stream.fill(&mut self.buffer, most)? < most;
            if self.ended {
                self.leave_out_footer();
            }
        }
    }

    /// Takes away what stands below the last row.
    fn leave_out_footer(&mut self) {
        if let Some(footer) = footer(&self.buffer, self.used, self.delimiter, self.width) {
            self.buffer.truncate(footer.at);
            self.footer = Some(footer);
        }
    }
}

/// Finds out how numbers are written in columns that are not plain numbers, and of which that is not known yet.
fn settle(notations: &mut Notations, wanted: &[Wanted], bytes: &[u8], records: &Records) {
    let numeric = |wanted: &&Wanted| matches!(wanted.kind, Kind::Real | Kind::Integer);
    let scan = |wanted: &Wanted| {
        let (mut values, mut observed) = (vec![0.0; records.rows()], vec![false; records.rows()]);
        scan_numbers(bytes, records, wanted.column, (&wanted.tokens, None), &mut values, &mut observed)
    };
    let open = wanted.iter().filter(numeric).filter(|wanted| notations.of(wanted.column).is_none());
    let open: Vec<&Wanted> = open.collect();
    let facts: Vec<_> = open.par_iter().map(|wanted| scan(wanted)).collect();
    let odd = |wanted: &Wanted| Odd {
        column: wanted.column,
        words: scan_words(bytes, records, wanted.column, &wanted.tokens, None).levels,
        wanted: true,
    };
    let of = |which: fn(&NumberFacts) -> bool| -> Vec<Odd> {
        open.iter().zip(&facts).filter(|(_, facts)| which(facts)).map(|(wanted, _)| odd(wanted)).collect()
    };
    let stopped = of(|facts| facts.stopped.is_some());
    if !stopped.is_empty() {
        notations.settle(&stopped, || of(|facts| facts.stopped.is_none() && facts.fraction.is_some()));
    }
}

fn read_column(
    locator: &Locator<'_>,
    records: &Records,
    wanted: &Wanted,
    notations: &Notations,
) -> Result<Column> {
    let Wanted { column, kind, tokens } = wanted;
    let (column, kind, bytes) = (*column, *kind, locator.bytes);
    let name = &locator.names[column];
    match kind {
        Kind::Real | Kind::Integer => {
            let (mut values, mut observed) = (vec![0.0; records.rows()], vec![false; records.rows()]);
            let read_as = (tokens, notations.of(column));
            let facts = scan_numbers(bytes, records, column, read_as, &mut values, &mut observed);
            match facts.stopped.into_iter().chain(facts.infinite).min() {
                Some(row) => {
                    let cell = records.cell(bytes, row, column);
                    Err(locator.not_a_number(records.row(row).0, column, cell))
                }
                None => Ok(Column { name: name.clone(), kind, values: Values::Numbers(values), observed }),
            }
        }
        Kind::Binary | Kind::Category => {
            Ok(scan_words(bytes, records, column, tokens, Some(kind)).into_column(name, kind))
        }
        Kind::Text | Kind::Date => {
            let (texts, observed) =
                scan_texts(bytes, records, column, (kind == Kind::Date).then_some(tokens));
            Ok(Column { name: name.clone(), kind, values: Values::Texts(texts), observed })
        }
    }
}

#[cfg(test)]
mod tests;
