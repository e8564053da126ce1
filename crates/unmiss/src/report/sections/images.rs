//! Images as sections of a page: what is known of them, where holes are, and what they look like.

use crate::data::images::Images;
use crate::error::Result;
use crate::missing::ImagesDescription;
use crate::missing::words::number;
use crate::report::{Bars, ContactSheet, Grid, PixelMap, Section, Words};

/// Sides of the map, at most.
const FINEST: usize = 64;
/// Images on the contact sheet.
const SHOWN: usize = 40;
/// Bins of the histogram of what is known.
const BINS: usize = 10;

/// What is known of images.
///
/// # Errors
/// When a chart can't be drawn.
pub fn images(images: &Images, found: &ImagesDescription) -> Result<Vec<Section>> {
    let mut holes = Section::new("Where holes are");
    if found.missing > 0.0 {
        let factor = found.height.max(found.width).div_ceil(FINEST);
        let (rows, columns, shares) =
            found.coarse(found.height.div_ceil(factor), found.width.div_ceil(factor));
        let most = found.missing_by_pixel.iter().copied().fold(0.0, f64::max);
        let least = found.missing_by_pixel.iter().copied().fold(1.0, f64::min);
        let seen = "The stronger the ink, the more often the pixel there is missing.";
        let meaning = format!(
            "The pixel that is missing most often is a hole in {:.1} % of the images, the one that is missing least \
             often in {:.1} %.",
            100.0 * most,
            100.0 * least
        );
        let words = Words::new("How often each pixel is missing", seen, meaning);
        holes = holes.chart(PixelMap { words, rows, columns, shares }.draw()?).chart(known(images)?);
    } else {
        holes = holes.text("Nowhere.");
    }
    if !found.classes.is_empty() {
        let mut grid = Grid::new(["class", "images", "missing"]);
        for class in &found.classes {
            let missing = format!("{:.1} %", 100.0 * class.missing);
            grid = grid.row([class.class.clone(), number(class.images), missing]);
        }
        if found.unlabelled > 0 {
            grid = grid.row(["(not known)".to_owned(), number(found.unlabelled), String::new()]);
        }
        holes = holes.table("By class", grid);
    }
    Ok(vec![holes, Section::new("What they look like").chart(sheet(images)?)])
}

/// Images by how much of them is known.
fn known(images: &Images) -> Result<crate::report::Chart> {
    let pixels = images.size().pixels();
    let mut bars: Vec<(String, f64)> =
        (0..BINS).map(|bin| (format!("{} to {} %", 100 * bin / BINS, 100 * (bin + 1) / BINS), 0.0)).collect();
    for image in 0..images.len() {
        let bin = images.known_pixels(image) * BINS / pixels;
        bars[bin.min(BINS - 1)].1 += 1.0;
    }
    let seen = "How many images are known to such a share.";
    let words = Words::new("How much of an image is known", seen, String::new());
    Bars { words, names: "known".into(), values: "images".into(), bars }.draw()
}

/// Images from the first to the last, evenly.
fn sheet(images: &Images) -> Result<crate::report::Chart> {
    let count = images.len().min(SHOWN);
    let shown = (0..count).map(|place| (0, place * images.len() / count.max(1))).collect();
    let seen = format!("{} of the {} images, evenly from all; holes are pink.", count, number(images.len()));
    let words = Words::new("Some of the images", seen, String::new());
    ContactSheet { words, sets: vec![images], shown, across: None }.draw()
}
