//! Tables with holes: values and `observed` kept apart; reading and writing files; built-in samples.

pub mod source;
pub mod table;

pub use table::{Column, Kind, Table, Values};
