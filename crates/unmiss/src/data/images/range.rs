//! Between which values the pixels of images lie.

use super::pixels::Pixels;
use super::set::Images;

/// Bytes no brighter than this are levels that count from 0 (0 and 1, or 0 to 16), and no pictures that are all but
/// black.
pub const MOST_LEVELS: u8 = 16;

impl Images {
    /// The values that are black and white: 0 and 255 for bytes, or 0 and the largest known one where that is no more
    /// than 16; 0 and 1 for numbers between those; else the smallest and the largest known one. None where nothing is
    /// known.
    pub fn range(&self) -> Option<(f32, f32)> {
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        let bytes = matches!(self.values(), Pixels::Bytes(_));
        for image in 0..self.len() {
            for cell in (0..self.size().cells()).filter(|&cell| self.is_known(image, cell)) {
                let value = self.value(image, cell);
                (low, high) = (low.min(value), high.max(value));
                if bytes && high > f32::from(MOST_LEVELS) {
                    return Some((0.0, f32::from(u8::MAX)));
                }
            }
        }
        match bytes {
            _ if low > high => None,
            true if high == 0.0 => Some((0.0, f32::from(u8::MAX))),
            true => Some((0.0, high)),
            false if low >= 0.0 && high <= 1.0 => Some((0.0, 1.0)),
            false => Some((low, high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Bits, Observed, Size};

    #[test]
    fn bytes_that_are_levels_end_at_the_largest_known_one() {
        let size = Size { channels: 1, height: 1, width: 3 };
        let range = |values, known: [bool; 3]| {
            let marks = Observed::Pixels(Bits::from_marks(known));
            Images::new(size, values, marks).unwrap().range()
        };
        let bytes = |values: [u8; 3]| range(Pixels::Bytes(values.into()), [true; 3]);
        assert_eq!(bytes([0, 1, 0]), Some((0.0, 1.0)));
        assert_eq!(bytes([3, 16, 4]), Some((0.0, 16.0)));
        assert_eq!(bytes([3, 17, 4]), Some((0.0, 255.0)));
        assert_eq!(bytes([0, 0, 0]), Some((0.0, 255.0)), "black");
        assert_eq!(range(Pixels::Bytes(vec![1, 0, 200]), [true, true, false]), Some((0.0, 1.0)));
        assert_eq!(range(Pixels::Numbers(vec![0.2, 0.7, 0.3]), [true; 3]), Some((0.0, 1.0)));
        assert_eq!(range(Pixels::Numbers(vec![0.2, 7.0, 9.0]), [true, true, false]), Some((0.2, 7.0)));
        assert_eq!(range(Pixels::Bytes(vec![1, 0, 200]), [false; 3]), None);
    }
}
