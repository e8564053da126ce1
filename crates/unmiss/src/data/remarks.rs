//! What the user should know about a column that was read.

use std::collections::{BTreeMap, HashSet};

use super::dates::{DateLook, look, to_iso};
use super::faults::shown;
use super::notation::looks_like_a_number;
use super::note::Note;
use super::sentinels::sentinels;
use super::table::{Column, Kind, Values};
use crate::error::Act;

/// The fewest observed cells for a remark on odd cells.
const FEWEST_FOR_REMARK: usize = 20;
/// The most different words among numbers for a remark.
const MOST_ODD: usize = 10;
/// How many of them a remark shows.
const SHOWN: usize = 5;
/// Units that numbers of one column have, at most.
const MOST_UNITS: usize = 3;

/// What is worth telling about a column that was read.
pub(crate) fn notes(column: &Column) -> Vec<Note> {
    let name = &column.name;
    let observed = column.rows() - column.missing();
    if observed == 0 {
        return vec![format!("column `{name}` is empty: no cell of it is known").into()];
    }
    let mut notes = Vec::new();
    notes.extend(near_numeric(column, observed).or_else(|| dressed_numbers(column, observed)));
    notes.extend(either_date(column));
    notes.extend(sentinels(column));
    match column.kind {
        Kind::Text => notes.push(if is_key(column) {
            format!("column `{name}` is free text: carried along, not used as an input").into()
        } else {
            format!("column `{name}` is free text: predictors learn from its words, and nothing fills it")
                .into()
        }),
        Kind::Date => {
            let what = "holds dates or times: predictors learn from their parts, and nothing fills them";
            let read =
                own_order(column).map_or_else(String::new, |(cell, iso)| format!(" (`{cell}` is {iso})"));
            notes.push(format!("column `{name}` {what}{read}").into());
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

/// Numbers with a unit, a bound or brackets, which keep a column from being numbers: `66 kg`, `<5`, `(152,50)`.
fn dressed_numbers(column: &Column, observed: usize) -> Option<Note> {
    let Values::Codes { codes, levels } = &column.values else {
        let Values::Texts(texts) = &column.values else { return None };
        let known = || texts.iter().zip(&column.observed).filter(|(_, known)| **known).map(|(text, _)| text);
        return (column.kind == Kind::Text)
            .then(|| dressed(column, observed, known().map(String::as_str)))?;
    };
    let known = codes.iter().zip(&column.observed).filter(|(_, known)| **known);
    let words = known.map(|(code, _)| levels[*code as usize].as_str());
    (column.kind == Kind::Category).then(|| dressed(column, observed, words))?
}

fn dressed<'a>(column: &Column, observed: usize, words: impl Iterator<Item = &'a str>) -> Option<Note> {
    let (mut plain, mut dressed, mut example, mut units) = (0, 0, None, HashSet::new());
    for word in words {
        if looks_like_a_number(word) {
            plain += 1;
        } else if let Some(unit) = undressed(word) {
            dressed += 1;
            example.get_or_insert(word);
            units.insert(unit);
        }
    }
    // Codes end with letters of all kinds; units are few.
    let all = plain + dressed;
    if observed < FEWEST_FOR_REMARK || units.len() > MOST_UNITS || 10 * all < 9 * observed {
        return None;
    }
    let text = format!(
        "column `{}` is read as {}, though most of it looks like numbers: {} of {observed} known cells have something \
         beside the number, as `{}` has; write the number alone to have it read as one",
        column.name,
        column.kind,
        dressed,
        shown(example?)
    );
    Some(text.into())
}

/// What stands behind a number that has a bound, brackets or a unit around it; none if it is no number even so.
fn undressed(word: &str) -> Option<&str> {
    let inner = word.trim().trim_start_matches(['<', '>', '\u{2264}', '\u{2265}', '~', '=', '(', ' ']);
    let end = inner.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (body, unit) = inner.split_at(end);
    looks_like_a_number(body).then(|| unit.trim_matches([' ', ')']))
}

/// The first date of a column that is written with the year last, and as ISO 8601 has it.
fn own_order(column: &Column) -> Option<(&str, String)> {
    let Values::Texts(texts) = &column.values else { return None };
    let known =
        || texts.iter().zip(&column.observed).filter(|(_, known)| **known).map(|(text, _)| text.trim());
    let DateLook::Sure(order) = look(known(), None) else { return None };
    let first = known().next()?;
    Some((first, to_iso(first, order)?))
}

/// Dates of which it is not clear which number is the day.
fn either_date(column: &Column) -> Option<Note> {
    let example = match &column.values {
        Values::Codes { levels, .. } if look(levels.iter().map(String::as_str), None) == DateLook::Either => {
            levels.first()
        }
        Values::Texts(texts) if column.kind == Kind::Text => {
            let known =
                || texts.iter().zip(&column.observed).filter(|(_, known)| **known).map(|(text, _)| text);
            known().next().filter(|_| look(known().map(|text| text.trim()), None) == DateLook::Either)
        }
        _ => None,
    }?;
    let text = format!(
        "column `{}`: it is not clear whether the day or the month comes first in `{}`, so it is read as {}",
        column.name,
        shown(example),
        column.kind
    );
    Some(Note { text, act: Some(Act::SayDates) })
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
    let is_number = looks_like_a_number;
    let mut odd: BTreeMap<&str, usize> = BTreeMap::new();
    match &column.values {
        Values::Codes { codes, levels } if column.kind == Kind::Category => {
            let mut counts = vec![0; levels.len()];
            let known = codes.iter().zip(&column.observed).filter(|(_, observed)| **observed);
            known.for_each(|(code, _)| counts[*code as usize] += 1);
            let words = levels.iter().zip(&counts).filter(|(level, count)| **count > 0 && !is_number(level));
            odd.extend(words.map(|(level, count)| (level.trim(), *count)));
        }
        Values::Texts(texts) if column.kind == Kind::Text => {
            let known = texts.iter().zip(&column.observed).filter(|(_, observed)| **observed);
            known.filter(|(text, _)| !is_number(text)).for_each(|(text, _)| {
                *odd.entry(text.trim()).or_default() += 1;
            });
        }
        _ => return None,
    }
    let cells: usize = odd.values().sum();
    // A few words may be a fifth of the cells; many must be fewer to be no more than odd.
    let most = if odd.len() <= MOST_ODD { observed / 5 } else { observed.saturating_sub(1) / 10 };
    if observed < FEWEST_FOR_REMARK || cells == 0 || cells > most {
        return None;
    }
    let mut odd: Vec<(&str, usize)> = odd.into_iter().collect();
    odd.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = if odd.len() > SHOWN { ", ..." } else { "" };
    let shown: Vec<String> =
        odd.iter().take(SHOWN).map(|(word, count)| format!("`{}` ({count})", shown(word))).collect();
    let share = (100 * (observed - cells)) / observed;
    let name = &column.name;
    let text = format!(
        "column `{name}` is {share} % numbers; the rest are {}{more}, so it is read as {}",
        shown.join(", "),
        column.kind
    );
    let words = odd.iter().take(SHOWN).map(|(word, _)| (*word).to_owned()).collect();
    Some(Note { text, act: Some(Act::NameMissing { column: name.clone(), words }) })
}

/// Whether a column of text holds a key of each row, and no words: nearly all cells differ, and most are one word.
pub(crate) fn is_key(column: &Column) -> bool {
    let Values::Texts(texts) = &column.values else { return false };
    let known: Vec<&str> = texts
        .iter()
        .zip(&column.observed)
        .filter(|(_, known)| **known)
        .map(|(text, _)| text.trim())
        .collect();
    let spaced = known.iter().filter(|text| text.contains(char::is_whitespace)).count();
    let different = known.iter().collect::<HashSet<_>>().len();
    2 * spaced < known.len() && different * 10 > known.len() * 9
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
    fn remarks() {
        assert_eq!(words(&["", "NA"]).1, ["column `x` is empty: no cell of it is known"]);
        assert_eq!(words(&["5", "5", ""]).1, ["column `x` has one value only (`5`): it tells nothing"]);
        assert_eq!(
            words(&["2024-03-31", "08:15"]).1,
            ["column `x` holds dates or times: predictors learn from their parts, and nothing fills them"]
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
            ["column `x` is 92 % numbers; the rest are `-` (2), `<0.5` (1), so it is read as category"]
        );
        assert!(
            one((0..30).map(|row| if row % 4 == 0 { "x".into() } else { (row % 5).to_string() }))
                .1
                .is_empty()
        );
        assert!(
            one((0..19).map(|row| if row == 1 { "x".into() } else { (row % 5).to_string() })).1.is_empty()
        );
    }
}
