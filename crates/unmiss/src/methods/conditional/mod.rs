#![doc = include_str!("README.md")]

mod answer;
mod choose;
mod head;
mod joint;
mod point;
mod slopes;
mod start;
mod train;
mod written;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::written::of_sums;
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting, Training,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Rows, Targets, Task, Wide, Written};
use crate::error::{Error, Result};
use crate::linalg::groups;
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use answer::{Answer, Item, Loss};
use choose::{Learner, STAGES, Stage, Wish};
use head::Head;
use joint::Joint;
use slopes::Wanted;
use start::Sample;

/// Encoded columns, at most: every pattern of holes costs their cube.
pub const MOST_COLUMNS: usize = 150;
/// Times that a row of the mean weight stands in the list of rows, where weights differ.
const TIMES: f64 = 4.0;
/// Steps of each stage where the models of folds are averaged, unless others are wanted.
const STEPS_IN_FOLDS: usize = 500;

/// The entry of the list.
pub struct ConditionalSolve;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What answers from the distribution.
    pub head: HeadKind,
    /// Whether holes may say something of what they hide.
    pub sites: Choice,
    /// Added to the diagonal of the covariance.
    pub ridge: Option<f64>,
    /// Steps of each stage of learning.
    pub steps: usize,
    /// Adam's rate.
    pub rate: f64,
}

/// What answers from the distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadKind {
    /// As cross-validation says.
    Auto,
    /// A weighted sum.
    Linear,
    /// A weighted sum and a network.
    Network,
}

/// Whether to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// As cross-validation says.
    Auto,
    /// Do.
    Yes,
    /// Don't.
    No,
}

impl Default for Settings {
    fn default() -> Self {
        Self { head: HeadKind::Auto, sites: Choice::Auto, ridge: None, steps: 750, rate: 0.01 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::setting(name, format!("{value} is not above 0"))),
        };
        positive("rate", settings.rate)?;
        settings.ridge.map_or(Ok(()), |ridge| positive("ridge", ridge))?;
        Ok(settings)
    }

    fn wish(&self, seed: u64) -> Wish {
        let Self { steps, rate, ridge, .. } = *self;
        let network = match self.head {
            HeadKind::Auto => None,
            HeadKind::Linear => Some(false),
            HeadKind::Network => Some(true),
        };
        let sites = match self.sites {
            Choice::Auto => None,
            Choice::Yes => Some(true),
            Choice::No => Some(false),
        };
        Wish { steps, rate, ridge, network, sites, seed }
    }
}

static CARD: Card = Card {
    name: "conditional",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::Medium,
    about: About {
        title: "A joint normal, given what is known and what is missing",
        idea: "Columns and target together are a normal distribution, learned through the holes. A row's answer \
               comes from what its known cells say of the others, solved exactly, and from what its holes say of \
               the values that they hide; both are then trained for the target itself. Cross-validation says how \
               far training goes, and whether a network behind it pays off.",
        paper: "Dempster, Laird and Rubin 1977; Le Morvan et al. 2020 (NeuMiss, whose series it sums exactly)",
        when: "Correlated numbers with many holes, above all where large or small values hide themselves.",
        when_not: "Complete tables (`linear` does the same), effects that bend or interact in many columns (`trees`), \
                   more than 150 columns after categories became indicators.",
    },
    settings: &[
        Setting {
            name: "head",
            help: "what answers: auto (by cross-validation), linear, or network (for targets that bend)",
        },
        Setting {
            name: "sites",
            help: "whether a hole may say something of the value that it hides: auto (by cross-validation), yes or no",
        },
        Setting {
            name: "ridge",
            help: "added to the diagonal of the covariance; unless given, by cross-validation where rows are few",
        },
        Setting { name: "steps", help: "steps of each stage of training" },
        Setting { name: "rate", help: "Adam's rate" },
    ],
    space: &[
        Axis::new("rate", Choices::LogUniform(3e-3, 3e-2)),
        Axis::new("steps", Choices::Integers(400, 1500)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for ConditionalSolve {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// Models of several folds, whose mean errs less than each, learn in fewer steps.
    fn settings_in_folds(&self, settings: &Value, _folds: usize, _rows: usize) -> Value {
        changed(settings, ("steps", &self.defaults()["steps"]), json!(STEPS_IN_FOLDS))
    }

    /// Whether a network pays off is tried by the models of some folds alone: the others do as all of these chose.
    fn settled(&self, settings: &Value, found: &[&dyn Learned]) -> Value {
        let bends =
            !found.is_empty() && found.iter().all(|own| own.summary()["chosen"] == Stage::Network.word());
        let head = if bends { HeadKind::Network } else { HeadKind::Linear };
        changed(settings, ("head", &json!(HeadKind::Auto)), json!(head))
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let Training { encoder, inputs, targets } = examples.training()?;
        let settings = Settings::checked(settings)?;
        let wide = fitting(encoder)?;
        let rows = repeated(&targets.weights);
        if rows.is_empty() {
            return Err(Error::method("conditional", "there is no row with a weight above 0 to learn from"));
        }
        let widened = wide.widen(inputs);
        let outcome = run.compute(|| {
            let sample = sample(&widened, targets, &rows);
            let going = || !run.stopped();
            let sample = Sample { patterns: &sample.1, ..sample.0 };
            Learner { sample, wish: settings.wish(run.seed()), going: &going }.learn(&rows)
        });
        run.finished();
        let mut losses = [-1.0; STAGES.len()];
        outcome.losses.iter().for_each(|(stage, loss)| losses[*stage as usize] = *loss);
        let story = Story { stage: outcome.stage, ridge: outcome.ridge, losses };
        let answer = outcome.point.answer();
        Ok(Box::new(Fitted { wide, names: names(encoder), task: targets.task, answer, story }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        self.check(settings)?;
        let wide = fitting(encoder)?;
        let (columns, outputs) = (wide.columns(), outputs_of(task));
        let array = |name: &str, shape: &[usize]| -> Result<Vec<f64>> {
            let cells = arrays.doubles(name, shape)?.to_vec();
            match cells.iter().all(|cell| cell.is_finite()) {
                true => Ok(cells),
                false => Err(Error::data(format!("array `{name}` has a number that is not finite"))
                    .with_hint("the file is damaged; fit the model again")),
            }
        };
        let directions = arrays.shape("weights").and_then(|shape| shape.first().copied()).unwrap_or(outputs);
        if directions < outputs {
            return Err(Error::data("array `weights` has fewer lines than there are outputs"));
        }
        let sites = (array("tilt", &[columns])?, array("precision", &[columns])?);
        let (mean, covariance) = (array("mean", &[columns])?, array("covariance", &[columns, columns])?);
        let joint = Joint::new(mean, covariance, sites, array("weights", &[directions, columns])?);
        let head = match arrays.shape("network") {
            None => None,
            Some(_) => {
                let head = Head { inputs: Answer::inputs(columns, directions), outputs };
                Some((head, array("network", &[head.len()])?))
            }
        };
        let (bias, marks) = (array("bias", &[outputs])?, array("marks", &[outputs, columns])?);
        let answer = Answer { joint, bias, marks, head, loss: loss_of(task) };
        let story = Story::load(&array("story", &[2 + STAGES.len()])?)?;
        Ok(Box::new(Fitted { wide, names: names(encoder), task, answer, story }))
    }
}

/// Settings with another value where one is not given or given as its default.
fn changed(settings: &Value, (name, default): (&str, &Value), value: Value) -> Value {
    let mut settings = settings.clone();
    if let Some(own) = settings.as_object_mut()
        && own.get(name).is_none_or(|given| given == default)
    {
        own.insert(name.to_owned(), value);
    }
    settings
}

/// The plain layout of columns, if it is not too wide.
fn fitting(encoder: &Encoder) -> Result<Wide> {
    let wide = Wide::new(encoder);
    match wide.columns() {
        0 => Err(Error::method("conditional", "no column has a value to learn from")),
        1..=MOST_COLUMNS => Ok(wide),
        columns => {
            let what = format!(
                "{columns} columns after categories became indicators are more than {MOST_COLUMNS}, which it can solve"
            );
            Err(Error::method("conditional", what).with_hint("use `linear` or `trees`, or leave columns out"))
        }
    }
}

fn names(encoder: &Encoder) -> Vec<String> {
    encoder.numbers.iter().map(|feature| feature.name.clone()).collect()
}

fn loss_of(task: Task) -> Loss {
    if task == Task::Regression { Loss::Squares } else { Loss::Chances }
}

/// One output for a number or two classes, else one per class.
fn outputs_of(task: Task) -> usize {
    match task {
        Task::Regression | Task::Classification { classes: 0..=2 } => 1,
        Task::Classification { classes } => classes,
    }
}

/// Places of rows, heavier rows several times: in all so often as their weights say.
fn repeated(weights: &[f32]) -> Vec<usize> {
    let first = weights.first().copied().unwrap_or(0.0);
    if weights.iter().all(|weight| *weight == first) {
        return if first > 0.0 { (0..weights.len()).collect() } else { Vec::new() };
    }
    let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let mut rows = Vec::new();
    let mut before = 0.5;
    for (row, weight) in weights.iter().enumerate() {
        let after = before + TIMES * f64::from(*weight) * weights.len() as f64 / total;
        rows.extend((before as usize..after as usize).map(|_| row));
        before = after;
    }
    rows
}

/// Rows with their targets, and the number of each row's pattern of holes.
fn sample<'a>(widened: &'a WideRows, targets: &'a Targets, rows: &[usize]) -> (Sample<'a>, Vec<u32>) {
    let data = widened.holes();
    let mut patterns = vec![0; data.rows()];
    for (number, group) in groups(data, rows).iter().enumerate() {
        group.rows.iter().for_each(|row| patterns[*row] = number as u32);
    }
    let wanted = Wanted { numbers: &targets.numbers, classes: &targets.classes };
    let (loss, outputs) = (loss_of(targets.task), outputs_of(targets.task));
    (Sample { data, wanted, loss, outputs, patterns: &[] }, patterns)
}

/// How the predictor was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Story {
    stage: Stage,
    ridge: f64,
    /// Held-out loss of each stage, below 0 where it was not tried.
    losses: [f64; STAGES.len()],
}

impl Story {
    fn save(&self) -> Vec<f64> {
        [self.stage as usize as f64, self.ridge].into_iter().chain(self.losses).collect()
    }

    fn load(numbers: &[f64]) -> Result<Self> {
        let damaged = || Error::data("array `story` is damaged").with_hint("fit the model again");
        let [stage, ridge, losses @ ..] = numbers else { return Err(damaged()) };
        let stage = *STAGES.get(*stage as usize).ok_or_else(damaged)?;
        Ok(Self { stage, ridge: *ridge, losses: losses.try_into().map_err(|_| damaged())? })
    }
}

/// A fitted predictor.
struct Fitted {
    wide: Wide,
    /// Of the numbers, which come first among the columns.
    names: Vec<String>,
    task: Task,
    answer: Answer,
    story: Story,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "normal distribution",
            Self::Coefficients => "trained coefficients",
            Self::Sites => "trained sites",
            Self::Distribution => "trained distribution and sites",
            Self::Network => "network",
        }
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let Answer { joint, bias, marks, head, .. } = &self.answer;
        let (columns, outputs) = (joint.columns, bias.len());
        arrays.put_doubles("mean", &[columns], joint.mean.clone());
        arrays.put_doubles("covariance", &[columns, columns], joint.covariance.clone());
        arrays.put_doubles("tilt", &[columns], joint.tilt.clone());
        arrays.put_doubles("precision", &[columns], joint.precision.clone());
        arrays.put_doubles("weights", &[joint.directions(), columns], joint.weights.clone());
        arrays.put_doubles("bias", &[outputs], bias.clone());
        arrays.put_doubles("marks", &[outputs, columns], marks.clone());
        if let Some((head, own)) = head {
            arrays.put_doubles("network", &[head.len()], own.clone());
        }
        let story = self.story.save();
        arrays.put_doubles("story", &[story.len()], story);
        arrays
    }

    fn summary(&self) -> Value {
        let tried = STAGES.iter().zip(self.story.losses).filter(|(_, loss)| *loss >= 0.0);
        let losses: Map<String, Value> =
            tried.map(|(stage, loss)| (stage.word().to_owned(), json!(loss))).collect();
        let joint = &self.answer.joint;
        // What a hole alone says of a standardised value: the mean of N(0, 1) times the site.
        let speaks = |column: &usize| joint.precision[*column] > 0.0;
        let hidden: Map<String, Value> = (0..self.names.len())
            .filter(speaks)
            .map(|column| {
                (self.names[column].clone(), json!(joint.tilt[column] / (1.0 + joint.precision[column])))
            })
            .collect();
        let mut summary = json!({
            "chosen": self.story.stage.word(),
            "ridge": self.story.ridge,
            "columns": joint.columns,
            "held-out loss": losses,
        });
        if !hidden.is_empty() {
            summary["a hole suggests, in deviations from the mean"] = Value::Object(hidden);
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let cells = self.wide.write(graph, rows.table()?);
        let scores = self.answer.write(graph, &cells);
        Ok(of_sums(graph, &scores, self.task))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let widened = self.wide.widen(rows.table()?);
        let data = widened.holes();
        let all: Vec<usize> = (0..data.rows()).collect();
        let groups = groups(data, &all);
        let items: Vec<Item<'_>> =
            groups.iter().map(|group| Item { observed: &group.observed, rows: &group.rows }).collect();
        let scores = self.answer.predict(data, &items);
        Ok(match self.task {
            Task::Regression => scores,
            Task::Classification { classes: classes @ 0..=2 } => {
                let chances = scores.into_iter().map(|score| 1.0 / (1.0 + (-score).exp()));
                chances.flat_map(|chance| [1.0 - chance, chance].into_iter().take(classes)).collect()
            }
            Task::Classification { classes } => scores.chunks_exact(classes).flat_map(chances).collect(),
        })
    }
}

fn chances(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chances: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
    let sum: f64 = chances.iter().sum();
    chances.into_iter().map(|chance| chance / sum).collect()
}
