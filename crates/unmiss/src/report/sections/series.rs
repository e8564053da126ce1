//! Series as sections of a page: what is known of them, by variable and over time, some of them drawn, what methods
//! made of them, and their holes filled.

use super::fit::calibration;
use super::image_models::{figures, losses};
use crate::compare::SplitChoice;
use crate::data::series::{Clock, Series};
use crate::encode::Task;
use crate::error::Result;
use crate::missing::SeriesDescription;
use crate::missing::words::number;
use crate::model::Model;
use crate::report::{
    Bars, Chart, Form, Grid, Line, LinePoint, Lines, Marks, Ranked, Ranking, Section, Truth, Words,
};

/// Variables whose shares over time are drawn.
const DRAWN: usize = 5;
/// Charts of filled series.
const EXAMPLES: usize = 6;
/// The share of draws between whose ends a band lies.
const BAND: f64 = 0.9;

/// What is known of series.
///
/// # Errors
/// When a chart can't be drawn.
pub fn series(series: &Series, found: &SeriesDescription) -> Result<Vec<Section>> {
    let variables =
        Section::new("By variable").chart(shares(found)?).table("All figures", by_variable(series, found));
    let mut time = Section::new("Over time").chart(over_time(series, found)?);
    if !found.variables.is_empty() {
        time = time.chart(shares_over_time(series, found)?);
    }
    let mut examples = Section::new("Some of the series");
    for chart in drawn(series, &[])? {
        examples = examples.chart(chart);
    }
    Ok(vec![variables, time, lengths(series)?, examples])
}

/// The title of an axis of times.
fn since_the_start(series: &Series) -> String {
    match series.clock {
        Clock::Numbers | Clock::Points => "time since the start".into(),
        Clock::Hours | Clock::Dates => "hours since the start".into(),
    }
}

fn shares(found: &SeriesDescription) -> Result<Chart> {
    let mut rows: Vec<Ranked> = found
        .variables
        .iter()
        .map(|own| Ranked { name: own.name.clone(), value: own.share, interval: None })
        .collect();
    rows.sort_by(|one, other| other.value.total_cmp(&one.value));
    let least = rows.last().map_or(String::new(), |last| {
        format!("`{}` is known at {:.1} % of the steps.", last.name, 100.0 * last.value)
    });
    let words =
        Words::new("How often each variable is known", "The share of all steps at which it is known.", least);
    let (names, values) = ("variable".into(), "share of steps".into());
    Ranking { words, names, values, form: Form::Percent, marks: Marks::Bars, rows }.draw()
}

fn by_variable(series: &Series, found: &SeriesDescription) -> Grid {
    let heads = ["variable", "known", "of steps", "series with any", "median gap", "least", "median", "most"];
    let mut grid = Grid::new(heads);
    for own in &found.variables {
        let value = |of: fn(&crate::missing::Spread) -> f64| {
            own.values.as_ref().map_or("–".into(), |spread| {
                format!("{:.4}", of(spread)).trim_end_matches('0').trim_end_matches('.').to_owned()
            })
        };
        grid = grid.row([
            own.name.clone(),
            number(own.known),
            format!("{:.1} %", 100.0 * own.share),
            number(found.series - own.series_without),
            own.gaps.map_or("–".into(), |gaps| series.clock.words(gaps.median)),
            value(|spread| spread.least),
            value(|spread| spread.median),
            value(|spread| spread.most),
        ]);
    }
    grid
}

fn over_time(series: &Series, found: &SeriesDescription) -> Result<Chart> {
    let parts = found.parts.iter().zip(&found.known_by_time);
    let bars =
        parts.map(|(end, known)| (format!("to {}", series.clock.words(*end)), *known as f64)).collect();
    let seen = "How many values of all series are known in each part of the time.";
    let words = Words::new("Known values over time", seen, String::new());
    Bars { words, names: since_the_start(series), values: "known values".into(), bars }.draw()
}

fn shares_over_time(series: &Series, found: &SeriesDescription) -> Result<Chart> {
    let mut order: Vec<usize> = (0..found.variables.len()).collect();
    order.sort_by(|a, b| found.variables[*b].share.total_cmp(&found.variables[*a].share));
    order.truncate(DRAWN);
    let line = |place: &usize| {
        let own = &found.variables[*place];
        let point = |(end, share): (&f64, &Option<f64>)| {
            share.map(|value| LinePoint {
                x: *end,
                name: format!("to {}", series.clock.words(*end)),
                value,
                interval: (value, value),
                rows: own.known,
            })
        };
        let points = found.parts.iter().zip(&own.by_time).filter_map(point).collect();
        Line { name: own.name.clone(), points, reference: None }
    };
    let words = Words::new(
        "Shares of steps over time",
        "The share of the steps at which each of the variables that are known most often is known.",
        String::new(),
    );
    let lines = order.iter().map(line).collect();
    Lines {
        words,
        x: since_the_start(series),
        y: "share of steps".into(),
        form: Form::Percent,
        whole: false,
        lines,
    }
    .draw()
}

fn lengths(series: &Series) -> Result<Section> {
    let counts: Vec<usize> = (0..series.len()).map(|one| series.known_values(one)).collect();
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bins = most.min(12);
    let mut bars: Vec<(String, f64)> = (0..bins)
        .map(|bin| {
            (format!("{} to {}", bin * (most + 1) / bins, ((bin + 1) * (most + 1) / bins).max(1) - 1), 0.0)
        })
        .collect();
    counts.iter().for_each(|count| bars[(count * bins / (most + 1)).min(bins - 1)].1 += 1.0);
    let words =
        Words::new("Known values of a series", "How many series have so many known values.", String::new());
    let chart = Bars { words, names: "known values".into(), values: "series".into(), bars }.draw()?;
    Ok(Section::new("How much is known of a series").chart(chart))
}

/// The variables that are known most often, in the series that has most of them: known values as points, and where
/// there are fillings, their mean with a band between whose ends nine of ten of them lie.
fn drawn(series: &Series, fillings: &[Series]) -> Result<Vec<Chart>> {
    let known = series.known_by_variable();
    let mut order: Vec<usize> = (0..known.len()).filter(|&variable| known[variable] > 0).collect();
    order.sort_by_key(|&variable| std::cmp::Reverse(known[variable]));
    order.truncate(EXAMPLES);
    let mut charts = Vec::new();
    for variable in order {
        // A series with several values and holes between them, about as many as the median one has.
        let mut counts: Vec<(usize, usize)> = (0..series.len())
            .map(|one| (series.known(one, variable).count(), one))
            .filter(|(n, _)| *n > 1)
            .collect();
        counts.sort_unstable();
        let Some(&(_, one)) = counts.get(counts.len() / 2) else { continue };
        charts.push(one_drawn(series, fillings, one, variable)?);
    }
    Ok(charts)
}

fn one_drawn(series: &Series, fillings: &[Series], one: usize, variable: usize) -> Result<Chart> {
    let (name, id) = (&series.variables()[variable], &series.ids()[one]);
    let (origin, width) = (series.origin(one), series.variables().len());
    let point = |time: f64, value: f64, interval: (f64, f64)| {
        let name = series.clock.words(time - origin);
        LinePoint { x: time - origin, name, value, interval, rows: 1 }
    };
    let known: Vec<LinePoint> =
        series.known(one, variable).map(|(_, time, value)| point(time, value, (value, value))).collect();
    let mut lines = Vec::new();
    if !fillings.is_empty() {
        let filled = |(step, time): (usize, &f64)| {
            let mut values: Vec<f64> =
                fillings.iter().map(|filled| filled.values(one)[step * width + variable]).collect();
            values.sort_unstable_by(f64::total_cmp);
            let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            point(*time, mean, (at((1.0 - BAND) / 2.0), at((1.0 + BAND) / 2.0)))
        };
        let points = series.times(one).iter().enumerate().map(filled).collect();
        lines.push(Line { name: "filled".into(), points, reference: None });
    }
    lines.push(Line { name: "known".into(), points: known, reference: None });
    let seen = match fillings.len() {
        0 => format!("The known values of `{name}` in series `{id}`."),
        1 => format!("`{name}` of series `{id}`: known values, and the best guess at every step."),
        count => format!(
            "`{name}` of series `{id}`: known values, and the mean of {count} draws; nine of ten lie within the band."
        ),
    };
    let words = Words::new(format!("`{name}` of series `{id}`"), seen, String::new());
    Lines { words, x: since_the_start(series), y: name.clone(), form: Form::Number, whole: false, lines }
        .draw()
}

/// How methods did on series that were held out.
///
/// # Errors
/// When a chart can't be drawn.
pub fn fit_series(series: &Series, model: &Model, choice: Option<&SplitChoice>) -> Result<Vec<Section>> {
    let mut methods = Section::new("Methods side by side");
    let mut sections = Vec::new();
    match choice.and_then(|choice| Some((choice, choice.entries.first()?))) {
        None => methods = methods.text("Nothing was held out to measure by."),
        Some((choice, best)) => {
            methods = methods
                .chart(losses(choice)?)
                .table("All figures", figures(choice))
                .careful(&choice.failures);
            let target = model.predicting()?.target;
            let name = best.recipe.method.name();
            let title = format!("How right `{name}` is on series it did not see");
            let chart = match target.task {
                Task::Classification { .. } => {
                    calibration(&target.levels, &choice.truth.classes, &best.predictions)?
                }
                Task::Regression => {
                    let told = |y: f64| target.mean + target.deviation * y;
                    let pairs = choice.truth.numbers.iter().zip(&best.predictions);
                    let points =
                        pairs.map(|(truth, y)| (told(f64::from(*truth)), target.decode(*y))).collect();
                    let words =
                        Words::new("Truth and prediction", "A point is a held-out series.", String::new());
                    Truth { words, target: target.name.clone(), points }.draw()?
                }
            };
            sections.push(Section::new(title).chart(chart));
        }
    }
    sections.insert(0, methods);
    let mut examples = Section::new("Some of the series");
    for chart in drawn(series, &[])?.into_iter().take(3) {
        examples = examples.chart(chart);
    }
    sections.push(examples);
    Ok(sections)
}

/// Series whose holes were filled, some of them drawn with what was filled in.
///
/// # Errors
/// When a chart can't be drawn.
pub fn impute_series(before: &Series, fillings: &[Series], model: &Model) -> Result<Vec<Section>> {
    let mut section = Section::new("Some of the series, filled");
    // Steps are those of the fillings, which may be in bins.
    let same = fillings.first().is_none_or(|first| first.all_steps() == before.all_steps());
    for chart in if same { drawn(before, fillings)? } else { Vec::new() } {
        section = section.chart(chart);
    }
    let mut sections = vec![section];
    if let Some(variables) = model.summary.method["variables"].as_object() {
        let measured = variables.values().any(|found| found["errors"].is_object());
        let third = "mean absolute error of hidden values / sd";
        let mut grid = Grid::new(if measured {
            vec!["variable", "filled by", third]
        } else {
            vec!["variable", "filled by"]
        });
        for (name, found) in variables {
            let method = found["method"].as_str().or(found["model"].as_str()).unwrap_or_default();
            let errors = found["errors"].as_object().into_iter().flatten();
            let errors =
                errors.filter_map(|(name, error)| error.as_f64().map(|error| format!("{name} {error:.3}")));
            let cells = [name.clone(), method.to_owned(), errors.collect::<Vec<_>>().join(", ")];
            grid = grid.row(cells.into_iter().take(if measured { 3 } else { 2 }));
        }
        sections.push(Section::new("How each variable was filled").table("By variable", grid));
    }
    Ok(sections)
}
