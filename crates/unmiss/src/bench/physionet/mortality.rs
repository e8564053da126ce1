//! Death in hospital from the first 48 hours in intensive care: set a to learn from, set c to test on.
//!
//! The interval is that of the test set: 500 times as many stays are drawn from it with replacement.

use super::{FILES, Line, TARGET, set};
use crate::bench::repeat::{Progress, single};
use crate::bench::report::Row;
use crate::bench::{Bench, Cell, Figure, Report, Request, Section};
use crate::data::Data;
use crate::data::series::Series;
use crate::encode::ClassWeights;
use crate::error::Result;
use crate::methods::Job;
use crate::metrics::{auprc, auroc};
use crate::model::{Aim, Model, Roles};
use crate::rng::Stream;
use crate::run::Run;

/// Sets of stays drawn for an interval.
const DRAWN: u64 = 500;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "physionet",
    title: "Death in hospital from the first 48 hours in intensive care",
    paper: "Yi et al. 2020, Why not to use zero imputation? (Table 6); Du et al. 2024; arXiv 2602.19531",
    files: FILES,
    parts: || vec![lines().iter().map(|line| line.name.to_owned()).collect()],
    run: measure,
};

/// Published AUROC and AUPRC; of other splits of the same 12,000 stays, but for the first two.
const PUBLISHED: [(&str, f64, Option<f64>); 7] = [
    ("published: LSTM, zero", 0.8177, None),
    ("published: LSTM, SN", 0.8152, None),
    ("published: XGBoost on raw holes", 0.771, Some(0.388)),
    ("published: XGBoost, linear interpolation", 0.807, Some(0.417)),
    ("published: XGBoost after SAITS", 0.851, Some(0.490)),
    ("published: XGBoost after BRITS", 0.841, Some(0.455)),
    ("published: best of RNNs and transformers", 0.76, None),
];

const LINES: [Line; 5] = [
    Line { name: "statistics, trees", method: "statistics", settings: &[] },
    Line { name: "statistics, linear", method: "statistics", settings: &[("predictor", "linear")] },
    Line {
        name: "statistics, ensemble",
        method: "statistics",
        settings: &[("predictor", "ensemble"), ("with", "{\"effort\": \"quick\"}")],
    },
    Line {
        name: "four statistics, trees",
        method: "statistics",
        settings: &[("statistics", "[\"mean\", \"deviation\", \"change\", \"change-deviation\"]")],
    },
    Line { name: "means, trees", method: "statistics", settings: &[("statistics", "[\"mean\"]")] },
];

/// The width of the bins that networks read, in hours.
const STEP: f64 = 1.0 / 6.0;

/// The network of the paper on Sparsity Normalization: its appendix C.
macro_rules! lstm {
    ($missing:literal) => {
        &[
            ("cell", "lstm"),
            ("missing", $missing),
            ("units", "108"),
            ("dropout", "0"),
            ("rate", "2e-4"),
            ("batch", "512"),
            ("epochs", "200"),
            ("patience", "15"),
        ]
    };
}

/// Networks: values in bins of ten minutes, classes of equal weight, a fifth of set a to tell when to stop.
const NETWORKS: [Line; 5] = [
    Line { name: "lstm, zero", method: "recurrent", settings: lstm!("zero") },
    Line { name: "lstm, sn-step", method: "recurrent", settings: lstm!("sn-step") },
    Line { name: "lstm, sn-series", method: "recurrent", settings: lstm!("sn-series") },
    Line { name: "gru, mask", method: "recurrent", settings: &[("missing", "mask")] },
    Line { name: "gru, decay", method: "recurrent", settings: &[("missing", "decay")] },
];

fn lines() -> Vec<Line> {
    LINES.into_iter().chain(NETWORKS).collect()
}

fn measure(request: &Request, run: &Run) -> Result<Report> {
    report(request, &set(&request.data, 'a')?, &set(&request.data, 'c')?, run)
}

fn report(request: &Request, training: &Series, test: &Series, run: &Run) -> Result<Report> {
    let lines = request.chosen(&lines(), |line| line.name.to_owned());
    let target = training.statics().columns().last().map_or(TARGET.to_owned(), |column| column.name.clone());
    let as_they_are = (Data::from(training.clone()), Data::from(test.clone()));
    let in_bins = (Data::from(training.binned(STEP)?), Data::from(test.binned(STEP)?));
    let mut progress = Progress::new(run, lines.len() * request.seeds);
    let mut rows: Vec<Row> = PUBLISHED
        .iter()
        .map(|(name, roc, precision)| Row {
            name: (*name).to_owned(),
            cells: vec![
                Cell::Figure(Figure::given(*roc, None)),
                precision.map(|own| Figure::given(own, None)).into(),
            ],
        })
        .collect();
    'all: for line in &lines {
        let network = NETWORKS.iter().any(|own| own.name == line.name);
        let (training, test) = if network { &in_bins } else { &as_they_are };
        let class_weights = if network { ClassWeights::Balanced } else { ClassWeights::Equal };
        let (mut roc, mut precision, mut halves) = (Vec::new(), Vec::new(), (0.0, 0.0));
        for repetition in 0..request.seeds {
            if !progress.next(line.name) {
                break 'all;
            }
            let own = single(run, repetition);
            let aim = Aim::Predict(Roles { class_weights, ..Roles::target(&target) });
            let model = Model::fit(training, &aim, &line.recipe(Job::Predict)?, &own)?;
            let predicting = model.predicting()?;
            let answers =
                own.compute(|| predicting.predict_rows(&predicting.coder.encode(test, |_, _| {})?))?;
            let scores: Vec<f64> = answers.chunks_exact(2).map(|chances| chances[1]).collect();
            let column = test.column(&target)?;
            let died = &predicting.target.levels[1];
            let positive: Vec<bool> =
                (0..test.rows()).map(|row| column.cell(row).as_ref() == Some(died)).collect();
            let even = vec![1.0; scores.len()];
            roc.push(auroc(&scores, &positive, &even));
            precision.push(auprc(&scores, &positive));
            halves = intervals(&scores, &positive, own.seed());
        }
        let figure = |values: &[f64], half: f64| Figure {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            half_width: Some(half),
            values: values.to_vec(),
        };
        let cells = vec![Cell::Figure(figure(&roc, halves.0)), Cell::Figure(figure(&precision, halves.1))];
        rows.push(Row { name: line.name.to_owned(), cells });
    }
    let section = Section {
        title: "Test on set c".into(),
        columns: vec!["AUROC".into(), "AUPRC".into()],
        digits: 4,
        rows,
    };
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            "Set a to learn from (4,000 stays), set c to test on (4,000); defaults, nothing chosen on either. The interval \
             is of the test set: 500 samples of it with replacement."
                .into(),
            "Networks read bins of ten minutes with classes of equal weight, and a fifth of set a tells them when to \
             stop; lstm has the settings of the paper (108 units, Adam 2e-4, batches of 512), gru its defaults."
                .into(),
            "Published figures of XGBoost, RNNs and transformers are of another split.".into(),
        ],
        sections: vec![section],
        claims: Vec::new(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// Half the width of the 95 % intervals of AUROC and AUPRC.
fn intervals(scores: &[f64], positive: &[bool], seed: u64) -> (f64, f64) {
    let drawn: Vec<(f64, f64)> = (0..DRAWN)
        .map(|draw| {
            let mut stream = Stream::new(seed, "stays drawn", draw, 0);
            let some: Vec<usize> = (0..scores.len()).map(|_| stream.below(scores.len())).collect();
            let own: Vec<f64> = some.iter().map(|&row| scores[row]).collect();
            let marks: Vec<bool> = some.iter().map(|&row| positive[row]).collect();
            (auroc(&own, &marks, &vec![1.0; own.len()]), auprc(&own, &marks))
        })
        .collect();
    let half = |of: fn(&(f64, f64)) -> f64| {
        let mean = drawn.iter().map(of).sum::<f64>() / DRAWN as f64;
        1.96 * (drawn.iter().map(|own| (of(own) - mean).powi(2)).sum::<f64>() / DRAWN as f64).sqrt()
    };
    (half(|own| own.0), half(|own| own.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::series::sample;

    #[test]
    fn deaths_are_told_better_than_by_chance() {
        let ward = sample().unwrap();
        let (first, second): (Vec<usize>, Vec<usize>) = ((0..200).collect(), (200..300).collect());
        let only = vec!["statistics, linear".to_owned()];
        let request = Request { data: Default::default(), seeds: 1, only };
        let (training, test) = (ward.part(&first, |_| true), ward.part(&second, |_| true));
        let found = report(&request, &training, &test, &Run::new(0, 1).unwrap()).unwrap();
        let cells = &found.sections[0].rows[PUBLISHED.len()].cells;
        let Cell::Figure(roc) = &cells[0] else { panic!("{cells:?}") };
        assert!(roc.mean > 0.7 && roc.half_width.unwrap() > 0.01, "{roc:?}");
    }
}
