//! How plausible an image is: the density of its known pixels, from coarse to fine.
//!
//! The network says the density of pixels that it does not see given those that it sees. An image is therefore judged
//! in five steps, each given the known pixels of the steps before:
//!
//! ```text
//! step 0: every fourth pixel of every fourth line          0 . 2 .
//! step 1: those between them                               . 3 . 3      ln p(x) = Σ_s ln p(x_s | x_0 .. x_{s-1})
//! step 2: the rest of the even ones                        2 . 1 .
//! step 3: odd lines, odd columns                           . 3 . 3      (dots: step 4)
//! step 4: the rest
//! ```
//!
//! Over all images it adds up to 1, whatever the network has learned. Of a step with n pixels the model expects
//! `-½ (ln |2πΣ| + n)` with variance n / 2.

use super::layers::Network;
use crate::data::images::Size;
use crate::encode::{ImageBatch, ImageRows};
use crate::methods::Plausibility;
use crate::nn::likelihood::row_likelihoods;
use crate::nn::{Mixture, Parameters, Plain};

const STEPS: usize = 5;

/// The step in which a pixel is judged.
fn step(size: Size, cell: usize) -> usize {
    let pixel = cell % size.pixels();
    let (row, column) = (pixel / size.width, pixel % size.width);
    match (row % 4, column % 4) {
        (0, 0) => 0,
        (2, 2) => 1,
        (0, 2) | (2, 0) => 2,
        (1 | 3, 1 | 3) => 3,
        _ => 4,
    }
}

/// How plausible some images are.
pub fn plausibility(
    network: &Network,
    parameters: &Parameters,
    rows: &ImageRows,
    some: &[usize],
) -> Vec<Plausibility> {
    let (size, batch) = (rows.size(), rows.batch(some));
    let mut found = vec![Plausibility::default(); some.len()];
    let numbers = network.canvas().spread(&batch.values);
    for own in 0..STEPS {
        let seen = part(&batch, |cell| step(size, cell) < own);
        let judged = network.canvas().spread(&part(&batch, |cell| step(size, cell) == own).observed);
        let chosen: Vec<bool> = judged.iter().map(|mark| *mark > 0.0).collect();
        let (values, given) = network.on_canvas(&seen);
        let mixture = network.forward(&mut Plain::new(parameters), &values, &given);
        let mixture = Mixture {
            scores: mixture.scores.values(),
            mean: mixture.mean.values(),
            factors: mixture.factors.values(),
            diagonal: mixture.diagonal.values(),
        };
        let losses = row_likelihoods(&numbers, &chosen, &mixture, network.mixture_size());
        // At the mean itself nothing but ½ ln |2πΣ| is left of the loss.
        let least = row_likelihoods(mixture.mean, &chosen, &mixture, network.mixture_size());
        let each = chosen.len() / some.len().max(1);
        for (image, row) in found.iter_mut().enumerate() {
            let chosen: Vec<usize> = (0..each).filter(|cell| chosen[image * each + cell]).collect();
            let count = chosen.len() as f64;
            row.add(-losses[image], -least[image] - 0.5 * count, 0.5 * count);
            for cell in chosen {
                let place = image * each + cell;
                let factors = mixture.factors[image * each * network.factors()..][..each * network.factors()]
                    .chunks_exact(each)
                    .map(|factor| f64::from(factor[cell]).powi(2));
                let variance = f64::from(mixture.diagonal[place]) + factors.sum::<f64>();
                let square = f64::from(numbers[place] - mixture.mean[place]).powi(2) / variance;
                row.note_surprise(network.canvas().pixel(cell), 0.5 * (square - 1.0));
            }
        }
    }
    found
}

/// A batch of which only some cells are seen.
fn part(batch: &ImageBatch, seen: impl Fn(usize) -> bool) -> ImageBatch {
    let mut part = batch.clone();
    let cells = batch.size.cells();
    let marks = part.values.iter_mut().zip(&mut part.observed).enumerate();
    for (_, (value, observed)) in marks.filter(|(cell, _)| !seen(cell % cells)) {
        (*value, *observed) = (0.0, 0.0);
    }
    part
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::images::{Images, Observed, Pixels};
    use crate::encode::ImageCoder;
    use crate::methods::dmfa::Settings;

    #[test]
    fn every_pixel_is_judged_once_and_its_density_adds_up_to_one() {
        let size = Size { channels: 1, height: 3, width: 2 };
        let settings = Settings { filters: vec![4, 4], factors: 2, ..Settings::default() };
        let network = Network::new(&settings, size).unwrap();
        let parameters = network.parameters(3);
        // One pixel of the last step over a wide grid, the others known or not.
        for (known, place) in [([true; 6], 5), ([true, false, true, true, false, false], 2)] {
            let mut values = Vec::new();
            let grid: Vec<f32> = (-1500..1500).map(|step| step as f32 * 0.01).collect();
            for value in &grid {
                let mut image = [0.3, 0.9, 0.1, 0.5, 0.2, 0.6];
                image[place] = *value;
                values.extend(image);
            }
            let marks = (0..grid.len()).flat_map(|_| known);
            let marks = Observed::Pixels(crate::data::images::Bits::from_marks(marks));
            let images = Arc::new(Images::new(size, Pixels::Numbers(values), marks).unwrap());
            let mut coder = ImageCoder::fit(&images).unwrap();
            (coder.low, coder.high) = (0.0, 1.0);
            let rows = coder.encode(&images).unwrap();
            let all: Vec<usize> = (0..grid.len()).collect();
            let full = plausibility(&network, &parameters, &rows, &all);
            let mut without = rows.clone();
            all.iter().for_each(|&image| without.hide(image, place));
            // Nothing is judged given a pixel of the last step: its own factor is the ratio of the two densities.
            let rest = plausibility(&network, &parameters, &without, &all);
            let total: f64 =
                full.iter().zip(&rest).map(|(a, b)| (a.log_likelihood - b.log_likelihood).exp() * 0.01).sum();
            assert!((total - 1.0).abs() < 1e-2, "{total}");
            assert_eq!(full[0].variance, 0.5 * known.iter().filter(|known| **known).count() as f64);
            assert_eq!(full[0].surprise.unwrap().0, place, "-15 where 0 to 1 is usual");
        }
    }
}
