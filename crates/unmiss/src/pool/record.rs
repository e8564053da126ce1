//! The record of draws: what is known about filled tables, kept beside them for whoever computes with them.
//!
//! `full-1.csv` to `full-20.csv` have their record in `full.draws.json`, as has one long file `full.csv`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::store::write_whole;

/// How the name of a record ends.
pub const RECORD_ENDING: &str = ".draws.json";

/// What is known about the filled tables of one imputation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The table with the holes.
    pub from: String,
    /// Its rows.
    pub rows: usize,
    /// How many times it was filled.
    pub draws: usize,
    /// The files of filled tables, by their names in the folder of the record.
    pub files: Vec<String>,
    /// The imputer.
    pub method: String,
    /// The seed of the draws.
    pub seed: u64,
    /// Whether every draw has parameters of its own, as Rubin's rules ask for. Unknown where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proper: Option<bool>,
    /// How many cells were filled in each column.
    #[serde(default)]
    pub filled: BTreeMap<String, usize>,
    /// Shifts of filled values away from what the imputer found plausible, as they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delta: Vec<String>,
}

impl Record {
    /// Where the record of a filled table is: beside it, without the number of the draw.
    pub fn path_of(filled: &Path) -> PathBuf {
        let name = filled.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        let without_number = stem.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok());
        let stem = without_number.map_or(stem, |(stem, _)| stem);
        filled.with_file_name(format!("{stem}{RECORD_ENDING}"))
    }

    /// The record of a filled table, if there is one that names it. What stands in a file of that name and is no
    /// record is not ours to judge.
    pub fn of(filled: &Path) -> Option<Self> {
        let record = Self::read(&Self::path_of(filled)).ok()?;
        let name = filled.file_name()?.to_str()?;
        record.files.iter().any(|file| file == name).then_some(record)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// When the file can't be read or is no record.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let what = format!("{}: this is no record of draws ({error})", path.display());
            Error::data(what).with_hint("`unmiss impute --draws` writes one beside the filled tables")
        })
    }

    /// Writes the record, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::data(error.to_string()))?;
        write_whole(path, (text + "\n").as_bytes())
    }

    /// What whoever pools should know about how the tables were filled.
    pub fn warnings(&self) -> Vec<String> {
        let Self { method, delta, .. } = self;
        let mut warnings = Vec::new();
        if self.proper == Some(false) {
            warnings.push(format!(
                "the draws of `{method}` are too sure for Rubin's rules: it does not draw its parameters anew for \
                 each table, so standard errors and intervals come out too small"
            ));
        }
        if !delta.is_empty() {
            let shifts = delta.join(", ");
            warnings.push(format!("filled values were shifted on purpose ({shifts}): this is a what-if"));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_know_their_record() {
        for (table, record) in [
            ("a/full-3.csv", "a/full.draws.json"),
            ("full-12.csv.gz", "full.draws.json"),
            ("long.csv", "long.draws.json"),
            ("a-b.csv", "a-b.draws.json"),
        ] {
            assert_eq!(Record::path_of(Path::new(table)), Path::new(record));
        }
    }

    #[test]
    fn records_come_back_and_warn() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("full-1.csv");
        assert_eq!(Record::of(&table), None);
        let files = vec!["full-1.csv".to_owned()];
        let record =
            Record { proper: Some(false), method: "mean".into(), files, draws: 1, ..Default::default() };
        record.write(&Record::path_of(&table)).unwrap();
        assert_eq!(Record::of(&table).as_ref(), Some(&record));
        assert_eq!(Record::of(&folder.path().join("full-2.csv")), None, "another table of the same name");
        assert!(record.warnings()[0].contains("too sure for Rubin's rules"));
        let unknown = Record { proper: None, ..record };
        assert!(unknown.warnings().is_empty());
        std::fs::write(Record::path_of(&table), b"{}").unwrap();
        assert_eq!(Record::of(&table), None);
    }
}
