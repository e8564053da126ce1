//! The network behind the distribution, for targets that bend: two layers of 64 with SiLU on what is known of a row,
//!
//! ```text
//! f = [x̂, M, w_k'x̂, √(Var[w_k'x] + .01)]        a₁ = silu(f W₁ + b₁)      a₂ = silu(a₁ W₂ + b₂)      a₂ W₃
//! ```
//!
//! with W₃ from 0, so that it starts as nothing and adds what the linear answer lacks.

use crate::linalg::{add_crossed, add_product};
use crate::rng::Stream;

/// Units of a hidden layer.
pub const HIDDEN: usize = 64;

/// The sizes of a network: inputs and outputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head {
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

/// What the forward pass leaves for the backward pass, each `[rows, HIDDEN]`: sums before and values after SiLU.
pub struct Trace {
    before: [Vec<f64>; 2],
    after: [Vec<f64>; 2],
}

impl Head {
    /// How many parameters.
    pub fn len(self) -> usize {
        (self.inputs + 1) * HIDDEN + (HIDDEN + 1) * HIDDEN + HIDDEN * self.outputs
    }

    /// Random layers, the last one 0.
    pub fn start(self, stream: &mut Stream) -> Vec<f64> {
        let mut parameters = vec![0.0; self.len()];
        let [first, _, second, _, _] = self.cut_mut(&mut parameters);
        let deviation = |inputs: usize| (1.0 / inputs.max(1) as f64).sqrt();
        first.iter_mut().for_each(|weight| *weight = deviation(self.inputs) * stream.normal());
        second.iter_mut().for_each(|weight| *weight = deviation(HIDDEN) * stream.normal());
        parameters
    }

    fn places(self) -> [usize; 4] {
        let first = self.inputs * HIDDEN;
        [first, first + HIDDEN, first + HIDDEN + HIDDEN * HIDDEN, first + 2 * HIDDEN + HIDDEN * HIDDEN]
    }

    /// W₁, b₁, W₂, b₂, W₃.
    fn cut(self, parameters: &[f64]) -> [&[f64]; 5] {
        let [a, b, c, d] = self.places();
        [&parameters[..a], &parameters[a..b], &parameters[b..c], &parameters[c..d], &parameters[d..]]
    }

    fn cut_mut(self, parameters: &mut [f64]) -> [&mut [f64]; 5] {
        let [a, b, c, d] = self.places();
        let (parameters, third) = parameters.split_at_mut(d);
        let (parameters, second_bias) = parameters.split_at_mut(c);
        let (parameters, second) = parameters.split_at_mut(b);
        let (first, first_bias) = parameters.split_at_mut(a);
        [first, first_bias, second, second_bias, third]
    }

    /// Outputs `[rows, outputs]` for inputs `[rows, inputs]`.
    pub fn forward(self, parameters: &[f64], inputs: &[f64]) -> (Vec<f64>, Trace) {
        let rows = inputs.len() / self.inputs.max(1);
        let [first, first_bias, second, second_bias, third] = self.cut(parameters);
        let layer = |input: (&[f64], usize), weights: &[f64], bias: &[f64]| {
            let mut before: Vec<f64> = (0..rows).flat_map(|_| bias.iter().copied()).collect();
            add_product(&mut before, input, (weights, HIDDEN));
            let after: Vec<f64> = before.iter().map(|x| x * sigmoid(*x)).collect();
            (before, after)
        };
        let (before_first, after_first) = layer((inputs, self.inputs), first, first_bias);
        let (before_second, after_second) = layer((&after_first, HIDDEN), second, second_bias);
        let mut outputs = vec![0.0; rows * self.outputs];
        add_product(&mut outputs, (&after_second, HIDDEN), (third, self.outputs));
        (outputs, Trace { before: [before_first, before_second], after: [after_first, after_second] })
    }

    /// Adds the slopes of the parameters, given those of the outputs; returns those of the inputs.
    pub fn backward(
        self,
        parameters: &[f64],
        inputs: &[f64],
        trace: &Trace,
        slopes: &[f64],
        into: &mut [f64],
    ) -> Vec<f64> {
        let rows = inputs.len() / self.inputs.max(1);
        let [first, _, second, _, third] = self.cut(parameters);
        let [to_first, to_first_bias, to_second, to_second_bias, to_third] = self.cut_mut(into);
        add_crossed(to_third, (&trace.after[1], HIDDEN), (slopes, self.outputs), 1.0);
        let mut back = vec![0.0; rows * HIDDEN];
        add_product(&mut back, (slopes, self.outputs), (&transposed(third, self.outputs), HIDDEN));
        through_silu(&mut back, &trace.before[1]);
        add_crossed(to_second, (&trace.after[0], HIDDEN), (&back, HIDDEN), 1.0);
        add_rows(to_second_bias, &back);
        let mut further = vec![0.0; rows * HIDDEN];
        add_product(&mut further, (&back, HIDDEN), (&transposed(second, HIDDEN), HIDDEN));
        through_silu(&mut further, &trace.before[0]);
        add_crossed(to_first, (inputs, self.inputs), (&further, HIDDEN), 1.0);
        add_rows(to_first_bias, &further);
        let mut to_inputs = vec![0.0; rows * self.inputs];
        add_product(&mut to_inputs, (&further, HIDDEN), (&transposed(first, HIDDEN), self.inputs));
        to_inputs
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// (x σ(x))' = σ + x σ (1 - σ).
fn through_silu(slopes: &mut [f64], before: &[f64]) {
    for (slope, x) in slopes.iter_mut().zip(before) {
        let s = sigmoid(*x);
        *slope *= s * (1.0 + x * (1.0 - s));
    }
}

fn add_rows(into: &mut [f64], rows: &[f64]) {
    for row in rows.chunks_exact(into.len()) {
        into.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

/// `[columns, rows]` of `[rows, columns]`.
fn transposed(cells: &[f64], columns: usize) -> Vec<f64> {
    let rows = cells.len() / columns.max(1);
    (0..columns).flat_map(|column| (0..rows).map(move |row| cells[row * columns + column])).collect()
}
