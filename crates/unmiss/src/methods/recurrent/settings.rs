//! The settings, what each may be, and the course of training that follows from them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::methods::parse;
use crate::nn::Cell;
use crate::nn::schedule::Schedule;
use crate::nn::train::TrainSettings;

/// What a step shows of a variable that was not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// 0 after standardising.
    Zero,
    /// The mean of the series' own known values.
    Mean,
    /// The last known value.
    ForwardFill,
    /// The last known value, whether it is known, and how long ago it was.
    #[default]
    Mask,
    /// 0, and the step times K / (number of its known values).
    SnStep,
    /// 0, and the series times K / (number of its known values).
    SnSeries,
    /// The last known value on its way to the mean, and whether it is known; the state fades too.
    Decay,
}

/// What tells when to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Log-loss, or the squared error of a number.
    Loss,
    /// The area under the ROC curve of classes; of a number the squared error.
    Auroc,
}

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What a unit does at a step.
    pub cell: Cell,
    /// What a missing value becomes.
    pub missing: Missing,
    /// Units of the state.
    pub units: usize,
    /// Share of the last state left out at a step of training.
    pub dropout: f64,
    /// What tells when to stop.
    pub stop: Stop,
    /// Learning rate.
    pub rate: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Passes over the series, at most.
    pub epochs: usize,
    /// Series in a batch; 0 for all.
    pub batch: usize,
    /// Epochs without a better score after which training ends; 0: never.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cell: Cell::Gru,
            missing: Missing::default(),
            units: 64,
            dropout: 0.2,
            stop: Stop::Auroc,
            rate: 2e-3,
            weight_decay: 0.0,
            epochs: 60,
            batch: 64,
            patience: 8,
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
            let what = format!("{} is not between 1 and 4096", settings.units);
            return Err(Error::setting("units", what));
        }
        if !(0.0..0.95).contains(&settings.dropout) {
            return Err(Error::setting("dropout", format!("{} is not between 0 and 0.95", settings.dropout)));
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
            schedule: Schedule::Constant,
            weight_decay: self.weight_decay,
            // What goes through hundreds of steps may grow on its way back.
            clip: Some(1.0),
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}
