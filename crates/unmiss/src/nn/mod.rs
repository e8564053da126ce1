//! Network parts, one per file, and the training loop.
//!
//! A network's weights are [`Parameters`]; a [`train::Learner`] says what the loss of a batch is, in Burn
//! tensors, and [`train::train`] does the rest. Layers that would cost several passes over memory are
//! single operations with a backward pass of their own ([`dense()`]).

#[macro_use]
pub(crate) mod vectorised;
pub mod activation;
pub mod dense;
pub mod front;
mod lent;
pub mod loss;
pub mod members;
pub mod optimizer;
pub mod parameters;
mod periodic;
pub mod product;
pub mod schedule;
pub mod sparse;
pub mod sparsity;
pub mod supervised;
mod tape;
pub mod train;

pub use activation::Activation;
pub use dense::{dense, dense_forward};
pub use lent::Lent;
pub use parameters::{Parameter, Parameters};
pub use tape::training_device;
