//! The expected activation against its formula in double precision, sampling, limits and differences.

use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;
use statrs::function::erf::erf;

use super::relu::moments;
use super::*;
use crate::nn::convolution::tests::made;
use crate::nn::convolution::{Convolution, Shape, Window};
use crate::nn::engine::tests::assert_agree;
use crate::nn::product::tests::random;
use crate::nn::tape::{into_values, training_device};
use crate::nn::{Engine, Mixture, MixtureSize, Observed, Parameters};
use crate::rng::Stream;
use crate::run::Run;

const ROWS: usize = 3;

/// `½ [t + s sqrt(2/π) exp(-t²/2s²) + t erf(t / s√2)]`, in double precision.
fn truth(t: f64, square: f64) -> f64 {
    if square < 1e-12 {
        return t.max(0.0);
    }
    let s = square.sqrt();
    let bell = (2.0 / std::f64::consts::PI).sqrt() * (-t * t / (2.0 * square)).exp();
    0.5 * (t + s * bell + t * erf(t / (s * std::f64::consts::SQRT_2)))
}

#[test]
fn the_mean_of_relu_follows_the_formula_and_its_slopes_the_differences() {
    for step in -80..=80 {
        let t = 0.1 * f64::from(step) + 0.013;
        for square in [0.0, 1e-13, 1e-6, 0.01, 0.5, 1.0, 30.0] {
            let [value, slope, density] = moments(t as f32, square as f32).map(f64::from);
            let scale = 1.0 + t.abs() + square;
            assert!(
                (value - truth(t, square)).abs() < 1e-6 * scale,
                "{t} {square}: {value} {}",
                truth(t, square)
            );
            let by = |change: &dyn Fn(f64) -> f64, h: f64| (change(h) - change(-h)) / (2.0 * h);
            let in_mean = by(&|h| truth(t + h, square), 1e-6);
            assert!((slope - in_mean).abs() < 2e-4, "{t} {square}: {slope} {in_mean}");
            if square >= 0.01 {
                let in_variance = by(&|h| truth(t, square + h), 1e-5);
                assert!((0.5 * density - in_variance).abs() < 1e-4, "{t} {square}: {density} {in_variance}");
            }
            assert!(value >= t.max(0.0) as f32 as f64 && density.is_finite());
        }
    }
    assert_eq!(moments(2.0, 0.0), [2.0, 1.0, 0.0]);
    assert_eq!(moments(-2.0, 1e-13), [0.0, 0.0, 0.0]);
    assert!(moments(f32::NAN, 1.0)[0].is_nan());
}

fn layer(channels: usize) -> Arc<Convolution> {
    let window = Window { kernel: 3, stride: 1, padding: 1 };
    Arc::new(Convolution::new(Shape::new(channels, 6, 5), 18, window).unwrap())
}

/// The first image has a square hole, the second scattered ones, the last none.
fn marks(layer: &Convolution) -> Vec<bool> {
    let numbers = layer.input().numbers();
    let known = |i: usize| match (i / numbers, i % numbers % 30) {
        (0, pixel) => !((1..3).contains(&(pixel / 5)) && (1..4).contains(&(pixel % 5))),
        (1, _) => !i.is_multiple_of(7),
        _ => true,
    };
    (0..ROWS * numbers).map(known).collect()
}

/// Scores, mean, factors, diagonal, weights, bias.
fn arrays(layer: &Convolution, size: MixtureSize) -> [Vec<f32>; 6] {
    let [scores, mean, factors, diagonal] = size.columns().map(|columns| ROWS * columns);
    let diagonal = random(diagonal, "diagonal").iter().map(|value| 0.1 + value * value).collect();
    let weights = random(layer.weight_shape().iter().product(), "weights").iter().map(|w| 0.3 * w).collect();
    [
        random(scores, "scores"),
        random(mean, "mean"),
        random(factors, "factors"),
        diagonal,
        weights,
        made(18, 3),
    ]
}

fn images(layer: &Convolution) -> Vec<f32> {
    random(ROWS * layer.input().numbers(), "images")
}

fn size(layer: &Convolution, components: usize, factors: usize) -> MixtureSize {
    MixtureSize { numbers: layer.input().numbers(), components, factors }
}

fn infer(layer: &Convolution, images: &[f32], arrays: &[Vec<f32>; 6], size: MixtureSize) -> Vec<f32> {
    let [scores, mean, factors, diagonal, weights, bias] = arrays.each_ref().map(Vec::as_slice);
    let (mixture, mut output) = (Mixture { scores, mean, factors, diagonal }, Vec::new());
    let observed = Observed::new(marks(layer), layer.input().channels);
    expected_convolution_infer(layer, (images, weights, bias), &observed, (mixture, size), &mut output);
    output
}

/// The formula in double precision, window by window; no part of the layer's code.
fn definition(layer: &Convolution, images: &[f32], arrays: &[Vec<f64>; 6], size: MixtureSize) -> Vec<f64> {
    let [scores, mean, factors, diagonal, weights, bias] = arrays;
    let MixtureSize { numbers: n, components, factors: l } = size;
    let (marks, input, output) = (marks(layer), layer.input(), layer.output());
    let mut all = Vec::new();
    for (row, o, i, j) in (0..ROWS * output.numbers()).map(|at| {
        let (image, number) = (at / output.numbers(), at % output.numbers());
        (image, number / output.pixels(), number % output.pixels() / output.width, number % output.width)
    }) {
        let total: f64 = scores[row * components..][..components].iter().map(|score| score.exp()).sum();
        let mut sum = 0.0;
        for k in 0..components {
            let first = row * components + k;
            let (mut t, mut square, mut sums) = (bias[o], 0.0, vec![0.0; l]);
            for (c, u, v) in (0..input.channels * 9).map(|at| (at / 9, at / 3 % 3, at % 3)) {
                let (y, x) = ((i + u).wrapping_sub(1), (j + v).wrapping_sub(1));
                if y >= input.height || x >= input.width {
                    continue;
                }
                let number = (c * input.height + y) * input.width + x;
                let w = weights[((o * input.channels + c) * 3 + u) * 3 + v];
                if marks[row * n + number] {
                    t += w * f64::from(images[row * n + number]);
                    continue;
                }
                t += w * mean[first * n + number];
                square += w * w * diagonal[first * n + number];
                (0..l).for_each(|f| sums[f] += w * factors[(first * l + f) * n + number]);
            }
            square += sums.iter().map(|sum| sum * sum).sum::<f64>();
            sum += scores[first].exp() / total * truth(t, square);
        }
        all.push(sum);
    }
    all
}

fn doubles(arrays: &[Vec<f32>; 6]) -> [Vec<f64>; 6] {
    arrays.each_ref().map(|array| array.iter().map(|value| f64::from(*value)).collect())
}

#[test]
fn the_layer_follows_the_formula() {
    for (channels, components, factors) in [(1, 1, 4), (2, 3, 2), (17, 1, 1), (1, 2, 0)] {
        let layer = layer(channels);
        let size = size(&layer, components, factors);
        let (mut images, arrays) = (images(&layer), arrays(&layer, size));
        let truth = definition(&layer, &images, &doubles(&arrays), size);
        // What stands in holes is not read.
        images
            .iter_mut()
            .zip(marks(&layer))
            .filter(|(_, known)| !known)
            .for_each(|(value, _)| *value = f32::NAN);
        for (at, (ours, truth)) in infer(&layer, &images, &arrays, size).iter().zip(&truth).enumerate() {
            assert!((f64::from(*ours) - truth).abs() < 5e-5, "{size:?} {at}: {ours} {truth}");
        }
    }
}

/// Draws of the missing numbers, each through the plain convolution and ReLU.
#[test]
fn the_layer_is_the_mean_over_draws() {
    const DRAWS: usize = 20_000;
    let layer = layer(1);
    let size = size(&layer, 2, 2);
    let (images, arrays, marks) = (images(&layer), arrays(&layer, size), marks(&layer));
    let ours = infer(&layer, &images, &arrays, size);
    let [scores, mean, factors, diagonal, weights, bias] = &arrays;
    let (n, to) = (size.numbers, layer.output().numbers());
    for row in 0..2 {
        let mut stream = Stream::new(5, "draws", row as u64, 0);
        let mut draws = Vec::with_capacity(DRAWS * n);
        for _ in 0..DRAWS {
            let first = f64::from(scores[2 * row] - scores[2 * row + 1]);
            let k = 2 * row + usize::from(stream.uniform() > 1.0 / (1.0 + (-first).exp()));
            let factor = [stream.normal() as f32, stream.normal() as f32];
            for number in 0..n {
                let at = k * n + number;
                let shared = (0..2).map(|f| factors[(2 * k + f) * n + number] * factor[f]).sum::<f32>();
                let drawn = mean[at] + shared + diagonal[at].sqrt() * stream.normal() as f32;
                draws.push(if marks[row * n + number] { images[row * n + number] } else { drawn });
            }
        }
        let mut output = Vec::new();
        layer.infer(&draws, weights, Some(bias), true, &mut output);
        for at in 0..to {
            let of = |power: i32| {
                output.iter().skip(at).step_by(to).map(|y| f64::from(*y).powi(power)).sum::<f64>()
            };
            let middle = of(1) / DRAWS as f64;
            let error = ((of(2) / DRAWS as f64 - middle * middle).max(0.0) / DRAWS as f64).sqrt();
            // Where hardly any draw is positive, draws may show no spread at all.
            let distance = (f64::from(ours[row * to + at]) - middle).abs();
            assert!(distance < 4.5 * error + 1e-4, "{row} {at}: {distance} {error}");
        }
    }
}

#[test]
fn without_spread_or_without_holes_it_is_the_plain_layer() {
    let layer = layer(2);
    let size = size(&layer, 1, 2);
    let (mut images, mut arrays) = (images(&layer), arrays(&layer, size));
    arrays[2].fill(0.0);
    arrays[3].fill(0.0);
    let ours = infer(&layer, &images, &arrays, size);
    let holes = images.iter_mut().zip(&arrays[1]).zip(marks(&layer));
    holes.filter(|(_, known)| !known).for_each(|((value, mean), _)| *value = *mean);
    let mut plain = Vec::new();
    layer.infer(&images, &arrays[4], Some(&arrays[5]), true, &mut plain);
    for (a, b) in ours.iter().zip(&plain) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    let last = 2 * layer.output().numbers();
    assert_eq!(ours[last..], plain[last..], "the last image has no holes: the same bits");
}

fn tensor<const D: usize>(values: &[f32], shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), &training_device()).require_grad()
}

/// Output and gradients of all arrays.
fn gradients(layer: &Arc<Convolution>, arrays: &[Vec<f32>; 6], size: MixtureSize) -> Vec<Vec<f32>> {
    let columns = size.columns();
    let mixture = [0, 1, 2, 3].map(|part| tensor(&arrays[part], [ROWS, columns[part]]));
    let (weight, bias) = (tensor(&arrays[4], layer.weight_shape()), tensor(&arrays[5], [1, 18]));
    let [scores, mean, factors, diagonal] = mixture.clone();
    let own = (Mixture { scores, mean, factors, diagonal }, size);
    let observed = Observed::new(marks(layer), layer.input().channels);
    let output = expected_convolution(layer, images(layer), observed, own, (weight.clone(), bias.clone()));
    let numbers = layer.output().numbers();
    let mut found = (output.clone() * tensor(&made(ROWS * numbers, 4), [ROWS, numbers])).sum().backward();
    let mut all = vec![into_values(output)];
    all.extend(mixture.map(|own| into_values(own.grad_remove(&mut found).unwrap())));
    all.push(into_values(weight.grad_remove(&mut found).unwrap()));
    all.push(into_values(bias.grad_remove(&mut found).unwrap()));
    all
}

#[test]
fn gradients_agree_with_differences() {
    let layer = layer(2);
    let size = size(&layer, 2, 2);
    let arrays = arrays(&layer, size);
    let (ours, values, images) = (gradients(&layer, &arrays, size), doubles(&arrays), images(&layer));
    let pull = made(ROWS * layer.output().numbers(), 4);
    let total = |values: &[Vec<f64>; 6]| -> f64 {
        definition(&layer, &images, values, size)
            .iter()
            .zip(&pull)
            .map(|(y, pull)| y * f64::from(*pull))
            .sum()
    };
    for part in 0..6 {
        // Every number of the first image's part would take long: some of each array.
        let step = (values[part].len() / 41).max(1) | 1;
        let mut counted = 0;
        for at in (0..values[part].len()).step_by(step) {
            let moved = |step: f64| {
                let mut values = values.clone();
                values[part][at] += step;
                total(&values)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let gradient = f64::from(ours[part + 1][at]);
            assert!((gradient - slope).abs() < 2e-4 * (1.0 + slope.abs()), "{part} {at}: {gradient} {slope}");
            counted += usize::from(slope != 0.0);
        }
        assert!(counted > 1, "{part}");
    }
}

#[test]
fn gradients_stay_finite_where_there_is_hardly_any_spread() {
    let layer = layer(1);
    let size = size(&layer, 1, 1);
    for spread in [0.0, 1e-20, 1e-13, 1e-10, 1e-6] {
        let mut arrays = arrays(&layer, size);
        arrays[2].iter_mut().for_each(|value| *value *= spread);
        arrays[3].iter_mut().for_each(|value| *value *= spread);
        let all = gradients(&layer, &arrays, size);
        assert!(all.iter().flatten().all(|value| value.is_finite()), "{spread}");
    }
}

#[test]
fn threads_do_not_change_a_bit_and_the_engines_agree() {
    let layer = layer(2);
    let size = size(&layer, 2, 1);
    let arrays = arrays(&layer, size);
    let with = |threads| Run::new(1, threads).unwrap().compute(|| gradients(&layer, &arrays, size));
    assert_eq!(with(1), with(2));
    let mut parameters = Parameters::new();
    let mut drawn = arrays[4].clone().into_iter();
    layer.add_parameters(&mut parameters, "layer", || drawn.next().unwrap());
    let observed = Observed::new(marks(&layer), 2);
    assert_agree!(&parameters, ROWS * layer.output().numbers(), |engine| {
        let [scores, mean, factors, diagonal] =
            [0, 1, 2, 3].map(|part: usize| engine.input(arrays[part].clone(), ROWS));
        let mixture = (Mixture { scores, mean, factors, diagonal }, size);
        engine.expected_convolution(images(&layer), &observed, mixture, &layer, 0)
    });
}
