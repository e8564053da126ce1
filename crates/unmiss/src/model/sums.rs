//! Models whose fit is a sum over rows, from rows that lie in parts, on many machines or on one.
//!
//! [`fit_sums`] asks [`Question`]s, one after the other: what is in the columns, how far values are spread, and so on.
//! Each is answered by every part of the rows for itself ([`answer`]), wherever it lies, and the answers are added up.
//! Sums are of whole numbers or as good as exact, so **the model has the same bits however the rows are cut and in
//! whatever order the answers come**: on one machine they are a single part. (Fits of a whole table in memory sum in
//! single or double precision and round on the way: theirs differ from these in the last places.)
//!
//! | method | questions |
//! |---|---|
//! | `mean` | 3: columns, spread with a sample for draws, means of scaled values |
//! | `linear`, of numbers | 4: columns, spread, means of scaled values, products of inputs |
//! | `gaussian` | 3, and one for each round of expectation-maximisation |

mod columns;
mod total;
mod part;
mod fit;

pub use columns::{ColumnSums, Columns};
pub use fit::{SumAim, fit_sums};
pub use part::{About, Answer, Kept, Question, ScaledSums, SpreadSums, answer};
pub use total::Total;

#[cfg(test)]
mod tests;
