//! Predictors on held-out rows: repeated cross-validation.

use std::collections::BTreeMap;

use super::arena::{Arena, Outcome, repeat_seed};
use super::choosing::Division;
use super::comparison::{Comparison, Contestant, Part};
use super::labelled::Labelled;
use super::tune::settings_for;
use crate::data::{Data, Shape};
use crate::encode::Task;
use crate::error::{Act, Error, Result};
use crate::methods::Job;
use crate::methods::folds::{Folds, Ties};
use crate::metrics::{Score, most_probable};
use crate::model::{Recipe, Roles};
use crate::run::Run;

/// The rows whose target is known, dealt into folds.
pub(super) struct HeldOutRows {
    labelled: Labelled,
    shape: Shape,
    folds: usize,
    seed: u64,
}

impl HeldOutRows {
    /// Finds inputs and target; tells which columns are left out and why.
    pub fn new(data: &Data, roles: &Roles, division: &Division, folds: usize, run: &Run) -> Result<Self> {
        let labelled = Labelled::new(data, roles, division, run)?;
        if labelled.rows() < folds {
            let what = format!("{} rows with a known target can't make {folds} folds", labelled.rows());
            return Err(Error::data(what).with_hint(Act::FewerFolds));
        }
        let own = Self { labelled, shape: data.shape(), folds, seed: run.seed() };
        let there = own.folds_of(0).held_out.len();
        if there < folds {
            let what = format!("rows{} make {there} folds, not {folds}", division.words());
            return Err(Error::data(what).with_hint(Act::FewerFolds));
        }
        Ok(own)
    }

    /// The folds of a repeat.
    fn folds_of(&self, repeat: usize) -> Folds {
        let ordered = matches!(self.labelled.ties, Ties::Times(_));
        let mut folds =
            self.labelled.folds(self.folds - usize::from(ordered), repeat_seed(self.seed, repeat));
        if ordered {
            // No model is to be made of the rest: the latest rows are one more part to judge on.
            folds.rows += folds.apart.len();
            folds.held_out.push(std::mem::take(&mut folds.apart));
        }
        folds
    }
}

impl Arena for HeldOutRows {
    fn describe(&self, comparison: &mut Comparison) {
        let target = &self.labelled.target;
        comparison.rows = self.labelled.rows();
        comparison.rows_compared = self.folds_of(0).rows;
        comparison.task = Some(target.task);
        comparison.classes.clone_from(&target.levels);
        comparison.test_share = 1.0 / self.folds as f64;
    }

    fn parts(&self, repeats: usize) -> Vec<Part> {
        if self.labelled.target.task == Task::Regression {
            return Vec::new();
        }
        let mut parts = Vec::new();
        for repeat in 0..repeats {
            for (fold, rows) in self.folds_of(repeat).held_out.iter().enumerate() {
                let truth = rows.iter().map(|&row| self.labelled.truth.classes[row]).collect();
                parts.push(Part { repeat, fold, truth });
            }
        }
        parts
    }

    /// Fits a contestant on all folds but one and scores it on that one.
    fn fit(&self, contestant: &Contestant, repeat: usize, fold: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::find(&contestant.method, self.shape, Job::Predict)?;
        let folds = self.folds_of(repeat);
        let run = run.with_seed(repeat_seed(self.seed, repeat));
        let training = folds.training(fold);
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            let recipe = Recipe { method: recipe.method, settings: settings.clone() };
            self.labelled.inner_loss(&recipe, &training, run)
        })?;
        let rows = (training.as_slice(), folds.held_out[fold].as_slice());
        let held_out = self.labelled.split((repeat, fold), 0, rows, &recipe)?.judge(&recipe, &run)?;
        let classes = match self.labelled.target.task {
            Task::Regression => Vec::new(),
            Task::Classification { classes } => {
                held_out.predictions.chunks_exact(classes).map(|row| most_probable(row) as u32).collect()
            }
        };
        let (loss, figures) = (held_out.score.loss(), figures(&held_out.score));
        Ok(Outcome { settings: recipe.settings, loss, figures, classes, columns: Vec::new() })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, Values, read};

    #[test]
    fn tuning_looks_at_nothing_that_is_held_out() {
        let run = Run::new(4, 2).unwrap();
        let penguins = read("sample:penguins".as_ref(), &ReadOptions::default()).unwrap().table;
        let rows_of = |table| {
            HeldOutRows::new(&Data::from(table), &Roles::target("species"), &Division::Free, 3, &run).unwrap()
        };
        let rows = rows_of(penguins.clone());
        // Every number of the rows that fold 0 holds out becomes garbage.
        let folds = rows.folds_of(0);
        let mut garbled = penguins;
        for column in garbled.columns_mut() {
            if let Values::Numbers(values) = &mut column.values {
                folds.held_out[0].iter().for_each(|&row| values[row] = 1e6);
            }
        }
        let garbled = rows_of(garbled);
        let given = Recipe::named("linear").unwrap();
        let training = folds.training(0);
        for draw in 0..3 {
            let settings = crate::methods::space::draw(given.method, &given.settings, draw, run.seed());
            let recipe = Recipe { settings, ..given.clone() };
            let inner = |rows: &HeldOutRows| rows.labelled.inner_loss(&recipe, &training, &run).unwrap();
            assert_eq!(inner(&garbled).to_bits(), inner(&rows).to_bits(), "draw {draw}");
        }
        let contestant = Contestant::new(&given, 2);
        let fit = |rows: &HeldOutRows| rows.fit(&contestant, 0, 0, &run).unwrap();
        assert_eq!(fit(&garbled).settings, fit(&rows).settings);
        assert_ne!(fit(&garbled).loss, fit(&rows).loss, "the garbage does reach the held-out score");
    }
}
