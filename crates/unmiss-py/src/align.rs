//! New columns as a fitted encoder expects them. Arrays and data frames tell by their type whether a column holds
//! numbers or words; a model tells by what it learned. Where both differ, the model is right: `1` and the word `1` are
//! the same.

use unmiss::data::table::format_number;
use unmiss::data::{Column, Data, Kind, Table, Values};
use unmiss::encode::Coder;
use unmiss::error::Result;

/// The same data with columns turned into numbers or categories where the model has them so.
pub(crate) fn aligned(data: &Data, coder: &Coder) -> Result<Data> {
    let (table, encoder) = (data.table()?, coder.table()?);
    let mut changed: Option<Table> = None;
    for (name, kind) in encoder.columns().filter(|(_, kind)| *kind != Kind::Date) {
        let wants_numbers = kind == Kind::Real;
        let position = table.position(name)?;
        let column = &table.columns()[position];
        let other = match (&column.values, wants_numbers) {
            (Values::Numbers(values), false) => Some(as_words(column, values)),
            (Values::Codes { codes, levels }, true) => as_numbers(column, codes, levels),
            _ => None,
        };
        if let Some(other) = other {
            changed.get_or_insert_with(|| table.clone()).columns_mut()[position] = other;
        }
    }
    Ok(changed.map_or_else(|| data.clone(), Data::from))
}

fn as_words(column: &Column, values: &[f64]) -> Column {
    let known = values.iter().zip(&column.observed);
    let words: Vec<Option<String>> =
        known.map(|(value, observed)| observed.then(|| format_number(*value))).collect();
    Column::from_words(column.name.clone(), Kind::Category, &words)
}

/// Words that all read as numbers, as numbers; truth values are 0 and 1. Other words are left to the encoder, which
/// says what is wrong.
fn as_numbers(column: &Column, codes: &[u32], levels: &[String]) -> Option<Column> {
    let number = |level: &String| match level.as_str() {
        "False" => Some(0.0),
        "True" => Some(1.0),
        word => word.trim().parse::<f64>().ok().filter(|value| value.is_finite()),
    };
    let numbers: Vec<f64> = levels.iter().map(number).collect::<Option<_>>()?;
    let value = |(code, observed): (&u32, &bool)| match observed {
        true => numbers.get(*code as usize).copied().unwrap_or(f64::NAN),
        false => f64::NAN,
    };
    let values: Vec<f64> = codes.iter().zip(&column.observed).map(value).collect();
    Some(Column::from_numbers(column.name.clone(), Kind::Real, &values))
}
