//! The best answer where the larger values hide: by Gibbs sampling.
//!
//! With V = X + N(0, 1/λ²), a cell is missing where V_j > c_j / λ. So a row says of V: equal to x where known (no noise
//! is added there), above c / λ where missing. With A = Σ + diag(1/λ² where missing), K = A⁻¹ and δ = V - μ, one
//! coordinate given all others is a normal cut off from below,
//!
//! ```text
//! δ_j | rest ~ N(δ_j - h_j / K_jj, 1 / K_jj),  h = K δ,  above c_j / λ - μ_j
//! ```
//!
//! and given V the rest is closed: t | V ~ N(t̂, v) with t̂ = β₀ + β·μ + (Σβ)' K δ, linear in V, and v the same for
//! every V. Averaged over sweeps is E\[f(T)\] given V, not a drawn f(T): its own scatter is gone from the answer.

use super::response::Response;
use crate::linalg::{Square, dot};
use crate::rng::Stream;

/// Sweeps before the first one that counts.
const WARM_UP: usize = 100;
/// Pieces of the sweeps whose means tell the error.
const BATCHES: usize = 10;

/// A row's missing coordinates and what the known ones say.
pub(super) struct Truncated {
    /// K, missing x missing.
    pub precision: Square,
    /// (K δ)_j as far as the known coordinates say it.
    pub known: Vec<f64>,
    /// c_j / λ - μ_j.
    pub bounds: Vec<f64>,
    /// The part of t̂ that does not depend on the missing coordinates.
    pub base: f64,
    /// How t̂ grows with each missing coordinate.
    pub slopes: Vec<f64>,
    /// v.
    pub variance: f64,
}

impl Truncated {
    /// The answer and its standard error, by the means of ten pieces of the chain.
    pub(super) fn answer(&self, response: Response, sweeps: usize, stream: &mut Stream) -> (f64, f64) {
        let mut deviations: Vec<f64> = self.bounds.iter().map(|bound| bound.max(0.0) + 0.5).collect();
        (0..WARM_UP).for_each(|_| self.sweep(&mut deviations, stream));
        let each = sweeps.div_ceil(BATCHES).max(1);
        let mut means = [0.0; BATCHES];
        for mean in &mut means {
            for _ in 0..each {
                self.sweep(&mut deviations, stream);
                let t = self.base + dot(&self.slopes, &deviations);
                *mean += response.expected(t, self.variance) / each as f64;
            }
        }
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let squares: f64 = means.iter().map(|own| (own - mean).powi(2)).sum();
        (mean, (squares / (BATCHES * (BATCHES - 1)) as f64).sqrt())
    }

    fn sweep(&self, deviations: &mut [f64], stream: &mut Stream) {
        for place in 0..deviations.len() {
            let precision = self.precision.at(place, place);
            let h = self.known[place] + dot(self.precision.row(place), deviations);
            let centre = deviations[place] - h / precision;
            let scale = precision.sqrt();
            deviations[place] = centre + above((self.bounds[place] - centre) * scale, stream) / scale;
        }
    }
}

/// A standard normal above a bound: by trying, or, far out, from an exponential corrected by rejection (Robert 1995).
pub(super) fn above(bound: f64, stream: &mut Stream) -> f64 {
    if bound <= 0.0 {
        loop {
            let z = stream.normal();
            if z > bound {
                return z;
            }
        }
    }
    let rate = (bound + (bound * bound + 4.0).sqrt()) / 2.0;
    loop {
        let z = bound - (1.0 - stream.uniform()).ln() / rate;
        if stream.uniform() <= (-(z - rate).powi(2) / 2.0).exp() {
            return z;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::missing::normal_cdf;

    /// E\[Z | Z > a\] = φ(a) / Φ(-a).
    #[test]
    fn normals_above_a_bound_have_the_known_mean() {
        for bound in [-3.0, -0.2, 0.0, 0.4, 2.0, 6.0, 30.0] {
            let mut stream = Stream::new(1, "above", 0, 0);
            let draws: Vec<f64> = (0..40_000).map(|_| above(bound, &mut stream)).collect();
            assert!(draws.iter().all(|draw| *draw > bound));
            let density = (-bound * bound / 2.0_f64).exp() / std::f64::consts::TAU.sqrt();
            let expected = density / normal_cdf(-bound);
            let mean = draws.iter().sum::<f64>() / 4e4;
            assert!((mean - expected).abs() < 0.015, "{bound}: {mean} {expected}");
        }
    }
}
