//! The tables on which intervals and sets are measured: made ones, whose holes come about in four ways, and real ones.

use std::path::Path;

use crate::bench::folder::find_file;
use crate::data::{Column, Kind, ReadOptions, Table, read};
use crate::error::Result;
use crate::missing::{Mechanism, hide, hideable};
use crate::rng::Stream;

/// The name of the target of made tables.
const TARGET: &str = "y";
/// Columns of made tables.
const COLUMNS: usize = 8;

/// A table of a name.
pub struct Source {
    /// The name.
    pub name: &'static str,
    /// Where it is, with its target; none: it is made.
    pub file: Option<(&'static str, &'static str)>,
    /// Columns that are no inputs.
    pub ignored: &'static [&'static str],
    /// How cells are hidden besides those that are missing.
    pub hidden: Option<Mechanism>,
}

const fn made(name: &'static str) -> Source {
    Source { name, file: None, ignored: &[], hidden: None }
}

const fn real(name: &'static str, file: &'static str, target: &'static str) -> Source {
    Source { name, file: Some((file, target)), ignored: &[], hidden: None }
}

const fn without(source: Source, ignored: &'static [&'static str]) -> Source {
    Source { ignored, ..source }
}

const fn holed(source: Source, how: Mechanism) -> Source {
    Source { hidden: Some(how), ..source }
}

/// Targets that are numbers. Of `alike` every column is missing as often, of `dominant` the column that matters most
/// three times as often as the others; in `driven` one column says how much of a row is missing; in `bent` effects are
/// curved and rows differ widely in how much of them is known.
pub const NUMBERS: [Source; 9] = [
    made("alike"),
    made("dominant"),
    made("driven"),
    made("bent"),
    without(real("selfreport", "missing/selfreport.csv", "bm"), &["id", "hm", "wm"]),
    without(real("ames", "missing/ames.csv", "price"), &["Order", "PID"]),
    real("ozone", "missing/ozone_la.csv", "V4"),
    holed(real("concrete", "complete/concrete.csv", "strength"), Mechanism::Mcar(0.3)),
    holed(real("california", "complete/california.csv", "MedHouseVal"), Mechanism::Mar(0.3)),
];

/// Targets that are classes; `three` and `rare` are made.
pub const CLASSES: [Source; 5] = [
    made("three"),
    made("rare"),
    real("pima", "missing/pima.csv", "diabetes"),
    real("mammographic", "missing/mammographic.csv", "Severity"),
    real("hypothyroid", "missing/hypothyroid.csv", "Class"),
];

/// Rows with their target.
pub struct Drawn {
    /// All columns.
    pub table: Table,
    /// The target's name.
    pub target: String,
}

impl Source {
    /// The rows of a real table, or so many of a made one.
    pub fn rows(&self, folder: &Path, rows: usize, seed: u64) -> Result<Drawn> {
        let Some((file, target)) = self.file else {
            return Ok(Drawn { table: made_rows(self.name, rows, seed)?, target: TARGET.into() });
        };
        let expected = format!("expected is a CSV file with a header and the target `{target}`");
        let table = read(&find_file(folder, file, &expected)?, &ReadOptions::default())?.table;
        let known = table.column(target)?.observed.clone();
        let labelled: Vec<usize> = (0..table.rows()).filter(|&row| known[row]).collect();
        let mut table = table.part(&labelled, |column| !self.ignored.contains(&column.name.as_str()));
        if let Some(how) = &self.hidden {
            table = hide(&table, how, &hideable(&table, &[target]), seed)?.table;
        }
        Ok(Drawn { table, target: target.into() })
    }
}

/// Correlated columns, a target of them, and holes.
fn made_rows(name: &str, rows: usize, seed: u64) -> Result<Table> {
    let mut stream = Stream::new(seed, name, 0, 0);
    let mut columns = vec![vec![0.0; rows]; COLUMNS];
    let (mut numbers, mut words) = (vec![0.0; rows], vec![None; rows]);
    for row in 0..rows {
        let common = stream.normal();
        let x: Vec<f64> =
            (0..COLUMNS).map(|_| 0.5_f64.sqrt() * common + 0.5_f64.sqrt() * stream.normal()).collect();
        let sum = |weights: [f64; COLUMNS]| -> f64 { weights.iter().zip(&x).map(|(w, x)| w * x).sum() };
        let wide = stream.uniform();
        match name {
            "dominant" => {
                numbers[row] = sum([3.0, 0.5, 0.5, 0.3, 0.3, 0.0, 0.0, 0.0]) + 0.7 * stream.normal()
            }
            "bent" => {
                numbers[row] = 2.0 * (1.5 * x[0]).sin() + x[1] * x[2] + x[3] + 0.5 * stream.normal();
            }
            _ => numbers[row] = sum([2.0, 1.0, 1.0, 0.5, 0.5, 0.2, 0.0, 0.0]) + stream.normal(),
        }
        words[row] = Some(match name {
            "three" => {
                ["low", "middle", "high"][usize::from(numbers[row] > -1.5) + usize::from(numbers[row] > 1.5)]
            }
            _ => ["no", "yes"][usize::from(numbers[row] > 4.5)],
        });
        for (column, value) in x.iter().enumerate() {
            let share = match (name, column) {
                ("dominant", 0) => 0.3,
                ("dominant", _) => 0.1,
                ("driven", 7) => 0.0,
                ("driven", _) => 1.0 / (1.0 + (0.8 - 1.5 * x[7]).exp()),
                ("bent", _) => wide * wide,
                _ => 0.3,
            };
            columns[column][row] = if stream.uniform() < share { f64::NAN } else { *value };
        }
    }
    let mut all: Vec<Column> = columns
        .iter()
        .enumerate()
        .map(|(place, values)| Column::from_numbers(format!("x{place}"), Kind::Real, values))
        .collect();
    all.push(match name {
        "three" | "rare" => Column::from_words(TARGET, Kind::Category, &words),
        _ => Column::from_numbers(TARGET, Kind::Real, &numbers),
    });
    Table::new(all)
}
