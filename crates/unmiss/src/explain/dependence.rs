//! Partial dependence (Friedman 2001): the mean answer when every row is given the same value of a column, and when
//! the column is missing in every row.

use super::cells::Cell;
use super::subject::{Case, Change, Subject};
use crate::data::Column;
use crate::error::Result;
use crate::model::{Dependence, DependencePoint, Estimate, Place};
use crate::rng::Stream;

/// Levels of a category, at most.
const MOST_LEVELS: usize = 12;
/// Shares of the known values at which a number is looked at.
const SHARES: [f64; 11] = [0.025, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.975];

/// How the mean answer of up to so many rows follows a column; `None` where fewer than two values are known, or the
/// column is more than one input, as dates and text are: they have no axis.
pub(super) fn dependence(
    subject: &Subject<'_>,
    column: usize,
    most_rows: usize,
) -> Result<Option<Dependence>> {
    let source = &subject.columns[column];
    let [input] = source.inputs[..] else { return Ok(None) };
    let places = places(subject, &source.column, input)?;
    if places.len() < 2 {
        return Ok(None);
    }
    let mut rows = Stream::new(subject.run.seed(), "dependence", 0, 0).permutation(subject.rows.rows);
    rows.truncate(most_rows);
    let cells: Vec<Cell> = places.iter().map(|(_, cell)| *cell).chain([Cell::Hole]).collect();
    let cases: Vec<Case> = cells
        .iter()
        .flat_map(|cell| rows.iter().map(|&row| Case { row, change: Some((column, Change::Cell(*cell))) }))
        .collect();
    let answers = subject.answers(&cases)?;
    let outputs = subject.outputs();
    let weights: Vec<f64> = rows.iter().map(|&row| subject.weights[row]).collect();
    // [cells, rows] of one output.
    let told: Vec<Vec<f64>> = subject
        .told()
        .into_iter()
        .map(|output| answers.iter().skip(output).step_by(outputs).copied().collect())
        .collect();
    let at = |cell: usize| -> Vec<Estimate> {
        told.iter().map(|answers| against_itself(answers, cell, rows.len(), &weights)).collect()
    };
    let points = places.into_iter().enumerate();
    let points = points.map(|(cell, (value, _))| DependencePoint { value, answer: at(cell) }).collect();
    let missing = at(cells.len() - 1);
    Ok(Some(Dependence { column: source.column.clone(), rows: rows.len(), points, missing }))
}

/// The mean answer at a cell, with the error of its distance from the row's own mean over all cells.
fn against_itself(answers: &[f64], cell: usize, rows: usize, weights: &[f64]) -> Estimate {
    let cells = (answers.len() / rows) as f64;
    let here = &answers[cell * rows..(cell + 1) * rows];
    let own_mean = |row: usize| answers.iter().skip(row).step_by(rows).sum::<f64>() / cells;
    let apart: Vec<f64> = here.iter().enumerate().map(|(row, answer)| answer - own_mean(row)).collect();
    Estimate { mean: Estimate::of(here, weights).mean, error: Estimate::of(&apart, weights).error }
}

/// The values at which a column is looked at.
fn places(subject: &Subject<'_>, column: &str, input: usize) -> Result<Vec<(Place, Cell)>> {
    let encoder = subject.model.coder.table()?;
    if let Some(category) = input.checked_sub(encoder.numbers.len()) {
        let feature = &encoder.categories[category];
        let mut codes: Vec<usize> = (0..feature.codes()).collect();
        codes.sort_by(|&a, &b| feature.shares[b].total_cmp(&feature.shares[a]));
        codes.truncate(MOST_LEVELS);
        let name = |code: usize| feature.levels.get(code).map_or("(other)", String::as_str).to_owned();
        return Ok(codes
            .into_iter()
            .map(|code| (Place::Level(name(code)), Cell::Code(code as u32)))
            .collect());
    }
    let column = subject.data.column(column)?;
    let Some(values) = column.numbers() else { return Ok(in_order(subject, column, input)) };
    let cells = (0..subject.rows.rows).map(|row| (row, Cell::of(&subject.rows, row, input)));
    let mut known: Vec<(f64, Cell)> =
        cells.filter(|(_, cell)| *cell != Cell::Hole).map(|(row, cell)| (values[row], cell)).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut few = known.clone();
    few.dedup_by(|a, b| a.0 == b.0);
    let mut taken = match few.len() <= SHARES.len() {
        true => few,
        false => {
            let last = (known.len() - 1) as f64;
            SHARES.iter().map(|share| known[(share * last).round() as usize]).collect()
        }
    };
    taken.dedup_by(|a, b| a.0 == b.0);
    Ok(taken.into_iter().map(|(value, cell)| (Place::Number(value), cell)).collect())
}

/// The words of a column whose one input is a number that is made of them, as a rank in an order: in that order.
fn in_order(subject: &Subject<'_>, column: &Column, input: usize) -> Vec<(Place, Cell)> {
    let mut found: Vec<(f32, String)> = Vec::new();
    for row in 0..subject.rows.rows {
        let (Cell::Number(number), Some(word)) = (Cell::of(&subject.rows, row, input), column.cell(row))
        else {
            continue;
        };
        if found.iter().all(|(other, _)| *other != number) {
            found.push((number, word));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(MOST_LEVELS);
    found.into_iter().map(|(number, word)| (Place::Level(word), Cell::Number(number))).collect()
}
