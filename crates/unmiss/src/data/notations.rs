//! How the numbers of a file are written, column by column: found out from the words of columns that are not plain
//! numbers, and told.

use std::collections::BTreeMap;

use super::cell::Number;
use super::digits::format_number;
use super::faults::shown;
use super::form::Form;
use super::notation::{Look, Notation};
use super::note::Note;
use crate::error::Act;

/// Columns of the same notation that are named.
const MOST_NAMED: usize = 4;

/// A column that is not plain numbers: its place, its different words, and whether it is to be numbers in any case.
pub(crate) struct Odd {
    pub(crate) column: usize,
    pub(crate) words: Vec<String>,
    pub(crate) wanted: bool,
}

/// The notations of a file's columns, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notations {
    /// The decimal mark that was told or found.
    decimal: Option<char>,
    /// The mark between thousands that was told.
    thousands: Option<char>,
    /// Whether semicolons stand between cells, as where the comma is the decimal mark.
    semicolons: bool,
    /// Notation and an example, by column.
    found: BTreeMap<usize, (Notation, String)>,
    /// An example of each column that can be read in two ways.
    undecided: BTreeMap<usize, String>,
}

impl Notations {
    pub(crate) fn new(form: &Form, delimiter: u8) -> Self {
        let decimal = form.decimal_mark();
        Self { decimal, thousands: form.thousands, semicolons: delimiter == b';', ..Self::default() }
    }

    /// The notation of a column that is not plain.
    pub(crate) fn of(&self, column: usize) -> Option<&Notation> {
        self.found.get(&column).map(|(notation, _)| notation)
    }

    /// Finds the notations of columns that are not plain numbers. `pointed` gives the plain ones that have a point,
    /// which decides where others can be read in two ways; it may stand between thousands itself.
    pub(crate) fn settle(&mut self, columns: &[Odd], pointed: impl FnOnce() -> Vec<Odd>) {
        let looks = self.looks(columns);
        let any = |wanted: fn(&Look) -> bool| looks.iter().any(|(_, look)| wanted(look));
        let commas = any(|look| matches!(look, Look::Sure(notation) if notation.comma));
        let open = any(|look| matches!(look, Look::Either { .. }));
        let told = self.decimal.is_some();
        let mut grouped = Vec::new();
        if commas || (open && !told) {
            let pointed = pointed();
            let as_thousands = |odd: &Odd| Look::of(words(odd), Some(','), false) != Look::Words;
            let points = pointed.iter().any(|odd| !as_thousands(odd))
                || any(|look| matches!(look, Look::Sure(notation) if notation.thousands == Some(',')));
            self.decimal = self.decimal.or(match (commas, points) {
                (true, false) => Some(','),
                (false, true) => Some('.'),
                (false, false) if self.semicolons => Some(','),
                _ => None,
            });
            grouped = pointed;
        }
        looks.into_iter().for_each(|(odd, look)| self.keep(odd, look));
        if self.decimal == Some(',') {
            self.looks(&grouped).into_iter().for_each(|(odd, look)| self.keep(odd, look));
        }
    }

    /// What the words of columns may be.
    fn looks<'a>(&self, columns: &'a [Odd]) -> Vec<(&'a Odd, Look)> {
        let look = |odd: &'a Odd| (odd, Look::of(words(odd), self.decimal, odd.wanted));
        columns.iter().map(look).filter(|(_, look)| self.is_as_told(look)).collect()
    }

    /// Keeps the notation of a column, if it is clear.
    fn keep(&mut self, odd: &Odd, look: Look) {
        let notation = match (look, self.decimal) {
            (Look::Sure(notation), _) => notation,
            (Look::Either { comma, .. }, Some(',')) => comma,
            (Look::Either { point, .. }, Some('.')) => point,
            (Look::Either { .. }, _) => {
                self.undecided.insert(odd.column, example(words(odd)));
                return;
            }
            (Look::Words, _) => return,
        };
        let example = example(words(odd).filter(|word| notation.number(word.as_bytes()) != Number::Not));
        self.undecided.remove(&odd.column);
        self.found.insert(odd.column, (notation, example));
    }

    /// Whether a column has the mark between thousands that was told, or none.
    fn is_as_told(&self, look: &Look) -> bool {
        let fits = |notation: &Notation| notation.thousands.is_none_or(|mark| Some(mark) == self.thousands);
        match (self.thousands, look) {
            (Some(_), Look::Sure(notation)) => fits(notation),
            (Some(_), Look::Either { point, comma }) => fits(point) || fits(comma),
            (None, _) => true,
            (_, Look::Words) => true,
        }
    }

    /// Takes back the notation of a column.
    pub(crate) fn forget(&mut self, column: usize) {
        self.found.remove(&column);
    }

    /// The notations by the names of their columns.
    pub(crate) fn by_name(&self, names: &[String]) -> BTreeMap<String, Notation> {
        self.found.iter().map(|(column, (notation, _))| (names[*column].clone(), notation.clone())).collect()
    }

    /// What was found, in words.
    pub(crate) fn notes(&self, names: &[String]) -> Vec<Note> {
        let mut groups: Vec<(&Notation, &str, Vec<&str>)> = Vec::new();
        for (column, (notation, example)) in &self.found {
            let name = names[*column].as_str();
            match groups.iter_mut().find(|(own, ..)| own.is_like(notation)) {
                Some((_, _, columns)) => columns.push(name),
                None => groups.push((notation, example, vec![name])),
            }
        }
        let of_group = |(notation, example, columns): &(&Notation, &str, Vec<&str>)| {
            let Number::Finite(value) = notation.number(example.trim().as_bytes()) else { return None };
            let (columns, value) = (list(columns), format_number(value));
            Some(Note::from(format!("`{}` is read as the number {value} in {columns}", shown(example))))
        };
        let undecided = self.undecided.iter().map(|(column, example)| Note {
            text: format!(
                "column `{}`: it is not clear which number `{}` is, with a decimal comma or with thousands",
                names[*column],
                shown(example)
            ),
            act: Some(Act::SayDecimal),
        });
        groups.iter().filter_map(of_group).chain(undecided).collect()
    }
}

impl Notation {
    /// Whether a note on one holds for the other.
    fn is_like(&self, other: &Self) -> bool {
        (self.comma, self.thousands) == (other.comma, other.thousands)
            && self.around.0.trim() == other.around.0.trim()
            && self.around.1.trim() == other.around.1.trim()
    }
}

fn words(odd: &Odd) -> impl Iterator<Item = &str> {
    odd.words.iter().map(String::as_str)
}

/// The word that shows most of a notation.
fn example<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let most = words.min_by_key(|word| (std::cmp::Reverse(marks(word)), word.len()));
    most.unwrap_or_default().to_owned()
}

fn marks(word: &str) -> usize {
    let kinds = [word.contains('.'), word.contains(','), word.contains(['\'', ' ', '\u{a0}', '\u{202f}'])];
    kinds.iter().filter(|there| **there).count()
}

fn list(columns: &[&str]) -> String {
    let named: Vec<String> = columns.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    let more = columns.len().saturating_sub(MOST_NAMED);
    match (columns.len(), more) {
        (1, _) => format!("column {}", named[0]),
        (_, 0) => format!("columns {}", named.join(", ")),
        _ => format!("columns {} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Form, Kind, ReadOptions, Reading, read_bytes};

    fn reading(text: &str, form: Form) -> Reading {
        read_bytes("t.csv", text.as_bytes(), &ReadOptions { form, ..ReadOptions::default() }).unwrap()
    }

    /// What is made of the cells of a column, and what is told of the file.
    fn cells(text: &str, form: Form) -> (Vec<Option<String>>, Vec<String>) {
        let Reading { table, notes } = reading(text, form);
        let column = table.column("x").unwrap();
        let notes = notes.into_iter().map(|note| note.text).filter(|text| text.contains("number"));
        ((0..table.rows()).map(|row| column.cell(row)).collect(), notes.collect())
    }

    fn of(numbers: [&str; 3]) -> Vec<Option<String>> {
        numbers.map(|number| Some(number.to_owned())).to_vec()
    }

    #[test]
    fn what_a_mark_means_is_found_out_over_the_whole_file() {
        let usual = Form::default;
        let told = "`37,5` is read as the number 37.5 in column `y`";
        // Another column tells what the comma is, also for a point among plain numbers.
        let (found, notes) = cells("x;y\n1.234;37,5\n500;38\n12.000;36,1\n", usual());
        assert_eq!(found, of(["1234", "500", "12000"]));
        assert_eq!(notes, ["`1.234` is read as the number 1234 in column `x`", told]);
        // A point that can't stand between thousands stays what it is.
        assert_eq!(cells("x;y\n1.5;37,5\n2.25;38\n3;36,1\n", usual()).0, of(["1.5", "2.25", "3"]));
        // In doubt semicolons say that the comma is the decimal mark; without them it is asked.
        assert_eq!(cells("x;y\n1,234;1\n2,345;2\n3,456;3\n", usual()).0, of(["1.234", "2.345", "3.456"]));
        let doubtful = "x,y\n\"1,234\",1\n\"2,345\",2\n\"3,456\",3\n";
        let (found, notes) = cells(doubtful, usual());
        assert_eq!(found, of(["1,234", "2,345", "3,456"]));
        assert_eq!(notes.len(), 1, "{notes:?}");
        for (form, numbers) in [
            (Form { decimal: Some(','), ..usual() }, ["1.234", "2.345", "3.456"]),
            (Form { decimal: Some('.'), ..usual() }, ["1234", "2345", "3456"]),
            (Form { thousands: Some(','), ..usual() }, ["1234", "2345", "3456"]),
        ] {
            assert_eq!(cells(doubtful, form).0, of(numbers));
        }
        assert_eq!(
            cells("x,y\n\"1,234\",1.5\n\"2,345\",2\n\"3,456\",3\n", usual()).0,
            of(["1234", "2345", "3456"])
        );
    }

    #[test]
    fn words_and_pairs_stay_words() {
        assert_eq!(
            reading("x;y\n1,5;1\n2,5;2\n1,5;3\n", Form::default()).table.columns()[0].kind,
            Kind::Binary
        );
        assert_eq!(cells("x;y\n1,5;1\nhigh;2\n2,5;3\n", Form::default()).0, of(["1,5", "high", "2,5"]));
    }
}
