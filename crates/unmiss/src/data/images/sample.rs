//! The built-in sample of images.

use super::npz;
use super::set::Images;
use crate::error::Result;

/// What stands behind `sample:` for the built-in images.
pub const SAMPLE: &str = "digits";

/// 1,797 handwritten digits of 8 x 8 pixels with their classes: Optical Recognition of Handwritten Digits, the test
/// part, Alpaydin and Kaynak (1998), UCI Machine Learning Repository, CC BY 4.0. Greys from 0 to 16 are stretched to 0
/// to 255.
///
/// # Errors
/// None that a test would not have seen.
pub fn sample() -> Result<Images> {
    let file: &[u8] = include_bytes!("../../../samples/digits.npz");
    npz::read(&format!("sample:{SAMPLE}"), std::io::Cursor::new(file))
}
