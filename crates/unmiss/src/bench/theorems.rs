//! The theorems on the expected output of a network whose weights, biases, inputs and holes are drawn at
//! random, checked by simulation with a tolerance of three standard errors.
//!
//! With layer widths n, means μw (weights), μb (biases), μx (inputs), μm (share known), activation σ and
//! `f_i(t) = σ(n_(i-1) μw t + μb)`:
//!
//! ```text
//! 1  no activation, no bias:   E h = Π n_(i-1) μw · μx μm                 linear in what is known
//! 2  straight activation:      E h = f_L(...f_1(μx μm))                   grows with what is known
//! 3  convex, non-decreasing:   E h ≥ f_L(...f_1(μx μm))
//! 4  as 2, SN by K1 / μm:      E h = f_L(...f_1(μx K1))                   the same whatever is known
//! 5  as 2, SN by K / ‖m‖₁:     E h = f_L(...f_1(μx K / n0 · (1 - (1 - μm)^n0)))   as 4 but for empty rows
//! ```
//!
//! The fifth is not in the paper: it says that counting in each row, as SN is done in practice, keeps the
//! promise of the fourth.

use rayon::prelude::*;

use crate::error::Result;
use crate::nn::sparsity::input_factor;
use crate::rng::Stream;
use crate::run::Run;

use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section, Verdict};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "theorems",
    title: "Expected outputs of random networks: theory beside simulation",
    paper: "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias in \
            Training Neural Networks, Theorems 1 to 4",
    files: &[],
    parts: || vec![THEOREMS.iter().map(|theorem| theorem.name.to_owned()).collect()],
    run: |request, run| measure(request, 20_000, run),
};

const WIDTHS: [usize; 4] = [20, 30, 10, 1];
const WEIGHT: f64 = 0.05;
const BIAS: f64 = 0.1;
const INPUT: f64 = 0.5;
/// K1 of theorem 4; K = n0 K1 of the fifth.
const K1: f64 = 0.5;
const KNOWN: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// Standard errors between theory and simulation that are let pass.
const TOLERANCE: f64 = 3.0;

struct Theorem {
    name: &'static str,
    title: &'static str,
    activation: fn(f64) -> f64,
    bias: f64,
    /// Standard deviation of weights and biases. Theorem 3 needs signs of both kinds, or no unit ever rests.
    spread: f64,
    /// What a known input is multiplied by, from the share known and the number known in this row.
    factor: fn(f64, usize) -> f64,
    /// The expected input of the first layer.
    input: fn(f64) -> f64,
    bound: bool,
}

const THEOREMS: [Theorem; 5] = [
    Theorem {
        name: "theorem-1",
        title: "Theorem 1: no activation, no bias",
        activation: |sum| sum,
        bias: 0.0,
        spread: 0.02,
        factor: |_, _| 1.0,
        input: |known| INPUT * known,
        bound: false,
    },
    Theorem {
        name: "theorem-2",
        title: "Theorem 2: activation 0.5 t + 0.2, with bias",
        activation: straight,
        bias: BIAS,
        spread: 0.02,
        factor: |_, _| 1.0,
        input: |known| INPUT * known,
        bound: false,
    },
    Theorem {
        name: "theorem-3",
        title: "Theorem 3: ReLU; theory is a lower bound",
        activation: |sum| sum.max(0.0),
        bias: BIAS,
        spread: 0.5,
        factor: |_, _| 1.0,
        input: |known| INPUT * known,
        bound: true,
    },
    Theorem {
        name: "theorem-4",
        title: "Theorem 4: as 2, inputs times K1 / (share known)",
        activation: straight,
        bias: BIAS,
        spread: 0.02,
        factor: |known, _| K1 / known,
        input: |_| INPUT * K1,
        bound: false,
    },
    Theorem {
        name: "counted",
        title: "As 4, inputs times K / (number known in the row)",
        activation: straight,
        bias: BIAS,
        spread: 0.02,
        factor: |_, count| f64::from(input_factor((WIDTHS[0] as f64 * K1) as f32, count)),
        input: |known| INPUT * K1 * (1.0 - (1.0 - known).powi(WIDTHS[0] as i32)),
        bound: false,
    },
];

fn straight(sum: f64) -> f64 {
    0.5 * sum + 0.2
}

impl Theorem {
    fn theory(&self, known: f64) -> f64 {
        let layer = |mean: f64, inputs: &usize| (self.activation)(*inputs as f64 * WEIGHT * mean + self.bias);
        WIDTHS[..WIDTHS.len() - 1].iter().fold((self.input)(known), layer)
    }

    /// The output of one drawn network for one drawn row.
    fn output(&self, draw: &Draw, known: f64) -> f64 {
        let factor = (self.factor)(known, draw.observed.iter().filter(|observed| **observed).count());
        let inputs = draw.inputs.iter().zip(&draw.observed);
        let mut hidden: Vec<f64> = inputs.map(|(x, m)| if *m { factor * x } else { 0.0 }).collect();
        for layer in &draw.layers {
            let unit = |(bias, weights): &(f64, Vec<f64>)| {
                let bias = if self.bias == 0.0 { 0.0 } else { self.bias + self.spread * bias };
                let weighed =
                    weights.iter().zip(&hidden).map(|(weight, h)| (WEIGHT + self.spread * weight) * h);
                (self.activation)(weighed.sum::<f64>() + bias)
            };
            hidden = layer.iter().map(unit).collect();
        }
        hidden[0]
    }
}

/// A row and a network in standard units: uniform with mean 0 and variance 1 (inputs: 0 to 1).
struct Draw {
    inputs: Vec<f64>,
    observed: Vec<bool>,
    /// Of each layer the units, each with its bias and its weights.
    layers: Vec<Vec<(f64, Vec<f64>)>>,
}

impl Draw {
    fn new(known: f64, stream: &mut Stream) -> Self {
        let inputs = (0..WIDTHS[0]).map(|_| stream.uniform()).collect();
        let observed = (0..WIDTHS[0]).map(|_| stream.uniform() < known).collect();
        let mut standard = || (2.0 * stream.uniform() - 1.0) * 3.0_f64.sqrt();
        let mut layer = |pair: &[usize]| {
            let mut unit = || (standard(), (0..pair[0]).map(|_| standard()).collect());
            (0..pair[1]).map(|_| unit()).collect()
        };
        Self { inputs, observed, layers: WIDTHS.windows(2).map(&mut layer).collect() }
    }
}

/// Number, sum and sum of squares of simulated outputs.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }

    fn standard_error(self) -> f64 {
        ((self.squares / self.count - self.mean().powi(2)).max(0.0) / self.count).sqrt()
    }
}

fn measure(request: &Request, draws: usize, run: &Run) -> Result<Report> {
    let chosen = request.chosen(&[0, 1, 2, 3, 4], |place| THEOREMS[*place].name.to_owned());
    // One stream for each share known and each seed: pieces of fixed size, joined in order.
    let mut sums = vec![[Sums::default(); THEOREMS.len()]; KNOWN.len()];
    let mut complete = true;
    for repetition in 0..request.seeds {
        if run.stopped() {
            complete = false;
            break;
        }
        run.progress(repetition as u64, request.seeds as u64, format!("{draws} networks for each share"));
        let seed = run.seed() + repetition as u64;
        let simulate = |place: usize| simulate(place, &chosen, draws, seed);
        let found: Vec<_> = run.compute(|| (0..KNOWN.len()).into_par_iter().map(simulate).collect());
        for (sums, found) in sums.iter_mut().zip(found) {
            *sums = std::array::from_fn(|theorem| sums[theorem].add(found[theorem]));
        }
    }
    run.finished();
    let (sections, claims) = chosen.iter().map(|theorem| account(*theorem, &sums)).unzip();
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!("Layers {WIDTHS:?}; means: weights {WEIGHT}, biases {BIAS}, inputs {INPUT}; K1 {K1}."),
            format!(
                "{draws} drawn networks, rows and holes for each share known and each of {} seeds. ok: within \
                 {TOLERANCE} standard errors (by chance about 1 in 370 is not).",
                request.seeds
            ),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        // Everything is drawn anew.
        test_share: 0.0,
        complete,
    })
}

fn simulate(place: usize, chosen: &[usize], draws: usize, seed: u64) -> [Sums; THEOREMS.len()] {
    let known = KNOWN[place];
    let mut stream = Stream::new(seed, "bench theorems", place as u64, 0);
    let mut sums = [Sums::default(); THEOREMS.len()];
    for _ in 0..draws {
        let draw = Draw::new(known, &mut stream);
        for theorem in chosen {
            let output = THEOREMS[*theorem].output(&draw, known);
            sums[*theorem] = sums[*theorem].add(Sums { count: 1.0, sum: output, squares: output * output });
        }
    }
    sums
}

fn account(place: usize, sums: &[[Sums; THEOREMS.len()]]) -> (Section, Claim) {
    let theorem = &THEOREMS[place];
    let mut outside = 0;
    let mut row = |(known, sums): (&f64, &[Sums; THEOREMS.len()])| {
        let (sums, theory) = (sums[place], theorem.theory(*known));
        let (mean, error) = (sums.mean(), sums.standard_error());
        let away = (mean - theory) / error;
        let ok = if theorem.bound { away >= -TOLERANCE } else { away.abs() <= TOLERANCE };
        outside += usize::from(!ok);
        let cells = vec![
            Cell::Figure(Figure::given(theory, None)),
            Cell::Figure(Figure::given(mean, Some(TOLERANCE * error))),
            Cell::Words(format!("{away:+.1}")),
            Cell::Words(if ok { "ok" } else { "NOT OK" }.into()),
        ];
        Row { name: format!("share known {known}"), cells }
    };
    let rows = KNOWN.iter().zip(sums).map(&mut row).collect();
    let columns = ["theory", "simulated (±3 s.e.)", "s.e. away", "ok"].map(str::to_owned).to_vec();
    let section = Section { title: theorem.title.to_owned(), columns, digits: 5, rows };
    // One in nine shares may be off by chance now and then; two are not chance.
    let verdict = match outside {
        0 => Verdict::Holds,
        1 => Verdict::NotShown,
        _ => Verdict::DoesNotHold,
    };
    let words =
        format!("{}: {} of {} shares within tolerance", theorem.name, KNOWN.len() - outside, KNOWN.len());
    (section, Claim { words, verdict, difference: None })
}

#[cfg(test)]
mod tests;
