//! The cross-validation of one method for a choice: the models of all folds, what they answer for the rows that they
//! did not see, and where they were cut off, what was done already.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;

use super::folds::Folds;
use super::labelled::{Labelled, Split};
use super::temperature::temperatures;
use crate::encode::Task;
use crate::error::Result;
use crate::methods::{FoldModel, Layout};
use crate::metrics::{Score, mean_over_folds};
use crate::model::{HeldOut, Recipe, holes_of};
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
    /// `[rows, outputs]`: held-out predictions in model units, in the order of [`Choice::rows`](super::Choice::rows).
    pub predictions: Vec<f64>,
    /// What the power of chances was found to be, on average over the folds; 1: chances are as the method gives them.
    pub temperature: f64,
}

impl Entry {
    /// Mean over folds of a figure of the score, and half its 95 % interval.
    pub fn mean(&self, figure: impl Fn(&Score) -> f64, test_share: f64) -> (f64, f64) {
        mean_over_folds(&self.scores.iter().map(figure).collect::<Vec<_>>(), test_share)
    }
}

/// One method's result with the models that gave it.
pub(super) struct Measured {
    pub entry: Entry,
    /// One model for each fold.
    pub models: Vec<FoldModel>,
    /// The fold of each row compared.
    pub folds: Vec<usize>,
    /// The holes of each row compared.
    pub holes: Vec<Vec<u32>>,
    /// How trainings went; empty for a method without steps.
    pub curves: Vec<Curve>,
}

impl Measured {
    /// The held-out rows with these errors.
    pub fn held_out<'a>(&'a self, inputs: usize, errors: &'a [f64]) -> HeldOut<'a> {
        HeldOut { inputs, folds: &self.folds, holes: &self.holes, errors }
    }
}

/// All folds of one recipe; `None` when the run was stopped.
pub(super) fn measured(
    labelled: &Labelled,
    folds: &Folds,
    recipe: &Recipe,
    run: &Run,
) -> Result<Option<Measured>> {
    let start = Instant::now();
    let (heard, run) = curves_of(run);
    let count = folds.held_out.len();
    let settings = recipe.method.settings_in_folds(&recipe.settings, count, folds.rows);
    let in_folds = Recipe { settings, ..recipe.clone() };
    let (mut models, mut answers, mut truths) = (Vec::new(), Vec::new(), Vec::new());
    let (mut of_folds, mut holes) = (Vec::new(), Vec::new());
    for (fold, held_out) in folds.held_out.iter().enumerate() {
        let run = run.part(&format!("fold {} of {count}", fold + 1));
        let split = labelled.split((0, fold), count, (&folds.training(fold), held_out), &in_folds)?;
        let (model, predictions) = remembered(&split, &in_folds, &run)?;
        if run.stopped() {
            return Ok(None);
        }
        models.push(model);
        answers.push(predictions);
        of_folds.extend(vec![fold; held_out.len()]);
        holes.extend(holes_of(&split.rows));
        truths.push(split.truth.clone());
    }
    let mut temperature = 1.0;
    if let Task::Classification { .. } = labelled.target.task {
        let found = temperatures(&mut answers, &truths);
        models.iter_mut().zip(&found).for_each(|(model, own)| model.temperature = *own);
        temperature = found.iter().sum::<f64>() / found.len() as f64;
    }
    let scores = answers.iter().zip(&truths).map(|(answers, truth)| Score::of(answers, truth)).collect();
    let (recipe, seconds) = (recipe.clone(), start.elapsed().as_secs_f64());
    let entry = Entry { recipe, scores, seconds, predictions: answers.concat(), temperature };
    Ok(Some(Measured { entry, models, folds: of_folds, holes, curves: heard.curves() }))
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
fn remembered(split: &Split, recipe: &Recipe, run: &Run) -> Result<(FoldModel, Vec<f64>)> {
    let computed = || {
        let model = split.fit(recipe, run)?;
        let answers = split.answers(&model, run)?;
        Ok((model, answers))
    };
    let Some(path) = run.checkpoint("fold") else { return computed() };
    let fingerprint = json!({ "work": fingerprint(split, recipe, run.seed()) });
    let kept = Arrays::read(&path).ok().filter(|(header, _)| *header == fingerprint);
    if let Some(done) = kept.and_then(|(_, arrays)| put_together(split, recipe, &arrays).ok()) {
        return Ok(done);
    }
    let (model, answers) = computed()?;
    if !run.stopped() {
        let mut arrays = Arrays::default();
        arrays.put_doubles("predictions", &[answers.len()], answers.clone());
        arrays.put_all(LEARNED, model.learned.save());
        arrays.write(&path, &fingerprint)?;
    }
    Ok((model, answers))
}

/// A fold's model and its predictions from what was kept of them.
fn put_together(split: &Split, recipe: &Recipe, arrays: &Arrays) -> Result<(FoldModel, Vec<f64>)> {
    let predictions =
        arrays.doubles("predictions", arrays.shape("predictions").unwrap_or_default())?.to_vec();
    let layout = Layout { coder: &split.prepared.coder, task: Some(split.truth.task) };
    let learned = recipe.method.load(&recipe.settings, layout, &arrays.with_prefix(LEARNED))?;
    Ok((split.model(learned), predictions))
}

/// A number that changes with the rows, the recipe or the seed.
fn fingerprint(split: &Split, recipe: &Recipe, seed: u64) -> String {
    let prepared = &split.prepared;
    let parts = [prepared.rows.fingerprint(), prepared.targets.fingerprint(), split.rows.fingerprint()];
    format!("{:016x}", mix(parts.into_iter().chain([hash(&format!("{recipe:?} {seed}"))])))
}
