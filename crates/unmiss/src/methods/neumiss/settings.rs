//! What can be set, and the course of training that follows from it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::parse;
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::TrainSettings;

/// Columns of the block up to which categories go through it, unless told otherwise: its cost grows with their square.
const MOST_INDICATED: usize = 100;
/// Steps of a training, about: large tables get fewer epochs.
const STEPS: usize = 6_000;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What the block's layers are made of.
    pub form: FormName,
    /// Layers of the block.
    pub depth: usize,
    /// Whether layers of the original form add the input again.
    pub residual: bool,
    /// Whether what is added again has a learned factor.
    pub accelerated: bool,
    /// First weights.
    pub start: StartName,
    /// Units of the hidden layers behind the block.
    pub hidden: Vec<usize>,
    /// Whether the block's output also goes to the answer directly.
    pub direct: bool,
    /// Whether the layers behind the block are told which columns are missing.
    pub indicators: bool,
    /// Where categories go.
    pub categories: Categories,
    /// The rule that turns gradients into steps.
    pub optimizer: OptimizerName,
    /// Learning rate.
    pub rate: Option<f64>,
    /// Course of the learning rate.
    pub schedule: ScheduleName,
    /// Weight decay.
    pub weight_decay: f64,
    /// Passes over the rows, at most.
    pub epochs: Option<usize>,
    /// Rows in a batch; 0 for all.
    pub batch: Option<usize>,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            form: FormName::Steps,
            depth: 20,
            residual: true,
            accelerated: true,
            start: StartName::Em,
            hidden: vec![64, 64],
            direct: true,
            indicators: true,
            categories: Categories::Auto,
            optimizer: OptimizerName::Adam,
            rate: None,
            schedule: ScheduleName::Cosine,
            weight_decay: 0.0,
            epochs: None,
            batch: None,
            patience: 20,
        }
    }
}

/// What a layer of the block is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    /// A matrix of its own, as published in 2020.
    Original,
    /// One matrix for all layers, as published in 2021.
    Shared,
    /// One matrix, the covariance, and a step of a length of its own.
    Steps,
}

/// First weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartName {
    /// From the mean and covariance that expectation-maximisation finds.
    Em,
    /// From the covariance of each pair of columns where both are known.
    Pairwise,
    /// Matrices by Glorot's normal rule, the rest standard normal.
    Normal,
    /// Uniform, by the number of inputs.
    Uniform,
}

/// Where categories go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categories {
    /// Through the block while it has few columns, else past it.
    Auto,
    /// Through the block, an indicator for each level.
    Indicators,
    /// Past the block, as learned vectors.
    Embedded,
}

impl Categories {
    /// Whether a block of so many columns, indicators counted, has them.
    pub(super) fn indicated(self, columns: usize) -> bool {
        match self {
            Self::Auto => columns <= MOST_INDICATED,
            Self::Indicators => true,
            Self::Embedded => false,
        }
    }
}

/// Optimisers with their usual constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerName {
    /// Adam.
    Adam,
    /// Adam with decoupled weight decay.
    AdamW,
    /// Plain gradient descent, as published in 2020.
    Sgd,
}

/// Courses of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleName {
    /// As it is.
    Constant,
    /// Down to 0 along a cosine.
    Cosine,
    /// Divided by 5 after 10 epochs without a better validation score, as published in 2021.
    Plateau,
}

impl Settings {
    /// The settings from JSON, every value checked.
    pub(super) fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.depth > 1000 {
            return Err(Error::setting("depth", format!("{} is not between 0 and 1000", settings.depth)));
        }
        if settings.hidden.iter().any(|units| !(1..=8192).contains(units)) || settings.hidden.len() > 32 {
            return Err(Error::setting("hidden", "layers need 1 to 8192 units each, 32 layers at most"));
        }
        settings.plan(1, 1).check()?;
        Ok(settings)
    }

    /// The course of training a block of so many columns on so many rows.
    pub(super) fn plan(&self, columns: usize, rows: usize) -> TrainSettings {
        let batch = self.batch.unwrap_or(if rows < 1000 { 32 } else { 100 });
        let steps = if batch == 0 { 1 } else { rows.div_ceil(batch).max(1) };
        let usual = match self.optimizer {
            OptimizerName::Sgd => 0.01 / columns.max(1) as f64,
            OptimizerName::Adam | OptimizerName::AdamW => 5e-3,
        };
        TrainSettings {
            epochs: self.epochs.unwrap_or_else(|| (STEPS / steps).clamp(10, 200)),
            batch,
            optimizer: match self.optimizer {
                OptimizerName::Adam => Optimizer::default(),
                OptimizerName::AdamW => Optimizer::adam_w(),
                OptimizerName::Sgd => Optimizer::Sgd { momentum: 0.0, nesterov: false },
            },
            rate: self.rate.unwrap_or(usual),
            schedule: match self.schedule {
                ScheduleName::Constant => Schedule::Constant,
                ScheduleName::Cosine => Schedule::Cosine,
                ScheduleName::Plateau => {
                    Schedule::Plateau { factor: 0.2, patience: 10, threshold: 1e-4, minimum: 1e-3 }
                }
            },
            weight_decay: self.weight_decay,
            clip: Some(5.0),
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}
