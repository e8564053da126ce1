#![doc = include_str!("README.md")]

mod gram;
mod lbfgs;
mod logistic;
mod ridge;
mod strength;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use logistic::Problem;

use super::{
    About, Axis, Card, Choices, Cost, Exact, Examples, Job, Layout, Learned, Method, Predictor, Setting,
    Training, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Design, Encoded, Encoding, Missing, Rows, Targets, Task};
use crate::error::{Error, Result};
use crate::nn::sparsity::{Constant, Rule};
use crate::run::Run;
use crate::store::Arrays;

/// Inputs up to which the summary lists every coefficient.
const MOST_LISTED: usize = 50;

/// The entry of the list.
pub struct Linear;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What a missing cell becomes.
    pub missing: Missing,
    /// How strongly coefficients are pulled to 0.
    pub strength: Strength,
    /// K of Sparsity Normalization.
    pub k: Constant,
}

/// How strongly coefficients are pulled to 0: penalty strength / 2 |coefficients|^2 on the mean loss.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "WordOrNumber<Auto>", into = "WordOrNumber<Auto>")]
pub enum Strength {
    /// Chosen by cross-validation.
    #[default]
    Auto,
    /// As given.
    Fixed(f64),
}

/// How a setting that is a word or a number is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or one of its words")]
enum WordOrNumber<W> {
    Word(W),
    Number(f64),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Auto {
    Auto,
}

impl From<WordOrNumber<Auto>> for Strength {
    fn from(written: WordOrNumber<Auto>) -> Self {
        match written {
            WordOrNumber::Word(Auto::Auto) => Self::Auto,
            WordOrNumber::Number(value) => Self::Fixed(value),
        }
    }
}

impl From<Strength> for WordOrNumber<Auto> {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Auto => Self::Word(Auto::Auto),
            Strength::Fixed(value) => Self::Number(value),
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if let Strength::Fixed(value) = settings.strength
            && !positive(value)
        {
            return Err(Error::setting("strength", format!("{value} is not a positive number")));
        }
        settings.k.check()?;
        if settings.k == Constant::Rule(Rule::Hidden) {
            return Err(Error::setting("k", "a linear model has no hidden units")
                .with_hint("use mean, input or a number"));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "linear",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::Medium,
    about: About {
        title: "Linear model: ridge, or logistic regression",
        idea: "A weighted sum of the inputs. A missing number counts as its mean and a missing category as \
               its usual shares; one more input per column says that it is missing, so that holes that \
               tell something are heard. How strongly weights are pulled to 0 is chosen by \
               cross-validation.",
        paper: "Hoerl and Kennard 1970 (ridge); Golub, Heath and Wahba 1979 (choice of strength); \
                Yi et al. 2020 (Sparsity Normalization)",
        when: "First of all: it is fast, can be read, and is hard to beat on a few hundred rows.",
        when_not: "When the effect of a column bends, or depends on other columns.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "what a missing cell becomes: zero, mean, observed-indicator, missing-indicator, \
               sparsity-normalization, mean+missing-indicator or \
               sparsity-normalization+missing-indicator",
        },
        Setting {
            name: "strength",
            help: "how strongly weights are pulled to 0: auto (by cross-validation) or a number above 0",
        },
        Setting {
            name: "k",
            help: "with sparsity-normalization, the K in K / (known columns of the row): mean (of the \
               training rows), input (number of columns) or a number above 0",
        },
    ],
    space: &[
        // The strength has a search of its own: `auto`.
        Axis::new(
            "missing",
            Choices::Options(&[
                "mean",
                "missing-indicator",
                "mean+missing-indicator",
                "sparsity-normalization",
                "sparsity-normalization+missing-indicator",
            ]),
        ),
        Axis::new("k", Choices::Options(&["mean", "input"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Linear {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Ok(Encoding { scale: Settings::checked(settings)?.missing.scale(), ..Encoding::default() })
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let settings = Settings::checked(settings)?;
        let Training { encoder, inputs, targets } = training;
        if targets.weights.iter().all(|weight| *weight <= 0.0) {
            return Err(Error::method("linear", "there is no row with a weight above 0 to learn from"));
        }
        let k = settings.k.number(inputs.mean_known(), 0, encoder.width());
        let design = Design::new(encoder, settings.missing, k as f32);
        let strength = match settings.strength {
            Strength::Auto => None,
            Strength::Fixed(value) => Some(value),
        };
        let fit = run.compute(|| match targets.task {
            Task::Regression => fit_numbers(&design, inputs, targets, strength),
            Task::Classification { .. } => Ok(fit_classes(&design, inputs, targets, strength, run)),
        })?;
        run.finished();
        Ok(Box::new(LinearPredictor { names: design.names(encoder), design, task: targets.task, fit }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        let settings = Settings::checked(settings)?;
        let k = arrays.finite_single("k")?;
        let design = Design::new(encoder, settings.missing, k);
        let weights = arrays.doubles("weights", &[design.inputs() + 1, logits_of(task)])?.to_vec();
        let [strength, steps] = *arrays.doubles("fit", &[2])? else {
            return Err(Error::data("array `fit` does not have two numbers"));
        };
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::data("array `weights` has a number that is not finite")
                .with_hint("the file is damaged; fit the model again"));
        }
        let fit = Fit { weights, strength, steps: steps as usize };
        Ok(Box::new(LinearPredictor { names: design.names(encoder), design, task, fit }))
    }
}

/// What was learned.
struct Fit {
    /// `[inputs + 1, logits]`, the bias last.
    weights: Vec<f64>,
    strength: f64,
    /// Steps of the final solver; 1 for a regression, which is solved directly.
    steps: usize,
}

/// Sums a row gives: one for a number or for two classes, else one per class.
fn logits_of(task: Task) -> usize {
    match task {
        Task::Regression | Task::Classification { classes: 0..=2 } => 1,
        Task::Classification { classes } => classes,
    }
}

fn fit_numbers(design: &Design, inputs: &Encoded, targets: &Targets, strength: Option<f64>) -> Result<Fit> {
    let rows = design.rows(inputs);
    let ridge = ridge::fit(&rows, design.inputs(), &targets.numbers, &targets.weights, strength)?;
    Ok(Fit { weights: ridge.weights, strength: ridge.strength, steps: 1 })
}

fn fit_classes(
    design: &Design,
    inputs: &Encoded,
    targets: &Targets,
    strength: Option<f64>,
    run: &Run,
) -> Fit {
    let rows = design.rows(inputs);
    let picked: Vec<u32> =
        (0..rows.len() as u32).filter(|row| targets.weights[*row as usize] > 0.0).collect();
    let problem = Problem {
        rows: &rows,
        inputs: design.inputs(),
        classes: &targets.classes,
        weights: &targets.weights,
        picked: &picked,
        outputs: logits_of(targets.task),
    };
    let (strength, start) = match strength {
        Some(strength) => (strength, vec![0.0; problem.size()]),
        None => strength::choose(&problem, run),
    };
    let solution = problem.minimize(strength, start, run);
    Fit { weights: solution.weights, strength, steps: solution.steps }
}

/// A fitted linear model.
struct LinearPredictor {
    design: Design,
    names: Vec<String>,
    task: Task,
    fit: Fit,
}

impl LinearPredictor {
    fn predict_row(&self, rows: &Encoded, row: usize, answer: &mut [f64]) {
        let mut pairs = Vec::new();
        self.design.row(rows, row, |input, value| pairs.push((input as usize, f64::from(value))));
        match self.task {
            Task::Regression => logistic::logits(pairs.into_iter(), &self.fit.weights, answer),
            Task::Classification { classes: 0..=2 } => {
                let mut z = [0.0];
                logistic::logits(pairs.into_iter(), &self.fit.weights, &mut z);
                logistic::probabilities_in_place(&mut z);
                answer[0] = 1.0 - z[0];
                answer[1..].fill(z[0]);
            }
            Task::Classification { .. } => {
                logistic::logits(pairs.into_iter(), &self.fit.weights, answer);
                logistic::probabilities_in_place(answer);
            }
        }
    }
}

impl Learned for LinearPredictor {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let shape = [self.design.inputs() + 1, logits_of(self.task)];
        arrays.put_doubles("weights", &shape, self.fit.weights.clone());
        arrays.put_singles("k", &[1], vec![self.design.normalization().unwrap_or(1.0)]);
        arrays.put_doubles("fit", &[2], vec![self.fit.strength, self.fit.steps as f64]);
        arrays
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "strength": self.fit.strength,
            "iterations": self.fit.steps,
            "inputs": self.design.inputs(),
        });
        if let Some(k) = self.design.normalization() {
            summary["k"] = json!(k);
        }
        if self.names.len() <= MOST_LISTED {
            let names = self.names.iter().map(String::as_str).chain(["(bias)"]);
            let lines = self.fit.weights.chunks(logits_of(self.task));
            let listed = names.zip(lines).map(|(name, line)| {
                (name.to_owned(), if let [weight] = line { json!(weight) } else { json!(line) })
            });
            summary["coefficients"] = Value::Object(listed.collect::<Map<_, _>>());
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for LinearPredictor {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let outputs = self.task.outputs();
        let mut answers = vec![0.0; rows.rows * outputs];
        let rows_with_answers = answers.par_chunks_mut(outputs.max(1)).with_min_len(256).enumerate();
        rows_with_answers.for_each(|(row, answer)| self.predict_row(rows, row, answer));
        Ok(answers)
    }

    /// The contribution of column j to a sum: what its inputs (number or codes, indicator) add for the row, less what
    /// they add for the background on average. Where rows are normalised, no column adds anything on its own.
    fn contributions(&self, rows: &Rows, background: &Rows) -> Result<Option<Exact>> {
        if self.task != Task::Regression || self.design.normalization().is_some() {
            return Ok(None);
        }
        let (columns, width) = (self.design.columns(), self.design.width());
        let added = |rows: &Encoded| {
            let mut sums = vec![0.0; rows.rows * width];
            for (row, sums) in sums.chunks_exact_mut(width.max(1)).enumerate() {
                self.design.row(rows, row, |input, value| {
                    sums[columns[input as usize]] += self.fit.weights[input as usize] * f64::from(value);
                });
            }
            sums
        };
        let (mut own, around) = (added(rows.table()?), added(background.table()?));
        let share = 1.0 / background.len().max(1) as f64;
        let mean = |column: usize| share * around.iter().skip(column).step_by(width).sum::<f64>();
        let means: Vec<f64> = (0..width).map(mean).collect();
        for line in own.chunks_exact_mut(width.max(1)) {
            line.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
        }
        // The bias stands behind the inputs' weights.
        let base = self.fit.weights.last().copied().unwrap_or(0.0) + means.iter().sum::<f64>();
        Ok(Some(Exact { base, values: own }))
    }
}
