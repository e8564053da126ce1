//! Values in any order, each with its series, time and variable, put together to series.

use super::clock::Clock;
use super::read::SeriesRoles;
use super::set::{Parts, Series};
use crate::data::table::{Column, Kind};
use crate::error::Result;

/// A value of a series; none where a row says that it is missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub series: usize,
    pub time: f64,
    pub variable: usize,
    pub value: Option<f64>,
}

/// Series that were put together.
pub(super) struct Gathered {
    pub series: Series,
    /// What is to be told.
    pub notes: Vec<String>,
    /// Variables of which nothing is known, which are left out.
    pub empty: Vec<String>,
}

/// Series in the order in which they come first, and what is to be told: values that stand twice and rows out of order.
/// A variable that every series has once at most, and at its first time, does not change over time.
pub(super) fn gathered(
    cells: Vec<Cell>,
    clock: Clock,
    ids: &[String],
    names: &[String],
    roles: &SeriesRoles,
) -> Result<Gathered> {
    let (order, by_series) = dealt(&cells, ids.len());
    let seen = constants(&by_series, names.len());
    let constant: Vec<bool> =
        names.iter().zip(seen).map(|(name, seen)| roles.constant(name).unwrap_or(seen)).collect();
    let (mut used, mut notes) = (vec![false; names.len()], Vec::new());
    cells.iter().for_each(|cell| used[cell.variable] |= cell.value.is_some());
    // What a model knows to change over time is filled even where nothing of it is known.
    used.iter_mut().zip(names).for_each(|(used, name)| *used |= roles.constant(name) == Some(false));
    let places: Vec<usize> = (0..names.len()).filter(|&own| used[own] && !constant[own]).collect();
    let mut column = vec![None; names.len()];
    places.iter().enumerate().for_each(|(place, &own)| column[own] = Some(place));
    let mut parts = Parts {
        clock,
        ids: order.iter().map(|&series| ids[series].clone()).collect(),
        variables: places.iter().map(|&own| names[own].clone()).collect(),
        ..Parts::default()
    };
    let fixed: Vec<usize> = (0..names.len()).filter(|&own| used[own] && constant[own]).collect();
    let mut statics = vec![vec![f64::NAN; by_series.len()]; fixed.len()];
    let (mut twice, mut unsorted) = (0, 0);
    for (place, (own, sorted)) in by_series.iter().enumerate() {
        unsorted += usize::from(!sorted);
        for (fixed, values) in fixed.iter().zip(&mut statics) {
            let value = own.iter().filter(|cell| cell.variable == *fixed).find_map(|cell| cell.value);
            values[place] = value.unwrap_or(f64::NAN);
        }
        let first = parts.times.len();
        // A time at which nothing stands but what does not change is no step.
        for cell in own.iter().filter(|cell| column[cell.variable].is_some()) {
            if parts.times.len() == first || parts.times.last() != Some(&cell.time) {
                parts.times.push(cell.time);
                parts.values.resize(parts.times.len() * places.len(), 0.0);
                parts.observed.resize(parts.times.len() * places.len(), false);
            }
            let (Some(variable), Some(value)) = (column[cell.variable], cell.value) else { continue };
            let place = parts.values.len() - places.len() + variable;
            if std::mem::replace(&mut parts.observed[place], true) {
                twice += 1;
                // Of several the mean, as it comes one by one.
                parts.values[place] += value;
                continue;
            }
            parts.values[place] = value;
        }
        parts.lengths.push(parts.times.len() - first);
    }
    if twice > 0 {
        mean_of_several(&mut parts, &by_series, &column);
        let values = if twice == 1 { "1 value stands".into() } else { format!("{twice} values stand") };
        notes.push(format!("{values} more than once at the same time: their mean is taken"));
    }
    if unsorted > 0 {
        notes.push(format!("the rows of {unsorted} series are put in the order of time"));
    }
    let empty: Vec<String> =
        (0..names.len()).filter(|&own| !used[own]).map(|own| names[own].clone()).collect();
    if !empty.is_empty() {
        notes.push(format!("nothing is known of {}: left out", empty.join(", ")));
    }
    if !fixed.is_empty() {
        let names: Vec<&str> = fixed.iter().map(|&own| names[own].as_str()).collect();
        let what =
            "known once at most, at the first time of a series: taken as what does not change over time";
        let names: Vec<&str> = names.into_iter().filter(|name| roles.constant(name).is_none()).collect();
        if !names.is_empty() {
            notes.push(format!("{}: {what}", names.join(", ")));
        }
    }
    let number = |(own, values): (&usize, &Vec<f64>)| number_column(&names[*own], values);
    parts.statics = fixed.iter().zip(&statics).map(number).collect();
    Ok(Gathered { series: Series::new(parts)?, notes, empty })
}

/// A column of numbers, of the kind that a table's reader would see.
pub(super) fn number_column(name: &str, values: &[f64]) -> Column {
    let whole = values.iter().all(|value| value.is_nan() || (value.fract() == 0.0 && value.abs() < 1e15));
    Column::from_numbers(name, if whole { Kind::Integer } else { Kind::Real }, values)
}

/// The cells of each series in the order of time, whether they stood so, and the series in the order of their first.
type Dealt = Vec<(Vec<Cell>, bool)>;

fn dealt(cells: &[Cell], count: usize) -> (Vec<usize>, Dealt) {
    let (mut place, mut order) = (vec![usize::MAX; count], Vec::new());
    let mut own: Vec<Vec<Cell>> = Vec::new();
    for cell in cells {
        if place[cell.series] == usize::MAX {
            place[cell.series] = order.len();
            order.push(cell.series);
            own.push(Vec::new());
        }
        own[place[cell.series]].push(*cell);
    }
    let sorted = |mut cells: Vec<Cell>| {
        let sorted = cells.is_sorted_by(|one, other| one.time <= other.time);
        if !sorted {
            cells.sort_by(|one, other| one.time.total_cmp(&other.time));
        }
        (cells, sorted)
    };
    (order, own.into_iter().map(sorted).collect())
}

/// Variables that no series has at more than one time, and at its first alone; none where no series has two times.
fn constants(by_series: &Dealt, variables: usize) -> Vec<bool> {
    let mut constant = vec![true; variables];
    let mut several = false;
    for (cells, _) in by_series {
        let (mut seen, first) = (vec![false; variables], cells.first().map(|cell| cell.time));
        several |= cells.last().map(|cell| cell.time) != first;
        for cell in cells.iter().filter(|cell| cell.value.is_some()) {
            if std::mem::replace(&mut seen[cell.variable], true) || Some(cell.time) != first {
                constant[cell.variable] = false;
            }
        }
    }
    if several && by_series.len() > 1 { constant } else { vec![false; variables] }
}

/// Divides sums of values at the same time by how many there are.
fn mean_of_several(parts: &mut Parts, by_series: &Dealt, column: &[Option<usize>]) {
    let (width, mut step) = (parts.variables.len(), 0);
    for ((cells, _), length) in by_series.iter().zip(&parts.lengths) {
        let mut counts = vec![0_u32; length * width];
        let mut own = 0;
        for cell in cells.iter().filter(|cell| cell.value.is_some()) {
            let Some(variable) = column[cell.variable] else { continue };
            while parts.times[step + own] < cell.time {
                own += 1;
            }
            counts[own * width + variable] += 1;
        }
        let values = &mut parts.values[step * width..(step + length) * width];
        for (value, count) in values.iter_mut().zip(&counts).filter(|(_, count)| **count > 1) {
            *value /= f64::from(*count);
        }
        step += length;
    }
}
