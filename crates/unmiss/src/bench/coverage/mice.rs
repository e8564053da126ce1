//! R's package mice on the same tables, where it is installed.

use std::path::Path;
use std::process::Command;

use super::Interval;
use super::scenarios::Tables;
use crate::data::TableWriter;
use crate::error::{Error, Result};
use crate::run::Run;

const SCRIPT: &str = include_str!("mice.R");

/// Two intervals for every table; none, and a note, where R or mice is not there.
pub fn intervals(tables: &[Tables], draws: usize, level: f64, run: &Run) -> Vec<[Interval; 2]> {
    match measured(tables, draws, level) {
        Ok(found) if found.len() == tables.len() => found,
        Ok(_) => {
            run.note("R's mice was not measured: it ended early");
            Vec::new()
        }
        Err(error) => {
            run.note(format!("R's mice was not measured: {error}"));
            Vec::new()
        }
    }
}

fn measured(tables: &[Tables], draws: usize, level: f64) -> Result<Vec<[Interval; 2]>> {
    let folder = tempfile::tempdir().map_err(|error| Error::io(Path::new("a temporary folder"), error))?;
    for (number, own) in tables.iter().enumerate() {
        let mut writer = TableWriter::create(&folder.path().join(format!("{}.csv", number + 1)), None)?;
        writer.write(&own.holed, "")?;
        writer.finish()?;
    }
    let script = folder.path().join("mice.R");
    std::fs::write(&script, SCRIPT).map_err(|error| Error::io(&script, error))?;
    let numbers = [tables.len().to_string(), draws.to_string(), level.to_string()];
    let output = Command::new("Rscript").arg(&script).arg(folder.path()).args(numbers).output();
    let output = output.map_err(|error| Error::data(format!("Rscript can't be run ({error})")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| -> Option<[Interval; 2]> {
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [a, b, c, d, e, f] = numbers[..] else { return None };
        Some([Interval { estimate: a, low: b, high: c }, Interval { estimate: d, low: e, high: f }])
    };
    match output.status.success() {
        true => Ok(text.lines().filter_map(line).collect()),
        false => {
            Err(Error::data(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed")))
        }
    }
}
