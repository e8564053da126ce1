//! Series with holes: measurements of several variables over time, of any length and at any times, with what is known
//! marked by a mask of its own.
//!
//! ```
//! use unmiss::data::series::sample;
//! let ward = sample()?;
//! assert_eq!((ward.len(), ward.variables().len()), (300, 4));
//! assert_eq!(ward.clock.format(ward.times(0)[0]), "00:13");
//! # Ok::<(), unmiss::error::Error>(())
//! ```
//!
//! # Which tables
//!
//! CSV, TSV or Parquet, packed with gzip or not, in one of two forms, and `sample:ward`:
//!
//! | form | rows | columns |
//! |---|---|---|
//! | long | one for each value | the series, the time, the name of the variable, its value |
//! | wide | one for each series and time | the series, the time, a column for each variable |
//!
//! | a time is | as a number | counted from |
//! |---|---|---|
//! | a number | itself | 0 |
//! | a number, where none of the series starts near 0 or one starts before it | itself | the first of its series |
//! | `HH:MM`, `HH:MM:SS` | hours | 0 |
//! | a date (ISO 8601, or 31.05.2024 and its like where it can mean one day), with a time of day or not | hours since 1970 | the first of its series |
//!
//! # What is told and what is refused
//!
//! | in the file | what becomes of it |
//! |---|---|
//! | a row without a series, a time or the name of a variable | skipped, and told how many |
//! | several values of a variable at the same time | their mean, and told |
//! | rows out of order | put in the order of time, and told |
//! | a variable that every series has at its first time alone (long), a column that is the same in all rows of each series (wide) | what does not change over time, and told |
//! | words that change over time, a variable without a value | left out, and told |
//! | a series of a second table without rows here, a series here without one there | told |
//! | times written in several ways, two rows of a second table for a series, a value that is no number | an error |
//! | bins ([`SeriesOptions::step`]) | made only if asked for: the mean of the values in each, and told |

mod clock;
mod set;
mod steps;
mod manner;
mod gather;
mod columns;
mod wide;
mod sample;
mod remarks;
mod read;
mod write;
#[cfg(test)]
mod tests;

pub use clock::{Clock, Span, Unit};
pub use read::{SeriesOptions, SeriesReading, SeriesRoles, from_table, is_series, read};
pub use sample::{SAMPLE, TARGET, sample};
pub use set::{Form, Parts, Series};
pub use write::write_filled;
