//! What stands in where a column is missing that was complete in training.
//!
//! No split has learned where its holes belong, and any fixed side would pull all rows without it the same way. So its
//! training mean, or most frequent category, stands in: the answer of a row in the middle.

use std::borrow::Cow;

use crate::encode::{Encoded, Encoder};

/// One value for each column; none for columns with holes in training, whose splits know holes.
pub struct StandIns {
    pub(super) numbers: Vec<Option<f32>>,
    pub(super) codes: Vec<Option<u32>>,
}

impl StandIns {
    /// Those of an encoder's columns.
    pub fn new(encoder: &Encoder) -> Self {
        let numbers = encoder.numbers.iter().map(|feature| (feature.missing == 0).then_some(feature.mean));
        let codes = encoder.categories.iter().map(|feature| {
            // The first of equals, whatever the order of the shares.
            let most = feature.shares.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
            most.filter(|_| feature.missing == 0).map(|(code, _)| code as u32)
        });
        Self { numbers: numbers.collect(), codes: codes.collect() }
    }

    /// The rows with stand-ins, marked as known; the rows themselves where none is needed.
    pub fn apply<'a>(&self, rows: &'a Encoded) -> Cow<'a, Encoded> {
        let needed = |marks: &[bool], complete: Vec<bool>| {
            let width = complete.len().max(1);
            marks.iter().enumerate().any(|(cell, observed)| !observed && complete[cell % width])
        };
        let complete_numbers = self.numbers.iter().map(Option::is_some).collect();
        let complete_codes = self.codes.iter().map(Option::is_some).collect();
        if !needed(&rows.numbers_observed, complete_numbers) && !needed(&rows.codes_observed, complete_codes)
        {
            return Cow::Borrowed(rows);
        }
        let mut filled = rows.clone();
        stand_in(&mut filled.numbers, &mut filled.numbers_observed, &self.numbers);
        stand_in(&mut filled.codes, &mut filled.codes_observed, &self.codes);
        Cow::Owned(filled)
    }
}

fn stand_in<T: Copy>(values: &mut [T], observed: &mut [bool], stand_ins: &[Option<T>]) {
    for (cell, (value, observed)) in values.iter_mut().zip(observed).enumerate() {
        if let (false, Some(own)) = (*observed, stand_ins[cell % stand_ins.len()]) {
            (*value, *observed) = (own, true);
        }
    }
}
