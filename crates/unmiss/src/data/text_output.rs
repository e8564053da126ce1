//! Where the text of a table goes: a file or standard output, packed by its ending, guarded if that was asked for.

use std::path::Path;

use super::guard::{Guard, guard};
use crate::error::Result;
use crate::store::Output;

/// A table's text on its way out.
pub(super) struct TextOutput {
    output: Output,
    guard: Option<Guard>,
}

impl TextOutput {
    /// Opens a path: see [`Output::create_by_ending`].
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(Self { output: Output::create_by_ending(path)?, guard: guard() })
    }

    /// The same in memory, as it is.
    pub(super) fn in_memory() -> Self {
        Self { output: Output::in_memory(), guard: None }
    }

    /// See [`Output::bytes`].
    pub(super) fn bytes(&mut self) -> Vec<u8> {
        self.output.bytes()
    }

    /// Adds text whose cells stand between such delimiters.
    pub(super) fn write(&mut self, text: &[u8], delimiter: u8) -> Result<()> {
        match &mut self.guard {
            Some(guard) => self.output.write(&guard.pass(text, delimiter)),
            None => self.output.write(text),
        }
    }

    /// See [`Output::rest`].
    pub(super) fn rest(&mut self) -> Result<()> {
        self.output.rest()
    }

    /// See [`Output::finish`].
    pub(super) fn finish(mut self) -> Result<()> {
        if let Some(guard) = &mut self.guard {
            let mut last = Vec::new();
            guard.end(&mut last);
            self.output.write(&last)?;
        }
        self.output.finish()
    }
}
