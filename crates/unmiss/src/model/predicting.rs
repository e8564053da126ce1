//! A model that predicts: inputs and a target in, a number or the chances of classes out, for data of any shape.

use super::intervals::Intervals;
use super::parts::{Made, Part, Prediction, Summary};
use super::recipe::Recipe;
use super::roles::Roles;
use crate::data::Data;
use crate::encode::{Coder, Rows, TargetEncoder, Targets, Task};
use crate::error::Result;
use crate::methods::{Examples, Learned, Predictor};
use crate::run::Run;

/// A model as one that predicts.
#[derive(Clone, Copy)]
pub struct Predicting<'a> {
    /// The translation of inputs.
    pub coder: &'a Coder,
    /// The parts the training columns played.
    pub roles: &'a Roles,
    /// The translation of the target.
    pub target: &'a TargetEncoder,
    /// Intervals from held-out residuals, for regression.
    pub intervals: Option<&'a Intervals>,
    predictor: &'a dyn Predictor,
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

impl<'a> Predicting<'a> {
    pub(super) fn new(coder: &'a Coder, part: &'a Prediction, predictor: &'a dyn Predictor) -> Self {
        let Prediction { roles, target, intervals } = part;
        Self { coder, roles, target, intervals: intervals.as_ref(), predictor }
    }

    /// Predicts every row. Columns may stand in any order; others are ignored. `unseen` is told (column, level) for
    /// category levels that training never saw.
    ///
    /// # Errors
    /// When an input column is absent or of another kind than in training.
    pub fn predict(&self, data: &Data, unseen: impl FnMut(&str, &str)) -> Result<Predictions> {
        let rows = self.coder.encode(data, unseen)?;
        let answers = self.predict_rows(&rows)?;
        Ok(match self.target.task {
            Task::Regression => Predictions::Numbers { values: answers, known: rows.known_counts() },
            Task::Classification { .. } => Predictions::Probabilities(answers),
        })
    }

    /// `[rows, outputs]` for rows that this model's translation made: numbers in the user's units, or a probability
    /// for each class. Cells may have been hidden since.
    ///
    /// # Errors
    /// When the rows have another shape.
    pub fn predict_rows(&self, rows: &Rows) -> Result<Vec<f64>> {
        let answers = self.predictor.predict(rows)?;
        Ok(match self.target.task {
            Task::Regression => answers.into_iter().map(|y| self.target.decode(y)).collect(),
            Task::Classification { .. } => answers,
        })
    }

    /// Half the width of the interval at a level for a row with so many known inputs, in the user's units.
    pub fn half_width(&self, known: usize, level: f64) -> Option<f64> {
        self.intervals.map(|intervals| intervals.half_width(known, level) * self.target.deviation)
    }
}

/// Rows that can be learned from, in model units.
pub struct Prepared {
    /// The translation of inputs, learned from these rows.
    pub coder: Coder,
    /// The rows.
    pub rows: Rows,
    /// Their targets.
    pub targets: Targets,
}

/// Learns from all rows whose target is known.
pub(super) fn fit(data: &Data, roles: &Roles, recipe: &Recipe, run: &Run) -> Result<Made> {
    let labelled = roles.labelled(data)?;
    let inputs = roles.inputs(&labelled)?;
    let target = TargetEncoder::fit(&labelled, &roles.target, roles.task)?;
    let prepared = prepare(&labelled, &inputs.names, roles, &target, recipe)?;
    let learned = fit_prepared(&prepared, recipe, run)?;
    let mut summary = Summary::new(&prepared.rows, &*learned, run);
    summary.rows_without_target = data.rows() - labelled.rows();
    let prediction = Prediction { roles: roles.clone(), target, intervals: None };
    Ok(Made { coder: prepared.coder, part: Part::Predict(prediction), summary, learned })
}

/// Fits the translations on rows whose target is known.
///
/// # Errors
/// When inputs or weights can't be used.
pub fn prepare(
    labelled: &Data,
    inputs: &[String],
    roles: &Roles,
    target: &TargetEncoder,
    recipe: &Recipe,
) -> Result<Prepared> {
    let encoding = recipe.method.encoding(&recipe.settings)?;
    let coder = Coder::fit(labelled, inputs, encoding)?;
    let rows = coder.encode(labelled, |_, _| {})?;
    let targets = target.encode(labelled, roles.weight.as_deref(), roles.class_weights)?;
    Ok(Prepared { coder, rows, targets })
}

/// Fits a recipe's method on prepared rows, with the run's threads.
///
/// # Errors
/// When the method can't learn from them.
pub fn fit_prepared(prepared: &Prepared, recipe: &Recipe, run: &Run) -> Result<Box<dyn Learned>> {
    let Prepared { coder, rows, targets } = prepared;
    let examples = Examples::new(coder, rows, Some(targets))?;
    run.compute(|| recipe.method.fit(&recipe.settings, examples, run))
}
