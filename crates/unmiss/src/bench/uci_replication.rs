//! Replicated inputs: what zero imputation costs as the number of inputs grows, and what Sparsity
//! Normalization (SN) saves (Table 5, Figures 6 and 7 of the first version of the paper on SN).
//!
//! Each row is repeated r times side by side, then erased: one half of the rows keeps 20 % of its cells (the
//! sparse group), the other half 80 % (the dense group). The r copies hold the same values, so with large r
//! hardly anything is lost: whatever error a network has beyond the floor comes from how it takes holes.
//!
//! Scaling to 0..1 comes first and uses all rows, as published. The paper does not give the learning rate or
//! the number of epochs; these here are those that come nearest to its table.

mod published;

use std::collections::BTreeMap;

use crate::encode::Task;
use crate::error::Result;
use crate::nn::train::TrainSettings;
use crate::rng::Stream;
use crate::run::Run;

use super::folder::{Sheet, Wanted};
use super::network::{Plan, Rows, Split, error_rate, train_and_test};
use super::repeat::{Progress, single};
use super::report::Row;
use super::treatment::{Fill, Holes, Treatment};
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};
use published::{Given, PEERS, PUBLISHED};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "uci-replication",
    title: "Error on replicated, erased inputs: five treatments of holes and controls",
    paper: "Yi, Lee, Hwang and Yang 2019, Sparsity Normalization: Stabilizing the Expected Outputs of Deep \
            Networks, Table 5, Figures 6 and 7",
    files: &[
        "complete/boston.csv",
        "complete/diabetes.csv",
        "complete/california.csv",
        "complete/iris.csv",
        "complete/breast_cancer_wdbc.csv",
        "complete/wine.csv",
    ],
    parts: || {
        vec![
            DATA.iter().map(|data| data.name.to_owned()).collect(),
            COPIES.iter().map(|copies| copies_name(*copies)).collect(),
            TREATMENTS.iter().map(|treatment| treatment.name().to_owned()).collect(),
        ]
    },
    run: |request, run| measure(request, &Settings::default(), run),
};

struct Data {
    name: &'static str,
    wanted: Wanted,
    digits: usize,
}

const fn data(
    name: &'static str,
    file: &'static str,
    target: &'static str,
    classes: bool,
    digits: usize,
) -> Data {
    Data { name, wanted: Wanted { file, target, classes, ignored: &[] }, digits }
}

/// In the order of the published table.
const DATA: [Data; 6] = [
    data("boston", "complete/boston.csv", "MEDV", false, 3),
    data("diabetes", "complete/diabetes.csv", "target", false, 3),
    data("california", "complete/california.csv", "MedHouseVal", false, 4),
    data("iris", "complete/iris.csv", "class", true, 4),
    data("cancer", "complete/breast_cancer_wdbc.csv", "class", true, 4),
    data("wine", "complete/wine.csv", "class", true, 4),
];

/// r.
const COPIES: [usize; 4] = [1, 10, 30, 100];

fn copies_name(copies: usize) -> String {
    format!("r={copies}")
}

/// The published five (SN with both constants), then the controls.
const TREATMENTS: [Treatment; 11] = [
    Treatment::Plain(Fill::Zero),
    Treatment::Plain(Fill::Mean),
    Treatment::Plain(Fill::ObservedIndicator),
    Treatment::Plain(Fill::MissingIndicator),
    Treatment::NormalizedToOne,
    Treatment::NormalizedToMean,
    Treatment::Divided(Fill::Zero),
    Treatment::Divided(Fill::Mean),
    Treatment::Divided(Fill::ObservedIndicator),
    Treatment::Divided(Fill::MissingIndicator),
    Treatment::Floor,
];

/// What tests make smaller.
struct Settings {
    hidden: Vec<usize>,
    epochs: usize,
    /// Cancer overfits sooner.
    cancer_epochs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hidden: vec![100; 3], epochs: 200, cancer_epochs: 100 }
    }
}

impl Settings {
    fn plan(&self, data: &Data) -> Plan {
        let epochs = if data.name == "cancer" { self.cancer_epochs } else { self.epochs };
        let train = TrainSettings { epochs, batch: 0, rate: 1e-2, ..TrainSettings::default() };
        Plan { hidden: self.hidden.clone(), dropout: None, train }
    }

    fn words(&self) -> Vec<String> {
        vec![
            "Inputs scaled to 0..1, r copies side by side, then half of the rows erased to 20 %, half to 80 %."
                .into(),
            format!(
                "{} x {} ReLU, Adam 0.01, full batch, {} epochs (cancer {}), best validation epoch; split 3:1:1.",
                self.hidden.len(),
                self.hidden.first().copied().unwrap_or(0),
                self.epochs,
                self.cancer_epochs
            ),
            "`/ constant`: a baseline whose inputs are divided by the mean count of known cells, one number for \
             all rows, as SN with K = 1 does row by row."
                .into(),
            "drift: dense rows less sparse rows, less the same difference of the truth; for classes the share of \
             probability that moves."
                .into(),
        ]
    }
}

/// One training's outcome on the test rows.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    error: f64,
    drift: Drift,
}

/// What the network answers on average in either group. The groups are drawn at random, so a fair network
/// answers the same in both.
#[derive(Debug, Clone, Copy)]
struct Drift {
    /// Mean answer for sparse and dense rows; for classes the mean probability of the last.
    sparse: f64,
    dense: f64,
    /// Dense less sparse, of what the answers have beyond the truth (whose means differ by chance too); for
    /// classes the share of probability that moves from one class to another.
    drift: f64,
}

/// Outcomes by (data set, r, treatment), one per seed.
type Outcomes = BTreeMap<(usize, usize, usize), Vec<Outcome>>;

fn measure(request: &Request, settings: &Settings, run: &Run) -> Result<Report> {
    let places: Vec<usize> = (0..DATA.len()).collect();
    let chosen = request.chosen(&places, |place| DATA[*place].name.to_owned());
    let copies = request.chosen(&COPIES, |copies| copies_name(*copies));
    let treatments = request.chosen(&TREATMENTS, |treatment| treatment.name().to_owned());
    // All files are read first: a missing one is better told before hours of work.
    let sheets: Vec<Sheet> =
        chosen.iter().map(|place| DATA[*place].wanted.read(&request.data)).collect::<Result<_>>()?;
    let total = chosen.len() * copies.len() * treatments.len() * request.seeds;
    let mut progress = Progress::new(run, total);
    let mut outcomes = Outcomes::new();
    for (place, mut sheet) in chosen.iter().copied().zip(sheets) {
        sheet.min_max(&(0..sheet.rows).collect::<Vec<_>>());
        for repetition in 0..request.seeds {
            for copies in &copies {
                let table = Erased::new(&sheet, *copies, run.seed() + repetition as u64);
                for treatment in &treatments {
                    let what = format!("{} r={copies} {}", DATA[place].name, treatment.name());
                    if !progress.next(&what) {
                        break;
                    }
                    let plan = settings.plan(&DATA[place]);
                    if let Some(outcome) = table.outcome(*treatment, &plan, &single(run, repetition))? {
                        let key = (place, *copies, position(*treatment));
                        outcomes.entry(key).or_default().push(outcome);
                    }
                }
            }
        }
    }
    let mut report = Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: settings.words(),
        sections: Vec::new(),
        claims: Vec::new(),
        seed: run.seed(),
        seeds: request.seeds,
        complete: progress.end(),
    };
    for place in chosen {
        if !outcomes.keys().any(|(data, ..)| *data == place) {
            // Stopped before its turn.
            continue;
        }
        let found = Found { data: place, copies: &copies, treatments: &treatments, outcomes: &outcomes };
        report.sections.extend(found.sections());
        report.claims.extend(found.claims());
    }
    Ok(report)
}

fn position(treatment: Treatment) -> usize {
    TREATMENTS.iter().position(|other| *other == treatment).unwrap_or(TREATMENTS.len())
}

/// A table with r copies, erased.
struct Erased<'a> {
    holes: Holes<'a>,
    sheet: &'a Sheet,
    dense: Vec<bool>,
    split: Split,
}

impl<'a> Erased<'a> {
    fn new(sheet: &'a Sheet, copies: usize, seed: u64) -> Self {
        let mut dense = vec![false; sheet.rows];
        for row in &Stream::new(seed, "bench groups", 0, 0).permutation(sheet.rows)[..sheet.rows / 2] {
            dense[*row] = true;
        }
        let width = copies * sheet.columns;
        let mut observed = Vec::with_capacity(sheet.rows * width);
        for (row, dense) in dense.iter().enumerate() {
            let mut stream = Stream::new(seed, "bench erase", row as u64, copies as u64);
            let keep = if *dense { 0.8 } else { 0.2 };
            observed.extend((0..width).map(|_| stream.uniform() < keep));
        }
        let holes =
            Holes { rows: sheet.rows, columns: sheet.columns, copies, values: &sheet.values, observed };
        // 3:1:1.
        let split = Split::new(sheet.rows, 0.2, 0.25, seed);
        Self { holes, sheet, dense, split }
    }

    fn outcome(&self, treatment: Treatment, plan: &Plan, run: &Run) -> Result<Option<Outcome>> {
        let (width, inputs) = self.holes.inputs(treatment, &self.split.learning);
        let rows = Rows { width, inputs, targets: &self.sheet.targets };
        let Some(tested) = train_and_test(&rows, &self.split, plan, run)? else { return Ok(None) };
        let error = error_rate(&tested.answers, &self.sheet.targets, &self.split.test);
        Ok(Some(Outcome { error, drift: self.drift(&tested.answers) }))
    }

    fn drift(&self, answers: &[f64]) -> Drift {
        let targets = &self.sheet.targets;
        let outputs = targets.task.outputs();
        // The right answer: the number itself, or 1 for the class and 0 for the others.
        let truth = |row: usize, output: usize| match targets.task {
            Task::Regression => f64::from(targets.numbers[row]),
            Task::Classification { .. } => f64::from(u8::from(targets.classes[row] as usize == output)),
        };
        // Means of each output over the test rows of a group: of the answer, and of how far it is too high.
        let means = |dense: bool, output: usize| {
            let rows = answers.chunks_exact(outputs).zip(&self.split.test);
            let group = rows.filter(|(_, row)| self.dense[**row] == dense);
            let (mut answer, mut excess, mut count) = (0.0, 0.0, 0.0_f64);
            for (answers, row) in group {
                answer += answers[output];
                excess += answers[output] - truth(*row, output);
                count += 1.0;
            }
            (answer / count.max(1.0), excess / count.max(1.0))
        };
        let differences = || (0..outputs).map(|output| means(true, output).1 - means(false, output).1);
        let drift = match targets.task {
            Task::Regression => differences().sum(),
            Task::Classification { .. } => differences().map(f64::abs).sum::<f64>() / 2.0,
        };
        Drift { sparse: means(false, outputs - 1).0, dense: means(true, outputs - 1).0, drift }
    }
}

/// What was found on one data set.
struct Found<'a> {
    data: usize,
    copies: &'a [usize],
    treatments: &'a [Treatment],
    outcomes: &'a Outcomes,
}

impl Found<'_> {
    fn values(&self, copies: usize, treatment: Treatment, value: impl Fn(&Outcome) -> f64) -> Vec<f64> {
        let outcomes = self.outcomes.get(&(self.data, copies, position(treatment)));
        outcomes.map(|outcomes| outcomes.iter().map(value).collect()).unwrap_or_default()
    }

    fn errors(&self, copies: usize, treatment: Treatment) -> Vec<f64> {
        self.values(copies, treatment, |outcome| outcome.error)
    }

    fn most(&self) -> usize {
        self.copies.iter().copied().max().unwrap_or(1)
    }

    fn section(&self, title: String, columns: &[String], cells: impl Fn(Treatment) -> Vec<Cell>) -> Section {
        let row = |treatment: &Treatment| Row { name: treatment.name().to_owned(), cells: cells(*treatment) };
        let rows = self.treatments.iter().map(row).collect();
        Section { title, columns: columns.to_vec(), digits: DATA[self.data].digits, rows }
    }

    fn sections(&self) -> Vec<Section> {
        let data = &DATA[self.data];
        let measure = if data.wanted.classes { "share of wrong classes" } else { "RMSE" };
        let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut sections = Vec::new();
        if self.copies.contains(&100) {
            let title = format!("{}: {measure} at r = 100 (Table 5)", data.name);
            sections.push(self.section(title, &words(&["paper", "peers", "ours"]), |treatment| {
                let given = |table: &[[Given; 6]]| -> Cell {
                    let figure = table.get(position(treatment)).and_then(|row| row[self.data]);
                    figure.map(|(mean, half)| Figure::given(mean, half)).into()
                };
                vec![given(&PUBLISHED), given(&PEERS), Figure::of(&self.errors(100, treatment)).into()]
            }));
        }
        if *self.copies != [100] {
            let title = format!("{}: {measure} over r (Figure 6)", data.name);
            let columns: Vec<String> = self.copies.iter().map(|copies| copies_name(*copies)).collect();
            sections.push(self.section(title, &columns, |treatment| {
                let cell = |copies: &usize| Figure::of(&self.errors(*copies, treatment)).into();
                self.copies.iter().map(cell).collect()
            }));
        }
        let output = if data.wanted.classes { "probability of the last class" } else { "answer" };
        let title = format!("{}: mean {output} at r = {} (Figure 7)", data.name, self.most());
        sections.push(self.section(title, &words(&["sparse rows", "dense rows", "drift"]), |treatment| {
            let cell =
                |value: fn(&Outcome) -> f64| Figure::of(&self.values(self.most(), treatment, value)).into();
            vec![
                cell(|outcome| outcome.drift.sparse),
                cell(|outcome| outcome.drift.dense),
                cell(|outcome| outcome.drift.drift),
            ]
        }));
        sections
    }

    /// The published claims, and the question whether the size of the inputs alone explains them.
    fn claims(&self) -> Vec<Claim> {
        let (name, most) = (DATA[self.data].name, self.most());
        let least = self.copies.iter().copied().min().unwrap_or(1);
        let (zero, normalized) = (Treatment::Plain(Fill::Zero), Treatment::NormalizedToOne);
        let errors = |treatment| self.errors(most, treatment);
        let drift = |treatment| self.values(most, treatment, |outcome| outcome.drift.drift.abs());
        let lower = |words: &str, low: Vec<f64>, high: Vec<f64>| {
            Claim::lower(format!("{name}, r = {most}: {words}"), &low, &high)
        };
        let mut claims = vec![
            lower("SN errs less than zero", errors(normalized), errors(zero)),
            lower(
                "SN errs less than the best of mean and indicators",
                errors(normalized),
                self.best(&TREATMENTS[1..4]),
            ),
            lower(
                "SN errs less than the best baseline / constant",
                errors(normalized),
                self.best(&TREATMENTS[6..10]),
            ),
            lower("SN drifts less than zero", drift(normalized), drift(zero)),
        ];
        if least < most {
            let before = |treatment| self.errors(least, treatment);
            let worse = format!("zero errs more than at r = {least}");
            claims.push(lower(&worse, before(zero), errors(zero)));
            let better = format!("SN errs less than at r = {least}");
            claims.push(lower(&better, errors(normalized), before(normalized)));
        }
        claims.into_iter().flatten().collect()
    }

    /// The errors of that treatment whose mean is lowest: chosen after the fact, in the baselines' favour.
    fn best(&self, treatments: &[Treatment]) -> Vec<f64> {
        let errors = treatments.iter().map(|treatment| self.errors(self.most(), *treatment));
        let mean = |errors: &Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        errors
            .filter(|errors| !errors.is_empty())
            .min_by(|one, other| mean(one).total_cmp(&mean(other)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
