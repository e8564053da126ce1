//! `unmiss analyse`: the same regression of every filled table, pooled by Rubin's rules.

mod imputed;
mod text;
mod tipping_text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unmiss::analyse::{Analysis, Completed, Family, Options, Tipping, analyse};
use unmiss::data::{CsvWriter, ReadOptions};
use unmiss::error::{Error, Result};
use unmiss::report::{Page, sections};
use unmiss::store::is_standard_output;

use crate::General;
use crate::files::Files;
use crate::input::InputArguments;
use crate::output::print;
use crate::printer::Printer;
use crate::telling::{JsonArgument, value};

/// What to analyse.
#[derive(clap::Args)]
pub struct Arguments {
    /// What explains what: "died ~ age + sex", "y ~ a * b", "log(y) ~ I(x^2) + ." (`.`: all other columns)
    formula: String,
    /// The filled tables (full-1.csv full-2.csv ...), or one long file with a column `draw` or `.imp`
    #[arg(required_unless_present = "impute")]
    data: Vec<PathBuf>,
    /// Instead of filled tables: a table with holes, which is filled here
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "original"])]
    impute: Option<PathBuf>,
    /// With --impute: in how many plausible ways
    #[arg(long, value_name = "M", default_value_t = 20, value_parser = clap::value_parser!(u16).range(2..))]
    draws: u16,
    /// With --impute: the imputer; `unmiss methods` lists them [default: auto]
    #[arg(long, value_name = "NAME", requires = "impute")]
    method: Option<String>,
    /// With --impute: change a setting of the imputer, as NAME=VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "impute")]
    set: Vec<String>,
    /// With --impute: columns that are neither used nor filled
    #[arg(long, alias = "id", value_name = "COLUMNS", value_delimiter = ',', requires = "impute")]
    ignore: Vec<String>,
    /// With --impute, what if cells are not missing at random: shift filled values, as `unmiss impute --delta` does, or
    /// over a range, as COLUMN=FROM..TO:STEPS (income=-1sd..1sd:9), to see where conclusions change
    #[arg(long, value_name = "COLUMN=SHIFT", requires = "impute", allow_hyphen_values = true)]
    delta: Vec<String>,
    /// The table with the holes: show the same regression of its complete rows beside the pooled one
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// The kind of regression [default: logistic for two outcomes, linear for numbers]
    #[arg(long, value_name = "FAMILY")]
    family: Option<FamilyArgument>,
    /// Share that the intervals hold for
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    level: f64,
    /// The level that a category's other levels are compared with, as COLUMN=LEVEL (repeatable) [default: the first]
    #[arg(long, value_name = "COLUMN=LEVEL")]
    reference: Vec<String>,
    /// Test terms together, as "sodium + potassium" (repeatable); categories of three levels or more always are
    #[arg(long, value_name = "TERMS")]
    test: Vec<String>,
    /// Make likelihood-ratio tests (D3) beside Wald's (D1)
    #[arg(long)]
    likelihood_ratio: bool,
    /// Write the pooled coefficients as a table; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
}

/// Kinds of regression.
#[derive(Clone, Copy, clap::ValueEnum)]
enum FamilyArgument {
    Linear,
    Logistic,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { data, original, impute, output, json, html, .. } = arguments;
    let files = Files::default().reads(data).reads(original).reads(impute).tables("-o", output);
    files.tables("--json", json.path()).file("--html", html).check()?;
    let options = arguments.options()?;
    let run = printer.run(general)?;
    let found = match impute {
        Some(path) => imputed::run(arguments, path, &options, &run, printer),
        None => {
            // What the reader remarks on columns is about data to learn from.
            let read = ReadOptions { keep_source: false, ..arguments.input.options()? };
            let completed = Completed::read(data, original.as_deref(), &read)?;
            analyse(&arguments.formula, &completed, &options, &run).map(|analysis| (analysis, None))
        }
    };
    printer.close();
    let (analysis, tipping) = found?;
    for warning in &analysis.warnings {
        printer.say(&format!("warning: {warning}"));
    }
    arguments.write(&analysis, tipping.as_ref())?;
    let mut text = text::report(&analysis);
    if let Some(tipping) = &tipping {
        text.push_str(&tipping_text::report(tipping, analysis.level));
    }
    match output.as_deref().is_some_and(is_standard_output) || json.in_place_of_text() {
        true => printer.say(text.trim_end()),
        false => print(&text)?,
    }
    Ok(())
}

impl Arguments {
    fn options(&self) -> Result<Options> {
        let family = self.family.map(|family| match family {
            FamilyArgument::Linear => Family::Linear,
            FamilyArgument::Logistic => Family::Logistic,
        });
        let mut references = BTreeMap::new();
        for typed in &self.reference {
            let (column, level) = typed.split_once('=').ok_or_else(|| {
                Error::setting("reference", format!("`{typed}` is not of the form COLUMN=LEVEL"))
                    .with_hint(format!("say for example --reference \"{typed}=none\""))
            })?;
            references.insert(column.to_owned(), level.to_owned());
        }
        let Self { level, likelihood_ratio, .. } = *self;
        Ok(Options { family, level, references, tests: self.test.clone(), likelihood_ratio })
    }

    /// Writes the files that were asked for.
    fn write(&self, analysis: &Analysis, tipping: Option<&Tipping>) -> Result<()> {
        if let Some(path) = &self.output {
            write_table(analysis, path)?;
        }
        let mut all = value(analysis)?;
        if let Some(tipping) = tipping {
            all["tipping"] = value(tipping)?;
        }
        self.json.write(&all)?;
        if let Some(path) = &self.html {
            let page = Page::new(format!("Regression of `{}` on filled tables", analysis.response));
            let further = tipping.map(|tipping| sections::tipping(tipping, analysis)).transpose()?;
            page.sections(sections::analyse(analysis)?).sections(further).write(path)?;
        }
        Ok(())
    }
}

/// The pooled coefficients under the names that R's `summary(pool(...))` has.
fn write_table(analysis: &Analysis, path: &Path) -> Result<()> {
    let head = [
        "term",
        "estimate",
        "std.error",
        "statistic",
        "df",
        "p.value",
        "conf.low",
        "conf.high",
        "df.rubin",
        "dfcom",
        "riv",
        "lambda",
        "fmi",
        "ubar",
        "b",
        "m",
    ];
    let mut writer = CsvWriter::create(path, &head)?;
    for one in &analysis.coefficients {
        let pooled = &one.pooled;
        writer.text(&one.term);
        let numbers = [
            pooled.estimate,
            pooled.standard_error,
            pooled.statistic,
            pooled.degrees,
            pooled.p_value,
            pooled.low,
            pooled.high,
            pooled.degrees_rubin,
            analysis.complete_degrees,
            pooled.relative_increase,
            pooled.share_of_holes,
            pooled.missing_information,
            pooled.within,
            pooled.between,
            pooled.draws as f64,
        ];
        numbers.into_iter().for_each(|number| writer.number(number));
        writer.end_row()?;
    }
    writer.finish()
}
