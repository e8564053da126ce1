//! `unmiss impute`: fill the holes of a table, once or as many plausible ways as asked.

mod images;
mod marks;
mod plan;
mod ratings;
mod series;
mod record;
mod stream;
mod words;

use std::path::{Path, PathBuf};

use serde::Serialize;
use unmiss::data::series::Span;
use unmiss::data::{Data, LARGEST, Shape, Table, TableWriter};
use unmiss::error::{Error, Result};
use unmiss::methods::{Draw, Job};
use unmiss::model::{Aim, Delta, Filled, Limits, MARK_DRAWS, Model, Recipe, Unfilled};
use unmiss::report::{Page, sections};
use unmiss::run::Run;
use unmiss::store::is_standard_output;

use super::Ended;
use super::evaluate::file_name;
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, settings};
use crate::output::number;
use crate::printer::Printer;
use crate::provenance;
use crate::series_input::SeriesArguments;
use crate::telling::JsonArgument;
use marks::Marks;

/// Draws there can be: analyses settle with tens of them, and every one is a table.
const MOST_DRAWS: i64 = 1000;
/// Files that are held open while others are written.
const MOST_OPEN: usize = 64;
/// Draws that a page shows, at most.
const MOST_ON_PAGE: usize = 20;
/// Sets of parameters that a saved imputer has when no number of draws was told.
const KEPT_SETS: usize = 20;

/// What to fill, how, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table or ratings: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; `-` reads standard input. Or images: IDX,
    /// CIFAR, .npy, .npz or a folder of pictures
    data: PathBuf,
    /// Where to write the table without holes; every known cell stays as it is [default: standard output]. Images go to
    /// the form that the name stands for: .npz, .npy, .idx, .bin, or a folder
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// The imputer; `unmiss methods` lists them [default: auto for tables, the best on held-out ratings for ratings]
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Change a setting of the imputer, as NAME=VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Fill in this many plausible ways, for multiple imputation: one file each (full-1.csv, full-2.csv, ...)
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u16).range(1..=MOST_DRAWS))]
    draws: Option<u16>,
    /// With --draws, write one long file with a column `draw` in front
    #[arg(long, requires = "draws")]
    long: bool,
    /// With --draws, write one long file for R's mice, the table with the holes included:
    /// as.mids(read.csv(FILE, stringsAsFactors = TRUE))
    #[arg(long, requires = "draws", conflicts_with_all = ["long", "with"])]
    mids: bool,
    /// What if cells are not missing at random: shift filled values, as income=+0.3sd, income=-1200, income=*1.1, or
    /// died=yes:+0.5 for the log odds of a level (repeatable)
    #[arg(long, value_name = "COLUMN=SHIFT", conflicts_with = "with", allow_hyphen_values = true)]
    delta: Vec<String>,
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
    /// With --with and --draws, a column that tells rows apart: what is drawn for a row then depends on its key and not
    /// on its place, so that parts of a file get what the whole would
    #[arg(long, value_name = "COLUMN", requires = "with", requires = "draws")]
    row_key: Option<String>,
    /// Write which cells were filled to a table of its own: row, column, value, and the interval that holds 90 % of 40
    /// plausible draws, of a category the share of them that say the same
    #[arg(long, value_name = "FILE")]
    mark: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts of what was filled and how well
    #[arg(long, value_name = "FILE", conflicts_with = "with")]
    html: Option<PathBuf>,
    /// Of series: fill past their end, up to so long after their start, as 72h: a forecast
    #[arg(long, value_name = "SPAN", help_heading = "Series")]
    until: Option<Span>,
    #[command(flatten)]
    plan: plan::PlanArguments,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    ratings: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    check_paths(arguments)?;
    match &arguments.with {
        Some(path) => {
            let model = Model::load(path)?;
            arguments.images.only_for_images(model.shape())?;
            match model.shape() {
                Shape::Ratings => return ratings::with(arguments, &model, general, printer),
                Shape::Images => return images::with(arguments, &model, general, printer),
                Shape::Series => return series::with(arguments, &model, general, printer),
                Shape::Table => {}
            }
            model.check_job(Job::Fill, path)?;
            stream::run(arguments, &model, general, printer).map(|()| Ended::Done)
        }
        None => {
            let shape = arguments.series.shape(&arguments.ratings, &arguments.data)?;
            arguments.images.only_for_images(shape)?;
            match shape {
                Shape::Ratings => ratings::run(arguments, general, printer),
                Shape::Images => images::run(arguments, general, printer),
                Shape::Series => series::run(arguments, general, printer),
                Shape::Table => learn_and_fill(arguments, general, printer),
            }
        }
    }
}

fn learn_and_fill(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    let recipe = arguments.recipe()?;
    let Arguments { plan, ignore, draws, .. } = arguments;
    let aim = Aim::Fill(plan.plan(ignore, arguments.limits()?, *draws, arguments.sets()));
    let data = Data::from(arguments.input.read(&arguments.data, true, printer)?);
    arguments.deltas()?.iter().try_for_each(|delta| delta.check(data.table()?))?;
    let run = printer.run(general)?;
    let result = Model::fit(&data, &aim, &recipe, &run);
    printer.close();
    let mut model = result?;
    // `auto` goes on with what it has compared; any other method has nothing that is finished.
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    model.missing = arguments.input.options()?.missing;
    arguments.save(&mut model, &data)?;
    let unfilled = write_filled(arguments, &model, &data, &run.to_the_end(), printer)?;
    if let Some(path) = &arguments.save {
        printer.say(&format!(
            "the imputer is in {}; new rows need all columns that it learned from (--ignore leaves one out that they \
             will not have, such as an outcome)",
            path.display()
        ));
    }
    refuse_holes(&unfilled)?;
    Ok(Ended::of(&model, &run))
}

/// Fills and writes the table, once or once a draw, and says what was done.
fn write_filled(
    arguments: &Arguments,
    model: &Model,
    data: &Data,
    run: &Run,
    printer: &Printer,
) -> Result<Vec<Unfilled>> {
    let mut writers = Writers::create(arguments)?;
    let (filling, deltas) = (model.filling()?, arguments.deltas()?);
    let rows = filling.encode(data, |_, _| {})?;
    if arguments.mids {
        writers.write(Some(0), arguments.plan.marked(&filling, data, data.table()?)?.as_ref())?;
    }
    let mut shown: Vec<Filled> = Vec::new();
    for draw in arguments.draws() {
        let draw_of = draw.map(|number| drawn(run, number, 0));
        let filled = run.compute(|| filling.fill_shifted(data, &rows, draw_of, &deltas))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        writers.write(draw, arguments.plan.marked(&filling, data, filled.data.table()?)?.as_ref())?;
        // A page shows several draws; without one the last is enough to tell what was filled.
        if arguments.html.is_none() {
            shown.clear();
        }
        if shown.len() < MOST_ON_PAGE {
            shown.push(filled);
        }
    }
    writers.finish()?;
    let Some(filled) = shown.first() else { return Ok(Vec::new()) };
    if let Some(mut marks) = Marks::create(arguments)? {
        marks.write(&filling.marks(data, &rows, filled, run)?, 0)?;
        marks.finish()?;
    }
    arguments.write_record(model, data.rows(), &filled.counts, run)?;
    if let Some(path) = &arguments.html {
        let title = format!("Filled holes of {}", file_name(&arguments.data));
        let page = deltas.iter().fold(Page::new(title), |page, delta| {
            page.summary(format!("Filled values of `{}` were shifted on purpose: `{delta}`.", delta.column))
        });
        let found = sections::impute(model, data.table()?, &shown)?;
        page.sections(found).sections(sections::origin(model)).write(path)?;
    }
    let Filled { counts, unfilled, left, warnings, .. } = shown.swap_remove(0);
    warnings.into_iter().for_each(|warning| run.warn(warning));
    let mut text = words::report(model, data.table()?, &counts);
    text.push_str(&words::left(&left));
    text.push_str(&arguments.where_to());
    arguments.tell(&words::as_data(model, data.rows(), &counts, &left, &unfilled), &text, printer)?;
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

fn check_paths(arguments: &Arguments) -> Result<()> {
    if arguments.draws.is_some_and(|draws| draws > 1)
        && !arguments.is_long()
        && is_standard_output(&arguments.output)
    {
        return Err(Error::setting("draws", "several files can't go to standard output")
            .with_hint("name them with -o full.csv, or say --long for one file with a column `draw`"));
    }
    let Arguments { data, with, save, html, .. } = arguments;
    let (files, record, mark) = (arguments.files(), arguments.record(), &arguments.mark);
    let all = Files::default()
        .reads([data])
        .reads(with)
        .reads(arguments.images.files())
        .images("-o", &files)
        .tables("-o", &record)
        .tables("--mark", mark)
        .tables("--json", arguments.json.path());
    all.file("--save", save).file("--html", html).check()
}

impl Arguments {
    /// Keeps the imputer, if that is wanted.
    fn save(&self, model: &mut Model, data: &Data) -> Result<()> {
        if self.save.is_some() || self.html.is_some() {
            provenance::note(model, &self.data, data);
        }
        self.save.as_ref().map_or(Ok(()), |path| model.save(path))
    }

    /// Tells what was filled; where tables go to standard output, that is no place for words.
    fn tell(&self, found: &impl Serialize, text: &str, printer: &Printer) -> Result<()> {
        self.json.tell_of(&self.output, found, text, printer)
    }

    fn recipe(&self) -> Result<Recipe> {
        let find = |name: &str| Recipe::find(name, Shape::Table, Job::Fill);
        self.plan.recipe(self.method.as_deref(), find)?.set_all(settings(&self.set)?)
    }

    fn limits(&self) -> Result<Limits> {
        let mut limits = Limits { observed_range: !self.beyond_range, ..Limits::default() };
        for typed in &self.within {
            let parts = typed.split_once('=').and_then(|(column, range)| {
                let (low, high) = range.split_once("..")?;
                let end = |text: &str, open: f64| match text.trim() {
                    "" => Some(open),
                    number => number.parse().ok().filter(|end: &f64| end.abs() <= LARGEST),
                };
                Some((column, end(low, -LARGEST)?, end(high, LARGEST)?))
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

    /// Sets of parameters to learn: as many as draws; a file that is kept may be asked for draws later.
    fn sets(&self) -> usize {
        let kept = match (&self.mark, &self.save) {
            (Some(_), _) => MARK_DRAWS,
            (None, Some(_)) => KEPT_SETS,
            (None, None) => 0,
        };
        self.draws.map_or(kept, usize::from)
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
            Some(draws) if !self.is_long() => (1..=draws).map(|draw| numbered(&self.output, draw)).collect(),
            _ => vec![self.output.clone()],
        }
    }

    /// Whether all draws go to one file.
    fn is_long(&self) -> bool {
        self.long || self.mids
    }

    fn deltas(&self) -> Result<Vec<Delta>> {
        self.delta.iter().map(|text| Delta::parse(text)).collect()
    }

    fn where_to(&self) -> String {
        let files = self.files();
        match (files.as_slice(), self.draws) {
            ([file], _) if is_standard_output(file) => String::new(),
            ([file], Some(draws)) if self.is_long() => {
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
        let create = |path: &PathBuf| match arguments.mids {
            true => TableWriter::for_mice(path),
            false => TableWriter::create(path, lead),
        };
        let many = files.len() > MOST_OPEN;
        let create = |path: &PathBuf| {
            let mut writer = create(path)?;
            if many {
                writer.rest()?;
            }
            Ok(writer)
        };
        let writers = files.iter().map(create).collect::<Result<_>>()?;
        Ok(Self { writers, long: arguments.is_long() })
    }

    fn write(&mut self, draw: Option<u64>, table: &Table) -> Result<()> {
        let place = if self.long { 0 } else { draw.unwrap_or(1).saturating_sub(1) as usize };
        let lead = draw.map(|draw| draw.to_string()).unwrap_or_default();
        let many = self.writers.len() > MOST_OPEN;
        match self.writers.get_mut(place) {
            Some(writer) if many => writer.write(table, &lead).and_then(|()| writer.rest()),
            Some(writer) => writer.write(table, &lead),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<()> {
        self.writers.into_iter().try_for_each(TableWriter::finish)
    }
}
