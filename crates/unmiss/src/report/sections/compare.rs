//! A comparison as sections of a page: methods with intervals, what they cost, each against the best, columns.

use crate::compare::{Comparison, Standing};
use crate::error::Result;
use crate::report::{Chart, Form, Grid, Marks, Ranked, Ranking, Section, Words};

/// How the methods did, who can be told apart from the best, and for imputers every column.
///
/// # Errors
/// When a chart can't be drawn.
pub fn compare(comparison: &Comparison) -> Result<Vec<Section>> {
    let mut methods = Section::new("Methods side by side").list(&comparison.words);
    if !comparison.standings.is_empty() {
        methods = methods.chart(losses(comparison)?).table("All figures", figures(comparison));
    }
    let mut sections = vec![methods];
    let tested = |one: &Standing| one.against_best.as_ref().is_some_and(|against| against.test.p.is_some());
    if let Some(best) = comparison.standings.first().filter(|_| comparison.standings.iter().any(tested)) {
        let section = Section::new(format!("Is `{}` really better?", best.contestant));
        sections.push(section.chart(differences(comparison, best)?).table("Tests", tests(comparison)).text(
            "p is that of the corrected resampled t test over the parts. For classes, z and McNemar's test \
                 look at held-out rows on which the two methods say different things: z counts rows on which \
                 both are wrong against the best, McNemar's test leaves them out.",
        ));
    }
    if !comparison.columns().is_empty() {
        let section = Section::new("Column by column").text(
            "Root mean squared error in standard deviations for numbers, share wrong for categories, on hidden \
             cells.",
        );
        sections.push(section.table("Errors", columns(comparison)));
    }
    sections.push(Section::new("What it costs").chart(seconds(comparison)?));
    Ok(sections)
}

fn losses(comparison: &Comparison) -> Result<Chart> {
    let loss = comparison.question.loss_name(comparison.task);
    let row = |one: &Standing| Ranked {
        name: one.contestant.clone(),
        value: one.loss,
        // No loss is below 0, whatever the parts differ by.
        interval: one.half.map(|half| ((one.loss - half).max(0.0), one.loss + half)),
    };
    let seen = format!("Each method's mean {loss} with its 95 % interval; further left is better.");
    let meaning = comparison.words.first().cloned().unwrap_or_default();
    Ranking {
        words: Words::new("Methods compared", seen, meaning),
        names: "method".into(),
        values: format!("{loss} (lower is better)"),
        form: Form::Places(4),
        marks: Marks::Dots,
        rows: comparison.standings.iter().map(row).collect(),
    }
    .draw()
}

fn differences(comparison: &Comparison, best: &Standing) -> Result<Chart> {
    let loss = comparison.question.loss_name(comparison.task);
    let row = |one: &Standing| {
        let test = one.against_best.as_ref()?.test;
        let interval = test.half.map(|half| (test.difference - half, test.difference + half));
        Some(Ranked { name: one.contestant.clone(), value: test.difference, interval })
    };
    let seen = format!(
        "By how much each method's {loss} is above that of `{}` on the same parts, with 95 % intervals.",
        best.contestant
    );
    let meaning = "A method whose interval reaches 0 can't be told apart from the best.";
    Ranking {
        words: Words::new("Behind the best", seen, meaning),
        names: "method".into(),
        values: format!("{loss} above the best"),
        form: Form::Places(4),
        marks: Marks::Forest,
        rows: comparison.standings.iter().filter_map(row).collect(),
    }
    .draw()
}

fn seconds(comparison: &Comparison) -> Result<Chart> {
    let row = |one: &Standing| Ranked { name: one.contestant.clone(), value: one.seconds, interval: None };
    Ranking {
        words: Words::new("Time", "Mean seconds of one fit, its search included.", "Shorter is cheaper."),
        names: "method".into(),
        values: "seconds a fit".into(),
        form: Form::Places(2),
        marks: Marks::Bars,
        rows: comparison.standings.iter().map(row).collect(),
    }
    .draw()
}

fn pair(mean: f64, half: Option<f64>) -> String {
    half.map_or_else(|| format!("{mean:.4}"), |half| format!("{mean:.4} ± {half:.4}"))
}

fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

fn figures(comparison: &Comparison) -> Grid {
    let [first, second] = comparison.question.figure_names(comparison.task);
    let loss = comparison.question.loss_name(comparison.task);
    let mut grid = Grid::new(["method", loss, "mean rank", first, second, "seconds a fit", "peak MB"]);
    for one in &comparison.standings {
        let figure =
            |name: &str| or_dash(one.figures.get(name).copied().flatten().map(|value| format!("{value:.4}")));
        grid = grid.row([
            one.contestant.clone(),
            pair(one.loss, one.half),
            format!("{:.1}", one.rank),
            figure(first),
            figure(second),
            format!("{:.2}", one.seconds),
            or_dash(one.memory.map(|bytes| (bytes >> 20).to_string())),
        ]);
    }
    grid
}

fn tests(comparison: &Comparison) -> Grid {
    let p = |p: f64| if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") };
    let head = ["method", "difference", "p", "rows that differ", "best right", "other right", "z", "p of z"];
    let mut grid = Grid::new(head.into_iter().chain(["p of McNemar"]));
    for (one, against) in
        comparison.standings.iter().filter_map(|one| Some((one, one.against_best.as_ref()?)))
    {
        let rows = |write: &dyn Fn(&crate::compare::Disagreement) -> String| {
            or_dash(against.rows.as_ref().map(write))
        };
        grid = grid.row([
            one.contestant.clone(),
            pair(against.test.difference, against.test.half),
            or_dash(against.test.p.map(p)),
            rows(&|rows| rows.rows.to_string()),
            rows(&|rows| rows.first_right.to_string()),
            rows(&|rows| rows.second_right.to_string()),
            rows(&|rows| format!("{:.2}", rows.z)),
            rows(&|rows| p(rows.p_z)),
            rows(&|rows| p(rows.p_mcnemar)),
        ]);
    }
    grid
}

fn columns(comparison: &Comparison) -> Grid {
    let labels = comparison.standings.iter().map(|one| one.contestant.as_str());
    let mut grid = Grid::new(["column"].into_iter().chain(labels));
    for (name, is_number) in comparison.columns() {
        let error = |one: &Standing| {
            let error = one.columns.get(name).copied();
            or_dash(error.map(|error| match is_number {
                true => format!("{error:.3}"),
                false => format!("{:.1} %", 100.0 * error),
            }))
        };
        grid = grid.row([name.to_owned()].into_iter().chain(comparison.standings.iter().map(error)));
    }
    grid
}
