//! Methods side by side on held-out rows: folds, scores with their uncertainty, and the choice of one.

mod choose;
mod folds;

pub use choose::{COVERAGE_LEVEL, Choice, Entry, choose, fit_best};
pub use folds::{Folds, folds};
