//! The likelihood against dense matrices, and its gradients against differences.

use burn::tensor::TensorData;

use super::*;
use crate::nn::product::tests::random;
use crate::nn::tape::{into_values, training_device};
use crate::run::Run;

const ROWS: usize = 3;

fn size(components: usize, factors: usize) -> MixtureSize {
    MixtureSize { numbers: 6, components, factors }
}

/// Scores, mean, factors and diagonal.
fn arrays(size: MixtureSize) -> [Vec<f32>; 4] {
    let [scores, mean, factors, diagonal] = size.columns().map(|columns| ROWS * columns);
    let diagonal = random(diagonal, "diagonal").iter().map(|value| 0.2 + value * value).collect();
    [random(scores, "scores"), random(mean, "mean"), random(factors, "factors"), diagonal]
}

fn numbers() -> (Vec<f32>, Vec<bool>) {
    let mut numbers = random(ROWS * 6, "numbers");
    let chosen: Vec<bool> = (0..ROWS * 6).map(|i| i < 12 && i % 3 != 1).collect();
    // What is not chosen is not read.
    numbers
        .iter_mut()
        .zip(&chosen)
        .filter(|(_, chosen)| !**chosen)
        .for_each(|(number, _)| *number = f32::NAN);
    (numbers, chosen)
}

fn mixture<T>([scores, mean, factors, diagonal]: [T; 4]) -> Mixture<T> {
    Mixture { scores, mean, factors, diagonal }
}

/// The definition with dense matrices, in double precision.
fn dense(arrays: &[Vec<f64>; 4], size: MixtureSize) -> f64 {
    let (numbers, chosen) = numbers();
    let MixtureSize { numbers: n, components, factors: l } = size;
    let row = |row: usize| -> f64 {
        let own: Vec<usize> = (0..n).filter(|i| chosen[row * n + i]).collect();
        if own.is_empty() {
            return 0.0;
        }
        let scores = &arrays[0][row * components..][..components];
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        let component = |k: usize| -> f64 {
            let a = |i: usize, f: usize| arrays[2][((row * components + k) * l + f) * n + i];
            let mut sigma = Square::zero(own.len());
            for (p, i) in own.iter().enumerate() {
                for (q, j) in own.iter().enumerate() {
                    *sigma.at_mut(p, q) = (0..l).map(|f| a(*i, f) * a(*j, f)).sum();
                }
                *sigma.at_mut(p, p) += arrays[3][(row * components + k) * n + i];
            }
            let lower = sigma.cholesky(0.0).unwrap();
            let mean =
                |i: &usize| f64::from(numbers[row * n + i]) - arrays[1][(row * components + k) * n + i];
            let mut r: Vec<f64> = own.iter().map(mean).collect();
            lower.forward(&mut r);
            let logs: f64 = (0..own.len()).map(|i| lower.at(i, i).ln()).sum();
            let square: f64 = r.iter().map(|value| value * value).sum();
            scores[k].exp() / total
                * (-0.5 * square - logs - 0.5 * own.len() as f64 * (2.0 * std::f64::consts::PI).ln()).exp()
        };
        -(0..components).map(component).sum::<f64>().ln()
    };
    (0..ROWS).map(row).sum::<f64>() / ROWS as f64
}

/// The loss and its gradients, times 2 so that there is a factor.
fn ours(size: MixtureSize) -> (f32, [Vec<f32>; 4]) {
    let (numbers, chosen) = numbers();
    let mut columns = size.columns().into_iter();
    let tensors = arrays(size).map(|values| {
        let shape = [ROWS, columns.next().unwrap()];
        Tensor::<2>::from_data(TensorData::new(values, shape), &training_device()).require_grad()
    });
    let loss = negative_log_likelihood(&numbers, &chosen, mixture(tensors.clone()), size) * 2.0;
    let mut found = loss.backward();
    let gradients = tensors.map(|tensor| into_values(tensor.grad_remove(&mut found).unwrap()));
    (loss.into_scalar::<f32>(), gradients)
}

#[test]
fn it_equals_the_dense_form_and_its_gradients_the_differences() {
    for (components, factors) in [(1, 2), (1, 0), (3, 1), (2, 4)] {
        let size = size(components, factors);
        let (loss, gradients) = ours(size);
        let values =
            arrays(size).map(|array| array.iter().map(|value| f64::from(*value)).collect::<Vec<_>>());
        assert!((f64::from(loss) - 2.0 * dense(&values, size)).abs() < 1e-5, "{loss} {size:?}");
        for part in 0..4 {
            for at in 0..values[part].len() {
                let moved = |step: f64| {
                    let mut values = values.clone();
                    values[part][at] += step;
                    dense(&values, size)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 1e-5;
                let ours = f64::from(gradients[part][at]);
                assert!(
                    (ours - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                    "{size:?} {part} {at}: {ours} {slope}"
                );
            }
        }
    }
}

#[test]
fn rows_are_judged_apart_and_threads_do_not_change_a_bit() {
    let size = size(2, 3);
    let (numbers, chosen) = numbers();
    let arrays = arrays(size);
    let slices = mixture(arrays.each_ref().map(Vec::as_slice));
    let rows = row_likelihoods(&numbers, &chosen, &slices, size);
    let (loss, _) = ours(size);
    assert!((f64::from(loss) - 2.0 * rows.iter().sum::<f64>() / 3.0).abs() < 1e-5);
    assert_eq!(rows[2], 0.0, "of the last row nothing is chosen");
    let with = |threads| Run::new(1, threads).unwrap().compute(|| ours(size));
    assert_eq!(with(1), with(2));
}

#[test]
fn far_components_and_tiny_variances_stay_finite() {
    let size = MixtureSize { numbers: 2, components: 2, factors: 1 };
    let (mean, diagonal) = ([1e4, -1e4, 0.0, 0.1], [1e-10, 1e-10, 1e-10, 1.0]);
    let slices = mixture([&[0.0, 60.0][..], &mean[..], &[0.0, 0.0, 0.5, -0.5][..], &diagonal[..]]);
    let rows = row_likelihoods(&[0.0, 0.0], &[true, true], &slices, size);
    assert!(rows[0].is_finite(), "{rows:?}");
}
