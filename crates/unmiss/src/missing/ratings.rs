//! What is known of ratings: how many, how they are spread over users and items, and whether who gave many rates
//! otherwise than who gave few.

use serde::Serialize;

use crate::data::ratings::{Compressed, Ratings};

/// Groups of users by how many ratings they gave.
const GROUPS: usize = 5;
/// Different values up to which each is counted on its own.
const MOST_VALUES: usize = 20;

/// What is known, and what is missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingsDescription {
    /// How many users there are.
    pub users: usize,
    /// How many items there are.
    pub items: usize,
    /// How many ratings there are.
    pub ratings: usize,
    /// Share of the pairs of users and items that has a rating.
    pub density: f64,
    /// The smallest and the largest rating.
    pub range: (f32, f32),
    /// Mean of all ratings.
    pub mean: f64,
    /// Every value with how often it was given; empty where there are too many.
    pub values: Vec<(f32, usize)>,
    /// Ratings per user.
    pub per_user: Counts,
    /// Ratings per item.
    pub per_item: Counts,
    /// Users by how many ratings they gave.
    pub groups: Vec<UserGroup>,
}

/// How many ratings users gave, or items got.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counts {
    /// The fewest.
    pub least: usize,
    /// Half have at most so many.
    pub median: usize,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: usize,
    /// Those with fewer than five: little can be learned about them.
    pub below_five: usize,
}

/// Users who gave about as many ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UserGroup {
    /// Fewest ratings of a user.
    pub fewest: usize,
    /// Most ratings of a user.
    pub most: usize,
    /// Users.
    pub users: usize,
    /// Mean of their mean ratings.
    pub mean: f64,
}

/// Describes ratings.
pub fn describe_ratings(ratings: &Ratings) -> RatingsDescription {
    let mut given = ratings.by_user.values.clone();
    given.sort_unstable_by(f32::total_cmp);
    let mut values: Vec<(f32, usize)> = Vec::new();
    for value in &given {
        match values.last_mut() {
            Some((last, count)) if last == value => *count += 1,
            _ => values.push((*value, 1)),
        }
    }
    if values.len() > MOST_VALUES {
        values.clear();
    }
    let total: f64 = given.iter().map(|value| f64::from(*value)).sum();
    RatingsDescription {
        users: ratings.users.len(),
        items: ratings.items.len(),
        ratings: ratings.len(),
        density: ratings.density(),
        range: ratings.range(),
        mean: total / given.len().max(1) as f64,
        values,
        per_user: counts(&ratings.by_user),
        per_item: counts(&ratings.by_item),
        groups: user_groups(ratings),
    }
}

fn counts(rows: &Compressed) -> Counts {
    let mut all: Vec<usize> = (0..rows.rows() as u32).map(|row| rows.count(row)).collect();
    all.sort_unstable();
    let at = |place: usize| all.get(place).copied().unwrap_or(0);
    Counts {
        least: at(0),
        median: at(all.len() / 2),
        mean: all.iter().sum::<usize>() as f64 / all.len().max(1) as f64,
        most: all.last().copied().unwrap_or(0),
        below_five: all.iter().filter(|count| **count < 5).count(),
    }
}

/// Users in groups of about the same size, by how many ratings they gave.
pub fn user_groups(ratings: &Ratings) -> Vec<UserGroup> {
    let by_user = &ratings.by_user;
    let mut users: Vec<u32> = (0..by_user.rows() as u32).filter(|user| by_user.count(*user) > 0).collect();
    users.sort_by_key(|user| by_user.count(*user));
    let group = |users: &[u32]| {
        let mean = |user: &u32| {
            let values = by_user.row(*user).1;
            values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64
        };
        UserGroup {
            fewest: users.first().map_or(0, |user| by_user.count(*user)),
            most: users.last().map_or(0, |user| by_user.count(*user)),
            users: users.len(),
            mean: users.iter().map(mean).sum::<f64>() / users.len() as f64,
        }
    };
    users.chunks(users.len().div_ceil(GROUPS).max(1)).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ratings::sample;

    #[test]
    fn everything_is_counted_once() {
        let ratings = sample();
        let found = describe_ratings(&ratings);
        assert_eq!((found.users, found.items, found.ratings), (300, 200, ratings.len()));
        assert_eq!(found.values.iter().map(|(_, count)| count).sum::<usize>(), ratings.len());
        assert_eq!(found.groups.iter().map(|group| group.users).sum::<usize>(), 300);
        assert!((found.per_user.mean * 300.0 - ratings.len() as f64).abs() < 1e-6);
        assert!((found.per_item.mean * 200.0 - ratings.len() as f64).abs() < 1e-6);
    }
}
