//! Masked autoencoders for densities on digits in black and white: many masks or few, with and without Sparsity
//! Normalization.
//!
//! One hidden layer of 500 units, Adam, batches of 100, no weight decay; the test digits' negative log-likelihood in
//! nats, averaged over masks as probabilities. `paper` and `paper-all` divide every input by the number of ones of the
//! whole image, pixels that come later included: what they give is no likelihood and can't be compared with one.
//! `valid` divides each unit by the ones that it may know of. The paper shows curves without numbers; for one mask
//! without normalisation a well-known program tells 94.5.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use crate::data::Data;
use crate::data::images::{ImageOptions, Images, read};
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::model::{Aim, DensityPlan, Model};
use crate::run::Run;

use super::folder::find_file;
use super::pictures::{asked_count, count_names};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

const FILES: [&str; 3] = [
    "images/binarized-mnist/train-images-idx3-ubyte",
    "images/binarized-mnist/valid-images-idx3-ubyte",
    "images/binarized-mnist/test-images-idx3-ubyte",
];

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "made",
    title: "Digits in black and white: negative log-likelihood of masked autoencoders, in nats",
    paper: "Yi et al. 2020, Figures 5 and 8; Germain et al. 2015; Karpathy's program (one mask: 94.5)",
    files: &FILES,
    parts: || {
        let masks = MASKS.iter().map(|masks| mask_name(*masks)).collect();
        let rates = RATES.map(rate_name).to_vec();
        vec![masks, LINES.map(str::to_owned).to_vec(), rates, epoch_names(), count_names()]
    },
    run: |request, run| measure(request, &[], run),
};

const MASKS: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Values of the setting `normalization`.
const LINES: [&str; 4] = ["none", "paper", "paper-all", "valid"];
const RATES: [f64; 2] = [0.005, 0.001];
/// Epochs that can be asked for; the first unless another is.
const EPOCHS: [usize; 4] = [100, 50, 20, 5];
/// What is known of one mask without normalisation, at the rate of 0.001.
const KNOWN: f64 = 94.5;

fn mask_name(masks: usize) -> String {
    format!("masks={masks}")
}

fn rate_name(rate: f64) -> String {
    format!("rate={rate}")
}

fn epoch_names() -> Vec<String> {
    EPOCHS.iter().map(|epochs| format!("epochs={epochs}")).collect()
}

/// Negative log-likelihood and seconds by (rate, masks, line), each by its place.
type Found = BTreeMap<(usize, usize, usize), [Vec<f64>; 2]>;

/// `smaller` is what tests change.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let places = |count: usize| (0..count).collect::<Vec<usize>>();
    let rates = request.chosen(&places(RATES.len()), |place| rate_name(RATES[*place]));
    let masks = request.chosen(&places(MASKS.len()), |place| mask_name(MASKS[*place]));
    let lines = request.chosen(&places(LINES.len()), |place| LINES[*place].to_owned());
    let asked = request.chosen(&places(EPOCHS.len()), |place| epoch_names()[*place].clone());
    let epochs = EPOCHS[asked[0]];
    let [train, test] = images(&request.data, asked_count(request))?;
    let words = vec![
        format!(
            "{} digits to learn from (a sixth of them, 5,000 at most, tells the best epoch) and {} for the test; the \
             paper had 50000, 10000 and 10000.",
            train.rows(),
            test.rows()
        ),
        format!(
            "784-500-784, Adam, batch 100, up to {epochs} epochs, nothing hidden. `paper` and `paper-all` tell every \
             output how many pixels are bright, also those after it: no likelihoods."
        ),
    ];
    let mut progress = Progress::new(run, rates.len() * masks.len() * lines.len() * request.seeds);
    let mut found = Found::new();
    'all: for &rate in &rates {
        for &count in &masks {
            for &line in &lines {
                for repetition in 0..request.seeds {
                    let told =
                        format!("{}, {}, {}", rate_name(RATES[rate]), mask_name(MASKS[count]), LINES[line]);
                    if !progress.next(&told) {
                        break 'all;
                    }
                    let recipe = recipe(RATES[rate], MASKS[count], LINES[line], epochs, smaller)?;
                    let start = Instant::now();
                    let loss = match loss(&recipe, &train, &test, &single(run, repetition)) {
                        Err(Error::Stopped) => break 'all,
                        loss => loss?,
                    };
                    let [losses, seconds] = found.entry((rate, count, line)).or_default();
                    losses.push(loss);
                    seconds.push(start.elapsed().as_secs_f64());
                }
            }
        }
    }
    let begun: Vec<usize> =
        rates.into_iter().filter(|rate| found.keys().any(|(own, ..)| own == rate)).collect();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: words,
        sections: begun.iter().map(|rate| section(*rate, &masks, &lines, &found)).collect(),
        claims: begun.iter().flat_map(|rate| claims(*rate, &masks, &found)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// Training and validation digits together, and the test's; with a count, the first ones.
fn images(folder: &Path, count: Option<usize>) -> Result<[Data; 2]> {
    let one = |place: usize| -> Result<Images> {
        let what = "expected are the binarized digits in IDX form";
        let images = read(&find_file(folder, FILES[place], what)?, &ImageOptions::default())?;
        let kept = images.len().min(count.unwrap_or(usize::MAX));
        // The test digits lie in order of their class: every so many-th is taken.
        let step = (images.len() / kept.max(1)).max(1);
        Ok(images.select(&(0..kept).map(|image| image * step).collect::<Vec<_>>()))
    };
    Ok([one(0)?.into(), one(2)?.into()])
}

fn recipe(
    rate: f64,
    masks: usize,
    normalization: &str,
    epochs: usize,
    smaller: &[(&str, &str)],
) -> Result<Recipe> {
    let (rate, masks, epochs) = (rate.to_string(), masks.to_string(), epochs.to_string());
    let settings = [
        ("hidden", "[500]"),
        ("hide", "0"),
        ("batch", "100"),
        ("rate", rate.as_str()),
        ("masks", masks.as_str()),
        ("normalization", normalization),
        ("epochs", epochs.as_str()),
    ];
    Recipe::named("made")?.set_all(settings.into_iter().chain(smaller.iter().copied()))
}

/// The mean negative log-likelihood of test digits.
fn loss(recipe: &Recipe, train: &Data, test: &Data, run: &Run) -> Result<f64> {
    let aim = Aim::Density(DensityPlan { test: 0.0, ..DensityPlan::default() });
    let model = Model::fit(train, &aim, recipe, run)?;
    let scored = run.compute(|| model.scoring()?.score(test, |_, _| {}))?;
    if run.stopped() {
        return Err(Error::Stopped);
    }
    Ok(-scored.iter().map(|row| row.log_likelihood).sum::<f64>() / scored.len().max(1) as f64)
}

fn section(rate: usize, masks: &[usize], lines: &[usize], found: &Found) -> Section {
    let mut columns = vec!["published".to_owned()];
    columns.extend(lines.iter().flat_map(|line| [LINES[*line].to_owned(), "s".to_owned()]));
    let row = |count: &usize| {
        let known = (MASKS[*count] == 1 && RATES[rate] == 0.001).then(|| Figure::given(KNOWN, None));
        let mut cells = vec![Cell::from(known)];
        for line in lines {
            let figures = found.get(&(rate, *count, *line)).cloned().unwrap_or_default();
            cells.extend(figures.map(|values| Cell::from(Figure::of(&values, 0.0))));
        }
        Row { name: mask_name(MASKS[*count]), cells }
    };
    Section {
        title: format!("{}: negative log-likelihood, nats", rate_name(RATES[rate])),
        columns,
        digits: 2,
        rows: masks.iter().map(row).collect(),
    }
}

/// Normalisation helps.
fn claims(rate: usize, masks: &[usize], found: &Found) -> Vec<Claim> {
    let claim = |count: &usize, line: usize| {
        let own = |line: usize| found.get(&(rate, *count, line)).map(|[losses, _]| losses.as_slice());
        let told = format!("{}, {}", rate_name(RATES[rate]), mask_name(MASKS[*count]));
        Claim::lower(format!("{told}: {} is below none", LINES[line]), own(line)?, own(0)?, 0.0)
    };
    masks.iter().flat_map(|count| (1..LINES.len()).filter_map(move |line| claim(count, line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_has_a_row_for_each_number_of_masks() {
        let folder = tempfile::tempdir().unwrap();
        for (file, count) in FILES.iter().zip([60_u32, 20, 20]) {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut bytes = vec![0, 0, 8, 3];
            [count, 3, 3].iter().for_each(|axis| bytes.extend(axis.to_be_bytes()));
            // A row of pixels is bright, or none.
            for image in 0..count {
                bytes.extend((0..9).map(|pixel| u8::from(pixel / 3 == image % 4)));
            }
            std::fs::write(path, bytes).unwrap();
        }
        let only = ["masks=1", "masks=2", "none", "valid", "rate=0.005", "epochs=50"];
        let request =
            Request { data: folder.path().into(), seeds: 1, only: only.map(str::to_owned).to_vec() };
        let smaller = [("hidden", "[16]"), ("batch", "10"), ("rate", "0.02")];
        let report = measure(&request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        let [section] = report.sections.as_slice() else { panic!("{:?}", report.sections) };
        assert_eq!((section.rows.len(), section.columns.len()), (2, 5));
        for row in &section.rows {
            for place in [1, 3] {
                let Cell::Figure(figure) = &row.cells[place] else { panic!("{row:?}") };
                // Four images of like chance: ln 4 is the least there can be, nine coins would be 6.2.
                assert!(figure.mean > 1.2 && figure.mean < 3.5, "{row:?}");
            }
        }
        assert_eq!(report.claims.len(), 2);
    }
}
