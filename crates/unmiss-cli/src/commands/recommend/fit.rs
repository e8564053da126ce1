//! `unmiss recommend fit`: measure methods on ratings held out, fit the best on all, save it.

use std::path::PathBuf;

use unmiss::compare::recommenders::{Measured, measure};
use unmiss::data::ratings::Ratings;
use unmiss::error::{Error, Result};
use unmiss::methods::Recommendation;
use unmiss::model::{RatingModel, RatingScore, RecipeOf};

use super::ReadArguments;
use crate::General;
use crate::commands::fit::check_writable;
use crate::input::settings;
use crate::memory::give_back;
use crate::output::{number, print, wrapped};
use crate::printer::Printer;

/// The methods that are measured when none is named. The first is the one that settings without a method belong to, and
/// that is fitted where nothing is measured.
const USUAL: [&str; 3] = ["autorec", "factors", YARDSTICK];
/// What every method is measured against.
const YARDSTICK: &str = "biases";

/// What to learn from, how, and where to put it.
#[derive(clap::Args)]
pub struct Arguments {
    /// Ratings: CSV, TSV, Parquet or a MovieLens file, gzipped or not; `-` for standard input, or sample:films
    data: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "ratings.unmiss")]
    output: PathBuf,
    /// The method; of several the one that predicts held-out ratings best [default: autorec, factors, biases
    /// and the blend of them; with --set or --test 0 autorec alone]
    #[arg(long, value_name = "NAME")]
    method: Vec<String>,
    /// Change a setting of the method, as NAME=VALUE; `unmiss methods NAME` lists them (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Share of the ratings held out to measure with; the saved model learns from all. 0: nothing is measured
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    test: f64,
    #[command(flatten)]
    input: ReadArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    if !(0.0..=0.5).contains(&arguments.test) {
        return Err(Error::setting("test", format!("{} is not between 0 and 0.5", arguments.test))
            .with_hint("say --test 0.1 to hold out a tenth of the ratings"));
    }
    let recipes = arguments.recipes()?;
    check_writable(&arguments.output)?;
    let ratings = arguments.input.read(&arguments.data, printer)?;
    give_back();
    let run = printer.run(general)?;
    let mut all = recipes.clone();
    if !all.iter().any(|recipe| recipe.method.name() == YARDSTICK) {
        all.push(RecipeOf::recommender(YARDSTICK)?);
    }
    let blend = arguments.method.is_empty() && recipes.len() > 1;
    let entries = measure(&ratings, &all, arguments.test, blend, &run)?;
    let (mut text, note) = report(&ratings, &entries, blend);
    let standings = Standings { entries: &entries, alike: alike(&ratings) };
    let kept = standings.best(|entry| blend || is_asked_for(&recipes, entry));
    let recipe = kept.map_or(&recipes[0], |entry| &entry.recipe);
    let better = kept.and_then(|kept| standings.better_than(kept));
    let mut model = RatingModel::fit(ratings, recipe, &run.part(recipe.method.name()))?;
    printer.close();
    model.summary.notes.extend(note);
    model.save(&arguments.output)?;
    let chosen = kept.is_some() && recipes.len() > 1;
    text.push_str(&wrapped(&ending(recipe, chosen, better, arguments), 0));
    text.push('\n');
    print(&text)
}

/// Errors that differ by less are called alike: a digit in the fourth place on a scale of 1 to 5.
fn alike(ratings: &Ratings) -> f64 {
    let (low, high) = ratings.range();
    1e-4 * f64::from(high - low) / 4.0
}

/// Methods by how they did.
struct Standings<'a> {
    entries: &'a [Measured],
    alike: f64,
}

impl<'a> Standings<'a> {
    /// The one that errs least among some. Of those alike it is the last, as the usual ones stand from the slowest to
    /// the quickest.
    fn best(&self, among: impl Fn(&Measured) -> bool) -> Option<&'a Measured> {
        let entries = || self.entries.iter().filter(|entry| among(entry));
        let least = entries().map(|entry| entry.score.rmse).min_by(f64::total_cmp)?;
        entries().rev().find(|entry| entry.score.rmse <= least + self.alike)
    }

    /// The best of all, where it errs less than another by more than nothing.
    fn better_than(&self, other: &Measured) -> Option<&'a Measured> {
        self.best(|_| true).filter(|best| other.score.rmse > best.score.rmse + self.alike)
    }
}

/// What was saved, why this method if it was `chosen` from several by measuring, and what would have been better.
fn ending(
    kept: &RecipeOf<dyn Recommendation>,
    chosen: bool,
    better: Option<&Measured>,
    arguments: &Arguments,
) -> String {
    let (name, output) = (kept.method.name(), arguments.output.display());
    let why = match better {
        None if chosen => ", which erred least",
        Some(_) if chosen => ", which erred least of those named",
        _ => "",
    };
    let mut text = format!("The model (`{name}`{why}, from all ratings) is in {output}.");
    if let Some(best) = better.map(|entry| entry.recipe.method.name()) {
        let how = if arguments.set.is_empty() { "" } else { ", without these settings," };
        text += &format!(" `{best}` erred less on these ratings: --method {best}{how} would keep it.");
    }
    text
}

impl Arguments {
    fn recipes(&self) -> Result<Vec<RecipeOf<dyn Recommendation>>> {
        let changes = settings(&self.set)?;
        let alone = !changes.is_empty() || self.test == 0.0;
        let names: Vec<&str> = match &self.method[..] {
            [] if alone => vec![USUAL[0]],
            [] => USUAL.to_vec(),
            named => named.iter().map(String::as_str).collect(),
        };
        names.into_iter().map(|name| RecipeOf::recommender(name)?.set_all(changes.iter().copied())).collect()
    }
}

fn is_asked_for(recipes: &[RecipeOf<dyn Recommendation>], entry: &Measured) -> bool {
    recipes.iter().any(|recipe| recipe.method.name() == entry.recipe.method.name())
}

/// What was learned from and how the methods did, and the sentence kept with the model.
fn report(ratings: &Ratings, entries: &[Measured], blend: bool) -> (String, Option<String>) {
    let (low, high) = ratings.range();
    let learned = format!(
        "{} ratings from {low} to {high} by {} users of {} items: {:.2} % of the pairs are known.",
        number(ratings.len()),
        number(ratings.users.len()),
        number(ratings.items.len()),
        100.0 * ratings.density()
    );
    let mut text = wrapped(&learned, 0) + "\n\n";
    let Some(first) = entries.first() else { return (text, None) };
    let note = format!(
        "Measured on {} ratings that were held out ({} of them of users or items without any other rating)",
        number(first.score.count),
        number(first.score.cold)
    );
    text.push_str(&wrapped(&format!("{note}:"), 0));
    text.push_str(&format!("\n\n  {:10} {:>9} {:>9} {:>9}\n", "method", "RMSE", "MAE", "seconds"));
    for entry in entries {
        let RatingScore { rmse, mae, .. } = entry.score;
        let name = entry.recipe.method.name();
        text.push_str(&format!("  {name:10} {rmse:>9.4} {mae:>9.4} {:>9.1}\n", entry.seconds));
    }
    text.push('\n');
    if blend && let Some(words) = entries.iter().find_map(|entry| weights_of(&entry.recipe)) {
        let how = "its figures are of weights found on one half of these ratings for the other.";
        text.push_str(&wrapped(&format!("The blend is {words}; {how}"), 0));
        text.push_str("\n\n");
    }
    let scores: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} RMSE {:.4}", entry.recipe.method.name(), entry.score.rmse))
        .collect();
    (text, Some(format!("{note}: {}.", scores.join(", "))))
}

/// What a blend with given weights is made of; `None` for any other recipe.
fn weights_of(recipe: &RecipeOf<dyn Recommendation>) -> Option<String> {
    let names = recipe.settings.get("methods")?.as_array()?.iter().filter_map(|name| name.as_str());
    let weights = recipe.settings.get("weights")?.as_array()?.iter().filter_map(|weight| weight.as_f64());
    let parts = names.zip(weights).filter(|(_, weight)| *weight > 0.0);
    let words: Vec<String> = parts.map(|(name, weight)| format!("{weight:.2} {name}")).collect();
    (!words.is_empty()).then(|| words.join(" + "))
}
