#![doc = include_str!("README.md")]

mod gram;
mod inputs;
mod lbfgs;
mod logistic;
mod ridge;
mod strength;
mod sum;
mod written;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Design, Encoder, Encoding, Missing};
use crate::error::{Error, Result};
use crate::linalg::ExactSums;
use crate::nn::sparsity::{Constant, Rule};
use crate::run::Run;
use crate::store::Arrays;
pub(super) use inputs::Inputs;
pub(super) use sum::WeightedSum;

/// The entry of the list.
pub struct Linear;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What a missing cell becomes.
    pub missing: Missing,
    /// How strongly coefficients are pulled to 0.
    pub strength: Strength,
    /// K of Sparsity Normalization.
    pub k: Constant,
}

/// How strongly coefficients are pulled to 0: penalty strength / 2 |coefficients|^2 on the mean loss.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "WordOrNumber<Auto>", into = "WordOrNumber<Auto>")]
pub enum Strength {
    /// Chosen by cross-validation.
    #[default]
    Auto,
    /// As given.
    Fixed(f64),
}

impl Strength {
    /// Refuses what is no strength.
    ///
    /// # Errors
    /// When it is a number that is not above 0.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Fixed(value) if !(value > 0.0 && value.is_finite()) => {
                Err(Error::setting("strength", format!("{value} is not a positive number")))
            }
            _ => Ok(()),
        }
    }

    fn given(self) -> Option<f64> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }
}

/// How a setting that is a word or a number is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or one of its words")]
enum WordOrNumber<W> {
    Word(W),
    Number(f64),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Auto {
    Auto,
}

impl From<WordOrNumber<Auto>> for Strength {
    fn from(written: WordOrNumber<Auto>) -> Self {
        match written {
            WordOrNumber::Word(Auto::Auto) => Self::Auto,
            WordOrNumber::Number(value) => Self::Fixed(value),
        }
    }
}

impl From<Strength> for WordOrNumber<Auto> {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Auto => Self::Word(Auto::Auto),
            Strength::Fixed(value) => Self::Number(value),
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.strength.check()?;
        settings.k.check()?;
        if settings.k == Constant::Rule(Rule::Hidden) {
            return Err(Error::setting("k", "a linear model has no hidden units")
                .with_hint("use mean, input or a number"));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "linear",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::Medium,
    about: About {
        title: "Linear model: ridge, or logistic regression",
        idea: "A weighted sum of the inputs. A missing number counts as its mean and a missing category as \
               its usual shares; one more input per column says that it is missing, so that holes that \
               tell something are heard. How strongly weights are pulled to 0 is chosen by \
               cross-validation.",
        paper: "Hoerl and Kennard 1970 (ridge); Golub, Heath and Wahba 1979 (choice of strength); \
                Yi et al. 2020 (Sparsity Normalization)",
        when: "First of all: it is fast, can be read, and is hard to beat on a few hundred rows.",
        when_not: "When the effect of a column bends, or depends on other columns.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "what a missing cell becomes: zero, mean, observed-indicator, missing-indicator, \
               sparsity-normalization, mean+missing-indicator or \
               sparsity-normalization+missing-indicator",
        },
        Setting {
            name: "strength",
            help: "how strongly weights are pulled to 0: auto (by cross-validation) or a number above 0",
        },
        Setting {
            name: "k",
            help: "with sparsity-normalization, the K in K / (known columns of the row): mean (of the \
               training rows), input (number of columns) or a number above 0",
        },
    ],
    space: &[
        // The strength has a search of its own: `auto`.
        Axis::new(
            "missing",
            Choices::Options(&[
                "mean",
                "missing-indicator",
                "mean+missing-indicator",
                "sparsity-normalization",
                "sparsity-normalization+missing-indicator",
            ]),
        ),
        Axis::new("k", Choices::Options(&["mean", "input"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Linear {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Ok(Encoding { scale: Settings::checked(settings)?.missing.scale(), ..Encoding::default() })
    }

    fn fit(&self, given: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let settings = Settings::checked(given)?;
        let (design, _) = design(given, training.encoder, training.inputs.mean_known())?;
        WeightedSum::learn(self.name(), Inputs::straight(design), training, settings.strength, run)
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let (encoder, task) = layout.predicting()?;
        let design = Design::new(encoder, settings.missing, arrays.finite_single("k")?);
        WeightedSum::load(Inputs::straight(design), encoder, task, arrays)
    }
}

/// What [`Method::load`] makes a regression of, from sums over rows: of the design's inputs, and last of the target.
///
/// # Errors
/// When settings or sums can't be used.
pub fn arrays_of_sums(settings: &Value, sums: &ExactSums, k: f32) -> Result<Arrays> {
    let settings = Settings::checked(settings)?;
    let fit = ridge::fit_sums(sums, settings.strength.given())?;
    let mut arrays = Arrays::default();
    arrays.put_doubles("weights", &[fit.weights.len(), 1], fit.weights);
    arrays.put_singles("k", &[1], vec![k]);
    arrays.put_doubles("fit", &[2], vec![fit.strength, 1.0]);
    Ok(arrays)
}

/// How the inputs are built under these settings, with K for rows of which so many columns are known on average.
///
/// # Errors
/// When a setting has a value it can't have.
pub fn design(settings: &Value, encoder: &Encoder, mean_known: f64) -> Result<(Design, f32)> {
    let settings = Settings::checked(settings)?;
    let k = settings.k.number(mean_known, 0, encoder.width()) as f32;
    Ok((Design::new(encoder, settings.missing, k), k))
}
