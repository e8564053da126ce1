//! **unmiss** learns from data with holes: a table with missing values goes in as it is, and a predictor that takes
//! holes as they are, or the table without holes, comes out, with an account of how sure the answers are.
//!
//! ```
//! use unmiss::audit::{AuditSettings, audit_model};
//! use unmiss::compare::fit_best;
//! use unmiss::data::{Data, read};
//! use unmiss::model::{Aim, Model, Predictions, Recipe, Roles};
//! use unmiss::run::Run;
//!
//! # fn main() -> unmiss::error::Result<()> {
//! // 344 penguins, not all of them measured. Nothing is filled, encoded or scaled by hand.
//! let penguins: Data = read("sample:penguins".as_ref(), &Default::default())?.table.into();
//! let run = Run::new(0, 0)?; // seed 0, all threads: the same answer for any number of them
//!
//! // Methods are compared on the same folds; the mean of the best one's fold models is the model.
//! let recipes = [Recipe::named("linear")?, Recipe::named("trees")?.set("members", "1")?];
//! let (model, choice) = fit_best(&penguins, &Roles::target("body_mass_g"), &recipes, Some(3), &run)?;
//! println!("{}", choice.words().join(" "));
//!
//! // A row may have holes anywhere: of this penguin hardly anything is known. Numbers come with an interval.
//! let predicting = model.predicting()?;
//! let unmeasured = penguins.select(&[3])?;
//! let answers = predicting.answers(&predicting.coder.encode(&unmeasured, |_, _| {})?)?;
//! if let (Predictions::Numbers(grams), Some(intervals)) = (answers.predictions(), answers.intervals(0.9)) {
//!     let (lower, upper) = intervals[0];
//!     println!("{:.0} g, in 9 of 10 cases from {lower:.0} to {upper:.0} g", grams[0]);
//!     assert!(upper - lower > 600.0);
//! }
//!
//! // The same data without holes; `Some(Draw { .. })` in place of `None` fills in one of many plausible ways.
//! let filler = Model::fit(&penguins, &Aim::fill(), &Recipe::named("gaussian")?, &run)?;
//! let full = filler.filling()?.fill(&penguins, None, |_, _| {})?;
//! assert!(full.unfilled.is_empty());
//!
//! // Does the answer drift with how much is known? A sound model's mean answer stays where it is.
//! let settings = AuditSettings { rows: 50, masks: 10, contrast: false, ..AuditSettings::default() };
//! println!("{}", audit_model(&model, &penguins, &settings, &run)?.summary[0]);
//! # Ok(())
//! # }
//! ```
//!
//! A model is one file ([`model::Model::save`], [`model::Model::load`]) that answers bit for bit the same. The methods
//! are in one list ([`methods::METHODS`]), each with its paper, its settings and when to use it.
//!
//! # The rooms
//!
//! The modules stand in the order in which a row of data passes them; a module uses only those above it (a test reads
//! the source and says so).
//!
//! | room | what is in it |
//! |---|---|
//! | [`error`], [`rng`], [`run`], [`store`] | errors that say what to do, random streams, what long work is given and tells, files |
//! | [`onnx`] | graphs that other runtimes take |
//! | [`data`] | tables, ratings and images, with what is known marked by a mask of its own; reading and writing |
//! | [`missing`] | how holes come about, and what those of a table look like |
//! | [`simulate`] | made tables, whose best possible predictor is known |
//! | [`encode`] | the user's units to a model's, and back |
//! | [`metrics`], [`pool`] | scores with intervals; one answer from several filled tables |
//! | [`nn`] | parts of networks, optimisers, the training loop |
//! | [`methods`] | one folder a method |
//! | [`model`] | a translation and a fitted method: predicts, fills or rates; its file |
//! | [`explain`] | what a model goes by: columns, holes, values, single rows |
//! | [`analyse`] | regressions of filled tables, pooled |
//! | [`compare`] | which method is best, and is that chance? |
//! | [`audit`] | does the answer drift with how much is known? |
//! | [`report`] | findings as one page with charts |
//! | [`bench`](mod@bench) | published tables, run again |

pub mod error;
pub mod rng;
pub mod run;
pub mod store;
pub mod onnx;
pub(crate) mod linalg;
pub mod data;
pub mod missing;
pub mod simulate;
pub mod encode;
pub mod metrics;
pub mod pool;
pub mod nn;
pub mod methods;
pub mod model;
pub mod explain;
pub mod analyse;
pub mod compare;
pub mod audit;
pub mod report;
pub mod bench;

#[cfg(test)]
mod layers;

/// Compiles the guide's example.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct Guide;
