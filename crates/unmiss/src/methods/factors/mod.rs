#![doc = include_str!("README.md")]

mod draws;
mod fitted;
mod least_squares;
mod rows;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::biases::{Biases, Settings as Damping};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use fitted::Fitted;
use rows::Side;

/// Deviation of the items' first factors.
const FIRST_FACTORS: f64 = 0.1;

/// The entry of the list.
pub struct Factors;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Length of the lists.
    pub factors: usize,
    /// Solutions drawn and averaged; 0: one, by least squares.
    pub draws: usize,
    /// Rounds before the first draw is kept.
    pub burn_in: usize,
    /// Least squares: pull of the factors to 0, for each rating.
    pub penalty: f64,
    /// Least squares: pull of the offsets to 0.
    pub damp: f64,
    /// Least squares: rounds over users and items, at most.
    pub rounds: usize,
    /// Least squares: share of the ratings set aside to tell when to stop.
    pub validation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { factors: 10, draws: 50, burn_in: 20, penalty: 0.1, damp: 5.0, rounds: 30, validation: 0.05 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(1..=1000).contains(&settings.factors) {
            return Err(Error::setting("factors", "1 to 1000 factors are possible"));
        }
        if settings.draws > 1000 {
            return Err(Error::setting("draws", "1000 draws are possible at most"));
        }
        if settings.rounds == 0 {
            return Err(Error::setting("rounds", "at least one round is needed"));
        }
        for (name, value) in [("penalty", settings.penalty), ("damp", settings.damp)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::setting(name, format!("{value} is not a positive number")));
            }
        }
        if !(0.0..=0.5).contains(&settings.validation) {
            return Err(Error::setting("validation", "a share from 0 to 0.5 can be set aside"));
        }
        Ok(settings)
    }
}

/// Mean, users and items to start from: offsets, no tastes, small random themes.
fn start(ratings: &Ratings, width: usize, seed: u64) -> (f32, Side, Side) {
    let Biases { mean, users, items, .. } = Biases::fit(ratings, &Damping::default());
    let themes = (0..items.len()).flat_map(|item| {
        let mut stream = Stream::new(seed, "factors", item as u64, 0);
        (0..width).map(move |_| (FIRST_FACTORS * stream.normal()) as f32)
    });
    let items = Side { factors: themes.collect(), offsets: items, width };
    let users = Side { factors: vec![0.0; users.len() * width], offsets: users, width };
    (mean, users, items)
}

static CARD: Card = Card {
    name: "factors",
    does: &[(Shape::Ratings, Job::Rate)],
    short_lists: &[(Shape::Ratings, Job::Rate)],
    cost: Cost::High,
    about: About {
        title: "Matrix factorisation with biases: the mean of many drawn solutions",
        idea: "A user is a short list of tastes, an item a short list of themes; a rating is the mean plus two \
               offsets plus how well the lists agree. Many solutions that the ratings leave likely are drawn, \
               and their predictions averaged: who has few ratings is guessed with care, and nothing is to be \
               tuned. With draws = 0, one solution by alternating least squares.",
        paper: "Salakhutdinov and Mnih 2008, Bayesian probabilistic matrix factorization using Markov chain \
                Monte Carlo; Koren, Bell and Volinsky 2009, Matrix factorization techniques for recommender \
                systems",
        when: "A strong standard for any number of ratings, without a setting to tune.",
        when_not: "Millions of users and items: every draw that is kept takes memory (fewer draws, or draws = 0).",
    },
    settings: &[
        Setting { name: "factors", help: "Length of the lists." },
        Setting { name: "draws", help: "Solutions that are drawn and averaged; 0: one, by least squares." },
        Setting { name: "burn-in", help: "Rounds before the first draw is kept." },
        Setting { name: "penalty", help: "With draws = 0: how strongly each rating pulls the factors to 0." },
        Setting { name: "damp", help: "With draws = 0: how strongly offsets are pulled to 0, in ratings." },
        Setting { name: "rounds", help: "With draws = 0: rounds over users and items, at most." },
        Setting {
            name: "validation",
            help: "With draws = 0: share of the ratings set aside to tell when to stop; 0: all rounds are done.",
        },
    ],
    space: &[Axis::new("factors", Choices::Integers(5, 40))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Factors {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let ratings = examples.ratings()?;
        let settings = Settings::checked(settings)?;
        let fit = if settings.draws == 0 { least_squares::fit } else { draws::fit };
        Ok(Box::new(fit(ratings, settings, run)?))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let ratings = layout.ratings()?;
        Ok(Box::new(Fitted::load(Settings::checked(settings)?, ratings, arrays)?))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::ratings::sample;

    /// The two ways to learn from the same ratings, and offsets alone.
    #[test]
    fn draws_err_less_than_one_solution_and_that_less_than_offsets() {
        let (learning, test) = sample().split(0.1, 1);
        let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
        let error = |answers: Vec<f32>| {
            let squares = answers.iter().zip(&test).map(|(a, rating)| f64::from(a - rating.value).powi(2));
            (squares.sum::<f64>() / test.len() as f64).sqrt()
        };
        let run = Run::new(1, 2).unwrap();
        let fitted = |settings: Value| {
            error(Factors.fit(&settings, Examples::Ratings(&learning), &run).unwrap().rate(&pairs))
        };
        let drawn = fitted(json!({ "factors": 5 }));
        let one = fitted(json!({ "factors": 5, "draws": 0 }));
        let offsets =
            error(crate::methods::Recommender::rate(&Biases::fit(&learning, &Damping::default()), &pairs));
        assert!(drawn < 0.98 * one && one < 0.9 * offsets, "{drawn} {one} {offsets}");
    }
}
