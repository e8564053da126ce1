//! Time to fill, and to predict, a single row: what a service that answers one request at a time waits for.
//!
//! `cargo bench -p unmiss --bench one_row`. Learns from 5,000 rows of 50 columns, a fifth of their cells hidden, and
//! prints the median microseconds of each imputer and predictor over many single rows. `THREADS` sets the threads (2).

use std::time::Instant;

use unmiss::data::{Column, Kind, Table};
use unmiss::error::Result;
use unmiss::methods::{IMPUTERS, METHODS};
use unmiss::model::{Filler, Limits, Model, RecipeOf, Roles};
use unmiss::rng::Stream;
use unmiss::run::Run;

const ROWS: usize = 5000;
const COLUMNS: usize = 50;
const TIMED: usize = 200;

/// Columns that depend on five causes, a fifth of their cells hidden, and a target without holes.
fn table() -> Result<Table> {
    let mut stream = Stream::new(1, "one row", 0, 0);
    let weights: Vec<f64> = (0..5 * COLUMNS).map(|_| stream.normal()).collect();
    let causes: Vec<f64> = (0..5 * ROWS).map(|_| stream.normal()).collect();
    let mut columns: Vec<Column> = Vec::new();
    for column in 0..COLUMNS {
        let number = |row: usize| {
            (0..5).map(|cause| weights[5 * column + cause] * causes[5 * row + cause]).sum::<f64>()
        };
        let numbers: Vec<f64> = (0..ROWS)
            .map(|row| if stream.uniform() < 0.2 { f64::NAN } else { number(row) + stream.normal() })
            .collect();
        columns.push(Column::from_numbers(format!("x{column}"), Kind::Real, &numbers));
    }
    let target: Vec<f64> = (0..ROWS).map(|row| causes[5 * row] + 0.3 * stream.normal()).collect();
    columns.push(Column::from_numbers("y", Kind::Real, &target));
    Table::new(columns)
}

/// The median microseconds of some work on the first rows, one by one.
fn median(table: &Table, mut work: impl FnMut(&Table) -> Result<()>) -> Result<f64> {
    let mut times = Vec::with_capacity(TIMED);
    for row in 0..TIMED {
        let row = table.select(&[row]);
        let start = Instant::now();
        work(&row)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[TIMED / 2])
}

fn main() -> Result<()> {
    let threads = std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let run = Run::new(0, threads)?;
    let table = table()?;
    for imputer in IMPUTERS {
        let recipe = RecipeOf::imputer(imputer.name())?;
        let filler = Filler::fit(&table, &["y".to_owned()], &recipe, Limits::default(), &run)?;
        let time = median(&table, |row| filler.fill(row, None, |_, _| {}).map(drop))?;
        println!("fill {} {time:.0}", imputer.name());
    }
    for method in METHODS {
        let model = Model::fit(&table, &Roles::target("y"), &RecipeOf::of(*method), &run)?;
        let time = median(&table, |row| model.predict(row, |_, _| {}).map(drop))?;
        println!("predict {} {time:.0}", method.name());
    }
    Ok(())
}
