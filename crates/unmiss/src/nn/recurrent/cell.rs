//! What happens at a step to the numbers of each unit, there and back.
//!
//! A row of sums has four parts of `pitch` numbers each. A long short-term memory has its gates there: input i, forget
//! f, what is new g, output o. A gated recurrent unit has what is new n (its part from the input), reset r, update z,
//! and the part m of n that comes from the state.
//!
//! ```text
//! LSTM   c' = σ(f) c + σ(i) tanh(g)         h' = σ(o) tanh(c')
//! GRU    n' = tanh(n + σ(r) m)              h' = (1 - σ(z)) n' + σ(z) h
//! ```
//!
//! Activations take the place of the sums, and gradients that of the activations.

use crate::nn::activation::{sigmoid, tanh};
use crate::nn::wide::widened;

/// Units in one go.
const GO: usize = 16;

/// A number for each unit of a go: a local array, which the compiler knows nobody else writes to, is a register.
#[inline(always)]
fn each(of_unit: impl Fn(usize) -> f32) -> [f32; GO] {
    std::array::from_fn(of_unit)
}

/// Parts of a row, each in goes.
#[inline(always)]
fn goes(row: &[f32]) -> &[[f32; GO]] {
    row.as_chunks().0
}

#[inline(always)]
fn goes_mut(row: &mut [f32]) -> &mut [[f32; GO]] {
    row.as_chunks_mut().0
}

/// The four parts of a row.
#[inline(always)]
fn parts(row: &mut [f32], pitch: usize) -> [&mut [[f32; GO]]; 4] {
    let (a, rest) = row.split_at_mut(pitch);
    let (b, rest) = rest.split_at_mut(pitch);
    let (c, d) = rest.split_at_mut(pitch);
    [a, b, c, d].map(goes_mut)
}

widened! {
    /// Sums become gates, `memory` c', `state` h'; `before` is c.
    pub(super) fn lstm_forward(sums: &mut [f32], before: &[f32], memory: &mut [f32], state: &mut [f32], pitch: usize) {
        let rows = sums.chunks_exact_mut(4 * pitch).zip(before.chunks_exact(pitch));
        let outs = memory.chunks_exact_mut(pitch).zip(state.chunks_exact_mut(pitch));
        for ((sums, before), (memory, state)) in rows.zip(outs) {
            let [i, f, g, o] = parts(sums, pitch);
            let outs = goes_mut(memory).iter_mut().zip(goes_mut(state));
            let gates = i.iter_mut().zip(f).zip(g.iter_mut().zip(o));
            for ((((i, f), (g, o)), before), (memory, state)) in gates.zip(goes(before)).zip(outs) {
                *i = each(|unit| sigmoid(i[unit]));
                *f = each(|unit| sigmoid(f[unit]));
                *g = each(|unit| tanh(g[unit]));
                *o = each(|unit| sigmoid(o[unit]));
                *memory = each(|unit| f[unit] * before[unit] + i[unit] * g[unit]);
                *state = each(|unit| o[unit] * tanh(memory[unit]));
            }
        }
    }
}

widened! {
    /// Gates become the gradients of the sums. `of_state` is the gradient of h', `of_memory` that of c' as it comes
    /// from later steps and becomes that of c; `memory` is c', `before` is c.
    pub(super) fn lstm_backward(
        gates: &mut [f32],
        before: &[f32],
        memory: &[f32],
        of_state: &[f32],
        of_memory: &mut [f32],
        pitch: usize,
    ) {
        let rows = gates.chunks_exact_mut(4 * pitch).zip(before.chunks_exact(pitch));
        let after = memory.chunks_exact(pitch).zip(of_state.chunks_exact(pitch));
        let rows = rows.zip(after).zip(of_memory.chunks_exact_mut(pitch));
        for (((gates, before), (memory, of_state)), of_memory) in rows {
            let [i, f, g, o] = parts(gates, pitch);
            let given = goes(before).iter().zip(goes(memory)).zip(goes(of_state));
            let gates = i.iter_mut().zip(f).zip(g.iter_mut().zip(o));
            let units = gates.zip(given).zip(goes_mut(of_memory));
            for ((((i, f), (g, o)), ((before, memory), of_state)), of_memory) in units {
                let bent = each(|unit| tanh(memory[unit]));
                let of_c = each(|unit| of_memory[unit] + of_state[unit] * o[unit] * (1.0 - bent[unit] * bent[unit]));
                *o = each(|unit| of_state[unit] * bent[unit] * o[unit] * (1.0 - o[unit]));
                *of_memory = each(|unit| of_c[unit] * f[unit]);
                *f = each(|unit| of_c[unit] * before[unit] * f[unit] * (1.0 - f[unit]));
                let of_g = each(|unit| of_c[unit] * i[unit] * (1.0 - g[unit] * g[unit]));
                *i = each(|unit| of_c[unit] * g[unit] * i[unit] * (1.0 - i[unit]));
                *g = of_g;
            }
        }
    }
}

widened! {
    /// Sums become gates (m stays as it is), `state` h'; `before` is h.
    pub(super) fn gru_forward(sums: &mut [f32], before: &[f32], state: &mut [f32], pitch: usize) {
        let rows = sums.chunks_exact_mut(4 * pitch).zip(before.chunks_exact(pitch));
        for ((sums, before), state) in rows.zip(state.chunks_exact_mut(pitch)) {
            let [n, r, z, m] = parts(sums, pitch);
            let gates = n.iter_mut().zip(r).zip(z.iter_mut().zip(m));
            for ((((n, r), (z, m)), before), state) in gates.zip(goes(before)).zip(goes_mut(state)) {
                *r = each(|unit| sigmoid(r[unit]));
                *z = each(|unit| sigmoid(z[unit]));
                *n = each(|unit| tanh(n[unit] + r[unit] * m[unit]));
                *state = each(|unit| n[unit] + z[unit] * (before[unit] - n[unit]));
            }
        }
    }
}

widened! {
    /// Gates become the gradients of the sums; `of_state`, the gradient of h', becomes the part of h's that does not
    /// come through a product.
    pub(super) fn gru_backward(gates: &mut [f32], before: &[f32], of_state: &mut [f32], pitch: usize) {
        let rows = gates.chunks_exact_mut(4 * pitch).zip(before.chunks_exact(pitch));
        for ((gates, before), of_state) in rows.zip(of_state.chunks_exact_mut(pitch)) {
            let [n, r, z, m] = parts(gates, pitch);
            let gates = n.iter_mut().zip(r).zip(z.iter_mut().zip(m));
            for ((((n, r), (z, m)), before), of_state) in gates.zip(goes(before)).zip(goes_mut(of_state)) {
                let of_n = each(|unit| of_state[unit] * (1.0 - z[unit]) * (1.0 - n[unit] * n[unit]));
                let of_z = each(|unit| of_state[unit] * (before[unit] - n[unit]) * z[unit] * (1.0 - z[unit]));
                *of_state = each(|unit| of_state[unit] * z[unit]);
                let of_m = each(|unit| of_n[unit] * r[unit]);
                *r = each(|unit| of_n[unit] * m[unit] * r[unit] * (1.0 - r[unit]));
                (*n, *z, *m) = (of_n, of_z, of_m);
            }
        }
    }
}

widened! {
    /// `numbers *= factors`.
    pub(super) fn multiply(numbers: &mut [f32], factors: &[f32]) {
        for (number, factor) in numbers.iter_mut().zip(factors) {
            *number *= factor;
        }
    }
}

widened! {
    /// `sums += rows`, summed over rows.
    pub(super) fn add_rows(rows: &[f32], sums: &mut [f32]) {
        for row in rows.chunks_exact(sums.len().max(1)) {
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
}
