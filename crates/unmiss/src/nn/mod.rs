//! Network parts, one per file, and the training loop. They know batches of numbers, not tables.
//!
//! A network's weights are [`Parameters`], and what it does with them is described once, for training and prediction
//! ([`Engine`]). A [`train::Learner`] says what the loss of a batch is, in Burn tensors, and [`train::train`] does the
//! rest. Layers that would cost several passes over memory are single operations with a backward pass of their own
//! ([`dense()`]).

#[macro_use]
pub(crate) mod vectorised;
mod lanes;
mod wide;
mod spare;
pub mod activation;
pub mod cells;
pub mod product;
mod tape;
mod periodic;
pub mod dense;
mod lent;
pub mod loss;
pub mod members;
pub mod parameters;
pub mod front;
pub mod neumann;
pub mod recurrent;
pub mod activate;
pub mod convolution;
pub mod batch_norm;
pub mod pool;
pub mod sparsity;
pub mod windows;
mod masked;
pub mod masked_dense;
pub mod sparsity_convolution;
pub mod partial_convolution;
pub mod mixture;
pub mod expected_activation;
pub mod likelihood;
pub mod row_terms;
pub mod latents;
pub mod optimizer;
pub mod schedule;
pub mod train;
pub mod engine;
pub mod sparse;

pub use activation::Activation;
pub use cells::Cells;
pub use convolution::{Convolution, Shape, Window};
pub use dense::{dense, dense_forward};
pub use engine::{Engine, Plain, Taped, Writer};
pub use latents::{infer_latents, latents};
pub use lent::Lent;
pub use masked_dense::Connections;
pub use mixture::{Mixture, MixtureSize};
pub use parameters::{Parameter, Parameters};
pub use pool::Pool;
pub use recurrent::{Cell, Give, Recurrent, Steps};
pub use row_terms::row_terms;
pub use tape::training_device;
pub use windows::Observed;
