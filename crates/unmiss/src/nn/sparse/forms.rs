//! A network in other forms: in other units, several as one, in halves for answers, as arrays.

use super::network::{SparseNetwork, Squash};
use super::tile::Block;
use crate::error::Result;
use crate::store::Arrays;

impl SparseNetwork {
    /// Multiplies the weights of inputs, and those of outputs with their biases: the network for inputs and outputs in
    /// other units.
    pub fn rescale(&mut self, inputs: f32, outputs: f32) {
        let scale = |blocks: &mut [Block], factor: f32| {
            let numbers = blocks.iter_mut().flat_map(Block::numbers_mut);
            numbers.for_each(|weight| *weight *= factor);
        };
        scale(&mut self.weights.inputs, inputs);
        scale(&mut self.weights.outputs, outputs);
        self.weights.output_bias.iter_mut().for_each(|bias| *bias *= outputs);
    }

    /// The network that answers with the mean of several of the same inputs and outputs: their hidden units side by
    /// side, the weights of outputs divided by their number.
    ///
    /// ```text
    /// 1/M Σ_m (b_m + W_m h_m)  =  Σ_m b_m / M  +  [W_1/M ... W_M/M] [h_1 ... h_M]
    /// ```
    ///
    /// # Panics
    /// When there is none, or they differ in inputs, outputs or squashing.
    pub fn mean_of(mut members: Vec<Self>) -> Self {
        if members.len() == 1 {
            return members.remove(0);
        }
        let first = &members[0];
        let shape = |member: &Self| (member.inputs, member.outputs, member.squash);
        assert!(members.iter().all(|member| shape(member) == shape(first)), "networks of one shape");
        let share = 1.0 / members.len() as f32;
        let hidden = members.iter().map(|member| member.hidden).sum();
        let mut mean = Self::zero(first.inputs, hidden, first.outputs, first.squash);
        let joined = |part: &dyn Fn(&Self) -> Vec<f32>, factor: f32| -> Vec<f32> {
            members.iter().flat_map(part).map(|weight| factor * weight).collect()
        };
        for input in 0..first.inputs {
            mean.set_input(input, &joined(&|member| member.input(input), 1.0));
        }
        for output in 0..first.outputs {
            mean.set_output(output, &joined(&|member| member.output(output), share));
            mean.output_bias_mut()[output] =
                share * members.iter().map(|member| member.output_bias()[output]).sum::<f32>();
        }
        mean.set_hidden_bias(&joined(&Self::hidden_bias, 1.0));
        mean
    }
}

/// A trained network in two halves: up to the hidden units, and on from there, row by row as answers need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Halves {
    /// The network without its outputs.
    pub encoder: SparseNetwork,
    /// W as `[outputs, hidden]`.
    pub weights: Vec<f32>,
    /// b as `[outputs]`.
    pub bias: Vec<f32>,
}

impl From<SparseNetwork> for Halves {
    fn from(mut network: SparseNetwork) -> Self {
        let mut weights = Vec::with_capacity(network.outputs * network.hidden);
        (0..network.outputs).for_each(|output| weights.extend(network.output(output)));
        network.outputs = 0;
        network.weights.outputs = Vec::new();
        let bias = std::mem::take(&mut network.weights.output_bias);
        Self { encoder: network, weights, bias }
    }
}

impl Halves {
    /// How many hidden units there are.
    pub fn hidden(&self) -> usize {
        self.encoder.hidden
    }

    /// The weights of an output.
    pub fn weight(&self, output: usize) -> &[f32] {
        &self.weights[output * self.hidden()..][..self.hidden()]
    }

    /// The arrays from which [`load`](Self::load) makes the same again.
    pub fn save(&self) -> Arrays {
        let SparseNetwork { inputs, hidden, .. } = self.encoder;
        let mut input_weights = Vec::with_capacity(inputs * hidden);
        (0..inputs).for_each(|input| input_weights.extend(self.encoder.input(input)));
        let mut arrays = Arrays::default();
        arrays.put_singles("inputs", &[inputs, hidden], input_weights);
        arrays.put_singles("outputs", &[self.bias.len(), hidden], self.weights.clone());
        arrays.put_singles("hidden bias", &[hidden], self.encoder.hidden_bias());
        arrays.put_singles("output bias", &[self.bias.len()], self.bias.clone());
        arrays
    }

    /// Puts the halves together again. Memory for them is taken once all arrays are known to be there.
    ///
    /// # Errors
    /// When an array is missing or of another shape.
    pub fn load([inputs, hidden, outputs]: [usize; 3], squash: Squash, arrays: &Arrays) -> Result<Self> {
        let input_weights = arrays.singles("inputs", &[inputs, hidden])?;
        let weights = arrays.singles("outputs", &[outputs, hidden])?;
        let hidden_bias = arrays.singles("hidden bias", &[hidden])?;
        let bias = arrays.singles("output bias", &[outputs])?;
        let mut encoder = SparseNetwork::zero(inputs, hidden, 0, squash);
        let lines = input_weights.chunks_exact(hidden.max(1)).enumerate();
        lines.for_each(|(input, weights)| encoder.set_input(input, weights));
        encoder.set_hidden_bias(hidden_bias);
        Ok(Self { encoder, weights: weights.to_vec(), bias: bias.to_vec() })
    }
}
