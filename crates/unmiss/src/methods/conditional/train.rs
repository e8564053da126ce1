//! Learning from the start on: Adam on random rows, its rate warmed up and brought to 0 along a cosine.

use super::point::{PARTS, Part, Point};
use super::start::Sample;
use crate::rng::Stream;

/// Adam's memories of slope and square.
const MEMORY: (f64, f64) = (0.9, 0.99);
/// Steps until the rate is whole.
const WARM_UP: f64 = 20.0;
/// Slopes together are no longer than this.
const LONGEST: f64 = 5.0;
/// How strongly parameters are pulled to the start, over the number of rows.
const PULL: f64 = 40.0;
/// How strongly coefficients of classes are pulled to 0, over the number of rows.
const PULL_OF_CHANCES: f64 = 0.5;
/// The share of the network's weights that every step takes from them, times the rate.
const DECAY: f64 = 0.03;
/// Rows of a step, at least and at most.
const BATCH: (usize, usize) = (32, 256);

/// What is learned, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Mean and covariance too; otherwise they stay where expectation-maximisation left them.
    pub distribution: bool,
    /// Sites and the effect of marks.
    pub sites: bool,
    /// Steps.
    pub steps: usize,
    /// Adam's rate.
    pub rate: f64,
}

impl Plan {
    fn learns(self, part: Part) -> bool {
        match part {
            Part::Mean | Part::Spread => self.distribution,
            Part::Tilt | Part::Precision | Part::Marks => self.sites,
            Part::Weights | Part::Bias | Part::Head => true,
        }
    }
}

const ALL: [Part; PARTS] = [
    Part::Mean,
    Part::Spread,
    Part::Tilt,
    Part::Precision,
    Part::Weights,
    Part::Bias,
    Part::Marks,
    Part::Head,
];

impl Point {
    /// Learns from rows of a sample; `going` may end it.
    pub fn train(
        mut self,
        sample: Sample<'_>,
        rows: &[usize],
        plan: Plan,
        mut stream: Stream,
        going: &dyn Fn() -> bool,
    ) -> Self {
        // Heavier rows stand several times in the list.
        let count = rows.chunk_by(|a, b| a == b).count();
        let batch = (count / 20).clamp(BATCH.0, BATCH.1).min(rows.len().max(1));
        let mut adam = Adam::new(&self);
        let mut order = rows.to_vec();
        let mut next = order.len();
        for step in 1..=plan.steps {
            if !going() {
                break;
            }
            if next + batch > order.len() {
                stream.shuffle(&mut order);
                next = 0;
            }
            let mut chosen = order[next..next + batch].to_vec();
            next += batch;
            chosen.sort_by_key(|row| sample.patterns[*row]);
            let slopes = self.answer().slopes(sample.data, sample.wanted, &chosen, sample.patterns);
            let mut slopes = self.slopes(slopes);
            self.pull(&mut slopes, count as f64);
            let done = step as f64;
            let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done / (plan.steps + 1) as f64).cos());
            let rate = plan.rate * (done / WARM_UP).min(1.0) * cosine;
            adam.step(&mut self, slopes, rate, plan);
        }
        self
    }

    /// Adds the slopes of what pulls parameters back.
    fn pull(&self, slopes: &mut [Vec<f64>; PARTS], rows: f64) {
        let mut back = |part: Part, from: Option<&[f64]>, strength: f64| {
            let own = self.part(part);
            for (at, slope) in slopes[part as usize].iter_mut().enumerate() {
                *slope += 2.0 * strength / rows * (own[at] - from.map_or(0.0, |from| from[at]));
            }
        };
        back(Part::Mean, Some(&self.first_mean), PULL);
        back(Part::Spread, None, PULL);
        back(Part::Marks, None, PULL);
        if self.is_of_chances() {
            back(Part::Weights, None, PULL_OF_CHANCES);
        }
    }
}

/// Adam (Kingma and Ba 2015).
struct Adam {
    mean: [Vec<f64>; PARTS],
    square: [Vec<f64>; PARTS],
    steps: i32,
}

impl Adam {
    fn new(point: &Point) -> Self {
        let zeros = || std::array::from_fn(|part| vec![0.0; point.parts[part].len()]);
        Self { mean: zeros(), square: zeros(), steps: 0 }
    }

    fn step(&mut self, point: &mut Point, slopes: [Vec<f64>; PARTS], rate: f64, plan: Plan) {
        self.steps += 1;
        let learned = || ALL.into_iter().filter(|part| plan.learns(*part)).map(|part| part as usize);
        let length: f64 = learned().flat_map(|part| &slopes[part]).map(|slope| slope * slope).sum();
        let shorter = (LONGEST / length.sqrt().max(1e-300)).min(1.0);
        if !length.is_finite() {
            return;
        }
        let (first, second) = (1.0 - MEMORY.0.powi(self.steps), 1.0 - MEMORY.1.powi(self.steps));
        for part in learned() {
            let kept = if part == Part::Head as usize { 1.0 - rate * DECAY } else { 1.0 };
            let state = self.mean[part].iter_mut().zip(&mut self.square[part]);
            for ((parameter, slope), (mean, square)) in
                point.parts[part].iter_mut().zip(&slopes[part]).zip(state)
            {
                let slope = slope * shorter;
                *mean += (1.0 - MEMORY.0) * (slope - *mean);
                *square += (1.0 - MEMORY.1) * (slope * slope - *square);
                *parameter = kept * *parameter - rate * (*mean / first) / ((*square / second).sqrt() + 1e-8);
            }
        }
        point.bound();
    }
}
