//! Rows that try out everything an encoder knows, by which two models are told to answer alike.

use super::{Encoded, Encoder};

/// Rows of a probe.
const ROWS: usize = 8;

impl Encoder {
    /// A few rows over the range of the training values and all their codes: one complete, one empty, the others with
    /// holes.
    pub fn probe(&self) -> Encoded {
        let is_known = |row: usize, place: usize| row == 0 || (row > 1 && !(row + place).is_multiple_of(3));
        let mut rows = Encoded { rows: ROWS, ..Encoded::default() };
        for row in 0..ROWS {
            for (place, feature) in self.numbers.iter().enumerate() {
                let share = ((3 * row + place) % ROWS) as f64 / (ROWS - 1) as f64;
                let known = is_known(row, place);
                let value = feature.low + share * (feature.high - feature.low);
                rows.numbers.push(if known { feature.scaled(self.encoding.scale, value) } else { 0.0 });
                rows.numbers_observed.push(known);
            }
            for (place, feature) in self.categories.iter().enumerate() {
                let code = (row + place).checked_rem(feature.codes()).filter(|_| is_known(row, place));
                rows.codes.push(code.unwrap_or(0) as u32);
                rows.codes_observed.push(code.is_some());
            }
        }
        rows
    }
}
