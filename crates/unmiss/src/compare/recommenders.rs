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
/// When a recommender can't be fitted, or the run was stopped.
pub fn measure(
    ratings: &Ratings,
    recipes: &[RecipeOf<dyn Recommendation>],
    share: f64,
    blend: bool,
    run: &Run,
) -> Result<Vec<Measured>> {
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

    #[test]
    fn a_blend_of_what_was_measured_comes_first_and_its_recipe_fits() {
        let recipes = ["factors", "biases"].map(|name| RecipeOf::recommender(name).unwrap());
        let run = Run::new(1, 2).unwrap();
        let plain = measure(&sample(), &recipes, 0.1, false, &run).unwrap();
        assert_eq!(plain.len(), 2);
        let all = measure(&sample(), &recipes, 0.1, true, &run).unwrap();
        assert_eq!(all.last().unwrap().score, plain[1].score);
        if let [blend, factors, _] = &all[..] {
            assert_eq!(blend.recipe.method.name(), "blend");
            assert!(blend.score.rmse < factors.score.rmse + 0.01);
            RatingModel::fit(sample(), &blend.recipe, &run).unwrap();
        }
        assert!(measure(&sample(), &recipes, 0.0, true, &run).unwrap().is_empty());
    }
}
