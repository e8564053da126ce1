//! Known ratings as arrays of a model's file, and back.

use crate::data::ratings::{Ids, Rating, Ratings};
use crate::error::{Error, Result};
use crate::store::Arrays;

/// Names as JSON; ratings as compressed rows.
pub(super) fn known_arrays(ratings: &Ratings) -> Result<Arrays> {
    let mut arrays = Arrays::default();
    for (name, ids) in [("users", &ratings.users), ("items", &ratings.items)] {
        let names = serde_json::to_vec(ids.names()).map_err(|error| Error::data(error.to_string()))?;
        arrays.put_bytes(name, names);
    }
    let counts = (0..ratings.users.len() as u32).map(|user| ratings.by_user.count(user) as u32);
    arrays.put_bytes("counts", counts.flat_map(u32::to_le_bytes).collect());
    arrays.put_bytes("rated", ratings.by_user.others.iter().flat_map(|item| item.to_le_bytes()).collect());
    arrays.put_singles("values", &[ratings.len()], ratings.by_user.values.clone());
    Ok(arrays)
}

/// The ratings that [`known_arrays`] were made of.
pub(super) fn known_ratings(arrays: &Arrays) -> Result<Ratings> {
    let ids = |name: &str| -> Result<Ids> {
        let names: Vec<String> = serde_json::from_slice(arrays.bytes(name)?)
            .map_err(|error| Error::damaged(format!("the names of its {name} can't be read: {error}")))?;
        let count = names.len();
        Some(Ids::new(names))
            .filter(|ids| ids.len() == count)
            .ok_or_else(|| Error::damaged("an id occurs twice"))
    };
    let whole_numbers = |name: &str| -> Result<Vec<u32>> {
        let (numbers, rest) = arrays.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Error::damaged(format!("array `{name}` is cut off")));
        }
        Ok(numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    };
    let (users, items) = (ids("users")?, ids("items")?);
    let (counts, rated) = (whole_numbers("counts")?, whole_numbers("rated")?);
    let values = arrays.singles("values", &[rated.len()])?;
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if counts.len() != users.len() || total != rated.len() as u64 {
        return Err(Error::damaged("its header contradicts itself: number of ratings"));
    }
    let givers =
        counts.iter().enumerate().flat_map(|(user, count)| std::iter::repeat_n(user as u32, *count as usize));
    let cells = givers.zip(&rated).zip(values);
    let all = cells.map(|((user, item), value)| Rating { user, item: *item, value: *value });
    let ratings = Ratings::new(users, items, all)?;
    if ratings.len() != rated.len() || ratings.is_empty() {
        return Err(Error::damaged("its ratings contradict each other"));
    }
    Ok(ratings)
}
