//! JSON as it is written: straight into bytes, numbers in the shortest form that reads back equal.

use serde_json::Value;
use unmiss::data::{Column, Kind, Values};

/// Adds a text with its quotes.
pub fn push_text(json: &mut Vec<u8>, text: &str) {
    // Writing to a vector can't fail.
    drop(serde_json::to_writer(json, text));
}

/// Adds a number; JSON has none that is not finite, and says null.
pub fn push_number(json: &mut Vec<u8>, value: f64) {
    drop(serde_json::to_writer(json, &value));
}

/// Adds `"name":`, behind a comma unless it is the first.
pub fn push_name(json: &mut Vec<u8>, name: &str) {
    if !matches!(json.last(), Some(b'{' | b'[') | None) {
        json.push(b',');
    }
    push_text(json, name);
    json.push(b':');
}

/// Adds a value of any form.
pub fn push_value(json: &mut Vec<u8>, value: &Value) {
    drop(serde_json::to_writer(json, value));
}

/// Adds a row's cell of a column.
pub fn push_cell(json: &mut Vec<u8>, column: &Column, row: usize) {
    match (&column.values, column.observed[row]) {
        (_, false) => json.extend_from_slice(b"null"),
        (Values::Numbers(values), true) if column.kind == Kind::Integer => {
            let whole = values[row].round();
            match whole.abs() < 9e15 {
                true => drop(serde_json::to_writer(json, &(whole as i64))),
                false => push_number(json, whole),
            }
        }
        (Values::Numbers(values), true) => push_number(json, values[row]),
        (Values::Codes { codes, levels }, true) => push_text(json, &levels[codes[row] as usize]),
        (Values::Texts(texts), true) => push_text(json, &texts[row]),
    }
}

/// Adds the rows of columns as objects, behind those that are there already.
pub fn push_rows(json: &mut Vec<u8>, columns: &[Column]) {
    for row in 0..columns.first().map_or(0, Column::rows) {
        if json.last() == Some(&b'}') {
            json.push(b',');
        }
        json.push(b'{');
        for column in columns {
            push_name(json, &column.name);
            push_cell(json, column, row);
        }
        json.push(b'}');
    }
}
