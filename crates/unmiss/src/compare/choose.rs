//! The choice of a method, or the weights of several, by cross-validation, said in words with its uncertainty, and the
//! model that comes of it: the mean of the fold models that were measured.

use super::choosing::{Choosing, Division};
use super::comparison::Contestant;
use super::doubts::Judged;
use super::evaluation::{Evaluation, evaluate_held_out};
use super::labelled::Labelled;
use super::tune::settings_for;
use crate::data::Data;
use crate::encode::{Encoding, Rows, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::ensemble::{self, Size};
use crate::methods::folds::{
    Entry, FoldModel, FoldModels, Folds, Splits, Validated, cross_validate, learn_from_all, usual_folds,
};
use crate::methods::{Recipe, Training};
use crate::metrics::{Judge, Metric, Score, mean_over_folds};
use crate::model::{
    CrossValidated, HeldOut, Intervals, Model, Part, Prepared, Roles, Sets, Spread, holes_of,
};
use crate::run::{Curve, Run};

/// Methods compared on the same folds; what the model is made of stands first.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Results: of what the model is, then of the others by their loss.
    pub entries: Vec<Entry>,
    /// What each method counts in a mean of several; empty where the model is of one.
    pub weights: Vec<(&'static str, f64)>,
    /// Methods that could not be fitted or were given up, and why.
    pub failures: Vec<String>,
    /// Rows compared, fold by fold.
    pub rows: Vec<usize>,
    /// Number of folds.
    pub folds: usize,
    /// How many of the rows compared each fold held out.
    pub fold_sizes: Vec<usize>,
    /// Rows the table has with a known target.
    pub all_rows: usize,
    /// The targets of the rows compared, in their order.
    pub truth: Targets,
    /// How the trainings of the chosen method's models went; empty for a method without steps.
    pub curves: Vec<Curve>,
    /// (row, fold): rows with a known target that the model's models of folds did not learn from. Of a large table
    /// those that were kept apart.
    pub held_out: Vec<(usize, usize)>,
    /// Share of held-out rows whose error is within what the other folds' errors promise at [`COVERAGE_LEVEL`].
    pub coverage: Option<f64>,
    /// What methods were ordered by, where it was told.
    pub metric: Option<Metric>,
    /// How rows were divided.
    pub division: Division,
    /// Columns that are no inputs, and why.
    pub left_out: Vec<String>,
    /// Every figure of the model on rows that it did not see: those that were kept apart from what it learned from, or
    /// of the mean of fold models all rows compared, each by the models that were learned without it.
    pub evaluation: Evaluation,
}

/// The level at which the coverage of intervals is measured.
pub const COVERAGE_LEVEL: f64 = 0.9;

impl Choice {
    fn new(labelled: &Labelled, folds: &Folds, validated: &mut Validated, how: &Choosing, run: &Run) -> Self {
        let rows = folds.held_out.concat();
        let left_out = validated.left_out.iter().map(|name| {
            format!("`{name}` was given up after two folds: the mean of the others does no better with it.")
        });
        let several = validated.members.len() > 1;
        let members = validated.members.iter().filter(|_| several);
        let mut weights: Vec<(&str, f64)> =
            members.map(|(own, weight)| (own.method.name(), *weight)).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        let predictions =
            validated.entries.first().map(|entry| entry.predictions.clone()).unwrap_or_default();
        Self {
            curves: validated.entries.first().map(|entry| entry.curves.clone()).unwrap_or_default(),
            entries: std::mem::take(&mut validated.entries),
            weights,
            failures: validated.failures.iter().cloned().chain(left_out).collect(),
            evaluation: judged(labelled, &labelled.truth.select(&rows), &predictions, how, run),
            left_out: labelled.notes().to_vec(),
            metric: how.metric,
            division: how.division.clone(),
            truth: labelled.truth.select(&rows),
            rows,
            folds: folds.held_out.len(),
            fold_sizes: folds.held_out.iter().map(Vec::len).collect(),
            all_rows: labelled.rows(),
            held_out: rows_of_folds(folds),
            coverage: None,
        }
    }

    /// The share of the rows compared that a fold holds out.
    pub fn test_share(&self) -> f64 {
        1.0 / self.folds as f64
    }

    /// What won, by how much and with what uncertainty; of a mean, what each method counts.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let Some(best) = self.entries.first() else { return words };
        let figure = match best.scores.first() {
            Some(Score::Regression { .. }) => "RMSE",
            _ => "log-loss",
        };
        let (loss, half) = best.mean(Score::loss, self.test_share());
        words.push(match self.weights.as_slice() {
            [] => format!("`{}` has the lowest {figure}: {loss:.4} +- {half:.4}.", best.recipe.method.name()),
            weights => {
                let part = |(name, weight): &(&str, f64)| format!("{:.0} % `{name}`", 100.0 * weight);
                let mut parts: Vec<String> = weights.iter().map(part).collect();
                let rest = 1.0 - weights.iter().map(|(_, weight)| weight).sum::<f64>();
                if rest >= 0.005 {
                    let average =
                        if figure == "RMSE" { "the target's mean" } else { "the shares of the classes" };
                    parts.push(format!("{:.0} % {average}", 100.0 * rest));
                }
                format!(
                    "The model is a mean of methods: {}. Its {figure} is {loss:.4} +- {half:.4}.",
                    parts.join(", ")
                )
            }
        });
        if let Some(second) = self.entries.get(1) {
            words.push(self.against(best, second, figure));
        }
        words.extend(self.figure_words());
        words
    }

    /// What should keep anybody from believing the scores.
    fn doubts(&self, labelled: &Labelled) -> Vec<String> {
        let Some(best) = self.entries.first() else { return Vec::new() };
        let judged = Judged {
            target: &labelled.target,
            truth: &self.truth,
            answers: &best.predictions,
            headline: best.mean(Score::headline, self.test_share()).0,
            threshold: self.evaluation.threshold,
        };
        judged.doubts(self.all_rows, labelled.inputs())
    }

    /// What the figure that was told is, and where the second class begins.
    fn figure_words(&self) -> Vec<String> {
        let Evaluation { classes, threshold, .. } = &self.evaluation;
        let told = self.metric.map(|metric| {
            format!(
                "Methods are ordered by {}; that of the model is {:.4} over all held-out rows.",
                metric.title(),
                self.evaluation.value(metric)
            )
        });
        let second = threshold.zip(classes.get(1)).map(|(threshold, class)| {
            let value = |metric| 100.0 * self.evaluation.value(metric);
            format!(
                "`{class}` is said from a chance of {threshold:.4} on: {:.1} % of its rows are found (sensitivity), and \
                 {:.1} % of the others are not taken for it (specificity).",
                value(Metric::Sensitivity),
                value(Metric::Specificity)
            )
        });
        told.into_iter().chain(second).collect()
    }

    /// The paired difference between the model and the best other, in a sentence.
    fn against(&self, best: &Entry, second: &Entry, figure: &str) -> String {
        let pairs = best.scores.iter().zip(&second.scores);
        let differences: Vec<f64> = pairs.map(|(a, b)| b.loss() - a.loss()).collect();
        let (difference, half) = mean_over_folds(&differences, self.test_share());
        let share = 100.0 * difference / second.mean(Score::loss, self.test_share()).0;
        let (name, next) =
            (second.recipe.method.name(), if self.weights.is_empty() { "Next" } else { "Best alone" });
        // A difference that no written digit shows is none.
        let shown = difference.abs() >= 5e-5;
        let verdict = match shown && difference.abs() > half {
            true => "a clear difference at the 95 % level",
            false => "within the noise of the folds: either would do",
        };
        let (higher, difference, share) = match difference < 0.0 {
            true => ("lower", -difference, -share),
            false => ("higher", difference, share),
        };
        // Of a loss next to nothing, shares are no figure to go by.
        let share = if share <= 100.0 { format!(" ({share:.1} %)") } else { String::new() };
        format!("{next} is `{name}`, {figure} {higher} by {difference:.4} +- {half:.4}{share}: {verdict}.")
    }
}

/// Compares the recipes and makes a model of the best: the mean of its fold models, with intervals or sets from the
/// rows that each of them did not see, and a summary in words. Without a number of folds it is [`usual_folds`]. If the
/// only recipe is that of `ensemble`, its methods are compared and the model is their weighted mean.
///
/// Of a table too large to be compared as a whole, what the model is made of learns once more from all rows but some
/// that are kept apart to measure that model.
///
/// What is stopped is never kept unfinished: a stop during the comparison ends it, and the model is made of the methods
/// whose folds were all done; a stop during the last fit of a large table falls back on the fold models. Such a model
/// says that it was cut off. Cheap methods come first, if the caller lists them so.
///
/// # Errors
/// When nothing can be fitted, or the run was stopped before anything was finished.
pub fn fit_best(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    how: impl Into<Choosing>,
    run: &Run,
) -> Result<(Model, Choice)> {
    let how = how.into();
    let roles = &how.division.roles(roles);
    let labelled = Labelled::new(data, roles, &how.division, run)?;
    how.check(labelled.target.task)?;
    let prepared = labelled.prepare(Encoding::default())?;
    let Prepared { coder, rows, targets } = &prepared;
    let training = Training { encoder: coder.table()?, inputs: rows.table()?, targets };
    let size = Size::of(targets, coder.table()?);
    let mut plan = Plan::new(recipes, &labelled, size, how.folds, run.seed())?;
    plan.together = plan.together.filter(|_| !how.single);
    plan.leave_out(&how.without)?;
    how.division.check(&plan.folds)?;
    plan.tune(&labelled, how.tune, run);
    let splits = Splits::new(training, &labelled.truth, &plan.folds).judged_by(how.metric);
    let mut validated = cross_validate(&splits, &plan.members, plan.together.as_ref(), run)?;
    let mut choice = Choice::new(&labelled, &plan.folds, &mut validated, &how, run);
    let recipe = plan.together.clone().unwrap_or_else(|| validated.members[0].0.clone());
    let mut cut_off = run.stopped().then(|| {
        let compared = choice.entries.iter().filter(|entry| entry.recipe.method.name() != "ensemble");
        let done: Vec<&str> = compared.map(|entry| entry.recipe.method.name()).collect();
        format!("The comparison was stopped when {} had been compared.", done.join(", "))
    });
    if cut_off.is_some() {
        run.warn(format!("stopped; the model is `{}`, of what was finished", recipe.method.name()));
    }
    let measured = Measured::new(&splits, &validated, &choice)?;
    let mut promise = measured.promise(&labelled, &choice.truth);
    choice.coverage = promise.intervals.as_ref().map(|own| own.check(COVERAGE_LEVEL));
    if !plan.folds.apart.is_empty() && cut_off.is_none() {
        match learn_from_all(&splits, &validated, run)? {
            Some((model, curves)) => {
                choice.curves = curves;
                choice.held_out = plan.folds.apart.iter().map(|row| (*row, 0)).collect();
                let alone = FoldModels::new(coder.clone(), targets.task, members(&validated), vec![model]);
                let apart;
                (promise, validated.models, apart) =
                    measured.on_rows_kept_apart(&labelled, &splits, rows, alone, run)?;
                let truth = labelled.truth.select(&plan.folds.apart);
                choice.evaluation = judged(&labelled, &truth, &apart, &how, run);
            }
            None => {
                let name = recipe.method.name();
                cut_off =
                    Some(format!("The fit of `{name}` on all rows was stopped; this one saw a sample."));
            }
        }
    }
    let mut model = Model::of_folds(data, roles, &recipe, (members(&validated), validated.models), run)?;
    let doubts = choice.doubts(&labelled);
    doubts.iter().for_each(|doubt| run.warn(doubt.clone()));
    model.summary.notes = [choice.words(), doubts].concat();
    model.summary.cut_off = cut_off;
    if let Part::Predict(part) = &mut model.part {
        part.intervals = promise.intervals.map(Intervals::CrossValidated);
        part.sets = promise.sets;
        part.threshold = choice.evaluation.threshold;
    }
    Ok((model, choice))
}

/// Every figure of answers for held-out rows; the threshold is the one told, or the best by the figure told.
fn judged(labelled: &Labelled, truth: &Targets, answers: &[f64], how: &Choosing, run: &Run) -> Evaluation {
    let best = |metric| Judge::of_classes(answers, truth, None).best_threshold(metric);
    let chosen = || how.metric.filter(|_| truth.task == Task::Classification { classes: 2 }).and_then(best);
    let threshold = how.threshold.or_else(|| chosen().map(|(threshold, _)| threshold));
    evaluate_held_out(&labelled.target, truth, answers, threshold, run)
}

/// (row, fold) of all rows that are compared.
fn rows_of_folds(folds: &Folds) -> Vec<(usize, usize)> {
    let of_folds = folds.held_out.iter().zip(0..);
    of_folds.flat_map(|(rows, fold)| rows.iter().map(move |row| (*row, fold))).collect()
}

fn members(validated: &Validated) -> Vec<Recipe> {
    validated.members.iter().map(|(member, _)| member.clone()).collect()
}

/// Who is measured on which folds, and whether they become one.
struct Plan {
    members: Vec<Recipe>,
    /// The recipe of the mean of all, where that is wanted.
    together: Option<Recipe>,
    folds: Folds,
}

impl Plan {
    fn new(
        recipes: &[Recipe],
        labelled: &Labelled,
        size: Size,
        count: Option<usize>,
        seed: u64,
    ) -> Result<Self> {
        let truth = &labelled.truth;
        match recipes {
            [recipe] if recipe.method.name() == "ensemble" => {
                let settings = ensemble::Settings::checked(&recipe.settings)?;
                Ok(Self {
                    members: settings.members(size)?,
                    together: Some(recipe.clone()),
                    folds: settings.deal(truth, &labelled.ties, count, seed),
                })
            }
            _ if recipes.iter().any(|recipe| recipe.method.name() == "ensemble") => {
                let what = "`ensemble` is made of other methods and is named alone";
                Err(Error::setting("method", what).with_hint("its setting `methods` says which take part"))
            }
            _ => {
                let folds = labelled.folds(count.unwrap_or_else(|| usual_folds(truth)), seed);
                Ok(Self { members: recipes.to_vec(), together: None, folds })
            }
        }
    }
}

impl Plan {
    fn leave_out(&mut self, without: &[String]) -> Result<()> {
        self.members.retain(|member| !without.iter().any(|name| name == member.method.name()));
        match self.members.is_empty() {
            true => Err(Error::setting("without", "no method is left").with_hint("leave out fewer")),
            false => Ok(()),
        }
    }

    /// Gives each method the best of some random settings, its own among them.
    fn tune(&mut self, labelled: &Labelled, draws: usize, run: &Run) {
        let mut rows = [self.folds.first.clone().unwrap_or_default(), self.folds.held_out.concat()].concat();
        rows.sort_unstable();
        for member in self.members.iter_mut().filter(|_| draws > 0) {
            let (method, part) = (member.method, run.part(&format!("{}, tuned", member.method.name())));
            let found =
                settings_for(&Contestant::new(member, draws), method, run.seed(), &part, |settings, run| {
                    labelled.inner_loss(&Recipe { method, settings: settings.clone() }, &rows, run)
                });
            // What can't be fitted is told when it is compared; what was stopped is compared as it is.
            if let Ok(settings) = found {
                member.settings = settings;
            }
        }
    }
}

/// Held-out rows with their errors.
struct Measured {
    folds: Vec<usize>,
    holes: Vec<Vec<u32>>,
    errors: Vec<f64>,
}

/// What errors on held-out rows promise.
struct Promise {
    intervals: Option<CrossValidated>,
    sets: Option<Sets>,
}

impl Measured {
    fn new(splits: &Splits<'_>, validated: &Validated, choice: &Choice) -> Result<Self> {
        let first = &validated.members[0].0;
        let encoding = first.method.encoding(&first.settings)?;
        let (mut folds, mut holes) = (Vec::new(), Vec::new());
        for (fold, held_out) in splits.folds.held_out.iter().enumerate() {
            folds.extend(vec![fold; held_out.len()]);
            holes.extend(holes_of(&splits.split(fold, encoding).held_out));
        }
        Ok(Self { folds, holes, errors: errors(&choice.entries[0].predictions, &choice.truth) })
    }

    /// From the models of a cross-validation.
    fn promise(&self, labelled: &Labelled, truth: &Targets) -> Promise {
        let Self { folds, holes, errors } = self;
        let rows = HeldOut { inputs: labelled.inputs(), folds, holes, errors };
        match truth.task {
            Task::Regression => Promise { intervals: Some(CrossValidated::learn(rows)), sets: None },
            Task::Classification { classes } => {
                Promise { intervals: None, sets: Some(Sets::learn(rows, &truth.classes, classes)) }
            }
        }
    }

    /// From one model and the rows kept apart from it, with that model. The spread is that of the sample, which has
    /// none of these rows.
    fn on_rows_kept_apart(
        &self,
        labelled: &Labelled,
        splits: &Splits<'_>,
        rows: &Rows,
        alone: FoldModels,
        run: &Run,
    ) -> Result<(Promise, Vec<FoldModel>, Vec<f64>)> {
        let apart = rows.select(&splits.folds.apart)?;
        let truth = splits.truth.select(&splits.folds.apart);
        let mut found = (Vec::new(), Vec::new());
        run.compute(|| alone.answers(&apart, |_, answers, own| found = (answers, holes_of(own))))?;
        let (own, holes) = (errors(&found.0, &truth), found.1);
        let spread = Spread::learn(&self.holes, labelled.inputs(), &self.errors);
        let rows =
            HeldOut { inputs: labelled.inputs(), folds: &vec![0; own.len()], holes: &holes, errors: &own };
        let promise = match truth.task {
            Task::Regression => Promise { intervals: Some(CrossValidated::split(rows, spread)), sets: None },
            Task::Classification { classes } => {
                Promise { intervals: None, sets: Some(Sets::split(rows, &truth.classes, classes, spread)) }
            }
        };
        Ok((promise, alone.into_models(), found.0))
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

#[cfg(test)]
mod tests;
