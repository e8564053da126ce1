//! Convolution of images, `[rows, channels x height x width]`, with its own backward pass.
//!
//! ```text
//! y[o, i, j] = b[o] + Σ over c, u, v  W[o, c, u, v] x[c, i stride + u - padding, j stride + v - padding]
//! ```
//!
//! where x is 0 outside the image. An image is a row of a batch, so its numbers may go into a dense layer as they are,
//! and channels stand beside each other as rows do.
//!
//! Every image is copied once into a padded plane that keeps the channels of a pixel together (`pack`). On it all three
//! passes, forward, gradient of the input and gradient of the weights, are matrix products by one register tile
//! (`tile`) that reads windows in place (`direct`); windows of 3 x 3 on many channels take a quarter of the
//! multiplications (`winograd`). A transposed convolution is the input's gradient of a convolution: the same plan, read
//! the other way round.
//!
//! No sum depends on which thread made it, and what is answered for an image does not depend on the others.

mod tile;
mod plan;
mod scratch;
mod pack;
mod weights;
mod direct;
mod winograd;
mod layer;
mod operation;

pub use layer::Convolution;
pub(in crate::nn) use layer::{Gradients, channel_sums};
pub(in crate::nn) use pack::Behind;
pub use plan::{Shape, Window};
pub(in crate::nn) use tile::{BLOCK, Blocks, Product, multiply};

#[cfg(test)]
pub(in crate::nn) mod tests;
