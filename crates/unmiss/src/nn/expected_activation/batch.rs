//! A batch: the plain convolution for windows that touch no hole, and image by image the rest.

use rayon::prelude::*;

use super::image::{Holed, Lines, MixtureGradient, Sums, Work};
use super::touched::Windows;
use crate::nn::convolution::{Behind, Convolution, Gradients};
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::windows::Observed;

/// Images whose sums are made together; a fixed number, so that no sum depends on the threads.
const GROUP: usize = 4;

/// What a layer is applied to: images, what is known of them, and the density of what is not.
#[derive(Debug, Clone)]
pub(super) struct Input<'a> {
    pub images: &'a [f32],
    pub observed: &'a Observed<'a>,
    pub mixture: Mixture<&'a [f32]>,
    pub size: MixtureSize,
}

impl<'a> Input<'a> {
    fn check(&self, layer: &Convolution) {
        assert_eq!(self.size.numbers, layer.input().numbers(), "a density for the images of the layer");
        self.size.check(&self.mixture, self.images.len() / layer.input().numbers());
    }

    /// All images, with their holes and the windows that touch them.
    fn holed(&self, layer: &Convolution) -> Vec<Holed<'a>> {
        let (shape, pixels) = (layer.input(), layer.output().pixels());
        let counts = self.observed.count(layer, false);
        let images = self.images.chunks_exact(shape.numbers()).zip(counts.chunks_exact(pixels)).enumerate();
        images
            .map(|(row, (values, counts))| {
                let mixture = self.mixture.row(self.size, row);
                let missing = |number: &u32| !self.observed.known(row, *number as usize, shape);
                Holed {
                    values,
                    missing: (0..shape.numbers() as u32).filter(missing).collect(),
                    touched: (0..pixels as u32).filter(|result| counts[*result as usize] > 0).collect(),
                    weights: mixture.weights().iter().map(|weight| *weight as f32).collect(),
                    mixture,
                    size: self.size,
                }
            })
            .collect()
    }
}

/// The layer for prediction: `output` becomes `[rows, output numbers]`.
pub fn expected_convolution_infer(
    layer: &Convolution,
    (images, weights, bias): (&[f32], &[f32], &[f32]),
    observed: &Observed<'_>,
    (mixture, size): (Mixture<&[f32]>, MixtureSize),
    output: &mut Vec<f32>,
) {
    forward(layer, &Input { images, observed, mixture, size }, (weights, bias), output);
}

pub(super) fn forward(
    layer: &Convolution,
    input: &Input<'_>,
    (weights, bias): (&[f32], &[f32]),
    output: &mut Vec<f32>,
) {
    input.check(layer);
    let masked = input.observed.masked(input.images, layer.input());
    layer.infer(&masked, weights, Some(bias), true, output);
    let (windows, lines) = (Windows::new(layer), Lines::new(weights, bias));
    let images = output.par_chunks_mut(layer.output().numbers()).zip(input.holed(layer));
    images
        .for_each_init(Work::default, |work, (output, image)| image.forward(&windows, &lines, work, output));
}

/// What the gradient of a result makes of weights, bias and, if wanted, the mixture's arrays.
pub(super) struct Found {
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
    pub mixture: Option<Mixture<Vec<f32>>>,
}

/// `output` is what [`forward`] gave.
pub(super) fn backward(
    layer: &Convolution,
    input: &Input<'_>,
    (weights, bias): (&[f32], &[f32]),
    (output, gradient): (&[f32], &[f32]),
    of_mixture: bool,
) -> Found {
    let images = input.holed(layer);
    let (windows, lines) = (Windows::new(layer), Lines::new(weights, bias));
    let (pixels, numbers) = (layer.output().pixels(), layer.output().numbers());
    // The plain convolution answers for windows that touch no hole.
    let mut plain = gradient.to_vec();
    plain.par_chunks_mut(numbers).zip(&images).for_each(|(gradient, image)| {
        for plane in gradient.chunks_exact_mut(pixels) {
            image.touched.iter().for_each(|result| plane[*result as usize] = 0.0);
        }
    });
    let masked = input.observed.masked(input.images, layer.input());
    let behind = Some(Behind { result: output, affine: None });
    let Gradients { weights: mut of_weights, bias: mut of_bias, .. } =
        layer.gradients((&masked, weights, &plain), behind, (false, true));
    let rows = if of_mixture { images.len() } else { 0 };
    let [scores, mean, factors, diagonal] = input.size.columns();
    let [mut s, mut m, mut f, mut d] =
        [scores, mean, factors, diagonal].map(|columns| vec![0.0; rows * columns]);
    let parts = s
        .chunks_mut(scores)
        .zip(m.chunks_mut(mean))
        .zip(f.chunks_mut(factors.max(1)).map(Some).chain(std::iter::repeat_with(|| None)));
    let parts = parts.zip(d.chunks_mut(diagonal));
    let mut places: Vec<Option<MixtureGradient<'_>>> = parts
        .map(|(((scores, mean), factors), diagonal)| {
            Some(Mixture { scores, mean, factors: factors.unwrap_or_default(), diagonal })
        })
        .collect();
    places.resize_with(images.len(), || None);
    let groups: Vec<Sums> = images
        .par_chunks(GROUP)
        .zip(places.par_chunks_mut(GROUP))
        .zip(gradient.par_chunks(GROUP * numbers))
        .map_init(Work::default, |work, ((images, places), gradient)| {
            let mut sums = Sums::new(&lines);
            for ((image, place), gradient) in images.iter().zip(places).zip(gradient.chunks_exact(numbers)) {
                image.backward(&windows, &lines, work, gradient, &mut sums, place.take());
            }
            sums
        })
        .collect();
    let mut sums = Sums::new(&lines);
    groups.iter().for_each(|group| sums.add(group));
    let depth = windows.depth();
    for (at, (gradient, weight)) in of_weights.iter_mut().zip(weights).enumerate() {
        let place = lines.place(at / depth, at % depth);
        *gradient += sums.lines[place] + 2.0 * weight * sums.squares[place];
    }
    of_bias.iter_mut().zip(&sums.bias).for_each(|(gradient, sum)| *gradient += sum);
    let mixture = of_mixture.then_some(Mixture { scores: s, mean: m, factors: f, diagonal: d });
    Found { weights: of_weights, bias: of_bias, mixture }
}
