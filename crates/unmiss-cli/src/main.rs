//! The program `unmiss`: learning from tables with holes, from the command line.
//!
//! `main` reads as the program's story: arguments, a printer that listens to the work, one command, and an
//! error said in full. Results go to standard output; progress, notes and warnings to standard error.

mod advice;
mod commands;
mod examples;
mod files;
mod form_input;
#[cfg(test)]
mod guide;
mod input;
mod memory;
mod new_ratings;
mod output;
mod printer;
mod provenance;
mod series_input;
mod signals;
mod telling;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser};

use commands::{Command, Ended};
use printer::Printer;
use unmiss::data::guard_formulas;
use unmiss::error::Error;
use unmiss::run::Device;
use unmiss::store::is_standard_output;

/// What a shell gives a program that Ctrl-C ended.
pub const STOPPED: u8 = 130;

/// Learn from data with holes: describe a table, fit a predictor that takes missing values as they are,
/// and predict new rows. Without a command, `unmiss` runs `unmiss demo`.
#[derive(Parser)]
#[command(name = "unmiss", version, max_term_width = 80)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    general: General,
}

/// Options that every command takes.
#[derive(clap::Args)]
pub struct General {
    /// Seed of everything random: the same seed gives the same result, for any number of threads
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Threads to work with (0: as many as the machine has)
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// What networks are trained on: cpu, or gpu in a build with that feature
    #[arg(long, global = true, default_value = "cpu", value_name = "NAME", value_parser = device)]
    pub device: Device,
    /// Seconds after which long work ends with the best that is finished by then
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub budget: Option<std::time::Duration>,
    /// Put an apostrophe in front of cells that a spreadsheet would take for a formula (=, +, - or @ in front), in
    /// every table that is written
    #[arg(long, global = true)]
    pub guard_formulas: bool,
    /// Say nothing but errors: no progress, notes or warnings
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// A device as typed.
fn device(typed: &str) -> Result<Device, String> {
    typed.parse().map_err(|error: Error| match error.hint() {
        Some(hint) => format!("{error}\n\nhint: {}", hint.worded(advice::words)),
        None => error.to_string(),
    })
}

/// A time as typed: a number of seconds above 0.
fn seconds(typed: &str) -> Result<std::time::Duration, String> {
    let number: f64 = typed.parse().map_err(|_| format!("`{typed}` is not a number of seconds"))?;
    let time = std::time::Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("`{typed}` is not a time above 0"))
}

fn main() -> ExitCode {
    let matches = examples::command_with_examples().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let printer = Printer::new(arguments.general.quiet);
    if let Err(error) = arguments.general.device.choose() {
        printer.error(&error);
        return ExitCode::FAILURE;
    }
    if arguments.general.guard_formulas {
        guard_formulas();
    }
    let command = arguments.command.unwrap_or_else(Command::demo);
    match command.run(&arguments.general, &printer) {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::CutOff) => ExitCode::from(STOPPED),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            printer.error(&error);
            if matches!(error, Error::Stopped) { ExitCode::from(STOPPED) } else { ExitCode::FAILURE }
        }
    }
}

/// Whether whoever read standard output has gone (`| head`): they have what they wanted.
fn is_closed_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { path, source }
        if is_standard_output(path) && source.kind() == std::io::ErrorKind::BrokenPipe)
}
