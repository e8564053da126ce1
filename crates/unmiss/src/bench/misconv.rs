//! Classes of handwritten digits with holes, by what a convolutional network makes of the holes (table 1 of the paper's
//! supplement).
//!
//! Training and test images have holes: a square of a quarter of the area, a trapezoid of half, or three quarters of
//! the pixels one by one; each image always the same ones. The network is the paper's: convolutions of 32, stride 2, 64
//! and 64 filters, 20 units, batches of 24, rate 0.001, 10 epochs. It is ours in three things: the density is the fully
//! convolutional `dmfa`, of ten epochs the best on a tenth of the images that is set aside counts and not the last, and
//! the rate follows a cosine. The paper's trapezoids are not defined; ours are those of `unmiss hide trapezoid:0.5`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::data::Data;
use crate::data::images::{ImageOptions, Images, LABEL, read};
use crate::encode::ClassWeights;
use crate::error::{Error, Result};
use crate::methods::{Job, Recipe};
use crate::metrics::Score;
use crate::missing::{Region, hide_region};
use crate::model::{Aim, Model, Predictions, Roles};
use crate::run::Run;

use super::folder::find_file;
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "misconv",
    title: "Digits with holes: what a convolutional network makes of them",
    paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for Missing \
            Data, supplement, table 1",
    files: &FILES,
    parts: || {
        vec![
            MASKS.iter().map(|(region, _)| region.name().to_owned()).collect(),
            LINES.iter().map(|line| line.name.to_owned()).collect(),
            COUNTS.iter().map(|count| count_name(*count)).collect(),
        ]
    },
    run: |request, run| measure(request, &[], run),
};

const FILES: [&str; 4] = [
    "images/mnist/train-images-idx3-ubyte",
    "images/mnist/train-labels-idx1-ubyte",
    "images/mnist/t10k-images-idx3-ubyte",
    "images/mnist/t10k-labels-idx1-ubyte",
];

/// Holes, and which column of the published figures they are.
const MASKS: [(Region, usize); 3] =
    [(Region::Square(0.25), 0), (Region::Trapezoid(0.5), 1), (Region::Noise(0.75), 2)];

/// Numbers of training images that can be asked for; otherwise all are taken.
const COUNTS: [usize; 4] = [500, 2_000, 5_000, 10_000];

fn count_name(count: usize) -> String {
    format!("n={count}")
}

/// A way with holes.
struct Line {
    name: &'static str,
    /// The setting `missing` of the network.
    missing: &'static str,
    /// What fills the holes before, if anything does.
    filled: Option<Filled>,
    /// Published accuracy for square, trapezoid and noise.
    published: [Option<f64>; 3],
}

#[derive(Clone, Copy)]
enum Filled {
    /// Nothing is hidden at all.
    Truth,
    /// From the most alike of 5000 images.
    Neighbours,
    /// By the mean of the density.
    Dmfa,
}

const LINES: [Line; 8] = [
    line("complete", "zero", Some(Filled::Truth), [Some(0.992); 3]),
    line("zero", "zero", None, [Some(0.910), Some(0.891), Some(0.946)]),
    line("mask-channel", "mask-channel", None, [Some(0.926), Some(0.905), Some(0.703)]),
    line("neighbours", "zero", Some(Filled::Neighbours), [Some(0.874), Some(0.854), Some(0.912)]),
    line("partial-conv", "partial-conv", None, [Some(0.920), Some(0.674), Some(0.804)]),
    line("sn-conv", "sn-conv", None, [None; 3]),
    line("dmfa", "zero", Some(Filled::Dmfa), [Some(0.924), None, None]),
    line("misconv", "misconv", None, [Some(0.931), Some(0.918), Some(0.966)]),
];

const fn line(
    name: &'static str,
    missing: &'static str,
    filled: Option<Filled>,
    published: [Option<f64>; 3],
) -> Line {
    Line { name, missing, filled, published }
}

/// The settings of the network in the paper.
const NETWORK: [(&str, &str); 7] = [
    ("filters", "[[32], [64, 64]]"),
    ("hidden", "[20]"),
    ("dropout", "0"),
    ("weight-decay", "0"),
    ("epochs", "10"),
    ("batch", "24"),
    ("patience", "0"),
];

/// Accuracy and log-loss by (mask, line), seed by seed.
type Found = BTreeMap<(usize, usize), [Vec<f64>; 2]>;

/// `smaller` is what tests change.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let masks = request.chosen(&[0, 1, 2], |mask| MASKS[*mask].0.name().to_owned());
    let all: Vec<usize> = (0..LINES.len()).collect();
    let lines = request.chosen(&all, |line| LINES[*line].name.to_owned());
    let count = COUNTS.into_iter().filter(|count| request.only.contains(&count_name(*count))).min();
    let (train, test) = images(&request.data, count)?;
    let mut progress = Progress::new(run, masks.len() * lines.len() * request.seeds);
    let mut found = Found::new();
    for repetition in 0..request.seeds {
        let own = single(run, repetition);
        let mut whole = None;
        for &mask in &masks {
            let region = &MASKS[mask].0;
            let hide = |images: &Images, seed: u64| Data::from(hide_region(images.clone(), region, seed));
            let holed = [hide(&train, 2 * own.seed()), hide(&test, 2 * own.seed() + 1)];
            for &place in &lines {
                let line = &LINES[place];
                if !progress.next(&format!("{} {}", region.name(), line.name)) {
                    break;
                }
                let recipe = recipe(line, smaller)?;
                let score = match line.filled {
                    // The same for all masks.
                    Some(Filled::Truth) => match whole {
                        Some(score) => Some(score),
                        None => {
                            whole = accuracy(&recipe, &train.clone().into(), &test.clone().into(), &own)?;
                            whole
                        }
                    },
                    Some(filled) => {
                        let [train, test] = fill(filled, &holed, &own)?;
                        accuracy(&recipe, &train, &test, &own)?
                    }
                    None => accuracy(&recipe, &holed[0], &holed[1], &own)?,
                };
                if let Some((accuracy, loss)) = score {
                    let [accuracies, losses] = found.entry((mask, place)).or_default();
                    accuracies.push(accuracy);
                    losses.push(loss);
                }
            }
        }
    }
    let begun: Vec<usize> =
        masks.into_iter().filter(|mask| found.keys().any(|(own, _)| own == mask)).collect();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words(train.len(), test.len()),
        sections: begun.iter().map(|mask| section(*mask, &lines, &found)).collect(),
        claims: begun.iter().flat_map(|mask| claims(*mask, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// Training and test images with their classes; of the former the first ones, of the latter no more than of them.
fn images(folder: &Path, count: Option<usize>) -> Result<(Images, Images)> {
    let one = |place: usize| {
        let labels = find_file(folder, FILES[place + 1], "expected are the labels of MNIST in IDX form")?;
        let options = ImageOptions { labels: Some(labels), ..ImageOptions::default() };
        read(&find_file(folder, FILES[place], "expected are the images of MNIST in IDX form")?, &options)
    };
    let first = |images: Images, count: usize| -> Images {
        images.select(&(0..images.len().min(count)).collect::<Vec<_>>())
    };
    let train = first(one(0)?, count.unwrap_or(usize::MAX));
    let test = first(one(2)?, train.len());
    Ok((train, test))
}

fn recipe(line: &Line, smaller: &[(&str, &str)]) -> Result<Recipe> {
    let own = [("missing", line.missing)];
    Recipe::named("convolutional")?.set_all(NETWORK.iter().chain(&own).chain(smaller).copied())
}

/// Accuracy and log-loss of a network on test images; nothing if the run was stopped.
fn accuracy(recipe: &Recipe, train: &Data, test: &Data, run: &Run) -> Result<Option<(f64, f64)>> {
    let model = match Model::fit(train, &Aim::Predict(Roles::target(LABEL)), recipe, run) {
        Err(Error::Stopped) => return Ok(None),
        model => model?,
    };
    let predicting = model.predicting()?;
    let truth = predicting.target.encode(test, None, ClassWeights::Equal)?;
    let (Predictions::Probabilities(answers) | Predictions::Numbers(answers)) =
        run.compute(|| predicting.predict(test, |_, _| {}))?;
    match Score::of(&answers, &truth) {
        score @ Score::Classification { accuracy, .. } if !run.stopped() => {
            Ok(Some((accuracy, score.loss())))
        }
        _ => Ok(None),
    }
}

/// Training and test images with their holes filled, by what was learned from the training images.
fn fill(filled: Filled, holed: &[Data; 2], run: &Run) -> Result<[Data; 2]> {
    let recipe = match filled {
        Filled::Neighbours => Recipe::named("neighbours")?.set_all([("k", "1"), ("donors", "5000")])?,
        Filled::Dmfa | Filled::Truth => Recipe::named("dmfa")?,
    };
    recipe.check_for(holed[0].shape(), Job::Fill)?;
    let model = Model::fit(&holed[0], &Aim::fill(), &recipe, run)?;
    let filled = |data: &Data| Ok(run.compute(|| model.filling()?.fill(data, None, |_, _| {}))?.data);
    let [train, test] = holed;
    Ok([filled(train)?, filled(test)?])
}

fn words(train: usize, test: usize) -> Vec<String> {
    vec![format!(
        "MNIST, {train} training and {test} test images, holes in both; convolutions of 32, stride 2, 64 and 64 \
         filters, 20 units, batch 24, rate 0.001 along a cosine, 10 epochs, of which the best on a tenth set aside; \
         `dmfa` with its own settings. The paper had 60000 and 10000, one run, the last epoch."
    )]
}

fn section(mask: usize, lines: &[usize], found: &Found) -> Section {
    let (region, column) = &MASKS[mask];
    let row = |place: &usize| {
        let line = &LINES[*place];
        let [accuracies, losses] = found.get(&(mask, *place)).cloned().unwrap_or_default();
        let published = line.published[*column].map(|figure| Figure::given(figure, None));
        let cells =
            vec![published.into(), Figure::of(&accuracies, 0.0).into(), Figure::of(&losses, 0.0).into()];
        Row { name: line.name.to_owned(), cells }
    };
    Section {
        title: format!("{region}: accuracy"),
        columns: ["published", "accuracy", "log-loss"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: lines.iter().map(row).collect(),
    }
}

/// MisConv is better than every other way with the same holes.
fn claims(mask: usize, found: &Found) -> Vec<Claim> {
    let name = MASKS[mask].0.name();
    let own = |place: usize| found.get(&(mask, place)).map(|[accuracies, _]| accuracies.as_slice());
    let misconv = LINES.len() - 1;
    let others = (0..misconv).filter(|place| !matches!(LINES[*place].filled, Some(Filled::Truth)));
    others
        .filter_map(|place| {
            let words = format!("{name}: misconv is right more often than {}", LINES[place].name);
            Claim::higher(words, own(misconv)?, own(place)?, 0.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::bench::Cell;

    /// Squares and crosses in the form of MNIST's files.
    fn write_files(folder: &Path) {
        std::fs::create_dir_all(folder.join("images/mnist")).unwrap();
        for (place, count) in [(0, 60_u32), (2, 30)] {
            let mut images = vec![0, 0, 8, 3];
            for length in [count, 8, 8] {
                images.extend(length.to_be_bytes());
            }
            for image in 0..count as usize {
                let on = |pixel: usize| match image % 2 {
                    0 => [1, 6].contains(&(pixel / 8)) || [1, 6].contains(&(pixel % 8)),
                    _ => pixel / 8 == pixel % 8 || pixel / 8 + pixel % 8 == 7,
                };
                images.extend((0..64).map(|pixel| 200 * u8::from(on(pixel)) + (image % 20) as u8));
            }
            let mut labels = vec![0, 0, 8, 1];
            labels.extend(count.to_be_bytes());
            labels.extend((0..count).map(|image| (image % 2) as u8));
            for (file, bytes) in [(FILES[place], images), (FILES[place + 1], labels)] {
                std::fs::File::create(folder.join(file)).unwrap().write_all(&bytes).unwrap();
            }
        }
    }

    #[test]
    fn a_small_run_has_a_line_for_each_way() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path());
        let only =
            ["square", "complete", "zero", "neighbours", "misconv", "n=500"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 2, only };
        let smaller = [("filters", "[[4], [4]]"), ("epochs", "4"), ("density-epochs", "1"), ("rate", "0.01")];
        let report = measure(&request, &smaller, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete);
        let rows = &report.sections[0].rows;
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["complete", "zero", "neighbours", "misconv"]);
        assert!(matches!(&rows[0].cells[1], Cell::Figure(figure) if figure.mean > 0.9), "{rows:?}");
        assert_eq!(report.claims.len(), 2);
        assert!(matches!(&rows[3].cells[0], Cell::Figure(figure) if figure.mean == 0.931));
    }
}
