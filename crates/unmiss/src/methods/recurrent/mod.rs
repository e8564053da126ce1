#![doc = include_str!("README.md")]

mod card;
mod inputs;
mod network;
mod settings;

use serde_json::{Value, json};

use super::supervised::{Scorer, Supervised, predictions, set_aside};
use super::{Card, Examples, Layout, Learned, Method, Predictor};
use crate::encode::{Design, Missing as StaticMissing, Rows, SeriesCoder, SeriesRows, Task};
use crate::error::Result;
use crate::metrics::Score;
use crate::nn::train::train;
use crate::nn::{Engine, Parameters, Plain};
use crate::run::Run;
use crate::store::Arrays;
use inputs::Inputs;
use network::Network;
pub use settings::{Missing, Settings, Stop};

/// Series predicted at a time.
const AT_ONCE: usize = 128;

/// The entry of the list.
pub struct RecurrentNetwork;

/// What does not change over time as numbers.
fn statics(coder: &SeriesCoder) -> Option<Design> {
    coder.statics.as_ref().map(|encoder| Design::new(encoder, StaticMissing::MeanAndIndicator, 1.0))
}

impl Method for RecurrentNetwork {
    fn card(&self) -> &'static Card {
        &card::CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let (coder, rows, targets) = examples.told_series()?;
        let inputs = Inputs::fit(settings.missing, coder.variables.len(), rows);
        let network = Network::new(&settings, inputs, statics(coder), targets.task.outputs());
        let scorer = Held { network: &network, rows, stop: settings.stop };
        let (learning, validation) = set_aside(targets, 5, 0, run.seed());
        let learner = Supervised { scorer: &scorer, targets, learning, validation };
        let trained = train(&learner, network.parameters(run.seed()), &settings.plan(), run)?;
        let epoch = trained.best_epoch as f64;
        Ok(Box::new(Fitted { network, parameters: trained.parameters, task: targets.task, epoch }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let (coder, task) = layout.predicting_series()?;
        let k = arrays.finite_single("k")?;
        let inputs = Inputs { missing: settings.missing, variables: coder.variables.len(), k };
        let network = Network::new(&settings, inputs, statics(coder), task.outputs());
        let mut parameters = network.parameters(0);
        parameters.load(arrays)?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        Ok(Box::new(Fitted { network, parameters, task, epoch }))
    }
}

/// The network and the training series.
struct Held<'a> {
    network: &'a Network,
    rows: &'a SeriesRows,
    stop: Stop,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        self.network.forward(engine, &self.rows.batch(rows))
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }

    fn rows_at_once(&self) -> usize {
        AT_ONCE
    }

    fn judged(&self, score: &Score) -> f64 {
        match score {
            Score::Classification { auroc, .. } if self.stop == Stop::Auroc && auroc.is_finite() => {
                1.0 - auroc
            }
            other => other.loss(),
        }
    }
}

struct Fitted {
    network: Network,
    parameters: Parameters,
    task: Task,
    epoch: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_singles("k", &[1], vec![self.network.inputs.k]);
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "weights": self.parameters.count(), "best epoch": self.epoch })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.series()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut answers = Vec::with_capacity(rows.len() * self.task.outputs());
        for some in all.chunks(AT_ONCE) {
            let scores = self.network.forward(&mut Plain::new(&self.parameters), &rows.batch(some));
            answers.extend(predictions(scores.values(), some.len(), self.task));
        }
        Ok(answers)
    }
}
