//! Mean and variance of channels, and what follows from them: the lines that are applied, and their gradients.

use rayon::prelude::*;

use crate::nn::tape::into_values;
use crate::nn::{Lent, Parameters};

/// How many arrays a batch norm has: γ, β, running mean and running variance, each `[channels]`.
pub const BATCH_NORM_PARAMETERS: usize = 4;
/// What keeps the divisor from 0.
const EPSILON: f64 = 1e-5;
/// How far the running values go in a step.
const MOMENTUM: f32 = 0.1;

/// Adds the arrays of a batch norm; gives the index of the first.
pub fn add_batch_norm(parameters: &mut Parameters, name: &str, channels: usize) -> usize {
    let first = parameters.add(format!("{name}/scale"), [channels], || 1.0);
    parameters.add(format!("{name}/shift"), [channels], || 0.0);
    parameters.add_carried(format!("{name}/running mean"), [channels], 0.0);
    parameters.add_carried(format!("{name}/running variance"), [channels], 1.0);
    first
}

/// Sums of the numbers of one channel of one image: their mean, and the squared distances from it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    mean: f32,
    squares: f32,
}

vectorised! {
    /// The moments of a plane, in 16 running sums.
    pub(super) fn moments(plane: &[f32]) -> Moments {
        let (whole, rest) = plane.as_chunks::<16>();
        let mut sums = [0.0_f32; 16];
        for sixteen in whole {
            for lane in 0..16 {
                sums[lane] += sixteen[lane];
            }
        }
        let mean = (sums.iter().sum::<f32>() + rest.iter().sum::<f32>()) / plane.len() as f32;
        let mut sums = [0.0_f32; 16];
        for sixteen in whole {
            for lane in 0..16 {
                let distance = sixteen[lane] - mean;
                sums[lane] += distance * distance;
            }
        }
        let rest: f32 = rest.iter().map(|value| (value - mean) * (value - mean)).sum();
        Moments { mean, squares: sums.iter().sum::<f32>() + rest }
    }
}

vectorised! {
    /// `Σ g` and `Σ g (x - mean)` of a plane.
    pub(super) fn gradient_sums(gradient: &[f32], plane: &[f32], mean: f32) -> [f32; 2] {
        let (whole, rest) = gradient.as_chunks::<16>();
        let (planes, last) = plane.as_chunks::<16>();
        let (mut sums, mut products) = ([0.0_f32; 16], [0.0_f32; 16]);
        for (gradient, plane) in whole.iter().zip(planes) {
            for lane in 0..16 {
                sums[lane] += gradient[lane];
                products[lane] += gradient[lane] * (plane[lane] - mean);
            }
        }
        let last: f32 = rest.iter().zip(last).map(|(gradient, value)| gradient * (value - mean)).sum();
        [sums.iter().sum::<f32>() + rest.iter().sum::<f32>(), products.iter().sum::<f32>() + last]
    }
}

vectorised! {
    /// `to = a x + c`
    fn line(plane: &[f32], own: [f32; 2], to: &mut [f32]) {
        let [a, c] = own;
        for (to, value) in to.iter_mut().zip(plane) {
            *to = a * value + c;
        }
    }
}

vectorised! {
    /// `x = a x + c`
    fn line_in_place(plane: &mut [f32], own: [f32; 2]) {
        let [a, c] = own;
        for value in plane {
            *value = a * *value + c;
        }
    }
}

vectorised! {
    /// `g = a g + b x + c`
    pub(super) fn plane_gradient(gradient: &mut [f32], plane: &[f32], own: [f32; 3]) {
        let [a, b, c] = own;
        for (gradient, value) in gradient.iter_mut().zip(plane) {
            *gradient = a * *gradient + b * value + c;
        }
    }
}

/// Mean and spread of each channel of a batch, and γ over the spread.
#[derive(Debug, Clone)]
pub(super) struct Statistics {
    /// Numbers of a channel.
    count: f64,
    pub mean: Vec<f32>,
    variance: Vec<f32>,
    /// `1 / sqrt(variance + ε)`
    inverse: Vec<f32>,
}

impl Statistics {
    /// From the moments of every plane, image by image.
    pub fn new(planes: &[Moments], channels: usize, pixels: usize) -> Self {
        let images = planes.len() / channels.max(1);
        let (mut mean, mut variance, mut inverse) = (Vec::new(), Vec::new(), Vec::new());
        for channel in 0..channels {
            let own = || planes.iter().skip(channel).step_by(channels);
            let middle = own().map(|plane| f64::from(plane.mean)).sum::<f64>() / images.max(1) as f64;
            let square = |plane: &Moments| {
                f64::from(plane.squares) + pixels as f64 * (f64::from(plane.mean) - middle).powi(2)
            };
            let spread = own().map(square).sum::<f64>() / (images * pixels).max(1) as f64;
            mean.push(middle as f32);
            variance.push(spread as f32);
            inverse.push((1.0 / (spread + EPSILON).sqrt()) as f32);
        }
        Self { count: (images * pixels) as f64, mean, variance, inverse }
    }

    /// `[a, c]` of each channel.
    pub fn lines(&self, scale: &[f32], shift: &[f32]) -> Vec<[f32; 2]> {
        let line = |channel: usize| {
            let a = scale[channel] * self.inverse[channel];
            [a, shift[channel] - a * self.mean[channel]]
        };
        (0..scale.len()).map(line).collect()
    }

    /// The running values one step on.
    pub fn carry(&self, parameters: &Lent, first: usize) {
        let unbiased = (self.count / (self.count - 1.0).max(1.0)) as f32;
        for (index, new, factor) in [(first + 2, &self.mean, 1.0), (first + 3, &self.variance, unbiased)] {
            let old = into_values(parameters.tensor::<1>(index));
            let next = old.iter().zip(new).map(|(old, new)| old + MOMENTUM * (factor * new - old));
            parameters.carry(index, next.collect());
        }
    }

    /// The gradients of γ and β, and `[a, b, c]` of each channel, from `Σ g` and `Σ g (x - mean)` of every plane.
    pub fn backward(&self, planes: &[[f32; 2]], scale: &[f32]) -> (Vec<f32>, Vec<f32>, Vec<[f32; 3]>) {
        let channels = scale.len();
        let (mut of_scale, mut of_shift, mut affine) = (Vec::new(), Vec::new(), Vec::new());
        for (channel, scale) in scale.iter().enumerate() {
            let sum = |part: usize| {
                planes.iter().skip(channel).step_by(channels).map(|plane| f64::from(plane[part])).sum::<f64>()
            };
            let (inverse, mean) = (f64::from(self.inverse[channel]), f64::from(self.mean[channel]));
            let (shift, spread) = (sum(0), sum(1) * inverse);
            let a = f64::from(*scale) * inverse;
            let b = -a * inverse * spread / self.count;
            affine.push([a as f32, b as f32, (-a * shift / self.count - b * mean) as f32]);
            of_scale.push(spread as f32);
            of_shift.push(shift as f32);
        }
        (of_scale, of_shift, affine)
    }
}

/// `a x + c` for each channel of images, out of place.
pub(super) fn lines(images: &[f32], pixels: usize, lines: &[[f32; 2]]) -> Vec<f32> {
    let mut output = vec![0.0; images.len()];
    let image = (lines.len() * pixels).max(1);
    output.par_chunks_mut(image).zip(images.par_chunks(image)).for_each(|(to, from)| {
        let planes = to.chunks_exact_mut(pixels).zip(from.chunks_exact(pixels));
        planes.zip(lines).for_each(|((to, from), own)| line(from, *own, to));
    });
    output
}

/// For each channel the line `a x + b` that is applied in prediction, by the running values.
pub(in crate::nn) fn running_lines(parameters: &Parameters, first: usize) -> Vec<[f32; 2]> {
    let [scale, shift, mean, variance] =
        [0, 1, 2, 3].map(|index| parameters[first + index].values.as_slice());
    let line = |channel: usize| {
        let a = f64::from(scale[channel]) / (f64::from(variance[channel]) + EPSILON).sqrt();
        [a as f32, (f64::from(shift[channel]) - a * f64::from(mean[channel])) as f32]
    };
    (0..scale.len()).map(line).collect()
}

/// Batch norm for prediction, in place: with the running values.
///
/// # Shapes
/// - `images`: `[rows, channels x pixels]`
/// - `first`: the index of γ among `parameters`
pub fn batch_norm_infer(images: &mut [f32], rows: usize, parameters: &Parameters, first: usize) {
    let own = running_lines(parameters, first);
    let pixels = images.len() / (rows * own.len()).max(1);
    let image = (own.len() * pixels).max(1);
    images.par_chunks_mut(image).for_each(|image| {
        image.chunks_exact_mut(pixels).zip(&own).for_each(|(plane, own)| line_in_place(plane, *own));
    });
}
