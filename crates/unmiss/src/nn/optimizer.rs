//! Optimisers as element-wise rules on plain slices: each rule is one pass over a parameter, its gradient
//! and its state, and gives the same bits for any number of threads.
//!
//! Letters: `g` gradient, `w` weight, `η` learning rate, `m`, `v` running means, `t` step from 1.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::nn::vectorised::PIECE;

/// Which rule turns gradients into steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Optimizer {
    /// `b = μb + g`, `w -= ηb`; with Nesterov `w -= η(g + μb)`.
    Sgd {
        /// μ; 0 for plain gradient descent.
        #[serde(default)]
        momentum: f32,
        /// Whether to look ahead along the momentum.
        #[serde(default)]
        nesterov: bool,
    },
    /// Step over the root of the running mean square; weight decay is added to the gradient.
    Adam {
        /// Memory of the mean.
        #[serde(default = "nine_tenths")]
        beta1: f32,
        /// Memory of the mean square.
        #[serde(default = "adam_beta2")]
        beta2: f32,
        /// Added to the root.
        #[serde(default = "adam_epsilon")]
        epsilon: f32,
    },
    /// Adam with the decay taken from the weights directly: `w -= ηλw`.
    AdamW {
        /// Memory of the mean.
        #[serde(default = "nine_tenths")]
        beta1: f32,
        /// Memory of the mean square.
        #[serde(default = "adam_beta2")]
        beta2: f32,
        /// Added to the root.
        #[serde(default = "adam_epsilon")]
        epsilon: f32,
    },
    /// Steps grow while the gradient keeps its sign and shrink when it turns; for full batches. The
    /// learning rate is the first step.
    Rprop {
        /// Factor when the sign turned.
        #[serde(default = "rprop_shrink")]
        shrink: f32,
        /// Factor when the sign stayed.
        #[serde(default = "rprop_grow")]
        grow: f32,
        /// Smallest step.
        #[serde(default = "rprop_smallest")]
        smallest: f32,
        /// Largest step.
        #[serde(default = "rprop_largest")]
        largest: f32,
    },
    /// Steps in proportion to the running size of earlier steps; usual learning rate 1.
    Adadelta {
        /// Memory of both mean squares.
        #[serde(default = "nine_tenths")]
        rho: f32,
        /// Added under the roots.
        #[serde(default = "adadelta_epsilon")]
        epsilon: f32,
    },
    /// Step over the root of the running mean square alone.
    RmsProp {
        /// Memory of the mean square.
        #[serde(default = "nine_tenths")]
        rho: f32,
        /// Added to the root.
        #[serde(default = "adam_epsilon")]
        epsilon: f32,
    },
}

fn nine_tenths() -> f32 {
    0.9
}
fn adam_beta2() -> f32 {
    0.999
}
fn adam_epsilon() -> f32 {
    1e-8
}
fn rprop_shrink() -> f32 {
    0.5
}
fn rprop_grow() -> f32 {
    1.2
}
fn rprop_smallest() -> f32 {
    1e-6
}
fn rprop_largest() -> f32 {
    50.0
}
fn adadelta_epsilon() -> f32 {
    1e-6
}

impl Default for Optimizer {
    fn default() -> Self {
        Self::Adam { beta1: nine_tenths(), beta2: adam_beta2(), epsilon: adam_epsilon() }
    }
}

/// One update's circumstances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Which update this is, from 1.
    pub number: u64,
    /// η for this parameter.
    pub rate: f32,
    /// Weight decay for this parameter.
    pub decay: f32,
    /// Factor on the gradient (clipping).
    pub scale: f32,
}

impl Optimizer {
    /// AdamW with the usual numbers.
    pub fn adam_w() -> Self {
        Self::AdamW { beta1: nine_tenths(), beta2: adam_beta2(), epsilon: adam_epsilon() }
    }

    /// RMSProp with the usual numbers.
    pub fn rms_prop() -> Self {
        Self::RmsProp { rho: nine_tenths(), epsilon: adam_epsilon() }
    }

    /// A fresh state for a parameter: one or two slices as long as the parameter.
    pub fn state(&self, length: usize) -> Vec<Vec<f32>> {
        let slices = if matches!(self, Self::Sgd { .. } | Self::RmsProp { .. }) { 1 } else { 2 };
        vec![vec![0.0; length]; slices]
    }

    /// Moves a parameter against its gradient; `state` is what [`Self::state`] made for it.
    pub fn update(&self, step: Step, parameter: &mut [f32], gradient: &[f32], state: &mut [Vec<f32>]) {
        let (first, rest) = match state {
            [] => return,
            [first, rest @ ..] => (first, rest),
        };
        // Rules with one slice of state are given the first one only.
        let second: &mut [f32] = rest.first_mut().map_or(&mut [], Vec::as_mut_slice);
        let rule = self.rule(step);
        if parameter.len() <= PIECE || rayon::current_num_threads() == 1 {
            rule.apply(parameter, gradient, first, second);
        } else if second.is_empty() {
            let parts = parameter.par_chunks_mut(PIECE).zip(gradient.par_chunks(PIECE));
            parts.zip(first.par_chunks_mut(PIECE)).for_each(|((w, g), m)| rule.apply(w, g, m, &mut []));
        } else {
            let parts = parameter.par_chunks_mut(PIECE).zip(gradient.par_chunks(PIECE));
            let states = first.par_chunks_mut(PIECE).zip(second.par_chunks_mut(PIECE));
            parts.zip(states).for_each(|((w, g), (m, v))| rule.apply(w, g, m, v));
        }
    }

    /// The numbers of this step, worked out once and in double precision where powers are taken.
    pub(crate) fn rule(&self, step: Step) -> Rule {
        let Step { number, rate, decay, scale } = step;
        match *self {
            Self::Sgd { momentum, nesterov } => Rule::Sgd(Sgd { rate, decay, scale, momentum, nesterov }),
            Self::Adam { beta1, beta2, epsilon } => {
                Rule::Adam(Adam::new(number, rate, beta1, beta2, epsilon, scale, decay, 0.0))
            }
            Self::AdamW { beta1, beta2, epsilon } => {
                Rule::Adam(Adam::new(number, rate, beta1, beta2, epsilon, scale, 0.0, rate * decay))
            }
            Self::Rprop { shrink, grow, smallest, largest } => {
                Rule::Rprop(Rprop { first: number == 1, rate, decay, shrink, grow, smallest, largest })
            }
            Self::Adadelta { rho, epsilon } => Rule::Adadelta(Adadelta { rate, decay, scale, rho, epsilon }),
            Self::RmsProp { rho, epsilon } => Rule::RmsProp(RmsProp { rate, decay, scale, rho, epsilon }),
        }
    }
}

/// A rule with the numbers of one step.
pub(crate) enum Rule {
    Sgd(Sgd),
    Adam(Adam),
    Rprop(Rprop),
    Adadelta(Adadelta),
    RmsProp(RmsProp),
}

impl Rule {
    /// Moves a slice of a parameter; `second` may be empty for rules that remember one number.
    pub(crate) fn apply(
        &self,
        parameter: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        match self {
            Self::Sgd(rule) => sgd(rule, parameter, gradient, first),
            Self::Adam(rule) => adam(rule, parameter, gradient, first, second),
            Self::Rprop(rule) => rprop(rule, parameter, gradient, first, second),
            Self::Adadelta(rule) => adadelta(rule, parameter, gradient, first, second),
            Self::RmsProp(rule) => rms_prop(rule, parameter, gradient, first),
        }
    }
}

pub(crate) struct Sgd {
    rate: f32,
    decay: f32,
    scale: f32,
    momentum: f32,
    nesterov: bool,
}

vectorised! {
    fn sgd(rule: &Sgd, parameter: &mut [f32], gradient: &[f32], velocity: &mut [f32]) {
        let &Sgd { rate, decay, scale, momentum, nesterov } = rule;
        for ((w, g), b) in parameter.iter_mut().zip(gradient).zip(velocity) {
            let g = g * scale + decay * *w;
            *b = momentum * *b + g;
            let direction = if nesterov { g + momentum * *b } else { *b };
            *w -= rate * direction;
        }
    }
}

pub(crate) struct Adam {
    pub(crate) beta1: f32,
    pub(crate) beta2: f32,
    pub(crate) epsilon: f32,
    pub(crate) scale: f32,
    pub(crate) decay: f32,
    /// 1 - ηλ: what decoupled decay leaves of a weight.
    pub(crate) kept: f32,
    /// η / (1 - β1ᵗ)
    pub(crate) rate: f32,
    /// 1 / sqrt(1 - β2ᵗ)
    pub(crate) root: f32,
}

impl Adam {
    #[allow(clippy::too_many_arguments)]
    fn new(
        number: u64,
        rate: f32,
        beta1: f32,
        beta2: f32,
        epsilon: f32,
        scale: f32,
        decay: f32,
        lost: f32,
    ) -> Self {
        let correction = |beta: f32| 1.0 - f64::from(beta).powf(number as f64);
        let rate = (f64::from(rate) / correction(beta1)) as f32;
        let root = (1.0 / correction(beta2).sqrt()) as f32;
        Self { beta1, beta2, epsilon, scale, decay, kept: 1.0 - lost, rate, root }
    }
}

vectorised! {
    fn adam(rule: &Adam, parameter: &mut [f32], gradient: &[f32], mean: &mut [f32], square: &mut [f32]) {
        let &Adam { beta1, beta2, epsilon, scale, decay, kept, rate, root } = rule;
        for (((w, g), m), v) in parameter.iter_mut().zip(gradient).zip(mean).zip(square) {
            let g = g * scale + decay * *w;
            *m += (1.0 - beta1) * (g - *m);
            *v = beta2 * *v + (1.0 - beta2) * g * g;
            *w = *w * kept - rate * *m / (v.sqrt() * root + epsilon);
        }
    }
}

pub(crate) struct Rprop {
    first: bool,
    rate: f32,
    decay: f32,
    shrink: f32,
    grow: f32,
    smallest: f32,
    largest: f32,
}

vectorised! {
    /// State: the gradient before (0 after a turn) and the step of each weight.
    fn rprop(rule: &Rprop, parameter: &mut [f32], gradient: &[f32], before: &mut [f32], steps: &mut [f32]) {
        let &Rprop { first, rate, decay, shrink, grow, smallest, largest } = rule;
        if first {
            steps.fill(rate);
        }
        for (((w, g), previous), step) in parameter.iter_mut().zip(gradient).zip(before).zip(steps) {
            let g = g + decay * *w;
            let agreement = g * *previous;
            let factor = if agreement > 0.0 { grow } else { 1.0 };
            let factor = if agreement < 0.0 { shrink } else { factor };
            let g = if agreement < 0.0 { 0.0 } else { g };
            *step = (*step * factor).clamp(smallest, largest);
            let sign = if g > 0.0 { 1.0 } else { 0.0 };
            let sign = if g < 0.0 { -1.0 } else { sign };
            *w -= sign * *step;
            *previous = g;
        }
    }
}

pub(crate) struct Adadelta {
    rate: f32,
    decay: f32,
    scale: f32,
    rho: f32,
    epsilon: f32,
}

vectorised! {
    /// State: running mean squares of gradients and of steps.
    fn adadelta(rule: &Adadelta, parameter: &mut [f32], gradient: &[f32], squares: &mut [f32], steps: &mut [f32]) {
        let &Adadelta { rate, decay, scale, rho, epsilon } = rule;
        for (((w, g), square), moved) in parameter.iter_mut().zip(gradient).zip(squares).zip(steps) {
            let g = g * scale + decay * *w;
            *square = rho * *square + (1.0 - rho) * g * g;
            let step = (*moved + epsilon).sqrt() / (*square + epsilon).sqrt() * g;
            *moved = rho * *moved + (1.0 - rho) * step * step;
            *w -= rate * step;
        }
    }
}

pub(crate) struct RmsProp {
    rate: f32,
    decay: f32,
    scale: f32,
    rho: f32,
    epsilon: f32,
}

vectorised! {
    fn rms_prop(rule: &RmsProp, parameter: &mut [f32], gradient: &[f32], squares: &mut [f32]) {
        let &RmsProp { rate, decay, scale, rho, epsilon } = rule;
        for ((w, g), square) in parameter.iter_mut().zip(gradient).zip(squares) {
            let g = g * scale + decay * *w;
            *square = rho * *square + (1.0 - rho) * g * g;
            *w -= rate * g / (square.sqrt() + epsilon);
        }
    }
}

/// The sum of squares over all gradients, added up in an order that does not depend on threads.
pub(crate) fn square_norm<'a>(gradients: impl Iterator<Item = &'a [f32]>) -> f64 {
    gradients.flat_map(|gradient| gradient.chunks(1024)).map(|piece| f64::from(squares(piece))).sum()
}

vectorised! {
    fn squares(values: &[f32]) -> f32 {
        let (chunks, rest) = values.as_chunks::<16>();
        let mut sums = [0.0_f32; 16];
        for chunk in chunks {
            for (sum, value) in sums.iter_mut().zip(chunk) {
                *sum += value * value;
            }
        }
        sums.iter().sum::<f32>() + rest.iter().map(|value| value * value).sum::<f32>()
    }
}

#[cfg(test)]
mod tests;
