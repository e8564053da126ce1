//! Series from a wide table: a row for each series and time, a column for each variable.

use std::collections::HashMap;

use super::columns::{Skipped, Times, Words};
use super::gather::{Cell, Gathered, gathered as from_cells};
use super::read::SeriesRoles;
use crate::data::table::{Column, Table, Values};
use crate::error::Result;

/// A column as a part of series.
enum Role {
    /// Numbers that change over time.
    Variable(Vec<f64>),
    /// The same in all rows of a series.
    Static,
    /// Words that change over time.
    LeftOut,
}

/// Series from columns of numbers, and what is to be told. A column that is the same in all rows of every series does
/// not change over time; words that change are left out.
pub(super) fn gathered(
    table: &Table,
    (id, time): (&str, &str),
    (ids, times): (&Words<'_>, &Times<'_>),
    known: &SeriesRoles,
    skipped: &mut Skipped,
) -> Result<Gathered> {
    let mut rows = Vec::new();
    for row in 0..table.rows() {
        match (ids.code(row), times.time(row)) {
            (Some(series), Some(time)) => rows.push((row, series, time)),
            (series, time) => skipped.note(series.is_none(), time.is_none()),
        }
    }
    let others: Vec<&Column> =
        table.columns().iter().filter(|column| column.name != id && column.name != time).collect();
    let role = |column: &&Column| match known.constant(&column.name) {
        Some(true) => Role::Static,
        Some(false) => numbers_of(column),
        None => role(column, &rows, ids.levels.len()),
    };
    let roles: Vec<Role> = others.iter().map(role).collect();
    let mut names: Vec<String> = Vec::new();
    let mut numbers: Vec<(&Column, &Vec<f64>)> = Vec::new();
    for (column, role) in others.iter().zip(&roles) {
        if let Role::Variable(values) = role {
            names.push(column.name.clone());
            numbers.push((column, values));
        }
    }
    let cell = |(row, series, time): &(usize, usize, f64)| {
        let (row, series, time) = (*row, *series, *time);
        let value = move |(variable, (column, values)): (usize, &(&Column, &Vec<f64>))| {
            let value = column.observed[row].then(|| values[row]);
            Cell { series, time, variable, value }
        };
        numbers.iter().enumerate().map(value).collect::<Vec<_>>()
    };
    let cells: Vec<Cell> = rows.iter().flat_map(cell).collect();
    let Gathered { series, mut notes, empty } = from_cells(cells, times.clock, &ids.levels, &names, known)?;
    let codes: HashMap<&str, usize> = ids.levels.iter().map(String::as_str).zip(0..).collect();
    let mut statics = Vec::new();
    for column in
        others.iter().zip(&roles).filter(|(_, role)| matches!(role, Role::Static)).map(|(own, _)| own)
    {
        let mut known: Vec<Option<usize>> = vec![None; ids.levels.len()];
        for (row, series, _) in rows.iter().filter(|(row, ..)| column.observed[*row]) {
            known[*series].get_or_insert(*row);
        }
        let places: Vec<Option<usize>> = series.ids().iter().map(|id| known[codes[id.as_str()]]).collect();
        let mut own = column.select(&places.iter().map(|row| row.unwrap_or(0)).collect::<Vec<_>>());
        own.observed.iter_mut().zip(&places).for_each(|(known, row)| *known = row.is_some());
        statics.push(own);
    }
    let told = |wanted: fn(&Role) -> bool| {
        let some = others.iter().zip(&roles).filter(|(_, role)| wanted(role));
        some.map(|(column, _)| column.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    for (names, what) in [
        (
            told(|role| matches!(role, Role::Static)),
            "the same in all rows of a series: what does not change over time",
        ),
        (told(|role| matches!(role, Role::LeftOut)), "words that change over time, which are left out"),
    ] {
        if !names.is_empty() {
            notes.push(format!("{names}: {what}"));
        }
    }
    Ok(Gathered { series: series.with_statics(statics)?, notes, empty })
}

/// What a column is: by whether it changes within any series, and by whether it holds numbers.
fn role(column: &Column, rows: &[(usize, usize, f64)], count: usize) -> Role {
    let same = |one: usize, other: usize| {
        column.observed[one] == column.observed[other] && (!column.observed[one] || alike(column, one, other))
    };
    let (mut first, mut repeated) = (vec![None; count], false);
    let constant = rows.iter().all(|(row, series, _)| match first[*series] {
        None => {
            first[*series] = Some(*row);
            true
        }
        Some(first) => {
            repeated |= column.observed[*row];
            same(first, *row)
        }
    });
    if constant && repeated { Role::Static } else { numbers_of(column) }
}

/// A column that changes over time.
fn numbers_of(column: &Column) -> Role {
    match &column.values {
        Values::Numbers(values) => Role::Variable(values.clone()),
        Values::Codes { codes, levels } => {
            // Numbers of two values are read as classes.
            let numbers: Option<Vec<f64>> = levels.iter().map(|level| level.parse().ok()).collect();
            let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
            match numbers {
                Some(numbers) if !numbers.is_empty() => {
                    Role::Variable(codes.iter().map(|code| numbers[*code as usize]).collect())
                }
                _ => Role::LeftOut,
            }
        }
        Values::Texts(_) => Role::LeftOut,
    }
}

fn alike(column: &Column, one: usize, other: usize) -> bool {
    match &column.values {
        Values::Numbers(values) => values[one] == values[other],
        Values::Codes { codes, .. } => codes[one] == codes[other],
        Values::Texts(texts) => texts[one] == texts[other],
    }
}
