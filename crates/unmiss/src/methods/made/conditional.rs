//! What is said of one feature given those before it, and how well it fits: the loss, its gradient, the model's own
//! expectation of it, and draws.
//!
//! ```text
//! pixel       Bernoulli(sigmoid(s))                          1 number
//! category    softmax(s_1 .. s_n)                            n numbers
//! number      Σ_k softmax(s)_k N(μ_k, σ_k²)                  3 C numbers: scores s, means μ, σ = 0.02 + exp(r)
//! ```

use std::f64::consts::TAU;

use crate::encode::wide::pick;
use crate::methods::learned::log_moments;
use crate::rng::Stream;

/// The smallest standard deviation, in those of the column: numbers that repeat would otherwise be infinitely likely.
const LEAST_DEVIATION: f64 = 0.02;
/// r is cut here, so that no deviation overflows.
const MOST_LOG_DEVIATION: f64 = 4.0;
/// Points and half-width, in deviations, of the grid over which the expectation of a mixture is summed.
const GRID: (i32, f64) = (12, 4.0);

/// The form of a feature's distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditional {
    /// 0 or 1.
    Bernoulli,
    /// One of so many codes.
    Categorical(usize),
    /// A number: so many normal distributions.
    Normals(usize),
}

impl Conditional {
    /// How many numbers it takes to say it.
    pub fn outputs(self) -> usize {
        match self {
            Self::Bernoulli => 1,
            Self::Categorical(codes) => codes,
            Self::Normals(components) => 3 * components,
        }
    }

    /// ln p(value); with a gradient, the slopes of -ln p times a factor are put there.
    pub fn log_density(self, said: &[f32], value: f32, gradient: Option<(&mut [f32], f64)>) -> f64 {
        match self {
            Self::Bernoulli => {
                let (score, one) = (f64::from(said[0]), f64::from(value));
                if let Some((gradient, factor)) = gradient {
                    gradient[0] = (factor * (sigmoid(score) - one)) as f32;
                }
                one * score - softplus(score)
            }
            Self::Categorical(_) => {
                let chances = softmax(said);
                let code = (value as usize).min(chances.len() - 1);
                if let Some((gradient, factor)) = gradient {
                    for (place, (slope, chance)) in gradient.iter_mut().zip(&chances).enumerate() {
                        *slope = (factor * (chance - f64::from(u8::from(place == code)))) as f32;
                    }
                }
                chances[code].max(f64::MIN_POSITIVE).ln()
            }
            Self::Normals(components) => normals(components, said, f64::from(value), gradient),
        }
    }

    /// Mean and variance of ln p under p itself.
    pub fn moments(self, said: &[f32]) -> (f64, f64) {
        match self {
            Self::Bernoulli => {
                let one = sigmoid(f64::from(said[0]));
                log_moments(&[one, 1.0 - one])
            }
            Self::Categorical(_) => log_moments(&softmax(said)),
            Self::Normals(components) => {
                let (weights, parts) = mixture(components, said);
                let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
                for (weight, (mean, deviation)) in weights.iter().zip(&parts) {
                    for step in -GRID.0..=GRID.0 {
                        let z = f64::from(step) / f64::from(GRID.0) * GRID.1;
                        let share = weight * (-0.5 * z * z).exp();
                        let log = normals(components, said, mean + deviation * z, None);
                        total += share;
                        (first, second) = (first + share * log, second + share * log * log);
                    }
                }
                (first / total, (second / total - (first / total).powi(2)).max(0.0))
            }
        }
    }

    /// The mean of a number, or the chances of all codes.
    pub fn expected(self, said: &[f32]) -> Vec<f64> {
        match self {
            Self::Bernoulli => vec![sigmoid(f64::from(said[0]))],
            Self::Categorical(_) => softmax(said),
            Self::Normals(components) => {
                let (weights, parts) = mixture(components, said);
                vec![weights.iter().zip(parts).map(|(weight, (mean, _))| weight * mean).sum()]
            }
        }
    }

    /// A value drawn.
    pub fn draw(self, said: &[f32], stream: &mut Stream) -> f32 {
        match self {
            Self::Bernoulli => f32::from(u8::from(stream.uniform() < sigmoid(f64::from(said[0])))),
            Self::Categorical(_) => pick(&softmax(said), Some(stream)).unwrap_or(0) as f32,
            Self::Normals(components) => {
                let (weights, parts) = mixture(components, said);
                let (mean, deviation) = parts[pick(&weights, Some(stream)).unwrap_or(0)];
                (mean + deviation * stream.normal()) as f32
            }
        }
    }
}

/// Weights, and mean and deviation of each component.
fn mixture(components: usize, said: &[f32]) -> (Vec<f64>, Vec<(f64, f64)>) {
    let part = |k: usize| {
        let log = f64::from(said[2 * components + k]).min(MOST_LOG_DEVIATION);
        (f64::from(said[components + k]), LEAST_DEVIATION + log.exp())
    };
    (softmax(&said[..components]), (0..components).map(part).collect())
}

/// ln Σ_k w_k N(x; μ_k, σ_k²). With r_k = w_k N_k / Σ and z_k = (x - μ_k) / σ_k, the slopes of its negative are
/// w_k - r_k, -r_k z_k / σ_k and r_k (1 - z_k²) exp(r) / σ_k.
fn normals(components: usize, said: &[f32], x: f64, gradient: Option<(&mut [f32], f64)>) -> f64 {
    let (weights, parts) = mixture(components, said);
    let log = |(weight, (mean, deviation)): (&f64, &(f64, f64))| {
        weight.max(f64::MIN_POSITIVE).ln()
            - 0.5 * TAU.ln()
            - deviation.ln()
            - 0.5 * ((x - mean) / deviation).powi(2)
    };
    let logs: Vec<f64> = weights.iter().zip(&parts).map(log).collect();
    let total = log_sum(&logs);
    if let Some((gradient, factor)) = gradient {
        for (k, (mean, deviation)) in parts.iter().enumerate() {
            let (share, z) = ((logs[k] - total).exp(), (x - mean) / deviation);
            let said = f64::from(said[2 * components + k]);
            let slope =
                if said < MOST_LOG_DEVIATION { (deviation - LEAST_DEVIATION) / deviation } else { 0.0 };
            gradient[k] = (factor * (weights[k] - share)) as f32;
            gradient[components + k] = (-factor * share * z / deviation) as f32;
            gradient[2 * components + k] = (factor * share * (1.0 - z * z) * slope) as f32;
        }
    }
    total
}

/// ln Σ exp.
pub fn log_sum(logs: &[f64]) -> f64 {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    highest + logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln()
}

fn softmax(scores: &[f32]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut chances: Vec<f64> = scores.iter().map(|score| f64::from(score - highest).exp()).collect();
    let total: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= total);
    chances
}

fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// ln (1 + exp s).
fn softplus(score: f64) -> f64 {
    score.max(0.0) + (-score.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [(Conditional, &[f32], f32); 4] = [
        (Conditional::Bernoulli, &[0.7], 1.0),
        (Conditional::Bernoulli, &[-2.0], 1.0),
        (Conditional::Categorical(3), &[0.3, -1.0, 2.0], 1.0),
        (Conditional::Normals(2), &[0.4, -0.3, 1.0, -2.0, -0.5, 0.3], 0.2),
    ];

    #[test]
    fn gradients_are_those_of_the_density() {
        for (form, said, value) in FORMS {
            let mut gradient = vec![0.0; form.outputs()];
            form.log_density(said, value, Some((&mut gradient, 2.0)));
            for place in 0..said.len() {
                let moved = |by: f32| {
                    let mut said = said.to_vec();
                    said[place] += by;
                    -2.0 * form.log_density(&said, value, None)
                };
                let slope = (moved(1e-3) - moved(-1e-3)) / f64::from(2e-3_f32);
                assert!((slope - f64::from(gradient[place])).abs() < 1e-3, "{form:?} {place}: {slope}");
            }
        }
    }

    #[test]
    fn densities_add_up_to_one_and_moments_are_those_of_draws() {
        for (form, said, _) in FORMS {
            let total: f64 = match form {
                Conditional::Bernoulli => {
                    [0.0, 1.0].map(|x| form.log_density(said, x, None).exp()).iter().sum()
                }
                Conditional::Categorical(n) => {
                    (0..n).map(|code| form.log_density(said, code as f32, None).exp()).sum()
                }
                Conditional::Normals(_) => (-2000..2000)
                    .map(|step| form.log_density(said, step as f32 * 0.01, None).exp() * 0.01)
                    .sum(),
            };
            assert!((total - 1.0).abs() < 1e-6, "{form:?}: {total}");
            let mut stream = Stream::new(1, "made draws", 0, 0);
            let draws: Vec<f32> = (0..20_000).map(|_| form.draw(said, &mut stream)).collect();
            let logs: Vec<f64> = draws.iter().map(|value| form.log_density(said, *value, None)).collect();
            let mean = logs.iter().sum::<f64>() / 20_000.0;
            let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 20_000.0;
            let (expected, spread) = form.moments(said);
            assert!((mean - expected).abs() < 0.03 && (variance - spread).abs() < 0.05, "{form:?}");
            if let Conditional::Normals(_) = form {
                let mean = draws.iter().map(|draw| f64::from(*draw)).sum::<f64>() / 20_000.0;
                assert!((mean - form.expected(said)[0]).abs() < 0.05);
            }
        }
    }
}
