//! Columns from memory (arrays, data frames): values get the kind that they would have in a file.

use super::gather::{Dictionary, HOLE, NumberFacts, numbers_column};
use super::kinds::word_kind;
use super::table::{Column, Kind, Values};

impl Column {
    /// A column of numbers, NaN being a hole, of the kind that the reader of files would find: binary for exactly two
    /// values, integer for whole numbers, else real.
    pub fn found_numbers(name: &str, numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut facts = NumberFacts::default();
        let (mut values, mut observed) = (Vec::new(), Vec::new());
        for (row, number) in numbers.into_iter().enumerate() {
            let known = !number.is_nan();
            if known {
                facts.note(row, number);
            }
            values.push(if known { number } else { 0.0 });
            observed.push(known);
        }
        numbers_column(name, values, observed, &facts, None)
    }

    /// A column of words: codes are positions in `levels`, any other code is a hole. Without a kind it is the one that
    /// the reader of files would find: binary, category, text or date. Levels are put into ascending order; those that
    /// no cell has are dropped.
    pub fn found_words(name: &str, codes: &[u32], levels: &[String], kind: Option<Kind>) -> Self {
        let words = Dictionary::of(codes, levels);
        let used: Vec<&String> =
            words.levels.iter().zip(&words.counts).filter(|(_, count)| **count > 0).map(|(l, _)| l).collect();
        if used.len() < words.levels.len() {
            let (used, mut place) = (used.into_iter().cloned().collect::<Vec<_>>(), 0);
            let places: Vec<u32> = words.counts.iter().map(|&count| next(count > 0, &mut place)).collect();
            let code = |code: &u32| places.get(*code as usize).copied().unwrap_or(HOLE);
            return Self::found_words(name, &words.codes.iter().map(code).collect::<Vec<_>>(), &used, kind);
        }
        match kind.unwrap_or_else(|| word_kind(&words, None)) {
            kind @ (Kind::Text | Kind::Date) => {
                let text = |code: &u32| words.levels.get(*code as usize).cloned().unwrap_or_default();
                let texts = words.codes.iter().map(text).collect();
                let observed = words.codes.iter().map(|code| *code != HOLE).collect();
                Self { name: name.to_owned(), kind, values: Values::Texts(texts), observed }
            }
            kind => words.into_column(name, kind),
        }
    }
}

/// The next place for a level that is kept.
fn next(kept: bool, place: &mut u32) -> u32 {
    if !kept {
        return HOLE;
    }
    *place += 1;
    *place - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    #[test]
    fn numbers_are_what_they_are_in_a_file() {
        let file = "two,whole,real,empty\n1,3,0.5,\n,4,,\n0.0,5,1.25,\n1.0,,7,\n";
        let read = read_bytes("a.csv", file.as_bytes(), &ReadOptions::default()).unwrap().table;
        let nan = f64::NAN;
        for (name, numbers) in [
            ("two", [1.0, nan, 0.0, 1.0]),
            ("whole", [3.0, 4.0, 5.0, nan]),
            ("real", [0.5, nan, 1.25, 7.0]),
            ("empty", [nan; 4]),
        ] {
            assert_eq!(&Column::found_numbers(name, numbers), read.column(name).unwrap());
        }
    }

    #[test]
    fn words_are_what_they_are_in_a_file() {
        let file = "sex,ward,when\nm,c,2020-01-01\n,a,2020-01-02\nf,b,\nm,a,2020-01-01\n";
        let read = read_bytes("a.csv", file.as_bytes(), &ReadOptions::default()).unwrap().table;
        let levels = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let sex = Column::found_words("sex", &[0, HOLE, 1, 0], &levels(&["m", "f"]), None);
        assert_eq!(&sex, read.column("sex").unwrap());
        // A level that no cell has, and one that stands there twice.
        let ward = Column::found_words("ward", &[1, 2, 3, 4], &levels(&["z", "c", "a", "b", "a"]), None);
        assert_eq!(&ward, read.column("ward").unwrap());
        let when =
            Column::found_words("when", &[0, 1, HOLE, 0], &levels(&["2020-01-01", "2020-01-02"]), None);
        assert_eq!(&when, read.column("when").unwrap());
        assert_eq!(
            Column::found_words("sex", &[0, 1], &levels(&["m", "f"]), Some(Kind::Text)).kind,
            Kind::Text
        );
    }
}
