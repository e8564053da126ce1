//! A delimited text as a whole: cut into pieces at record ends, each read on its own thread.
//!
//! The pieces have a fixed size, so that the table, the notes and the errors do not depend on the number
//! of threads; of several errors the first in the file is told.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::cell::word;
use super::dates::DateOrder;
use super::faults::{Locator, shown};
use super::footers::{Footer, footer};
use super::gather::{Dictionary, NumberFacts, numbers_column, scan_numbers, scan_texts, scan_words};
use super::head::head;
use super::kinds::word_kind;
use super::notations::{Notations, Odd};
use super::note::Note;
use super::options::{ReadOptions, Tokens, check_delimiter, check_names};
use super::reading::Reading;
use super::remarks::notes;
use super::source::Source;
use super::split::{Fault, LineCounter, Records, check_text, pieces};
use super::table::{Column, Kind, Table, Values};
use crate::error::{Act, Error, Place, Result};

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

/// A column tried as numbers: values, `observed` and facts.
type Scan = (Vec<f64>, Vec<bool>, NumberFacts);

/// Everything the columns are made from.
struct Body<'a> {
    pieces: Vec<Piece<'a>>,
    rows: usize,
    locator: Locator<'a>,
    tokens: Vec<Tokens>,
    /// The order of dates, where it is told.
    dates: Option<DateOrder>,
}

/// Reads a whole text. `piece` is the size of the pieces in bytes.
pub(crate) fn read_text(file: &str, bytes: Vec<u8>, options: &ReadOptions, piece: usize) -> Result<Reading> {
    check_delimiter(options.delimiter)?;
    let head = head(file, &bytes, true, options.delimiter, &options.form)?
        .ok_or_else(|| Error::input(Place::file(file), "the header is not complete"))?;
    check_names(&head.names, options.kinds.keys().chain(options.missing.columns().keys()))?;
    let locator = Locator { file, names: &head.names, before: LineCounter::default(), bytes: &bytes };
    let footer = footer(&bytes, head.end, head.delimiter, head.names.len());
    let end = footer.as_ref().map_or(bytes.len(), |footer| footer.at);
    let pieces = split(&bytes[head.end..end], head.end, head.delimiter, head.names.len(), piece)
        .map_err(|fault| locator.explain(fault))?;
    let rows = pieces.iter().map(|piece| piece.records.rows()).sum();
    if rows == 0 {
        return Err(Error::input(Place::file(file), "no data rows: there is a header and nothing below it")
            .with_hint("a table needs at least one row below the column names"));
    }
    let tokens = head.names.iter().map(|name| options.missing.of(name)).collect();
    let body = Body { pieces, rows, locator, tokens, dates: options.form.dates };
    let (columns, notations, padded) =
        body.columns(options, Notations::new(&options.form, head.delimiter))?;
    let mut told: Vec<Note> = head.notes.into_iter().map(Note::from).collect();
    told.extend(footer.iter().map(Footer::note));
    told.extend(notations.notes(&head.names));
    told.extend(padded);
    told.extend(columns.par_iter().flat_map_iter(notes).collect::<Vec<_>>());
    let mut table = Table::new(columns)?;
    if options.keep_source {
        let spans = body.pieces.iter().flat_map(|piece| {
            (0..piece.records.rows())
                .map(|row| piece.records.row(row))
                .map(|(from, to)| (from + piece.start, to + piece.start))
        });
        let (spans, notations) = (spans.collect(), notations.by_name(&head.names));
        drop(body);
        table.source = Some(Arc::new(Source {
            rows: spans,
            header_start: head.start,
            header_end: head.end,
            delimiter: head.delimiter,
            missing: options.missing.clone(),
            notations,
            bytes: Arc::new(bytes),
            continues: false,
        }));
    }
    Ok(Reading { table, notes: told })
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
    /// The columns, how their numbers are written, and what to tell of those that may be codes.
    fn columns(
        &self,
        options: &ReadOptions,
        mut notations: Notations,
    ) -> Result<(Vec<Column>, Notations, Vec<Note>)> {
        let wanted: Vec<Option<Kind>> =
            self.locator.names.iter().map(|name| options.kinds.get(name).copied()).collect();
        let numeric: Vec<usize> = (0..wanted.len())
            .filter(|column| matches!(wanted[*column], None | Some(Kind::Real | Kind::Integer)))
            .collect();
        let mut scanned: BTreeMap<usize, Scan> =
            numeric.iter().copied().zip(self.numbers(&numeric, &notations)).collect();
        let mut words = self.settle(&wanted, &scanned, &mut notations);
        let odd: Vec<usize> = numeric.into_iter().filter(|column| notations.of(*column).is_some()).collect();
        for (column, scan) in odd.iter().copied().zip(self.numbers(&odd, &notations)) {
            // Two words are classes, whatever numbers they would be.
            if wanted[column].is_none() && scan.2.distinct.len() <= 2 {
                notations.forget(column);
            } else {
                scanned.insert(column, scan);
            }
        }
        let padded = |(column, (_, _, facts)): (&usize, &Scan)| {
            let row = facts.padded.filter(|_| wanted[*column].is_none() && facts.stopped.is_none())?;
            Some(padded_note(&self.locator.names[*column], &self.cell(row, *column)))
        };
        let padded = scanned.iter().filter_map(padded).collect();
        let columns = wanted.into_iter().enumerate().map(|(column, wanted)| {
            self.column(column, wanted, scanned.remove(&column), words.remove(&column))
        });
        Ok((columns.collect::<Result<_>>()?, notations, padded))
    }

    /// Finds out how numbers are written in columns that are not plain numbers; returns their words.
    fn settle(
        &self,
        wanted: &[Option<Kind>],
        scanned: &BTreeMap<usize, Scan>,
        notations: &mut Notations,
    ) -> BTreeMap<usize, Dictionary> {
        let words_of = |of: &dyn Fn(&NumberFacts) -> bool| -> BTreeMap<usize, Dictionary> {
            let columns = scanned.iter().filter(|(_, (_, _, facts))| of(facts)).map(|(column, _)| *column);
            columns.map(|column| (column, self.dictionary(column, None))).collect()
        };
        let odd = |words: &'_ BTreeMap<usize, Dictionary>| -> Vec<Odd> {
            let odd = |(column, words): (&usize, &Dictionary)| Odd {
                column: *column,
                words: words.levels.clone(),
                wanted: wanted[*column].is_some(),
            };
            words.iter().map(odd).collect()
        };
        let words = words_of(&|facts| facts.stopped.is_some());
        let pointed = || odd(&words_of(&|facts| facts.stopped.is_none() && facts.fraction.is_some()));
        notations.settle(&odd(&words), pointed);
        words
    }

    /// Tries the given columns as numbers: values, `observed` and facts of each.
    fn numbers(&self, columns: &[usize], notations: &Notations) -> Vec<Scan> {
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
                        (&self.tokens[*column], notations.of(*column)),
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
        as_numbers: Option<Scan>,
        words: Option<Dictionary>,
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
            _ => self.words(column, wanted, words),
        }
    }

    fn words(&self, column: usize, wanted: Option<Kind>, known: Option<Dictionary>) -> Result<Column> {
        let name = &self.locator.names[column];
        let whole = known.unwrap_or_else(|| self.dictionary(column, wanted));
        match wanted.unwrap_or_else(|| word_kind(&whole, self.dates)) {
            kind @ (Kind::Text | Kind::Date) => Ok(self.texts(column, kind)),
            Kind::Binary if whole.levels.len() > 2 => {
                Err(too_many_for_binary(self.locator.file, name, whole.levels.len()))
            }
            // The two levels were found by their spelling; binary levels go by value.
            Kind::Binary if wanted.is_none() => self.words(column, Some(Kind::Binary), None),
            kind => Ok(whole.into_column(name, kind)),
        }
    }

    /// The words of a column.
    fn dictionary(&self, column: usize, wanted: Option<Kind>) -> Dictionary {
        let scan =
            |piece: &Piece<'_>| scan_words(piece.bytes, &piece.records, column, &self.tokens[column], wanted);
        let parts: Vec<Dictionary> = self.pieces.par_iter().map(scan).collect();
        let mut whole = Dictionary::default();
        parts.iter().for_each(|part| whole.append(part));
        whole
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

    /// The piece that holds a row, and the row's number in it.
    fn place(&self, row: usize) -> (&Piece<'_>, usize) {
        let index = self.pieces.partition_point(|piece| piece.offset <= row).saturating_sub(1);
        // Pieces without rows share their offset with the next one; the last of them holds the row.
        let piece = &self.pieces[index];
        (piece, row - piece.offset)
    }

    /// A cell as it is written.
    fn cell(&self, row: usize, column: usize) -> String {
        let (piece, local) = self.place(row);
        word(piece.records.cell(piece.bytes, local, column)).into_owned()
    }

    fn not_a_number(&self, row: usize, column: usize) -> Error {
        let (piece, local) = self.place(row);
        let at = piece.start + piece.records.row(local).0;
        self.locator.not_a_number(at, column, piece.records.cell(piece.bytes, local, column))
    }
}

/// Whole numbers with a 0 in front, which codes have and amounts have not.
fn padded_note(column: &str, cell: &str) -> Note {
    let text = format!(
        "column `{column}` has whole numbers with a 0 in front (`{}`) and is read as numbers; codes are no amounts",
        shown(cell)
    );
    Note { text, act: Some(Act::ReadAsCategory { column: column.to_owned() }) }
}

/// A column that was said to be binary and has more than two values.
pub(crate) fn too_many_for_binary(file: &str, name: &str, levels: usize) -> Error {
    Error::input(Place::file(file).in_column(name), format!("{levels} different values, but binary has two"))
        .with_hint("read the column as a category, or name the words for a missing value")
}

#[cfg(test)]
mod tests;
