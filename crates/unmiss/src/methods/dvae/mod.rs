#![doc = include_str!("README.md")]

mod settings;
mod masking;
mod prior;
mod layout;
mod posterior;
mod learner;
mod fitted;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::canvas::Canvas;
use super::generative::{Features, Hiding, ImageCells, Parts, Source, TableCells, missing_rates};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout as FileLayout, Learned, Method, Setting,
    defaults_of,
};
use crate::data::Shape;
use crate::encode::{Encoder, ImageCoder};
use crate::error::{Error, Result};
use crate::nn::train::train;
use crate::run::Run;
use crate::store::Arrays;
use fitted::{Course, Form};
use layout::Layout;
use learner::Restoring;

pub use fitted::Variational;
pub use settings::{Depends, Direction, Likelihood, Prior, Settings};

/// The entry of the list.
pub struct Dvae;

static CARD: Card = Card {
    name: "dvae",
    does: &[(Shape::Table, Job::Fill), (Shape::Images, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Denoising variational autoencoder (also MIWAE and not-MIWAE)",
        idea: "An encoder says of a row, from the cells that are known, where in a space of few numbers it may lie; a \
               decoder says of a place there how every cell is distributed. Holes are filled with what the decoder \
               expects, draws take a place and then cells by chance. It learns by finding what is known likely, with \
               a part of it hidden from the encoder.",
        paper: "Kingma and Welling 2014; Mattei and Frellsen 2019 (importance above 1); Ipsen, Mattei and Frellsen \
                2021 (missing-depends=itself)",
        when: "Thousands of rows whose columns hang together in bent ways, or images; mixed columns; draws that fit \
               together.",
        when_not: "A few hundred rows: `gaussian` and `boosted` need fewer.",
    },
    settings: &[
        Setting {
            name: "latent",
            help: "numbers of a latent; null: one less than columns, 10 at most; 32 for images",
        },
        Setting {
            name: "hidden",
            help: "units of the encoder's dense layers; null: [128, 128]; [500, 500] for images",
        },
        Setting {
            name: "filters",
            help: "filters of convolutions that halve images, such as [32, 64]; []: dense layers alone",
        },
        Setting {
            name: "likelihood",
            help: "gaussian or student-t for numbers, bernoulli or gaussian for pixels; null: the first",
        },
        Setting {
            name: "importance",
            help: "latents of a row in training: 1 is the ELBO, above it the MIWAE bound; null: 5, or 1 for images",
        },
        Setting { name: "samples", help: "latents that a row is filled from, where importance is above 1" },
        Setting { name: "prior", help: "of latents: normal, or mixture, a learned mixture of normals" },
        Setting { name: "components", help: "components of the mixture" },
        Setting { name: "beta", help: "factor on how far latents are from the prior" },
        Setting {
            name: "free-bits",
            help: "divergence from the prior that costs nothing, for each number of a latent",
        },
        Setting {
            name: "masks",
            help: "what is hidden in training: uniform, copied (from other rows) or by-column",
        },
        Setting {
            name: "hide",
            help: "share of a row that uniform masks hide, at most; 0: nothing is hidden; null: 0.5, or 0 for tables \
                   of which 2 % or more is missing",
        },
        Setting { name: "marks", help: "whether the encoder sees which cells are known" },
        Setting {
            name: "missing-depends",
            help: "nothing, or itself: an assumption that values hide themselves",
        },
        Setting { name: "direction", help: "with itself, which values hide: learned, high or low" },
        Setting { name: "epochs", help: "passes over the rows, at most; null: by their number" },
        Setting { name: "batch", help: "rows in a batch; null: 64, or 128 images" },
        Setting { name: "rate", help: "learning rate" },
        Setting {
            name: "patience",
            help: "epochs without a better bound of rows set aside after which training ends; 0: none is set aside; \
                   null: 40, or 0 for tables of which 2 % or more is missing",
        },
    ],
    space: &[
        Axis::new("latent", Choices::Integers(2, 32)),
        Axis::new("hidden", Choices::Options(&["[64, 64]", "[128, 128]", "[256, 256]", "[128, 128, 128]"])),
        Axis::new("importance", Choices::Options(&["1", "5", "20"])),
        Axis::new("rate", Choices::LogUniform(3e-4, 3e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Dvae {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        Ok(Box::new(Variational::fit(&Settings::checked(settings)?, examples, run)?))
    }

    fn load(&self, settings: &Value, layout: FileLayout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Ok(Box::new(Variational::load(&Settings::checked(settings)?, layout, arrays)?))
    }
}

impl Variational {
    /// Learns from rows of a table or images.
    ///
    /// # Errors
    /// When they are of another shape or too large, or the run was stopped before anything was learned.
    pub fn fit(settings: &Settings, examples: Examples<'_>, run: &Run) -> Result<Self> {
        match examples.shape() {
            Shape::Images => {
                let (coder, rows) = examples.images()?;
                let (features, canvas) = image_parts(settings, coder)?;
                let source = ImageCells { rows, canvas };
                Self::learn(settings, features, Form::Images(canvas), &source, run)
            }
            _ => {
                let (encoder, rows) = examples.table()?;
                let features = table_features(settings, encoder)?;
                let form = Form::Table(Box::new(encoder.clone()));
                Self::learn(settings, features, form, &TableCells::new(encoder, rows), run)
            }
        }
    }

    fn learn(
        settings: &Settings,
        features: Features,
        form: Form,
        source: &dyn Source,
        run: &Run,
    ) -> Result<Self> {
        let (shape, canvas) = form.shape();
        let everyone: Vec<usize> = (0..source.len()).collect();
        let missing = share(&missing_rates(source, &everyone, features.cells()));
        let parts = Parts::new(source.len(), settings.patience(shape, missing) > 0, run.seed());
        let hide = settings.hides(shape, missing);
        let hiding = Hiding::new(settings.masks, hide, source, &parts.learning, features.cells());
        let rates = hiding.rates()[..features.numbers()].to_vec();
        let known = 1.0 - share(hiding.rates());
        let layout = Layout::new(settings, shape, features, canvas, rates)?;
        let learner = Restoring {
            layout: &layout,
            source,
            parts: &parts,
            hiding: &hiding,
            importance: settings.latents_of_a_row(shape),
            seed: run.seed(),
        };
        let plan = settings.plan(shape, parts.learning.len(), missing);
        let trained = train(&learner, layout.parameters(run.seed()), &plan, run)?;
        let bound =
            trained.history.get(trained.best_epoch.wrapping_sub(1)).and_then(|epoch| epoch.validation);
        let course = Course {
            epoch: trained.best_epoch as f64,
            known,
            bound: bound.map_or(f64::NEG_INFINITY, |score| -score),
        };
        let (settings, cut_off) = (settings.clone(), trained.cut_off());
        Ok(Self { layout, parameters: trained.parameters, settings, form, course, cut_off })
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or have another shape.
    pub fn load(settings: &Settings, file: FileLayout<'_>, arrays: &Arrays) -> Result<Self> {
        let (features, form) = match file.coder.shape() {
            Shape::Images => {
                let (features, canvas) = image_parts(settings, file.images()?)?;
                (features, Form::Images(canvas))
            }
            _ => {
                let encoder = file.table()?;
                (table_features(settings, encoder)?, Form::Table(Box::new(encoder.clone())))
            }
        };
        let rates = match settings.depends_on_itself() {
            true => arrays.doubles("missing rates", &[features.numbers()])?.to_vec(),
            false => Vec::new(),
        };
        let (shape, canvas) = form.shape();
        let layout = Layout::new(settings, shape, features, canvas, rates)?;
        let parameters = layout.load(arrays)?;
        let [epoch, known, bound] = *arrays.doubles("course", &[3])? else {
            return Err(Error::data("array `course` does not have three numbers"));
        };
        let course = Course { epoch, known, bound };
        Ok(Self { layout, parameters, settings: settings.clone(), form, course, cut_off: None })
    }
}

impl Form {
    /// The shape of the data, and that of the canvas.
    fn shape(&self) -> (Shape, Option<crate::nn::Shape>) {
        match self {
            Self::Table(_) => (Shape::Table, None),
            Self::Images(canvas) => (Shape::Images, Some(canvas.shape())),
        }
    }
}

/// The mean of shares by cell.
fn share(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

fn table_features(settings: &Settings, encoder: &Encoder) -> Result<Features> {
    Ok(Features::of_table(encoder, settings.kind(Shape::Table)?, settings.marks))
}

/// The pixels and the canvas that they lie on.
fn image_parts(settings: &Settings, coder: &ImageCoder) -> Result<(Features, Canvas)> {
    let kind = settings.kind(Shape::Images)?;
    let canvas = Canvas::new(coder.size, settings.filters.len());
    Ok((Features::of_images(coder, canvas.shape(), kind, settings.marks), canvas))
}
