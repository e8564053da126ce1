//! The settings, what each may be, and the course of training that follows from them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::encode::Missing;
use crate::error::{Error, Result};
use crate::methods::parse;
use crate::nn::Activation;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::sparsity::{Constant, Dropout};
use crate::nn::train::TrainSettings;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What a missing cell becomes.
    pub missing: Missing,
    /// K of Sparsity Normalization.
    pub k: Constant,
    /// Scale of numbers.
    pub scale: ScaleSetting,
    /// Units of the hidden layers.
    pub hidden: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Hidden layers that are divided by their active units.
    pub normalize_hidden: Layers,
    /// Share of hidden units left out at a step.
    pub dropout: f64,
    /// How dropout makes up for dropped units.
    pub dropout_kind: Dropout,
    /// The rule that turns gradients into steps.
    pub optimizer: OptimizerName,
    /// Learning rate.
    pub rate: f64,
    /// Course of the learning rate.
    pub schedule: ScheduleName,
    /// Weight decay.
    pub weight_decay: f64,
    /// Layers that weight decay applies to.
    pub decay_on: DecayOn,
    /// Passes over the rows, at most.
    pub epochs: usize,
    /// Rows in a batch; 0 for all.
    pub batch: usize,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            missing: Missing::SparsityNormalization,
            k: Constant::default(),
            scale: ScaleSetting::Auto,
            hidden: vec![100, 100, 100],
            activation: Activation::Relu,
            normalize_hidden: Layers::All(false),
            dropout: 0.0,
            dropout_kind: Dropout::Normalized,
            optimizer: OptimizerName::Adam,
            rate: 1e-3,
            schedule: ScheduleName::Plateau,
            weight_decay: 0.0,
            decay_on: DecayOn::All,
            epochs: 300,
            batch: 128,
            patience: 30,
        }
    }
}

/// The scale of numbers before they enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleSetting {
    /// Min-max with Sparsity Normalization and with zero, its baseline; standard otherwise.
    Auto,
    /// Mean 0, deviation 1.
    Standard,
    /// From 0 to 1.
    MinMax,
    /// By quartiles, outliers bent.
    Robust,
}

/// Optimisers with their usual constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerName {
    /// Adam.
    Adam,
    /// Adam with decoupled weight decay.
    AdamW,
    /// Gradient descent with momentum 0.9.
    Sgd,
    /// Resilient propagation, for full batches.
    Rprop,
    /// AdaDelta.
    Adadelta,
}

/// Courses of the learning rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScheduleName {
    /// As it is.
    Constant,
    /// Down to 0 along a cosine.
    Cosine,
    /// Divided by 5 after 10 epochs without a better validation score.
    Plateau,
}

/// Some of the hidden layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected true, false or a list of hidden layers such as [1]")]
pub enum Layers {
    /// All of them or none.
    All(bool),
    /// These, the first being 1.
    Some(Vec<usize>),
}

impl Layers {
    /// Whether a hidden layer is among them, counted from 0.
    pub fn have(&self, layer: usize) -> bool {
        match self {
            Self::All(all) => *all,
            Self::Some(layers) => layers.contains(&(layer + 1)),
        }
    }
}

/// Layers that weight decay applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecayOn {
    /// All weights.
    All,
    /// All but the first layer's, which K = 1 needs to be large.
    AfterFirst,
}

impl Settings {
    /// Settings whose every value can be used.
    ///
    /// # Errors
    /// When one can't.
    pub fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.k.check()?;
        if settings.hidden.iter().any(|units| !(1..=8192).contains(units)) || settings.hidden.len() > 32 {
            return Err(Error::setting("hidden", "layers need 1 to 8192 units each, 32 layers at most"));
        }
        if !(0.0..0.95).contains(&settings.dropout) {
            return Err(Error::setting("dropout", format!("{} is not between 0 and 0.95", settings.dropout)));
        }
        if let Layers::Some(layers) = &settings.normalize_hidden
            && let Some(layer) = layers.iter().find(|layer| !(1..=settings.hidden.len()).contains(*layer))
        {
            let what = format!("there is no hidden layer {layer} of {}", settings.hidden.len());
            return Err(Error::setting("normalize-hidden", what).with_hint("the first hidden layer is 1"));
        }
        settings.plan().check()?;
        Ok(settings)
    }

    /// The course of training.
    pub(crate) fn plan(&self) -> TrainSettings {
        let named = |json: Value| serde_json::from_value(json).unwrap_or_default();
        let optimizer: Optimizer = match self.optimizer {
            OptimizerName::Adam => Optimizer::default(),
            OptimizerName::AdamW => Optimizer::adam_w(),
            OptimizerName::Sgd => Optimizer::Sgd { momentum: 0.9, nesterov: false },
            OptimizerName::Rprop => named(json!({ "rprop": {} })),
            OptimizerName::Adadelta => named(json!({ "adadelta": {} })),
        };
        TrainSettings {
            epochs: self.epochs,
            batch: self.batch,
            optimizer,
            rate: self.rate,
            schedule: match self.schedule {
                ScheduleName::Constant => Schedule::Constant,
                ScheduleName::Cosine => Schedule::Cosine,
                ScheduleName::Plateau => {
                    Schedule::Plateau { factor: 0.2, patience: 10, threshold: 1e-4, minimum: 1e-3 }
                }
            },
            weight_decay: self.weight_decay,
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_layers_are_named_by_a_switch_or_a_list() {
        let layers = |value: Value| {
            let settings = json!({ "hidden": [5, 4], "normalize-hidden": value });
            Settings::checked(&settings)
                .map(|settings| [0, 1].map(|layer| settings.normalize_hidden.have(layer)))
        };
        assert_eq!(layers(json!(true)).unwrap(), [true, true]);
        assert_eq!(layers(json!(false)).unwrap(), [false, false]);
        assert_eq!(layers(json!([2])).unwrap(), [false, true]);
        let error = layers(json!([3])).unwrap_err();
        assert!(error.to_string().contains("there is no hidden layer 3 of 2"), "{error}");
        let error = layers(json!("first")).unwrap_err().to_string();
        assert!(error.contains("it takes true, false or a list"), "{error}");
    }
}
