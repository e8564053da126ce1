//! How a command tells what it found: as text to people, as JSON to programs.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use unmiss::error::{Error, Result};
use unmiss::store::{is_standard_output, write_whole};

use crate::output::print;
use crate::printer::Printer;

/// Where JSON goes, if any is wanted.
#[derive(clap::Args, Default, Clone)]
pub struct JsonArgument {
    /// Write everything, also what the text leaves out, to a JSON file; `-`: to standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl JsonArgument {
    /// The file that is written.
    pub fn path(&self) -> &Option<PathBuf> {
        &self.json
    }

    /// Whether JSON takes the place of the text.
    pub fn in_place_of_text(&self) -> bool {
        self.json.as_deref().is_some_and(is_standard_output)
    }

    /// Tells what was found.
    pub fn tell(&self, found: &impl Serialize, text: &str) -> Result<()> {
        self.write(found)?;
        if self.in_place_of_text() { Ok(()) } else { print(text) }
    }

    /// Tells what was found on the way to an output, whose file is what was asked for: see [`Printer::tell_of`].
    pub fn tell_of(
        &self,
        output: &Path,
        found: &impl Serialize,
        text: &str,
        printer: &Printer,
    ) -> Result<()> {
        self.write(found)?;
        if self.in_place_of_text() { Ok(()) } else { printer.tell_of(output, text) }
    }

    /// Writes what was found, if that is wanted.
    pub fn write(&self, found: &impl Serialize) -> Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let mut json = serde_json::to_vec_pretty(found)
            .map_err(|error| Error::data(format!("what was found can't be written as JSON: {error}")))?;
        json.push(b'\n');
        write_whole(path, &json)
    }
}

/// What was found as a JSON value, to be put together with more.
pub fn value(found: &impl Serialize) -> Result<Value> {
    serde_json::to_value(found)
        .map_err(|error| Error::data(format!("what was found can't be written as JSON: {error}")))
}
