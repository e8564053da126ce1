//! What the autoencoders that draw (`dvae`, `wae`) share, for tables and images: cells with holes as a network's input,
//! the likelihood of known cells under a decoder's output, encoder and decoder, and what is hidden in training.
//!
//! A cell is one number: a scaled number, a pixel, or the code of a category. A row is cells and marks, whatever the
//! shape of the data ([`Source`]).

pub mod density;
pub mod source;
pub mod features;
pub mod hiding;
pub mod network;

pub use features::{Features, Kind};
pub use hiding::{Hiding, Masks, Parts, missing_rates};
pub use network::{Ends, Form, Network};
pub use source::{Cells, ImageCells, Source, TableCells};
