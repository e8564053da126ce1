#![doc = include_str!("README.md")]

mod fit;
mod layers;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::supervised::predictions;
use super::written::{network, of_scores, weighted};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Predictor, Setting, Training,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Encoded, Encoding, Guess, Rows, Scale, Task, Written};
use crate::error::{Error, Result};
use crate::nn::engine::Inputs;
use crate::nn::{Cells, Plain};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use fit::Trunk;
use layers::Network;

/// Rows predicted at a time: enough to keep the threads busy, little enough to stay in the cache.
const ROWS_AT_ONCE: usize = 4096;
/// Networks, and members of each, that may be averaged, at most.
const MOST_MEMBERS: usize = 100;

/// The entry of the list.
pub struct TabularNetwork;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Units of a hidden layer.
    pub width: usize,
    /// Hidden layers.
    pub layers: usize,
    /// Share of hidden units left out at a step.
    pub dropout: f64,
    /// Whether known tokens are multiplied by K / (known columns).
    pub normalize: bool,
    /// Whether missing numbers come with their mean given the known ones.
    pub guess: bool,
    /// Members that share a network's hidden layers.
    pub members: usize,
    /// Networks trained apart and averaged.
    pub networks: Option<usize>,
    /// Whether these differ in depth, width, dropout and rate.
    pub varied: bool,
    /// Passes over the rows, at most.
    pub epochs: Option<usize>,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
    /// Rows in a batch.
    pub batch: Option<usize>,
    /// Learning rate.
    pub rate: f64,
    /// Weight decay.
    pub weight_decay: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 128,
            layers: 2,
            dropout: 0.1,
            normalize: false,
            guess: true,
            members: 8,
            networks: None,
            varied: false,
            epochs: None,
            patience: 16,
            batch: None,
            rate: 0.003,
            weight_decay: 3e-4,
        }
    }
}

impl Settings {
    /// The settings of the network of a place: those given for the first; where networks are varied, the others are
    /// deeper, wider or narrower, with more or less dropout and another rate.
    fn variant(&self, place: usize) -> Self {
        let (deeper, wider, dropout, rate) = match place % 4 {
            0 => return self.clone(),
            _ if !self.varied => return self.clone(),
            1 => (1, 1.0, 0.1, 0.7),
            2 => (-1, 2.0, -0.1, 0.7),
            _ => (0, 0.5, 0.15, 1.4),
        };
        Self {
            layers: self.layers.saturating_add_signed(deeper),
            width: ((self.width as f64 * wider) as usize).max(1),
            dropout: (self.dropout + dropout).clamp(0.0, 0.9),
            rate: self.rate * rate,
            ..self.clone()
        }
    }

    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let bounded = |name: &str, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(Error::setting(name, format!("{value} is not between {low} and {high}")))
            }
        };
        bounded("width", settings.width, 1, 8192)?;
        bounded("layers", settings.layers, 0, 32)?;
        bounded("members", settings.members, 1, MOST_MEMBERS)?;
        bounded("networks", settings.networks.unwrap_or(1), 1, MOST_MEMBERS)?;
        bounded("epochs", settings.epochs.unwrap_or(1), 1, 1_000_000)?;
        bounded("batch", settings.batch.unwrap_or(1), 1, 1 << 24)?;
        if !(0.0..0.95).contains(&settings.dropout) {
            return Err(Error::setting("dropout", format!("{} is not between 0 and 0.95", settings.dropout)));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "network",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Tabular network in which a hole is a learned value of its own",
        idea: "Each column becomes a small vector: numbers through cosines of learned frequencies, categories \
               through learned tables, a missing cell through a vector learned for that column, a missing \
               number also through its mean given the known ones. Eight members see the vectors through \
               factors of their own, share the layers behind them, and each gives an answer; a few such \
               networks, each stopped on another part of the rows, are trained, and all answers averaged.",
        paper: "Gorishniy, Kotelnikov, Babenko 2024 (TabM) for the members; Gorishniy, Rubachev, Babenko 2022 for \
                the cosines; Yi et al. 2020 (Sparsity Normalization) for the dropout and the optional \
                normalisation of known cells.",
        when: "As the first thing to try: it takes holes as they are, in training and later, and learns what \
               their being missing means.",
        when_not: "With fewer than a hundred rows (`linear`), or where every prediction must be explained.",
    },
    settings: &[
        Setting { name: "width", help: "Units of a hidden layer." },
        Setting { name: "layers", help: "Hidden layers." },
        Setting { name: "dropout", help: "Share of hidden units left out at a step of training." },
        Setting {
            name: "normalize",
            help: "true: Sparsity Normalization, known cells count K / (known columns), K being the training mean.",
        },
        Setting {
            name: "guess",
            help: "true: a missing number comes with its mean given the known numbers.",
        },
        Setting { name: "members", help: "Members that share a network's hidden layers and are averaged." },
        Setting {
            name: "networks",
            help: "Networks trained apart and averaged; null: 4 below 5,000 rows, 2 below 20,000, else 1; in each fold \
                   of a cross-validation 1.",
        },
        Setting {
            name: "varied",
            help: "true: networks after the first differ in depth, width, dropout and rate, so that they err differently.",
        },
        Setting { name: "epochs", help: "Passes over the rows, at most; null: 256, fewer for large tables." },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never.",
        },
        Setting {
            name: "batch",
            help: "Rows in a batch; null: 64 below 2,000 rows to learn from, 128 below 10,000, else 256.",
        },
        Setting { name: "rate", help: "Learning rate." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
    ],
    space: &[
        Axis::new("width", Choices::Options(&["128", "256", "512"])),
        Axis::new("layers", Choices::Integers(1, 4)),
        Axis::new("dropout", Choices::Uniform(0.0, 0.5)),
        Axis::new("normalize", Choices::Options(&["false", "true"])),
        Axis::new("guess", Choices::Options(&["true", "false"])),
        Axis::new("rate", Choices::LogUniform(0.005, 0.2)),
        Axis::new("weight-decay", Choices::LogUniform(1e-4, 0.3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for TabularNetwork {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings)?;
        Ok(Encoding { scale: Scale::Robust, ..Encoding::default() })
    }

    fn settings_in_folds(&self, settings: &Value, _folds: usize, _rows: usize) -> Value {
        let mut settings = settings.clone();
        if settings["networks"].is_null() {
            settings["networks"] = json!(1);
        }
        settings
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let settings = Settings::checked(settings)?;
        let task = training.targets.task;
        let k = settings.normalize.then(|| training.inputs.mean_known() as f32);
        let guess = settings.guess.then(|| Guess::fit(training.inputs, run.seed()));
        let filled = with_guesses(training.inputs.clone(), guess.as_ref());
        let training = Training { inputs: &filled, ..training };
        let trunks = fit::fit(&settings, training, k, run)?;
        Ok(Box::new(Fitted { guess, trunks, task, k }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (encoder, task) = layout.predicting()?;
        let settings = Settings::checked(settings)?;
        let count = arrays.shape("best epochs").and_then(|shape| shape.first().copied()).unwrap_or(0);
        if !(1..=MOST_MEMBERS).contains(&count) {
            return Err(Error::data(format!("the file says it holds {count} networks")));
        }
        let epochs = arrays.doubles("best epochs", &[count])?.to_vec();
        let k = if settings.normalize { Some(arrays.finite_single("k")?) } else { None };
        let guess = if settings.guess { Some(load_guess(encoder.numbers.len(), arrays)?) } else { None };
        let trunk = |index: usize| {
            let network = Network::new(encoder, task, &settings.variant(index), k);
            let own = arrays.with_prefix(&format!("network {index}/"));
            network.check(&own)?;
            let mut parameters = network.parameters(0);
            parameters.load(&own)?;
            Ok(Trunk { network, parameters, best_epoch: epochs[index] as usize })
        };
        let trunks = (0..count).map(trunk).collect::<Result<_>>()?;
        Ok(Box::new(Fitted { guess, trunks, task, k }))
    }
}

struct Fitted {
    guess: Option<Guess>,
    trunks: Vec<Trunk>,
    task: Task,
    k: Option<f32>,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for (index, trunk) in self.trunks.iter().enumerate() {
            arrays.put_all(&format!("network {index}/"), trunk.parameters.save());
        }
        if let Some(guess) = &self.guess {
            let (mean, covariance) = guess.parts();
            arrays.put_doubles("guess/mean", &[mean.len()], mean.to_vec());
            arrays.put_doubles("guess/covariance", &[mean.len(), mean.len()], covariance.to_vec());
        }
        if let Some(k) = self.k {
            arrays.put_singles("k", &[1], vec![k]);
        }
        let epochs: Vec<f64> = self.trunks.iter().map(|trunk| trunk.best_epoch as f64).collect();
        arrays.put_doubles("best epochs", &[epochs.len()], epochs);
        arrays
    }

    fn summary(&self) -> Value {
        json!({
            "networks": self.trunks.len(),
            "members of each": self.trunks.first().map_or(0, |trunk| trunk.network.members()),
            "weights of each": self.trunks.first().map_or(0, |trunk| trunk.parameters.count()),
            "best epochs": self.trunks.iter().map(|trunk| trunk.best_epoch).collect::<Vec<_>>(),
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let mut cells = rows.table()?.clone();
        if let (Some(guess), Some(numbers)) = (&self.guess, &mut cells.numbers) {
            numbers.values = guess.write(graph, numbers);
        }
        let mut answers = Vec::new();
        for trunk in &self.trunks {
            let inputs = Inputs { cells: Some(cells.clone()), ..Inputs::default() };
            let scores = network(graph, &trunk.parameters, inputs, |writer| {
                trunk.network.forward(writer, Cells::default())
            })?;
            let own = of_scores(graph, &scores, trunk.network.members(), self.task);
            answers.push((own, 1.0 / self.trunks.len() as f64));
        }
        weighted(graph, &answers).ok_or_else(|| Error::data("there is no network"))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.table()?;
        let mut answers = Vec::with_capacity(rows.rows * self.task.outputs());
        for start in (0..rows.rows).step_by(ROWS_AT_ONCE) {
            let places: Vec<usize> = (start..(start + ROWS_AT_ONCE).min(rows.rows)).collect();
            let part = with_guesses(rows.select(&places), self.guess.as_ref());
            let mut sum = vec![0.0; places.len() * self.task.outputs()];
            for trunk in &self.trunks {
                let scores = trunk.network.forward(&mut Plain::new(&trunk.parameters), Cells::from(&part));
                let outputs = predictions(scores.values(), part.rows, self.task);
                let share = 1.0 / self.trunks.len() as f64;
                sum.iter_mut().zip(outputs).for_each(|(sum, value)| *sum += value * share);
            }
            answers.extend(sum);
        }
        Ok(answers)
    }
}

/// The rows with a guess under every mark that says "missing", if guesses are made.
fn with_guesses(mut rows: Encoded, guess: Option<&Guess>) -> Encoded {
    if let Some(guess) = guess {
        guess.fill(&mut rows);
    }
    rows
}

fn load_guess(columns: usize, arrays: &Arrays) -> Result<Guess> {
    let mean = arrays.doubles("guess/mean", &[columns])?.to_vec();
    let covariance = arrays.doubles("guess/covariance", &[columns, columns])?.to_vec();
    Ok(Guess::from_parts(mean, covariance))
}
