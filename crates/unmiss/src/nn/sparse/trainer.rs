//! One step of learning.

use rayon::prelude::*;

use super::lanes::Level;
use super::network::{SparseNetwork, Weights, Work, equal_parts};
use super::pattern::Batch;
use super::tile::{Block, Lesson, learn, unhide};
use crate::nn::optimizer::{Optimizer, Step};
use crate::store::Named;

/// A network under training: its weights and what the optimiser remembers.
pub struct Trainer {
    /// The network.
    pub network: SparseNetwork,
    optimizer: Optimizer,
    first: Weights,
    second: Weights,
    /// Steps since the optimiser's memory was empty.
    pub(super) steps: u64,
}

impl Trainer {
    /// Begins to train a network.
    pub fn new(network: SparseNetwork, optimizer: Optimizer) -> Self {
        let tiles = network.weights.hidden_bias.len();
        let memory = || Weights::zero(tiles, network.inputs, network.outputs);
        let (first, second) = (memory(), memory());
        Self { network, optimizer, first, second, steps: 0 }
    }

    /// Empties the optimiser's memory.
    pub(super) fn forget(&mut self) {
        self.first.fill(0.0);
        self.second.fill(0.0);
    }

    /// Weights and memory, where they lie.
    pub(super) fn slices(&mut self) -> Vec<Named<'_>> {
        let mut slices = self.network.weights.slices("now");
        slices.extend(self.first.slices("first memory"));
        slices.extend(self.second.slices("second memory"));
        slices
    }

    /// Moves all weights against the gradient that `work.gradients` leads to; `work` is as the forward pass left it.
    /// `decay` is that of the weights of inputs and of outputs; biases have none.
    pub fn backward(&mut self, batch: &Batch, work: &mut Work, rate: f32, decay: [f32; 2]) {
        self.backward_with(Level::best(), batch, work, rate, decay);
    }

    pub(super) fn backward_with(
        &mut self,
        level: Level,
        batch: &Batch,
        work: &mut Work,
        rate: f32,
        [input_decay, output_decay]: [f32; 2],
    ) {
        self.steps += 1;
        let rule = |decay| self.optimizer.rule(Step { number: self.steps, rate, decay, scale: 1.0 });
        let (input_rule, output_rule, bias_rule) = (rule(input_decay), rule(output_decay), rule(0.0));
        let squash = self.network.squash;
        let (inputs, outputs) = (&*batch.inputs, &*batch.outputs);
        let Work { hidden, before, gradients, gradients_by_column, .. } = work;
        outputs.by_column(gradients, gradients_by_column);
        let gradients = &*gradients_by_column;
        let bias: Vec<f32> =
            (0..outputs.width()).map(|column| gradients[outputs.column(column)].iter().sum()).collect();
        let weights = &mut self.network.weights;
        bias_rule.apply(
            &mut weights.output_bias,
            &bias,
            &mut self.first.output_bias,
            &mut self.second.output_bias,
        );
        let tiles = weights.hidden_bias.len();
        before.resize(hidden.len(), Block::ZERO);
        let memory = self.first.tiles().into_iter().zip(self.second.tiles());
        let rows = equal_parts(hidden, tiles).into_iter().zip(equal_parts(before, tiles));
        let tasks: Vec<_> = weights.tiles().into_iter().zip(memory).zip(rows).collect();
        let learning =
            tasks.into_par_iter().with_max_len(1).map(|((weights, (first, second)), (hidden, before))| {
                // The gradient of the hidden layer needs the weights of the outputs as they were.
                let total = unhide(level, squash, outputs, weights.outputs, gradients, hidden, before);
                bias_rule.apply(
                    weights.bias.numbers_mut(),
                    total.numbers(),
                    first.bias.numbers_mut(),
                    second.bias.numbers_mut(),
                );
                let output = Lesson {
                    rule: &output_rule,
                    pattern: outputs,
                    factors: gradients,
                    rows: hidden,
                    weights: weights.outputs,
                    first: first.outputs,
                    second: second.outputs,
                };
                let input = Lesson {
                    rule: &input_rule,
                    pattern: inputs,
                    factors: &batch.values,
                    rows: before,
                    weights: weights.inputs,
                    first: first.inputs,
                    second: second.inputs,
                };
                [output, input]
            });
        // Both layers of all tiles are shared out together: small pieces leave no thread waiting for long.
        let learning: Vec<_> = learning.collect::<Vec<_>>().into_iter().flatten().collect();
        learning.into_par_iter().with_max_len(1).for_each(|lesson| learn(level, lesson));
    }
}
