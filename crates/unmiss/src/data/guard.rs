//! Cells that a spreadsheet would compute. A program that opens a CSV file takes a cell that begins with `=`, `+`, `-`
//! or
//! `@` for a formula, also one that somebody put there on purpose; an apostrophe in front makes it text.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cell::{Number, content, number, trim};

/// Whether tables are written so.
static GUARDED: AtomicBool = AtomicBool::new(false);

/// From now on every table that this program writes as text has an apostrophe in front of cells that a spreadsheet
/// would compute. Such cells no longer come back as they were.
pub fn guard_formulas() {
    GUARDED.store(true, Ordering::Relaxed);
}

/// A guard for a file that is begun now, if there is to be one.
pub(super) fn guard() -> Option<Guard> {
    GUARDED.load(Ordering::Relaxed).then(Guard::default)
}

/// A stream of delimited text on its way out. What is a cell is seen from the bytes, so that every writer is guarded
/// alike.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// The cell that has begun.
    cell: Vec<u8>,
    quoted: bool,
}

impl Guard {
    /// The bytes to write instead of these; a cell that is not at its end is held back.
    pub(super) fn pass(&mut self, bytes: &[u8], delimiter: u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 16);
        for &byte in bytes {
            if byte == b'"' && (self.quoted || self.cell.is_empty() || self.cell.ends_with(b"\"")) {
                self.quoted = !self.quoted;
            }
            if !self.quoted && (byte == delimiter || matches!(byte, b'\n' | b'\r')) {
                self.end(&mut out);
                out.push(byte);
            } else {
                self.cell.push(byte);
            }
        }
        out
    }

    /// Ends the last cell.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        let quotes = usize::from(self.cell.starts_with(b"\""));
        if is_formula(&self.cell) {
            out.extend_from_slice(&self.cell[..quotes]);
            out.push(b'\'');
            out.extend_from_slice(&self.cell[quotes..]);
        } else {
            out.extend_from_slice(&self.cell);
        }
        self.cell.clear();
    }
}

/// Whether a spreadsheet would compute a cell: numbers may begin with a sign.
fn is_formula(raw: &[u8]) -> bool {
    let text = content(raw);
    let cell = trim(&text);
    let begins = matches!(text.first(), Some(b'\t' | b'\r'))
        || matches!(cell.first(), Some(b'=' | b'+' | b'-' | b'@'));
    begins && !matches!(number(cell), Number::Finite(_) | Number::TooManyDigits) && cell != b"-"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        let text = "id,=name\n=1+1,-5\n\"=HYPERLINK(\"\"x\"\",\"\"y\"\")\",+1e3\n@SUM(A1),a=b\n-2+3,\"a\n=b\"\n-,\" =1\"";
        let guarded = "id,'=name\n'=1+1,-5\n\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",+1e3\n'@SUM(A1),a=b\n'-2+3,\"a\n=b\"\n-,\"' =1\"";
        // However the bytes are cut into pieces.
        for piece in [1, 2, 5, 1000] {
            let (mut guard, mut out) = (Guard::default(), Vec::new());
            for bytes in text.as_bytes().chunks(piece) {
                out.extend(guard.pass(bytes, b','));
            }
            guard.end(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), guarded, "{piece}");
        }
    }
}
