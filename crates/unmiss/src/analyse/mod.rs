//! The same regression of every filled table, pooled by Rubin's rules: from a formula to a table for a paper.
//!
//! ```no_run
//! use unmiss::analyse::{Completed, Options, analyse};
//! use unmiss::run::Run;
//! # fn main() -> unmiss::error::Result<()> {
//! let files: Vec<_> = (1..=20).map(|draw| format!("full-{draw}.csv").into()).collect();
//! let completed = Completed::read(&files, None, &Default::default())?;
//! let analysis = analyse("died ~ age + sodium", &completed, &Options::default(), &Run::new(0, 0)?)?;
//! for one in &analysis.coefficients {
//!     println!("{}: {:.3} +- {:.3}", one.term, one.pooled.estimate, one.pooled.standard_error);
//! }
//! # Ok(())
//! # }
//! ```

mod formula;
mod completed;
mod design;
mod regression;
mod faults;
mod pooled;
mod drawn;
mod tipping;

pub use completed::Completed;
pub use design::Family;
pub use drawn::drawn;
pub use formula::Formula;
pub use pooled::{Analysis, Coefficient, CompleteRows, Options, RowsCoefficient, TermTest, analyse};
pub use tipping::{Conclusion, Range, Step, Tipping, Turn, tipping};

#[cfg(test)]
mod tests;
