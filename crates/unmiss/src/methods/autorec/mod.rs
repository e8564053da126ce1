#![doc = include_str!("README.md")]

mod fit;
mod fitted;
mod learner;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::vectors::{DecayOn, Vectors};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::nn::sparsity::{Constant, Rule, input_factor};
use crate::run::Run;
use crate::store::Arrays;
use fitted::Fitted;

/// The entry of the list.
pub struct AutoRec;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What a row is.
    pub vectors: Vectors,
    /// Whether inputs are divided by the number of known ratings of their row.
    pub normalize: bool,
    /// K of Sparsity Normalization.
    pub k: Constant,
    /// Hidden units.
    pub hidden: usize,
    /// Networks whose mean is the answer.
    pub members: usize,
    /// λ of the weight decay.
    pub decay: f64,
    /// Layers that it applies to.
    pub decay_on: DecayOn,
    /// The rule that turns gradients into steps.
    pub optimizer: OptimizerName,
    /// Learning rate.
    pub rate: f64,
    /// Rows in a batch, a sixth of all at most; 0 for all.
    pub batch: usize,
    /// Passes over the rows, at most.
    pub epochs: usize,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
    /// Share of the ratings set aside to tell when to stop.
    pub validation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            vectors: Vectors::Item,
            normalize: true,
            k: Constant::Rule(Rule::Hidden),
            hidden: 500,
            members: 1,
            decay: 200.0,
            decay_on: DecayOn::Both,
            optimizer: OptimizerName::Adam,
            rate: 1e-3,
            batch: 512,
            epochs: 1000,
            patience: 30,
            validation: 0.05,
        }
    }
}

/// Optimisers with their usual constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerName {
    /// Adam.
    Adam,
    /// Resilient propagation, for full batches.
    Rprop,
}

impl From<OptimizerName> for Optimizer {
    fn from(name: OptimizerName) -> Self {
        match name {
            OptimizerName::Adam => Self::default(),
            OptimizerName::Rprop => Self::Rprop { shrink: 0.5, grow: 1.2, smallest: 1e-6, largest: 1.0 },
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.k.check()?;
        if !(1..=8192).contains(&settings.hidden) {
            return Err(Error::setting("hidden", "1 to 8192 units are possible"));
        }
        if !(1..=64).contains(&settings.members) {
            return Err(Error::setting("members", "1 to 64 networks are possible"));
        }
        if !(settings.decay >= 0.0 && settings.decay.is_finite()) {
            return Err(Error::setting("decay", format!("{} is not 0 or more", settings.decay)));
        }
        if !(settings.rate > 0.0 && settings.rate.is_finite()) {
            return Err(Error::setting("rate", format!("{} is not a positive number", settings.rate)));
        }
        if settings.epochs == 0 {
            return Err(Error::setting("epochs", "at least one epoch is needed"));
        }
        if !(0.0..=0.5).contains(&settings.validation) {
            return Err(Error::setting("validation", "a share from 0 to 0.5 can be set aside"));
        }
        if settings.optimizer == OptimizerName::Rprop && settings.batch != 0 {
            return Err(Error::setting("batch", "the optimizer rprop needs all rows at once")
                .with_hint("say batch=0, or optimizer=adam"));
        }
        Ok(settings)
    }

    /// What the ratings of a row with so many known are multiplied by.
    fn factor(&self, k: f32, known: usize) -> f32 {
        if self.normalize { input_factor(k, known) } else { 1.0 }
    }
}

static CARD: Card = Card {
    name: "autorec",
    does: &[(Shape::Ratings, Job::Rate)],
    short_lists: &[(Shape::Ratings, Job::Rate)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Autoencoder of ratings, with Sparsity Normalization",
        idea: "An item's ratings by all users (or a user's of all items) go through one hidden layer and come \
               back with the unknown ones filled in. Inputs are divided by how many ratings are known, so that \
               predictions do not drift with that number.",
        paper: "Sedhain, Menon, Sanner and Xie 2015, AutoRec; Yi et al. 2020, Why Not to Use Zero Imputation?",
        when: "From some ten thousand ratings on; the most accurate single method on MovieLens.",
        when_not: "A few thousand ratings in all: `factors` and `biases` are as good and quicker.",
    },
    settings: &[
        Setting { name: "vectors", help: "What a row is: item (its ratings by users) or user." },
        Setting {
            name: "normalize",
            help: "Sparsity Normalization: divide a row's inputs by the number of its known ratings.",
        },
        Setting {
            name: "k",
            help: "K of Sparsity Normalization: mean (number of known ratings), hidden, input, or a number.",
        },
        Setting { name: "hidden", help: "Units of the hidden layer." },
        Setting {
            name: "members",
            help: "Networks whose mean is the answer; each sets other ratings aside. More take longer.",
        },
        Setting { name: "decay", help: "How strongly weights are pulled to 0." },
        Setting { name: "decay-on", help: "Weights that are pulled: both (layers) or output (alone)." },
        Setting { name: "optimizer", help: "adam, or rprop (all rows at once)." },
        Setting { name: "rate", help: "Learning rate; of rprop the first step." },
        Setting { name: "batch", help: "Rows in a batch, a sixth of all at most; 0: all at once." },
        Setting { name: "epochs", help: "Passes over the ratings, at most." },
        Setting {
            name: "patience",
            help: "Epochs without a better score of what was set aside after which training ends; 0: never.",
        },
        Setting {
            name: "validation",
            help: "Share of the ratings set aside to tell when to stop; 0: all epochs are done.",
        },
    ],
    space: &[
        Axis::new("decay", Choices::LogUniform(10.0, 1000.0)),
        Axis::new("k", Choices::Options(&["mean", "hidden", "1"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for AutoRec {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let ratings = examples.ratings()?;
        Ok(Box::new(fit::fit(Settings::checked(settings)?, ratings, run)?))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let ratings = layout.ratings()?;
        Ok(Box::new(Fitted::load(Settings::checked(settings)?, ratings, arrays)?))
    }
}

#[cfg(test)]
mod tests;
