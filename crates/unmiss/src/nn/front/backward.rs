//! The way back through the front: gradients of its six matrices.

use burn::backend::Flex;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;
use std::sync::Arc;

use super::{FREQUENCIES, FRONT_PARAMETERS, Front, MIXTURES, NUMBER_TOKEN, TOKENS_WORTH_THREADS, Weights};
use crate::nn::cells::Cells;
use crate::nn::periodic::{cosines, sines};
use crate::nn::tape::{contiguous, plain, values};

/// What the way back needs.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub front: Arc<Front>,
    pub cells: Arc<Cells<'static>>,
    pub tensors: Vec<FlexTensor>,
}

/// The front as one operation of the tape.
#[derive(Debug)]
pub(super) struct FrontOperation;

impl Backward<Flex, FRONT_PARAMETERS> for FrontOperation {
    type State = State;

    fn backward(self, ops: Ops<State, FRONT_PARAMETERS>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let State { front, cells, tensors } = ops.state;
        let gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let found = front.backward(&cells, Weights::new(&tensors), values(&gradient));
        let shapes = [
            [front.numbers, FREQUENCIES],
            [front.numbers, FREQUENCIES],
            [front.numbers, FREQUENCIES * MIXTURES],
            [front.numbers, NUMBER_TOKEN],
            [1, front.table_size],
            [1, front.width],
        ];
        for ((node, found), shape) in ops.parents.into_iter().zip(found).zip(shapes) {
            if let Some(node) = node {
                gradients.register::<Flex>(node.id, plain(found, shape));
            }
        }
    }
}

/// Gradients of one number column's weights.
#[derive(Default)]
struct NumberGradient {
    frequencies: [f32; FREQUENCIES],
    phases: [f32; FREQUENCIES],
    mixing: [[f32; MIXTURES]; FREQUENCIES],
    hole: [f32; NUMBER_TOKEN],
    factors: [f32; NUMBER_TOKEN],
}

impl Front {
    /// Gradients of the six matrices. Columns are independent, so threads share them out and every sum
    /// over rows is made in one order.
    pub(super) fn backward(
        &self,
        cells: &Cells<'_>,
        weights: Weights<'_>,
        gradient: &[f32],
    ) -> [Vec<f32>; FRONT_PARAMETERS] {
        let normals: Vec<f32> = (0..cells.rows).map(|row| self.factor(cells, row)).collect();
        let number = |column: usize| self.number_gradient(cells, weights, gradient, &normals, column);
        let parallel = cells.rows * self.numbers > TOKENS_WORTH_THREADS;
        let numbers: Vec<NumberGradient> = if parallel {
            (0..self.numbers).into_par_iter().map(number).collect()
        } else {
            (0..self.numbers).map(number).collect()
        };
        let mut tables = vec![0.0; self.table_size];
        let mut factors: Vec<f32> = numbers.iter().flat_map(|number| number.factors).collect();
        factors.resize(self.width, 0.0);
        for (column, table) in self.categories.iter().enumerate() {
            for (row, normal) in normals.iter().enumerate() {
                let (entry, observed) = table.entry(cells, row * self.categories.len() + column);
                let normal = if observed { *normal } else { 1.0 };
                for place in 0..table.token {
                    let flow = gradient[row * self.width + table.first + place] * normal;
                    factors[table.first + place] += flow * weights.tables[entry + place];
                    tables[entry + place] += flow * weights.factors[table.first + place];
                }
            }
        }
        [
            numbers.iter().flat_map(|number| number.frequencies).collect(),
            numbers.iter().flat_map(|number| number.phases).collect(),
            numbers.iter().flat_map(|number| number.mixing.into_iter().flatten()).collect(),
            numbers.iter().flat_map(|number| number.hole).collect(),
            tables,
            factors,
        ]
    }

    fn number_gradient(
        &self,
        cells: &Cells<'_>,
        weights: Weights<'_>,
        gradient: &[f32],
        normals: &[f32],
        column: usize,
    ) -> NumberGradient {
        let (frequencies, phases, mixing) = weights.of_column(column);
        let factors = &weights.factors[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
        let holes = &weights.holes[column * NUMBER_TOKEN..(column + 1) * NUMBER_TOKEN];
        let mut found = NumberGradient::default();
        for (row, normal) in normals.iter().enumerate() {
            let cell = row * self.numbers + column;
            let observed = cells.numbers_observed[cell];
            let start = row * self.width + column * NUMBER_TOKEN;
            let incoming = &gradient[start..start + NUMBER_TOKEN];
            let mut flow = [0.0_f32; NUMBER_TOKEN];
            let mut token = [0.0_f32; NUMBER_TOKEN];
            let normal = if observed { *normal } else { 1.0 };
            for place in 0..NUMBER_TOKEN {
                flow[place] = incoming[place] * factors[place] * normal;
                if !observed {
                    token[place] = holes[place];
                    found.hole[place] += flow[place];
                }
            }
            if observed || self.guessed {
                let x = cells.numbers[cell];
                let mut turns = [0.0_f32; FREQUENCIES];
                for ((turn, w), b) in turns.iter_mut().zip(frequencies).zip(phases) {
                    *turn = w * x + b;
                }
                let mut sine = turns;
                cosines(&mut turns);
                sines(&mut sine);
                token[0] += x;
                for (f, mix) in mixing.chunks_exact(MIXTURES).enumerate() {
                    let mut to_cosine = 0.0;
                    for place in 0..MIXTURES {
                        token[place + 1] += turns[f] * mix[place];
                        found.mixing[f][place] += flow[place + 1] * turns[f];
                        to_cosine += flow[place + 1] * mix[place];
                    }
                    // d cos(2πt)/dt = -2π sin(2πt)
                    let to_turn = -std::f32::consts::TAU * sine[f] * to_cosine;
                    found.frequencies[f] += to_turn * x;
                    found.phases[f] += to_turn;
                }
            }
            for place in 0..NUMBER_TOKEN {
                found.factors[place] += incoming[place] * normal * token[place];
            }
        }
        found
    }
}
