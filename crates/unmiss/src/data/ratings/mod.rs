//! Ratings: who gave what which rating. Nearly every cell of the matrix is missing, so only the known ones are
//! kept: compressed rows (a user's items) and compressed columns (an item's users), never a dense matrix.
//!
//! ```
//! use unmiss::data::ratings::{RatingsOptions, read_bytes};
//! let text = b"user,item,rating\nann,Heat,4.5\nben,Heat,2\nann,Alien,5\n";
//! let ratings = read_bytes("films.csv", text, &RatingsOptions::default())?.ratings;
//! assert_eq!((ratings.users.len(), ratings.items.len(), ratings.len()), (2, 2, 3));
//! let ann = ratings.users.find("ann").unwrap();
//! let heat = ratings.items.find("Heat").unwrap();
//! assert_eq!(ratings.by_user.get(ann, heat), Some(4.5));
//! # Ok::<(), unmiss::error::Error>(())
//! ```
//!
//! # Which files
//!
//! CSV, TSV and Parquet as for tables, and the two forms in which the MovieLens sets are published: fields between
//! `::` or TAB and no line of names. A first line whose third field is a number is data, not names; the columns are
//! then user, item, rating and, if there is a fourth, time. With names, the columns are found by theirs
//! (`user`, `userId`, `item`, `movie_id`, `rating`, `timestamp` and their like) or told by [`RatingsOptions`].
//!
//! # Rules
//!
//! - An id is any text; `7` and `007` are different ids. Ids stand in ascending order (by value if all are numbers),
//!   so that the order of lines in the file does not matter.
//! - A pair of user and item counts once: the rating with the latest time, or without times the one that stands
//!   last in the file. [`RatingsReading::duplicates`] tells how many others there were.
//! - A row without a rating is no rating: it is passed over and counted. A row without a user or an item is an error.
//! - Any scale will do; a rating may have fractions and may be negative.

mod compressed;
mod form;
mod ids;
mod part;
mod read;
mod rows;
mod sample;
mod split;

pub use compressed::Compressed;
pub use ids::Ids;
pub use part::Part;
pub use read::{RatingsOptions, RatingsReading, is_unnamed, pairs_from_bytes, read, read_bytes, read_pairs};
pub use rows::{IdColumn, from_rows};
pub use sample::{SAMPLE, sample};

use crate::error::{Error, Result};

/// The largest rating there may be: in single precision, squares of it can still be added up.
const HIGHEST: f32 = 1e15;

/// One rating: positions of user and item among the ids, and its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The user.
    pub user: u32,
    /// The item.
    pub item: u32,
    /// The value.
    pub value: f32,
}

/// Ratings of some users for some items. Users and items without any rating are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// The users.
    pub users: Ids,
    /// The items.
    pub items: Ids,
    /// Each user's ratings, items ascending.
    pub by_user: Compressed,
    /// Each item's ratings, users ascending.
    pub by_item: Compressed,
}

impl Ratings {
    /// Puts ratings together. Of several for the same pair the last counts. They are walked through three times, so an
    /// iterator that is cheap to clone serves best.
    ///
    /// # Errors
    /// When a position is beyond the ids or a value is not finite.
    pub fn new(
        users: Ids,
        items: Ids,
        ratings: impl IntoIterator<Item = Rating, IntoIter: Clone>,
    ) -> Result<Self> {
        let ratings = ratings.into_iter();
        for rating in ratings.clone() {
            if rating.user as usize >= users.len() || rating.item as usize >= items.len() {
                return Err(Error::data("a rating belongs to a user or an item that there is not"));
            }
            if rating.value.is_nan() || rating.value.abs() > HIGHEST {
                let user = users.name(rating.user);
                return Err(Error::data(format!(
                    "a rating of user `{user}` is beyond {HIGHEST:e} or not finite"
                )));
            }
        }
        let cells = ratings.map(|rating| (rating.user, rating.item, rating.value));
        let by_user = Compressed::new(users.len(), items.len(), cells);
        let by_item = by_user.transposed();
        Ok(Self { users, items, by_user, by_item })
    }

    /// How many ratings there are.
    pub fn len(&self) -> usize {
        self.by_user.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All ratings, user by user, items ascending.
    pub fn iter(&self) -> impl Iterator<Item = Rating> + '_ {
        (0..self.users.len()).flat_map(|user| {
            let (items, values) = self.by_user.row(user as u32);
            items.iter().zip(values).map(move |(item, value)| Rating {
                user: user as u32,
                item: *item,
                value: *value,
            })
        })
    }

    /// The smallest and the largest rating; (0, 0) without any.
    pub fn range(&self) -> (f32, f32) {
        let values = &self.by_user.values;
        let Some(first) = values.first() else { return (0.0, 0.0) };
        values.iter().fold((*first, *first), |(low, high), value| (low.min(*value), high.max(*value)))
    }

    /// The mean of all ratings; 0 without any.
    pub fn mean(&self) -> f64 {
        self.by_user.values.iter().map(|value| f64::from(*value)).sum::<f64>() / self.len().max(1) as f64
    }

    /// The different values, ascending, as long as there are no more than `most`.
    pub fn levels(&self, most: usize) -> Option<Vec<f32>> {
        let mut levels: Vec<f32> = Vec::new();
        for value in &self.by_user.values {
            if let Err(place) = levels.binary_search_by(|level| level.total_cmp(value)) {
                if levels.len() == most {
                    return None;
                }
                levels.insert(place, *value);
            }
        }
        Some(levels)
    }

    /// Share of the cells of the matrix that are known.
    pub fn density(&self) -> f64 {
        let cells = self.users.len() as f64 * self.items.len() as f64;
        if cells == 0.0 { 0.0 } else { self.len() as f64 / cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Ids {
        Ids::new(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn rating(user: u32, item: u32, value: f32) -> Rating {
        Rating { user, item, value }
    }

    #[test]
    fn rows_and_columns_hold_the_same() {
        let ratings = Ratings::new(
            ids(&["a", "b", "c"]),
            ids(&["x", "y"]),
            [rating(2, 1, 4.0), rating(0, 1, 2.5), rating(2, 0, 1.0), rating(0, 1, 3.0)],
        )
        .unwrap();
        assert_eq!(ratings.len(), 3, "the pair that occurs twice counts once");
        assert_eq!(ratings.by_user.get(0, 1), Some(3.0), "by its last rating");
        assert_eq!(ratings.by_user.row(1), (&[][..], &[][..]));
        assert_eq!(ratings.by_item.row(1), (&[0, 2][..], &[3.0, 4.0][..]));
        assert_eq!(ratings.range(), (1.0, 4.0));
        assert_eq!(ratings.levels(3).unwrap(), [1.0, 3.0, 4.0]);
        assert_eq!(ratings.levels(2), None);
        assert!((ratings.density() - 0.5).abs() < 1e-12);
        let all: Vec<Rating> = ratings.iter().collect();
        assert_eq!(all, [rating(0, 1, 3.0), rating(2, 0, 1.0), rating(2, 1, 4.0)]);
    }

    #[test]
    fn ratings_of_nobody_are_refused() {
        assert!(Ratings::new(ids(&["a"]), ids(&["x"]), [rating(1, 0, 1.0)]).is_err());
        assert!(Ratings::new(ids(&["a"]), ids(&["x"]), [rating(0, 0, f32::NAN)]).is_err());
        assert!(Ratings::new(ids(&[]), ids(&[]), []).unwrap().is_empty());
    }
}
