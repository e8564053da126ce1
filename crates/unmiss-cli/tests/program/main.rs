//! The program as a user meets it: what it prints, what it refuses and how, what it writes.
//!
//! Outputs are kept as transcripts in `snapshots/`; after a wanted change, `INSTA_UPDATE=always cargo test
//! --workspace --test program` writes them anew, and the difference is to be read before it is kept.

#![allow(clippy::unwrap_used)]

mod analyse;
mod audit;
mod bench;
mod compare;
mod counts;
mod demo;
mod density;
mod errors;
mod evaluate;
mod explain;
mod export;
mod forms;
#[cfg(unix)]
mod files;
mod images;
mod impute;
mod impute_plan;
mod interrupt;
mod limits;
mod memory;
mod new_data;
mod outputs;
mod pages;
mod published;
mod recommend;
mod round_trips;
mod series;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod simulate;
