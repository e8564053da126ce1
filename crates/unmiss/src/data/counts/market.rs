//! Matrix Market: a line that says what it is, comments, a line of sizes, then row, column and number of each entry.

use super::matrix::{Counts, MOST};
use crate::error::{Error, Place, Result};

const FIRST: &[u8] = b"%%MatrixMarket";

/// Whether bytes begin as the form does.
pub fn is_market(bytes: &[u8]) -> bool {
    bytes.get(..FIRST.len()).is_some_and(|first| first.eq_ignore_ascii_case(FIRST))
}

/// The matrix as it lies in the file, its rows and columns named by their numbers.
///
/// # Errors
/// When it is of another kind than coordinates of numbers, or damaged.
pub fn read(file: &str, bytes: &[u8]) -> Result<Counts> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        Error::input(Place::file(file), "this is not text, though it begins as Matrix Market")
    })?;
    let mut lines = text.lines().zip(1..);
    let head = lines.next().map_or("", |(line, _)| line).to_lowercase();
    let words: Vec<&str> = head.split_whitespace().collect();
    if !matches!(words[1..], ["matrix", "coordinate", "integer" | "real", "general"]) {
        let what = format!("Matrix Market of the kind `{}` is not read", words[1..].join(" "));
        return Err(Error::input(Place::file(file).at_line(1), what)
            .with_hint("counts are `matrix coordinate integer general`, or `real` in place of `integer`"));
    }
    let mut lines = lines.filter(|(line, _)| !line.starts_with('%') && !line.trim().is_empty());
    let damaged = |line: u64, what: String| Error::input(Place::file(file).at_line(line), what);
    let (sizes, at) = lines.next().ok_or_else(|| damaged(1, "the line of sizes is not there".into()))?;
    let numbers: Option<Vec<usize>> = sizes.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some([rows, columns, entries]) = numbers.as_deref() else {
        return Err(damaged(at, format!("`{sizes}` is not rows, columns and entries")));
    };
    let (rows, columns, entries) = (*rows, *columns, *entries);
    if rows > MOST || columns > MOST {
        return Err(damaged(at, format!("{rows} x {columns} is more than can be read")));
    }
    // An entry takes six bytes at least: a wrong number of them must not take all memory.
    let mut found = Vec::with_capacity(entries.min(bytes.len() / 6));
    for (line, at) in lines {
        let mut words = line.split_whitespace();
        let mut place = |most: usize| -> Option<u32> {
            let number: usize = words.next()?.parse().ok()?;
            (1..=most).contains(&number).then(|| number as u32 - 1)
        };
        let (row, column) = (place(rows), place(columns));
        let count = words.next().and_then(|word| word.parse::<f64>().ok()).filter(|count| count.is_finite());
        if count.is_some_and(|count| count < 0.0) {
            return Err(damaged(at, format!("`{line}` has a number below 0, which no count is")));
        }
        match (row, column, count, words.next()) {
            (Some(row), Some(column), Some(count), None) => found.push((row, column, count)),
            _ => return Err(damaged(at, format!("`{line}` is not row, column and count within the sizes"))),
        }
    }
    if found.len() != entries {
        let what = format!("{entries} entries are announced, and {} are there", found.len());
        return Err(Error::input(Place::file(file), what).with_hint("the file is cut off; get it again"));
    }
    let names = |count: usize, what: &str| (1..=count).map(|number| format!("{what} {number}")).collect();
    Counts::new(names(rows, "row"), names(columns, "column"), found)
        .map_err(|error| Error::input(Place::file(file), error.to_string()))
}
