//! Classes of images with holes, by what a convolutional network makes of the holes (tables of the paper on MisConv and
//! its supplement).
//!
//! Training and test images have holes: a square of a quarter of the area, a trapezoid of half, or three quarters of
//! the pixels one by one; each image always the same ones. The networks are the paper's: for digits convolutions of 32,
//! stride 2, 64 and 64 filters, 20 units, batches of 24, rate 0.001, 10 epochs; for CIFAR-10 32, 32, stride 2, 64, 64
//! and 64 filters, 128 units, dropout of 0.3 everywhere, batches of 64, rate 0.0001, 35 epochs. They are ours in three
//! things: the density is the fully convolutional `dmfa`, of all epochs the best on a tenth of the images that is set
//! aside counts and not the last, and the rate follows a cosine. The paper's trapezoids are not defined; ours are those
//! of `unmiss hide trapezoid:0.5`.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::data::images::Images;
use crate::error::Result;
use crate::methods::Recipe;
use crate::missing::{Region, hide_region};
use crate::run::Run;

use super::pictures::{CIFAR_10, MNIST, Pictures, accuracy, asked_count, count_names};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "misconv",
    title: "Images with holes: what a convolutional network makes of them",
    paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for Missing \
            Data, supplement, table 1, and the authors' stored results on CIFAR-10",
    files: &[MNIST[0], MNIST[1], MNIST[2], MNIST[3], CIFAR_10[0], CIFAR_10[1]],
    parts: || {
        vec![
            [Pictures::Mnist, Pictures::Cifar10].map(|pictures| pictures.name().to_owned()).to_vec(),
            REGIONS.iter().map(|region| region.name().to_owned()).collect(),
            LINES.iter().map(|(name, _)| (*name).to_owned()).collect(),
            count_names(),
        ]
    },
    run: |request, run| measure(request, &[], run),
};

const REGIONS: [Region; 3] = [Region::Square(0.25), Region::Trapezoid(0.5), Region::Noise(0.75)];

/// Images and the region that is hidden of them, in the order of the published figures.
const CASES: [(Pictures, usize); 4] =
    [(Pictures::Mnist, 0), (Pictures::Mnist, 1), (Pictures::Mnist, 2), (Pictures::Cifar10, 0)];

/// Nothing is hidden.
const COMPLETE: &str = "complete";

/// The setting `missing` of the network, or that nothing is hidden, and the published accuracy of each case.
const LINES: [(&str, [Option<f64>; 4]); 8] = [
    (COMPLETE, [Some(0.992), Some(0.992), Some(0.992), Some(0.859)]),
    ("zero", [Some(0.910), Some(0.891), Some(0.946), Some(0.758)]),
    ("mask-channel", [Some(0.926), Some(0.905), Some(0.703), Some(0.497)]),
    ("knn", [Some(0.874), Some(0.854), Some(0.912), None]),
    ("partial-conv", [Some(0.920), Some(0.674), Some(0.804), Some(0.470)]),
    ("sn-conv", [None; 4]),
    ("dmfa-impute", [Some(0.924), None, None, Some(0.758)]),
    ("misconv", [Some(0.931), Some(0.918), Some(0.966), Some(0.752)]),
];

/// What both networks of the paper have in common; `knn` is its nearest image alone.
const COMMON: [(&str, &str); 3] = [("weight-decay", "0"), ("patience", "0"), ("neighbours", "1")];
const DIGITS: [(&str, &str); 3] = [("net", "misconv-digits"), ("epochs", "10"), ("batch", "24")];
const CIFAR: [(&str, &str); 4] =
    [("net", "misconv-cifar"), ("epochs", "35"), ("batch", "64"), ("rate", "0.0001")];

/// Accuracy and log-loss by (case, line), seed by seed.
type Found = BTreeMap<(usize, usize), [Vec<f64>; 2]>;

/// `smaller` is what tests change.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let sets = request.chosen(&[Pictures::Mnist, Pictures::Cifar10], |pictures| pictures.name().to_owned());
    let regions = request.chosen(&[0, 1, 2], |region| REGIONS[*region].name().to_owned());
    let wanted = |case: &usize| sets.contains(&CASES[*case].0) && regions.contains(&CASES[*case].1);
    let cases: Vec<usize> = (0..CASES.len()).filter(wanted).collect();
    let all: Vec<usize> = (0..LINES.len()).collect();
    let lines = request.chosen(&all, |line| LINES[*line].0.to_owned());
    let mut progress = Progress::new(run, cases.len() * lines.len() * request.seeds);
    let (mut found, mut words) = (Found::new(), Vec::new());
    for pictures in sets.into_iter().filter(|set| cases.iter().any(|case| CASES[*case].0 == *set)) {
        let images = pictures.read(&request.data, asked_count(request))?;
        words.push(format!(
            "{}: {} training and {} test images, holes in both; {}.",
            pictures.name(),
            images[0].len(),
            images[1].len(),
            told(pictures)
        ));
        let asked = Asked { pictures, images, cases: &cases, lines: &lines, smaller };
        for repetition in 0..request.seeds {
            asked.measure(&single(run, repetition), &mut progress, &mut found)?;
        }
    }
    words.push(
        "Of all epochs the best on a tenth of the images that is set aside; rates along a cosine; `dmfa` with its own \
         settings. The paper had 60000 and 10000 digits, 50000 and 10000 images of CIFAR-10, one run, the last epoch."
            .into(),
    );
    let begun: Vec<usize> =
        cases.into_iter().filter(|case| found.keys().any(|(own, _)| own == case)).collect();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words,
        sections: begun.iter().map(|case| section(*case, &lines, &found)).collect(),
        claims: begun.iter().flat_map(|case| claims(*case, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// What is measured of a set of images.
struct Asked<'a> {
    pictures: Pictures,
    /// For training and for the test.
    images: [Images; 2],
    cases: &'a [usize],
    lines: &'a [usize],
    smaller: &'a [(&'a str, &'a str)],
}

impl Asked<'_> {
    /// One repetition: every line of every case.
    fn measure(&self, run: &Run, progress: &mut Progress<'_>, found: &mut Found) -> Result<()> {
        let mut whole = None;
        for &case in self.cases.iter().filter(|case| CASES[**case].0 == self.pictures) {
            let region = &REGIONS[CASES[case].1];
            for &line in self.lines {
                let (name, complete) = (LINES[line].0, LINES[line].0 == COMPLETE);
                if !progress.next(&format!("{} {} {name}", self.pictures.name(), region.name())) {
                    return Ok(());
                }
                // Without holes it is the same for all regions.
                let score = match whole.filter(|_| complete) {
                    Some(score) => Some(score),
                    None => {
                        let recipe = recipe(self.pictures, name, self.smaller)?;
                        let [train, test] = holed(&self.images, (!complete).then_some(region), run.seed());
                        accuracy(&recipe, &train, &test, run)?
                    }
                };
                whole = if complete { score } else { whole };
                if let Some((accuracy, loss)) = score {
                    let [accuracies, losses] = found.entry((case, line)).or_default();
                    accuracies.push(accuracy);
                    losses.push(loss);
                }
            }
        }
        Ok(())
    }
}

fn recipe(pictures: Pictures, line: &str, smaller: &[(&str, &str)]) -> Result<Recipe> {
    let network: &[(&str, &str)] = if pictures == Pictures::Cifar10 { &CIFAR } else { &DIGITS };
    let missing = [("missing", if line == COMPLETE { "zero" } else { line })];
    Recipe::named("convolutional")?
        .set_all(COMMON.iter().chain(network).chain(&missing).chain(smaller).copied())
}

fn told(pictures: Pictures) -> &'static str {
    match pictures {
        Pictures::Cifar10 => {
            "convolutions of 32, 32, stride 2, 64, 64 and 64 filters, 128 units, dropout 0.3, batch 64, rate 0.0001, \
             35 epochs"
        }
        _ => "convolutions of 32, stride 2, 64 and 64 filters, 20 units, batch 24, rate 0.001, 10 epochs",
    }
}

/// Training and test images, a region of each hidden.
fn holed(images: &[Images; 2], region: Option<&Region>, seed: u64) -> [Data; 2] {
    let [train, test] = images.clone();
    match region {
        None => [train.into(), test.into()],
        Some(region) => {
            let hide = |images: Images, seed: u64| Data::from(hide_region(images, region, seed));
            [hide(train, 2 * seed), hide(test, 2 * seed + 1)]
        }
    }
}

fn section(case: usize, lines: &[usize], found: &Found) -> Section {
    let (pictures, region) = CASES[case];
    let row = |line: &usize| {
        let (name, published) = &LINES[*line];
        let [accuracies, losses] = found.get(&(case, *line)).cloned().unwrap_or_default();
        let published = published[case].map(|figure| Figure::given(figure, None));
        let cells =
            vec![published.into(), Figure::of(&accuracies, 0.0).into(), Figure::of(&losses, 0.0).into()];
        Row { name: (*name).to_owned(), cells }
    };
    Section {
        title: format!("{}, {}: accuracy", pictures.name(), REGIONS[region]),
        columns: ["published", "accuracy", "log-loss"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: lines.iter().map(row).collect(),
    }
}

/// MisConv is better than every other way with the same holes.
fn claims(case: usize, found: &Found) -> Vec<Claim> {
    let name = format!("{}, {}", CASES[case].0.name(), REGIONS[CASES[case].1].name());
    let own = |line: usize| found.get(&(case, line)).map(|[accuracies, _]| accuracies.as_slice());
    let misconv = LINES.len() - 1;
    (0..misconv)
        .filter(|line| LINES[*line].0 != COMPLETE)
        .filter_map(|line| {
            let words = format!("{name}: misconv is right more often than {}", LINES[line].0);
            Claim::higher(words, own(misconv)?, own(line)?, 0.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Cell;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_has_a_line_for_each_way() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [60, 30]);
        let only = ["mnist", "square", "complete", "zero", "knn", "misconv", "n=500"];
        let request =
            Request { data: folder.path().to_owned(), seeds: 2, only: only.map(str::to_owned).to_vec() };
        let smaller = [("filters", "[[4], [4]]"), ("epochs", "4"), ("density-epochs", "1"), ("rate", "0.01")];
        let report = measure(&request, &smaller, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete);
        let rows = &report.sections[0].rows;
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["complete", "zero", "knn", "misconv"]);
        assert!(matches!(&rows[0].cells[1], Cell::Figure(figure) if figure.mean > 0.9), "{rows:?}");
        assert_eq!((report.sections.len(), report.claims.len()), (1, 2));
        assert!(matches!(&rows[3].cells[0], Cell::Figure(figure) if figure.mean == 0.931));
    }

    #[test]
    fn cifar_has_its_own_network_and_one_region() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [20, 10]);
        let only = ["cifar-10", "zero"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 1, only };
        let smaller = [("filters", "[[2], [2]]"), ("hidden", "[2]"), ("epochs", "1")];
        let report = measure(&request, &smaller, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete && report.sections.len() == 1);
        assert_eq!(report.sections[0].title, "cifar-10, square:0.25: accuracy");
        let settings = recipe(Pictures::Cifar10, "zero", &[]).unwrap().settings;
        assert_eq!(
            (settings["net"].as_str(), settings["rate"].as_f64()),
            (Some("misconv-cifar"), Some(1e-4))
        );
    }
}
