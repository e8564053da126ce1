//! PhysioNet 2012: the first 48 hours of 12,000 stays in intensive care. Death in hospital predicted, and values
//! filled.

pub mod imputation;
pub mod mortality;

use std::path::Path;

use super::folder::find_file;
use crate::data::MissingTokens;
use crate::data::series::{Form, Series, SeriesOptions, read};
use crate::data::{ReadOptions, Shape};
use crate::error::Result;
use crate::methods::{Job, find};
use crate::model::Recipe;

/// What is predicted.
pub const TARGET: &str = "In-hospital_death";

/// The files.
const FILES: &[&str] = &[
    "physionet2012/set-a.csv.gz",
    "physionet2012/set-b.csv.gz",
    "physionet2012/set-c.csv.gz",
    "physionet2012/outcomes-a.csv",
    "physionet2012/outcomes-b.csv",
    "physionet2012/outcomes-c.csv",
];

/// A method with settings, as a line of a table.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Its name in the table.
    pub name: &'static str,
    /// The method.
    pub method: &'static str,
    /// Its settings, where they are not the defaults.
    pub settings: &'static [(&'static str, &'static str)],
}

impl Line {
    fn recipe(&self, job: Job) -> Result<Recipe> {
        find(self.method, Shape::Series, job)?;
        Recipe::named(self.method)?.set_all(self.settings.iter().copied())
    }
}

/// One of the sets as it is, with -1 for what is not known of sex, height and weight.
fn set(folder: &Path, name: char) -> Result<Series> {
    let mut missing = MissingTokens::default();
    ["Gender", "Height", "Weight"].iter().for_each(|variable| missing.add_for(variable, "-1"));
    let file = |file: String| find_file(folder, &file, "the files of PhysioNet's challenge of 2012");
    let options = SeriesOptions {
        form: Form {
            series: "RecordID".into(),
            time: "Time".into(),
            long: Some(("Parameter".into(), "Value".into())),
        },
        targets: Some(file(format!("physionet2012/outcomes-{name}.csv"))?),
        target: Some(TARGET.into()),
        read: ReadOptions { missing, ..ReadOptions::default() },
        ..SeriesOptions::default()
    };
    Ok(read(&file(format!("physionet2012/set-{name}.csv"))?, &options)?.series)
}
