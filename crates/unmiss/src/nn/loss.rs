//! Losses as single operations: value and gradient are worked out together in the forward pass, and the
//! backward pass only hands the gradient on.
//!
//! A loss is a mean over rows `i` with weights `w`: `Σ wᵢ lossᵢ / Σ wᵢ`.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

use crate::nn::activation::exp;
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// The weighted mean over rows of `mean over outputs (prediction - target)²`.
///
/// # Shapes
/// - `prediction`: `[rows, outputs]`
/// - `target`: `rows x outputs` numbers, row by row
/// - `weights`: one per row; `None`: all 1
pub fn squared_error(prediction: Tensor<2>, target: &[f32], weights: Option<&[f32]>) -> Tensor<1> {
    fused(prediction, |prediction, columns| {
        assert_eq!(prediction.len(), target.len(), "one target for each prediction");
        let total = total_weight(weights, prediction.len() / columns);
        let mut sum = 0.0;
        let mut gradient = Vec::with_capacity(prediction.len());
        let rows = prediction.chunks_exact(columns).zip(target.chunks_exact(columns));
        for (row, (prediction, target)) in rows.enumerate() {
            let share = weight(weights, row) / (total * columns as f64);
            let mut squares = 0.0;
            gradient.extend(prediction.iter().zip(target).map(|(p, t)| {
                let error = p - t;
                squares += error * error;
                (2.0 * share) as f32 * error
            }));
            sum += share * f64::from(squares);
        }
        (sum, gradient)
    })
}

/// The weighted mean over rows of the cross-entropy between the softmax of the scores and the class, which
/// has probability `1 - smoothing` with the rest spread evenly over all classes.
///
/// # Shapes
/// - `scores`: `[rows, classes]`
/// - `classes`: one per row
/// - `weights`: one per row; `None`: all 1
pub fn cross_entropy(
    scores: Tensor<2>,
    classes: &[usize],
    weights: Option<&[f32]>,
    smoothing: f32,
) -> Tensor<1> {
    fused(scores, |scores, columns| {
        assert_eq!(scores.len(), classes.len() * columns, "one class for each row of scores");
        let total = total_weight(weights, classes.len());
        let even = smoothing / columns as f32;
        let mut sum = 0.0;
        let mut gradient = scores.to_vec();
        for (row, (part, class)) in gradient.chunks_exact_mut(columns).zip(classes).enumerate() {
            let share = weight(weights, row) / total;
            let class_score = part[*class];
            let score_sum: f32 = part.iter().sum();
            let log_sum = softmax_row(part);
            let expected = (1.0 - smoothing) * class_score + even * score_sum;
            sum += share * f64::from(log_sum - expected);
            for probability in part.iter_mut() {
                *probability = (*probability - even) * share as f32;
            }
            part[*class] -= (1.0 - smoothing) * share as f32;
        }
        (sum, gradient)
    })
}

/// Turns rows of scores into rows of probabilities.
pub fn softmax(scores: &mut [f32], classes: usize) {
    for row in scores.chunks_exact_mut(classes.max(1)) {
        softmax_row(row);
    }
}

vectorised! {
    /// Turns one row of scores into probabilities; gives the logarithm of the sum of their exponentials.
    fn softmax_row(row: &mut [f32]) -> f32 {
        let highest = row.iter().fold(f32::NEG_INFINITY, |highest, score| highest.max(*score));
        for score in row.iter_mut() {
            *score = exp(*score - highest);
        }
        let sum: f32 = row.iter().sum();
        let inverse = 1.0 / sum;
        for probability in row.iter_mut() {
            *probability *= inverse;
        }
        highest + sum.ln()
    }
}

fn weight(weights: Option<&[f32]>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| f64::from(weights[row]))
}

/// The sum of the weights; 1 where all are 0, which makes the loss 0.
fn total_weight(weights: Option<&[f32]>, rows: usize) -> f64 {
    let total = weights.map_or(rows as f64, |weights| weights.iter().map(|w| f64::from(*w)).sum());
    if total > 0.0 { total } else { 1.0 }
}

/// Records a loss whose value and gradient `work` gives for the numbers of a tensor and its columns.
pub fn fused(input: Tensor<2>, work: impl FnOnce(&[f32], usize) -> (f64, Vec<f32>)) -> Tensor<1> {
    let (input, node) = taped(input).into_parts();
    let input = contiguous(input);
    let shape = input.shape();
    let (loss, gradient) = work(values(&input), shape[1].max(1));
    let loss = FlexTensor::from_data(TensorData::new(vec![loss as f32], [1]));
    let operation = Fused.prepare::<NoCheckpointing>([node]).compute_bound();
    from_taped(match operation.stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(plain(gradient, [shape[0], shape[1]]), loss),
        OpsKind::UnTracked(prepared) => prepared.finish(loss),
    })
}

#[derive(Debug)]
struct Fused;

impl Backward<Flex, 1> for Fused {
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let factor = values(&contiguous(gradients.consume::<Flex>(&ops.node)))[0];
        let [Some(node)] = ops.parents else { return };
        let mut gradient = ops.state;
        // A loss is mostly the end of the chain, with the factor 1.
        if factor != 1.0 {
            gradient.storage_mut::<f32>().iter_mut().for_each(|value| *value *= factor);
        }
        gradients.register::<Flex>(node.id, gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};

    fn tensor(values: &[f32], shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), &training_device()).require_grad()
    }

    /// Compares a loss (times 3, to have a factor) with its definition in double precision, and its
    /// gradient with differences of that definition.
    fn check(
        loss: impl Fn(Tensor<2>) -> Tensor<1>,
        truth: impl Fn(&[f64]) -> f64,
        values: &[f32],
        shape: [usize; 2],
    ) {
        let input = tensor(values, shape);
        let output = loss(input.clone()) * 3.0;
        let mut gradients = output.backward();
        let gradient = into_values(input.grad_remove(&mut gradients).unwrap());
        let values: Vec<f64> = values.iter().map(|x| f64::from(*x)).collect();
        assert!((f64::from(output.into_scalar::<f32>()) - 3.0 * truth(&values)).abs() < 1e-5);
        for (index, ours) in gradient.iter().enumerate() {
            let moved = |step: f64| {
                let mut values = values.clone();
                values[index] += step;
                truth(&values)
            };
            let slope = 3.0 * (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((f64::from(*ours) - slope).abs() < 1e-6, "{index}: {ours} {slope}");
        }
    }

    const WEIGHTS: [f32; 4] = [1.0, 0.0, 2.5, 0.5];

    #[test]
    fn squared_errors_follow_their_definition() {
        let (predictions, targets) = (random(12, "prediction"), random(12, "target"));
        for weights in [None, Some(&WEIGHTS[..])] {
            let truth = |values: &[f64]| {
                let row = |i: usize| {
                    (0..3).map(|j| (values[3 * i + j] - f64::from(targets[3 * i + j])).powi(2)).sum::<f64>()
                        / 3.0
                };
                (0..4).map(|i| weight(weights, i) * row(i)).sum::<f64>() / total_weight(weights, 4)
            };
            check(|input| squared_error(input, &targets, weights), truth, &predictions, [4, 3]);
        }
    }

    #[test]
    fn cross_entropies_follow_their_definition() {
        let scores: Vec<f32> = random(12, "scores").iter().map(|x| 3.0 * x).collect();
        let classes = [2, 0, 1, 1];
        for (weights, smoothing) in [(None, 0.0), (Some(&WEIGHTS[..]), 0.1)] {
            let truth = |values: &[f64]| {
                let row = |i: usize| {
                    let row = &values[3 * i..3 * i + 3];
                    let log_sum = row.iter().map(|x| x.exp()).sum::<f64>().ln();
                    let target = |j| {
                        f64::from(smoothing) / 3.0
                            + if j == classes[i] { 1.0 - f64::from(smoothing) } else { 0.0 }
                    };
                    (0..3).map(|j| target(j) * (log_sum - row[j])).sum::<f64>()
                };
                (0..4).map(|i| weight(weights, i) * row(i)).sum::<f64>() / total_weight(weights, 4)
            };
            check(|input| cross_entropy(input, &classes, weights, smoothing), truth, &scores, [4, 3]);
        }
    }

    #[test]
    fn far_scores_stay_finite_and_rows_without_weight_count_nothing() {
        let scores = tensor(&[1000.0, -1000.0, -1e30, 1e30], [2, 2]);
        let loss = cross_entropy(scores, &[0, 1], None, 0.0);
        assert_eq!(loss.into_scalar::<f32>(), 0.0);
        let nothing = squared_error(tensor(&[1.0], [1, 1]), &[0.0], Some(&[0.0]));
        assert_eq!(nothing.into_scalar::<f32>(), 0.0);
        let mut rows = [0.0, 0.0, 1.0, 1.0 + 3_f32.ln()];
        softmax(&mut rows, 2);
        assert!((rows[0] - 0.5).abs() < 1e-6 && (rows[3] - 0.75).abs() < 1e-6);
    }
}
