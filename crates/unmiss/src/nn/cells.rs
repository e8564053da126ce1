//! A batch of rows with holes, as the front takes it.

use std::borrow::Cow;

/// Rows of numbers and of codes, each cell with a mark that is true where it is known. Borrowed for prediction;
/// training holds what it learns from until the way back.
#[derive(Debug, Clone, Default)]
pub struct Cells<'a> {
    /// How many rows.
    pub rows: usize,
    /// `[rows, number columns]`; under a false mark a guess, or nothing that is read.
    pub numbers: Cow<'a, [f32]>,
    /// `[rows, number columns]`: true where known.
    pub numbers_observed: Cow<'a, [bool]>,
    /// `[rows, category columns]`.
    pub codes: Cow<'a, [u32]>,
    /// `[rows, category columns]`: true where known.
    pub codes_observed: Cow<'a, [bool]>,
}

impl Cells<'_> {
    /// The same on memory of its own; what is owned already is not copied.
    pub fn into_owned(self) -> Cells<'static> {
        Cells {
            rows: self.rows,
            numbers: self.numbers.into_owned().into(),
            numbers_observed: self.numbers_observed.into_owned().into(),
            codes: self.codes.into_owned().into(),
            codes_observed: self.codes_observed.into_owned().into(),
        }
    }
}
