//! How a method stands in a comparison.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::significance::{Disagreement, PairedTest};

/// How one method did on the parts that all methods have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The contestant's label.
    pub contestant: String,
    /// Mean loss.
    pub loss: f64,
    /// Half the 95 % interval of the mean loss (corrected resampled t); none with a single part.
    pub half: Option<f64>,
    /// Mean rank over the parts: 1 is best, equals share their ranks.
    pub rank: f64,
    /// Means of the further figures, over the parts that have them.
    pub figures: BTreeMap<String, Option<f64>>,
    /// Mean error of each column, for imputers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, f64>,
    /// Mean seconds of a fit.
    pub seconds: f64,
    /// The most memory the program held in any of the fits, in bytes.
    pub memory: Option<u64>,
    /// Parts counted.
    pub parts: usize,
    /// What the search chose most often, if there was one.
    pub chosen: Option<Chosen>,
    /// The difference to the best; none for the best itself.
    pub against_best: Option<Against>,
}

/// Settings that a search chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// Those that differ from what the method was given; empty: the given ones were best.
    pub settings: BTreeMap<String, Value>,
    /// In so many of the parts.
    pub times: usize,
}

/// A method against the best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// By how much the loss is higher.
    pub test: PairedTest,
    /// For classes, held-out rows of the first repeat on which the two disagree; the best is the first of the two.
    pub rows: Option<Disagreement>,
}
