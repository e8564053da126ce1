//! What kind a column of words is.

use super::dates::{DateLook, DateOrder, look};
use super::gather::Dictionary;
use super::table::Kind;

/// With more levels than this a column of words is text if they seldom repeat.
const MANY_LEVELS: usize = 100;
/// With more levels than this a column of words is text in any case.
const MOST_LEVELS: usize = 2000;

/// The kind of a column that is not made of numbers.
pub(crate) fn word_kind(words: &Dictionary, dates: Option<DateOrder>) -> Kind {
    kind_of_levels(&words.levels, words.counts.iter().sum(), dates)
}

/// The same from the levels and how many cells are known. Dates that can be read in two ways stay words, unless their
/// order is told.
pub(crate) fn kind_of_levels(words: &[String], observed: usize, dates: Option<DateOrder>) -> Kind {
    let levels = words.len();
    if matches!(look(words.iter().map(String::as_str), dates), DateLook::Iso | DateLook::Sure(_)) {
        Kind::Date
    } else if levels == 2 {
        Kind::Binary
    } else if levels > MOST_LEVELS || (levels > MANY_LEVELS && levels * 5 > observed) {
        Kind::Text
    } else {
        Kind::Category
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    /// The kind of a column of these cells.
    fn kind(cells: impl IntoIterator<Item = String>) -> Kind {
        let text: String = std::iter::once("x,y\n".to_owned())
            .chain(cells.into_iter().map(|cell| format!("{cell},0\n")))
            .collect();
        read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap().table.columns()[0].kind
    }

    fn words(cells: &[&str]) -> Kind {
        kind(cells.iter().map(|cell| (*cell).to_owned()))
    }

    #[test]
    fn kinds_are_found_over_the_whole_column() {
        assert_eq!(words(&["1", "2.5", "NA", "3"]), Kind::Real);
        assert_eq!(words(&["1", "2.0", "+3", ""]), Kind::Integer);
        assert_eq!(words(&["0", "1.0", "1", "?"]), Kind::Binary);
        assert_eq!(words(&["no", "yes", "no"]), Kind::Binary);
        assert_eq!(words(&["a", "b", "c"]), Kind::Category);
        assert_eq!(words(&["1", "2", "x"]), Kind::Category);
        assert_eq!(words(&["9007199254740993", "1", "2"]), Kind::Category);
        assert_eq!(words(&["inf", "low", "high"]), Kind::Category);
        assert_eq!(words(&["2024-03-31", "2024-04-01", "NA"]), Kind::Date);
        assert_eq!(words(&["31.03.2024", "01.04.2024", "NA"]), Kind::Date);
        assert_eq!(words(&["03/04/2024", "05/06/2024", "01/02/2024"]), Kind::Category);
        assert_eq!(words(&["2024-02-28", "2024-02-30", "2024-02-27"]), Kind::Category);
        assert_eq!(words(&["1e100", "2", "3"]), Kind::Real);
    }

    #[test]
    fn text_is_many_levels_that_seldom_repeat() {
        let cycle = |levels: usize, rows: usize| kind((0..rows).map(move |row| format!("w{}", row % levels)));
        assert_eq!(cycle(100, 100), Kind::Category);
        assert_eq!(cycle(101, 505), Kind::Category);
        assert_eq!(cycle(101, 504), Kind::Text);
        assert_eq!(cycle(2000, 20_000), Kind::Category);
        assert_eq!(cycle(2001, 20_000), Kind::Text);
    }
}
