//! Rows as the network takes them: features of any kind as inputs, with a mark for what is known, and as targets.
//!
//! ```text
//! number      its value                  1 input            target: the value
//! category    1 at its code, else 0      n inputs           target: the code
//! pixel       0 or 1                     1 input            target: 0 or 1
//! ```
//!
//! Behind these stands, for every feature, 1 where it is known, unless the network is one that takes 0 for a hole.

use super::conditional::Conditional;
use crate::encode::{Coder, Encoded, Encoder, ImageRows, Rows};
use crate::error::Result;

/// What the features are.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// The form of each.
    pub forms: Vec<Conditional>,
    /// How many of each feature's outputs stand for what may be filled in: all but the code of pooled rare levels.
    pub legal: Vec<usize>,
    /// Whether known features are marked.
    pub marked: bool,
}

/// Rows of features.
pub struct Cells {
    /// How many features a row has.
    features: usize,
    /// `[rows, features]`: value or code; nothing where not known.
    pub values: Vec<f32>,
    /// `[rows, features]`.
    pub known: Vec<bool>,
}

impl Features {
    /// Those of a translation.
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn new(coder: &Coder, components: usize, marked: bool) -> Result<Self> {
        let forms = match coder {
            Coder::Images(coder) => vec![Conditional::Bernoulli; coder.size.cells()],
            other => Self::of_table(other.table()?, components),
        };
        let mut legal: Vec<usize> = forms.iter().map(|form| form.outputs()).collect();
        if let Coder::Table(encoder) = coder {
            let levels = encoder.categories.iter().map(|feature| feature.levels.len().max(1));
            legal.splice(encoder.numbers.len().., levels);
        }
        Ok(Self { forms, legal, marked })
    }

    fn of_table(encoder: &Encoder, components: usize) -> Vec<Conditional> {
        let numbers = encoder.numbers.iter().map(|_| Conditional::Normals(components));
        let codes = |codes: usize| Conditional::Categorical(codes.max(1));
        numbers.chain(encoder.categories.iter().map(|feature| codes(feature.codes()))).collect()
    }

    /// The feature of each input.
    pub fn inputs(&self) -> Vec<usize> {
        let width = |(feature, form): (usize, &Conditional)| match form {
            Conditional::Categorical(codes) => vec![feature; *codes],
            Conditional::Bernoulli | Conditional::Normals(_) => vec![feature],
        };
        let values = self.forms.iter().enumerate().flat_map(width);
        let marks = 0..if self.marked { self.forms.len() } else { 0 };
        values.chain(marks).collect()
    }

    /// The feature of each output.
    pub fn outputs(&self) -> Vec<usize> {
        let width = |(feature, form): (usize, &Conditional)| vec![feature; form.outputs()];
        self.forms.iter().enumerate().flat_map(width).collect()
    }

    /// A row as inputs.
    pub fn write(&self, values: &[f32], known: &[bool], into: &mut Vec<f32>) {
        for ((form, value), known) in self.forms.iter().zip(values).zip(known) {
            match form {
                Conditional::Categorical(codes) => {
                    let is = |code: usize| *known && code == *value as usize;
                    into.extend((0..*codes).map(|code| f32::from(u8::from(is(code)))));
                }
                _ => into.push(if *known { *value } else { 0.0 }),
            }
        }
        if self.marked {
            into.extend(known.iter().map(|known| f32::from(u8::from(*known))));
        }
    }
}

impl Cells {
    /// The features of rows; pixels above a threshold are bright.
    ///
    /// # Errors
    /// When the rows are of a shape that has none.
    pub fn new(rows: &Rows, threshold: f32) -> Result<Self> {
        match rows {
            Rows::Images(images) => Ok(Self::of_images(images, threshold)),
            other => Ok(Self::of_table(other.table()?)),
        }
    }

    fn of_table(rows: &Encoded) -> Self {
        let (numbers, codes) = rows.widths();
        let (mut values, mut known) = (Vec::new(), Vec::new());
        for row in 0..rows.rows {
            let (own, marks) = (row * numbers..(row + 1) * numbers, row * codes..(row + 1) * codes);
            known.extend(&rows.numbers_observed[own.clone()]);
            known.extend(&rows.codes_observed[marks.clone()]);
            values.extend(&rows.numbers[own]);
            values.extend(rows.codes[marks].iter().map(|code| *code as f32));
        }
        Self { features: numbers + codes, values: clean(values, &known), known }
    }

    fn of_images(rows: &ImageRows, threshold: f32) -> Self {
        let all: Vec<usize> = (0..rows.len()).collect();
        let batch = rows.batch(&all);
        let values = batch.values.iter().map(|value| f32::from(u8::from(*value > threshold))).collect();
        let known = batch.observed.iter().map(|mark| *mark > 0.0).collect();
        Self { features: batch.size.cells(), values, known }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.features).unwrap_or(0)
    }

    /// Values and marks of a row.
    pub fn row(&self, row: usize) -> (&[f32], &[bool]) {
        let cells = row * self.features..(row + 1) * self.features;
        (&self.values[cells.clone()], &self.known[cells])
    }
}

/// Half of the brightest known value of images, so that those of 0 and 1 are told apart as those of 0 and 255 are.
pub fn threshold(rows: &Rows) -> f32 {
    let Rows::Images(images) = rows else { return 0.5 };
    let (mut brightest, all): (f32, Vec<usize>) = (0.0, (0..images.len()).collect());
    for some in all.chunks(256) {
        brightest = images.batch(some).values.iter().fold(brightest, |high, value| high.max(*value));
    }
    if brightest > 0.0 { 0.5 * brightest } else { 0.5 }
}

/// Nothing is kept of what stands where nothing is known.
fn clean(mut values: Vec<f32>, known: &[bool]) -> Vec<f32> {
    values.iter_mut().zip(known).filter(|(_, known)| !**known).for_each(|(value, _)| *value = 0.0);
    values
}
