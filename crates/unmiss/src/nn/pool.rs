//! Pooling: each channel of an image, squares of pixels taken together, `[rows, channels x height x width]`.
//!
//! ```text
//! max       the largest of 2 x 2 pixels       its gradient goes to the first of the largest
//! average   their mean                        its gradient goes to all alike
//! ```
//!
//! A row or column that is left over is not looked at. The global forms take all pixels of a channel.

use std::ops::Range;

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::nn::convolution::Shape;
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// What becomes of the pixels that are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pool {
    /// The largest of 2 x 2.
    Max,
    /// The mean of 2 x 2.
    Average,
    /// The largest of all.
    GlobalMax,
    /// The mean of all.
    GlobalAverage,
}

impl Pool {
    /// Height and width of what is taken together.
    pub(super) fn sides(self, shape: Shape) -> (usize, usize) {
        match self {
            Self::Max | Self::Average => (2, 2),
            Self::GlobalMax | Self::GlobalAverage => (shape.height, shape.width),
        }
    }

    /// The shape of what comes out.
    pub fn output(self, shape: Shape) -> Shape {
        let (tall, wide) = self.sides(shape);
        Shape::new(shape.channels, shape.height / tall.max(1), shape.width / wide.max(1))
    }

    pub(super) fn largest(self) -> bool {
        matches!(self, Self::Max | Self::GlobalMax)
    }

    /// The rows and columns of a result's pixels.
    fn square(self, shape: Shape, row: usize, column: usize) -> (Range<usize>, Range<usize>) {
        let (tall, wide) = self.sides(shape);
        (row * tall..(row + 1) * tall, column * wide..(column + 1) * wide)
    }

    /// The largest number of each square of a plane, and where it was found.
    fn plane_largest(self, from: &[f32], shape: Shape, to: &mut [f32], found: &mut [u32]) {
        let width = self.output(shape).width;
        for (result, (to, found)) in to.iter_mut().zip(found).enumerate() {
            let (rows, columns) = self.square(shape, result / width, result % width);
            let mut place = rows.start * shape.width + columns.start;
            let mut best = from[place];
            for row in rows {
                for column in columns.clone() {
                    let value = from[row * shape.width + column];
                    // What is not a number is never hidden.
                    if value > best || (value.is_nan() && !best.is_nan()) {
                        (best, place) = (value, row * shape.width + column);
                    }
                }
            }
            (*to, *found) = (best, place as u32);
        }
    }

    /// The mean of each square of a plane.
    fn plane_mean(self, from: &[f32], shape: Shape, to: &mut [f32]) {
        let width = self.output(shape).width;
        for (result, to) in to.iter_mut().enumerate() {
            let (rows, columns) = self.square(shape, result / width, result % width);
            let share = 1.0 / (rows.len() * columns.len()) as f32;
            let line = |row: usize| from[row * shape.width..][columns.clone()].iter().sum::<f32>();
            *to = rows.map(line).sum::<f32>() * share;
        }
    }

    /// Images of a shape: `output` becomes `[rows, output numbers]`. For the largest, gives where each was found.
    pub(in crate::nn) fn infer(self, images: &[f32], shape: Shape, output: &mut Vec<f32>) -> Vec<u32> {
        let pixels = self.output(shape).pixels();
        output.resize(images.len() / shape.pixels() * pixels, 0.0);
        let mut found = vec![0; if self.largest() { output.len() } else { 0 }];
        let planes = images.par_chunks_exact(shape.pixels()).zip(output.par_chunks_exact_mut(pixels));
        if self.largest() {
            let planes = planes.zip(found.par_chunks_exact_mut(pixels));
            planes.for_each(|((from, to), found)| self.plane_largest(from, shape, to, found));
        } else {
            planes.for_each(|(from, to)| self.plane_mean(from, shape, to));
        }
        found
    }

    fn gradient(self, gradient: &[f32], shape: Shape, found: &[u32]) -> Vec<f32> {
        let pixels = self.output(shape).pixels();
        let mut input = vec![0.0; gradient.len() / pixels * shape.pixels()];
        let width = self.output(shape).width;
        let planes = input.par_chunks_exact_mut(shape.pixels()).zip(gradient.par_chunks_exact(pixels));
        planes.enumerate().for_each(|(number, (to, from))| {
            if self.largest() {
                let found = &found[number * pixels..][..pixels];
                found.iter().zip(from).for_each(|(place, value)| to[*place as usize] += value);
            } else {
                for (result, value) in from.iter().enumerate() {
                    let (rows, columns) = self.square(shape, result / width, result % width);
                    let share = value / (rows.len() * columns.len()) as f32;
                    rows.for_each(|row| to[row * shape.width..][columns.clone()].fill(share));
                }
            }
        });
        input
    }
}

/// Pooling with gradients.
///
/// # Shapes
/// - `images`: `[rows, numbers of shape]`
/// - output: `[rows, numbers of pool.output(shape)]`
pub fn pool(images: Tensor<2>, shape: Shape, kind: Pool) -> Tensor<2> {
    let (images, node) = taped(images).into_parts();
    let images = contiguous(images);
    let mut output = Vec::new();
    let found = kind.infer(values(&images), shape, &mut output);
    let output = plain(output, [images.shape()[0], kind.output(shape).numbers()]);
    from_taped(match Pooling.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish((kind, shape, found), output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

#[derive(Debug)]
struct Pooling;

impl Backward<Flex, 1> for Pooling {
    type State = (Pool, Shape, Vec<u32>);

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let (kind, shape, found) = ops.state;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let [Some(node)] = ops.parents else { return };
        let input = kind.gradient(values(&gradient), shape, &found);
        gradients.register::<Flex>(node.id, plain(input, [gradient.shape()[0], shape.numbers()]));
    }
}

#[cfg(test)]
mod tests;
