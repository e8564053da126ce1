//! How sure answers are: intervals of numbers and sets of classes, from rows that models did not see.

mod grouped;
mod spread;
mod cross_validated;
mod sets;

use serde::{Deserialize, Serialize};

pub use cross_validated::{CrossValidated, Expected, HeldOut};
pub use grouped::Grouped;
pub use sets::Sets;
pub use spread::{Spread, holes_of};

/// Intervals of numbers, in model units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Intervals {
    /// CV+, or with one model split conformal.
    CrossValidated(CrossValidated),
    /// As older files have them.
    Grouped(Grouped),
}
