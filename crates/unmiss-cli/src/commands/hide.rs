//! `unmiss hide`: make holes in a table or in images by a known mechanism, and keep what was hidden.

mod images;

use std::path::{Path, PathBuf};

use unmiss::data::{self, CsvWriter, Shape, Table};
use unmiss::error::{Error, Result};
use unmiss::missing::{Hidden, Mechanism, Region, hide, hideable};
use unmiss::run::Run;

use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, ShapeArgument, shape_of};
use crate::output::{column, number, wrapped};
use crate::printer::Printer;

/// Columns listed in the summary.
const LISTED: usize = 30;

/// What to hide, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; or images: IDX, CIFAR, .npy, .npz or a folder of
    /// pictures; `-` reads standard input
    data: PathBuf,
    /// How cells are hidden, and which share of the known ones
    ///
    /// mcar:RATE completely at random. mar:RATE at random: a tenth of the columns is never hidden and drives
    /// what is hidden in the others. self-logistic:RATE, self-gaussian:RATE, self-probit:RATE not at random:
    /// whether a cell is hidden depends on its own value.
    ///
    /// Of images, a region of each, in all channels. square:SHARE a square anywhere. trapezoid:SHARE all on one side of
    /// a slanted line. noise:SHARE exactly so many single pixels. pixels:SHARE, lines:SHARE pixels or columns drawn
    /// with replacement. strokes:SHARE what a wandering brush paints.
    #[arg(long, value_name = "MECHANISM:RATE", value_parser = how)]
    how: How,
    /// Where to write the data with the holes; everything else stays as it is. Images go to the form that the name
    /// stands for: .npz, .npy, or a folder
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where to write what was hidden: row (from 1), column, value
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// The columns to hide cells in [default: all but text and dates]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    columns: Vec<String>,
    /// The target, in which nothing is hidden
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    images: ImageArguments,
    /// How the data are laid out [default: seen from the file]
    #[arg(long, value_name = "SHAPE", help_heading = "Images")]
    shape: Option<ShapeArgument>,
}

/// What is hidden: cells of a table, or a region of each image.
#[derive(Clone, Copy)]
enum How {
    Cells(Mechanism),
    Region(Region),
}

/// How to hide, as typed.
fn how(typed: &str) -> std::result::Result<How, String> {
    let region = typed.parse().map(How::Region).map_err(|error| told(&error));
    if Region::is_named(typed) {
        return region;
    }
    // Of two lists of names, the one that has a near one knows what was meant.
    let is_near = |wrong: &String| wrong.contains("did you mean");
    mechanism(typed).map(How::Cells).map_err(|wrong| region.err().filter(is_near).unwrap_or(wrong))
}

/// The mechanism as typed. The argument parser has room for one text: what is wrong, and the advice.
fn mechanism(typed: &str) -> std::result::Result<Mechanism, String> {
    typed.parse::<Mechanism>().map_err(|error| told(&error))
}

fn told(error: &Error) -> String {
    match error {
        Error::Setting { what, hint: Some(hint), .. } => format!("{what}; {hint}"),
        other => other.to_string(),
    }
}

/// Hides, writes, and tells what was done.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let (data, output, truth) = (&arguments.data, &arguments.output, &arguments.truth);
    let shape = shape_of(arguments.shape, data);
    arguments.images.only_for_images(shape)?;
    let how = match (shape, arguments.how) {
        (Shape::Images, How::Region(region)) => return images::run(arguments, &region, general, printer),
        (Shape::Images, How::Cells(how)) => {
            let what = format!("`{how}` hides cells of a table, and the data are images");
            return Err(Error::setting("how", what)
                .with_hint("images: square, trapezoid, noise, pixels, lines or strokes, as in square:0.25"));
        }
        (_, How::Region(region)) => {
            let what = format!("`{region}` hides regions of images, and the data are a table");
            return Err(Error::setting("how", what).with_hint(
                "tables: mcar, mar, self-logistic, self-gaussian or self-probit, as in mcar:0.3",
            ));
        }
        (_, How::Cells(how)) => how,
    };
    Files::default().reads([data]).tables("-o", [output]).tables("--truth", truth).check()?;
    let table = arguments.input.read(&arguments.data, true, printer)?;
    let columns = chosen(arguments, &table)?;
    let run = Run::new(general.seed, general.threads)?;
    let hidden = run.compute(|| hide(&table, &how, &columns, general.seed))?;
    if let Some(path) = &arguments.truth {
        write_truth(&table, &hidden, path)?;
    }
    data::write(&hidden.table, &arguments.output)?;
    let text = summary(&hidden, how, arguments, general.seed);
    printer.tell_of(&arguments.output, &text)
}

fn chosen(arguments: &Arguments, table: &Table) -> Result<Vec<String>> {
    let target = arguments.target.as_deref();
    if let Some(target) = target {
        table.position(target)?;
        if arguments.columns.iter().any(|column| column == target) {
            return Err(Error::setting("columns", format!("`{target}` is the target and is never hidden")));
        }
    }
    if arguments.columns.is_empty() {
        return Ok(hideable(table, target.as_slice()));
    }
    Ok(arguments.columns.clone())
}

/// One line per hidden cell, row by row, with the value as it stood in the file.
fn write_truth(table: &Table, hidden: &Hidden, path: &Path) -> Result<()> {
    let mut writer = CsvWriter::create(path, &["row", "column", "value"])?;
    for row in 0..table.rows() {
        let mut cells: Option<Vec<String>> = None;
        for (position, column) in table.columns().iter().enumerate() {
            if !hidden.hidden[position][row] {
                continue;
            }
            let raw = cells.get_or_insert_with(|| table.raw_row(row).unwrap_or_default());
            let value = raw.get(position).cloned().or_else(|| column.cell(row)).unwrap_or_default();
            writer.number((row + 1) as f64);
            writer.text(&column.name);
            writer.text(&value);
            writer.end_row()?;
        }
    }
    writer.finish()
}

fn summary(hidden: &Hidden, how: Mechanism, arguments: &Arguments, seed: u64) -> String {
    let known: usize = hidden.rates.iter().map(|rate| rate.known).sum();
    let cells: usize = hidden.rates.iter().map(|rate| rate.hidden).sum();
    let head = format!(
        "Hid {} of {} known cells in {} columns by {} (seed {seed}).",
        number(cells),
        number(known),
        number(hidden.rates.len()),
        how
    );
    let mut text =
        format!("{}\n\n  {}      known     hidden     rate\n", wrapped(&head, 0), column("column", 36));
    for rate in hidden.rates.iter().take(LISTED) {
        let share = format!("{:.1} %", 100.0 * rate.rate());
        text.push_str(&format!(
            "  {} {:>10} {:>10} {:>8}\n",
            column(&rate.name, 36),
            number(rate.known),
            number(rate.hidden),
            if rate.spared { "spared" } else { &share }
        ));
    }
    if hidden.rates.len() > LISTED {
        text.push_str(&format!("  and {} more\n", number(hidden.rates.len() - LISTED)));
    }
    let emptied = hidden.rates.iter().filter(|rate| rate.known > 0 && rate.hidden == rate.known).count();
    let mut remarks = Vec::new();
    if hidden.rates.iter().any(|rate| rate.spared) {
        remarks.push("Spared columns are complete and drive what is hidden in the others.".to_owned());
    }
    if emptied > 0 {
        remarks
            .push(format!("No known cell is left in {emptied} of the columns: a smaller rate keeps some."));
    }
    if let Some(truth) = &arguments.truth {
        remarks.push(format!("What was hidden is in {}.", truth.display()));
    }
    remarks.iter().for_each(|remark| text.push_str(&format!("\n{}\n", wrapped(remark, 0))));
    text
}
