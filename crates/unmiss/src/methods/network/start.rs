//! The linear model a network starts from: the network learns what the linear model leaves.
//!
//! On a few hundred rows a linear model is hard to beat and a network easily loses to it. With
//! `score = linear(x) + network(x)` and a network whose first output is 0, training starts at the linear
//! model, and the validation part says whether to leave it.

use crate::encode::{Encoded, Encoder, Task};
use crate::error::Result;
use crate::methods::linear::Linear;
use crate::methods::{Described, Method, Predictor, Training};
use crate::run::Run;
use crate::store::Arrays;

/// Probabilities are kept this far from 0 before the logarithm makes a score of them.
const SMALLEST_PROBABILITY: f64 = 1e-4;

/// A fitted linear model.
pub struct Start {
    linear: Box<dyn Predictor>,
    task: Task,
}

impl Start {
    /// Learns from the given rows; the others stay unseen, so that they can tell how good it is.
    pub fn fit(training: Training<'_>, rows: &[usize], run: &Run) -> Result<Self> {
        let (inputs, targets) = (training.inputs.select(rows), training.targets.select(rows));
        let part = Training { encoder: training.encoder, inputs: &inputs, targets: &targets };
        Ok(Self { linear: Linear.fit(&Linear.defaults(), part, run)?, task: targets.task })
    }

    /// Puts it together again from its arrays.
    pub fn load(encoder: &Encoder, task: Task, arrays: &Arrays) -> Result<Self> {
        Ok(Self { linear: Linear.load(&Linear.defaults(), encoder, task, arrays)?, task })
    }

    /// Its arrays.
    pub fn save(&self) -> Arrays {
        self.linear.save()
    }

    /// `[rows, outputs]`: the prediction, or the logarithm of each class's probability.
    pub fn scores(&self, rows: &Encoded) -> Vec<f32> {
        let score = |prediction: f64| match self.task {
            Task::Regression => prediction,
            Task::Classification { .. } => prediction.max(SMALLEST_PROBABILITY).ln(),
        };
        self.linear.predict(rows).into_iter().map(|prediction| score(prediction) as f32).collect()
    }
}
