//! Replicated inputs: what zero imputation costs as the number of inputs grows, and what Sparsity
//! Normalization (SN) saves (Table 5, Figures 2, 6 and 7 of the first version of the paper on SN).
//!
//! Each row is repeated r times side by side, then erased: one half of the rows keeps 20 % of its cells (the
//! sparse group), the other half 80 % (the dense group). The r copies hold the same values, so with large r
//! hardly anything is lost: whatever error a network has beyond the floor comes from how it takes holes.
//!
//! Scaling to 0..1 comes first and uses all rows, as published. The paper does not give the learning rate or
//! the number of epochs; these here are those that come nearest to its table.

mod erased;
mod found;
mod published;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::methods::mlp;
use crate::run::Run;

use super::folder::{Sheet, Wanted};
use super::network::plain_settings;
use super::repeat::{Progress, single};
use super::treatment::{Fill, Treatment};
use super::{Bench, Report, Request};
use erased::{Erased, Outcome};
use found::Found;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "uci-replication",
    title: "Error on replicated, erased inputs: five treatments of holes and controls",
    paper: "Yi, Lee, Hwang and Yang 2019, Sparsity Normalization: Stabilizing the Expected Outputs of Deep \
            Networks, Table 5, Figures 2, 6 and 7",
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

/// The share of the rows that is tested on.
const TEST_SHARE: f64 = 0.2;

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
    fn plan(&self, data: &Data) -> mlp::Settings {
        let epochs = if data.name == "cancer" { self.cancer_epochs } else { self.epochs };
        mlp::Settings { hidden: self.hidden.clone(), epochs, batch: 0, rate: 1e-2, ..plain_settings() }
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
    let (mut progress, all_copies) = (Progress::new(run, total), &copies);
    let (mut outcomes, mut constants) = (Outcomes::new(), BTreeMap::<usize, Vec<f64>>::new());
    for (place, mut sheet) in chosen.iter().copied().zip(sheets) {
        sheet.min_max(&(0..sheet.rows).collect::<Vec<_>>());
        for repetition in 0..request.seeds {
            for copies in all_copies {
                let table = Erased::new(&sheet, *copies, run.seed() + repetition as u64);
                // The split is that of the seed, whatever r.
                if Some(copies) == all_copies.first() {
                    constants.entry(place).or_default().push(table.constant_error());
                }
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
        test_share: TEST_SHARE,
        complete: progress.end(),
    };
    for place in chosen {
        if !outcomes.keys().any(|(data, ..)| *data == place) {
            // Stopped before its turn.
            continue;
        }
        let constant = constants.remove(&place).unwrap_or_default();
        let found =
            Found { data: place, copies: &copies, treatments: &treatments, outcomes: &outcomes, constant };
        report.sections.extend(found.sections());
        report.claims.extend(found.claims());
    }
    Ok(report)
}

fn position(treatment: Treatment) -> usize {
    TREATMENTS.iter().position(|other| *other == treatment).unwrap_or(TREATMENTS.len())
}

#[cfg(test)]
mod tests;
