//! The choice of a method by cross-validation, said in words with its uncertainty.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;

use super::folds::Folds;
use super::labelled::{Labelled, Split};
use crate::data::Data;
use crate::encode::{Targets, Task};
use crate::error::{Error, Result};
use crate::metrics::{Score, mean_over_folds};
use crate::model::{Aim, Intervals, Model, Part, Recipe, Roles};
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
    /// The position of the method that was fitted on all rows: the best, unless that was cut off.
    pub kept: usize,
    /// Rows of each fold.
    sizes: Vec<usize>,
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

    /// Residuals of the kept method's held-out predictions, in the order of the rows compared.
    fn residuals(&self) -> Vec<f64> {
        let kept = self.entries.get(self.kept);
        let predictions = kept.map(|entry| entry.predictions.as_slice()).unwrap_or_default();
        let residual = |(truth, predicted): (&f32, &f64)| f64::from(*truth) - predicted;
        self.truth.numbers.iter().zip(predictions).map(residual).collect()
    }

    /// How often intervals learned from all folds but one hold in that one.
    fn measured_coverage(&self, residuals: &[f64]) -> Option<f64> {
        let (mut inside, mut start) = (0, 0);
        for size in &self.sizes {
            let fold = start..start + size;
            let places: Vec<usize> = (0..residuals.len()).filter(|place| !fold.contains(place)).collect();
            let learned: Vec<f64> = places.iter().map(|&place| residuals[place]).collect();
            let known: Vec<usize> = places.iter().map(|&place| self.known[place]).collect();
            let intervals = Intervals::learn(&learned, &known)?;
            let holds = |&place: &usize| {
                residuals[place].abs() <= intervals.half_width(self.known[place], COVERAGE_LEVEL)
            };
            inside += fold.clone().filter(holds).count();
            start = fold.end;
        }
        Some(inside as f64 / residuals.len().max(1) as f64)
    }
}

/// Compares recipes on the same folds of the rows whose target is known. Stopped early, it returns the
/// methods whose folds were all done.
fn choose(labelled: &Labelled, recipes: &[Recipe], fold_count: usize, run: &Run) -> Result<Choice> {
    let folds = labelled.folds(fold_count, run.seed());
    let rows = folds.held_out.concat();
    let mut choice = Choice {
        entries: Vec::new(),
        failures: Vec::new(),
        truth: labelled.truth.select(&rows),
        rows,
        folds: folds.held_out.len(),
        kept: 0,
        sizes: folds.held_out.iter().map(Vec::len).collect(),
        all_rows: labelled.rows(),
        known: Vec::new(),
        curves: Vec::new(),
        coverage: None,
    };
    for recipe in recipes {
        match entry(labelled, &folds, recipe, &run.part(recipe.method.name())) {
            Ok(Some((entry, known))) => {
                choice.entries.push(entry);
                choice.known = known;
            }
            Ok(None) | Err(Error::Stopped) => break,
            Err(error) if recipes.len() > 1 => {
                choice.failures.push(format!("`{}` could not be fitted: {error}", recipe.method.name()));
            }
            Err(error) => return Err(error),
        }
    }
    if choice.entries.is_empty() {
        return Err(match run.stopped() {
            true => Error::Stopped,
            false => Error::data(choice.failures.join("; ")),
        });
    }
    let share = folds.test_share();
    choice.entries.sort_by(|a, b| a.mean(Score::loss, share).0.total_cmp(&b.mean(Score::loss, share).0));
    Ok(choice)
}

/// All folds of one recipe, with the number of known inputs per row; `None` when the run was stopped.
fn entry(
    labelled: &Labelled,
    folds: &Folds,
    recipe: &Recipe,
    run: &Run,
) -> Result<Option<(Entry, Vec<usize>)>> {
    let start = Instant::now();
    let mut entry =
        Entry { recipe: recipe.clone(), scores: Vec::new(), seconds: 0.0, predictions: Vec::new() };
    let mut known = Vec::new();
    let count = folds.held_out.len();
    for (fold, held_out) in folds.held_out.iter().enumerate() {
        let run = run.part(&format!("fold {} of {count}", fold + 1));
        let split = labelled.split((0, fold), count, (&folds.training(fold), held_out), recipe)?;
        let predictions = remembered(&split, recipe, &run)?;
        if run.stopped() {
            return Ok(None);
        }
        entry.scores.push(Score::of(&predictions, &split.truth));
        entry.predictions.extend(predictions);
        known.extend(split.rows.known_counts());
    }
    entry.seconds = start.elapsed().as_secs_f64();
    Ok(Some((entry, known)))
}

/// Held-out predictions from a checkpoint of the same work, or computed and kept there.
fn remembered(split: &Split, recipe: &Recipe, run: &Run) -> Result<Vec<f64>> {
    let Some(path) = run.checkpoint("fold") else { return split.predict(recipe, run) };
    let fingerprint = json!({ "work": fingerprint(split, recipe, run.seed()) });
    if let Ok((header, arrays)) = Arrays::read(&path)
        && header == fingerprint
    {
        let shape = arrays.shape("predictions").unwrap_or_default();
        return Ok(arrays.doubles("predictions", shape)?.to_vec());
    }
    let predictions = split.predict(recipe, run)?;
    if !run.stopped() {
        let mut arrays = Arrays::default();
        arrays.put_doubles("predictions", &[predictions.len()], predictions.clone());
        arrays.write(&path, &fingerprint)?;
    }
    Ok(predictions)
}

/// A number that changes with the rows, the recipe or the seed.
fn fingerprint(split: &Split, recipe: &Recipe, seed: u64) -> String {
    let prepared = &split.prepared;
    let parts = [prepared.rows.fingerprint(), prepared.targets.fingerprint(), split.rows.fingerprint()];
    format!("{:016x}", mix(parts.into_iter().chain([hash(&format!("{recipe:?} {seed}"))])))
}

/// Compares the recipes, fits the best on all rows, and gives it intervals and a summary in words.
///
/// What is stopped is never kept unfinished: a stop during the comparison ends it, and the best of the methods that
/// were done is fitted to its end; a stop during that last fit falls back on the best of the cheaper ones that were
/// compared. Such a model says that it was cut off. Cheap methods come first, if the caller lists them so.
///
/// # Errors
/// When nothing can be fitted, or the run was stopped before anything was finished.
pub fn fit_best(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    fold_count: usize,
    run: &Run,
) -> Result<(Model, Choice)> {
    let labelled = Labelled::new(data, roles, run)?;
    let mut choice = choose(&labelled, recipes, fold_count, run)?;
    let aim = Aim::Predict(roles.clone());
    let mut cut_off = run.stopped().then(|| {
        let done: Vec<&str> = choice.entries.iter().map(|entry| entry.recipe.method.name()).collect();
        format!("The comparison was stopped when {} had been compared.", done.join(", "))
    });
    let (mut model, curves) = match fit_kept(data, &aim, &choice, cut_off.is_some(), run) {
        Err(Error::Stopped) => {
            let interrupted = choice.entries[0].recipe.method;
            choice.kept = choice
                .entries
                .iter()
                .position(|entry| entry.recipe.method.card().cost < interrupted.card().cost)
                .ok_or(Error::Stopped)?;
            cut_off = Some(format!("The fit of `{}`, which did better, was stopped.", interrupted.name()));
            fit_kept(data, &aim, &choice, true, run)?
        }
        fitted => fitted?,
    };
    choice.curves = curves;
    model.summary.notes = choice.words();
    model.summary.cut_off = cut_off;
    if let Part::Predict(part) = &mut model.part
        && part.target.task == Task::Regression
    {
        let residuals = choice.residuals();
        part.intervals = Intervals::learn(&residuals, &choice.known);
        choice.coverage = choice.measured_coverage(&residuals);
    }
    Ok((model, choice))
}

/// Fits what is kept on all rows and tells how its trainings went. After a stop it goes on to the end.
fn fit_kept(
    data: &Data,
    aim: &Aim,
    choice: &Choice,
    stopped: bool,
    run: &Run,
) -> Result<(Model, Vec<Curve>)> {
    let recipe = &choice.entries[choice.kept].recipe;
    let name = recipe.method.name();
    let run = if stopped { run.to_the_end() } else { run.clone() };
    if stopped {
        run.warn(format!("stopped; fitting `{name}`, the best that was finished, on all rows"));
    }
    let curves: Arc<Mutex<Vec<Curve>>> = Arc::default();
    let ears = Arc::clone(&curves);
    let last = run.part(&format!("{name}, all rows")).also_heard_by(move |event| {
        if let Event::Trained(curve) = event {
            ears.lock().unwrap_or_else(PoisonError::into_inner).push(curve.clone());
        }
    });
    let model = Model::fit(data, aim, recipe, &last)?;
    if run.stopped() {
        return Err(Error::Stopped);
    }
    let mut curves = curves.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // Trainings that ran side by side ended in any order.
    curves.sort_by(|a, b| a.task.cmp(&b.task));
    Ok((model, curves))
}
