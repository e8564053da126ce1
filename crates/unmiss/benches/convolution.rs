//! Times of convolutions and of the training step of a small CNN, to be compared with `benches/convolution.py`.
//!
//! `cargo bench -p unmiss --bench convolution`; `benches/convolution.sh` runs both sides in turn. Prints one line for
//! each task: its name and the least microseconds. `THREADS` sets the threads (2). On a busy machine, `CLOCK=cpu
//! THREADS=1` counts processor time (Linux) instead of time on the wall. `ONLY` names the tasks to time, by their
//! beginnings, separated by commas.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use burn::Tensor;
use burn::tensor::TensorData;
use unmiss::nn::expected_activation::expected_convolution_infer;
use unmiss::nn::loss::cross_entropy;
use unmiss::nn::train::{Learner, Moment, TrainSettings, train};
use unmiss::nn::{
    Activation, Convolution, Engine, Lent, Mixture, MixtureSize, Observed, Parameters, Shape, Taped, Window,
    training_device,
};
use unmiss::rng::Stream;
use unmiss::run::Run;

/// Name, channels in and out, kernel, stride, padding, side; U is transposed.
const SHAPES: [(&str, [usize; 6]); 10] = [
    ("A", [1, 32, 3, 1, 1, 28]),
    ("B", [32, 32, 3, 2, 1, 28]),
    ("C", [32, 64, 3, 1, 1, 14]),
    ("D", [64, 64, 3, 1, 1, 14]),
    ("E", [3, 32, 3, 1, 1, 32]),
    ("F", [32, 32, 3, 1, 1, 32]),
    ("G", [64, 64, 3, 1, 1, 16]),
    ("H", [128, 128, 3, 1, 1, 8]),
    ("I", [16, 32, 5, 1, 2, 28]),
    ("U", [64, 32, 2, 2, 0, 14]),
];

fn numbers(count: usize, purpose: &str) -> Vec<f32> {
    let mut stream = Stream::new(1, purpose, count as u64, 0);
    (0..count).map(|_| stream.normal() as f32).collect()
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), &training_device())
}

/// Forward, and backward with the gradients of input, weights and bias, as training calls them.
fn shapes(batch: usize) {
    for (name, [from, to, kernel, stride, padding, side]) in SHAPES {
        let window = Window { kernel, stride, padding };
        let layer = match name {
            "U" => Convolution::transposed(Shape::new(from, side, side), to, window, 0),
            _ => Convolution::new(Shape::new(from, side, side), to, window),
        };
        let layer = Arc::new(layer.expect("the window fits"));
        let scale = 1.0 / (layer.window_numbers() as f32).sqrt();
        let weights =
            numbers(layer.weight_shape().iter().product(), "weights").iter().map(|w| w * scale).collect();
        let (input, output) = (layer.input().numbers(), layer.output().numbers());
        let image = tensor(numbers(batch * input, "images"), [batch, input]).require_grad();
        let weight = tensor(weights, layer.weight_shape()).require_grad();
        let bias = tensor(numbers(to, "bias"), [1, to]).require_grad();
        let forward = || layer.forward(image.clone(), weight.clone(), bias.clone(), false);
        time(&format!("{name}{batch}-forward"), || drop(forward()));
        // The gradient comes in by a product with a constant, whose own cost is timed and taken off.
        let pull = tensor(numbers(batch * output, "pull"), [batch, output]);
        let result = tensor(numbers(batch * output, "result"), [batch, output]).require_grad();
        let cost = least(&mut || drop((result.clone() * pull.clone()).sum().backward()));
        if wanted(&format!("{name}{batch}-backward")) {
            let first = least(&mut || drop(forward()));
            let whole = least(&mut || drop((forward() * pull.clone()).sum().backward()));
            println!("{name}{batch}-backward {:.1}", whole - first - cost);
        }
    }
}

/// conv32 - down 32 - conv64 - conv64 - dense 20 - dense 10, a convolution being followed by ReLU and batch norm.
struct Network {
    layers: [Arc<Convolution>; 4],
    images: Vec<f32>,
    classes: Vec<usize>,
}

impl Network {
    fn new(rows: usize) -> Self {
        let layer = |from: usize, to: usize, stride: usize, side: usize| {
            let window = Window { kernel: 3, stride, padding: 1 };
            Arc::new(Convolution::new(Shape::new(from, side, side), to, window).expect("the window fits"))
        };
        let layers = [layer(1, 32, 1, 28), layer(32, 32, 2, 28), layer(32, 64, 1, 14), layer(64, 64, 1, 14)];
        let mut stream = Stream::new(1, "classes", 0, 0);
        let classes = (0..rows).map(|_| stream.below(10)).collect();
        Self { layers, images: numbers(rows * 784, "images"), classes }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let mut parameters = Parameters::new();
        let mut draw = |inputs: usize| ((2.0 * stream.uniform() - 1.0) / (inputs as f64).sqrt()) as f32;
        for (number, layer) in self.layers.iter().enumerate() {
            let inputs = layer.window_numbers();
            match number {
                1 => layer.add_parameters(&mut parameters, "down", || draw(inputs)),
                _ => layer.add_normalised(&mut parameters, &number.to_string(), || draw(inputs)),
            };
        }
        parameters.add_dense("hidden", 12_544, 20, || draw(12_544));
        parameters.add_dense("last", 20, 10, || draw(20));
        parameters
    }

    fn forward<E: Engine>(&self, engine: &mut E, images: Vec<f32>) -> E::Value {
        let rows = images.len() / 784;
        let [first, down, second, third] = &self.layers;
        let now = engine.input(images, rows);
        let now = engine.normalised_convolution(now, first, 0);
        let now = engine.convolution(now, down, 6, Activation::Identity);
        let now = engine.normalised_convolution(now, second, 8);
        let now = engine.normalised_convolution(now, third, 14);
        let now = engine.dense(now, 20, Activation::Relu);
        engine.dense(now, 22, Activation::Identity)
    }
}

impl Learner for Network {
    fn rows(&self) -> usize {
        self.classes.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let mut images = Vec::with_capacity(rows.len() * 784);
        rows.iter().for_each(|row| images.extend_from_slice(&self.images[row * 784..][..784]));
        let classes: Vec<usize> = rows.iter().map(|row| self.classes[*row]).collect();
        cross_entropy(self.forward(&mut Taped::new(parameters, moment), images), &classes, None, 0.0)
    }

    fn validate(&self, _: &Parameters) -> Option<f64> {
        None
    }
}

/// One step, through the training loop.
fn step(batch: usize, run: &Run) {
    const STEPS: usize = 8;
    let network = Network::new(batch * STEPS);
    let settings = TrainSettings { epochs: 1, batch, ..TrainSettings::default() };
    let name = format!("step{batch}");
    if !wanted(&name) {
        return;
    }
    let time = || {
        let parameters = network.parameters();
        let start = seconds();
        train(&network, parameters, &settings, run).expect("the task can be learned");
        (seconds() - start) * 1e6 / STEPS as f64
    };
    println!("{name} {:.1}", (0..5).map(|_| time()).fold(f64::INFINITY, f64::min));
}

/// The expected activation with a quarter square missing, 4 factors, beside the plain convolution with ReLU.
fn expected(batch: usize, channels: usize, side: usize) {
    let shape = Shape::new(channels, side, side);
    let layer = Convolution::new(shape, 32, Window::same(3)).expect("the window fits");
    let size = MixtureSize { numbers: shape.numbers(), components: 1, factors: 4 };
    let images = numbers(batch * shape.numbers(), "images");
    let mean = numbers(images.len(), "mean");
    let diagonal: Vec<f32> = mean.iter().map(|value| 0.1 + value * value).collect();
    let factors = numbers(4 * images.len(), "factors");
    let (weights, bias) = (numbers(layer.window_numbers() * 32, "weights"), numbers(32, "bias"));
    let hole = side / 4..side / 4 + side / 2;
    let pixel = |pixel: usize| !(hole.contains(&(pixel / side)) && hole.contains(&(pixel % side)));
    let marks: Vec<bool> = (0..batch * side * side).map(|at| pixel(at % (side * side))).collect();
    let observed = Observed::new(marks, 1);
    let mut output = Vec::new();
    time(&format!("plain-{channels}x{side}"), || {
        layer.infer(&images, &weights, Some(&bias), true, &mut output)
    });
    let scores = vec![0.0; batch];
    time(&format!("expected-{channels}x{side}"), || {
        let mixture = Mixture {
            scores: scores.as_slice(),
            mean: mean.as_slice(),
            factors: factors.as_slice(),
            diagonal: diagonal.as_slice(),
        };
        let arrays = (images.as_slice(), weights.as_slice(), bias.as_slice());
        expected_convolution_infer(&layer, arrays, &observed, (mixture, size), &mut output);
    });
}

fn wanted(name: &str) -> bool {
    std::env::var("ONLY").map_or(true, |only| only.split(',').any(|start| name.starts_with(start)))
}

fn time(name: &str, mut work: impl FnMut()) {
    if wanted(name) {
        println!("{name} {:.1}", least(&mut work));
    }
}

/// The least microseconds of a call.
fn least(work: &mut dyn FnMut()) -> f64 {
    work();
    work();
    let (begun, mut best) = (Instant::now(), f64::INFINITY);
    while begun.elapsed().as_secs_f64() < 0.12 {
        let start = seconds();
        work();
        best = best.min(seconds() - start);
    }
    best * 1e6
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Seconds on the wall, or with `CLOCK=cpu` those that all threads of this process spent computing.
fn seconds() -> f64 {
    #[cfg(target_os = "linux")]
    if std::env::var("CLOCK").is_ok_and(|clock| clock == "cpu") {
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
        }
        const PROCESS: i32 = 2;
        let mut time = [0; 2];
        // SAFETY: seconds and nanoseconds are what the call writes. `/proc` tells them in steps of milliseconds.
        unsafe { clock_gettime(PROCESS, &mut time) };
        return time[0] as f64 + time[1] as f64 * 1e-9;
    }
    START.elapsed().as_secs_f64()
}

fn main() {
    let threads = std::env::var("THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let run = Run::new(1, threads).expect("threads are granted");
    run.compute(|| {
        [24, 64].into_iter().for_each(shapes);
        expected(24, 1, 28);
        expected(24, 3, 32);
    });
    [24, 64].into_iter().for_each(|batch| step(batch, &run));
}
