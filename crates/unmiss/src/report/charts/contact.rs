//! A contact sheet: some images side by side as one picture inside the page, holes in a colour of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

use crate::data::images::{Images, Pixels, Size};
use crate::error::{Error, Result};
use crate::report::axes::WIDTH;
use crate::report::canvas::draw;
use crate::report::chart::{Chart, Grid, Words};

/// Images in a row of the sheet.
const ACROSS: usize = 8;
/// Pixels of the picture for one side of an image, about.
const SIDE: usize = 72;
/// Pixels between images.
const GAP: usize = 4;
/// The colour of holes, and a darker one in which they are hatched: no common picture is full of either.
const HOLE: [[u8; 3]; 2] = [[214, 92, 140], [176, 60, 110]];
/// What images stand on.
const GROUND: [u8; 3] = [128, 128, 128];

/// Some images.
#[derive(Debug, Clone)]
pub struct ContactSheet<'a> {
    /// What is said about the chart.
    pub words: Words,
    /// Sets of images of one size, such as one with holes and the same filled.
    pub sets: Vec<&'a Images>,
    /// What is shown, in its order: the position of a set and of an image of it.
    pub shown: Vec<(usize, usize)>,
    /// Images in a row of the sheet; none: eight.
    pub across: Option<usize>,
}

impl ContactSheet<'_> {
    /// Draws the chart. The numbers beside it tell the class of each image and how much of it is known.
    ///
    /// # Errors
    /// When the picture can't be made.
    pub fn draw(&self) -> Result<Chart> {
        let sheet = self.sheet();
        let mut png = Vec::new();
        PngEncoder::new(&mut png)
            .write_image(&sheet.pixels, sheet.width as u32, sheet.height as u32, ExtendedColorType::Rgb8)
            .map_err(|error| Error::data(format!("the contact sheet can't be drawn: {error}")))?;
        let mut drawing = draw(WIDTH, WIDTH * sheet.height as f64 / sheet.width as f64, |_| {})?;
        let (width, height) = drawing.view;
        drawing.body = format!(
            "<image width=\"{width}\" height=\"{height}\" href=\"data:image/png;base64,{}\"/>",
            STANDARD.encode(png)
        );
        let mut numbers = Grid::new(["image", "class", "known"]);
        for &(set, image) in self.shown.iter().filter(|(set, _)| *set == 0) {
            let images = self.sets[set];
            let class = images.labels().and_then(|labels| labels.cell(image)).unwrap_or_default();
            let known = images.known_pixels(image) as f64 / images.size().pixels() as f64;
            let name = images.names.as_ref().map(|names| names[image].clone());
            let name = name.unwrap_or_else(|| (image + 1).to_string());
            numbers = numbers.row([name, class, format!("{:.1} %", 100.0 * known)]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn sheet(&self) -> Sheet {
        let size = self.size();
        // Small images are enlarged, of large ones every n-th pixel is shown.
        let longest = size.height.max(size.width);
        let (enlarged, skipped) = ((SIDE / longest).max(1), longest.div_ceil(2 * SIDE).max(1));
        let tall = size.height.div_ceil(skipped) * enlarged;
        let wide = size.width.div_ceil(skipped) * enlarged;
        let across = self.across.unwrap_or(ACROSS).max(1);
        let down = self.shown.len().div_ceil(across).max(1);
        let (width, height) = (across * (wide + GAP) + GAP, down * (tall + GAP) + GAP);
        let mut sheet = Sheet { width, height, pixels: GROUND.repeat(width * height) };
        let (low, high) = self.range();
        for (place, &(set, image)) in self.shown.iter().enumerate() {
            let images = self.sets[set];
            let corner = (GAP + place / across * (tall + GAP), GAP + place % across * (wide + GAP));
            for y in 0..tall {
                for x in 0..wide {
                    let pixel = (y / enlarged * skipped).min(size.height - 1) * size.width
                        + (x / enlarged * skipped).min(size.width - 1);
                    let colour = match images.is_pixel_known(image, pixel) {
                        true => colour(images, image, pixel, (low, high)),
                        false => HOLE[usize::from((x + y) % 6 < 2)],
                    };
                    sheet.paint(corner.0 + y, corner.1 + x, colour);
                }
            }
        }
        sheet
    }

    /// The size of every image.
    fn size(&self) -> Size {
        self.sets.first().map_or(Size { channels: 1, height: 1, width: 1 }, |images| images.size())
    }

    /// The values that are drawn black and white: those of bytes, or of what is known of the images shown.
    fn range(&self) -> (f32, f32) {
        if self.sets.iter().all(|images| matches!(images.values(), Pixels::Bytes(_))) {
            let white = self.sets.iter().filter_map(|images| Some(images.range()?.1)).reduce(f32::max);
            return (0.0, white.unwrap_or(f32::from(u8::MAX)));
        }
        let cells = 0..self.size().cells();
        let shown = self.shown.iter().flat_map(|&shown| cells.clone().map(move |cell| (shown, cell)));
        let known = shown.filter(|((set, image), cell)| self.sets[*set].is_known(*image, *cell));
        let range = known.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), ((set, image), cell)| {
            let value = self.sets[set].value(image, cell);
            (low.min(value), high.max(value))
        });
        if range.0 < range.1 { range } else { (0.0, 1.0) }
    }
}

/// The colour of a known pixel: its first three channels, or grey.
fn colour(images: &Images, image: usize, pixel: usize, (low, high): (f32, f32)) -> [u8; 3] {
    let size = images.size();
    let channel = |channel: usize| {
        let value = images.value(image, channel * size.pixels() + pixel);
        (255.0 * (value - low) / (high - low)).round().clamp(0.0, 255.0) as u8
    };
    if size.channels < 3 { [channel(0); 3] } else { [channel(0), channel(1), channel(2)] }
}

/// A picture under construction, red, green and blue side by side.
struct Sheet {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Sheet {
    fn paint(&mut self, row: usize, column: usize, colour: [u8; 3]) {
        let start = 3 * (row * self.width + column);
        self.pixels[start..start + 3].copy_from_slice(&colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Observed, sample};

    #[test]
    fn holes_have_a_colour_of_their_own_and_the_picture_is_inside_the_page() {
        let mut digits = sample().unwrap().select(&[0, 1, 2]);
        digits.hide(1, 0);
        let sheet = ContactSheet {
            words: Words::default(),
            sets: vec![&digits],
            shown: vec![(0, 0), (0, 1), (0, 2)],
            across: None,
        };
        let drawn = sheet.sheet();
        // Each digit is enlarged nine times: the hole is a corner of 9 x 9 of the second.
        let pink = drawn.pixels.as_chunks::<3>().0.iter().filter(|pixel| HOLE.contains(*pixel)).count();
        assert_eq!(pink, 81);
        let chart = sheet.draw().unwrap();
        assert!(chart.drawing.body.contains("href=\"data:image/png;base64,iVBOR"));
        assert_eq!(chart.numbers.rows[1], ["2", "1", "98.4 %"]);
    }

    #[test]
    fn white_is_the_brightest_of_levels() {
        let size = Size { channels: 1, height: 1, width: 2 };
        let pair = Images::new(size, Pixels::Bytes(vec![0, 1]), Observed::All).unwrap();
        let sheet =
            ContactSheet { words: Words::default(), sets: vec![&pair], shown: vec![(0, 0)], across: None };
        let drawn = sheet.sheet();
        let white = drawn.pixels.as_chunks::<3>().0.iter().filter(|pixel| **pixel == [255; 3]).count();
        assert_eq!(white, 36 * 36);
    }
}
