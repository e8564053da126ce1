//! `unmiss fit`: compare a short list of methods on what is held out, make a model of the best, save it.

mod images;
mod judged;
mod ratings;
mod series;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};
use unmiss::compare::{COVERAGE_LEVEL, Choice, Choosing, Entry, Evaluation, fit_best};
use unmiss::data::{Data, Shape};
use unmiss::encode::{ClassWeights, TargetEncoder, Task, target::TaskKind};
use unmiss::error::{Error, Result};
use unmiss::explain::explain_in_passing;
use unmiss::methods::Job;
use unmiss::metrics::{Metric, Score};
use unmiss::model::{Model, Recipe, Roles};
use unmiss::report::{Page, Section, sections};
use unmiss::run::Run;
use unmiss::store::is_plain;

use super::Ended;
use super::evaluate::{
    chance, file_name,
    text::{figures, headline},
};
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, only_for_tables, settings};
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::provenance;
use crate::series_input::SeriesArguments;
use crate::telling::{JsonArgument, value};
pub use judged::division;
use judged::{Test, metric};

/// What to fit, on what, and where to put it.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table or ratings: CSV, TSV, Excel, Parquet, Arrow, lines of JSON, MovieLens' own forms, gzipped or not;
    /// images: IDX, CIFAR, .npy, .npz or a folder of pictures; `-` for standard input, or a built-in sample:
    /// sample:horse-colic, sample:penguins, sample:films, sample:digits
    data: PathBuf,
    /// The column to predict, of a table
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "model.unmiss")]
    output: PathBuf,
    /// The method; of several the one that does best on what is held out [default: for tables the weighted mean of
    /// several, `ensemble`; for ratings the best of biases, factors, autorec and the blend of them]
    #[arg(long, visible_alias = "methods", value_name = "NAMES", value_delimiter = ',')]
    method: Vec<String>,
    /// Methods that take no part where none is named
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "method")]
    without: Vec<String>,
    /// Give each method the best of N random settings, found on rows set aside among those that are compared
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    tune: u16,
    /// Keep the one method that does best instead of the mean of several
    #[arg(long, conflicts_with = "method")]
    single: bool,
    /// How much is tried for a table: quick takes a second or two on a small one, normal about a minute on two cores up
    /// to 20,000 rows of 50 columns, best what it takes
    #[arg(long, value_name = "EFFORT", conflicts_with = "method")]
    effort: Option<EffortArgument>,
    /// Change a setting of the method, as NAME=VALUE; `unmiss methods NAME` lists them (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Columns carried over to the predictions and not learned from
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    id: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// A column of row weights
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// What to predict, if the guess from the target's values is not wanted
    #[arg(long, value_name = "TASK")]
    task: Option<TaskArgument>,
    /// Of two classes the one that figures are about and whose chance is told [default: the word for yes, `died`,
    /// `positive` and the like, else the last by the alphabet]
    #[arg(long, value_name = "CLASS")]
    event: Option<String>,
    /// How classes of unequal size weigh in learning
    #[arg(long, value_name = "HOW", default_value = "equal")]
    class_weights: ClassWeightsArgument,
    /// A file to judge the model on when it is there, or a share: of a table it is set aside and never learned from; of
    /// ratings, images and series methods are measured on it and the saved model learns from all [default: 0.1; 0:
    /// nothing is measured]
    #[arg(long, value_name = "FILE|SHARE")]
    test: Option<Test>,
    /// The figure that methods are ordered by, and for accuracy, balanced-accuracy and f1 the chance from which on the
    /// second of two classes is said [default: log-loss or rmse]
    #[arg(long, value_name = "FIGURE", value_parser = metric)]
    metric: Option<Metric>,
    /// The chance from which on the second of two classes is said [default: 0.5, or the best by --metric]
    #[arg(long, value_name = "CHANCE", value_parser = chance)]
    threshold: Option<f64>,
    /// A column that tells which rows belong together, as those of one person: they are never on both sides of a
    /// measurement, and the column is no input. For rows that follow each other say --time COLUMN
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// Folds of the cross-validation, whose models are the model [default: 5; 10 where rows are few]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=100))]
    folds: Option<u16>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Begin anew even if an earlier fit of the same model was cut off
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    ratings: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// How much is tried.
#[derive(Clone, Copy, ValueEnum)]
pub enum EffortArgument {
    Quick,
    Normal,
    Best,
}

impl EffortArgument {
    /// The word for it in the method's settings.
    fn word(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Normal => "normal",
            Self::Best => "best",
        }
    }
}

/// What to predict.
#[derive(Clone, Copy, ValueEnum)]
pub enum TaskArgument {
    Regression,
    Classification,
}

/// How classes weigh.
#[derive(Clone, Copy, ValueEnum)]
pub enum ClassWeightsArgument {
    Equal,
    Balanced,
}

impl From<TaskArgument> for TaskKind {
    fn from(task: TaskArgument) -> Self {
        match task {
            TaskArgument::Regression => Self::Regression,
            TaskArgument::Classification => Self::Classification,
        }
    }
}

impl From<ClassWeightsArgument> for ClassWeights {
    fn from(weights: ClassWeightsArgument) -> Self {
        match weights {
            ClassWeightsArgument::Equal => Self::Equal,
            ClassWeightsArgument::Balanced => Self::Balanced,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    let (data, output, html) = (&arguments.data, &arguments.output, &arguments.html);
    let read = Files::default().reads([data]).reads(arguments.images.files()).reads(arguments.series.files());
    let written = read.reads(arguments.test_file()).file("-o", [output]).file("--html", html);
    written.tables("--json", arguments.json.path()).check()?;
    let target = arguments.target.as_deref();
    let shape = arguments.series.shape_of_rows(target, &arguments.ratings, &arguments.data)?;
    arguments.images.only_for_images(shape)?;
    if shape != Shape::Table {
        only_for_tables(shape, &arguments.given_for_tables())?;
    }
    match shape {
        Shape::Images => images::run(arguments, general, printer),
        Shape::Table => fit_rows(arguments, general, printer),
        Shape::Ratings => ratings::run(arguments, general, printer),
        Shape::Series => series::run(arguments, general, printer),
    }
}

/// Learns to predict a column of a table.
fn fit_rows(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    let recipes = arguments.recipes(Shape::Table, Job::Predict)?;
    let roles = arguments.roles()?;
    let data = arguments.input.read_inputs(&arguments.data, &roles, printer)?;
    arguments.check_test(&data, &roles)?;
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let (data, aside) = arguments.set_aside(data, &roles, general.seed)?;
    let (mut model, choice) = fit_table(&data, &roles, &recipes, arguments.choosing()?, &run, printer)?;
    model.missing = arguments.input.options()?.missing;
    provenance::note(&mut model, &arguments.data, &data);
    note_scores(&mut model, Some(&choice.evaluation));
    model.save(&arguments.output)?;
    let judged = arguments.judge(&model, aside.as_ref(), &run, printer)?;
    if let Some(path) = &arguments.html {
        Page::new(format!("Predicting `{}` from {}", roles.target, file_name(&arguments.data)))
            .summary(headline(&choice.evaluation))
            .sections(page_sections(&data, &model, &choice)?)
            .sections(sections::origin(&model))
            .write(path)?;
    }
    let text = report(&data, &model, &choice) + &arguments.judged_words(judged.as_ref());
    arguments.told(value(&choice.found())?, judged.as_ref(), &text, printer)?;
    if Ended::of(&model, &run) == Ended::CutOff {
        return Ok(Ended::CutOff);
    }
    run.clear_checkpoints();
    Ok(Ended::Done)
}

/// Compares and fits, telling what is going on.
pub fn fit_table(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    choosing: Choosing,
    run: &Run,
    printer: &Printer,
) -> Result<(Model, Choice)> {
    let result = fit_best(data, roles, recipes, choosing, run).map(|(mut model, choice)| {
        explain_in_passing(&mut model, data, &choice.held_out, run);
        (model, choice)
    });
    printer.close();
    result
}

impl Arguments {
    /// The same command for data that are ratings in any case.
    pub fn for_ratings(mut self) -> Self {
        self.ratings = self.ratings.for_ratings();
        self
    }

    /// Tells what was found, what the model was judged on besides, and where the model is.
    fn told(&self, found: Value, judged: Option<&Evaluation>, text: &str, printer: &Printer) -> Result<()> {
        let json = json!({ "model": self.output, "found": found, "test": judged });
        let text = format!("{text}\nThe model is in {}.\n", self.output.display());
        self.json.tell_of(&self.output, &json, &text, printer)
    }

    fn roles(&self) -> Result<Roles> {
        let target = self.target.clone().ok_or_else(|| {
            Error::setting("target", "it is not said which column is to be predicted").with_hint(
                "say --target COLUMN; for ratings, say --user USER --item ITEM --rating RATING or --shape ratings",
            )
        })?;
        Ok(Roles {
            target,
            id: self.id.clone(),
            ignore: self.ignore.clone(),
            weight: self.weight.clone(),
            class_weights: self.class_weights.into(),
            task: self.task.map(TaskKind::from),
            event: self.event.clone(),
            ordered: self.input.ordered()?,
            dates: self.input.dates(),
        })
    }

    /// The methods named, with the settings given, or the short list.
    fn recipes(&self, shape: Shape, job: Job) -> Result<Vec<Recipe>> {
        if self.method.is_empty() {
            if let Some(setting) = self.set.first() {
                let name = setting.split('=').next().unwrap_or_default();
                return Err(Error::setting(name, "settings belong to a method, and none is named")
                    .with_hint(format!("say --method NAME --set {setting}")));
            }
            if self.single && self.effort.is_none() {
                let mut recipes = Recipe::short_list(shape, job);
                recipes.retain(|recipe| !self.without.iter().any(|name| name == recipe.method.name()));
                return Ok(recipes);
            }
            let usual = Recipe::usual(shape, job);
            return match self.effort {
                Some(effort) => usual.into_iter().map(|own| own.set("effort", effort.word())).collect(),
                None => Ok(usual),
            };
        }
        let changes = settings(&self.set)?;
        // Of several methods one may be meant, as in `compare`: METHOD.NAME=VALUE.
        let meant = |name: &str, setting| match str::split_once(setting, '.') {
            Some((method, own)) if self.method.iter().any(|known| known == method) => {
                (method == name).then_some(own)
            }
            _ => Some(setting),
        };
        let recipe = |name: &String| {
            let own = changes.iter().filter_map(|(setting, value)| Some((meant(name, setting)?, *value)));
            Recipe::find(name, shape, job)?.set_all(own)
        };
        self.method.iter().map(recipe).collect()
    }
}

/// What was learned from, how the methods did, and what won.
pub fn report(data: &Data, model: &Model, choice: &Choice) -> String {
    let mut text = String::new();
    for sentence in learned_words(data, model) {
        text.push_str(&wrapped(&sentence, 0));
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&score_table(choice));
    for sentence in choice.words().iter().chain(&choice.failures).chain(&interval_words(model, choice)) {
        text.push_str(&wrapped(sentence, 0));
        text.push('\n');
    }
    if !choice.entries.is_empty() {
        text.push_str("\nAll figures of the model, on rows that it did not see\n");
        text.push_str(&figures(&choice.evaluation));
    }
    for sentence in choice.evaluation.warnings() {
        text.push_str(&format!("{}\n", wrapped(&sentence, 0)));
    }
    text
}

/// The fit as sections of a page, with the same words and numbers.
pub fn page_sections(data: &Data, model: &Model, choice: &Choice) -> Result<Vec<Section>> {
    sections::fit(model, choice, &learned_words(data, model), &interval_words(model, choice))
}

/// What is predicted, and what was learned from.
fn learned_words(data: &Data, model: &Model) -> Vec<String> {
    let summary = &model.summary;
    let mut learned = format!(
        "Learned from {} of {} rows and {} input columns; {:.1} % of the input cells are missing.",
        number(summary.rows),
        number(data.rows()),
        model.coder.names().len(),
        100.0 * summary.missing_share
    );
    if summary.rows_without_target > 0 {
        let count = number(summary.rows_without_target);
        learned.push_str(&format!(" {count} rows without a target were left out."));
    }
    let task = model.predicting().map(|model| task_words(model.target));
    task.into_iter().chain([learned]).chain(summary.cut_off.clone()).collect()
}

/// What the model is made of, what its intervals or sets promise, and how that was kept.
fn interval_words(model: &Model, choice: &Choice) -> Vec<String> {
    let Ok(predicting) = model.predicting() else { return Vec::new() };
    let mut words = vec![match predicting.fold_models() {
        Some(1) => format!(
            "The model learned from all rows but {}, which were kept apart to measure it.",
            number(choice.held_out.len())
        ),
        folds => format!(
            "The model is the mean of the {} models of `{}`'s folds: what was measured is what it is made of.",
            folds.unwrap_or(1),
            model.recipe.method.name()
        ),
    }];
    let level = 100.0 * COVERAGE_LEVEL;
    if let Some((reach, coverage)) = predicting.reach(COVERAGE_LEVEL).zip(choice.coverage) {
        words.push(format!(
            "Prediction intervals come from held-out errors (CV+), wider where what matters is missing. At level \
             {level:.0} % they reach {reach:.4} to either side for a complete row on which the models agree; {:.1} % \
             of the held-out errors lie within what the other folds' errors promise.",
            100.0 * coverage
        ));
    }
    if let Some(sets) = predicting.sets {
        let whom = if sets.by_class() { "of each class" } else { "of all classes together" };
        words.push(format!(
            "`predict --level {COVERAGE_LEVEL}` adds the set of classes that holds the true one in {level:.0} % of the \
             rows {whom}."
        ));
    }
    if let Some(best) = choice.entries.first().filter(|entry| entry.temperature != 1.0) {
        let how = if best.temperature > 1.0 { "softened" } else { "sharpened" };
        words.push(format!(
            "Chances are {how} (to the power of 1 / {:.2}), which lowers the held-out log-loss.",
            best.temperature
        ));
    }
    words
}

fn task_words(target: &TargetEncoder) -> String {
    let name = &target.name;
    match target.task {
        Task::Regression => format!("Task: regression, predicting the number `{name}`."),
        Task::Classification { classes } => {
            let levels = target.levels.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if classes > 8 { ", ..." } else { "" };
            format!("Task: classification, predicting `{name}` ({classes} classes: {levels}{more}).")
        }
    }
}

fn score_table(choice: &Choice) -> String {
    if choice.entries.is_empty() {
        return "The comparison was stopped before any method was done.\n".into();
    }
    let rows = if choice.rows.len() < choice.all_rows {
        format!("{} of the {} rows", number(choice.rows.len()), number(choice.all_rows))
    } else {
        format!("all {} rows", number(choice.rows.len()))
    };
    let words = choice.division.words();
    let measured =
        format!("{}-fold cross-validation on {rows}{words} (mean +- 95 % interval):", choice.folds);
    let mut text = wrapped(&measured, 0) + "\n\n";
    text.push_str(&format!(
        "  {:12} {:>19} {:>19} {:>12} {:>9}\n",
        "method",
        columns(choice)[0],
        columns(choice)[1],
        columns(choice)[2],
        "seconds"
    ));
    for entry in &choice.entries {
        text.push_str(&score_line(entry, choice.folds));
    }
    text.push('\n');
    text
}

fn columns(choice: &Choice) -> [&'static str; 3] {
    match choice.entries.first().and_then(|entry| entry.scores.first()) {
        Some(Score::Regression { .. }) => ["RMSE / sd", "R2", "MAE / sd"],
        _ => ["log-loss", "AUROC", "accuracy"],
    }
}

fn score_line(entry: &Entry, folds: usize) -> String {
    let share = 1.0 / folds as f64;
    let third = |score: &Score| match score {
        Score::Regression { mae, .. } => *mae,
        Score::Classification { accuracy, .. } => *accuracy,
    };
    let pair = |(mean, half): (f64, f64)| match mean.is_finite() {
        true => format!("{mean:.4} +- {half:.4}"),
        // A fold of one row has no variance to explain, one of a single class no order.
        false => "-".to_owned(),
    };
    format!(
        "  {:12} {:>19} {:>19} {:>12.4} {:>9.1}\n",
        entry.recipe.method.name(),
        pair(entry.mean(Score::loss, share)),
        pair(entry.mean(Score::headline, share)),
        entry.mean(third, share).0,
        entry.seconds
    )
}

/// Notes in a model how it did on what it did not see.
fn note_scores(model: &mut Model, found: Option<&Evaluation>) {
    let scores = found.into_iter().flat_map(|found| &found.figures);
    let scores = scores.filter_map(|own| Some((own.metric, own.value?))).collect();
    if let Some(made) = &mut model.summary.provenance {
        made.scores = scores;
    }
}

/// The run, with its unfinished work kept in a folder beside the model. A model that goes to a pipe or a device has
/// none: there is no place beside those, and nothing to come back to.
fn kept_beside(output: &Path, fresh: bool, run: Run, printer: &Printer) -> Run {
    if !is_plain(output) {
        return run;
    }
    let mut name = output.as_os_str().to_owned();
    name.push(".unfinished");
    let folder = PathBuf::from(name);
    let kept = std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_some());
    let run = run.checkpoints_in(&folder);
    if fresh {
        return run.anew();
    }
    if kept {
        let folder = folder.display();
        printer.say(&format!("note: going on with the unfinished fit in {folder} where it still applies"));
    }
    run
}
