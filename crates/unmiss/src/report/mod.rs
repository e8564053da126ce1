//! Pages: a plain summary becomes SVG charts, and these one HTML page that stands alone.
//!
//! A page needs no script, no font and no picture from elsewhere; it follows the reader's choice of light or
//! dark, prints, and has the numbers behind every chart in a table. Each chart is a plain structure with a
//! `draw`; [`sections`] holds the functions that turn what the library found out into sections of a page.
//!
//! ```
//! use unmiss::report::{Bars, Page, Section, Words};
//! let words = Words::new("Rows by ward", "Bars are rows.", "The heart ward has most.");
//! let bars = vec![("heart".to_owned(), 12.0), ("lungs".to_owned(), 7.0)];
//! let chart = Bars { words, names: "ward".into(), values: "rows".into(), bars }.draw()?;
//! let page = Page::new("Two wards").summary("19 rows.").section(Section::new("Rows").chart(chart));
//! assert!(page.html().starts_with("<!DOCTYPE html>"));
//! # Ok::<(), unmiss::error::Error>(())
//! ```

mod text;
mod canvas;
mod axes;
mod chart;
mod charts;
mod page;
pub mod sections;

pub use axes::Form;
pub use chart::{Chart, Grid, Words};
pub use charts::bars::Bars;
pub use charts::calibration::Calibration;
pub use charts::confusion::Confusion;
pub use charts::contact::ContactSheet;
pub use charts::drift::{Drift, DriftCurve, DriftPoint};
pub use charts::heat::Heat;
pub use charts::lines::{Line, LinePoint, Lines};
pub use charts::matrix::Matrix;
pub use charts::pixels::PixelMap;
pub use charts::ranking::{Marks, Ranked, Ranking};
pub use charts::roc::{Roc, RocCurve};
pub use charts::singles::{SingleRow, Singles};
pub use charts::training::Training;
pub use charts::truth::Truth;
pub use page::{Page, Section};
