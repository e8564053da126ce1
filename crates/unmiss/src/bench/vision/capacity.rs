//! The accuracy of perceptrons on images over their width, with Sparsity Normalization and without, and how many units
//! of the first layer are active (figures 3 and 4 of the earlier version of the paper on SN).

use std::collections::BTreeMap;

use super::pixels::{EPOCHS, Numbers, WIDTHS, Wanted, trained, width_name, words};
use crate::bench::network::{Rows, Split, Tested, error_rate};
use crate::bench::pictures::{CIFAR_10, FASHION_MNIST, MNIST, Pictures, asked_count, count_names};
use crate::bench::repeat::{Progress, single};
use crate::bench::report::Row;
use crate::bench::{Bench, Cell, Claim, Figure, Report, Request, Section};
use crate::error::Result;
use crate::methods::mlp::Layers;
use crate::nn::{Activation, Engine, Parameters, Plain};
use crate::run::Run;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "vision-mlp",
    title: "Perceptrons of growing width on images, with Sparsity Normalization and without",
    paper: "Yi, Lee, Kim, Hwang and Yang, Why Not to Use Zero Imputation?, earlier version, figures 3 and 4",
    files: &[
        MNIST[0],
        MNIST[1],
        MNIST[2],
        MNIST[3],
        FASHION_MNIST[0],
        FASHION_MNIST[1],
        FASHION_MNIST[2],
        FASHION_MNIST[3],
        CIFAR_10[0],
        CIFAR_10[1],
    ],
    parts: || {
        vec![
            SETS.map(|pictures| pictures.name().to_owned()).to_vec(),
            WIDTHS.iter().map(|width| width_name(*width)).collect(),
            count_names(),
        ]
    },
    run: |request, run| measure(request, EPOCHS, run),
};

const SETS: [Pictures; 3] = [Pictures::Mnist, Pictures::FashionMnist, Pictures::Cifar10];

/// The ways, without and with.
const WAYS: [(bool, &str); 2] = [(false, "zero"), (true, "normalised")];

/// What was found for a set, a width and a way, seed by seed.
#[derive(Default)]
struct Scores {
    accuracies: Vec<f64>,
    /// The mean share of first units that are active in a test image: at the first weights, and at the kept ones.
    active: [Vec<f64>; 2],
}

type Found = BTreeMap<(Pictures, usize, bool), Scores>;

fn measure(request: &Request, epochs: usize, run: &Run) -> Result<Report> {
    let sets = request.chosen(&SETS, |pictures| pictures.name().to_owned());
    let widths = request.chosen(&WIDTHS, |width| width_name(*width));
    let mut progress = Progress::new(run, sets.len() * widths.len() * WAYS.len() * request.seeds);
    let (mut found, mut read) = (Found::new(), Vec::new());
    for &pictures in &sets {
        let numbers = Numbers::read(pictures, &request.data, asked_count(request))?;
        read.push((pictures, numbers.counts()));
        for (normalised, name) in WAYS {
            let rows = numbers.rows(normalised);
            for repetition in 0..request.seeds {
                let (own, split) = (single(run, repetition), numbers.split(run.seed() + repetition as u64));
                for &width in &widths {
                    if !progress.next(&format!("{} {name} {}", pictures.name(), width_name(width))) {
                        break;
                    }
                    let wanted = Wanted { width, hidden: Layers::All(false), epochs };
                    if let Some(tested) = trained(&rows, &split, &wanted, &own)? {
                        let scores = found.entry((pictures, width, normalised)).or_default();
                        scores.add(&tested, &rows, &split);
                    }
                }
            }
        }
    }
    let begun: Vec<Pictures> =
        sets.into_iter().filter(|set| found.keys().any(|(own, ..)| own == set)).collect();
    let sections = begun.iter().flat_map(|set| sections(*set, &widths, &found)).collect();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words(&read),
        sections,
        claims: begun.iter().flat_map(|set| claims(*set, &widths, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

impl Scores {
    fn add(&mut self, tested: &Tested, rows: &Rows<'_>, split: &Split) {
        self.accuracies.push(1.0 - error_rate(&tested.answers, rows.targets, &split.test));
        for (shares, weights) in self.active.iter_mut().zip(&tested.weights) {
            shares.push(active_share(weights, rows, &split.test));
        }
    }
}

/// The mean share of the first layer's units that a row makes active.
fn active_share(weights: &Parameters, rows: &Rows<'_>, some: &[usize]) -> f64 {
    let inputs: Vec<f32> =
        some.iter().flat_map(|row| &rows.inputs[row * rows.width..(row + 1) * rows.width]).copied().collect();
    let engine = &mut Plain::new(weights);
    let inputs = engine.input(inputs, some.len());
    let hidden = engine.dense(inputs, 0, Activation::Relu);
    let active = engine.active(&hidden);
    active.iter().filter(|active| **active).count() as f64 / active.len().max(1) as f64
}

fn sections(set: Pictures, widths: &[usize], found: &Found) -> [Section; 2] {
    let nothing = Scores::default();
    let scores = |width: usize, normalised: bool| found.get(&(set, width, normalised)).unwrap_or(&nothing);
    let figure = |values: &[f64]| Cell::from(Figure::of(values, 0.0));
    let accuracy = |width: &usize| {
        let [zero, normalised] = [false, true].map(|way| scores(*width, way).accuracies.as_slice());
        let gains: Vec<f64> = normalised.iter().zip(zero).map(|(n, z)| n - z).collect();
        Row { name: width_name(*width), cells: [zero, normalised, &gains].map(figure).to_vec() }
    };
    let active = |width: &usize| {
        let [zero, normalised] = [false, true].map(|way| &scores(*width, way).active);
        let cells = [&zero[0], &zero[1], &normalised[0], &normalised[1]];
        Row { name: width_name(*width), cells: cells.map(|values| figure(values)).to_vec() }
    };
    let section = |title: &str, columns: &[&str], rows: Vec<Row>| Section {
        title: format!("{}: {title}", set.name()),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        digits: 4,
        rows,
    };
    let states = ["zero, before", "zero, after", "normalised, before", "normalised, after"];
    [
        section("accuracy", &["zero", "normalised", "gain"], widths.iter().map(accuracy).collect()),
        section("share of active units in the first layer", &states, widths.iter().map(active).collect()),
    ]
}

/// Normalised is right more often, the more so the narrower; on CIFAR-10 its first layer stays less sparse.
fn claims(set: Pictures, widths: &[usize], found: &Found) -> Vec<Claim> {
    let name = set.name();
    let both = |width: usize| {
        let scores = |normalised: bool| found.get(&(set, width, normalised));
        Some((scores(false)?, scores(true)?))
    };
    let wins = |width: &usize| {
        let (zero, normalised) = both(*width)?;
        let words = format!("{name}, {}: normalised is right more often than zero", width_name(*width));
        Claim::higher(words, &normalised.accuracies, &zero.accuracies, 0.0)
    };
    let mut claims: Vec<Claim> = widths.iter().filter_map(wins).collect();
    if let [first, .., last] = widths
        && let (Some(narrow), Some(wide)) = (both(*first), both(*last))
    {
        let gains = |(zero, normalised): (&Scores, &Scores)| -> Vec<f64> {
            normalised.accuracies.iter().zip(&zero.accuracies).map(|(n, z)| n - z).collect()
        };
        let words = format!("{name}: the gain is larger with {first} units than with {last}");
        claims.extend(Claim::higher(words, &gains(narrow), &gains(wide), 0.0));
    }
    let widest = widths.last().and_then(|width| both(*width)).filter(|_| set == Pictures::Cifar10);
    claims.extend(widest.and_then(|(zero, normalised)| {
        let words = format!(
            "{name}: after training, more units of the first layer are active where it is normalised"
        );
        Claim::higher(words, &normalised.active[1], &zero.active[1], 0.0)
    }));
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_compares_widths_and_first_layers() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [60, 30]);
        let only = ["mnist", "units=16", "units=32"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 2, only };
        let report = measure(&request, 6, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete && report.sections.len() == 2);
        let mean = |cell: &Cell| match cell {
            Cell::Figure(figure) => figure.mean,
            _ => f64::NAN,
        };
        for row in &report.sections[0].rows {
            assert!(mean(&row.cells[0]) > 0.9, "{row:?}");
        }
        for row in &report.sections[1].rows {
            assert_eq!(mean(&row.cells[0]), mean(&row.cells[2]), "before training the same units are active");
            assert!((0.2..0.8).contains(&mean(&row.cells[0])), "{row:?}");
        }
        assert_eq!(report.claims.len(), 3);
    }
}
