//! How fast a numeric CSV file is read as a whole and batch by batch, and how much memory batches take.
//!
//! Run with `cargo bench -p unmiss --bench read_csv`; an argument gives the size of the file in MB (100).

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use unmiss::data::{BatchOptions, Batches, Kind, ReadOptions, read};
use unmiss::run::Run;

const COLUMNS: usize = 20;

fn main() {
    let megabytes = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let folder = tempfile::tempdir().expect("a folder for the file");
    let path = folder.path().join("numbers.csv");
    make(&path, megabytes << 20).expect("the file fits on the disk");
    let size = std::fs::metadata(&path).expect("the file was just made").len() as f64 / 1e6;
    println!("{size:.0} MB, {COLUMNS} columns of numbers with 7 digits, a hole in 16 cells");
    // Batches come first: the highest memory so far is then their own.
    for threads in [1, 2] {
        let run = Run::new(0, threads).expect("threads");
        for _ in 0..2 {
            let start = Instant::now();
            let rows = run.compute(|| batches(&path));
            let seconds = start.elapsed().as_secs_f64();
            let memory =
                highest_memory().map_or("unknown".to_owned(), |megabytes| format!("{megabytes:.0} MB"));
            println!(
                "batches, {threads} threads: {rows} rows, {:.0} MB/s, highest memory {memory}",
                size / seconds
            );
        }
    }
    for threads in [1, 2] {
        let run = Run::new(0, threads).expect("threads");
        for _ in 0..3 {
            let start = Instant::now();
            let rows = run.compute(|| read(&path, &ReadOptions::default()).expect("readable").table.rows());
            let seconds = start.elapsed().as_secs_f64();
            println!("whole, {threads} threads: {rows} rows, {:.0} MB/s", size / seconds);
        }
    }
}

fn batches(path: &Path) -> usize {
    let kinds: BTreeMap<String, Kind> =
        (0..COLUMNS).map(|column| (format!("x{column}"), Kind::Real)).collect();
    let mut batches =
        Batches::open(path, &BatchOptions { kinds, ..BatchOptions::default() }).expect("readable");
    let mut rows = 0;
    while let Some(batch) = batches.next().expect("readable") {
        rows += batch.rows();
    }
    rows
}

/// The most memory this process has held so far, in MB.
fn highest_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

fn make(path: &Path, size: usize) -> std::io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    let header: Vec<String> = (0..COLUMNS).map(|column| format!("x{column}")).collect();
    writeln!(file, "{}", header.join(","))?;
    let (mut state, mut written) = (1_u64, 0);
    let mut line = String::new();
    while written < size {
        line.clear();
        for column in 0..COLUMNS {
            use std::fmt::Write as _;
            // A linear congruential generator is plenty for digits that look like data.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let separator = if column == 0 { "" } else { "," };
            line.push_str(separator);
            if state >> 60 != 0 {
                let value = (state >> 40) as f64 / 16_777.216 - 500.0;
                write!(line, "{value:.4}").map_err(std::io::Error::other)?;
            }
        }
        line.push('\n');
        written += line.len();
        file.write_all(line.as_bytes())?;
    }
    file.flush()
}
