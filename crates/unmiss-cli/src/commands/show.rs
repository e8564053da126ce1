//! `unmiss show`: what is in a model file, and what the model goes by.

mod explain;
mod images;
mod occlusion;
mod series;

use std::path::PathBuf;

use serde_json::Value;
use unmiss::data::Shape;
use unmiss::encode::{Encoder, Scale, Task};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::Model;

use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, load_model};
use crate::output::{column, number, wrapped};
use crate::printer::Printer;
use crate::telling::JsonArgument;

/// What a fit calls that which holes say of the values they hide.
const HOLES: &str = "a hole suggests, in deviations from the mean";
/// Columns listed unless all are asked for.
const MOST_LISTED: usize = 30;

/// Which model.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote, or the imputer that `unmiss impute --save` kept
    model: PathBuf,
    /// With --explain: rows to find out on. Rows that the model did not learn from are best; without any, what was
    /// found out on held-out rows when the model was fitted is told
    #[arg(value_name = "DATA", requires = "explain")]
    data: Option<PathBuf>,
    /// List every column, however many there are
    #[arg(long)]
    all: bool,
    /// Tell what the model goes by: which columns, what their holes do, how the answer follows their values; of images,
    /// which of their parts
    #[arg(long)]
    explain: bool,
    /// With --explain DATA: rows to ask about, drawn at random [default: 1000; of images 100]
    #[arg(long, value_name = "N", requires = "data", value_parser = rows)]
    rows: Option<usize>,
    #[command(flatten)]
    json: JsonArgument,
    /// With --explain: write a page with charts to an HTML file
    #[arg(long, value_name = "FILE", requires = "explain")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    images: ImageArguments,
}

/// A number of rows as typed.
fn rows(typed: &str) -> std::result::Result<usize, String> {
    typed.parse().ok().filter(|rows| *rows > 1).ok_or_else(|| format!("`{typed}` is not a number above 1"))
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { data, json, html, .. } = arguments;
    let read = Files::default().reads([&arguments.model]).reads(data).reads(arguments.images.files());
    read.tables("--json", json.path()).file("--html", html).check()?;
    let model = load_model(&arguments.model, data.as_deref())?;
    arguments.images.only_for_images(model.shape())?;
    if arguments.explain {
        model.check_job(Job::Predict, &arguments.model)?;
        if model.shape() == Shape::Images {
            return occlusion::run(arguments, &model, general, printer);
        }
        if model.shape() == Shape::Series {
            let what = "what a model goes by is not told of series";
            let hint = "`unmiss audit MODEL DATA` tells what hiding each variable does to its answers";
            return Err(Error::setting("explain", what).with_hint(hint));
        }
        return explain::run(arguments, &model, general, printer);
    }
    let mut text = match model.job() {
        _ if model.shape() == Shape::Images => images::page(&model, arguments)?,
        _ if model.shape() == Shape::Series => series::page(&model, arguments)?,
        Job::Predict => predictor(&model, arguments)?,
        Job::Fill => imputer(&model, arguments)?,
        Job::Rate => recommender(&model, arguments)?,
        Job::Density => density(&model, arguments)?,
    };
    if model.job() == Job::Density
        && let Some(caveat) = model.scoring()?.caveat()
    {
        text.push_str(&format!("\nWhat its scores are\n{}\n", wrapped(caveat, 2)));
    }
    if let Some(cut_off) = &model.summary.cut_off {
        text.push_str(&format!("\nCut off\n{}\n", wrapped(cut_off, 2)));
    }
    text.push_str(&origin(&model));
    json.tell(&model.words()?, &text)
}

/// Where a model comes from, if its file says so.
fn origin(model: &Model) -> String {
    let Some(made) = &model.summary.provenance else { return String::new() };
    let mut text = String::from("\nWhere it comes from\n");
    for (name, value) in made.lines() {
        text.push_str(&format!("  {name:12}{}\n", wrapped(&value, 14).trim_start()));
    }
    text
}

/// What is in the file of a model that predicts.
fn predictor(model: &Model, arguments: &Arguments) -> Result<String> {
    let bytes =
        std::fs::metadata(&arguments.model).map_err(|error| Error::io(&arguments.model, error))?.len();
    let name = &model.predicting()?.target.name;
    let mut text = format!("{}: a model of `{name}`\n\n", arguments.model.display());
    text.push_str(&facts(model, bytes)?);
    text.push_str(&inputs(
        model.coder.table()?,
        model.summary.rows,
        if arguments.all { usize::MAX } else { MOST_LISTED },
    ));
    text.push_str(&holes(model, arguments));
    if !model.summary.notes.is_empty() {
        text.push_str("\nHow it was chosen\n");
        for note in &model.summary.notes {
            text.push_str(&format!("{}\n", wrapped(note, 2)));
        }
    }
    Ok(text)
}

/// What holes say of the values that they hide, in a model that has learned it.
fn holes(model: &Model, arguments: &Arguments) -> String {
    let found = fits(&model.summary.method).find_map(|fit| fit.get(HOLES)?.as_object());
    let Some(found) = found.filter(|found| !found.is_empty()) else { return String::new() };
    let mut text = String::from("\nWhat a hole suggests of the value that it hides\n");
    let most = if arguments.all { usize::MAX } else { MOST_LISTED };
    for (name, value) in found.iter().take(most) {
        let value = value.as_f64().unwrap_or_default();
        let side = if value < 0.0 { "below" } else { "above" };
        text.push_str(&format!("  {} {:.2} deviations {side} the mean\n", column(name, 28), value.abs()));
    }
    if found.len() > most {
        text.push_str(&format!("  ... and {} more (--all lists them)\n", found.len() - most));
    }
    text
}

/// What the fit says of itself: of one method, or of each in a mean of several.
fn fits(summary: &Value) -> impl Iterator<Item = &Value> {
    let members = summary.get("weights").and_then(Value::as_object).into_iter().flatten();
    std::iter::once(summary).chain(members.filter_map(|(_, member)| member.get("fit")))
}

/// What is in the file of a model of ratings.
fn recommender(model: &Model, arguments: &Arguments) -> Result<String> {
    let (method, ratings) = (model.recipe.method, model.rating()?.ratings);
    let (low, high) = model.rating()?.range();
    let mut text = format!("{}: a model of ratings\n\n", arguments.model.display());
    let mut lines = vec![
        ("method".to_owned(), format!("{} ({})", method.name(), method.card().about.title)),
        ("settings".to_owned(), changed(&method.defaults(), &model.recipe.settings)),
        ("ratings".to_owned(), format!("{} from {low} to {high}", number(ratings.len()))),
        ("users".to_owned(), number(ratings.users.len())),
        ("items".to_owned(), number(ratings.items.len())),
        ("known".to_owned(), format!("{:.2} % of the pairs", 100.0 * ratings.density())),
        ("seed".to_owned(), model.summary.seed.to_string()),
    ];
    lines.extend(fit_lines(&model.summary.method));
    for (name, value) in lines {
        text.push_str(&format!("  {name:17}{}\n", wrapped(&value, 19).trim_start()));
    }
    model.summary.notes.iter().for_each(|note| text.push_str(&format!("\n{}\n", wrapped(note, 2))));
    Ok(text)
}

/// What a fit says of itself, line by line: what it does not know is left out, what a part of it says stands under the
/// part's name.
fn fit_lines(summary: &Value) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (name, value) in summary.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::Object(parts) if parts.values().all(Value::is_object) => {
                lines.extend(parts.iter().map(|(part, own)| (part.clone(), in_a_row(own))));
            }
            Value::Object(_) => lines.push((name.replace('_', " "), in_a_row(value))),
            value => lines.push((name.replace('_', " "), plain(value))),
        }
    }
    lines
}

fn in_a_row(object: &Value) -> String {
    let known = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let words: Vec<String> =
        known.map(|(name, value)| format!("{} {}", name.replace('_', " "), plain(value))).collect();
    words.join(", ")
}

/// What is in an imputer's file.
fn imputer(model: &Model, arguments: &Arguments) -> Result<String> {
    let (method, encoder, part) = (model.recipe.method, model.coder.table()?, model.filling()?.part);
    let summary = &model.summary;
    let mut text = format!("{}: an imputer\n\n", arguments.model.display());
    let lines = [
        ("method", format!("{} ({})", method.name(), method.card().about.title)),
        ("settings", model.recipe.settings.to_string()),
        ("rows", number(summary.rows)),
        ("holes", format!("{:.1} % of the cells", 100.0 * summary.missing_share)),
        ("numbers", number(encoder.numbers.len())),
        ("categories", number(encoder.categories.len())),
        ("ignored", if part.ignored.is_empty() { "no column".to_owned() } else { part.ignored.join(", ") }),
        ("seed", summary.seed.to_string()),
    ];
    for (name, value) in lines {
        text.push_str(&format!("  {name:12}{}\n", wrapped(&value, 14).trim_start()));
    }
    for (name, reason) in &part.unfillable {
        text.push_str(&format!("{}\n", wrapped(&format!("`{name}` can't be filled: {reason}"), 2)));
    }
    let names: Vec<&str> = model.coder.names();
    let listed = if arguments.all { names.len() } else { names.len().min(MOST_LISTED) };
    text.push_str(&format!("\nColumns it fills\n{}\n", wrapped(&names[..listed].join(", "), 2)));
    if listed < names.len() {
        text.push_str(&format!("  and {} more (--all lists them)\n", names.len() - listed));
    }
    Ok(text)
}

/// What is in the file of a model that says how plausible rows are.
fn density(model: &Model, arguments: &Arguments) -> Result<String> {
    let (method, encoder, part) = (model.recipe.method, model.coder.table()?, model.scoring()?.part);
    let summary = &model.summary;
    let measured = match part.held_out {
        0 => format!("{:.4} on the rows learned from", part.mean_log_likelihood),
        rows => format!("{:.4} on {} rows held out", part.mean_log_likelihood, number(rows)),
    };
    let mut text = format!("{}: a model of how plausible rows are\n\n", arguments.model.display());
    let mut lines = vec![
        ("method".to_owned(), format!("{} ({})", method.name(), method.card().about.title)),
        ("settings".to_owned(), changed(&method.defaults(), &model.recipe.settings)),
        ("rows".to_owned(), number(summary.rows)),
        ("holes".to_owned(), format!("{:.1} % of the cells", 100.0 * summary.missing_share)),
        ("numbers".to_owned(), number(encoder.numbers.len())),
        ("categories".to_owned(), number(encoder.categories.len())),
        ("log-likelihood".to_owned(), measured),
        ("seed".to_owned(), summary.seed.to_string()),
    ];
    lines.extend(fit_lines(&summary.method));
    for (name, value) in lines {
        text.push_str(&format!("  {name:17}{}\n", wrapped(&value, 19).trim_start()));
    }
    for (name, reason) in &part.ignored {
        text.push_str(&format!("{}\n", wrapped(&format!("`{name}` is left out: {reason}"), 2)));
    }
    Ok(text)
}

fn facts(model: &Model, bytes: u64) -> Result<String> {
    let predicting = model.predicting()?;
    let target = predicting.target;
    let task = match target.task {
        Task::Regression => format!("regression, from {} to {}", target.low, target.high),
        Task::Classification { classes } => {
            format!("classification, {classes} classes: {}", target.levels.join(", "))
        }
    };
    let summary = &model.summary;
    let mut lines = vec![
        ("task", task),
        ("method", format!("{} ({})", model.recipe.method.name(), model.recipe.method.card().about.title)),
        ("settings", changed(&model.recipe.method.defaults(), &model.recipe.settings)),
        (
            "rows",
            format!(
                "{} ({} without a target left out)",
                number(summary.rows),
                number(summary.rows_without_target)
            ),
        ),
        ("missing", format!("{:.1} % of the input cells", 100.0 * summary.missing_share)),
        ("seed", summary.seed.to_string()),
        ("file", format!("format {}, {} kB", model.format(), number((bytes as usize).div_ceil(1024)))),
    ];
    let weights = predicting.weights();
    if !weights.is_empty() {
        let part = |(name, weight): &(&str, f64)| format!("{:.0} % {name}", 100.0 * weight);
        lines.push(("weights", weights.iter().map(part).collect::<Vec<_>>().join(", ")));
    }
    if let Some(fit) = summary.method.as_object() {
        for (name, value) in fit.iter().filter(|(_, value)| !value.is_object()) {
            lines.push((name.as_str(), plain(value)));
        }
    }
    if let Some(reach) = predicting.reach(0.9) {
        lines.push(("intervals", format!("+- {reach:.4} at level 90 % for a complete row")));
    }
    if let Some(sets) = predicting.sets {
        let whom = if sets.by_class() { "by class" } else { "all classes together" };
        lines.push(("sets", format!("of classes at a level (predict --level), {whom}")));
    }
    let mut text = String::new();
    for (name, value) in lines {
        let value = wrapped(&value, 18);
        text.push_str(&format!("  {:16}{}\n", name, value.trim_start()));
    }
    Ok(text)
}

/// The settings that differ from the defaults.
fn changed(defaults: &Value, settings: &Value) -> String {
    let changed: Vec<String> = settings
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, value)| defaults.get(name.as_str()) != Some(value))
        .map(|(name, value)| format!("{name} = {}", plain(value)))
        .collect();
    if changed.is_empty() { "defaults".into() } else { changed.join(", ") }
}

fn inputs(encoder: &Encoder, rows: usize, most: usize) -> String {
    let scale = match encoder.encoding.scale {
        Scale::Standard => "standardised",
        Scale::MinMax => "scaled to 0..1",
        Scale::Robust => "scaled by quartiles",
    };
    let mut text = format!("\nInputs ({}; numbers are {scale})\n", encoder.width());
    text.push_str(&format!("  {:28} {:9} {:>9}  {}\n", "column", "kind", "missing", "values in training"));
    let share = |missing: usize| format!("{:.1} %", 100.0 * missing as f64 / rows.max(1) as f64);
    let mut lines = Vec::new();
    for feature in &encoder.numbers {
        lines.push((
            &feature.name,
            feature.kind,
            feature.missing,
            format!("{} to {}", feature.low, feature.high),
        ));
    }
    for feature in &encoder.categories {
        let other = if feature.has_other() { ", (other)" } else { "" };
        lines.push((
            &feature.name,
            feature.kind,
            feature.missing,
            format!("{}{other}", feature.levels.join(", ")),
        ));
    }
    let count = lines.len();
    for (name, kind, missing, values) in lines.into_iter().take(most) {
        text.push_str(&format!(
            "  {} {:9} {:>9}  {}\n",
            column(name, 28),
            kind.to_string(),
            share(missing),
            crate::output::cut(&values, 28)
        ));
    }
    if count > most {
        text.push_str(&format!("  ... and {} more (--all lists them)\n", count - most));
    }
    text
}

/// A JSON value as a person would write it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // Four digits tell a reader enough.
        Value::Number(number) if number.is_f64() => {
            let short = format!("{:.3e}", number.as_f64().unwrap_or_default());
            short.parse::<f64>().map_or(short, |value| value.to_string())
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
