//! What may stand above the names of the columns: a line `sep=;` for spreadsheets, and rows of a title.

use super::cell::{Number, number, trim, word};
use super::split::split_record;

/// The delimiters that are looked for, in the order that settles ties.
pub(crate) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records that are looked at, and the most of them that a title has.
const LOOKED_AT: usize = 40;
const MOST_TITLES: usize = 20;

/// The delimiter that a first line `sep=;` names, and where the next line starts.
pub(crate) fn separator_line(bytes: &[u8]) -> Option<(u8, usize)> {
    let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let line = trim(&bytes[..end]);
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let (name, rest) = line.split_at_checked(4)?;
    match rest {
        &[delimiter] if name.eq_ignore_ascii_case(b"sep=") => Some((delimiter, after_line(bytes, end))),
        _ => None,
    }
}

/// Where a line starts that has so many others above it; `None` if the bytes end before.
pub(crate) fn after_lines(bytes: &[u8], lines: usize) -> Option<usize> {
    (0..lines).try_fold(0, |from, _| {
        let end = bytes[from..].iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        Some(after_line(bytes, from + end))
    })
}

fn after_line(bytes: &[u8], end: usize) -> usize {
    end + if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 }
}

/// A record in short.
struct Record {
    start: usize,
    cells: usize,
    /// Cells in which something stands.
    filled: usize,
    /// Whether any cell is a number.
    numbers: bool,
}

/// Rows of a title above the names of the columns: where these start, and the delimiter. `None` where the first record
/// may well be the names.
///
/// A title has fewer cells than the table, or nothing in all but one; below it, all records have the same number of
/// cells, and in the first of them something stands everywhere and no number.
pub(crate) fn below_titles(
    bytes: &[u8],
    start: usize,
    told: Option<u8>,
    guess: u8,
    last: bool,
) -> Option<(usize, u8)> {
    let usual = records(bytes, start, told.unwrap_or(guess), last);
    let first = usual.first()?;
    let is_lone = first.cells > 1 && first.filled <= 1;
    if !is_lone && usual[1..].iter().all(|other| other.cells == first.cells) {
        return None;
    }
    let delimiters = DELIMITERS.into_iter().filter(|delimiter| told.is_none_or(|told| told == *delimiter));
    let found = delimiters.chain(told).filter_map(|delimiter| {
        let records = records(bytes, start, delimiter, last);
        let width = records.last()?.cells;
        let from = records.iter().rposition(|record| record.cells != width).map_or(0, |other| other + 1);
        let is_header = |record: &Record| record.filled == width && !record.numbers;
        let header = (from..records.len()).find(|place| is_header(&records[*place]))?;
        let is_title =
            |record: &Record| record.filled <= 1 || (record.cells < width && 2 * record.filled <= width);
        let fits = (1..=MOST_TITLES).contains(&header)
            && width > 1
            && header + 1 < records.len()
            && records[..header].iter().all(is_title);
        fits.then(|| (width, records[header].start, delimiter))
    });
    let (_, at, delimiter) = found.max_by_key(|(width, ..)| *width)?;
    Some((at, delimiter))
}

/// Whether the first record may be a title: something stands in one of its cells at most.
pub(crate) fn may_be_title(bytes: &[u8], start: usize, delimiter: u8) -> bool {
    records(bytes, start, delimiter, false).first().is_none_or(|record| record.filled <= 1)
}

/// The first records, as far as they can be told; empty lines are none.
fn records(bytes: &[u8], start: usize, delimiter: u8, last: bool) -> Vec<Record> {
    let (mut records, mut position, mut ends) = (Vec::new(), start, Vec::new());
    while records.len() < LOOKED_AT && position < bytes.len() {
        if matches!(bytes[position], b'\n' | b'\r') {
            position += 1;
            continue;
        }
        ends.clear();
        let Ok(Some(next)) = split_record(bytes, position, delimiter, last, &mut ends) else { break };
        let mut from = position;
        let (mut filled, mut numbers) = (0, false);
        for &end in &ends {
            let cell = word(&bytes[from..end as usize]);
            filled += usize::from(!cell.is_empty());
            numbers |= matches!(number(cell.as_bytes()), Number::Finite(_));
            from = end as usize + 1;
        }
        records.push(Record { start: position, cells: ends.len(), filled, numbers });
        position = next;
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(text: &str) -> Option<&str> {
        let first = text.lines().next().unwrap_or_default();
        let guess = if first.contains(';') { b';' } else { b',' };
        let (at, _) = below_titles(text.as_bytes(), 0, None, guess, true)?;
        text[at..].lines().next()
    }

    #[test]
    fn titles_are_told_from_names() {
        for (text, names) in [
            ("Ward 3\n\nid,age\n1,2\n3,4\n", Some("id,age")),
            ("Ward 3, spring\nMade by Ann\nid;age;sex\n1;2;m\n", Some("id;age;sex")),
            ("Ward 3;;\n;;\nid;age;sex\n1;2;m\n", Some("id;age;sex")),
            ("id,age\n1,2\n", None),
            ("x\n1\n2\n", None),
            ("a,b,c\n1,2\n3,4\n", None),
            ("a,b\n1,2,3\n4,5,6\n", None),
            ("a,b\nx,y,z\nu,v,w\n", None),
            ("Ward 3\nid,age\n", None),
            ("", None),
        ] {
            assert_eq!(names_of(text), names, "{text}");
        }
    }

    #[test]
    fn a_line_for_spreadsheets_is_known() {
        assert_eq!(separator_line(b"sep=;\r\na;b\r\n"), Some((b';', 7)));
        assert_eq!(separator_line(b"\"sep=\t\"\na\tb\n"), Some((b'\t', 8)));
        for text in ["sep;a\n1;2\n", "sep=;", "a,b\n", ""] {
            assert_eq!(separator_line(text.as_bytes()), None, "{text}");
        }
        assert_eq!(after_lines(b"a\r\nb\nc", 2), Some(5));
        assert_eq!(after_lines(b"a\nb", 2), None);
    }
}
