//! A model of ratings: a fitted recommender with the ratings it learned from.
//!
//! ```
//! use unmiss::{data::ratings::sample, model::{Aim, Model, Recipe}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let model = Model::fit(&sample().into(), &Aim::Rate, &Recipe::named("biases")?, &Run::new(0, 0)?)?;
//! let films = model.rating()?;
//! let user = films.ratings.users.find("user-007").unwrap();
//! let best = films.top(user, 3);
//! assert_eq!(best.len(), 3);
//! assert!(best.iter().all(|(item, _)| films.ratings.by_user.get(user, *item).is_none()));
//! # Ok(())
//! # }
//! ```

mod pairs;

use serde::Serialize;

use super::parts::{Fallback, Made, Part, Summary};
use crate::data::Data;
use crate::data::ratings::{Rating as Known, Ratings};
use crate::encode::{Coder, Rows};
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::methods::{ByRow, Examples, Recommender, Vectors};
use crate::run::Run;

/// A model as one that rates.
#[derive(Clone, Copy)]
pub struct Rating<'a> {
    /// The ratings it learned from.
    pub ratings: &'a Ratings,
    part: &'a Fallback,
    recommender: &'a dyn Recommender,
}

/// How well ratings that were held out are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatingScore {
    /// Root of the mean squared error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Ratings that were tested.
    pub count: usize,
    /// Those among them whose user or item has no rating to learn from.
    pub cold: usize,
}

impl RatingScore {
    /// How near answers come to ratings that were held out from those learned from.
    pub fn of(answers: &[f32], test: &[Known], learned: &Ratings) -> Self {
        let errors = || answers.iter().zip(test).map(|(answer, rating)| f64::from(answer - rating.value));
        let count = test.len();
        let cold = |rating: &&Known| {
            learned.by_user.count(rating.user) == 0 || learned.by_item.count(rating.item) == 0
        };
        Self {
            rmse: (errors().map(|error| error * error).sum::<f64>() / count as f64).sqrt(),
            mae: errors().map(f64::abs).sum::<f64>() / count as f64,
            count,
            cold: test.iter().filter(cold).count(),
        }
    }
}

/// Learns from ratings, which stay with the model; several models may share them.
pub(super) fn fit(data: &Data, recipe: &Recipe, run: &Run) -> Result<Made> {
    let ratings = data.ratings()?;
    if ratings.is_empty() {
        return Err(Error::data("there is no rating to learn from"));
    }
    let learned = run.compute(|| recipe.method.fit(&recipe.settings, Examples::Ratings(ratings), run))?;
    let summary = Summary::new(&Rows::Ratings(ratings.clone()), &*learned, run);
    let part = Part::Rate(Fallback::new(ratings));
    Ok(Made { coder: Coder::Ratings(ratings.clone()), part, summary, learned })
}

impl<'a> Rating<'a> {
    pub(super) fn new(ratings: &'a Ratings, part: &'a Fallback, recommender: &'a dyn Recommender) -> Self {
        Self { ratings, part, recommender }
    }

    /// The smallest and the largest rating learned from, between which all predictions lie.
    pub fn range(&self) -> (f32, f32) {
        self.part.range
    }

    fn within(&self, rating: f32) -> f32 {
        rating.clamp(self.part.range.0, self.part.range.1)
    }

    /// A rating for each pair. Where user or item has no rating to learn from, it is the mean of all ratings plus what
    /// is known of the other: the offset of the item or of the user.
    pub fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        let mut answers = self.recommender.rate(pairs);
        for (answer, (user, item)) in answers.iter_mut().zip(pairs) {
            if self.is_cold(*user, *item) {
                *answer = self.part.biases.rate(*user, *item);
            }
            *answer = self.within(*answer);
        }
        answers
    }

    /// Whether user or item of a pair has no rating to learn from.
    pub fn is_cold(&self, user: u32, item: u32) -> bool {
        self.ratings.by_user.count(user) == 0 || self.ratings.by_item.count(item) == 0
    }

    /// Ratings of items for somebody of whom the given ratings (item, value) are known and nothing else.
    pub fn rate_for(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        let usable: Vec<(u32, f32)> =
            given.iter().copied().filter(|(item, _)| self.ratings.by_item.count(*item) > 0).collect();
        let mut answers = if usable.is_empty() {
            // Of nobody in particular, the mean and the items' offsets are all there is to say.
            items.iter().map(|item| self.part.biases.mean + self.part.biases.items[*item as usize]).collect()
        } else {
            self.recommender.fold_in(&usable, items)
        };
        for (answer, item) in answers.iter_mut().zip(items) {
            if self.ratings.by_item.count(*item) == 0 {
                *answer = self.part.biases.mean + self.part.biases.user_offset(&usable);
            }
            *answer = self.within(*answer);
        }
        answers
    }

    /// What a row is to the network that the answers come from, if they come from one.
    pub fn rows(&self) -> Option<Vectors> {
        self.recommender.by_row().map(ByRow::vectors)
    }

    /// What the network itself answers for a cell of a row if nothing but the given ratings (column, value) of that row
    /// were known; `None` where no network answers.
    pub fn rate_cell(&self, row: u32, given: &[(u32, f32)], column: u32) -> Option<f32> {
        let network = self.recommender.by_row()?;
        Some(self.within(network.rate_cell(row, given, column)))
    }

    /// The rating of an item that the model does not know, for somebody of whom the given ratings are known.
    pub fn rate_unknown_for(&self, given: &[(u32, f32)]) -> f32 {
        let usable: Vec<(u32, f32)> =
            given.iter().copied().filter(|(item, _)| self.ratings.by_item.count(*item) > 0).collect();
        self.within(self.part.biases.mean + self.part.biases.user_offset(&usable))
    }

    /// The items that a known user has not rated, the best first, with their ratings.
    pub fn top(&self, user: u32, count: usize) -> Vec<(u32, f32)> {
        self.top_all(&[user], count).pop().unwrap_or_default()
    }

    /// The same for several users.
    pub fn top_all(&self, users: &[u32], count: usize) -> Vec<Vec<(u32, f32)>> {
        let items = self.ratings.items.len();
        let scores = self.recommender.rate_all(users);
        let best = |(place, user): (usize, &u32)| {
            if self.ratings.by_user.count(*user) == 0 {
                return self.top_for(&[], count);
            }
            let seen = self.ratings.by_user.row(*user).0;
            self.best(&scores[place * items..(place + 1) * items], seen, count)
        };
        users.iter().enumerate().map(best).collect()
    }

    /// The items that somebody new has not rated, the best first, with their ratings.
    pub fn top_for(&self, given: &[(u32, f32)], count: usize) -> Vec<(u32, f32)> {
        let items: Vec<u32> = (0..self.ratings.items.len() as u32).collect();
        let mut seen: Vec<u32> = given.iter().map(|(item, _)| *item).collect();
        seen.sort_unstable();
        self.best(&self.rate_for(given, &items), &seen, count)
    }

    /// The best of all items but those seen (ascending) and those nobody rated; of equals the first.
    fn best(&self, scores: &[f32], seen: &[u32], count: usize) -> Vec<(u32, f32)> {
        let unseen = (0..scores.len() as u32)
            .filter(|item| seen.binary_search(item).is_err() && self.ratings.by_item.count(*item) > 0);
        let mut items: Vec<u32> = unseen.collect();
        let order = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b));
        if count < items.len() {
            items.select_nth_unstable_by(count, order);
            items.truncate(count);
        }
        items.sort_unstable_by(order);
        items.into_iter().map(|item| (item, self.within(scores[item as usize]))).collect()
    }

    /// How well ratings that were held out are predicted.
    pub fn score(&self, test: &[Known]) -> RatingScore {
        let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
        RatingScore::of(&self.rate(&pairs), test, self.ratings)
    }
}

/// Four digits behind the point: a rating has no more to say.
pub fn rounded(rating: f32) -> f64 {
    (f64::from(rating) * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests;
