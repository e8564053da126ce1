//! The settings and what they come to for data of a shape.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::Shape;
use crate::error::{Error, Result};
use crate::methods::generative::{Form, Kind, Masks};
use crate::methods::parse;
use crate::nn::train::TrainSettings;

/// Steps of training on a table that the usual number of epochs aims at, and on images.
const STEPS: [usize; 2] = [8_000, 10_000];

/// Share of a table's cells from which on enough is missing to learn from: nothing more is hidden, and every row is
/// learned from to the end (docs/results/generative.md).
const HOLED: f64 = 0.02;
/// What is hidden otherwise, at most.
const HIDE: f64 = 0.5;
/// Epochs without a better bound that are waited for otherwise.
const PATIENCE: usize = 40;

/// K for tables.
const IMPORTANCE: usize = 5;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Numbers of a latent.
    pub latent: Option<usize>,
    /// Units of the encoder's dense layers.
    pub hidden: Option<Vec<usize>>,
    /// Filters of convolutions, for images.
    pub filters: Vec<usize>,
    /// What the decoder says of a number or a pixel.
    pub likelihood: Option<Likelihood>,
    /// K: 1 trains on the ELBO, more on the bound of importance weights.
    pub importance: Option<usize>,
    /// Latents that a filled row is an average of, where importance is used.
    pub samples: usize,
    /// The distribution that latents are held to.
    pub prior: Prior,
    /// Components of a mixture.
    pub components: usize,
    /// Factor on the divergence from the prior.
    pub beta: f64,
    /// Divergence of each latent number that costs nothing.
    pub free_bits: f64,
    /// Which known cells are hidden in training.
    pub masks: Masks,
    /// Share of a row's known cells that is hidden evenly, at most; none: by the data.
    pub hide: Option<f64>,
    /// Whether the encoder sees which cells are known.
    pub marks: bool,
    /// What it depends on whether a number is missing.
    pub missing_depends: Depends,
    /// Which values hide themselves.
    pub direction: Direction,
    /// Passes over the rows, at most.
    pub epochs: Option<usize>,
    /// Rows in a batch.
    pub batch: Option<usize>,
    /// Learning rate.
    pub rate: f64,
    /// Epochs without a better bound of rows set aside after which training ends; 0: none is set aside; none: by the
    /// data.
    pub patience: Option<usize>,
}

/// What a decoder says of a number or a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likelihood {
    /// A normal distribution.
    Gaussian,
    /// Student's t.
    StudentT,
    /// A chance.
    Bernoulli,
}

/// The distribution of latents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prior {
    /// The standard normal one.
    Normal,
    /// A learned mixture of normals.
    Mixture,
}

/// What it depends on whether a number is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depends {
    /// On nothing beside what is known: it is left out of the account.
    Nothing,
    /// On the number itself.
    Itself,
}

/// Which values hide themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// What the data say, for each column.
    Learned,
    /// Large ones.
    High,
    /// Small ones.
    Low,
}

/// Whether data are a table with so many holes that no more need to be made.
fn is_holed(shape: Shape, missing: f64) -> bool {
    shape == Shape::Table && missing >= HOLED
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            latent: None,
            hidden: None,
            filters: Vec::new(),
            likelihood: None,
            importance: None,
            samples: 100,
            prior: Prior::Normal,
            components: 10,
            beta: 1.0,
            free_bits: 0.0,
            masks: Masks::Copied,
            hide: None,
            marks: true,
            missing_depends: Depends::Nothing,
            direction: Direction::Learned,
            epochs: None,
            batch: None,
            rate: 1e-3,
            patience: None,
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
        let within = |name: &str, value: usize, most: usize| match (1..=most).contains(&value) {
            true => Ok(()),
            false => Err(Error::setting(name, format!("{value} is not from 1 to {most}"))),
        };
        within("latent", settings.latent.unwrap_or(1), 4096)?;
        within("importance", settings.importance.unwrap_or(1), 1000)?;
        within("samples", settings.samples, 100_000)?;
        within("components", settings.components, 1000)?;
        within("batch", settings.batch.unwrap_or(1), usize::MAX)?;
        let hidden = settings.hidden.as_deref().unwrap_or_default();
        if hidden.len() > 32 || hidden.iter().any(|units| !(1..=8192).contains(units)) {
            return Err(Error::setting("hidden", "layers have 1 to 8192 units, and there are 32 at most"));
        }
        if settings.filters.len() > 6 || settings.filters.iter().any(|count| !(1..=1024).contains(count)) {
            return Err(Error::setting("filters", "there are 6 levels of 1 to 1024 filters at most"));
        }
        for (name, value) in [("beta", settings.beta), ("free-bits", settings.free_bits)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::setting(name, format!("{value} is not 0 or above")));
            }
        }
        if let Some(hide) = settings.hide.filter(|hide| !(0.0..1.0).contains(hide)) {
            return Err(Error::setting("hide", format!("{hide} is not from 0 to below 1")));
        }
        if settings.free_bits > 0.0
            && (settings.importance.is_some_and(|latents| latents > 1) || settings.prior == Prior::Mixture)
        {
            return Err(Self::no_free_bits());
        }
        if settings.depends_on_itself() && settings.likelihood.is_some_and(|own| own != Likelihood::Gaussian)
        {
            return Err(Error::setting(
                "missing-depends",
                "numbers that hide themselves have a normal likelihood",
            )
            .with_hint("set likelihood=gaussian"));
        }
        settings.plan(Shape::Table, 1, HOLED).check()?;
        Ok(settings)
    }

    fn no_free_bits() -> Error {
        Error::setting("free-bits", "they are counted on the ELBO with the normal prior only")
            .with_hint("set free-bits=0, or importance=1 and prior=normal")
    }

    /// What more is hidden evenly in training, at most, of data of which such a share is missing.
    pub fn hides(&self, shape: Shape, missing: f64) -> f64 {
        // Masks of another kind are asked for to be used.
        let enough = is_holed(shape, missing) && self.masks == Masks::Copied;
        self.hide.unwrap_or(if enough { 0.0 } else { HIDE })
    }

    /// Epochs without a better bound after which training ends; 0: no row is set aside.
    pub fn patience(&self, shape: Shape, missing: f64) -> usize {
        self.patience.unwrap_or(if is_holed(shape, missing) { 0 } else { PATIENCE })
    }

    /// Whether numbers are taken to hide themselves.
    pub fn depends_on_itself(&self) -> bool {
        self.missing_depends == Depends::Itself
    }

    /// K for data of a shape.
    pub fn latents_of_a_row(&self, shape: Shape) -> usize {
        self.importance.unwrap_or(if shape == Shape::Images { 1 } else { IMPORTANCE })
    }

    /// Whether a filled row is an average over latents with importance weights.
    pub fn weighs(&self, shape: Shape) -> bool {
        self.latents_of_a_row(shape) > 1 || self.depends_on_itself()
    }

    /// The likelihood of numbers or pixels.
    ///
    /// # Errors
    /// When it is not one for data of that shape.
    pub fn kind(&self, shape: Shape) -> Result<Kind> {
        let images = shape == Shape::Images;
        let usual = if images { Likelihood::Bernoulli } else { Likelihood::Gaussian };
        if self.free_bits > 0.0 && self.latents_of_a_row(shape) > 1 {
            return Err(Self::no_free_bits());
        }
        let refused = |name: &str, what: &str| Err(Error::setting(name, format!("{what}, not for {shape}")));
        if images && self.depends_on_itself() {
            return refused("missing-depends", "numbers that hide themselves are for tables");
        }
        if !images && !self.filters.is_empty() {
            return refused("filters", "convolutions are for images");
        }
        match self.likelihood.unwrap_or(usual) {
            Likelihood::Gaussian => Ok(Kind::Gaussian),
            Likelihood::StudentT => Ok(Kind::StudentT),
            Likelihood::Bernoulli if images => Ok(Kind::Bernoulli),
            Likelihood::Bernoulli => refused("likelihood", "`bernoulli` is for images"),
        }
    }

    /// Numbers of a latent, for rows of so many cells.
    pub fn latents(&self, shape: Shape, cells: usize) -> usize {
        self.latent.unwrap_or(if shape == Shape::Images { 32 } else { cells.saturating_sub(1).clamp(1, 10) })
    }

    /// The layers.
    pub fn form(&self, shape: Shape) -> Form {
        let usual = match shape {
            Shape::Images if self.filters.is_empty() => vec![500, 500],
            Shape::Images => vec![],
            _ => vec![128, 128],
        };
        Form { hidden: self.hidden.clone().unwrap_or(usual), filters: self.filters.clone() }
    }

    /// The course of training on so many rows, of whose cells such a share is missing.
    pub fn plan(&self, shape: Shape, rows: usize, missing: f64) -> TrainSettings {
        let images = shape == Shape::Images;
        let batch = self.batch.unwrap_or(if images { 128 } else { 64 });
        let steps = STEPS[usize::from(images)];
        let usual = (steps / rows.div_ceil(batch).max(1)).clamp(3, 300);
        TrainSettings {
            epochs: self.epochs.unwrap_or(usual),
            batch,
            rate: self.rate,
            patience: Some(self.patience(shape, missing)).filter(|patience| *patience > 0),
            ..TrainSettings::default()
        }
    }
}
