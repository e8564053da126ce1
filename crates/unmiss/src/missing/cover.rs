//! Pixels of images that are hidden so that what is filled in can be held against the truth.

use std::fmt;
use std::str::FromStr;

use super::regions::{Region, hide_region};
use crate::data::images::Images;
use crate::error::{Error, Result};
use crate::rng::Stream;

/// The text form of [`Cover::Others`].
const OTHERS: &str = "others";

/// Which known pixels are hidden. An image of which nothing would be left known stays as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cover {
    /// `others`: each image gets the holes of another one beside its own, so that what is hidden looks like what is
    /// missing.
    Others,
    /// A region of each.
    Region(Region),
}

impl Cover {
    /// What suits images: the holes of others where there are any, otherwise a square of a quarter.
    pub fn usual(images: &Images) -> Self {
        if images.has_holes() { Self::Others } else { Self::Region(Region::Square(0.25)) }
    }

    /// The images with further holes.
    ///
    /// # Errors
    /// When no pixel could be hidden.
    pub fn hide(&self, images: &Images, seed: u64) -> Result<Images> {
        let covered = match self {
            Self::Region(region) => hide_region(images.clone(), region, seed),
            Self::Others => holes_of_others(images, seed),
        };
        let (mut kept, mut hidden) = (images.clone(), 0);
        for image in 0..images.len() {
            let left = covered.known_pixels(image);
            if left > 0 && left < images.known_pixels(image) {
                hidden += images.known_pixels(image) - left;
                let gone = |&pixel: &usize| !covered.is_pixel_known(image, pixel);
                (0..images.size().pixels()).filter(gone).for_each(|pixel| kept.hide(image, pixel));
            }
        }
        match hidden {
            0 => Err(Error::data("no known pixel could be hidden to measure by")
                .with_hint("say how with a region such as square:0.25, or give more images")),
            _ => Ok(kept),
        }
    }
}

impl fmt::Display for Cover {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Others => out.write_str(OTHERS),
            Self::Region(region) => region.fmt(out),
        }
    }
}

impl FromStr for Cover {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == OTHERS { Ok(Self::Others) } else { text.parse().map(Self::Region) }
    }
}

/// Along a circle of all images in random order, each takes the holes of the next.
fn holes_of_others(images: &Images, seed: u64) -> Images {
    let mut covered = images.clone();
    let circle = Stream::new(seed, "holes of others", 0, 0).permutation(images.len());
    for (place, &image) in circle.iter().enumerate() {
        let other = circle[(place + 1) % circle.len()];
        let missing = |&pixel: &usize| !images.is_pixel_known(other, pixel);
        (0..images.size().pixels()).filter(missing).for_each(|pixel| covered.hide(image, pixel));
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::sample;

    #[test]
    fn each_image_gets_the_holes_of_another() {
        let some: Vec<usize> = (0..50).collect();
        let digits = hide_region(sample().unwrap().select(&some), &Region::Square(0.25), 1);
        assert_eq!(Cover::usual(&digits), Cover::Others);
        let covered = Cover::Others.hide(&digits, 3).unwrap();
        let known = |images: &Images| (0..50).map(|image| images.known_pixels(image)).sum::<usize>();
        // Two squares of 16 pixels that overlap by chance: between 16 and 32 of 64 are missing.
        let share = known(&covered) as f64 / known(&digits) as f64;
        assert!((0.67..0.9).contains(&share), "{share}");
        assert!((0..50).all(|image| {
            (0..64).all(|pixel| digits.is_pixel_known(image, pixel) || !covered.is_pixel_known(image, pixel))
        }));
        assert_eq!(covered, Cover::Others.hide(&digits, 3).unwrap());
        assert_eq!("others".parse::<Cover>().unwrap().to_string(), "others");
        assert_eq!("noise:0.5".parse::<Cover>().unwrap().to_string(), "noise:0.5");
    }

    #[test]
    fn where_nothing_can_be_hidden_it_is_said() {
        let digits = sample().unwrap().select(&[0, 1]);
        assert_eq!(Cover::usual(&digits).to_string(), "square:0.25");
        let error = Cover::Others.hide(&digits, 0).unwrap_err();
        assert_eq!(error.to_string(), "no known pixel could be hidden to measure by");
    }
}
