//! Lines of JSON: an object of plain values on each, whose names become columns in the order in which they first
//! appear.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::input::Stream;
use super::super::write::push_quoted;
use crate::error::{Error, Place, Result};

/// The lines as delimited text.
pub(super) fn text(mut stream: Stream) -> Result<Stream> {
    let bytes = stream.read_all()?;
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(&bytes);
    let place = |line: usize| Place::file(&stream.file).at_line(line as u64 + 1);
    let (mut names, mut places) = (Vec::new(), HashMap::new());
    let mut rows: Vec<Vec<(usize, String)>> = Vec::new();
    for (line, bytes) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let object: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| {
            Error::input(place(line), format!("this is no object of JSON ({error})"))
                .with_hint("every line is one row, as {\"age\": 61, \"sex\": \"m\"}")
        })?;
        let mut row = Vec::with_capacity(object.len());
        for (name, value) in object {
            let cell = cell(value).ok_or_else(|| {
                Error::input(place(line).in_column(&name), "a list or an object is no cell")
                    .with_hint("flatten it to plain columns, or leave it out")
            })?;
            let column = *places.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            });
            row.push((column, cell));
        }
        rows.push(row);
    }
    let mut text = Vec::with_capacity(bytes.len());
    push_row(&mut text, names.iter().map(String::as_str));
    let mut cells = vec![String::new(); names.len()];
    for row in rows {
        cells.iter_mut().for_each(String::clear);
        row.into_iter().for_each(|(column, cell)| cells[column] = cell);
        push_row(&mut text, cells.iter().map(String::as_str));
    }
    Ok(Stream::new(stream.file, std::io::Cursor::new(text)))
}

/// A value as a cell; null is empty.
fn cell(value: Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn push_row<'a>(text: &mut Vec<u8>, cells: impl Iterator<Item = &'a str>) {
    let start = text.len();
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            text.push(b',');
        }
        push_quoted(text, cell, b',');
    }
    if text.len() == start {
        text.extend_from_slice(b"\"\"");
    }
    text.push(b'\n');
}

#[cfg(test)]
mod tests {
    use crate::data::{Kind, ReadOptions, read_bytes};

    #[test]
    fn lines_become_rows() {
        let text = "{\"age\": 61, \"note\": \"late, by \\\"train\\\"\"}\n\n{\"died\": true, \"age\": 4.5e1}\r\n\
                    {\"age\": null, \"died\": false}";
        let table = read_bytes("ward.jsonl", text.as_bytes(), &ReadOptions::default()).unwrap().table;
        let cells = |name: &str| (0..3).map(|row| table.column(name).unwrap().cell(row)).collect::<Vec<_>>();
        assert_eq!(cells("age"), [Some("61".into()), Some("45".into()), None]);
        assert_eq!(cells("died"), [None, Some("true".into()), Some("false".into())]);
        assert_eq!(cells("note")[0].as_deref(), Some("late, by \"train\""));
        assert_eq!(table.column("age").unwrap().kind, Kind::Binary);
        for (bad, what) in [
            ("{\"a\": [1]}", "ward.jsonl, line 1, column `a`: a list or an object is no cell"),
            ("{\"a\": 1}\n[2]\n", "ward.jsonl, line 2: this is no object"),
        ] {
            let error = read_bytes("ward.jsonl", bad.as_bytes(), &ReadOptions::default()).unwrap_err();
            assert!(error.to_string().starts_with(what), "{error}");
        }
    }
}
