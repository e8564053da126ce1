//! What an entry of the list tells about itself.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::space::Axis;
use crate::data::Shape;
use crate::error::Result;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Answer for a row: a number or the chances of classes.
    Predict,
    /// Put values where holes are.
    Fill,
    /// Rate pairs of users and items.
    Rate,
    /// Say how plausible each row is.
    Density,
}

impl Job {
    /// What a method that does this job does, as the end of a sentence about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Predict => "predicts",
            Self::Fill => "fills holes",
            Self::Rate => "predicts ratings",
            Self::Density => "says how plausible rows are",
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Predict => "predict",
            Self::Fill => "fill",
            Self::Rate => "rate",
            Self::Density => "density",
        })
    }
}

/// How long a fit takes beside others of the same data. Where methods compete, the cheap go first, so that there is
/// something to fall back on within seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// A pass or two over the data.
    Low,
    /// Many passes, or a solve of the size of the columns.
    Medium,
    /// Trees or distances: grows with rows times columns times rounds.
    High,
    /// Training of a network, or several methods in one.
    VeryHigh,
}

/// What a user wants to know before choosing a method.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct About {
    /// One line.
    pub title: &'static str,
    /// What it does, in a few sentences.
    pub idea: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// When to use it.
    pub when: &'static str,
    /// When not to.
    pub when_not: &'static str,
}

/// One setting: its name as in `--set name=value` and what it does. Defaults come from [`Card::defaults`].
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// What it does and which values it takes.
    pub help: &'static str,
}

/// What a method tells about itself.
pub struct Card {
    /// The name in `--method NAME`.
    pub name: &'static str,
    /// For which shapes of data and which jobs it is.
    pub does: &'static [(Shape, Job)],
    /// For which of these it is tried when the user names no method.
    pub short_lists: &'static [(Shape, Job)],
    /// What a fit costs.
    pub cost: Cost,
    /// What a user wants to know.
    pub about: About,
    /// The settings, in the order of importance.
    pub settings: &'static [Setting],
    /// The settings that a random search may change, and between which values.
    pub space: &'static [Axis],
    /// All settings with their default values, as a JSON object: [`defaults_of`](super::defaults_of) the method's
    /// own type.
    pub defaults: fn() -> Value,
    /// Checks settings: an error when one has a value it can't have.
    pub check: fn(&Value) -> Result<()>,
}
