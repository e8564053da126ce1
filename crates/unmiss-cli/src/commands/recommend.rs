//! `unmiss recommend`: learn from ratings, predict ratings, list the best items, audit.

mod audit;
mod fit;
mod predict;
mod top;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use unmiss::data::MissingTokens;
use unmiss::data::ratings::{Ratings, RatingsOptions, RatingsReading, read};
use unmiss::error::Result;
use unmiss::model::RatingModel;

use crate::General;
use crate::input::{add_words, delimiter};
use crate::printer::Printer;

/// What can be done with ratings.
#[derive(Subcommand)]
pub enum Command {
    /// Learn from ratings (user, item, rating[, time]) and save the model
    Fit(fit::Arguments),
    /// Predict the ratings of pairs of users and items
    Predict(predict::Arguments),
    /// List the items that a user has not rated yet, the best first
    Top(top::Arguments),
    /// Find out whether predicted ratings drift with how many ratings a user gave
    Audit(audit::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(&self, general: &General, printer: &Printer) -> Result<()> {
        match self {
            Self::Fit(arguments) => fit::run(arguments, general, printer),
            Self::Predict(arguments) => predict::run(arguments, general, printer),
            Self::Top(arguments) => top::run(arguments, general, printer),
            Self::Audit(arguments) => audit::run(arguments, general, printer),
        }
    }
}

/// How to read ratings.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading ratings")]
pub struct ReadArguments {
    /// The column of users [default: user, userId and their like]
    #[arg(long, value_name = "COLUMN")]
    user: Option<String>,
    /// The column of items [default: item, movieId and their like]
    #[arg(long, value_name = "COLUMN")]
    item: Option<String>,
    /// The column of ratings [default: rating, score, stars]
    #[arg(long, value_name = "COLUMN")]
    rating: Option<String>,
    /// The column of times: of several ratings for the same user and item the latest counts [default: time, timestamp]
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Words that mean "no rating", besides the empty field [default: NA,N/A,NaN,nan,null,NULL,?]
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    missing: Option<Vec<String>>,
    /// Further words that mean "no rating", as COLUMN=WORD (repeatable)
    #[arg(long, value_name = "COLUMN=WORD")]
    missing_in: Vec<String>,
    /// The character between fields [default: found out]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
}

impl ReadArguments {
    fn options(&self) -> Result<RatingsOptions> {
        let mut missing = self.missing.as_ref().map_or_else(MissingTokens::default, MissingTokens::new);
        add_words(&mut missing, &self.missing_in)?;
        Ok(RatingsOptions {
            user: self.user.clone(),
            item: self.item.clone(),
            rating: self.rating.clone(),
            time: self.time.clone(),
            delimiter: delimiter(self.delimiter.as_deref())?,
            missing,
        })
    }

    /// Reads ratings and tells what the reader noticed.
    fn read(&self, path: &Path, printer: &Printer) -> Result<Ratings> {
        let reading: RatingsReading = read(path, &self.options()?)?;
        reading.notes().iter().for_each(|note| printer.say(&format!("note: {note}")));
        Ok(reading.ratings)
    }
}

/// Ratings that came after the model was fitted, by user: of somebody new, or more of somebody known.
struct NewRatings(BTreeMap<String, Vec<(u32, f32)>>);

impl NewRatings {
    /// Reads them, if there are any; items that the model does not know are told and passed over.
    fn read(
        path: Option<&PathBuf>,
        input: &ReadArguments,
        model: &RatingModel,
        printer: &Printer,
    ) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(BTreeMap::new())) };
        let new = input.read(path, printer)?;
        let (mut given, mut unknown): (BTreeMap<String, Vec<_>>, _) = (BTreeMap::new(), 0);
        for rating in new.iter() {
            let user = new.users.name(rating.user).to_owned();
            // A user whose items are all unknown is still somebody.
            let own = given.entry(user).or_default();
            match model.ratings.items.find(new.items.name(rating.item)) {
                Some(item) => own.push((item, rating.value)),
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            printer.say(&format!("note: new ratings of items that the model does not know: {unknown}"));
        }
        Ok(Self(given))
    }

    /// All that is known of a user who gave new ratings, the old ratings of a known user included.
    fn of(&self, user: &str, model: &RatingModel) -> Option<Vec<(u32, f32)>> {
        self.0.get(user).map(|new| model.all_given(user, new))
    }
}
