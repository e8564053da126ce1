//! Perceptrons on the pixels of images, with Sparsity Normalization and without.

mod pixels;
pub mod capacity;
pub mod hidden;
