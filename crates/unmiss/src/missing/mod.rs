//! How holes come about, and how to describe them.
//!
//! [`hide`] makes holes in a table by a [`Mechanism`]: completely at random, at random given other columns,
//! or depending on the hidden value itself. [`describe`] says what is missing, where, together with what,
//! whether it looks random, and whether it goes with a target.
//!
//! ```
//! use unmiss::data::{Column, Kind, Table};
//! use unmiss::missing::{Mechanism, hide, hide_data, hideable};
//! let column = Column::from_numbers("age", Kind::Integer, &[61.0, 35.0, 40.0, 52.0]);
//! let table = Table::new(vec![column])?;
//! let mechanism: Mechanism = "mcar:0.5".parse()?;
//! let holes = hide(&table, &mechanism, &hideable(&table, &[]), 7)?;
//! assert_eq!(holes.table.columns()[0].missing(), holes.rates[0].hidden);
//! # Ok::<(), unmiss::error::Error>(())
//! ```

mod mechanism;
mod scores;
mod mar;
mod self_masking;
mod hide;
mod significance;
mod regions;
mod cover;
mod images;
mod patterns;
mod ratings;
mod series;
mod together;
mod outcome;
pub(crate) mod known;
mod little;
mod dependence;
mod target;
mod description;
mod values;
mod advice;
pub(crate) mod words;
mod describe;

pub use cover::Cover;
pub use dependence::{Dependence, Dependences};
pub use describe::describe;
pub use description::{ColumnHoles, Description};
pub use hide::{ColumnRate, Hidden, HiddenData, hide, hide_data, hideable};
pub use images::{ClassHoles, ImagesDescription, describe_images};
pub use known::{Bar, Estimate, KnownCells, KnownGroup, TargetByKnown};
pub use little::{Little, LittleResult};
pub use mechanism::Mechanism;
pub use patterns::{Pattern, Patterns};
pub use ratings::{CountBin, CountGroup, Counts, RatingsDescription, count_groups, describe_ratings};
pub use regions::{Region, hide_region};
pub(crate) use scores::sigmoid;
pub use self_masking::{gaussian_width, probit_offset};
pub(crate) use self_masking::{normal_cdf, normal_quantile};
pub use series::{
    SeriesDescription, Spread, StaticDescription, ValuePlace, VariableDescription, describe_series,
    ends_to_hide, hide_values, values_to_hide,
};
pub use significance::Test;
pub use target::{ColumnTest, TargetDescription};
pub use together::{Group, Pair, Together, correlations};
