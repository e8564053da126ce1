#![doc = include_str!("README.md")]

mod boost;
mod forest;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use boost::{Columns, cell};
use forest::Forest;

use super::{About, Method, Predictor, Setting, Training, defaults_of, parse};
use crate::encode::{Encoded, Encoder, Encoding, Task};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;

/// The entry of the list.
pub struct Trees;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How much work goes into the fit.
    pub budget: f32,
    /// Trees at most, per output.
    pub iterations: usize,
    /// Where rows with a missing cell go.
    pub missing: Missing,
    /// How categories are split.
    pub categories: Categories,
}

/// Where rows go whose cell is missing in the column of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// With the side that fits them better.
    Side,
    /// Into a branch of their own.
    Branch,
}

/// How a category column is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categories {
    /// Into any two sets of levels.
    Sets,
    /// Between levels in their order, as if they were numbers.
    Ordered,
}

impl Default for Settings {
    fn default() -> Self {
        Self { budget: 1.0, iterations: 1000, missing: Missing::Side, categories: Categories::Ordered }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(0.1..=3.0).contains(&settings.budget) {
            return Err(Error::setting("budget", format!("{} is not between 0.1 and 3", settings.budget)));
        }
        if settings.iterations == 0 {
            return Err(Error::setting("iterations", "at least one tree is needed"));
        }
        Ok(settings)
    }
}

impl Method for Trees {
    fn name(&self) -> &'static str {
        "trees"
    }

    fn about(&self) -> About {
        About {
            title: "Gradient-boosted trees that take missing values as they are",
            idea: "Many small decision trees, each correcting the sum of those before it. At every split the \
                   rows whose cell is missing go to the side that fits them better, so holes need no filling. \
                   One setting, the budget, says how much work goes in; the rest adapts to the data.",
            paper: "Friedman 2001 (gradient boosting); Twala, Jones and Hand 2008 (missing values in splits); \
                    the crate perpetual (fit)",
            when: "Thousands of rows or more, effects that bend or depend on each other, many categories.",
            when_not: "A few hundred rows with straight effects, where `linear` is better; or where a \
                       prediction must change smoothly.",
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[
            Setting {
                name: "budget",
                help: "how much work goes into the fit: 0.1 to 3; 0.5 is quick, 1.5 thorough",
            },
            Setting { name: "iterations", help: "trees at most, per class if there are more than two" },
            Setting {
                name: "missing",
                help: "where rows with a missing cell go at a split: side (the one that fits better) or branch \
                       (one of their own)",
            },
            Setting {
                name: "categories",
                help: "how categories are split: sets (any two sets of levels) or ordered (between two levels)",
            },
        ]
    }

    fn defaults(&self) -> Value {
        Value::Object(defaults_of::<Settings>())
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings)?;
        Ok(Encoding::default())
    }

    fn fit(&self, settings: &Value, training: Training<'_>, run: &Run) -> Result<Box<dyn Predictor>> {
        let settings = Settings::checked(settings)?;
        let Training { encoder, inputs, targets } = training;
        let columns =
            Columns::new(encoder, inputs, &targets.weights, settings.categories == Categories::Sets);
        if columns.picked.is_empty() {
            return Err(Error::method("trees", "there is no row with a weight above 0 to learn from"));
        }
        let outputs = forests_of(targets.task);
        let classes = targets.task != Task::Regression;
        let mut forests = Vec::with_capacity(outputs);
        for output in 0..outputs {
            run.progress(output as u64, outputs as u64, "growing trees");
            // Two classes: class 1 against class 0. More: each against the rest.
            let class = if outputs == 1 { 1 } else { output as u32 };
            let target = |row: &usize| match targets.task {
                Task::Regression => f64::from(targets.numbers[*row]),
                Task::Classification { .. } => f64::from(u8::from(targets.classes[*row] == class)),
            };
            let target: Vec<f64> = columns.picked.iter().map(target).collect();
            forests.push(run.compute(|| boost::fit(&columns, &target, classes, &settings, run))?);
        }
        run.progress(outputs as u64, outputs as u64, "trees have grown");
        run.finished();
        Ok(Box::new(TreesPredictor::new(encoder, targets.task, forests)))
    }

    fn load(
        &self,
        settings: &Value,
        encoder: &Encoder,
        task: Task,
        arrays: &Arrays,
    ) -> Result<Box<dyn Predictor>> {
        Settings::checked(settings)?;
        let damaged = |what: String| {
            Error::data(format!("array `trees` can't be used: {what}"))
                .with_hint("the file is damaged or was written by another version of the program")
        };
        let forests: Vec<Forest> =
            serde_json::from_slice(arrays.bytes("trees")?).map_err(|error| damaged(error.to_string()))?;
        if forests.len() != forests_of(task) {
            return Err(damaged(format!("it has {} outputs instead of {}", forests.len(), forests_of(task))));
        }
        for forest in &forests {
            forest.check(encoder.width(), task != Task::Regression).map_err(damaged)?;
        }
        Ok(Box::new(TreesPredictor::new(encoder, task, forests)))
    }
}

/// Sums of trees: one for a number or for two classes, else one per class.
fn forests_of(task: Task) -> usize {
    match task {
        Task::Regression | Task::Classification { classes: 0..=2 } => 1,
        Task::Classification { classes } => classes,
    }
}

/// Fitted trees.
struct TreesPredictor {
    task: Task,
    /// Number columns, and all columns.
    numbers: usize,
    width: usize,
    forests: Vec<Forest>,
}

impl TreesPredictor {
    fn new(encoder: &Encoder, task: Task, forests: Vec<Forest>) -> Self {
        Self { task, numbers: encoder.numbers.len(), width: encoder.width(), forests }
    }

    fn predict_row(&self, rows: &Encoded, row: usize, values: &mut Vec<f64>, answer: &mut [f64]) {
        values.clear();
        values.extend((0..self.width).map(|column| cell(rows, self.numbers, self.width, row, column)));
        match (self.task, self.forests.as_slice()) {
            (Task::Regression, [forest]) => answer[0] = forest.sum(values),
            (_, [forest]) => {
                let probability = forest.probability(values);
                answer[0] = 1.0 - probability;
                answer[1..].fill(probability);
            }
            (_, forests) => {
                // Each class against the rest gives probabilities that need not add up to 1.
                let each = answer.iter_mut().zip(forests);
                each.for_each(|(answer, forest)| *answer = forest.probability(values).max(f64::MIN_POSITIVE));
                let sum: f64 = answer.iter().sum();
                answer.iter_mut().for_each(|answer| *answer /= sum);
            }
        }
    }
}

impl Predictor for TreesPredictor {
    fn predict(&self, rows: &Encoded) -> Vec<f64> {
        let outputs = self.task.outputs();
        let mut answers = vec![0.0; rows.rows * outputs];
        let rows_with_answers = answers.par_chunks_mut(outputs.max(1)).with_min_len(64).enumerate();
        rows_with_answers.for_each_init(Vec::new, |values, (row, answer)| {
            self.predict_row(rows, row, values, answer);
        });
        answers
    }

    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        // Serialising numbers, lists and names can't fail; finite numbers were checked when the trees were made.
        arrays.put_bytes("trees", serde_json::to_vec(&self.forests).unwrap_or_default());
        arrays
    }

    fn summary(&self) -> Value {
        let (trees, nodes) =
            self.forests.iter().map(Forest::size).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        json!({ "trees": trees, "nodes": nodes })
    }
}
