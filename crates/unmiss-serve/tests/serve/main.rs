//! The server as a client meets it, without a network: every request goes through the routes and the guard.

#![allow(clippy::unwrap_used, reason = "a test that fails is to say where")]

mod answers;
mod bench;
mod faults;
mod fuzz;
mod guard;
mod reload;
