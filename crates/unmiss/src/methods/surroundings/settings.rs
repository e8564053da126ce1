//! The settings, and what each may be.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::methods::{Recipe, parse};

/// The predictor that is the default.
const TREES: &str = "trees";
/// Its settings here, where they are not its defaults: there is a fit for each variable.
const OF_TREES: [(&str, &str); 2] = [("members", "1"), ("rounds", "200")];

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The predictor of tables that learns how far values lie from the line.
    pub predictor: String,
    /// Its settings, where they are not its defaults.
    pub with: Value,
    /// Known values of each variable that are learned from, at most.
    pub examples: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { predictor: TREES.into(), with: json!({}), examples: 30_000 }
    }
}

impl Settings {
    /// Settings that are sound, with the predictor that they name.
    ///
    /// # Errors
    /// When one has a value it can't have.
    pub fn checked(settings: &Value) -> Result<(Self, Recipe)> {
        let own: Self = parse(settings)?;
        let usual: &[(&str, &str)] = if own.predictor == TREES { &OF_TREES } else { &[] };
        let recipe = Recipe::of_tables(&own.predictor, usual, &own.with)?;
        if own.examples == 0 {
            return Err(Error::setting("examples", "there is nothing to learn from"));
        }
        Ok((own, recipe))
    }
}
