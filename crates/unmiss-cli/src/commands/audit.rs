//! `unmiss audit`: does a model's answer drift with how much is known?

use std::path::PathBuf;

use unmiss::audit::{Audit, AuditSettings, audit, audit_model};
use unmiss::data::Table;
use unmiss::error::{Error, Result};
use unmiss::model::Model;
use unmiss::report::{Page, sections};
use unmiss::run::Run;
use unmiss::store::write_whole;

use super::audit_program::Program;
use super::audit_text::page;
use crate::General;
use crate::input::InputArguments;
use crate::output::print;
use crate::printer::Printer;

/// Which model, on which rows.
#[derive(clap::Args)]
#[command(
    override_usage = "unmiss audit [OPTIONS] MODEL DATA\n       unmiss audit [OPTIONS] --command PROGRAM DATA"
)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote; left out with --command
    #[arg(value_name = "MODEL")]
    first: PathBuf,
    /// Rows to audit it on: CSV, TSV or Parquet, plain or .gz; sample:NAME for a built-in table
    #[arg(value_name = "DATA", required_unless_present = "command", conflicts_with = "command")]
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
    /// Rows to audit, drawn at random
    #[arg(long, value_name = "N", default_value_t = 200)]
    rows: usize,
    /// Shares of known cells, from 5 % to 100 %
    #[arg(long, value_name = "N", default_value_t = 20)]
    levels: usize,
    /// Random masks for each row and share
    #[arg(long, value_name = "N", default_value_t = 50)]
    masks: usize,
    /// Do not fit the same method with Sparsity Normalization for comparison
    #[arg(long, conflicts_with = "command")]
    no_contrast: bool,
    /// Write everything, also what the text leaves out, to a JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
}

impl Arguments {
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
    let run = printer.run(general)?;
    let settings = AuditSettings {
        rows: arguments.rows,
        levels: arguments.levels,
        masks: arguments.masks,
        target: arguments.target.clone(),
        contrast: !arguments.no_contrast,
    };
    let (found, title) = match (&arguments.command, &arguments.second) {
        (Some(command), _) => (foreign(command, arguments, &settings, &run, printer), command.clone()),
        (None, Some(data)) => {
            let model = Model::load(&arguments.first)?;
            let table = arguments.input.read_for_model(data, &model)?;
            let title = format!("{} ({})", arguments.first.display(), model.recipe.method.name());
            (audit_model(&model, &table, &settings, &run), title)
        }
        (None, None) => return Err(Error::setting("data", "there are no rows to audit the model on")),
    };
    printer.close();
    let found = found?;
    if let Some(path) = &arguments.json {
        write_json(&found, path)?;
    }
    let data = arguments.second.as_ref().unwrap_or(&arguments.first);
    let title = format!("Audit of {title} on {}", data.display());
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::audit(&found)?).write(path)?;
    }
    print(&page(&found, &title))
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

fn write_json(found: &Audit, path: &std::path::Path) -> Result<()> {
    let json = serde_json::to_vec_pretty(found)
        .map_err(|error| Error::data(format!("the audit can't be written as JSON: {error}")))?;
    write_whole(path, &json)
}
