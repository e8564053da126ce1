//! The network and training of the paper's health-check experiment on a public table of the same kind.
//!
//! The published figures come from about 300,000 records of a national health insurance that are not public.
//! Here it is 12,000 patients in intensive care (PhysioNet Challenge 2012): means over 48 hours of 37 series
//! plus four facts of admission, a quarter of the cells missing, to predict death in hospital. Published and
//! measured areas can't be compared; the gain that each treatment brings can.
//!
//! Not told in the paper and chosen here: 300 epochs, the best by a fifth of the training rows (with 100,
//! networks with small inputs, SN with K = 1 among them, were cut off while they still got better). Its dropout
//! "rate 0.8" may be the share kept or dropped: both are run.

use crate::encode::{Targets, Task};
use crate::error::Result;
use crate::methods::mlp;
use crate::metrics::auroc;
use crate::nn::sparsity::Dropout;
use crate::run::Run;

use super::folder::{Sheet, Wanted};
use super::network::{Rows, Split, plain_settings, train_and_test};
use super::repeat::{Progress, single};
use super::report::Row;
use super::treatment::{Fill, Holes, Treatment};
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "nhis-like",
    title: "Area under the ROC curve on medical records, with and without SN and dropout",
    paper: "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in \
            Training Neural Networks, section 4.2 and appendix C",
    files: &["physionet2012/tabular_means.csv"],
    parts: || vec![ROWS.iter().map(|row| row.name.to_owned()).collect()],
    run: |request, run| measure(request, &Settings::default(), run),
};

const WANTED: Wanted = Wanted {
    file: "physionet2012/tabular_means.csv",
    target: "In-hospital_death",
    classes: true,
    ignored: &["RecordID", "set"],
};

/// One line of the table.
struct Line {
    name: &'static str,
    treatment: Treatment,
    dropout: f64,
    /// The line of the published table it stands beside.
    published: Option<usize>,
}

const fn line(name: &'static str, treatment: Treatment, dropout: f64, published: Option<usize>) -> Line {
    Line { name, treatment, dropout, published }
}

const ROWS: [Line; 13] = [
    line("MLP", Treatment::Plain(Fill::Zero), 0.0, None),
    line("SN, K = 1", Treatment::NormalizedToOne, 0.0, Some(1)),
    line("SN, K = mean count", Treatment::NormalizedToMean, 0.0, Some(1)),
    line("dropout 0.2", Treatment::Plain(Fill::Zero), 0.2, Some(2)),
    line("dropout 0.2, SN K = 1", Treatment::NormalizedToOne, 0.2, Some(3)),
    line("dropout 0.2, SN K = mean", Treatment::NormalizedToMean, 0.2, Some(3)),
    line("dropout 0.8", Treatment::Plain(Fill::Zero), 0.8, Some(2)),
    line("dropout 0.8, SN K = 1", Treatment::NormalizedToOne, 0.8, Some(3)),
    line("dropout 0.8, SN K = mean", Treatment::NormalizedToMean, 0.8, Some(3)),
    line("mean", Treatment::Plain(Fill::Mean), 0.0, None),
    line("observation indicator", Treatment::Plain(Fill::ObservedIndicator), 0.0, None),
    line("missing indicator", Treatment::Plain(Fill::MissingIndicator), 0.0, None),
    line("zero / constant", Treatment::Divided(Fill::Zero), 0.0, None),
];

const DISEASES: [&str; 5] = ["cardiovasc.", "fatty liver", "hypertension", "heart failure", "diabetes"];

const PUBLISHED: [(&str, [(f64, f64); 5]); 4] = [
    ("MLP", [(0.7057, 0.0027), (0.6750, 0.0050), (0.7977, 0.0027), (0.7834, 0.0036), (0.9121, 0.0097)]),
    ("MLP+SN", [(0.7106, 0.0005), (0.6911, 0.0022), (0.8096, 0.0010), (0.7914, 0.0012), (0.9283, 0.0011)]),
    ("+dropout", [(0.7084, 0.0005), (0.6858, 0.0065), (0.8023, 0.0054), (0.7876, 0.0012), (0.9263, 0.0026)]),
    (
        "+dropout+SN",
        [(0.7105, 0.0009), (0.6941, 0.0011), (0.8086, 0.0016), (0.7922, 0.0015), (0.9303, 0.0029)],
    ),
];

/// The share of the rows that is tested on.
const TEST_SHARE: f64 = 0.25;

/// What tests make smaller.
struct Settings {
    hidden: Vec<usize>,
    epochs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hidden: vec![50, 30], epochs: 300 }
    }
}

fn measure(request: &Request, settings: &Settings, run: &Run) -> Result<Report> {
    let places: Vec<usize> = (0..ROWS.len()).collect();
    let chosen = request.chosen(&places, |place| ROWS[*place].name.to_owned());
    let sheet = WANTED.read(&request.data)?;
    let mut progress = Progress::new(run, chosen.len() * request.seeds);
    let mut outcomes = vec![Outcome::default(); ROWS.len()];
    for repetition in 0..request.seeds {
        let table = Prepared::new(&sheet, run.seed() + repetition as u64);
        for place in &chosen {
            if !progress.next(ROWS[*place].name) {
                break;
            }
            if let Some((area, epoch)) = table.area(&ROWS[*place], settings, &single(run, repetition))? {
                outcomes[*place].areas.push(area);
                outcomes[*place].epochs.push(epoch as f64);
            }
        }
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!(
                "PhysioNet 2012, means over 48 hours, death in hospital; inputs scaled to 0..1; {:?} ReLU, Adam \
                 0.01, full batch, classes weigh the same, {} epochs, best validation epoch; split 3:1.",
                settings.hidden, settings.epochs
            ),
            "gain: less the area of MLP (zero imputation), seed by seed; the paper's over its five diseases. \
             Nobody else's figures are known."
                .into(),
        ],
        sections: vec![ours(&chosen, &outcomes), published()],
        claims: claims(&outcomes),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: TEST_SHARE,
        complete: progress.end(),
    })
}

/// What a line came to, one value per seed.
#[derive(Debug, Clone, Default)]
struct Outcome {
    areas: Vec<f64>,
    epochs: Vec<f64>,
}

/// A split with scaled inputs and class weights, both from the rows to learn from.
struct Prepared {
    sheet: Sheet,
    split: Split,
}

impl Prepared {
    fn new(sheet: &Sheet, seed: u64) -> Self {
        let split = Split::new(sheet.rows, TEST_SHARE, 0.2, seed);
        let mut scaled = Sheet {
            rows: sheet.rows,
            columns: sheet.columns,
            values: sheet.values.clone(),
            observed: sheet.observed.clone(),
            targets: balanced(&sheet.targets, &split.learning),
        };
        scaled.min_max(&split.learning);
        Self { sheet: scaled, split }
    }

    /// The area on the test rows, and the epoch whose weights were kept.
    fn area(&self, line: &Line, settings: &Settings, run: &Run) -> Result<Option<(f64, usize)>> {
        let Sheet { rows, columns, values, observed, targets } = &self.sheet;
        let holes = Holes { rows: *rows, columns: *columns, copies: 1, values, observed: observed.clone() };
        let (width, inputs) = holes.inputs(line.treatment, &self.split.learning);
        let rows = Rows { width, inputs, targets };
        let Settings { hidden, epochs } = settings;
        let plan = mlp::Settings {
            hidden: hidden.clone(),
            dropout: line.dropout,
            dropout_kind: Dropout::Average,
            epochs: *epochs,
            batch: 0,
            rate: 1e-2,
            ..plain_settings()
        };
        let Some(tested) = train_and_test(&rows, &self.split, &plan, run)? else { return Ok(None) };
        let outputs = targets.task.outputs();
        let scores: Vec<f64> = tested.answers.chunks_exact(outputs).map(|row| row[outputs - 1]).collect();
        let positive: Vec<bool> =
            self.split.test.iter().map(|row| targets.classes[*row] as usize == outputs - 1).collect();
        Ok(Some((auroc(&scores, &positive, &vec![1.0; scores.len()]), tested.best_epoch)))
    }
}

/// The targets with weights by which every class counts the same: rows / (classes x rows of the class).
fn balanced(targets: &Targets, learning: &[usize]) -> Targets {
    let Task::Classification { classes } = targets.task else { return targets.clone() };
    let mut counts = vec![0_usize; classes];
    learning.iter().for_each(|row| counts[targets.classes[*row] as usize] += 1);
    let weight = |class: &u32| learning.len() as f32 / (classes * counts[*class as usize].max(1)) as f32;
    Targets { weights: targets.classes.iter().map(weight).collect(), ..targets.clone() }
}

fn ours(chosen: &[usize], outcomes: &[Outcome]) -> Section {
    let row = |place: &usize| {
        let Outcome { areas, epochs } = &outcomes[*place];
        let gains: Vec<f64> =
            areas.iter().zip(&outcomes[0].areas).map(|(area, plain)| area - plain).collect();
        let gain = if *place == 0 { Cell::Empty } else { Figure::of(&gains, TEST_SHARE).into() };
        let paper = ROWS[*place].published.map_or(Cell::Empty, |line| Cell::Words(published_gains(line)));
        let epoch = Figure::of(epochs, TEST_SHARE)
            .map_or(Cell::Empty, |epoch| Cell::Words(format!("{:.0}", epoch.mean)));
        let cells = vec![paper, Figure::of(areas, TEST_SHARE).into(), gain, epoch];
        Row { name: ROWS[*place].name.to_owned(), cells }
    };
    Section {
        title: "Death in hospital, area under the ROC curve".into(),
        columns: ["paper, gain", "ours", "ours, gain", "best epoch"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: chosen.iter().map(row).collect(),
    }
}

/// The least and the most that a published line gains over the plain network.
fn published_gains(line: usize) -> String {
    let gains = PUBLISHED[line].1.iter().zip(&PUBLISHED[0].1).map(|(with, without)| with.0 - without.0);
    let (low, high) = gains.fold((f64::MAX, f64::MIN), |(low, high), gain| (low.min(gain), high.max(gain)));
    format!("+{low:.4} to +{high:.4}").replace("+0.", "+.")
}

fn published() -> Section {
    let row = |(name, areas): &(&str, [(f64, f64); 5])| Row {
        name: (*name).to_owned(),
        cells: areas.map(|(mean, half)| Cell::Figure(Figure::given(mean, Some(half)))).to_vec(),
    };
    Section {
        title: "The paper's own data (not public), area under the ROC curve".into(),
        columns: DISEASES.map(str::to_owned).to_vec(),
        digits: 4,
        rows: PUBLISHED.iter().map(row).collect(),
    }
}

fn claims(outcomes: &[Outcome]) -> Vec<Claim> {
    let named = |name: &str| {
        let place = ROWS.iter().position(|row| row.name == name);
        place.map_or(&[] as &[f64], |place| outcomes[place].areas.as_slice())
    };
    let pairs = [
        ("MLP", "SN, K = 1"),
        ("MLP", "SN, K = mean count"),
        ("zero / constant", "SN, K = 1"),
        ("MLP", "dropout 0.2"),
        ("dropout 0.2", "dropout 0.2, SN K = 1"),
        ("dropout 0.2", "dropout 0.2, SN K = mean"),
        ("dropout 0.8", "dropout 0.8, SN K = 1"),
        ("dropout 0.8", "dropout 0.8, SN K = mean"),
        ("mean", "SN, K = 1"),
        ("missing indicator", "SN, K = 1"),
    ];
    let claim = |(less, more): (&str, &str)| {
        let words = format!("{more} has a larger area than {less}");
        Claim::higher(words, named(more), named(less), TEST_SHARE)
    };
    pairs.into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests;
