//! Cross-validation: rows dealt into folds, a method learned without each of them, its answers for the rows that it
//! did not see, and models of one or several methods as one.

mod deal;
mod measured;
mod mixture;
mod mixing;
mod models;
mod splits;
mod summary;
mod temperature;
mod ties;
mod validate;
mod written;

pub use deal::{Folds, MOST_ROWS_COMPARED, ROWS_KEPT_APART, folds, usual_folds};
pub use measured::Entry;
pub use models::{FoldModel, FoldModels, FoldPart};
pub(crate) use splits::own_units;
pub use splits::{Split, Splits};
pub use ties::Ties;
pub use validate::{Validated, cross_validate, learn_from_all};
pub use written::WrittenFold;
