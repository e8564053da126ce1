//! What kind a column of words is, and what the user should know about a column.

use std::collections::HashSet;

use super::cell::{Number, is_date, number, trim};
use super::gather::Dictionary;
use super::note::Note;
use super::table::{Column, Kind, Values};
use crate::error::Act;

/// With more levels than this a column of words is text if they seldom repeat.
const MANY_LEVELS: usize = 100;
/// With more levels than this a column of words is text in any case.
const MOST_LEVELS: usize = 2000;
/// The fewest observed cells for a remark on words among numbers.
const FEWEST_FOR_REMARK: usize = 20;
/// How many odd words a remark shows.
const SHOWN: usize = 5;

/// The kind of a column that is not made of numbers.
pub(crate) fn word_kind(words: &Dictionary) -> Kind {
    kind_of_levels(&words.levels, words.counts.iter().sum())
}

/// The same from the levels and how many cells are known.
pub(crate) fn kind_of_levels(words: &[String], observed: usize) -> Kind {
    let levels = words.len();
    if levels > 0 && words.iter().all(|level| is_date(level.as_bytes())) {
        Kind::Date
    } else if levels == 2 {
        Kind::Binary
    } else if levels > MOST_LEVELS || (levels > MANY_LEVELS && levels * 5 > observed) {
        Kind::Text
    } else {
        Kind::Category
    }
}

/// What is worth telling about a column that was read.
pub(crate) fn notes(column: &Column) -> Vec<Note> {
    let name = &column.name;
    let observed = column.rows() - column.missing();
    if observed == 0 {
        return vec![format!("column `{name}` is empty: no cell of it is known").into()];
    }
    let mut notes = Vec::new();
    notes.extend(near_numeric(column, observed));
    match column.kind {
        Kind::Text => {
            notes.push(format!("column `{name}` is free text: carried along, not used as an input").into())
        }
        Kind::Date => {
            notes.push(
                format!("column `{name}` holds dates or times: carried along, not used as an input").into(),
            );
        }
        _ if has_one_value(column) => {
            let value =
                column.observed.iter().position(|observed| *observed).and_then(|row| column.cell(row));
            let value = value.unwrap_or_default();
            notes.push(format!("column `{name}` has one value only (`{value}`): it tells nothing").into());
        }
        _ if looks_like_an_id(column, observed) => notes.push(Note {
            text: format!("column `{name}` looks like a row number or an id"),
            act: Some(Act::LeaveOutId { column: name.clone() }),
        }),
        _ => {}
    }
    notes
}

fn has_one_value(column: &Column) -> bool {
    fn same<T: PartialEq>(values: &[T], observed: &[bool]) -> bool {
        let mut known =
            values.iter().zip(observed).filter(|(_, observed)| **observed).map(|(value, _)| value);
        let first = known.next();
        known.all(|value| Some(value) == first)
    }
    match &column.values {
        Values::Numbers(values) => same(values, &column.observed),
        Values::Codes { codes, .. } => same(codes, &column.observed),
        Values::Texts(texts) => same(texts, &column.observed),
    }
}

/// Words among numbers: most cells are numbers, a few odd words keep the column from being numeric.
fn near_numeric(column: &Column, observed: usize) -> Option<Note> {
    let is_number = |word: &str| matches!(number(trim(word.as_bytes())), Number::Finite(_));
    let (mut odd, mut odd_cells): (Vec<&str>, usize) = (Vec::new(), 0);
    let mut add = |word, cells| {
        odd_cells += cells;
        if !odd.contains(&word) && odd.len() <= SHOWN {
            odd.push(word);
        }
    };
    match &column.values {
        Values::Codes { codes, levels } if column.kind == Kind::Category => {
            let mut counts = vec![0; levels.len()];
            let known = codes.iter().zip(&column.observed).filter(|(_, observed)| **observed);
            known.for_each(|(code, _)| counts[*code as usize] += 1);
            let odd = levels.iter().zip(&counts).filter(|(level, _)| !is_number(level));
            odd.for_each(|(level, count)| add(level.as_str(), *count));
        }
        Values::Texts(texts) if column.kind == Kind::Text => {
            let known = texts.iter().zip(&column.observed).filter(|(_, observed)| **observed);
            known.filter(|(text, _)| !is_number(text)).for_each(|(text, _)| add(text.as_str(), 1));
        }
        _ => return None,
    }
    if observed < FEWEST_FOR_REMARK || odd_cells == 0 || odd_cells * 10 >= observed {
        return None;
    }
    let more = if odd.len() > SHOWN { ", ..." } else { "" };
    let shown: Vec<String> = odd.iter().take(SHOWN).map(|word| format!("`{}`", word.trim())).collect();
    let (name, first) = (&column.name, odd.first().map_or("", |word| word.trim()));
    let text = format!(
        "column `{name}` is nearly all numbers, but {odd_cells} of {observed} cells are not ({}{more}), so it is read \
         as {}",
        shown.join(", "),
        column.kind
    );
    Some(Note { text, act: Some(Act::NameMissing { column: name.clone(), word: first.to_owned() }) })
}

/// Whole numbers without a gap or a hole, or nearly all different under a name that says so; words that
/// nearly all differ.
fn looks_like_an_id(column: &Column, observed: usize) -> bool {
    if observed < FEWEST_FOR_REMARK {
        return false;
    }
    match &column.values {
        Values::Numbers(values) if column.kind == Kind::Integer => {
            let known = || {
                values
                    .iter()
                    .zip(&column.observed)
                    .filter(|(_, observed)| **observed)
                    .map(|(value, _)| *value)
            };
            let (least, most) = known()
                .fold((f64::MAX, f64::MIN), |(least, most), value| (value.min(least), value.max(most)));
            let consecutive = observed == column.rows() && most - least == (observed - 1) as f64;
            if !consecutive && !is_id_name(&column.name) {
                return false;
            }
            let distinct = known().map(f64::to_bits).collect::<HashSet<_>>().len();
            if consecutive { distinct == observed } else { distinct * 10 > observed * 9 }
        }
        Values::Codes { levels, .. } if column.kind == Kind::Category => levels.len() * 10 > observed * 9,
        _ => false,
    }
}

/// Whether one of the words of a name is usual for ids.
fn is_id_name(name: &str) -> bool {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    words
        .map(str::to_lowercase)
        .any(|word| matches!(word.as_str(), "id" | "ids" | "number" | "no" | "nr" | "index" | "key" | "code"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    /// One column of these cells: its kind and the notes.
    fn one(cells: impl IntoIterator<Item = String>) -> (Kind, Vec<String>) {
        let text = std::iter::once("x".to_owned()).chain(cells).map(|cell| format!("{cell},0\n"));
        let text: String =
            text.enumerate().map(|(row, line)| if row == 0 { "x,y\n".to_owned() } else { line }).collect();
        let reading = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
        let notes =
            reading.notes.into_iter().map(|note| note.text).filter(|note| note.contains("`x`")).collect();
        (reading.table.columns()[0].kind, notes)
    }

    fn words(cells: &[&str]) -> (Kind, Vec<String>) {
        one(cells.iter().map(|cell| (*cell).to_owned()))
    }

    #[test]
    fn kinds_are_found_over_the_whole_column() {
        assert_eq!(words(&["1", "2.5", "NA", "3"]).0, Kind::Real);
        assert_eq!(words(&["1", "2.0", "+3", ""]).0, Kind::Integer);
        assert_eq!(words(&["0", "1.0", "1", "?"]).0, Kind::Binary);
        assert_eq!(words(&["no", "yes", "no"]).0, Kind::Binary);
        assert_eq!(words(&["a", "b", "c"]).0, Kind::Category);
        assert_eq!(words(&["1", "2", "x"]).0, Kind::Category);
        assert_eq!(words(&["9007199254740993", "1", "2"]).0, Kind::Category);
        assert_eq!(words(&["inf", "low", "high"]).0, Kind::Category);
        assert_eq!(words(&["2024-03-31", "2024-04-01", "NA"]).0, Kind::Date);
        assert_eq!(words(&["1e100", "2", "3"]).0, Kind::Real);
    }

    #[test]
    fn text_is_many_levels_that_seldom_repeat() {
        let cycle =
            |levels: usize, rows: usize| one((0..rows).map(move |row| format!("w{}", row % levels))).0;
        assert_eq!(cycle(100, 100), Kind::Category);
        assert_eq!(cycle(101, 505), Kind::Category);
        assert_eq!(cycle(101, 504), Kind::Text);
        assert_eq!(cycle(2000, 20_000), Kind::Category);
        assert_eq!(cycle(2001, 20_000), Kind::Text);
    }

    #[test]
    fn remarks() {
        assert_eq!(words(&["", "NA"]).1, ["column `x` is empty: no cell of it is known"]);
        assert_eq!(words(&["5", "5", ""]).1, ["column `x` has one value only (`5`): it tells nothing"]);
        assert_eq!(
            words(&["2024-03-31", "08:15"]).1,
            ["column `x` holds dates or times: carried along, not used as an input"]
        );
        let rows = one((1..=30).map(|row| row.to_string())).1;
        assert_eq!(rows, ["column `x` looks like a row number or an id"]);
        assert!(one((1..=30).map(|row| (row * row).to_string())).1.is_empty());
    }

    #[test]
    fn odd_words_among_numbers_are_shown() {
        let cell = |row: u32| match row {
            7 => "<0.5".to_owned(),
            11 | 13 => "-".to_owned(),
            _ => format!("{}.5", row % 9),
        };
        let (kind, notes) = one((0..40).map(cell));
        assert_eq!(kind, Kind::Category);
        assert_eq!(
            notes,
            [
                "column `x` is nearly all numbers, but 3 of 40 cells are not (`-`, `<0.5`), so it is read as category"
            ]
        );
        assert!(one((0..30).map(cell)).1.is_empty(), "a tenth of odd words is no accident");
        assert!(
            one((0..19).map(|row| if row == 1 { "x".into() } else { (row % 5).to_string() })).1.is_empty()
        );
    }
}
