//! An imputation as sections of a page: what was filled, how well, and whether filled values look like known ones.

mod draws;
mod values;

use crate::data::{Column, Table};
use crate::error::Result;
use crate::missing::words::{count, number};
use crate::model::{Filled, Model};
use crate::report::{Chart, Form, Grid, Marks, Ranked, Ranking, Section, Words};

/// Columns in a chart, at most; the table has all.
const MOST_COLUMNS: usize = 25;
/// Columns whose values are drawn: those with most holes.
const MOST_DRAWN: usize = 6;

/// What an imputer filled into a table, once or in several draws. `table` is the one with the holes.
///
/// # Errors
/// When a chart can't be drawn.
pub fn impute(model: &Model, table: &Table, fillings: &[Filled]) -> Result<Vec<Section>> {
    let Some(filled) = fillings.first() else { return Ok(Vec::new()) };
    let mut counts: Vec<(&str, usize)> = filled
        .counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let method = model.recipe.method;
    let cells: usize = counts.iter().map(|(_, count)| count).sum();
    let mut first = Section::new("What was filled").text(format!(
        "{} in {} were filled by `{}` ({}), learned from {}.",
        count(cells, "cell"),
        count(counts.len(), "column"),
        method.name(),
        method.card().about.title,
        count(table.rows(), "row")
    ));
    let mut careful = left(filled);
    if fillings.len() > 1 && model.filling()?.parameter_sets() == 0 {
        careful.push(format!(
            "Draws of `{}` differ by noise alone: what is pooled from them is too sure for Rubin's rules. `gaussian` and \
             `chained` draw properly.",
            method.name()
        ));
    }
    first = first.list(&sentences(model)).careful(&careful);
    if !counts.is_empty() {
        first = first
            .chart(shares(&counts, table.rows())?)
            .table("All columns", grid(model, &counts, table.rows()));
    }
    let mut sections = vec![first];
    if let Some(chart) = errors(model, &counts)? {
        sections.push(Section::new("How near the filled values come").chart(chart));
    }
    if fillings.len() > 1 {
        sections.extend(draws::cost(table, fillings, &counts)?);
        sections.extend(draws::chains(model)?);
    }
    let mut section = Section::new("Known and filled values").text(match fillings.len() {
        1 => {
            "Filled values need not be spread like known ones: cells may be missing for a reason, and a best guess always \
             varies less than the truth. Draws do not."
        }
        _ => "Drawn values need not be spread like known ones: cells may be missing for a reason that the other columns tell.",
    });
    for (name, _) in counts.iter().take(MOST_DRAWN) {
        let after: Vec<&Column> = fillings.iter().filter_map(|own| own.data.column(name).ok()).collect();
        section = section.chart(values::values(table.column(name)?, &after)?);
    }
    if !counts.is_empty() {
        sections.push(section);
    }
    Ok(sections)
}

fn sentences(model: &Model) -> Vec<String> {
    let told = model.summary.method["sentences"].as_array().cloned().unwrap_or_default();
    told.iter().filter_map(|sentence| sentence.as_str().map(str::to_owned)).collect()
}

fn left(filled: &Filled) -> Vec<String> {
    let line = |left: &crate::model::Unfilled| {
        format!("`{}` still has {}: {}.", left.column, count(left.rows.len(), "hole"), left.reason)
    };
    filled.unfilled.iter().map(line).collect()
}

fn shares(counts: &[(&str, usize)], rows: usize) -> Result<Chart> {
    let row = |(name, count): &(&str, usize)| Ranked {
        name: (*name).to_owned(),
        value: *count as f64 / rows.max(1) as f64,
        interval: None,
    };
    let seen = match counts.len() > MOST_COLUMNS {
        true => format!("The {MOST_COLUMNS} columns with most filled cells, of {}.", number(counts.len())),
        false => "Share of each column's cells that were filled.".to_owned(),
    };
    let meaning = "The longer the bar, the more an analysis of the column rests on the imputer.";
    Ranking {
        words: Words::new("Filled cells", seen, meaning),
        names: "column".into(),
        values: "share of the cells".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows: counts.iter().take(MOST_COLUMNS).map(row).collect(),
    }
    .draw()
}

fn grid(model: &Model, counts: &[(&str, usize)], rows: usize) -> Grid {
    let mut grid = Grid::new(["column", "filled", "share", "how", "error", "error of the mean"]);
    for (name, count) in counts {
        let column = &model.summary.method["columns"][*name];
        let figure =
            |value: &serde_json::Value| value.as_f64().map_or("-".to_owned(), |error| format!("{error:.3}"));
        grid = grid.row([
            (*name).to_owned(),
            number(*count),
            format!("{:.1} %", 100.0 * *count as f64 / rows.max(1) as f64),
            column["how"].as_str().unwrap_or(model.recipe.method.name()).to_owned(),
            figure(&column["error"]),
            figure(&column["errors"]["mean"]),
        ]);
    }
    grid
}

/// Errors on hidden cells beside the mean's, where the imputer measured them.
fn errors(model: &Model, counts: &[(&str, usize)]) -> Result<Option<Chart>> {
    let mut rows: Vec<Ranked> = counts
        .iter()
        .filter_map(|(name, _)| {
            let column = &model.summary.method["columns"][*name];
            let (error, mean) = (column["error"].as_f64()?, column["errors"]["mean"].as_f64()?);
            (mean > 0.0).then(|| Ranked { name: (*name).to_owned(), value: error / mean, interval: None })
        })
        .take(MOST_COLUMNS)
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    rows.sort_by(|a, b| a.value.total_cmp(&b.value));
    let seen = "Error on known cells that were hidden, as a share of the error that the column's mean (or most frequent \
                category) makes.";
    let meaning =
        "Short bars: the other columns tell what stands there. At 100 % nothing is known but the mean.";
    Ranking {
        words: Words::new("Error beside the mean's", seen, meaning),
        names: "column".into(),
        values: "share of the mean's error".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows,
    }
    .draw()
    .map(Some)
}
