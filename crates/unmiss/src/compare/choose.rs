//! The choice of a method by cross-validation, said in words with its uncertainty, and the model that comes of it: the
//! mean of the fold models that were measured.

use super::cross_validation::{Entry, Measured, curves_of, measured};
use super::folds::{Folds, usual_folds};
use super::labelled::Labelled;
use crate::data::Data;
use crate::encode::{Targets, Task};
use crate::error::{Error, Result};
use crate::methods::FoldModel;
use crate::metrics::{Score, mean_over_folds};
use crate::model::{CrossValidated, HeldOut, Intervals, Model, Part, Recipe, Roles, Sets, Spread, holes_of};
use crate::run::{Curve, Run};

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
    /// The targets of the rows compared, in their order.
    pub truth: Targets,
    /// How the trainings of the chosen method's models went; empty for a method without steps.
    pub curves: Vec<Curve>,
    /// Share of held-out rows whose error is within what the other folds' errors promise at [`COVERAGE_LEVEL`].
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
}

/// Compares recipes on the same folds of the rows whose target is known; tells the best one's models too. Stopped
/// early, it returns the methods whose folds were all done.
fn choose(labelled: &Labelled, folds: &Folds, recipes: &[Recipe], run: &Run) -> Result<(Choice, Measured)> {
    let rows = folds.held_out.concat();
    let mut choice = Choice {
        entries: Vec::new(),
        failures: Vec::new(),
        truth: labelled.truth.select(&rows),
        rows,
        folds: folds.held_out.len(),
        all_rows: labelled.rows(),
        curves: Vec::new(),
        coverage: None,
    };
    let share = folds.test_share();
    let mut best: Option<Measured> = None;
    for recipe in recipes {
        match measured(labelled, folds, recipe, &run.part(recipe.method.name())) {
            Ok(Some(found)) => {
                choice.entries.push(found.entry.clone());
                let loss = |one: &Measured| one.entry.mean(Score::loss, share).0;
                // The models of methods that were beaten are let go at once.
                if best.as_ref().is_none_or(|best| loss(&found).total_cmp(&loss(best)).is_lt()) {
                    best = Some(found);
                }
            }
            Ok(None) | Err(Error::Stopped) => break,
            Err(error) if recipes.len() > 1 => {
                choice.failures.push(format!("`{}` could not be fitted: {error}", recipe.method.name()));
            }
            Err(error) => return Err(error),
        }
    }
    let Some(best) = best else {
        return Err(match run.stopped() {
            true => Error::Stopped,
            false => Error::data(choice.failures.join("; ")),
        });
    };
    choice.entries.sort_by(|a, b| a.mean(Score::loss, share).0.total_cmp(&b.mean(Score::loss, share).0));
    choice.curves.clone_from(&best.curves);
    Ok((choice, best))
}

/// Compares the recipes and makes a model of the best: the mean of its fold models, with intervals or sets from the
/// rows that each of them did not see, and a summary in words. Without a number of folds it is [`usual_folds`].
///
/// Of a table too large to be compared as a whole, the best method learns once more from all rows but some that are
/// kept apart to measure that model.
///
/// What is stopped is never kept unfinished: a stop during the comparison ends it, and the best of the methods whose
/// folds were all done is the model, for it is finished; a stop during the last fit of a large table falls back on the
/// fold models. Such a model says that it was cut off. Cheap methods come first, if the caller lists them so.
///
/// # Errors
/// When nothing can be fitted, or the run was stopped before anything was finished.
pub fn fit_best(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    fold_count: Option<usize>,
    run: &Run,
) -> Result<(Model, Choice)> {
    let labelled = Labelled::new(data, roles, run)?;
    let count = fold_count.unwrap_or_else(|| usual_folds(&labelled.truth));
    let folds = labelled.folds(count, run.seed());
    let (mut choice, best) = choose(&labelled, &folds, recipes, run)?;
    let recipe = best.entry.recipe.clone();
    let mut cut_off = run.stopped().then(|| {
        let done: Vec<&str> = choice.entries.iter().map(|entry| entry.recipe.method.name()).collect();
        format!("The comparison was stopped when {} had been compared.", done.join(", "))
    });
    if cut_off.is_some() {
        run.warn(format!("stopped; the model is `{}`, the best that was finished", recipe.method.name()));
    }
    let promise = Promise::of_folds(&labelled, &best, &choice.truth);
    choice.coverage = promise.intervals.as_ref().map(|own| own.check(COVERAGE_LEVEL));
    let mut models = None;
    if !folds.apart.is_empty() && cut_off.is_none() {
        models = learned_from_all(&labelled, &folds, &best, &mut choice, run)?;
        if models.is_none() {
            let name = recipe.method.name();
            cut_off = Some(format!("The fit of `{name}` on all rows was stopped; this one saw a sample."));
        }
    }
    let (models, promise) = models.unwrap_or((best.models, promise));
    let mut model = Model::of_folds(data, roles, &recipe, models, run)?;
    model.summary.notes = choice.words();
    model.summary.cut_off = cut_off;
    if let Part::Predict(part) = &mut model.part {
        part.intervals = promise.intervals.map(Intervals::CrossValidated);
        part.sets = promise.sets;
    }
    Ok((model, choice))
}

/// What errors on held-out rows promise.
struct Promise {
    intervals: Option<CrossValidated>,
    sets: Option<Sets>,
}

impl Promise {
    /// From the models of a cross-validation.
    fn of_folds(labelled: &Labelled, best: &Measured, truth: &Targets) -> Self {
        let errors = errors(&best.entry.predictions, truth);
        let rows = best.held_out(labelled.inputs(), &errors);
        match truth.task {
            Task::Regression => Self { intervals: Some(CrossValidated::learn(rows)), sets: None },
            Task::Classification { classes } => {
                Self { intervals: None, sets: Some(Sets::learn(rows, &truth.classes, classes)) }
            }
        }
    }

    /// From one model and rows kept apart from it.
    fn split(rows: HeldOut<'_>, truth: &Targets, spread: Spread) -> Self {
        match truth.task {
            Task::Regression => Self { intervals: Some(CrossValidated::split(rows, spread)), sets: None },
            Task::Classification { classes } => {
                Self { intervals: None, sets: Some(Sets::split(rows, &truth.classes, classes, spread)) }
            }
        }
    }
}

/// How far off answers are: the distance of numbers, or what the chance of the true class lacks.
fn errors(predictions: &[f64], truth: &Targets) -> Vec<f64> {
    match truth.task {
        Task::Regression => {
            predictions.iter().zip(&truth.numbers).map(|(answer, y)| (f64::from(*y) - answer).abs()).collect()
        }
        Task::Classification { classes } => {
            let rows = predictions.chunks_exact(classes).zip(&truth.classes);
            rows.map(|(chances, class)| 1.0 - chances[*class as usize]).collect()
        }
    }
}

/// The best method learned from all rows of a large table but those kept apart, and what its errors on these promise;
/// `None` when it was stopped. Spread and temperature are those of the sample, which has none of the rows kept apart.
fn learned_from_all(
    labelled: &Labelled,
    folds: &Folds,
    best: &Measured,
    choice: &mut Choice,
    run: &Run,
) -> Result<Option<(Vec<FoldModel>, Promise)>> {
    let recipe = &best.entry.recipe;
    let training: Vec<usize> =
        (0..labelled.rows()).filter(|row| folds.apart.binary_search(row).is_err()).collect();
    let split = labelled.encode(&training, &folds.apart, recipe)?;
    let (heard, run) = curves_of(&run.part(&format!("{}, all rows", recipe.method.name())));
    let fitted = split.fit(recipe, &run);
    if run.stopped() {
        return Ok(None);
    }
    let mut model = fitted?;
    model.temperature = best.entry.temperature;
    let errors_of_sample = errors(&best.entry.predictions, &choice.truth);
    let spread = Spread::learn(&best.holes, labelled.inputs(), &errors_of_sample);
    let own = errors(&split.answers(&model, &run)?, &split.truth);
    let (zeros, holes) = (vec![0; own.len()], holes_of(&split.rows));
    let rows = HeldOut { inputs: labelled.inputs(), folds: &zeros, holes: &holes, errors: &own };
    choice.curves = heard.curves();
    Ok(Some((vec![model], Promise::split(rows, &split.truth, spread))))
}

#[cfg(test)]
mod tests;
