//! The shapes of the response: y = f(t) + noise, t = β₀ + β·X.
//!
//! What is known of a row leaves t open: T ~ N(t, v). The best answer is then E\[f(T)\], which is not f(t) unless f is
//! a line:
//!
//! ```text
//! linear   f = t                               E = t
//! bowl     f = (t - 1)²                        E = (t - 1)² + v
//! wave     f = t - 1 + Σ aᵢ Φ(κ √(π/8) (t + bᵢ))   E = t - 1 + Σ aᵢ Φ((t + bᵢ) / √(8 / (π κ²) + v))
//! break    f = t + 3 [t > 1]                   E = t + 3 Φ((t - 1) / √v)
//! ```

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, nearest};
use crate::missing::normal_cdf;

/// κ: how steep the steps of the wave are.
const STEEPNESS: f64 = 20.0;
/// aᵢ and bᵢ: height and place of each step of the wave.
const STEPS: [(f64, f64); 3] = [(2.0, -0.8), (-4.0, -1.0), (2.0, -1.2)];
/// The height of the break.
const JUMP: f64 = 3.0;

/// The shape of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// A plane.
    Linear,
    /// A square: small in the middle, large on both sides.
    Bowl,
    /// A line with a steep bump and a steep dent.
    Wave,
    /// A line with a jump.
    Break,
}

impl Response {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Bowl, Self::Wave, Self::Break];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Bowl => "bowl",
            Self::Wave => "wave",
            Self::Break => "break",
        }
    }

    /// f(t).
    pub fn value(self, t: f64) -> f64 {
        self.expected(t, 0.0)
    }

    /// E\[f(T)\] for T ~ N(t, v).
    pub fn expected(self, t: f64, v: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::Bowl => (t - 1.0).powi(2) + v,
            Self::Wave => {
                let width = (8.0 / (std::f64::consts::PI * STEEPNESS * STEEPNESS) + v).sqrt();
                t - 1.0 + STEPS.iter().map(|(a, b)| a * normal_cdf((t + b) / width)).sum::<f64>()
            }
            Self::Break if v > 0.0 => t + JUMP * normal_cdf((t - 1.0) / v.sqrt()),
            Self::Break => t + if t > 1.0 { JUMP } else { 0.0 },
        }
    }

    /// Var\[f(T)\] for T ~ N(t, v), by the trapezium rule on a grid of 18,001 points.
    pub(super) fn variance(self, t: f64, v: f64) -> f64 {
        let mean = self.expected(t, v);
        let density = |z: f64| (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let grid = (-9000..=9000).map(|step| f64::from(step) / 1000.0);
        grid.map(|z| (self.value(t + v.sqrt() * z) - mean).powi(2) * density(z) / 1000.0).sum()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Response {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|response| response.name() == text.trim()).ok_or_else(|| {
            let error = Error::setting("response", format!("there is no response `{text}`"));
            error.with_hint(match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the responses are: {}", names.join(", ")),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// The closed forms of E\[f(T)\] and Var\[f(T)\] against plain sampling.
    #[test]
    fn expectations_agree_with_sampling() {
        let count = 200_000;
        for response in Response::ALL {
            for (t, v) in [(0.7, 0.3), (1.4, 1.0), (1.02, 0.003)] {
                let mut stream = Stream::new(3, "response", 0, 0);
                let draws: Vec<f64> =
                    (0..count).map(|_| response.value(t + f64::sqrt(v) * stream.normal())).collect();
                let mean = draws.iter().sum::<f64>() / f64::from(count);
                let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / f64::from(count);
                let error = (variance / f64::from(count)).sqrt();
                assert!((mean - response.expected(t, v)).abs() < 4.0 * error, "{response} {t} {v}");
                let spread = response.variance(t, v);
                assert!((variance / spread - 1.0).abs() < 0.03, "{response}: {variance} {spread}");
            }
        }
    }

    #[test]
    fn without_doubt_the_expectation_is_the_value() {
        for response in Response::ALL {
            for t in [-1.0, 0.9, 1.1, 3.0] {
                assert!((response.expected(t, 1e-14) - response.value(t)).abs() < 1e-9, "{response} {t}");
            }
        }
        assert_eq!((Response::Break.value(1.0), Response::Break.value(1.5)), (1.0, 4.5));
        assert_eq!("wvae".parse::<Response>().unwrap_err().hint_text(), "did you mean `wave`?");
    }
}
