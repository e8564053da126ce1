//! An array of numbers or words as files hold them, and images made of one.

use super::bits::Bits;
use super::pixels::{Observed, Pixels};
use super::set::{Images, LABEL, Size};
use crate::data::kind::Kind;
use crate::data::table::{Column, Values, format_number};
use crate::error::{Error, Place, Result};

/// Channels that images commonly have: grey, colours, colours with transparency.
const CHANNELS: [usize; 3] = [1, 3, 4];
/// More channels than this are rather the rows of images whose channels stand last.
const MANY_CHANNELS: usize = 4;

/// An array of any rank, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub cells: Cells,
}

/// What an array holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    Bytes(Vec<u8>),
    Singles(Vec<f32>),
    Doubles(Vec<f64>),
    Integers(Vec<i64>),
    Words(Vec<String>),
}

/// How many cells an array of a shape has, if that is a number at all.
pub fn cells_of(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, axis| product.checked_mul(*axis))
}

impl Array {
    /// Images of the array; NaN is a hole.
    pub fn images(self, file: &str) -> Result<Images> {
        let fault = |what: String| Error::input(Place::file(file), what);
        let size = image_size(&self.shape).map_err(|(what, hint)| fault(what).with_hint(hint))?;
        let flat = self.shape.len() == 3;
        let in_file = |error: Error| fault(error.to_string());
        let (values, observed) = match self.cells {
            Cells::Bytes(values) => (Pixels::Bytes(values), Observed::All),
            Cells::Singles(values) => numbers(values, size),
            Cells::Doubles(values) => numbers(values.iter().map(|value| *value as f32).collect(), size),
            Cells::Integers(_) | Cells::Words(_) => {
                return Err(fault("its pixels are neither bytes nor numbers with a point".into())
                    .with_hint("save them with `.astype(numpy.uint8)` or `.astype(numpy.float32)`"));
            }
        };
        let mut images = Images::new(size, values, observed).map_err(in_file)?;
        images.flat = flat;
        Ok(images)
    }

    /// Marks for images: what is neither 0 nor false is known.
    pub fn marks(self, file: &str, images: &Images) -> Result<Observed> {
        let (size, count) = (images.size(), images.len());
        let marks = match self.cells {
            Cells::Bytes(values) => Bits::from_marks(values.iter().map(|value| *value != 0)),
            Cells::Singles(values) => Bits::from_marks(values.iter().map(|value| *value != 0.0)),
            Cells::Doubles(values) => Bits::from_marks(values.iter().map(|value| *value != 0.0)),
            Cells::Integers(values) => Bits::from_marks(values.iter().map(|value| *value != 0)),
            Cells::Words(_) => {
                return Err(Error::input(Place::file(file), "a mask of words says nothing about pixels"));
            }
        };
        let Size { channels, height, width } = size;
        match self.shape[..] {
            [n, h, w] | [n, 1, h, w] if [n, h, w] == [count, height, width] => Ok(Observed::Pixels(marks)),
            [n, c, h, w] if [n, c, h, w] == [count, channels, height, width] => Ok(Observed::Cells(marks)),
            _ => {
                let what =
                    format!("the mask has the shape {:?}, and the images are {count} of {size}", self.shape);
                Err(Error::input(Place::file(file), what)
                    .with_hint(format!("a mask has the shape [{count}, {height}, {width}]")))
            }
        }
    }

    /// The class of each image.
    pub fn labels(self, file: &str) -> Result<Column> {
        if self.shape.len() != 1 {
            let what = format!("labels have the shape {:?}, and one for each image is needed", self.shape);
            return Err(Error::input(Place::file(file), what));
        }
        let number = |value: f64| (!value.is_nan()).then(|| format_number(value));
        Ok(classes(match self.cells {
            Cells::Bytes(values) => values.iter().map(|value| Some(value.to_string())).collect(),
            Cells::Integers(values) => values.iter().map(|value| Some(value.to_string())).collect(),
            Cells::Singles(values) => values.iter().map(|value| number(f64::from(*value))).collect(),
            Cells::Doubles(values) => values.iter().map(|value| number(*value)).collect(),
            Cells::Words(values) => {
                values.into_iter().map(|word| (!word.trim().is_empty()).then_some(word)).collect()
            }
        }))
    }
}

/// Classes from words; they stand in ascending order, by value if all are numbers.
pub fn classes(words: Vec<Option<String>>) -> Column {
    let mut labels = Column::from_words(LABEL, Kind::Category, &words);
    let Some((codes, levels)) = labels.codes() else { return labels };
    let Some(values) = levels.iter().map(|level| level.parse().ok()).collect::<Option<Vec<f64>>>() else {
        return labels;
    };
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut place = vec![0; levels.len()];
    order.iter().enumerate().for_each(|(now, before)| place[*before] = now as u32);
    let codes = codes.iter().map(|code| place.get(*code as usize).copied().unwrap_or(0)).collect();
    let levels = order.iter().map(|before| levels[*before].clone()).collect();
    labels.values = Values::Codes { codes, levels };
    labels
}

/// The size of images in an array of a shape, or what is wrong with it and what to do.
fn image_size(shape: &[usize]) -> std::result::Result<Size, (String, &'static str)> {
    let size = match *shape {
        [_, height, width] => Size { channels: 1, height, width },
        [_, channels, height, width] => Size { channels, height, width },
        _ => {
            let what = format!("an array of the shape {shape:?} is no set of images");
            return Err((what, "images are (images, height, width) or (images, channels, height, width)"));
        }
    };
    let last = shape[shape.len() - 1];
    if shape.len() == 4 && size.channels > MANY_CHANNELS && CHANNELS.contains(&last) {
        let what = format!("an array of the shape {shape:?} has its channels last");
        return Err((what, "put them second: `numpy.moveaxis(array, 3, 1)`"));
    }
    match size.cells() {
        0 => Err((format!("images of the shape {shape:?} have no pixel"), "is this the right array?")),
        _ => Ok(size),
    }
}

/// Numbers and what is known of them: NaN is a hole.
fn numbers(values: Vec<f32>, size: Size) -> (Pixels, Observed) {
    let observed = Observed::of_cells(size, values.len() / size.cells(), |cell| !values[cell].is_nan());
    (Pixels::Numbers(values), observed)
}
