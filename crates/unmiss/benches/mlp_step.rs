//! Time of one training step through the real training loop, to be compared with `benches/mlp_step.py`.
//!
//! `cargo bench -p unmiss --bench mlp_step`; `benches/mlp_step.sh` runs both sides in turn. Prints one line
//! for each task: its name and the median microseconds per step. `THREADS` sets the threads (2). On a busy
//! machine, `CLOCK=cpu THREADS=1` counts processor time (Linux) instead of time on the wall.

use std::sync::LazyLock;
use std::time::Instant;

use burn::Tensor;
use unmiss::nn::loss::{cross_entropy, squared_error};
use unmiss::nn::train::{Learner, Moment, TrainSettings, train};
use unmiss::nn::{Activation, Engine, Lent, Parameters, Plain, Taped};
use unmiss::rng::Stream;
use unmiss::run::Run;

/// A plain network: ReLU between layers; one output is a regression, more are classes.
struct Network {
    sizes: Vec<usize>,
    rows: usize,
    inputs: Vec<f32>,
    numbers: Vec<f32>,
    classes: Vec<usize>,
}

impl Network {
    fn new(sizes: &[usize], rows: usize) -> Self {
        let mut stream = Stream::new(1, "data", 0, 0);
        let outputs = sizes[sizes.len() - 1];
        let inputs = (0..rows * sizes[0]).map(|_| stream.normal() as f32).collect();
        let numbers = (0..rows).map(|_| stream.normal() as f32).collect();
        let classes = (0..rows).map(|_| stream.below(outputs)).collect();
        Self { sizes: sizes.to_vec(), rows, inputs, numbers, classes }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let mut parameters = Parameters::new();
        for (layer, pair) in self.sizes.windows(2).enumerate() {
            let limit = 1.0 / (pair[0] as f64).sqrt();
            let mut draw = || (limit * (2.0 * stream.uniform() - 1.0)) as f32;
            parameters.add(format!("{layer}/weight"), pair, &mut draw);
            parameters.add(format!("{layer}/bias"), [1, pair[1]], &mut draw);
        }
        parameters
    }

    fn forward<E: Engine>(&self, engine: &mut E, inputs: Vec<f32>) -> E::Value {
        let rows = inputs.len() / self.sizes[0];
        let mut now = engine.input(inputs, rows);
        for layer in 0..self.sizes.len() - 1 {
            let inner = layer + 2 < self.sizes.len();
            let activation = if inner { Activation::Relu } else { Activation::Identity };
            now = engine.dense(now, 2 * layer, activation);
        }
        now
    }
}

impl Learner for Network {
    fn rows(&self) -> usize {
        self.rows
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let width = self.sizes[0];
        let mut inputs = Vec::with_capacity(rows.len() * width);
        rows.iter().for_each(|row| inputs.extend_from_slice(&self.inputs[row * width..][..width]));
        let now = self.forward(&mut Taped::new(parameters, moment), inputs);
        if self.sizes[self.sizes.len() - 1] == 1 {
            let targets: Vec<f32> = rows.iter().map(|row| self.numbers[*row]).collect();
            squared_error(now, &targets, None)
        } else {
            let classes: Vec<usize> = rows.iter().map(|row| self.classes[*row]).collect();
            cross_entropy(now, &classes, None, 0.0)
        }
    }

    fn validate(&self, _: &Parameters) -> Option<f64> {
        None
    }
}

/// Median microseconds per step over some trainings of `steps` steps.
fn step_time(sizes: &[usize], batch: usize, steps: usize, run: &Run) -> f64 {
    let network = Network::new(sizes, batch * 50);
    let settings = TrainSettings { epochs: steps / 50, batch, ..TrainSettings::default() };
    let time = || {
        let parameters = network.parameters();
        let start = seconds();
        train(&network, parameters, &settings, run).expect("the task can be learned");
        (seconds() - start) * 1e6 / (settings.epochs * 50) as f64
    };
    time();
    median((0..7).map(|_| time()).collect())
}

/// Seconds to apply 20-256-256-256-1 to a million rows, in pieces that fit the cache.
fn apply_time(run: &Run) -> f64 {
    let network = Network::new(&[20, 256, 256, 256, 1], 1_000_000);
    let parameters = network.parameters();
    let time = || {
        let start = seconds();
        let mut total = 0.0;
        for piece in network.inputs.chunks(4096 * 20) {
            total += network.forward(&mut Plain::new(&parameters), piece.to_vec()).values()[0];
        }
        assert!(total.is_finite());
        seconds() - start
    };
    run.compute(|| median((0..3).map(|_| time()).collect()))
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let threads = std::env::var("THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let run = Run::new(1, threads).expect("threads are granted");
    println!("small {:.1}", step_time(&[13, 100, 100, 100, 1], 32, 1000, &run));
    println!("large {:.1}", step_time(&[784, 512, 512, 10], 128, 100, &run));
    if std::env::args().any(|argument| argument == "apply") {
        println!("apply {:.2} s for 1,000,000 rows of 20-256-256-256-1", apply_time(&run));
    }
}
