#![doc = include_str!("../README.md")]
// A fault is made once for a request that is refused: its size costs nothing.
#![allow(clippy::result_large_err)]

pub mod settings;
mod fault;
mod formats;
mod query;
mod json_text;
mod json_rows;
mod arrow_rows;
mod rows;
mod work;
mod metrics;
mod moment;
mod shelf;
mod reply;
mod asked;
mod predict;
mod fill;
mod score;
mod ratings;
mod pictures;
mod findings;
mod facts;
mod openapi;
mod page;
mod routes;
pub mod app;
mod server;

pub use app::{App, Log, router};
pub use server::{accept, serve};
pub use settings::{Limits, Settings, listen_at, named};
