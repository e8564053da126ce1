//! One file per command. A command reads its options, calls the library, and prints what came out.

mod describe;
mod describe_text;
mod hide;
mod methods;

use clap::Subcommand;
use unmiss::error::Result;

use crate::General;
use crate::printer::Printer;

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Say what is missing, where, together with what, and whether it looks random
    Describe(describe::Arguments),
    /// Hide known cells by a mechanism, to try methods on holes whose truth is known
    Hide(hide::Arguments),
    /// List the methods, or tell all about one: idea, paper, settings, when to use it
    Methods(methods::Arguments),
}

impl Command {
    /// What runs when no command is given.
    pub fn demo() -> Self {
        Self::Methods(methods::Arguments::default())
    }

    /// Runs the command.
    pub fn run(&self, general: &General, printer: &Printer) -> Result<()> {
        match self {
            Self::Describe(arguments) => describe::run(arguments, general, printer),
            Self::Hide(arguments) => hide::run(arguments, general, printer),
            Self::Methods(arguments) => methods::run(arguments),
        }
    }
}
