#![doc = include_str!("README.md")]

mod fitted;
mod response;
mod grow;
mod plant;
mod stored;
mod fill;

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use fill::Filler;
use fitted::{Node, bins_of};
use plant::{Extra, Plan, plant};
use stored::Forest;

use super::trees::bins::{Bins, MOST_BINS};
use super::trees::stand_in::StandIns;
use super::trees::written::sums;
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting, Training,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Encoded, Encoder, Encoding, Rows, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// Columns named in the summary.
const MOST_NAMED: usize = 20;
/// Trees where nothing else is said,
const TREES: usize = 250;
/// and in all folds of a cross-validation, whose models are averaged,
const TREES_OF_FOLDS: usize = 300;
/// but no fewer than this in each: its own answers are judged.
const FEWEST_TREES: usize = 50;
/// Leaves of a tree that all rows would fill evenly, at most.
const MOST_LEAVES: usize = 2000;
/// Columns above which a split chooses from a smaller share of them.
const MANY_COLUMNS: usize = 20;
/// Rows that a thread answers for at once.
const ROWS_AT_ONCE: usize = 256;

/// The entry of the list.
pub struct RandomForest;

/// How numbers are cut.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Cuts {
    /// At the best place of a column, on rows drawn with replacement.
    Best,
    /// At a random place, on all rows.
    Random,
    /// Half of the trees each way.
    #[default]
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Settings {
    trees: Option<usize>,
    min_leaf: Option<usize>,
    columns: Option<f64>,
    cuts: Cuts,
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(1..=10_000).contains(&settings.trees.unwrap_or(1)) {
            return Err(Error::setting("trees", "it is not between 1 and 10000"));
        }
        if !(1..=1_000_000_000).contains(&settings.min_leaf.unwrap_or(1)) {
            return Err(Error::setting("min-leaf", "it is not between 1 and 1e9"));
        }
        if !settings.columns.is_none_or(|share| share > 0.0 && share <= 1.0) {
            return Err(Error::setting("columns", "it is a share of the columns, above 0 and up to 1"));
        }
        Ok(settings)
    }

    /// The trees for some rows of so many columns.
    fn plan(&self, task: Task, rows: usize, columns: usize) -> Plan {
        let (share, smallest) = match task {
            Task::Regression if columns <= MANY_COLUMNS => (0.5, if rows < 200 { 1 } else { 2 }),
            Task::Regression => (0.33, if rows < 200 { 1 } else { 2 }),
            Task::Classification { .. } => (0.33, if rows < 200 { 2 } else { 3 }),
        };
        let looked_at = columns as f64 * self.columns.unwrap_or(share);
        Plan {
            trees: self.trees.unwrap_or(TREES),
            extra: match self.cuts {
                Cuts::Best => Extra::None,
                Cuts::Random => Extra::All,
                Cuts::Both => Extra::Half,
            },
            columns: (looked_at.round() as usize).clamp(1, columns.max(1)),
            min_leaf: self.min_leaf.unwrap_or(smallest.max(rows.min(plant::MOST_ROWS) / MOST_LEAVES)),
        }
    }
}

static CARD: Card = Card {
    name: "forest",
    does: &[(Shape::Table, Job::Predict), (Shape::Table, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Predict), (Shape::Table, Job::Fill)],
    cost: Cost::Medium,
    about: About {
        title: "The mean of many deep trees, missing values as they are",
        idea: "Each tree sees other rows and, at every split, a few columns drawn at random; half of the trees \
               cut numbers at random places too. Single trees are rough and differ, their mean is steady. \
               Rows whose cell is missing go to the side that fits them better, or are a side of their own.",
        paper: "Breiman 2001 (random forests); Geurts, Ernst and Wehenkel 2006 (extremely randomised trees); \
                Twala, Jones and Hand 2008 (missing values in splits)",
        when: "A quick and robust second opinion on any table, from a hundred rows on; noisy targets. It fills holes \
               too, column after column from the others.",
        when_not: "Straight effects, or values beyond those of the training rows: its answers stay within them.",
    },
    settings: &[
        Setting { name: "trees", help: "how many; null: 250 (300 in all folds of a cross-validation)" },
        Setting {
            name: "min-leaf",
            help: "rows of a leaf at least; null: 1 to 3, and a 2000th of the rows in larger tables",
        },
        Setting {
            name: "columns",
            help: "share of the columns that a split chooses from; null: 0.33, and 0.5 for a number from up to 20 \
               columns",
        },
        Setting {
            name: "cuts",
            help: "best (random forest), random (extra trees) or both, half of the trees each way",
        },
    ],
    space: &[
        Axis::new("min-leaf", Choices::Integers(1, 20)),
        Axis::new("columns", Choices::Uniform(0.1, 1.0)),
        Axis::new("cuts", Choices::Options(&["best", "random", "both"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for RandomForest {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings)?;
        // One code less than there are bins: `other` needs one too.
        Ok(Encoding { most_levels: MOST_BINS - 1, ..Encoding::default() })
    }

    fn settings_in_folds(&self, settings: &Value, folds: usize, _rows: usize) -> Value {
        let mut settings = settings.clone();
        if settings["trees"].is_null() {
            settings["trees"] = json!((TREES_OF_FOLDS / folds.max(1)).max(FEWEST_TREES));
        }
        settings
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        if let Examples::Table { encoder, rows, targets: None } = examples {
            return Ok(Box::new(Filler::fit(&settings, encoder, rows, run)?));
        }
        let Training { encoder, inputs, targets } = examples.training()?;
        let weighted = |row: &u32| targets.weights[*row as usize] > 0.0;
        let rows: Vec<u32> = (0..inputs.rows as u32).filter(weighted).collect();
        if rows.is_empty() {
            return Err(Error::method("forest", "there is no row with a weight above 0 to learn from"));
        }
        check_width(encoder)?;
        Ok(Box::new(run.compute(|| Fitted::fit(&settings, encoder, inputs, targets, &rows, run))))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Settings::checked(settings)?;
        if layout.task.is_none() {
            return Ok(Box::new(Filler::load(layout.table()?, arrays)?));
        }
        let (encoder, task) = layout.predicting()?;
        let forest = Forest::load(arrays, encoder, outputs(task))?;
        Ok(Box::new(Fitted::new(encoder, task, forest)))
    }
}

/// Nodes have two bytes for their column.
fn check_width(encoder: &Encoder) -> Result<()> {
    match encoder.width() > usize::from(u16::MAX) {
        true => Err(Error::method("forest", "it is for at most 65,535 columns")),
        false => Ok(()),
    }
}

/// Numbers of an answer: one for a number or for two classes, else one per class.
fn outputs(task: Task) -> usize {
    match task {
        Task::Classification { classes } if classes > 2 => classes,
        _ => 1,
    }
}

/// What each answer has a little of, so that no class is impossible: the classes' shares, as much as one row among all.
fn prior(targets: &Targets, rows: &[u32]) -> (Vec<f64>, f64) {
    let outputs = outputs(targets.task);
    if targets.task == Task::Regression {
        return (vec![0.0], 0.0);
    }
    let mut shares = vec![0.0; outputs.max(2)];
    rows.iter().for_each(|&row| {
        shares[targets.classes[row as usize] as usize] += f64::from(targets.weights[row as usize]);
    });
    let total: f64 = shares.iter().sum();
    // Half a row for each class: none is impossible even if no row has it.
    let smooth = |share: &f64| (share + 0.5) / (total + shares.len() as f64 / 2.0);
    let shares: Vec<f64> = shares.iter().map(smooth).collect();
    let share = 1.0 / (1.0 + rows.len() as f64);
    (if outputs == 1 { vec![shares[1]] } else { shares }, share)
}

/// A fitted forest.
struct Fitted {
    task: Task,
    /// Names of the columns: numbers, then categories.
    names: Vec<String>,
    shape: (usize, usize),
    stand_ins: StandIns,
    forest: Forest,
}

impl Fitted {
    /// Grows a forest on some of the rows.
    fn fit(
        settings: &Settings,
        encoder: &Encoder,
        inputs: &Encoded,
        targets: &Targets,
        rows: &[u32],
        run: &Run,
    ) -> Self {
        let bins = Bins::new(encoder, inputs, rows, MOST_BINS);
        let plan = settings.plan(targets.task, rows.len(), encoder.width());
        let (trees, gains) = plant(&bins, targets, rows, plan, run);
        let (prior, prior_share) = prior(targets, rows);
        Self::new(encoder, targets.task, Forest { meanings: bins.meanings, trees, gains, prior, prior_share })
    }

    fn new(encoder: &Encoder, task: Task, forest: Forest) -> Self {
        let names = encoder.names().map(str::to_owned).collect();
        let shape = (encoder.numbers.len(), encoder.categories.len());
        Self { task, names, shape, stand_ins: StandIns::new(encoder), forest }
    }

    /// Each column's share of all gains, largest first.
    fn importance(&self) -> Map<String, Value> {
        let gains = &self.forest.gains;
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
        let nodes = self.forest.trees.iter().flat_map(|tree| &tree.nodes);
        json!({
            "trees": self.forest.trees.len(),
            "leaves": nodes.filter(|node| matches!(node, Node::Leaf)).count(),
            "importance": self.importance(),
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        Ok(self.answers(rows.table()?))
    }

    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let (rows, outputs) = (rows.table()?, outputs(self.task));
        let codes: Vec<usize> = rows.categories.iter().map(|category| category.codes).collect();
        let Forest { meanings, trees, prior, prior_share, .. } = &self.forest;
        let written: Vec<_> = trees.iter().map(|tree| tree.written(meanings, self.shape.0, &codes)).collect();
        let sums = sums(graph, rows, &self.stand_ins, &written, outputs);
        let share = graph.double((1.0 - prior_share) / trees.len() as f64);
        let prior = prior.iter().map(|prior| prior_share * prior).collect();
        let prior = graph.doubles(&[1, outputs], prior);
        let sums = graph.times(&sums, &share);
        let sums = graph.add(&sums, &prior);
        Ok(match self.task {
            Task::Regression => sums,
            Task::Classification { .. } if outputs == 1 => graph.with_first_of_two(&sums),
            Task::Classification { .. } => {
                let total = graph.sum(&sums, 1);
                graph.divide(&sums, &total)
            }
        })
    }
}

impl Fitted {
    /// `[rows, outputs]`: what it answers.
    fn answers(&self, rows: &Encoded) -> Vec<f64> {
        let rows = &*self.stand_ins.apply(rows);
        let (outputs, width) = (outputs(self.task), self.names.len());
        let Forest { meanings, trees, prior, prior_share, .. } = &self.forest;
        let answered = self.task.outputs().max(1);
        let mut answers = vec![0.0; rows.rows * answered];
        answers.par_chunks_mut(ROWS_AT_ONCE * answered).enumerate().for_each(|(block, answers)| {
            let count = answers.len() / answered;
            let mut bins = vec![0; count * width];
            bins_of(meanings, self.shape, rows, block * ROWS_AT_ONCE, &mut bins);
            let mut sums = vec![0.0; count * outputs];
            trees.iter().for_each(|tree| tree.add(&bins, width, outputs, &mut sums));
            for (answer, sums) in answers.chunks_exact_mut(answered).zip(sums.chunks_exact_mut(outputs)) {
                for (sum, prior) in sums.iter_mut().zip(prior) {
                    *sum = (1.0 - prior_share) * *sum / trees.len() as f64 + prior_share * prior;
                }
                match self.task {
                    Task::Classification { .. } if outputs == 1 => {
                        answer[0] = 1.0 - sums[0];
                        answer[1..].fill(sums[0]);
                    }
                    Task::Classification { .. } => {
                        // Shares are kept in single precision: their sum is 1 only nearly.
                        let total: f64 = sums.iter().sum();
                        answer.iter_mut().zip(sums).for_each(|(answer, sum)| *answer = *sum / total);
                    }
                    Task::Regression => answer.copy_from_slice(sums),
                }
            }
        });
        answers
    }
}
