//! `predict` reads, predicts and writes batch by batch: a file of any size in the same memory.

#![cfg(target_os = "linux")]

use std::io::Write;

use crate::bench::{Bench, ward};

/// The size of the new rows, and what the program may use: reading the whole file would take more than the
/// file, and its columns as numbers as much again.
const FILE: u64 = 60 << 20;
const MOST: u64 = 100 << 20;

#[test]
fn predicting_a_large_file_takes_little_memory() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o m.unmiss -q");
    let rows = write_large(&bench);
    let (answer, peak) = bench.measured("predict m.unmiss large.csv -o out.csv --threads 2 -q");
    assert_eq!(answer.code, 0, "{}", answer.err);
    let lines = bench.bytes("out.csv").iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines, rows + 1);
    assert!(peak > 1 << 20, "the peak could not be measured");
    assert!(peak < MOST, "{} MB for a file of {} MB", peak >> 20, FILE >> 20);
}

/// Writes the made rows again and again, and gives their number.
fn write_large(bench: &Bench) -> usize {
    let block = ward(2000);
    let (header, rows) = block.split_once('\n').unwrap();
    let mut file = std::io::BufWriter::new(std::fs::File::create(bench.path("large.csv")).unwrap());
    writeln!(file, "{header}").unwrap();
    let blocks = FILE as usize / rows.len() + 1;
    (0..blocks).for_each(|_| file.write_all(rows.as_bytes()).unwrap());
    file.flush().unwrap();
    blocks * 2000
}
