//! How fast a numeric CSV file is read as a whole and batch by batch, and how much memory batches take.
//!
//! Run with `cargo bench -p unmiss --bench read_csv`; an argument gives the size of the file in MB (100).
//! Besides the speed by the clock it tells the speed by processor time (all threads together), which says
//! more on a machine that is busy with other things.

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
            measure(&format!("batches, {threads} threads"), size, || run.compute(|| batches(&path)));
        }
    }
    for threads in [1, 2] {
        let run = Run::new(0, threads).expect("threads");
        for _ in 0..3 {
            let whole = || read(&path, &ReadOptions::default()).expect("readable").table.rows();
            measure(&format!("whole, {threads} threads"), size, || run.compute(whole));
        }
    }
}

fn measure(what: &str, megabytes: f64, work: impl FnOnce() -> usize) {
    let (start, before) = (Instant::now(), processor_seconds());
    let rows = work();
    let speed = megabytes / start.elapsed().as_secs_f64();
    let by_processor = megabytes / (processor_seconds() - before);
    let memory = highest_memory();
    println!(
        "{what}: {rows} rows, {speed:.0} MB/s, {by_processor:.0} MB per processor second, highest memory {memory:.0} MB"
    );
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

/// The most memory this process has held so far, in MB; NaN where the system does not tell.
fn highest_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim_end_matches("kB").trim().parse::<f64>().map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Processor time of this process so far, in seconds; NaN where the system does not tell.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in brackets: fields 14 and 15, user and system time in hundredths of a second.
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { f64::NAN }
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
