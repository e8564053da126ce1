//! The settings, what each may be, and the course of training that follows from them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::methods::parse;
use crate::nn::Cell;
use crate::nn::schedule::Schedule;
use crate::nn::train::TrainSettings;

/// The error that is kept small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The distance: the guess is a median.
    Absolute,
    /// Its square: the guess is a mean.
    Squared,
}

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What a unit does at a step.
    pub cell: Cell,
    /// Units of the state, in each direction.
    pub units: usize,
    /// The error that is kept small.
    pub error: ErrorKind,
    /// The largest share of the known values of a series that is hidden to learn from.
    pub hide: f64,
    /// Share of the states left out at a step of training.
    pub dropout: f64,
    /// Learning rate.
    pub rate: f64,
    /// Passes over the series, at most.
    pub epochs: usize,
    /// Series in a batch; 0 for all.
    pub batch: usize,
    /// Epochs without a smaller error after which training ends; 0: never.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cell: Cell::Gru,
            units: 96,
            error: ErrorKind::Absolute,
            hide: 0.9,
            dropout: 0.1,
            rate: 2e-3,
            epochs: 100,
            batch: 64,
            patience: 10,
        }
    }
}

impl Settings {
    /// Settings whose every value can be used.
    ///
    /// # Errors
    /// When one can't.
    pub fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(1..=4096).contains(&settings.units) {
            return Err(Error::setting("units", format!("{} is not between 1 and 4096", settings.units)));
        }
        for (name, share, most) in [("dropout", settings.dropout, 0.95), ("hide", settings.hide, 1.0)] {
            if !(0.0..most).contains(&share) {
                return Err(Error::setting(name, format!("{share} is not at least 0 and below {most}")));
            }
        }
        settings.plan().check()?;
        Ok(settings)
    }

    /// The course of training.
    pub(super) fn plan(&self) -> TrainSettings {
        TrainSettings {
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            schedule: Schedule::Cosine,
            clip: Some(1.0),
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}
