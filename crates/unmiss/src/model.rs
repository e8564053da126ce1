//! A model: the translation of data and a fitted method in one, learned once, applied to any new data, saved as one
//! file. What it is for is its [`Aim`]; what it can do for that is a view of it: [`Model::predicting`],
//! [`Model::filling`], [`Model::rating`].
//!
//! ```no_run
//! use unmiss::{data, model::{Aim, Model, Recipe}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table.into();
//! let aim = Aim::predict("died");
//! let model = Model::fit(&ward, &aim, &Recipe::named("network")?, &Run::new(0, 0)?)?;
//! model.save("ward.unmiss".as_ref())?;
//! # Ok(())
//! # }
//! ```

mod file;
mod filling;
mod intervals;
mod predicting;
mod rating;
mod recipe;
mod roles;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::{Data, MissingTokens, Shape};
use crate::encode::{Coder, Rows};
use crate::error::{Act, Error, Result};
use crate::methods::{Job, Learned};
use crate::run::Run;

pub use file::FORMAT;
pub use filling::{Fill, Filled, Filling, Limits, Unfilled};
pub use intervals::Intervals;
pub use predicting::{Predicting, Prediction, Predictions, Prepared, fit_prepared, prepare};
pub use rating::{Rating, RatingScore};
pub use recipe::Recipe;
pub use roles::{Inputs, Roles};

/// What a model is to be for.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// Predict a column from others.
    Predict(Roles),
    /// Fill holes.
    Fill {
        /// Columns that are neither used nor filled.
        ignored: Vec<String>,
        /// Between which values filled numbers lie.
        limits: Limits,
    },
    /// Rate pairs of users and items.
    Rate,
}

impl Aim {
    /// Predict a column from all others.
    pub fn predict(target: impl Into<String>) -> Self {
        Self::Predict(Roles::target(target))
    }

    /// Fill all holes, within the range of what is known.
    pub fn fill() -> Self {
        Self::Fill { ignored: Vec::new(), limits: Limits::default() }
    }

    /// The job.
    pub fn job(&self) -> Job {
        match self {
            Self::Predict(_) => Job::Predict,
            Self::Fill { .. } => Job::Fill,
            Self::Rate => Job::Rate,
        }
    }
}

/// What is worth knowing about a fit, kept in the model file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Rows the model learned from.
    pub rows: usize,
    /// Rows left out because their target was missing.
    pub rows_without_target: usize,
    /// Share of input cells that were holes.
    pub missing_share: f64,
    /// The seed.
    pub seed: u64,
    /// Why the fit was ended before it was done, if it was.
    pub cut_off: Option<String>,
    /// How the method was chosen and how well it did, in sentences.
    pub notes: Vec<String>,
    /// What the method says about its fit.
    pub method: Value,
}

impl Summary {
    fn new(rows: &Rows, learned: &dyn Learned, run: &Run) -> Self {
        Self {
            rows: rows.len(),
            missing_share: rows.missing_share(),
            seed: run.seed(),
            method: learned.summary(),
            ..Self::default()
        }
    }
}

/// A fitted model.
pub struct Model {
    /// The method and its settings.
    pub recipe: Recipe,
    /// The translation of data.
    pub coder: Coder,
    /// What its job needs beside the method.
    pub part: Part,
    /// The words that meant "missing" in the training file; new files are read the same way.
    pub missing: MissingTokens,
    /// What is worth knowing about the fit.
    pub summary: Summary,
    learned: Box<dyn Learned>,
}

/// What a job needs beside the method.
#[derive(Debug, Clone)]
pub enum Part {
    /// Target and intervals.
    Predict(Prediction),
    /// What may be filled in.
    Fill(Fill),
    /// Averages for whoever is unknown.
    Rate(rating::Fallback),
}

impl Model {
    /// Learns from data.
    ///
    /// # Errors
    /// When aim, settings or data don't allow it.
    pub fn fit(data: &Data, aim: &Aim, recipe: &Recipe, run: &Run) -> Result<Self> {
        recipe.check_for(data.shape(), aim.job())?;
        match aim {
            Aim::Predict(roles) => predicting::fit(data, roles, recipe, run),
            Aim::Fill { ignored, limits } => filling::fit(data, ignored, limits, recipe, run),
            Aim::Rate => rating::fit(data, recipe, run),
        }
    }

    /// The shape of the data it is for.
    pub fn shape(&self) -> Shape {
        self.coder.shape()
    }

    /// What it is for.
    pub fn job(&self) -> Job {
        match &self.part {
            Part::Predict(_) => Job::Predict,
            Part::Fill(_) => Job::Fill,
            Part::Rate(_) => Job::Rate,
        }
    }

    /// The model as one that predicts.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn predicting(&self) -> Result<Predicting<'_>> {
        match (&self.part, self.learned.predictor()) {
            (Part::Predict(part), Some(predictor)) => Ok(Predicting::new(&self.coder, part, predictor)),
            _ => Err(self.other_job(Job::Predict)),
        }
    }

    /// The model as one that fills holes.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn filling(&self) -> Result<Filling<'_>> {
        match (&self.part, self.learned.imputer()) {
            (Part::Fill(part), Some(imputer)) => Ok(Filling::new(&self.coder, part, imputer)),
            _ => Err(self.other_job(Job::Fill)),
        }
    }

    /// The model as one that rates.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn rating(&self) -> Result<Rating<'_>> {
        match (&self.part, &self.coder, self.learned.recommender()) {
            (Part::Rate(part), Coder::Ratings(ratings), Some(recommender)) => {
                Ok(Rating::new(ratings, part, recommender))
            }
            _ => Err(self.other_job(Job::Rate)),
        }
    }

    fn other_job(&self, wanted: Job) -> Error {
        let what = format!("this model {}, and one that {} is needed", self.job().words(), wanted.words());
        Error::data(what).with_hint(match wanted {
            Job::Predict => Act::UsePredictor,
            Job::Fill => Act::UseImputer,
            Job::Rate => Act::UseRecommender,
        })
    }
}
