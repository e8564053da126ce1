//! Batch norm against PyTorch, against differences, and together with the convolution before it against alone.

use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;

use super::*;
use crate::nn::convolution::tests::made;
use crate::nn::convolution::{Convolution, Shape, Window};
use crate::nn::engine::tests::assert_agree;
use crate::nn::tape::{into_values, training_device};
use crate::nn::{Activation, Engine, Parameters};
use crate::run::Run;

fn tensor(values: Vec<f32>, rows: usize) -> Tensor<2> {
    let shape = [rows, values.len() / rows];
    Tensor::from_data(TensorData::new(values, shape), &training_device()).require_grad()
}

fn parameters(channels: usize) -> Parameters {
    let mut parameters = Parameters::new();
    add_batch_norm(&mut parameters, "norm", channels);
    parameters[0].values = made(channels, 5).iter().map(|value| value + 1.5).collect();
    parameters[1].values = made(channels, 6);
    parameters
}

fn assert_near(ours: &[f32], golden: &[f64]) {
    for (ours, golden) in ours.iter().zip(golden) {
        assert!((f64::from(*ours) - golden).abs() < 1e-5, "{ours} {golden}");
    }
}

/// PyTorch's `BatchNorm2d` in double precision on 2 images of 3 x 2 x 5 of the numbers of `made`.
#[test]
fn values_gradients_and_running_values_are_those_of_pytorch() {
    let mut parameters = parameters(3);
    let images = tensor(made(60, 1).iter().map(|value| 2.0 * value + 1.0).collect(), 2);
    let pull = tensor(made(60, 4), 2);
    let lent = parameters.lend();
    let output = batch_norm(images.clone(), &lent, 0);
    let loss = (output.clone() * pull).sum();
    let mut found = loss.backward();
    let of_images = into_values(images.clone().grad_remove(&mut found).unwrap());
    let output = into_values(output);
    assert_near(&output[..6], &[0.723159, 1.984186, -1.32601, -0.064983, 1.196044, 2.457071]);
    assert_near(&output[57..], &[-2.506353, -0.040607, 2.42514]);
    assert_near(&of_images[..6], &[1.043869, -0.310572, -0.469283, 0.461888, -0.892554, 0.038616]);
    assert_near(&of_images[57..], &[0.162359, 2.034527, -0.562472]);
    let gradients: Vec<Vec<f32>> =
        [0, 1].map(|index| into_values(lent.tensor::<1>(index).grad_remove(&mut found).unwrap())).into();
    assert_near(&gradients[0], &[-5.865021, -5.551356, -6.008496]);
    assert_near(&gradients[1], &[-0.928571, 1.5, -0.214286]);
    parameters.take_back(lent);
    assert_near(&parameters[2].values, &[0.112143, 0.095, 0.098571]);
    assert_near(&parameters[3].values, &[1.059243, 1.040553, 1.041332]);
    let mut images = into_values(images);
    batch_norm_infer(&mut images, 2, &parameters, 0);
    assert_near(&images[..6], &[2.027906, 3.534921, -0.420995, 1.086021, 2.593036, 4.100052]);
}

#[test]
fn a_channel_far_from_zero_keeps_its_digits() {
    let parameters = parameters(1);
    let images = made(64, 1).iter().map(|value| 10_000.0 + value).collect();
    let output = into_values(batch_norm(tensor(images, 4), &parameters.tensors(), 0));
    let near = into_values(batch_norm(tensor(made(64, 1), 4), &parameters.tensors(), 0));
    for (a, b) in output.iter().zip(&near) {
        assert!((a - b).abs() < 4e-3, "{a} {b}");
    }
}

/// The layer, its parameters, and a batch of images.
fn block(channels: usize) -> (Arc<Convolution>, Parameters, Vec<f32>) {
    let layer = Convolution::new(Shape::new(channels, 6, 7), 18, Window::same(3)).unwrap();
    let mut parameters = Parameters::new();
    let mut drawn = made(layer.weight_shape().iter().product(), 2).into_iter();
    layer.add_normalised(&mut parameters, "block", || drawn.next().unwrap());
    parameters[1].values = made(18, 3).iter().map(|value| value + 0.0131).collect();
    parameters[2].values = made(18, 5);
    parameters[3].values = made(18, 6);
    let images = made(5 * layer.input().numbers(), 1);
    (Arc::new(layer), parameters, images)
}

/// Output, gradients of the images and of all parameters, and what is carried.
fn gradients(channels: usize, together: bool) -> Vec<Vec<f32>> {
    let (layer, mut parameters, images) = block(channels);
    let lent = parameters.lend();
    let images = tensor(images, 5);
    let output = if together {
        layer.forward_normalised(images.clone(), &lent, 0)
    } else {
        batch_norm(layer.forward(images.clone(), lent.tensor(0), lent.tensor(1), true), &lent, 2)
    };
    let pull = tensor(made(5 * layer.output().numbers(), 4), 5);
    let mut found = (output.clone() * pull).sum().backward();
    let mut all = vec![into_values(output), into_values(images.grad_remove(&mut found).unwrap())];
    all.push(into_values(lent.tensor::<4>(0).grad_remove(&mut found).unwrap()));
    all.push(into_values(lent.tensor::<2>(1).grad_remove(&mut found).unwrap()));
    all.extend([2, 3].map(|index| into_values(lent.tensor::<1>(index).grad_remove(&mut found).unwrap())));
    parameters.take_back(lent);
    all.extend([4, 5].map(|index| parameters[index].values.clone()));
    all
}

#[test]
fn one_operation_equals_the_two_it_replaces() {
    for channels in [1, 20] {
        let (together, apart) = (gradients(channels, true), gradients(channels, false));
        for (part, (a, b)) in together.iter().zip(&apart).enumerate() {
            let largest = b.iter().fold(1.0_f32, |largest, value| largest.max(value.abs()));
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-5 * largest, "{channels} part {part}: {a} {b}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for together in [false, true] {
        let with = |threads| Run::new(1, threads).unwrap().compute(|| gradients(20, together));
        assert_eq!(with(1), with(2));
    }
}

#[test]
fn the_engines_agree_once_the_running_values_are_those_of_the_batch() {
    let (layer, mut parameters, images) = block(2);
    // Steps on the same batch until the running values have arrived; the variance then has n - 1 in its divisor.
    for _ in 0..200 {
        let lent = parameters.lend();
        layer.forward_normalised(tensor(images.clone(), 5), &lent, 0);
        parameters.take_back(lent);
    }
    let count = (5 * layer.output().pixels()) as f32;
    parameters[5].values.iter_mut().for_each(|value| *value *= (count - 1.0) / count);
    let length = 5 * layer.output().numbers();
    let of = || images.clone();
    assert_agree!(&parameters, length, |engine| {
        let input = engine.input(of(), 5);
        engine.normalised_convolution(input, &layer, 0)
    });
    assert_agree!(&parameters, length, |engine| {
        let input = engine.input(of(), 5);
        let images = engine.convolution(input, &layer, 0, Activation::Relu);
        engine.batch_norm(images, 2)
    });
}
