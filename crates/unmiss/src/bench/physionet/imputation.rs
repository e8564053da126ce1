//! Values of stays in intensive care hidden and filled, 10, 50 and 90 % of those that are known.
//!
//! As in TSI-Bench, values stand in bins of an hour and errors are in standard deviations of the training set. Imputers
//! learn from set a, and fill values hidden in set c; their own split is another one, so the published figures are of
//! other cells of the same kind.

use super::{FILES, Line, set};
use crate::bench::repeat::{Progress, single};
use crate::bench::report::Row;
use crate::bench::{Bench, Cell, Claim, Figure, Report, Request, Section};
use crate::data::Data;
use crate::data::series::Series;
use crate::encode::{Encoding, SeriesCoder};
use crate::error::Result;
use crate::methods::Job;
use crate::metrics::ValueError;
use crate::missing::{hide_values, values_to_hide};
use crate::model::{Aim, Model};
use crate::run::Run;

/// The width of the bins, in hours.
const STEP: f64 = 1.0;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "physionet-imputation",
    title: "Values of stays in intensive care, hidden and filled: mean absolute error in standard deviations",
    paper: "Du et al. 2024, TSI-Bench (WenjieDu/Awesome_Imputation)",
    files: FILES,
    parts: || {
        let shares = SHARES.iter().map(|share| share.0.to_owned()).collect();
        vec![shares, LINES.iter().map(|line| line.name.to_owned()).collect()]
    },
    run: measure,
};

const SHARES: [(&str, f64); 3] = [("10 %", 0.1), ("50 %", 0.5), ("90 %", 0.9)];

/// The published errors with 10 % hidden.
const PUBLISHED: [(&str, f64); 8] = [
    ("published: CSDI", 0.252),
    ("published: SAITS", 0.257),
    ("published: Transformer", 0.259),
    ("published: BRITS", 0.297),
    ("published: linear interpolation", 0.366),
    ("published: last value", 0.449),
    ("published: GRU-D", 0.450),
    ("published: mean", 0.708),
];

const LINES: [Line; 6] = [
    Line { name: "last-value", method: "last-value", settings: &[] },
    Line { name: "interpolation", method: "interpolation", settings: &[] },
    Line { name: "kalman", method: "kalman", settings: &[] },
    Line { name: "surroundings", method: "surroundings", settings: &[] },
    Line { name: "per-variable", method: "per-variable", settings: &[] },
    Line { name: "bidirectional", method: "bidirectional", settings: &[] },
];

fn measure(request: &Request, run: &Run) -> Result<Report> {
    let (training, test) = (set(&request.data, 'a')?.binned(STEP)?, set(&request.data, 'c')?.binned(STEP)?);
    report(request, &training, &test, run)
}

fn report(request: &Request, training: &Series, test: &Series, run: &Run) -> Result<Report> {
    let shares = request.chosen(&SHARES, |share| share.0.to_owned());
    let lines = request.chosen(&LINES, |line| line.name.to_owned());
    let coder = SeriesCoder::fit(training, &[], Encoding::default())?;
    let deviations: Vec<f64> = coder.variables.iter().map(|variable| variable.deviation).collect();
    let names: Vec<String> = coder.variables.iter().map(|variable| variable.name.clone()).collect();
    let test = test.with_variables(&names);
    let mut progress = Progress::new(run, shares.len() * lines.len() * request.seeds);
    let mut errors = vec![vec![Vec::new(); shares.len()]; lines.len()];
    'all: for repetition in 0..request.seeds {
        let own = single(run, repetition);
        for (place, (title, share)) in shares.iter().enumerate() {
            // What is hidden in training is hidden alike, so that imputers learn for gaps as long as those to fill.
            let hidden = values_to_hide(training, *share, own.seed())?;
            let learning = Data::from(hide_values(training, &hidden));
            let places = values_to_hide(&test, *share, own.seed() + 1)?;
            let holed = Data::from(hide_values(&test, &places));
            for (line, errors) in lines.iter().zip(&mut errors) {
                if !progress.next(&format!("{title}, {}", line.name)) {
                    break 'all;
                }
                let model = Model::fit(&learning, &Aim::fill(), &line.recipe(Job::Fill)?, &own)?;
                let filled = own.compute(|| model.filling()?.fill(&holed, None, |_, _| {}))?;
                errors[place].push(ValueError::of(&test, filled.data.series()?, &places, &deviations).mae);
            }
        }
    }
    let row = |line: &Line, errors: &Vec<Vec<f64>>| Row {
        name: line.name.to_owned(),
        cells: errors.iter().map(|values| Figure::of(values, 0.0).into()).collect(),
    };
    let published = PUBLISHED.iter().map(|(name, error)| Row {
        name: (*name).to_owned(),
        cells: shares
            .iter()
            .map(|share| match share.0 {
                "10 %" => Cell::Figure(Figure::given(*error, None)),
                _ => Cell::Empty,
            })
            .collect(),
    });
    let ours = lines.iter().zip(&errors).map(|(line, errors)| row(line, errors));
    let section = Section {
        title: "Mean absolute error of hidden values, in standard deviations".into(),
        columns: shares.iter().map(|share| format!("{} hidden", share.0)).collect(),
        digits: 3,
        rows: published.chain(ours).collect(),
    };
    let of = |name: &str, place: usize| {
        let found = lines.iter().position(|line| line.name == name);
        found.map_or(&[] as &[f64], |found| errors[found][place].as_slice())
    };
    let claims = shares.iter().enumerate().flat_map(|(place, share)| {
        let others = lines.iter().filter(|line| line.name != "interpolation");
        others.filter_map(move |line| {
            let words = format!("{} hidden: {} errs less than linear interpolation", share.0, line.name);
            Claim::lower(words, of(line.name, place), of("interpolation", place), 0.0)
        })
    });
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            "Set a to learn from, set c to fill; bins of an hour; as large a share of the known values hidden at random in \
             both; errors in standard deviations of set a."
                .into(),
            "The published figures are of another split of the same 12,000 stays.".into(),
        ],
        sections: vec![section],
        claims: claims.collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::series::sample;

    #[test]
    fn imputers_stand_beside_what_was_published() {
        let ward = sample().unwrap();
        let (first, second): (Vec<usize>, Vec<usize>) = ((0..60).collect(), (60..90).collect());
        let only = ["10 %", "last-value", "interpolation"].map(String::from).to_vec();
        let request = Request { data: Default::default(), seeds: 2, only };
        let (training, test) = (ward.part(&first, |_| true), ward.part(&second, |_| true));
        let found = report(&request, &training, &test, &Run::new(0, 1).unwrap()).unwrap();
        assert!(found.complete);
        let rows = &found.sections[0].rows;
        assert_eq!(rows.len(), PUBLISHED.len() + 2);
        let mean = |row: &Row| match &row.cells[0] {
            Cell::Figure(figure) => figure.mean,
            other => panic!("{other:?}"),
        };
        assert!(mean(&rows[9]) < mean(&rows[8]) && mean(&rows[9]) < 1.0, "{rows:?}");
    }
}
