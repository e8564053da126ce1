//! `unmiss recommend`: what only ratings have, the list of the best items, and other names for what every shape has.

mod top;

use clap::Subcommand;
use unmiss::error::Result;

use super::{Ended, audit, fit, predict};
use crate::General;
use crate::printer::Printer;

/// What can be done with ratings.
#[derive(Subcommand)]
pub enum Command {
    /// Learn from ratings (user, item, rating[, time]) and save the model: `unmiss fit --shape ratings`
    Fit(Box<fit::Arguments>),
    /// Predict the ratings of pairs of users and items: `unmiss predict`
    Predict(Box<predict::Arguments>),
    /// List the items that a user has not rated yet, the best first
    Top(Box<top::Arguments>),
    /// Find out whether predicted ratings drift with how many ratings a user gave: `unmiss audit`
    Audit(Box<audit::Arguments>),
}

impl Command {
    /// Runs the command.
    pub fn run(self, general: &General, printer: &Printer) -> Result<Ended> {
        let done = match self {
            Self::Fit(arguments) => return fit::run(&arguments.for_ratings(), general, printer),
            Self::Predict(arguments) => predict::run(&arguments, general, printer),
            Self::Top(arguments) => top::run(&arguments, general, printer),
            Self::Audit(arguments) => audit::run(&arguments, general, printer),
        };
        done.map(|()| Ended::Done)
    }
}
