//! The choice of a method by cross-validation, said in words with its uncertainty.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;

use super::folds::{Folds, folds};
use crate::data::Table;
use crate::encode::{TargetEncoder, Targets, Task};
use crate::error::{Error, Result};
use crate::metrics::{Score, mean_over_folds};
use crate::model::{
    Intervals, Model, Prepared, Recipe, Roles, fit_prepared, known_inputs, prepare, rows_with_target,
};
use crate::rng::{hash, mix};
use crate::run::{Curve, Event, Run};
use crate::store::Arrays;

/// One method's result.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The method and its settings.
    pub recipe: Recipe,
    /// One score per fold.
    pub scores: Vec<Score>,
    /// Seconds of fitting and predicting, all folds together.
    pub seconds: f64,
    /// `[rows, outputs]`: held-out predictions in model units, in the order of [`Choice::rows`].
    pub predictions: Vec<f64>,
}

impl Entry {
    /// Mean over folds of a figure of the score, and half its 95 % interval.
    pub fn mean(&self, figure: impl Fn(&Score) -> f64, test_share: f64) -> (f64, f64) {
        mean_over_folds(&self.scores.iter().map(figure).collect::<Vec<_>>(), test_share)
    }
}

/// Methods compared on the same folds; the best stands first.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Results, best first.
    pub entries: Vec<Entry>,
    /// Methods that could not be fitted, and why.
    pub failures: Vec<String>,
    /// Rows compared, fold by fold.
    pub rows: Vec<usize>,
    /// Number of folds.
    pub folds: usize,
    /// Rows the table has with a known target.
    pub all_rows: usize,
    /// Number of known inputs of each row compared.
    known: Vec<usize>,
    /// The targets of the rows compared, in their order.
    pub truth: Targets,
    /// How the trainings of the chosen method on all rows went; empty for a method without steps.
    pub curves: Vec<Curve>,
    /// Share of held-out rows inside intervals at [`COVERAGE_LEVEL`] learned from the other folds.
    pub coverage: Option<f64>,
}

/// The level at which the coverage of intervals is measured.
pub const COVERAGE_LEVEL: f64 = 0.9;

impl Choice {
    /// The share of the rows compared that a fold holds out.
    pub fn test_share(&self) -> f64 {
        1.0 / self.folds as f64
    }

    /// What won, by how much and with what uncertainty.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let Some(best) = self.entries.first() else { return words };
        let figure = match best.scores.first() {
            Some(Score::Regression { .. }) => "RMSE",
            _ => "log-loss",
        };
        let (loss, half) = best.mean(Score::loss, self.test_share());
        words.push(format!(
            "`{}` has the lowest {figure}: {loss:.4} +- {half:.4}.",
            best.recipe.method.name()
        ));
        if let Some(second) = self.entries.get(1) {
            words.push(self.against(best, second, figure));
        }
        words
    }

    /// The paired difference between two methods, in a sentence.
    fn against(&self, best: &Entry, second: &Entry, figure: &str) -> String {
        let pairs = best.scores.iter().zip(&second.scores);
        let differences: Vec<f64> = pairs.map(|(a, b)| b.loss() - a.loss()).collect();
        let (difference, half) = mean_over_folds(&differences, self.test_share());
        let share = 100.0 * difference / second.mean(Score::loss, self.test_share()).0;
        let name = second.recipe.method.name();
        let verdict = if difference > half {
            "a clear difference at the 95 % level"
        } else {
            "within the noise of the folds: either would do"
        };
        format!(
            "Next is `{name}`, {figure} higher by {difference:.4} +- {half:.4} ({share:.1} %): {verdict}."
        )
    }

    /// Residuals of the best method's held-out predictions, in the order of the rows compared.
    fn residuals(&self) -> Vec<f64> {
        let predictions = self.entries.first().map(|best| best.predictions.as_slice()).unwrap_or_default();
        let residual = |(truth, predicted): (&f32, &f64)| f64::from(*truth) - predicted;
        self.truth.numbers.iter().zip(predictions).map(residual).collect()
    }

    /// How often intervals learned from all folds but one hold in that one.
    fn measured_coverage(&self, residuals: &[f64]) -> Option<f64> {
        let size = residuals.len().div_ceil(self.folds.max(1)).max(1);
        let mut inside = 0;
        for fold in 0..residuals.len().div_ceil(size) {
            let (start, end) = (fold * size, ((fold + 1) * size).min(residuals.len()));
            let others = |place: &usize| !(start..end).contains(place);
            let places: Vec<usize> = (0..residuals.len()).filter(others).collect();
            let learned: Vec<f64> = places.iter().map(|&place| residuals[place]).collect();
            let known: Vec<usize> = places.iter().map(|&place| self.known[place]).collect();
            let intervals = Intervals::learn(&learned, &known)?;
            let holds = |&place: &usize| {
                residuals[place].abs() <= intervals.half_width(self.known[place], COVERAGE_LEVEL)
            };
            inside += (start..end).filter(holds).count();
        }
        Some(inside as f64 / residuals.len().max(1) as f64)
    }
}

/// Compares recipes on the same folds of the rows whose target is known. Stopped early, it returns the
/// methods whose folds were all done.
///
/// # Errors
/// When no recipe can be fitted, or the data can't be used.
pub fn choose(
    labelled: &Table,
    target: &TargetEncoder,
    roles: &Roles,
    recipes: &[Recipe],
    fold_count: usize,
    run: &Run,
) -> Result<Choice> {
    let inputs = roles.inputs(labelled)?.names;
    let targets = target.encode(labelled, roles.weight.as_deref(), roles.class_weights)?;
    let folds = folds(&targets, fold_count, run.seed());
    let mut choice = Choice {
        entries: Vec::new(),
        failures: Vec::new(),
        truth: target
            .encode(labelled, roles.weight.as_deref(), Default::default())?
            .select(&folds.held_out.concat()),
        rows: folds.held_out.concat(),
        folds: folds.held_out.len(),
        all_rows: targets.rows(),
        known: Vec::new(),
        curves: Vec::new(),
        coverage: None,
    };
    let work = Work { labelled, inputs: &inputs, roles, target, folds: &folds };
    for recipe in recipes {
        match work.entry(recipe, &run.part(recipe.method.name())) {
            Ok(Some((entry, known))) => {
                choice.entries.push(entry);
                choice.known = known;
            }
            Ok(None) => break,
            Err(error) if recipes.len() > 1 => {
                choice.failures.push(format!("`{}` could not be fitted: {error}", recipe.method.name()));
            }
            Err(error) => return Err(error),
        }
    }
    if choice.entries.is_empty() && !run.stopped() {
        return Err(Error::data(choice.failures.join("; ")));
    }
    let share = folds.test_share();
    choice.entries.sort_by(|a, b| a.mean(Score::loss, share).0.total_cmp(&b.mean(Score::loss, share).0));
    Ok(choice)
}

/// What all folds of a comparison share.
struct Work<'a> {
    labelled: &'a Table,
    inputs: &'a [String],
    roles: &'a Roles,
    target: &'a TargetEncoder,
    folds: &'a Folds,
}

impl Work<'_> {
    /// All folds of one recipe, with the number of known inputs per row; `None` when the run was stopped.
    fn entry(&self, recipe: &Recipe, run: &Run) -> Result<Option<(Entry, Vec<usize>)>> {
        let start = Instant::now();
        let mut entry =
            Entry { recipe: recipe.clone(), scores: Vec::new(), seconds: 0.0, predictions: Vec::new() };
        let mut known = Vec::new();
        for (fold, held_out) in self.folds.held_out.iter().enumerate() {
            let run = run.part(&format!("fold {} of {}", fold + 1, self.folds.held_out.len()));
            let training = self.labelled.select(&self.folds.training(fold));
            let prepared = prepare(&training, self.inputs, self.roles, self.target, recipe)?;
            let test = self.labelled.select(held_out);
            let rows = prepared.encoder.encode(&test, |_, _| {})?;
            let predictions = remembered(&prepared, recipe, &run, || {
                let predictor = fit_prepared(&prepared, recipe, &run)?;
                Ok(run.compute(|| predictor.predict(&rows)))
            })?;
            if run.stopped() {
                return Ok(None);
            }
            // Scores are of the rows as they are: class weights serve learning, not judging.
            let targets = self.target.encode(&test, self.roles.weight.as_deref(), Default::default())?;
            entry.scores.push(Score::of(&predictions, &targets));
            entry.predictions.extend(predictions);
            known.extend(known_inputs(&rows));
        }
        entry.seconds = start.elapsed().as_secs_f64();
        Ok(Some((entry, known)))
    }
}

/// Held-out predictions from a checkpoint of the same work, or computed and kept there.
fn remembered(
    prepared: &Prepared,
    recipe: &Recipe,
    run: &Run,
    compute: impl FnOnce() -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let Some(path) = run.checkpoint("fold") else { return compute() };
    let fingerprint = json!({ "work": fingerprint(prepared, recipe, run.seed()) });
    if let Ok((header, arrays)) = Arrays::read(&path)
        && header == fingerprint
    {
        let shape = arrays.shape("predictions").unwrap_or_default();
        return Ok(arrays.doubles("predictions", shape)?.to_vec());
    }
    let predictions = compute()?;
    if !run.stopped() {
        let mut arrays = Arrays::default();
        arrays.put_doubles("predictions", &[predictions.len()], predictions.clone());
        arrays.write(&path, &fingerprint)?;
    }
    Ok(predictions)
}

/// A number that changes with the rows, the recipe or the seed.
fn fingerprint(prepared: &Prepared, recipe: &Recipe, seed: u64) -> String {
    let work = hash(&format!("{recipe:?} {seed} {:?}", prepared.encoder.encoding));
    format!("{:016x}", mix([work, prepared.inputs.fingerprint(), prepared.targets.fingerprint()]))
}

/// Compares the recipes, fits the best on all rows, and gives it intervals and a summary in words.
///
/// A stop during the comparison ends the comparison, and the best method so far is fitted; a stop after that
/// keeps the best weights so far.
///
/// # Errors
/// When nothing can be fitted.
pub fn fit_best(
    table: &Table,
    roles: &Roles,
    recipes: &[Recipe],
    fold_count: usize,
    run: &Run,
) -> Result<(Model, Choice)> {
    let first = recipes.first().ok_or_else(|| Error::data("there is no method to fit"))?;
    for note in roles.inputs(table)?.notes {
        run.note(note);
    }
    let labelled = table.select(&rows_with_target(table, &roles.target)?);
    let target = TargetEncoder::fit(&labelled, &roles.target, roles.task)?;
    let mut choice = choose(&labelled, &target, roles, recipes, fold_count, run)?;
    if run.stop_switch().swap(false, Ordering::Relaxed) {
        let name = choice.entries.first().map_or(first, |entry| &entry.recipe).method.name();
        run.warn(format!("comparison stopped; fitting `{name}`, the best so far, on all rows"));
    }
    let recipe = choice.entries.first().map_or(first, |entry| &entry.recipe);
    let curves: Arc<Mutex<Vec<Curve>>> = Arc::default();
    let ears = Arc::clone(&curves);
    let last = run.part(&format!("{}, all rows", recipe.method.name())).also_heard_by(move |event| {
        if let Event::Trained(curve) = event {
            ears.lock().unwrap_or_else(PoisonError::into_inner).push(curve.clone());
        }
    });
    let mut model = Model::fit(table, roles, recipe, &last)?;
    choice.curves = curves.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // Trainings that ran side by side ended in any order.
    choice.curves.sort_by(|a, b| a.task.cmp(&b.task));
    model.summary.notes = choice.words();
    if target.task == Task::Regression {
        let residuals = choice.residuals();
        model.intervals = Intervals::learn(&residuals, &choice.known);
        choice.coverage = choice.measured_coverage(&residuals);
    }
    Ok((model, choice))
}
