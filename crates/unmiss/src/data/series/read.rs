//! Reading series: a long table (a row for each value) or a wide one (a row for each series and time), and what is
//! known about each series as a whole from tables of their own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::clock::{Clock, Span};
use super::columns::{Skipped, Times, words};
use super::gather::{Cell, Gathered, gathered};
use super::remarks::{doubts, on_columns};
use super::sample::{SAMPLE, sample};
use super::set::{Form, Series};
use super::wide;
use crate::data::note::Note;
use crate::data::options::{MissingTokens, ReadOptions, check_names};
use crate::data::read_table::read as read_table;
use crate::data::reading::Reading;
use crate::data::table::{Column, Kind, Table};
use crate::error::{Error, Result};

/// Ids that a note names.
const NAMED: usize = 3;

/// Which columns are what, and how the file is read.
#[derive(Debug, Clone, Default)]
pub struct SeriesOptions {
    /// Which columns hold series, times, variables and values.
    pub form: Form,
    /// A table with a row for each series: what does not change over time.
    pub statics: Option<PathBuf>,
    /// A table with a row for each series, of which nothing but the target is taken.
    pub targets: Option<PathBuf>,
    /// The column to take from it.
    pub target: Option<String>,
    /// What a model knows to be what; of other names it is seen from the values.
    pub roles: SeriesRoles,
    /// How long after its start a series is cut off, before anything is put in bins.
    pub after: Option<Span>,
    /// The width of the bins that times are put in.
    pub step: Option<Span>,
    /// Words for "missing", the delimiter, kinds of columns. Words for a column hold for a variable of a long table.
    pub read: ReadOptions,
}

/// Names that a model knows: a single series does not show what changes over time and what does not.
#[derive(Debug, Clone, Default)]
pub struct SeriesRoles {
    /// What changes over time.
    pub variables: Vec<String>,
    /// What does not.
    pub statics: Vec<String>,
    /// What times of the model's series counted from.
    pub clock: Option<Clock>,
}

impl SeriesRoles {
    /// Whether something does not change over time; none where it is not known.
    pub(super) fn constant(&self, name: &str) -> Option<bool> {
        let among = |names: &[String]| names.iter().any(|own| own == name);
        if among(&self.statics) { Some(true) } else { among(&self.variables).then_some(false) }
    }
}

/// Series that were read, what is worth telling about them, and the table they come from.
#[derive(Debug, Clone)]
pub struct SeriesReading {
    /// The series.
    pub series: Series,
    /// Remarks in plain words: rows skipped, values that stand twice, what was taken as constant.
    pub notes: Vec<Note>,
    /// Variables of which nothing is known, which are left out.
    pub empty: Vec<String>,
    /// The file as a table; none for series that are made.
    pub table: Option<Table>,
}

/// Whether a path is that of series in any case: a built-in sample.
pub fn is_series(path: &Path) -> bool {
    path.to_str() == Some(&format!("sample:{SAMPLE}"))
}

/// Reads series from CSV, TSV or Parquet, packed with gzip or not.
///
/// # Errors
/// When a file can't be read, a column is absent, or times are written in several ways.
pub fn read(path: &Path, options: &SeriesOptions) -> Result<SeriesReading> {
    if is_series(path) {
        let mut reading =
            SeriesReading { series: sample()?, notes: Vec::new(), empty: Vec::new(), table: None };
        in_time(&mut reading, options)?;
        return Ok(reading);
    }
    let long = options.form.long.as_ref().map(|_| &options.form);
    let Reading { table, notes } = read_known(path, options.kinds(), long)?;
    let new = options.roles.clock.is_none();
    let mut reading = from_table(&table, options)?;
    // What is read for a model is read as it was then.
    let notes: Vec<Note> = on_columns(notes, |name| new && options.form.is_variable(name)).collect();
    reading.notes.splice(..0, notes);
    let mut known: Vec<String> = table.columns().iter().map(|column| column.name.clone()).collect();
    known.extend(variables_of(&table, options)?);
    if new && long.is_some() {
        reading.notes.extend(doubts(&reading.series));
    }
    for (file, wanted) in [(&options.statics, None), (&options.targets, options.target.as_ref())] {
        let Some(file) = file else { continue };
        let kinds = [(options.form.series.clone(), Kind::Category)].into();
        let about = read_known(file, ReadOptions { kinds, ..options.read.clone() }, None)?;
        known.extend(about.table.columns().iter().map(|column| column.name.clone()));
        let taken = |name: &str| name != options.form.series && wanted.is_none_or(|wanted| wanted == name);
        reading.notes.extend(on_columns(about.notes, |name| new && taken(name)));
        reading = joined(reading, &about.table, &options.form.series, wanted)
            .map_err(|error| error.reworded(|what| Error::data(format!("{}: {what}", file.display()))))?;
    }
    if new {
        check_names(&known, options.read.missing.columns().keys()).map_err(|error| {
            error.reworded(|what| {
                Error::setting("missing-in", format!("{what}, and no variable of that name"))
            })
        })?;
    }
    in_time(&mut reading, options)?;
    reading.table = Some(table);
    Ok(reading)
}

/// The names of what a long table measures.
fn variables_of(table: &Table, options: &SeriesOptions) -> Result<Vec<String>> {
    let Some((variable, _)) = &options.form.long else { return Ok(Vec::new()) };
    Ok(words(table.column(variable)?).levels)
}

/// Reads a table, with the words for "missing" of columns that it has: others may be those of another table, or of the
/// variables of a long one.
fn read_known(path: &Path, mut options: ReadOptions, long: Option<&Form>) -> Result<Reading> {
    let all = std::mem::replace(&mut options.missing, MissingTokens::new(Vec::<String>::new()));
    all.everywhere().iter().for_each(|word| options.missing.add(word));
    let named = all.columns();
    if named.is_empty() {
        return read_table(path, &options);
    }
    let known: Vec<String> = match long {
        Some(Form { series, time, long }) => {
            let (variable, value) = long.clone().unwrap_or_default();
            vec![series.clone(), time.clone(), variable, value]
        }
        None => {
            read_table(path, &options)?.table.columns().iter().map(|column| column.name.clone()).collect()
        }
    };
    for (column, words) in named.iter().filter(|(column, _)| known.contains(column)) {
        words.iter().for_each(|word| options.missing.add_for(column, word));
    }
    read_table(path, &options)
}

/// Series from a table. Nothing is put in bins.
///
/// # Errors
/// When a column is absent, or times are written in several ways.
pub fn from_table(table: &Table, options: &SeriesOptions) -> Result<SeriesReading> {
    let ids = words(table.column(&options.form.series)?);
    let times = Times::of(table.column(&options.form.time)?, options.read.form.decimal)?;
    let mut skipped = Skipped::default();
    let Gathered { mut series, notes, empty } = match &options.form.long {
        Some((variable, value)) => {
            let (names, values) = (words(table.column(variable)?), table.column(value)?);
            let numbers = values.numbers().ok_or_else(|| not_numbers(values))?;
            // Words that stand for a missing value of single variables.
            let own = |name: &String| {
                let further = options.read.missing.columns().contains_key(name);
                further.then(|| options.read.missing.of(name))
            };
            let missing: Vec<_> = names.levels.iter().map(own).collect();
            let cell = |row: usize| {
                let place = (ids.code(row), times.time(row), names.code(row));
                let (Some(series), Some(time), Some(variable)) = place else {
                    skipped.note(place.0.is_none(), place.1.is_none());
                    return None;
                };
                let text = || crate::data::table::format_number(numbers[row]);
                let stands_for = missing[variable].as_ref().is_some_and(|own| own.contain(text().as_bytes()));
                let known = values.observed[row] && !stands_for;
                Some(Cell { series, time, variable, value: known.then(|| numbers[row]) })
            };
            let cells: Vec<Cell> = (0..table.rows()).filter_map(cell).collect();
            gathered(cells, times.clock, &ids.levels, &names.levels, &options.roles)?
        }
        None => {
            let names = (options.form.series.as_str(), options.form.time.as_str());
            wide::gathered(table, names, (&ids, &times), &options.roles, &mut skipped)?
        }
    };
    if series.is_empty() {
        return Err(Error::data("there is no row with a series and a time").with_hint(
            "name the columns of ids and of times, and for a table with a row for each value those of variable and value",
        ));
    }
    series.form = options.form.clone();
    let mut notes: Vec<String> = skipped.words(&options.form).into_iter().chain(notes).collect();
    notes.extend(counted(&mut series, options.roles.clock));
    let notes = notes.into_iter().map(Note::from).collect();
    Ok(SeriesReading { series, notes, empty, table: None })
}

/// Sees to where times that are plain numbers count from, as a model had it or as they show, and what to tell of it.
fn counted(series: &mut Series, of_model: Option<Clock>) -> Option<String> {
    if series.clock != Clock::Numbers {
        return None;
    }
    let far = series.far_from_zero();
    if of_model.map_or(far.is_some(), |clock| clock == Clock::Points) {
        series.clock = Clock::Points;
    }
    let (first, last) = far.filter(|_| of_model.is_none())?;
    let (first, last) = (series.clock.format(first), series.clock.format(last));
    let why = if first.starts_with('-') { "some of which lie before 0" } else { "which do not start near 0" };
    Some(format!("times are numbers from {first} to {last}, {why}: they count from the first of each series"))
}

impl SeriesOptions {
    /// How the main table is read: ids, times and names of variables as they are written.
    fn kinds(&self) -> ReadOptions {
        let mut read = self.read.clone();
        let names = [
            Some(&self.form.series),
            Some(&self.form.time),
            self.form.long.as_ref().map(|(variable, _)| variable),
        ];
        read.kinds.extend(names.into_iter().flatten().map(|name| (name.clone(), Kind::Category)));
        read.kinds.extend(self.form.long.iter().map(|(_, value)| (value.clone(), Kind::Real)));
        ReadOptions { keep_source: true, ..read }
    }
}

/// Cuts series off and puts their times in bins, as asked.
fn in_time(reading: &mut SeriesReading, options: &SeriesOptions) -> Result<()> {
    let count = |series: &Series| (series.all_steps(), series.known_by_variable().iter().sum::<usize>());
    if let Some(after) = options.after {
        let before = count(&reading.series);
        reading.series = reading.series.until(reading.series.clock.span(after)?);
        let left = count(&reading.series);
        reading.notes.push(Note::from(format!(
            "series are cut off {after} after their start: {} of {} steps are left, and {} of {} values",
            left.0, before.0, left.1, before.1
        )));
    }
    if let Some(step) = options.step {
        let before = count(&reading.series);
        reading.series = reading.series.binned(reading.series.clock.span(step)?)?;
        let after = count(&reading.series);
        reading.notes.push(Note::from(format!(
            "times are put in bins of {step}: {} steps become {}, and {} values become {}, several in a bin being \
             their mean",
            before.0, after.0, before.1, after.1
        )));
    }
    Ok(())
}

fn not_numbers(column: &Column) -> Error {
    Error::data(format!("the values in column `{}` are not numbers", column.name))
        .with_hint("values of series are numbers; say which words stand for a missing one")
}

/// The series with what a table knows about each: all columns, or one.
fn joined(reading: SeriesReading, about: &Table, id: &str, wanted: Option<&String>) -> Result<SeriesReading> {
    let SeriesReading { series, mut notes, empty, table } = reading;
    if let Some(wanted) = wanted {
        about.column(wanted)?;
    }
    let ids = words(about.column(id)?);
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for row in 0..about.rows() {
        let Some(code) = ids.code(row) else { continue };
        if rows.insert(&ids.levels[code], row).is_some() {
            return Err(Error::data(format!("series `{}` has two rows", ids.levels[code]))
                .with_hint("a row for each series is needed"));
        }
    }
    let places: Vec<Option<usize>> = series.ids().iter().map(|own| rows.get(own.as_str()).copied()).collect();
    let unknown: Vec<&str> = series
        .ids()
        .iter()
        .zip(&places)
        .filter(|(_, row)| row.is_none())
        .map(|(own, _)| own.as_str())
        .collect();
    if unknown.len() == series.len() {
        return Err(Error::data(format!("no `{id}` of it is that of a series"))
            .with_hint(format!("the first series is `{}`", series.ids()[0])));
    }
    if !unknown.is_empty() {
        let has = if unknown.len() == 1 { "has" } else { "have" };
        notes.push(Note::from(format!("{} series {has} no row there: {}", unknown.len(), named(&unknown))));
    }
    let mut others: Vec<&str> =
        rows.keys().copied().filter(|own| !series.ids().iter().any(|id| id == own)).collect();
    if !others.is_empty() {
        others.sort_unstable();
        let are = if others.len() == 1 { "has no values and is" } else { "have no values and are" };
        notes.push(Note::from(format!("{} series {are} left out: {}", others.len(), named(&others))));
    }
    let mut columns = Vec::new();
    for column in about.columns().iter().filter(|column| column.name != id) {
        if wanted.is_some_and(|wanted| *wanted != column.name) {
            continue;
        }
        // A series without a row gets the first one's cells, and nothing is known of them.
        let mut own = column.select(&places.iter().map(|row| row.unwrap_or(0)).collect::<Vec<_>>());
        own.observed.iter_mut().zip(&places).for_each(|(known, row)| *known &= row.is_some());
        columns.push(own);
    }
    Ok(SeriesReading { series: series.with_statics(columns)?, notes, empty, table })
}

fn named(ids: &[&str]) -> String {
    let first = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    if ids.len() > NAMED { format!("{first}, ...") } else { first }
}
