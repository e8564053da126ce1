//! Sparsity Normalization of the input, of the first and of the second hidden layer of perceptrons on CIFAR-10
//! (appendix C.3, figures 8 and 9, of the earlier version of the paper on SN).
//!
//! A hidden layer is divided by the number of its units that are not 0, for this image, and multiplied by its width; no
//! gradient flows through the count. The paper does not tell its K there.

use std::collections::BTreeMap;

use super::pixels::{EPOCHS, Numbers, WIDTHS, Wanted, trained, width_name, words};
use crate::bench::network::error_rate;
use crate::bench::pictures::{CIFAR_10, Pictures, asked_count, count_names};
use crate::bench::repeat::{Progress, single};
use crate::bench::report::Row;
use crate::bench::{Bench, Claim, Figure, Report, Request, Section};
use crate::error::Result;
use crate::methods::mlp::Layers;
use crate::run::Run;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "hidden-sn",
    title: "Sparsity Normalization of hidden layers beside that of the input",
    paper: "Yi, Lee, Kim, Hwang and Yang, Why Not to Use Zero Imputation?, earlier version, appendix C.3, figures 8 \
            and 9",
    files: &CIFAR_10,
    parts: || {
        vec![
            LINES.iter().map(|line| line.name.to_owned()).collect(),
            WIDTHS.iter().map(|width| width_name(*width)).collect(),
            count_names(),
        ]
    },
    run: |request, run| measure(request, EPOCHS, run),
};

/// What is normalised.
struct Line {
    name: &'static str,
    input: bool,
    hidden: &'static [usize],
}

const LINES: [Line; 5] = [
    Line { name: "none", input: false, hidden: &[] },
    Line { name: "input", input: true, hidden: &[] },
    Line { name: "hidden-1", input: false, hidden: &[1] },
    Line { name: "hidden-2", input: false, hidden: &[2] },
    Line { name: "input+hidden-1", input: true, hidden: &[1] },
];

/// Accuracies by (line, width), seed by seed.
type Found = BTreeMap<(usize, usize), Vec<f64>>;

fn measure(request: &Request, epochs: usize, run: &Run) -> Result<Report> {
    let lines = request.chosen(&[0, 1, 2, 3, 4], |line| LINES[*line].name.to_owned());
    let widths = request.chosen(&WIDTHS, |width| width_name(*width));
    let numbers = Numbers::read(Pictures::Cifar10, &request.data, asked_count(request))?;
    let inputs = [false, true].map(|normalised| numbers.rows(normalised));
    let mut progress = Progress::new(run, lines.len() * widths.len() * request.seeds);
    let mut found = Found::new();
    for repetition in 0..request.seeds {
        let (own, split) = (single(run, repetition), numbers.split(run.seed() + repetition as u64));
        for (&width, &line) in widths.iter().flat_map(|width| lines.iter().map(move |line| (width, line))) {
            let Line { name, input, hidden } = LINES[line];
            if !progress.next(&format!("{name} {}", width_name(width))) {
                break;
            }
            let wanted = Wanted { width, hidden: Layers::Some(hidden.to_vec()), epochs };
            let rows = &inputs[usize::from(input)];
            if let Some(tested) = trained(rows, &split, &wanted, &own)? {
                let accuracy = 1.0 - error_rate(&tested.answers, rows.targets, &split.test);
                found.entry((line, width)).or_default().push(accuracy);
            }
        }
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words(&[(Pictures::Cifar10, numbers.counts())]),
        sections: vec![section(&lines, &widths, &found)],
        claims: widths.iter().flat_map(|width| claims(*width, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

fn section(lines: &[usize], widths: &[usize], found: &Found) -> Section {
    let row = |width: &usize| {
        let cell =
            |line: &usize| found.get(&(*line, *width)).and_then(|values| Figure::of(values, 0.0)).into();
        Row { name: width_name(*width), cells: lines.iter().map(cell).collect() }
    };
    Section {
        title: "cifar-10: accuracy by what is normalised".into(),
        columns: lines.iter().map(|line| LINES[*line].name.to_owned()).collect(),
        digits: 4,
        rows: widths.iter().map(row).collect(),
    }
}

/// The input is the best place; a hidden layer is better than none. (That one more place makes no visible difference is
/// told by the table.)
fn claims(width: usize, found: &Found) -> Vec<Claim> {
    let own = |line: usize| found.get(&(line, width)).map(Vec::as_slice);
    let pairs = [(1, 0), (1, 2), (1, 3), (2, 0), (3, 0)];
    let claim = |(high, low): &(usize, usize)| {
        let names = [*high, *low].map(|line| LINES[line].name);
        let words = format!("{}: {} is right more often than {}", width_name(width), names[0], names[1]);
        Claim::higher(words, own(*high)?, own(*low)?, 0.0)
    };
    pairs.iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_has_a_column_for_each_place() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [40, 20]);
        let only = ["units=16"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 1, only };
        let report = measure(&request, 3, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete);
        let row = &report.sections[0].rows[0];
        assert_eq!((row.cells.len(), report.claims.len()), (5, 5));
        let written: Vec<String> = row.cells.iter().map(|cell| cell.written(4)).collect();
        assert!(written.iter().all(|cell| cell != "-"), "{written:?}");
    }
}
