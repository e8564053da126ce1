//! Columns of a workbook in which text stands among numbers. What is a number to the workbook is one for certain; what
//! it took for text is read by itself, since the marks of the one say nothing about those of the other.

use std::collections::BTreeMap;

use super::super::cell::Number;
use super::super::digits::format_number;
use super::super::notation::{Look, Notation};

/// A cell that is not empty.
pub(super) struct Cell {
    pub row: u32,
    pub column: u32,
    pub text: String,
    /// Whether it is a number to the workbook.
    pub is_number: bool,
}

/// Writes text that is a number as one, in columns that have numbers as well; says where, with an example.
pub(super) fn settle(cells: &mut [Cell], decimal: Option<char>) -> Option<String> {
    let mut columns: BTreeMap<u32, (bool, Vec<usize>)> = BTreeMap::new();
    for (place, cell) in cells.iter().enumerate() {
        let (numbers, texts) = columns.entry(cell.column).or_default();
        *numbers |= cell.is_number;
        if !cell.is_number {
            texts.push(place);
        }
    }
    let mut told = None;
    for (column, (_, texts)) in columns.into_iter().filter(|(_, (numbers, _))| *numbers) {
        let Some(notation) = notation(&mut texts.iter().map(|place| cells[*place].text.as_str()), decimal)
        else {
            continue;
        };
        for place in texts {
            let text = &mut cells[place].text;
            let Number::Finite(value) = notation.number(text.trim().as_bytes()) else { continue };
            let plain = format_number(value);
            if plain != text.trim() && told.is_none() {
                let column = letters(column);
                told = Some(format!(
                    "`{}` is text among the numbers of column {column} of the sheet and is read as {plain}",
                    text.trim()
                ));
            }
            *text = plain;
        }
    }
    told
}

/// How the numbers among texts are written, if some are. Of two ways: a comma that the workbook did not understand is a
/// decimal one, as it takes commas between thousands for what they are.
fn notation(texts: &mut dyn Iterator<Item = &str>, decimal: Option<char>) -> Option<Notation> {
    let texts: Vec<&str> = texts.collect();
    match Look::of(texts.iter().copied(), decimal, true) {
        Look::Sure(notation) => Some(notation),
        Look::Either { point, comma } => {
            let numbers = texts.iter().filter(|text| comma.number(text.trim().as_bytes()) != Number::Not);
            Some(if numbers.clone().any(|text| text.contains(',')) { comma } else { point })
        }
        Look::Words => None,
    }
}

/// A column as workbooks name it: A to Z, then AA.
fn letters(column: u32) -> String {
    let last = char::from(b'A' + (column % 26) as u8);
    if column < 26 { last.to_string() } else { format!("{}{last}", letters(column / 26 - 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of a name and such cells; numbers are those of the workbook.
    fn read(cells: &[(&str, bool)], decimal: Option<char>) -> (Vec<String>, Option<String>) {
        let name = Cell { row: 0, column: 27, text: "fever".into(), is_number: false };
        let of = |(row, (text, is_number)): (usize, &(&str, bool))| Cell {
            row: row as u32 + 1,
            column: 27,
            text: (*text).to_owned(),
            is_number: *is_number,
        };
        let mut all: Vec<Cell> = std::iter::once(name).chain(cells.iter().enumerate().map(of)).collect();
        let told = settle(&mut all, decimal);
        (all.into_iter().skip(1).map(|cell| cell.text).collect(), told)
    }

    #[test]
    fn text_among_numbers_is_read_by_itself() {
        let (found, told) = read(&[("65.68", true), ("52,397", false), ("not done", false)], None);
        assert_eq!(found, ["65.68", "52.397", "not done"]);
        assert_eq!(
            told.as_deref(),
            Some("`52,397` is text among the numbers of column AB of the sheet and is read as 52.397")
        );
        assert_eq!(read(&[("63.4", true), ("63,4", false)], None).0, ["63.4", "63.4"]);
        assert_eq!(read(&[("63.4", true), ("1.234,5", false)], None).0, ["63.4", "1234.5"]);
        assert_eq!(
            read(&[("63.4", true), ("1.234", false)], None),
            (vec!["63.4".into(), "1.234".into()], None)
        );
        // What was said goes first.
        assert_eq!(read(&[("63.4", true), ("52,397", false)], Some('.')).0, ["63.4", "52397"]);
    }

    #[test]
    fn columns_of_text_alone_are_left_as_they_are() {
        assert_eq!(
            read(&[("52,397", false), ("1,5", false)], None),
            (vec!["52,397".into(), "1,5".into()], None)
        );
        assert_eq!(read(&[("3", true), ("high", false)], None).0, ["3", "high"]);
    }
}
