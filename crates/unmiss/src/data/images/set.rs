//! `Images`: pictures of one size, with values and `observed` kept apart.

use super::bits::Bits;
use super::pixels::{Observed, Pixels};
use crate::data::table::Column;
use crate::error::{Error, Result};

/// The largest value that a pixel may have: in single precision, squares of it can still be added up.
const BRIGHTEST: f32 = 1e15;

/// The name under which the classes of images are known, as the columns of a table are by theirs.
pub const LABEL: &str = "label";

/// The size of each image of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Size {
    /// 1 for grey, 3 for red, green and blue; any other number too.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
}

impl Size {
    /// Pixels of an image.
    pub fn pixels(self) -> usize {
        self.height * self.width
    }

    /// Numbers of an image: pixels times channels.
    pub fn cells(self) -> usize {
        self.channels * self.pixels()
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} x {}", self.height, self.width)?;
        if self.channels == 1 { Ok(()) } else { write!(out, " x {} channels", self.channels) }
    }
}

/// Images of one size, any of whose pixels may be unknown, and what is known about each as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Images {
    size: Size,
    count: usize,
    values: Pixels,
    observed: Observed,
    labels: Option<Column>,
    /// The file of each image, in a folder of pictures.
    pub names: Option<Vec<String>>,
    /// Whether arrays of them have no axis for the channel.
    pub flat: bool,
}

impl Images {
    /// Images whose marks are known; what stands under a hole is made 0.
    ///
    /// # Errors
    /// When values or marks are not as many as images of this size have, or a known value is not a finite number.
    pub fn new(size: Size, values: Pixels, observed: Observed) -> Result<Self> {
        let cells = size.cells();
        if cells == 0 || !values.len().is_multiple_of(cells) {
            let what = format!("{} values are not a number of images of {size}", values.len());
            return Err(Error::data(what));
        }
        let count = values.len() / cells;
        let marks = match &observed {
            Observed::All => None,
            Observed::Pixels(bits) => Some((bits.len(), count * size.pixels())),
            Observed::Cells(bits) => Some((bits.len(), count * cells)),
        };
        if let Some((given, needed)) = marks.filter(|(given, needed)| given != needed) {
            return Err(Error::data(format!("there are {given} marks for {needed} pixels")));
        }
        let mut images = Self { size, count, values, observed, labels: None, names: None, flat: false };
        images.clear_holes();
        match &images.values {
            Pixels::Numbers(values) if !values.iter().all(|value| value.is_finite()) => {
                Err(Error::data("a known pixel is not a finite number")
                    .with_hint("pixels that are not known are NaN, or marked by a mask"))
            }
            Pixels::Numbers(values) if values.iter().any(|value| value.abs() > BRIGHTEST) => {
                Err(Error::data(format!("a known pixel is beyond {BRIGHTEST:e}, too large to compute with"))
                    .with_hint("divide all pixels by the same number, or make such a pixel a hole (NaN)"))
            }
            _ => Ok(images),
        }
    }

    /// The same images with the class of each.
    ///
    /// # Errors
    /// When there are more or fewer classes than images.
    pub fn with_labels(mut self, labels: Option<Column>) -> Result<Self> {
        if let Some(given) = labels.as_ref().map(Column::rows).filter(|given| *given != self.count) {
            return Err(Error::data(format!("there are {given} labels for {} images", self.count)));
        }
        self.labels = labels.map(|labels| Column { name: LABEL.to_owned(), ..labels });
        Ok(self)
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The size of each.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Their values.
    pub fn values(&self) -> &Pixels {
        &self.values
    }

    /// What is known of them.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// Their classes.
    pub fn labels(&self) -> Option<&Column> {
        self.labels.as_ref()
    }

    /// What is known about each image as a whole: its class, if there is one.
    pub fn columns(&self) -> &[Column] {
        self.labels.as_slice()
    }

    /// Whether a number (channel by channel, row by row) of an image is known.
    pub fn is_known(&self, image: usize, cell: usize) -> bool {
        self.observed.is_known(self.size, image, cell)
    }

    /// Whether a pixel of an image is known in all its channels.
    pub fn is_pixel_known(&self, image: usize, pixel: usize) -> bool {
        let mut cells = (pixel..self.size.cells()).step_by(self.size.pixels());
        match &self.observed {
            Observed::Cells(_) => cells.all(|cell| self.is_known(image, cell)),
            _ => self.is_known(image, pixel),
        }
    }

    /// How many pixels of an image are known in all their channels.
    pub fn known_pixels(&self, image: usize) -> usize {
        let pixels = self.size.pixels();
        match &self.observed {
            Observed::All => pixels,
            Observed::Pixels(bits) => bits.count(image * pixels..(image + 1) * pixels),
            Observed::Cells(_) => (0..pixels).filter(|&pixel| self.is_pixel_known(image, pixel)).count(),
        }
    }

    /// Whether anything is missing.
    pub fn has_holes(&self) -> bool {
        match &self.observed {
            Observed::All => false,
            Observed::Pixels(bits) | Observed::Cells(bits) => bits.count(0..bits.len()) < bits.len(),
        }
    }

    /// A number of an image as it stands; a byte is a number from 0 to 255.
    pub fn value(&self, image: usize, cell: usize) -> f32 {
        self.values.get(image * self.size.cells() + cell)
    }

    /// Puts a value where nothing is known; a known one stays.
    pub fn fill(&mut self, image: usize, cell: usize, value: f32) {
        if !self.is_known(image, cell) {
            self.values.set(image * self.size.cells() + cell, value);
        }
    }

    /// Makes a pixel of an image a hole, in all channels, and forgets its values.
    pub fn hide(&mut self, image: usize, pixel: usize) {
        let (pixels, cells) = (self.size.pixels(), self.size.cells());
        if self.observed == Observed::All {
            self.observed = Observed::Pixels(Bits::filled(self.count * pixels, true));
        }
        for cell in (pixel..cells).step_by(pixels) {
            self.values.set(image * cells + cell, 0.0);
            if let Observed::Cells(bits) = &mut self.observed {
                bits.set(image * cells + cell, false);
            }
        }
        if let Observed::Pixels(bits) = &mut self.observed {
            bits.set(image * pixels + pixel, false);
        }
    }

    /// A number that changes with any known value and any mark of an image.
    pub fn fingerprint_of(&self, image: usize) -> u64 {
        let known =
            |cell: usize| self.is_known(image, cell).then(|| u64::from(self.value(image, cell).to_bits()));
        crate::rng::mix((0..self.size.cells()).map(|cell| known(cell).unwrap_or(u64::MAX)))
    }

    /// The given images, in the given order.
    #[must_use]
    pub fn select(&self, images: &[usize]) -> Self {
        let some = |bits: &Bits, each: usize| {
            let mut picked = Bits::default();
            images.iter().for_each(|image| picked.extend(bits, image * each..(image + 1) * each));
            picked
        };
        let observed = match &self.observed {
            Observed::All => Observed::All,
            Observed::Pixels(bits) => Observed::Pixels(some(bits, self.size.pixels())),
            Observed::Cells(bits) => Observed::Cells(some(bits, self.size.cells())),
        };
        let names = self.names.as_ref();
        Self {
            size: self.size,
            count: images.len(),
            values: self.values.select(images, self.size.cells()),
            observed,
            labels: self.labels.as_ref().map(|labels| labels.select(images)),
            names: names.map(|names| images.iter().map(|&image| names[image].clone()).collect()),
            flat: self.flat,
        }
    }

    /// The same images with everything known, once holes have been filled.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { observed: Observed::All, ..self }
    }

    /// The same images with 0 wherever nothing is known.
    #[must_use]
    pub fn cleared(mut self) -> Self {
        self.clear_holes();
        self
    }

    /// The same images without their classes.
    #[must_use]
    pub fn without_labels(self) -> Self {
        Self { labels: None, ..self }
    }

    /// The same images, of whose pixels fewer are known: only what both marks say.
    ///
    /// # Errors
    /// When there are other marks than pixels.
    pub fn narrowed(self, other: Observed) -> Result<Self> {
        let Self { size, count, values, observed, labels, names, flat } = self;
        let both = |each: usize| {
            let marks = (0..count).flat_map(|image| (0..each).map(move |cell| (image, cell)));
            let known =
                |(image, cell)| observed.is_known(size, image, cell) && other.is_known(size, image, cell);
            Bits::from_marks(marks.map(known))
        };
        let joined = match (&observed, &other) {
            (Observed::All, _) => other,
            (_, Observed::All) => observed,
            (Observed::Pixels(_), Observed::Pixels(_)) => Observed::Pixels(both(size.pixels())),
            _ => Observed::Cells(both(size.cells())),
        };
        Ok(Self { names, flat, ..Self::new(size, values, joined)?.with_labels(labels)? })
    }

    /// The same images as bytes, if every known value is a whole number from 0 to 255.
    pub fn as_bytes(&self) -> Option<Self> {
        self.values.as_bytes().map(|values| Self { values, ..self.clone() })
    }

    /// The same images as numbers.
    #[must_use]
    pub fn as_numbers(&self) -> Self {
        Self { values: self.values.as_numbers(), ..self.clone() }
    }

    fn clear_holes(&mut self) {
        if self.observed == Observed::All {
            return;
        }
        for image in 0..self.count {
            for cell in 0..self.size.cells() {
                self.fill(image, cell, 0.0);
            }
        }
    }
}
