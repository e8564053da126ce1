//! The mechanisms by name.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, nearest};

/// How holes come about; each with the share of known cells to hide, strictly between 0 and 1.
///
/// Numbers are standardised over a column's observed cells. Categories have no order, so each level gets a
/// score drawn from N(0, 1) once per call, and the scores are standardised like numbers. A column of one
/// value can't hide by its value: it is hidden completely at random.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Mechanism {
    /// `mcar:RATE` Missing completely at random: every cell with the same probability.
    Mcar(f64),
    /// `mar:RATE` Missing at random: a tenth of the columns (at least one) is never hidden and drives, through
    /// a logistic function, what is hidden in the others. The rate is that of the others.
    Mar(f64),
    /// `self-logistic:RATE` Not at random: the larger (or the smaller, by a coin for each column) a value,
    /// the likelier it is hidden. The rate holds in each column, whatever its distribution.
    SelfLogistic(f64),
    /// `self-gaussian:RATE` Not at random: values near mean + 2 standard deviations are hidden most. The rate
    /// holds in each column whose values are normally distributed.
    SelfGaussian(f64),
    /// `self-probit:RATE` Not at random: the larger a value, the likelier it is hidden. The rate holds in each
    /// column whose values are normally distributed.
    SelfProbit(f64),
}

/// The names in [`Mechanism`]'s text form, each followed by `:RATE`.
const NAMES: [&str; 5] = ["mcar", "mar", "self-logistic", "self-gaussian", "self-probit"];

impl Mechanism {
    /// The share of known cells to hide.
    pub fn rate(&self) -> f64 {
        match *self {
            Self::Mcar(rate)
            | Self::Mar(rate)
            | Self::SelfLogistic(rate)
            | Self::SelfGaussian(rate)
            | Self::SelfProbit(rate) => rate,
        }
    }

    /// The name without the rate.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mcar(_) => NAMES[0],
            Self::Mar(_) => NAMES[1],
            Self::SelfLogistic(_) => NAMES[2],
            Self::SelfGaussian(_) => NAMES[3],
            Self::SelfProbit(_) => NAMES[4],
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.name(), self.rate())
    }
}

impl FromStr for Mechanism {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rate) = text.split_once(':').unwrap_or((text, ""));
        let make = match name.trim() {
            "mcar" => Self::Mcar,
            "mar" => Self::Mar,
            "self-logistic" => Self::SelfLogistic,
            "self-gaussian" => Self::SelfGaussian,
            "self-probit" => Self::SelfProbit,
            other => {
                let error = Error::setting("how", format!("there is no mechanism `{other}`"));
                return Err(error.with_hint(match nearest(other, NAMES) {
                    Some(near) => format!("did you mean `{near}:0.3`?"),
                    None => format!("the mechanisms are: {}; write for example mcar:0.3", NAMES.join(", ")),
                }));
            }
        };
        let rate = rate.trim().parse().map_err(|_| {
            let what = format!("`{text}` needs a rate after the colon");
            Error::setting("how", what).with_hint(format!("write for example {}:0.3", name.trim()))
        })?;
        let mechanism = make(rate);
        check_rate(&mechanism)?;
        Ok(mechanism)
    }
}

pub(super) fn check_rate(mechanism: &Mechanism) -> Result<()> {
    let rate = mechanism.rate();
    if rate > 0.0 && rate < 1.0 {
        return Ok(());
    }
    let error = Error::setting("how", format!("the rate {rate} is not between 0 and 1"));
    Err(error.with_hint(format!("write the share to hide, for example {}:0.3", mechanism.name())))
}

/// The probability that a known cell of a column is hidden.
#[derive(Debug)]
pub(super) enum Probability {
    /// Never: the column drives the others.
    Spared,
    /// The same in every row.
    Same(f64),
    /// One for each row; not read where the cell is already missing.
    PerRow(Vec<f64>),
}
