//! The cross-validation of one method: the models of all folds, what they answer for the rows that they did not see,
//! and where they were cut off, what was done already.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::models::FoldPart;
use super::splits::{Split, Splits};
use super::temperature::temperatures;
use crate::encode::{Targets, Task};
use crate::error::{Error, Result};
use crate::methods::{Layout, Learned, Recipe};
use crate::metrics::{Score, mean_over_folds};
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
    /// `[rows, outputs]`: held-out predictions in model units, fold by fold.
    pub predictions: Vec<f64>,
    /// What the power of chances was found to be, on average over the folds; 1: chances are as the method gives them.
    pub temperature: f64,
    /// How trainings went; empty for a method without steps.
    pub curves: Vec<Curve>,
}

impl Entry {
    /// Mean over folds of a figure of the score, and half its 95 % interval.
    pub fn mean(&self, figure: impl Fn(&Score) -> f64, test_share: f64) -> (f64, f64) {
        mean_over_folds(&self.scores.iter().map(figure).collect::<Vec<_>>(), test_share)
    }

    /// What methods are compared by: the mean over folds of the loss.
    pub fn loss(&self) -> f64 {
        self.scores.iter().map(Score::loss).sum::<f64>() / self.scores.len() as f64
    }
}

/// One method's result with the models that gave it.
pub(super) struct Measured {
    pub entry: Entry,
    /// `[folds][rows, outputs]`: held-out answers.
    pub answers: Vec<Vec<f64>>,
    /// One model for each fold.
    pub parts: Vec<FoldPart>,
    /// The method and its settings with what the models of folds settled, for one of all rows.
    pub settled: Recipe,
}

/// What came of measuring a method.
pub(super) enum Outcome {
    Done(Box<Measured>),
    /// The run was stopped.
    Stopped,
    /// The first folds showed that it can't matter.
    LeftOut,
}

/// Folds after which a method that is dear is asked whether the others are worth it.
const FIRST_FOLDS: usize = 2;

/// All folds of one recipe, side by side. After the first ones `worth` is asked about their answers.
pub(super) fn measure(
    splits: &Splits<'_>,
    recipe: &Recipe,
    worth: impl Fn(&[Vec<f64>]) -> bool,
    run: &Run,
) -> Result<Outcome> {
    let start = Instant::now();
    let (heard, run) = curves_of(run);
    let count = splits.folds.held_out.len();
    let in_folds = |settings: &Value| {
        let settings = recipe.method.settings_in_folds(settings, count, splits.folds.rows);
        Recipe { settings, ..recipe.clone() }
    };
    let encoding = recipe.method.encoding(&in_folds(&recipe.settings).settings)?;
    let (mut parts, mut answers): (Vec<FoldPart>, Vec<_>) = (Vec::new(), Vec::new());
    let mut settings = recipe.settings.clone();
    for wave in [0..FIRST_FOLDS.min(count), FIRST_FOLDS.min(count)..count] {
        let in_folds = in_folds(&settings);
        let one = |fold: usize| {
            let run = run.part(&format!("fold {} of {count}", fold + 1));
            remembered(&splits.split(fold, encoding), &in_folds, &run)
        };
        let done: Vec<_> = run.compute(|| wave.into_par_iter().map(one).collect());
        if run.stopped() {
            return Ok(Outcome::Stopped);
        }
        for found in done {
            let (part, own) = found?;
            if own.iter().any(|answer| !answer.is_finite()) {
                return Err(Error::method(recipe.method.name(), "its predictions are not finite numbers"));
            }
            parts.push(part);
            answers.push(own);
        }
        if parts.len() < count && !worth(&answers) {
            return Ok(Outcome::LeftOut);
        }
        // Folds that follow each other in time learn from ever more rows: each finds out by itself, and the last ones
        // know best.
        let ordered = splits.folds.first.is_some();
        if !ordered || parts.len() == count {
            let from = if ordered { count.saturating_sub(FIRST_FOLDS) } else { 0 };
            settings = settled(recipe, &parts[from..count.min(from + FIRST_FOLDS)]);
        }
    }
    let settled = Recipe { settings, ..recipe.clone() };
    let truths: Vec<Targets> = (0..count).map(|fold| splits.split(fold, encoding).truth.clone()).collect();
    let mut temperature = 1.0;
    if let Task::Classification { .. } = splits.truth.task {
        let found = temperatures(&mut answers, &truths);
        parts.iter_mut().zip(&found).for_each(|(part, own)| part.temperature = *own);
        temperature = found.iter().sum::<f64>() / found.len() as f64;
    }
    let scores = answers.iter().zip(&truths).map(|(answers, truth)| Score::of(answers, truth)).collect();
    let (seconds, predictions, curves) = (start.elapsed().as_secs_f64(), answers.concat(), heard.curves());
    let entry = Entry { recipe: recipe.clone(), scores, seconds, predictions, temperature, curves };
    Ok(Outcome::Done(Box::new(Measured { entry, answers, parts, settled })))
}

/// The settings of a method with what the models of some folds found out.
fn settled(recipe: &Recipe, parts: &[FoldPart]) -> Value {
    let found: Vec<&dyn Learned> = parts.iter().map(|part| &*part.learned).collect();
    recipe.method.settled(&recipe.settings, &found)
}

/// How trainings went, heard on the way.
pub(super) struct Heard(Arc<Mutex<Vec<Curve>>>);

impl Heard {
    /// The curves in the order of their names: trainings that ran side by side ended in any order.
    pub fn curves(&self) -> Vec<Curve> {
        let mut curves = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        curves.sort_by(|a, b| a.task.cmp(&b.task));
        curves
    }
}

/// The same run, whose trainings are heard.
pub(super) fn curves_of(run: &Run) -> (Heard, Run) {
    let heard = Heard(Arc::default());
    let ears = Arc::clone(&heard.0);
    let run = run.also_heard_by(move |event| {
        if let Event::Trained(curve) = event {
            ears.lock().unwrap_or_else(PoisonError::into_inner).push(curve.clone());
        }
    });
    (heard, run)
}

/// Before the names of the arrays of a model that is kept.
const LEARNED: &str = "learned/";

/// A fold's model and what it predicts, from a checkpoint of the same work, or computed and kept there.
fn remembered(split: &Split, recipe: &Recipe, run: &Run) -> Result<(FoldPart, Vec<f64>)> {
    let computed = || {
        let part = split.fit(recipe, run)?;
        let answers = split.answers(&part, run)?;
        Ok((part, answers))
    };
    if !run.keeps_checkpoints() {
        return computed();
    }
    let work = fingerprint(split, recipe, run.seed());
    let header = json!({ "work": work });
    if let Some(path) = run.kept(&work, "fold") {
        let kept = Arrays::read_sealed(&path).and_then(|(found, arrays)| match found == header {
            true => put_together(split, recipe, &arrays),
            false => Err(Error::model(&path, "it is of another fit")),
        });
        match kept {
            Ok(done) => return Ok(done),
            Err(error) => {
                run.warn(format!("this fold begins anew, what was kept of it can't be used: {error}"))
            }
        }
    }
    let (part, answers) = computed()?;
    if !run.stopped() {
        let mut arrays = Arrays::default();
        arrays.put_doubles("predictions", &[answers.len()], answers.clone());
        arrays.put_all(LEARNED, part.learned.save());
        run.keep(&work, "fold", |path| arrays.write_sealed(path, &header));
        run.forget_parts("training");
    }
    Ok((part, answers))
}

/// A fold's model and its predictions from what was kept of them.
fn put_together(split: &Split, recipe: &Recipe, arrays: &Arrays) -> Result<(FoldPart, Vec<f64>)> {
    let predictions =
        arrays.doubles("predictions", arrays.shape("predictions").unwrap_or_default())?.to_vec();
    let layout = Layout { coder: &split.coder, task: Some(split.truth.task) };
    let learned = recipe.method.load(&recipe.settings, layout, &arrays.with_prefix(LEARNED))?;
    Ok((split.part(learned), predictions))
}

/// A number that changes with the rows, the recipe or the seed.
fn fingerprint(split: &Split, recipe: &Recipe, seed: u64) -> String {
    format!("{:016x}", mix([split.fingerprint(), hash(&format!("{recipe:?} {seed}"))]))
}
