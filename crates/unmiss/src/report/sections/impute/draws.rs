//! What the draws say: what the holes cost an analysis, and whether the chains agree.

use serde_json::Value;

use crate::data::{Column, Table};
use crate::error::Result;
use crate::missing::words::count;
use crate::model::{Filled, Model};
use crate::pool::{Estimate, Pooled, pool};
use crate::report::{Form, Grid, Line, LinePoint, Lines, Marks, Ranked, Ranking, Section, Words};

/// Columns in a chart, at most.
const MOST_COLUMNS: usize = 25;
/// Columns whose chains are drawn: those that agree least.
const MOST_TRACED: usize = 4;
const LEVEL: f64 = 0.95;
/// Chains whose potential scale reduction is below this agree.
const MOST_REDUCTION: f64 = 1.1;

/// How sure the mean of each column is after all.
///
/// # Errors
/// When a chart can't be drawn.
pub fn cost(table: &Table, draws: &[Filled], columns: &[(&str, usize)]) -> Result<Option<Section>> {
    let found: Vec<(&str, Pooled)> = columns
        .iter()
        .filter_map(|(name, _)| {
            let estimates =
                draws.iter().map(|draw| mean(draw.data.column(name).ok()?)).collect::<Option<Vec<_>>>()?;
            let complete = table.rows() as f64 - 1.0;
            Some((*name, pool(&estimates, Some(complete), LEVEL).ok()?))
        })
        .collect();
    if found.is_empty() {
        return Ok(None);
    }
    let mut grid = Grid::new([
        "column",
        "mean",
        "from",
        "to",
        "standard error",
        "missing information",
        "variance grows by",
    ]);
    for (name, own) in &found {
        grid = grid.row([
            (*name).to_owned(),
            format!("{:.4}", own.estimate),
            format!("{:.4}", own.low),
            format!("{:.4}", own.high),
            format!("{:.4}", own.standard_error),
            format!("{:.1} %", 100.0 * own.missing_information),
            format!("{:.1} %", 100.0 * own.relative_increase),
        ]);
    }
    let mut ranked: Vec<Ranked> = found
        .iter()
        .map(|(name, own)| Ranked {
            name: (*name).to_owned(),
            value: own.missing_information,
            interval: None,
        })
        .collect();
    ranked.sort_by(|a, b| b.value.total_cmp(&a.value));
    ranked.truncate(MOST_COLUMNS);
    let chart = Ranking {
        words: Words::new(
            "Missing information",
            format!("Share of the information about each column's mean that the holes took, from {}.", count(draws.len(), "draw")),
            "Where it is less than the share of holes, the other columns tell the rest. Where it is high, more draws pay.",
        ),
        names: "column".into(),
        values: "share of the information".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows: ranked,
    }
    .draw()?;
    let text = format!(
        "The mean of each column from {}, pooled by Rubin's rules, with its {:.0} % interval. `unmiss analyse` does the \
         same for regressions.",
        count(draws.len(), "filled table"),
        100.0 * LEVEL
    );
    Ok(Some(Section::new("What the holes cost").text(text).chart(chart).table("Means of the columns", grid)))
}

/// The mean of a column of numbers; none where there are too few to tell its error.
fn mean(column: &Column) -> Option<Estimate> {
    column.numbers().filter(|values| values.len() > 1).map(Estimate::mean)
}

/// The chains of the imputer's draws, where it has some.
///
/// # Errors
/// When a chart can't be drawn.
pub fn chains(model: &Model) -> Result<Option<Section>> {
    let encoder = model.coder.table()?;
    let numbers = encoder.numbers.iter().map(|feature| feature.name.as_str());
    let names: Vec<&str> =
        numbers.chain(encoder.categories.iter().map(|feature| feature.name.as_str())).collect();
    let traces = joint(&model.summary.method)["traces"].as_array().cloned().unwrap_or_default();
    let mut traces: Vec<(&str, &Value)> = traces
        .iter()
        .filter_map(|trace| Some((*names.get(trace["feature"].as_u64()? as usize)?, trace)))
        .collect();
    if traces.is_empty() {
        return Ok(None);
    }
    let reduction = |trace: &Value| trace["scale reduction"].as_f64();
    let mut grid = Grid::new(["column", "potential scale reduction"]);
    for (name, trace) in &traces {
        let figure = reduction(trace).map_or("-".to_owned(), |value| format!("{value:.3}"));
        grid = grid.row([(*name).to_owned(), figure]);
    }
    traces.sort_by(|a, b| reduction(b.1).unwrap_or(0.0).total_cmp(&reduction(a.1).unwrap_or(0.0)));
    let text = "Every draw comes from a chain of its own, started at random. Chains that have forgotten their start mix and \
                show no trend; their potential scale reduction is near 1 (-: too few holes to tell). \
                Where it is above 1.1, give them more rounds (--set draw-rounds=50).";
    let mut section = Section::new("Whether the chains agree").text(text);
    for (name, trace) in traces.iter().take(MOST_TRACED) {
        section = section.chart(traced(name, trace, reduction(trace))?);
    }
    Ok(Some(section.table("All columns with holes", grid)))
}

/// What the method that draws says: `auto` passes it on.
fn joint(summary: &Value) -> &Value {
    match &summary["draws"] {
        Value::Null => summary,
        own => own,
    }
}

fn traced(name: &str, trace: &Value, reduction: Option<f64>) -> Result<crate::report::Chart> {
    let chains: Vec<Vec<f64>> = serde_json::from_value(trace["means"].clone()).unwrap_or_default();
    let rounds = chains.first().map_or(0, Vec::len);
    let point = |round: usize| {
        let at: Vec<f64> = chains.iter().filter_map(|chain| chain.get(round).copied()).collect();
        LinePoint {
            x: round as f64 + 1.0,
            name: (round + 1).to_string(),
            value: at.iter().sum::<f64>() / at.len().max(1) as f64,
            interval: (
                at.iter().copied().fold(f64::INFINITY, f64::min),
                at.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ),
            rows: at.len(),
        }
    };
    let one = |number: usize| Line {
        name: format!("chain {}", number + 1),
        points: chains[number]
            .iter()
            .enumerate()
            .map(|(round, value)| LinePoint {
                x: round as f64 + 1.0,
                name: (round + 1).to_string(),
                value: *value,
                interval: (*value, *value),
                rows: 1,
            })
            .collect(),
        reference: None,
    };
    let mut lines =
        vec![Line { name: "all chains".into(), points: (0..rounds).map(point).collect(), reference: None }];
    lines.extend((0..chains.len().min(2)).map(one));
    let seen = format!(
        "Mean of what fills `{name}`, round by round: over {} with the band of all, and two of them.",
        count(chains.len(), "chain")
    );
    let meant = match reduction {
        None => "Too few holes or rounds to tell whether the chains agree.".to_owned(),
        Some(figure) if figure < MOST_REDUCTION => format!(
            "Potential scale reduction {figure:.2}: the chains agree. They show no trend after the first rounds, and \
             cross."
        ),
        Some(figure) => format!(
            "Potential scale reduction {figure:.2}: the chains do not agree yet. More rounds may help (--set \
             draw-rounds=50)."
        ),
    };
    Lines {
        words: Words::new(format!("Chains of `{name}`"), seen, &meant),
        x: "round".into(),
        y: "mean, in standard deviations".into(),
        form: Form::Number,
        whole: true,
        lines,
    }
    .draw()
}
