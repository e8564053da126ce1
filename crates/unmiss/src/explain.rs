//! What does a model go by? Which columns matter, what their holes do, how the answer follows their values, and why a
//! single row gets the answer that it gets. For any model that predicts, through its answers alone.
//!
//! ```
//! use unmiss::data::{Data, read};
//! use unmiss::explain::{ExplainSettings, Explainer, explain};
//! use unmiss::model::{Aim, Model, Recipe};
//! use unmiss::run::Run;
//! # fn main() -> unmiss::error::Result<()> {
//! let penguins: Data = read("sample:penguins".as_ref(), &Default::default())?.table.into();
//! let run = Run::new(0, 0)?;
//! let model = Model::fit(&penguins, &Aim::predict("body_mass_g"), &Recipe::named("linear")?, &run)?;
//! let found = explain(&model, &penguins, &ExplainSettings::default(), &run)?;
//! assert_eq!(found.columns[0].column, "species");
//!
//! // Why the first penguin has the weight that it is said to have: base + contributions = answer.
//! let explainer = Explainer::new(&model, &run)?;
//! let rows = model.coder.encode(&penguins.select(&[0])?, |_, _| {})?;
//! let why = explainer.explain(&rows)?;
//! let sum = why.bases[0] + why.row(0).iter().sum::<f64>();
//! assert!((sum - why.answers[0]).abs() < 1e-6 * sum.abs());
//! # Ok(())
//! # }
//! ```
//!
//! Models of images are asked about images of which squares are hidden, one by one: [`occlusion`].

mod cells;
mod subject;
mod importance;
mod dependence;
mod words;
mod contributions;
mod occlusion;
#[cfg(test)]
mod tests;

use crate::data::Data;
use crate::encode::Task;
use crate::error::{Error, Result};
use crate::model::{ColumnImportance, Explanation, Model, Predicting};
use crate::rng::Stream;
use crate::run::Run;
use dependence::dependence;
use importance::{Effort, importance};
use subject::Subject;

pub use contributions::{Contributions, Explainer};
pub use occlusion::{Occluded, Occluder, Occlusion, Square, occlusion};

/// How thorough an explanation is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplainSettings {
    /// Rows to ask about, drawn at random.
    pub rows: usize,
    /// Times that a column's cells change places.
    pub repeats: usize,
    /// How many columns that is done for, the most important ones; in others cells change places once.
    pub repeated: usize,
    /// Columns whose partial dependence is told.
    pub curves: usize,
    /// Rows whose answers are averaged for it.
    pub curve_rows: usize,
}

impl Default for ExplainSettings {
    fn default() -> Self {
        Self { rows: 1000, repeats: 5, repeated: 30, curves: 6, curve_rows: 300 }
    }
}

impl ExplainSettings {
    /// What a fit can spare: about 20,000 answers of single fold models, fewer rows where there are many columns.
    pub fn in_passing(inputs: usize) -> Self {
        let rows = (4_000 / inputs.max(1)).clamp(50, 200);
        Self { rows, repeats: 3, repeated: 10, curves: 6, curve_rows: rows.min(100) }
    }
}

/// Explains a model on data with its inputs. Where they have its target too, rows in which it is known are taken and
/// columns are told by the loss, otherwise by how far answers move.
///
/// # Errors
/// When the model does not predict a column of a table, an input is absent, there are fewer than two rows, or the run
/// was stopped.
pub fn explain(model: &Model, data: &Data, settings: &ExplainSettings, run: &Run) -> Result<Explanation> {
    let predicting = predicting(model)?;
    let target = data.column(&predicting.target.name).ok();
    let known = |row: &usize| target.is_none_or(|column| column.observed[*row]);
    let mut rows: Vec<usize> = (0..data.rows()).filter(known).collect();
    let with_truth = target.is_some() && !rows.is_empty();
    if !with_truth {
        rows = (0..data.rows()).collect();
    }
    let rows = drawn(&rows, settings.rows, run);
    let subject = Subject::new(predicting, data.select(&rows)?, None, with_truth, run)?;
    explained(&subject, settings)
}

/// Explains a model on rows that models of its folds did not learn from: `held_out` has (row, fold), with rows counted
/// among those whose target is known. Each row is answered for by the model of its fold.
///
/// # Errors
/// As for [`explain`].
pub fn explain_held_out(
    model: &Model,
    data: &Data,
    held_out: &[(usize, usize)],
    settings: &ExplainSettings,
    run: &Run,
) -> Result<Explanation> {
    let predicting = predicting(model)?;
    let labelled = predicting.roles.labelled(data)?;
    let places: Vec<usize> = (0..held_out.len()).collect();
    let places = drawn(&places, settings.rows, run);
    let rows: Vec<usize> = places.iter().map(|&place| held_out[place].0).collect();
    let folds = places.iter().map(|&place| held_out[place].1).collect();
    let subject = Subject::new(predicting, labelled.select(&rows)?, Some(folds), true, run)?;
    explained(&subject, settings)
}

/// Finds out after a fit what the model goes by, on rows that were held out, and keeps it in the model's summary. A run
/// that was stopped, or rows that do not allow it, leave the model as it is: a fit does not fail for it, but says so.
pub fn explain_in_passing(model: &mut Model, data: &Data, held_out: &[(usize, usize)], run: &Run) {
    if run.stopped() || held_out.is_empty() || model.coder.table().is_err() {
        return;
    }
    let settings = ExplainSettings::in_passing(model.coder.by_column().len());
    match explain_held_out(model, data, held_out, &settings, &run.part("explaining")) {
        Ok(found) => model.summary.explanation = Some(Box::new(found)),
        Err(Error::Stopped) => {}
        Err(why) => run.note(format!("what the model goes by could not be found out: {why}")),
    }
}

/// The model as one that predicts from columns.
fn predicting(model: &Model) -> Result<Predicting<'_>> {
    model.coder.table()?;
    model.predicting()
}

/// Some of the rows, in ascending order.
fn drawn(rows: &[usize], most: usize, run: &Run) -> Vec<usize> {
    let mut order = Stream::new(run.seed(), "rows to explain", 0, 0).permutation(rows.len());
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|place| rows[place]).collect()
}

fn explained(subject: &Subject<'_>, settings: &ExplainSettings) -> Result<Explanation> {
    if subject.rows.rows < 2 {
        return Err(Error::data("there are fewer than two rows to explain the model on")
            .with_hint("cells change places between rows; give more of them"));
    }
    let effort = Effort { repeats: settings.repeats.max(1), repeated: settings.repeated };
    let (loss, columns) = importance(subject, effort)?;
    let mut curves = Vec::new();
    // What does not matter has no shape but that of noise.
    let matters = |column: &&ColumnImportance| column.importance.is_none_or(|own| own.is_above_noise());
    for column in columns.iter().filter(matters).take(settings.curves) {
        let place = subject.columns.iter().position(|source| source.column == column.column);
        let Some(place) = place else { continue };
        curves.extend(dependence(subject, place, settings.curve_rows)?);
    }
    let target = subject.model.target;
    let classes = match target.task {
        Task::Regression => Vec::new(),
        Task::Classification { .. } => {
            subject.told().into_iter().map(|class| target.levels[class].clone()).collect()
        }
    };
    let mut found = Explanation {
        summary: Vec::new(),
        warnings: Vec::new(),
        target: target.name.clone(),
        classes,
        rows: subject.rows.rows,
        held_out: subject.folds.is_some(),
        loss,
        columns,
        curves,
    };
    found.summary = words::summary(&found);
    found.warnings = words::warnings(&found);
    Ok(found)
}
