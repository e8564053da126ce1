//! What the library found out as sections of a page: one function for each kind of finding.

mod describe;
mod fit;

pub use describe::describe;
pub use fit::fit;
