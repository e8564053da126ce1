//! A model that predicts: inputs and a target in, a number or the chances of classes out, for data of any shape.

use super::answers::{Answers, Predictions, Promise};
use super::intervals::{Intervals, Sets};
use super::parts::{Made, Part, Prediction, Summary};
use super::roles::{Inputs, Roles};
use super::shift::{Patterns, Watch};
use crate::data::Data;
use crate::encode::{Coder, Encoding, Rows, TargetEncoder, Targets, Task};
use crate::error::Result;
use crate::methods::Recipe;
use crate::methods::folds::{FoldModel, FoldModels};
use crate::methods::{Exact, Examples, Learned, Predictor};
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
    /// Intervals from held-out errors, for regression.
    pub intervals: Option<&'a Intervals>,
    /// Sets of classes from held-out errors, for classification.
    pub sets: Option<&'a Sets>,
    /// From which chance on the second of two classes is said; none: the more probable one is.
    pub threshold: Option<f64>,
    patterns: Option<&'a Patterns>,
    /// Rows learned from.
    learned_from: usize,
    predictor: &'a dyn Predictor,
    folds: Option<&'a FoldModels>,
}

impl<'a> Predicting<'a> {
    pub(super) fn new(
        coder: &'a Coder,
        part: &'a Prediction,
        learned: &'a dyn Learned,
        learned_from: usize,
    ) -> Option<Self> {
        let Prediction { roles, target, intervals, sets, patterns, threshold } = part;
        let threshold = *threshold;
        let (intervals, sets, patterns) = (intervals.as_ref(), sets.as_ref(), patterns.as_ref());
        let (predictor, folds) = (learned.predictor()?, learned.fold_models());
        Some(Self {
            coder,
            roles,
            target,
            intervals,
            sets,
            threshold,
            patterns,
            learned_from,
            predictor,
            folds,
        })
    }

    /// Watches new rows for holes that are other ones than in training.
    pub fn watch(&self) -> Watch<'a> {
        Watch::new(self.coder, self.patterns, self.learned_from)
    }

    /// Predicts every row. Columns may stand in any order; others are ignored. `unseen` is told (column, level) for
    /// category levels that training never saw.
    ///
    /// # Errors
    /// When an input column is absent or of another kind than in training.
    pub fn predict(&self, data: &Data, unseen: impl FnMut(&str, &str)) -> Result<Predictions> {
        Ok(self.answers(&self.coder.encode(data, unseen)?)?.predictions())
    }

    /// Answers for rows that this model's translation made, from which come predictions, intervals and sets. Cells may
    /// have been hidden since.
    ///
    /// # Errors
    /// When the rows have another shape.
    pub fn answers(&self, rows: &Rows) -> Result<Answers<'a>> {
        let Self { target, intervals, sets, threshold, .. } = *self;
        let promise = Promise { target, intervals, sets, threshold };
        Answers::new(promise, self.predictor, self.folds, rows)
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

    /// The same by the models that were learned without a fold, for rows that they did not see; a model that has no
    /// folds answers as a whole.
    ///
    /// # Errors
    /// When the rows have another shape.
    pub fn predict_without(&self, fold: usize, rows: &Rows) -> Result<Vec<f64>> {
        let mut answers = self.unbounded(Some(fold), rows)?;
        if self.target.task == Task::Regression {
            answers.iter_mut().for_each(|y| *y = y.clamp(self.target.low, self.target.high));
        }
        Ok(answers)
    }

    /// The same by the models of one fold or of all, numbers before they are kept within the range of the known target:
    /// the answer of all is the mean of those of the folds.
    ///
    /// # Errors
    /// When the rows have another shape.
    pub fn unbounded(&self, fold: Option<usize>, rows: &Rows) -> Result<Vec<f64>> {
        let mut answers = match (self.folds, fold) {
            (Some(folds), Some(fold)) => folds.answer_of(fold, rows)?,
            _ => self.predictor.predict(rows)?,
        };
        if self.target.task == Task::Regression {
            answers.iter_mut().for_each(|y| *y = self.target.mean + self.target.deviation * *y);
        }
        Ok(answers)
    }

    /// What each input adds to a number before it is kept within any range, compared with background rows, in the
    /// user's units; `None` where the method does not know it exactly.
    ///
    /// # Errors
    /// When the rows have another shape.
    pub fn contributions(&self, rows: &Rows, background: &Rows) -> Result<Option<Exact>> {
        let found = self.predictor.contributions(rows, background)?;
        Ok(found.map(|Exact { base, mut values }| {
            values.iter_mut().for_each(|value| *value *= self.target.deviation);
            Exact { base: self.target.mean + self.target.deviation * base, values }
        }))
    }

    /// What predicts, in the model's units.
    pub(super) fn predictor(&self) -> &'a dyn Predictor {
        self.predictor
    }

    /// Rows it learned from.
    pub fn learned_from(&self) -> usize {
        self.learned_from
    }

    /// How far the interval of a complete row reaches to either side where its models agree, in the user's units.
    pub fn reach(&self, level: f64) -> Option<f64> {
        let reach = match self.intervals? {
            Intervals::CrossValidated(own) => own.reach(&[], level),
            Intervals::Grouped(own) => own.half_width(self.coder.names().len(), level),
        };
        Some(reach * self.target.deviation)
    }

    /// The names of the columns of [`Answers::columns`].
    pub fn headings(&self, level: Option<f64>) -> Vec<String> {
        let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        match self.target.task {
            Task::Regression => named(&["prediction", "lower", "upper"]),
            Task::Classification { .. } => {
                let set = level.and(self.sets).map(|_| "set".to_owned());
                let chances = self.target.levels.iter().map(|level| format!("probability_{level}"));
                named(&["prediction"]).into_iter().chain(set).chain(chances).collect()
            }
        }
    }

    /// How many models are averaged, where they are those of folds.
    pub fn fold_models(&self) -> Option<usize> {
        self.folds.map(FoldModels::count)
    }

    /// The methods that the models are of, with what each counts; empty where there is one.
    pub fn weights(&self) -> Vec<(&'static str, f64)> {
        let all = self.folds.map(FoldModels::weights).unwrap_or_default();
        let mut named: Vec<_> =
            all.into_iter().map(|(recipe, weight)| (recipe.method.name(), weight)).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        if named.len() > 1 { named } else { Vec::new() }
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
    let target = roles.target_of(&labelled)?;
    let encoding = recipe.method.encoding(&recipe.settings)?;
    let prepared = prepare(&labelled, &inputs, roles, &target, encoding)?;
    let learned = fit_prepared(&prepared, recipe, run)?;
    let mut summary = Summary::new(&prepared.rows, &*learned, run);
    summary.rows_without_target = data.rows() - labelled.rows();
    let patterns = Patterns::of(&prepared.rows);
    let prediction =
        Prediction { roles: roles.clone(), target, intervals: None, sets: None, patterns, threshold: None };
    Ok(Made { coder: prepared.coder, part: Part::Predict(Box::new(prediction)), summary, learned })
}

/// The mean of models that were each learned without a fold of the rows whose target is known.
pub(super) fn of_folds(
    data: &Data,
    roles: &Roles,
    (members, folds): (Vec<Recipe>, Vec<FoldModel>),
    run: &Run,
) -> Result<Made> {
    let labelled = roles.labelled(data)?;
    let inputs = roles.inputs(&labelled)?;
    let target = roles.target_of(&labelled)?;
    // Plain units, from which each model makes its own.
    let coder = Coder::fit_with(&labelled, &inputs.names, &inputs.made, Encoding::default())?;
    let rows = coder.encode(&labelled, |_, _| {})?;
    let learned: Box<dyn Learned> = Box::new(FoldModels::new(coder.clone(), target.task, members, folds));
    let mut summary = Summary::new(&rows, &*learned, run);
    summary.rows_without_target = data.rows() - labelled.rows();
    let patterns = Patterns::of(&rows);
    let prediction =
        Prediction { roles: roles.clone(), target, intervals: None, sets: None, patterns, threshold: None };
    Ok(Made { coder, part: Part::Predict(Box::new(prediction)), summary, learned })
}

/// Fits the translations on rows whose target is known.
///
/// # Errors
/// When inputs or weights can't be used.
pub fn prepare(
    labelled: &Data,
    inputs: &Inputs,
    roles: &Roles,
    target: &TargetEncoder,
    encoding: Encoding,
) -> Result<Prepared> {
    let coder = Coder::fit_with(labelled, &inputs.names, &inputs.made, encoding)?;
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
