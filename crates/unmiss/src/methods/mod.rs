//! The methods: one folder each, found through one list for each task.
//!
//! Everything that speaks of methods (the program's help and settings, the docs table, the contract tests,
//! the file format) is made from [`METHODS`], [`IMPUTERS`] and [`RECOMMENDERS`]. A new method is one folder and one
//! line in its list.

pub mod auto;
pub mod autoencoder;
pub mod autorec;
pub mod biases;
pub mod blend;
pub mod boosted;
pub mod cf_nade;
pub mod chained;
pub mod factors;
pub mod gaussian;
pub mod imputer;
pub mod linear;
pub mod low_rank;
pub mod mean;
pub mod mlp;
pub mod neighbours;
pub mod network;
pub mod recommender;
pub mod self_masking;
pub mod space;
pub mod supervised;
pub mod trees;
mod weights;

#[cfg(test)]
mod imputer_promises;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod recommender_promises;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::encode::{Encoded, Encoder, Encoding, Targets};
use crate::error::{Error, Result, nearest};
use crate::run::Run;
use crate::store::Arrays;

pub use imputer::{Draw, Imputation, Imputer};
pub use recommender::{Recommendation, Recommender};
pub use space::{Axis, Choices};

/// Every predictor, in the order in which help lists them.
pub static METHODS: &[&dyn Method] = &[&network::TabularNetwork, &mlp::Mlp, &linear::Linear, &trees::Trees];

/// Every imputer, in the order in which help lists them.
pub static IMPUTERS: &[&dyn Imputation] = &[
    &auto::Auto,
    &gaussian::Gaussian,
    &low_rank::LowRank,
    &chained::Chained,
    &boosted::Boosted,
    &autoencoder::Autoencoder,
    &neighbours::Neighbours,
    &self_masking::SelfMasking,
    &mean::Mean,
];

/// Every recommender, in the order in which help lists them.
pub static RECOMMENDERS: &[&dyn Recommendation] =
    &[&autorec::AutoRec, &factors::Factors, &blend::Blend, &cf_nade::CfNade, &biases::BiasesOnly];

/// What a user wants to know before choosing a method.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct About {
    /// One line.
    pub title: &'static str,
    /// What it does, in a few sentences.
    pub idea: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// When to use it.
    pub when: &'static str,
    /// When not to.
    pub when_not: &'static str,
}

/// One setting: its name as in `--set name=value` and what it does. Defaults come from [`Described::defaults`].
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// What it does and which values it takes.
    pub help: &'static str,
}

/// What a method learns from: encoded rows, their encoder and their targets.
#[derive(Clone, Copy)]
pub struct Training<'a> {
    /// The fitted translation of columns: names, levels, training statistics.
    pub encoder: &'a Encoder,
    /// The rows.
    pub inputs: &'a Encoded,
    /// What is to be predicted, with the weight of each row.
    pub targets: &'a Targets,
}

/// What an entry of a list tells about itself.
pub struct Card {
    /// The name in `--method NAME`.
    pub name: &'static str,
    /// What a user wants to know.
    pub about: About,
    /// The settings, in the order of importance.
    pub settings: &'static [Setting],
    /// The settings that a random search may change, and between which values.
    pub space: &'static [Axis],
    /// All settings with their default values, as a JSON object: [`defaults_of`] the method's own type.
    pub defaults: fn() -> Value,
    /// Checks settings: an error when one has a value it can't have.
    pub check: fn(&Value) -> Result<()>,
}

/// An entry of a list, which has a [`Card`].
pub trait Described: Sync {
    /// What it tells about itself.
    fn card(&self) -> &'static Card;
    /// The name in `--method NAME`.
    fn name(&self) -> &'static str {
        self.card().name
    }
    /// What a user wants to know.
    fn about(&self) -> About {
        self.card().about
    }
    /// The settings, in the order of importance.
    fn settings(&self) -> &'static [Setting] {
        self.card().settings
    }
    /// All settings with their default values, as a JSON object.
    fn defaults(&self) -> Value {
        (self.card().defaults)()
    }
    /// Checks settings.
    ///
    /// # Errors
    /// When a setting has a value it can't have.
    fn check(&self, settings: &Value) -> Result<()> {
        (self.card().check)(settings)
    }
    /// The settings that a random search may change, and between which values.
    fn space(&self) -> &'static [Axis] {
        self.card().space
    }
}

/// A way to learn a predictor: an entry of [`METHODS`].
pub trait Method: Described {
    /// Which scale the inputs should have under these settings.
    ///
    /// # Errors
    /// When a setting has a value it can't have.
    fn encoding(&self, settings: &Value) -> Result<Encoding>;
    /// Learns from rows. Stopped early, it returns the best so far.
    ///
    /// # Errors
    /// When nothing can be learned from the rows.
    fn fit(&self, settings: &Value, training: Training<'_>, run: &Run) -> Result<Box<dyn Predictor>>;
    /// Puts a fitted predictor together again from its arrays.
    ///
    /// # Errors
    /// When arrays are missing or of another shape than settings and encoder say.
    fn load(
        &self,
        settings: &Value,
        encoder: &Encoder,
        task: crate::encode::Task,
        arrays: &Arrays,
    ) -> Result<Box<dyn Predictor>>;
}

/// A fitted predictor. What it answers for a row depends on that row alone.
pub trait Predictor: Send + Sync {
    /// `[rows, outputs]`: the standardised target, or a probability for each class.
    fn predict(&self, rows: &Encoded) -> Vec<f64>;
    /// The arrays from which [`Method::load`] makes the same predictor again.
    fn save(&self) -> Arrays;
    /// What there is to say about the fit: epochs, chosen strength, number of trees.
    fn summary(&self) -> Value;
}

/// The method of that name.
///
/// # Errors
/// When there is none; the hint names the nearest.
pub fn find(name: &str) -> Result<&'static dyn Method> {
    METHODS.iter().copied().find(|method| method.name() == name).ok_or_else(|| {
        let others = IMPUTERS.iter().any(|imputer| imputer.name() == name);
        let error = unknown("method", name, METHODS.iter().map(|method| method.name()));
        if others {
            error.with_hint(format!("`{name}` fills holes: `unmiss impute --method {name}`"))
        } else {
            error
        }
    })
}

/// The recommender of that name.
///
/// # Errors
/// When there is none; the hint names the nearest.
pub fn find_recommender(name: &str) -> Result<&'static dyn Recommendation> {
    RECOMMENDERS
        .iter()
        .copied()
        .find(|method| method.name() == name)
        .ok_or_else(|| unknown("method", name, RECOMMENDERS.iter().map(|method| method.name())))
}

/// The imputer of that name.
///
/// # Errors
/// When there is none; the hint names the nearest.
pub fn find_imputer(name: &str) -> Result<&'static dyn Imputation> {
    IMPUTERS.iter().copied().find(|imputer| imputer.name() == name).ok_or_else(|| {
        let others = METHODS.iter().any(|method| method.name() == name);
        let error = unknown("method", name, IMPUTERS.iter().map(|imputer| imputer.name()));
        if others {
            error.with_hint(format!("`{name}` predicts: `unmiss fit --method {name}`"))
        } else {
            error
        }
    })
}

/// An error about a name that is not in a list, with the nearest as a hint.
fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let error = Error::setting(what, format!("there is no {what} `{name}`"));
    error.with_hint(match nearest(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the {what}s are: {}", names.collect::<Vec<_>>().join(", ")),
    })
}

/// A method's own settings type from JSON: the given values over the defaults. An unknown name and a value
/// of another type are errors that name the setting.
///
/// # Errors
/// When a name is unknown or a value does not fit.
pub fn parse<S: Serialize + DeserializeOwned + Default>(settings: &Value) -> Result<S> {
    let defaults = default_names::<S>();
    let given = match settings {
        Value::Object(given) => given.clone(),
        Value::Null => Map::new(),
        _ => return Err(Error::setting("settings", "expected names with values")),
    };
    for (name, value) in &given {
        if !defaults.contains_key(name) {
            return Err(unknown_setting(name, &defaults));
        }
        // One value at a time, so that the error can say whose it is.
        let alone = defaults
            .iter()
            .map(|(key, default)| (key.clone(), if key == name { value } else { default }.clone()));
        serde_json::from_value::<S>(Value::Object(alone.collect()))
            .map_err(|error| Error::setting(name, format!("`{}` {}", plain(value), misfit(&error))))?;
    }
    let mut all = defaults;
    all.extend(given);
    serde_json::from_value(Value::Object(all)).map_err(|error| Error::setting("settings", error.to_string()))
}

/// Why a value does not fit, in words that need no knowledge of types.
fn misfit(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let expected = text.split_once("expected ").map_or(text.as_str(), |(_, expected)| expected);
    let expected = match expected {
        "usize" | "u32" | "u64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list such as [100, 50]",
        other => other,
    };
    format!("does not fit: it takes {expected}")
}

/// The default settings of a type as a JSON object, names in the order of the type's fields.
pub fn defaults_of<S: Serialize + Default>() -> Value {
    Value::Object(default_names::<S>())
}

fn default_names<S: Serialize + Default>() -> Map<String, Value> {
    match serde_json::to_value(S::default()) {
        Ok(Value::Object(defaults)) => defaults,
        _ => Map::new(),
    }
}

fn unknown_setting(name: &str, known: &Map<String, Value>) -> Error {
    let names = known.keys().map(String::as_str).collect::<Vec<_>>();
    let list = names.join(", ");
    Error::setting(name, "there is no setting of that name").with_hint(match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`? The settings are: {list}"),
        None => format!("the settings are: {list}"),
    })
}

/// A value as the user typed it: text without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
