//! Dropout with and without Sparsity Normalization on tables without holes (section 4.4 and appendix E of
//! the paper on SN).
//!
//! Ordinary dropout divides by the share of units kept on average, so the sum that the next layer gets varies
//! with the number kept by chance; normalised dropout divides by the share kept in this very row. The
//! variation, sqrt(p / (n (1 - p))), grows with the drop rate p, and so should the gain.
//!
//! The paper shows a figure without numbers and does not tell the number of epochs. Targets are
//! standardised here (with a learning rate of 1e-4 raw ones would take far longer); errors are in the
//! target's units.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::methods::mlp;
use crate::nn::sparsity::{Dropout, dropout_degree};
use crate::run::Run;

use super::folder::{Sheet, Wanted};
use super::network::{Rows, Split, Tested, error_rate, plain_settings, train_and_test};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "uci-dropout",
    title: "Ordinary dropout beside dropout with Sparsity Normalization",
    paper: "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in \
            Training Neural Networks, section 4.4 and appendix E",
    files: &["complete/boston.csv", "complete/diabetes.csv", "complete/california.csv"],
    parts: || {
        vec![
            DATA.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            SHARES.iter().map(|share| share_name(*share)).collect(),
        ]
    },
    run: |request, run| measure(request, &Settings::default(), run),
};

/// Name, file and digits.
const DATA: [(&str, Wanted, usize); 3] = [
    ("boston", wanted("complete/boston.csv", "MEDV"), 3),
    ("diabetes", wanted("complete/diabetes.csv", "target"), 2),
    ("california", wanted("complete/california.csv", "MedHouseVal"), 4),
];

const fn wanted(file: &'static str, target: &'static str) -> Wanted {
    Wanted { file, target, classes: false, ignored: &[] }
}

/// Drop rates; without dropout the two kinds are the same.
const SHARES: [f64; 6] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9];

fn share_name(share: f64) -> String {
    format!("p={share}")
}

/// The share of the rows that is tested on.
const TEST_SHARE: f64 = 0.1;

/// What tests make smaller.
struct Settings {
    layers: usize,
    units: usize,
    /// Steps of every training, whatever the number of rows.
    steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { layers: 4, units: 256, steps: 3000 }
    }
}

const BATCH: usize = 128;

impl Settings {
    fn plan(&self, share: f64, kind: Dropout, rows: usize) -> mlp::Settings {
        let epochs = self.steps.div_ceil(rows.div_ceil(BATCH).max(1));
        mlp::Settings {
            hidden: vec![self.units; self.layers],
            dropout: share,
            dropout_kind: kind,
            epochs,
            batch: BATCH,
            rate: 1e-4,
            ..plain_settings()
        }
    }
}

/// Errors by (data set, drop rate): ordinary and normalised, seed by seed.
type Errors = BTreeMap<(usize, usize), [Vec<f64>; 2]>;

const KINDS: [(Dropout, &str); 2] = [(Dropout::Average, "ordinary"), (Dropout::Normalized, "normalised")];

fn measure(request: &Request, settings: &Settings, run: &Run) -> Result<Report> {
    let chosen = request.chosen(&[0, 1, 2], |place| DATA[*place].0.to_owned());
    let shares = request.chosen(&[0, 1, 2, 3, 4, 5], |place| share_name(SHARES[*place]));
    let sheets: Vec<Sheet> =
        chosen.iter().map(|place| DATA[*place].1.read(&request.data)).collect::<Result<_>>()?;
    let kinds = |share: f64| if share > 0.0 { &KINDS[..] } else { &KINDS[..1] };
    let trainings: usize = shares.iter().map(|share| kinds(SHARES[*share]).len()).sum();
    let mut progress = Progress::new(run, trainings * chosen.len() * request.seeds);
    let mut errors = Errors::new();
    for (data, mut sheet) in chosen.iter().copied().zip(sheets) {
        sheet.min_max(&(0..sheet.rows).collect::<Vec<_>>());
        for repetition in 0..request.seeds {
            let table = Prepared::new(&sheet, run.seed() + repetition as u64);
            for share in &shares {
                for (place, (kind, name)) in kinds(SHARES[*share]).iter().enumerate() {
                    if !progress.next(&format!("{} p={} {name}", DATA[data].0, SHARES[*share])) {
                        break;
                    }
                    let plan = settings.plan(SHARES[*share], *kind, table.split.learning.len());
                    if let Some(error) = table.error(&plan, &single(run, repetition))? {
                        errors.entry((data, *share)).or_default()[place].push(error);
                    }
                }
            }
        }
    }
    let begun: Vec<usize> =
        chosen.into_iter().filter(|place| errors.keys().any(|(data, _)| data == place)).collect();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words(settings),
        sections: begun.iter().map(|data| section(*data, &shares, settings, &errors)).collect(),
        claims: begun.iter().flat_map(|data| claims(*data, &shares, &errors)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: TEST_SHARE,
        complete: progress.end(),
    })
}

fn words(settings: &Settings) -> Vec<String> {
    vec![
        format!(
            "Inputs scaled to 0..1, no holes; {} x {} ReLU, Adam 0.0001, batch {BATCH}, {} steps, best \
             validation epoch; 10 % test, 20 % of the rest for validation.",
            settings.layers, settings.units, settings.steps
        ),
        "degree: how much the number of kept units varies, sd over mean. The paper's figure has no numbers; it \
         shows normalised dropout below ordinary, the more so the larger p."
            .into(),
    ]
}

/// A table with its split and its standardised target.
struct Prepared<'a> {
    sheet: &'a Sheet,
    split: Split,
    targets: crate::encode::Targets,
    deviation: f64,
}

impl<'a> Prepared<'a> {
    fn new(sheet: &'a Sheet, seed: u64) -> Self {
        let split = Split::new(sheet.rows, TEST_SHARE, 0.2, seed);
        let known = || split.learning.iter().map(|row| f64::from(sheet.targets.numbers[*row]));
        let count = split.learning.len().max(1) as f64;
        let mean = known().sum::<f64>() / count;
        let deviation = (known().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        let deviation = if deviation > 0.0 { deviation } else { 1.0 };
        let mut targets = sheet.targets.clone();
        for value in &mut targets.numbers {
            *value = ((f64::from(*value) - mean) / deviation) as f32;
        }
        Self { sheet, split, targets, deviation }
    }

    /// Root mean squared error in the target's units.
    fn error(&self, plan: &mlp::Settings, run: &Run) -> Result<Option<f64>> {
        let rows =
            Rows { width: self.sheet.columns, inputs: self.sheet.values.clone(), targets: &self.targets };
        let tested = train_and_test(&rows, &self.split, plan, run)?;
        let error = |tested: Tested| error_rate(&tested.answers, &self.targets, &self.split.test);
        Ok(tested.map(|tested| self.deviation * error(tested)))
    }
}

fn section(data: usize, shares: &[usize], settings: &Settings, errors: &Errors) -> Section {
    let row = |share: &usize| {
        let nothing = Default::default();
        let [ordinary, normalised] = errors.get(&(data, *share)).unwrap_or(&nothing);
        let differences: Vec<f64> = normalised.iter().zip(ordinary).map(|(n, o)| n - o).collect();
        let degree = dropout_degree(SHARES[*share], settings.units);
        let cells = vec![
            Cell::Words(format!("{degree:.4}")),
            Figure::of(ordinary, TEST_SHARE).into(),
            Figure::of(normalised, TEST_SHARE).into(),
            Figure::of(&differences, TEST_SHARE).into(),
        ];
        Row { name: share_name(SHARES[*share]), cells }
    };
    let columns = ["degree", "ordinary", "normalised", "difference"];
    Section {
        title: format!("{}: RMSE over the drop rate p", DATA[data].0),
        columns: columns.map(str::to_owned).to_vec(),
        digits: DATA[data].2,
        rows: shares.iter().map(row).collect(),
    }
}

/// Normalised dropout wins at every rate; the gap is wider at the largest than at the smallest.
fn claims(data: usize, shares: &[usize], errors: &Errors) -> Vec<Claim> {
    let name = DATA[data].0;
    let dropped: Vec<usize> = shares.iter().copied().filter(|share| SHARES[*share] > 0.0).collect();
    let found = |share: &usize| errors.get(&(data, *share));
    let wins = |share: &usize| {
        let [ordinary, normalised] = found(share)?;
        let words = format!("{name}, p = {}: normalised errs less than ordinary", SHARES[*share]);
        Claim::lower(words, normalised, ordinary, TEST_SHARE)
    };
    let mut claims: Vec<Claim> = dropped.iter().filter_map(wins).collect();
    if let [first, .., last] = dropped.as_slice()
        && let (Some(first_errors), Some(last_errors)) = (found(first), found(last))
    {
        let gap = |[ordinary, normalised]: &[Vec<f64>; 2]| -> Vec<f64> {
            normalised.iter().zip(ordinary).map(|(n, o)| n - o).collect()
        };
        let words =
            format!("{name}: the gain is larger at p = {} than at p = {}", SHARES[*last], SHARES[*first]);
        claims.extend(Claim::lower(words, &gap(last_errors), &gap(first_errors), TEST_SHARE));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn a_small_run_compares_the_two_kinds() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("complete")).unwrap();
        let mut stream = Stream::new(1, "dropout", 0, 0);
        let mut line = || {
            let (a, b) = (stream.uniform(), stream.uniform());
            format!("{a},{b},{}\n", 10.0 + a - b)
        };
        let lines: String = (0..50).map(|_| line()).collect();
        std::fs::write(folder.path().join("complete/diabetes.csv"), format!("a,b,target\n{lines}")).unwrap();
        let only = ["diabetes", "p=0", "p=0.1", "p=0.5"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 2, only };
        let settings = Settings { layers: 2, units: 8, steps: 6 };
        let report = measure(&request, &settings, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        let rows = &report.sections[0].rows;
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].cells[2], Cell::Empty, "without dropout there is one kind");
        assert!(matches!(&rows[2].cells[3], Cell::Figure(figure) if figure.values.len() == 2));
        assert_eq!(report.claims.len(), 3);
    }

    #[test]
    fn every_table_gets_the_same_number_of_steps() {
        let settings = Settings::default();
        assert_eq!(settings.plan(0.5, Dropout::Average, 364).epochs, 1000);
        assert_eq!(settings.plan(0.5, Dropout::Average, 14_861).epochs, 26);
    }
}
