//! Convolutions over what is known: identities between them, and gradients against differences.

use burn::tensor::TensorData;

use super::*;
use crate::nn::convolution::tests::made;
use crate::nn::convolution::{Shape, Window};
use crate::nn::engine::tests::assert_agree;
use crate::nn::partial_convolution::{partial_convolution, partial_convolution_infer};
use crate::nn::sparsity_convolution::{sparsity_convolution, sparsity_convolution_infer};
use crate::nn::tape::{into_values, training_device};
use crate::nn::{Activation, Engine, Parameters};
use crate::run::Run;

const ROWS: usize = 3;

fn layer(channels: usize) -> Arc<Convolution> {
    Arc::new(
        Convolution::new(Shape::new(channels, 6, 5), 4, Window { kernel: 3, stride: 1, padding: 1 }).unwrap(),
    )
}

/// Holes in patches, so that some windows are empty.
fn marks(layer: &Convolution) -> Vec<bool> {
    (0..ROWS * layer.input().numbers()).map(|i| i % 5 < 1 && (i / 30) % 2 == 0 || i % 30 > 21).collect()
}

fn arrays(layer: &Convolution) -> [Vec<f32>; 3] {
    let bias = made(4, 3).iter().map(|value| value + 0.0131).collect();
    [made(ROWS * layer.input().numbers(), 1), made(layer.weight_shape().iter().product(), 2), bias]
}

fn sparsity(layer: &Convolution, observed: &Observed<'_>, k: f32) -> Vec<f32> {
    let ([input, weights, bias], mut output) = (arrays(layer), Vec::new());
    sparsity_convolution_infer(layer, (&input, &weights, &bias), observed, k, false, &mut output);
    output
}

fn partial(layer: &Convolution, observed: &Observed<'_>) -> (Vec<f32>, Vec<bool>) {
    let ([input, weights, bias], mut output) = (arrays(layer), Vec::new());
    let next = partial_convolution_infer(layer, (&input, &weights, &bias), observed, false, &mut output);
    (output, next.marks.into_owned())
}

#[test]
fn sparsity_times_the_window_is_partial_where_something_is_known() {
    let layer = layer(2);
    let observed = Observed::new(marks(&layer), 2);
    let bias = &arrays(&layer)[2];
    let size = layer.window_numbers() as f32;
    let (ours, (theirs, known)) = (sparsity(&layer, &observed, size), partial(&layer, &observed));
    let (pixels, numbers) = (layer.output().pixels(), layer.output().numbers());
    let (mut partly, mut empty) = (0, 0);
    for at in 0..ours.len() {
        let (channel, mark) = (at % numbers / pixels, known[at / numbers * pixels + at % pixels]);
        if mark {
            assert!((ours[at] - theirs[at]).abs() < 1e-5, "{at}: {} {}", ours[at], theirs[at]);
            partly += 1;
        } else {
            assert_eq!((ours[at], theirs[at]), (bias[channel], 0.0), "an empty window gives the bias, or 0");
            empty += 1;
        }
    }
    assert!(partly > 50 && empty > 50, "{partly} {empty}");
}

#[test]
fn without_holes_it_is_the_plain_convolution_away_from_the_border() {
    let layer = layer(2);
    let [input, weights, bias] = arrays(&layer);
    let whole = Observed::new(vec![true; input.len()], 2);
    let mut plain = Vec::new();
    layer.infer(&input, &weights, Some(&bias), false, &mut plain);
    let ours = sparsity(&layer, &whole, layer.window_numbers() as f32);
    let Shape { height, width, .. } = layer.output();
    let mut changed = 0;
    for (at, (ours, plain)) in ours.iter().zip(&plain).enumerate() {
        let (row, column) = (at / width % height, at % width);
        if row > 0 && row + 1 < height && column > 0 && column + 1 < width {
            assert!((ours - plain).abs() < 1e-5, "{at}");
        } else {
            changed += usize::from((ours - plain).abs() > 1e-3);
        }
    }
    assert!(changed > 100, "the border counts as missing: {changed}");
}

#[test]
fn what_stands_in_holes_is_not_read_and_one_mask_serves_all_channels() {
    let layer = layer(2);
    let ([mut input, weights, bias], marks) = (arrays(&layer), marks(&layer));
    let before = sparsity(&layer, &Observed::new(marks.as_slice(), 2), 1.0);
    input.iter_mut().zip(&marks).filter(|(_, known)| !**known).for_each(|(value, _)| *value = f32::NAN);
    let mut after = Vec::new();
    let observed = Observed::new(marks.as_slice(), 2);
    sparsity_convolution_infer(&layer, (&input, &weights, &bias), &observed, 1.0, false, &mut after);
    assert_eq!(before, after);
    let pixels = layer.input().pixels();
    let one = &marks[..ROWS * pixels];
    let twice: Vec<bool> = one.chunks(pixels).flat_map(|plane| [plane, plane].concat()).collect();
    let (one, twice) = (Observed::new(one, 1), Observed::new(twice, 2));
    assert_eq!(partial(&layer, &one), partial(&layer, &twice));
}

fn tensor<const D: usize>(values: &[f32], shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), &training_device()).require_grad()
}

/// Output and gradients of `Σ output pull` through ReLU, by the sparsity convolution or the partial one.
fn gradients(values: &[Vec<f32>; 3], normalised: bool) -> [Vec<f32>; 4] {
    let layer = layer(2);
    let input = tensor(&values[0], [ROWS, layer.input().numbers()]);
    let (weight, bias) = (tensor(&values[1], layer.weight_shape()), tensor(&values[2], [1, 4]));
    let (observed, arrays) = (Observed::new(marks(&layer), 2), (input.clone(), weight.clone(), bias.clone()));
    let output = match normalised {
        true => sparsity_convolution(&layer, arrays, observed, 3.0, true),
        false => partial_convolution(&layer, arrays, observed, true).0,
    };
    let pull = tensor(&made(ROWS * layer.output().numbers(), 4), [ROWS, layer.output().numbers()]);
    let mut found = (output.clone() * pull).sum().backward();
    let (input, weight) = (input.grad_remove(&mut found).unwrap(), weight.grad_remove(&mut found).unwrap());
    [
        into_values(output),
        into_values(input),
        into_values(weight),
        into_values(bias.grad_remove(&mut found).unwrap()),
    ]
}

#[test]
fn gradients_agree_with_differences() {
    let layer = layer(2);
    let values = arrays(&layer);
    let pull = made(ROWS * layer.output().numbers(), 4);
    for normalised in [true, false] {
        let total = |values: &[Vec<f32>; 3]| -> f64 {
            let (mut output, observed) = (Vec::new(), Observed::new(marks(&layer), 2));
            let arrays = (values[0].as_slice(), values[1].as_slice(), values[2].as_slice());
            match normalised {
                true => sparsity_convolution_infer(&layer, arrays, &observed, 3.0, true, &mut output),
                false => drop(partial_convolution_infer(&layer, arrays, &observed, true, &mut output)),
            }
            output.iter().zip(&pull).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let [_, ours @ ..] = gradients(&values, normalised);
        for part in 0..3 {
            for at in (0..values[part].len()).step_by(3) {
                let moved = |step: f32| {
                    let mut values = values.clone();
                    values[part][at] += step;
                    total(&values)
                };
                let slope = (moved(5e-4) - moved(-5e-4)) / 1e-3;
                let gradient = f64::from(ours[part][at]);
                assert!((gradient - slope).abs() < 1e-2, "{normalised} {part} {at}: {gradient} {slope}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_and_the_engines_agree() {
    let layer = layer(2);
    let values = arrays(&layer);
    let with = |threads| Run::new(1, threads).unwrap().compute(|| gradients(&values, true));
    assert_eq!(with(1), with(2));
    let mut parameters = Parameters::new();
    let mut drawn = values[1].clone().into_iter();
    layer.add_parameters(&mut parameters, "layer", || drawn.next().unwrap());
    let next = Arc::new(Convolution::new(layer.output(), 4, Window::same(1)).unwrap());
    let mut drawn = values[1].clone().into_iter();
    next.add_parameters(&mut parameters, "next", || drawn.next().unwrap());
    let observed = Observed::new(marks(&layer), 2);
    assert_agree!(&parameters, ROWS * 2 * layer.output().numbers(), |engine| {
        let input = engine.input(values[0].clone(), ROWS);
        let first = engine.sparsity_convolution(input.clone(), &observed, &layer, 0, 2.0, Activation::Relu);
        let (second, known) = engine.partial_convolution(input, &observed, &layer, 0, Activation::Tanh);
        let (second, _) = engine.partial_convolution(second, &known, &next, 2, Activation::Identity);
        engine.beside(first, second)
    });
}
