//! Images on a canvas whose sides can be halved as often as a network halves them: the image, and to its right and
//! below as much of nothing as is needed.

use crate::data::images::Size;
use crate::nn::Shape;

/// The image's size and the canvas around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Canvas {
    size: Size,
    shape: Shape,
}

impl Canvas {
    /// For images of a size whose sides are halved so many times.
    pub fn new(size: Size, halvings: usize) -> Self {
        let whole = |side: usize| side.next_multiple_of(1 << halvings);
        Self { size, shape: Shape::new(size.channels, whole(size.height), whole(size.width)) }
    }

    /// The canvas.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The pixel of the image that a number of the canvas belongs to.
    pub fn pixel(&self, number: usize) -> usize {
        let place = number % self.shape.pixels();
        place / self.shape.width * self.size.width + place % self.shape.width
    }

    /// Numbers of images, `[planes, height, width]`, on the canvas: 0 beside the image.
    pub fn spread(&self, numbers: &[f32]) -> Vec<f32> {
        let (Size { height, width, .. }, shape) = (self.size, self.shape);
        if (height, width) == (shape.height, shape.width) {
            return numbers.to_vec();
        }
        let planes = numbers.len() / (height * width);
        let mut spread = vec![0.0; planes * shape.pixels()];
        for (line, numbers) in numbers.chunks_exact(width).enumerate() {
            let start = (line / height) * shape.pixels() + (line % height) * shape.width;
            spread[start..start + width].copy_from_slice(numbers);
        }
        spread
    }

    /// What lies on the canvas, `[planes, canvas]`, without what is beside the image.
    pub fn cropped(&self, numbers: &[f32]) -> Vec<f32> {
        let (Size { height, width, .. }, shape) = (self.size, self.shape);
        let plane = |plane: &[f32]| {
            plane.chunks_exact(shape.width).take(height).flat_map(|line| line[..width].to_vec()).collect()
        };
        numbers.chunks_exact(shape.pixels()).flat_map::<Vec<f32>, _>(plane).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;

    #[test]
    fn images_of_any_size_find_room_and_come_back() {
        for (height, width, halvings) in [(8, 8, 2), (7, 10, 2), (3, 2, 1), (1, 5, 0)] {
            let canvas = Canvas::new(Size { channels: 2, height, width }, halvings);
            let numbers = random(2 * 2 * height * width, "canvas");
            let spread = canvas.spread(&numbers);
            assert_eq!(spread.len(), 2 * canvas.shape().numbers());
            assert!(canvas.shape().height.is_multiple_of(1 << halvings));
            assert_eq!(canvas.cropped(&spread), numbers);
        }
    }
}
