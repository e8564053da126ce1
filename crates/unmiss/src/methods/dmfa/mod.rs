#![doc = include_str!("README.md")]

mod density;
mod layers;
mod train;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::learned::with_cut_off;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Plausibility,
    Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{ImageBatch, ImageCoder, ImageRows, Rows};
use crate::error::{Error, Result};
use crate::nn::{Mixture, MixtureSize, Parameters, Plain};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use layers::Network;

/// Images filled at a time.
const AT_ONCE: usize = 64;

/// The entry of the list.
pub struct Dmfa;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Filters of each level.
    pub filters: Vec<usize>,
    /// What the network ends in.
    pub heads: Heads,
    /// Factors by which pixels move together.
    pub factors: usize,
    /// What is hidden in training.
    pub hidden: Hidden,
    /// Passes over the images; none: by their number.
    pub epochs: Option<usize>,
    /// Images in a batch.
    pub batch: usize,
    /// Learning rate.
    pub rate: f64,
    /// Epochs without a better likelihood after which training ends; 0: never.
    pub patience: usize,
}

/// What the network ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heads {
    /// A convolution: what is said of a pixel comes from what is near it.
    Convolutional,
    /// A dense layer: every pixel from all there is.
    Dense,
}

/// What is hidden from the network in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hidden {
    /// A square of half the sides.
    Square,
    /// Single pixels.
    Noise,
    /// Either, by chance.
    Both,
    /// Single pixels, any share of them up to all.
    Any,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            filters: vec![16, 32, 64],
            heads: Heads::Convolutional,
            factors: 4,
            hidden: Hidden::Both,
            epochs: None,
            batch: 32,
            rate: 2e-3,
            patience: 10,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let levels = settings.filters.len();
        if !(1..=6).contains(&levels) || settings.filters.iter().any(|count| !(1..=1024).contains(count)) {
            return Err(Error::setting("filters", "there are 1 to 6 levels of 1 to 1024 filters each"));
        }
        if settings.factors > 64 {
            return Err(Error::setting("factors", format!("{} is more than 64", settings.factors)));
        }
        if settings.batch == 0 {
            return Err(Error::setting("batch", "0 is not above 0"));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "dmfa",
    does: &[(Shape::Images, Job::Fill), (Shape::Images, Job::Density)],
    short_lists: &[(Shape::Images, Job::Density)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Convolutional network for the density of missing pixels",
        idea: "A network of convolutions sees what is known of an image and says the mean of every missing pixel, \
               its variance, and a few factors by which pixels move together. It learns by hiding parts of what \
               is known from itself, so that no image needs to be complete.",
        paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for \
                Missing Data",
        when: "Thousands of images with holes whose surroundings say something about them; for draws that fit \
               together, pixel by pixel.",
        when_not: "A few hundred images: `neighbours` needs fewer, and no training.",
    },
    settings: &[
        Setting {
            name: "filters",
            help: "Filters of each level, such as [16, 32, 64]; sides are halved from one to the next.",
        },
        Setting {
            name: "heads",
            help: "What it ends in: convolutional, or dense, as published for digits (many millions of weights).",
        },
        Setting { name: "factors", help: "Factors by which pixels move together." },
        Setting {
            name: "hidden",
            help: "What is hidden in training: square (of half the sides), noise (single pixels) or both; any (any \
                   share of the pixels, up to all) for the density of whole images.",
        },
        Setting {
            name: "epochs",
            help: "Passes over the images, at most; null: about 100,000 images in all.",
        },
        Setting { name: "batch", help: "Images in a batch." },
        Setting { name: "rate", help: "Learning rate at its highest." },
        Setting {
            name: "patience",
            help: "Epochs without a better likelihood after which training ends; 0: never.",
        },
    ],
    space: &[
        Axis::new("filters", Choices::Options(&["[16, 32]", "[16, 32, 64]", "[32, 64, 128]"])),
        Axis::new("factors", Choices::Integers(1, 8)),
        Axis::new("rate", Choices::LogUniform(3e-4, 5e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Dmfa {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.images()?;
        Ok(Box::new(Density::fit(&Settings::checked(settings)?, coder, rows, run)?))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Ok(Box::new(Density::load(&Settings::checked(settings)?, layout.images()?, arrays)?))
    }
}

/// A trained network of densities.
pub struct Density {
    network: Network,
    parameters: Parameters,
    /// The epoch whose weights were kept.
    epoch: f64,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

impl Density {
    /// Learns from what is known of images.
    ///
    /// # Errors
    /// When the images are too large, or the run was stopped before anything was learned.
    pub fn fit(settings: &Settings, coder: &ImageCoder, rows: &ImageRows, run: &Run) -> Result<Self> {
        let network = Network::new(settings, coder.size)?;
        let trained = train::fit(settings, &network, rows, run)?;
        let (epoch, cut_off) = (trained.best_epoch as f64, trained.cut_off());
        Ok(Self { network, parameters: trained.parameters, epoch, cut_off })
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or have another shape.
    pub fn load(settings: &Settings, coder: &ImageCoder, arrays: &Arrays) -> Result<Self> {
        let network = Network::new(settings, coder.size)?;
        let mut parameters = network.parameters(0);
        parameters.load(arrays)?;
        Ok(Self { network, parameters, epoch: arrays.doubles("best epoch", &[1])?[0], cut_off: None })
    }

    /// The density of every number of some images; it is of use where the number is missing.
    pub fn mixture(&self, batch: &ImageBatch) -> (Mixture<Vec<f32>>, MixtureSize) {
        let (values, given) = self.network.on_canvas(batch);
        let found = self.network.forward(&mut Plain::new(&self.parameters), &values, &given);
        let mixture = Mixture {
            scores: found.scores.into_values(),
            mean: self.network.canvas.cropped(found.mean.values()),
            factors: self.network.canvas.cropped(found.factors.values()),
            diagonal: self.network.canvas.cropped(found.diagonal.values()),
        };
        (mixture, MixtureSize { numbers: batch.size.cells(), ..self.network.mixture_size() })
    }
}

impl Learned for Density {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({ "weights": self.parameters.count(), "best epoch": self.epoch });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }

    fn density(&self) -> Option<&dyn super::Density> {
        Some(self)
    }
}

impl super::Density for Density {
    fn plausibility(&self, rows: &Rows) -> Result<Vec<Plausibility>> {
        let rows = rows.images()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let some = |some| density::plausibility(&self.network, &self.parameters, rows, some);
        Ok(all.chunks(AT_ONCE).flat_map(some).collect())
    }
}

impl Imputer for Density {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        for some in all.chunks(AT_ONCE) {
            let (mixture, size) = self.mixture(&rows.batch(some));
            for (place, &row) in some.iter().enumerate() {
                let stream = draw.map(|draw| draw.stream("dmfa", row));
                rows.fill(row, &values(&mixture, size, place, stream));
            }
        }
        Ok(())
    }
}

/// The values of an image: μ, or with a draw μ + A z + √d ε.
fn values(mixture: &Mixture<Vec<f32>>, size: MixtureSize, image: usize, stream: Option<Stream>) -> Vec<f32> {
    let MixtureSize { numbers, factors, .. } = size;
    let mut values = mixture.mean[image * numbers..][..numbers].to_vec();
    let Some(mut stream) = stream else { return values };
    let columns = &mixture.factors[image * factors * numbers..][..factors * numbers];
    for column in columns.chunks_exact(numbers) {
        let z = stream.normal() as f32;
        values.iter_mut().zip(column).for_each(|(value, a)| *value += a * z);
    }
    let diagonal = &mixture.diagonal[image * numbers..][..numbers];
    values.iter_mut().zip(diagonal).for_each(|(value, d)| *value += d.sqrt() * stream.normal() as f32);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_covariance_that_the_network_says() {
        let size = MixtureSize { numbers: 2, components: 1, factors: 1 };
        // Two images; of the second, numbers that move together by 0.3 and have variances of their own.
        let mixture = Mixture {
            scores: vec![0.0; 2],
            mean: vec![9.0, 9.0, 0.5, 0.25],
            factors: vec![9.0, 9.0, 0.3, 0.6],
            diagonal: vec![9.0, 9.0, 0.04, 0.01],
        };
        assert_eq!(values(&mixture, size, 1, None), [0.5, 0.25]);
        let draws: Vec<Vec<f32>> = (0..20_000)
            .map(|draw| values(&mixture, size, 1, Some(Stream::new(1, "test", draw, 0))))
            .collect();
        let mean = |of: &dyn Fn(&[f32]) -> f32| {
            draws.iter().map(|draw| f64::from(of(draw))).sum::<f64>() / draws.len() as f64
        };
        let moments = [
            (mean(&|x| x[0]), 0.5),
            (mean(&|x| x[1]), 0.25),
            (mean(&|x| (x[0] - 0.5).powi(2)), 0.09 + 0.04),
            (mean(&|x| (x[1] - 0.25).powi(2)), 0.36 + 0.01),
            (mean(&|x| (x[0] - 0.5) * (x[1] - 0.25)), 0.18),
        ];
        moments.iter().for_each(|(found, wanted)| assert!((found - wanted).abs() < 0.02, "{moments:?}"));
    }
}
