//! A network in other forms: in other units, as arrays, several as one.

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

    /// The arrays from which [`load`](Self::load) makes the same network again.
    pub fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (inputs, outputs) = (self.all_inputs(), self.all_outputs());
        arrays.put_singles("inputs", &[self.inputs, self.hidden], inputs);
        arrays.put_singles("outputs", &[self.outputs, self.hidden], outputs);
        arrays.put_singles("hidden bias", &[self.hidden], self.hidden_bias());
        arrays.put_singles("output bias", &[self.outputs], self.output_bias().to_vec());
        arrays
    }

    /// V as `[inputs, hidden]`.
    fn all_inputs(&self) -> Vec<f32> {
        let mut all = Vec::with_capacity(self.inputs * self.hidden);
        (0..self.inputs).for_each(|input| all.extend(self.input(input)));
        all
    }

    /// W as `[outputs, hidden]`.
    pub fn all_outputs(&self) -> Vec<f32> {
        let mut all = Vec::with_capacity(self.outputs * self.hidden);
        (0..self.outputs).for_each(|output| all.extend(self.output(output)));
        all
    }

    /// Puts a network together again. Memory for it is taken once all arrays are known to be there.
    ///
    /// # Errors
    /// When an array is missing or of another shape.
    pub fn load(
        inputs: usize,
        hidden: usize,
        outputs: usize,
        squash: Squash,
        arrays: &Arrays,
    ) -> Result<Self> {
        let input_weights = arrays.singles("inputs", &[inputs, hidden])?;
        let output_weights = arrays.singles("outputs", &[outputs, hidden])?;
        let hidden_bias = arrays.singles("hidden bias", &[hidden])?;
        let output_bias = arrays.singles("output bias", &[outputs])?;
        let mut network = Self::zero(inputs, hidden, outputs, squash);
        let lines = input_weights.chunks_exact(hidden.max(1)).enumerate();
        lines.for_each(|(input, weights)| network.set_input(input, weights));
        let lines = output_weights.chunks_exact(hidden.max(1)).enumerate();
        lines.for_each(|(output, weights)| network.set_output(output, weights));
        network.set_hidden_bias(hidden_bias);
        network.output_bias_mut().copy_from_slice(output_bias);
        Ok(network)
    }

    /// The network that answers with the mean of several of the same inputs and outputs: their hidden units side by side,
    /// the weights of outputs divided by their number.
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
