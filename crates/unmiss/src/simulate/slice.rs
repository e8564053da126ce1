//! The best answer where logistic functions of cells that may be missing themselves make the holes: by elliptical slice
//! sampling (Murray, Adams and MacKay 2010).
//!
//! Given the known cells the missing ones are N(c, C); the holes of a row have the likelihood
//!
//! ```text
//! Π sigmoid(±l_j),   l = W x + b,   + where column j is missing, - where it is known
//! ```
//!
//! A step draws a direction ν ~ N(0, C) and goes along the ellipse f cos θ + ν sin θ through the present deviation f to
//! the first angle, of ever smaller ones, whose likelihood is above a level drawn below the present one. It has nothing
//! to tune and leaves the distribution of the missing cells as it is. Logits are linear: they move with it.

use super::response::Response;
use crate::linalg::{Square, dot};
use crate::rng::Stream;

/// Steps of a sweep.
const STEPS: usize = 4;
/// Sweeps before the first one that counts.
const WARM_UP: usize = 100;
/// Pieces of the sweeps whose means tell the error.
const BATCHES: usize = 10;

/// A row's missing cells and what the known ones and the holes say.
pub(super) struct Slice {
    /// The lower triangle of C.
    pub lower: Square,
    /// The logits at c, each with the sign of its hole.
    pub logits: Vec<f64>,
    /// `[logits, missing]`: how each signed logit grows with each missing cell.
    pub slopes: Vec<f64>,
    /// t at c.
    pub base: f64,
    /// How t grows with each missing cell.
    pub weights: Vec<f64>,
}

/// A place: the deviation from c and what it adds to the logits.
struct Place {
    deviation: Vec<f64>,
    logits: Vec<f64>,
}

impl Slice {
    /// The answer and its standard error, by the means of ten pieces of the chain.
    pub(super) fn answer(&self, response: Response, sweeps: usize, stream: &mut Stream) -> (f64, f64) {
        if self.weights.is_empty() {
            return (response.value(self.base), 0.0);
        }
        let mut place = self.place(vec![0.0; self.weights.len()]);
        (0..WARM_UP * STEPS).for_each(|_| self.step(&mut place, stream));
        let each = sweeps.div_ceil(BATCHES).max(1) * STEPS;
        let mut means = [0.0; BATCHES];
        for mean in &mut means {
            for _ in 0..each {
                self.step(&mut place, stream);
                *mean += response.value(self.base + dot(&self.weights, &place.deviation)) / each as f64;
            }
        }
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let squares: f64 = means.iter().map(|own| (own - mean).powi(2)).sum();
        (mean, (squares / (BATCHES * (BATCHES - 1)) as f64).sqrt())
    }

    fn place(&self, deviation: Vec<f64>) -> Place {
        let logits = self.slopes.chunks_exact(deviation.len()).map(|row| dot(row, &deviation)).collect();
        Place { deviation, logits }
    }

    /// log of the likelihood of the holes, on the ellipse between two places.
    fn likelihood(&self, from: &Place, to: &Place, (cos, sin): (f64, f64)) -> f64 {
        let moved = from.logits.iter().zip(&to.logits).map(|(from, to)| from * cos + to * sin);
        // log sigmoid(l) = -log(1 + exp(-l)), without overflow.
        let each = moved.zip(&self.logits).map(|(moved, base)| {
            let logit = base + moved;
            logit.min(0.0) - (-logit.abs()).exp().ln_1p()
        });
        each.sum()
    }

    fn step(&self, place: &mut Place, stream: &mut Stream) {
        let noise: Vec<f64> = place.deviation.iter().map(|_| stream.normal()).collect();
        let to = self.place(self.lower.times(&noise));
        let level = self.likelihood(place, &to, (1.0, 0.0)) + (1.0 - stream.uniform()).ln();
        let mut angle = std::f64::consts::TAU * stream.uniform();
        let (mut low, mut high) = (angle - std::f64::consts::TAU, angle);
        loop {
            let (sin, cos) = angle.sin_cos();
            // At angle 0 nothing moves: a bracket that has shrunk to it ends there.
            if self.likelihood(place, &to, (cos, sin)) >= level || high - low < 1e-12 {
                let along = |from: &mut [f64], to: &[f64]| {
                    from.iter_mut().zip(to).for_each(|(from, to)| *from = *from * cos + to * sin);
                };
                along(&mut place.deviation, &to.deviation);
                along(&mut place.logits, &to.logits);
                return;
            }
            if angle < 0.0 {
                low = angle;
            } else {
                high = angle;
            }
            angle = low + (high - low) * stream.uniform();
        }
    }
}
