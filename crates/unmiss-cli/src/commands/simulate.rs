//! `unmiss simulate`: make a table whose best possible predictor is known, or one like a table that is there.

mod like;
mod text;
mod world;

use std::path::PathBuf;

use unmiss::error::{Error, Result};
use unmiss::simulate::{Masking, Response, SWEEPS};

use crate::General;
use crate::input::InputArguments;
use crate::printer::Printer;

/// What to make, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to write the table with its holes; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where to write the same table without holes
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Where to write, for every row, the best answer that its known cells allow
    #[arg(long, value_name = "FILE")]
    bayes: Option<PathBuf>,
    /// Make rows and holes like those of this table instead: CSV, TSV, Excel, Parquet, Arrow or lines of JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bayes", "columns", "response", "mechanism", "rate",
        "latent", "snr", "weights", "sweeps"])]
    like: Option<PathBuf>,
    /// How many rows [default: 10000; with --like, as many as the table has]
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Rows of the same world to pass over: those of a first table, so that a second one is new
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// How many columns beside the response y
    #[arg(long, value_name = "N", default_value_t = 10)]
    columns: usize,
    /// The shape of the response: linear, bowl, wave or break
    #[arg(long, value_name = "SHAPE", default_value = "linear", value_parser = typed::<Response>)]
    response: Response,
    /// How holes come about
    ///
    /// mcar completely at random. mar at random: a tenth of the columns is never missing and drives what is missing in
    /// the others. self-gaussian, self-probit not at random: whether a cell is missing depends on its own value. mnar
    /// not at random: on all columns. mnar-uniform: as mar, and the driving columns have holes too.
    #[arg(long, value_name = "NAME", default_value = "mcar", value_parser = typed::<Masking>)]
    mechanism: Masking,
    /// The share of cells that is missing
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    rate: f64,
    /// Hidden causes as a share of the columns: the fewer, the more columns say about each other
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    latent: f64,
    /// The response's variance without noise, in units of the noise's
    #[arg(long, value_name = "RATIO", default_value_t = 10.0)]
    snr: f64,
    /// What each column weighs in the response [default: 1 for each]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    weights: Vec<f64>,
    /// How long to sample where the best answer has no formula (self-probit, mnar, mnar-uniform)
    #[arg(long, value_name = "N", default_value_t = SWEEPS)]
    sweeps: usize,
    #[command(flatten)]
    input: InputArguments,
}

/// A name as typed. The argument parser has room for one text: what is wrong, and the advice.
fn typed<T: std::str::FromStr<Err = Error>>(typed: &str) -> std::result::Result<T, String> {
    typed.parse::<T>().map_err(|error| match &error {
        Error::Setting { what, hint: Some(hint), .. } => format!("{what}; {hint}"),
        other => other.to_string(),
    })
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    match &arguments.like {
        Some(path) => like::run(arguments, path, general, printer),
        None => world::run(arguments, general, printer),
    }
}
