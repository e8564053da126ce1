//! The whole predictor: answers from what the joint distribution says of a row.
//!
//! ```text
//! a number     ŷ   = b + β'x̂ + γ'M  [+ network]
//! classes      z_c = (b_c + β_c'x̂ + γ_c'M) / √(1 + π v_c / 8)  [+ network],   v_c = Var[β_c'x | known, M]
//! ```
//!
//! The root is what a logistic curve becomes when its argument is only known up to a variance: the less is known, the
//! nearer to even are the chances.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::head::Head;
use super::joint::{Joint, Solved, dot};
use crate::linalg::Holes;
use crate::linalg::lanes::{LANES, Lane, times};

/// Patterns that are worked on in one go: fixed, so that threads change nothing.
pub const BLOCK: usize = 4 * LANES;
/// Added to a variance under its root, as an input of the network.
pub(super) const SOFT: f64 = 0.01;

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Squared error of a number.
    Squares,
    /// Minus the logarithm of the chance of the class: one output for two classes, else one per class.
    Chances,
}

/// A predictor.
pub struct Answer {
    /// The distribution; its first directions are β, others are inputs of the network.
    pub joint: Joint,
    /// b of each output.
    pub bias: Vec<f64>,
    /// γ, `[outputs, columns]`.
    pub marks: Vec<f64>,
    /// The network, if there is one, and its parameters.
    pub head: Option<(Head, Vec<f64>)>,
    /// What the outputs are.
    pub loss: Loss,
}

/// Rows of which all have the same holes.
pub struct Item<'a> {
    /// Which columns they know.
    pub observed: &'a [bool],
    /// Their places.
    pub rows: &'a [usize],
}

/// A block of items on the way to answers.
pub struct Block {
    /// Of each eight items.
    pub solved: Vec<Solved>,
    /// r of each row, `[rows, columns]`.
    pub residuals: Vec<f64>,
    /// w'x̂ of each row, for outputs with b and γ'M, `[rows, directions]`.
    pub means: Vec<f64>,
    /// Var[w'x] of each row, `[rows, directions]`.
    pub open: Vec<f64>,
    /// With a network: h of each eight rows, `[columns]` for each.
    pub solutions: Vec<Vec<Lane>>,
    /// With a network: its inputs, `[rows, inputs]`.
    pub inputs: Vec<f64>,
}

impl Answer {
    /// How many outputs.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Inputs of a network for so many columns and directions.
    pub fn inputs(columns: usize, directions: usize) -> usize {
        2 * columns + 2 * directions
    }

    /// Everything about some items but the answer itself. With a network every item is one row.
    pub fn block(&self, data: Holes<'_>, items: &[Item<'_>]) -> Block {
        let (columns, directions) = (self.joint.columns, self.joint.directions());
        let solved: Vec<Solved> = items
            .chunks(LANES)
            .map(|items| self.joint.solved(items.iter().map(|item| item.observed)))
            .collect();
        let rows: usize = items.iter().map(|item| item.rows.len()).sum();
        let mut block = Block {
            solved,
            residuals: vec![0.0; rows * columns],
            means: Vec::with_capacity(rows * directions),
            open: Vec::with_capacity(rows * directions),
            solutions: Vec::new(),
            inputs: Vec::new(),
        };
        let mut effects = vec![0.0; directions * columns];
        let mut levels = vec![0.0; directions];
        let mut place = 0;
        for (at, item) in items.iter().enumerate() {
            let (solved, lane) = (&block.solved[at / LANES], at % LANES);
            for (direction, level) in levels.iter_mut().enumerate() {
                solved.effect(direction, lane, &mut effects[direction * columns..(direction + 1) * columns]);
                *level = self.joint.along[direction].0 + self.level(direction, item.observed);
            }
            for &row in item.rows {
                let residual = &mut block.residuals[place * columns..(place + 1) * columns];
                self.joint.residual(&data.values[row * columns..], item.observed, residual);
                let means = effects.chunks_exact(columns.max(1)).zip(&levels);
                block.means.extend(means.map(|(effect, level)| level + dot(effect, residual)));
                block.open.extend(solved.open.iter().map(|open| open[lane]));
                place += 1;
            }
        }
        if let Some((head, _)) = &self.head {
            self.add_inputs(*head, data, items, &mut block);
        }
        block
    }

    /// b + γ'M of an output; 0 for other directions.
    fn level(&self, direction: usize, observed: &[bool]) -> f64 {
        let Some(bias) = self.bias.get(direction) else { return 0.0 };
        let marks = &self.marks[direction * observed.len()..(direction + 1) * observed.len()];
        bias + marks.iter().zip(observed).filter(|(_, known)| !**known).map(|(mark, _)| mark).sum::<f64>()
    }

    /// x̂, M, and what is known along the directions.
    fn add_inputs(&self, head: Head, data: Holes<'_>, items: &[Item<'_>], block: &mut Block) {
        let (columns, directions) = (self.joint.columns, self.joint.directions());
        block.inputs = vec![0.0; items.len() * head.inputs];
        for (eight, (items, solved)) in items.chunks(LANES).zip(&block.solved).enumerate() {
            let mut h = vec![[0.0; LANES]; columns];
            for lane in 0..items.len() {
                let residual = &block.residuals[(eight * LANES + lane) * columns..][..columns];
                h.iter_mut().zip(residual).for_each(|(h, r)| h[lane] = *r);
            }
            solved.solve(&mut h);
            let mut filled = vec![[0.0; LANES]; columns];
            times(columns, &self.joint.covariance, &h, &mut filled);
            for (lane, item) in items.iter().enumerate() {
                let place = eight * LANES + lane;
                let into = &mut block.inputs[place * head.inputs..(place + 1) * head.inputs];
                for column in 0..columns {
                    let known = item.observed[column];
                    let cell = item.rows[0] * columns + column;
                    into[column] = match known {
                        true => f64::from(data.values[cell]),
                        false => self.joint.mean[column] + filled[column][lane],
                    };
                    into[columns + column] = f64::from(u8::from(!known));
                }
                for direction in 0..directions {
                    into[2 * columns + direction] = block.means[place * directions + direction];
                    let open = block.open[place * directions + direction];
                    into[2 * columns + directions + direction] = (open + SOFT).sqrt();
                }
            }
            block.solutions.push(h);
        }
    }

    /// Turns a row's outputs, and what the network adds to them, into what the loss compares.
    pub fn scores(&self, means: &[f64], open: &[f64], added: &[f64], into: &mut [f64]) {
        for (output, into) in into.iter_mut().enumerate() {
            let added = added.get(output).copied().unwrap_or(0.0);
            *into = match self.loss {
                Loss::Squares => means[output] + added,
                Loss::Chances => means[output] / softness(open[output]) + added,
            };
        }
    }

    /// Scores of rows, `[rows, outputs]`, in the order of the rows.
    pub fn predict(&self, data: Holes<'_>, groups: &[Item<'_>]) -> Vec<f64> {
        let outputs = self.outputs();
        let mut singles: Vec<Item<'_>> = Vec::new();
        if self.head.is_some() {
            for Item { observed, rows } in groups {
                singles.extend(rows.chunks(1).map(|rows| Item { observed, rows }));
            }
        }
        let items = if self.head.is_some() { &singles } else { groups };
        let parts: Vec<Vec<f64>> = items
            .par_chunks(BLOCK)
            .map(|items| {
                let block = self.block(data, items);
                let directions = self.joint.directions();
                let added = self.head.as_ref().map(|(head, own)| head.forward(own, &block.inputs).0);
                let rows = block.means.len() / directions.max(1);
                let mut scores = vec![0.0; rows * outputs];
                for (row, into) in scores.chunks_exact_mut(outputs).enumerate() {
                    let own = row * directions..(row + 1) * directions;
                    let added =
                        added.as_ref().map_or(&[][..], |added| &added[row * outputs..(row + 1) * outputs]);
                    self.scores(&block.means[own.clone()], &block.open[own], added, into);
                }
                scores
            })
            .collect();
        let mut answers = vec![0.0; data.rows() * outputs];
        for (items, scores) in items.chunks(BLOCK).zip(parts) {
            let rows = items.iter().flat_map(|item| item.rows);
            for (row, score) in rows.zip(scores.chunks_exact(outputs)) {
                answers[row * outputs..(row + 1) * outputs].copy_from_slice(score);
            }
        }
        answers
    }
}

/// √(1 + π v / 8).
pub fn softness(open: f64) -> f64 {
    (1.0 + PI / 8.0 * open).sqrt()
}
