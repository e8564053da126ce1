//! **unmiss** learns from data with holes.
//!
//! The modules stand in the order in which a row of data passes them; a module uses only those above it (a test reads
//! the source and says so).

pub mod error;
pub mod rng;
pub mod run;
pub mod store;
pub(crate) mod linalg;
pub mod data;
pub mod missing;
pub mod encode;
pub mod metrics;
pub mod pool;
pub mod nn;
pub mod methods;
pub mod model;
pub mod compare;
pub mod audit;
pub mod report;
pub mod bench;

#[cfg(test)]
mod layers;

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct Guide;
