#![doc = include_str!("README.md")]

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Recommender, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::data::ratings::{Compressed, Ratings};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;

/// Rounds over items and users.
const ROUNDS: usize = 10;

/// The entry of the list.
pub struct BiasesOnly;

/// How strongly offsets are damped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Ratings of nobody that count for the mean, in an item's offset.
    pub damp_items: f64,
    /// The same in a user's offset.
    pub damp_users: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { damp_items: 5.0, damp_users: 5.0 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (name, value) in [("damp-items", settings.damp_items), ("damp-users", settings.damp_users)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::setting(name, format!("{value} is not 0 or more")));
            }
        }
        Ok(settings)
    }
}

/// Mean and offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Biases {
    /// μ
    pub mean: f32,
    /// b_u of each user; 0 without ratings.
    pub users: Vec<f32>,
    /// b_i of each item; 0 without ratings.
    pub items: Vec<f32>,
    damp_users: f64,
}

impl Biases {
    /// Learns mean and offsets.
    pub fn fit(ratings: &Ratings, settings: &Settings) -> Self {
        let mean = ratings.mean();
        let (mut users, mut items) = (vec![0.0; ratings.users.len()], vec![0.0; ratings.items.len()]);
        for _ in 0..ROUNDS {
            items = offsets(&ratings.by_item, mean, &users, settings.damp_items);
            users = offsets(&ratings.by_user, mean, &items, settings.damp_users);
        }
        let singles = |offsets: Vec<f64>| offsets.into_iter().map(|offset| offset as f32).collect();
        Self {
            mean: mean as f32,
            users: singles(users),
            items: singles(items),
            damp_users: settings.damp_users,
        }
    }

    /// μ + b_u + b_i
    pub fn rate(&self, user: u32, item: u32) -> f32 {
        self.mean + self.users[user as usize] + self.items[item as usize]
    }

    /// The offset of a user who gave these ratings.
    pub fn user_offset(&self, given: &[(u32, f32)]) -> f32 {
        let rest = |(item, value): &(u32, f32)| f64::from(value - self.mean - self.items[*item as usize]);
        let offset = given.iter().map(rest).sum::<f64>() / (given.len() as f64 + self.damp_users);
        if offset.is_finite() { offset as f32 } else { 0.0 }
    }
}

/// The damped mean of what mean and the others' offsets leave, for each row.
fn offsets(rows: &Compressed, mean: f64, others: &[f64], damp: f64) -> Vec<f64> {
    let offset = |row: usize| {
        let (columns, values) = rows.row(row as u32);
        let rest = columns
            .iter()
            .zip(values)
            .map(|(column, value)| f64::from(*value) - mean - others[*column as usize]);
        let count = columns.len() as f64;
        if columns.is_empty() { 0.0 } else { rest.sum::<f64>() / (count + damp) }
    };
    (0..rows.rows()).map(offset).collect()
}

static CARD: Card = Card {
    name: "biases",
    does: &[(Shape::Ratings, Job::Rate)],
    short_lists: &[(Shape::Ratings, Job::Rate)],
    cost: Cost::Low,
    about: About {
        title: "Mean rating plus an offset of the user and one of the item",
        idea: "How kind a user is and how good an item is, and nothing else. Offsets of users and items with \
               few ratings are kept small.",
        paper: "Koren 2010, Factor in the neighbors: scalable and accurate collaborative filtering",
        when: "As the yardstick that every other recommender must beat.",
        when_not: "To tell tastes apart: everybody gets the same order of items.",
    },
    settings: &[
        Setting { name: "damp-items", help: "Ratings that count for the mean in an item's offset." },
        Setting { name: "damp-users", help: "Ratings that count for the mean in a user's offset." },
    ],
    space: &[
        Axis::new("damp-items", Choices::LogUniform(1.0, 50.0)),
        Axis::new("damp-users", Choices::LogUniform(1.0, 50.0)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for BiasesOnly {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, _: &Run) -> Result<Box<dyn Learned>> {
        let ratings = examples.ratings()?;
        Ok(Box::new(Biases::fit(ratings, &Settings::checked(settings)?)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let ratings = layout.ratings()?;
        let settings = Settings::checked(settings)?;
        Ok(Box::new(Biases {
            mean: arrays.finite_single("mean")?,
            users: arrays.singles("users", &[ratings.users.len()])?.to_vec(),
            items: arrays.singles("items", &[ratings.items.len()])?.to_vec(),
            damp_users: settings.damp_users,
        }))
    }
}

impl Learned for Biases {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("mean", &[1], vec![self.mean]);
        arrays.put_singles("users", &[self.users.len()], self.users.clone());
        arrays.put_singles("items", &[self.items.len()], self.items.clone());
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "mean": self.mean })
    }

    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

impl Recommender for Biases {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        pairs.iter().map(|(user, item)| self.rate(*user, *item)).collect()
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        let items = 0..self.items.len() as u32;
        users.iter().flat_map(|user| items.clone().map(|item| self.rate(*user, item))).collect()
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        let start = self.mean + self.user_offset(given);
        items.iter().map(|item| start + self.items[*item as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ratings::{Ids, Rating};

    #[test]
    fn offsets_are_damped_means() {
        let ids = |names: &[&str]| Ids::new(names.iter().map(|name| (*name).to_owned()).collect());
        let cells = [(0, 0, 5.0), (0, 1, 3.0), (1, 0, 2.0), (1, 1, 2.0)];
        let ratings: Vec<Rating> =
            cells.iter().map(|&(user, item, value)| Rating { user, item, value }).collect();
        let ratings = Ratings::new(ids(&["a", "b", "c"]), ids(&["x", "y", "z"]), ratings).unwrap();
        let plain = Biases::fit(&ratings, &Settings { damp_items: 0.0, damp_users: 0.0 });
        // Additive least squares: mean 3, users +1 and -1, items +.5 and -.5.
        assert_eq!((plain.mean, plain.users.as_slice()), (3.0, &[1.0, -1.0, 0.0][..]));
        assert_eq!(plain.items, [0.5, -0.5, 0.0]);
        assert_eq!(plain.fold_in(&[(0, 4.5)], &[1, 2]), [3.5, 4.0]);
        let damped = Biases::fit(&ratings, &Settings { damp_items: 0.0, damp_users: 2.0 });
        assert!((damped.users[0] - 0.5).abs() < 1e-6, "two ratings and two of nobody: half the offset");
        assert_eq!(plain.user_offset(&[]), 0.0);
    }
}
