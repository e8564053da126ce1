//! Time of a NeuMiss epoch through the real training loop, to be compared with `benches/neumiss_epoch.py`.
//!
//! `cargo bench -p unmiss --bench neumiss_epoch`; `benches/neumiss_epoch.sh` runs both sides in turn. Prints the median
//! seconds of an epoch. `THREADS` sets the threads (2), `EPOCHS` how many are timed (3); `CLOCK=cpu` counts processor
//! time (Linux), for a busy machine.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use burn::Tensor;
use unmiss::nn::loss::squared_error;
use unmiss::nn::neumann::{Block, Form, NEUMANN_PARAMETERS, Neumann, Values};
use unmiss::nn::train::{Learner, Moment, TrainSettings, train};
use unmiss::nn::{Activation, Cells, Engine, Lent, Parameters, Taped};
use unmiss::rng::Stream;
use unmiss::run::Run;

const ROWS: usize = 100_000;
const COLUMNS: usize = 20;
const DEPTH: usize = 10;
const BATCH: usize = 100;

/// The block of 2020 with residuals before a linear answer.
struct Network {
    block: Arc<Block>,
    numbers: Vec<f32>,
    observed: Vec<bool>,
    targets: Vec<f32>,
}

impl Network {
    fn new() -> Self {
        let mut stream = Stream::new(1, "data", 0, 0);
        let layout = Neumann { columns: COLUMNS, depth: DEPTH, form: Form::Own, mixed: true };
        Self {
            block: Arc::new(Block::new(layout)),
            numbers: (0..ROWS * COLUMNS).map(|_| stream.normal() as f32).collect(),
            observed: (0..ROWS * COLUMNS).map(|_| stream.uniform() < 0.5).collect(),
            targets: (0..ROWS).map(|_| stream.normal() as f32).collect(),
        }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let mut draw = |count: usize, deviation: f64| -> Vec<f32> {
            (0..count).map(|_| (deviation * stream.normal()) as f32).collect()
        };
        let (size, deviation) = (COLUMNS * COLUMNS, 0.5 / (COLUMNS as f64).sqrt());
        let first = Values {
            mean: draw(COLUMNS, 1.0),
            matrices: draw(DEPTH * size, deviation),
            mix: draw(size, deviation),
            residuals: (0..DEPTH).map(|layer| if layer == 0 { 0.0 } else { 1.0 }).collect(),
        };
        let mut parameters = Parameters::new();
        self.block.add_parameters(&mut parameters, first, false);
        let mut answer = draw(COLUMNS, 0.2).into_iter();
        parameters.add_dense("answer", COLUMNS, 1, || answer.next().unwrap_or(0.0));
        parameters
    }
}

impl Learner for Network {
    fn rows(&self) -> usize {
        ROWS
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let mut numbers = Vec::with_capacity(rows.len() * COLUMNS);
        let mut observed = Vec::with_capacity(rows.len() * COLUMNS);
        for row in rows {
            numbers.extend_from_slice(&self.numbers[row * COLUMNS..][..COLUMNS]);
            observed.extend_from_slice(&self.observed[row * COLUMNS..][..COLUMNS]);
        }
        let cells = Cells {
            rows: rows.len(),
            numbers: numbers.into(),
            numbers_observed: observed.into(),
            codes: Vec::new().into(),
            codes_observed: Vec::new().into(),
        };
        let engine = &mut Taped::new(parameters, moment);
        let filled = engine.neumann(&self.block, cells, 0);
        let answer = engine.dense(filled, NEUMANN_PARAMETERS, Activation::Identity);
        let targets: Vec<f32> = rows.iter().map(|row| self.targets[*row]).collect();
        squared_error(answer, &targets, None)
    }

    fn validate(&self, _: &Parameters) -> Option<f64> {
        None
    }
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Seconds on the wall, or with `CLOCK=cpu` those that all threads of this process spent computing.
fn seconds() -> f64 {
    if std::env::var("CLOCK").is_ok_and(|clock| clock == "cpu") {
        let tasks = std::fs::read_dir("/proc/self/task").expect("Linux lists the threads here").flatten();
        let spent = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
        let first = |text: String| text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        return tasks.filter_map(spent).filter_map(first).sum::<f64>() * 1e-9;
    }
    START.elapsed().as_secs_f64()
}

fn main() {
    let number = |name: &str, usual: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let run = Run::new(1, number("THREADS", 2)).expect("threads are granted");
    let network = Network::new();
    let settings = TrainSettings { epochs: 1, batch: BATCH, ..TrainSettings::default() };
    let time = || {
        let parameters = network.parameters();
        let start = seconds();
        train(&network, parameters, &settings, &run).expect("the task can be learned");
        seconds() - start
    };
    time();
    let mut times: Vec<f64> = (0..number("EPOCHS", 3)).map(|_| time()).collect();
    times.sort_by(f64::total_cmp);
    println!("{:.3}", times[times.len() / 2]);
}
