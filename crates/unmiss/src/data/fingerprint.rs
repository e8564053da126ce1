//! A number for data that changes with any of their cells.

use super::images::Images;
use super::ratings::Ratings;
use super::shape::Data;
use super::table::{Column, Table, Values};
use crate::rng::{hash, mix};

impl Data {
    /// Changes with any cell, name or kind.
    pub fn fingerprint(&self) -> String {
        format!(
            "{:016x}",
            match self {
                Self::Table(table) => of_table(table),
                Self::Ratings(ratings) => of_ratings(ratings),
                Self::Images(images) => of_images(images),
                Self::Series(series) => mix([series.fingerprint(), of_table(series.statics())]),
            }
        )
    }
}

fn of_ratings(ratings: &Ratings) -> u64 {
    let ids = ratings.users.names().iter().chain(ratings.items.names()).map(|name| hash(name));
    let cell = |rating: super::ratings::Rating| {
        mix([u64::from(rating.user), u64::from(rating.item), u64::from(rating.value.to_bits())])
    };
    mix([mix(ids), mix(ratings.iter().map(cell))])
}

fn of_images(images: &Images) -> u64 {
    let size = images.size();
    let label =
        |image: usize| images.labels().and_then(|labels| labels.cell(image)).map_or(0, |own| hash(&own));
    let all = (0..images.len()).map(|image| mix([images.fingerprint_of(image), label(image)]));
    mix([size.channels, size.height, size.width].map(|side| side as u64).into_iter().chain(all))
}

fn of_table(table: &Table) -> u64 {
    let column = |column: &Column| {
        let known = |row: usize, value: u64| if column.observed[row] { value } else { u64::MAX - 1 };
        let cells = match &column.values {
            Values::Numbers(values) => {
                // Adding 0 makes one of the two zeros.
                mix(values.iter().enumerate().map(|(row, value)| known(row, (value + 0.0).to_bits())))
            }
            Values::Codes { codes, levels } => {
                let levels: Vec<u64> = levels.iter().map(|level| hash(level)).collect();
                let level = |code: u32| levels.get(code as usize).copied().unwrap_or_default();
                mix(codes.iter().enumerate().map(|(row, code)| known(row, level(*code))))
            }
            Values::Texts(texts) => mix(texts.iter().enumerate().map(|(row, text)| known(row, hash(text)))),
        };
        mix([hash(&column.name), hash(&column.kind.to_string()), cells])
    };
    mix(table.columns().iter().map(column).chain([table.rows() as u64]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn a_fingerprint_sees_values_holes_and_names() {
        let of = |name: &str, values: &[f64], word: &str| {
            let columns = vec![
                Column::from_numbers(name, Kind::Real, values),
                Column::from_words("word", Kind::Category, &[Some("a"), Some(word)]),
            ];
            Data::from(Table::new(columns).unwrap()).fingerprint()
        };
        let one = of("x", &[0.0, 1.0], "b");
        assert_eq!(one, of("x", &[-0.0, 1.0], "b"));
        for other in [
            of("y", &[0.0, 1.0], "b"),
            of("x", &[f64::NAN, 1.0], "b"),
            of("x", &[0.0, 1.5], "b"),
            of("x", &[0.0, 1.0], "c"),
        ] {
            assert_ne!(one, other);
        }
    }
}
