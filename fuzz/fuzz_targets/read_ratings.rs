//! Any bytes, read or refused, never a panic: see `crates/unmiss/tests/hostile/targets.rs`.

#![no_main]
#![allow(dead_code, reason = "one target of several")]

#[path = "../../crates/unmiss/tests/hostile/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::rating_file(bytes));
