//! A network of one hidden layer whose inputs and outputs are nearly all unknown: only what is known is computed.
//!
//! ```text
//! h = g( c + Σ over known inputs i of x_i V_i )          V: [inputs, hidden]
//! s_j = b_j + W_j · h    for wanted outputs j only       W: [outputs, hidden]
//! ```
//!
//! The weights are gathered by row, so a step costs (known inputs + wanted outputs) x hidden and a dense matrix of
//! inputs, outputs or gradients never exists. How it is made fast:
//!
//! - The hidden layer is cut into tiles of 64 units; weights and the optimiser's memory lie as
//!   `[tile][input or output][64]`. Threads share out tiles, so each weight has one owner: no gradient buffers, no
//!   atomics, and the same bits for any number of threads, as the sum over tiles has a fixed order.
//! - All passes go column by column (a transposed list of the entries): a column's weights, or their gradient, stay in
//!   registers, the rows of a tile in the second cache, and a gradient is used up at once by the optimiser.
//! - `Lanes` are sixteen numbers side by side: AVX2 or plain code, chosen at run time. Every sum has its order, so they
//!   give the same up to rounding.

mod ahead;
mod forms;
mod lanes;
mod network;
mod pattern;
mod tile;
mod train;
mod trainer;

pub use ahead::one_ahead;
pub use forms::Halves;
pub use network::{SparseNetwork, Squash, Work};
pub use pattern::{Batch, Pattern};
pub use train::{SparseLearner, SparseSettings, SparseTrained, train_sparse};
pub use trainer::Trainer;

#[cfg(test)]
mod tests;
