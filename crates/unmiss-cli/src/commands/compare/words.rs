//! A comparison as text: what was compared, the standings, each method against the best, columns, words.

use unmiss::compare::{Against, Comparison, Question, Standing};
use unmiss::data::Shape;
use unmiss::encode::Task;

use crate::output::{column, number, wrapped};

/// Width of a contestant's label.
const LABEL: usize = 20;
/// Width of a column's name.
const NAME: usize = 18;
/// Columns of the table listed for imputers.
const LISTED: usize = 30;
/// Methods whose errors are listed column by column.
const LISTED_METHODS: usize = 5;

/// The whole text.
pub fn page(comparison: &Comparison) -> String {
    let mut text = format!("{}\n\n{}", wrapped(&what_was_asked(comparison), 0), standings(comparison));
    text.push_str(&against_the_best(comparison));
    text.push_str(&columns(comparison));
    text.push('\n');
    for sentence in &comparison.words {
        text.push_str(&format!("{}\n", wrapped(sentence, 0)));
    }
    let (done, wanted) = comparison.progress();
    if done < wanted {
        let counted = comparison.standings.first().map_or(0, |best| best.parts);
        let parts = if counted == 1 { "1 part".to_owned() } else { format!("{counted} parts") };
        let words = format!(
            "Stopped: {done} of {wanted} fits are done; the figures are of the {parts} that all methods shown \
             have done."
        );
        text.push_str(&format!("{}\n", wrapped(&words, 0)));
    }
    text
}

/// What was compared, on what and how, in a sentence.
pub fn what_was_asked(comparison: &Comparison) -> String {
    let (things, cells) = match comparison.shape {
        Shape::Images => ("images", "cells"),
        Shape::Series => ("series", "values"),
        Shape::Table | Shape::Ratings => ("rows", "cells"),
    };
    let rows = match comparison.rows_compared < comparison.rows {
        true => format!("{} of {} {things}", number(comparison.rows_compared), number(comparison.rows)),
        false => format!("{} {things}", number(comparison.rows)),
    };
    let repeats = match comparison.repeats {
        1 => "once".to_owned(),
        repeats => format!("{repeats} times"),
    };
    match (&comparison.question, comparison.task) {
        (Question::Imputers { how, .. }, _) => {
            format!("Filling hidden {cells} of {rows}: hidden by {how}, {repeats}.")
        }
        (Question::Pixels { how }, _) => {
            let how = if how == "others" { "the holes of other images" } else { how };
            format!("Filling hidden pixels of {rows}: hidden by {how}, {repeats}.")
        }
        (Question::Recommenders { share }, _) => {
            let share = 100.0 * share;
            format!(
                "Predicting ratings of {} users: {share:.0} % held out, {repeats}.",
                number(comparison.rows)
            )
        }
        (Question::Predictors { roles, folds, division }, task) => {
            let task = match task {
                Some(Task::Classification { classes }) => format!("{classes} classes"),
                _ => "a number".to_owned(),
            };
            let target = &roles.target;
            format!(
                "Predicting `{target}` ({task}) on {rows}: {folds}-fold cross-validation{}, {repeats}.",
                division.words()
            )
        }
    }
}

/// A figure with its interval, if it has one.
fn pair(mean: f64, half: Option<f64>) -> String {
    half.map_or_else(|| format!("{mean:.4}"), |half| format!("{mean:.4} +- {half:.4}"))
}

fn standings(comparison: &Comparison) -> String {
    let [first, second] = comparison.question.figure_names(comparison.task);
    let loss = format!("{} +- 95 %", comparison.question.loss_name(comparison.task));
    let mut text = format!(
        "  {} {loss:>18} {:>5} {first:>9} {second:>8} {:>7} {:>5}\n",
        column("method", LABEL),
        "rank",
        "s / fit",
        "MB"
    );
    for standing in &comparison.standings {
        let figure = |name: &str| {
            let value = standing.figures.get(name).copied().flatten();
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
        };
        text.push_str(&format!(
            "  {} {:>18} {:>5.1} {:>9} {:>8} {:>7.2} {:>5}\n",
            column(&standing.contestant, LABEL),
            pair(standing.loss, standing.half),
            standing.rank,
            figure(first),
            figure(second),
            standing.seconds,
            standing.memory.map_or_else(|| "-".to_owned(), |bytes| (bytes >> 20).to_string()),
        ));
    }
    text
}

fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// By how much each method is behind the best, and whether that is chance.
fn against_the_best(comparison: &Comparison) -> String {
    let [best, others @ ..] = comparison.standings.as_slice() else { return String::new() };
    let tested =
        |standing: &&Standing| standing.against_best.as_ref().is_some_and(|against| against.test.p.is_some());
    if !others.iter().any(|standing| tested(&standing)) {
        return String::new();
    }
    let rows = others.iter().any(|s| s.against_best.as_ref().is_some_and(|against| against.rows.is_some()));
    let mut words = format!(
        "Against `{}`: the paired difference over the parts (p: corrected resampled t test).",
        best.contestant
    );
    if rows {
        words.push_str(&format!(
            " On the rows where the two say different classes: how often `{}` and the other are right, z with its \
             p, and the p of McNemar's test.",
            best.contestant
        ));
    }
    let mut text = format!("\n{}\n\n", wrapped(&words, 0));
    let heading = format!("  {} {:>18} {:>6}", column("method", LABEL), "difference", "p");
    let more = format!(" {:>9} {:>6} {:>6} {:>7}", "right", "z", "p (z)", "McNemar");
    text.push_str(&format!("{heading}{}\n", if rows { more.as_str() } else { "" }));
    for (standing, against) in others.iter().filter_map(|one| Some((one, one.against_best.as_ref()?))) {
        text.push_str(&against_line(&standing.contestant, against));
    }
    text
}

fn against_line(label: &str, against: &Against) -> String {
    let difference = pair(against.test.difference, against.test.half);
    let p = against.test.p.map_or_else(|| "-".to_owned(), p_value);
    let mut line = format!("  {} {difference:>18} {p:>6}", column(label, LABEL));
    if let Some(rows) = &against.rows {
        let right = format!("{}:{}", rows.first_right, rows.second_right);
        let (z, p_z, mcnemar) = (rows.z, p_value(rows.p_z), p_value(rows.p_mcnemar));
        line.push_str(&format!(" {right:>9} {z:>6.2} {p_z:>6} {mcnemar:>7}"));
    }
    line + "\n"
}

/// Errors column by column, for imputers; the smallest of a column has a star.
fn columns(comparison: &Comparison) -> String {
    let shown: Vec<&Standing> = comparison.standings.iter().take(LISTED_METHODS).collect();
    let names = comparison.columns();
    if names.is_empty() {
        return String::new();
    }
    let all = "Column by column: RMSE in standard deviations for numbers, share wrong for categories";
    let cut = names.len() > LISTED || comparison.standings.len() > LISTED_METHODS;
    let rest = if cut { "; the best methods and first columns, --json has all" } else { "" };
    let mut text = format!("\n{}\n\n  {}", wrapped(&format!("{all}{rest}."), 0), column("", NAME));
    for standing in &shown {
        text.push_str(&format!(" {:>11}", column(&standing.contestant, 11).trim_end()));
    }
    text.push('\n');
    for (name, is_number) in names.iter().take(LISTED) {
        let errors: Vec<Option<f64>> =
            shown.iter().map(|standing| standing.columns.get(*name).copied()).collect();
        let least = errors.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        text.push_str(&format!("  {}", column(name, NAME)));
        for error in errors {
            let star = if shown.len() > 1 && error == Some(least) { "*" } else { " " };
            let written = match error {
                Some(error) if *is_number => format!("{error:.3}"),
                Some(error) => format!("{:.1} %", 100.0 * error),
                None => "-".to_owned(),
            };
            text.push_str(&format!(" {written:>10}{star}"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
