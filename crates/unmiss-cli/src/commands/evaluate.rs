//! `unmiss evaluate`: how right a model is on rows whose truth is known.

pub mod text;

use std::path::{Path, PathBuf};

use unmiss::compare::{Evaluation, Judging, evaluate};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::Model;
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, load_model, only_for_tables, unlabelled};
use crate::printer::Printer;
use crate::provenance;
use crate::series_input::SeriesArguments;
use crate::telling::JsonArgument;

/// Which model, on which rows.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote
    model: PathBuf,
    /// Rows that it did not learn from and whose truth is known: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; `-`
    /// for standard input; ratings, images or series for models of these
    data: PathBuf,
    /// The chance from which on the second of two classes is said [default: as the model has it, or 0.5]
    #[arg(long, value_name = "CHANCE", value_parser = chance)]
    threshold: Option<f64>,
    /// A column that tells which rows belong together, as those of one person: intervals then count persons, not rows
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    columns: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// A chance as typed.
pub fn chance(typed: &str) -> std::result::Result<f64, String> {
    let chance = typed.parse().ok().filter(|chance| (0.0..=1.0).contains(chance));
    chance.ok_or_else(|| format!("`{typed}` is not between 0 and 1"))
}

/// Judges and tells.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { model: path, data, json, html, .. } = arguments;
    let read =
        Files::default().reads([path, data]).reads(arguments.images.files()).reads(arguments.series.files());
    read.tables("--json", json.path()).file("--html", html).check()?;
    let model = load_model(path, Some(data))?;
    let sources = Sources {
        input: &arguments.input,
        columns: &arguments.columns,
        images: &arguments.images,
        series: &arguments.series,
    };
    let rows = sources.read(data, &model, printer)?;
    let given = [("group", arguments.group.is_some()), ("threshold", arguments.threshold.is_some())];
    if model.shape() == Shape::Ratings {
        only_for_tables(Shape::Ratings, &given)?;
    }
    let run = printer.run(general)?;
    let how = Judging { threshold: arguments.threshold, group: arguments.group.clone() };
    let mut found = evaluate(&model, &rows, &how, &run)?;
    found.doubts.extend(provenance::is_file_of(&model, data).then(|| {
        "These are the rows of the very file that the model learned from: figures on them say little about new rows. \
         Those that fit told are of rows that were held out."
            .to_owned()
    }));
    let title = format!("{} on {}", file_name(path), file_name(data));
    if let Some(path) = html {
        Page::new(format!("How right {title} is"))
            .summary(text::headline(&found))
            .sections(sections::evaluation(&found)?)
            .write(path)?;
    }
    json.tell(&found, &text::page(&found, &title))
}

/// The name of a file, without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// How rows are read whose truth is known, for a model of any shape.
pub struct Sources<'a> {
    pub input: &'a InputArguments,
    pub columns: &'a RatingColumns,
    pub images: &'a ImageArguments,
    pub series: &'a SeriesArguments,
}

impl Sources<'_> {
    /// Reads them as the model learned to.
    pub fn read(&self, path: &Path, model: &Model, printer: &Printer) -> Result<Data> {
        self.images.only_for_images(model.shape())?;
        self.series.only_for_series(model.shape())?;
        Ok(match model.shape() {
            Shape::Ratings => {
                model.check_job(Job::Rate, path)?;
                self.columns.read(path, self.input, printer)?.into()
            }
            Shape::Images => {
                let images = self.images.read_for_model(path, model)?;
                if images.labels().is_none() {
                    return Err(unlabelled(path));
                }
                images.into()
            }
            Shape::Series => {
                let target = model.predicting()?.target.name.clone();
                let mut options = self.input.options()?;
                options.missing = self.input.form().missing(model.missing.clone())?;
                let options = (options, Some(target.as_str()));
                self.series.read(path, self.columns, options, Some(model), printer)?.series.into()
            }
            Shape::Table => {
                let target = &model.predicting()?.target.name;
                let rows = self.input.read_for_model(path, model)?;
                model.check_header(&names(&rows), &path.display().to_string())?;
                if rows.column(target).is_err() {
                    let what =
                        format!("{}: there is no column `{target}`, which is the truth", path.display());
                    return Err(Error::data(what).with_hint(
                        "a model is judged on rows whose truth is known; `unmiss predict` needs none",
                    ));
                }
                rows
            }
        })
    }
}

fn names(data: &Data) -> Vec<String> {
    data.columns().iter().map(|column| column.name.clone()).collect()
}

/// A model judged on a file, in passing.
pub fn judge_on(
    path: &Path,
    model: &Model,
    sources: &Sources<'_>,
    run: &Run,
    printer: &Printer,
) -> Result<Evaluation> {
    evaluate(model, &sources.read(path, model, printer)?, &Judging::default(), run)
}
