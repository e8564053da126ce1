//! Made tables: a world whose best possible predictor is known.
//!
//! A [`World`] draws rows of correlated normal columns, a response of a known shape and holes by a known mechanism, all
//! from one seed; [`World::bayes`] gives for every row the best answer that anybody could give from its known cells.
//! How far a method stays behind that answer is its own fault, and not the noise's or the holes'.
//!
//! Everything about the world is fixed by its settings and its seed, nothing by the rows at hand: the first rows of a
//! long table are the rows of a short one, with the same holes. [`like`] draws rows like those of a given table.
//!
//! ```
//! use unmiss::simulate::{Masking, Settings, SWEEPS, World};
//! let settings = Settings { columns: 5, masking: Masking::SelfGaussian, ..Settings::default() };
//! let world = World::new(&settings, 1)?;
//! let rows = world.draw(0, 100);
//! let best = world.bayes(&rows, SWEEPS)?;
//! assert_eq!(rows.table()?.columns().len(), 6);
//! assert_eq!(best.answers.len(), 100);
//! # Ok::<(), unmiss::error::Error>(())
//! ```

mod response;
mod settings;
mod mask;
mod world;
mod truncated;
mod slice;
mod bayes;
mod neumann;
mod tally;
pub mod like;

pub use bayes::{Bayes, SWEEPS};
pub use response::Response;
pub use settings::{Masking, Settings, Way};
pub use tally::{Made, Reached, Tally};
pub use world::{Drawn, TARGET, World};

#[cfg(test)]
mod proofs;
