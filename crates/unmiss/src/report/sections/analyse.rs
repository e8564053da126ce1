//! A pooled regression as sections of a page: coefficients, a forest of them, what the holes cost, tests.

mod shifted;

pub use shifted::tipping;

use crate::analyse::{Analysis, Coefficient, CompleteRows, Family};
use crate::error::Result;
use crate::missing::words::{count, number};
use crate::pool::Rule;
use crate::report::{Chart, Form, Grid, Marks, Ranked, Ranking, Section, Words};

/// Coefficients in a chart, at most; the table has all.
const MOST_DRAWN: usize = 40;

/// The regression of filled tables.
///
/// # Errors
/// When a chart can't be drawn.
pub fn analyse(analysis: &Analysis) -> Result<Vec<Section>> {
    let mut first = Section::new("Coefficients").text(summary(analysis)).careful(&analysis.warnings);
    if !analysis.references.is_empty() {
        let levels: Vec<String> =
            analysis.references.iter().map(|(name, level)| format!("`{name}` with `{level}`")).collect();
        first =
            first.text(format!("Levels of categories are compared with a reference: {}.", levels.join(", ")));
    }
    first = first.table("Pooled coefficients", coefficients(analysis));
    if explaining(analysis).next().is_some() {
        first = first.chart(forest(analysis)?);
    }
    let mut sections = vec![first];
    if !analysis.tests.is_empty() {
        let text = "Wald's test (D1) asks whether all of some coefficients are 0, from their pooled estimates and \
                    covariances; the likelihood-ratio test (D3) compares the model with the one without these terms.";
        let section = Section::new("Tests of several coefficients").text(text);
        sections.push(section.table("Tests", tests(analysis)));
    }
    sections.push(
        Section::new("What the holes cost")
            .chart(missing_information(analysis)?)
            .table("All figures", holes(analysis)),
    );
    if let Some(complete) = &analysis.complete_rows {
        sections.push(complete_rows(analysis, complete));
    }
    Ok(sections)
}

fn summary(analysis: &Analysis) -> String {
    let what = match analysis.family {
        Family::Linear => format!("Linear regression of `{}`", analysis.response),
        Family::Logistic => format!("Logistic regression: the log odds of `{}`", analysis.response),
    };
    format!(
        "{what} by `{}`, fitted to {} filled tables of {} each and pooled by Rubin's rules. Intervals hold for {} % and \
         have Barnard and Rubin's degrees of freedom (complete data would have {}).",
        analysis.formula,
        analysis.draws,
        count(analysis.rows, "row"),
        Form::Number.write(100.0 * analysis.level),
        number(analysis.complete_degrees as usize)
    )
}

/// All coefficients but the intercept.
fn explaining(analysis: &Analysis) -> impl Iterator<Item = &Coefficient> {
    analysis.coefficients.iter().filter(|one| !one.is_intercept())
}

pub(super) fn chance(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

fn coefficients(analysis: &Analysis) -> Grid {
    let write = |value: f64| Form::Number.write(value);
    let mut head = vec!["term", "estimate", "standard error", "from", "to", "t", "df", "p"];
    let is_logistic = analysis.family == Family::Logistic;
    if is_logistic {
        head.extend(["odds ratio", "from", "to"]);
    }
    let mut grid = Grid::new(head);
    for one in &analysis.coefficients {
        let pooled = &one.pooled;
        let mut cells = vec![
            one.term.clone(),
            write(pooled.estimate),
            write(pooled.standard_error),
            write(pooled.low),
            write(pooled.high),
            format!("{:.2}", pooled.statistic),
            degrees(pooled.degrees),
            chance(pooled.p_value),
        ];
        if is_logistic {
            let (ratio, low, high) = one.odds();
            cells.extend([write(ratio), write(low), write(high)]);
        }
        grid = grid.row(cells);
    }
    grid
}

fn degrees(degrees: f64) -> String {
    if degrees > 99_999.0 { "many".to_owned() } else { format!("{degrees:.1}") }
}

fn forest(analysis: &Analysis) -> Result<Chart> {
    let of_rows = |term: &str| {
        let complete = analysis.complete_rows.as_ref()?;
        complete.coefficients.iter().find(|own| own.term == term)
    };
    let mut rows = Vec::new();
    for one in explaining(analysis).take(MOST_DRAWN) {
        let (unit, pooled) = (one.unit, &one.pooled);
        let interval = Some((pooled.low * unit, pooled.high * unit));
        rows.push(Ranked { name: one.term.clone(), value: pooled.estimate * unit, interval });
        if let Some(complete) = of_rows(&one.term) {
            let interval = Some((complete.low * unit, complete.high * unit));
            rows.push(Ranked { name: "complete rows".into(), value: complete.estimate * unit, interval });
        }
    }
    let outcome = match analysis.family {
        Family::Linear => format!("change of {}", analysis.response),
        Family::Logistic => format!("change of the log odds of {}", analysis.response),
    };
    let beside =
        if analysis.has_complete_rows() { " Below each: the same from complete rows alone." } else { "" };
    let seen = format!(
        "By how much each term changes the outcome, with its interval: numbers by one standard deviation more, levels \
         beside their reference.{beside}"
    );
    let meaning = "Where the interval leaves 0 out, the data tell the direction, the holes counted in.";
    Ranking {
        words: Words::new("Forest of coefficients", seen, meaning),
        names: "term".into(),
        values: outcome,
        form: Form::Number,
        marks: if analysis.has_complete_rows() { Marks::Pairs } else { Marks::Forest },
        rows,
    }
    .draw()
}

fn missing_information(analysis: &Analysis) -> Result<Chart> {
    let row = |one: &Coefficient| Ranked {
        name: one.term.clone(),
        value: one.pooled.missing_information,
        interval: None,
    };
    let seen = "The fraction of missing information (FMI) about each coefficient.";
    let meaning = "The longer the bar, the more the answer rests on the imputer; as a rule of thumb, take at least as \
                   many draws as the largest has percent.";
    Ranking {
        words: Words::new("Missing information", seen, meaning),
        names: "term".into(),
        values: "fraction of missing information".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows: analysis.coefficients.iter().take(MOST_DRAWN).map(row).collect(),
    }
    .draw()
}

fn holes(analysis: &Analysis) -> Grid {
    let write = |value: f64| Form::Number.write(value);
    let head =
        ["term", "FMI", "r", "share of the holes", "variance within", "between", "df", "df (Rubin 1987)"];
    let mut grid = Grid::new(head);
    for one in &analysis.coefficients {
        let pooled = &one.pooled;
        grid = grid.row([
            one.term.clone(),
            format!("{:.4}", pooled.missing_information),
            write(pooled.relative_increase),
            Form::Percent.write(pooled.share_of_holes),
            write(pooled.within),
            write(pooled.between),
            degrees(pooled.degrees),
            degrees(pooled.degrees_rubin),
        ]);
    }
    grid
}

fn tests(analysis: &Analysis) -> Grid {
    let mut grid = Grid::new(["terms", "test", "F", "df", "p", "r"]);
    for one in &analysis.tests {
        let test = &one.test;
        let how = match test.rule {
            Rule::D1 => "D1, Wald",
            Rule::D3 => "D3, likelihood ratio",
        };
        grid = grid.row([
            one.terms.clone(),
            how.to_owned(),
            Form::Number.write(test.statistic),
            format!("{}, {}", test.coefficients, degrees(test.degrees)),
            chance(test.p_value),
            Form::Number.write(test.relative_increase),
        ]);
    }
    grid
}

fn complete_rows(analysis: &Analysis, complete: &CompleteRows) -> Section {
    let share = Form::Percent.write(complete.rows as f64 / analysis.rows.max(1) as f64);
    let rows = count(complete.rows, "row");
    let section = Section::new("Complete rows alone").text(format!(
        "The same regression of the {rows} ({share}) in which nothing that the formula needs is missing. It throws the \
         rest away, and is biased if rows are complete for a reason that has to do with the outcome."
    ));
    if let Some(reason) = &complete.failed {
        return section.text(format!("There is no answer: {reason}."));
    }
    let write = |value: f64| Form::Number.write(value);
    let mut grid = Grid::new(["term", "estimate", "standard error", "from", "to", "p"]);
    for one in &complete.coefficients {
        grid = grid.row([
            one.term.clone(),
            write(one.estimate),
            write(one.standard_error),
            write(one.low),
            write(one.high),
            chance(one.p_value),
        ]);
    }
    section.table("Coefficients of complete rows", grid)
}
