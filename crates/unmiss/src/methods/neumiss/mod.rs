#![doc = include_str!("README.md")]

mod layers;
mod settings;
mod start;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::supervised::{Supervised, predictions, set_aside};
use super::written::{network, of_scores};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting, Training,
    defaults_of,
};
use crate::data::Shape;
use crate::encode::{Encoded, Rows, Task, Written};
use crate::error::Result;
use crate::linalg::Holes;
use crate::nn::train::train;
use crate::nn::{Parameters, Plain};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use layers::{Held, Network};
pub use settings::{Categories, FormName, OptimizerName, ScheduleName, Settings, StartName};
use start::Start;

/// Rows predicted at a time.
const ROWS_AT_ONCE: usize = 4096;
/// Rows set aside for validation, at most.
const MOST_VALIDATION: usize = 10_000;

/// The entry of the list.
pub struct NeuMiss;

static CARD: Card = Card {
    name: "neumiss",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "NeuMiss network: the conditional mean, unrolled and learned",
        idea: "The best guess of missing numbers given the known ones needs the inverse of a different part of the \
               covariance for every pattern of holes. The block computes it by a few products with one matrix, each \
               masked by what is known, and all of it is learned towards the target: also what the pattern itself \
               says. It starts from the covariance found by expectation-maximisation, so that the first weights \
               already are the Gaussian answer, nearly; a small perceptron behind it learns what is not linear.",
        paper: "Le Morvan, Josse, Moreau, Scornet, Varoquaux 2020, NeuMiss networks: differentiable programming for \
                supervised learning with missing values; Le Morvan, Josse, Scornet, Varoquaux 2021, What's a good \
                imputation to predict with missing values?",
        when: "With a thousand rows or more, mostly numbers that hang together, and many holes; also where cells are \
               missing because of their own values.",
        when_not: "With few rows or few holes (`linear`, `trees`), or hundreds of columns: the cost grows with the \
                   square of their number.",
    },
    settings: &[
        Setting {
            name: "form",
            help: "Layers of the block: steps (one matrix, a learned step length for each layer), original (a matrix \
                   for each layer, as published in 2020) or shared (one matrix, as published in 2021).",
        },
        Setting { name: "depth", help: "Layers of the block; 0: missing cells from known ones directly." },
        Setting {
            name: "residual",
            help: "In the original form, true: every layer after the first adds the block's input again.",
        },
        Setting {
            name: "accelerated",
            help: "true: what a layer adds again, or the length of its step, is learned.",
        },
        Setting {
            name: "start",
            help: "First weights: em (mean and covariance by expectation-maximisation), pairwise (covariance of pairs \
                   of columns), normal or uniform (drawn).",
        },
        Setting {
            name: "hidden",
            help: "Units of the hidden layers behind the block, such as [64, 64]; []: a linear answer.",
        },
        Setting {
            name: "direct",
            help: "true: beside the hidden layers, the block's output goes to the answer directly too.",
        },
        Setting {
            name: "indicators",
            help: "true: the layers behind the block are also told which columns are missing.",
        },
        Setting {
            name: "categories",
            help: "indicators: each level is a column of the block; embedded: learned vectors beside its output; auto: \
                   indicators up to 100 columns in all.",
        },
        Setting { name: "optimizer", help: "adam, adamw or sgd (plain, as published in 2020)." },
        Setting { name: "rate", help: "Learning rate; null: 0.005, with sgd 0.01 / columns." },
        Setting { name: "schedule", help: "Course of the learning rate: constant, cosine or plateau." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting {
            name: "epochs",
            help: "Passes over the rows, at most; null: 200, fewer for large tables, at least 10.",
        },
        Setting {
            name: "batch",
            help: "Rows in a batch; 0 for all; null: 32 below 1,000 rows to learn from, else 100.",
        },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never. The best weights are \
                   kept in any case.",
        },
    ],
    space: &[
        Axis::new("form", Choices::Options(&["steps", "shared", "original"])),
        Axis::new("depth", Choices::Integers(2, 30)),
        Axis::new("hidden", Choices::Options(&["[]", "[64]", "[64, 64]", "[256, 256]"])),
        Axis::new("indicators", Choices::Options(&["true", "false"])),
        Axis::new("rate", Choices::LogUniform(1e-4, 1e-2)),
        Axis::new("weight-decay", Choices::LogUniform(1e-6, 1e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for NeuMiss {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let Training { encoder, inputs, targets } = examples.training()?;
        let settings = Settings::checked(settings)?;
        let task = targets.task;
        let network = Network::new(encoder, task, &settings);
        let rows = network.prepare(inputs);
        let parts = targets.rows().div_ceil(MOST_VALIDATION).max(5);
        let (learning, validation) = set_aside(targets, parts, 0, run.seed());
        let data = Holes { columns: rows.columns, values: &rows.values, observed: &rows.observed };
        // From the rows to learn from alone: the first weights are judged by the others as all later ones are.
        let start = run.compute(|| Start::learn(data, targets, &learning, &settings, run));
        let scorer = Held { network: &network, rows: &rows, fingerprint: inputs.fingerprint() };
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        let first = network.parameters(&start, run.seed());
        let plan = settings.plan(rows.columns, learner.learning.len());
        let trained = train(&learner, first, &plan, run)?;
        let (parameters, epoch) = (trained.parameters, trained.best_epoch as f64);
        Ok(Box::new(Fitted { network, parameters, task, epoch }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        let settings = Settings::checked(settings)?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        let network = Network::new(encoder, task, &settings);
        network.check(arrays)?;
        let mut parameters = network.parameters(&Start::drawn(), 0);
        parameters.load(arrays)?;
        Ok(Box::new(Fitted { network, parameters, task, epoch }))
    }
}

struct Fitted {
    network: Network,
    parameters: Parameters,
    task: Task,
    /// The epoch whose weights were kept; 0: the first weights, which were not improved on.
    epoch: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let block = self.network.block();
        json!({
            "columns of the block": block.columns,
            "depth": block.depth,
            "weights": self.parameters.count(),
            "best epoch": self.epoch,
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let rows = rows.table()?;
        let inputs = self.network.write_inputs(graph, rows);
        // One row of holes, which is not looked at.
        let numbers = rows.numbers.as_ref().map_or(0, |numbers| numbers.columns);
        let dummy = self.network.prepare(&Encoded::holes(1, numbers, rows.categories.len()));
        let scores =
            network(graph, &self.parameters, inputs, |writer| self.network.forward(writer, &dummy, &[0]))?;
        Ok(of_scores(graph, &scores, 1, self.task))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let mut answers = Vec::with_capacity(rows.rows * self.task.outputs());
        let mut engine = Plain::new(&self.parameters);
        for start in (0..rows.rows).step_by(ROWS_AT_ONCE) {
            let places: Vec<usize> = (start..(start + ROWS_AT_ONCE).min(rows.rows)).collect();
            let part = self.network.prepare(&rows.select(&places));
            let all: Vec<usize> = (0..places.len()).collect();
            let scores = self.network.forward(&mut engine, &part, &all);
            answers.extend(predictions(scores.values(), places.len(), self.task));
            engine.recycle(scores);
        }
        Ok(answers)
    }
}
