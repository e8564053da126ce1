//! Series as tables: a row for each series and time, a row for each value, and the table they came from, filled.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::columns::{Times, words};
use super::set::Series;
use crate::data::table::{Column, Kind, Table, Values};
use crate::data::table_writer::TableWriter;
use crate::error::Result;

/// A series and a step of it.
type Place = (usize, usize);

impl Series {
    /// A row for each series and time: its id, the time, what does not change over time, and the variables.
    ///
    /// # Errors
    /// When a name is that of two columns.
    pub fn wide(&self, id: &str, time: &str) -> Result<Table> {
        let rows: Vec<(usize, usize)> =
            (0..self.len()).flat_map(|one| (0..self.times(one).len()).map(move |step| (one, step))).collect();
        let owners: Vec<usize> = rows.iter().map(|(one, _)| *one).collect();
        let written = |time| self.clock.format(time);
        let mut columns = vec![self.id_column(id, &owners), self.time_column(time, &rows, written)];
        columns.extend(self.statics().columns().iter().map(|column| column.select(&owners)));
        let width = self.variables().len();
        for (variable, name) in self.variables().iter().enumerate() {
            let cell = |(one, step): &(usize, usize)| self.values(*one)[step * width + variable];
            let known = |(one, step): &(usize, usize)| self.observed(*one)[step * width + variable];
            columns.push(Column {
                name: name.clone(),
                kind: Kind::Real,
                values: Values::Numbers(rows.iter().map(cell).collect()),
                observed: rows.iter().map(known).collect(),
            });
        }
        Table::new(columns)
    }

    fn id_column(&self, name: &str, owners: &[usize]) -> Column {
        let texts = owners.iter().map(|&one| self.ids()[one].clone()).collect();
        Column {
            name: name.to_owned(),
            kind: Kind::Text,
            values: Values::Texts(texts),
            observed: vec![true; owners.len()],
        }
    }

    fn time_column(&self, name: &str, rows: &[Place], written: impl Fn(f64) -> String) -> Column {
        let times = rows.iter().map(|(one, step)| written(self.times(*one)[*step])).collect();
        Column {
            name: name.to_owned(),
            kind: Kind::Text,
            values: Values::Texts(times),
            observed: vec![true; rows.len()],
        }
    }
}

/// Writes series whose holes were filled in the form of the table that they come from: its rows as they stood, with the
/// holes filled that have one, then rows for what has none: in a long table one for each filled value, in a wide one
/// for each further step. Series without such a table, or in other steps than it has, get a row for each series and
/// time.
///
/// # Errors
/// When the file can't be written.
pub fn write_filled((before, after): (&Series, &Series), table: Option<&Table>, path: &Path) -> Result<()> {
    let form = &after.form;
    let mut writer = TableWriter::create(path, None)?;
    let Some(table) = table.filter(|_| after.step.is_none()) else {
        let named =
            |name: &str, usual: &str| if name.is_empty() { usual.to_owned() } else { name.to_owned() };
        writer.write(&after.wide(&named(&form.series, "series"), &named(&form.time, "time"))?, "")?;
        return writer.finish();
    };
    let times = table.column(&form.time)?;
    // A mark that can be read in two ways was read as the user said it, and only a comma needs to be said.
    let times = Times::of(times, None).or_else(|_| Times::of(times, Some(',')))?;
    let rows = Rows { places: places(after, table, &times)?, times };
    let (filled, more) = match &form.long {
        Some((variable, value)) => long_rows((before, after), table, (variable, value), &rows)?,
        None => wide_rows(after, table.clone(), &rows)?,
    };
    writer.write(&filled, "")?;
    if more.rows() > 0 {
        writer.write(&more, "")?;
    }
    writer.finish()
}

/// The rows of a table as places of series.
struct Rows<'a> {
    times: Times<'a>,
    /// By row: its series and step, where it has one.
    places: Vec<Option<Place>>,
}

fn places(after: &Series, table: &Table, times: &Times<'_>) -> Result<Vec<Option<Place>>> {
    let mut steps: HashMap<(&str, u64), Place> = HashMap::new();
    for (one, id) in after.ids().iter().enumerate() {
        let times = after.times(one).iter().enumerate();
        steps.extend(times.map(|(step, time)| ((id.as_str(), (time + 0.0).to_bits()), (one, step))));
    }
    let ids = words(table.column(&after.form.series)?);
    let place = |row: usize| {
        let (id, time) = (ids.levels[ids.code(row)?].as_str(), times.time(row)?);
        steps.get(&(id, (time + 0.0).to_bits())).copied()
    };
    Ok((0..table.rows()).map(place).collect())
}

/// A long table with the holes filled that have a row, and a row for each other value that was a hole.
fn long_rows(
    (before, after): (&Series, &Series),
    table: &Table,
    (variable, value): (&str, &str),
    rows: &Rows<'_>,
) -> Result<(Table, Table)> {
    let (names, width) = (after.variables(), after.variables().len());
    let was_hole = |one: usize, cell: usize| {
        after.observed(one)[cell] && !before.observed(one).get(cell).copied().unwrap_or(false)
    };
    let (mut filled, mut seen) = (table.clone(), HashSet::new());
    let said = words(table.column(variable)?);
    let own: Vec<Option<usize>> =
        said.levels.iter().map(|level| names.iter().position(|name| name == level)).collect();
    let place = table.position(value)?;
    if let Column { values: Values::Numbers(values), observed, .. } = &mut filled.columns_mut()[place] {
        for (row, place) in rows.places.iter().enumerate() {
            let variable = said.code(row).and_then(|code| own[code]);
            let (Some((one, step)), Some(variable)) = (*place, variable) else { continue };
            let cell = step * width + variable;
            if was_hole(one, cell) {
                (values[row], observed[row]) = (after.values(one)[cell], true);
                seen.insert((one, cell));
            }
        }
    }
    let mut new = Vec::new();
    for one in 0..after.len() {
        let holes = (0..after.observed(one).len()).filter(|&cell| was_hole(one, cell));
        let unseen = holes.filter(|&cell| !seen.contains(&(one, cell)));
        new.extend(unseen.map(|cell| (one, cell / width, cell % width)));
    }
    let places: Vec<Place> = new.iter().map(|(one, step, _)| (*one, *step)).collect();
    let column = |column: &Column| {
        if column.name == variable {
            let texts = new.iter().map(|(.., variable)| names[*variable].clone()).collect();
            let (name, observed) = (column.name.clone(), vec![true; new.len()]);
            return Column { name, kind: Kind::Text, values: Values::Texts(texts), observed };
        }
        if column.name == value {
            let number =
                |(one, step, variable): &(usize, usize, usize)| after.values(*one)[step * width + variable];
            return Column::from_numbers(
                &column.name,
                Kind::Real,
                &new.iter().map(number).collect::<Vec<_>>(),
            );
        }
        further(after, column, &places, &rows.times)
    };
    let more = Table::new(table.columns().iter().map(column).collect())?;
    Ok((filled, more))
}

/// A wide table with its holes filled, and rows for the steps that it does not have.
fn wide_rows(after: &Series, mut table: Table, rows: &Rows<'_>) -> Result<(Table, Table)> {
    let width = after.variables().len();
    for (variable, name) in after.variables().iter().enumerate() {
        let Ok(place) = table.position(name) else { continue };
        let column = &mut table.columns_mut()[place];
        if let Values::Codes { codes, levels } = &column.values {
            // Numbers of two values were read as classes; what is filled may lie between them.
            let number =
                |code: &u32| levels.get(*code as usize).and_then(|level| level.parse().ok()).unwrap_or(0.0);
            column.values = Values::Numbers(codes.iter().map(number).collect());
        }
        let Column { kind, values: Values::Numbers(values), observed, .. } = column else { continue };
        *kind = Kind::Real;
        let placed = rows.places.iter().enumerate().filter_map(|(row, place)| Some((row, (*place)?)));
        for (row, (one, step)) in placed {
            let cell = step * width + variable;
            if !observed[row] && after.observed(one)[cell] {
                (values[row], observed[row]) = (after.values(one)[cell], true);
            }
        }
    }
    let seen: HashSet<Place> = rows.places.iter().flatten().copied().collect();
    let all = (0..after.len()).flat_map(|one| (0..after.times(one).len()).map(move |step| (one, step)));
    let places: Vec<Place> = all.filter(|place| !seen.contains(place)).collect();
    let column = |column: &Column| match after.variables().iter().position(|name| *name == column.name) {
        Some(variable) => {
            let cells = places.iter().map(|(one, step)| {
                let cell = step * width + variable;
                if after.observed(*one)[cell] { after.values(*one)[cell] } else { f64::NAN }
            });
            Column::from_numbers(&column.name, Kind::Real, &cells.collect::<Vec<_>>())
        }
        None => further(after, column, &places, &rows.times),
    };
    let more = Table::new(table.columns().iter().map(column).collect())?;
    Ok((table, more))
}

/// A column of further rows that holds no value which was filled: ids, times, what does not change, or nothing.
fn further(after: &Series, column: &Column, places: &[Place], times: &Times<'_>) -> Column {
    let owners: Vec<usize> = places.iter().map(|(one, _)| *one).collect();
    let known = after.statics().columns().iter().find(|own| own.name == column.name);
    if column.name == after.form.series {
        after.id_column(&column.name, &owners)
    } else if column.name == after.form.time {
        after.time_column(&column.name, places, |time| times.written(time))
    } else if let (Some(own), None) = (known, &after.form.long) {
        own.select(&owners)
    } else {
        let (values, observed) =
            (Values::Texts(vec![String::new(); places.len()]), vec![false; places.len()]);
        Column { name: column.name.clone(), kind: Kind::Text, values, observed }
    }
}
