//! Fitted factors: one solution, or several whose predictions are averaged.

use serde_json::{Value, json};

use super::Settings;
use super::least_squares::pull;
use super::rows::{Belief, Side, Sums};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::methods::vectors::dot;
use crate::methods::{Learned, Recommender};
use crate::nn::product::{Matrix, product};
use crate::store::Arrays;

/// What a solution says of users it has not seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draw {
    /// 1 / variance of a rating.
    pub noise: f64,
    /// What is believed of any user.
    pub users: Belief,
}

pub(super) struct Fitted {
    settings: Settings,
    mean: f32,
    /// Solutions side by side: `[users, draws]` offsets, `[users, draws x factors]` factors.
    users: Side,
    items: Side,
    draws: Vec<Draw>,
    pub rounds: usize,
    pub validation: Option<f64>,
}

impl Fitted {
    pub fn new(
        settings: Settings,
        mean: f32,
        users: Side,
        items: Side,
        draws: Vec<Draw>,
        rounds: usize,
    ) -> Self {
        Self { settings, mean, users, items, draws, rounds, validation: None }
    }

    /// The offsets of a row, one for each draw.
    fn offsets<'a>(&self, side: &'a Side, row: usize) -> &'a [f32] {
        &side.offsets[row * self.draws.len()..][..self.draws.len()]
    }

    fn offset(&self, side: &Side, row: usize) -> f32 {
        self.offsets(side, row).iter().sum()
    }

    /// μ + the mean over draws of b_u + b_i + p_u · q_i
    pub fn score(&self, user: u32, item: u32) -> f32 {
        let (user, item) = (user as usize, item as usize);
        let agreement = dot(self.users.row(user), self.items.row(item));
        let offsets = self.offset(&self.users, user) + self.offset(&self.items, item);
        self.mean + (offsets + agreement) / self.draws.len() as f32
    }

    /// The items as one draw has them.
    fn items_of(&self, draw: usize, rows: &[(u32, f32)]) -> Side {
        let width = self.settings.factors;
        let rows = || rows.iter().map(|(item, _)| *item as usize);
        Side {
            offsets: rows().map(|item| self.offsets(&self.items, item)[draw]).collect(),
            factors: rows()
                .flat_map(|item| &self.items.row(item)[draw * width..][..width])
                .copied()
                .collect(),
            width,
        }
    }

    /// A new user's factors in every draw, and the sum of the offsets.
    fn user(&self, given: &[(u32, f32)]) -> (Vec<f32>, f32) {
        let (places, values): (Vec<u32>, Vec<f32>) =
            given.iter().enumerate().map(|(place, (_, value))| (place as u32, *value)).unzip();
        let width = self.settings.factors;
        let (mut factors, mut offset) = (Vec::new(), 0.0);
        for (place, draw) in self.draws.iter().enumerate() {
            let sums = Sums::of(&places, &values, self.mean, &self.items_of(place, given));
            let belief =
                if self.settings.draws == 0 { &pull(&self.settings, given.len()) } else { &draw.users };
            let solved = sums.solved(draw.noise, belief);
            factors.extend_from_slice(&solved[..width]);
            offset += solved[width];
        }
        (factors, offset)
    }

    pub fn load(settings: Settings, ratings: &Ratings, arrays: &Arrays) -> Result<Self> {
        let fit = arrays.doubles("fit", &[3])?;
        let size = settings.factors + 1;
        // Its length in the file is compared with what the settings allow before memory is taken.
        let count = (fit[2] as usize).clamp(1, settings.draws.max(1));
        let noise = arrays.doubles("noise", &[count])?;
        let (precisions, means) = (
            arrays.doubles("users/precision", &[count, size])?,
            arrays.doubles("users/mean", &[count, size])?,
        );
        let draw = |place: usize| {
            let of = |numbers: &[f64]| numbers[place * size..(place + 1) * size].to_vec();
            Draw { noise: noise[place], users: Belief { precision: of(precisions), mean: of(means) } }
        };
        let side = |name: &str, rows: usize| -> Result<Side> {
            let width = count * settings.factors;
            Ok(Side {
                offsets: arrays.singles(&format!("{name}/offsets"), &[rows, count])?.to_vec(),
                factors: arrays.singles(&format!("{name}/factors"), &[rows, width])?.to_vec(),
                width,
            })
        };
        Ok(Self {
            settings,
            mean: arrays.finite_single("mean")?,
            users: side("users", ratings.users.len())?,
            items: side("items", ratings.items.len())?,
            draws: (0..count).map(draw).collect(),
            rounds: fit[0] as usize,
            validation: Some(fit[1]).filter(|score| score.is_finite()),
        })
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (count, size) = (self.draws.len(), self.settings.factors + 1);
        arrays.put_singles("mean", &[1], vec![self.mean]);
        let validation = self.validation.unwrap_or(f64::INFINITY);
        arrays.put_doubles("fit", &[3], vec![self.rounds as f64, validation, count as f64]);
        arrays.put_doubles("noise", &[count], self.draws.iter().map(|draw| draw.noise).collect());
        let beliefs = || self.draws.iter().map(|draw| &draw.users);
        let precisions = beliefs().flat_map(|belief| &belief.precision).copied().collect();
        arrays.put_doubles("users/precision", &[count, size], precisions);
        let means = beliefs().flat_map(|belief| &belief.mean).copied().collect();
        arrays.put_doubles("users/mean", &[count, size], means);
        for (name, side) in [("users", &self.users), ("items", &self.items)] {
            let rows = side.offsets.len() / count;
            arrays.put_singles(format!("{name}/offsets"), &[rows, count], side.offsets.clone());
            arrays.put_singles(format!("{name}/factors"), &[rows, side.width], side.factors.clone());
        }
        arrays
    }

    fn summary(&self) -> Value {
        let noise = self.draws.iter().map(|draw| 1.0 / draw.noise).sum::<f64>() / self.draws.len() as f64;
        json!({
            "rounds": self.rounds,
            "draws": self.draws.len(),
            "noise": (self.settings.draws > 0).then(|| noise.sqrt()),
            "validation_rmse": self.validation,
        })
    }

    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

impl Recommender for Fitted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        pairs.iter().map(|(user, item)| self.score(*user, *item)).collect()
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        let (width, count) = (self.users.width, self.draws.len() as f32);
        let items = self.items.offsets.len() / self.draws.len();
        let rows: Vec<f32> = users.iter().flat_map(|user| self.users.row(*user as usize)).copied().collect();
        let left = Matrix::new(&rows, users.len(), width);
        let mut scores = product(left, Matrix::new(&self.items.factors, items, width).transposed());
        let offsets: Vec<f32> = (0..items).map(|item| self.offset(&self.items, item)).collect();
        for (row, user) in scores.chunks_exact_mut(items.max(1)).zip(users) {
            let own = self.offset(&self.users, *user as usize);
            let finish =
                |(score, offset): (&mut f32, &f32)| *score = self.mean + (own + offset + *score) / count;
            row.iter_mut().zip(&offsets).for_each(finish);
        }
        scores
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        let (factors, own) = self.user(given);
        let rate = |item: &u32| {
            let item = *item as usize;
            let agreement = dot(&factors, self.items.row(item));
            self.mean + (own + self.offset(&self.items, item) + agreement) / self.draws.len() as f32
        };
        items.iter().map(rate).collect()
    }
}
