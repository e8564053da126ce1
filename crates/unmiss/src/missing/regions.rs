//! Regions of images that are hidden: where each lies depends on the seed and on the image's number alone.

use std::fmt;
use std::str::FromStr;

use crate::data::images::{Images, Size};
use crate::error::{Error, Result, nearest};
use crate::rng::Stream;

/// How far a stroke turns from step to step, at most, in radians.
const TURN: f64 = 0.4;
/// A stroke begins anew elsewhere after so many image sides of way.
const LONGEST_STROKE: f64 = 1.0;

/// Which part of every image is hidden, in all channels; each with the share of pixels, strictly between 0 and 1.
///
/// With h rows, w columns and p = h w pixels:
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Region {
    /// `square:SHARE` A square (of an image that is not square, a rectangle of the same form) of sides √SHARE h and
    /// √SHARE w, anywhere in the image with the same chance: 14 x 14 of 28 x 28 for a share of 0.25. Sides between two
    /// whole numbers are the one or the other by chance, so that the share holds on average.
    Square(f64),
    /// `trapezoid:SHARE` All that lies below (or above, by a coin) a slanted line from the left side of the image to
    /// its right: the two parallel sides of the trapezoid are upright. Their mean is SHARE h; the left one is longer
    /// or shorter than that by an amount that is uniform between the steepest slants that leave the area as it is.
    Trapezoid(f64),
    /// `noise:SHARE` Single pixels, exactly SHARE p of them.
    Noise(f64),
    /// `pixels:SHARE` Single pixels, drawn -p ln(1 - SHARE) times with replacement: SHARE p of them are met on average.
    Pixels(f64),
    /// `lines:SHARE` Whole columns, drawn -w ln(1 - SHARE) times with replacement.
    Lines(f64),
    /// `strokes:SHARE` What a thick brush paints that wanders and now and then begins anew elsewhere, until exactly
    /// SHARE p pixels are met.
    Strokes(f64),
}

/// The names in [`Region`]'s text form, each followed by `:SHARE`.
const NAMES: [&str; 6] = ["square", "trapezoid", "noise", "pixels", "lines", "strokes"];

impl Region {
    /// The share of pixels to hide.
    pub fn share(&self) -> f64 {
        match *self {
            Self::Square(share)
            | Self::Trapezoid(share)
            | Self::Noise(share)
            | Self::Pixels(share)
            | Self::Lines(share)
            | Self::Strokes(share) => share,
        }
    }

    /// The name without the share.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Square(_) => NAMES[0],
            Self::Trapezoid(_) => NAMES[1],
            Self::Noise(_) => NAMES[2],
            Self::Pixels(_) => NAMES[3],
            Self::Lines(_) => NAMES[4],
            Self::Strokes(_) => NAMES[5],
        }
    }

    /// Whether a text begins with one of the names.
    pub fn is_named(text: &str) -> bool {
        NAMES.contains(&text.split(':').next().unwrap_or(text).trim())
    }

    /// The pixels of an image that are hidden: `[height, width]`, true where hidden.
    pub fn hidden(&self, size: Size, seed: u64, image: u64) -> Vec<bool> {
        let mut stream = Stream::new(seed, self.name(), image, 0);
        let mut hidden = vec![false; size.pixels()];
        let wanted = (self.share() * size.pixels() as f64).round() as usize;
        match self {
            Self::Square(share) => square(&mut hidden, size, *share, &mut stream),
            Self::Trapezoid(share) => trapezoid(&mut hidden, size, *share, &mut stream),
            Self::Noise(_) => {
                let order = stream.permutation(size.pixels());
                order[..wanted].iter().for_each(|&pixel| hidden[pixel] = true);
            }
            Self::Pixels(share) => {
                for _ in 0..draws(size.pixels(), *share) {
                    hidden[stream.below(size.pixels())] = true;
                }
            }
            Self::Lines(share) => {
                for _ in 0..draws(size.width, *share) {
                    let column = stream.below(size.width);
                    hidden.iter_mut().skip(column).step_by(size.width).for_each(|pixel| *pixel = true);
                }
            }
            Self::Strokes(_) => strokes(&mut hidden, size, wanted, &mut stream),
        }
        hidden
    }
}

impl fmt::Display for Region {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.name(), self.share())
    }
}

impl FromStr for Region {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, share) = text.split_once(':').unwrap_or((text, ""));
        let make = match name.trim() {
            "square" => Self::Square,
            "trapezoid" => Self::Trapezoid,
            "noise" => Self::Noise,
            "pixels" => Self::Pixels,
            "lines" => Self::Lines,
            "strokes" => Self::Strokes,
            other => {
                let error = Error::setting("how", format!("there is no region `{other}` of images"));
                return Err(error.with_hint(match nearest(other, NAMES) {
                    Some(near) => format!("did you mean `{near}:0.25`?"),
                    None => format!("the regions are: {}; write for example square:0.25", NAMES.join(", ")),
                }));
            }
        };
        let share: f64 = share.trim().parse().map_err(|_| {
            let what = format!("`{text}` needs a share after the colon");
            Error::setting("how", what).with_hint(format!("write for example {}:0.25", name.trim()))
        })?;
        match share > 0.0 && share < 1.0 {
            true => Ok(make(share)),
            false => Err(Error::setting("how", format!("the share {share} is not between 0 and 1"))
                .with_hint(format!("write the share to hide, for example {}:0.25", name.trim()))),
        }
    }
}

/// Hides a region of every image and forgets what was there. Holes that were there before stay.
pub fn hide_region(mut images: Images, region: &Region, seed: u64) -> Images {
    let size = images.size();
    for image in 0..images.len() {
        let hidden = region.hidden(size, seed, image as u64);
        for pixel in (0..size.pixels()).filter(|&pixel| hidden[pixel]) {
            images.hide(image, pixel);
        }
    }
    images
}

/// D = -p ln(1 - share): of p things, so many draws with replacement leave each with the chance (1 - 1/p)^D, about
/// 1 - share.
fn draws(things: usize, share: f64) -> usize {
    (-(things as f64) * (1.0 - share).ln()).round() as usize
}

fn square(hidden: &mut [bool], size: Size, share: f64, stream: &mut Stream) {
    let (height, width) = (size.height as f64, size.width as f64);
    let sides = |up: bool| {
        let side = |whole: f64| {
            let own = share.sqrt() * whole;
            // A side that is whole but for rounding is that.
            if (own - own.round()).abs() < 1e-9 {
                own.round()
            } else if up {
                own.ceil()
            } else {
                own.floor()
            }
        };
        (side(height), side(width))
    };
    let (small, large) = (sides(false), sides(true));
    let area = |(height, width): (f64, f64)| height * width;
    let step = area(large) - area(small);
    let chance = if step > 0.0 { (share * height * width - area(small)) / step } else { 0.0 };
    let (tall, wide) = if stream.uniform() < chance { large } else { small };
    let (tall, wide) = (tall as usize, wide as usize);
    let (top, left) = (stream.below(size.height - tall + 1), stream.below(size.width - wide + 1));
    for row in top..top + tall {
        hidden[row * size.width + left..row * size.width + left + wide].fill(true);
    }
}

fn trapezoid(hidden: &mut [bool], size: Size, share: f64, stream: &mut Stream) {
    let height = size.height as f64;
    // The line may be so steep that one side is as long as the image or has no length.
    let steepest = share.min(1.0 - share) * height;
    let slant = (2.0 * stream.uniform() - 1.0) * steepest;
    let above = stream.uniform() < 0.5;
    let (mut area, mut painted) = (0.0, 0);
    for column in 0..size.width {
        let middle = (column as f64 + 0.5) / size.width as f64;
        area += share * height + slant * (1.0 - 2.0 * middle);
        // What one column is rounded up by, the next ones make up for: the area is right to a pixel.
        let length = (area.round() as usize - painted).min(size.height);
        painted += length;
        for row in 0..length {
            let row = if above { row } else { size.height - 1 - row };
            hidden[row * size.width + column] = true;
        }
    }
}

fn strokes(hidden: &mut [bool], size: Size, wanted: usize, stream: &mut Stream) {
    let (height, width) = (size.height as f64, size.width as f64);
    let side = height.min(width);
    let mut left = wanted;
    while left > 0 {
        let (mut y, mut x) = (stream.uniform() * height, stream.uniform() * width);
        let mut direction = stream.uniform() * std::f64::consts::TAU;
        let radius = (side * (0.04 + 0.06 * stream.uniform())).max(0.5);
        let mut way = 0.0;
        while left > 0 && way < LONGEST_STROKE * side {
            left -= dab(hidden, size, (y, x), radius, left);
            direction += TURN * (2.0 * stream.uniform() - 1.0);
            let step = radius.max(1.0);
            (y, x, way) = (y + step * direction.sin(), x + step * direction.cos(), way + step);
        }
    }
}

/// Hides up to so many pixels of a disc that are not hidden yet; returns how many.
fn dab(hidden: &mut [bool], size: Size, (y, x): (f64, f64), radius: f64, most: usize) -> usize {
    let around = |middle: f64, end: usize| {
        let first = (middle - radius).floor().clamp(0.0, end as f64) as usize;
        first..((middle + radius).ceil().clamp(0.0, end as f64) as usize)
    };
    let mut met = 0;
    for row in around(y, size.height) {
        for column in around(x, size.width) {
            let (down, across) = (row as f64 + 0.5 - y, column as f64 + 0.5 - x);
            let pixel = &mut hidden[row * size.width + column];
            if !*pixel && met < most && down * down + across * across <= (radius * radius).max(0.5) {
                *pixel = true;
                met += 1;
            }
        }
    }
    met
}

#[cfg(test)]
mod tests;
