#![doc = include_str!("README.md")]

mod parts;
mod written;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, METHODS, Method, Recipe, Setting,
    defaults_of, find, parse,
};
use crate::data::Shape;
use crate::encode::Encoding;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;
use parts::Fitted;

/// Draws of a row, at most.
const MOST_DRAWS: usize = 10_000;

/// The entry of the list.
pub struct ImputeThenPredict;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Settings {
    imputer: Option<String>,
    predictor: Option<String>,
    draws: usize,
    imputer_settings: Option<Map<String, Value>>,
    predictor_settings: Option<Map<String, Value>>,
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.draws > MOST_DRAWS {
            return Err(Error::setting("draws", format!("{} is above {MOST_DRAWS}", settings.draws)));
        }
        let named = [
            ("imputer", &settings.imputer, Job::Fill, "imputer-settings", &settings.imputer_settings),
            (
                "predictor",
                &settings.predictor,
                Job::Predict,
                "predictor-settings",
                &settings.predictor_settings,
            ),
        ];
        for (setting, name, job, its, given) in named {
            let Some(name) = name else { continue };
            // For which shape it will be is not known yet: one that does the job for any of them will do.
            let shapes = [Shape::Table, Shape::Images];
            let method = shapes.iter().find_map(|shape| find(name, *shape, job).ok());
            let method = method.filter(|method| method.name() != CARD.name).ok_or_else(|| {
                let own = |method: &&dyn Method| {
                    method.name() != CARD.name && shapes.iter().any(|shape| method.does(*shape, job))
                };
                let all: Vec<&str> =
                    METHODS.iter().copied().filter(own).map(|method| method.name()).collect();
                Error::setting(setting, format!("`{name}` is no method that {}", job.words()))
                    .with_hint(format!("the methods are: {}", all.join(", ")))
            })?;
            method.check(&value(given)).map_err(|error| inside(its, error))?;
        }
        Ok(settings)
    }

    /// What fills, and what predicts, data of a shape.
    fn recipes(&self, shape: Shape) -> Result<(Recipe, Recipe)> {
        let (fills, predicts) = match shape {
            Shape::Images => ("mfa", "convolutional"),
            _ => ("gaussian", "linear"),
        };
        let imputer =
            recipe(self.imputer.as_deref().unwrap_or(fills), shape, Job::Fill, &self.imputer_settings);
        let predictor = self.predictor.as_deref().unwrap_or(predicts);
        Ok((imputer?, recipe(predictor, shape, Job::Predict, &self.predictor_settings)?))
    }
}

/// Settings as a method takes them.
fn value(given: &Option<Map<String, Value>>) -> Value {
    given.clone().map_or(Value::Null, Value::Object)
}

/// A method with the given settings over its defaults.
fn recipe(name: &str, shape: Shape, job: Job, given: &Option<Map<String, Value>>) -> Result<Recipe> {
    let mut recipe = Recipe::find(name, shape, job)?;
    if let Some(settings) = recipe.settings.as_object_mut() {
        settings.extend(given.clone().unwrap_or_default());
    }
    recipe.method.check(&recipe.settings)?;
    Ok(recipe)
}

/// What a method has against settings, told of the setting that holds them.
fn inside(setting: &str, error: Error) -> Error {
    let what = error.to_string();
    match error {
        Error::Setting { hint, .. } => Error::Setting { name: setting.to_owned(), what, hint },
        other => other,
    }
}

static CARD: Card = Card {
    name: "impute-then-predict",
    does: &[(Shape::Table, Job::Predict), (Shape::Images, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Any imputer in front of any predictor",
        idea: "An imputer learns from the inputs, holes are filled, and a predictor learns from rows without holes; a \
               new row is filled and answered by the same two. With draws, a row is filled in many plausible ways \
               and the answers are averaged.",
        paper: "Le Morvan, Josse, Scornet and Varoquaux 2021; with draws of a variational autoencoder in front of \
                classifiers, the Type 2 of a thesis on images with missing pixels",
        when: "To compare imputers by what they do to predictions, or for a predictor that can't take holes.",
        when_not: "To predict best: the other predictors also learn from which cells are missing.",
    },
    settings: &[
        Setting { name: "imputer", help: "what fills, any imputer; null: gaussian, or mfa for images" },
        Setting {
            name: "predictor",
            help: "what predicts, any predictor; null: linear, or convolutional for images",
        },
        Setting {
            name: "draws",
            help: "ways in which a row is filled and answered; 0: the best guess alone",
        },
        Setting {
            name: "imputer-settings",
            help: "settings of the imputer, as {\"latent\": 10}; null: its own",
        },
        Setting {
            name: "predictor-settings",
            help: "settings of the predictor, as {\"trees\": 500}; null: its own",
        },
    ],
    space: &[
        Axis::new("imputer", Choices::Options(&["mean", "gaussian", "chained", "forest"])),
        Axis::new("predictor", Choices::Options(&["linear", "trees", "forest", "mlp"])),
        Axis::new("draws", Choices::Options(&["0", "10"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for ImputeThenPredict {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// Rows come as the imputer wants them; the predictor's own units are made of filled rows.
    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        let settings = Settings::checked(settings)?;
        let imputer = settings.imputer.as_deref().unwrap_or("gaussian");
        match find(imputer, Shape::Table, Job::Fill) {
            Ok(method) => method.encoding(&value(&settings.imputer_settings)),
            // It is for images alone, which have no units to choose.
            Err(_) => Ok(Encoding::default()),
        }
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        Ok(Box::new(Fitted::fit(settings.recipes(examples.shape())?, settings.draws, examples, run)?))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        Ok(Box::new(Fitted::load(settings.draws, layout, arrays)?))
    }
}
