//! How far filled pixels are from the truth.

use serde::Serialize;

use crate::data::images::Images;

/// The error of filled pixels whose truth is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PixelError {
    /// Root mean squared error, in the images' own units.
    pub rmse: f64,
    /// The standard deviation of the truth under the hidden pixels.
    pub deviation: f64,
    /// White less black ([`Images::range`]): 255 for most bytes and 1 for numbers from 0 to 1.
    pub range: f64,
    /// How many numbers were hidden.
    pub hidden: usize,
}

impl PixelError {
    /// Of numbers that are known in `truth` and not in `holed`, by what stands there in `filled`.
    pub fn of(truth: &Images, holed: &Images, filled: &Images) -> Self {
        let (mut squares, mut sum, mut sum_of_squares, mut hidden) = (0.0, 0.0, 0.0, 0);
        for image in 0..truth.len() {
            for cell in (0..truth.size().cells()).filter(|&cell| truth.is_known(image, cell)) {
                let value = f64::from(truth.value(image, cell));
                if !holed.is_known(image, cell) {
                    squares += (f64::from(filled.value(image, cell)) - value).powi(2);
                    (sum, sum_of_squares, hidden) = (sum + value, sum_of_squares + value * value, hidden + 1);
                }
            }
        }
        let count = hidden as f64;
        let range = truth.range().map_or(f64::NAN, |(low, high)| f64::from(high) - f64::from(low));
        let deviation = (sum_of_squares / count - (sum / count).powi(2)).max(0.0).sqrt();
        Self { rmse: (squares / count).sqrt(), deviation, range, hidden }
    }

    /// The error in standard deviations of the truth: 1 for the mean of all hidden pixels.
    pub fn relative(&self) -> f64 {
        // Where all hidden pixels are the same, an error of nothing is the best there is.
        if self.rmse == 0.0 { 0.0 } else { self.rmse / self.deviation.max(f64::MIN_POSITIVE) }
    }

    /// Peak signal-to-noise ratio in decibels: 20 log10(range / RMSE).
    pub fn psnr(&self) -> f64 {
        20.0 * (self.range / self.rmse).log10()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Observed, Pixels, Size};

    #[test]
    fn hidden_pixels_count_and_others_do_not() {
        let size = Size { channels: 1, height: 1, width: 4 };
        let images = |bytes: [u8; 4]| Images::new(size, Pixels::Bytes(bytes.into()), Observed::All).unwrap();
        let (truth, filled) = (images([10, 20, 30, 40]), images([10, 23, 26, 40]));
        let mut holed = truth.clone();
        [1, 2].into_iter().for_each(|pixel| holed.hide(0, pixel));
        let error = PixelError::of(&truth, &holed, &filled);
        assert!((error.rmse - 12.5_f64.sqrt()).abs() < 1e-12 && error.hidden == 2);
        assert!((error.relative() - 12.5_f64.sqrt() / 5.0).abs() < 1e-12);
        assert!((error.psnr() - 37.1618).abs() < 1e-4, "{}", error.psnr());
        // Of levels such as 0 and 1, an error of 1 is all there is.
        let (truth, filled) = (images([0, 1, 1, 0]), images([0, 0, 1, 0]));
        let mut holed = truth.clone();
        holed.hide(0, 1);
        assert_eq!(PixelError::of(&truth, &holed, &filled).psnr(), 0.0);
    }
}
