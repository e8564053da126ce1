//! One file per command. A command reads its options, calls the library, and prints what came out.

mod methods;

use clap::Subcommand;
use unmiss::error::Result;

use crate::General;
use crate::printer::Printer;

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// List the methods, or tell all about one: idea, paper, settings, when to use it
    Methods(methods::Arguments),
}

impl Command {
    /// What runs when no command is given.
    pub fn demo() -> Self {
        Self::Methods(methods::Arguments::default())
    }

    /// Runs the command.
    pub fn run(&self, _general: &General, _printer: &Printer) -> Result<()> {
        match self {
            Self::Methods(arguments) => methods::run(arguments),
        }
    }
}
