#![doc = include_str!("README.md")]

pub(crate) mod layers;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::supervised::{Supervised, predictions, set_aside};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting, Training,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Design, Encoding, Missing, Rows, Scale, Task};
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::sparsity::{Constant, Dropout};
use crate::nn::train::{TrainSettings, train};
use crate::nn::{Activation, Engine, Parameters, Plain};
use crate::run::Run;
use crate::store::Arrays;
use layers::{Held, Perceptron, Start};

/// Rows predicted at a time.
const ROWS_AT_ONCE: usize = 4096;

/// The entry of the list.
pub struct Mlp;

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
    /// Whether hidden layers are divided by their active units.
    pub normalize_hidden: bool,
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
            normalize_hidden: false,
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
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.k.check()?;
        if settings.hidden.iter().any(|units| !(1..=8192).contains(units)) || settings.hidden.len() > 32 {
            return Err(Error::setting("hidden", "layers need 1 to 8192 units each, 32 layers at most"));
        }
        if !(0.0..0.95).contains(&settings.dropout) {
            return Err(Error::setting("dropout", format!("{} is not between 0 and 0.95", settings.dropout)));
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

static CARD: Card = Card {
    name: "mlp",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Plain multi-layer perceptron with Sparsity Normalization",
        idea: "A missing cell is set to 0 and the row is multiplied by K / (number of its known columns), so \
               that what the first layer sums up no longer grows with how much is known. Other treatments \
               of holes (mean, indicators) are settings.",
        paper: "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias \
                in Training Neural Networks",
        when: "To see what each treatment of holes does, other things equal; to re-run published tables.",
        when_not: "As the first choice for a prediction: `network` is the stronger network.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "What a missing cell becomes: zero, mean, observed-indicator, missing-indicator, sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.",
        },
        Setting {
            name: "k",
            help: "K of Sparsity Normalization: mean (number of known columns in training), hidden (units of the first layer), input (number of columns) or a number.",
        },
        Setting {
            name: "scale",
            help: "Scale of numbers: auto (min-max with zero and Sparsity Normalization, else standard), standard, min-max or robust.",
        },
        Setting { name: "hidden", help: "Units of the hidden layers, such as [100, 100, 100]." },
        Setting { name: "activation", help: "relu, selu, mish, sigmoid, tanh or identity." },
        Setting {
            name: "normalize-hidden",
            help: "true: hidden layers are divided by their active units too.",
        },
        Setting { name: "dropout", help: "Share of hidden units left out at a step." },
        Setting {
            name: "dropout-kind",
            help: "normalized: made up for by the units kept in this row; average: by the share kept on average.",
        },
        Setting {
            name: "optimizer",
            help: "adam, adamw, sgd, rprop (for full batches) or adadelta (rate 1).",
        },
        Setting { name: "rate", help: "Learning rate." },
        Setting { name: "schedule", help: "Course of the learning rate: constant, cosine or plateau." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting {
            name: "decay-on",
            help: "all, or after-first: the first layer's weights are left free, as K = 1 needs.",
        },
        Setting { name: "epochs", help: "Passes over the rows, at most." },
        Setting { name: "batch", help: "Rows in a batch; 0 for all." },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never.",
        },
    ],
    space: &[
        Axis::new(
            "missing",
            Choices::Options(&[
                "mean",
                "mean+missing-indicator",
                "sparsity-normalization",
                "sparsity-normalization+missing-indicator",
            ]),
        ),
        Axis::new("hidden", Choices::Options(&["[100]", "[100, 100]", "[100, 100, 100]", "[256, 256]"])),
        Axis::new("activation", Choices::Options(&["relu", "selu", "mish"])),
        Axis::new("dropout", Choices::Uniform(0.0, 0.5)),
        Axis::new("rate", Choices::LogUniform(1e-4, 1e-2)),
        Axis::new("weight-decay", Choices::LogUniform(1e-6, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Mlp {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        let settings = Settings::checked(settings)?;
        let scale = match settings.scale {
            ScaleSetting::Auto => settings.missing.scale(),
            ScaleSetting::Standard => Scale::Standard,
            ScaleSetting::MinMax => Scale::MinMax,
            ScaleSetting::Robust => Scale::Robust,
        };
        Ok(Encoding { scale, ..Encoding::default() })
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let settings = Settings::checked(settings)?;
        let Training { encoder, inputs, targets } = training;
        let first = settings.hidden.first().copied().unwrap_or(1);
        let k = settings.k.number(inputs.mean_known(), first, encoder.width()) as f32;
        let design = Design::new(encoder, settings.missing, k);
        let perceptron = Perceptron::new(&settings, design.inputs(), targets.task.outputs(), Start::He);
        let (learning, validation) = set_aside(targets, 5, 0, run.seed());
        let scorer = Held { perceptron: &perceptron, design: &design, rows: inputs };
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        let trained = train(&learner, perceptron.parameters(run.seed()), &settings.plan(), run)?;
        let epoch = trained.best_epoch as f64;
        Ok(Box::new(Fitted {
            perceptron,
            design,
            parameters: trained.parameters,
            task: targets.task,
            k,
            epoch,
        }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        let settings = Settings::checked(settings)?;
        let k = arrays.finite_single("k")?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        let design = Design::new(encoder, settings.missing, k);
        let perceptron = Perceptron::new(&settings, design.inputs(), task.outputs(), Start::He);
        perceptron.check(arrays)?;
        let mut parameters = perceptron.parameters(0);
        parameters.load(arrays)?;
        Ok(Box::new(Fitted { perceptron, design, parameters, task, k, epoch }))
    }
}

struct Fitted {
    perceptron: Perceptron,
    /// How a row of inputs is built.
    design: Design,
    parameters: Parameters,
    task: Task,
    k: f32,
    /// The epoch whose weights were kept.
    epoch: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_singles("k", &[1], vec![self.k]);
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "inputs": self.design.inputs(),
            "weights": self.parameters.count(),
            "best epoch": self.epoch,
        });
        if let Some(k) = self.design.normalization() {
            summary["k"] = json!(k);
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let mut answers = Vec::with_capacity(rows.rows * self.task.outputs());
        for start in (0..rows.rows).step_by(ROWS_AT_ONCE) {
            let places: Vec<usize> = (start..(start + ROWS_AT_ONCE).min(rows.rows)).collect();
            let mut engine = Plain::new(&self.parameters);
            let inputs = engine.input(self.design.dense(rows, &places), places.len());
            let scores = self.perceptron.forward(&mut engine, inputs);
            answers.extend(predictions(scores.values(), places.len(), self.task));
        }
        Ok(answers)
    }
}
