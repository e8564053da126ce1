//! The start of a delimited file: byte order mark, delimiter, header.

use super::cell::word;
use super::faults::Locator;
use super::split::{LONGEST_RECORD, LineCounter, check_text, split_record};
use crate::error::{Error, Place, Result};

/// The delimiters that are looked for, in the order that settles ties.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// What the first record says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    /// The names of the columns.
    pub(crate) names: Vec<String>,
    /// The byte between two cells.
    pub(crate) delimiter: u8,
    /// Where the byte after the header's line and its line end stands.
    pub(crate) end: usize,
}

/// Reads the header; `None` if it goes on beyond these bytes, which then are not the `last` ones.
pub(crate) fn head(file: &str, bytes: &[u8], last: bool, delimiter: Option<u8>) -> Result<Option<Head>> {
    let place = || Place::file(file);
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Error::input(place(), "the file is UTF-16, only UTF-8 can be read")
            .with_hint("save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"));
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(Error::input(place(), "this is a zip or Excel file, not a table of plain text")
            .with_hint("save it as CSV"));
    }
    let mark = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let blank = bytes[mark..].iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
    let Some(start) = blank.map(|length| mark + length) else {
        return if last || bytes.len() > LONGEST_RECORD {
            Err(Error::input(
                place(),
                if last { "the file is empty" } else { "the file begins with 64 MB of nothing" },
            )
            .with_hint("a table starts with a line of column names"))
        } else {
            Ok(None)
        };
    };
    let locator = Locator { file, names: &[], before: LineCounter::default(), bytes };
    let delimiter = delimiter.unwrap_or_else(|| guess_delimiter(&bytes[start..]));
    let mut ends = Vec::new();
    let next = match split_record(bytes, start, delimiter, last, &mut ends) {
        Ok(Some(next)) => next,
        Ok(None) if bytes.len() <= LONGEST_RECORD => return Ok(None),
        Ok(None) => {
            return Err(Error::input(place().at_line(1), "the header is longer than 64 MB")
                .with_hint("is this a table of plain text?"));
        }
        // Bytes that are no text explain a strange quote better than the quote does.
        Err(fault) => return Err(locator.explain(check_text(bytes).err().unwrap_or(fault))),
    };
    check_text(&bytes[..next]).map_err(|fault| locator.explain(fault))?;
    let starts = std::iter::once(start).chain(ends.iter().map(|end| *end as usize + 1));
    let names: Vec<String> =
        starts.zip(&ends).map(|(from, to)| word(&bytes[from..*to as usize]).into_owned()).collect();
    check_header(file, &names)?;
    Ok(Some(Head { names, delimiter, end: next }))
}

/// The candidate that occurs most often outside quotes in the first record; the comma if none occurs.
pub(crate) fn guess_delimiter(bytes: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    let mut at_start = true;
    for byte in bytes {
        match byte {
            b'"' if quoted || at_start => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ => {}
        }
        let candidate = DELIMITERS.iter().position(|delimiter| delimiter == byte).filter(|_| !quoted);
        if let Some(candidate) = candidate {
            counts[candidate] += 1;
        }
        // A quote directly after a closing one is a doubled quote and opens the cell again.
        at_start = candidate.is_some() || (*byte == b'"' && !quoted);
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    DELIMITERS[counts.iter().position(|count| *count == most).unwrap_or(0)]
}

fn check_header(file: &str, names: &[String]) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for (column, name) in names.iter().enumerate() {
        let place = Place::file(file).at_line(1);
        if name.is_empty() {
            return Err(Error::input(place, format!("column {} of {} has no name", column + 1, names.len()))
                .with_hint("give every column a name (a pandas index: `to_csv(..., index=False)`)"));
        }
        if let Some(first) = seen.insert(name, column + 1) {
            let what = format!("the name `{name}` occurs twice, in columns {first} and {}", column + 1);
            return Err(Error::input(place, what).with_hint("give every column its own name"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        head("t.csv", text.as_bytes(), true, None).unwrap().unwrap().names
    }

    #[test]
    fn delimiters_are_guessed_from_the_header() {
        for (text, delimiter) in [
            ("a,b;c,d\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("a\tb", b'\t'),
            ("a|b", b'|'),
            ("a\n", b','),
            ("a;b,c", b','),
        ] {
            assert_eq!(
                head("t", text.as_bytes(), true, None).unwrap().unwrap().delimiter,
                delimiter,
                "{text}"
            );
        }
        assert_eq!(names("\"a,x,y\";b\n"), ["a,x,y", "b"]);
        assert_eq!(names("\"a \"\",\"\",\"\",\";b\n"), ["a \",\",\",", "b"]);
    }

    #[test]
    fn marks_blank_lines_and_spaces_are_passed_over() {
        assert_eq!(names("\u{feff}a, b \n1,2\n"), ["a", "b"]);
        assert_eq!(names("\r\n\r\na,\"b\nc\"\r\n"), ["a", "b\nc"]);
    }

    #[test]
    fn an_unfinished_header_asks_for_more() {
        assert_eq!(head("t", b"a,b", false, None).unwrap(), None);
        assert_eq!(head("t", b"", false, None).unwrap(), None);
        assert_eq!(head("t", b"a,b\n", false, None).unwrap().unwrap().end, 4);
    }
}
