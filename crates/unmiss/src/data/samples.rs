//! Small real data sets that come with the library, to try things on: `sample:NAME` in place of a path.

use crate::error::{Act, Error, Hint, Result, nearest};

/// A built-in data set.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The name behind `sample:`.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The column one would want to predict.
    pub target: &'static str,
    /// Who made it, and its licence.
    pub origin: &'static str,
    /// The file.
    pub bytes: &'static [u8],
}

/// Every built-in data set.
pub static SAMPLES: &[Sample] = &[
    Sample {
        name: "horse-colic",
        about: "300 horses with colic, 28 columns, a quarter of all cells missing",
        target: "surgical_lesion",
        origin: "Mary McLeish and Matt Cecile (1989), UCI Machine Learning Repository, CC BY 4.0",
        bytes: include_bytes!("../../samples/horse-colic.csv"),
    },
    Sample {
        name: "penguins",
        about: "344 penguins of three species, 8 columns, few cells missing",
        target: "species",
        origin: "Gorman, Williams and Fraser (2014), Palmer Archipelago penguins, CC0 1.0",
        bytes: include_bytes!("../../samples/penguins.csv"),
    },
];

/// Samples of other shapes, and what they hold.
const NO_TABLES: [(&str, &str); 3] = [("films", "ratings"), ("digits", "images"), ("ward", "series")];

/// The built-in data set of that name.
///
/// # Errors
/// When there is none; the hint names the nearest or all.
pub fn sample(name: &str) -> Result<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.name == name).ok_or_else(|| {
        let names = || SAMPLES.iter().map(|sample| sample.name);
        if let Some((_, what)) = NO_TABLES.iter().find(|(own, _)| *own == name) {
            let tables = names().collect::<Vec<_>>().join(", ");
            return Error::data(format!("`sample:{name}` holds {what}, and a table is wanted here"))
                .with_hint(format!("the tables are: {tables}"));
        }
        Error::data(format!("there is no sample `{name}`")).with_hint(match nearest(name, names()) {
            Some(near) => Hint::from(Act::TakeSample { name: near.to_owned() }),
            None => {
                let tables = names().collect::<Vec<_>>().join(", ");
                format!(
                    "the tables are: {tables}; `films` holds ratings, `digits` images, `ward` series, each for the \
                     commands that take them"
                )
                .into()
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::data::{Kind, ReadOptions, read};

    #[test]
    fn samples_read_as_they_are_described() {
        let horses = read(Path::new("sample:horse-colic"), &ReadOptions::default()).unwrap().table;
        assert_eq!((horses.rows(), horses.columns().len()), (300, 28));
        let missing: usize = horses.columns().iter().map(crate::data::Column::missing).sum();
        assert_eq!(missing, 1604 + 1, "holes among the inputs, and one in the column `outcome`");
        assert_eq!(horses.column("surgical_lesion").unwrap().kind, Kind::Binary);
        let penguins = read(Path::new("sample:penguins"), &ReadOptions::default()).unwrap().table;
        assert_eq!((penguins.rows(), penguins.columns().len()), (344, 8));
        assert_eq!(penguins.column("species").unwrap().codes().unwrap().1, ["Adelie", "Chinstrap", "Gentoo"]);
        for sample in SAMPLES {
            let path = format!("sample:{}", sample.name);
            assert!(
                read(Path::new(&path), &ReadOptions::default()).unwrap().table.column(sample.target).is_ok()
            );
        }
    }

    #[test]
    fn unknown_samples_get_a_hint() {
        let error = sample("pinguins").unwrap_err();
        assert_eq!(error.to_string(), "there is no sample `pinguins`");
        assert_eq!(error.hint_text(), r#"TakeSample { name: "penguins" }"#);
    }
}
