//! The dense layer against finite differences, against Burn's own operations, and bit against bit.

use burn::tensor::{TensorData, activation as plain_burn};

use super::*;
use crate::nn::product::tests::random;
use crate::nn::tape::{into_values, training_device};
use crate::rng::Stream;
use crate::run::Run;

const ALL: [Activation; 7] = [
    Activation::Identity,
    Activation::Relu,
    Activation::Selu,
    Activation::Mish,
    Activation::Sigmoid,
    Activation::Tanh,
    Activation::Decay,
];

fn tensor(values: &[f32], shape: [usize; 2]) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), &training_device()).require_grad()
}

/// Output and the three gradients of `Σ output * pull`, where `layer` is ours or Burn's.
fn gradients(
    layer: impl Fn(Tensor<2>, Tensor<2>, Tensor<2>) -> Tensor<2>,
    [rows, inputs, outputs]: [usize; 3],
) -> [Vec<f32>; 4] {
    let input = tensor(&random(rows * inputs, "input"), [rows, inputs]);
    let weight = tensor(&random(inputs * outputs, "weight"), [inputs, outputs]);
    let bias = tensor(&random(outputs, "bias"), [1, outputs]);
    let pull = tensor(&random(rows * outputs, "pull"), [rows, outputs]);
    let output = layer(input.clone(), weight.clone(), bias.clone());
    let mut found = (output.clone() * pull).sum().backward();
    let mut gradient = |tensor: &Tensor<2>| into_values(tensor.grad_remove(&mut found).unwrap());
    let all = [gradient(&input), gradient(&weight), gradient(&bias)];
    let [input, weight, bias] = all;
    [into_values(output), input, weight, bias]
}

fn with_burn(activation: Activation, sums: Tensor<2>) -> Tensor<2> {
    match activation {
        Activation::Identity => sums,
        Activation::Relu => plain_burn::relu(sums),
        Activation::Selu => {
            let above = sums.clone().clamp_min(0.0) * 1.050_700_987;
            above + (sums.clamp_max(0.0).exp() - 1.0) * (1.050_700_987 * 1.673_263_242)
        }
        Activation::Mish => plain_burn::mish(sums),
        Activation::Sigmoid => plain_burn::sigmoid(sums),
        Activation::Tanh => plain_burn::tanh(sums),
        Activation::Decay => (-sums.clamp_min(0.0)).exp(),
    }
}

#[test]
fn one_operation_equals_the_three_it_replaces() {
    for activation in ALL {
        for shape in [[1, 1, 1], [7, 3, 5], [33, 13, 100], [150, 40, 1], [1, 20, 9]] {
            let ours = gradients(|x, w, b| dense(x, w, b, activation), shape);
            let theirs = gradients(|x, w, b| with_burn(activation, x.matmul(w) + b), shape);
            for (part, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(ours.len(), theirs.len());
                for (a, b) in ours.iter().zip(theirs) {
                    assert!(
                        (a - b).abs() < 1e-3 * b.abs().max(1.0) / 10.0,
                        "{activation:?} {shape:?} {part}: {a} {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn gradients_agree_with_differences() {
    let shape @ [rows, inputs, outputs] = [4, 3, 2];
    let values =
        [random(rows * inputs, "input"), random(inputs * outputs, "weight"), random(outputs, "bias")];
    let pull = random(rows * outputs, "pull");
    for activation in ALL {
        let total = |values: &[Vec<f32>; 3]| -> f64 {
            let shapes = [[rows, inputs], [inputs, outputs], [1, outputs]];
            let [x, w, b] = [0, 1, 2].map(|part| tensor(&values[part], shapes[part]));
            let output = into_values(dense(x, w, b, activation));
            output.iter().zip(&pull).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let [_, ours @ ..] = gradients(|x, w, b| dense(x, w, b, activation), shape);
        for part in 0..3 {
            for index in 0..values[part].len() {
                let moved = |step: f32| {
                    let mut values = values.clone();
                    values[part][index] += step;
                    total(&values)
                };
                let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
                let gradient = f64::from(ours[part][index]);
                assert!((gradient - slope).abs() < 5e-3, "{activation:?} {part} {index}: {gradient} {slope}");
            }
        }
    }
}

#[test]
fn a_constant_input_is_given_no_gradient() {
    let input = Tensor::from_data(TensorData::new(random(6, "input"), [3, 2]), &training_device());
    let weight = tensor(&random(8, "weight"), [2, 4]);
    let bias = tensor(&random(4, "bias"), [1, 4]);
    let mut found = dense(input.clone(), weight.clone(), bias, Activation::Relu).sum().backward();
    assert!(weight.grad_remove(&mut found).is_some());
    assert!(input.grad_remove(&mut found).is_none());
    // A gradient shared between two uses is not changed in place under the other's feet.
    let twice = gradients(
        |x, w, b| {
            let y = dense(x, w, b, Activation::Tanh);
            y.clone() + y
        },
        [5, 4, 3],
    );
    let once = gradients(|x, w, b| dense(x, w, b, Activation::Tanh) * 2.0, [5, 4, 3]);
    for (a, b) in twice[1..].iter().flatten().zip(once[1..].iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for activation in [Activation::Relu, Activation::Mish] {
        let work = || gradients(|x, w, b| dense(x, w, b, activation), [700, 150, 130]);
        let with = |threads| Run::new(1, threads).unwrap().compute(work);
        assert_eq!(with(1), with(2));
    }
}

/// Applies a layer to some rows of `input`, in the order given.
fn apply(
    input: &[f32],
    order: &[usize],
    weight: Matrix<'_>,
    bias: &[f32],
    activation: Activation,
) -> Vec<f32> {
    let inputs = weight.rows();
    let rows: Vec<f32> = order.iter().flat_map(|row| input[row * inputs..][..inputs].to_vec()).collect();
    let mut output = Vec::new();
    dense_forward(&rows, order.len(), weight, bias, activation, &mut output);
    output
}

#[test]
fn a_row_gives_the_same_bits_in_any_company() {
    let rows = 300;
    let mut inputs_tried =
        vec![1, 2, 3, 4, 7, 8, 13, 16, 20, 31, 64, 100, 256, 511, 512, 513, 514, 515, 1030];
    inputs_tried.extend([33, 784]);
    for inputs in inputs_tried {
        let input = random(rows * inputs, "input");
        for outputs in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 48, 65, 100, 256] {
            let weight = random(inputs * outputs, "weight");
            let bias = random(outputs, "bias");
            let weight = Matrix::new(&weight, inputs, outputs);
            let layer = |order: &[usize]| apply(&input, order, weight, &bias, Activation::Selu);
            let all = layer(&(0..rows).collect::<Vec<_>>());
            let mut stream = Stream::new(5, "company", inputs as u64, outputs as u64);
            for count in [1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 31, 63, 64, 65, 127, 129, 300] {
                let order = &stream.permutation(rows)[..count];
                for (row, part) in order.iter().zip(layer(order).chunks(outputs)) {
                    assert_eq!(
                        part,
                        &all[row * outputs..][..outputs],
                        "{inputs}-{outputs}, row {row} among {count}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_layer_on_plain_numbers_is_the_same_layer() {
    for activation in ALL {
        for [rows, inputs, outputs] in [[1, 1, 1], [5, 0, 3], [130, 17, 1], [3, 2, 8], [257, 600, 12]] {
            let (input, weight) = (random(rows * inputs, "input"), random(inputs * outputs, "weight"));
            let bias = random(outputs, "bias");
            let mut output = vec![9.0; 7];
            let matrix = Matrix::new(&weight, inputs, outputs);
            dense_forward(&input, rows, matrix, &bias, activation, &mut output);
            let ours = [[rows, inputs], [inputs, outputs], [1, outputs]];
            let [x, w, b] =
                [(&input, ours[0]), (&weight, ours[1]), (&bias, ours[2])].map(|(v, s)| tensor(v, s));
            let taped = into_values(dense(x, w, b, activation));
            assert_eq!(output.len(), taped.len());
            for (a, b) in output.iter().zip(&taped) {
                assert!((a - b).abs() < 2e-4, "{activation:?} {rows} {inputs} {outputs}: {a} {b}");
            }
        }
    }
}
