//! The expected activation of a convolution over images with holes (MisConv, Przewięźlikowski et al. 2021): what is
//! missing is not filled by one guess but by its density, and the layer answers with the mean of its ReLU under it.
//!
//! With the mixture of normal distributions of `mixture` for what is missing, each component extended to the whole
//! image by μ = x, A = 0, d = 0 where x is known (the hats), the sum under a window is normal too:
//!
//! ```text
//! t  = Σ over window W μ̂ + b                                   its mean
//! s² = Σ over window W² d̂ + Σ over f (Σ over window W â_f)²    its variance
//!
//! E relu = t Φ(t / s) + s φ(t / s)        and relu(t) where s² < 1e-12
//! y      = Σ_k π_k E_k relu
//! ```
//!
//! Φ and φ are the distribution function and density of the standard normal. Pixels of the border are known zeros. A
//! window that touches no hole has s = 0 in every component: it is left to the plain convolution, so the cost follows
//! the holes. Where windows touch one, `2 + l` sums are made for each component in place of one.
//!
//! # Shapes
//! - images: `[rows, channels x height x width]`, read only where known; observed: the same, or one channel for all
//! - mixture: see `mixture`
//! - weight: `[out, channels, kernel, kernel]`; bias: `[1, out]`
//! - output: `[rows, out x height x width]`

mod relu;
mod touched;
mod image;
mod batch;
mod operation;

pub use batch::expected_convolution_infer;
pub use operation::expected_convolution;

#[cfg(test)]
mod tests;
