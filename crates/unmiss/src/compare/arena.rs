//! Where methods are compared.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::{Comparison, Contestant, Part};
use crate::error::Result;
use crate::metrics::ColumnError;
use crate::rng::mix;
use crate::run::Run;

/// Where methods are compared: data with something held out.
pub(super) trait Arena {
    /// Says what it is in the comparison.
    fn describe(&self, comparison: &mut Comparison);
    /// The classes of each part's held-out rows; none where nothing is classified.
    fn parts(&self, _repeats: usize) -> Vec<Part> {
        Vec::new()
    }
    /// Fits a contestant without a part and scores it on that part.
    fn fit(&self, contestant: &Contestant, repeat: usize, fold: usize, run: &Run) -> Result<Outcome>;
}

/// What a fit gave, before its cost is added.
pub(super) struct Outcome {
    pub settings: Value,
    pub loss: f64,
    pub figures: BTreeMap<String, Option<f64>>,
    pub classes: Vec<u32>,
    pub columns: Vec<ColumnError>,
}

/// The seed of a repeat; the first repeat has the seed of the run, so that it is what a single run would do.
pub(super) fn repeat_seed(seed: u64, repeat: usize) -> u64 {
    if repeat == 0 { seed } else { mix([seed, repeat as u64]) }
}
