//! A tipping-point analysis as a section: how coefficients move with a shift of filled values.

use super::chance;
use crate::analyse::{Analysis, Step, Tipping};
use crate::error::Result;
use crate::report::{Chart, Form, Grid, Line, LinePoint, Lines, Section, Words};

/// Coefficients that are drawn: those whose conclusion changes come first.
const MOST_DRAWN: usize = 6;

/// How the analysis changes with a shift of one column's filled values.
///
/// # Errors
/// When a chart can't be drawn.
pub fn tipping(tipping: &Tipping, analysis: &Analysis) -> Result<Section> {
    let column = &tipping.column;
    let mut section = Section::new(format!("What if `{column}` is not missing at random?")).text(format!(
        "Filled values of `{column}` were shifted away from what the imputer found plausible, and everything was done \
         again. No data can tell which shift is right: judge whether those that change a conclusion are believable."
    ));
    section = section.list(&tipping.words());
    let explaining: Vec<usize> = (0..tipping.unshifted.coefficients.len())
        .filter(|place| !tipping.unshifted.coefficients[*place].is_intercept())
        .collect();
    let mut drawn = explaining.clone();
    drawn.sort_by_key(|place| tipping.conclusions[*place].2.is_empty());
    for place in drawn.into_iter().take(MOST_DRAWN) {
        section = section.chart(chart(tipping, place, analysis.level)?);
    }
    Ok(section.table("All shifts", grid(tipping, &explaining)))
}

fn chart(tipping: &Tipping, place: usize, level: f64) -> Result<Chart> {
    let term = &tipping.unshifted.coefficients[place].term;
    let point = |step: &Step| {
        let pooled = &step.coefficients[place].pooled;
        let interval = (pooled.low, pooled.high);
        LinePoint {
            x: step.size,
            name: step.shift.clone(),
            value: pooled.estimate,
            interval,
            rows: pooled.draws,
        }
    };
    let points = tipping.steps.iter().map(point).collect();
    let seen = format!(
        "The coefficient of `{term}` with its {} % interval over the shift of `{}`. The line across is 0.",
        Form::Number.write(100.0 * level),
        tipping.column
    );
    Lines {
        words: Words::new(format!("`{term}` over the shift"), seen, tipping.word(place)),
        x: format!("shift of {}{}", tipping.column, unit(&tipping.unshifted.shift)),
        y: format!("coefficient of {term}"),
        form: Form::Number,
        whole: false,
        lines: vec![Line { name: term.clone(), points, reference: Some(0.0) }],
    }
    .draw()
}

/// What the numbers of a shift are, told by how it is written.
fn unit(shift: &str) -> String {
    match shift.rsplit_once(':') {
        Some((level, _)) => format!(" (log odds of {level})"),
        None if shift.ends_with("sd") => " (standard deviations)".to_owned(),
        None if shift.starts_with('*') => " (factor)".to_owned(),
        None => String::new(),
    }
}

fn grid(tipping: &Tipping, places: &[usize]) -> Grid {
    let write = |value: f64| Form::Number.write(value);
    let mut grid = Grid::new(["term", "shift", "estimate", "standard error", "from", "to", "p"]);
    for place in places {
        for step in &tipping.steps {
            let one = &step.coefficients[*place];
            let pooled = &one.pooled;
            grid = grid.row([
                one.term.clone(),
                step.shift.clone(),
                write(pooled.estimate),
                write(pooled.standard_error),
                write(pooled.low),
                write(pooled.high),
                chance(pooled.p_value),
            ]);
        }
    }
    grid
}
