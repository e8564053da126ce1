//! Time of a training step of a recurrent network, to be compared with `benches/recurrent.py`.
//!
//! `cargo bench -p unmiss --bench recurrent`; `benches/recurrent.sh` runs both sides in turn. A layer of 108 units over
//! series of 35 variables, a linear answer from the last state, Adam. Prints one line for each task: its name and the
//! least milliseconds of a step. `THREADS` sets the threads (2); `CLOCK=cpu` counts processor time (Linux), for a busy
//! machine; `ONLY` names the tasks to time, by their beginnings, separated by commas.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use burn::Tensor;
use unmiss::nn::loss::squared_error;
use unmiss::nn::recurrent::RECURRENT_PARAMETERS;
use unmiss::nn::train::{Learner, Moment, TrainSettings, train};
use unmiss::nn::{Activation, Cell, Engine, Give, Lent, Parameters, Recurrent, Steps, Taped};
use unmiss::rng::Stream;
use unmiss::run::Run;

const VARIABLES: usize = 35;
const UNITS: usize = 108;
/// Steps of a training that are timed together.
const TOGETHER: usize = 3;

/// Name, cell, series in a batch, steps of the longest series, and whether lengths differ.
const TASKS: [(&str, Cell, usize, usize, bool); 9] = [
    ("lstm-64x48", Cell::Lstm, 64, 48, false),
    ("lstm-64x288", Cell::Lstm, 64, 288, false),
    ("lstm-512x48", Cell::Lstm, 512, 48, false),
    ("lstm-512x288", Cell::Lstm, 512, 288, false),
    ("lstm-ragged-512x288", Cell::Lstm, 512, 288, true),
    ("gru-64x48", Cell::Gru, 64, 48, false),
    ("gru-64x288", Cell::Gru, 64, 288, false),
    ("gru-512x48", Cell::Gru, 512, 48, false),
    ("gru-512x288", Cell::Gru, 512, 288, false),
];

struct Network {
    layer: Arc<Recurrent>,
    steps: Arc<Steps>,
    values: Vec<f32>,
    targets: Vec<f32>,
}

impl Network {
    fn new(cell: Cell, series: usize, most: usize, ragged: bool) -> Self {
        let mut stream = Stream::new(1, "data", 0, 0);
        let length = |series: usize| if ragged { 1 + (series * 97) % most } else { most };
        let steps = Arc::new(Steps::new((0..series).map(length).collect()));
        Self {
            layer: Arc::new(Recurrent::new(cell, VARIABLES, UNITS)),
            values: (0..steps.rows() * VARIABLES).map(|_| stream.normal() as f32).collect(),
            targets: (0..series).map(|_| stream.normal() as f32).collect(),
            steps,
        }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let bound = 1.0 / (UNITS as f64).sqrt();
        let mut draw = || (bound * (2.0 * stream.uniform() - 1.0)) as f32;
        let mut parameters = Parameters::new();
        self.layer.add_parameters(&mut parameters, "layer", &mut draw);
        parameters.add_dense("answer", UNITS, 1, &mut draw);
        parameters
    }
}

impl Learner for Network {
    /// Each row stands for a whole batch: what is timed is the step alone.
    fn rows(&self) -> usize {
        TOGETHER
    }

    fn loss(&self, parameters: &Lent, _: &[usize], moment: &Moment) -> Tensor<1> {
        let engine = &mut Taped::new(parameters, moment);
        let input = engine.input(self.values.clone(), self.steps.rows());
        let last = engine.recurrent(input, None, &self.layer, &self.steps, 0, Give::Last);
        let answer = engine.dense(last, RECURRENT_PARAMETERS, Activation::Identity);
        squared_error(answer, &self.targets, None)
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
    let only = std::env::var("ONLY").unwrap_or_default();
    let run = Run::new(1, number("THREADS", 2)).expect("threads are granted");
    for (name, cell, series, most, ragged) in TASKS {
        if !only.split(',').any(|start| name.starts_with(start)) {
            continue;
        }
        let network = Network::new(cell, series, most, ragged);
        let settings = TrainSettings { epochs: 1, batch: 1, ..TrainSettings::default() };
        let time = || {
            let parameters = network.parameters();
            let start = seconds();
            train(&network, parameters, &settings, &run).expect("the task can be learned");
            (seconds() - start) / TOGETHER as f64
        };
        time();
        let least = (0..number("TIMES", 3)).map(|_| time()).fold(f64::INFINITY, f64::min);
        println!("{name} {:.2}", least * 1e3);
    }
}
