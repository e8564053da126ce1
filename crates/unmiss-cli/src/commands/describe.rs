//! `unmiss describe`: what is missing, where, together with what, and does it look random.

mod images;
pub mod ratings;
mod series;
mod text;

use std::path::PathBuf;

use unmiss::data::Shape;
use unmiss::error::Result;
use unmiss::missing::describe;
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::evaluate::file_name;
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, only_for_tables};
use crate::printer::Printer;
use crate::series_input::SeriesArguments;
use crate::telling::JsonArgument;
use text::{page, size};

/// Which table to describe.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table or ratings: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; images: IDX, CIFAR, .npy, .npz or a folder
    /// of pictures; `-` reads standard input, sample:NAME a built-in one
    data: PathBuf,
    /// The target: tell also whether the holes have to do with it
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// Columns to leave out, as keys are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    id: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    ratings: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// Describes and prints.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let (data, json, html) = (&arguments.data, &arguments.json, &arguments.html);
    let read = Files::default().reads([data]).reads(arguments.images.files()).reads(arguments.series.files());
    read.tables("--json", json.path()).file("--html", html).check()?;
    let shape = arguments.series.shape(&arguments.ratings, data)?;
    arguments.images.only_for_images(shape)?;
    if !matches!(shape, Shape::Table | Shape::Series) {
        let left_out = [("id", !arguments.id.is_empty()), ("ignore", !arguments.ignore.is_empty())];
        only_for_tables(shape, &[&[("target", arguments.target.is_some())][..], &left_out].concat())?;
    }
    match shape {
        Shape::Ratings => return ratings::run(arguments, printer),
        Shape::Images => return images::run(arguments),
        Shape::Series => return series::run(arguments, printer),
        Shape::Table => {}
    }
    let left_out = [arguments.id.as_slice(), &arguments.ignore].concat();
    let (table, notes) = arguments.input.read_without(&arguments.data, &left_out, printer)?;
    let run = Run::new(general.seed, general.threads)?;
    let mut description = run.compute(|| describe(&table, arguments.target.as_deref()))?;
    description.notes = notes;
    let file = file_name(&arguments.data);
    if let Some(path) = &arguments.html {
        Page::new(format!("Holes in {file}"))
            .summary(size(&description))
            .sections(sections::describe(&table, &description)?)
            .write(path)?;
    }
    arguments.json.tell(&description, &page(&description, &file))
}
