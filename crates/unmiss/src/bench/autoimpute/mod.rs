//! AutoImpute with and without Sparsity Normalization: a share of the counts that are not zero is hidden, and the
//! others tell them.
//!
//! Of each set up to a thousand genes are taken, prepared as Talwar et al. do; zeros are holes. A share of what is left
//! is hidden, the method learns from the rest and is asked for the hidden ones; `NMSE` is ‖y - ŷ‖ / ‖y‖ over them. The
//! paper shows its results as curves without numbers, so what can be compared is their course: normalisation helps,
//! and the more the larger the share. `published` are the settings of the original program, `short` are 500 units and
//! a tenth of the rounds at ten times the rate, which goes as far. The last table asks, as Figure 1 does in its third
//! column, whether what is said of a gene drifts with how much of its cell is known.

mod drift;
mod sets;

use std::time::Instant;

use crate::data::{Data, Table, Values};
use crate::error::Result;
use crate::model::{Aim, Model, Recipe};
use crate::rng::Stream;
use crate::run::Run;

use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};
use sets::{SETS, Set};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "autoimpute",
    title: "Counts of genes in single cells with a share hidden: AutoImpute with and without Sparsity Normalization",
    paper: "Yi et al. 2020, Figures 1 (right), 3 and 7; Talwar et al. 2018",
    files: &[
        "scrna/blakeley_1000.csv",
        "scrna/pollen.csv",
        "scrna/mecs.csv",
        "scrna/grun_mesc.csv",
        "scrna/zeisel_subset.csv",
        "scrna/bmmc_donor1_matrix.mtx",
    ],
    parts: || {
        let sets = SETS.iter().map(|set| set.name.to_owned()).collect();
        let shares = SHARES.iter().map(|share| share_name(*share)).collect();
        vec![sets, shares, LINES.iter().map(|line| line.name.to_owned()).collect()]
    },
    run: |request, run| measure(request, &[], run),
};

/// Shares of the counts that are hidden.
const SHARES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

fn share_name(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// A method with settings.
#[derive(Clone, Copy)]
struct Line {
    name: &'static str,
    method: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

const PUBLISHED: [(&str, &str); 8] = [
    ("normalize", "false"),
    ("hidden", "2000"),
    ("start", "1"),
    ("rate", "0.0001"),
    ("batch", "0"),
    ("epochs", "7000"),
    ("patience", "0"),
    ("threshold", "0.0001"),
];
const PUBLISHED_SN: [(&str, &str); 8] = with(PUBLISHED, 0, ("normalize", "true"));
const SHORT: [(&str, &str); 8] =
    with(with(with(PUBLISHED, 1, ("hidden", "500")), 3, ("rate", "0.001")), 5, ("epochs", "700"));
const SHORT_SN: [(&str, &str); 8] = with(SHORT, 0, ("normalize", "true"));

/// The same settings with another one at a place.
const fn with<const N: usize>(
    mut settings: [(&'static str, &'static str); N],
    place: usize,
    other: (&'static str, &'static str),
) -> [(&'static str, &'static str); N] {
    settings[place] = other;
    settings
}

const LINES: [Line; 8] = [
    Line { name: "mean", method: "mean", settings: &[] },
    Line { name: "low-rank", method: "low-rank", settings: &[] },
    Line { name: "published", method: "autoimpute", settings: &PUBLISHED },
    Line { name: "published + SN", method: "autoimpute", settings: &PUBLISHED_SN },
    Line { name: "short", method: "autoimpute", settings: &SHORT },
    Line { name: "short + SN", method: "autoimpute", settings: &SHORT_SN },
    Line { name: "ours", method: "autoimpute", settings: &[("normalize", "false")] },
    Line { name: "ours + SN", method: "autoimpute", settings: &[] },
];

/// What one line gave for one share.
#[derive(Clone, Default)]
struct Outcome {
    nmse: Vec<f64>,
    rmse: Vec<f64>,
    mae: Vec<f64>,
    seconds: Vec<f64>,
}

/// `smaller` is what tests change of the networks.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let sets = request.chosen(&SETS, |set| set.name.to_owned());
    let shares = request.chosen(&SHARES, |share| share_name(*share));
    let lines = request.chosen(&LINES, |line| line.name.to_owned());
    let mut progress = Progress::new(run, sets.len() * shares.len() * lines.len() * request.seeds);
    let (mut sections, mut claims, mut drifts) = (Vec::new(), Vec::new(), Vec::new());
    'all: for set in &sets {
        let truth = set.read(&request.data)?;
        for share in &shares {
            let mut outcomes = vec![Outcome::default(); lines.len()];
            for repetition in 0..request.seeds {
                let own = single(run, repetition);
                let hidden = Hidden::new(&truth, *share, own.seed());
                for (line, outcome) in lines.iter().zip(&mut outcomes) {
                    if !progress.next(&format!("{}, {}, {}", set.name, share_name(*share), line.name)) {
                        break 'all;
                    }
                    let model = outcome.add(line, smaller, &truth, &hidden, &own)?;
                    if line.method == "autoimpute" && repetition == 0 {
                        drifts.push(drift::row(set, *share, line.name, &model, &hidden.data, &own)?);
                    }
                }
            }
            sections.push(section(set, *share, &lines, &outcomes));
            claims.extend(claims_of(set, *share, &lines, &outcomes));
        }
    }
    if !drifts.is_empty() {
        sections.push(drift::section(drifts));
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            "Up to 1,000 genes of each set, prepared as published; zeros are holes, and a share of the rest is hidden. \
             Errors are of the hidden ones, on the logarithmic scale."
                .into(),
            "published: 2,000 units, weights from N(0, 1), RMSProp at 0.0001, one batch, up to 7,000 rounds, until the \
             loss of a cell changes by less than 0.0001. short: 500 units, up to 700 rounds at 0.001. ours: the \
             defaults of the method (200 units, batches, an end by counts set aside)."
                .into(),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// A table with a share of its known cells hidden.
struct Hidden {
    data: Data,
    /// For each column the rows that were hidden.
    rows: Vec<Vec<usize>>,
}

impl Hidden {
    fn new(truth: &Table, share: f64, seed: u64) -> Self {
        let mut table = truth.clone();
        let mut rows = Vec::new();
        for (place, column) in table.columns_mut().iter_mut().enumerate() {
            let mut stream = Stream::new(seed, "hidden counts", place as u64, 0);
            let known = (0..column.observed.len()).filter(|&row| column.observed[row]);
            let hidden: Vec<usize> = known.filter(|_| stream.uniform() < share).collect();
            for &row in &hidden {
                column.observed[row] = false;
                if let Values::Numbers(values) = &mut column.values {
                    values[row] = 0.0;
                }
            }
            rows.push(hidden);
        }
        Self { data: table.into(), rows }
    }

    /// (true, filled) of all hidden cells.
    fn pairs(&self, truth: &Table, filled: &Table) -> Vec<(f64, f64)> {
        let mut pairs = Vec::new();
        for ((truth, filled), rows) in truth.columns().iter().zip(filled.columns()).zip(&self.rows) {
            let (Some(truth), Some(filled)) = (truth.numbers(), filled.numbers()) else { continue };
            pairs.extend(rows.iter().map(|&row| (truth[row], filled[row])));
        }
        pairs
    }
}

impl Outcome {
    fn add(
        &mut self,
        line: &Line,
        smaller: &[(&str, &str)],
        truth: &Table,
        hidden: &Hidden,
        run: &Run,
    ) -> Result<Model> {
        let changed = if line.method == "autoimpute" { smaller } else { &[] };
        let recipe = Recipe::named(line.method)?.set_all(line.settings.iter().chain(changed).copied())?;
        let start = Instant::now();
        let model = Model::fit(&hidden.data, &Aim::fill(), &recipe, run)?;
        let filled = run.compute(|| model.filling()?.fill(&hidden.data, None, |_, _| {}))?;
        self.seconds.push(start.elapsed().as_secs_f64());
        let pairs = hidden.pairs(truth, filled.data.table()?);
        let count = pairs.len().max(1) as f64;
        let squares: f64 = pairs.iter().map(|(truth, filled)| (truth - filled).powi(2)).sum();
        let size: f64 = pairs.iter().map(|(truth, _)| truth.powi(2)).sum();
        self.nmse.push((squares / size.max(f64::MIN_POSITIVE)).sqrt());
        self.rmse.push((squares / count).sqrt());
        self.mae.push(pairs.iter().map(|(truth, filled)| (truth - filled).abs()).sum::<f64>() / count);
        Ok(model)
    }
}

fn section(set: &Set, share: f64, lines: &[Line], outcomes: &[Outcome]) -> Section {
    let row = |(line, outcome): (&Line, &Outcome)| Row {
        name: line.name.to_owned(),
        cells: [&outcome.nmse, &outcome.rmse, &outcome.mae, &outcome.seconds]
            .map(|values| Cell::from(Figure::of(values, 0.0)))
            .to_vec(),
    };
    Section {
        title: format!("{}, {} hidden", set.name, share_name(share)),
        columns: ["NMSE", "RMSE", "MAE", "seconds"].map(str::to_owned).to_vec(),
        digits: 3,
        rows: lines.iter().zip(outcomes).map(row).collect(),
    }
}

/// Normalisation helps; and whether low rank does better.
fn claims_of(set: &Set, share: f64, lines: &[Line], outcomes: &[Outcome]) -> Vec<Claim> {
    let own = |name: &str| {
        let found = lines.iter().position(|line| line.name == name);
        found.map_or(&[] as &[f64], |found| outcomes[found].nmse.as_slice())
    };
    let pairs = [
        ("published + SN", "published"),
        ("short + SN", "short"),
        ("ours + SN", "ours"),
        ("low-rank", "published + SN"),
        ("low-rank", "ours + SN"),
    ];
    let claim = |(one, other): (&str, &str)| {
        let words = format!("{}, {} hidden: {one} errs less than {other}", set.name, share_name(share));
        Claim::lower(words, own(one), own(other), 0.0)
    };
    pairs.into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_has_errors_and_drifts() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("scrna")).unwrap();
        let mut stream = Stream::new(1, "cells", 0, 0);
        let genes = 12;
        let header: String = (0..genes).map(|gene| format!(",g{gene}")).collect();
        let mut text = format!("cell{header}\n");
        for cell in 0..30 {
            let size = 3.0 + stream.normal();
            let counts = (0..genes).map(|gene| match stream.uniform() {
                share if share < 0.3 => ",0".to_owned(),
                _ => format!(",{:.3}", size.abs() + 0.1 * f64::from(gene) + 0.2 * stream.uniform()),
            });
            text.push_str(&format!("{cell}{}\n", counts.collect::<String>()));
        }
        std::fs::write(folder.path().join("scrna/blakeley_1000.csv"), text).unwrap();
        let only = ["blakeley", "30%", "mean", "low-rank", "ours", "ours + SN"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().into(), seeds: 2, only };
        let report =
            measure(&request, &[("epochs", "3"), ("hidden", "8")], &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        let [errors, drifts] = report.sections.as_slice() else { panic!("{:?}", report.sections) };
        assert_eq!(errors.title, "blakeley, 30% hidden");
        let figure = |row: usize, column: usize| match &errors.rows[row].cells[column] {
            Cell::Figure(figure) => figure.mean,
            other => panic!("{other:?}"),
        };
        assert!(figure(1, 0) < figure(0, 0), "low rank finds the size of cells");
        assert!((0..4).all(|row| figure(row, 0) > 0.0 && figure(row, 2) <= figure(row, 1)));
        assert_eq!(drifts.rows.len(), 2);
        assert_eq!(report.claims.len(), 2);
    }
}
