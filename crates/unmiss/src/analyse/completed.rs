//! The completed tables of an analysis, and the one with the holes where it is known.

use std::path::{Path, PathBuf};

use super::formula::BOOKKEEPING;
use crate::data::{self, Column, Kind, ReadOptions, Table};
use crate::error::{Error, Result};
use crate::pool::Record;

/// Columns that number the draws of a long table, in the order in which they are looked for.
const DRAW_COLUMNS: [&str; 3] = ["draw", ".imp", "_mi_m"];
/// Cells named in an error.
const CELLS_NAMED: usize = 3;

/// Tables that were filled in several plausible ways.
#[derive(Debug, Clone)]
pub struct Completed {
    /// Each with what it is called.
    tables: Vec<(String, Table)>,
    /// The table with the holes, with what it is called.
    original: Option<(String, Table)>,
    /// Columns that are categories because the user says so.
    told: Vec<String>,
    /// What is known about how they were filled.
    pub record: Option<Record>,
}

impl Completed {
    /// Tables as they are, each with what it is called in errors.
    ///
    /// # Errors
    /// When there are fewer than two, or they have different rows or columns.
    pub fn new(tables: Vec<(String, Table)>, original: Option<(String, Table)>) -> Result<Self> {
        let [(first_name, first), others @ ..] = tables.as_slice() else {
            return Err(too_few(0));
        };
        if others.is_empty() {
            return Err(too_few(1));
        }
        for (name, table) in others.iter().chain(&original) {
            if table.rows() != first.rows() {
                let what = format!("{name} has {} rows and {first_name} {}", table.rows(), first.rows());
                return Err(Error::data(what).with_hint(
                    "give the filled tables of one table: the same rows, each filled in another way",
                ));
            }
            let absent = |column: &&Column| {
                table.column(&column.name).is_err() && !BOOKKEEPING.contains(&column.name.as_str())
            };
            if let Some(column) = first.columns().iter().find(absent) {
                let what = format!("{first_name} has a column `{}`, and {name} has not", column.name);
                return Err(Error::data(what).with_hint("give the filled tables of one table"));
            }
        }
        Ok(Self { tables, original, told: Vec::new(), record: None })
    }

    /// Reads one file for each table, or one long file with a column that numbers them (`draw` as `unmiss impute
    /// --long` writes it, `.imp` of R's mice, where 0 is the table with the holes). The record beside them is read too.
    ///
    /// # Errors
    /// When a file can't be read, or the tables do not belong together.
    pub fn read(paths: &[PathBuf], original: Option<&Path>, options: &ReadOptions) -> Result<Self> {
        check_records(paths)?;
        let read = |path: &Path| Ok((path.display().to_string(), data::read(path, options)?.table));
        let mut given = original.map(read).transpose()?;
        let mut tables = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
        if let [(name, long)] = tables.as_slice()
            && let Some(place) = draw_column(long)
        {
            let (parts, zero) = apart(name, long, place)?;
            given = given.or(zero);
            tables = parts;
        }
        let mut completed = Self::new(tables, given)?;
        let told = options.kinds.iter().filter(|(_, kind)| **kind == Kind::Category);
        completed.told = told.map(|(name, _)| name.clone()).collect();
        completed.record = paths.first().and_then(|path| Record::of(path));
        completed.check_known()?;
        Ok(completed)
    }

    /// The same tables with columns told to be categories.
    #[must_use]
    pub fn with_categories(mut self, names: &[String]) -> Self {
        self.told = names.to_vec();
        self
    }

    /// The tables.
    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(|(_, table)| table)
    }

    /// The tables with what they are called.
    pub(super) fn named(&self) -> &[(String, Table)] {
        &self.tables
    }

    /// The table with the holes.
    pub fn original(&self) -> Option<&(String, Table)> {
        self.original.as_ref()
    }

    /// The first table, whose columns a formula may name.
    pub fn first(&self) -> &Table {
        &self.tables[0].1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Whether a column is a category because the user says so.
    pub(super) fn is_told_category(&self, name: &str) -> bool {
        self.told.iter().any(|told| told == name)
    }

    /// Refuses holes in the columns that are needed.
    pub(super) fn check_full(&self, names: &[String]) -> Result<()> {
        for (name, table) in &self.tables {
            for column in names {
                let column = table.column(column)?;
                let holes: Vec<usize> = (0..column.rows()).filter(|&row| !column.observed[row]).collect();
                if holes.is_empty() {
                    continue;
                }
                let rows: Vec<String> =
                    holes.iter().take(CELLS_NAMED).map(|row| (row + 1).to_string()).collect();
                let more = if holes.len() > CELLS_NAMED { ", ..." } else { "" };
                let what = format!(
                    "{name}: column `{}` still has {} (row {}{more})",
                    column.name,
                    crate::missing::words::count(holes.len(), "hole"),
                    rows.join(", ")
                );
                return Err(Error::data(what)
                    .with_hint("fill it with `unmiss impute`, or leave the column out of the formula"));
            }
        }
        Ok(())
    }

    /// Known cells must be the same in the table with the holes and in those made of it.
    fn check_known(&self) -> Result<()> {
        let Some((original_name, original)) = &self.original else { return Ok(()) };
        for (name, table) in &self.tables {
            for before in original.columns() {
                let Ok(after) = table.column(&before.name) else { continue };
                let differs = |row: &usize| before.observed[*row] && !agree(before, after, *row);
                if let Some(row) = (0..original.rows()).find(differs) {
                    let cell = |column: &Column| column.cell(row).unwrap_or_else(|| "a hole".to_owned());
                    let what = format!(
                        "row {} of column `{}` is {} in {original_name} and {} in {name}",
                        row + 1,
                        before.name,
                        cell(before),
                        cell(after)
                    );
                    return Err(Error::data(what)
                        .with_hint("give the table that was filled, with its rows in the same order"));
                }
            }
        }
        Ok(())
    }
}

/// Whether a cell says the same in two columns: the same text, or the same number.
fn agree(before: &Column, after: &Column, row: usize) -> bool {
    match (before.numbers(), after.numbers()) {
        (Some(old), Some(new)) => after.observed[row] && old[row] == new[row],
        _ => {
            let (old, new) = (before.cell(row), after.cell(row));
            let number = |cell: &Option<String>| cell.as_ref().and_then(|cell| cell.parse::<f64>().ok());
            old == new || (number(&old).is_some() && number(&old) == number(&new))
        }
    }
}

fn too_few(count: usize) -> Error {
    Error::data(format!("there is {count} filled table, and Rubin's rules need two or more")).with_hint(
        "name all of them (full-1.csv full-2.csv ...), or one long file with a column `draw` or `.imp`",
    )
}

/// The column that numbers the draws of a long table.
fn draw_column(table: &Table) -> Option<usize> {
    DRAW_COLUMNS.iter().find_map(|name| table.columns().iter().position(|column| column.name == *name))
}

type Named = (String, Table);

/// The tables of a long one, and the one of number 0.
fn apart(name: &str, long: &Table, place: usize) -> Result<(Vec<Named>, Option<Named>)> {
    let numbering = &long.columns()[place];
    let mut draws: Vec<(u64, Vec<usize>)> = Vec::new();
    for row in 0..long.rows() {
        let cell = numbering.cell(row).unwrap_or_default();
        let draw: u64 = cell.parse().map_err(|_| {
            let what = format!("{name}, row {}: `{cell}` is no number of a draw", row + 1);
            Error::data(what).with_hint(format!("column `{}` must number the filled tables", numbering.name))
        })?;
        match draws.iter_mut().find(|(own, _)| *own == draw) {
            Some((_, rows)) => rows.push(row),
            None => draws.push((draw, vec![row])),
        }
    }
    draws.sort_by_key(|(draw, _)| *draw);
    let part = |(draw, rows): &(u64, Vec<usize>)| {
        let table = long.part(rows, |column| column.name != numbering.name);
        (format!("{name}, {} {draw}", numbering.name), table)
    };
    let mut tables: Vec<Named> = draws.iter().map(part).collect();
    let zero = draws.first().is_some_and(|(draw, _)| *draw == 0 && numbering.name != "draw");
    let original = zero.then(|| tables.remove(0));
    Ok((tables, original))
}

/// A file beside a record that names others of the given ones but not this one is left from an earlier, longer run.
fn check_records(paths: &[PathBuf]) -> Result<()> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for path in paths {
        let place = Record::path_of(path);
        let Ok(record) = Record::read(&place) else { continue };
        let names = |other: &Path| record.files.contains(&name(other));
        let beside = |other: &&PathBuf| Record::path_of(other) == place && names(other);
        if !names(path) && paths.iter().any(|other| beside(&other)) {
            let what = format!(
                "{} is none of the {} draws that {} tells of",
                path.display(),
                record.draws,
                place.display()
            );
            return Err(Error::data(what)
                .with_hint("it is left from an earlier run: delete it, or name the files of one run alone"));
        }
    }
    Ok(())
}
