//! The methods: one folder each, found through one list.
//!
//! Everything that speaks of methods (the program's help and settings, the short lists, the contract tests, the file
//! format, the Python classes) is made from [`METHODS`]. A new method is one folder and one line in it, for any shape
//! of data and any job: its [`Card`] says for which.

pub mod additive;
pub mod auto;
pub mod autoencoder;
pub mod autoimpute;
pub mod autorec;
pub mod biases;
pub mod bidirectional;
pub mod blend;
pub mod boosted;
mod canvas;
mod card;
pub mod cf_nade;
pub mod chained;
pub mod conditional;
pub mod convolutional;
pub mod dmfa;
pub mod dvae;
mod each_row;
mod examples;
pub mod ensemble;
pub mod factors;
pub mod folds;
pub mod forest;
pub mod gaussian;
mod generative;
pub mod impute_then_predict;
pub mod kalman;
pub mod kernel;
pub mod interpolation;
pub mod last_value;
mod learned;
pub mod linear;
pub mod low_rank;
pub mod made;
pub mod mean;
pub mod harmonic;
pub mod mfa;
pub mod mlp;
pub mod neighbours;
pub mod network;
pub mod neumiss;
pub mod self_masking;
mod over_time;
pub mod per_variable;
mod recipe;
pub mod recurrent;
mod round_robin;
mod settings;
pub mod space;
pub mod statistics;
pub mod supervised;
pub mod surroundings;
pub mod trees;
mod vectors;
pub mod wae;
mod weights;
mod written;

#[cfg(test)]
mod promises;

use serde_json::Value;

use crate::data::Shape;
use crate::encode::Encoding;
use crate::error::{Error, Result, nearest};
use crate::run::Run;
use crate::store::Arrays;

pub use card::{About, Card, Cost, Job, Setting};
pub use examples::{Examples, Layout, Training};
pub use learned::{ByRow, Density, Draw, Exact, Imputer, Learned, Plausibility, Predictor, Recommender};
pub use recipe::Recipe;
pub use settings::{defaults_of, parse};
pub use space::{Axis, Choices};
pub use vectors::Vectors;

/// Every method, in the order in which help lists them.
pub static METHODS: &[&dyn Method] = &[
    &ensemble::Ensemble,
    &auto::Auto,
    &network::TabularNetwork,
    &neumiss::NeuMiss,
    &mlp::Mlp,
    &linear::Linear,
    &additive::Additive,
    &conditional::ConditionalSolve,
    &trees::Trees,
    &forest::RandomForest,
    &kernel::Kernel,
    &impute_then_predict::ImputeThenPredict,
    &gaussian::Gaussian,
    &low_rank::LowRank,
    &chained::Chained,
    &boosted::Boosted,
    &autoencoder::Autoencoder,
    &autoimpute::AutoImpute,
    &dvae::Dvae,
    &neighbours::Neighbours,
    &self_masking::SelfMasking,
    &mean::Mean,
    &autorec::AutoRec,
    &factors::Factors,
    &blend::Blend,
    &cf_nade::CfNade,
    &biases::BiasesOnly,
    &convolutional::Convolutional,
    &dmfa::Dmfa,
    &mfa::Mfa,
    &harmonic::Harmonic,
    &wae::Wae,
    &made::Made,
    &statistics::Statistics,
    &recurrent::RecurrentNetwork,
    &per_variable::PerVariable,
    &surroundings::Surroundings,
    &bidirectional::Bidirectional,
    &kalman::Kalman,
    &interpolation::Interpolation,
    &last_value::LastValue,
];

/// A way to learn from data of some shapes for some jobs: an entry of [`METHODS`].
pub trait Method: Sync {
    /// What it tells about itself.
    fn card(&self) -> &'static Card;
    /// Which scale the inputs should have under these settings.
    ///
    /// # Errors
    /// When a setting has a value it can't have.
    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        self.check(settings).map(|()| Encoding::default())
    }
    /// Learns from examples. Stopped early, it returns the best so far.
    ///
    /// # Errors
    /// When nothing can be learned from them.
    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>>;
    /// Puts what was learned together again from its arrays.
    ///
    /// # Errors
    /// When arrays are missing or of another shape than settings and layout say.
    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>>;

    /// The settings for each of several fits, each without one of so many folds of so many rows, whose answers are
    /// averaged: a method that averages members of its own needs fewer of them in each.
    fn settings_in_folds(&self, settings: &Value, _folds: usize, _rows: usize) -> Value {
        settings.clone()
    }
    /// The settings with what models that learned without other folds found out, so that neither the models of the
    /// other folds nor one of all rows have to find it out again.
    fn settled(&self, settings: &Value, _found: &[&dyn Learned]) -> Value {
        settings.clone()
    }

    /// The name in `--method NAME`.
    fn name(&self) -> &'static str {
        self.card().name
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
    /// Whether it can draw parameters before it draws cells, which Rubin's rules take for granted. Draws of others
    /// differ by noise alone: what is pooled from them looks surer than it is.
    fn proper_draws(&self) -> bool {
        false
    }
    /// Whether it is for data of a shape and a job.
    fn does(&self, shape: Shape, job: Job) -> bool {
        self.card().does.contains(&(shape, job))
    }
}

/// The methods for data of a shape and a job, in the order of the list.
pub fn methods_for(shape: Shape, job: Job) -> impl Iterator<Item = &'static dyn Method> + Clone {
    METHODS.iter().copied().filter(move |method| method.does(shape, job))
}

/// The methods that compete when none is named, the cheapest first.
pub fn short_list(shape: Shape, job: Job) -> Vec<&'static dyn Method> {
    let listed = |method: &&dyn Method| method.card().short_lists.contains(&(shape, job));
    let mut methods: Vec<_> = METHODS.iter().copied().filter(listed).collect();
    methods.sort_by_key(|method| method.card().cost);
    methods
}

/// The method of that name.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<&'static dyn Method> {
    let found = METHODS.iter().copied().find(|method| method.name() == name);
    found.ok_or_else(|| unknown(name, METHODS.iter().map(|method| method.name()), "the methods are"))
}

/// The method of that name, for data of a shape and a job.
///
/// # Errors
/// When there is none, or it is for others; the hint names the nearest, or all that would fit.
pub fn find(name: &str, shape: Shape, job: Job) -> Result<&'static dyn Method> {
    let fitting = methods_for(shape, job).map(|method| method.name());
    match METHODS.iter().find(|method| method.name() == name) {
        Some(method) if method.does(shape, job) => Ok(*method),
        Some(method) => {
            let (_, own) = method.card().does[0];
            let what = format!("the method `{name}` {} and is not for this", own.words());
            let all = fitting.collect::<Vec<_>>().join(", ");
            Err(Error::setting("method", what).with_hint(format!("the methods for this are: {all}")))
        }
        None => Err(unknown(name, fitting, "the methods for this are")),
    }
}

/// An error about a name that is not in the list, with the nearest and all that would fit as a hint.
fn unknown<'a>(name: &str, fitting: impl Iterator<Item = &'a str> + Clone, all_are: &str) -> Error {
    let all = fitting.clone().collect::<Vec<_>>().join(", ");
    let elsewhere = ELSEWHERE.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, own)| *own);
    let near = elsewhere.filter(|own| fitting.clone().any(|name| name == *own)).or(nearest(name, fitting));
    Error::setting("method", format!("there is no method `{name}`")).with_hint(match near {
        Some(near) => format!("did you mean `{near}`? ({all_are}: {all})"),
        None => format!("{all_are}: {all}"),
    })
}

/// What methods are called elsewhere, and the nearest to it here.
const ELSEWHERE: [(&str, &str); 9] = [
    ("pmm", "chained"),
    ("mice", "chained"),
    ("knn", "neighbours"),
    ("xgboost", "trees"),
    ("lightgbm", "trees"),
    ("catboost", "trees"),
    ("logistic", "linear"),
    ("ridge", "linear"),
    ("svd", "factors"),
];

#[cfg(test)]
mod tests;
