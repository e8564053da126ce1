//! The start of a delimited file: byte order mark, what stands above the header, delimiter, header.

use std::collections::HashSet;

use super::cell::word;
use super::faults::{Locator, shown};
use super::form::Form;
use super::split::{LONGEST_RECORD, LineCounter, check_text, split_record};
use super::titles::{DELIMITERS, after_lines, below_titles, may_be_title, separator_line};
use crate::error::{Error, Place, Result};

/// Bytes in which a title is looked for where the first record may be one.
const FOR_TITLES: usize = 1 << 16;
/// Given names that are told one by one.
const MOST_TOLD: usize = 5;

/// What the first record says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    /// The names of the columns.
    pub(crate) names: Vec<String>,
    /// The byte between two cells.
    pub(crate) delimiter: u8,
    /// Where the header's line starts.
    pub(crate) start: usize,
    /// Where the byte after the header's line and its line end stands.
    pub(crate) end: usize,
    /// What is worth telling: what was passed over, and names that were given.
    pub(crate) notes: Vec<String>,
}

/// Where the header is looked for.
struct Above {
    start: usize,
    delimiter: Option<u8>,
    notes: Vec<String>,
}

/// Reads the header; `None` if it goes on beyond these bytes, which then are not the `last` ones.
pub(crate) fn head(
    file: &str,
    bytes: &[u8],
    last: bool,
    delimiter: Option<u8>,
    form: &Form,
) -> Result<Option<Head>> {
    let place = || Place::file(file);
    let Some(Above { start, delimiter, mut notes }) = above(file, bytes, last, delimiter, form)? else {
        return Ok(None);
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
    let written: Vec<String> =
        starts.zip(&ends).map(|(from, to)| word(&bytes[from..*to as usize]).into_owned()).collect();
    let names = distinct(file, written, &mut notes)?;
    Ok(Some(Head { names, delimiter, start, end: next, notes }))
}

/// Passes over what stands above the header: a byte order mark, empty lines, `sep=;`, a title.
fn above(file: &str, bytes: &[u8], last: bool, delimiter: Option<u8>, form: &Form) -> Result<Option<Above>> {
    let place = || Place::file(file);
    let mark = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let (mut start, mut delimiter, mut notes) = (mark, delimiter, Vec::new());
    if let Some((named, next)) = separator_line(&bytes[mark..]) {
        start += next;
        delimiter = delimiter.or(Some(named));
    }
    if let Some(lines) = form.skip.filter(|lines| *lines > 0) {
        match after_lines(&bytes[start..], lines) {
            Some(skipped) => start += skipped,
            None if !last && bytes.len() <= LONGEST_RECORD => return Ok(None),
            None => {
                return Err(Error::setting("skip-lines", format!("{file} has no more than {lines} lines"))
                    .with_hint("it is the number of lines above the names of the columns"));
            }
        }
    }
    let blank = bytes[start..].iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
    let Some(start) = blank.map(|length| start + length) else {
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
    if form.skip.is_some() {
        return Ok(Some(Above { start, delimiter, notes }));
    }
    let guess = guess_delimiter(&bytes[start..]);
    if !last && bytes.len() < FOR_TITLES && may_be_title(bytes, start, delimiter.unwrap_or(guess)) {
        return Ok(None);
    }
    let looked_at = &bytes[..bytes.len().min(FOR_TITLES)];
    let whole = last && bytes.len() <= FOR_TITLES;
    match below_titles(looked_at, start, delimiter, guess, whole) {
        Some((names, found)) => {
            let title = String::from_utf8_lossy(&bytes[start..names]).into_owned();
            let first =
                title.lines().next().unwrap_or_default().trim_matches([',', ';', '\t', '|', '"', ' ']);
            let lines = title.lines().count();
            let count = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
            let verb = if lines == 1 { "is" } else { "are" };
            notes.push(format!(
                "{count} above the names of the columns {verb} passed over (`{}`)",
                shown(first)
            ));
            Ok(Some(Above { start: names, delimiter: Some(found), notes }))
        }
        None => Ok(Some(Above { start, delimiter, notes })),
    }
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

/// Names that each column has for itself: a name that occurs again gets a number, a column without one its place.
fn distinct(file: &str, written: Vec<String>, notes: &mut Vec<String>) -> Result<Vec<String>> {
    let unnamed = written.iter().filter(|name| name.is_empty()).count();
    if 2 * unnamed > written.len() {
        let what = format!("{unnamed} of {} columns have no name", written.len());
        return Err(Error::input(Place::file(file).at_line(1), what).with_hint("give every column a name"));
    }
    let taken: HashSet<String> = written.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut given = Vec::new();
    let names = written.into_iter().enumerate().map(|(column, name)| {
        if !name.is_empty() && seen.insert(name.clone()) {
            return name;
        }
        let new = match name.is_empty() {
            true => free(&format!("column {}", column + 1), &taken, &mut seen, 1),
            false => free(&name, &taken, &mut seen, 2),
        };
        given.push(match name.is_empty() {
            true => format!("column {} has no name and is called `{new}`", column + 1),
            false => {
                format!("the name `{name}` occurs again in column {}, which is called `{new}`", column + 1)
            }
        });
        new
    });
    let names = names.collect();
    let more = given.len().saturating_sub(MOST_TOLD);
    given.truncate(MOST_TOLD);
    notes.append(&mut given);
    if more > 0 {
        notes.push(format!("{more} more columns got a name in the same way"));
    }
    Ok(names)
}

/// A name that no column has: with a number behind it, from `first` on; 1 is left out.
fn free(name: &str, taken: &HashSet<String>, seen: &mut HashSet<String>, first: usize) -> String {
    let mut number = first;
    loop {
        let new = if number == 1 { name.to_owned() } else { format!("{name}_{number}") };
        if !taken.contains(&new) && seen.insert(new.clone()) {
            return new;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        head("t.csv", text.as_bytes(), true, None, &Form::default()).unwrap().unwrap().names
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
                head("t", text.as_bytes(), true, None, &Form::default()).unwrap().unwrap().delimiter,
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
    fn what_stands_above_is_passed_over() {
        assert_eq!(names("sep=;\na;b\n1;2\n"), ["a", "b"]);
        assert_eq!(names("Ward 3, spring\n\nid;age\n1;2\n3;4\n"), ["id", "age"]);
        let form = Form { skip: Some(2), ..Form::default() };
        let text = b"Ward, 3\n4,5\nid,age\n1,2\n";
        let skipped = head("t", text, true, None, &form).unwrap().unwrap();
        assert_eq!((skipped.names, skipped.start), (vec!["id".to_owned(), "age".to_owned()], 12));
        let few = Form { skip: Some(9), ..Form::default() };
        assert!(head("t", text, true, None, &few).unwrap_err().to_string().contains("skip"));
        assert_eq!(head("t", text, false, None, &few).unwrap(), None);
    }

    #[test]
    fn every_column_gets_a_name_of_its_own() {
        assert_eq!(names("a,b,a,a,a_2\n"), ["a", "b", "a_3", "a_4", "a_2"]);
        assert_eq!(names(",a\n"), ["column 1", "a"]);
        assert!(head("t", b",,a\n", true, None, &Form::default()).is_err());
        let noted = head("t", b"a,b,a\n", true, None, &Form::default()).unwrap().unwrap().notes;
        assert_eq!(noted, ["the name `a` occurs again in column 3, which is called `a_2`"]);
    }

    #[test]
    fn an_unfinished_header_asks_for_more() {
        assert_eq!(head("t", b"a,b", false, None, &Form::default()).unwrap(), None);
        assert_eq!(head("t", b"", false, None, &Form::default()).unwrap(), None);
        assert_eq!(head("t", b"a,b\n", false, None, &Form::default()).unwrap().unwrap().end, 4);
    }
}
