//! The values of images and the marks of what is known of them.

use super::bits::Bits;
use super::set::Size;

/// The values of images, `[images, channels, height, width]`. Those of cells that are not observed are 0, and nothing
/// reads them.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// From 0 to 255.
    Bytes(Vec<u8>),
    /// Finite numbers.
    Numbers(Vec<f32>),
}

impl Pixels {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value as it stands; a byte is a number from 0 to 255.
    pub fn get(&self, cell: usize) -> f32 {
        match self {
            Self::Bytes(values) => f32::from(values[cell]),
            Self::Numbers(values) => values[cell],
        }
    }

    /// Puts a value in; a byte gets the nearest one.
    pub fn set(&mut self, cell: usize, value: f32) {
        match self {
            Self::Bytes(values) => values[cell] = value.round().clamp(0.0, 255.0) as u8,
            Self::Numbers(values) => values[cell] = value,
        }
    }

    /// The same as bytes, if all are whole numbers from 0 to 255.
    pub(super) fn as_bytes(&self) -> Option<Self> {
        let byte =
            |value: &f32| (value.fract() == 0.0 && (0.0..=255.0).contains(value)).then_some(*value as u8);
        match self {
            Self::Bytes(_) => Some(self.clone()),
            Self::Numbers(values) => values.iter().map(byte).collect::<Option<_>>().map(Self::Bytes),
        }
    }

    /// The same as numbers.
    pub(super) fn as_numbers(&self) -> Self {
        Self::Numbers((0..self.len()).map(|cell| self.get(cell)).collect())
    }

    pub(super) fn select(&self, images: &[usize], each: usize) -> Self {
        fn picked<T: Copy>(values: &[T], images: &[usize], each: usize) -> Vec<T> {
            images.iter().flat_map(|image| &values[image * each..(image + 1) * each]).copied().collect()
        }
        match self {
            Self::Bytes(values) => Self::Bytes(picked(values, images, each)),
            Self::Numbers(values) => Self::Numbers(picked(values, images, each)),
        }
    }
}

/// What is known of images.
#[derive(Debug, Clone, PartialEq)]
pub enum Observed {
    /// Everything.
    All,
    /// Pixels, with all their channels: `[images, height, width]`.
    Pixels(Bits),
    /// Single channels of pixels: `[images, channels, height, width]`.
    Cells(Bits),
}

impl Observed {
    /// Marks of every number of so many images. Where a hole takes all channels of a pixel, as it mostly does, a mark
    /// for each pixel is enough.
    pub fn of_cells(size: Size, images: usize, known: impl Fn(usize) -> bool) -> Self {
        let (pixels, cells) = (size.pixels(), size.cells());
        let of_pixel = |mark: usize| {
            let (image, pixel) = (mark / pixels, mark % pixels);
            (pixel..cells).step_by(pixels).map(move |cell| image * cells + cell)
        };
        if (0..images * cells).all(&known) {
            return Self::All;
        }
        let alike = |mark: usize| {
            let mut marks = of_pixel(mark).map(&known);
            marks.next().is_none_or(|first| marks.all(|other| other == first))
        };
        match (0..images * pixels).all(alike) {
            true => {
                Self::Pixels(Bits::from_marks((0..images * pixels).map(|mark| of_pixel(mark).all(&known))))
            }
            false => Self::Cells(Bits::from_marks((0..images * cells).map(known))),
        }
    }

    /// Whether a number (channel by channel, row by row) of an image of a size is known.
    pub(super) fn is_known(&self, size: Size, image: usize, cell: usize) -> bool {
        match self {
            Self::All => true,
            Self::Pixels(bits) => bits.get(image * size.pixels() + cell % size.pixels()),
            Self::Cells(bits) => bits.get(image * size.cells() + cell),
        }
    }
}
