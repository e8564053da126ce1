//! Digits with missing pixels or columns: classified as they are (Type 1), or after a denoising variational autoencoder
//! has filled them, once or averaged over draws (Type 2); and classifiers that learned from clean digits.
//!
//! What is missing is white to a classifier of Type 1, as in the thesis. The autoencoder learns from clean digits, of
//! which it sees what other images would show; what it fills are the missing pixels (in the thesis the whole image is
//! replaced by what it says). A classifier of Type 2 learns from filled training images. Networks are of one size here,
//! where the thesis searched through hundreds for each corruption; its classifiers learn with AdaDelta, ours with
//! Adam. With draws, chances are averaged over `DRAWS` of them (3,000 in the thesis, which found no gain beyond 50).

mod digits;
mod elbo;
mod published;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::compare::disagreement;
use crate::data::Data;
use crate::data::images::{Images, LABEL};
use crate::encode::{ClassWeights, Targets};
use crate::error::Result;
use crate::methods::{Draw, Recipe};
use crate::missing::{Region, hide_region};
use crate::model::{Aim, Model, Predictions, Roles};
use crate::run::Run;

use super::pictures::{MNIST, Pictures, asked_count, count_names};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};
use digits::Told;
use published::LINES;

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "dvae",
    title: "Digits with missing pixels: classified as they are, or filled by a variational autoencoder first",
    paper: "The thesis on denoising variational autoencoders for images with missing pixels, Tables 1 to 7, Figures 12 and 16",
    files: &[MNIST[0], MNIST[1], MNIST[2], MNIST[3]],
    parts: || {
        let cases = CASES.iter().map(ToString::to_string).chain([elbo::NAME.to_owned()]).collect();
        vec![cases, LINES.iter().map(|(name, _)| (*name).to_owned()).collect(), count_names()]
    },
    run: |request, run| measure(request, &[], run),
};

const CASES: [Region; 6] = [
    Region::Pixels(0.5),
    Region::Pixels(0.7),
    Region::Pixels(0.9),
    Region::Lines(0.5),
    Region::Lines(0.7),
    Region::Lines(0.9),
];

/// The place of the perceptron on single fills among the lines.
const VAE_MLP: usize = 1;
/// Those whose digits are counted: single fills.
const COUNTED: [usize; 2] = [VAE_MLP, 4];

/// Draws of an image whose chances are averaged.
const DRAWS: u64 = 50;
/// The autoencoder.
const VAE: [(&str, &str); 4] =
    [("hidden", "[500, 500]"), ("latent", "32"), ("masks", "copied"), ("importance", "1")];
const MLP: [(&str, &str); 2] = [("hidden", "[500, 500]"), ("missing", "zero")];
const CNN: [(&str, &str); 1] = [("missing", "zero")];

/// Accuracy and seconds of each line of a case, seed by seed; and the chances of the last seed.
type Found = BTreeMap<(usize, usize), [Vec<f64>; 2]>;

/// `smaller` is what tests change of every network.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    // Beyond the cases stands the table of bounds.
    let all: Vec<usize> = (0..=CASES.len()).collect();
    let name = |case: &usize| CASES.get(*case).map_or_else(|| elbo::NAME.to_owned(), ToString::to_string);
    let mut cases = request.chosen(&all, name);
    let bounds = cases.pop_if(|case| *case == CASES.len()).is_some();
    let all: Vec<usize> = (0..LINES.len()).collect();
    let lines = request.chosen(&all, |line| LINES[*line].0.to_owned());
    let images = Pictures::Mnist.read(&request.data, asked_count(request))?;
    let trainings = cases.len() * lines.len() + if bounds { elbo::COUNT } else { 0 };
    let mut progress = Progress::new(run, trainings * request.seeds);
    let (mut found, mut pairs, mut told) = (Found::new(), Vec::new(), BTreeMap::<usize, Told>::new());
    let mut by_bound = elbo::Found::default();
    'all: for &case in &cases {
        for repetition in 0..request.seeds {
            let own = single(run, repetition);
            let mut stage = Stage::new(&images, &CASES[case], smaller, &own);
            let mut right: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            for &line in &lines {
                if !progress.next(&format!("{}, {}", CASES[case], LINES[line].0)) {
                    break 'all;
                }
                let start = Instant::now();
                let answers = stage.answers(line)?;
                let [accuracies, seconds] = found.entry((case, line)).or_default();
                accuracies.push(stage.accuracy(&answers));
                seconds.push(start.elapsed().as_secs_f64());
                right.insert(line, answers);
            }
            pairs.extend(stage.pairs(case, &right));
            let counts = told.entry(case).or_default();
            counts.add(None, &stage.truth());
            right
                .iter()
                .filter(|(line, _)| COUNTED.contains(line))
                .for_each(|(line, own)| counts.add(Some(*line), own));
        }
    }
    'bounds: for place in (0..elbo::COUNT).filter(|_| bounds) {
        for repetition in 0..request.seeds {
            if !progress.next(&format!("{}, {} of {}", elbo::NAME, place + 1, elbo::COUNT)) {
                break 'bounds;
            }
            by_bound.measure(place, &images, smaller, &single(run, repetition))?;
        }
    }
    let begun = cases.into_iter().filter(|case| found.keys().any(|(own, _)| own == case));
    let begun: Vec<usize> = begun.collect();
    let mut sections: Vec<Section> = begun.iter().map(|case| section(*case, &lines, &found)).collect();
    sections.extend((!pairs.is_empty()).then(|| Section {
        title: "Do draws change the answers of the single fill?".into(),
        columns: ["differ", "z (thesis)", "McNemar p"].map(str::to_owned).to_vec(),
        digits: 3,
        rows: pairs,
    }));
    sections.extend(told.iter().map(|(case, told)| told.section(&CASES[*case].to_string())));
    sections.extend(by_bound.section());
    let mut claims: Vec<Claim> = begun.iter().flat_map(|case| claims(*case, &found)).collect();
    claims.extend(by_bound.claims());
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!(
                "{} training and {} test digits; the thesis had 60000 and 10000, and searched networks for each \
                 corruption. Autoencoder 784-500-500-32, classifiers of two layers of 500 units and the default \
                 convolutional network. Seconds of a line are those of what had not been learned before it.",
                images[0].len(),
                images[1].len()
            ),
            format!("Draws: chances averaged over {DRAWS} of them."),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// One corruption of one seed: images, and what was learned so far.
struct Stage<'a> {
    clean: [Data; 2],
    white: [Data; 2],
    holed: [Data; 2],
    run: &'a Run,
    smaller: &'a [(&'a str, &'a str)],
    /// What is other than usual of the autoencoder.
    autoencoder: &'a [(&'a str, &'a str)],
    vae: Option<Model>,
    /// Training images, filled, once there is an autoencoder.
    filled: Option<Data>,
    /// Classifiers by method and by what they learned from.
    classifiers: BTreeMap<(&'static str, &'static str), Model>,
}

/// What a classifier learns from.
const CLEAN: &str = "clean";
const WHITE: &str = "white";
const FILLED: &str = "filled";

impl<'a> Stage<'a> {
    fn new(images: &[Images; 2], region: &Region, smaller: &'a [(&'a str, &'a str)], run: &'a Run) -> Self {
        let [train, test] = images.clone();
        let holed = [
            hide_region(train.clone(), region, 2 * run.seed()),
            hide_region(test.clone(), region, 2 * run.seed() + 1),
        ];
        Self {
            clean: [train.into(), test.into()],
            white: [white(&holed[0]).into(), white(&holed[1]).into()],
            holed: holed.map(Data::from),
            run,
            smaller,
            autoencoder: &[],
            vae: None,
            filled: None,
            classifiers: BTreeMap::new(),
        }
    }

    /// The classes that a line tells for the test images.
    fn answers(&mut self, line: usize) -> Result<Vec<u32>> {
        let name = LINES[line].0;
        let method = if name.contains("CNN") { "convolutional" } else { "mlp" };
        if name.starts_with(CLEAN) {
            let test = match name.ends_with("VAE") {
                true => self.fill(1, None)?,
                false => self.white[1].clone(),
            };
            return self.classes(method, CLEAN, &[test]);
        }
        if !name.starts_with("VAE") {
            let test = self.white[1].clone();
            return self.classes(method, WHITE, &[test]);
        }
        let tests = match name.ends_with("draws") {
            true => (1..=DRAWS).map(|draw| self.fill(1, Some(draw))).collect::<Result<Vec<_>>>()?,
            false => vec![self.fill(1, None)?],
        };
        self.classes(method, FILLED, &tests)
    }

    /// The likeliest class of each test image by the mean of what is said of it in several forms.
    fn classes(&mut self, method: &'static str, from: &'static str, tests: &[Data]) -> Result<Vec<u32>> {
        if !self.classifiers.contains_key(&(method, from)) {
            let settings: &[(&str, &str)] = if method == "mlp" { &MLP } else { &CNN };
            let train = match from {
                CLEAN => self.clean[0].clone(),
                WHITE => self.white[0].clone(),
                _ => self.filled()?,
            };
            let recipe = self.recipe(method, settings)?;
            let model = Model::fit(&train, &Aim::Predict(Roles::target(LABEL)), &recipe, self.run)?;
            self.classifiers.insert((method, from), model);
        }
        let predicting = self.classifiers[&(method, from)].predicting()?;
        let mut sums = Vec::new();
        for test in tests {
            let (Predictions::Probabilities(chances) | Predictions::Numbers(chances)) =
                self.run.compute(|| predicting.predict(test, |_, _| {}))?;
            sums.resize(chances.len(), 0.0);
            sums.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += chance);
        }
        let outputs = predicting.target.levels.len().max(1);
        let likeliest = |row: &[f64]| {
            (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]).then(b.cmp(a))).unwrap_or(0) as u32
        };
        Ok(sums.chunks_exact(outputs).map(likeliest).collect())
    }

    fn recipe(&self, method: &str, settings: &[(&str, &str)]) -> Result<Recipe> {
        let recipe = Recipe::named(method)?;
        let known = |name: &str| recipe.method.card().settings.iter().any(|setting| setting.name == name);
        let smaller: Vec<(&str, &str)> =
            self.smaller.iter().copied().filter(|(name, _)| known(name)).collect();
        recipe.set_all(settings.iter().copied().chain(smaller))
    }

    /// Training images with their holes filled, once.
    fn filled(&mut self) -> Result<Data> {
        if let Some(filled) = &self.filled {
            return Ok(filled.clone());
        }
        let filled = self.fill(0, None)?;
        self.filled = Some(filled.clone());
        Ok(filled)
    }

    /// Images with their holes filled by the autoencoder, which learns from clean images: their copies with holes tell
    /// what it is to be shown of them.
    fn fill(&mut self, part: usize, draw: Option<u64>) -> Result<Data> {
        if self.vae.is_none() {
            let recipe = self.recipe("dvae", &VAE)?.set_all(self.autoencoder.iter().copied())?;
            let both = clean_and_holed(self.clean[0].images()?, self.holed[0].images()?);
            self.vae = Some(Model::fit(&both.into(), &Aim::fill(), &recipe, self.run)?);
        }
        let Some(model) = &self.vae else { return Err(crate::error::Error::Stopped) };
        let draw = draw.map(|number| Draw { seed: self.run.seed(), number, first_row: 0 });
        let holed = &self.holed[part];
        let filled = self.run.compute(|| model.filling()?.fill(holed, draw, |_, _| {}))?;
        Ok(Data::from(filled.data.images()?.as_ref().clone().whole()))
    }

    /// The bound of the autoencoder on images set aside, in nats, once there is one.
    fn bound(&self) -> Option<f64> {
        self.vae.as_ref()?.summary.method.get("log-likelihood of rows set aside")?.as_f64()
    }

    fn truth(&self) -> Vec<u32> {
        let classes = |model: &Model| -> Result<Targets> {
            model.predicting()?.target.encode(&self.clean[1], None, ClassWeights::Equal)
        };
        let targets = self.classifiers.values().next().and_then(|model| classes(model).ok());
        targets.map_or_else(Vec::new, |targets| targets.classes)
    }

    fn accuracy(&self, answers: &[u32]) -> f64 {
        let truth = self.truth();
        let right = answers.iter().zip(&truth).filter(|(answer, truth)| answer == truth).count();
        right as f64 / truth.len().max(1) as f64
    }

    /// The single fill beside draws, for both classifiers: how many answers differ, the thesis's z, which counts an
    /// image on which both are wrong against the draws, and McNemar's p, which leaves it out.
    fn pairs(&self, case: usize, answers: &BTreeMap<usize, Vec<u32>>) -> Vec<Row> {
        let truth = self.truth();
        let pair = |(single, draws): (usize, usize)| {
            let (single, own) = (answers.get(&single)?, answers.get(&draws)?);
            let found = disagreement(own, single, &truth);
            let cells = [found.rows as f64, found.z, found.p_mcnemar]
                .map(|value| Cell::Figure(Figure::given(value, None)));
            let name = format!("{}, {}, seed {}", CASES[case], LINES[draws].0, self.run.seed());
            Some(Row { name, cells: cells.to_vec() })
        };
        [(1, 2), (4, 5)].into_iter().filter_map(pair).collect()
    }
}

/// Images whose holes are white, and known.
fn white(holed: &Images) -> Images {
    let mut images = holed.clone();
    for image in 0..images.len() {
        (0..images.size().cells()).for_each(|cell| images.fill(image, cell, 255.0));
    }
    images.whole()
}

/// All images as they are, and once more with the holes of others.
fn clean_and_holed(clean: &Images, holed: &Images) -> Images {
    let count = clean.len();
    let mut both = clean.select(&(0..2 * count).map(|image| image % count).collect::<Vec<_>>());
    for image in 0..count {
        let missing = (0..holed.size().pixels()).filter(|&pixel| !holed.is_pixel_known(image, pixel));
        missing.for_each(|pixel| both.hide(count + image, pixel));
    }
    both
}

fn section(case: usize, lines: &[usize], found: &Found) -> Section {
    let row = |line: &usize| {
        let (name, published) = &LINES[*line];
        let [accuracies, seconds] = found.get(&(case, *line)).cloned().unwrap_or_default();
        let cells = vec![
            Cell::Figure(Figure::given(published[case], None)),
            Figure::of(&accuracies, 0.0).into(),
            Figure::of(&seconds, 0.0).into(),
        ];
        Row { name: (*name).to_owned(), cells }
    };
    Section {
        title: format!("{}: accuracy", CASES[case]),
        columns: ["published", "ours", "seconds"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: lines.iter().map(row).collect(),
    }
}

/// What the thesis found: filling helps perceptrons, not convolutional networks, and draws add nothing.
fn claims(case: usize, found: &Found) -> Vec<Claim> {
    let own = |name: &str| {
        let line = LINES.iter().position(|(line, _)| *line == name)?;
        found.get(&(case, line)).map(|[accuracies, _]| accuracies.as_slice())
    };
    let pairs = [
        ("VAE+MLP", "MLP"),
        ("CNN", "VAE+CNN"),
        ("CNN", "VAE+MLP"),
        ("clean MLP, VAE", "clean MLP"),
        ("clean CNN, VAE", "clean CNN"),
    ];
    let claim = |(one, other): (&str, &str)| {
        let words = format!("{}: {one} is right more often than {other}", CASES[case]);
        Claim::higher(words, own(one)?, own(other)?, 0.0)
    };
    pairs.into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn a_small_run_fills_and_classifies() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [60, 30]);
        let only = ["pixels:0.5", "MLP", "VAE+MLP", "VAE+MLP draws", "clean MLP", "clean MLP, VAE"];
        let request =
            Request { data: folder.path().to_owned(), seeds: 1, only: only.map(str::to_owned).to_vec() };
        let smaller =
            [("hidden", "[16]"), ("latent", "3"), ("epochs", "20"), ("batch", "16"), ("rate", "0.01")];
        let report = measure(&request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        let [accuracies, pairs, digits] = report.sections.as_slice() else { panic!("{:?}", report.sections) };
        assert_eq!(
            (digits.columns.as_slice(), digits.rows.len()),
            (&["true", "VAE+MLP"].map(str::to_owned)[..], 10)
        );
        assert_eq!(accuracies.rows.len(), 5);
        let ours = |row: usize| match &accuracies.rows[row].cells[1] {
            Cell::Figure(figure) => figure.mean,
            other => panic!("{other:?}"),
        };
        assert!(ours(1) > 0.8 && ours(2) > 0.8, "squares and crosses are told apart: {accuracies:?}");
        assert!(matches!(&accuracies.rows[0].cells[0], Cell::Figure(figure) if figure.mean == 0.8411));
        assert_eq!(pairs.rows.len(), 1);
    }

    #[test]
    fn bounds_stand_beside_accuracies() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [40, 20]);
        let request = Request { data: folder.path().to_owned(), seeds: 1, only: vec!["elbo".into()] };
        let smaller = [("hidden", "[8]"), ("epochs", "2"), ("batch", "16")];
        let report = measure(&request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        assert_eq!((report.sections.len(), report.sections[0].rows.len(), report.claims.len()), (1, 3, 2));
        for row in &report.sections[0].rows {
            let Cell::Figure(loss) = &row.cells[2] else { panic!("{row:?}") };
            assert!(loss.mean > 0.0, "{row:?}");
        }
    }

    #[test]
    fn the_autoencoder_sees_clean_images_and_the_holes_of_others() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [12, 10]);
        let [train, _] = Pictures::Mnist.read(folder.path(), None).unwrap();
        let holed = hide_region(train.clone(), &Region::Lines(0.5), 1);
        let both = clean_and_holed(&train, &holed);
        assert_eq!(both.len(), 24);
        let known = |images: &Images, image: usize| images.known_pixels(image);
        assert!(
            (0..12)
                .all(|image| known(&both, image) == 64 && known(&both, 12 + image) == known(&holed, image))
        );
        let white = white(&holed);
        let missing = (0..64).find(|&cell| !holed.is_known(3, cell)).unwrap();
        assert_eq!((white.value(3, missing), white.has_holes()), (255.0, false));
    }
}
