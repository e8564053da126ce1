//! The invariances of Sparsity Normalization, and the four theorems on how outputs move with sparsity.

use super::*;
use crate::nn::tape::into_values;
use crate::nn::{Activation, Parameters, dense_forward};

fn tensor(values: &[f32], rows: usize) -> Tensor<2> {
    let columns = values.len() / rows;
    Tensor::from_data(TensorData::new(values.to_vec(), [rows, columns]), &training_device())
}

/// `K (x ⊙ m) / max(‖m‖₁, 1)` as the formula says it.
fn normalized(x: &[f32], m: &[bool], k: f32) -> Vec<f32> {
    let factor = input_factor(k, m.iter().filter(|known| **known).count());
    x.iter().zip(m).map(|(x, known)| if *known { x * factor } else { 0.0 }).collect()
}

#[test]
fn complete_rows_are_left_as_they_are() {
    let x = [0.2, 0.9, 0.4];
    assert_eq!(normalized(&x, &[true; 3], 3.0), x);
    assert_eq!(Constant::default().number(2.5, 100, 3), 2.5);
    assert_eq!(Constant::Rule(Rule::Input).number(2.5, 100, 3), 3.0);
    assert_eq!(Constant::Rule(Rule::Hidden).number(2.5, 100, 3), 100.0);
    assert!(Constant::Number(-1.0).check().is_err());
}

#[test]
fn a_row_of_which_nothing_is_known_is_safe() {
    assert_eq!(normalized(&[f32::NAN, f32::NAN], &[false; 2], 5.0), [0.0, 0.0]);
    let hidden = normalize_hidden(tensor(&[0.0; 4], 1), 4.0);
    assert_eq!(into_values(hidden), [0.0; 4]);
}

#[test]
fn k_and_first_weights_trade_places() {
    // Scaling K by c and the first weights by 1/c leaves the function as it is.
    let x = normalized(&[0.3, 0.0, 0.8], &[true, false, true], 2.0);
    let scaled = normalized(&[0.3, 0.0, 0.8], &[true, false, true], 8.0);
    let output = |x: &[f32], c: f32| {
        let mut parameters = Parameters::new();
        let mut next = 0.0;
        let weight = parameters.add("weight", [3, 2], || {
            next += 0.25;
            next / c
        });
        let mut output = Vec::new();
        dense_forward(x, 1, parameters[weight].matrix(), &[0.1, -0.2], Activation::Relu, &mut output);
        output
    };
    assert_eq!(output(&x, 1.0), output(&scaled, 4.0));
}

#[test]
fn active_units_are_the_same_before_training() {
    // Without biases a positive factor on the input can't change which ReLU units are active.
    let mut stream = Stream::new(3, "active", 0, 0);
    let mut parameters = Parameters::new();
    let weight = parameters.add("weight", [20, 30], || stream.normal() as f32);
    let x: Vec<f32> = (0..20).map(|_| stream.uniform() as f32).collect();
    let m: Vec<bool> = (0..20).map(|_| stream.uniform() < 0.4).collect();
    let plain: Vec<f32> = x.iter().zip(&m).map(|(x, known)| if *known { *x } else { 0.0 }).collect();
    let active = |row: &[f32]| {
        let mut output = Vec::new();
        dense_forward(row, 1, parameters[weight].matrix(), &[0.0; 30], Activation::Relu, &mut output);
        output.iter().map(|value| *value > 0.0).collect::<Vec<_>>()
    };
    assert_eq!(active(&plain), active(&normalized(&x, &m, 7.0)));
}

#[test]
fn the_hidden_count_is_a_constant_for_the_gradient() {
    let hidden = tensor(&[2.0, 0.0, 4.0, 0.0], 1).require_grad();
    let output = normalize_hidden(hidden.clone(), 4.0);
    assert_eq!(into_values(output.clone()), [4.0, 0.0, 8.0, 0.0]);
    let gradients = output.sum().backward();
    assert_eq!(into_values(hidden.grad(&gradients).unwrap()), [2.0; 4]);
}

#[test]
fn normalized_dropout_keeps_sums_exactly_and_ordinary_dropout_on_average() {
    let (rows, units, share) = (400, 64, 0.3);
    for kind in [Dropout::Normalized, Dropout::Average] {
        let mut stream = Stream::new(9, "dropout", 0, 0);
        let factors = dropout_factors(rows, units, share, kind, &mut stream);
        let sums: Vec<f64> =
            factors.chunks_exact(units).map(|row| row.iter().map(|f| f64::from(*f)).sum()).collect();
        let mean = sums.iter().sum::<f64>() / rows as f64;
        assert!((mean - units as f64).abs() < 1.0, "{kind:?} {mean}");
        // Constant activations: the sum is n exactly with the count, and varies by the stated degree without.
        let spread = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / rows as f64).sqrt() / mean;
        let expected = if kind == Dropout::Normalized { 0.0 } else { dropout_degree(share, units) };
        assert!((spread - expected).abs() < 0.01, "{kind:?} {spread} {expected}");
    }
}

#[test]
fn degrees_are_the_published_ones() {
    for (share, degree) in [(0.1, 0.0208), (0.3, 0.0409), (0.5, 0.0625), (0.7, 0.0955), (0.9, 0.1875)] {
        assert!((dropout_degree(share, 256) - degree).abs() < 5e-5);
    }
}

#[test]
fn weight_decay_on_scaled_inputs_is_weaker_decay_on_the_weights() {
    // K = c with decay λ on W is the same objective as K = 1 with decay λ/c² on cW.
    let (x, m) = ([0.3, 0.7, 0.8], [true, false, true]);
    let weights = [0.5_f32, -1.5, 2.0];
    let objective = |k: f32, scale: f32, decay: f32| {
        let mut parameters = Parameters::new();
        let mut next = weights.iter().map(|w| w * scale);
        let weight = parameters.add("weight", [3, 1], || next.next().unwrap_or(0.0));
        let mut output = Vec::new();
        let row = normalized(&x, &m, k);
        dense_forward(&row, 1, parameters[weight].matrix(), &[0.1], Activation::Identity, &mut output);
        (output[0] - 1.0).powi(2) + decay * parameters[weight].values.iter().map(|w| w * w).sum::<f32>()
    };
    let (c, decay) = (4.0, 0.3);
    assert!((objective(c, 1.0, decay) - objective(1.0, c, decay / (c * c))).abs() < 1e-5);
}

/// Layer sizes, mean and deviation of weights, mean of inputs and biases of the simulation.
const SIZES: [usize; 4] = [20, 30, 10, 1];
const WEIGHT: (f64, f64) = (0.05, 0.02);
const INPUT: f64 = 0.5;
const BIAS: f64 = 0.1;
const DRAWS: u64 = 4_000;

/// Mean output, with its standard error, of networks with fresh weights, inputs and masks at every draw.
fn simulated(mask: f64, bias: f64, activation: fn(f64) -> f64, scale: impl Fn(usize) -> f64) -> (f64, f64) {
    let mut outputs = Vec::new();
    for draw in 0..DRAWS {
        let mut stream = Stream::new(5, "theorem", draw, (mask * 100.0) as u64);
        let known: Vec<bool> = (0..SIZES[0]).map(|_| stream.uniform() < mask).collect();
        let factor = scale(known.iter().filter(|known| **known).count());
        let x = |known: &bool, stream: &mut Stream| {
            if *known { 2.0 * INPUT * stream.uniform() * factor } else { 0.0 }
        };
        let mut layer: Vec<f64> = known.iter().map(|known| x(known, &mut stream)).collect();
        for size in &SIZES[1..] {
            let unit = |stream: &mut Stream| {
                let sum: f64 = layer.iter().map(|h| h * (WEIGHT.0 + WEIGHT.1 * stream.normal())).sum();
                activation(sum + bias)
            };
            layer = (0..*size).map(|_| unit(&mut stream)).collect();
        }
        outputs.push(layer[0]);
    }
    let mean = outputs.iter().sum::<f64>() / DRAWS as f64;
    let variance = outputs.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / DRAWS as f64;
    (mean, (variance / DRAWS as f64).sqrt())
}

/// `f_L ∘ … ∘ f_1`, with `f_i(t) = σ(n_(i-1) μ_w t + μ_b)`.
fn composed(input: f64, bias: f64, activation: fn(f64) -> f64) -> f64 {
    SIZES[..3].iter().fold(input, |t, size| activation(*size as f64 * WEIGHT.0 * t + bias))
}

#[test]
fn outputs_move_with_sparsity_as_the_theorems_say() {
    let identity: fn(f64) -> f64 = |t| t;
    let affine: fn(f64) -> f64 = |t| 0.7 * t + 0.2;
    let relu: fn(f64) -> f64 = |t| t.max(0.0);
    let k1 = 0.6;
    for mask in [0.1, 0.5, 0.9] {
        // Theorem 1: without biases, linear in the share of known cells.
        let (mean, error) = simulated(mask, 0.0, identity, |_| 1.0);
        let product: f64 = SIZES[..3].iter().map(|size| *size as f64 * WEIGHT.0).product();
        assert!((mean - product * INPUT * mask).abs() < 3.5 * error, "theorem 1 at {mask}");
        // Theorem 2: affine activations with biases.
        let (mean, error) = simulated(mask, BIAS, affine, |_| 1.0);
        assert!((mean - composed(INPUT * mask, BIAS, affine)).abs() < 3.5 * error, "theorem 2 at {mask}");
        // Theorem 3: convex, non-decreasing activations lie above.
        let (mean, error) = simulated(mask, -BIAS, relu, |_| 1.0);
        assert!(mean >= composed(INPUT * mask, -BIAS, relu) - 3.5 * error, "theorem 3 at {mask}");
        // Theorem 4: scaled by K1 / share, free of the share.
        let (mean, error) = simulated(mask, BIAS, affine, |_| k1 / mask);
        assert!((mean - composed(INPUT * k1, BIAS, affine)).abs() < 3.5 * error, "theorem 4 at {mask}");
        // With the row's own count, free of the share up to rows of which nothing is known.
        let n0 = SIZES[0] as f64;
        let (mean, error) = simulated(mask, BIAS, affine, |known| k1 * n0 / known.max(1) as f64);
        let some_known = 1.0 - (1.0 - mask).powi(SIZES[0] as i32);
        let expected = composed(INPUT * k1 * some_known, BIAS, affine);
        assert!((mean - expected).abs() < 3.5 * error, "own count at {mask}: {mean} {expected}");
    }
}
