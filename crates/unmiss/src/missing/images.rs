//! What is known of images: how much, where, and whether some classes have more holes than others.

use serde::Serialize;

use crate::data::images::{Images, Pixels};

/// What is known, and what is missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImagesDescription {
    /// How many images there are.
    pub images: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// Numbers of a pixel.
    pub channels: usize,
    /// Whether values are bytes from 0 to 255.
    pub bytes: bool,
    /// The smallest and the largest known value.
    pub range: (f32, f32),
    /// Share of the pixels that is missing, in any of their channels.
    pub missing: f64,
    /// Images without a hole.
    pub complete: usize,
    /// Images of which nothing is known.
    pub empty: usize,
    /// Share known of each image: the least, the median and the most.
    pub known: [f64; 3],
    /// `[height, width]`: share of the images in which a pixel is missing.
    pub missing_by_pixel: Vec<f64>,
    /// Classes in their order; empty where they are not known.
    pub classes: Vec<ClassHoles>,
    /// Images whose class is not known, where those of others are.
    pub unlabelled: usize,
}

/// The images of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassHoles {
    /// The class.
    pub class: String,
    /// How many images are of it.
    pub images: usize,
    /// Share of their pixels that is missing.
    pub missing: f64,
}

impl ImagesDescription {
    /// The share missing over a coarser grid of at most so many rows and columns: each cell the mean of its pixels.
    pub fn coarse(&self, rows: usize, columns: usize) -> (usize, usize, Vec<f64>) {
        let (rows, columns) = (rows.min(self.height).max(1), columns.min(self.width).max(1));
        let mut cells = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let down = row * self.height / rows..(row + 1) * self.height / rows;
                let across = column * self.width / columns..(column + 1) * self.width / columns;
                let count = (down.len() * across.len()).max(1);
                let line = |y: usize| &self.missing_by_pixel[y * self.width..][across.clone()];
                cells.push(down.map(|y| line(y).iter().sum::<f64>()).sum::<f64>() / count as f64);
            }
        }
        (rows, columns, cells)
    }
}

/// Describes images.
pub fn describe_images(images: &Images) -> ImagesDescription {
    let size = images.size();
    let pixels = size.pixels();
    let known: Vec<usize> = (0..images.len()).map(|image| images.known_pixels(image)).collect();
    let (mut missing, mut range) = (vec![0_usize; pixels], (f32::INFINITY, f32::NEG_INFINITY));
    for (image, known) in known.iter().enumerate() {
        if *known < pixels {
            for pixel in (0..pixels).filter(|&pixel| !images.is_pixel_known(image, pixel)) {
                missing[pixel] += 1;
            }
        }
        for cell in (0..size.cells()).filter(|&cell| images.is_known(image, cell)) {
            let value = images.value(image, cell);
            range = (range.0.min(value), range.1.max(value));
        }
    }
    let share = |known: usize, images: usize| 1.0 - known as f64 / (images * pixels).max(1) as f64;
    let mut sorted = known.clone();
    sorted.sort_unstable();
    let at = |place: usize| sorted.get(place).map_or(0.0, |known| *known as f64 / pixels as f64);
    let mut classes = Vec::new();
    if let Some((labels, (codes, levels))) = images.labels().and_then(|own| Some((own, own.codes()?))) {
        for (code, class) in levels.iter().enumerate() {
            let own = (0..images.len()).filter(|&row| labels.observed[row] && codes[row] as usize == code);
            let (count, known) = own.fold((0, 0), |(count, sum), row| (count + 1, sum + known[row]));
            classes.push(ClassHoles { class: class.clone(), images: count, missing: share(known, count) });
        }
    }
    ImagesDescription {
        images: images.len(),
        height: size.height,
        width: size.width,
        channels: size.channels,
        bytes: matches!(images.values(), Pixels::Bytes(_)),
        range: if range.0 <= range.1 { range } else { (0.0, 0.0) },
        missing: share(known.iter().sum(), images.len()),
        complete: known.iter().filter(|known| **known == pixels).count(),
        empty: known.iter().filter(|known| **known == 0).count(),
        known: [at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1))],
        missing_by_pixel: missing.iter().map(|count| *count as f64 / images.len().max(1) as f64).collect(),
        classes,
        unlabelled: images.labels().map_or(0, crate::data::Column::missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::sample;
    use crate::missing::regions::{Region, hide_region};

    #[test]
    fn holes_are_counted_by_place_by_class_and_by_image() {
        let digits = sample().unwrap();
        let whole = describe_images(&digits);
        assert_eq!((whole.images, whole.complete, whole.missing, whole.known), (1797, 1797, 0.0, [1.0; 3]));
        assert_eq!(whole.classes.len(), 10);
        assert_eq!(whole.classes.iter().map(|class| class.images).sum::<usize>(), 1797);
        let holed = describe_images(&hide_region(digits, &Region::Square(0.25), 1));
        assert!((holed.missing - 0.25).abs() < 1e-12);
        assert_eq!((holed.complete, holed.known), (0, [0.75; 3]));
        let (corner, middle) = (holed.missing_by_pixel[0], holed.missing_by_pixel[3 * 8 + 3]);
        assert!(corner < 0.06 && middle > 0.5, "{corner} {middle}");
        let (rows, columns, cells) = holed.coarse(4, 20);
        assert_eq!((rows, columns, cells.len()), (4, 8, 32));
        assert!((cells.iter().sum::<f64>() / 32.0 - 0.25).abs() < 1e-12);
    }
}
