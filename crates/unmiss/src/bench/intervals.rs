//! Do intervals and sets hold as often as they say, whatever is missing? Coverage on new rows by how much of a row is
//! known and where the column that matters most is missing, for tables of 80 to 20,000 rows.
//!
//! Beside the model that `fit` gives (the mean of fold models) stands the same method fitted once on all rows: is
//! what is shipped as accurate?

mod judged;
mod tables;

use std::collections::BTreeSet;

use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Figure, Report, Request, Section};
use crate::compare::fit_best;
use crate::data::{Column, Data, Table};
use crate::error::{Error, Result};
use crate::model::{Aim, Model, Recipe, Roles};
use crate::rng::Stream;
use crate::run::Run;
use judged::{Judged, important, judge};
use tables::{CLASSES, Drawn, NUMBERS, Source};

/// The level that is asked for.
const LEVEL: f64 = 0.9;
/// Rows to learn from.
const SIZES: [usize; 4] = [80, 300, 2_000, 20_000];
/// New rows at most, and at least.
const NEW_ROWS: (usize, usize) = (2_000, 200);
/// The methods.
const METHODS: [&str; 2] = ["linear", "trees"];

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "intervals",
    title: "How often intervals and sets of classes hold, by what is missing (made tables; with --data real ones too)",
    paper: "Not a published table: what `fit` and `predict --level` promise, measured",
    files: &[],
    parts: || {
        let tables = NUMBERS.iter().chain(&CLASSES).map(|source| source.name.to_owned()).collect();
        let sizes = SIZES.map(size_name).to_vec();
        vec![tables, sizes, METHODS.map(str::to_owned).to_vec()]
    },
    run: measure,
};

fn size_name(rows: usize) -> String {
    format!("n={rows}")
}

/// One table, one number of rows, one method.
#[derive(Clone, Copy)]
struct Case {
    source: &'static Source,
    rows: usize,
    method: &'static str,
}

fn measure(request: &Request, run: &Run) -> Result<Report> {
    let cases = cases(request)?;
    let mut progress = Progress::new(run, cases.len() * request.seeds);
    let (mut numbers, mut classes) = (Vec::new(), Vec::new());
    'all: for case in &cases {
        let mut found = Vec::new();
        for repetition in 0..request.seeds {
            if !progress.next(&case.name()) {
                break 'all;
            }
            match case.measure(request, &single(run, repetition)) {
                Err(Error::Stopped) => break 'all,
                judged => found.extend(judged?),
            }
        }
        let rows = if is_class(case.source) { &mut classes } else { &mut numbers };
        rows.extend(case.row(&found));
    }
    let section = |title: &str, columns: [&str; 9], rows: Vec<Row>| Section {
        title: title.into(),
        columns: columns.map(str::to_owned).to_vec(),
        digits: 3,
        rows,
    };
    let numbers_columns =
        ["all", "few known", "many known", "x missing", "width / sd", "RMSE / sd", "RMSE, one fit", "-", "-"];
    let classes_columns = [
        "all",
        "few known",
        "many known",
        "x missing",
        "classes",
        "log-loss",
        "one fit",
        "ECE",
        "ECE, one fit",
    ];
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!(
                "Level {LEVEL}. A model learns from n rows and is judged on at most {} others of the same table.",
                NEW_ROWS.0
            ),
            "Few and many known: the thirds of the new rows with the fewest and the most known cells. x is the number \
             column that goes with the target most closely among those missing in 5 % to 95 % of the rows. One fit: \
             the same method fitted once on all n rows."
                .into(),
        ],
        sections: [
            section("Intervals of numbers: share of new rows for which they hold", numbers_columns, numbers),
            section("Sets of classes: share of new rows whose class is in its set", classes_columns, classes),
        ]
        .into_iter()
        .filter(|section| !section.rows.is_empty())
        .collect(),
        claims: Vec::new(),
        seed: run.seed(),
        seeds: request.seeds,
        // Made tables are drawn anew for every seed; real ones share rows, which their spread does not show.
        test_share: 0.0,
        complete: progress.end(),
    })
}

fn is_class(source: &Source) -> bool {
    CLASSES.iter().any(|own| own.name == source.name)
}

/// What is asked for; real tables need a folder.
fn cases(request: &Request) -> Result<Vec<Case>> {
    let all: Vec<&'static Source> = NUMBERS.iter().chain(&CLASSES).collect();
    let mut sources = request.chosen(&all, |source| source.name.to_owned());
    if request.data.as_os_str().is_empty() {
        let named =
            |source: &&&Source| source.file.is_some() && request.only.contains(&source.name.to_owned());
        if let Some(source) = sources.iter().find(named) {
            return Err(Error::setting("data", format!("`{}` needs a folder with data sets", source.name))
                .with_hint("give it with --data"));
        }
        sources.retain(|source| source.file.is_none());
    }
    let (sizes, methods) =
        (request.chosen(&SIZES, |rows| size_name(*rows)), request.chosen(&METHODS, |m| (*m).into()));
    let mut cases = Vec::new();
    for source in sources {
        for &rows in &sizes {
            cases.extend(methods.iter().map(|&method| Case { source, rows, method }));
        }
    }
    Ok(cases)
}

impl Case {
    fn name(&self) -> String {
        format!("{} n={} {}", self.source.name, self.rows, self.method)
    }

    /// What the model that `fit` gives came to, and the same method fitted once; `None` where the table is too small.
    fn measure(&self, request: &Request, run: &Run) -> Result<Option<(Judged, Judged)>> {
        let seed = run.seed();
        let Drawn { table, target } = self.source.rows(&request.data, self.rows + NEW_ROWS.0, seed)?;
        if table.rows() < self.rows + NEW_ROWS.1 {
            return Ok(None);
        }
        let mut order = Stream::new(seed, "rows to learn from", 0, 0).permutation(table.rows());
        order.truncate(self.rows + NEW_ROWS.0);
        let (learning, new) = order.split_at(self.rows);
        let learning: Table = table.select(learning);
        let new = self.known_classes(&table, new, learning.column(&target)?);
        let new: Table = table.select(&new);
        let (data, roles) = (Data::from(learning), Roles::target(target.as_str()));
        let recipe = Recipe::named(self.method)?;
        let important = important(&table, &target)?;
        let of = |model: &Model| judge(model, &new, important.as_deref(), LEVEL, run);
        let (shipped, _) = fit_best(&data, &roles, std::slice::from_ref(&recipe), None, run)?;
        let once = Model::fit(&data, &Aim::Predict(roles), &recipe, run)?;
        Ok(Some((of(&shipped)?, of(&once)?)))
    }

    /// The new rows of classes that there are to learn from: of others nothing can be said.
    fn known_classes(&self, table: &Table, new: &[usize], learned: &Column) -> Vec<usize> {
        let seen: BTreeSet<Option<String>> = (0..learned.rows()).map(|row| learned.cell(row)).collect();
        let class = |row: usize| table.column(&learned.name).ok().and_then(|column| column.cell(row));
        new.iter().copied().filter(|&row| !is_class(self.source) || seen.contains(&class(row))).collect()
    }

    fn row(&self, found: &[(Judged, Judged)]) -> Option<Row> {
        let figure = |of: &dyn Fn(&(Judged, Judged)) -> Option<f64>| -> Cell {
            Figure::of(&found.iter().filter_map(of).collect::<Vec<_>>(), 0.0).into()
        };
        let cells = vec![
            figure(&|(own, _)| Some(own.coverage.all)),
            figure(&|(own, _)| own.coverage.few),
            figure(&|(own, _)| own.coverage.many),
            figure(&|(own, _)| own.coverage.missing),
            figure(&|(own, _)| own.size.is_finite().then_some(own.size)),
            figure(&|(own, _)| Some(own.loss)),
            figure(&|(_, once)| Some(once.loss)),
            figure(&|(own, _)| own.calibration),
            figure(&|(_, once)| once.calibration),
        ];
        (!found.is_empty()).then(|| Row { name: self.name(), cells })
    }
}

#[cfg(test)]
mod tests;
