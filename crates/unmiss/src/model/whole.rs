//! The model itself, and the views of it that do its job.

use std::borrow::Cow;

use super::filling::{self, Filling};
use super::handover::handed_over;
use super::parts::{Aim, Made, Part, Summary};
use super::predicting::{self, Predicting};
use super::rating::{self, Rating};
use super::roles::Roles;
use super::scoring::{self, Scoring};
use crate::data::{Data, MissingTokens, Shape};
use crate::encode::Coder;
use crate::error::{Act, Error, Result};
use crate::methods::Recipe;
use crate::methods::folds::FoldModel;
use crate::methods::{Job, Learned};
use crate::run::Run;

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
    pub(super) learned: Box<dyn Learned>,
}

impl Model {
    /// Learns from data.
    ///
    /// # Errors
    /// When aim, settings or data don't allow it.
    pub fn fit(data: &Data, aim: &Aim, recipe: &Recipe, run: &Run) -> Result<Self> {
        recipe.check_for(data.shape(), aim.job())?;
        let recipe = &*match aim {
            Aim::Fill(_) => handed_over(recipe, data, run)?,
            _ => Cow::Borrowed(recipe),
        };
        let Made { coder, part, summary, learned } = match aim {
            Aim::Predict(roles) => predicting::fit(data, roles, recipe, run)?,
            Aim::Fill(plan) => filling::fit(data, plan, recipe, run)?,
            Aim::Rate => rating::fit(data, recipe, run)?,
            Aim::Density(plan) => scoring::fit(data, plan, recipe, run)?,
        };
        let (recipe, missing) = (recipe.clone(), MissingTokens::default());
        Ok(Self { recipe, coder, part, missing, summary, learned })
    }

    /// The mean of models of a target that were each learned without a fold of the rows, by the same methods.
    ///
    /// # Errors
    /// When roles or data don't allow it.
    pub fn of_folds(
        data: &Data,
        roles: &Roles,
        recipe: &Recipe,
        models: (Vec<Recipe>, Vec<FoldModel>),
        run: &Run,
    ) -> Result<Self> {
        let Made { coder, part, summary, learned } = predicting::of_folds(data, roles, models, run)?;
        let (recipe, missing) = (recipe.clone(), MissingTokens::default());
        Ok(Self { recipe, coder, part, missing, summary, learned })
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
            Part::Density(_) => Job::Density,
        }
    }

    /// The model as one that predicts.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn predicting(&self) -> Result<Predicting<'_>> {
        match &self.part {
            Part::Predict(part) => Predicting::new(&self.coder, part, &*self.learned, self.summary.rows),
            _ => None,
        }
        .ok_or_else(|| self.other_job(Job::Predict))
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

    /// The model as one that says how plausible rows are.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn scoring(&self) -> Result<Scoring<'_>> {
        match (&self.part, self.learned.density()) {
            (Part::Density(part), Some(density)) => Ok(Scoring::new(&self.coder, part, density)),
            _ => Err(self.other_job(Job::Density)),
        }
    }

    pub(super) fn other_job(&self, wanted: Job) -> Error {
        let what = format!("this model {}, and one that {} is needed", self.job().words(), wanted.words());
        Error::data(what).with_hint(match wanted {
            Job::Predict => Act::UsePredictor,
            Job::Fill => Act::UseImputer,
            Job::Rate => Act::UseRecommender,
            Job::Density => Act::UseDensity,
        })
    }
}

/// Shorthand for tests, which know that there are folds.
#[cfg(test)]
impl Model {
    pub(crate) fn learned_folds(&self) -> &crate::methods::folds::FoldModels {
        self.learned.fold_models().unwrap()
    }
}
