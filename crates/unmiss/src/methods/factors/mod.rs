#![doc = include_str!("README.md")]

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::biases::{Biases, Settings as Damping};
use super::linear::gram::solve;
use super::recommender::dot;
use super::{
    About, Axis, Card, Choices, Described, Recommendation, Recommender, Setting, defaults_of, parse,
};
use crate::data::ratings::{Compressed, Rating, Ratings};
use crate::error::{Error, Result};
use crate::nn::product::{Matrix, product};
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};
use crate::store::Arrays;

/// The entry of the list.
pub struct Factors;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Length of the lists.
    pub factors: usize,
    /// Pull of the factors to 0, for each rating.
    pub penalty: f64,
    /// Pull of the offsets to 0.
    pub damp: f64,
    /// Rounds over users and items, at most.
    pub rounds: usize,
    /// Share of the ratings set aside to tell when to stop.
    pub validation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { factors: 20, penalty: 0.1, damp: 5.0, rounds: 30, validation: 0.05 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(1..=1000).contains(&settings.factors) {
            return Err(Error::setting("factors", "1 to 1000 factors are possible"));
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

/// Offsets and factors of users or of items.
#[derive(Debug, Clone, PartialEq)]
struct Side {
    offsets: Vec<f32>,
    /// `[rows, factors]`
    factors: Vec<f32>,
}

impl Side {
    fn row(&self, row: usize, width: usize) -> &[f32] {
        &self.factors[row * width..(row + 1) * width]
    }
}

struct Fitted {
    settings: Settings,
    mean: f32,
    users: Side,
    items: Side,
    rounds: usize,
    validation: Option<f64>,
}

impl Fitted {
    /// Starts from offsets and small random themes of items.
    fn start(ratings: &Ratings, settings: Settings, seed: u64) -> Self {
        let Biases { mean, users, items, .. } = Biases::fit(ratings, &Damping::default());
        let width = settings.factors;
        let themes = (0..items.len()).flat_map(|item| {
            let mut stream = Stream::new(seed, "factors", item as u64, 0);
            (0..width).map(move |_| (0.1 * stream.normal()) as f32)
        });
        let items = Side { factors: themes.collect(), offsets: items };
        let users = Side { factors: vec![0.0; users.len() * width], offsets: users };
        Self { settings, mean, users, items, rounds: 0, validation: None }
    }

    fn score(&self, user: u32, item: u32) -> f32 {
        let (user, item, width) = (user as usize, item as usize, self.settings.factors);
        let agreement = dot(self.users.row(user, width), self.items.row(item, width));
        self.mean + self.users.offsets[user] + self.items.offsets[item] + agreement
    }

    fn rmse(&self, held: &[Rating]) -> Option<f64> {
        let square = |rating: &Rating| f64::from(self.score(rating.user, rating.item) - rating.value).powi(2);
        let total: f64 = held.iter().map(square).sum();
        (!held.is_empty()).then(|| (total / held.len() as f64).sqrt())
    }
}

/// Solves for every row with the other side fixed. A row without ratings becomes 0.
fn solve_side(rows: &Compressed, mean: f32, others: &Side, settings: &Settings) -> Side {
    let width = settings.factors;
    let solved: Vec<Vec<f32>> = (0..rows.rows())
        .into_par_iter()
        .map(|row| {
            let (columns, values) = rows.row(row as u32);
            solve_row(columns, values, mean, others, settings)
        })
        .collect();
    let offsets = solved.iter().map(|row| row[width]).collect();
    Side { offsets, factors: solved.iter().flat_map(|row| &row[..width]).copied().collect() }
}

/// Factors and, last, the offset of one row: a ridge regression on the other side's factors and a constant.
fn solve_row(columns: &[u32], values: &[f32], mean: f32, others: &Side, settings: &Settings) -> Vec<f32> {
    let width = settings.factors;
    if columns.is_empty() {
        return vec![0.0; width + 1];
    }
    let size = width + 1;
    // Sums in single precision as the factors are; the equations are solved in double.
    let (mut gram, mut right) = (vec![0.0_f32; size * size], vec![0.0_f32; size]);
    let mut inputs = vec![1.0_f32; size];
    for (column, value) in columns.iter().zip(values) {
        let column = *column as usize;
        inputs[..width].copy_from_slice(others.row(column, width));
        let rest = value - mean - others.offsets[column];
        for (i, input) in inputs.iter().enumerate() {
            right[i] += input * rest;
            for (sum, other) in gram[i * size..=i * size + i].iter_mut().zip(&inputs) {
                *sum += input * other;
            }
        }
    }
    let penalty = settings.penalty * columns.len() as f64;
    let ridge = |i: usize| if i < width { penalty } else { settings.damp };
    let lower = Mat::from_fn(size, size, |i, j| {
        let sum = if j <= i { f64::from(gram[i * size + j]) } else { 0.0 };
        sum + if i == j { ridge(i) } else { 0.0 }
    });
    let right: Vec<f64> = right.into_iter().map(f64::from).collect();
    // A positive ridge makes the matrix positive definite; rounding can't undo that for ratings of any usual scale.
    let solution = solve(lower, &right).unwrap_or_else(|| vec![0.0; size]);
    solution.into_iter().map(|value| value as f32).collect()
}

static CARD: Card = Card {
    name: "factors",
    about: About {
        title: "Matrix factorisation with biases, by alternating least squares",
        idea: "A user is a short list of tastes, an item a short list of themes; a rating is the mean plus two \
               offsets plus how well the lists agree. Users and items are solved for in turns.",
        paper: "Koren, Bell and Volinsky 2009, Matrix factorization techniques for recommender systems",
        when: "A strong and quick standard for any number of ratings.",
        when_not: "Most users or items have a handful of ratings: `biases` is as good there.",
    },
    settings: &[
        Setting { name: "factors", help: "Length of the lists." },
        Setting { name: "penalty", help: "How strongly each rating pulls the factors to 0." },
        Setting { name: "damp", help: "How strongly offsets are pulled to 0, in ratings." },
        Setting { name: "rounds", help: "Rounds over users and items, at most." },
        Setting {
            name: "validation",
            help: "Share of the ratings set aside to tell when to stop; 0: all rounds are done.",
        },
    ],
    space: &[
        Axis::new("factors", Choices::Integers(5, 60)),
        Axis::new("penalty", Choices::LogUniform(0.02, 0.3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Described for Factors {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

impl Recommendation for Factors {
    fn fit(&self, settings: &Value, ratings: &Ratings, run: &Run) -> Result<Box<dyn Recommender>> {
        let settings = Settings::checked(settings)?;
        let (learning, held) = ratings.split(settings.validation, run.seed());
        let mut now = Fitted::start(&learning, settings, run.seed());
        let mut best: Option<Fitted> = None;
        let mut scores = Vec::new();
        for round in 1..=settings.rounds {
            if run.stopped() {
                break;
            }
            now.users = solve_side(&learning.by_user, now.mean, &now.items, &settings);
            now.items = solve_side(&learning.by_item, now.mean, &now.users, &settings);
            (now.rounds, now.validation) = (round, now.rmse(&held));
            scores.extend(now.validation);
            let detail = now.validation.map_or_else(String::new, |score| format!("validation {score:.4}"));
            run.progress(round as u64, settings.rounds as u64, detail);
            let is_better = match (&best, now.validation) {
                (Some(best), Some(score)) => best.validation.is_none_or(|least| score < least),
                _ => true,
            };
            if is_better {
                let (users, items) = (now.users.clone(), now.items.clone());
                best = Some(Fitted { users, items, ..now });
            } else if best.as_ref().is_some_and(|best| round >= best.rounds + 3) {
                break;
            }
        }
        run.finished();
        let best = best.ok_or(Error::Stopped)?;
        run.tell(&Event::Trained(Curve {
            task: run.task().to_owned(),
            step: "round",
            training: Vec::new(),
            validation: scores,
            best: best.rounds,
        }));
        Ok(Box::new(best))
    }

    fn load(&self, settings: &Value, ratings: &Ratings, arrays: &Arrays) -> Result<Box<dyn Recommender>> {
        let settings = Settings::checked(settings)?;
        let side = |name: &str, rows: usize| -> Result<Side> {
            Ok(Side {
                offsets: arrays.singles(&format!("{name}/offsets"), &[rows])?.to_vec(),
                factors: arrays.singles(&format!("{name}/factors"), &[rows, settings.factors])?.to_vec(),
            })
        };
        let fit = arrays.doubles("fit", &[2])?;
        Ok(Box::new(Fitted {
            settings,
            mean: arrays.finite_single("mean")?,
            users: side("users", ratings.users.len())?,
            items: side("items", ratings.items.len())?,
            rounds: fit[0] as usize,
            validation: Some(fit[1]).filter(|score| score.is_finite()),
        }))
    }
}

impl Recommender for Fitted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        pairs.iter().map(|(user, item)| self.score(*user, *item)).collect()
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        let (width, items) = (self.settings.factors, self.items.offsets.len());
        let rows: Vec<f32> =
            users.iter().flat_map(|user| self.users.row(*user as usize, width)).copied().collect();
        let left = Matrix::new(&rows, users.len(), width);
        let mut scores = product(left, Matrix::new(&self.items.factors, items, width).transposed());
        for (row, user) in scores.chunks_exact_mut(items.max(1)).zip(users) {
            let start = self.mean + self.users.offsets[*user as usize];
            row.iter_mut().zip(&self.items.offsets).for_each(|(score, offset)| *score += start + offset);
        }
        scores
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        let (columns, values): (Vec<u32>, Vec<f32>) = given.iter().copied().unzip();
        let solved = solve_row(&columns, &values, self.mean, &self.items, &self.settings);
        let (factors, offset) = (&solved[..self.settings.factors], solved[self.settings.factors]);
        let rate = |item: &u32| {
            let item = *item as usize;
            self.mean + offset + self.items.offsets[item] + dot(factors, self.items.row(item, factors.len()))
        };
        items.iter().map(rate).collect()
    }

    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("mean", &[1], vec![self.mean]);
        arrays.put_doubles("fit", &[2], vec![self.rounds as f64, self.validation.unwrap_or(f64::NAN)]);
        for (name, side) in [("users", &self.users), ("items", &self.items)] {
            let rows = side.offsets.len();
            arrays.put_singles(format!("{name}/offsets"), &[rows], side.offsets.clone());
            arrays.put_singles(
                format!("{name}/factors"),
                &[rows, self.settings.factors],
                side.factors.clone(),
            );
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "rounds": self.rounds, "validation_rmse": self.validation })
    }
}
