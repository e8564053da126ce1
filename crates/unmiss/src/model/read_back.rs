//! Nothing is said to be saved that was not read back: what is put together from a file must be what was written.

use std::path::Path;

use serde_json::Value;

use super::whole::Model;
use crate::error::{Error, Result};
use crate::methods::{Draw, Job};
use crate::store::{Arrays, Output, is_plain, write_whole};

/// Users whose ratings are compared.
const USERS: usize = 8;

/// Writes a file, if what is put together from it again is the same as what was to be written.
pub(super) fn save_with<T>(
    path: &Path,
    bytes: Vec<u8>,
    assemble: impl FnOnce(Value, &Arrays) -> Result<T>,
    is_same: impl FnOnce(&T) -> Result<bool>,
) -> Result<()> {
    let check = |read: std::result::Result<(Value, Arrays), String>| {
        let again =
            read.and_then(|(header, arrays)| assemble(header, &arrays).map_err(|error| error.to_string()));
        let what = match again {
            Ok(again) if is_same(&again)? => return Ok(()),
            Ok(_) => "it answers otherwise than before".to_owned(),
            Err(what) => what,
        };
        Err(Error::model(path, format!("not written, as the model did not come back from its file: {what}"))
            .with_hint("this is a fault of the program; another method may do"))
    };
    if !is_plain(path) {
        check(Arrays::from_bytes(&bytes))?;
        return write_whole(path, &bytes);
    }
    let mut output = Output::create(path)?;
    output.write(&bytes)?;
    // Beside two models there need not be room for the bytes of both.
    drop(bytes);
    output.finish_if(|written| {
        let bytes = std::fs::read(written).map_err(|error| Error::io(path, error))?;
        let read = Arrays::from_bytes(&bytes);
        drop(bytes);
        check(read)
    })
}

impl Model {
    /// The bits of the answers to rows or pairs that try out everything.
    pub(super) fn answers_to_probe(&self) -> Result<Vec<u64>> {
        match self.job() {
            Job::Predict => {
                let rows = self.coder.probe()?;
                Ok(self.predicting()?.predict_rows(&rows)?.into_iter().map(f64::to_bits).collect())
            }
            Job::Fill => {
                let draw = Draw { seed: 0, number: 1, first_row: 0 };
                let mut bits = self.fills_of_probe(None)?;
                bits.extend(self.fills_of_probe(Some(draw))?);
                Ok(bits)
            }
            Job::Density => {
                let scored = self.scoring()?.score_rows(&self.coder.probe()?)?;
                Ok(scored.iter().map(|row| row.log_likelihood.to_bits()).collect())
            }
            Job::Rate => {
                Ok(self.ratings_of_probe()?.into_iter().map(|rated| rated.to_bits().into()).collect())
            }
        }
    }

    fn fills_of_probe(&self, draw: Option<Draw>) -> Result<Vec<u64>> {
        let mut rows = self.coder.probe()?;
        if let Some(imputer) = self.learned.imputer() {
            imputer.fill(&mut rows, draw)?;
        }
        Ok(rows.bits())
    }

    /// Of users from the first to the last, each for an item of theirs and for another, and of somebody who rated one
    /// item as they did.
    fn ratings_of_probe(&self) -> Result<Vec<f32>> {
        let model = self.rating()?;
        let (users, items) = (model.ratings.users.len(), model.ratings.items.len());
        let mut rated = Vec::new();
        for place in 0..USERS {
            let (user, other) = ((place * users / USERS) as u32, (place * items / USERS) as u32);
            rated.extend(model.rate(&[(user, other)]));
            let (own, values) = model.ratings.by_user.row(user);
            if let (Some(item), Some(value)) = (own.first(), values.first()) {
                rated.extend(model.rate(&[(user, *item)]));
                rated.extend(model.rate_for(&[(*item, *value)], &[*item, other]));
            }
        }
        Ok(rated)
    }
}
