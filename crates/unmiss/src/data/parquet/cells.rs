//! Values of Parquet columns as numbers or words.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::schema::types::ColumnDescriptor;

use super::clock;
use crate::data::cell::{LARGEST_EXACT, Number, number, trim};
use crate::data::faults::{may_be_missing, shown};
use crate::data::gather::{Dictionary, NumberFacts, level, numbers_column};
use crate::data::kinds::word_kind;
use crate::data::largest::LARGEST;
use crate::data::options::Tokens;
use crate::data::table::{Column, Kind, Values, format_number};
use crate::error::{Error, Place, Result};

/// What the stored values of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    Boolean,
    Signed,
    Unsigned,
    Real,
    /// Whole numbers, to be divided by this power of ten.
    Decimal(i32),
    Words,
    Day,
    /// Parts of a second since midnight.
    Time(i64),
    /// Parts of a second since 1970.
    Moment(i64),
}

/// What a column's values stand for, or the name of its type if it can't be read.
pub(super) fn meaning(column: &ColumnDescriptor) -> std::result::Result<Meaning, String> {
    let per_second = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    };
    let physical = column.physical_type();
    let logical = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Time(time)), _) => Some(Meaning::Time(per_second(&time.unit))),
        (Some(LogicalType::Timestamp(moment)), _) => Some(Meaning::Moment(per_second(&moment.unit))),
        (_, ConvertedType::TIME_MILLIS) => Some(Meaning::Time(1_000)),
        (_, ConvertedType::TIME_MICROS) => Some(Meaning::Time(1_000_000)),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(Meaning::Moment(1_000)),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(Meaning::Moment(1_000_000)),
        (_, ConvertedType::DATE) => Some(Meaning::Day),
        (_, ConvertedType::DECIMAL) => Some(Meaning::Decimal(column.type_scale())),
        (
            _,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
        ) => Some(Meaning::Unsigned),
        _ => None,
    };
    match (physical, logical) {
        (Type::BOOLEAN, None) => Ok(Meaning::Boolean),
        (Type::INT32 | Type::INT64, meaning) => Ok(meaning.unwrap_or(Meaning::Signed)),
        (Type::INT96, None) => Ok(Meaning::Moment(1_000_000_000)),
        (Type::FLOAT | Type::DOUBLE, None) => Ok(Meaning::Real),
        (Type::BYTE_ARRAY, None) => Ok(Meaning::Words),
        (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, Some(decimal @ Meaning::Decimal(_))) => Ok(decimal),
        _ => Err(physical.to_string()),
    }
}

/// The cells of a column: numbers, or words if that is what they are or what keeps all digits.
#[derive(Debug)]
pub(super) enum Cells {
    Numbers { values: Vec<f64>, observed: Vec<bool> },
    Words { words: Vec<String>, observed: Vec<bool> },
}

enum Cell {
    Hole,
    Number(f64),
    Whole(i128),
    Word(String),
}

impl Cells {
    pub(super) fn new(meaning: &Meaning) -> Self {
        match meaning {
            Meaning::Signed | Meaning::Unsigned | Meaning::Real | Meaning::Decimal(_) => {
                Self::Numbers { values: Vec::new(), observed: Vec::new() }
            }
            _ => Self::Words { words: Vec::new(), observed: Vec::new() },
        }
    }

    fn push(&mut self, cell: Cell) {
        if let (Self::Numbers { .. }, Cell::Whole(whole)) = (&*self, &cell)
            && whole.unsigned_abs() > LARGEST_EXACT as u128
        {
            self.turn_into_words();
        }
        match self {
            Self::Numbers { values, observed } => {
                let value = match cell {
                    Cell::Number(value) => Some(value),
                    Cell::Whole(whole) => Some(whole as f64),
                    Cell::Hole | Cell::Word(_) => None,
                };
                values.push(value.unwrap_or(0.0));
                observed.push(value.is_some());
            }
            Self::Words { words, observed } => {
                let word = match cell {
                    Cell::Number(value) => Some(format_number(value)),
                    Cell::Whole(whole) => Some(whole.to_string()),
                    Cell::Word(word) => Some(word),
                    Cell::Hole => None,
                };
                observed.push(word.is_some());
                words.push(word.unwrap_or_default());
            }
        }
    }

    fn turn_into_words(&mut self) {
        if let Self::Numbers { values, observed } = self {
            let word = |(value, observed): (&f64, &bool)| {
                if *observed { format_number(*value) } else { String::new() }
            };
            let words = values.iter().zip(&*observed).map(word).collect();
            *self = Self::Words { words, observed: std::mem::take(observed) };
        }
    }

    /// The finished column. With `by_batch` the kind is taken as known: levels are those of the batch,
    /// whole numbers are not asked for, text has holes only where nothing stands.
    pub(super) fn into_column(
        mut self,
        place: &Place,
        meaning: Meaning,
        wanted: Option<Kind>,
        tokens: &Tokens,
        by_batch: bool,
    ) -> Result<Column> {
        let name = place.column.clone().unwrap_or_default();
        if matches!(wanted, Some(Kind::Binary | Kind::Category | Kind::Text | Kind::Date)) {
            self.turn_into_words();
        }
        let known = match meaning {
            Meaning::Day | Meaning::Time(_) | Meaning::Moment(_) => Some(Kind::Date),
            Meaning::Boolean => Some(Kind::Binary),
            _ => None,
        };
        match (self, wanted) {
            (Self::Numbers { mut values, mut observed }, wanted) => {
                for (seen, value) in
                    observed.iter_mut().zip(&mut values).filter(|(_, value)| tokens.has_value(**value))
                {
                    (*seen, *value) = (false, 0.0);
                }
                let mut facts = NumberFacts::default();
                let cells = values.iter().zip(&observed).enumerate();
                cells.filter(|(_, (_, seen))| **seen).for_each(|(row, (value, _))| facts.note(row, *value));
                match facts.fraction.filter(|_| wanted == Some(Kind::Integer) && !by_batch) {
                    Some(row) => Err(not_a_number(place, row, &format_number(values[row]))),
                    None => Ok(numbers_column(&name, values, observed, &facts, wanted)),
                }
            }
            (Self::Words { words, observed }, Some(kind @ (Kind::Real | Kind::Integer))) => {
                numbers_from_words(place, kind, &words, &observed, tokens)
            }
            (Self::Words { words, mut observed }, wanted) => {
                let raw = by_batch && wanted == Some(Kind::Text);
                for (seen, word) in observed.iter_mut().zip(&words) {
                    *seen &= if raw { !word.is_empty() } else { !tokens.contain(trim(word.as_bytes())) };
                }
                words_column(place, words, observed, wanted.or(known), by_batch)
            }
        }
    }
}

fn not_a_number(place: &Place, row: usize, word: &str) -> Error {
    let word = &shown(word);
    Error::input(place.clone(), format!("row {}: `{word}` is not a number of the kind asked for", row + 1))
        .with_hint(may_be_missing(place, word))
}

fn numbers_from_words(
    place: &Place,
    kind: Kind,
    words: &[String],
    observed: &[bool],
    tokens: &Tokens,
) -> Result<Column> {
    let (mut values, mut seen) = (vec![0.0; words.len()], vec![false; words.len()]);
    for (row, word) in words.iter().enumerate().filter(|(row, _)| observed[*row]) {
        let trimmed = trim(word.as_bytes());
        if tokens.contain(trimmed) {
            continue;
        }
        match number(trimmed) {
            Number::Finite(value) => (values[row], seen[row]) = (value, true),
            _ => return Err(not_a_number(place, row, word)),
        }
    }
    let name = place.column.clone().unwrap_or_default();
    Ok(Column { name, kind, values: Values::Numbers(values), observed: seen })
}

fn words_column(
    place: &Place,
    mut words: Vec<String>,
    observed: Vec<bool>,
    kind: Option<Kind>,
    by_batch: bool,
) -> Result<Column> {
    let name = place.column.clone().unwrap_or_default();
    let mut dictionary = Dictionary::default();
    if !matches!(kind, Some(Kind::Text | Kind::Date)) {
        for (word, seen) in words.iter().zip(&observed) {
            dictionary.push(seen.then(|| level(word.trim_matches([' ', '\t']), kind)).as_deref());
        }
    }
    match kind.unwrap_or_else(|| word_kind(&dictionary, None)) {
        kind @ (Kind::Text | Kind::Date) => {
            words.iter_mut().zip(&observed).filter(|(_, seen)| !**seen).for_each(|(word, _)| word.clear());
            Ok(Column { name, kind, values: Values::Texts(words), observed })
        }
        Kind::Binary if dictionary.levels.len() > 2 && !by_batch => {
            Err(crate::data::text::too_many_for_binary(&place.file, &name, dictionary.levels.len()))
        }
        Kind::Binary if kind.is_none() => words_column(place, words, observed, Some(Kind::Binary), by_batch),
        kind => Ok(dictionary.into_column(&name, kind)),
    }
}

/// Adds the next `rows` values of a column, or says what is wrong with them.
pub(super) fn read_slice(
    reader: &mut ColumnReader,
    meaning: &Meaning,
    rows: usize,
    cells: &mut Cells,
) -> std::result::Result<(), String> {
    let whole = |value: i64, unsigned: i128| match meaning {
        Meaning::Unsigned => Cell::Whole(unsigned),
        Meaning::Decimal(scale) => Cell::Number(decimal(i128::from(value), *scale)),
        Meaning::Day => Cell::Word(clock::date(value)),
        Meaning::Time(parts) => Cell::Word(clock::time(value, *parts)),
        Meaning::Moment(parts) => Cell::Word(clock::moment(value, *parts)),
        _ => Cell::Whole(i128::from(value)),
    };
    let bytes = |bytes: &[u8]| match meaning {
        Meaning::Decimal(scale) => big_endian(bytes).map(|value| Cell::Number(decimal(value, *scale))),
        _ => match std::str::from_utf8(bytes) {
            Ok(word) => Ok(Cell::Word(word.to_owned())),
            Err(_) => Err("the column holds bytes that are not UTF-8 text".to_owned()),
        },
    };
    match reader {
        ColumnReader::BoolColumnReader(reader) => {
            typed(reader, rows, cells, |value| Ok(Cell::Word(value.to_string())))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            typed(reader, rows, cells, |value| Ok(whole(i64::from(*value), i128::from(*value as u32))))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            typed(reader, rows, cells, |value| Ok(whole(*value, i128::from(*value as u64))))
        }
        ColumnReader::Int96ColumnReader(reader) => {
            typed(reader, rows, cells, |value| Ok(Cell::Word(clock::moment(value.to_nanos(), 1_000_000_000))))
        }
        // Through its shortest text, so that 0.1 does not become 0.10000000149011612.
        ColumnReader::FloatColumnReader(reader) => {
            typed(reader, rows, cells, |value| real(value.to_string().parse().unwrap_or(f64::from(*value))))
        }
        ColumnReader::DoubleColumnReader(reader) => typed(reader, rows, cells, |value| real(*value)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            typed(reader, rows, cells, |value| bytes(value.data()))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            typed(reader, rows, cells, |value| bytes(value.data()))
        }
    }
}

fn typed<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    cells: &mut Cells,
    convert: impl Fn(&T::T) -> std::result::Result<Cell, String>,
) -> std::result::Result<(), String> {
    let (mut defined, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader
            .read_records(rows - read, Some(&mut defined), None, &mut values)
            .map_err(|error| format!("the Parquet file is damaged ({error})"))?;
        if records == 0 {
            return Err("the Parquet file is damaged (the column ends too early)".to_owned());
        }
        read += records;
    }
    let mut values = values.iter();
    // A column that can't have nulls has no definition levels; else a flat column has the levels 0 and 1.
    for row in 0..rows {
        let cell = match defined.get(row) {
            Some(0) => Cell::Hole,
            _ => convert(values.next().ok_or("the Parquet file is damaged (a value is lacking)")?)?,
        };
        cells.push(cell);
    }
    Ok(())
}

fn real(value: f64) -> std::result::Result<Cell, String> {
    match value {
        value if value.is_nan() => Ok(Cell::Hole),
        value if value.is_infinite() => Err("the column has an infinite value".to_owned()),
        value if value.abs() > LARGEST => {
            Err(format!("the column has {value:e}, which is too large a number to compute with"))
        }
        value => Ok(Cell::Number(value)),
    }
}

fn decimal(value: i128, scale: i32) -> f64 {
    // Read as text, which rounds once; a division would round twice.
    format!("{value}e{}", -i64::from(scale)).parse().unwrap_or(0.0)
}

fn big_endian(bytes: &[u8]) -> std::result::Result<i128, String> {
    if bytes.len() > 16 {
        return Err("the column has decimals of more than 38 digits".to_owned());
    }
    let start = if bytes.first().is_some_and(|first| *first >= 0x80) { -1 } else { 0 };
    Ok(bytes.iter().fold(start, |value, byte| (value << 8) | i128::from(*byte)))
}
