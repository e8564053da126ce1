//! `unmiss export`: a model as a graph that other runtimes take.

use std::path::PathBuf;

use unmiss::error::{Error, Result};
use unmiss::model::Model;
use unmiss::onnx::Port;

use crate::files::Files;
use crate::output::{column, wrapped};
use crate::printer::Printer;

/// Inputs listed, at most.
const MOST_LISTED: usize = 30;

/// Which model.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote, or the imputer that `unmiss impute --save` kept
    model: PathBuf,
    /// Where the graph goes: an ONNX file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// With the ends of the interval that holds in this share of cases, such as 0.9
    #[arg(long, value_name = "SHARE")]
    level: Option<f64>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<()> {
    let Arguments { model: path, output, level } = arguments;
    Files::default().reads([path]).file("-o", [output]).check()?;
    if let Some(level) = level.filter(|level| !(*level > 0.0 && *level < 1.0)) {
        return Err(Error::setting("level", format!("{level} is not between 0 and 1"))
            .with_hint("say --level 0.9 for 90 % intervals"));
    }
    let exported = Model::load(path)?.export(*level)?;
    exported.save(output)?;
    let mut text = format!("{}: {} bytes\n\n", output.display(), exported.bytes.len());
    text.push_str(&ports("Goes in", &exported.inputs));
    text.push('\n');
    text.push_str(&ports("Comes out", &exported.outputs));
    printer.tell_of(output, &text)
}

/// A heading and a line for each.
fn ports(heading: &str, ports: &[Port]) -> String {
    let mut text = format!("{heading}\n");
    for port in ports.iter().take(MOST_LISTED) {
        let what = format!("{} [{}]", port.kind.name(), port.lengths().join(", "));
        text.push_str(&format!("  {} {}", column(&port.name, 20), column(&what, 27)));
        text.push_str(&format!(" {}\n", wrapped(&port.about, 51).trim_start()));
    }
    if let Some(more) = ports.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more\n"));
    }
    text
}
