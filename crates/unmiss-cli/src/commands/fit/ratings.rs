//! `unmiss fit` of ratings: measure methods on ratings held out, fit the best on all, save it.

use std::sync::Arc;

use serde_json::json;
use unmiss::compare::{Measured, RatingChoice, fit_best_rating};
use unmiss::data::ratings::Ratings;
use unmiss::data::{Data, Shape};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::metrics::Metric;
use unmiss::model::{Model, RatingScore, Recipe};

use super::{Arguments, kept_beside};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, settings};
use crate::memory::give_back;
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::provenance;

/// The method that settings without a method belong to, and that is fitted where nothing is to be measured.
const USUAL: &str = "autorec";

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_ratings()?;
    let recipes = arguments.rating_recipes()?;
    let ratings = Arc::new(arguments.ratings.read(&arguments.data, &arguments.input, printer)?);
    give_back();
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let blend = arguments.method.is_empty() && recipes.len() > 1;
    let fitted = fit_best_rating(&ratings, &recipes, arguments.test_share(), blend, &run);
    printer.close();
    let (mut model, choice) = fitted?;
    let data = Data::Ratings(Arc::clone(&ratings));
    provenance::note(&mut model, &arguments.data, &data);
    if let (Some(made), Some(kept)) = (&mut model.summary.provenance, choice.kept) {
        let RatingScore { rmse, mae, .. } = choice.entries[kept].score;
        made.scores = vec![(Metric::Rmse, rmse), (Metric::Mae, mae)];
    }
    model.save(&arguments.output)?;
    let mut text = report(&ratings, &choice);
    text.push_str(&wrapped(&ending(&model, &choice, recipes.len() > 1, arguments), 0));
    let judged = arguments.judge(&model, None, &run, printer)?;
    let judged_words = arguments.judged_words(judged.as_ref());
    text.push_str(&format!("\n{judged_words}"));
    let json = json!({ "model": arguments.output, "found": choice.found(), "test": judged });
    arguments.json.tell_of(&arguments.output, &json, &text, printer)?;
    let ended = Ended::of(&model, &run);
    if ended == Ended::Done {
        run.clear_checkpoints();
    }
    Ok(ended)
}

/// What was saved, why this method if it was chosen from `several` by measuring, and what would have been better.
fn ending(model: &Model, choice: &RatingChoice, several: bool, arguments: &Arguments) -> String {
    let (name, output) = (model.recipe.method.name(), arguments.output.display());
    let why = match choice.better {
        None if several && choice.kept.is_some() => ", which erred least",
        Some(_) if several => ", which erred least of those named",
        _ => "",
    };
    let mut text = format!("The model (`{name}`{why}, from all ratings) is in {output}.");
    if let Some(cut_off) = &model.summary.cut_off {
        text += &format!(" {cut_off}");
    } else if let Some(best) = choice.better.map(|place| choice.entries[place].recipe.method.name()) {
        let how = if arguments.set.is_empty() { "" } else { ", without these settings," };
        text += &format!(" `{best}` erred less on these ratings: --method {best}{how} would keep it.");
    }
    text
}

impl Arguments {
    fn check_for_ratings(&self) -> Result<()> {
        only_for_tables(
            Shape::Ratings,
            &[
                ("target", self.target.is_some()),
                ("id", !self.id.is_empty()),
                ("ignore", !self.ignore.is_empty()),
                ("weight", self.weight.is_some()),
                ("task", self.task.is_some()),
                ("single", self.single),
                ("effort", self.effort.is_some()),
                ("html", self.html.is_some()),
                ("categorical or --numeric", self.input.tells_kinds()),
            ],
        )
    }

    fn rating_recipes(&self) -> Result<Vec<Recipe>> {
        let changes = settings(&self.set)?;
        let names: Vec<&str> = match &self.method[..] {
            [] if !changes.is_empty() || self.test_share() == 0.0 => vec![USUAL],
            [] => return Ok(Recipe::short_list(Shape::Ratings, Job::Rate)),
            named => named.iter().map(String::as_str).collect(),
        };
        let recipe =
            |name: &str| Recipe::find(name, Shape::Ratings, Job::Rate)?.set_all(changes.iter().copied());
        names.into_iter().map(recipe).collect()
    }
}

/// What was learned from and how the methods did.
fn report(ratings: &Ratings, choice: &RatingChoice) -> String {
    let (low, high) = ratings.range();
    let learned = format!(
        "{} ratings from {low} to {high} by {} users of {} items: {:.2} % of the pairs are known.",
        number(ratings.len()),
        number(ratings.users.len()),
        number(ratings.items.len()),
        100.0 * ratings.density()
    );
    let mut text = wrapped(&learned, 0) + "\n\n";
    let Some(first) = choice.entries.first() else { return text };
    let note = format!(
        "Measured on {} ratings that were held out ({} of them of users or items without any other rating):",
        number(first.score.count),
        number(first.score.cold)
    );
    text.push_str(&wrapped(&note, 0));
    text.push_str(&format!("\n\n  {:10} {:>9} {:>9} {:>9}\n", "method", "RMSE", "MAE", "seconds"));
    for Measured { recipe, score: RatingScore { rmse, mae, .. }, seconds } in &choice.entries {
        let name = recipe.method.name();
        text.push_str(&format!("  {name:10} {rmse:>9.4} {mae:>9.4} {seconds:>9.1}\n"));
    }
    text.push('\n');
    let words = choice.entries.iter().find_map(|entry| weights_of(&entry.recipe));
    if let Some(words) = words.filter(|_| choice.blended) {
        let how = "its figures are of weights found on one half of these ratings for the other.";
        text.push_str(&wrapped(&format!("The blend is {words}; {how}"), 0));
        text.push_str("\n\n");
    }
    text
}

/// What a blend with given weights is made of; `None` for any other recipe.
fn weights_of(recipe: &Recipe) -> Option<String> {
    let names = recipe.settings.get("methods")?.as_array()?.iter().filter_map(|name| name.as_str());
    let weights = recipe.settings.get("weights")?.as_array()?.iter().filter_map(|weight| weight.as_f64());
    let parts = names.zip(weights).filter(|(_, weight)| *weight > 0.0);
    let words: Vec<String> = parts.map(|(name, weight)| format!("{weight:.2} {name}")).collect();
    (!words.is_empty()).then(|| words.join(" + "))
}
