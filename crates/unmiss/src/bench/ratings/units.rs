//! AutoRec with Sparsity Normalization over the number of hidden units (Figure 6 of the paper, which has no numbers
//! beside it but the sentence that 600 units are needed on MovieLens 100K and 900 on 1M).
//!
//! K is 500 throughout, as in the other tables; the weight decay is chosen for every size by ratings set aside.

use std::sync::Arc;

use serde_json::{Value, json};

use super::lines::LINES;
use super::sets::{self, Set};
use crate::bench::repeat::{Progress, single};
use crate::bench::report::Row;
use crate::bench::{Bench, Cell, Claim, Figure, Report, Request, Section};
use crate::error::Result;
use crate::run::Run;

const PAPER: &str = "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in \
                     Training Neural Networks, Figure 6";

/// On MovieLens 100K.
pub const SMALL: Bench = Bench {
    name: "units-100k",
    title: "Test RMSE of AutoRec with SN over the number of hidden units, MovieLens 100K",
    paper: PAPER,
    files: &[sets::SMALL.file],
    parts,
    run: |request, run| measure(&SMALL, &sets::SMALL, 600, request, &Value::Null, run),
};

/// On MovieLens 1M.
pub const MIDDLE: Bench = Bench {
    name: "units-1m",
    title: "Test RMSE of AutoRec with SN over the number of hidden units, MovieLens 1M",
    files: &[sets::MIDDLE.file],
    run: |request, run| measure(&MIDDLE, &sets::MIDDLE, 900, request, &Value::Null, run),
    ..SMALL
};

/// Hidden units; 500 is what the other tables have.
const UNITS: [usize; 7] = [100, 200, 300, 500, 600, 900, 1200];
const USUAL: usize = 500;

/// A column of the table, and the line of the other tables that it is.
const VECTORS: [(&str, &str); 2] =
    [("item vectors", "I-AutoRec, SN K=500"), ("user vectors", "U-AutoRec, SN K=500")];

fn units_name(units: usize) -> String {
    format!("{units} units")
}

fn parts() -> Vec<Vec<String>> {
    vec![
        UNITS.iter().map(|units| units_name(*units)).collect(),
        VECTORS.iter().map(|(name, _)| (*name).to_owned()).collect(),
    ]
}

/// Runs every size on a set; `enough` is the number of units that the paper calls necessary. `smaller` as in the
/// other tables.
fn measure(
    bench: &Bench,
    set: &Set,
    enough: usize,
    request: &Request,
    smaller: &Value,
    run: &Run,
) -> Result<Report> {
    let units = request.chosen(&UNITS, |units| units_name(*units));
    let vectors = request.chosen(&VECTORS, |(name, _)| (*name).to_owned());
    let data = set.read(&request.data)?;
    let mut progress = Progress::new(run, units.len() * vectors.len() * request.seeds);
    // [vectors][units], seed by seed.
    let mut errors = vec![vec![Vec::new(); units.len()]; vectors.len()];
    'all: for repetition in 0..request.seeds {
        let (learning, test) = data.split(run.seed() + repetition as u64);
        let learning = Arc::new(learning);
        for ((name, line), errors) in vectors.iter().zip(&mut errors) {
            for (units, errors) in units.iter().zip(errors) {
                if !progress.next(&format!("{name}, {units} units")) {
                    break 'all;
                }
                let mut settings = json!({ "hidden": units });
                for (name, value) in smaller.as_object().into_iter().flatten() {
                    settings[name] = value.clone();
                }
                let Some(line) = LINES.iter().find(|own| own.name == *line) else { continue };
                let best = line.fit(set, &learning, &settings, &single(run, repetition))?;
                let Some(best) = best else { break 'all };
                errors.push(best.model.rating()?.score(&test).rmse);
            }
        }
    }
    let share = set.split.test_share();
    let row = |(place, units): (usize, &usize)| {
        let cells = errors.iter().map(|errors| Cell::from(Figure::of(&errors[place], share))).collect();
        Row { name: units_name(*units), cells }
    };
    let errors_of = |errors: &[Vec<f64>], wanted: usize| {
        units.iter().position(|units| *units == wanted).map(|place| errors[place].clone()).unwrap_or_default()
    };
    let claim = |((name, _), errors): (&(&str, &str), &Vec<Vec<f64>>)| {
        let words = format!("{name}: {enough} units err less than {USUAL}");
        Claim::lower(words, &errors_of(errors, enough), &errors_of(errors, USUAL), share)
    };
    Ok(Report {
        name: bench.name,
        title: bench.title,
        paper: bench.paper,
        settings: vec![
            "10 % test, another split for each seed; K = 500, Adam 0.001, 512 rows a batch (at most a sixth of all), \
             best epoch by 5 % of the ratings learned from, which choose the weight decay of every size too."
                .into(),
        ],
        sections: vec![Section {
            title: "Root mean squared error on the test ratings".into(),
            columns: vectors.iter().map(|(name, _)| (*name).to_owned()).collect(),
            digits: 4,
            rows: units.iter().enumerate().map(row).collect(),
        }],
        claims: vectors.iter().zip(&errors).filter_map(claim).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: share,
        complete: progress.end(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::ratings::tests::folder;

    #[test]
    fn every_size_is_trained() {
        let folder =
            folder(sets::SMALL.file, |user, item, value| format!("{user}\t{item}\t{value}\t1\n"), "");
        let only = ["500 units", "600 units"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 2, only };
        let smaller = json!({ "epochs": 2 });
        let report =
            measure(&SMALL, &sets::SMALL, 600, &request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete && report.claims.len() == 2);
        let cells: Vec<&Cell> = report.sections[0].rows.iter().flat_map(|row| &row.cells).collect();
        assert!(cells.len() == 4 && cells[0] != cells[2], "the size matters");
        assert!(cells.iter().all(|cell| matches!(cell, Cell::Figure(figure) if figure.values.len() == 2)));
    }
}
