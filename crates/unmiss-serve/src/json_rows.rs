//! Rows as JSON: an array of objects, or one object. A cell that is null or not there is a hole.

use serde_json::{Map, Value};
use unmiss::data::{CellReader, Cells, Column, Kind, Table};

use crate::fault::{Answer, Fault};

/// A row as it was sent.
pub type Row = Map<String, Value>;

/// How rows are meant to look.
const FORM: &str = "send an array of objects, as [{\"age\": 61, \"sex\": \"m\", \"pulse\": null}, ...]";

/// The rows of a body.
pub fn parse(body: &[u8]) -> Answer<Vec<Row>> {
    let one = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let rows = if one {
        serde_json::from_slice(body).map(|row| vec![row])
    } else {
        serde_json::from_slice::<Vec<Row>>(body)
    };
    rows.map_err(|error| unreadable(&error))
}

/// A body that is no JSON, or JSON of another form.
pub fn unreadable(error: &serde_json::Error) -> Fault {
    // The place has fields of its own.
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let fault = Fault::bad(format!("the body can't be read as rows: {what}"), FORM);
    if error.line() == 0 { fault } else { fault.at("line", error.line()).at("position", error.column()) }
}

/// The columns of rows that are read as told; names that have no reader are left alone. `first` is the place of the
/// first row in the request, for faults.
pub fn table(rows: &[Row], readers: &[CellReader], first: usize) -> Answer<Table> {
    let column = |reader: &CellReader| {
        let mut cells = reader.cells();
        for (place, row) in rows.iter().enumerate() {
            if !push(&mut cells, row.get(&reader.name)) {
                return Err(misfit(reader, row.get(&reader.name)).at("row", first + place + 1));
            }
        }
        Ok(cells.finish())
    };
    Ok(Table::new(readers.iter().map(column).collect::<Answer<Vec<Column>>>()?)?)
}

/// Adds a cell; false if it can't be one of the column.
fn push(cells: &mut Cells<'_>, cell: Option<&Value>) -> bool {
    match cell {
        None | Some(Value::Null) => {
            cells.hole();
            true
        }
        Some(Value::String(text)) => cells.text(text),
        Some(Value::Number(number)) => match (cells.reader().kind, number.as_f64()) {
            // Digits that a number would lose belong to a word.
            (Kind::Real | Kind::Integer, Some(value)) => cells.number(value),
            (_, Some(value)) if number.is_f64() => cells.number(value),
            _ => cells.text(&number.to_string()),
        },
        Some(Value::Bool(value)) => match cells.reader().kind {
            Kind::Real | Kind::Integer => false,
            _ => cells.text(if *value { "true" } else { "false" }),
        },
        Some(Value::Array(_) | Value::Object(_)) => false,
    }
}

fn misfit(reader: &CellReader, cell: Option<&Value>) -> Fault {
    let numbers = "send a number, or null if it is not known";
    let (what, hint) = match cell {
        Some(Value::Array(_) | Value::Object(_)) => {
            ("a cell can't be a list or an object", "a cell is a number, a text, true, false or null")
        }
        Some(Value::Bool(_)) => ("the column holds numbers, and this is true or false", numbers),
        Some(Value::Number(_)) => ("this number is too large", numbers),
        _ => ("the column holds numbers, and this is a text that is no number", numbers),
    };
    Fault::bad(what, hint).at("column", reader.name.as_str())
}

/// All names that rows have, in order of appearance.
pub fn names(rows: &[Row]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    rows.iter().flat_map(Row::keys).filter(|name| seen.insert(name.as_str())).cloned().collect()
}

/// Names that rows have and a model never learned from, at most so many.
pub fn unknown(rows: &[Row], is_known: impl Fn(&str) -> bool, most: usize) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(Row::keys) {
        if found.len() < most && !is_known(name) && !found.contains(&name.as_str()) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmiss::data::MissingTokens;

    fn readers() -> Vec<CellReader> {
        let missing = MissingTokens::default();
        vec![CellReader::new("age", Kind::Real, &missing), CellReader::new("sex", Kind::Category, &missing)]
    }

    #[test]
    fn cells_are_what_they_would_be_in_a_file() {
        let body = br#"[{"age": 61, "sex": "m"}, {"age": null, "other": [1]}, {"age": " 4.5 ", "sex": 1},
                        {"age": "NA", "sex": true}, {"sex": 1.0, "age": -0.0}, {"sex": 12345678901234567890}]"#;
        let table = table(&parse(body).unwrap(), &readers(), 0).unwrap();
        let cells = |name: &str| {
            let column = table.column(name).unwrap();
            (0..6).map(|row| column.cell(row)).collect::<Vec<_>>()
        };
        let words =
            |words: [&str; 6]| words.map(|word| Some(word.to_owned()).filter(|word| !word.is_empty()));
        assert_eq!(cells("age"), words(["61", "", "4.5", "", "0", ""]));
        assert_eq!(cells("sex"), words(["m", "", "1", "true", "1", "12345678901234567890"]));
    }

    #[test]
    fn faults_tell_row_and_column() {
        let rows = parse(br#"[{"age": 1}, {"age": "old"}]"#).unwrap();
        let fault = format!("{:?}", table(&rows, &readers(), 10).unwrap_err());
        assert!(fault.contains("Number(12)") && fault.contains("age"), "{fault}");
        for wrong in ["[1]", "{", "[[1]]", "7", "\"a\"", "", "[{\"age\": 1e999}]", "{\"a\":1} x"] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
        for wrong in [r#"{"age": [1]}"#, r#"{"age": {}}"#, r#"{"sex": []}"#, r#"{"age": false}"#] {
            assert!(table(&parse(wrong.as_bytes()).unwrap(), &readers(), 0).is_err(), "{wrong}");
        }
    }

    #[test]
    fn other_names_are_found() {
        let rows = parse(br#"[{"age": 1, "x": 2}, {"y": 1, "x": 3}]"#).unwrap();
        assert_eq!(unknown(&rows, |name| name == "age", 5), ["x", "y"]);
        assert_eq!(names(&rows), ["age", "x", "y"]);
    }
}
