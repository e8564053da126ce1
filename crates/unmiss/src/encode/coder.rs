//! One translation for each shape of data, and rows of any shape as a method sees them.

use std::sync::Arc;

use serde_json::Value;

use super::back::fill_table;
use super::features::{Encoded, Encoder, Encoding};
use super::images::{ImageCoder, ImageRows};
use super::made::Made;
use super::ratings::{known_arrays, known_ratings};
use super::series::{SeriesCoder, SeriesRows};
use crate::data::ratings::Ratings;
use crate::data::{Data, Shape, other_shape};
use crate::error::{Error, Result};
use crate::rng::mix;
use crate::store::Arrays;

/// The fitted translation of data of some shape into what methods see.
#[derive(Debug, Clone)]
pub enum Coder {
    /// Columns of a table.
    Table(Encoder),
    /// Ids to positions, and the ratings that are known.
    Ratings(Arc<Ratings>),
    /// Values of pixels.
    Images(ImageCoder),
    /// Values of variables over time.
    Series(SeriesCoder),
}

/// Rows as a method sees them.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows {
    /// Rows of a table.
    Table(Encoded),
    /// Users with their ratings.
    Ratings(Arc<Ratings>),
    /// Images; an input is a pixel with all its channels.
    Images(ImageRows),
    /// Series; an input is a variable with all its values, or what does not change over time.
    Series(SeriesRows),
}

impl Coder {
    /// Learns the translation of the named inputs from all rows.
    ///
    /// # Errors
    /// When an input is absent or can't be one, or none is left.
    pub fn fit(data: &Data, inputs: &[String], encoding: Encoding) -> Result<Self> {
        match data {
            Data::Table(table) => Ok(Self::Table(Encoder::fit(table, inputs, encoding)?)),
            Data::Ratings(ratings) => Ok(Self::Ratings(Arc::clone(ratings))),
            Data::Images(images) => Ok(Self::Images(ImageCoder::fit(images)?)),
            Data::Series(series) => Ok(Self::Series(SeriesCoder::fit(series, inputs, encoding)?)),
        }
    }

    /// The same with numbers that are made of other columns of a table.
    ///
    /// # Errors
    /// As for [`Coder::fit`].
    pub fn fit_with(data: &Data, inputs: &[String], made: &[Made], encoding: Encoding) -> Result<Self> {
        match data {
            Data::Table(table) => Ok(Self::Table(Encoder::fit_with(table, inputs, made, encoding)?)),
            _ => Self::fit(data, inputs, encoding),
        }
    }

    /// The shape it translates.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Ratings(_) => Shape::Ratings,
            Self::Images(_) => Shape::Images,
            Self::Series(_) => Shape::Series,
        }
    }

    /// Translates data. `unseen` is told (column, level) for what training never saw and what is taken as a hole.
    ///
    /// # Errors
    /// When the data have another shape, lack a column, or have one of another kind.
    pub fn encode(&self, data: &Data, unseen: impl FnMut(&str, &str)) -> Result<Rows> {
        match self {
            Self::Table(encoder) => Ok(Rows::Table(encoder.encode(data.table()?, unseen)?)),
            Self::Ratings(_) => Ok(Rows::Ratings(Arc::clone(data.ratings()?))),
            Self::Images(coder) => Ok(Rows::Images(coder.encode(data.images()?)?)),
            Self::Series(coder) => Ok(Rows::Series(coder.encode(data.series()?, unseen)?)),
        }
    }

    /// Sets between which values filled numbers may lie, where not between the known ones of their column.
    pub fn set_limits(&mut self, of: impl Fn(&str) -> Option<(f64, f64)>) {
        match self {
            Self::Table(encoder) => {
                encoder.numbers.iter_mut().for_each(|feature| feature.limits = of(&feature.name));
            }
            Self::Series(coder) => coder.set_limits(of),
            Self::Ratings(_) | Self::Images(_) => {}
        }
    }

    /// Data with their holes filled from rows of the same data that an imputer has filled.
    ///
    /// # Errors
    /// When data, rows and translation have different shapes.
    pub fn decode(&self, data: &Data, rows: &Rows, drawn: bool) -> Result<Data> {
        match self {
            Self::Table(encoder) => Ok(fill_table(encoder, data.table()?, rows.table()?, drawn)?.into()),
            Self::Ratings(_) => Err(other_shape(Shape::Table, Shape::Ratings)),
            Self::Images(_) => Ok(rows.images()?.images().as_ref().clone().whole().into()),
            Self::Series(coder) => Ok(coder.decode(data.series()?, rows.series()?)?.into()),
        }
    }

    /// Rows that try out everything the translation knows, by which two models are told to answer alike.
    ///
    /// # Errors
    /// When there are none of the kind, as for ratings.
    pub fn probe(&self) -> Result<Rows> {
        match self {
            Self::Table(encoder) => Ok(Rows::Table(encoder.probe())),
            Self::Ratings(_) => Err(other_shape(Shape::Table, Shape::Ratings)),
            Self::Images(coder) => Ok(Rows::Images(coder.probe()?)),
            Self::Series(coder) => Ok(Rows::Series(coder.probe()?)),
        }
    }

    /// The logarithm of what the model's units of each row's known numbers amount to in the units of the data:
    /// `Σ ln width`. A density in the units of the data is one in the model's units divided by that.
    ///
    /// # Errors
    /// When the rows are of another shape, or numbers are bent, not only scaled.
    pub fn log_units(&self, rows: &Rows) -> Result<Vec<f64>> {
        match self {
            Self::Images(coder) => {
                let width = f64::from(coder.high - coder.low).ln();
                let images = rows.images()?.images();
                let known =
                    |image| (0..coder.size.cells()).filter(|&cell| images.is_known(image, cell)).count();
                Ok((0..rows.len()).map(|image| known(image) as f64 * width).collect())
            }
            other => other.table()?.log_units(rows.table()?),
        }
    }

    /// Names of the inputs, as [`Rows::missing_by_input`] counts them.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Table(encoder) => encoder.names().collect(),
            Self::Ratings(ratings) => ratings.items.names().iter().map(String::as_str).collect(),
            Self::Images(coder) => coder.names().iter().map(String::as_str).collect(),
            Self::Series(coder) => coder.names().collect(),
        }
    }

    /// In how many training rows each input was missing, in the order of [`Coder::names`].
    pub fn missing_in_training(&self) -> Vec<usize> {
        match self {
            Self::Table(encoder) => {
                let numbers = encoder.numbers.iter().map(|feature| feature.missing);
                numbers.chain(encoder.categories.iter().map(|feature| feature.missing)).collect()
            }
            Self::Ratings(ratings) => Rows::Ratings(Arc::clone(ratings)).missing_by_input(),
            Self::Images(coder) => coder.missing.clone(),
            Self::Series(coder) => coder.missing(),
        }
    }

    /// What a file says of it, in words and in arrays.
    ///
    /// # Errors
    /// When it can't be put into a file.
    pub fn save(&self) -> Result<(Value, Arrays)> {
        let words = match self {
            Self::Table(encoder) => serde_json::to_value(encoder),
            Self::Ratings(ratings) => return Ok((Value::Null, known_arrays(ratings)?)),
            Self::Images(coder) => serde_json::to_value(coder),
            Self::Series(coder) => serde_json::to_value(coder),
        };
        Ok((words.map_err(|error| Error::data(error.to_string()))?, Arrays::default()))
    }

    /// Puts a translation together again from what a file says.
    ///
    /// # Errors
    /// When it can't be what was written.
    pub fn load(shape: Shape, words: Value, arrays: &Arrays) -> Result<Self> {
        let damaged = |error: serde_json::Error| Error::damaged(format!("its header can't be read: {error}"));
        match shape {
            Shape::Table => {
                let encoder: Encoder = serde_json::from_value(words).map_err(damaged)?;
                encoder.check().map(|()| Self::Table(encoder))
            }
            Shape::Ratings => Ok(Self::Ratings(known_ratings(arrays)?.into())),
            Shape::Images => {
                let coder: ImageCoder = serde_json::from_value(words).map_err(damaged)?;
                Ok(Self::Images(coder.checked()?))
            }
            Shape::Series => {
                let coder: SeriesCoder = serde_json::from_value(words).map_err(damaged)?;
                Ok(Self::Series(coder.checked()?))
            }
        }
    }

    /// The translation of a table.
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn table(&self) -> Result<&Encoder> {
        match self {
            Self::Table(encoder) => Ok(encoder),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// The ratings that are known.
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn ratings(&self) -> Result<&Arc<Ratings>> {
        match self {
            Self::Ratings(ratings) => Ok(ratings),
            other => Err(other_shape(Shape::Ratings, other.shape())),
        }
    }

    /// The translation of images.
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn images(&self) -> Result<&ImageCoder> {
        match self {
            Self::Images(coder) => Ok(coder),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// The translation of series.
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn series(&self) -> Result<&SeriesCoder> {
        match self {
            Self::Series(coder) => Ok(coder),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }
}

impl Rows {
    /// The shape they are of.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Ratings(_) => Shape::Ratings,
            Self::Images(_) => Shape::Images,
            Self::Series(_) => Shape::Series,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Table(rows) => rows.rows,
            Self::Ratings(ratings) => ratings.users.len(),
            Self::Images(rows) => rows.len(),
            Self::Series(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number that changes with any value or mark, by which unfinished work on other rows is told apart.
    pub fn fingerprint(&self) -> u64 {
        match self {
            Self::Table(rows) => rows.fingerprint(),
            Self::Ratings(ratings) => mix(ratings.iter().map(|rating| {
                mix([u64::from(rating.user), u64::from(rating.item), u64::from(rating.value.to_bits())])
            })),
            Self::Images(rows) => rows.fingerprint(),
            Self::Series(rows) => rows.fingerprint(),
        }
    }

    /// How many inputs of each row are known.
    pub fn known_counts(&self) -> Vec<usize> {
        match self {
            Self::Table(rows) => rows.known_counts(),
            Self::Ratings(ratings) => {
                (0..ratings.users.len() as u32).map(|user| ratings.by_user.count(user)).collect()
            }
            Self::Images(rows) => (0..rows.len()).map(|row| rows.images().known_pixels(row)).collect(),
            Self::Series(rows) => (0..rows.len()).map(|row| count(&rows.known(row))).collect(),
        }
    }

    /// The given rows, in the given order.
    ///
    /// # Errors
    /// When the rows can't be taken apart, as those of ratings.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        match self {
            Self::Images(own) => Ok(Self::Images(own.select(rows))),
            Self::Series(own) => Ok(Self::Series(own.select(rows))),
            other => Ok(Self::Table(other.table()?.select(rows))),
        }
    }

    /// Which inputs of a row are known, in the order of [`Coder::names`].
    pub fn known(&self, row: usize) -> Vec<usize> {
        match self {
            Self::Table(rows) => {
                let (numbers, codes) = rows.widths();
                let marks = rows.numbers_observed[row * numbers..(row + 1) * numbers]
                    .iter()
                    .chain(&rows.codes_observed[row * codes..(row + 1) * codes]);
                marks.enumerate().filter(|(_, observed)| **observed).map(|(input, _)| input).collect()
            }
            Self::Ratings(ratings) => {
                ratings.by_user.row(row as u32).0.iter().map(|item| *item as usize).collect()
            }
            Self::Images(rows) => rows.pixels(row, true).collect(),
            Self::Series(rows) => marked(&rows.known(row), true).collect(),
        }
    }

    /// Which inputs of a row are holes, in the order of [`Coder::names`].
    pub fn holes(&self, row: usize) -> Vec<u32> {
        match self {
            Self::Table(rows) => {
                let (numbers, codes) = rows.widths();
                let marks = rows.numbers_observed[row * numbers..(row + 1) * numbers]
                    .iter()
                    .chain(&rows.codes_observed[row * codes..(row + 1) * codes]);
                marks.zip(0..).filter(|(observed, _)| !**observed).map(|(_, input)| input).collect()
            }
            Self::Ratings(ratings) => {
                let known = ratings.by_user.row(row as u32).0;
                (0..ratings.items.len() as u32).filter(|item| known.binary_search(item).is_err()).collect()
            }
            Self::Images(rows) => rows.pixels(row, false).map(|pixel| pixel as u32).collect(),
            Self::Series(rows) => marked(&rows.known(row), false).map(|input| input as u32).collect(),
        }
    }

    /// Makes an input of a row a hole and forgets its value.
    ///
    /// # Errors
    /// When the rows can't be changed, as those of ratings.
    pub fn hide(&mut self, row: usize, input: usize) -> Result<()> {
        if let Self::Images(rows) = self {
            rows.hide(row, input);
            return Ok(());
        }
        if let Self::Series(rows) = self {
            rows.hide(row, input);
            return Ok(());
        }
        let rows = self.table_mut()?;
        let (numbers, codes) = rows.widths();
        if input < numbers {
            let cell = row * numbers + input;
            (rows.numbers[cell], rows.numbers_observed[cell]) = (0.0, false);
        } else {
            let cell = row * codes + input - numbers;
            (rows.codes[cell], rows.codes_observed[cell]) = (0, false);
        }
        Ok(())
    }

    /// In how many rows each input is missing, in the order of [`Coder::names`].
    pub fn missing_by_input(&self) -> Vec<usize> {
        match self {
            Self::Table(rows) => {
                let (numbers, codes) = rows.widths();
                let missing = |marks: &[bool], width: usize, place: usize| {
                    marks.iter().skip(place).step_by(width).filter(|observed| !**observed).count()
                };
                let numbers = (0..numbers).map(|place| missing(&rows.numbers_observed, numbers, place));
                numbers.chain((0..codes).map(|place| missing(&rows.codes_observed, codes, place))).collect()
            }
            Self::Ratings(ratings) => {
                let users = ratings.users.len();
                (0..ratings.items.len() as u32).map(|item| users - ratings.by_item.count(item)).collect()
            }
            Self::Images(rows) => rows.missing_by_pixel(),
            Self::Series(rows) => {
                let mut missing = vec![0; rows.coder().names().count()];
                for row in 0..rows.len() {
                    marked(&rows.known(row), false).for_each(|input| missing[input] += 1);
                }
                missing
            }
        }
    }

    /// Share of the input cells that are holes; of series, of the values at all their steps.
    pub fn missing_share(&self) -> f64 {
        if let Self::Series(rows) = self {
            let (holes, steps) = (rows.holes_by_variable(), rows.series().all_steps());
            let cells = (steps * holes.len()).max(1);
            return holes.iter().sum::<usize>() as f64 / cells as f64;
        }
        let cells = match self {
            Self::Table(rows) => rows.numbers_observed.len() + rows.codes_observed.len(),
            Self::Ratings(ratings) => ratings.users.len() * ratings.items.len(),
            Self::Images(rows) => rows.len() * rows.size().pixels(),
            Self::Series(rows) => rows.len() * rows.coder().names().count(),
        };
        let known: usize = self.known_counts().iter().sum();
        if cells == 0 { 0.0 } else { 1.0 - known as f64 / cells as f64 }
    }

    /// The rows of a table.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn table(&self) -> Result<&Encoded> {
        match self {
            Self::Table(rows) => Ok(rows),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// The rows of a table, to be filled.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn table_mut(&mut self) -> Result<&mut Encoded> {
        match self {
            Self::Table(rows) => Ok(rows),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }
}

impl Rows {
    /// The images.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn images(&self) -> Result<&ImageRows> {
        match self {
            Self::Images(rows) => Ok(rows),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// The images, to be filled.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn images_mut(&mut self) -> Result<&mut ImageRows> {
        match self {
            Self::Images(rows) => Ok(rows),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// The series.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn series(&self) -> Result<&SeriesRows> {
        match self {
            Self::Series(rows) => Ok(rows),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }

    /// The series, to be filled.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn series_mut(&mut self) -> Result<&mut SeriesRows> {
        match self {
            Self::Series(rows) => Ok(rows),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }

    /// What stands in every cell, filled or known, as bits.
    pub fn bits(&self) -> Vec<u64> {
        match self {
            Self::Table(rows) => {
                let numbers = rows.numbers.iter().map(|value| u64::from(value.to_bits()));
                numbers.chain(rows.codes.iter().map(|code| u64::from(*code))).collect()
            }
            Self::Ratings(ratings) => ratings.iter().map(|own| u64::from(own.value.to_bits())).collect(),
            Self::Images(rows) => rows.bits().collect(),
            Self::Series(rows) => rows.series().bits().collect(),
        }
    }
}

fn marked(marks: &[bool], wanted: bool) -> impl Iterator<Item = usize> + '_ {
    (0..marks.len()).filter(move |&place| marks[place] == wanted)
}

fn count(marks: &[bool]) -> usize {
    marked(marks, true).count()
}

impl From<Encoded> for Rows {
    fn from(rows: Encoded) -> Self {
        Self::Table(rows)
    }
}
