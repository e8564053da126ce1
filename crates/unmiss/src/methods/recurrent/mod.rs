#![doc = include_str!("README.md")]

mod card;
mod inputs;
mod network;
mod settings;
mod written;

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::supervised::{Scorer, Supervised, predictions, set_aside};
use super::written::{network, of_scores};
use super::{Card, Examples, Layout, Learned, Method, Predictor};
use crate::encode::{
    Design, Encoded, Missing as StaticMissing, Rows, SeriesBatch, SeriesCoder, SeriesRows, Task, Written,
};
use crate::error::Result;
use crate::metrics::Score;
use crate::nn::engine;
use crate::nn::train::train;
use crate::nn::{Engine, Parameters, Plain};
use crate::onnx::{Graph, Symbol};
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
        let (coder, parameters) = (coder.clone(), trained.parameters);
        Ok(Box::new(Fitted { coder, network, parameters, task: targets.task, epoch }))
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
        Ok(Box::new(Fitted { coder: coder.clone(), network, parameters, task, epoch }))
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

/// One series of one step, which is not looked at where a network is written down.
fn unseen(variables: usize, coder: &SeriesCoder) -> SeriesBatch {
    let (numbers, categories) =
        coder.statics.as_ref().map_or((0, 0), |encoder| (encoder.numbers.len(), encoder.categories.len()));
    SeriesBatch {
        lengths: vec![1],
        steps: 1,
        variables,
        values: vec![0.0; variables],
        observed: vec![0.0; variables],
        times: vec![0.0],
        since: vec![0.0; variables],
        statics: Encoded::holes(1, numbers, categories),
    }
}

struct Fitted {
    /// The translation that it learned with.
    coder: SeriesCoder,
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
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let series = rows.series()?;
        let mut plain: VecDeque<Symbol> = self.network.inputs.write(graph, &self.coder, series).into();
        if let (Some(design), Some((statics, _))) = (&self.network.statics, &series.statics) {
            plain.push_back(design.write(graph, statics));
        }
        let inputs =
            engine::Inputs { plain, lengths: Some(series.lengths(graph)), ..engine::Inputs::default() };
        let scores = network(graph, &self.parameters, inputs, |writer| {
            self.network.forward(writer, &unseen(self.network.inputs.variables, &self.coder))
        })?;
        Ok(of_scores(graph, &scores, 1, self.task))
    }

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
