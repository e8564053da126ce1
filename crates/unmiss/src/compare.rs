//! Methods side by side on held-out rows, hidden cells or hidden pixels: folds, scores with their uncertainty, the
//! choice of one, and the full comparison with significance.

mod memory;
mod doubts;
mod evaluation;
mod choosing;
mod significance;
mod standing;
mod comparison;
mod standings;
mod tune;
mod labelled;
mod arena;
mod held_out_rows;
mod hidden_cells;
mod hidden_pixels;
mod hidden_values;
mod held_out_ratings;
mod contest;
mod choose;
mod one_split;
mod ratings;
mod found;
mod set_aside;

pub use crate::methods::folds::{Entry, Folds, folds, usual_folds};
pub use choose::{COVERAGE_LEVEL, Choice, fit_best};
pub use choosing::{Choosing, Division};
pub use comparison::{Comparison, Contestant, Failure, Fit, Part, Question};
pub use contest::{Contest, Setup, Task};
pub use evaluation::{Coverage, Evaluation, Figure, Judging, evaluate, evaluate_held_out};
pub use found::{FoldFigure, Found, MethodFound, Weight};
pub use hidden_pixels::{MeasuredOnPixels, PixelChoice, choose_filling};
pub use one_split::{MeasuredOnce, SplitChoice, fit_best_on_split};
pub use ratings::{Measured, RatingChoice, fit_best_rating};
pub use set_aside::set_aside;
pub use significance::{Disagreement, PairedTest, disagreement, paired_test};
pub use standing::{Against, Chosen, Standing};
