//! Recommenders measured on ratings held out.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::data::ratings::{Rating, Ratings};
use crate::error::{Error, Result};
use crate::methods::Recommendation;
use crate::methods::blend::{cross_checked, weights};
use crate::model::{RatingModel, RatingScore, RecipeOf};
use crate::run::Run;

/// A recommender and how it did.
#[derive(Clone)]
pub struct Measured {
    /// The method with its settings.
    pub recipe: RecipeOf<dyn Recommendation>,
    /// How near it came to the ratings held out.
    pub score: RatingScore,
    /// Seconds of fitting and predicting.
    pub seconds: f64,
}

/// Fits every recipe without a share of the ratings and scores it on them. Empty where there would be nothing to learn
/// from or to score on.
///
/// With `blend`, the weighted mean of all of them is measured too and stands first, without training anything again: its
/// recipe has the weights that did best on all ratings held out, its score is that of weights found on one half for the
/// other. It is left out where one method alone does best.
///
/// # Errors
/// When a recommender can't be fitted, the run was stopped, or recipes to be blended are not different methods with their
/// default settings.
pub fn measure(
    ratings: &Ratings,
    recipes: &[RecipeOf<dyn Recommendation>],
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
    let (mut all, mut answers) = (Vec::new(), Vec::new());
    for recipe in recipes {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let start = Instant::now();
        let part = run.part(&format!("{}, measuring", recipe.method.name()));
        let model = RatingModel::fit(Arc::clone(&learning), recipe, &part)?;
        let own = model.rate(&pairs);
        let score = RatingScore::of(&own, &test, &learning);
        all.push(Measured { recipe: recipe.clone(), score, seconds: start.elapsed().as_secs_f64() });
        answers.push(own);
    }
    if blend && let Some(blended) = blended(&all, &answers, &test, &learning)? {
        all.insert(0, blended);
    }
    Ok(all)
}

/// A blend names methods and not their settings.
fn check_blendable(recipes: &[RecipeOf<dyn Recommendation>]) -> Result<()> {
    let names: Vec<&str> = recipes.iter().map(|recipe| recipe.method.name()).collect();
    RecipeOf::recommender("blend")?.set("methods", &json!(names).to_string())?;
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
    let recipe = RecipeOf::recommender("blend")?
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
mod tests {
    use super::*;
    use crate::data::ratings::sample;

    #[test]
    fn weights_are_rounded_and_stay_one_in_all() {
        assert_eq!(to_hundredths(&[0.335, 0.335, 0.33]), [0.34, 0.33, 0.33]);
        assert_eq!(to_hundredths(&[0.996, 0.004, 0.0]), [1.0, 0.0, 0.0]);
    }

    fn noise(purpose: &str, count: usize) -> Vec<f32> {
        let mut stream = crate::rng::Stream::new(1, purpose, 0, 0);
        (0..count).map(|_| stream.normal() as f32).collect()
    }

    #[test]
    fn two_that_err_apart_are_blended_and_the_recipe_fits() {
        let recipes = ["factors", "biases"].map(|name| RecipeOf::recommender(name).unwrap());
        let (learning, test) = sample().split(0.3, 1);
        let off = |purpose: &str| -> Vec<f32> {
            test.iter().zip(noise(purpose, test.len())).map(|(rating, noise)| rating.value + noise).collect()
        };
        let answers = [off("a"), off("b")];
        let parts: Vec<Measured> = recipes
            .iter()
            .zip(&answers)
            .map(|(recipe, own)| Measured {
                recipe: recipe.clone(),
                score: RatingScore::of(own, &test, &learning),
                seconds: 1.0,
            })
            .collect();
        let blend = blended(&parts, &answers, &test, &learning).unwrap().unwrap();
        let weights: Vec<f64> = serde_json::from_value(blend.recipe.settings["weights"].clone()).unwrap();
        assert!(
            (weights[0] - 0.5).abs() < 0.1 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9,
            "{weights:?}"
        );
        assert!(blend.score.rmse < 0.8 * parts[0].score.rmse && blend.seconds == 2.0);
        let model = RatingModel::fit(learning, &blend.recipe, &Run::new(1, 2).unwrap()).unwrap();
        assert_eq!(model.summary.method["weights"].as_object().unwrap().len(), 2);
        // A part that only repeats another adds nothing.
        let same = [off("a"), off("a")];
        assert!(blended(&parts, &same, &test, &sample()).unwrap().is_none());
    }

    #[test]
    fn a_blend_changes_nothing_of_its_parts_and_needs_their_defaults() {
        let recipes = ["factors", "biases"].map(|name| RecipeOf::recommender(name).unwrap());
        let run = Run::new(1, 2).unwrap();
        let plain = measure(&sample(), &recipes, 0.1, false, &run).unwrap();
        assert_eq!(plain.len(), 2);
        let all = measure(&sample(), &recipes, 0.1, true, &run).unwrap();
        let scores =
            |entries: &[Measured]| entries.iter().rev().take(2).map(|entry| entry.score).collect::<Vec<_>>();
        assert_eq!(scores(&all), scores(&plain));
        assert!(measure(&sample(), &recipes, 0.0, true, &run).unwrap().is_empty());
        let changed = recipes[0].clone().set("factors", "3").unwrap();
        assert!(measure(&sample(), &[changed], 0.1, true, &run).is_err());
        let twice = [recipes[0].clone(), recipes[0].clone()];
        assert!(measure(&sample(), &twice, 0.1, true, &run).is_err());
    }
}
