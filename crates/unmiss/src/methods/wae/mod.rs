#![doc = include_str!("README.md")]

mod learner;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::canvas::Canvas;
use super::generative::{Ends, Features, Form, Hiding, ImageCells, Kind, Masks, Network, Parts, Source};
use super::learned::with_cut_off;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{ImageCoder, ImageRows, Rows};
use crate::error::{Error, Result};
use crate::nn::schedule::Schedule;
use crate::nn::train::{TrainSettings, train};
use crate::nn::{Engine, Parameters, Plain};
use crate::run::Run;
use crate::store::Arrays;
use learner::{Adversarial, Discriminator};

/// Images filled at a time.
const AT_ONCE: usize = 256;
/// Steps of training that the usual number of epochs aims at.
const STEPS: usize = 10_000;
/// Images of which the movement of codes is measured, at most.
const MEASURED: usize = 1_000;
/// What is hidden for that where nothing is hidden in training.
const HIDDEN: f64 = 0.5;

/// The entry of the list.
pub struct Wae;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Numbers of a code.
    pub latent: usize,
    /// Filters of the convolutions.
    pub filters: Vec<usize>,
    /// Units of the encoder's dense layers.
    pub hidden: Vec<usize>,
    /// Units of the discriminator's layers.
    pub discriminator: Vec<usize>,
    /// Factor on the encoder's reward for codes that look like draws.
    pub adversary: f64,
    /// Which known pixels are hidden in training.
    pub masks: Masks,
    /// Share of an image's known pixels that is hidden evenly, at most.
    pub hide: f64,
    /// Passes over the images, at most.
    pub epochs: Option<usize>,
    /// Images in a batch.
    pub batch: usize,
    /// Learning rate of encoder and decoder.
    pub rate: f64,
    /// Learning rate of the discriminator.
    pub discriminator_rate: f64,
    /// Epochs without a lower error of images set aside after which training ends; 0: none is set aside.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            latent: 20,
            filters: vec![32, 64],
            hidden: vec![],
            discriminator: vec![64; 4],
            adversary: 1.0,
            masks: Masks::Copied,
            hide: 0.5,
            epochs: None,
            batch: 128,
            rate: 4e-4,
            discriminator_rate: 4e-6,
            patience: 10,
        }
    }
}

impl Settings {
    /// The settings from JSON, every value checked.
    ///
    /// # Errors
    /// When a value can't be used.
    pub fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (name, units) in [("hidden", &settings.hidden), ("discriminator", &settings.discriminator)] {
            if units.len() > 32 || units.iter().any(|units| !(1..=8192).contains(units)) {
                return Err(Error::setting(name, "layers have 1 to 8192 units, and there are 32 at most"));
            }
        }
        if settings.filters.len() > 6 || settings.filters.iter().any(|count| !(1..=1024).contains(count)) {
            return Err(Error::setting("filters", "there are 6 levels of 1 to 1024 filters at most"));
        }
        for (name, value) in [("latent", settings.latent), ("batch", settings.batch)] {
            if value == 0 {
                return Err(Error::setting(name, "0 is not above 0"));
            }
        }
        if !(settings.adversary >= 0.0 && settings.adversary.is_finite()) {
            return Err(Error::setting("adversary", format!("{} is not 0 or above", settings.adversary)));
        }
        if !(settings.discriminator_rate > 0.0 && settings.discriminator_rate.is_finite()) {
            let what = format!("{} is not a positive number", settings.discriminator_rate);
            return Err(Error::setting("discriminator-rate", what));
        }
        if !(0.0..1.0).contains(&settings.hide) {
            return Err(Error::setting("hide", format!("{} is not from 0 to below 1", settings.hide)));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }

    fn plan(&self, images: usize) -> TrainSettings {
        let usual = (STEPS / images.div_ceil(self.batch).max(1)).clamp(3, 100);
        TrainSettings {
            epochs: self.epochs.unwrap_or(usual),
            batch: self.batch,
            rate: self.rate,
            schedule: Schedule::Constant,
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

static CARD: Card = Card {
    name: "wae",
    does: &[(Shape::Images, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Wasserstein autoencoder of images",
        idea: "An encoder makes a few numbers of what is known of an image and a decoder makes an image of them, while \
               a discriminator sees to it that these numbers look like draws of a normal distribution. Holes are \
               filled from the decoder's image. The error counts known pixels alone, so that no image needs to be \
               complete.",
        paper: "Tolstikhin, Bousquet, Gelly and Schölkopf 2018, Wasserstein auto-encoders; Przewięźlikowski, Śmieja, \
                Struski and Tabor 2021, MisConv (supplement)",
        when: "Thousands of images, if filled ones should look like images.",
        when_not: "For the lowest error, or for draws that know how sure they are: `dmfa`, `dvae`, `neighbours`.",
    },
    settings: &[
        Setting { name: "latent", help: "numbers of a code" },
        Setting {
            name: "filters",
            help: "filters of convolutions that halve images; []: dense layers alone",
        },
        Setting { name: "hidden", help: "units of dense layers between convolutions and code" },
        Setting { name: "discriminator", help: "units of the discriminator's layers" },
        Setting { name: "adversary", help: "how much it counts that codes look like normal draws" },
        Setting {
            name: "masks",
            help: "what is hidden in training: uniform, copied (from other images) or by-column",
        },
        Setting {
            name: "hide",
            help: "share of an image that uniform masks hide, at most; 0: nothing is hidden",
        },
        Setting { name: "epochs", help: "passes over the images, at most; null: by their number" },
        Setting { name: "batch", help: "images in a batch" },
        Setting { name: "rate", help: "learning rate of encoder and decoder" },
        Setting { name: "discriminator-rate", help: "learning rate of the discriminator" },
        Setting {
            name: "patience",
            help: "epochs without a lower error of images set aside after which training ends; 0: none is set aside",
        },
    ],
    space: &[
        Axis::new("latent", Choices::Integers(8, 64)),
        Axis::new("filters", Choices::Options(&["[16, 32]", "[32, 64]", "[32, 64, 128]"])),
        Axis::new("rate", Choices::LogUniform(1e-4, 2e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Wae {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.images()?;
        Ok(Box::new(Fitted::fit(&Settings::checked(settings)?, coder, rows, run)?))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let parts = Autoencoder::new(&Settings::checked(settings)?, layout.images()?)?;
        parts.network.check(arrays)?;
        let mut parameters = parts.parameters(0);
        parameters.load(arrays)?;
        let spread = arrays.singles("code spread", &[parts.latent])?.to_vec();
        if spread.iter().any(|spread| !spread.is_finite()) {
            return Err(Error::data("array `code spread` has a number that is not finite"));
        }
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        Ok(Box::new(Fitted { parts, parameters, spread, epoch, cut_off: None }))
    }
}

/// The layout: everything but the weights.
struct Autoencoder {
    features: Features,
    canvas: Canvas,
    network: Network,
    discriminator: Discriminator,
    latent: usize,
}

impl Autoencoder {
    fn new(settings: &Settings, coder: &ImageCoder) -> Result<Self> {
        let (latent, canvas) = (settings.latent, Canvas::new(coder.size, settings.filters.len()));
        let features = Features::of_images(coder, canvas.shape(), Kind::Bernoulli, true);
        let ends = Ends { inputs: features.inputs(), code: latent, latent, outputs: features.outputs() };
        let form = Form { hidden: settings.hidden.clone(), filters: settings.filters.clone() };
        let network = Network::new(&form, ends, Some(canvas.shape()))?;
        let discriminator = Discriminator {
            widths: [latent].iter().chain(&settings.discriminator).chain([&1]).copied().collect(),
            first: network.arrays(),
            rate: (settings.discriminator_rate / settings.rate) as f32,
        };
        Ok(Self { features, canvas, network, discriminator, latent })
    }

    fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = self.network.parameters(seed);
        self.discriminator.add_parameters(&mut parameters, seed);
        parameters
    }

    /// The codes of rows: `[B, latent]`.
    fn codes(&self, parameters: &Parameters, cells: &super::generative::Cells, seen: &[bool]) -> Vec<f32> {
        let mut engine = Plain::new(parameters);
        let inputs = engine.input(self.features.inputs_of(cells, seen), cells.rows);
        self.network.encode(&mut engine, inputs).into_values()
    }

    /// The scores of pixels that codes stand for: `[B, outputs]`.
    fn decode(&self, parameters: &Parameters, codes: Vec<f32>) -> Vec<f32> {
        let mut engine = Plain::new(parameters);
        let rows = codes.len() / self.latent;
        let codes = engine.input(codes, rows);
        self.network.decode(&mut engine, codes).into_values()
    }
}

/// A trained Wasserstein autoencoder.
pub struct Fitted {
    parts: Autoencoder,
    parameters: Parameters,
    /// How far each number of a code moves with pixels that are hidden.
    spread: Vec<f32>,
    epoch: f64,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

impl Fitted {
    /// Learns from what is known of images.
    ///
    /// # Errors
    /// When the images are too large, or the run was stopped before anything was learned.
    pub fn fit(settings: &Settings, coder: &ImageCoder, rows: &ImageRows, run: &Run) -> Result<Self> {
        let parts = Autoencoder::new(settings, coder)?;
        let source = ImageCells { rows, canvas: parts.canvas };
        let images = Parts::new(source.len(), settings.patience > 0, run.seed());
        let hiding =
            |most: f64| Hiding::new(settings.masks, most, &source, &images.learning, parts.features.cells());
        let learner = Adversarial {
            parts: &parts,
            source: &source,
            images: &images,
            hiding: hiding(settings.hide),
            adversary: settings.adversary as f32,
            seed: run.seed(),
        };
        let plan = settings.plan(images.learning.len());
        let trained = train(&learner, parts.parameters(run.seed()), &plan, run)?;
        let (epoch, cut_off) = (trained.best_epoch as f64, trained.cut_off());
        let parameters = trained.parameters;
        let hiding = hiding(if settings.hide > 0.0 { settings.hide } else { HIDDEN });
        let measured = if images.aside.is_empty() { &images.learning } else { &images.aside };
        let measured = &measured[..measured.len().min(MEASURED)];
        let mut squares = vec![0.0_f64; parts.latent];
        for some in measured.chunks(AT_ONCE) {
            let cells = source.cells(some);
            let seen = hiding.seen_of((&cells, some), &source, &images, (run.seed(), u64::MAX));
            let moved = parts.codes(&parameters, &cells, &seen);
            for (place, (code, moved)) in
                parts.codes(&parameters, &cells, &cells.observed).iter().zip(moved).enumerate()
            {
                squares[place % parts.latent] += f64::from(code - moved).powi(2);
            }
        }
        let spread = squares.iter().map(|sum| (sum / measured.len().max(1) as f64).sqrt() as f32).collect();
        Ok(Self { parts, parameters, spread, epoch, cut_off })
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_singles("code spread", &[self.spread.len()], self.spread.clone());
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({
            "weights": self.parameters.count(),
            "best epoch": self.epoch,
            "sentences": [format!("The weights of epoch {} were kept.", self.epoch)],
        });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Fitted {
    /// What the decoder makes of some images as a whole, known pixels too, `[channels, height, width]` for each, from 0
    /// to 1; with a draw, of codes that are moved as far as holes move them.
    pub fn decoded(&self, rows: &ImageRows, some: &[usize], draw: Option<Draw>) -> Vec<Vec<f32>> {
        let (features, canvas) = (&self.parts.features, self.parts.canvas);
        let cells = ImageCells { rows, canvas }.cells(some);
        let mut codes = self.parts.codes(&self.parameters, &cells, &cells.observed);
        if let Some(draw) = draw {
            for (row, code) in some.iter().zip(codes.chunks_mut(self.parts.latent)) {
                let mut stream = draw.stream("wae", *row);
                let moves = self.spread.iter().map(|spread| spread * stream.normal() as f32);
                code.iter_mut().zip(moves).for_each(|(number, step)| *number += step);
            }
        }
        let scores = self.parts.decode(&self.parameters, codes);
        let image = |scores: &[f32]| {
            let mut line = vec![0.0; features.slots()];
            features.add_expected(scores, 1.0, &mut line);
            canvas.cropped(&features.decide(&line, None))
        };
        scores.chunks(features.outputs()).map(image).collect()
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        for some in all.chunks(AT_ONCE) {
            let images = self.decoded(rows, some, draw);
            some.iter().zip(&images).for_each(|(row, image)| rows.fill(*row, image));
        }
        Ok(())
    }
}
