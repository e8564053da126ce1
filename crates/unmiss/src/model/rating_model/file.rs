//! The file of a model of ratings: as a model's, with the known ratings beside the recommender's arrays.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RatingModel, RatingSummary};
use crate::data::ratings::{Ids, Rating, Ratings};
use crate::error::{Error, Result};
use crate::methods;
use crate::model::RecipeOf;
use crate::model::file::{FORMAT, check_format, load_with};
use crate::store::Arrays;

/// Before the names of the arrays with the known ratings.
const KNOWN: &str = "known/";
/// Before the names of the recommender's arrays.
const FITTED: &str = "fitted/";

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    kind: String,
    program: String,
    method: String,
    settings: Value,
    summary: RatingSummary,
}

impl RatingModel {
    /// Writes the model to a file, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let (header, arrays) = self.parts().map_err(|error| Error::model(path, error.to_string()))?;
        arrays.write(path, &header)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When the model can't be put into a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (header, arrays) = self.parts().map_err(|error| Error::data(error.to_string()))?;
        arrays.to_bytes(&header)
    }

    fn parts(&self) -> serde_json::Result<(Value, Arrays)> {
        let header = Header {
            format: FORMAT,
            kind: "recommender".into(),
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            method: self.recipe.method.name().into(),
            settings: self.recipe.settings.clone(),
            summary: self.summary.clone(),
        };
        let mut arrays = Arrays::default();
        arrays.put_all(KNOWN, known_arrays(&self.ratings)?);
        arrays.put_all(FITTED, self.recommender.save());
        Ok((serde_json::to_value(header)?, arrays))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file is damaged, holds no recommender, or is from a newer program.
    pub fn load(path: &Path) -> Result<Self> {
        load_with(path, Self::assemble)
    }

    /// Puts a model together from a file's bytes: what [`RatingModel::load`] does after reading.
    ///
    /// # Errors
    /// As for [`RatingModel::load`], in words.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, arrays) = Arrays::from_bytes(bytes)?;
        Self::assemble(header, &arrays).map_err(|error| error.to_string())
    }

    fn assemble(header: Value, arrays: &Arrays) -> Result<Self> {
        check_format(&header, "recommender")?;
        let header: Header = serde_json::from_value(header)
            .map_err(|error| damaged(&format!("its header can't be read: {error}")))?;
        let method = methods::find_recommender(&header.method).map_err(|_| {
            let what = format!("it was made by the method `{}`, which is unknown here", header.method);
            Error::data(what).with_hint("use the program that wrote it, or fit the model again")
        })?;
        method.check(&header.settings)?;
        let ratings = known_ratings(&arrays.with_prefix(KNOWN))?;
        let recommender = method.load(&header.settings, &ratings, &arrays.with_prefix(FITTED))?;
        let recipe = RecipeOf { method, settings: header.settings };
        Ok(Self::assembled(recipe, ratings.into(), header.summary, recommender))
    }
}

fn damaged(what: &str) -> Error {
    Error::data(what).with_hint("the file is damaged; fit the model again")
}

/// Names as JSON; ratings as compressed rows.
fn known_arrays(ratings: &Ratings) -> serde_json::Result<Arrays> {
    let mut arrays = Arrays::default();
    arrays.put_bytes("users", serde_json::to_vec(ratings.users.names())?);
    arrays.put_bytes("items", serde_json::to_vec(ratings.items.names())?);
    let counts = (0..ratings.users.len() as u32).map(|user| ratings.by_user.count(user) as u32);
    arrays.put_bytes("counts", counts.flat_map(u32::to_le_bytes).collect());
    arrays.put_bytes("rated", ratings.by_user.others.iter().flat_map(|item| item.to_le_bytes()).collect());
    arrays.put_singles("values", &[ratings.len()], ratings.by_user.values.clone());
    Ok(arrays)
}

fn known_ratings(arrays: &Arrays) -> Result<Ratings> {
    let ids = |name: &str| -> Result<Ids> {
        let names: Vec<String> = serde_json::from_slice(arrays.bytes(name)?)
            .map_err(|error| damaged(&format!("the names of its {name} can't be read: {error}")))?;
        let count = names.len();
        Some(Ids::new(names)).filter(|ids| ids.len() == count).ok_or_else(|| damaged("an id occurs twice"))
    };
    let whole_numbers = |name: &str| -> Result<Vec<u32>> {
        let (numbers, rest) = arrays.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(damaged(&format!("array `{name}` is cut off")));
        }
        Ok(numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    };
    let (users, items) = (ids("users")?, ids("items")?);
    let (counts, rated) = (whole_numbers("counts")?, whole_numbers("rated")?);
    let values = arrays.singles("values", &[rated.len()])?;
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if counts.len() != users.len() || total != rated.len() as u64 {
        return Err(damaged("its header contradicts itself: number of ratings"));
    }
    let givers =
        counts.iter().enumerate().flat_map(|(user, count)| std::iter::repeat_n(user as u32, *count as usize));
    let cells = givers.zip(&rated).zip(values);
    let all = cells.map(|((user, item), value)| Rating { user, item: *item, value: *value });
    let ratings = Ratings::new(users, items, all)?;
    if ratings.len() != rated.len() || ratings.is_empty() {
        return Err(damaged("its ratings contradict each other"));
    }
    Ok(ratings)
}
