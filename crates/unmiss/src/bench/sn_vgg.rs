//! VGG-16 on CIFAR-10 with Sparsity Normalization, batch norm, both and neither (table 4 of the earlier version of the
//! paper on SN).
//!
//! A black number of a pixel counts as missing in the first convolution, a number that a ReLU made 0 in the others, and
//! the border around an image in all of them. The paper tells the network and the split alone; ours are a rate of
//! 0.0001 (with batch norm 0.001) along a cosine, batches of 64, 40 epochs of which the best on a tenth of the training
//! images counts, two dense layers of 512 units with dropout, and no image moved or mirrored.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::data::images::{Bits, Images, Observed};
use crate::error::Result;
use crate::methods::Recipe;
use crate::run::Run;

use super::pictures::{CIFAR_10, Pictures, accuracy, asked_count, count_names};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "sn-vgg",
    title: "VGG-16 with Sparsity Normalization and batch norm",
    paper: "Yi, Lee, Kim, Hwang and Yang, Why Not to Use Zero Imputation?, earlier version, table 4",
    files: &CIFAR_10,
    parts: || {
        vec![
            NETS.iter().map(|net| net.name.to_owned()).collect(),
            WAYS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            count_names(),
        ]
    },
    run: |request, run| measure(request, &[], run),
};

/// A network with its published accuracy without and with Sparsity Normalization, each with half its interval.
struct Net {
    name: &'static str,
    batch_norm: &'static str,
    rate: &'static str,
    published: [(f64, f64); 2],
}

const NETS: [Net; 2] = [
    Net {
        name: "vgg-16",
        batch_norm: "none",
        rate: "0.0001",
        published: [(0.8050, 0.0185), (0.8094, 0.0173)],
    },
    Net {
        name: "vgg-16+bn",
        batch_norm: "before-relu",
        rate: "0.001",
        published: [(0.8755, 0.0066), (0.8800, 0.0101)],
    },
];

/// What is normalised, and the convolutions that are; the last two are one in the paper.
const WAYS: [(&str, Option<&str>); 3] = [("plain", None), ("sn", Some("13")), ("sn-first", Some("1"))];

const COMMON: [(&str, &str); 5] =
    [("net", "vgg-16"), ("epochs", "40"), ("batch", "64"), ("patience", "0"), ("weight-decay", "0.0005")];

/// Accuracy by (network, way), seed by seed.
type Found = BTreeMap<(usize, usize), Vec<f64>>;

/// `smaller` is what tests change.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let nets = request.chosen(&[0, 1], |net| NETS[*net].name.to_owned());
    let ways = request.chosen(&[0, 1, 2], |way| WAYS[*way].0.to_owned());
    let images = Pictures::Cifar10.read(&request.data, asked_count(request))?;
    let counts = [images[0].len(), images[1].len()];
    let [train, test] = images.map(black_is_missing);
    let mut progress = Progress::new(run, nets.len() * ways.len() * request.seeds);
    let mut found = Found::new();
    for repetition in 0..request.seeds {
        for (&net, &way) in nets.iter().flat_map(|net| ways.iter().map(move |way| (net, way))) {
            if !progress.next(&format!("{} {}", NETS[net].name, WAYS[way].0)) {
                break;
            }
            let recipe = recipe(&NETS[net], WAYS[way].1, smaller)?;
            if let Some((right, _)) = accuracy(&recipe, &train, &test, &single(run, repetition))? {
                found.entry((net, way)).or_default().push(right);
            }
        }
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![format!(
            "CIFAR-10, {} training and {} test images (the paper: 50000 and 10000, so that gains count here and not \
             levels); rate 0.0001, with batch norm 0.001, along a cosine, batch 64, 40 epochs, of which the best on a \
             tenth set aside; weight decay 0.0005.",
            counts[0], counts[1]
        )],
        sections: nets.iter().map(|net| section(*net, &ways, &found)).collect(),
        claims: nets.iter().flat_map(|net| claims(*net, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// The same images, of which every number that is 0 is a hole.
fn black_is_missing(images: Images) -> Data {
    let values = images.values();
    let marks = Bits::from_marks((0..values.len()).map(|cell| values.get(cell) != 0.0));
    // The marks are as many as the numbers.
    Data::from(images.clone().narrowed(Observed::Cells(marks)).unwrap_or(images))
}

fn recipe(net: &Net, depth: Option<&str>, smaller: &[(&str, &str)]) -> Result<Recipe> {
    let own = [
        ("batch-norm", net.batch_norm),
        ("rate", net.rate),
        ("missing", if depth.is_some() { "sn-conv" } else { "zero" }),
        ("sn-depth", depth.unwrap_or("1")),
    ];
    Recipe::named("convolutional")?.set_all(COMMON.iter().chain(&own).chain(smaller).copied())
}

fn section(net: usize, ways: &[usize], found: &Found) -> Section {
    let nothing = Vec::new();
    let of = |way: usize| found.get(&(net, way)).unwrap_or(&nothing);
    let row = |way: &usize| {
        let (mean, half) = NETS[net].published[usize::from(*way > 0)];
        let gains: Vec<f64> = of(*way).iter().zip(of(0)).map(|(own, plain)| own - plain).collect();
        let gain: Cell = if *way > 0 { Figure::of(&gains, 0.0).into() } else { Cell::Empty };
        let cells =
            vec![Cell::Figure(Figure::given(mean, Some(half))), Figure::of(of(*way), 0.0).into(), gain];
        Row { name: WAYS[*way].0.to_owned(), cells }
    };
    Section {
        title: format!("{}: accuracy", NETS[net].name),
        columns: ["published", "accuracy", "gain"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: ways.iter().map(row).collect(),
    }
}

/// Sparsity Normalization is right more often, with batch norm and without.
fn claims(net: usize, found: &Found) -> Vec<Claim> {
    let claim = |way: usize| {
        let words = format!("{}: {} is right more often than plain", NETS[net].name, WAYS[way].0);
        Claim::higher(words, found.get(&(net, way))?, found.get(&(net, 0))?, 0.0)
    };
    [1, 2].into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_has_a_line_for_each_way() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [20, 10]);
        let request = Request { data: folder.path().to_owned(), seeds: 1, only: vec![] };
        let smaller = [("filters", "[[2], [2, 2], [2]]"), ("hidden", "[3]"), ("epochs", "1")];
        let report = measure(&request, &smaller, &Run::new(0, 2).unwrap()).unwrap();
        assert!(report.complete);
        assert_eq!((report.sections.len(), report.claims.len()), (2, 4));
        for row in report.sections.iter().flat_map(|section| &section.rows) {
            assert!(matches!(&row.cells[1], Cell::Figure(figure) if figure.values.len() == 1), "{row:?}");
        }
    }

    #[test]
    fn black_numbers_are_holes_and_the_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [2, 1]);
        let [train, _] = Pictures::Cifar10.read(folder.path(), None).unwrap();
        let holed = black_is_missing(train.clone());
        let holed = holed.images().unwrap();
        let cells = (0..2).flat_map(|image| (0..3072).map(move |cell| (image, cell)));
        for (image, cell) in cells {
            assert_eq!(holed.is_known(image, cell), train.value(image, cell) > 0.0);
        }
    }
}
