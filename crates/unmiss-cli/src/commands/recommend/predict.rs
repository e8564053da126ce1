//! `unmiss recommend predict`: pairs in, ratings out.

use std::path::{Path, PathBuf};

use unmiss::data::CsvWriter;
use unmiss::data::ratings::read_pairs;
use unmiss::error::Result;
use unmiss::model::RatingModel;

use super::{NewRatings, ReadArguments};
use crate::General;
use crate::output::number;
use crate::printer::Printer;

/// Which model, which pairs, where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss recommend fit` wrote
    model: PathBuf,
    /// Pairs of users and items: CSV, TSV, Parquet, gzipped or not; `-` for standard input
    pairs: PathBuf,
    /// Where to write the predictions [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Ratings that came after the model was fitted, of new users or known ones; nothing is trained again
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    #[command(flatten)]
    input: ReadArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let model = RatingModel::load(&arguments.model)?;
    let run = printer.run(general)?;
    let pairs = read_pairs(&arguments.pairs, &arguments.input.options()?)?;
    let new = NewRatings::read(arguments.ratings.as_ref(), &arguments.input, &model, printer)?;
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

/// Four digits behind the point: a rating has no more to say.
pub fn rounded(rating: f32) -> f64 {
    (f64::from(rating) * 1e4).round() / 1e4
}

/// Says how many predictions rest on averages, as user or item was never seen.
fn tell_unknown(model: &RatingModel, pairs: &[(String, String)], new: &NewRatings, printer: &Printer) {
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
