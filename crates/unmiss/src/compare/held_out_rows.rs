//! Predictors on held-out rows: repeated cross-validation.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::{Contestant, Part};
use super::contest::{Outcome, repeat_seed};
use super::folds::{Folds, folds};
use super::tune::settings_for;
use crate::data::Table;
use crate::encode::{TargetEncoder, Targets, Task};
use crate::error::{Error, Result};
use crate::metrics::{Score, most_probable};
use crate::model::{Recipe, Roles, fit_prepared, prepare, rows_with_target};
use crate::run::Run;

/// The inner holdout of a search is one of so many folds of the training part.
const INNER_FOLDS: usize = 5;

/// The rows whose target is known, and what is predicted of them.
pub(super) struct HeldOutRows {
    labelled: Table,
    inputs: Vec<String>,
    roles: Roles,
    folds: usize,
    /// The translation of the target.
    pub target: TargetEncoder,
    targets: Targets,
    seed: u64,
}

impl HeldOutRows {
    /// Finds inputs and target; tells which columns are left out and why.
    pub fn new(table: &Table, roles: &Roles, folds: usize, run: &Run) -> Result<Self> {
        let inputs = roles.inputs(table)?;
        inputs.notes.into_iter().for_each(|note| run.note(note));
        let labelled = table.select(&rows_with_target(table, &roles.target)?);
        if labelled.rows() < folds {
            let what = format!("{} rows with a known target can't make {folds} folds", labelled.rows());
            return Err(Error::data(what).with_hint("ask for fewer with --folds"));
        }
        let target = TargetEncoder::fit(&labelled, &roles.target, roles.task)?;
        // As the rows are: class weights serve learning, not judging.
        let targets = target.encode(&labelled, roles.weight.as_deref(), Default::default())?;
        let (inputs, roles, seed) = (inputs.names, roles.clone(), run.seed());
        Ok(Self { labelled, inputs, roles, folds, target, targets, seed })
    }

    /// Rows whose target is known.
    pub fn rows(&self) -> usize {
        self.labelled.rows()
    }

    /// Rows of a repeat.
    pub fn rows_compared(&self) -> usize {
        self.folds_of(0).rows
    }

    /// The classes of each part's held-out rows; none for a regression.
    pub fn parts(&self, repeats: usize) -> Vec<Part> {
        if self.target.task == Task::Regression {
            return Vec::new();
        }
        let mut parts = Vec::new();
        for repeat in 0..repeats {
            for (fold, rows) in self.folds_of(repeat).held_out.iter().enumerate() {
                let truth = rows.iter().map(|&row| self.targets.classes[row]).collect();
                parts.push(Part { repeat, fold, truth });
            }
        }
        parts
    }

    /// The folds of a repeat.
    pub fn folds_of(&self, repeat: usize) -> Folds {
        folds(&self.targets, self.folds, repeat_seed(self.seed, repeat))
    }

    /// Fits a contestant on all folds but one and scores it on that one.
    pub fn fit(&self, contestant: &Contestant, repeat: usize, fold: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::named(&contestant.method)?;
        let folds = self.folds_of(repeat);
        let run = run.with_seed(repeat_seed(self.seed, repeat));
        let training = folds.training(fold);
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            self.inner_loss(&recipe, settings, &training, run)
        })?;
        let (score, predictions) = self.score(&recipe, &training, &folds.held_out[fold], &run)?;
        let classes = match self.target.task {
            Task::Regression => Vec::new(),
            Task::Classification { classes } => {
                predictions.chunks_exact(classes).map(|row| most_probable(row) as u32).collect()
            }
        };
        let figures = figures(&score);
        Ok(Outcome { settings: recipe.settings, loss: score.loss(), figures, classes, columns: Vec::new() })
    }

    /// The loss of settings on a holdout of the training rows, learned from the rest of them.
    pub fn inner_loss(
        &self,
        recipe: &Recipe,
        settings: &Value,
        training: &[usize],
        run: &Run,
    ) -> Result<f64> {
        let recipe = Recipe { settings: settings.clone(), ..recipe.clone() };
        let inner = folds(&self.targets.select(training), INNER_FOLDS, run.seed());
        let rows = |places: &[usize]| places.iter().map(|&place| training[place]).collect::<Vec<_>>();
        let (score, _) = self.score(&recipe, &rows(&inner.training(0)), &rows(&inner.held_out[0]), run)?;
        Ok(score.loss())
    }

    fn score(
        &self,
        recipe: &Recipe,
        training: &[usize],
        held_out: &[usize],
        run: &Run,
    ) -> Result<(Score, Vec<f64>)> {
        let training = self.labelled.select(training);
        let prepared = prepare(&training, &self.inputs, &self.roles, &self.target, recipe)?;
        let rows = prepared.encoder.encode(&self.labelled.select(held_out), |_, _| {})?;
        let predictor = fit_prepared(&prepared, recipe, run)?;
        let predictions = run.compute(|| predictor.predict(&rows));
        Ok((Score::of(&predictions, &self.targets.select(held_out)), predictions))
    }
}

fn figures(score: &Score) -> BTreeMap<String, Option<f64>> {
    let named = match *score {
        Score::Regression { rmse, mae, r2 } => [("RMSE / sd", rmse), ("MAE / sd", mae), ("R2", r2)],
        Score::Classification { log_loss, accuracy, auroc } => {
            [("log-loss", log_loss), ("accuracy", accuracy), ("AUROC", auroc)]
        }
    };
    named.into_iter().map(|(name, value)| (name.to_owned(), value.is_finite().then_some(value))).collect()
}
