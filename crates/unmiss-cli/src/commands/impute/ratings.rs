//! Filling ratings: every pair of a user and an item gets a rating, known ones stay as they are.

use std::sync::Arc;

use serde_json::json;
use unmiss::compare::fit_best_rating;
use unmiss::data::{CsvWriter, Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Model, Rating, Recipe, rounded};
use unmiss::run::Run;

use super::Arguments;
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, settings};
use crate::output::number;
use crate::printer::Printer;

/// Users whose ratings are predicted and written at a time.
const USERS_AT_ONCE: usize = 256;
/// Share of the ratings on which methods are measured when none is named.
const SHARE: f64 = 0.1;

/// Learns from the ratings and fills them.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    let changes = settings(&arguments.set)?;
    let recipes = match &arguments.method {
        Some(name) => vec![Recipe::find(name, Shape::Ratings, Job::Rate)?.set_all(changes)?],
        None => Recipe::short_list(Shape::Ratings, Job::Rate),
    };
    let ratings = Arc::new(arguments.ratings.read(&arguments.data, &arguments.input, printer)?);
    let run = printer.run(general)?;
    let several = recipes.len() > 1;
    let fitted = fit_best_rating(&ratings, &recipes, if several { SHARE } else { 0.0 }, several, &run);
    printer.close();
    let (mut model, _) = fitted?;
    arguments.save(&mut model, &Data::Ratings(ratings))?;
    if let Some(path) = &arguments.save {
        printer.say(&format!("the model is in {}", path.display()));
    }
    write(arguments, &model, &run.to_the_end(), printer)?;
    Ok(Ended::of(&model, &run))
}

/// Fills the ratings that a model has with it.
pub fn with(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    let run = printer.run(general)?;
    let ratings = arguments.ratings.clone().for_ratings().read(&arguments.data, &arguments.input, printer)?;
    if *model.rating()?.ratings != ratings {
        return Err(Error::data("the model learned from other ratings than these").with_hint(
            "fill them without --with; `unmiss predict MODEL PAIRS --ratings NEW` predicts for somebody new",
        ));
    }
    write(arguments, model, &run, printer).map(|()| Ended::Done)
}

fn check(arguments: &Arguments) -> Result<()> {
    only_for_tables(Shape::Ratings, &arguments.plan.given())?;
    only_for_tables(
        Shape::Ratings,
        &[
            ("draws", arguments.draws.is_some()),
            ("mark", arguments.mark.is_some()),
            ("ignore", !arguments.ignore.is_empty()),
            ("delta", !arguments.delta.is_empty()),
            ("within", !arguments.within.is_empty()),
            ("beyond-range", arguments.beyond_range),
            ("html", arguments.html.is_some()),
            ("categorical or --numeric", arguments.input.tells_kinds()),
        ],
    )
}

/// Writes every pair with its rating, user by user.
fn write(arguments: &Arguments, model: &Model, run: &Run, printer: &Printer) -> Result<()> {
    let rating = model.rating()?;
    let mut writer = CsvWriter::create(&arguments.output, &["user", "item", "rating", "known"])?;
    let users: Vec<u32> = (0..rating.ratings.users.len() as u32).collect();
    let mut filled = 0;
    for some in users.chunks(USERS_AT_ONCE) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        filled += write_users(&mut writer, &rating, some, run)?;
    }
    writer.finish()?;
    let name = model.recipe.method.name();
    let mut text = format!("{} ratings are filled by `{name}`.\n", number(filled));
    text.push_str(&arguments.where_to());
    arguments.tell(&json!({ "method": name, "filled": filled }), &text, printer)
}

fn write_users(writer: &mut CsvWriter, rating: &Rating<'_>, users: &[u32], run: &Run) -> Result<usize> {
    let (ratings, mut filled) = (rating.ratings, 0);
    let items = ratings.items.len() as u32;
    let pairs: Vec<(u32, u32)> =
        users.iter().flat_map(|user| (0..items).map(move |item| (*user, item))).collect();
    let answers = run.compute(|| rating.rate(&pairs));
    for ((user, item), answer) in pairs.into_iter().zip(answers) {
        let known = ratings.by_user.get(user, item);
        filled += usize::from(known.is_none());
        writer.text(ratings.users.name(user));
        writer.text(ratings.items.name(item));
        writer.number(known.map_or_else(|| rounded(answer), f64::from));
        writer.number(f64::from(u8::from(known.is_some())));
        writer.end_row()?;
    }
    Ok(filled)
}
