//! What a model goes by, as sections of a page: columns, holes, curves.

use crate::error::Result;
use crate::missing::words::{count, significant_digits};
use crate::model::{ColumnImportance, Dependence, Estimate, Explanation, Place};
use crate::report::{Chart, Form, Grid, Line, LinePoint, Lines, Marks, Ranked, Ranking, Section, Words};

/// Columns in a chart, at most.
const MOST_COLUMNS: usize = 20;
/// Classes in a chart, at most: those that move most.
const MOST_CLASSES: usize = 4;

/// Which columns matter, what their holes do, and how the answer follows their values.
///
/// # Errors
/// When a chart can't be drawn.
pub fn explain(found: &Explanation) -> Result<Vec<Section>> {
    let mut columns = Section::new("What the model goes by").list(&found.summary).chart(importance(found)?);
    if let Some(chart) = hidden(found)? {
        columns = columns.chart(chart);
    }
    let mut sections = vec![columns.table("All columns", all(found)).careful(&found.warnings)];
    if !found.curves.is_empty() {
        let mut curves = Section::new("How the answer follows the values").text(
            "Every row is given the same value of a column and keeps the rest; the mean of the answers is drawn.",
        );
        for curve in &found.curves {
            curves = curves.chart(dependence(found, curve)?);
        }
        sections.push(curves);
    }
    Ok(sections)
}

fn importance(found: &Explanation) -> Result<Chart> {
    let values = match (found.loss, found.classes.is_empty()) {
        (None, true) => "how far answers move, in standard deviations of the target",
        (None, false) => "how much chance moves between classes",
        (Some(_), true) => "rise of the squared error, in variances of the target",
        (Some(_), false) => "rise of the log-loss",
    };
    let row = |column: &ColumnImportance| {
        let own = column.importance.unwrap_or(column.moves);
        Ranked { name: column.column.clone(), value: own.mean, interval: Some(own.interval()) }
    };
    let rows = if found.held_out { "held-out row" } else { "row" };
    let shown = match found.columns.len() > MOST_COLUMNS {
        true => format!("the first {MOST_COLUMNS} of {} columns", found.columns.len()),
        false => "every column".to_owned(),
    };
    let seen = format!(
        "What is lost on {} when the cells of {shown}, holes and all, change places between rows, with 95 % intervals.",
        count(found.rows, rows)
    );
    let meaning = "A column at 0 could be left out, as long as the others stay.";
    Ranking {
        words: Words::new("Importance of the columns", seen, meaning),
        names: "column".into(),
        values: values.into(),
        form: Form::Places(4),
        marks: Marks::Forest,
        rows: found.columns.iter().take(MOST_COLUMNS).map(row).collect(),
    }
    .draw()
}

/// What hiding known cells does to the answer, where one number tells it.
fn hidden(found: &Explanation) -> Result<Option<Chart>> {
    let what = match found.classes.as_slice() {
        [] => format!("change of `{}`", found.target),
        [class] => format!("change of the chance of `{class}`"),
        _ => return Ok(None),
    };
    let row = |column: &ColumnImportance| {
        let change = column.hidden.as_ref()?.answer.first()?;
        Some(Ranked { name: column.column.clone(), value: change.mean, interval: Some(change.interval()) })
    };
    let rows: Vec<Ranked> = found.columns.iter().take(MOST_COLUMNS).filter_map(row).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let seen = "The mean change of the answer when a column's known cells are hidden, with 95 % intervals.";
    let meaning =
        "Where holes come by chance the mean answer should stay; where a hole tells something, it moves.";
    let chart = Ranking {
        words: Words::new("What a hole does to the answer", seen, meaning),
        names: "column".into(),
        values: what.replace('`', ""),
        form: if found.classes.is_empty() { Form::Number } else { Form::Places(4) },
        marks: Marks::Forest,
        rows,
    };
    chart.draw().map(Some)
}

fn all(found: &Explanation) -> Grid {
    let pair = |estimate: &Estimate| format!("{:.4} ± {:.4}", estimate.mean, estimate.error);
    let mut head =
        vec!["column", "importance ± standard error", "from holes", "missing in training", "loss if hidden"];
    let told: Vec<String> = match found.classes.as_slice() {
        [] => vec![format!("`{}` if hidden", found.target)],
        classes => classes.iter().map(|class| format!("chance of `{class}` if hidden")).collect(),
    };
    head.extend(told.iter().map(String::as_str));
    let mut grid = Grid::new(head);
    let none = || "–".to_owned();
    for column in &found.columns {
        let mut cells = vec![
            column.column.clone(),
            pair(column.importance.as_ref().unwrap_or(&column.moves)),
            column.from_holes.map_or_else(none, |share| format!("{:.0} %", 100.0 * share)),
            format!("{:.1} %", 100.0 * column.missing_in_training),
        ];
        let hidden = column.hidden.as_ref();
        cells.push(
            hidden.and_then(|hidden| hidden.loss.as_ref()).map_or_else(none, |loss| signed(loss, pair)),
        );
        let change = |place: usize| hidden.and_then(|hidden| hidden.answer.get(place));
        cells.extend((0..told.len()).map(|place| change(place).map_or_else(none, |own| signed(own, pair))));
        grid = grid.row(cells);
    }
    grid
}

fn signed(estimate: &Estimate, pair: impl Fn(&Estimate) -> String) -> String {
    format!("{}{}", if estimate.mean >= 0.0 { "+" } else { "" }, pair(estimate))
}

/// The mean answer along a column: a line for numbers, dots for levels, with "missing" beside them.
fn dependence(found: &Explanation, curve: &Dependence) -> Result<Chart> {
    let classes = moving(curve, MOST_CLASSES);
    let (target, column) = (&found.target, &curve.column);
    let answer = match found.classes.as_slice() {
        [] => target.clone(),
        [class] => format!("chance of {class}"),
        _ => "chance".to_owned(),
    };
    let title = format!("`{target}` by `{column}`");
    let numbers: Option<Vec<f64>> = curve
        .points
        .iter()
        .map(|point| if let Place::Number(value) = &point.value { Some(*value) } else { None })
        .collect();
    let form = if found.classes.is_empty() { Form::Number } else { Form::Percent };
    let Some(values) = numbers else { return levels(found, curve, title, form) };
    let line = |&class: &usize| Line {
        name: found.classes.get(class).cloned().unwrap_or_else(|| target.clone()),
        points: values
            .iter()
            .zip(&curve.points)
            .map(|(x, point)| at(*x, &point.answer[class], curve.rows))
            .collect(),
        reference: Some(curve.missing[class].mean),
    };
    let seen = format!(
        "The mean answer of {} at values of `{column}` from its 2.5 % to its 97.5 % point, with 95 % intervals of the \
         shape; the faint line across is the answer where it is missing.",
        count(curve.rows, "row")
    );
    Lines {
        words: Words::new(title, seen, meaning(found, curve, classes[0])),
        x: column.clone(),
        y: answer,
        form,
        whole: false,
        lines: classes.iter().map(line).collect(),
    }
    .draw()
}

fn at(x: f64, answer: &Estimate, rows: usize) -> LinePoint {
    LinePoint { x, name: significant_digits(x), value: answer.mean, interval: answer.interval(), rows }
}

/// Levels below each other, for the class that moves most.
fn levels(found: &Explanation, curve: &Dependence, title: String, form: Form) -> Result<Chart> {
    let class = moving(curve, 1)[0];
    let row = |name: &str, answer: &[Estimate]| Ranked {
        name: name.to_owned(),
        value: answer[class].mean,
        interval: Some(answer[class].interval()),
    };
    let name = |place: &Place| match place {
        Place::Number(value) => significant_digits(*value),
        Place::Level(level) => level.clone(),
    };
    let mut rows: Vec<Ranked> =
        curve.points.iter().map(|point| row(&name(&point.value), &point.answer)).collect();
    rows.push(row("(missing)", &curve.missing));
    let values = match found.classes.get(class) {
        Some(class) => format!("chance of {class}"),
        None => found.target.clone(),
    };
    let seen = format!(
        "The mean answer of {} for each level of `{}`, the most frequent first, and where it is missing, with 95 % \
         intervals.",
        count(curve.rows, "row"),
        curve.column
    );
    Ranking {
        words: Words::new(title, seen, meaning(found, curve, class)),
        names: curve.column.clone(),
        values,
        form,
        marks: Marks::Dots,
        rows,
    }
    .draw()
}

/// Outputs by how far their mean answer moves along the column, the farthest first.
fn moving(curve: &Dependence, most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..curve.missing.len()).collect();
    let reach = |class: usize| range(curve, class).1 - range(curve, class).0;
    order.sort_by(|&a, &b| reach(b).total_cmp(&reach(a)));
    order.truncate(most);
    order
}

/// The lowest and the highest mean answer along a column.
fn range(curve: &Dependence, class: usize) -> (f64, f64) {
    let means = curve.points.iter().map(|point| point.answer[class].mean);
    means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| (low.min(mean), high.max(mean)))
}

fn meaning(found: &Explanation, curve: &Dependence, class: usize) -> String {
    let (low, high) = range(curve, class);
    let missing = curve.missing[class].mean;
    match found.classes.get(class) {
        Some(name) => format!(
            "The chance of `{name}` is {:.1} % to {:.1} % along `{}`, and {:.1} % where it is missing.",
            100.0 * low,
            100.0 * high,
            curve.column,
            100.0 * missing
        ),
        None => format!(
            "`{}` is {} to {} along `{}`, and {} where it is missing.",
            found.target,
            significant_digits(low),
            significant_digits(high),
            curve.column,
            significant_digits(missing)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read};
    use crate::explain::{ExplainSettings, explain as find_out};
    use crate::model::{Aim, Model, Recipe};
    use crate::report::Page;
    use crate::run::Run;

    #[test]
    fn numbers_and_classes_have_their_charts() {
        let data = read("sample:penguins".as_ref(), &ReadOptions::default()).unwrap().table.into();
        let run = Run::new(1, 2).unwrap();
        let settings = ExplainSettings { rows: 60, repeats: 2, ..ExplainSettings::default() };
        for target in ["body_mass_g", "species", "sex"] {
            let model =
                Model::fit(&data, &Aim::predict(target), &Recipe::named("linear").unwrap(), &run).unwrap();
            let found = find_out(&model, &data, &settings, &run).unwrap();
            let sections = explain(&found).unwrap();
            assert_eq!(sections.len(), 2);
            let html = Page::new("explained").sections(sections).html();
            assert!(html.contains("Importance of the columns") && !html.contains("NaN"), "{target}");
            assert!(html.contains("where it is missing"), "{target}");
            assert!(html.contains("(missing)") || target != "body_mass_g");
            // Of three classes no single number tells what hiding does.
            assert_eq!(html.contains("What a hole does to the answer"), target != "species");
            assert_eq!(all(&found).rows.len(), found.columns.len());
        }
    }
}
