//! The dense algebra that several rooms share, over faer: products, sums, factorisations, and the normal distribution
//! through holes. It knows slices of numbers, no tables. Whatever the number of threads, the bits are the same.

pub mod registers;
pub mod lanes;
mod products;
mod square;
mod sums;
mod least_squares;
mod factor;
mod normal;
mod conditional;
mod holes;
mod expected;
mod moments;
mod exact;
mod em;
mod written;

pub use conditional::{Conditional, Pattern};
pub use em::Course;
pub use exact::{ExactSums, expect_exactly};
pub use factor::{eigen, solve, solve_all};
pub use faer::Mat;
pub use holes::{Group, Holes, groups};
pub use least_squares::{Dependent, LeastSquares};
pub use moments::Moments;
pub use normal::Normal;
pub use products::{add_crossed, add_product};
pub use square::{Square, dot, pairs, unpack};
pub use sums::sum_over;
pub use written::{Sites, given_known};
