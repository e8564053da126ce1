//! Batch norm: each channel of a batch is brought to mean 0 and variance 1, then scaled and shifted.
//!
//! ```text
//! z = γ (x - mean) / sqrt(variance + ε) + β       mean and variance over all images and pixels of a channel
//! ```
//!
//! In training they are those of the batch, and running ones follow them by a tenth of the way in each step (the
//! variance with n - 1 in the divisor); prediction takes the running ones, so that an image's answer is its own.
//!
//! Both ways are `a x + c` for each channel, and the gradient of x is `a g + b x + c`: the convolution before may apply
//! that while it copies the gradient (`Convolution::forward_normalised`).

mod statistics;
mod operation;

pub use operation::batch_norm;
pub(in crate::nn) use statistics::running_lines;
pub use statistics::{BATCH_NORM_PARAMETERS, add_batch_norm, batch_norm_infer};

#[cfg(test)]
mod tests;
