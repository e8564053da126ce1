//! The time that MisConv takes beside a plain convolution (table 2 of the paper's supplement), and the whole network's.
//!
//! Images of 28, 32 and 64 pixels a side in batches of 16, 32 and 64, a square of half the sides missing, a density of
//! one component and four factors, a forward pass. The layer is a convolution of 3 x 3 with 32 filters, which the paper
//! does not tell. A network's time is that of `predict`, with the density that `misconv` asks for; its network is that
//! for digits. Times are medians.

use std::time::Instant;

use crate::data::images::{Images, LABEL, Observed, Pixels, Size};
use crate::data::{Column, Data, Kind};
use crate::error::Result;
use crate::methods::Recipe;
use crate::missing::{Region, hide_region};
use crate::model::{Aim, Model, Roles};
use crate::nn::expected_activation::expected_convolution_infer;
use crate::nn::{self, Convolution, Mixture, MixtureSize, Shape, Window};
use crate::rng::Stream;
use crate::run::Run;

use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "misconv-overhead",
    title: "The time of a MisConv layer and network beside plain ones",
    paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for Missing \
            Data, supplement, table 2",
    files: &[],
    parts: || {
        vec![
            CASES.iter().map(|case| format!("side={}", case.side)).collect(),
            BATCHES.iter().map(|batch| format!("batch={batch}")).collect(),
            PARTS.map(str::to_owned).to_vec(),
        ]
    },
    run: |request, run| measure(request, MEASUREMENTS, run),
};

/// Sides, channels, and the published milliseconds of the plain layer and of MisConv for each batch.
struct Case {
    side: usize,
    channels: usize,
    published: [(f64, f64); 3],
}

const CASES: [Case; 3] = [
    Case { side: 28, channels: 1, published: [(0.16, 0.92), (0.17, 0.97), (0.20, 1.38)] },
    Case { side: 32, channels: 3, published: [(0.22, 1.09), (0.37, 1.11), (0.34, 1.21)] },
    Case { side: 64, channels: 3, published: [(0.34, 0.91), (0.31, 1.15), (0.29, 1.09)] },
];
const BATCHES: [usize; 3] = [16, 32, 64];
const PARTS: [&str; 2] = ["layer", "network"];

/// Measurements of each repetition; the paper made 5000.
const MEASUREMENTS: usize = 51;
/// Images that the networks learn from.
const TRAINED_ON: usize = 8;
const FILTERS: usize = 32;
const FACTORS: usize = 4;
/// A square of half the sides.
const HIDDEN: Region = Region::Square(0.25);

fn measure(request: &Request, measurements: usize, run: &Run) -> Result<Report> {
    let cases = request.chosen(&[0, 1, 2], |case| format!("side={}", CASES[*case].side));
    let batches = request.chosen(&[0, 1, 2], |batch| format!("batch={}", BATCHES[*batch]));
    let parts = request.chosen(&PARTS, |part| (*part).to_owned());
    let mut progress = Progress::new(run, parts.len() * cases.len() * request.seeds);
    let (mut sections, mut claims) = (Vec::new(), Vec::new());
    for part in parts {
        let mut rows = Vec::new();
        for &case in &cases {
            let mut times = vec![[Vec::new(), Vec::new()]; BATCHES.len()];
            for repetition in 0..request.seeds {
                if !progress.next(&format!("{part} {}", CASES[case].side)) {
                    break;
                }
                let own = single(run, repetition);
                let timer = Timer::new(part, &CASES[case], &own)?;
                for &batch in &batches {
                    let [plain, misconv] = own.compute(|| timer.times(BATCHES[batch], measurements))?;
                    times[batch][0].push(plain);
                    times[batch][1].push(misconv);
                }
            }
            for &batch in &batches {
                rows.push(row(part, &CASES[case], batch, &times[batch]));
                claims.extend(claim(part, &CASES[case], batch, &times[batch]));
            }
        }
        sections.push(Section {
            title: format!("{part}: milliseconds of a forward pass"),
            columns: ["published ratio", "ratio", "plain", "misconv"].map(str::to_owned).to_vec(),
            digits: 3,
            rows,
        });
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![format!(
            "Medians of {measurements} measurements, {} threads; a convolution of 3 x 3 with {FILTERS} filters, \
             {FACTORS} factors, a square of half the sides missing. The paper's are means of 5000 on a graphics card.",
            run.threads()
        )],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

fn row(part: &str, case: &Case, batch: usize, [plain, misconv]: &[Vec<f64>; 2]) -> Row {
    let ratios: Vec<f64> = misconv.iter().zip(plain).map(|(misconv, plain)| misconv / plain).collect();
    let (before, after) = case.published[batch];
    let published = (part == "layer").then(|| Figure::given(after / before, None));
    let figures = [&ratios, plain, misconv].map(|values| Figure::of(values, 0.0).into());
    let cells = std::iter::once(published.into()).chain(figures).collect();
    Row { name: format!("side {}, batch {}", case.side, BATCHES[batch]), cells }
}

/// The layer takes no more time, beside the plain one, than was published.
fn claim(part: &str, case: &Case, batch: usize, [plain, misconv]: &[Vec<f64>; 2]) -> Option<Claim> {
    let (before, after) = case.published[batch];
    let allowed: Vec<f64> = plain.iter().map(|plain| plain * after / before).collect();
    let words = format!(
        "side {}, batch {}: MisConv takes less than {:.1} times the plain layer's milliseconds, as published",
        case.side,
        BATCHES[batch],
        after / before
    );
    (part == "layer").then(|| Claim::lower(words, misconv, &allowed, 0.0)).flatten()
}

/// What is timed.
enum Timer {
    Layer { layer: Box<Convolution>, images: Box<Holed> },
    Networks { models: Box<[Model; 2]>, images: Box<Images> },
}

/// Images with holes and a density of what is missing, as a layer gets them.
struct Holed {
    values: Vec<f32>,
    observed: Vec<bool>,
    mixture: Mixture<Vec<f32>>,
    size: MixtureSize,
    weights: Vec<f32>,
}

impl Timer {
    fn new(part: &str, case: &Case, run: &Run) -> Result<Self> {
        let most = BATCHES[BATCHES.len() - 1];
        let size = Size { channels: case.channels, height: case.side, width: case.side };
        let images = hide_region(noise(size, most, run.seed())?, &HIDDEN, run.seed());
        if part == "layer" {
            let shape = Shape::new(size.channels, size.height, size.width);
            let layer = Box::new(Convolution::new(shape, FILTERS, Window::same(3))?);
            let images = Box::new(Holed::new(&images, &layer, run.seed()));
            return Ok(Self::Layer { layer, images });
        }
        // What they learned makes no difference to the time that they take.
        let few = Data::from(images.select(&(0..TRAINED_ON).collect::<Vec<_>>()));
        let fit = |missing: &str| {
            let settings = [("net", "misconv-digits"), ("epochs", "1"), ("density-epochs", "1")];
            let recipe = Recipe::named("convolutional")?
                .set_all(settings.into_iter().chain([("missing", missing)]))?;
            Model::fit(&few, &Aim::Predict(Roles::target(LABEL)), &recipe, run)
        };
        Ok(Self::Networks { models: Box::new([fit("zero")?, fit("misconv")?]), images: Box::new(images) })
    }

    /// Median milliseconds of the plain one and of MisConv, measured in turn.
    fn times(&self, batch: usize, measurements: usize) -> Result<[f64; 2]> {
        let mut times = [Vec::new(), Vec::new()];
        // One more, which warms up and is not counted.
        for _ in 0..=measurements {
            for (way, times) in times.iter_mut().enumerate() {
                let start = Instant::now();
                self.once(batch, way == 1)?;
                times.push(1e3 * start.elapsed().as_secs_f64());
            }
        }
        Ok(times.map(|mut times| {
            times.remove(0);
            times.sort_unstable_by(f64::total_cmp);
            times[times.len() / 2]
        }))
    }

    fn once(&self, batch: usize, misconv: bool) -> Result<()> {
        match self {
            Self::Layer { layer, images } => images.through(layer, batch, misconv),
            Self::Networks { models, images } => {
                let some = Data::from(images.select(&(0..batch).collect::<Vec<_>>()));
                models[usize::from(misconv)].predicting()?.predict(&some, |_, _| {})?;
            }
        }
        Ok(())
    }
}

impl Holed {
    fn new(images: &Images, layer: &Convolution, seed: u64) -> Self {
        let (count, cells) = (images.len(), images.size().cells());
        let mut stream = Stream::new(seed, "misconv overhead", 1, 0);
        let mut draw = |count: usize| (0..count).map(|_| stream.uniform() as f32).collect::<Vec<_>>();
        let places = || (0..count * cells).map(|at| (at / cells, at % cells));
        Self {
            values: places().map(|(image, cell)| images.value(image, cell)).collect(),
            observed: places().map(|(image, cell)| images.is_known(image, cell)).collect(),
            mixture: Mixture {
                scores: vec![0.0; count],
                mean: draw(count * cells),
                factors: draw(FACTORS * count * cells),
                diagonal: draw(count * cells),
            },
            size: MixtureSize { numbers: cells, components: 1, factors: FACTORS },
            weights: draw(FILTERS * layer.window_numbers()),
        }
    }

    fn through(&self, layer: &Convolution, batch: usize, misconv: bool) {
        let cells = batch * self.size.numbers;
        let (bias, mut output) = ([0.0; FILTERS], Vec::new());
        if !misconv {
            layer.infer(&self.values[..cells], &self.weights, Some(&bias), true, &mut output);
            return;
        }
        let observed = nn::Observed::new(&self.observed[..cells], layer.input().channels);
        let mixture = Mixture {
            scores: &self.mixture.scores[..batch],
            mean: &self.mixture.mean[..cells],
            factors: &self.mixture.factors[..FACTORS * cells],
            diagonal: &self.mixture.diagonal[..cells],
        };
        let arrays = (&self.values[..cells], self.weights.as_slice(), bias.as_slice());
        expected_convolution_infer(layer, arrays, &observed, (mixture, self.size), &mut output);
    }
}

/// Images of noise, of two classes in turn.
fn noise(size: Size, count: usize, seed: u64) -> Result<Images> {
    let mut stream = Stream::new(seed, "misconv overhead", 0, 0);
    let values = (0..count * size.cells()).map(|_| stream.uniform() as f32).collect();
    let words: Vec<Option<&str>> = (0..count).map(|image| Some(["a", "b"][image % 2])).collect();
    let labels = Column::from_words(LABEL, Kind::Category, &words);
    Images::new(size, Pixels::Numbers(values), Observed::All)?.with_labels(Some(labels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Cell;

    #[test]
    fn both_layers_and_both_networks_are_timed() {
        let only = ["side=28", "batch=16"].map(str::to_owned).to_vec();
        let request = Request { seeds: 1, only, ..Request::default() };
        let report = measure(&request, 1, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete && report.sections.len() == 2 && report.claims.len() == 1);
        for section in &report.sections {
            let cells = &section.rows[0].cells;
            let positive = |cell: &Cell| matches!(cell, Cell::Figure(figure) if figure.mean > 0.0);
            assert!(cells[1..].iter().all(positive), "{cells:?}");
        }
        assert_eq!(report.sections[0].rows[0].cells[0].written(2), "5.75");
        assert_eq!(report.sections[1].rows[0].cells[0], Cell::Empty);
    }
}
