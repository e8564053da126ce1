//! What a model is made of beside its translation and its method: what it is for, and what its job needs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::explanation::{Background, Explanation};
use super::group::Groups;
use super::intervals::{Intervals, Sets};
use super::provenance::Provenance;
use super::roles::Roles;
use super::shift::Patterns;
use crate::data::LARGEST;
use crate::data::ratings::Ratings;
use crate::encode::{Coder, Rows, TargetEncoder};
use crate::error::{Error, Result};
use crate::methods::biases::{Biases, Settings as Damping};
use crate::methods::{Job, Learned};
use crate::run::Run;

/// What a model is to be for.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    /// Predict a column from others.
    Predict(Roles),
    /// Fill holes.
    Fill(FillPlan),
    /// Rate pairs of users and items.
    Rate,
    /// Say how plausible rows are.
    Density(DensityPlan),
}

impl Aim {
    /// Predict a column from all others.
    pub fn predict(target: impl Into<String>) -> Self {
        Self::Predict(Roles::target(target))
    }

    /// Fill all holes, within the range of what is known.
    pub fn fill() -> Self {
        Self::Fill(FillPlan::default())
    }

    /// The same, ready for this many plausible draws.
    pub fn draw(draws: usize) -> Self {
        Self::Fill(FillPlan { draws, ..FillPlan::default() })
    }

    /// The job.
    pub fn job(&self) -> Job {
        match self {
            Self::Predict(_) => Job::Predict,
            Self::Fill(_) => Job::Fill,
            Self::Rate => Job::Rate,
            Self::Density(_) => Job::Density,
        }
    }
}

/// What is to be filled, and what to respect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FillPlan {
    /// Columns that are neither used nor filled.
    pub ignored: Vec<String>,
    /// Between which values filled numbers lie.
    pub limits: Limits,
    /// Sets of parameters to learn for draws, one for each draw that will be asked for; 0 for best guesses alone.
    pub draws: usize,
    /// Columns that follow from others, as `bmi = weight / (height / 100)^2`: computed, not learned.
    pub derived: Vec<String>,
    /// Holes that stand for nothing and stay, as `pregnancies where sex = male`.
    pub left: Vec<String>,
    /// A column that tells which rows belong together.
    pub group: Option<String>,
}

/// From what plausibility is learned, and how it is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityPlan {
    /// Columns that are left out.
    pub ignored: Vec<String>,
    /// The share of the rows that is held out to measure with; the model learns from all. With 0, rows are compared
    /// with those learned from.
    pub test: f64,
}

impl Default for DensityPlan {
    fn default() -> Self {
        Self { ignored: Vec::new(), test: 0.2 }
    }
}

/// Between which values filled numbers may lie.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Whether a filled number stays between the smallest and the largest known value of its column.
    pub observed_range: bool,
    /// Lowest and highest value of single columns, which overrule that.
    pub columns: BTreeMap<String, (f64, f64)>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { observed_range: true, columns: BTreeMap::new() }
    }
}

impl Limits {
    /// The limits of a column, where they are not those of its known values.
    pub(super) fn of(&self, column: &str) -> Option<(f64, f64)> {
        let beyond = (!self.observed_range).then_some((-LARGEST, LARGEST));
        self.columns.get(column).map(|(low, high)| (low.max(-LARGEST), high.min(LARGEST))).or(beyond)
    }

    /// An error where a column's limits leave no value.
    pub(super) fn check(&self) -> Result<()> {
        let empty = |(low, high): &(f64, f64)| low.is_nan() || high.is_nan() || low > high;
        match self.columns.iter().find(|(_, limits)| empty(limits)) {
            Some((name, (low, high))) => {
                Err(Error::setting("within", format!("column `{name}` can't lie between {low} and {high}")))
            }
            None => Ok(()),
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
    /// What the model goes by, found out on rows that were held out; none where nothing was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<Explanation>>,
    /// What the columns of a model that predicts held in training; older files do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// Where the model comes from, if whoever made it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl Summary {
    pub(super) fn new(rows: &Rows, learned: &dyn Learned, run: &Run) -> Self {
        let method = learned.summary();
        Self {
            rows: rows.len(),
            missing_share: rows.missing_share(),
            seed: run.seed(),
            // A method that chooses among others may have gone on with what it had compared.
            cut_off: method["cut off"].as_str().map(str::to_owned),
            method,
            background: learned.predictor().and_then(|_| Background::of(rows)),
            ..Self::default()
        }
    }
}

impl Summary {
    /// Refuses a summary from a file whose parts contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        match self.explanation.as_ref().is_none_or(|found| found.is_sound()) {
            true => Ok(()),
            false => Err(Error::damaged("its header contradicts itself: what the model goes by")),
        }
    }
}

/// What a job needs beside the method.
#[derive(Debug, Clone)]
pub enum Part {
    /// Target and intervals.
    Predict(Box<Prediction>),
    /// What may be filled in.
    Fill(Fill),
    /// Averages for whoever is unknown.
    Rate(Fallback),
    /// What other rows are like.
    Density(Reference),
}

/// What predicting needs beside the method.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Prediction {
    /// The parts the training columns played.
    pub roles: Roles,
    /// The translation of the target.
    pub target: TargetEncoder,
    /// Intervals from held-out errors, for regression.
    pub intervals: Option<Intervals>,
    /// Sets of classes from held-out errors, for classification; older files have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<Sets>,
    /// Which combinations of holes the rows had; older files do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Patterns>,
    /// From which chance on the second of two classes is said, where that was chosen; none: the more probable one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// What filling needs beside the method.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fill {
    /// Columns that are neither read nor filled.
    pub ignored: Vec<String>,
    /// Columns that can't be filled, each with the reason.
    pub unfillable: BTreeMap<String, String>,
    /// Between which values filled numbers lie.
    pub limits: Limits,
    /// Columns that follow from others by a formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<String>,
    /// Holes that stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// The means of the groups that rows belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
}

/// What plausibility is compared with: rows that were held out, whole and with some of their cells hidden.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Columns that were not learned, each with the reason.
    pub ignored: BTreeMap<String, String>,
    /// Rows that were held out; 0 where those learned from are compared with.
    pub held_out: usize,
    /// The mean logarithm of the density of these rows, in the units of the data.
    pub mean_log_likelihood: f64,
    /// How many inputs each of the rows compared with knows, in ascending order.
    pub known: Vec<usize>,
    /// The distance of each from the model's expectation, in standard deviations.
    pub distances: Vec<f64>,
}

/// What is said of whoever is unknown: averages, between the smallest and the largest rating.
#[derive(Debug, Clone)]
pub struct Fallback {
    pub(super) range: (f32, f32),
    pub(super) biases: Biases,
}

impl Fallback {
    pub(super) fn new(ratings: &Ratings) -> Self {
        Self { range: ratings.range(), biases: Biases::fit(ratings, &Damping::default()) }
    }
}

/// What a fit gives, from which the model is put together.
pub(super) struct Made {
    pub coder: Coder,
    pub part: Part,
    pub summary: Summary,
    pub learned: Box<dyn Learned>,
}
