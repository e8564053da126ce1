#![doc = include_str!("README.md")]

mod layers;
mod views;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dmfa::{self, Density};
use super::mean::PixelMeans;
use super::supervised::{Scorer, Supervised, predictions, set_aside};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{ImageCoder, ImageRows, Rows, Task};
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::{TrainSettings, train};
use crate::nn::{Engine, Parameters, Plain};
use crate::run::Run;
use crate::store::Arrays;
use layers::Network;
use views::Entrance;

/// Images predicted at a time.
const AT_ONCE: usize = 64;
/// Images set aside for validation, at most.
const MOST_ASIDE: usize = 5_000;
/// Visits of images in all that the usual number of epochs aims at.
const VISITS: usize = 200_000;
/// The arrays of the density are under this.
const DENSITY: &str = "density/";

/// The entry of the list.
pub struct Convolutional;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What becomes of pixels that are not known.
    pub missing: Missing,
    /// Filters of the convolutions, block by block; none: by the size of the images.
    pub filters: Option<Vec<Vec<usize>>>,
    /// Units of the dense layers.
    pub hidden: Vec<usize>,
    /// Share of the units before each dense layer that is left out at a step.
    pub dropout: f64,
    /// Pixels by which an image is moved in training, at most.
    pub shift: usize,
    /// Whether half of the images in training are mirrored.
    pub flip: bool,
    /// Learning rate at its highest.
    pub rate: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Passes over the images; none: by their number.
    pub epochs: Option<usize>,
    /// Images in a batch; none: by their number.
    pub batch: Option<usize>,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
    /// Passes over the images by which `misconv` learns its density; none: by their number.
    pub density_epochs: Option<usize>,
}

/// What the first layer makes of a pixel that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// 0.
    Zero,
    /// The mean of that pixel over the training images.
    Mean,
    /// 0, and the mask as further channels.
    MaskChannel,
    /// Partial convolutions.
    PartialConv,
    /// A sparsity-normalised convolution.
    SnConv,
    /// The expected activation under a density of what is missing.
    Misconv,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            missing: Missing::MaskChannel,
            filters: None,
            hidden: vec![64],
            dropout: 0.3,
            shift: 0,
            flip: false,
            rate: 1e-3,
            weight_decay: 1e-4,
            epochs: None,
            batch: None,
            patience: 8,
            density_epochs: None,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let sound = |blocks: &Vec<Vec<usize>>| {
            (1..=8).contains(&blocks.len())
                && blocks.iter().all(|block| (1..=16).contains(&block.len()))
                && blocks.iter().flatten().all(|filters| (1..=1024).contains(filters))
        };
        if settings.filters.as_ref().is_some_and(|blocks| !sound(blocks)) {
            let what = "there are 1 to 8 blocks of 1 to 16 convolutions of 1 to 1024 filters each";
            return Err(Error::setting("filters", what).with_hint("write for example [[32], [64, 64]]"));
        }
        if settings.hidden.iter().any(|units| !(1..=8192).contains(units)) || settings.hidden.len() > 32 {
            return Err(Error::setting("hidden", "layers need 1 to 8192 units each, 32 layers at most"));
        }
        if !(0.0..0.95).contains(&settings.dropout) {
            return Err(Error::setting("dropout", format!("{} is not between 0 and 0.95", settings.dropout)));
        }
        if settings.shift > 64 {
            return Err(Error::setting("shift", format!("{} is more than 64 pixels", settings.shift)));
        }
        if settings.batch == Some(0) {
            return Err(Error::setting("batch", "0 is not above 0"));
        }
        settings.plan(1).check()?;
        if settings.density_epochs == Some(0) {
            return Err(Error::setting("density-epochs", "at least one epoch is needed"));
        }
        Ok(settings)
    }

    /// How the density is learned.
    fn density(&self) -> dmfa::Settings {
        dmfa::Settings { epochs: self.density_epochs, ..dmfa::Settings::default() }
    }

    /// The course of training on so many images.
    fn plan(&self, images: usize) -> TrainSettings {
        let batch = self.batch.unwrap_or(match images {
            0..500 => 16,
            500..5_000 => 32,
            _ => 64,
        });
        TrainSettings {
            epochs: self.epochs.unwrap_or_else(|| (VISITS / images.max(1)).clamp(4, 60)),
            batch,
            optimizer: Optimizer::adam_w(),
            rate: self.rate,
            schedule: Schedule::Warmup { share: 0.05 },
            weight_decay: self.weight_decay,
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

static CARD: Card = Card {
    name: "convolutional",
    does: &[(Shape::Images, Job::Predict)],
    short_lists: &[(Shape::Images, Job::Predict)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Convolutional network that knows which pixels are missing",
        idea: "Convolutions with batch norm, then dense layers. What the first layer makes of a hole is a setting: \
               zero or the mean, the mask as a further channel, sums over what is known scaled up (partial and \
               sparsity-normalised convolutions), or the mean of its ReLU under a density of what is missing \
               (MisConv).",
        paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for \
                Missing Data; Yi et al. 2020, Why Not to Use Zero Imputation?; Liu et al. 2018, Image Inpainting \
                for Irregular Holes Using Partial Convolutions",
        when: "Images, more than a few hundred of each class.",
        when_not: "A few dozen images of each class: `neighbours` needs no training.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "What the first layer makes of a hole: zero, mean, mask-channel, partial-conv, sn-conv, or misconv (learns a density first).",
        },
        Setting {
            name: "filters",
            help: "Filters of the convolutions, block by block, such as [[32], [64, 64]]; sides are halved between blocks. null: by the size of the images.",
        },
        Setting { name: "hidden", help: "Units of the dense layers, such as [64]." },
        Setting {
            name: "dropout",
            help: "Share of the units before each dense layer that is left out at a step.",
        },
        Setting {
            name: "shift",
            help: "Pixels by which an image is moved in training, its mask with it, at most; what comes in is not known.",
        },
        Setting { name: "flip", help: "true: half of the images in training are mirrored." },
        Setting { name: "rate", help: "Learning rate at its highest." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting {
            name: "epochs",
            help: "Passes over the images, at most; null: about 200,000 images in all.",
        },
        Setting { name: "batch", help: "Images in a batch; null: by their number." },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never.",
        },
        Setting {
            name: "density-epochs",
            help: "Passes over the images by which misconv learns its density, at most; null: about 100,000 images in all.",
        },
    ],
    space: &[
        Axis::new("missing", Choices::Options(&["zero", "mean", "mask-channel", "partial-conv", "sn-conv"])),
        Axis::new("hidden", Choices::Options(&["[32]", "[64]", "[128]"])),
        Axis::new("dropout", Choices::Uniform(0.0, 0.6)),
        Axis::new("shift", Choices::Integers(0, 2)),
        Axis::new("rate", Choices::LogUniform(3e-4, 5e-3)),
        Axis::new("weight-decay", Choices::LogUniform(1e-6, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Convolutional {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows, targets) = examples.told_images()?;
        let settings = Settings::checked(settings)?;
        let network = Network::new(&settings, coder.size, targets.task.outputs())?;
        let (density, rest) = density(&settings, coder, rows, run)?;
        let entrance = Entrance::new(&settings, PixelMeans::fit(coder, rows).means().to_vec(), density);
        let parts = targets.rows().div_ceil(MOST_ASIDE).max(10);
        let (learning, validation) = set_aside(targets, parts, 0, run.seed());
        let plan = settings.plan(learning.len());
        let scorer = Held { network: &network, entrance: &entrance, rows };
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        let trained = train(&learner, network.parameters(run.seed()), &plan, &rest)?;
        let (parameters, epoch) = (trained.parameters, trained.best_epoch as f64);
        Ok(Box::new(Fitted { network, entrance, parameters, task: targets.task, epoch }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (coder, task) = layout.predicting_images()?;
        let settings = Settings::checked(settings)?;
        let network = Network::new(&settings, coder.size, task.outputs())?;
        let density = match settings.missing {
            Missing::Misconv => {
                Some(Density::load(&settings.density(), coder, &arrays.with_prefix(DENSITY))?)
            }
            _ => None,
        };
        let means = arrays.singles("means", &[coder.size.cells()])?.to_vec();
        let mut parameters = network.parameters(0);
        parameters.load(arrays)?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        let entrance = Entrance::new(&settings, means, density);
        Ok(Box::new(Fitted { network, entrance, parameters, task, epoch }))
    }
}

/// The density that expected activations need, and the run that goes on from there.
fn density(
    settings: &Settings,
    coder: &ImageCoder,
    rows: &ImageRows,
    run: &Run,
) -> Result<(Option<Density>, Run)> {
    if settings.missing != Missing::Misconv {
        return Ok((None, run.clone()));
    }
    let density = Density::fit(&settings.density(), coder, rows, &run.part("density"))?;
    Ok((Some(density), run.part("classes")))
}

/// The network and the training images.
struct Held<'a> {
    network: &'a Network,
    entrance: &'a Entrance,
    rows: &'a ImageRows,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let view = self.entrance.view(self.rows.batch(rows), rows, engine.moment());
        self.network.forward(engine, view)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }

    fn rows_at_once(&self) -> usize {
        AT_ONCE
    }
}

struct Fitted {
    network: Network,
    entrance: Entrance,
    parameters: Parameters,
    task: Task,
    /// The epoch whose weights were kept.
    epoch: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_singles("means", &[self.entrance.means.len()], self.entrance.means.clone());
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        if let Some(density) = &self.entrance.density {
            arrays.put_all(DENSITY, density.save());
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "weights": self.parameters.count(), "best epoch": self.epoch })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.images()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut answers = Vec::with_capacity(rows.len() * self.task.outputs());
        for some in all.chunks(AT_ONCE) {
            let view = self.entrance.view(rows.batch(some), some, None);
            let scores = self.network.forward(&mut Plain::new(&self.parameters), view);
            answers.extend(predictions(scores.values(), some.len(), self.task));
        }
        Ok(answers)
    }
}
