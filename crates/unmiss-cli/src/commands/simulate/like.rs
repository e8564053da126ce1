//! A table like another, made and written piece by piece.

use std::path::Path;

use unmiss::data::TableWriter;
use unmiss::error::{Error, Result};
use unmiss::simulate::like::{Alike, ColumnAlike, Like, Pairs};
use unmiss::store::is_standard_output;

use super::Arguments;
use crate::General;
use crate::files::Files;
use crate::input::no_images;
use crate::output::{column, item, number, short, wrapped};
use crate::printer::Printer;

/// Rows of a piece.
const PIECE: usize = 4096;
/// Rows that are compared with the table, at most.
const COMPARED: usize = 50_000;
/// Columns listed.
const LISTED: usize = 30;

/// Learns, makes, writes, and tells how alike it is.
pub fn run(arguments: &Arguments, path: &Path, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { output, truth, like, .. } = arguments;
    Files::default().reads(like).tables("-o", [output]).tables("--truth", truth).check()?;
    if arguments.rows == Some(0) {
        return Err(Error::setting("rows", "at least one row is needed"));
    }
    no_images(path, "a table is needed to be alike")?;
    let table = arguments.input.read_as_it_is(path, printer)?;
    let rows = arguments.rows.unwrap_or_else(|| table.rows());
    let run = printer.run(general)?.part("simulate");
    let learned = run.compute(|| Like::new(&table))?;
    let mut writer = TableWriter::create(output, None)?;
    let mut full = truth.as_deref().map(|path| TableWriter::create(path, None)).transpose()?;
    let draw = |start: usize, count: usize| {
        run.compute(|| learned.draw(general.seed, arguments.skip + start, count))
    };
    for start in (0..rows).step_by(PIECE) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        run.progress(start as u64, rows as u64, "rows");
        let drawn = draw(start, PIECE.min(rows - start))?;
        writer.write(&drawn.table, "")?;
        if let Some(full) = &mut full {
            full.write(&drawn.full, "")?;
        }
    }
    let compared = draw(0, rows.min(COMPARED))?.table;
    let alike = run.compute(|| learned.alike(&compared));
    run.finished();
    full.map_or(Ok(()), TableWriter::finish)?;
    writer.finish()?;
    printer.close();
    let text = text(&alike, &learned.left_out, arguments, path, rows, general.seed);
    printer.tell_of(output, &text)
}

fn text(
    alike: &Alike,
    left_out: &[String],
    arguments: &Arguments,
    path: &Path,
    rows: usize,
    seed: u64,
) -> String {
    let head = format!(
        "Made {} rows like those of {}: {} columns with their holes (seed {seed}).",
        number(rows),
        path.display(),
        number(alike.columns.len())
    );
    let mut text = format!("{}\n\n", wrapped(&head, 0));
    text.push_str(&format!("  {}   missing      made   mean or share      made\n", column("column", 28)));
    for own in alike.columns.iter().take(LISTED) {
        text.push_str(&line(own));
    }
    if alike.columns.len() > LISTED {
        text.push_str(&format!("  and {} more\n", number(alike.columns.len() - LISTED)));
    }
    text.push('\n');
    let mut say = |words: String| text.push_str(&item(&words));
    if let Some(pairs) = &alike.values {
        say(format!("Correlations of values: {}", distance(pairs, alike.rows)));
    }
    if let Some(pairs) = &alike.holes {
        say(format!("Correlations of holes: {}", distance(pairs, alike.rows)));
    }
    say(match (alike.repeated, alike.rows) {
        (0, rows) => format!("None of {} made rows repeats a row of the table.", number(rows)),
        (repeated, rows) => format!(
            "{} of {} made rows ({:.1} %) have the holes and the known cells of a row of the table. Of the table's \
             own rows {:.1} % repeat another one: few cells or few levels leave little choice.",
            number(repeated),
            number(rows),
            100.0 * repeated as f64 / rows.max(1) as f64,
            100.0 * alike.twins
        ),
    });
    if !left_out.is_empty() {
        say(format!("Left out, being texts or dates: {}.", left_out.join(", ")));
    }
    let honest = "Rows are drawn from a model of the table (each column's own distribution, a joint normal behind them, \
                  logistic regressions for the holes), not copied. Single values, least and greatest ones and rare \
                  levels are the table's own: this is no guarantee of privacy. Bends, interactions and rules between \
                  columns are not kept, and whether values hide themselves no table can tell.";
    text.push_str(&format!("\n{}\n", wrapped(honest, 0)));
    if !is_standard_output(&arguments.output) {
        text.push_str(&format!("\n  unmiss describe {}\n", arguments.output.display()));
    }
    text
}

fn line(own: &ColumnAlike) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let centre = |value: f64| match own.level {
        Some(_) => percent(value),
        None => short(value),
    };
    let name = match &own.level {
        Some(level) => format!("{} = {level}", own.name),
        None => own.name.clone(),
    };
    let known = own.missing.0 < 1.0;
    format!(
        "  {} {:>9} {:>9} {:>15} {:>9}\n",
        column(&name, 28),
        percent(own.missing.0),
        percent(own.missing.1),
        if known { centre(own.centre.0) } else { "-".into() },
        if known { centre(own.centre.1) } else { "-".into() }
    )
}

fn distance(pairs: &Pairs, rows: usize) -> String {
    let count = match pairs.pairs {
        1 => "one pair".to_owned(),
        count => format!("{} pairs", number(count)),
    };
    // The mean size of the error of a correlation of 0.
    let chance = (2.0 / std::f64::consts::PI / rows.max(1) as f64).sqrt();
    format!(
        "off by {:.3} on average over {count} whose mean size is {:.2} (by chance alone about {chance:.3}); most, by \
         {:.2}, for {} and {}.",
        pairs.mean, pairs.size, pairs.largest.0, pairs.largest.1, pairs.largest.2
    )
}
