//! `unmiss audit`: does a model's answer drift with how much is known?

mod program;
mod ratings;
mod text;

use std::path::PathBuf;

use unmiss::audit::{Audit, AuditSettings, audit, audit_model};
use unmiss::data::{Data, Shape, Table};
use unmiss::error::{Error, Result};
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::evaluate::file_name;
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, load_model};
use crate::printer::Printer;
use crate::series_input::SeriesArguments;
use crate::telling::JsonArgument;
use program::Program;
use text::page;

/// Which model, on which rows.
#[derive(clap::Args)]
#[command(
    override_usage = "unmiss audit [OPTIONS] MODEL DATA\n       unmiss audit [OPTIONS] MODEL [DATA] (a model of \
                      ratings: on pairs without a rating, or on ratings held out)\n       unmiss audit [OPTIONS] \
                      --command PROGRAM DATA"
)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote; left out with --command
    #[arg(value_name = "MODEL")]
    first: PathBuf,
    /// Rows to audit it on: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; sample:NAME for a built-in table. For a
    /// model of ratings: ratings that it did not learn from; without, pairs of a user and an item without a rating are
    /// drawn. For a model of images: images
    #[arg(value_name = "DATA", conflicts_with = "command")]
    second: Option<PathBuf>,
    /// Audit a model of any kind: a program that reads rows as CSV (empty cells are missing) from its standard
    /// input and prints a line with its answer for each; several numbers in a line are chances of classes
    #[arg(long, value_name = "PROGRAM")]
    command: Option<String>,
    /// With --command: the column with the truth; the program does not get to see it
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// With --command: columns that the program does not get
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Rows to audit, or pairs of user and item, drawn at random [default: 200; pairs: 100; images: 50]
    #[arg(long, alias = "users", alias = "pairs", value_name = "N")]
    rows: Option<usize>,
    /// Shares of known cells, from 5 % to 100 % [default: 20; of ratings and images: 10]
    #[arg(long, value_name = "N")]
    levels: Option<usize>,
    /// Random masks for each row and share [default: 50; of images: 10]
    #[arg(long, value_name = "N")]
    masks: Option<usize>,
    /// Do not fit the same method with Sparsity Normalization for comparison
    #[arg(long, conflicts_with = "command")]
    no_contrast: bool,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    columns: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
    #[command(flatten)]
    input: InputArguments,
}

impl Arguments {
    /// How thorough the audit is; what the user did not say depends on what is audited.
    fn settings(&self, rows: usize, levels: usize, masks: usize) -> AuditSettings {
        AuditSettings {
            rows: self.rows.unwrap_or(rows),
            levels: self.levels.unwrap_or(levels),
            masks: self.masks.unwrap_or(masks),
            target: self.target.clone(),
            contrast: !self.no_contrast,
        }
    }

    /// A model brings its own target and inputs; only a program has to be told.
    fn check(&self) -> Result<()> {
        let given = [("target", self.target.is_some()), ("ignore", !self.ignore.is_empty())];
        match given.into_iter().find(|(_, given)| *given && self.command.is_none()) {
            Some((name, _)) => Err(Error::setting(name, "this is for programs given with --command")
                .with_hint(format!("leave out --{name}: a model knows its target and its inputs"))),
            None => Ok(()),
        }
    }
}

/// Audits and prints.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    arguments.check()?;
    let Arguments { first, second, json, html, .. } = arguments;
    if arguments.command.is_some() {
        arguments.images.only_for_images(Shape::Table)?;
    }
    Files::default()
        .reads([first])
        .reads(second)
        .tables("--json", json.path())
        .file("--html", html)
        .check()?;
    let run = printer.run(general)?;
    let (found, title, data) = match (&arguments.command, &arguments.second) {
        (Some(command), _) => {
            let settings = arguments.settings(200, 20, 50);
            let found = foreign(command, arguments, &settings, &run, printer);
            (found, command.clone(), &arguments.first)
        }
        (None, data) => {
            let model = load_model(&arguments.first, arguments.second.as_deref())?;
            let title = format!("{} ({})", file_name(&arguments.first), model.recipe.method.name());
            arguments.images.only_for_images(model.shape())?;
            arguments.series.only_for_series(model.shape())?;
            match (model.shape(), data) {
                (Shape::Ratings, data) => {
                    return ratings::run(arguments, &model, data.as_deref(), &title, &run, printer);
                }
                (shape, None) => {
                    let wanted = match shape {
                        Shape::Images => "name images of the model's size behind the model",
                        _ => "name a table with the model's columns behind the model",
                    };
                    return Err(
                        Error::setting("data", "there are no rows to audit the model on").with_hint(wanted)
                    );
                }
                (Shape::Images, Some(data)) => {
                    let images = Data::from(arguments.images.read_for_model(data, &model)?);
                    // Images have many pixels, and each of them is hidden by itself as well. What Sparsity
                    // Normalization would change is a setting of the network, not of the inputs.
                    let settings = AuditSettings { contrast: false, ..arguments.settings(50, 10, 10) };
                    (audit_model(&model, &images, &settings, &run), title, data)
                }
                (Shape::Series, Some(data)) => {
                    let target = model.predicting().ok().map(|predicting| predicting.target.name.clone());
                    let mut options = arguments.input.options()?;
                    options.missing = arguments.input.form().missing(model.missing.clone())?;
                    let options = (options, target.as_deref());
                    let series =
                        arguments.series.read(data, &arguments.columns, options, Some(&model), printer)?;
                    let settings = AuditSettings { contrast: false, ..arguments.settings(100, 10, 10) };
                    (audit_model(&model, &series.series.into(), &settings, &run), title, data)
                }
                (Shape::Table, Some(data)) => {
                    let rows = arguments.input.read_for_model(data, &model)?;
                    (audit_model(&model, &rows, &arguments.settings(200, 20, 50), &run), title, data)
                }
            }
        }
    };
    printer.close();
    let found = found?;
    let title = format!("Audit of {title} on {}", file_name(data));
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::audit(&found)?).write(path)?;
    }
    json.tell(&found, &page(&found, &title))
}

/// Audits a program. It gets every column but the target and the ignored ones; cells of numbers and categories
/// are hidden, free text and dates stay as they are.
fn foreign(
    command: &str,
    arguments: &Arguments,
    settings: &AuditSettings,
    run: &Run,
    printer: &Printer,
) -> Result<Audit> {
    let table = arguments.input.read(&arguments.first, false, printer)?;
    for name in arguments.ignore.iter().chain(&arguments.target) {
        table.column(name)?;
    }
    let given = table.columns().iter().filter(|column| !arguments.ignore.contains(&column.name));
    let table = Table::new(given.cloned().collect())?;
    let is_input = |name: &String| arguments.target.as_ref() != Some(name);
    let usable = table.columns().iter().filter(|column| column.is_usable());
    let inputs: Vec<String> = usable.map(|column| column.name.clone()).filter(is_input).collect();
    let program = Program::new(command, run);
    audit(&table, &inputs, &|rows| program.predict(rows), settings, run)
}
