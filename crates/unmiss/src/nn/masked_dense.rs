//! A dense layer of which some connections do not exist, each sum scaled by a factor of its own:
//!
//! ```text
//! y[b, o] = activation( scale[b, o] Σ_i x[b, i] W[i, o] M[i, o] + bias[o] )
//! ```
//!
//! Masks M decide which inputs an output may know of: the building block of autoregressive networks. They are 0 or 1,
//! or, with Sparsity Normalization of masks, 0 or a factor that makes up for how many connections an output has.

use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;

use crate::nn::tape::training_device;

/// Which connections there are, and how much each counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Connections {
    inputs: usize,
    outputs: usize,
    /// `[inputs, outputs]`.
    values: Arc<Vec<f32>>,
}

impl Connections {
    /// 1 for every pair of an input and an output that is connected.
    pub fn new(inputs: usize, outputs: usize, connected: impl Fn(usize, usize) -> bool) -> Self {
        let pairs = (0..inputs).flat_map(|input| (0..outputs).map(move |output| (input, output)));
        let values = pairs.map(|(input, output)| f32::from(u8::from(connected(input, output)))).collect();
        Self { inputs, outputs, values: Arc::new(values) }
    }

    /// Sparsity Normalization of the mask: the connections of each output are divided by their number, times the mean
    /// number over outputs. An output without connections keeps none.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let counts: Vec<f32> = (0..self.outputs).map(|output| self.of_output(output).sum()).collect();
        let mean = counts.iter().sum::<f32>() / self.outputs.max(1) as f32;
        let scaled = |(place, value): (usize, &f32)| {
            let count = counts[place % self.outputs];
            if count > 0.0 { value * mean / count } else { 0.0 }
        };
        Self { values: Arc::new(self.values.iter().enumerate().map(scaled).collect()), ..*self }
    }

    fn of_output(&self, output: usize) -> impl Iterator<Item = f32> + '_ {
        self.values.iter().skip(output).step_by(self.outputs.max(1)).copied()
    }

    /// Whether an input is connected with an output.
    pub fn connected(&self, input: usize, output: usize) -> bool {
        self.values[input * self.outputs + output] != 0.0
    }

    /// Weights `[inputs, outputs]` with what is not connected 0.
    pub fn masked(&self, weights: &[f32]) -> Vec<f32> {
        weights.iter().zip(self.values.iter()).map(|(weight, mask)| weight * mask).collect()
    }

    /// The same on the tape.
    pub(super) fn masked_tensor(&self, weights: Tensor<2>) -> Tensor<2> {
        let mask = TensorData::new(self.values.to_vec(), [self.inputs, self.outputs]);
        weights * Tensor::from_data(mask, &training_device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::engine::tests::assert_agree;
    use crate::nn::product::tests::random;
    use crate::nn::tape::into_values;
    use crate::nn::{Activation, Engine, Parameters};

    #[test]
    fn normalised_masks_let_every_output_hear_as_much() {
        // The third output has no connection, the second one of two.
        let mask = Connections::new(2, 3, |input, output| output == 0 || (output == 1 && input == 1));
        assert_eq!(*mask.normalised().values, [0.5, 0.0, 0.0, 0.5, 1.0, 0.0]);
    }

    #[test]
    fn both_engines_agree_and_gradients_stay_within_the_mask() {
        let mut parameters = Parameters::new();
        let mut drawn = random(100, "masked").into_iter();
        parameters.add_dense("layer", 4, 3, || drawn.next().unwrap());
        parameters[1].values = random(3, "bias");
        let mask = Connections::new(4, 3, |input, output| input <= output);
        let scales = random(5 * 3, "scales");
        for scale in [None, Some(scales)] {
            assert_agree!(&parameters, 5 * 3, |engine| {
                let input = engine.input(random(5 * 4, "input"), 5);
                engine.masked_dense(input, 0, &mask, scale.clone(), Activation::Relu)
            });
        }
        let lent = parameters.tensors();
        let moment = crate::nn::train::Moment { seed: 1, epoch: 0, step: 0, share: 0.0 };
        let engine = &mut crate::nn::Taped::new(&lent, &moment);
        let input = engine.input(random(5 * 4, "input"), 5);
        let output = engine.masked_dense(input, 0, &mask, None, Activation::Identity);
        let mut gradients = output.sum().backward();
        let gradient = into_values(lent.tensor::<2>(0).grad_remove(&mut gradients).unwrap());
        for (place, slope) in gradient.iter().enumerate() {
            assert_eq!(*slope != 0.0, mask.connected(place / 3, place % 3), "{place}");
        }
    }
}
