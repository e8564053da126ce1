//! `unmiss pool`: one answer from the same analysis of several filled tables, by Rubin's rules.

use std::path::{Path, PathBuf};

use serde_json::json;
use unmiss::data::{self, Column, Table};
use unmiss::error::{Error, Result};
use unmiss::pool::{Estimate, Pooled, RECORD_ENDING, Record, pool};

use crate::files::Files;
use crate::input::{InputArguments, no_images};
use crate::output::{chance, column, degrees, short, wrapped};
use crate::printer::Printer;
use crate::telling::JsonArgument;

/// Names under which analyses usually write their results.
const TERMS: [&str; 5] = ["term", "name", "variable", "parameter", "coefficient"];
const ESTIMATES: [&str; 5] = ["estimate", "coef", "coefficient", "value", "mean"];
const ERRORS: [&str; 6] = ["std_error", "std.error", "standard_error", "se", "bse", "stderr"];

/// Which estimates.
#[derive(clap::Args)]
pub struct Arguments {
    /// Tables of estimates: one for each analysis, or one with all of them below each other
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The column that names what is estimated [default: term, name, variable, ...; one quantity if there is none]
    #[arg(long, value_name = "COLUMN")]
    term: Option<String>,
    /// The column of estimates [default: estimate, coef, value, ...]
    #[arg(long, value_name = "COLUMN")]
    estimate: Option<String>,
    /// The column of standard errors [default: std_error, std.error, se, ...]
    #[arg(long, value_name = "COLUMN")]
    error: Option<String>,
    /// The column of variances, instead of standard errors
    #[arg(long, value_name = "COLUMN", conflicts_with = "error")]
    variance: Option<String>,
    /// Degrees of freedom the analysis would have without holes (rows less coefficients): the rule for small samples
    #[arg(long, value_name = "N")]
    complete_df: Option<f64>,
    /// Share that the intervals hold for
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    level: f64,
    /// The record of the draws (full.draws.json): tells whether they suit Rubin's rules [default: the only one beside
    /// the estimates]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
    #[command(flatten)]
    input: InputArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<()> {
    if !(arguments.level > 0.0 && arguments.level < 1.0) {
        return Err(Error::setting("level", format!("{} is not between 0 and 1", arguments.level))
            .with_hint("say --level 0.95 for 95 % intervals"));
    }
    if arguments.complete_df.is_some_and(|degrees| degrees.is_nan() || degrees <= 0.0) {
        return Err(Error::setting("complete-df", "degrees of freedom are above 0")
            .with_hint("say the number of rows less the number of coefficients"));
    }
    let Arguments { data, record, json, .. } = arguments;
    Files::default().reads(data).reads(record).tables("--json", json.path()).check()?;
    let mut terms: Vec<(String, Vec<Estimate>)> = Vec::new();
    for path in &arguments.data {
        no_images(path, "a table of estimates is needed")?;
        // What the reader remarks on columns is about data to learn from, not about estimates.
        let table = data::read(path, &arguments.input.options()?)?.table;
        arguments.collect(&table, &mut terms)?;
    }
    let most = terms.iter().map(|(_, estimates)| estimates.len()).max().unwrap_or(0);
    if let Some((term, few)) = terms.iter().find(|(_, estimates)| estimates.len() != most) {
        let what = format!("`{term}` is estimated {} times, others {most} times", few.len());
        return Err(Error::data(what).with_hint("every analysis must estimate the same quantities"));
    }
    for warning in arguments.record(most)?.iter().flat_map(Record::warnings) {
        printer.say(&format!("warning: {warning}"));
    }
    let pooled = terms
        .iter()
        .map(|(term, estimates)| {
            Ok((term.as_str(), pool(estimates, arguments.complete_df, arguments.level)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let all: Vec<_> = pooled.iter().map(|(term, pooled)| json!({ "term": term, "pooled": pooled })).collect();
    arguments.json.tell(&all, &report(&pooled, arguments))
}

impl Arguments {
    /// The record of the draws: the one that is named, or the only one beside the estimates if it is of as many draws.
    fn record(&self, draws: usize) -> Result<Option<Record>> {
        if let Some(path) = &self.record {
            return Record::read(path).map(Some);
        }
        let folder = self.data.first().and_then(|path| path.parent());
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let records: Vec<PathBuf> =
            entries.filter(|path| path.to_string_lossy().ends_with(RECORD_ENDING)).collect();
        let [only] = records.as_slice() else { return Ok(None) };
        Ok(Record::read(only).ok().filter(|record| record.draws == draws))
    }

    /// Adds the estimates of a table, term by term.
    fn collect(&self, table: &Table, terms: &mut Vec<(String, Vec<Estimate>)>) -> Result<()> {
        let term = found(table, self.term.as_deref(), &TERMS, "term").ok();
        if term.is_none() && self.term.is_some() {
            found(table, self.term.as_deref(), &TERMS, "term")?;
        }
        let estimates = numbers(found(table, self.estimate.as_deref(), &ESTIMATES, "estimate")?)?;
        let variance = self.variance.as_deref().map(|name| table.column(name)).transpose()?;
        let spread = match variance {
            Some(column) => numbers(column)?,
            None => numbers(found(table, self.error.as_deref(), &ERRORS, "error")?)?,
        };
        if let Some(row) = spread.iter().position(|own| *own < 0.0) {
            let what = if variance.is_some() { "a variance" } else { "a standard error" };
            return Err(Error::data(format!("row {}: {what} of {} is below 0", row + 1, spread[row])));
        }
        for row in 0..table.rows() {
            let name = term.and_then(|column| column.cell(row)).unwrap_or_else(|| "estimate".to_owned());
            let spread = if variance.is_some() { spread[row] } else { spread[row] * spread[row] };
            let estimate = Estimate { value: estimates[row], variance: spread };
            match terms.iter_mut().find(|(own, _)| *own == name) {
                Some((_, all)) => all.push(estimate),
                None => terms.push((name, vec![estimate])),
            }
        }
        Ok(())
    }
}

/// The named column, or the first of the usual names.
fn found<'a>(table: &'a Table, named: Option<&str>, usual: &[&str], option: &str) -> Result<&'a Column> {
    if let Some(name) = named {
        return table.column(name);
    }
    let own = |usual: &&str| table.columns().iter().find(|column| column.name.to_lowercase() == **usual);
    usual.iter().find_map(own).ok_or_else(|| {
        Error::data(format!("there is no column of a usual name for the {option} ({})", usual.join(", ")))
            .with_hint(format!("name it with --{option} COLUMN"))
    })
}

/// A column's numbers; a hole among estimates is an error. Two different numbers are read as two levels.
fn numbers(column: &Column) -> Result<Vec<f64>> {
    (0..column.rows())
        .map(|row| {
            let cell = column.cell(row);
            let value = cell.as_ref().and_then(|cell| cell.parse::<f64>().ok());
            value.ok_or_else(|| {
                let what = cell.map_or("a hole".to_owned(), |cell| format!("`{cell}`"));
                Error::data(format!("column `{}`, row {}: {what} is not a number", column.name, row + 1))
            })
        })
        .collect()
}

fn report(pooled: &[(&str, Pooled)], arguments: &Arguments) -> String {
    let draws = pooled.first().map_or(0, |(_, pooled)| pooled.draws);
    let mut text = format!("Pooled over {draws} analyses by Rubin's rules\n\n");
    let level = format!("{:.0} % interval", 100.0 * arguments.level);
    let [estimate, error, df, p, holes] = ["estimate", "error", "df", "p", "holes"];
    let header =
        format!("  {} {estimate:>9} {error:>8} {level:>19} {df:>7} {p:>6} {holes:>5}", column("", 14));
    text.push_str(header.trim_end());
    text.push('\n');
    for (term, pooled) in pooled {
        let interval = format!("{} .. {}", short(pooled.low), short(pooled.high));
        let (degrees, p) = (degrees(pooled.degrees, 1), chance(pooled.p_value));
        text.push_str(&format!(
            "  {} {:>9} {:>8} {interval:>19} {degrees:>7} {p:>6} {:>3.0} %\n",
            column(term, 14),
            short(pooled.estimate),
            short(pooled.standard_error),
            100.0 * pooled.share_of_holes
        ));
    }
    let rule = match arguments.complete_df {
        Some(_) => "Degrees of freedom (df) by Barnard and Rubin's rule.",
        None => {
            "Degrees of freedom (df) by Rubin's rule; with fewer than a few hundred rows say --complete-df."
        }
    };
    text.push_str(&format!(
        "\n{}\n",
        wrapped(&format!("`holes` is the share of the variance that is due to the missing cells. {rule}"), 0)
    ));
    text
}
