//! Methods side by side on held-out rows or hidden cells: folds, scores with their uncertainty, the choice of one,
//! and the full comparison with significance.

mod choose;
mod comparison;
mod contest;
mod folds;
mod held_out_ratings;
mod hidden_cells;
mod held_out_rows;
mod labelled;
mod memory;
mod ratings;
mod significance;
mod standings;
mod tune;

pub use choose::{COVERAGE_LEVEL, Choice, Entry, fit_best};
pub use comparison::{Comparison, Contestant, Failure, Fit, Part, Question};
pub use contest::{Contest, Setup};
pub use folds::{Folds, folds};
pub use ratings::{Measured, RatingChoice, fit_best_rating};
pub use significance::{Disagreement, PairedTest, disagreement, paired_test};
pub use standings::{Against, Chosen, Standing};
