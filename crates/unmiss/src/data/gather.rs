//! From cells to columns: scans over the records of one piece of text, and how pieces are put together.

use std::collections::HashMap;

use super::cell::{LARGEST_EXACT, Number, content, number, trim, word};
use super::notation::Notation;
use super::options::Tokens;
use super::split::Records;
use super::table::{Column, Kind, Values, format_number};

/// The code of a cell that is not observed, until the column is finished.
pub(crate) const HOLE: u32 = u32::MAX;

/// What a scan for numbers found.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberFacts {
    /// The first row with something else than a finite number, where the scan stopped.
    pub(crate) stopped: Option<usize>,
    /// The first row with an infinity or a number too large.
    pub(crate) infinite: Option<usize>,
    /// The first row with a number that is not whole (or too large to be told).
    pub(crate) fraction: Option<usize>,
    /// The first row whose whole number has a 0 in front, as codes have.
    pub(crate) padded: Option<usize>,
    /// The different values, as long as there are no more than three.
    pub(crate) distinct: Vec<f64>,
}

impl NumberFacts {
    /// Takes note of an observed number.
    #[inline]
    pub(crate) fn note(&mut self, row: usize, value: f64) {
        if self.fraction.is_none() && (value.fract() != 0.0 || value.abs() > LARGEST_EXACT) {
            self.fraction = Some(row);
        }
        if self.distinct.len() < 3 && !self.distinct.contains(&value) {
            self.distinct.push(value);
        }
    }

    /// Adds the facts of the rows that follow; `offset` rows stand before them.
    pub(crate) fn append(&mut self, other: &Self, offset: usize) {
        let later = |row: Option<usize>| row.map(|row| row + offset);
        self.stopped = self.stopped.or(later(other.stopped));
        self.infinite = self.infinite.or(later(other.infinite));
        self.fraction = self.fraction.or(later(other.fraction));
        self.padded = self.padded.or(later(other.padded));
        for value in &other.distinct {
            if self.distinct.len() < 3 && !self.distinct.contains(value) {
                self.distinct.push(*value);
            }
        }
    }
}

/// Reads a column as numbers, plain or in a notation, up to the first cell that is none. An infinity is noted and
/// passed over, as the rest of the column decides whether it is a fault or a word.
pub(crate) fn scan_numbers(
    bytes: &[u8],
    records: &Records,
    column: usize,
    (tokens, notation): (&Tokens, Option<&Notation>),
    values: &mut [f64],
    observed: &mut [bool],
) -> NumberFacts {
    let mut facts = NumberFacts::default();
    for row in 0..records.rows() {
        let text = content(records.cell(bytes, row, column));
        let cell = trim(&text);
        if tokens.contain(cell) {
            continue;
        }
        match notation.map_or_else(|| number(cell), |notation| notation.number(cell)) {
            Number::Finite(value) => {
                facts.note(row, value);
                if let (&[b'0', b'0'..=b'9', ..], None) = (cell, facts.padded) {
                    facts.padded = Some(row);
                }
                values[row] = value;
                observed[row] = true;
            }
            Number::Infinite => facts.infinite = facts.infinite.or(Some(row)),
            Number::TooManyDigits | Number::Not => {
                facts.stopped = Some(row);
                break;
            }
        }
    }
    facts
}

/// A column of numbers; binary if there are exactly two values and the kind was left open.
pub(crate) fn numbers_column(
    name: &str,
    values: Vec<f64>,
    observed: Vec<bool>,
    facts: &NumberFacts,
    wanted: Option<Kind>,
) -> Column {
    let name = name.to_owned();
    let kind = match wanted {
        Some(kind) => kind,
        None if facts.distinct.len() == 2 => {
            let mut pair = facts.distinct.clone();
            pair.sort_unstable_by(f64::total_cmp);
            let code = |(value, observed): (&f64, &bool)| u32::from(*observed && *value == pair[1]);
            let codes = values.iter().zip(&observed).map(code).collect();
            let levels = pair.iter().map(|value| format_number(*value)).collect();
            return Column { name, kind: Kind::Binary, values: Values::Codes { codes, levels }, observed };
        }
        None if facts.fraction.is_none() && !facts.distinct.is_empty() => Kind::Integer,
        None => Kind::Real,
    };
    Column { name, kind, values: Values::Numbers(values), observed }
}

/// Words as codes: one per row, with how often each level occurs. Levels stand in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    pub(crate) codes: Vec<u32>,
    pub(crate) levels: Vec<String>,
    pub(crate) counts: Vec<usize>,
    index: HashMap<String, u32>,
}

impl Dictionary {
    /// Codes that are positions in the levels, or [`HOLE`]. Levels of the same spelling become one.
    pub(crate) fn of(codes: &[u32], levels: &[String]) -> Self {
        let mut dictionary = Self::default();
        let places: Vec<u32> = levels.iter().map(|level| dictionary.code(level, 0)).collect();
        for code in codes {
            let place = places.get(*code as usize).copied().unwrap_or(HOLE);
            if let Some(count) = dictionary.counts.get_mut(place as usize) {
                *count += 1;
            }
            dictionary.codes.push(place);
        }
        dictionary
    }

    /// Adds one row.
    pub(crate) fn push(&mut self, word: Option<&str>) {
        let code = match word {
            None => HOLE,
            Some(word) => self.code(word, 1),
        };
        self.codes.push(code);
    }

    fn code(&mut self, word: &str, times: usize) -> u32 {
        let code = match self.index.get(word) {
            Some(code) => *code,
            None => {
                let code = self.levels.len() as u32;
                self.index.insert(word.to_owned(), code);
                self.levels.push(word.to_owned());
                self.counts.push(0);
                code
            }
        };
        self.counts[code as usize] += times;
        code
    }

    /// Adds the rows that follow.
    pub(crate) fn append(&mut self, other: &Self) {
        let codes: Vec<u32> =
            other.levels.iter().zip(&other.counts).map(|(level, count)| self.code(level, *count)).collect();
        let translate = |code: &u32| if *code == HOLE { HOLE } else { codes[*code as usize] };
        self.codes.extend(other.codes.iter().map(translate));
    }

    /// The finished column, its levels in ascending order.
    pub(crate) fn into_column(self, name: &str, kind: Kind) -> Column {
        let order = ascending(&self.levels);
        let mut rank = vec![0; order.len()];
        for (position, level) in order.iter().enumerate() {
            rank[*level] = position as u32;
        }
        let codes =
            self.codes.iter().map(|code| if *code == HOLE { 0 } else { rank[*code as usize] }).collect();
        let observed = self.codes.iter().map(|code| *code != HOLE).collect();
        let mut levels = self.levels;
        let levels = order.iter().map(|level| std::mem::take(&mut levels[*level])).collect();
        Column { name: name.to_owned(), kind, values: Values::Codes { codes, levels }, observed }
    }
}

/// Positions of levels in ascending order: as numbers if all are numbers, else by their characters.
fn ascending(levels: &[String]) -> Vec<usize> {
    let values: Option<Vec<f64>> = levels.iter().map(|level| finite(level)).collect();
    let mut order: Vec<usize> = (0..levels.len()).collect();
    let by_text = |a: &usize, b: &usize| levels[*a].cmp(&levels[*b]);
    match values {
        Some(values) => order.sort_by(|a, b| values[*a].total_cmp(&values[*b]).then_with(|| by_text(a, b))),
        None => order.sort_by(by_text),
    }
    order
}

fn finite(word: &str) -> Option<f64> {
    match number(word.as_bytes()) {
        Number::Finite(value) => Some(value),
        _ => None,
    }
}

/// The level of a cell. In binary columns numbers count by their value: `1`, `1.0` and `01` are all `1`,
/// because programs that know no missing whole numbers write them with a point.
pub(crate) fn level(word: &str, kind: Option<Kind>) -> std::borrow::Cow<'_, str> {
    match (kind, finite(word)) {
        (Some(Kind::Binary), Some(value)) => format_number(value).into(),
        _ => word.into(),
    }
}

/// Reads a column as words.
pub(crate) fn scan_words(
    bytes: &[u8],
    records: &Records,
    column: usize,
    tokens: &Tokens,
    kind: Option<Kind>,
) -> Dictionary {
    let mut dictionary = Dictionary::default();
    for row in 0..records.rows() {
        let word = word(records.cell(bytes, row, column));
        if tokens.contain(word.as_bytes()) {
            dictionary.push(None);
        } else {
            dictionary.push(Some(&level(&word, kind)));
        }
    }
    dictionary
}

/// Reads a column as text: the cells as they stand, only their quotes taken off. Without tokens only an
/// empty cell is a hole.
pub(crate) fn scan_texts(
    bytes: &[u8],
    records: &Records,
    column: usize,
    tokens: Option<&Tokens>,
) -> (Vec<String>, Vec<bool>) {
    let cell = |row| {
        let text = content(records.cell(bytes, row, column));
        let observed = !tokens.map_or(text.is_empty(), |tokens| tokens.contain(trim(&text)));
        let text = if observed { String::from_utf8_lossy(&text).into_owned() } else { String::new() };
        (text, observed)
    };
    (0..records.rows()).map(cell).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_in_order() {
        let mut words = Dictionary::default();
        [Some("10"), None, Some("9"), Some("10")].iter().for_each(|word| words.push(*word));
        let mut more = Dictionary::default();
        [Some("1"), Some("9")].iter().for_each(|word| more.push(*word));
        words.append(&more);
        assert_eq!(words.counts, [2, 2, 1]);
        let column = words.into_column("n", Kind::Category);
        let (codes, levels) = column.codes().unwrap();
        assert_eq!((codes, levels), (&[2, 0, 1, 2, 0, 1][..], &["1", "9", "10"].map(String::from)[..]));
        assert_eq!(column.observed, [true, false, true, true, true, true]);
        assert_eq!(ascending(&["b".into(), "10".into(), "9".into()]), [1, 2, 0]);
    }

    #[test]
    fn binary_numbers_count_by_value() {
        assert_eq!(level("1.0", Some(Kind::Binary)), "1");
        assert_eq!(level("01", Some(Kind::Category)), "01");
        assert_eq!(level("yes", Some(Kind::Binary)), "yes");
    }
}
