//! What a user tells about images besides: a colour that stands for "missing", labels that are numbers.

use super::bits::Bits;
use super::pixels::{Observed, Pixels};
use super::set::{Images, LABEL};
use crate::data::kind::Kind;
use crate::data::table::Column;
use crate::error::{Error, Result};

impl Images {
    /// The same images with holes where a pixel has a colour: red, green and blue.
    ///
    /// # Errors
    /// When they have no bytes, or other channels than the colour.
    pub fn without_colour(self, colour: [u8; 3]) -> Result<Self> {
        let size = self.size();
        let wanted = match size.channels {
            1 if colour[0] == colour[1] && colour[1] == colour[2] => &colour[..1],
            3 => &colour[..],
            channels => {
                let what = format!("a colour of three channels can't be found in images of {channels}");
                return Err(Error::setting("missing-colour", what)
                    .with_hint("grey images have colours such as #000000, with three equal parts"));
            }
        };
        let Pixels::Bytes(values) = self.values() else {
            return Err(Error::setting(
                "missing-colour",
                "the images have no bytes but numbers with a point",
            )
            .with_hint("make what is missing NaN, or give a mask with --observed"));
        };
        let is_known = |mark: usize| {
            let start = mark / size.pixels() * size.cells() + mark % size.pixels();
            let own = values[start..].iter().step_by(size.pixels()).take(size.channels);
            !own.eq(wanted)
        };
        let marks = Bits::from_marks((0..self.len() * size.pixels()).map(is_known));
        self.narrowed(Observed::Pixels(marks))
    }

    /// The same images with labels that are numbers to be predicted, and no classes.
    ///
    /// # Errors
    /// When a label is no number.
    pub fn with_numbers(self) -> Result<Self> {
        let Some(labels) = self.labels() else { return Ok(self) };
        let number = |image: usize| match labels.cell(image) {
            None => Ok(f64::NAN),
            Some(word) => word.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
                Error::data(format!("the label `{word}` of image {} is not a number", image + 1)).with_hint(
                    "numbers are predicted from images whose labels are numbers; words are classes",
                )
            }),
        };
        let numbers = (0..self.len()).map(number).collect::<Result<Vec<f64>>>()?;
        self.with_labels(Some(Column::from_numbers(LABEL, Kind::Real, &numbers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Size, sample};

    #[test]
    fn labels_are_numbers_where_all_are() {
        let digits = sample().unwrap().with_numbers().unwrap();
        assert_eq!(digits.labels().unwrap().numbers().unwrap().get(4), Some(&4.0));
        let size = Size { channels: 1, height: 1, width: 1 };
        let one = Images::new(size, Pixels::Bytes(vec![7, 8]), Observed::All).unwrap();
        let words = Column::from_words(LABEL, Kind::Category, &[Some("1.5"), Some("cat")]);
        let error = one.with_labels(Some(words)).unwrap().with_numbers().unwrap_err();
        assert_eq!(error.to_string(), "the label `cat` of image 2 is not a number");
    }
}
