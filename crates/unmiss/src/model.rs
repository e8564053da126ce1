//! A model: encoder and fitted predictor in one, learned from a table, applied to any new rows, saved as one
//! file.
//!
//! ```no_run
//! use unmiss::{data, model::{Model, Recipe, Roles}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table;
//! let run = Run::new(0, 0)?;
//! let model = Model::fit(&ward, &Roles::target("died"), &Recipe::named("network")?, &run)?;
//! model.save("ward.unmiss".as_ref())?;
//! # Ok(())
//! # }
//! ```

mod file;
mod filler;
mod intervals;
mod rating_model;
mod recipe;
mod roles;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::{MissingTokens, Table};
use crate::encode::{Encoded, Encoder, TargetEncoder, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::{Predictor, Training};
use crate::run::Run;

pub use file::FORMAT;
pub use filler::{Filled, Filler, FillerSummary, Limits, Unfilled, kind_of};
pub use intervals::Intervals;
pub use rating_model::{RatingModel, RatingScore, RatingSummary};
pub use recipe::{Recipe, RecipeOf};
pub use roles::{Inputs, Roles};

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
    /// How the method was chosen and how well it did, in sentences.
    pub notes: Vec<String>,
    /// What the method says about its fit.
    pub method: Value,
}

/// A fitted model.
pub struct Model {
    /// The method and its settings.
    pub recipe: Recipe,
    /// The parts the training columns played.
    pub roles: Roles,
    /// The translation of inputs.
    pub encoder: Encoder,
    /// The translation of the target.
    pub target: TargetEncoder,
    /// The words that meant "missing" in the training file; new files are read the same way.
    pub missing: MissingTokens,
    /// Intervals from held-out residuals, for regression.
    pub intervals: Option<Intervals>,
    /// What is worth knowing about the fit.
    pub summary: Summary,
    predictor: Box<dyn Predictor>,
}

/// Predictions in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Numbers, with half the width of each row's interval where the model has intervals.
    Numbers {
        /// One prediction per row.
        values: Vec<f64>,
        /// Number of known inputs of each row.
        known: Vec<usize>,
    },
    /// `[rows, classes]` probabilities.
    Probabilities(Vec<f64>),
}

/// Rows of a table that can be learned from, in model units.
pub struct Prepared {
    /// The translation of inputs, learned from these rows.
    pub encoder: Encoder,
    /// The rows.
    pub inputs: Encoded,
    /// Their targets.
    pub targets: Targets,
}

impl Model {
    /// Learns from all rows of a table whose target is known.
    ///
    /// # Errors
    /// When roles, settings or data don't allow it.
    pub fn fit(table: &Table, roles: &Roles, recipe: &Recipe, run: &Run) -> Result<Self> {
        let inputs = roles.inputs(table)?;
        let rows = rows_with_target(table, &roles.target)?;
        let labelled = table.select(&rows);
        let target = TargetEncoder::fit(&labelled, &roles.target, roles.task)?;
        let prepared = prepare(&labelled, &inputs.names, roles, &target, recipe)?;
        let predictor = fit_prepared(&prepared, recipe, run)?;
        let summary = Summary {
            rows: rows.len(),
            rows_without_target: table.rows() - rows.len(),
            missing_share: missing_share(&prepared.inputs),
            seed: run.seed(),
            notes: Vec::new(),
            method: predictor.summary(),
        };
        Ok(Self {
            recipe: recipe.clone(),
            roles: roles.clone(),
            encoder: prepared.encoder,
            target,
            missing: MissingTokens::default(),
            intervals: None,
            summary,
            predictor,
        })
    }

    /// Predicts every row of a table. Columns may stand in any order; others are ignored. `unseen` is told
    /// (column, level) for category levels that training never saw.
    ///
    /// # Errors
    /// When an input column is absent or of another kind than in training.
    pub fn predict(&self, table: &Table, unseen: impl FnMut(&str, &str)) -> Result<Predictions> {
        let rows = self.encoder.encode(table, unseen)?;
        let answers = self.predict_encoded(&rows);
        Ok(match self.target.task {
            Task::Regression => Predictions::Numbers { values: answers, known: known_inputs(&rows) },
            Task::Classification { .. } => Predictions::Probabilities(answers),
        })
    }

    /// `[rows, outputs]` for rows that this model's encoder made: numbers in the user's units, or a probability
    /// for each class. Cells may have been hidden since.
    pub fn predict_encoded(&self, rows: &Encoded) -> Vec<f64> {
        let answers = self.predictor.predict(rows);
        match self.target.task {
            Task::Regression => answers.into_iter().map(|y| self.target.decode(y)).collect(),
            Task::Classification { .. } => answers,
        }
    }

    /// Half the width of the interval at a level for a row with so many known inputs, in the user's units.
    pub fn half_width(&self, known: usize, level: f64) -> Option<f64> {
        self.intervals.as_ref().map(|intervals| intervals.half_width(known, level) * self.target.deviation)
    }

    /// Names of the input columns: numbers, then categories.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        let numbers = self.encoder.numbers.iter().map(|feature| feature.name.as_str());
        numbers.chain(self.encoder.categories.iter().map(|feature| feature.name.as_str()))
    }
}

/// Fits encoder and targets on rows whose target is known.
///
/// # Errors
/// When inputs or weights can't be used.
pub fn prepare(
    labelled: &Table,
    inputs: &[String],
    roles: &Roles,
    target: &TargetEncoder,
    recipe: &Recipe,
) -> Result<Prepared> {
    let encoding = recipe.method.encoding(&recipe.settings)?;
    let encoder = Encoder::fit(labelled, inputs, encoding)?;
    let encoded = encoder.encode(labelled, |_, _| {})?;
    let targets = target.encode(labelled, roles.weight.as_deref(), roles.class_weights)?;
    Ok(Prepared { encoder, inputs: encoded, targets })
}

/// Fits a recipe's method on prepared rows, with the run's threads.
///
/// # Errors
/// When the method can't learn from them.
pub fn fit_prepared(prepared: &Prepared, recipe: &Recipe, run: &Run) -> Result<Box<dyn Predictor>> {
    let Prepared { encoder, inputs, targets } = prepared;
    run.compute(|| recipe.method.fit(&recipe.settings, Training { encoder, inputs, targets }, run))
}

/// Positions of the rows whose target is known.
///
/// # Errors
/// When there is no such column or no such row.
pub fn rows_with_target(table: &Table, target: &str) -> Result<Vec<usize>> {
    let observed = &table.column(target)?.observed;
    let rows: Vec<usize> = (0..table.rows()).filter(|&row| observed[row]).collect();
    if rows.is_empty() {
        return Err(Error::data(format!("the target `{target}` is missing in every row"))
            .with_hint("learning needs rows whose target is known"));
    }
    Ok(rows)
}

/// How many inputs of each row are known.
pub fn known_inputs(rows: &Encoded) -> Vec<usize> {
    let numbers = rows.numbers_observed.len().checked_div(rows.rows).unwrap_or(0);
    let codes = rows.codes_observed.len().checked_div(rows.rows).unwrap_or(0);
    let count = |marks: &[bool]| marks.iter().filter(|observed| **observed).count();
    (0..rows.rows)
        .map(|row| {
            count(&rows.numbers_observed[row * numbers..(row + 1) * numbers])
                + count(&rows.codes_observed[row * codes..(row + 1) * codes])
        })
        .collect()
}

fn missing_share(rows: &Encoded) -> f64 {
    let cells = rows.numbers_observed.len() + rows.codes_observed.len();
    let known: usize = known_inputs(rows).iter().sum();
    if cells == 0 { 0.0 } else { 1.0 - known as f64 / cells as f64 }
}
