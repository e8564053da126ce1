//! A network is described once: as a function of an [`Engine`], which does the operations that it names.
//!
//! [`Taped`] records them for the way back and drops units: training. [`Plain`] works on buffers that it uses again and
//! leaves units alone: prediction. [`Writer`] writes the operations down instead of doing them: other runtimes. A
//! layer of a new kind is one more operation here.
//!
//! ```
//! use unmiss::nn::{Activation, Engine, Parameters, Plain};
//!
//! fn forward<E: Engine>(engine: &mut E, input: E::Value) -> E::Value {
//!     let hidden = engine.dense(input.clone(), 0, Activation::Relu);
//!     engine.add(input, hidden)
//! }
//!
//! let mut parameters = Parameters::new();
//! parameters.add_dense("layer", 1, 1, || 2.0);
//! let mut engine = Plain::new(&parameters);
//! let input = engine.input(vec![3.0, -1.0], 2);
//! assert_eq!(forward(&mut engine, input).values(), [9.0, -1.0]);
//! ```

mod plain;
mod taped;
mod writer;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::nn::activation::Activation;
use crate::nn::cells::Cells;
use crate::nn::convolution::{Convolution, Shape};
use crate::nn::front::Front;
use crate::nn::masked_dense::Connections;
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::neumann::Block;
use crate::nn::pool::Pool;
use crate::nn::recurrent::{Give, Recurrent, Steps};
use crate::nn::sparsity::Dropout;
use crate::nn::train::Moment;
use crate::nn::windows::Observed;

pub use plain::{Plain, Rows};
pub use taped::Taped;
pub use writer::{Inputs, Writer};

/// The operations of networks. Parameters are named by their index among [`Parameters`](crate::nn::Parameters).
///
/// Letters: B rows of a batch, M members, H inputs, O outputs.
pub trait Engine: Sized {
    /// What one operation hands to the next, a row for each row of the batch. A clone shares the numbers.
    type Value: Clone;

    /// Where in the training it stands; nowhere when it predicts. What is changed by chance in training alone, such as
    /// images that are moved, asks for it.
    fn moment(&self) -> Option<&Moment>;

    /// Numbers from outside, row by row: `[B, O]`.
    fn input(&mut self, values: Vec<f32>, rows: usize) -> Self::Value;

    /// Cells with holes as vectors without any, `[B, O]`; the front's parameters begin at `first`.
    fn front(&mut self, front: &Arc<Front>, cells: Cells<'_>, first: usize) -> Self::Value;

    /// Numbers with holes through a NeuMiss block, `[B, d]`; the block's parameters begin at `first`.
    fn neumann(&mut self, block: &Arc<Block>, cells: Cells<'_>, first: usize) -> Self::Value;

    /// `activation(input W + b)`, `[B, H]` to `[B, O]`; `b` is the parameter after `weight`.
    fn dense(&mut self, input: Self::Value, weight: usize, activation: Activation) -> Self::Value;

    /// `input W`, `[B, H]` to `[B, O]`.
    fn linear(&mut self, input: Self::Value, weight: usize) -> Self::Value;

    /// `activation(scale ⊙ (input (W ⊙ mask)) + b)`, `[B, H]` to `[B, O]`; `b` is the parameter after `weight`, and
    /// `scale`, `[B, O]`, follows from the data alone ([`masked_dense`](crate::nn::masked_dense)).
    fn masked_dense(
        &mut self,
        input: Self::Value,
        weight: usize,
        mask: &Connections,
        scale: Option<Vec<f32>>,
        activation: Activation,
    ) -> Self::Value;

    /// The sum of two values of one shape.
    fn add(&mut self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// The product of two values of one shape, element by element.
    fn times(&mut self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// Two values side by side, `[B, H]` and `[B, O]` to `[B, H + O]`.
    fn beside(&mut self, left: Self::Value, right: Self::Value) -> Self::Value;

    /// What the members of a network say, `[B, H]` to `[M B, O]`, member by member: each sees the input multiplied by
    /// its own row of `factors`, `[M, H]`, and goes through the layers `inside`. They may be gone through by all
    /// members at once or by one after the other.
    fn members(
        &mut self,
        input: Self::Value,
        factors: usize,
        inside: impl Fn(&mut Self, Self::Value) -> Self::Value,
    ) -> Self::Value;

    /// Inside [`Self::members`], a dense layer that is the member's own: `weight` is `[M H, O]`, the members' matrices
    /// one under the other, and the parameter after it their biases, `[M, O]`.
    fn heads(&mut self, hidden: Self::Value, weight: usize) -> Self::Value;

    /// During training, drops a share of the units; purpose and number are the address of the random stream.
    fn dropout(
        &mut self,
        hidden: Self::Value,
        share: f64,
        kind: Dropout,
        address: (&str, usize),
    ) -> Self::Value;

    /// Series through a recurrent layer whose weights begin at `first`: `[rows of the steps, inputs]` to the states
    /// that are wanted. `decay`, `[rows, units]`, is what the state is multiplied with before each step.
    fn recurrent(
        &mut self,
        input: Self::Value,
        decay: Option<Self::Value>,
        layer: &Arc<Recurrent>,
        steps: &Arc<Steps>,
        first: usize,
        give: Give,
    ) -> Self::Value;

    /// Images through a convolution and an activation, `[B, input numbers]` to `[B, output numbers]`; the bias is the
    /// parameter after `weight`.
    fn convolution(
        &mut self,
        input: Self::Value,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> Self::Value;

    /// Images through convolution, ReLU and batch norm; bias and the norm's arrays are the parameters after `weight`
    /// ([`Convolution::add_normalised`]).
    fn normalised_convolution(
        &mut self,
        input: Self::Value,
        layer: &Arc<Convolution>,
        weight: usize,
    ) -> Self::Value;

    /// Images with holes through a convolution whose sums are divided by how much is known under the window, `k` times
    /// ([`sparsity_convolution`](crate::nn::sparsity_convolution)).
    fn sparsity_convolution(
        &mut self,
        input: Self::Value,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        k: f32,
        activation: Activation,
    ) -> Self::Value;

    /// Images with holes through a partial convolution, and what is known of its result
    /// ([`partial_convolution`](crate::nn::partial_convolution)).
    fn partial_convolution(
        &mut self,
        input: Self::Value,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> (Self::Value, Observed<'static>);

    /// The expected ReLU of a convolution of images, `[B, input numbers]`, whose holes have the density of a mixture
    /// ([`expected_activation`](crate::nn::expected_activation)).
    fn expected_convolution(
        &mut self,
        images: Vec<f32>,
        observed: &Observed<'_>,
        mixture: (Mixture<Self::Value>, MixtureSize),
        layer: &Arc<Convolution>,
        weight: usize,
    ) -> Self::Value;

    /// Batch norm of images, `[B, channels x pixels]`; its arrays begin at `first`
    /// ([`add_batch_norm`](crate::nn::batch_norm::add_batch_norm)).
    fn batch_norm(&mut self, images: Self::Value, first: usize) -> Self::Value;

    /// Pixels of images of a shape taken together.
    fn pool(&mut self, images: Self::Value, shape: Shape, kind: Pool) -> Self::Value;

    /// `activation(input)`.
    fn activate(&mut self, input: Self::Value, activation: Activation) -> Self::Value;

    /// `factor input + shift`.
    fn scale_shift(&mut self, input: Self::Value, factor: f32, shift: f32) -> Self::Value;

    /// Some of the columns, `[B, H]` to `[B, length of the range]`: channels of images, for instance.
    fn columns(&mut self, input: Self::Value, columns: Range<usize>) -> Self::Value;

    /// Which numbers are not zero: `[B, H]`.
    fn active(&self, value: &Self::Value) -> Vec<bool>;

    /// `K h / max(‖h‖₀, 1)`: each row by the number of its units that are not zero.
    fn normalize_hidden(&mut self, hidden: Self::Value, k: f32) -> Self::Value;
}
