//! The inputs of a method by the columns that they come from: of one column of dates or text several are made, which
//! are known together, hidden together, and explained together.

use std::collections::HashMap;

use super::{Coder, Encoder};

/// A column of the user with the inputs that come from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The column.
    pub column: String,
    /// Its inputs, in the order of [`Coder::names`].
    pub inputs: Vec<usize>,
}

impl Encoder {
    /// The column of the table that each input comes from, in the order of [`Encoder::names`].
    pub fn sources(&self) -> Vec<String> {
        let made =
            self.made.iter().flat_map(|made| made.names().into_iter().map(|name| (name, &made.column)));
        let made: HashMap<String, &String> = made.collect();
        self.names().map(|name| made.get(name).map_or(name, |column| column.as_str()).to_owned()).collect()
    }

    /// The columns of the table with their inputs, in the order of the first input of each.
    pub fn by_column(&self) -> Vec<Source> {
        by_column(self.sources())
    }
}

impl Coder {
    /// The columns with their inputs, in the order of the first input of each. Where nothing is made of columns, each
    /// input is one.
    pub fn by_column(&self) -> Vec<Source> {
        match self {
            Self::Table(encoder) => encoder.by_column(),
            other => by_column(other.names().into_iter().map(str::to_owned).collect()),
        }
    }
}

fn by_column(columns: Vec<String>) -> Vec<Source> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<Source> = Vec::new();
    for (input, column) in columns.into_iter().enumerate() {
        let place = *places.entry(column.clone()).or_insert(found.len());
        if place == found.len() {
            found.push(Source { column, inputs: Vec::new() });
        }
        found[place].inputs.push(input);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table, Values};
    use crate::encode::{Encoding, Made};

    #[test]
    fn what_is_made_of_a_column_is_found_under_it() {
        let dates = ["2024-01-01", "2024-04-02", "2025-07-03"].map(str::to_owned).to_vec();
        let dates = Column {
            name: "came".into(),
            kind: Kind::Date,
            values: Values::Texts(dates),
            observed: vec![true; 3],
        };
        let table = Table::new(vec![
            dates,
            Column::from_numbers("age", Kind::Real, &[1.0, 2.0, 3.0]),
            Column::from_words("ward", Kind::Category, &[Some("a"), Some("b"), None]),
        ])
        .unwrap();
        let made = [Made::of(&table.columns()[0]).unwrap()];
        let inputs = ["age".to_owned(), "ward".to_owned()];
        let encoder = Encoder::fit_with(&table, &inputs, &made, Encoding::default()).unwrap();
        let width = encoder.width();
        let found: Vec<(String, Vec<usize>)> =
            encoder.by_column().into_iter().map(|source| (source.column, source.inputs)).collect();
        let of_the_dates = (1..width - 1).collect();
        let expected =
            [("age".into(), vec![0]), ("came".into(), of_the_dates), ("ward".into(), vec![width - 1])];
        assert_eq!(found, expected);
    }
}
