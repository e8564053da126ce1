//! The state space of one variable: filter, smoother and draws, for steps of any length.
//!
//! The state is `x = (level, slope)`; models without a slope keep it at 0. `x' = F x + N(0, Q)`, `y = level + N(0, r)`.

use serde::{Deserialize, Serialize};

use crate::rng::Stream;

/// Added to a variance that is inverted: a slope that is always 0 has none.
const TINY: f64 = 1e-12;
/// Variance of the slope where a series begins, per unit of time.
const SLOPE: f64 = 1e-2;

/// How the level moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It wanders.
    Level,
    /// It wanders and comes back to the mean.
    Reverting,
    /// It has a slope that wanders.
    Trend,
}

/// A model of one variable: `q` is the pace of the wandering, `r` the variance of the error, `theta` how fast it
/// reverts. Values are standardised and times in usual gaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateSpace {
    /// How the level moves.
    pub kind: Kind,
    /// Variance that a unit of time adds; of a reverting level its variance in the long run.
    pub q: f64,
    /// Variance of the error of measurement.
    pub r: f64,
    /// How fast a level reverts.
    pub theta: f64,
}

type Matrix = [[f64; 2]; 2];
type Vector = [f64; 2];

/// Mean and variance of the state.
#[derive(Debug, Clone, Copy)]
struct Belief {
    mean: Vector,
    variance: Matrix,
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

fn transposed(a: &Matrix) -> Matrix {
    [[a[0][0], a[1][0]], [a[0][1], a[1][1]]]
}

fn sum(a: &Matrix, b: &Matrix, factor: f64) -> Matrix {
    let cell = |i: usize, j: usize| a[i][j] + factor * b[i][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

fn applied(a: &Matrix, x: &Vector) -> Vector {
    [a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]]
}

fn inverted(a: &Matrix) -> Matrix {
    let (p, s) = (a[0][0] + TINY, a[1][1] + TINY);
    let determinant = (p * s - a[0][1] * a[1][0]).max(f64::MIN_POSITIVE);
    [[s / determinant, -a[0][1] / determinant], [-a[1][0] / determinant, p / determinant]]
}

impl StateSpace {
    /// `F` and `Q` of a step of some length.
    fn step(&self, length: f64) -> (Matrix, Matrix) {
        let (d, q) = (length, self.q);
        match self.kind {
            Kind::Level => ([[1.0, 0.0], [0.0, 0.0]], [[q * d, 0.0], [0.0, 0.0]]),
            Kind::Reverting => {
                let kept = (-self.theta * d).exp();
                ([[kept, 0.0], [0.0, 0.0]], [[q * (1.0 - kept * kept), 0.0], [0.0, 0.0]])
            }
            Kind::Trend => {
                let (square, cube) = (d * d / 2.0, d * d * d / 3.0);
                ([[1.0, d], [0.0, 1.0]], [[q * cube, q * square], [q * square, q * d]])
            }
        }
    }

    fn start(&self) -> Belief {
        let variance = match self.kind {
            Kind::Level => [[1.0, 0.0], [0.0, 0.0]],
            Kind::Reverting => [[self.q, 0.0], [0.0, 0.0]],
            Kind::Trend => [[1.0, 0.0], [0.0, SLOPE]],
        };
        Belief { mean: [0.0; 2], variance }
    }

    fn predicted(&self, belief: &Belief, length: f64) -> Belief {
        let (f, q) = self.step(length);
        let variance = sum(&product(&product(&f, &belief.variance), &transposed(&f)), &q, 1.0);
        Belief { mean: applied(&f, &belief.mean), variance }
    }

    /// What is believed once a value is known, and the logarithm of its density before.
    fn updated(&self, belief: &Belief, value: f64) -> (Belief, f64) {
        let p = &belief.variance;
        let (spread, error) = (p[0][0] + self.r, value - belief.mean[0]);
        let gain = [p[0][0] / spread, p[1][0] / spread];
        let mean = [belief.mean[0] + gain[0] * error, belief.mean[1] + gain[1] * error];
        let cell = |i: usize, j: usize| p[i][j] - gain[i] * p[0][j];
        let variance = [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]];
        let density = -0.5 * (error * error / spread + spread.ln() + std::f64::consts::TAU.ln());
        (Belief { mean, variance }, density)
    }

    /// The logarithm of the density of known (time, value) of one series.
    pub fn log_likelihood(&self, known: &[(f64, f64)]) -> f64 {
        let (mut belief, mut total) = (self.start(), 0.0);
        for (place, (time, value)) in known.iter().enumerate() {
            if place > 0 {
                belief = self.predicted(&belief, time - known[place - 1].0);
            }
            let (next, density) = self.updated(&belief, *value);
            (belief, total) = (next, total + density);
        }
        total
    }

    /// Beliefs at each step from what is known up to it.
    fn filtered(&self, times: &[f64], values: &[Option<f64>]) -> Vec<Belief> {
        let mut beliefs: Vec<Belief> = Vec::with_capacity(times.len());
        for (place, value) in values.iter().enumerate() {
            let before = match place {
                0 => self.start(),
                _ => self.predicted(&beliefs[place - 1], times[place] - times[place - 1]),
            };
            beliefs.push(value.map_or(before, |value| self.updated(&before, value).0));
        }
        beliefs
    }

    /// The level at each step given all that is known: its mean, and with a stream one path of it with errors of
    /// measurement.
    pub fn smoothed(
        &self,
        times: &[f64],
        values: &[Option<f64>],
        mut stream: Option<&mut Stream>,
    ) -> Vec<f64> {
        let filtered = self.filtered(times, values);
        let mut levels = vec![0.0; times.len()];
        let mut next: Option<Vector> = None;
        for place in (0..times.len()).rev() {
            let own = filtered[place];
            let (mean, variance) = match next {
                None => (own.mean, own.variance),
                Some(next) => {
                    let length = times[place + 1] - times[place];
                    let (f, _) = self.step(length);
                    let predicted = self.predicted(&own, length);
                    // J = P Fᵀ (F P Fᵀ + Q)⁻¹
                    let j = product(&product(&own.variance, &transposed(&f)), &inverted(&predicted.variance));
                    let error = [next[0] - predicted.mean[0], next[1] - predicted.mean[1]];
                    let change = applied(&j, &error);
                    let mean = [own.mean[0] + change[0], own.mean[1] + change[1]];
                    let spread = product(&product(&j, &predicted.variance), &transposed(&j));
                    (mean, sum(&own.variance, &spread, -1.0))
                }
            };
            let state = match &mut stream {
                None => mean,
                Some(stream) => drawn(&mean, &variance, stream),
            };
            levels[place] = state[0] + stream.as_mut().map_or(0.0, |stream| self.r.sqrt() * stream.normal());
            next = Some(state);
        }
        levels
    }
}

/// A normal draw, by the root of the variance.
fn drawn(mean: &Vector, variance: &Matrix, stream: &mut Stream) -> Vector {
    let first = variance[0][0].max(0.0).sqrt();
    let across = if first > 1e-9 { variance[1][0] / first } else { 0.0 };
    let second = (variance[1][1] - across * across).max(0.0).sqrt();
    let (one, other) = (stream.normal(), stream.normal());
    [mean[0] + first * one, mean[1] + across * one + second * other]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The joint normal distribution of a wandering level, solved as one system.
    fn by_hand(q: f64, r: f64, times: &[f64], values: &[Option<f64>]) -> Vec<f64> {
        let known: Vec<usize> = (0..times.len()).filter(|&step| values[step].is_some()).collect();
        let covariance = |a: usize, b: usize| 1.0 + q * (times[a].min(times[b]) - times[0]);
        let size = known.len();
        let mut system: Vec<Vec<f64>> = (0..size)
            .map(|i| {
                let error = |j: usize| if i == j { r } else { 0.0 };
                let mut row: Vec<f64> =
                    (0..size).map(|j| covariance(known[i], known[j]) + error(j)).collect();
                row.push(values[known[i]].unwrap());
                row
            })
            .collect();
        for pivot in 0..size {
            let own = system[pivot].clone();
            for row in (0..size).filter(|&row| row != pivot) {
                let factor = system[row][pivot] / own[pivot];
                system[row].iter_mut().zip(&own).for_each(|(cell, own)| *cell -= factor * own);
            }
        }
        let weights: Vec<f64> = (0..size).map(|row| system[row][size] / system[row][row]).collect();
        let level = |step: usize| (0..size).map(|i| covariance(step, known[i]) * weights[i]).sum();
        (0..times.len()).map(level).collect()
    }

    #[test]
    fn smoothing_is_the_conditional_mean_of_the_joint_distribution() {
        let times = [0.0, 0.7, 1.0, 2.5, 6.0];
        let values = [None, Some(1.2), None, Some(-0.4), None];
        let model = StateSpace { kind: Kind::Level, q: 0.3, r: 0.2, theta: 0.0 };
        let expected = by_hand(0.3, 0.2, &times, &values);
        for (found, expected) in model.smoothed(&times, &values, None).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn draws_have_the_mean_of_the_smoother_and_spread_with_the_distance() {
        let (times, values) = ([0.0, 1.0, 2.0, 12.0], [Some(1.0), None, Some(2.0), None]);
        for kind in [Kind::Level, Kind::Reverting, Kind::Trend] {
            let model = StateSpace { kind, q: 0.2, r: 0.05, theta: 0.1 };
            let smooth = model.smoothed(&times, &values, None);
            let (count, mut sums, mut squares) = (4000, [0.0; 4], [0.0; 4]);
            for draw in 0..count {
                let mut stream = Stream::new(1, "kalman", draw, 0);
                for (place, level) in model.smoothed(&times, &values, Some(&mut stream)).iter().enumerate() {
                    sums[place] += level;
                    squares[place] += level * level;
                }
            }
            let mean = sums.map(|sum| sum / count as f64);
            let spread = |place: usize| (squares[place] / count as f64 - mean[place] * mean[place]).sqrt();
            for place in 0..4 {
                let error = spread(place) / (count as f64).sqrt();
                assert!((mean[place] - smooth[place]).abs() < 5.0 * error, "{kind:?} {place}");
            }
            assert!(spread(3) > 1.2 * spread(1) && spread(1) > spread(0), "{kind:?}");
        }
    }

    #[test]
    fn a_reverting_level_comes_back_and_a_trend_goes_on() {
        let (times, values) = ([0.0, 1.0, 2.0, 60.0], [Some(1.0), Some(1.5), Some(2.0), None]);
        let end =
            |kind, theta| StateSpace { kind, q: 0.5, r: 0.001, theta }.smoothed(&times, &values, None)[3];
        assert!(end(Kind::Reverting, 0.2).abs() < 0.01);
        assert!((end(Kind::Level, 0.0) - 2.0).abs() < 0.05);
        assert!(end(Kind::Trend, 0.0) > 10.0);
    }
}
