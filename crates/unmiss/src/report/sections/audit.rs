//! An audit as sections of a page: the drift, the figures, single rows, single columns, what the data say.

use super::target::ByKnown;
use crate::audit::{Audit, ColumnEffect, Example, Figures, HolesThenAndNow, Level, Treated};
use crate::error::Result;
use crate::missing::words::number;
use crate::missing::{Estimate, TargetByKnown};
use crate::model::ColumnShift;
use crate::report::{
    Chart, Drift, DriftCurve, DriftPoint, Form, Grid, Marks, Ranked, Ranking, Section, SingleRow, Singles,
    Words,
};

/// Columns in the chart, at most; the table below has all.
const MOST_COLUMNS: usize = 25;
const KNOWN: &str = "share of the row's known cells that stay known";

/// Whether a model's answer drifts with how much is known.
///
/// # Errors
/// When a chart can't be drawn.
pub fn audit(audit: &Audit) -> Result<Vec<Section>> {
    let mut drift = Section::new("Does the answer drift with how much is known?")
        .list(&audit.summary)
        .careful(&audit.warnings)
        .chart(curves(audit)?)
        .table("The figures; all but the drift are of the median row", figures(audit));
    if !audit.examples.is_empty() {
        drift = drift.chart(examples(audit)?);
    }
    let advice = Section::new("What this means and what to do").list(&audit.verdict.advice());
    let mut sections = vec![advice, drift];
    if !audit.columns.is_empty() {
        let missed = Section::new("Which column is missed most");
        sections.push(missed.chart(columns(audit)?).table("All columns", column_grid(audit)));
    }
    if let Some(target) = audit.data.target.as_ref().filter(|target| target.groups.len() > 1) {
        sections.push(Section::new("What the data say").chart(data(target)?));
    }
    if let Some(holes) = &audit.holes {
        let section = Section::new("Is missing what was missing in training?");
        let section = match holes.shift {
            Some(_) => section.careful(&[holes.words()]),
            None => section.list(&[holes.words()]),
        };
        sections.push(section.table("Share of rows in which a column is missing", holes_grid(holes)));
    }
    Ok(sections)
}

fn holes_grid(holes: &HolesThenAndNow) -> Grid {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let row = |column: &ColumnShift| vec![column.name.clone(), percent(column.before), percent(column.now)];
    let grid = Grid::new(["column", "when the model was learned", "here"]);
    Grid { rows: holes.columns.iter().map(row).collect(), ..grid }
}

/// What the answer is, and how it is written: a chance in percent, a number as it is.
fn answer(audit: &Audit) -> (String, Form) {
    match &audit.class {
        Some(class) => (format!("chance of {class}"), Form::Percent),
        None => ("answer".to_owned(), Form::Number),
    }
}

/// The other treatments of holes that were audited: without Sparsity Normalization on its scale, and with it.
fn treated(audit: &Audit) -> impl Iterator<Item = &Treated> {
    audit.contrast.iter().flat_map(|contrast| contrast.without.iter().chain([&contrast.with]))
}

fn curves(audit: &Audit) -> Result<Chart> {
    let point = |level: &Level| DriftPoint {
        x: level.share,
        mean: level.mean,
        quantiles: [level.low, level.lower_quartile, level.median, level.upper_quartile, level.high],
    };
    let curve =
        |name: String, levels: &[Level]| DriftCurve { name, points: levels.iter().map(point).collect() };
    let mut plots = vec![curve("as audited".to_owned(), &audit.curve)];
    plots.extend(treated(audit).map(|after| curve(format!("with {}", after.changed), &after.curve)));
    let (what, form) = answer(audit);
    let seen = format!(
        "{} rows, their cells hidden at random with {} masks for each share: the mean of all answers and where \
         they lie{}.",
        number(audit.rows),
        audit.settings.masks,
        match plots.len() {
            1 => "",
            2 => ", as audited and with Sparsity Normalization",
            _ => ", as audited, and with and without Sparsity Normalization on one scale",
        }
    );
    let meaning = format!(
        "Cells hidden at random carry no information, so the mean should stay level; here the verdict is: {}.",
        audit.verdict.name()
    );
    Drift {
        words: Words::new("The answer by how much is known", seen, meaning),
        x: KNOWN.into(),
        x_form: Form::Percent,
        y: what,
        y_form: form,
        curves: plots,
    }
    .draw()
}

/// A figure's name, its value with its interval, and what it is.
type FigureRow = (&'static str, fn(&Figures) -> (f64, [f64; 2]), &'static str);

fn figures(audit: &Audit) -> Grid {
    let rows: [FigureRow; 5] = [
        (
            "drift",
            |f| (f.drift, f.intervals.drift),
            "Largest move of the mean answer of all rows, in standard deviations of the answers.",
        ),
        (
            "slope",
            |f| (f.slope, f.intervals.slope),
            "Change of a row's answer from few to all cells known, in standard deviations of the answers.",
        ),
        (
            "share",
            |f| (f.share, f.intervals.share),
            "Part of a row's changes that the number of known cells explains.",
        ),
        (
            "range",
            |f| (f.range, f.intervals.range),
            "Largest difference between a row's means, in standard deviations of the target.",
        ),
        (
            "spearman",
            |f| (f.spearman, f.intervals.spearman),
            "1: a row's answer rises with every known cell; -1: it falls.",
        ),
    ];
    let mut head = vec!["figure", "value", "95 % interval"];
    head.extend(audit.contrast.iter().flat_map(|contrast| {
        let without = contrast.without.as_ref().map(|_| "without Sparsity Normalization, its scale");
        without.into_iter().chain(["with Sparsity Normalization"])
    }));
    head.push("what it is");
    let mut grid = Grid::new(head);
    for (name, of, meaning) in rows {
        let (value, [low, high]) = of(&audit.figures);
        let mut cells = vec![name.to_owned(), format!("{value:.2}"), format!("{low:.2} to {high:.2}")];
        cells.extend(treated(audit).map(|after| format!("{:.2}", of(&after.figures).0)));
        cells.push(meaning.to_owned());
        grid = grid.row(cells);
    }
    grid
}

fn examples(audit: &Audit) -> Result<Chart> {
    let row = |example: &Example| {
        let share = |known: usize| known as f64 / example.known.max(1) as f64;
        let answers = example
            .levels
            .iter()
            .flat_map(|level| level.answers.iter().map(move |answer| (share(level.known), *answer)));
        SingleRow {
            name: format!("row {}", number(example.row)),
            answers: answers.collect(),
            means: example.levels.iter().map(|level| (share(level.known), level.mean)).collect(),
        }
    };
    let (what, form) = answer(audit);
    let seen = format!(
        "{} rows of the table, from a low answer to a high one; a dot is the answer with one random choice of known \
         cells, a line their mean.",
        audit.examples.len()
    );
    let meaning = "Dots spread because some cells matter more than others; a line that slopes is an answer that \
                   depends on how much is known.";
    Singles {
        words: Words::new("Single rows", seen, meaning),
        x: KNOWN.into(),
        x_form: Form::Percent,
        y: what,
        y_form: form,
        rows: audit.examples.iter().map(row).collect(),
    }
    .draw()
}

fn columns(audit: &Audit) -> Result<Chart> {
    let shown = audit.columns.len().min(MOST_COLUMNS);
    let row = |effect: &ColumnEffect| Ranked {
        name: effect.column.clone(),
        value: effect.mean_absolute_change,
        interval: None,
    };
    let seen = format!(
        "Mean size of the change of the answer when the cell of one column is hidden, in standard deviations of \
         the answers, for {}.",
        if shown < audit.columns.len() {
            format!("the {shown} columns that matter most")
        } else {
            "every input".to_owned()
        }
    );
    let alarming: Vec<String> = audit
        .columns
        .iter()
        .filter(|effect| effect.alarming)
        .map(|effect| format!("`{}`", effect.column))
        .collect();
    let meaning = match (alarming.as_slice(), audit.columns.first()) {
        ([], None) => String::new(),
        ([], Some(first)) => format!(
            "`{}` is missed most: without it the answer for a row moves by {:.2} standard deviations on average.",
            first.column, first.mean_absolute_change
        ),
        (names, _) => format!(
            "The model never saw {} missing in training, and its answers move visibly when {} missing: do not use \
             it on such rows.",
            names.iter().take(5).cloned().collect::<Vec<_>>().join(", "),
            if names.len() == 1 { "it is" } else { "they are" }
        ),
    };
    Ranking {
        words: Words::new("What hiding one column does", seen, meaning),
        names: "column".into(),
        values: "mean size of change (standard deviations of the answers)".into(),
        form: Form::Places(2),
        marks: Marks::Bars,
        rows: audit.columns.iter().take(MOST_COLUMNS).map(row).collect(),
    }
    .draw()
}

fn column_grid(audit: &Audit) -> Grid {
    let mut grid = Grid::new([
        "column",
        "known in rows",
        "mean change",
        "mean size of change",
        "shift when empty",
        "in training",
    ]);
    for effect in &audit.columns {
        let training = match effect.complete_in_training {
            Some(true) => "complete",
            Some(false) => "with holes",
            None => "",
        };
        grid = grid.row([
            effect.column.clone(),
            number(effect.rows),
            format!("{:+.2}", effect.mean_change),
            format!("{:.2}", effect.mean_absolute_change),
            format!("{:+.2}", effect.shift_when_empty),
            training.to_owned(),
        ]);
    }
    grid
}

fn data(target: &TargetByKnown) -> Result<Chart> {
    let rows: usize = target.groups.iter().map(|group| group.rows).sum();
    let estimates = target.groups.first().map_or(0, |group| group.estimates.len());
    // The mean over all rows is the mean of the groups, weighed by their rows.
    let overall = |place: usize| {
        let part = |group: &crate::missing::KnownGroup| group.estimates[place].value * group.rows as f64;
        let value = target.groups.iter().map(part).sum::<f64>() / rows.max(1) as f64;
        Estimate { value, standard_error: 0.0 }
    };
    let overall: Vec<Estimate> = (0..estimates).map(overall).collect();
    ByKnown {
        name: &target.name,
        classes: &target.classes,
        overall: &overall,
        groups: &target.groups,
        test: target.test,
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditSettings, audit as examine};
    use crate::data::{Column, Kind, Table};
    use crate::report::Page;
    use crate::run::Run;

    #[test]
    fn an_audit_has_a_page_with_its_numbers() {
        let numbers =
            |j: usize| (0..60).map(|row| ((row * (j + 3)) % 7 + 1) as f64 + 0.5).collect::<Vec<_>>();
        let names: Vec<String> = (0..6).map(|j| format!("<x{j}>")).collect();
        let columns =
            names.iter().enumerate().map(|(j, name)| Column::from_numbers(name, Kind::Real, &numbers(j)));
        let rows = Table::new(columns.collect()).unwrap();
        // A sum in which a missing cell counts 0.
        let sum = |table: &Table| -> Result<Vec<f64>> {
            let cell = |column: &Column, row: usize| {
                if column.observed[row] { column.numbers().unwrap()[row] } else { 0.0 }
            };
            Ok((0..table.rows())
                .map(|row| table.columns().iter().map(|column| cell(column, row)).sum())
                .collect())
        };
        let settings = AuditSettings { rows: 20, levels: 5, masks: 4, ..AuditSettings::default() };
        let found = examine(&rows, &names, &sum, &settings, &Run::new(0, 1).unwrap()).unwrap();
        let chart = curves(&found).unwrap();
        assert_eq!(chart.numbers.rows.len(), found.curve.len());
        assert_eq!(chart.numbers.rows[0][2], Form::Number.write(found.curve[0].mean));
        assert_eq!(column_grid(&found).rows.len(), 6);
        let html = Page::new("audit").sections(audit(&found).unwrap()).html();
        assert!(html.contains("strong drift") && html.contains("&lt;x0&gt;") && !html.contains("<x0>"));
        assert!(html.len() < 1_500_000);
    }
}
