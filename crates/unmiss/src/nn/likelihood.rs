//! The negative log-likelihood of chosen numbers under a mixture of normal distributions with few factors (see
//! `mixture`), as a loss with its own backward pass.
//!
//! For one component, with the chosen numbers x and the rows of μ, A (n x l) and d that belong to them, r = x - μ,
//! D = diag d, Σ = A Aᵀ + D, and Woodbury's identity for its inverse:
//!
//! ```text
//! L   = I + Aᵀ D⁻¹ A                     l x l
//! c   = L⁻¹ Aᵀ D⁻¹ r
//! α   = Σ⁻¹ r = D⁻¹ (r - A c)
//! NLL = ½ [rᵀ α + log|L| + Σ log d + n log 2π]
//!
//! ∂μ  = -α      ∂A = D⁻¹ A L⁻¹ - α cᵀ      ∂d = ½ [1/d - (a L⁻¹ aᵀ)/d² - α²]     a: a row of A
//! ```
//!
//! Of a mixture: `-log Σ_k π_k exp(-NLL_k)`, by log-sum-exp; component k then gets its responsibility's share of the
//! gradient, and its score π_k less that share. The loss is the mean over rows; a row of which nothing is chosen adds
//! 0.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::linalg::Square;
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// The loss with gradients: the mean over rows of the negative log-likelihood of what is chosen.
///
/// # Shapes
/// - `numbers`: `[rows, n]`, read where `chosen`
/// - `chosen`: `[rows, n]`
/// - `mixture`: see [`Mixture`]
pub fn negative_log_likelihood(
    numbers: &[f32],
    chosen: &[bool],
    mixture: Mixture<Tensor<2>>,
    size: MixtureSize,
) -> Tensor<1> {
    let Mixture { scores, mean, factors, diagonal } = mixture;
    let [scores, mean, factors, diagonal] =
        [scores, mean, factors, diagonal].map(|own| taped(own).into_parts());
    let nodes = [scores.1, mean.1, factors.1, diagonal.1];
    let [scores, mean, factors, diagonal] = [scores.0, mean.0, factors.0, diagonal.0].map(contiguous);
    let rows = scores.shape()[0];
    let arrays = Mixture {
        scores: values(&scores),
        mean: values(&mean),
        factors: values(&factors),
        diagonal: values(&diagonal),
    };
    let found = all_rows(numbers, chosen, &arrays, size, true);
    let loss = plain(vec![(found.iter().map(|row| row.loss).sum::<f64>() / rows.max(1) as f64) as f32], [1]);
    from_taped(match Likelihood.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let share = 1.0 / rows.max(1) as f64;
            let part = |part: fn(&Row) -> &[f64]| -> Vec<f32> {
                found.iter().flat_map(|row| part(row).iter().map(|value| (value * share) as f32)).collect()
            };
            let parts = [
                part(|row| &row.gradient.scores),
                part(|row| &row.gradient.mean),
                part(|row| &row.gradient.factors),
                part(|row| &row.gradient.diagonal),
            ];
            let mut columns = size.columns().into_iter();
            prepared.finish(parts.map(|part| plain(part, [rows, columns.next().unwrap_or(0)])), loss)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(loss),
    })
}

/// The negative log-likelihood of each row, for judging.
pub fn row_likelihoods(
    numbers: &[f32],
    chosen: &[bool],
    mixture: &Mixture<&[f32]>,
    size: MixtureSize,
) -> Vec<f64> {
    all_rows(numbers, chosen, mixture, size, false).into_iter().map(|row| row.loss).collect()
}

/// What a row gives.
struct Row {
    loss: f64,
    gradient: Mixture<Vec<f64>>,
}

fn all_rows(
    numbers: &[f32],
    chosen: &[bool],
    mixture: &Mixture<&[f32]>,
    size: MixtureSize,
    gradients: bool,
) -> Vec<Row> {
    let width = size.numbers.max(1);
    assert_eq!(numbers.len(), chosen.len(), "a mark for each number");
    size.check(mixture, numbers.len() / width);
    let rows = numbers.par_chunks(width).zip(chosen.par_chunks(width)).enumerate();
    rows.map(|(row, (numbers, chosen))| {
        let chosen: Vec<usize> = (0..chosen.len()).filter(|number| chosen[*number]).collect();
        one_row(numbers, &chosen, &mixture.row(size, row), size, gradients)
    })
    .collect()
}

/// `-log Σ_k π_k exp(-NLL_k)` of one row.
fn one_row(
    numbers: &[f32],
    chosen: &[usize],
    mixture: &Mixture<&[f32]>,
    size: MixtureSize,
    gradients: bool,
) -> Row {
    let lengths = if gradients { size.columns() } else { [0; 4] };
    let [scores, mean, factors, diagonal] = lengths.map(|length| vec![0.0; length]);
    let mut row = Row { loss: 0.0, gradient: Mixture { scores, mean, factors, diagonal } };
    if chosen.is_empty() {
        return row;
    }
    let weights = mixture.weights();
    let components: Vec<Component> =
        (0..size.components).map(|k| Component::new(numbers, chosen, mixture, size, k)).collect();
    let logs: Vec<f64> =
        weights.iter().zip(&components).map(|(weight, own)| weight.ln() - own.loss).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.loss = -(highest + logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln());
    if gradients {
        for (k, component) in components.iter().enumerate() {
            let responsibility = (logs[k] + row.loss).exp();
            component.gradient(chosen, size, k, responsibility, &mut row.gradient);
            row.gradient.scores[k] = weights[k] - responsibility;
        }
    }
    row
}

/// One component on the chosen numbers of a row.
struct Component {
    loss: f64,
    /// α, `[n]`
    alpha: Vec<f64>,
    /// d, `[n]`
    diagonal: Vec<f64>,
    /// A, `[n, l]`
    factors: Vec<f64>,
    /// A L⁻¹, `[n, l]`
    solved: Vec<f64>,
    /// c, `[l]`
    c: Vec<f64>,
}

impl Component {
    fn new(
        numbers: &[f32],
        chosen: &[usize],
        mixture: &Mixture<&[f32]>,
        size: MixtureSize,
        k: usize,
    ) -> Self {
        let MixtureSize { numbers: n, factors: l, .. } = size;
        let at = |all: &[f32], first: usize| {
            chosen.iter().map(|i| f64::from(all[first + i])).collect::<Vec<f64>>()
        };
        let (mean, diagonal) = (at(mixture.mean, k * n), at(mixture.diagonal, k * n));
        let factors: Vec<f64> = chosen
            .iter()
            .flat_map(|i| (0..l).map(move |f| f64::from(mixture.factors[(k * l + f) * n + i])))
            .collect();
        let r: Vec<f64> = at(numbers, 0).iter().zip(&mean).map(|(x, mean)| x - mean).collect();
        // L = I + Aᵀ D⁻¹ A and Aᵀ D⁻¹ r, number by number.
        let (mut inner, mut c) = (Square::identity(l), vec![0.0; l]);
        for (i, row) in factors.chunks_exact(l.max(1)).enumerate() {
            for f in 0..l {
                let scaled = row[f] / diagonal[i];
                c[f] += scaled * r[i];
                (0..l).for_each(|g| *inner.at_mut(f, g) += scaled * row[g]);
            }
        }
        // L is I and more, so it has a triangle unless a number is not finite; then the loss is not finite either.
        let triangle =
            inner.cholesky(0.0).unwrap_or_else(|_| Square { size: l, cells: vec![f64::NAN; l * l] });
        let solve = |v: &mut [f64]| {
            triangle.forward(v);
            triangle.backward(v);
        };
        solve(&mut c);
        let mut solved = factors.clone();
        solved.chunks_exact_mut(l.max(1)).for_each(solve);
        let alpha: Vec<f64> = (0..chosen.len())
            .map(|i| {
                let own: f64 = factors[i * l..][..l].iter().zip(&c).map(|(a, c)| a * c).sum();
                (r[i] - own) / diagonal[i]
            })
            .collect();
        let square: f64 = r.iter().zip(&alpha).map(|(r, alpha)| r * alpha).sum();
        let log_inner: f64 = (0..l).map(|f| 2.0 * triangle.at(f, f).ln()).sum();
        let log_diagonal: f64 = diagonal.iter().map(|d| d.ln()).sum();
        let constant = chosen.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        Self {
            loss: 0.5 * (square + log_inner + log_diagonal + constant),
            alpha,
            diagonal,
            factors,
            solved,
            c,
        }
    }

    /// Writes its gradients, times a share.
    fn gradient(
        &self,
        chosen: &[usize],
        size: MixtureSize,
        k: usize,
        share: f64,
        found: &mut Mixture<Vec<f64>>,
    ) {
        let MixtureSize { numbers: n, factors: l, .. } = size;
        for (at, i) in chosen.iter().enumerate() {
            let (alpha, d) = (self.alpha[at], self.diagonal[at]);
            let (row, solved) = (&self.factors[at * l..][..l], &self.solved[at * l..][..l]);
            let inner: f64 = row.iter().zip(solved).map(|(a, s)| a * s).sum();
            found.mean[k * n + i] = -share * alpha;
            found.diagonal[k * n + i] = share * 0.5 * (1.0 / d - inner / (d * d) - alpha * alpha);
            for (f, (solved, c)) in solved.iter().zip(&self.c).enumerate() {
                found.factors[(k * l + f) * n + i] = share * (solved / d - alpha * c);
            }
        }
    }
}

#[derive(Debug)]
struct Likelihood;

impl Backward<Flex, 4> for Likelihood {
    type State = [FlexTensor; 4];

    fn backward(self, ops: Ops<Self::State, 4>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let factor = values(&contiguous(gradients.consume::<Flex>(&ops.node)))[0];
        for (node, mut gradient) in ops.parents.into_iter().zip(ops.state) {
            let Some(node) = node else { continue };
            if factor != 1.0 {
                gradient.storage_mut::<f32>().iter_mut().for_each(|value| *value *= factor);
            }
            gradients.register::<Flex>(node.id, gradient);
        }
    }
}

#[cfg(test)]
mod tests;
