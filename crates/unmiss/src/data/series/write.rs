//! Series as tables: a row for each series and time, a row for each value, and the table they came from, filled.

use std::collections::HashMap;
use std::path::Path;

use super::set::{Form, Series};
use crate::data::table::{Column, Kind, Table, Values};
use crate::data::table_writer::TableWriter;
use crate::error::Result;

impl Series {
    /// A row for each series and time: its id, the time, what does not change over time, and the variables.
    ///
    /// # Errors
    /// When a name is that of two columns.
    pub fn wide(&self, id: &str, time: &str) -> Result<Table> {
        let rows: Vec<(usize, usize)> =
            (0..self.len()).flat_map(|one| (0..self.times(one).len()).map(move |step| (one, step))).collect();
        let owners: Vec<usize> = rows.iter().map(|(one, _)| *one).collect();
        let mut columns = vec![self.id_column(id, &owners), self.time_column(time, &rows)];
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

    fn time_column(&self, name: &str, rows: &[(usize, usize)]) -> Column {
        let times = rows.iter().map(|(one, step)| self.clock.format(self.times(*one)[*step])).collect();
        Column {
            name: name.to_owned(),
            kind: Kind::Text,
            values: Values::Texts(times),
            observed: vec![true; rows.len()],
        }
    }
}

/// Writes series whose holes were filled in the form of the table that they come from: its rows byte for byte, then in
/// a long table a row for each filled value. In a wide one the holes are filled where they stand, and steps that it
/// does not have come behind. Series without such a table, or in other steps than it has, get a row for each series and
/// time.
///
/// # Errors
/// When the file can't be written.
pub fn write_filled((before, after): (&Series, &Series), table: Option<&Table>, path: &Path) -> Result<()> {
    let form = &after.form;
    let mut writer = TableWriter::create(path, None)?;
    match (table.filter(|_| after.step.is_none()), &form.long) {
        (None, _) => {
            let named =
                |name: &str, usual: &str| if name.is_empty() { usual.to_owned() } else { name.to_owned() };
            writer.write(&after.wide(&named(&form.series, "series"), &named(&form.time, "time"))?, "")?;
        }
        (Some(table), Some(_)) => {
            let table = plain(table);
            writer.write(&table, "")?;
            writer.write(&long_rows(before, after, &table, form)?, "")?;
        }
        (Some(table), None) => {
            let (filled, more) = wide_rows(after, plain(table), form)?;
            writer.write(&filled, "")?;
            if more.rows() > 0 {
                writer.write(&more, "")?;
            }
        }
    }
    writer.finish()
}

/// The table without the text it was read from, where its delimiter is one that rows behind it would not have.
fn plain(table: &Table) -> Table {
    let mut table = table.clone();
    table.source = table.source.filter(|source| matches!(source.delimiter, b',' | b'\t'));
    table
}

/// A row for each value that was a hole, under the columns of a long table.
fn long_rows(before: &Series, after: &Series, table: &Table, form: &Form) -> Result<Table> {
    let (names, width) = (after.variables(), after.variables().len());
    let mut rows = Vec::new();
    for one in 0..after.len() {
        let (old, new) = (before.observed(one), after.observed(one));
        let holes = (0..new.len()).filter(|&cell| new[cell] && !old.get(cell).copied().unwrap_or(false));
        rows.extend(holes.map(|cell| (one, cell / width, cell % width)));
    }
    let places: Vec<(usize, usize)> = rows.iter().map(|(one, step, _)| (*one, *step)).collect();
    let owners: Vec<usize> = rows.iter().map(|(one, ..)| *one).collect();
    let column = |column: &Column| match &form.long {
        _ if column.name == form.series => after.id_column(&column.name, &owners),
        _ if column.name == form.time => after.time_column(&column.name, &places),
        Some((variable, _)) if column.name == *variable => {
            let texts = rows.iter().map(|(.., variable)| names[*variable].clone()).collect();
            let (name, observed) = (column.name.clone(), vec![true; rows.len()]);
            Column { name, kind: Kind::Text, values: Values::Texts(texts), observed }
        }
        Some((_, value)) if column.name == *value => {
            let number =
                |(one, step, variable): &(usize, usize, usize)| after.values(*one)[step * width + variable];
            Column::from_numbers(&column.name, Kind::Real, &rows.iter().map(number).collect::<Vec<_>>())
        }
        _ => {
            let (values, observed) =
                (Values::Texts(vec![String::new(); rows.len()]), vec![false; rows.len()]);
            Column { name: column.name.clone(), kind: Kind::Text, values, observed }
        }
    };
    Table::new(table.columns().iter().map(column).collect())
}

/// A wide table with its holes filled, and rows for the steps that it does not have.
fn wide_rows(after: &Series, mut table: Table, form: &Form) -> Result<(Table, Table)> {
    let mut steps: HashMap<(&str, u64), (usize, usize)> = HashMap::new();
    for (one, id) in after.ids().iter().enumerate() {
        let times = after.times(one).iter().enumerate();
        steps.extend(times.map(|(step, time)| ((id.as_str(), (time + 0.0).to_bits()), (one, step))));
    }
    let cell = |name: &str, row: usize| table.column(name).map(|column| column.cell(row).unwrap_or_default());
    let mut rows = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let (id, time) = (cell(&form.series, row)?, cell(&form.time, row)?);
        let time = after.clock.parse(time.trim()).map(|time| (time + 0.0).to_bits());
        rows.push(time.and_then(|time| steps.get(&(id.as_str(), time)).copied()));
    }
    let seen: std::collections::HashSet<(usize, usize)> = rows.iter().flatten().copied().collect();
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
        for (row, (one, step)) in
            rows.iter().enumerate().filter_map(|(row, place)| place.map(|place| (row, place)))
        {
            let cell = step * width + variable;
            if !observed[row] && after.observed(one)[cell] {
                (values[row], observed[row]) = (after.values(one)[cell], true);
            }
        }
    }
    let unseen = |one: &usize| {
        let one = *one;
        (0..after.times(one).len()).map(move |step| (one, step))
    };
    let places: Vec<(usize, usize)> = (0..after.len())
        .collect::<Vec<_>>()
        .iter()
        .flat_map(unseen)
        .filter(|place| !seen.contains(place))
        .collect();
    let owners: Vec<usize> = places.iter().map(|(one, _)| *one).collect();
    let column = |column: &Column| {
        let variable = after.variables().iter().position(|name| *name == column.name);
        let known = after.statics().columns().iter().find(|own| own.name == column.name);
        match (variable, known) {
            _ if column.name == form.series => after.id_column(&column.name, &owners),
            _ if column.name == form.time => after.time_column(&column.name, &places),
            (Some(variable), _) => {
                let cells = places.iter().map(|(one, step)| after.values(*one)[step * width + variable]);
                Column::from_numbers(&column.name, Kind::Real, &cells.collect::<Vec<_>>())
            }
            (None, Some(own)) => own.select(&owners),
            (None, None) => {
                let (values, observed) =
                    (Values::Texts(vec![String::new(); places.len()]), vec![false; places.len()]);
                Column { name: column.name.clone(), kind: Kind::Text, values, observed }
            }
        }
    };
    let more = Table::new(table.columns().iter().map(column).collect())?;
    Ok((table, more))
}
