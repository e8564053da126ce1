//! Gradient-boosted trees on binned columns, missing values taken as they are.

pub(super) mod bins;
pub(super) mod boost;
mod contributions;
pub(super) mod forest;
mod grow;
pub(super) mod histogram;
pub(super) mod loss;
pub(super) mod split;
pub(super) mod stand_in;
mod walk;
pub(super) mod written;

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use bins::MOST_BINS;
use forest::{Forest, Node};
use stand_in::StandIns;
use walk::{Block, LANES, MISSING, Walk};

use super::written::{of_sums, weighted};
use super::{
    About, Axis, Card, Choices, Cost, Exact, Examples, Job, Layout, Learned, Method, Predictor, Setting,
    Training, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Encoded, Encoder, Encoding, Rows, Task, Written};
use crate::error::{Error, Result};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// Columns named in the summary.
const MOST_NAMED: usize = 20;

/// The entry of the list.
pub struct Trees;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// Rounds at most.
    pub rounds: usize,
    /// What each tree's values are multiplied by.
    pub rate: f64,
    /// Leaves of a tree at most.
    pub leaves: usize,
    /// Rows of a leaf at least; none: 20, and fewer below 400 rows.
    pub min_rows: Option<usize>,
    /// Pulls the values of leaves to 0.
    pub l2: f64,
    /// Bins of a number column at most.
    pub bins: usize,
    /// Rounds without a better validation loss after which the fit ends.
    pub patience: usize,
    /// Share of the columns that each tree may use, drawn for it.
    pub columns: f64,
    /// Share of the rows that each tree learns from, drawn for it.
    pub sample: f64,
    /// How many fits are averaged; none: 5, and 1 above 20,000 rows or where folds are averaged.
    pub members: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rounds: 1000,
            rate: 0.1,
            leaves: 31,
            min_rows: None,
            l2: 1.0,
            bins: 255,
            patience: 25,
            columns: 1.0,
            sample: 1.0,
            members: None,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let bounded = |name: &str, value: usize, low: usize, high: usize| {
            let wrong = || Error::setting(name, format!("{value} is not between {low} and {high}"));
            if (low..=high).contains(&value) { Ok(()) } else { Err(wrong()) }
        };
        bounded("rounds", settings.rounds, 1, 100_000)?;
        if !(settings.rate > 0.0 && settings.rate <= 1.0) {
            return Err(Error::setting("rate", format!("{} is not between 0 and 1", settings.rate)));
        }
        for (name, share) in [("columns", settings.columns), ("sample", settings.sample)] {
            if !(share > 0.0 && share <= 1.0) {
                return Err(Error::setting(name, format!("{share} is not a share above 0 and up to 1")));
            }
        }
        bounded("leaves", settings.leaves, 2, 4096)?;
        bounded("min-rows", settings.min_rows.unwrap_or(1), 1, 1_000_000_000)?;
        if !(0.0..=1e9).contains(&settings.l2) {
            return Err(Error::setting("l2", format!("{} is not between 0 and 1e9", settings.l2)));
        }
        bounded("bins", settings.bins, 2, MOST_BINS)?;
        bounded("patience", settings.patience, 1, 100_000)?;
        bounded("members", settings.members.unwrap_or(1), 1, 100)?;
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "trees",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::High,
    about: About {
        title: "Gradient-boosted trees that take missing values as they are",
        idea: "Many small decision trees, each correcting the sum of those before it. At every split the \
               rows whose cell is missing go to the side that fits them better, or are a side of their \
               own, so holes need no filling. Rows set aside say when to stop.",
        paper: "Friedman 2001 (gradient boosting); Ke et al. 2017 (LightGBM: histograms, leaf-wise trees); \
                Twala, Jones and Hand 2008 (missing values in splits)",
        when: "Thousands of rows or more, effects that bend or depend on each other, many categories.",
        when_not: "A few hundred rows with straight effects, where `linear` is better; or where a \
               prediction must change smoothly.",
    },
    settings: &[
        Setting {
            name: "rounds",
            help: "rounds at most; each adds a tree, or one per class if there are more than two",
        },
        Setting { name: "rate", help: "how far each tree goes, up to 1; smaller is often better and slower" },
        Setting { name: "leaves", help: "leaves of a tree at most" },
        Setting {
            name: "min-rows",
            help: "rows of a leaf at least; null: 20, and a 20th of the rows below 400",
        },
        Setting { name: "l2", help: "pulls the values of leaves to 0" },
        Setting { name: "bins", help: "values of a number column that splits can tell apart, 2 to 255" },
        Setting {
            name: "patience",
            help: "rounds without a better validation loss after which the fit ends",
        },
        Setting { name: "columns", help: "share of the columns that each tree may use, drawn for it" },
        Setting { name: "sample", help: "share of the rows that each tree learns from, drawn for it" },
        Setting {
            name: "members",
            help: "how many fits are averaged, each with another part of the rows set aside; 1: one fit to all \
               rows, stopped when two trials say so (above 20,000 rows: when a tenth of the rows does); null: 5, \
               and 1 above 20,000 rows or where the models of folds are averaged",
        },
    ],
    space: &[
        Axis::new("rate", Choices::LogUniform(0.02, 0.3)),
        Axis::new("leaves", Choices::Integers(4, 63)),
        Axis::new("min-rows", Choices::Integers(2, 50)),
        Axis::new("l2", Choices::LogUniform(0.01, 30.0)),
        Axis::new("bins", Choices::Options(&["31", "63", "255"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Trees {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings)?;
        // One code less than there are bins: `other` needs one too.
        Ok(Encoding { most_levels: MOST_BINS - 1, ..Encoding::default() })
    }

    fn settings_in_folds(&self, settings: &Value, _folds: usize, _rows: usize) -> Value {
        // The models of the folds are members enough.
        let mut settings = settings.clone();
        if settings["members"].is_null() {
            settings["members"] = json!(1);
        }
        settings
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let settings = Settings::checked(settings)?;
        let Training { encoder, inputs, targets } = training;
        if !targets.weights.iter().any(|weight| *weight > 0.0) {
            return Err(Error::method("trees", "there is no row with a weight above 0 to learn from"));
        }
        let forest = run.compute(|| boost::fit(encoder, inputs, targets, &settings, run));
        Ok(Box::new(Fitted::new(encoder, targets.task, forest)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        Settings::checked(settings)?;
        let shape = (encoder.numbers.len(), encoder.categories.len());
        let forest = Forest::load(arrays, shape, loss::outputs(task))?;
        Ok(Box::new(Fitted::new(encoder, task, forest)))
    }
}

/// Fitted trees.
struct Fitted {
    task: Task,
    /// Names of the columns, in the order of the forest.
    names: Vec<String>,
    stand_ins: StandIns,
    forest: Forest,
    /// The forest again, for blocks of rows; none where trees are too large for that.
    walk: Option<Walk>,
}

impl Fitted {
    fn new(encoder: &Encoder, task: Task, forest: Forest) -> Self {
        let names = encoder.names().map(str::to_owned).collect();
        let walk = Walk::new(&forest);
        Self { task, names, stand_ins: StandIns::new(encoder), forest, walk }
    }

    /// The same as [`Fitted::predict_row`] for each of up to [`LANES`] rows from a place on.
    fn predict_block(&self, walk: &Walk, rows: &Encoded, from: usize, answers: &mut [f64]) {
        let (outputs, answered) = (loss::outputs(self.task), self.task.outputs().max(1));
        let members = self.forest.bases.len();
        let block = self.block(rows, from, answers.len() / answered);
        let mut lanes = vec![[0.0; LANES]; outputs];
        let (mut sums, mut one) = (vec![0.0; outputs], vec![0.0; answered]);
        for member in 0..members {
            walk.sums(member, &block, &mut lanes);
            for (lane, answer) in answers.chunks_exact_mut(answered).enumerate() {
                sums.iter_mut().zip(&lanes).for_each(|(sum, lanes)| *sum = lanes[lane]);
                loss::predict(self.task, &sums, &mut one);
                answer.iter_mut().zip(&one).for_each(|(answer, one)| *answer += one / members as f64);
            }
        }
    }

    /// Some rows column by column, with stand-ins.
    fn block(&self, rows: &Encoded, from: usize, count: usize) -> Block {
        let shape = self.forest.shape;
        let mut block = Block { numbers: vec![[0.0; LANES]; shape.0], codes: vec![[0; LANES]; shape.1] };
        for lane in 0..count {
            for (column, lanes) in block.numbers.iter_mut().enumerate() {
                let cell = (from + lane) * shape.0 + column;
                let stand_in = self.stand_ins.numbers[column].unwrap_or(f32::NAN);
                lanes[lane] = if rows.numbers_observed[cell] { rows.numbers[cell] } else { stand_in };
            }
            for (column, lanes) in block.codes.iter_mut().enumerate() {
                let stand_in = self.stand_ins.codes[column].unwrap_or(MISSING);
                let code = bins::code(rows, shape.1, from + lane, column);
                lanes[lane] = code.map_or(stand_in, |code| code as u32);
            }
        }
        block
    }

    /// The mean of the members' predictions.
    fn predict_row(&self, rows: &Encoded, row: usize, answer: &mut [f64]) {
        let members = self.forest.bases.len();
        let mut sums = vec![0.0; loss::outputs(self.task)];
        let mut one = vec![0.0; answer.len()];
        for member in 0..members {
            self.forest.sums(member, rows, row, &mut sums);
            loss::predict(self.task, &sums, &mut one);
            answer.iter_mut().zip(&one).for_each(|(answer, one)| *answer += one / members as f64);
        }
    }

    /// Each column's share of all gains, largest first.
    fn importance(&self) -> Map<String, Value> {
        let mut gains = vec![0.0; self.names.len()];
        for node in self.forest.nodes() {
            if let Node::Split { column, gain, .. } = node {
                gains[*column as usize] += gain;
            }
        }
        let total: f64 = gains.iter().sum();
        let mut order: Vec<usize> = (0..gains.len()).filter(|&column| gains[column] > 0.0).collect();
        order.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]));
        let share = |&column: &usize| (self.names[column].clone(), json!(gains[column] / total));
        order.iter().take(MOST_NAMED).map(share).collect()
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        self.forest.save()
    }

    fn summary(&self) -> Value {
        let outputs = loss::outputs(self.task);
        let trees: Vec<usize> = self.forest.trees.iter().map(Vec::len).collect();
        json!({
            "rounds": trees.iter().map(|trees| trees / outputs).collect::<Vec<_>>(),
            "trees": trees.iter().sum::<usize>(),
            "leaves": self.forest.nodes().filter(|node| matches!(node, Node::Leaf(_))).count(),
            "importance": self.importance(),
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let outputs = self.task.outputs().max(1);
        let mut answers = vec![0.0; rows.rows * outputs];
        if let Some(walk) = &self.walk {
            let blocks = answers.par_chunks_mut(LANES * outputs).with_min_len(8).enumerate();
            blocks.for_each(|(block, answers)| self.predict_block(walk, rows, block * LANES, answers));
            return Ok(answers);
        }
        let rows = &*self.stand_ins.apply(rows);
        let each = answers.par_chunks_mut(outputs).with_min_len(64).enumerate();
        each.for_each(|(row, answer)| self.predict_row(rows, row, answer));
        Ok(answers)
    }

    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let (rows, outputs) = (rows.table()?, loss::outputs(self.task));
        let codes: Vec<usize> = rows.categories.iter().map(|category| category.codes).collect();
        let mut answers = Vec::new();
        for (base, trees) in self.forest.bases.iter().zip(&self.forest.trees) {
            let written = |(number, tree): (usize, &Vec<Node>)| {
                let node = |node| forest::written(node, self.forest.shape.0, &codes, number % outputs);
                tree.iter().map(node).collect()
            };
            let trees: Vec<_> = trees.iter().enumerate().map(written).collect();
            let sums = written::sums(graph, rows, &self.stand_ins, &trees, outputs);
            let base = graph.doubles(&[1, outputs], base.clone());
            let sums = graph.add(&sums, &base);
            answers.push((of_sums(graph, &sums, self.task), 1.0 / self.forest.bases.len() as f64));
        }
        weighted(graph, &answers).ok_or_else(|| Error::data("there is no tree"))
    }

    /// The mean over background rows; chances are no sums of trees.
    fn contributions(&self, rows: &Rows, background: &Rows) -> Result<Option<Exact>> {
        if self.task != Task::Regression {
            return Ok(None);
        }
        let (rows, around) = (self.stand_ins.apply(rows.table()?), self.stand_ins.apply(background.table()?));
        let mut sums = vec![0.0; rows.rows * self.names.len()];
        sums.par_chunks_mut(self.names.len().max(1)).enumerate().for_each(|(row, sums)| {
            for place in 0..around.rows {
                contributions::contributions(&self.forest, (&rows, row), (&around, place), sums);
            }
            sums.iter_mut().for_each(|sum| *sum /= around.rows.max(1) as f64);
        });
        let base = self.predict(background)?.iter().sum::<f64>() / around.rows.max(1) as f64;
        Ok(Some(Exact { base, values: sums }))
    }
}
