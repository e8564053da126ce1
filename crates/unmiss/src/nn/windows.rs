//! What is known under the windows of a convolution.

use std::borrow::Cow;

use crate::nn::convolution::{Convolution, Shape, Window};

/// Which numbers of a batch of images are known.
#[derive(Debug, Clone)]
pub struct Observed<'a> {
    /// `[rows, channels x height x width]`, true where known.
    pub marks: Cow<'a, [bool]>,
    /// As many as the images have, or 1 where all channels of a pixel are known or none.
    pub channels: usize,
}

impl<'a> Observed<'a> {
    /// A mark for each number.
    pub fn new(marks: impl Into<Cow<'a, [bool]>>, channels: usize) -> Self {
        Self { marks: marks.into(), channels }
    }

    /// The mark of a number of an image.
    #[inline]
    pub(in crate::nn) fn known(&self, image: usize, number: usize, shape: Shape) -> bool {
        let pixels = shape.pixels();
        let plane = if self.channels == 1 { number % pixels } else { number };
        self.marks[image * self.channels * pixels + plane]
    }

    /// Images with 0 for what is not known; what stands there is not read.
    pub(in crate::nn) fn masked(&self, images: &[f32], shape: Shape) -> Vec<f32> {
        let mut masked = images.to_vec();
        self.mask(&mut masked, shape);
        masked
    }

    /// The same in place.
    pub(in crate::nn) fn mask(&self, images: &mut [f32], shape: Shape) {
        let pixels = shape.pixels();
        let marks = self.marks.chunks_exact(self.channels * pixels);
        for (image, marks) in images.chunks_exact_mut(shape.numbers()).zip(marks) {
            for (plane, marks) in image.chunks_exact_mut(pixels).zip(marks.chunks_exact(pixels).cycle()) {
                for (value, known) in plane.iter_mut().zip(marks) {
                    *value = if *known { *value } else { 0.0 };
                }
            }
        }
    }

    /// How many known (or, with `false`, unknown) numbers lie under each window of a convolution:
    /// `[rows, output pixels]`. The border around an image counts as neither.
    pub(in crate::nn) fn count(&self, layer: &Convolution, known: bool) -> Vec<u32> {
        let (shape, output) = (layer.input(), layer.output());
        let times = (shape.channels / self.channels) as u32;
        let mut counts =
            Vec::with_capacity(self.marks.len() / (self.channels * shape.pixels()) * output.pixels());
        let mut plane = vec![0_u32; shape.pixels()];
        for marks in self.marks.chunks_exact(self.channels * shape.pixels()) {
            plane.fill(0);
            for marks in marks.chunks_exact(shape.pixels()) {
                plane.iter_mut().zip(marks).for_each(|(sum, mark)| *sum += times * u32::from(*mark == known));
            }
            add_windows(&plane, shape, output, layer.window(), &mut counts);
        }
        counts
    }
}

/// The sum under each window: first along the rows, then down the columns.
fn add_windows(plane: &[u32], shape: Shape, output: Shape, window: Window, counts: &mut Vec<u32>) {
    let Window { kernel, stride, padding } = window;
    let within = |place: usize, length: usize| {
        let first = (place * stride).saturating_sub(padding);
        first..(place * stride + kernel).saturating_sub(padding).min(length).max(first)
    };
    let mut lines = Vec::with_capacity(shape.height * output.width);
    for line in plane.chunks_exact(shape.width) {
        lines.extend((0..output.width).map(|column| line[within(column, shape.width)].iter().sum::<u32>()));
    }
    for row in 0..output.height {
        for column in 0..output.width {
            counts.push(within(row, shape.height).map(|line| lines[line * output.width + column]).sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_are_counted_as_the_definition_has_it() {
        let shape = Shape::new(2, 5, 4);
        let marks: Vec<bool> = (0..3 * shape.numbers()).map(|i| (i * 7) % 5 < 3).collect();
        for (kernel, stride, padding) in [(3, 1, 1), (3, 2, 0), (2, 3, 1), (4, 1, 3)] {
            let layer = Convolution::new(shape, 1, Window { kernel, stride, padding }).unwrap();
            let ones = vec![1.0; kernel * kernel * 2];
            for known in [true, false] {
                let numbers: Vec<f32> =
                    marks.iter().map(|mark| f32::from(u8::from(*mark == known))).collect();
                let mut sums = Vec::new();
                layer.infer(&numbers, &ones, None, false, &mut sums);
                let counts = Observed::new(marks.as_slice(), 2).count(&layer, known);
                let counts: Vec<f32> = counts.iter().map(|count| *count as f32).collect();
                assert_eq!(counts, sums);
            }
            // One mark for both channels counts twice.
            let one = &marks[..shape.pixels()];
            let both = [one, one].concat();
            let counts =
                |marks: &[bool], channels| Observed::new(marks.to_vec(), channels).count(&layer, true);
            assert_eq!(counts(one, 1), counts(&both, 2));
        }
    }
}
