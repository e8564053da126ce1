//! Time to fill, and to predict, a single row: what a service that answers one request at a time waits for.
//!
//! `cargo bench -p unmiss --bench one_row`. Learns from 5,000 rows of 50 columns, a fifth of their cells hidden, and
//! prints the median microseconds of each imputer and predictor over many single rows. `THREADS` sets the threads (2).

use std::time::Instant;

use unmiss::data::{Column, Data, Kind, Shape, Table};
use unmiss::error::Result;
use unmiss::methods::{Job, methods_for};
use unmiss::model::{Aim, FillPlan, Model, Recipe};
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
fn median(table: &Data, mut work: impl FnMut(&Data) -> Result<()>) -> Result<f64> {
    let mut times = Vec::with_capacity(TIMED);
    for row in 0..TIMED {
        let row = table.select(&[row])?;
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
    let table = Data::from(table()?);
    let aim = Aim::Fill(FillPlan { ignored: vec!["y".to_owned()], ..FillPlan::default() });
    for method in methods_for(Shape::Table, Job::Fill) {
        let model = Model::fit(&table, &aim, &Recipe::of(method), &run)?;
        let filling = model.filling()?;
        let time = median(&table, |row| filling.fill(row, None, |_, _| {}).map(drop))?;
        println!("fill {} {time:.0}", method.name());
    }
    for method in methods_for(Shape::Table, Job::Predict) {
        let model = Model::fit(&table, &Aim::predict("y"), &Recipe::of(method), &run)?;
        let predicting = model.predicting()?;
        let time = median(&table, |row| predicting.predict(row, |_, _| {}).map(drop))?;
        println!("predict {} {time:.0}", method.name());
    }
    Ok(())
}
