//! Ratings that came after a model was fitted.

use std::collections::BTreeMap;
use std::path::Path;

use unmiss::data::ratings::{RatingsOptions, read};
use unmiss::error::Result;
use unmiss::model::Rating;

use crate::printer::Printer;

/// Ratings that came after the model was fitted, by user: of somebody new, or more of somebody known.
pub struct NewRatings(pub BTreeMap<String, Vec<(u32, f32)>>);

impl NewRatings {
    /// Reads them, if there are any; items that the model does not know are told and passed over.
    pub fn read(
        path: Option<&Path>,
        options: &RatingsOptions,
        model: &Rating<'_>,
        printer: &Printer,
    ) -> Result<Self> {
        let Some(path) = path else { return Ok(Self(BTreeMap::new())) };
        let reading = read(path, options)?;
        reading.notes().iter().for_each(|note| printer.say(&format!("note: {note}")));
        let new = reading.ratings;
        let (mut given, mut unknown): (BTreeMap<String, Vec<_>>, _) = (BTreeMap::new(), 0);
        for rating in new.iter() {
            let user = new.users.name(rating.user).to_owned();
            // A user whose items are all unknown is still somebody.
            let own = given.entry(user).or_default();
            match model.ratings.items.find(new.items.name(rating.item)) {
                Some(item) => own.push((item, rating.value)),
                None => unknown += 1,
            }
        }
        if unknown > 0 {
            printer.say(&format!("note: new ratings of items that the model does not know: {unknown}"));
        }
        Ok(Self(given))
    }

    /// All that is known of a user who gave new ratings, the old ratings of a known user included.
    pub fn of(&self, user: &str, model: &Rating<'_>) -> Option<Vec<(u32, f32)>> {
        self.0.get(user).map(|new| model.all_given(user, new))
    }
}
