//! Where a model comes from: what a reader of the file needs to make it again, or to know that it was made of other
//! data.

use serde::{Deserialize, Serialize};

use crate::data::Data;
use crate::data::series::Clock;
use crate::metrics::Metric;

/// Where a model comes from. It says when and how, so that it is the one part of a file that differs between two fits
/// of the same data: set the variable `SOURCE_DATE_EPOCH`, as builds of programs do, and the date is that.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command as it was typed.
    pub command: String,
    /// When, in UTC.
    pub date: String,
    /// The program and its version.
    pub program: String,
    /// The system it ran on.
    pub system: String,
    /// The file that was learned from, as it was named.
    pub data: String,
    /// SHA-256 of that file; none of what came through a pipe, of folders and of built-in samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Changes with any cell, name or kind of what was read.
    pub fingerprint: String,
    /// The seed.
    pub seed: u64,
    /// Figures of the model on rows that it did not see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<(Metric, f64)>,
}

impl Provenance {
    /// Of a command that read data at a time, in seconds since 1970.
    pub fn new(command: String, seconds: u64, file: String, data: &Data, seed: u64) -> Self {
        Self {
            command,
            date: Clock::Dates.format(seconds as f64 / 3600.0) + "Z",
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            data: file,
            sha256: None,
            fingerprint: data.fingerprint(),
            seed,
            scores: Vec::new(),
        }
    }

    /// What it says, line by line: a name and a value each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("command", self.command.clone()),
            ("date", self.date.clone()),
            ("program", format!("{} on {}", self.program, self.system)),
            ("data", self.data.clone()),
        ];
        lines.extend(self.sha256.clone().map(|hash| ("sha256", hash)));
        lines.push(("fingerprint", self.fingerprint.clone()));
        lines.push(("seed", self.seed.to_string()));
        let scores = self.scores.iter().map(|(metric, value)| format!("{} {value:.4}", metric.title()));
        let scores = scores.collect::<Vec<_>>().join(", ");
        lines.extend((!scores.is_empty()).then_some(("scores", scores)));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};

    #[test]
    fn the_date_is_written_as_one_and_scores_in_words() {
        let column = Column::from_numbers("a", Kind::Integer, &[1.0, 2.0]);
        let data = Data::from(Table::new(vec![column]).unwrap());
        let mut made = Provenance::new("unmiss fit a.csv".into(), 86_400 + 3_661, "a.csv".into(), &data, 7);
        made.scores = vec![(Metric::Auroc, 0.75)];
        assert_eq!(made.date, "1970-01-02T01:01:01Z");
        assert_eq!(made.lines().last(), Some(&("scores", "AUROC 0.7500".to_owned())));
        let text = serde_json::to_string(&made).unwrap();
        assert!(text.contains("\"seed\":7") && serde_json::from_str::<Provenance>(&text).unwrap() == made);
    }
}
