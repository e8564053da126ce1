//! Ratings from rows that are in memory already, by the rules for files.

use super::read::{RatingsReading, Rows};
use crate::data::faults::EMPTY_ID;
use crate::data::gather::Dictionary;
use crate::error::{Error, Result};

/// The ids of rows, as positions among distinct ones.
#[derive(Debug, Clone, Copy)]
pub struct IdColumn<'a> {
    /// What the column is called, for errors.
    pub name: &'a str,
    /// Of each row the position of its id; beyond the ids where there is none.
    pub codes: &'a [u32],
    /// The ids; some may be of no row.
    pub ids: &'a [String],
}

impl IdColumn<'_> {
    /// Refuses rows without an id.
    ///
    /// # Errors
    /// When there is one; it is told.
    pub fn check(&self) -> Result<()> {
        match self.codes.iter().position(|code| *code as usize >= self.ids.len()) {
            Some(row) => {
                let what = format!("row {}, column `{}`: there is no id here", row + 1, self.name);
                Err(Error::data(what).with_hint(EMPTY_ID))
            }
            None => Ok(()),
        }
    }

    fn dictionary(&self) -> Result<Dictionary> {
        self.check()?;
        Ok(Dictionary::of(self.codes, self.ids))
    }

    fn id(&self, row: usize) -> &str {
        &self.ids[self.codes[row] as usize]
    }
}

/// Ratings of rows: who, what, and the rating, NaN where there is none. Of several for the same pair the one that
/// stands last counts.
///
/// # Errors
/// When a row has no id or an infinite rating, or there is no row.
pub fn from_rows(users: IdColumn<'_>, items: IdColumn<'_>, ratings: &[f64]) -> Result<RatingsReading> {
    if users.codes.len() != ratings.len() || items.codes.len() != ratings.len() {
        return Err(Error::data("users, items and ratings are not equally many"));
    }
    let rows = Rows {
        users: users.dictionary()?,
        items: items.dictionary()?,
        observed: ratings.iter().map(|rating| !rating.is_nan()).collect(),
        ratings: ratings.to_vec(),
        times: Vec::new(),
    };
    if let Some(row) = ratings.iter().position(|rating| rating.is_infinite()) {
        let (user, item, rating) = (users.id(row), items.id(row), ratings[row]);
        let what =
            format!("the rating of user `{user}` for item `{item}`: `{rating}` is not a finite number");
        return Err(Error::data(what).with_hint("make it a number, or NaN if there is no rating"));
    }
    if ratings.is_empty() {
        return Err(Error::data("there are no ratings in it")
            .with_hint("expected are rows with a user, an item and a rating"));
    }
    rows.into_reading()
}

#[cfg(test)]
mod tests {
    use super::super::{RatingsOptions, read_bytes};
    use super::*;

    fn names(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn rows_in_memory_are_as_rows_of_a_file() {
        let text = "user,item,rating\n10,b,1\n9,a,2.5\n10,b,4\n9,b,\n";
        let file = read_bytes("r.csv", text.as_bytes(), &RatingsOptions::default()).unwrap();
        let (users, items) = (names(&["10", "9"]), names(&["b", "a"]));
        let users = IdColumn { name: "user", codes: &[0, 1, 0, 1], ids: &users };
        let items = IdColumn { name: "item", codes: &[0, 1, 0, 0], ids: &items };
        let here = from_rows(users, items, &[1.0, 2.5, 4.0, f64::NAN]).unwrap();
        assert_eq!(here.ratings, file.ratings);
        assert_eq!((here.duplicates, here.without_rating), (1, 1));
    }

    #[test]
    fn faults_are_told() {
        let ids = names(&["a", "b"]);
        let column = |codes| IdColumn { name: "who", codes, ids: &ids };
        let fails = |users, ratings: &[f64]| {
            from_rows(column(users), column(&[0, 1]), ratings).unwrap_err().to_string()
        };
        assert_eq!(fails(&[1, u32::MAX], &[1.0, 2.0]), "row 2, column `who`: there is no id here");
        assert_eq!(
            fails(&[0, 0], &[1.0, f64::INFINITY]),
            "the rating of user `a` for item `b`: `inf` is not a finite number"
        );
        assert!(fails(&[0, 0], &[1.0]).contains("not equally many"));
        assert!(from_rows(column(&[]), column(&[]), &[]).is_err());
    }
}
