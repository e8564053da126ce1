//! What is known of ratings: how many, how they are spread over users and items, and whether who gave many rates
//! otherwise than who gave few.

use serde::Serialize;

use crate::data::ratings::{Compressed, Ratings};

/// Groups of users or items by how many ratings they have.
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
    pub groups: Vec<CountGroup>,
    /// Users by how many ratings they gave, in bins that double.
    pub user_bins: Vec<CountBin>,
    /// Items by how many ratings they got, in the same bins.
    pub item_bins: Vec<CountBin>,
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
    /// Standard deviation over mean: how much sparsity varies.
    pub variation: f64,
}

/// Users or items with about as many ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountBin {
    /// The fewest ratings in this bin.
    pub fewest: usize,
    /// The most.
    pub most: usize,
    /// How many users or items there are with so many.
    pub count: usize,
}

impl CountBin {
    /// The bin's numbers of ratings, as `4-7`.
    pub fn name(&self) -> String {
        if self.fewest == self.most {
            self.most.to_string()
        } else {
            format!("{}-{}", self.fewest, self.most)
        }
    }
}

/// Users who gave, or items that got, about as many ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountGroup {
    /// Fewest ratings of a user or item.
    pub fewest: usize,
    /// Most ratings of a user or item.
    pub most: usize,
    /// How many users or items there are.
    pub count: usize,
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
        groups: count_groups(&ratings.by_user),
        user_bins: bins(&ratings.by_user),
        item_bins: bins(&ratings.by_item),
    }
}

/// Rows by how many ratings they have: none, 1, 2 and 3, 4 to 7, and so on, up to the most there are; a bin of none
/// only where there are such rows.
fn bins(rows: &Compressed) -> Vec<CountBin> {
    let mut bins = vec![CountBin { fewest: 0, most: 0, count: 0 }];
    for row in 0..rows.rows() as u32 {
        let count = rows.count(row);
        while bins[bins.len() - 1].most < count {
            let fewest = bins[bins.len() - 1].most + 1;
            bins.push(CountBin { fewest, most: 2 * fewest - 1, count: 0 });
        }
        // The bin of a count is the number of its binary digits.
        bins[(usize::BITS - count.leading_zeros()) as usize].count += 1;
    }
    if bins[0].count == 0 {
        bins.remove(0);
    }
    bins
}

fn counts(rows: &Compressed) -> Counts {
    let mut all: Vec<usize> = (0..rows.rows() as u32).map(|row| rows.count(row)).collect();
    all.sort_unstable();
    let at = |place: usize| all.get(place).copied().unwrap_or(0);
    let mean = all.iter().sum::<usize>() as f64 / all.len().max(1) as f64;
    let squares: f64 = all.iter().map(|count| (*count as f64 - mean).powi(2)).sum();
    let deviation = (squares / all.len().max(1) as f64).sqrt();
    Counts {
        least: at(0),
        median: at(all.len() / 2),
        mean,
        most: all.last().copied().unwrap_or(0),
        below_five: all.iter().filter(|count| **count < 5).count(),
        variation: if mean > 0.0 { deviation / mean } else { 0.0 },
    }
}

/// Users or items, whichever the rows are, in groups of about the same size, by how many ratings they have.
pub fn count_groups(rows: &Compressed) -> Vec<CountGroup> {
    let mut used: Vec<u32> = (0..rows.rows() as u32).filter(|row| rows.count(*row) > 0).collect();
    used.sort_by_key(|row| rows.count(*row));
    let group = |some: &[u32]| {
        let mean = |row: &u32| {
            let values = rows.row(*row).1;
            values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64
        };
        CountGroup {
            fewest: some.first().map_or(0, |row| rows.count(*row)),
            most: some.last().map_or(0, |row| rows.count(*row)),
            count: some.len(),
            mean: some.iter().map(mean).sum::<f64>() / some.len() as f64,
        }
    };
    used.chunks(used.len().div_ceil(GROUPS).max(1)).map(group).collect()
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
        assert_eq!(found.groups.iter().map(|group| group.count).sum::<usize>(), 300);
        assert!((found.per_user.mean * 300.0 - ratings.len() as f64).abs() < 1e-6);
        assert!((found.per_item.mean * 200.0 - ratings.len() as f64).abs() < 1e-6);
        for (bins, rows) in [(&found.user_bins, 300), (&found.item_bins, 200)] {
            assert_eq!(bins.iter().map(|bin| bin.count).sum::<usize>(), rows);
            assert!(bins.windows(2).all(|pair| pair[0].most + 1 == pair[1].fewest));
        }
        let rows = Compressed::new(4, 9, (0..9).map(|column| (if column < 7 { 1 } else { 3 }, column, 1.0)));
        let named: Vec<(String, usize)> = bins(&rows).iter().map(|bin| (bin.name(), bin.count)).collect();
        let expected =
            [("0", 2), ("1", 0), ("2-3", 1), ("4-7", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(named, expected);
    }
}
