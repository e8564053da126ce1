//! Ratings to learn from and ratings to be tested on, drawn by a seed.

use super::{Rating, Ratings};
use crate::rng::Stream;

impl Ratings {
    /// Sets a share of the ratings aside, drawn at random. Users and items keep their positions, also those that are
    /// left without a rating to learn from.
    #[must_use]
    pub fn split(&self, share: f64, seed: u64) -> (Self, Vec<Rating>) {
        let held = self.set_aside(share, seed);
        let test = self.iter().zip(&held).filter(|(_, held)| **held).map(|(rating, _)| rating).collect();
        let by_user = self.by_user.kept(|place| !held[place]);
        let by_item = by_user.transposed();
        (Self { users: self.users.clone(), items: self.items.clone(), by_user, by_item }, test)
    }

    /// The ratings that [`split`](Self::split) sets aside, as marks in the order of `by_user`: without a copy of the
    /// rest.
    pub fn set_aside(&self, share: f64, seed: u64) -> Vec<bool> {
        let count = (self.len() as f64 * share.clamp(0.0, 1.0)).round() as usize;
        let order = Stream::new(seed, "split ratings", 0, 0).permutation(self.len());
        let mut held = vec![false; self.len()];
        order[..count].iter().for_each(|place| held[*place] = true);
        held
    }

    /// The same users and items with other ratings, each pair once and of a position that exists.
    #[must_use]
    pub(crate) fn only(&self, ratings: impl Iterator<Item = Rating>) -> Self {
        let cells: Vec<_> = ratings.map(|rating| (rating.user, rating.item, rating.value)).collect();
        let by_user = super::Compressed::new(self.users.len(), self.items.len(), cells.iter().copied());
        let by_item = by_user.transposed();
        Self { users: self.users.clone(), items: self.items.clone(), by_user, by_item }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn a_split_is_whole_disjoint_and_repeats() {
        let ratings = sample();
        let (learning, test) = ratings.split(0.1, 3);
        assert_eq!(test.len(), (ratings.len() as f64 * 0.1).round() as usize);
        assert_eq!(learning.len() + test.len(), ratings.len());
        for rating in &test {
            assert_eq!(learning.by_user.get(rating.user, rating.item), None);
            assert_eq!(ratings.by_user.get(rating.user, rating.item), Some(rating.value));
        }
        assert_eq!(ratings.split(0.1, 3).1, test);
        assert_ne!(ratings.split(0.1, 4).1, test);
        assert_eq!(ratings.split(0.0, 3).0, ratings);
        assert!(ratings.split(1.0, 3).0.is_empty());
    }
}
