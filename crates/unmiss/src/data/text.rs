//! A delimited text as a whole: cut into pieces at record ends, each read on its own thread.
//!
//! The pieces have a fixed size, so that the table, the notes and the errors do not depend on the number
//! of threads; of several errors the first in the file is told.

use std::sync::Arc;

use rayon::prelude::*;

use super::faults::Locator;
use super::gather::{Dictionary, NumberFacts, numbers_column, scan_numbers, scan_texts, scan_words};
use super::head::head;
use super::kinds::{notes, word_kind};
use super::options::{ReadOptions, Tokens, check_delimiter, check_names};
use super::reading::Reading;
use super::source::Source;
use super::split::{Fault, LineCounter, Records, check_text, pieces};
use super::table::{Column, Kind, Table, Values};
use crate::error::{Error, Place, Result};

/// Bytes of a piece: large enough to be worth a task, small enough to stay in a core's cache.
pub(crate) const PIECE: usize = 1 << 20;

/// One piece of the text with the places of its cells.
struct Piece<'a> {
    bytes: &'a [u8],
    records: Records,
    /// Where the piece starts in the file.
    start: usize,
    /// Rows before it.
    offset: usize,
}

/// Everything the columns are made from.
struct Body<'a> {
    pieces: Vec<Piece<'a>>,
    rows: usize,
    locator: Locator<'a>,
    tokens: Vec<Tokens>,
}

/// Reads a whole text. `piece` is the size of the pieces in bytes.
pub(crate) fn read_text(file: &str, bytes: Vec<u8>, options: &ReadOptions, piece: usize) -> Result<Reading> {
    check_delimiter(options.delimiter)?;
    let head = head(file, &bytes, true, options.delimiter)?
        .ok_or_else(|| Error::input(Place::file(file), "the header is not complete"))?;
    check_names(&head.names, options.kinds.keys().chain(options.missing.columns().keys()))?;
    let locator = Locator { file, names: &head.names, before: LineCounter::default(), bytes: &bytes };
    let pieces = split(&bytes[head.end..], head.end, head.delimiter, head.names.len(), piece)
        .map_err(|fault| locator.explain(fault))?;
    let rows = pieces.iter().map(|piece| piece.records.rows()).sum();
    if rows == 0 {
        return Err(Error::input(Place::file(file), "no data rows: there is a header and nothing below it")
            .with_hint("a table needs at least one row below the column names"));
    }
    let tokens = head.names.iter().map(|name| options.missing.of(name)).collect();
    let body = Body { pieces, rows, locator, tokens };
    let columns = body.columns(options)?;
    let notes = columns.par_iter().flat_map_iter(notes).collect();
    let mut table = Table::new(columns)?;
    if options.keep_source {
        let spans = body.pieces.iter().flat_map(|piece| {
            (0..piece.records.rows())
                .map(|row| piece.records.row(row))
                .map(|(from, to)| (from + piece.start, to + piece.start))
        });
        let spans = spans.collect();
        drop(body);
        table.source = Some(Arc::new(Source {
            rows: spans,
            header_end: head.end,
            delimiter: head.delimiter,
            missing: options.missing.clone(),
            bytes: Arc::new(bytes),
            continues: false,
        }));
    }
    Ok(Reading { table, notes })
}

/// Checks and splits the text below the header, piece by piece.
fn split(
    body: &[u8],
    start: usize,
    delimiter: u8,
    width: usize,
    size: usize,
) -> std::result::Result<Vec<Piece<'_>>, Fault> {
    let cut = pieces(body, delimiter, size);
    let read = |&(from, to): &(usize, usize)| {
        let bytes = &body[from..to];
        let mut records = Records::new(delimiter, width);
        check_text(bytes)
            .and_then(|()| records.advance(bytes, 0, true, usize::MAX))
            .map(|_| Piece { bytes, records, start: start + from, offset: 0 })
            .map_err(|fault| Fault { at: start + from + fault.at, ..fault })
    };
    let outcomes: Vec<_> = cut.par_iter().map(read).collect();
    let mut pieces = outcomes.into_iter().collect::<std::result::Result<Vec<_>, _>>()?;
    let mut offset = 0;
    for piece in &mut pieces {
        piece.offset = offset;
        offset += piece.records.rows();
    }
    Ok(pieces)
}

impl Body<'_> {
    fn columns(&self, options: &ReadOptions) -> Result<Vec<Column>> {
        let wanted: Vec<Option<Kind>> =
            self.locator.names.iter().map(|name| options.kinds.get(name).copied()).collect();
        let numeric: Vec<usize> = (0..wanted.len())
            .filter(|column| matches!(wanted[*column], None | Some(Kind::Real | Kind::Integer)))
            .collect();
        let mut scanned = self.numbers(&numeric).into_iter();
        let mut columns = Vec::with_capacity(wanted.len());
        for (column, wanted) in wanted.into_iter().enumerate() {
            let as_numbers = if numeric.contains(&column) { scanned.next() } else { None };
            columns.push(self.column(column, wanted, as_numbers)?);
        }
        Ok(columns)
    }

    /// Tries the given columns as numbers: values, `observed` and facts of each.
    fn numbers(&self, columns: &[usize]) -> Vec<(Vec<f64>, Vec<bool>, NumberFacts)> {
        let mut values: Vec<Vec<f64>> = columns.iter().map(|_| vec![0.0; self.rows]).collect();
        let mut observed: Vec<Vec<bool>> = columns.iter().map(|_| vec![false; self.rows]).collect();
        // Every piece gets its rows of every column, to write into.
        let mut value_rests: Vec<&mut [f64]> = values.iter_mut().map(Vec::as_mut_slice).collect();
        let mut observed_rests: Vec<&mut [bool]> = observed.iter_mut().map(Vec::as_mut_slice).collect();
        let mut tasks = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let rows = piece.records.rows();
            let value_parts: Vec<_> =
                value_rests.iter_mut().filter_map(|rest| rest.split_off_mut(..rows)).collect();
            let observed_parts: Vec<_> =
                observed_rests.iter_mut().filter_map(|rest| rest.split_off_mut(..rows)).collect();
            tasks.push((piece, value_parts, observed_parts));
        }
        let scan = |(piece, values, observed): (&Piece<'_>, Vec<&mut [f64]>, Vec<&mut [bool]>)| {
            let cells = columns.iter().zip(values.into_iter().zip(observed));
            cells
                .map(|(column, (values, observed))| {
                    scan_numbers(
                        piece.bytes,
                        &piece.records,
                        *column,
                        &self.tokens[*column],
                        values,
                        observed,
                    )
                })
                .collect::<Vec<_>>()
        };
        let scans: Vec<Vec<NumberFacts>> = tasks.into_par_iter().map(scan).collect();
        let facts = (0..columns.len()).map(|column| {
            let mut facts = NumberFacts::default();
            for (piece, scan) in self.pieces.iter().zip(&scans) {
                facts.append(&scan[column], piece.offset);
            }
            facts
        });
        values.into_iter().zip(observed).zip(facts.collect::<Vec<_>>()).map(|((v, o), f)| (v, o, f)).collect()
    }

    /// Settles a column's kind and makes it.
    fn column(
        &self,
        column: usize,
        wanted: Option<Kind>,
        as_numbers: Option<(Vec<f64>, Vec<bool>, NumberFacts)>,
    ) -> Result<Column> {
        let name = &self.locator.names[column];
        if let Some((values, observed, facts)) = as_numbers {
            let whole_only = wanted == Some(Kind::Integer);
            let bad = match wanted {
                Some(_) => [facts.stopped, facts.infinite, facts.fraction.filter(|_| whole_only)]
                    .into_iter()
                    .flatten()
                    .min(),
                // An infinity among numbers is a fault, among words it is one more word.
                None if facts.stopped.is_none() && !facts.distinct.is_empty() => facts.infinite,
                None => None,
            };
            if let Some(row) = bad {
                return Err(self.not_a_number(row, column));
            }
            if facts.stopped.is_none() && facts.infinite.is_none() {
                return Ok(numbers_column(name, values, observed, &facts, wanted));
            }
        }
        match wanted {
            Some(kind @ (Kind::Text | Kind::Date)) => Ok(self.texts(column, kind)),
            _ => self.words(column, wanted),
        }
    }

    fn words(&self, column: usize, wanted: Option<Kind>) -> Result<Column> {
        let name = &self.locator.names[column];
        let scan =
            |piece: &Piece<'_>| scan_words(piece.bytes, &piece.records, column, &self.tokens[column], wanted);
        let parts: Vec<Dictionary> = self.pieces.par_iter().map(scan).collect();
        let mut whole = Dictionary::default();
        parts.iter().for_each(|part| whole.append(part));
        match wanted.unwrap_or_else(|| word_kind(&whole)) {
            kind @ (Kind::Text | Kind::Date) => Ok(self.texts(column, kind)),
            Kind::Binary if whole.levels.len() > 2 => {
                Err(too_many_for_binary(self.locator.file, name, whole.levels.len()))
            }
            // The two levels were found by their spelling; binary levels go by value.
            Kind::Binary if wanted.is_none() => self.words(column, Some(Kind::Binary)),
            kind => Ok(whole.into_column(name, kind)),
        }
    }

    fn texts(&self, column: usize, kind: Kind) -> Column {
        let scan =
            |piece: &Piece<'_>| scan_texts(piece.bytes, &piece.records, column, Some(&self.tokens[column]));
        let parts: Vec<(Vec<String>, Vec<bool>)> = self.pieces.par_iter().map(scan).collect();
        let (mut texts, mut observed) = (Vec::with_capacity(self.rows), Vec::with_capacity(self.rows));
        for (text, seen) in parts {
            texts.extend(text);
            observed.extend(seen);
        }
        Column { name: self.locator.names[column].clone(), kind, values: Values::Texts(texts), observed }
    }

    fn not_a_number(&self, row: usize, column: usize) -> Error {
        let index = self.pieces.partition_point(|piece| piece.offset <= row).saturating_sub(1);
        // Pieces without rows share their offset with the next one; the last of them holds the row.
        let piece = &self.pieces[index];
        let local = row - piece.offset;
        let at = piece.start + piece.records.row(local).0;
        self.locator.not_a_number(at, column, piece.records.cell(piece.bytes, local, column))
    }
}

/// A column that was said to be binary and has more than two values.
pub(crate) fn too_many_for_binary(file: &str, name: &str, levels: usize) -> Error {
    Error::input(Place::file(file).in_column(name), format!("{levels} different values, but binary has two"))
        .with_hint("read the column as a category, or name the words for a missing value")
}

#[cfg(test)]
mod tests;
