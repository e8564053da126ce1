//! Wasserstein autoencoders that learn from digits with holes: how near the images that their decoders make come to
//! the digits as they were (the figures that the authors of MisConv stored beside their code).
//!
//! A square of a quarter of each digit is hidden, in training and in the test, as in `misconv`. The whole image that
//! the decoder makes of a test digit is held against the complete one: the peak signal-to-noise ratio of each image
//! and its structural similarity, on average. `mask` is the autoencoder as it comes, which sees 0 and the mask; the
//! other lines fill the holes first, and it takes the filled images as whole ones (the paper's error counts known
//! pixels alone). MisConv's layer in front of an autoencoder, zero without a mask, partial convolutions and ACFlow are
//! not here.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::data::images::Images;
use crate::encode::ImageCoder;
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::methods::wae::{Fitted, Settings};
use crate::metrics::structural_similarity;
use crate::missing::{Region, hide_region};
use crate::model::{Aim, Model};
use crate::run::Run;

use super::pictures::{MNIST, Pictures, asked_count, count_names};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "wae",
    title: "Digits with holes: how near a Wasserstein autoencoder's images come",
    paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv, supplement 1.3; figures as the authors stored them",
    files: &[MNIST[0], MNIST[1], MNIST[2], MNIST[3]],
    parts: || {
        vec![
            LINES.iter().map(|line| line.name.to_owned()).collect(),
            EPOCHS.map(epoch_name).to_vec(),
            count_names(),
        ]
    },
    run: |request, run| measure(request, &[], run),
};

const REGION: Region = Region::Square(0.25);
/// Images decoded at a time.
const AT_ONCE: usize = 256;
/// Epochs that can be asked for; otherwise the method's own number.
const EPOCHS: [usize; 3] = [50, 20, 5];

/// What becomes of holes before the autoencoder, and the published ratio (dB) and similarity.
struct Line {
    name: &'static str,
    holes: Holes,
    published: Option<(f64, f64)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Holes {
    /// There are none.
    None,
    /// They stay.
    Stay,
    /// A method fills them.
    Filled(&'static str, &'static [(&'static str, &'static str)]),
}

const LINES: [Line; 5] = [
    Line { name: "complete", holes: Holes::None, published: Some((20.72, 0.908)) },
    Line { name: "mask", holes: Holes::Stay, published: Some((13.86, 0.627)) },
    Line { name: "knn", holes: Holes::Filled("neighbours", &[("k", "1")]), published: Some((16.00, 0.752)) },
    Line { name: "mfa", holes: Holes::Filled("mfa", &[]), published: None },
    Line { name: "dmfa", holes: Holes::Filled("dmfa", &[]), published: Some((15.85, 0.750)) },
];

/// Ratio and similarity by line, seed by seed.
type Found = BTreeMap<usize, [Vec<f64>; 2]>;

fn epoch_name(epochs: usize) -> String {
    format!("epochs={epochs}")
}

/// `smaller` is what tests change of the autoencoder.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let all: Vec<usize> = (0..LINES.len()).collect();
    let lines = request.chosen(&all, |line| LINES[*line].name.to_owned());
    let epochs = EPOCHS.into_iter().find(|epochs| request.only.contains(&epoch_name(*epochs)));
    let epochs = epochs.map(|epochs| epochs.to_string());
    let settings = epochs.iter().map(|epochs| ("epochs", epochs.as_str())).chain(smaller.iter().copied());
    let recipe = Recipe::named("wae")?.set_all(settings)?;
    let settings = Settings::checked(&recipe.settings)?;
    let images = Pictures::Mnist.read(&request.data, asked_count(request))?;
    let mut progress = Progress::new(run, lines.len() * request.seeds);
    let mut found = Found::new();
    'all: for repetition in 0..request.seeds {
        let own = single(run, repetition);
        for &line in &lines {
            if !progress.next(LINES[line].name) {
                break 'all;
            }
            let given = given(&images, LINES[line].holes, &own)?;
            let Some((ratio, similarity)) = quality(&settings, &given, &images[1], &own)? else { break 'all };
            let [ratios, similarities] = found.entry(line).or_default();
            ratios.push(ratio);
            similarities.push(similarity);
        }
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![format!(
            "{} training and {} test digits (the paper: 60000 and 10000), {REGION} hidden in both; {}. The images that \
             decoders make, held against complete ones: ratios in decibels and structural similarities, means over \
             images.",
            images[0].len(),
            images[1].len(),
            epochs.map_or_else(
                || "as many epochs as the method takes".into(),
                |epochs| format!("{epochs} epochs")
            )
        )],
        sections: vec![section(&lines, &found)],
        claims: claims(&found),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// Training and test images as the autoencoder is given them.
fn given(images: &[Images; 2], holes: Holes, run: &Run) -> Result<[Data; 2]> {
    let [train, test] = images.clone();
    if holes == Holes::None {
        return Ok([train.into(), test.into()]);
    }
    let hide = |images: Images, seed: u64| Data::from(hide_region(images, &REGION, seed));
    let holed = [hide(train, 2 * run.seed()), hide(test, 2 * run.seed() + 1)];
    let Holes::Filled(method, settings) = holes else { return Ok(holed) };
    let recipe = Recipe::named(method)?.set_all(settings.iter().copied())?;
    let model = Model::fit(&holed[0], &Aim::fill(), &recipe, run)?;
    let fill = |holed: &Data| -> Result<Data> {
        let filled = run.compute(|| model.filling()?.fill(holed, None, |_, _| {}))?;
        Ok(Data::from(filled.data.images()?.as_ref().clone().whole()))
    };
    Ok([fill(&holed[0])?, fill(&holed[1])?])
}

/// Mean ratio and similarity of decoded test images; nothing if the run was stopped.
fn quality(settings: &Settings, given: &[Data; 2], truth: &Images, run: &Run) -> Result<Option<(f64, f64)>> {
    let coder = ImageCoder::fit(given[0].images()?)?;
    let [train, test] = [coder.encode(given[0].images()?)?, coder.encode(given[1].images()?)?];
    let fitted = match run.compute(|| Fitted::fit(settings, &coder, &train, run)) {
        Err(Error::Stopped) => return Ok(None),
        fitted => fitted?,
    };
    let (truth, width) = (coder.encode(&truth.clone().into())?, coder.size.width);
    let (mut ratios, mut similarities) = (0.0, 0.0);
    let all: Vec<usize> = (0..test.len()).collect();
    for some in all.chunks(AT_ONCE) {
        let decoded = run.compute(|| fitted.decoded(&test, some, None));
        for (image, own) in decoded.iter().zip(truth.batch(some).values.chunks_exact(coder.size.cells())) {
            let square = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
            let mean = image.iter().zip(own).map(square).sum::<f64>() / own.len() as f64;
            ratios -= 10.0 * mean.max(f64::MIN_POSITIVE).log10();
            similarities += structural_similarity(image, own, width, 1.0);
        }
    }
    let count = test.len().max(1) as f64;
    Ok((!run.stopped()).then_some((ratios / count, similarities / count)))
}

fn section(lines: &[usize], found: &Found) -> Section {
    let row = |line: &usize| {
        let Line { name, published, .. } = &LINES[*line];
        let given = published.map_or([None; 2], |(ratio, similarity)| [Some(ratio), Some(similarity)]);
        let given = given.map(|figure| Cell::from(figure.map(|figure| Figure::given(figure, None))));
        let own = found.get(line).cloned().unwrap_or_default();
        let own = own.map(|values| Cell::from(Figure::of(&values, 0.0)));
        Row { name: (*name).to_owned(), cells: given.into_iter().chain(own).collect() }
    };
    Section {
        title: format!("mnist, {REGION}: images that decoders make"),
        columns: ["published: dB", "similarity", "dB", "similarity"].map(str::to_owned).to_vec(),
        digits: 3,
        rows: lines.iter().map(row).collect(),
    }
}

/// Filling the holes first helps, and no way comes up to complete images.
fn claims(found: &Found) -> Vec<Claim> {
    let claim = |(high, low): (usize, usize)| {
        let words = format!("{} has a higher ratio than {}", LINES[high].name, LINES[low].name);
        Claim::higher(words, &found.get(&high)?[0], &found.get(&low)?[0], 0.0)
    };
    [(0, 2), (2, 1), (4, 1), (2, 4), (3, 2)].into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_stands_beside_what_was_published() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [40, 20]);
        let only = ["complete", "mask", "knn"].map(str::to_owned).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 1, only };
        let smaller =
            [("filters", "[4]"), ("latent", "4"), ("epochs", "30"), ("rate", "0.02"), ("batch", "10")];
        let report = measure(&request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete && report.claims.len() == 2, "{:?}", report.claims);
        for row in &report.sections[0].rows {
            let mean = |cell: &Cell| if let Cell::Figure(figure) = cell { figure.mean } else { f64::NAN };
            // A grey image would have about 6 dB and a similarity near 0.
            assert!(mean(&row.cells[2]) > 8.0 && mean(&row.cells[3]) > 0.2, "{row:?}");
        }
    }
}
