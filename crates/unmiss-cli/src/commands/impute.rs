//! `unmiss impute`: fill the holes of a table, once or as many plausible ways as asked.

mod stream;
mod words;

use std::path::{Path, PathBuf};

use unmiss::data::{Table, TableWriter};
use unmiss::error::{Error, Result};
use unmiss::methods::{Draw, Imputation};
use unmiss::model::{Filled, Filler, Limits, RecipeOf, Unfilled};
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use crate::General;
use crate::input::{InputArguments, settings};
use crate::output::{number, print};
use crate::printer::Printer;

/// What to fill, how, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// The table: CSV, TSV or Parquet, plain or .gz; `-` reads standard input
    data: PathBuf,
    /// Where to write the table without holes; every known cell stays as it is [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The imputer; `unmiss methods` lists them
    #[arg(long, value_name = "NAME", default_value = "auto")]
    method: String,
    /// Change a setting of the imputer, as NAME=VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Fill in this many plausible ways, for multiple imputation: one file each (full-1.csv, full-2.csv, ...)
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u16).range(1..))]
    draws: Option<u16>,
    /// With --draws, write one long file with a column `draw` in front
    #[arg(long, requires = "draws")]
    long: bool,
    /// Columns that are neither used nor filled
    #[arg(long, alias = "id", value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Lowest and highest value that may be filled into a column, as COLUMN=LOW..HIGH (repeatable)
    #[arg(long, value_name = "COLUMN=LOW..HIGH", allow_hyphen_values = true)]
    within: Vec<String>,
    /// Let filled numbers leave the range of a column's known values
    #[arg(long)]
    beyond_range: bool,
    /// Keep the fitted imputer in a file, for new rows
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Fill with an imputer that --save kept: nothing is learned from these rows
    #[arg(long, value_name = "FILE", conflicts_with_all = ["save", "method", "set", "within", "beyond_range"])]
    with: Option<PathBuf>,
    /// Write a page with charts of what was filled and how well
    #[arg(long, value_name = "FILE", conflicts_with = "with")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    check_paths(arguments)?;
    match &arguments.with {
        Some(path) => stream::run(arguments, &Filler::load(path)?, general, printer),
        None => learn_and_fill(arguments, general, printer),
    }
}

fn learn_and_fill(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let (recipe, limits) = (arguments.recipe()?, arguments.limits()?);
    let table = arguments.input.read(&arguments.data, true, printer)?;
    let run = printer.run(general)?;
    let result = Filler::fit(&table, &arguments.ignore, &recipe, limits, &run);
    printer.close();
    let mut filler = result?;
    if run.stopped() {
        return Err(Error::Stopped);
    }
    filler.missing = arguments.input.options()?.missing;
    if let Some(path) = &arguments.save {
        filler.save(path)?;
    }
    let unfilled = write_filled(arguments, &filler, &table, &run, printer)?;
    if let Some(path) = &arguments.save {
        printer.say(&format!("the imputer is in {}", path.display()));
    }
    refuse_holes(&unfilled)
}

/// Fills and writes the table, once or once a draw, and says what was done.
fn write_filled(
    arguments: &Arguments,
    filler: &Filler,
    table: &Table,
    run: &Run,
    printer: &Printer,
) -> Result<Vec<Unfilled>> {
    let mut writers = Writers::create(arguments)?;
    let mut last = None;
    let rows = filler.encoder.encode(table, |_, _| {})?;
    for draw in arguments.draws() {
        let which = draw.map(|number| drawn(run, number, 0));
        let filled = run.compute(|| filler.fill_encoded(table, rows.clone(), which))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        writers.write(draw, &filled.table)?;
        last = Some(filled);
    }
    writers.finish()?;
    let Some(filled) = last else { return Ok(Vec::new()) };
    if let Some(path) = &arguments.html {
        let title = format!("Filled holes of {}", arguments.data.display());
        Page::new(title).sections(sections::impute(filler, table, &filled)?).write(path)?;
    }
    let Filled { counts, unfilled, .. } = filled;
    let mut text = words::report(filler, table, &counts);
    text.push_str(&arguments.where_to());
    match is_standard_output(&arguments.output) {
        true => printer.say(text.trim_end()),
        false => print(&text)?,
    }
    Ok(unfilled)
}

/// Which draw, for rows that start at a place of the table.
fn drawn(run: &Run, number: u64, first_row: u64) -> Draw {
    Draw { seed: run.seed(), number, first_row }
}

/// Holes that are left are an error, told column by column: the file is there, but it is not what was asked for.
fn refuse_holes(unfilled: &[Unfilled]) -> Result<()> {
    if unfilled.is_empty() {
        return Ok(());
    }
    let cells: usize = unfilled.iter().map(|left| left.rows.len()).sum();
    let columns: Vec<String> = unfilled.iter().map(words::unfilled).collect();
    let names: Vec<&str> = unfilled.iter().map(|left| left.column.as_str()).collect();
    let what = format!("{} cells could not be filled: {}", number(cells), columns.join("; "));
    Err(Error::data(what).with_hint(format!(
        "all other holes are filled in the output; say --ignore '{}' if these columns may stay as they are",
        names.join(",")
    )))
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

fn check_paths(arguments: &Arguments) -> Result<()> {
    if arguments.draws.is_some_and(|draws| draws > 1)
        && !arguments.long
        && is_standard_output(&arguments.output)
    {
        return Err(Error::setting("draws", "several files can't go to standard output")
            .with_hint("name them with -o full.csv, or say --long for one file with a column `draw`"));
    }
    let same = |path: &Path| match (path.canonicalize(), arguments.data.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    if arguments.files().iter().any(|path| same(path)) || arguments.save.as_deref().is_some_and(same) {
        return Err(Error::setting("output", "the table itself would be overwritten")
            .with_hint("give another name with -o: which cells were missing could not be told any more"));
    }
    Ok(())
}

impl Arguments {
    fn recipe(&self) -> Result<RecipeOf<dyn Imputation>> {
        RecipeOf::imputer(&self.method)?.set_all(settings(&self.set)?)
    }

    fn limits(&self) -> Result<Limits> {
        let mut limits = Limits { observed_range: !self.beyond_range, ..Limits::default() };
        for typed in &self.within {
            let parts = typed.split_once('=').and_then(|(column, range)| {
                let (low, high) = range.split_once("..")?;
                let end = |text: &str, open: f64| {
                    if text.is_empty() { Some(open) } else { text.trim().parse().ok() }
                };
                Some((column, end(low, f64::MIN)?, end(high, f64::MAX)?))
            });
            match parts {
                Some((column, low, high)) if low <= high => {
                    limits.columns.insert(column.to_owned(), (low, high));
                }
                _ => {
                    return Err(Error::setting(
                        "within",
                        format!("`{typed}` is not of the form COLUMN=LOW..HIGH"),
                    )
                    .with_hint(
                        "say for example --within age=0..120, or --within dose=0.. without an upper end",
                    ));
                }
            }
        }
        Ok(limits)
    }

    /// The numbers of the draws, from 1; none for the best guess.
    fn draws(&self) -> Vec<Option<u64>> {
        match self.draws {
            Some(draws) => (1..=u64::from(draws)).map(Some).collect(),
            None => vec![None],
        }
    }

    /// The file of each draw, or the only one.
    fn files(&self) -> Vec<PathBuf> {
        match self.draws {
            Some(draws) if !self.long => (1..=draws).map(|draw| numbered(&self.output, draw)).collect(),
            _ => vec![self.output.clone()],
        }
    }

    fn where_to(&self) -> String {
        let files = self.files();
        match (files.as_slice(), self.draws) {
            ([file], _) if is_standard_output(file) => String::new(),
            ([file], Some(draws)) if self.long => {
                format!("\nThe {draws} filled tables, one below the other, are in {}.\n", file.display())
            }
            ([file], _) => format!("\nThe filled table is in {}.\n", file.display()),
            ([first, .., last], _) => {
                format!("\nThe filled tables are in {} to {}.\n", first.display(), last.display())
            }
            _ => String::new(),
        }
    }
}

/// `full.csv` becomes `full-3.csv`, `full.csv.gz` becomes `full-3.csv.gz`.
fn numbered(path: &Path, draw: u16) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = name
        .split_once('.')
        .map_or((name.as_ref(), String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    path.with_file_name(format!("{stem}-{draw}{ending}"))
}

/// The files that are written: one, or one a draw, or one for all draws.
struct Writers {
    writers: Vec<TableWriter>,
    long: bool,
}

impl Writers {
    fn create(arguments: &Arguments) -> Result<Self> {
        let lead = arguments.long.then_some("draw");
        let files = arguments.files();
        let writers = files.iter().map(|path| TableWriter::create(path, lead)).collect::<Result<_>>()?;
        Ok(Self { writers, long: arguments.long })
    }

    fn write(&mut self, draw: Option<u64>, table: &Table) -> Result<()> {
        let place = if self.long { 0 } else { draw.unwrap_or(1).saturating_sub(1) as usize };
        let lead = draw.map(|draw| draw.to_string()).unwrap_or_default();
        match self.writers.get_mut(place) {
            Some(writer) => writer.write(table, &lead),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<()> {
        self.writers.into_iter().try_for_each(TableWriter::finish)
    }
}
