//! Predicting ratings: pairs of users and items in, ratings out.

use std::path::Path;

use unmiss::data::ratings::read_pairs;
use unmiss::data::{CsvWriter, MissingTokens};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::model::{Model, Rating, rounded};

use super::Arguments;
use crate::General;
use crate::input::only_for_tables;
use crate::new_ratings::NewRatings;
use crate::output::number;
use crate::printer::Printer;

/// Runs the command for a model of ratings.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    only_for_tables(unmiss::data::Shape::Ratings, &[("id", !arguments.id.is_empty())])?;
    model.check_job(Job::Rate, &arguments.model)?;
    let model = model.rating()?;
    let run = printer.run(general)?;
    let mut options = arguments.columns.options(&Default::default())?;
    options.delimiter = arguments.form.delimiter()?;
    options.missing = arguments.form.missing(MissingTokens::default())?;
    let pairs = read_pairs(&arguments.data, &options)?;
    let new = NewRatings::read(arguments.ratings.as_deref(), &options, &model, printer)?;
    let answers = run.compute(|| model.rate_named(&pairs, &new.0));
    let mut writer = CsvWriter::create(&arguments.output, &["user", "item", "prediction"])?;
    for ((user, item), answer) in pairs.iter().zip(&answers) {
        writer.text(user);
        writer.text(item);
        writer.number(rounded(*answer));
        writer.end_row()?;
    }
    writer.finish()?;
    tell_unknown(&model, &pairs, &new, printer);
    if arguments.output != Path::new("-") {
        printer.say(&format!("{} predictions are in {}", number(pairs.len()), arguments.output.display()));
    }
    Ok(())
}

/// Says how many predictions rest on averages, as user or item was never seen.
fn tell_unknown(model: &Rating<'_>, pairs: &[(String, String)], new: &NewRatings, printer: &Printer) {
    let users = |user: &String| model.ratings.users.find(user).is_none() && !new.0.contains_key(user);
    let unknown_users = pairs.iter().filter(|(user, _)| users(user)).count();
    let unknown_items = pairs.iter().filter(|(_, item)| model.ratings.items.find(item).is_none()).count();
    let all = number(pairs.len());
    for (count, who, other) in [(unknown_users, "user", "item"), (unknown_items, "item", "user")] {
        if count > 0 {
            let count = number(count);
            printer.say(&format!(
                "note: in {count} of {all} pairs the model does not know the {who}: the {other}'s average is given"
            ));
        }
    }
}
