//! Recommenders on held-out ratings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{Arena, Outcome, repeat_seed};
use super::comparison::{Comparison, Contestant};
use super::tune::settings_for;
use crate::data::ratings::{Rating, Ratings};
use crate::data::{Data, Shape};
use crate::error::{Error, Result};
use crate::methods::Job;
use crate::model::{Aim, Model, RatingScore, Recipe};
use crate::rng::{hash, mix};
use crate::run::Run;

/// Ratings, of which a share is held out.
pub(super) struct HeldOutRatings {
    ratings: Arc<Ratings>,
    share: f64,
    seed: u64,
}

impl HeldOutRatings {
    /// Takes the ratings and tries whether any can be held out.
    pub fn new(data: &Data, share: f64, run: &Run) -> Result<Self> {
        let (ratings, seed) = (Arc::clone(data.ratings()?), run.seed());
        let (learning, test) = ratings.split(share, seed);
        if test.is_empty() || learning.is_empty() {
            let what = format!("of {} ratings a share of {share} can't be held out", ratings.len());
            return Err(
                Error::data(what).with_hint("a comparison needs ratings to learn from and others to test on")
            );
        }
        Ok(Self { ratings, share, seed })
    }
}

impl Arena for HeldOutRatings {
    fn describe(&self, comparison: &mut Comparison) {
        comparison.test_share = self.share;
    }

    fn fit(&self, contestant: &Contestant, repeat: usize, _: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::find(&contestant.method, Shape::Ratings, Job::Rate)?;
        let seed = repeat_seed(self.seed, repeat);
        let run = run.with_seed(seed);
        let (learning, test) = self.ratings.split(self.share, seed);
        let learning = Arc::new(learning);
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            let (inner, inner_test) = learning.split(self.share, mix([run.seed(), hash("inner holdout")]));
            let recipe = Recipe { method: recipe.method, settings: settings.clone() };
            Ok(score(&Arc::new(inner), &inner_test, &recipe, run)?.rmse)
        })?;
        let RatingScore { rmse, mae, .. } = score(&learning, &test, &recipe, &run)?;
        let figures = BTreeMap::from([("RMSE".to_owned(), Some(rmse)), ("MAE".to_owned(), Some(mae))]);
        let (classes, columns) = (Vec::new(), Vec::new());
        Ok(Outcome { settings: recipe.settings, loss: rmse, figures, classes, columns })
    }
}

fn score(learning: &Arc<Ratings>, test: &[Rating], recipe: &Recipe, run: &Run) -> Result<RatingScore> {
    let model = Model::fit(&Data::Ratings(Arc::clone(learning)), &Aim::Rate, recipe, run)?;
    let rating = model.rating()?;
    Ok(run.compute(|| rating.score(test)))
}
