//! Images in a model's units: values from 0 to 1, made batch by batch, so that a set stays bytes and bits in memory.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::written::WrittenImages;
use crate::data::images::{Bits, Images, MOST_LEVELS, Observed, Pixels, Size};
use crate::error::{Error, Result};
use crate::onnx::{Graph, Kind, Symbol};
use crate::rng::mix;

/// Images of a probe.
const PROBED: usize = 8;
/// A channel whose known values are all the same is divided by no less than this.
const SMALLEST_DEVIATION: f64 = 1e-6;

/// The fitted translation of images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageCoder {
    /// The size of every image.
    pub size: Size,
    /// Whether values are bytes.
    pub bytes: bool,
    /// The value that becomes 0: 0 for bytes and for numbers from 0 to 1, else the smallest known one.
    pub low: f32,
    /// The value that becomes 1: 255 for bytes (the largest known one if that is no more than 16), 1 for numbers from 0
    /// to 1, else the largest known one.
    pub high: f32,
    /// `[channels]`: the mean of the known training values, in units of 0 to 1.
    pub means: Vec<f32>,
    /// `[channels]`: their standard deviation, in the same units.
    pub deviations: Vec<f32>,
    /// `[height, width]`: in how many training images a pixel was not known in all its channels.
    pub missing: Vec<usize>,
    /// The colour that stood for "missing" in training, red, green and blue: it does in other images too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_colour: Option<[u8; 3]>,
    #[serde(skip)]
    names: Vec<String>,
}

/// Images as a method sees them. Clones share the pixels until one is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageRows {
    images: Arc<Images>,
    low: f32,
    high: f32,
}

/// Some images in a model's units.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageBatch {
    /// The size of each.
    pub size: Size,
    /// How many there are.
    pub rows: usize,
    /// `[rows, channels, height, width]`: from 0 to 1; 0 where not known.
    pub values: Vec<f32>,
    /// `[rows, channels, height, width]`: 1 where known, else 0.
    pub observed: Vec<f32>,
}

impl ImageCoder {
    /// Learns the range and the statistics of what is known.
    ///
    /// # Errors
    /// When there is no image, or nothing is known of any.
    pub fn fit(images: &Arc<Images>) -> Result<Self> {
        let size = images.size();
        let range = images.range();
        let (low, high) =
            range.ok_or_else(|| Error::data("there is no image with a known pixel to learn from"))?;
        let high = if low == high { low + 1.0 } else { high };
        let bytes = matches!(images.values(), Pixels::Bytes(_));
        let rows = ImageRows { images: Arc::clone(images), low, high };
        let (mut sums, mut squares) = (vec![0.0_f64; size.channels], vec![0.0_f64; size.channels]);
        let mut counts = vec![0_u64; size.channels];
        each_known(images, |cell, value| {
            let (channel, value) = (cell / size.pixels(), f64::from(rows.scaled(value)));
            sums[channel] += value;
            squares[channel] += value * value;
            counts[channel] += 1;
        });
        let mean = |channel: usize| sums[channel] / counts[channel].max(1) as f64;
        let deviation = |channel: usize| {
            let square = squares[channel] / counts[channel].max(1) as f64;
            (square - mean(channel).powi(2)).max(0.0).sqrt().max(SMALLEST_DEVIATION) as f32
        };
        Ok(Self {
            size,
            bytes,
            low,
            high,
            means: (0..size.channels).map(|channel| mean(channel) as f32).collect(),
            deviations: (0..size.channels).map(deviation).collect(),
            missing: rows.missing_by_pixel(),
            missing_colour: None,
            names: names(size),
        })
    }

    /// Images in these units.
    ///
    /// # Errors
    /// When they have another size, numbers where training had bytes, or bytes of another range.
    pub fn encode(&self, images: &Arc<Images>) -> Result<ImageRows> {
        if images.size() != self.size {
            let what = format!("the model learned images of {}, and these are {}", self.size, images.size());
            return Err(Error::data(what));
        }
        let name = |bytes: bool| if bytes { "bytes" } else { "numbers with a point" };
        let bytes = matches!(images.values(), Pixels::Bytes(_));
        let images = match (self.bytes, bytes) {
            // Whole numbers from 0 to 255 say what bytes say, and the other way round.
            (true, false) => images.as_bytes().map(Arc::new),
            (false, true) if self.high > 1.0 || images.range().is_none_or(|(_, high)| high <= 1.0) => {
                Some(Arc::new(images.as_numbers()))
            }
            _ => (bytes == self.bytes).then(|| Arc::clone(images)),
        };
        let images = images.ok_or_else(|| {
            let what =
                format!("the model learned images of {}, and these are {}", name(self.bytes), name(bytes));
            Error::data(what).with_hint("turn them into what the model learned from")
        })?;
        // Levels such as 0 and 1 beside bytes up to 255 are the same pictures in other units.
        let levels = self.bytes && self.high <= f32::from(MOST_LEVELS);
        if levels && images.range().is_some_and(|(_, high)| high > f32::from(MOST_LEVELS)) {
            let what = format!(
                "the model learned images whose bytes go from 0 to {}, and these have brighter ones than {MOST_LEVELS}",
                self.high
            );
            return Err(
                Error::data(what).with_hint("bring their bytes into the range that the model learned")
            );
        }
        Ok(ImageRows { images, low: self.low, high: self.high })
    }

    /// The input of a graph and what this translation makes of it: images in the user's units, NaN for holes; and the
    /// input itself.
    pub fn write(&self, graph: &mut Graph) -> (WrittenImages, Symbol) {
        let Size { channels, height, width } = self.size;
        let shape = [None, Some(channels), Some(height), Some(width)];
        let given = graph.input("images", Kind::Single, &shape, "values of pixels; NaN is a hole");
        let flat = graph.shaped(&given, &[-1, self.size.cells() as i64]);
        let missing = graph.op("IsNaN", &[&flat]);
        let observed = graph.op("Not", &[&missing]);
        let (low, range, nothing) =
            (graph.single(self.low), graph.single(self.high - self.low), graph.single(0.0));
        let shifted = graph.subtract(&flat, &low);
        let scaled = graph.divide(&shifted, &range);
        let values = graph.choose(&observed, &scaled, &nothing);
        (WrittenImages { size: self.size, values, observed }, given)
    }

    /// Images without holes in the user's units: what was given, and what fills its holes.
    pub fn write_filled(&self, graph: &mut Graph, images: &WrittenImages, given: &Symbol) -> Symbol {
        let Size { channels, height, width } = self.size;
        let (low, high) = (graph.single(self.low), graph.single(self.high));
        let range = graph.single(self.high - self.low);
        let wide = graph.times(&range, &images.values);
        let values = graph.add(&low, &wide);
        let values = graph.op("Max", &[&values, &low]);
        let mut values = graph.op("Min", &[&values, &high]);
        if self.bytes {
            // Halves go up, as bytes are above 0.
            let half = graph.single(0.5);
            let above = graph.add(&values, &half);
            values = graph.op("Floor", &[&above]);
        }
        let shape = [-1, channels as i64, height as i64, width as i64];
        let (values, known) = (graph.shaped(&values, &shape), graph.shaped(&images.observed, &shape));
        graph.choose(&known, given, &values)
    }

    /// The names of the pixels, row by row.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A few images over the range of values: one known as a whole, one not at all, the others with holes.
    pub fn probe(&self) -> Result<ImageRows> {
        let (pixels, cells) = (self.size.pixels(), self.size.cells());
        let is_known = |row: usize, place: usize| row == 0 || (row > 1 && !(row + place).is_multiple_of(3));
        let share = |mark: usize| ((3 * (mark / cells) + mark % cells) % PROBED) as f32 / (PROBED - 1) as f32;
        let values = (0..PROBED * cells).map(|mark| self.low + share(mark) * (self.high - self.low));
        let values = match self.bytes {
            true => Pixels::Bytes(values.map(|value| value.round() as u8).collect()),
            false => Pixels::Numbers(values.collect()),
        };
        let marks = (0..PROBED * pixels).map(|mark| is_known(mark / pixels, mark % pixels));
        let images = Images::new(self.size, values, Observed::Pixels(Bits::from_marks(marks)))?;
        Ok(ImageRows { images: Arc::new(images), low: self.low, high: self.high })
    }

    /// The same with the names of its pixels, if it can be what was written.
    pub(super) fn checked(mut self) -> Result<Self> {
        let Size { channels, height, width } = self.size;
        let pixels =
            height.checked_mul(width).filter(|pixels| pixels.checked_mul(channels).is_some_and(|c| c > 0));
        let mut numbers = self.means.iter().chain(&self.deviations).copied().chain([self.low, self.high]);
        let sound = pixels == Some(self.missing.len())
            && [self.means.len(), self.deviations.len()] == [channels; 2]
            && self.low < self.high
            && numbers.all(|number| number.is_finite())
            && self.deviations.iter().all(|deviation| *deviation > 0.0);
        if !sound {
            return Err(Error::damaged("its header contradicts itself: the size of images"));
        }
        self.names = names(self.size);
        Ok(self)
    }
}

fn names(size: Size) -> Vec<String> {
    let pixel = |pixel: usize| format!("row {}, column {}", pixel / size.width + 1, pixel % size.width + 1);
    (0..size.pixels()).map(pixel).collect()
}

/// Every known value with its place in its image, image by image.
fn each_known(images: &Images, mut with: impl FnMut(usize, f32)) {
    for image in 0..images.len() {
        for cell in (0..images.size().cells()).filter(|&cell| images.is_known(image, cell)) {
            with(cell, images.value(image, cell));
        }
    }
}

impl ImageRows {
    /// How many images there are.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// The size of each.
    pub fn size(&self) -> Size {
        self.images.size()
    }

    /// The images themselves, in the user's units.
    pub fn images(&self) -> &Arc<Images> {
        &self.images
    }

    /// Some images in a model's units.
    pub fn batch(&self, rows: &[usize]) -> ImageBatch {
        let (size, images) = (self.size(), &self.images);
        let mut batch = ImageBatch {
            size,
            rows: rows.len(),
            values: Vec::with_capacity(rows.len() * size.cells()),
            observed: Vec::with_capacity(rows.len() * size.cells()),
        };
        for &row in rows {
            for cell in 0..size.cells() {
                let known = images.is_known(row, cell);
                batch.observed.push(f32::from(u8::from(known)));
                batch.values.push(if known { self.scaled(images.value(row, cell)) } else { 0.0 });
            }
        }
        batch
    }

    /// Puts values `[channels, height, width]` from 0 to 1 into the holes of an image; what is known stays.
    pub fn fill(&mut self, row: usize, values: &[f32]) {
        let (low, high) = (self.low, self.high);
        let images = Arc::make_mut(&mut self.images);
        for (cell, value) in values.iter().enumerate() {
            // Rounding may lead a hair beyond the range.
            images.fill(row, cell, (low + (high - low) * value).clamp(low, high));
        }
    }

    /// Puts what was filled into others into the holes of the images that they were selected from.
    pub fn fill_from(&mut self, rows: &[usize], others: &Self) {
        let images = Arc::make_mut(&mut self.images);
        for (other, &row) in rows.iter().enumerate() {
            (0..images.size().cells())
                .for_each(|cell| images.fill(row, cell, others.images.value(other, cell)));
        }
    }

    /// The same images with everything known, once holes have been filled.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { images: Arc::new(Arc::unwrap_or_clone(self.images).whole()), ..self }
    }

    /// The given images, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { images: Arc::new(self.images.select(rows)), ..*self }
    }

    /// Makes a pixel of an image a hole.
    pub fn hide(&mut self, row: usize, pixel: usize) {
        Arc::make_mut(&mut self.images).hide(row, pixel);
    }

    /// Whether all of an image is known.
    pub fn is_whole(&self, row: usize) -> bool {
        self.images.known_pixels(row) == self.size().pixels()
    }

    /// Whether anything is known of a pixel, in any of its channels.
    pub fn knows_something(&self, row: usize, pixel: usize) -> bool {
        let size = self.size();
        (pixel..size.cells()).step_by(size.pixels()).any(|cell| self.images.is_known(row, cell))
    }

    /// A number that changes with any known value or mark.
    pub fn fingerprint(&self) -> u64 {
        mix((0..self.len()).map(|image| self.images.fingerprint_of(image)))
    }

    /// Which pixels of an image are known in all their channels, or are not.
    pub(super) fn pixels(&self, row: usize, known: bool) -> impl Iterator<Item = usize> + '_ {
        (0..self.size().pixels()).filter(move |&pixel| self.images.is_pixel_known(row, pixel) == known)
    }

    /// In how many images each pixel is not known in all its channels.
    pub(super) fn missing_by_pixel(&self) -> Vec<usize> {
        let mut missing = vec![0; self.size().pixels()];
        for row in 0..self.len() {
            self.pixels(row, false).for_each(|pixel| missing[pixel] += 1);
        }
        missing
    }

    /// What stands in every cell, filled or known, as bits.
    pub(super) fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        let values = self.images.values();
        (0..values.len()).map(|cell| u64::from(values.get(cell).to_bits()))
    }

    /// The same images with nonsense under every mark that says "missing", for tests.
    #[cfg(test)]
    pub(crate) fn with_garbage(&self) -> Self {
        let mut garbage = self.clone();
        for row in 0..self.len() {
            garbage.fill(row, &vec![0.77; self.size().cells()]);
        }
        garbage
    }

    /// A known number of an image, from 0 to 1.
    pub fn value(&self, row: usize, cell: usize) -> f32 {
        self.scaled(self.images.value(row, cell))
    }

    /// The same images with 0 under every mark that says "missing", so that nothing else is ever kept.
    #[must_use]
    pub fn clean(self) -> Self {
        Self { images: Arc::new(self.images.as_ref().clone().cleared()), ..self }
    }

    fn scaled(&self, value: f32) -> f32 {
        (value - self.low) / (self.high - self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(values: Vec<f32>, known: &[bool]) -> Arc<Images> {
        let size = Size { channels: 2, height: 1, width: 2 };
        let marks = Observed::Pixels(Bits::from_marks(known.iter().copied()));
        Arc::new(Images::new(size, Pixels::Numbers(values), marks).unwrap())
    }

    #[test]
    fn batches_are_scaled_and_statistics_are_of_what_is_known() {
        // Two images of two channels and two pixels; the second pixel of the first image is a hole.
        let own = images(vec![10.0, 99.0, 30.0, 99.0, 20.0, 10.0, 50.0, 50.0], &[true, false, true, true]);
        let coder = ImageCoder::fit(&own).unwrap();
        assert_eq!((coder.low, coder.high, coder.missing.as_slice()), (10.0, 50.0, &[0, 1][..]));
        assert_eq!(coder.names()[1], "row 1, column 2");
        let mut rows = coder.encode(&own).unwrap();
        let batch = rows.batch(&[1, 0]);
        assert_eq!(batch.values, [0.25, 0.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.0]);
        assert_eq!(batch.observed, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
        assert!((coder.means[0] - 0.25 / 3.0).abs() < 1e-6 && (coder.means[1] - 2.5 / 3.0).abs() < 1e-6);
        rows.fill(0, &[0.5, 0.5, 0.5, 0.75]);
        assert_eq!(
            rows.images().values(),
            &Pixels::Numbers(vec![10.0, 30.0, 30.0, 40.0, 20.0, 10.0, 50.0, 50.0])
        );
        assert_eq!(rows.batch(&[0]), coder.encode(&own).unwrap().batch(&[0]), "a hole stays one");
        let mut other = coder.encode(&own).unwrap();
        other.fill_from(&[0], &rows.select(&[0]));
        assert_eq!(other, rows);
        assert_eq!(other.whole().batch(&[0]).values, [0.0, 0.5, 0.5, 0.75], "until it counts as known");
    }

    #[test]
    fn images_of_another_size_or_kind_are_refused() {
        let coder = ImageCoder::fit(&images(vec![0.5; 8], &[true; 4])).unwrap();
        assert_eq!((coder.low, coder.high), (0.0, 1.0));
        let size = Size { channels: 2, height: 1, width: 2 };
        let bytes = Images::new(size, Pixels::Bytes(vec![3; 8]), Observed::All).unwrap();
        let bytes = Arc::new(bytes);
        let whole = Arc::new(bytes.as_numbers());
        assert_eq!(ImageCoder::fit(&bytes).unwrap().encode(&whole).unwrap().images(), &bytes);
        let error = coder.encode(&bytes).unwrap_err();
        assert!(error.to_string().contains("these are bytes"), "{error}");
        let other = Images::new(Size { height: 2, ..size }, Pixels::Numbers(vec![0.5; 8]), Observed::All);
        let error = coder.encode(&Arc::new(other.unwrap())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model learned images of 1 x 2 x 2 channels, and these are 2 x 2 x 2 channels"
        );
        assert!(ImageCoder::fit(&images(vec![0.0; 8], &[false; 4])).is_err());
    }

    #[test]
    fn bytes_that_are_levels_have_their_own_range_and_fills_stay_in_it() {
        let size = Size { channels: 1, height: 1, width: 4 };
        let bytes = |values: [u8; 4]| {
            let marks = Observed::Pixels(Bits::from_marks([true, true, true, false]));
            Arc::new(Images::new(size, Pixels::Bytes(values.into()), marks).unwrap())
        };
        let coder = ImageCoder::fit(&bytes([0, 1, 1, 0])).unwrap();
        assert_eq!((coder.low, coder.high, coder.bytes), (0.0, 1.0, true));
        let mut rows = coder.encode(&bytes([0, 1, 1, 0])).unwrap();
        assert_eq!(rows.batch(&[0]).values, [0.0, 1.0, 1.0, 0.0]);
        for (share, filled) in [(0.4, 0.0), (0.6, 1.0), (1.7, 1.0), (-0.2, 0.0)] {
            rows.fill(0, &[share; 4]);
            assert_eq!(rows.images().value(0, 3), filled, "{share}");
        }
        // A brighter one among few levels is one of them; a picture is none.
        assert!(coder.encode(&bytes([0, 3, 1, 0])).is_ok());
        let error = coder.encode(&bytes([0, 255, 1, 0])).unwrap_err();
        assert!(error.to_string().ends_with("and these have brighter ones than 16"), "{error}");
        // Numbers that are 0 and 1 and bytes that are say the same.
        let numbers = Arc::new(bytes([0, 1, 1, 0]).as_numbers());
        assert!(coder.encode(&numbers).is_ok());
        assert!(ImageCoder::fit(&numbers).unwrap().encode(&bytes([1, 1, 0, 0])).is_ok());
        assert_eq!(ImageCoder::fit(&bytes([0, 17, 1, 0])).unwrap().high, 255.0);
    }
}
