//! Formulas over a table's columns: their words, and arithmetic.

mod arithmetic;
mod words;

pub(crate) use arithmetic::{Arithmetic, is_function, numbers, unknown_function};
pub(crate) use words::{Words, is_name};
