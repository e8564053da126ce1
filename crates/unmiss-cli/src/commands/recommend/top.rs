//! `unmiss recommend top`: the items that a user has not rated yet, the best first.

use std::path::PathBuf;

use unmiss::data::CsvWriter;
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Model, Rating, rounded};

use crate::General;
use crate::files::Files;
use crate::input::{InputArguments, RatingColumns};
use crate::new_ratings::NewRatings;
use crate::printer::Printer;

/// Users rated at a time.
const USERS_AT_ONCE: usize = 256;

/// Which model, how many items, for whom.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model of ratings that `unmiss fit` wrote
    model: PathBuf,
    /// How many items for each user
    #[arg(value_name = "N", default_value_t = 10)]
    count: usize,
    /// The user (repeatable) [default: every user the model knows]
    #[arg(long = "for", value_name = "USER")]
    users: Vec<String>,
    /// Where to write the list [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Ratings that came after the model was fitted, of new users or known ones; nothing is trained again
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    columns: RatingColumns,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let read = Files::default().reads([&arguments.model]).reads(&arguments.ratings);
    read.tables("-o", [&arguments.output]).check()?;
    let model = Model::load_for(&arguments.model, Job::Rate)?;
    let model = model.rating()?;
    let run = printer.run(general)?;
    let options = arguments.columns.options(&arguments.input)?;
    let new = NewRatings::read(arguments.ratings.as_deref(), &options, &model, printer)?;
    let users = arguments.users(&model, &new)?;
    let mut writer = CsvWriter::create(&arguments.output, &["user", "item", "prediction"])?;
    for some in users.chunks(USERS_AT_ONCE) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        for (user, best) in run.compute(|| lists(&model, some, &new, arguments.count)) {
            for (item, rating) in best {
                writer.text(user);
                writer.text(model.ratings.items.name(item));
                writer.number(rounded(rating));
                writer.end_row()?;
            }
        }
    }
    writer.finish()
}

impl Arguments {
    fn users(&self, model: &Rating<'_>, new: &NewRatings) -> Result<Vec<String>> {
        if self.users.is_empty() {
            let known = model.ratings.users.names().iter().cloned();
            let others = new.0.keys().filter(|user| model.ratings.users.find(user).is_none()).cloned();
            return Ok(known.chain(others).collect());
        }
        for user in &self.users {
            if model.ratings.users.find(user).is_none() && !new.0.contains_key(user) {
                let error = Error::data(format!("the model knows no user `{user}`"));
                return Err(error.with_hint(match model.ratings.users.nearest(user) {
                    Some(near) => {
                        format!("did you mean `{near}`? Ratings of somebody new go in with --ratings FILE")
                    }
                    None => "give some ratings of theirs with --ratings FILE".to_owned(),
                }));
            }
        }
        Ok(self.users.clone())
    }
}

type List<'a> = (&'a str, Vec<(u32, f32)>);

/// The lists of some users: known ones together, those with new ratings one by one.
fn lists<'a>(model: &Rating<'_>, users: &'a [String], new: &NewRatings, count: usize) -> Vec<List<'a>> {
    let is_known = |user: &&String| !new.0.contains_key(*user);
    let known: Vec<u32> =
        users.iter().filter(is_known).filter_map(|user| model.ratings.users.find(user)).collect();
    let mut tops = model.top_all(&known, count).into_iter();
    let list = |user: &'a String| match new.of(user, model) {
        Some(given) => (user.as_str(), model.top_for(&given, count)),
        None => (user.as_str(), tops.next().unwrap_or_default()),
    };
    users.iter().map(list).collect()
}
