//! `unmiss show MODEL --explain`: what a model goes by, as text for an 80-column terminal, a page or JSON.

use std::path::Path;

use unmiss::error::{Error, Result};
use unmiss::explain::{ExplainSettings, explain};
use unmiss::model::{ColumnImportance, Dependence, Estimate, Explanation, Model, Place};
use unmiss::report::{Page, sections};

use super::Arguments;
use crate::General;
use crate::commands::evaluate::file_name;
use crate::output::{bar, column, item, number, short};
use crate::printer::Printer;

/// Columns listed unless all are asked for.
const LISTED: usize = 15;
/// Columns of a bar.
const BAR: usize = 30;

/// Finds out, or reads from the file, what the model goes by, and tells it.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    let found = match &arguments.data {
        Some(data) => on_rows(arguments, model, data, general, printer)?,
        None => kept(arguments, model)?,
    };
    let title = format!("What {} goes by", file_name(&arguments.model));
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::explain(&found)?).write(path)?;
    }
    arguments.json.tell(&found, &text(&found, &title, arguments.all))
}

fn on_rows(
    arguments: &Arguments,
    model: &Model,
    data: &Path,
    general: &General,
    printer: &Printer,
) -> Result<Explanation> {
    let rows = arguments.input.read_for_model(data, model)?;
    let run = printer.run(general)?;
    let usual = ExplainSettings::default();
    let settings = ExplainSettings { rows: arguments.rows.unwrap_or(usual.rows), ..usual };
    let found = explain(model, &rows, &settings, &run.part("explaining"));
    printer.close();
    found
}

/// What was found out when the model was fitted.
fn kept(arguments: &Arguments, model: &Model) -> Result<Explanation> {
    model.predicting()?;
    let found = model.summary.explanation.as_deref().cloned();
    found.ok_or_else(|| {
        let what = "the file does not say what the model goes by: it was fitted without held-out rows, by an older \
                    program, or the fit was stopped";
        let again = format!("name rows to find out on: unmiss show {} --explain DATA", arguments.model.display());
        Error::setting("explain", what).with_hint(again)
    })
}

/// The whole text.
fn text(found: &Explanation, title: &str, all: bool) -> String {
    let rows = if found.held_out { "held-out rows" } else { "rows" };
    let mut text = format!("{title}: {} {rows}\n\nWhat to know\n", number(found.rows));
    found.summary.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text.push_str("\nBe careful\n");
    found.warnings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text.push_str(&columns(found, if all { usize::MAX } else { LISTED }));
    text.push_str(&holes(found, if all { usize::MAX } else { LISTED }));
    found.curves.iter().for_each(|curve| text.push_str(&dependence(found, curve)));
    text
}

/// Columns by what they are worth.
fn columns(found: &Explanation, most: usize) -> String {
    let unit = match (found.loss, found.classes.is_empty()) {
        (None, true) => "how far answers move, in sd of the target",
        (None, false) => "how much chance moves between classes",
        (Some(_), true) => "rise of the squared error, in variances of the target",
        (Some(_), false) => "rise of the log-loss",
    };
    let mut text = format!(
        "\nColumns by importance: their cells change places between rows\n  ({unit}, +- standard error)\n"
    );
    let value = |column: &ColumnImportance| column.importance.unwrap_or(column.moves);
    let largest = found.columns.iter().map(|column| value(column).mean).fold(0.0, f64::max);
    for one in found.columns.iter().take(most) {
        let own = value(one);
        let share = if largest > 0.0 { own.mean / largest } else { 0.0 };
        let line = format!("  {} {:>18}  {}", column(&one.column, 26), pair(own), bar(share.max(0.0), BAR));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let more = found.columns.len().saturating_sub(most);
    if more > 0 {
        text.push_str(&format!("  and {} more (--all lists them)\n", number(more)));
    }
    text
}

/// What the holes do.
fn holes(found: &Explanation, most: usize) -> String {
    let answer = match found.classes.as_slice() {
        [] => "number".to_owned(),
        [only] => format!("chance of {only}"),
        _ => "chance that moves most".to_owned(),
    };
    let mut text = format!(
        "\nWhat a hole does: known cells hidden ({answer}, loss), and the part of the\nimportance that is lost through \
         holes alone\n  {} {:>9} {:>18} {:>10} {:>11}\n",
        column("column", 26),
        "missing",
        "answer",
        "loss",
        "from holes"
    );
    for one in found.columns.iter().take(most) {
        let Some(hidden) = &one.hidden else { continue };
        let (class, change) = largest(&hidden.answer);
        let class = found.classes.get(class).filter(|_| found.classes.len() > 1);
        let change = match class {
            Some(class) => format!("{class} {:+.3}", change.mean),
            None => signed(change.mean),
        };
        let loss = hidden.loss.map_or(String::new(), |loss| signed(loss.mean));
        let share = one.from_holes.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        let missing = format!("{:.1} %", 100.0 * one.missing_in_training);
        let change = crate::output::shorten(&change, 18);
        let line = format!("  {} {missing:>9} {change:>18} {loss:>10} {share:>11}", column(&one.column, 26));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The mean answer along a column.
fn dependence(found: &Explanation, curve: &Dependence) -> String {
    let all = || curve.points.iter().map(|point| &point.answer).chain([&curve.missing]);
    let range = |class: usize| {
        let means = || all().map(|answer| answer[class].mean);
        (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max))
    };
    // Of several classes the one that moves most; the page and JSON have all.
    let width = |class: usize| range(class).1 - range(class).0;
    let class = (0..curve.missing.len()).max_by(|a, b| width(*a).total_cmp(&width(*b))).unwrap_or(0);
    let (low, high) = range(class);
    let what = match found.classes.get(class) {
        Some(class) => format!("chance of {class}"),
        None => format!("mean {}", found.target),
    };
    let mut text =
        format!("\n{}, by {}\n", crate::output::cut(&what, 40), crate::output::shorten(&curve.column, 36));
    let line = |name: &str, answer: &[Estimate]| {
        let mean = answer[class].mean;
        let share = if high > low { (mean - low) / (high - low) } else { 0.0 };
        let bar = bar(0.04 + 0.96 * share, BAR);
        format!("  {} {:>12}  {bar}\n", column(name, 26), short(mean))
    };
    for point in &curve.points {
        let name = match &point.value {
            Place::Number(value) => short(*value),
            Place::Level(level) => level.clone(),
        };
        text.push_str(&line(&name, &point.answer));
    }
    text.push_str(&line("(missing)", &curve.missing));
    text
}

/// The change that is largest, and its place.
fn largest(changes: &[Estimate]) -> (usize, Estimate) {
    let changes = changes.iter().copied().enumerate();
    changes.max_by(|a, b| a.1.mean.abs().total_cmp(&b.1.mean.abs())).unwrap_or_default()
}

fn pair(value: Estimate) -> String {
    format!("{:.4} +- {:.4}", value.mean, value.error)
}

fn signed(value: f64) -> String {
    if value.abs() < 5e-4 {
        "0".to_owned()
    } else {
        format!("{}{}", if value > 0.0 { "+" } else { "" }, short(value))
    }
}
