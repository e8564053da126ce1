//! What the library found out as sections of a page: one function for each kind of finding.

mod analyse;
mod audit;
mod compare;
mod describe;
mod evaluation;
mod explain;
mod fit;
mod image_models;
mod images;
mod impute;
mod origin;
mod occlusion;
mod ratings;
mod series;
mod target;

pub use analyse::{analyse, tipping};
pub use audit::audit;
pub use compare::compare;
pub use describe::describe;
pub use evaluation::evaluation;
pub use explain::explain;
pub use fit::fit;
pub use image_models::{fit_images, impute_images};
pub use images::images;
pub use impute::impute;
pub use occlusion::occlusion;
pub use origin::origin;
pub use ratings::{rating_audit, ratings};
pub use series::{fit_series, impute_series, series};
