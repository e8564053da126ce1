//! What recommenders share: rows of users or of items.

use serde::{Deserialize, Serialize};

use crate::data::ratings::{Compressed, Part, Ratings};

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vectors {
    /// A row has a user's ratings of items.
    User,
    /// A row has an item's ratings by users.
    Item,
}

impl Vectors {
    /// The ratings with these rows.
    pub fn of(self, ratings: &Ratings) -> &Compressed {
        match self {
            Self::User => &ratings.by_user,
            Self::Item => &ratings.by_item,
        }
    }

    /// The ratings with these rows but some that are set aside, marked in the order of users.
    pub fn part(self, ratings: &Ratings, set_aside: Vec<bool>) -> Part<'_> {
        match self {
            Self::User => Part::new(&ratings.by_user, set_aside),
            Self::Item => Part::new(&ratings.by_item, ratings.marks_by_item(&set_aside)),
        }
    }

    /// Row and column of a user's rating of an item.
    pub fn cell(self, user: u32, item: u32) -> (u32, u32) {
        match self {
            Self::User => (user, item),
            Self::Item => (item, user),
        }
    }
}

/// Where weights decay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecayOn {
    /// Weights of inputs and of outputs.
    Both,
    /// Weights of outputs alone: K = 1 needs large weights of inputs.
    Output,
}

impl DecayOn {
    /// The decay of the weights of inputs and of outputs.
    pub fn decays(self, decay: f64) -> [f64; 2] {
        match self {
            Self::Both => [decay; 2],
            Self::Output => [0.0, decay],
        }
    }
}

/// The mean of the numbers of known cells of rows, of those that have any; 1 at least.
pub(super) fn mean_known(counts: impl Iterator<Item = usize>) -> f64 {
    let (rows, cells) =
        counts.filter(|count| *count > 0).fold((0, 0), |(rows, cells), count| (rows + 1, cells + count));
    (cells as f64 / f64::from(rows.max(1))).max(1.0)
}

/// Sum of products, in a fixed order that leaves room for wide registers.
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left_parts, left_rest) = left.as_chunks::<16>();
    let (right_parts, right_rest) = right.as_chunks::<16>();
    let mut sums = [0.0_f32; 16];
    for (a, b) in left_parts.iter().zip(right_parts) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
