//! User units to model units and back: scaling of numbers, codes of categories, the target.
//!
//! An [`Encoder`] is fitted on training rows and applied to any rows later; it is the only place where a
//! method's numbers are made. Every method says in an [`Encoding`] what scale it wants: scale is a
//! confounder when methods are compared, so each gets the one it works best with.

pub(crate) mod column;
mod made;
pub mod features;
mod recode;
mod written;
pub mod design;
pub mod guess;
mod probe;
mod images;
mod ratings;
mod series;
mod event;
pub mod target;
pub mod wide;
mod back;
mod coder;
mod sources;

pub use back::write_filled;
pub use coder::{Coder, Rows};
pub use design::{Design, Missing};
pub use features::{Encoded, Encoder, Encoding, Scale};
pub use guess::Guess;
pub use images::{ImageBatch, ImageCoder, ImageRows};
pub use made::Made;
pub use series::{KnownValues, SeriesBatch, SeriesCoder, SeriesRows, Variable};
pub use sources::Source;
pub use target::{ClassWeights, TargetEncoder, Targets, Task};
pub use wide::Wide;
pub use written::{Given, Written, WrittenImages, WrittenSeries};
