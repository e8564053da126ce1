//! Imputers on tables whose truth is known: the error on hidden cells, beside what other tools were measured to give.
//!
//! Of a complete table every k-th row is taken so that at most 5,000 are left, and its target left out. Cells are
//! hidden as `unmiss hide --seed SEED` would hide them; every fifth row, beginning with row SEED mod 5, is new: the
//! imputer learns from the others with their holes and fills both. `benches/imputation.py` runs other tools on the
//! very same cells.

mod peers;

use std::time::Instant;

use crate::data::{Column, Data, Kind, Shape, Table};
use crate::error::Result;
use crate::methods::{Job, methods_for};
use crate::missing::{Hidden, Mechanism, hide, hideable};
use crate::model::{Aim, Model, Recipe};
use crate::run::Run;

use super::folder::Wanted;
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};
use peers::PEERS;

/// The names of all imputers of tables.
fn imputers() -> impl Iterator<Item = &'static str> {
    methods_for(Shape::Table, Job::Fill).map(|method| method.name())
}

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "imputation",
    title: "Error on hidden cells, in standard deviations of their columns",
    paper: "Figures of other tools: measured by us with one seed on the same tables, holes by a generator of their own",
    files: &[
        "complete/diabetes.csv",
        "complete/iris.csv",
        "complete/wine.csv",
        "complete/breast_cancer_wdbc.csv",
        "complete/california.csv",
    ],
    parts: || {
        let tables = TABLES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let holes = ["mcar:0.2", "mcar:0.5", "mar:0.3", "self-logistic:0.3"].map(str::to_owned).to_vec();
        let methods = imputers().map(str::to_owned).collect();
        vec![tables, holes, methods]
    },
    run: measure,
};

pub(super) const fn wanted(file: &'static str, target: &'static str, classes: bool) -> Wanted {
    Wanted { file, target, classes, ignored: &[] }
}

const TABLES: [(&str, Wanted); 5] = [
    ("diabetes", wanted("complete/diabetes.csv", "target", false)),
    ("iris", wanted("complete/iris.csv", "class", true)),
    ("wine", wanted("complete/wine.csv", "class", true)),
    ("cancer", wanted("complete/breast_cancer_wdbc.csv", "class", true)),
    ("california", wanted("complete/california.csv", "MedHouseVal", false)),
];

/// The columns of the table: which data, and how cells are hidden.
const SETTINGS: [(&str, Mechanism); 10] = [
    ("diabetes", Mechanism::Mcar(0.2)),
    ("diabetes", Mechanism::Mcar(0.5)),
    ("iris", Mechanism::Mcar(0.2)),
    ("wine", Mechanism::Mcar(0.2)),
    ("cancer", Mechanism::Mcar(0.2)),
    ("cancer", Mechanism::Mcar(0.5)),
    ("california", Mechanism::Mcar(0.2)),
    ("diabetes", Mechanism::Mar(0.3)),
    ("diabetes", Mechanism::SelfLogistic(0.3)),
    ("cancer", Mechanism::SelfLogistic(0.3)),
];

/// Rows of a table that take part, at most.
const MOST_ROWS: usize = 5000;

/// The share of the rows that is new.
const NEW_SHARE: f64 = 0.2;

/// What an imputer came to in one column of the table, one value per seed.
#[derive(Default, Clone)]
struct Outcome {
    training: Vec<f64>,
    new: Vec<f64>,
    seconds: Vec<f64>,
}

fn measure(request: &Request, run: &Run) -> Result<Report> {
    let names: Vec<&'static str> = imputers().collect();
    let names = request.chosen(&names, |name| (*name).to_owned());
    let tables = request.chosen(&TABLES.map(|(name, _)| name), |name| (*name).to_owned());
    let all: Vec<Mechanism> = SETTINGS.iter().map(|(_, how)| *how).collect();
    let mechanisms = request.chosen(&all, Mechanism::to_string);
    let columns: Vec<usize> = (0..SETTINGS.len())
        .filter(|&place| tables.contains(&SETTINGS[place].0) && mechanisms.contains(&SETTINGS[place].1))
        .collect();
    let mut progress = Progress::new(run, columns.len() * names.len() * request.seeds);
    let (mut sections, mut claims) = (Vec::new(), Vec::new());
    'all: for &place in &columns {
        let (table, how) = SETTINGS[place];
        let truth = read(table, request)?;
        let mut outcomes = vec![Outcome::default(); names.len()];
        for repetition in 0..request.seeds {
            let task = Task::new(&truth, how, run.seed() + repetition as u64)?;
            for (name, outcome) in names.iter().zip(&mut outcomes) {
                if !progress.next(&format!("{table} {how}, {name}")) {
                    break 'all;
                }
                task.measure(name, outcome, &single(run, repetition))?;
            }
        }
        sections.push(section(place, &names, &outcomes));
        claims.extend(claims_of(place, &names, &outcomes));
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!(
                "At most {MOST_ROWS} rows of each table, without its target, all columns as numbers. A fifth of \
                 the rows is new: an imputer learns from the others, with their holes, and fills both."
            ),
            "Root mean square error over all hidden cells, each in standard deviations of its column (training \
             rows, nothing hidden). Seconds are for learning."
                .into(),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        test_share: NEW_SHARE,
        complete: progress.end(),
    })
}

/// The inputs of a table as real numbers, every k-th row.
fn read(name: &str, request: &Request) -> Result<Table> {
    let found = TABLES.iter().find(|(table, _)| *table == name);
    let inputs = found.map_or_else(|| Ok(Vec::new()), |(_, wanted)| wanted.numbers(&request.data))?;
    let rows = inputs.first().map_or(0, |(_, numbers)| numbers.len());
    let step = rows.div_ceil(MOST_ROWS).max(1);
    let column = |(name, numbers): &(String, Vec<f64>)| {
        let taken: Vec<f64> = numbers.iter().step_by(step).copied().collect();
        Column::from_numbers(name, Kind::Real, &taken)
    };
    Table::new(inputs.iter().map(column).collect())
}

/// A table with hidden cells, parted into rows to learn from and new ones.
struct Task {
    training: Part,
    new: Part,
    /// Standard deviation of each column over the training rows, before anything was hidden.
    deviations: Vec<f64>,
}

pub(super) struct Part {
    truth: Table,
    pub holed: Data,
    /// `[columns][rows]`: true where a known cell was hidden.
    hidden: Vec<Vec<bool>>,
}

impl Task {
    fn new(truth: &Table, how: Mechanism, seed: u64) -> Result<Self> {
        let holes = hide(truth, &how, &hideable(truth, &[]), seed)?;
        let is_new = |row: &usize| *row % 5 == (seed % 5) as usize;
        let (new, training): (Vec<usize>, Vec<usize>) = (0..truth.rows()).partition(is_new);
        let training = Part::new(truth, &holes, &training);
        let deviations = training.truth.columns().iter().map(deviation).collect();
        Ok(Self { training, new: Part::new(truth, &holes, &new), deviations })
    }

    fn measure(&self, name: &str, outcome: &mut Outcome, run: &Run) -> Result<()> {
        let start = Instant::now();
        let model = Model::fit(&self.training.holed, &Aim::fill(), &Recipe::named(name)?, run)?;
        outcome.seconds.push(start.elapsed().as_secs_f64());
        let error = |part: &Part| -> Result<f64> {
            let filling = model.filling()?;
            let filled = run.compute(|| filling.fill(&part.holed, None, |_, _| {}))?;
            Ok(part.error(filled.data.table()?, &self.deviations))
        };
        outcome.training.push(error(&self.training)?);
        outcome.new.push(error(&self.new)?);
        Ok(())
    }
}

impl Part {
    pub fn new(truth: &Table, holes: &Hidden, rows: &[usize]) -> Self {
        let marks = |column: &Vec<bool>| rows.iter().map(|&row| column[row]).collect();
        Self {
            truth: truth.select(rows),
            holed: holes.table.select(rows).into(),
            hidden: holes.hidden.iter().map(marks).collect(),
        }
    }

    /// `sqrt(mean over hidden cells of ((filled - true) / deviation)^2)`.
    pub fn error(&self, filled: &Table, deviations: &[f64]) -> f64 {
        let (mut sum, mut cells) = (0.0, 0_usize);
        let columns = self.truth.columns().iter().zip(filled.columns());
        for (((truth, filled), hidden), deviation) in columns.zip(&self.hidden).zip(deviations) {
            let (Some(truth), Some(filled)) = (truth.numbers(), filled.numbers()) else { continue };
            for row in (0..hidden.len()).filter(|&row| hidden[row]) {
                sum += ((filled[row] - truth[row]) / deviation).powi(2);
                cells += 1;
            }
        }
        (sum / cells.max(1) as f64).sqrt()
    }
}

/// Of a column without holes; 1 for a column of one value, in which nothing can go wrong.
pub(super) fn deviation(column: &Column) -> f64 {
    let values = column.numbers().unwrap_or_default();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    if deviation > 0.0 { deviation } else { 1.0 }
}

fn title(place: usize) -> String {
    let (table, how) = SETTINGS[place];
    format!("{table}, {how}")
}

fn section(place: usize, names: &[&str], outcomes: &[Outcome]) -> Section {
    let peers = PEERS.iter().filter_map(|peer| {
        let (training, new) = peer.errors[place]?;
        let given = |error| Cell::Figure(Figure::given(error, None));
        let cells = vec![given(training), new.map_or(Cell::Empty, given), Cell::Empty];
        Some(Row { name: format!("peer: {}", peer.name), cells })
    });
    let ours = names.iter().zip(outcomes).map(|(name, outcome)| {
        let seconds = outcome.seconds.iter().sum::<f64>() / outcome.seconds.len().max(1) as f64;
        let cells = vec![
            Figure::of(&outcome.training, NEW_SHARE).into(),
            Figure::of(&outcome.new, NEW_SHARE).into(),
            Cell::Words(format!("{seconds:.2}")),
        ];
        Row { name: (*name).to_owned(), cells }
    });
    Section {
        title: title(place),
        columns: ["training rows", "new rows", "seconds"].map(str::to_owned).to_vec(),
        digits: 3,
        rows: peers.chain(ours).collect(),
    }
}

/// What `auto` and `self-masking` promise, judged on the new rows.
fn claims_of(place: usize, names: &[&str], outcomes: &[Outcome]) -> Vec<Claim> {
    let errors = |name: &str| {
        let found = names.iter().position(|own| *own == name);
        found.map_or(&[] as &[f64], |found| outcomes[found].new.as_slice())
    };
    let lower = |one: &str, other: &str| {
        let words = format!("{}: `{one}` errs less than `{other}`", title(place));
        Claim::lower(words, errors(one), errors(other), NEW_SHARE)
    };
    let mut pairs = vec![("auto", "mean"), ("auto", "neighbours"), ("auto", "gaussian"), ("auto", "chained")];
    if matches!(SETTINGS[place].1, Mechanism::SelfLogistic(_)) {
        pairs.push(("self-masking", "gaussian"));
    }
    pairs.into_iter().filter_map(|(one, other)| lower(one, other)).collect()
}

#[cfg(test)]
mod tests;
