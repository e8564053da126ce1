//! What a world is made by.

use std::fmt;
use std::str::FromStr;

use super::response::Response;
use crate::error::{Error, Result, nearest};

/// Columns, at most: their covariance is held whole.
const MOST_COLUMNS: usize = 2000;

/// How holes come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masking {
    /// Completely at random: every cell with the same probability.
    Mcar,
    /// At random: a tenth of the columns (at least one) is never missing and drives, through a logistic function, what
    /// is missing in the others. The rate is that of the others.
    Mar,
    /// Not at random: values near mean + 2 standard deviations are missing most.
    SelfGaussian,
    /// Not at random: the larger a value, the likelier it is missing.
    SelfProbit,
    /// Not at random: all columns drive, through logistic functions, what is missing in each.
    Mnar,
    /// Not at random: as `mar`, and then the driving columns are made missing completely at random.
    MnarUniform,
}

/// How the best possible answer is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By a formula.
    Exact,
    /// By sampling, with an error that is told.
    Sampled,
}

impl Masking {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Mcar, Self::Mar, Self::SelfGaussian, Self::SelfProbit, Self::Mnar, Self::MnarUniform];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcar => "mcar",
            Self::Mar => "mar",
            Self::SelfGaussian => "self-gaussian",
            Self::SelfProbit => "self-probit",
            Self::Mnar => "mnar",
            Self::MnarUniform => "mnar-uniform",
        }
    }

    /// How the best possible answer is found.
    pub fn way(self) -> Way {
        match self {
            Self::Mcar | Self::Mar | Self::SelfGaussian => Way::Exact,
            Self::SelfProbit | Self::Mnar | Self::MnarUniform => Way::Sampled,
        }
    }
}

impl fmt::Display for Masking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Masking {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|masking| masking.name() == text.trim()).ok_or_else(|| {
            let error = Error::setting("mechanism", format!("there is no mechanism `{text}`"));
            error.with_hint(match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the mechanisms are: {}", names.join(", ")),
            })
        })
    }
}

/// What a world is made by.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// d: how many columns there are beside the response.
    pub columns: usize,
    /// q: hidden causes, as a share of the columns. The fewer, the more columns say about each other.
    pub latent: f64,
    /// The shape of the response.
    pub response: Response,
    /// How holes come about.
    pub masking: Masking,
    /// The share of cells that is missing, in every column that can be.
    pub rate: f64,
    /// The variance of the response without noise, in units of the noise's.
    pub snr: f64,
    /// β: one weight for each column; none is 1 for each.
    pub weights: Vec<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            columns: 10,
            latent: 0.5,
            response: Response::Linear,
            masking: Masking::Mcar,
            rate: 0.5,
            snr: 10.0,
            weights: Vec::new(),
        }
    }
}

impl Settings {
    /// Refuses what no world can be made by.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |name: &str, what: String| Err(Error::setting(name, what));
        if self.columns == 0 || self.columns > MOST_COLUMNS {
            return refuse("columns", format!("{} is not from 1 to {MOST_COLUMNS}", self.columns));
        }
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return refuse("rate", format!("{} is not between 0 and 1", self.rate));
        }
        if !(self.latent > 0.0 && self.latent <= 1.0) {
            return refuse("latent", format!("{} is not above 0 and at most 1", self.latent));
        }
        if !(self.snr > 0.0 && self.snr.is_finite()) {
            return refuse("snr", format!("{} is not a number above 0", self.snr));
        }
        let drives = matches!(self.masking, Masking::Mar | Masking::MnarUniform);
        if drives && self.columns < 2 {
            let what = format!("`{}` needs at least two columns: one drives the others", self.masking);
            return refuse("mechanism", what);
        }
        if !self.weights.is_empty() && self.weights.len() != self.columns {
            let what = format!("{} weights for {} columns", self.weights.len(), self.columns);
            return Err(Error::setting("weights", what).with_hint("give one for each column, or none"));
        }
        let usable = self.weights.iter().all(|weight| weight.is_finite());
        if !usable || (!self.weights.is_empty() && self.weights.iter().all(|weight| *weight == 0.0)) {
            return refuse("weights", "one of them must be different from 0, and all must be finite".into());
        }
        Ok(())
    }
}
