//! The built-in sample of ratings: made, not collected, so that nobody's taste is told.

use super::{Ids, Rating, Ratings};
use crate::rng::Stream;

/// What stands behind `sample:` for the built-in ratings.
pub const SAMPLE: &str = "films";

const USERS: usize = 300;
const ITEMS: usize = 200;
const TASTES: usize = 3;

/// 300 made users and 200 made films, ratings from 1 to 5 with half stars, about 15 % of the cells known.
///
/// A rating is the sum of a mean, how kind the user is, how good the film is, how well three tastes agree, and
/// noise. Few films are seen by many, and good films are seen more often, as with real ratings.
pub fn sample() -> Ratings {
    let draw = |purpose: &str, count: usize| -> Vec<f64> {
        let mut stream = Stream::new(2, purpose, 0, 0);
        (0..count).map(|_| stream.normal()).collect()
    };
    let (kindness, quality) = (draw("film kindness", USERS), draw("film quality", ITEMS));
    let (tastes, themes) = (draw("film tastes", USERS * TASTES), draw("film themes", ITEMS * TASTES));
    let zeal = draw("film zeal", USERS);
    let mut ratings = Vec::new();
    for user in 0..USERS {
        let mut stream = Stream::new(2, "film ratings", user as u64, 0);
        for item in 0..ITEMS {
            // The n-th film is seen in proportion to about 1 / sqrt(n).
            let fame = 0.35 / ((item + 1) as f64 / 8.0).sqrt();
            let seen = (fame * (0.6 * zeal[user] + 0.3 * quality[item]).exp()).min(0.9);
            let agreement: f64 =
                (0..TASTES).map(|t| tastes[user * TASTES + t] * themes[item * TASTES + t]).sum();
            let value =
                3.4 + 0.4 * kindness[user] + 0.45 * quality[item] + 0.45 * agreement + 0.4 * stream.normal();
            if stream.uniform() < seen {
                let value = ((value * 2.0).round() / 2.0).clamp(1.0, 5.0) as f32;
                ratings.push(Rating { user: user as u32, item: item as u32, value });
            }
        }
    }
    let names = |what: &str, count: usize| {
        Ids::new((1..=count).map(|number| format!("{what}-{number:03}")).collect())
    };
    Ratings::new(names("user", USERS), names("film", ITEMS), ratings.iter().copied())
        .expect("every user and item above has an id, and every value is finite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_as_described() {
        let ratings = sample();
        assert_eq!((ratings.users.len(), ratings.items.len()), (300, 200));
        assert!((0.1..0.25).contains(&ratings.density()), "{}", ratings.density());
        assert_eq!(ratings.range(), (1.0, 5.0));
        assert_eq!(ratings.levels(20).unwrap().len(), 9);
        let most = (0..200).map(|item| ratings.by_item.count(item)).max().unwrap();
        let few = (0..200).filter(|item| ratings.by_item.count(*item) * 5 < most).count();
        assert!(few > 60, "most films are seen by few: {few}");
    }
}
