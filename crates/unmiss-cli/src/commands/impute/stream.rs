//! Filling new rows with a saved imputer, batch by batch in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use unmiss::data::{BatchOptions, Batches, Data, Kind};
use unmiss::error::{Error, Result, nearest};
use unmiss::model::{Groups, Model, Unfilled};
use unmiss::run::Run;
use unmiss::store::is_standard_output;

use super::{Arguments, Writers, drawn, refuse_holes};
use crate::General;
use crate::input::{add_words, delimiter};
use crate::output::{number, print};
use crate::printer::Printer;

/// Rows read, filled and written at a time.
const BATCH: usize = 16_384;
/// Rows of a column remembered as left empty, so that memory stays bounded.
const MOST_ROWS_TOLD: usize = 1000;

/// Fills the file.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    let run = printer.run(general)?;
    let mut batches = open(arguments, model)?;
    let mut writers = Writers::create(arguments)?;
    let mut notes = Notes::default();
    while let Some(batch) = run.compute(|| batches.next())? {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(batch);
        fill(arguments, model, &batch, &run, &mut writers, &mut notes)?;
        notes.rows += batch.rows();
    }
    writers.finish()?;
    let counts: Vec<(String, usize)> = std::mem::take(&mut notes.filled).into_iter().collect();
    arguments.write_record(model, notes.rows, &counts, &run)?;
    printer.close();
    notes.tell(model, &run);
    let text = format!(
        "{} cells of {} rows are filled.\n{}",
        number(notes.cells),
        number(notes.rows),
        arguments.where_to()
    );
    match is_standard_output(&arguments.output) {
        true => printer.say(text.trim_end()),
        false => print(&text)?,
    }
    refuse_holes(&notes.unfilled.into_values().collect::<Vec<_>>())
}

fn fill(
    arguments: &Arguments,
    model: &Model,
    batch: &Data,
    run: &Run,
    writers: &mut Writers,
    notes: &mut Notes,
) -> Result<()> {
    let filling = model.filling()?;
    let rows = filling.encode(batch, |column, level| {
        notes.unseen.insert((column.to_owned(), level.to_owned()));
    })?;
    for (place, draw) in arguments.draws().into_iter().enumerate() {
        let draw_of = draw.map(|number| drawn(run, number, notes.rows as u64));
        let filled = run.compute(|| filling.fill_rows(batch, &rows, draw_of))?;
        writers.write(draw, arguments.plan.marked(&filling, batch, filled.data.table()?)?.as_ref())?;
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

/// Opens the rows with the kinds that the columns had when the imputer was fitted; other columns pass
/// as they are (as dates do: with the words for "missing", so that holes in them are seen).
fn open(arguments: &Arguments, model: &Model) -> Result<Batches> {
    let mut missing = model.missing.clone();
    add_words(&mut missing, arguments.input.missing_in())?;
    let delimiter = delimiter(arguments.input.delimiter())?;
    let encoder = model.coder.table()?;
    let numbers = encoder.numbers.iter().map(|feature| (feature.name.clone(), feature.kind));
    let categories = encoder.categories.iter().map(|feature| (feature.name.clone(), feature.kind));
    let followers = model.filling()?.part.derived.iter().filter_map(|text| text.split_once('='));
    let followers = followers.map(|(name, _)| (name.trim().trim_matches('`').to_owned(), Kind::Real));
    let options = BatchOptions {
        delimiter,
        missing,
        kinds: numbers.chain(categories).chain(followers).collect(),
        others: Some(Kind::Date),
        rows: BATCH,
        keep_source: true,
    };
    let batches = Batches::open(&arguments.data, &options)?;
    check_columns(batches.header(), model, arguments)?;
    Ok(batches)
}

fn check_columns(header: &[String], model: &Model, arguments: &Arguments) -> Result<()> {
    // Means of groups are computed, but the column that tells the group must be there.
    let groups = model.filling()?.part.groups.as_ref();
    let computed = groups.map(Groups::inputs).unwrap_or_default();
    let names = model.coder.names().into_iter().filter(|name| !computed.iter().any(|own| own == name));
    let mut needed = names.chain(groups.map(|groups| groups.column.as_str()));
    let Some(absent) = needed.find(|name| !header.iter().any(|own| own == name)) else { return Ok(()) };
    let file = arguments.data.display();
    let what = format!("{file}: the imputer learned from a column `{absent}` that is not there");
    Err(Error::data(what).with_hint(match nearest(absent, header.iter().map(String::as_str)) {
        Some(near) => format!("is `{absent}` now called `{near}`? Rename it; a column may also be empty"),
        None => format!("add the column `{absent}`; it may be empty"),
    }))
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
