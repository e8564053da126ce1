//! The choice of a recommender: measured on ratings held out, the best fitted on all of them.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::data::Data;
use crate::data::ratings::{Rating, Ratings};
use crate::error::{Error, Result};
use crate::methods::blend::{cross_checked, weights};
use crate::model::{Aim, Model, RatingScore, Recipe};
use crate::run::Run;

/// What every recommender is measured against.
const YARDSTICK: &str = "biases";

/// A recommender and how it did.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The method with its settings.
    pub recipe: Recipe,
    /// How near it came to the ratings held out.
    pub score: RatingScore,
    /// Seconds of fitting and predicting.
    pub seconds: f64,
}

/// How recommenders did on the same ratings held out, and which of them was kept.
#[derive(Debug, Clone)]
pub struct RatingChoice {
    /// Those that were measured: the blend first, then from the most expensive to the cheapest.
    pub entries: Vec<Measured>,
    /// Whether the weighted mean of them took part.
    pub blended: bool,
    /// The position of the one that was fitted on all ratings; none where nothing was measured.
    pub kept: Option<usize>,
    /// The position of one that was measured too and did better.
    pub better: Option<usize>,
}

/// Measures recipes on a share of the ratings, the cheapest first, and fits the best of them on all ratings; one of
/// several that err alike is the cheapest. `biases` is measured too, as the yardstick. With `blend`, the weighted mean
/// of all recipes takes part, and any of those measured may be kept.
///
/// What is stopped is never kept unfinished: the best of those that were done is fitted, and the model says so.
///
/// # Errors
/// When a recommender can't be fitted, the run was stopped before anything was done, or recipes to be blended are not
/// different methods with their default settings.
pub fn fit_best_rating(
    ratings: &Arc<Ratings>,
    recipes: &[Recipe],
    share: f64,
    blend: bool,
    run: &Run,
) -> Result<(Model, RatingChoice)> {
    let cheapest = recipes.iter().min_by_key(|recipe| recipe.method.card().cost);
    let cheapest = cheapest.ok_or_else(|| Error::data("there is no method to fit"))?;
    let mut all = recipes.to_vec();
    if !all.iter().any(|recipe| recipe.method.name() == YARDSTICK) {
        all.push(Recipe::named(YARDSTICK)?);
    }
    let entries = measure(ratings, &all, share, blend, run)?;
    let asked = |entry: &Measured| {
        let same = |recipe: &Recipe| recipe.method.name() == entry.recipe.method.name();
        blend || recipes.iter().any(same)
    };
    let mut choice = RatingChoice { entries, blended: blend, kept: None, better: None };
    let alike = alike(ratings);
    choice.kept = choice.best(alike, asked);
    let unmeasured = if share == 0.0 { &recipes[0] } else { cheapest };
    let mut cut_off =
        run.stopped().then(|| "The comparison was stopped before all methods were done.".to_owned());
    let recipe = choice.kept.map_or(unmeasured, |kept| &choice.entries[kept].recipe);
    let mut model = match fit_whole(ratings, recipe, cut_off.is_some(), run) {
        Err(Error::Stopped) => {
            let interrupted = recipe.method;
            cut_off = Some(format!("The fit of `{}`, which did better, was stopped.", interrupted.name()));
            let cheaper =
                |entry: &Measured| asked(entry) && entry.recipe.method.card().cost < interrupted.card().cost;
            choice.kept = Some(choice.best(alike, cheaper).ok_or(Error::Stopped)?);
            let kept = choice.kept.map_or(unmeasured, |kept| &choice.entries[kept].recipe);
            fit_whole(ratings, kept, true, run)?
        }
        fitted => fitted?,
    };
    choice.better = choice.best(alike, |_| true).filter(|best| {
        let rmse = |place: usize| choice.entries[place].score.rmse;
        choice.kept.is_some_and(|kept| rmse(kept) > rmse(*best) + alike)
    });
    model.summary.notes.extend(choice.words());
    model.summary.cut_off = cut_off;
    Ok((model, choice))
}

/// Errors that differ by less are called alike: a digit in the fourth place on a scale of 1 to 5.
fn alike(ratings: &Ratings) -> f64 {
    let (low, high) = ratings.range();
    1e-4 * f64::from(high - low) / 4.0
}

/// Fits a recipe on all ratings; after a stop it goes on to the end.
fn fit_whole(ratings: &Arc<Ratings>, recipe: &Recipe, stopped: bool, run: &Run) -> Result<Model> {
    let name = recipe.method.name();
    let run = if stopped { run.to_the_end() } else { run.clone() };
    if stopped {
        run.warn(format!("stopped; fitting `{name}`, the best that was finished, on all ratings"));
    }
    let model = Model::fit(&Data::Ratings(Arc::clone(ratings)), &Aim::Rate, recipe, &run.part(name))?;
    if run.stopped() { Err(Error::Stopped) } else { Ok(model) }
}

impl RatingChoice {
    /// The position of the one that errs least among some; of those alike the cheapest, which stands last.
    fn best(&self, alike: f64, among: impl Fn(&Measured) -> bool) -> Option<usize> {
        let places = || (0..self.entries.len()).filter(|&place| among(&self.entries[place]));
        let error = |place: usize| self.entries[place].score.rmse;
        let least = places().map(error).min_by(f64::total_cmp)?;
        places().rev().find(|&place| error(place) <= least + alike)
    }

    /// How all of them did, in a sentence.
    pub fn words(&self) -> Option<String> {
        let RatingScore { count, cold, .. } = self.entries.first()?.score;
        let scores: Vec<String> = self
            .entries
            .iter()
            .map(|entry| format!("{} RMSE {:.4}", entry.recipe.method.name(), entry.score.rmse))
            .collect();
        Some(format!(
            "Measured on {count} ratings that were held out ({cold} of them of users or items without any other \
             rating): {}.",
            scores.join(", ")
        ))
    }
}

/// Fits every recipe without a share of the ratings and scores it on them, the cheapest first. Empty where there would
/// be nothing to learn from or to score on. Stopped early, it gives those that were done.
///
/// With `blend`, the weighted mean of all of them is measured too and stands first, without training anything again:
/// its recipe has the weights that did best on all ratings held out, its score is that of weights found on one half for
/// the other. It is left out where one method alone does best.
fn measure(
    ratings: &Ratings,
    recipes: &[Recipe],
    share: f64,
    blend: bool,
    run: &Run,
) -> Result<Vec<Measured>> {
    if blend {
        check_blendable(recipes)?;
    }
    let (learning, test) = ratings.split(share, run.seed());
    let learning = Arc::new(learning);
    if test.is_empty() || learning.is_empty() {
        return Ok(Vec::new());
    }
    let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    let mut order: Vec<&Recipe> = recipes.iter().collect();
    order.sort_by_key(|recipe| recipe.method.card().cost);
    let (mut all, mut answers) = (Vec::new(), Vec::new());
    for recipe in order {
        let start = Instant::now();
        let part = run.part(&format!("{}, measuring", recipe.method.name()));
        let model = Model::fit(&Data::Ratings(Arc::clone(&learning)), &Aim::Rate, recipe, &part);
        if run.stopped() {
            break;
        }
        let own = model?.rating()?.rate(&pairs);
        let score = RatingScore::of(&own, &test, &learning);
        all.insert(0, Measured { recipe: recipe.clone(), score, seconds: start.elapsed().as_secs_f64() });
        answers.insert(0, own);
    }
    if all.is_empty() {
        return Err(Error::Stopped);
    }
    if blend
        && all.len() == recipes.len()
        && let Some(blended) = blended(&all, &answers, &test, &learning)?
    {
        all.insert(0, blended);
    }
    Ok(all)
}

/// A blend names methods and not their settings.
fn check_blendable(recipes: &[Recipe]) -> Result<()> {
    let names: Vec<&str> = recipes.iter().map(|recipe| recipe.method.name()).collect();
    Recipe::named("blend")?.set("methods", &json!(names).to_string())?;
    match recipes.iter().find(|recipe| recipe.settings != recipe.method.defaults()) {
        Some(changed) => {
            let what = format!("`{}` can be blended with its default settings only", changed.method.name());
            Err(Error::setting("settings", what))
        }
        None => Ok(()),
    }
}

/// The weighted mean of several that were measured.
fn blended(
    parts: &[Measured],
    answers: &[Vec<f32>],
    test: &[Rating],
    learning: &Ratings,
) -> Result<Option<Measured>> {
    let truth: Vec<f32> = test.iter().map(|rating| rating.value).collect();
    let weights = to_hundredths(&weights(answers, &truth));
    if weights.iter().filter(|weight| **weight > 0.0).count() < 2 {
        return Ok(None);
    }
    let names: Vec<&str> = parts.iter().map(|part| part.recipe.method.name()).collect();
    let recipe = Recipe::named("blend")?
        .set_all([("methods", &*json!(names).to_string()), ("weights", &*json!(weights).to_string())])?;
    let score = RatingScore::of(&cross_checked(answers, &truth), test, learning);
    Ok(Some(Measured { recipe, score, seconds: parts.iter().map(|part| part.seconds).sum() }))
}

/// Weights to two digits, 1 in all: the largest takes what rounding leaves.
fn to_hundredths(weights: &[f64]) -> Vec<f64> {
    let mut hundredths: Vec<i64> = weights.iter().map(|weight| (100.0 * weight).round() as i64).collect();
    let rest = 100 - hundredths.iter().sum::<i64>();
    if let Some(largest) = hundredths.iter_mut().max() {
        *largest += rest;
    }
    hundredths.into_iter().map(|weight| weight as f64 / 100.0).collect()
}

#[cfg(test)]
mod tests;
