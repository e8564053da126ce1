//! Reading ratings: text with or without a line of names, and Parquet.

use std::path::Path;

use rayon::prelude::*;

use super::form::{Form, Places, form, unnamed};
use super::{Ids, Rating, Ratings, SAMPLE, sample};
use crate::data::cell::{Number, number, word};
use crate::data::faults::{EMPTY_ID, Locator};
use crate::data::forms::plain;
use crate::data::gather::{Dictionary, HOLE, NumberFacts, scan_numbers, scan_words};
use crate::data::input::{self, Content};
use crate::data::kind::Kind;
use crate::data::options::{BatchOptions, MissingTokens, check_delimiter};
use crate::data::parquet::ParquetBatches;
use crate::data::split::{Fault, LineCounter, Records, check_text, pieces};
use crate::error::{Error, Place, Result};

/// Bytes of a piece of text that one thread reads.
const PIECE: usize = 1 << 20;
/// Pieces for each thread whose rows wait to be put with the others: enough to keep it busy, few for the memory's sake.
const PIECES_AT_ONCE: usize = 4;

/// Bytes that tell the form of a file.
const FIRST_BYTES: usize = 1 << 16;

/// How ratings are read. Columns that are not named are found by the usual names.
#[derive(Debug, Clone, Default)]
pub struct RatingsOptions {
    /// The column of users.
    pub user: Option<String>,
    /// The column of items.
    pub item: Option<String>,
    /// The column of ratings.
    pub rating: Option<String>,
    /// The column of times, which settles which of several ratings for the same pair counts.
    pub time: Option<String>,
    /// The byte between two cells; found out if not given.
    pub delimiter: Option<u8>,
    /// The words for a missing rating.
    pub missing: MissingTokens,
}

/// Ratings that were read, and what is worth telling about them.
#[derive(Debug, Clone)]
pub struct RatingsReading {
    /// The ratings.
    pub ratings: Ratings,
    /// Ratings passed over because a later one is for the same user and item.
    pub duplicates: usize,
    /// Rows passed over because they have no rating.
    pub without_rating: usize,
}

impl RatingsReading {
    /// What a user should know, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.duplicates > 0 {
            notes.push(format!(
                "ratings passed over because a later one is for the same user and item: {}",
                self.duplicates
            ));
        }
        if self.without_rating > 0 {
            notes.push(format!("rows passed over because they have no rating: {}", self.without_rating));
        }
        notes
    }
}

/// Reads ratings: CSV, TSV, Parquet or a MovieLens form, plain or gzipped; `-` is standard input, `sample:films` the
/// built-in sample.
///
/// # Errors
/// When the file can't be opened, or something in it can't be read as ratings.
pub fn read(path: &Path, options: &RatingsOptions) -> Result<RatingsReading> {
    let name = path.display().to_string();
    if name.strip_prefix("sample:") == Some(SAMPLE) {
        return Ok(RatingsReading { ratings: sample(), duplicates: 0, without_rating: 0 });
    }
    rows_of(&name, input::open(path)?, options, true)?.into_reading()
}

/// Whether a file can be nothing but ratings: the built-in sample, or a form without names in which MovieLens sets are
/// published. Standard input and what can't be read are not looked at.
pub fn is_unnamed(path: &Path) -> bool {
    let name = path.display().to_string();
    if name.strip_prefix("sample:") == Some(SAMPLE) {
        return true;
    }
    if name == "-" || name.starts_with("sample:") || !path.is_file() {
        return false;
    }
    let mut first = Vec::new();
    let Ok(Content::Text(mut stream)) = input::open(path) else { return false };
    let read = stream.fill(&mut first, FIRST_BYTES);
    read.is_ok() && unnamed(&first, &RatingsOptions::default(), true).is_some()
}

/// Reads ratings from bytes; the name says which ending they would have and appears in errors.
///
/// # Errors
/// When something in the bytes can't be read as ratings.
pub fn read_bytes(name: &str, bytes: &[u8], options: &RatingsOptions) -> Result<RatingsReading> {
    rows_of(name, input::from_bytes(name, bytes)?, options, true)?.into_reading()
}

/// Reads pairs of users and items, in the file's order; a column of ratings, if there is one, is not looked at.
///
/// # Errors
/// When the file can't be opened, or something in it can't be read as pairs.
pub fn read_pairs(path: &Path, options: &RatingsOptions) -> Result<Vec<(String, String)>> {
    pairs_of(&path.display().to_string(), input::open(path)?, options)
}

/// The same from bytes; the name says which ending they would have and appears in errors.
///
/// # Errors
/// As for [`read_pairs`].
pub fn pairs_from_bytes(name: &str, bytes: &[u8], options: &RatingsOptions) -> Result<Vec<(String, String)>> {
    pairs_of(name, input::from_bytes(name, bytes)?, options)
}

fn pairs_of(name: &str, content: input::Content, options: &RatingsOptions) -> Result<Vec<(String, String)>> {
    let rows = rows_of(name, content, options, false)?;
    let name = |ids: &Dictionary, row: usize| ids.levels[ids.codes[row] as usize].clone();
    Ok((0..rows.users.codes.len()).map(|row| (name(&rows.users, row), name(&rows.items, row))).collect())
}

/// What the rows of a file say; ratings and times are empty where there is no such column.
#[derive(Default)]
pub(super) struct Rows {
    pub users: Dictionary,
    pub items: Dictionary,
    pub ratings: Vec<f64>,
    pub observed: Vec<bool>,
    pub times: Vec<f64>,
}

impl Rows {
    fn append(&mut self, other: &Self) {
        self.users.append(&other.users);
        self.items.append(&other.items);
        self.ratings.extend_from_slice(&other.ratings);
        self.observed.extend_from_slice(&other.observed);
        self.times.extend_from_slice(&other.times);
    }

    /// Sorts ids, settles pairs that occur more than once, and counts what was passed over.
    pub fn into_reading(self) -> Result<RatingsReading> {
        let mut order: Vec<u32> = (0..).zip(&self.observed).filter(|row| *row.1).map(|row| row.0).collect();
        let without_rating = self.ratings.len() - order.len();
        if !self.times.is_empty() {
            // Stable: of equal times the one that stands last counts.
            order.sort_by(|a, b| self.times[*a as usize].total_cmp(&self.times[*b as usize]));
        }
        let values = self.ratings;
        let (users, user_codes) = ids(self.users);
        let (items, item_codes) = ids(self.items);
        let rating = |row: &u32| {
            let row = *row as usize;
            Rating { user: user_codes[row], item: item_codes[row], value: values[row] as f32 }
        };
        let ratings = Ratings::new(users, items, order.iter().map(rating))?;
        Ok(RatingsReading { duplicates: order.len() - ratings.len(), without_rating, ratings })
    }
}

/// Ids in ascending order, and each row's.
fn ids(dictionary: Dictionary) -> (Ids, Vec<u32>) {
    match dictionary.into_column("", Kind::Category).values {
        crate::data::Values::Codes { codes, levels } => (Ids::new(levels), codes),
        _ => (Ids::default(), Vec::new()),
    }
}

fn rows_of(name: &str, content: Content, options: &RatingsOptions, rated: bool) -> Result<Rows> {
    check_delimiter(options.delimiter)?;
    let rows = match plain(content, &crate::data::form::Form::default())? {
        Content::Text(mut stream) => {
            let bytes = stream.read_all()?;
            text_rows(&stream.file, &bytes, options, rated, PIECE)?
        }
        Content::Parquet(file) => parquet_rows(name, file, options, rated)?,
    };
    if rows.users.codes.is_empty() {
        return Err(Error::input(Place::file(name), "there are no ratings in it")
            .with_hint("expected are lines with a user, an item and a rating"));
    }
    if u32::try_from(rows.users.codes.len()).is_err() {
        return Err(Error::input(
            Place::file(name),
            "more than 4,294,967,295 ratings are more than can be held",
        )
        .with_hint("learn from a part of them"));
    }
    Ok(rows)
}

fn text_rows(file: &str, bytes: &[u8], options: &RatingsOptions, rated: bool, piece: usize) -> Result<Rows> {
    let form = form(file, bytes, options, rated)?;
    let locator = Locator { file, names: &form.names, before: LineCounter::default(), bytes };
    let body = &bytes[form.start..];
    let read = |&(from, to): &(usize, usize)| {
        let piece = Piece { start: form.start + from, bytes: &body[from..to] };
        piece.read(&form, &locator, options)
    };
    let mut rows = Rows::default();
    let at_once = PIECES_AT_ONCE * rayon::current_num_threads();
    for some in pieces(body, form.delimiter, piece).chunks(at_once) {
        let parts: Vec<Result<Rows>> = some.par_iter().map(read).collect();
        for part in parts {
            rows.append(&part?);
        }
    }
    Ok(rows)
}

/// Some whole lines of a text.
struct Piece<'a> {
    start: usize,
    bytes: &'a [u8],
}

impl Piece<'_> {
    fn read(&self, form: &Form, locator: &Locator<'_>, options: &RatingsOptions) -> Result<Rows> {
        let mut records = Records::new(form.delimiter, form.names.len());
        check_text(self.bytes)
            .and_then(|()| records.advance(self.bytes, 0, true, usize::MAX))
            .map_err(|fault| locator.explain(Fault { at: self.start + fault.at, ..fault }))?;
        let words = |column: usize| {
            // Any word may be an id; only an empty cell is none.
            let tokens = MissingTokens::new([""]).of("");
            let words = scan_words(self.bytes, &records, column, &tokens, None);
            match words.codes.iter().position(|code| *code == HOLE) {
                Some(row) => Err(locator.empty_id(self.start + records.row(row).0, column)),
                None => Ok(words),
            }
        };
        let numbers = |column: Option<usize>| {
            let Some(column) = column else { return Ok((Vec::new(), Vec::new())) };
            let (mut values, mut observed) = (vec![0.0; records.rows()], vec![false; records.rows()]);
            let tokens = options.missing.of(&form.names[column]);
            let facts: NumberFacts =
                scan_numbers(self.bytes, &records, column, (&tokens, None), &mut values, &mut observed);
            match facts.stopped.into_iter().chain(facts.infinite).min() {
                Some(row) => {
                    let cell = records.cell(self.bytes, row, column);
                    Err(locator.not_a_number(self.start + records.row(row).0, column, cell))
                }
                None => Ok((values, observed)),
            }
        };
        let (users, items) = (words(form.places.user)?, words(form.places.item)?);
        let (ratings, observed) = numbers(form.places.rating)?;
        let times = match form.places.time {
            Some(column) => self.times(&records, column),
            None => Vec::new(),
        };
        Ok(Rows { users, items, ratings, observed, times })
    }

    /// Times as numbers; dates are compared by their text, as ISO 8601 allows, in the form of a number.
    fn times(&self, records: &Records, column: usize) -> Vec<f64> {
        let cells = (0..records.rows()).map(|row| word(records.cell(self.bytes, row, column)));
        cells.map(|cell| moment(&cell)).collect()
    }
}

/// A time as a number that grows with it: a number as it is, of a date its digits from the year on. What is neither
/// comes before everything else.
fn moment(text: &str) -> f64 {
    match number(text.as_bytes()) {
        Number::Finite(value) => value,
        _ => {
            let digits: String =
                text.chars().filter(char::is_ascii_digit).chain("0".repeat(14).chars()).collect();
            let is_date = text.starts_with(|first: char| first.is_ascii_digit());
            if is_date { digits[..14].parse().unwrap_or(f64::MIN) } else { f64::MIN }
        }
    }
}

fn parquet_rows(name: &str, file: std::fs::File, options: &RatingsOptions, rated: bool) -> Result<Rows> {
    let again = file.try_clone().map_err(|error| Error::io(Path::new(name), error))?;
    let header = ParquetBatches::open(name, again, &BatchOptions::default())?.header().to_vec();
    let places = Places::find(name, &header, options, rated)?;
    let mut wanted = vec![(places.user, Kind::Category), (places.item, Kind::Category)];
    wanted.extend(places.rating.map(|place| (place, Kind::Real)));
    wanted.extend(places.time.map(|place| (place, Kind::Date)));
    let kinds = wanted.iter().map(|(place, kind)| (header[*place].clone(), *kind)).collect();
    let options =
        BatchOptions { kinds, missing: options.missing.clone(), rows: 1 << 16, ..BatchOptions::default() };
    let mut batches = ParquetBatches::open(name, file, &options)?;
    let (mut rows, mut before) = (Rows::default(), 0);
    while let Some(batch) = batches.next()? {
        for (place, ids) in [(places.user, &mut rows.users), (places.item, &mut rows.items)] {
            let column = batch.column(&header[place])?;
            for row in 0..batch.rows() {
                let cell = column.cell(row).ok_or_else(|| {
                    let what = format!("row {} has no id", before + row + 1);
                    Error::input(Place::file(name).in_column(&header[place]), what).with_hint(EMPTY_ID)
                })?;
                ids.push(Some(&cell));
            }
        }
        if let Some(place) = places.rating {
            let column = batch.column(&header[place])?;
            rows.ratings.extend_from_slice(column.numbers().unwrap_or_default());
            rows.observed.extend_from_slice(&column.observed);
        }
        if let Some(place) = places.time {
            let column = batch.column(&header[place])?;
            rows.times.extend((0..batch.rows()).map(|row| moment(&column.cell(row).unwrap_or_default())));
        }
        before += batch.rows();
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
