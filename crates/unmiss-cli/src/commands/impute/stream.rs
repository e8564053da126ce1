//! Filling new rows with a saved imputer, batch by batch in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use unmiss::data::{Batches, Data};
use unmiss::error::{Error, Result};
use unmiss::model::{Model, Unfilled};
use unmiss::rng::hash;
use unmiss::run::Run;

use super::marks::Marks;
use super::words::as_data;
use super::{Arguments, Writers, drawn, refuse_holes};
use crate::General;
use crate::advice::told;
use crate::output::number;
use crate::printer::Printer;

/// Rows read, filled and written at a time.
const BATCH: usize = 16_384;
/// Rows of a column remembered as left empty, so that memory stays bounded.
const MOST_ROWS_TOLD: usize = 1000;

/// Fills the file.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    let run = printer.passing_run(general)?;
    let mut batches = open(arguments, model)?;
    let mut writers = Writers::create(arguments)?;
    let (mut notes, mut marks) = (Notes::default(), Marks::create(arguments)?);
    while let Some(batch) = run.compute(|| batches.next())? {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(batch);
        fill(arguments, model, &batch, &run, (&mut writers, marks.as_mut()), &mut notes)?;
        notes.rows += batch.rows();
    }
    writers.finish()?;
    marks.map_or(Ok(()), Marks::finish)?;
    let counts: Vec<(String, usize)> = std::mem::take(&mut notes.filled).into_iter().collect();
    arguments.write_record(model, notes.rows, &counts, &run)?;
    printer.close();
    batches.notes().iter().for_each(|note| run.note(told(note)));
    notes.tell(model, &run);
    let text = format!(
        "{} cells of {} rows are filled.\n{}",
        number(notes.cells),
        number(notes.rows),
        arguments.where_to()
    );
    let unfilled: Vec<Unfilled> = notes.unfilled.into_values().collect();
    arguments.tell(&as_data(model, notes.rows, &counts, &[], &unfilled), &text, printer)?;
    refuse_holes(&unfilled)
}

fn fill(
    arguments: &Arguments,
    model: &Model,
    batch: &Data,
    run: &Run,
    (writers, mut marks): (&mut Writers, Option<&mut Marks>),
    notes: &mut Notes,
) -> Result<()> {
    let filling = model.filling()?;
    let rows = filling.encode(batch, |column, level| {
        if notes.unseen.len() < MOST_ROWS_TOLD {
            notes.unseen.insert((column.to_owned(), level.to_owned()));
        }
    })?;
    let keys = arguments.row_key.as_deref().map(|column| keys(batch, column, notes.rows)).transpose()?;
    for (place, draw) in arguments.draws().into_iter().enumerate() {
        let draw_of = draw.map(|number| drawn(run, number, notes.rows as u64));
        let filled = run.compute(|| match (draw_of, &keys) {
            (Some(draw), Some(keys)) => filling.fill_by_key(batch, &rows, draw, keys),
            _ => filling.fill_rows(batch, &rows, draw_of),
        })?;
        writers.write(draw, arguments.plan.marked(&filling, batch, filled.data.table()?)?.as_ref())?;
        if let (Some(marks), 0) = (marks.as_deref_mut(), place) {
            marks.write(&filling.marks(batch, &rows, &filled, run)?, notes.rows)?;
        }
        notes.warnings.extend(filled.warnings);
        if place == 0 {
            notes.cells += filled.counts.iter().map(|(_, count)| count).sum::<usize>();
            filled
                .counts
                .iter()
                .for_each(|(name, count)| *notes.filled.entry(name.clone()).or_default() += count);
            notes.left(filled.unfilled);
        }
    }
    Ok(())
}

/// The number that stands for each row's key; `before` rows are above these.
fn keys(batch: &Data, column: &str, before: usize) -> Result<Vec<u64>> {
    let column = batch.column(column)?;
    let key = |row: usize| {
        column.cell(row).map(|cell| hash(&cell)).ok_or_else(|| {
            let what = format!("row {} has no key: `{}` is empty there", before + row + 1, column.name);
            Error::data(what).with_hint("name a column with --row-key that is known in every row")
        })
    };
    (0..batch.rows()).map(key).collect()
}

/// Opens the rows with the kinds that the columns had when the imputer was fitted; other columns pass
/// as they are (as dates do: with the words for "missing", so that holes in them are seen).
fn open(arguments: &Arguments, model: &Model) -> Result<Batches> {
    let mut options = model.batch_options()?;
    arguments.input.form().apply(&mut options)?;
    options.rows = BATCH;
    let batches = Batches::open(&arguments.data, &options)?;
    model.check_header(batches.header(), &arguments.data.display().to_string())?;
    if let Some(key) =
        arguments.row_key.as_deref().filter(|key| !batches.header().iter().any(|own| own == key))
    {
        return Err(Error::setting("row-key", format!("there is no column `{key}`"))
            .with_hint("name a column of the rows that are filled"));
    }
    Ok(batches)
}

/// What is counted on the way and told at the end.
#[derive(Default)]
struct Notes {
    rows: usize,
    cells: usize,
    /// Filled cells by column.
    filled: BTreeMap<String, usize>,
    unseen: BTreeSet<(String, String)>,
    unfilled: BTreeMap<String, Unfilled>,
    warnings: BTreeSet<String>,
}

impl Notes {
    fn left(&mut self, unfilled: Vec<Unfilled>) {
        for mut left in unfilled {
            left.rows.iter_mut().for_each(|row| *row += self.rows);
            let all = self
                .unfilled
                .entry(left.column.clone())
                .or_insert_with(|| Unfilled { rows: Vec::new(), ..left.clone() });
            all.rows.extend(left.rows.into_iter().take(MOST_ROWS_TOLD.saturating_sub(all.rows.len())));
        }
    }

    fn tell(&self, model: &Model, run: &Run) {
        let columns: BTreeSet<&str> = self.unseen.iter().map(|(column, _)| column.as_str()).collect();
        for column in columns {
            let levels: Vec<String> = self
                .unseen
                .iter()
                .filter(|(own, _)| own == column)
                .take(3)
                .map(|(_, level)| format!("`{level}`"))
                .collect();
            run.warn(format!(
                "column `{column}` has values that the imputer never saw ({}); they stay and tell nothing about their rows",
                levels.join(", ")
            ));
        }
        self.warnings.iter().for_each(|warning| run.warn(warning.clone()));
        if self.rows == 0 {
            run.note(format!(
                "there is no row to fill; the imputer learned from {} columns",
                model.coder.names().len()
            ));
        }
    }
}
