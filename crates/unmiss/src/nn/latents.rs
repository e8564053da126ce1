//! Latents of a variational autoencoder: from mean and log-variance, with noise from outside (the reparametrisation of
//! Kingma and Welling 2014), so that gradients reach the encoder.
//!
//! Letters: B rows of a batch, K latents of each, L numbers of a latent.
//!
//! ```text
//! e = (μ, s)   [B, 2L]       z_k = μ + exp(s / 2) ⊙ ε_k   [B K, L], the K of a row one after the other
//! ∂μ = Σ_k ∂z_k              ∂s = ½ exp(s / 2) ⊙ Σ_k ε_k ⊙ ∂z_k
//! ```

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;

use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// The latents `[B K, L]` of rows whose encoder says `encoded`, `[B, 2L]`; `noise` is `[B K, L]`.
pub fn latents(encoded: Tensor<2>, noise: Vec<f32>, per_row: usize) -> Tensor<2> {
    let (encoded, node) = taped(encoded).into_parts();
    let encoded = contiguous(encoded);
    let width = encoded.shape()[1] / 2;
    let found = infer_latents(values(&encoded), &noise, width, per_row);
    let found = plain(found, [encoded.shape()[0] * per_row, width]);
    from_taped(match Latents.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(State { encoded, noise, per_row }, found),
        OpsKind::UnTracked(prepared) => prepared.finish(found),
    })
}

/// The same on plain numbers.
pub fn infer_latents(encoded: &[f32], noise: &[f32], width: usize, per_row: usize) -> Vec<f32> {
    assert_eq!(encoded.len() * per_row, 2 * noise.len(), "noise for each latent");
    let mut latents = Vec::with_capacity(noise.len());
    for (row, own) in encoded.chunks_exact((2 * width).max(1)).zip(noise.chunks((width * per_row).max(1))) {
        let (mean, log_variance) = row.split_at(width);
        for noise in own.chunks_exact(width.max(1)) {
            let all = mean.iter().zip(log_variance).zip(noise);
            latents.extend(all.map(|((mean, s), noise)| mean + (0.5 * s).exp() * noise));
        }
    }
    latents
}

#[derive(Debug)]
struct Latents;

#[derive(Debug, Clone)]
struct State {
    encoded: FlexTensor,
    noise: Vec<f32>,
    per_row: usize,
}

impl Backward<Flex, 1> for Latents {
    type State = State;

    fn backward(self, ops: Ops<State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let arriving = contiguous(gradients.consume::<Flex>(&ops.node));
        let [Some(node)] = ops.parents else { return };
        let State { encoded, noise, per_row } = ops.state;
        let (rows, width) = (encoded.shape()[0], encoded.shape()[1] / 2);
        let mut gradient = vec![0.0; rows * 2 * width];
        let each = (width * per_row).max(1);
        let lines = gradient.chunks_exact_mut((2 * width).max(1)).zip(values(&encoded).chunks(2 * width));
        let arriving = values(&arriving).chunks(each).zip(noise.chunks(each));
        for ((line, encoded), (arriving, noise)) in lines.zip(arriving) {
            let (of_mean, of_log_variance) = line.split_at_mut(width);
            for (place, (arriving, noise)) in arriving.iter().zip(noise).enumerate() {
                of_mean[place % width] += arriving;
                of_log_variance[place % width] += arriving * noise;
            }
            let deviations = encoded[width..].iter().map(|s| 0.5 * (0.5 * s).exp());
            of_log_variance.iter_mut().zip(deviations).for_each(|(slope, half)| *slope *= half);
        }
        gradients.register::<Flex>(node.id, plain(gradient, [rows, 2 * width]));
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};

    #[test]
    fn latents_have_the_gradients_of_their_formula() {
        let (rows, per_row, width) = (3, 4, 2);
        let (encoded, noise) = (random(rows * 2 * width, "encoded"), random(rows * per_row * width, "noise"));
        let weights = random(rows * per_row * width, "weights");
        // The loss Σ w z², in double precision.
        let truth = |encoded: &[f64]| -> f64 {
            let cell = |place: usize| {
                let (row, at) = (place / (per_row * width), place % width);
                let mean = encoded[row * 2 * width + at];
                let z = mean + (0.5 * encoded[row * 2 * width + width + at]).exp() * f64::from(noise[place]);
                f64::from(weights[place]) * z * z
            };
            (0..noise.len()).map(cell).sum()
        };
        let tensor = |values: Vec<f32>, shape: [usize; 2]| {
            Tensor::<2>::from_data(TensorData::new(values, shape), &training_device())
        };
        let input = tensor(encoded.clone(), [rows, 2 * width]).require_grad();
        let z = latents(input.clone(), noise.clone(), per_row);
        let loss = (z.clone() * z * tensor(weights.clone(), [rows * per_row, width])).sum();
        let mut found = loss.backward();
        let slopes = into_values(input.grad_remove(&mut found).unwrap());
        let at: Vec<f64> = encoded.iter().map(|x| f64::from(*x)).collect();
        assert!((f64::from(loss.into_scalar::<f32>()) - truth(&at)).abs() < 1e-5);
        for (place, slope) in slopes.iter().enumerate() {
            let moved = |step: f64| {
                let mut at = at.clone();
                at[place] += step;
                truth(&at)
            };
            let wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((f64::from(*slope) - wanted).abs() < 1e-5, "{place}: {slope} {wanted}");
        }
    }
}
