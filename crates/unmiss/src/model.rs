//! A model: the translation of data and a fitted method in one, learned once, applied to any new data, saved as one
//! file. What it is for is its [`Aim`]; what it can do for that is a view of it: [`Model::predicting`],
//! [`Model::filling`], [`Model::rating`], [`Model::scoring`].
//!
//! ```no_run
//! use unmiss::{data, model::{Aim, Model, Recipe}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table.into();
//! let aim = Aim::predict("died");
//! let model = Model::fit(&ward, &aim, &Recipe::named("network")?, &Run::new(0, 0)?)?;
//! model.save("ward.unmiss".as_ref())?;
//! # Ok(())
//! # }
//! ```

mod roles;
mod intervals;
mod shift;
mod answers;
mod group;
mod handover;
mod explanation;
mod provenance;
mod parts;
mod derived;
mod left;
mod predicting;
mod expected;
mod filling;
mod marks;
mod delta;
mod rating;
mod scoring;
mod whole;
mod new_rows;
mod read_back;
mod file;
mod export;
pub mod sums;

pub use crate::methods::Recipe;
pub use answers::{Answers, Predictions, USUAL_LEVEL};
pub use delta::{Delta, Shift};
pub use expected::ExpectedError;
pub use explanation::{
    Background, ColumnImportance, Dependence, DependencePoint, Estimate, Explanation, Hidden, Place,
};
pub use export::Exported;
pub use file::FORMAT;
pub use filling::{Filled, Filling, Unfilled};
pub use group::Groups;
pub use intervals::{CrossValidated, HeldOut, Intervals, Sets, Spread, holes_of};
pub use marks::{MARK_DRAWS, Mark};
pub use new_rows::kinds_of;
pub use parts::{Aim, DensityPlan, Fallback, Fill, FillPlan, Limits, Part, Prediction, Reference, Summary};
pub use predicting::{Predicting, Prepared, fit_prepared, prepare};
pub use provenance::Provenance;
pub use rating::{Rating, RatingScore, rounded};
pub use roles::{Inputs, Roles};
pub use scoring::{Scored, Scoring};
pub use shift::{ColumnShift, HoleShift, Patterns, Watch};
pub use whole::Model;
