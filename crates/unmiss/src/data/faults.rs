//! Errors of the reader in words: file, line, column, what is wrong and what to do about it.

use super::cell::{Number, number, word};
use super::largest::too_large;
use super::split::{Fault, LONGEST_RECORD, LineCounter, Wrong};
use crate::error::{Act, Error, Hint, Place};

/// Characters of a cell that are quoted, at most.
const LONGEST_SHOWN: usize = 40;
/// Advice on a rating without a user or an item.
pub(crate) const EMPTY_ID: &str =
    "every rating belongs to a user and an item; take the row out, or give it an id";

/// What is needed to say where in a file something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Locator<'a> {
    /// The file as the user named it.
    pub(crate) file: &'a str,
    /// The header; empty while the header itself is read.
    pub(crate) names: &'a [String],
    /// The lines before `bytes`.
    pub(crate) before: LineCounter,
    /// The bytes in which offsets are counted.
    pub(crate) bytes: &'a [u8],
}

impl Locator<'_> {
    /// The line, from 1, in which the byte at an offset stands.
    fn line(&self, at: usize) -> u64 {
        let mut counter = self.before;
        counter.pass(&self.bytes[..at]);
        counter.lines + 1
    }

    fn place(&self, at: usize) -> Place {
        Place::file(self.file).at_line(self.line(at))
    }

    fn cell_place(&self, at: usize, cell: usize) -> Place {
        let name = self.names.get(cell).cloned();
        self.place(at).in_column(name.unwrap_or_else(|| (cell + 1).to_string()))
    }

    /// A fault of the bytes, in words.
    pub(crate) fn explain(&self, fault: Fault) -> Error {
        let at = fault.at;
        match fault.what {
            Wrong::OpenQuote { cell } => {
                Error::input(self.cell_place(at, cell), "a quote is opened and never closed")
                    .with_hint("close it with `\"`; a quote inside a quoted cell is written twice: `\"\"`")
            }
            Wrong::AfterQuote { cell } => {
                Error::input(self.cell_place(at, cell), "there is text after the closing quote")
                    .with_hint("a quote inside a quoted cell is written twice: `\"\"`")
            }
            Wrong::Width { cells } => self.width(at, cells),
            Wrong::TooLong => {
                let most = LONGEST_RECORD >> 20;
                Error::input(self.place(at), format!("the record is longer than {most} MB"))
                    .with_hint("most likely a quote is opened here and never closed")
            }
            Wrong::Nul => Error::input(self.place(at), "there is a NUL byte, so this is not plain text")
                .with_hint("save the file as CSV in UTF-8, or name its encoding"),
            Wrong::NotUtf8 => self.not_utf8(at),
        }
    }

    fn width(&self, at: usize, cells: usize) -> Error {
        let header = self.names.len();
        let plural = if cells == 1 { "" } else { "s" };
        let what = format!("{cells} cell{plural}, but the header has {header}");
        Error::input(self.place(at), what).with_hint(if cells < header {
            "write an empty cell for a missing value; a cell with a line break needs quotes around it"
        } else {
            "a cell that contains the delimiter needs quotes around it"
        })
    }

    fn not_utf8(&self, at: usize) -> Error {
        let line_start = self.bytes[..at].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
        let position = at - line_start.map_or(0, |end| end + 1) + 1;
        let what = format!("byte {position} of the line (0x{:02x}) is not UTF-8", self.bytes[at]);
        Error::input(self.place(at), what).with_hint("save the file as UTF-8, or name its encoding")
    }

    /// A rating without a user or an item. `at` is the start of its record.
    pub(crate) fn empty_id(&self, at: usize, column: usize) -> Error {
        Error::input(self.cell_place(at, column), "there is no id here").with_hint(EMPTY_ID)
    }

    /// A cell of a number column that is none. `at` is the start of its record.
    pub(crate) fn not_a_number(&self, at: usize, column: usize, raw: &[u8]) -> Error {
        let cell = shown(&word(raw));
        let place = self.cell_place(at, column);
        let missing = may_be_missing(&place, &cell);
        match number(word(raw).as_bytes()) {
            Number::TooManyDigits => {
                Error::input(place, format!("`{cell}` has more digits than a number column can keep"))
                    .with_hint("read the column as a category or as text")
            }
            Number::Infinite => Error::input(place, too_large(&cell)).with_hint(missing),
            Number::Finite(_) => Error::input(place, format!("`{cell}` is not a whole number"))
                .with_hint("read the column as real"),
            Number::Not => Error::input(place, format!("`{cell}` is not a number")).with_hint(missing),
        }
    }
}

/// A cell as it is quoted in an error: short, on one line.
pub(crate) fn shown(cell: &str) -> String {
    let clean: String =
        cell.chars().take(LONGEST_SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if cell.chars().nth(LONGEST_SHOWN).is_some() { "…" } else { "" };
    clean + more
}

/// Advice on a word that is most likely a hole: the usual words for "missing" stay what they are.
pub(crate) fn may_be_missing(place: &Place, word: &str) -> Hint {
    let column = place.column.clone().unwrap_or_else(|| "COLUMN".to_owned());
    Act::NameMissing { column, words: vec![word.to_owned()] }.into()
}

#[cfg(test)]
mod tests;
