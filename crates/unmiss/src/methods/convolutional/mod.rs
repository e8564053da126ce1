#![doc = include_str!("README.md")]

mod card;
mod holes;
mod kept;
mod layers;
mod nets;
mod settings;
mod views;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::mean::PixelMeans;
use super::supervised::{Scorer, Supervised, predictions, set_aside};
use super::written::{network, of_scores};
use super::{Card, Examples, Layout, Learned, Method, Predictor};
use crate::data::images::Size;
use crate::encode::{ImageRows, Rows, Targets, Task, Written};
use crate::error::Result;
use crate::nn::engine::Inputs;
use crate::nn::train::train;
use crate::nn::{Engine, Parameters, Plain};
use crate::onnx::{Graph, Kind, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use holes::Holes;
use kept::Kept;
use layers::{Network, View};
pub use nets::{BatchNorm, Down, Net};
pub use settings::{Hide, Missing, Settings};
use views::{Entrance, Visit};

/// Images judged at a time in training.
const AT_ONCE: usize = 64;
/// Images that a thread predicts at a time, at most.
const PREDICTED_AT_ONCE: usize = 32;
/// Pixels of these: of large images there are fewer, since every thread holds what is between its layers.
const PIXELS_AT_ONCE: usize = 32 * 1024;
/// Images set aside for validation, at most.
const MOST_ASIDE: usize = 5_000;

/// The entry of the list.
pub struct Convolutional;

impl Method for Convolutional {
    fn card(&self) -> &'static Card {
        &card::CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, given, targets) = examples.told_images()?;
        let settings = Settings::checked(settings)?;
        let network = Network::new(&settings, coder.size, targets.task.outputs())?;
        let (holes, rest) = Holes::fit(&settings, coder, given, run)?;
        let rows = holes.filled(given, Some(&rest))?;
        let entrance = Entrance::new(&settings, PixelMeans::fit(coder, given).means().to_vec(), holes);
        let kept = Kept::new(&entrance.holes, &rows, &rest);
        let scorer = Held { network: &network, entrance: &entrance, given, rows: &rows, kept: kept.as_ref() };
        let trained = train_all(&settings, &scorer, targets, &rest)?;
        Ok(Box::new(Fitted { network, entrance, trained, task: targets.task }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (coder, task) = layout.predicting_images()?;
        let settings = Settings::checked(settings)?;
        let network = Network::new(&settings, coder.size, task.outputs())?;
        let holes = Holes::load(&settings, layout, arrays)?;
        let means = arrays.singles("means", &[coder.size.cells()])?.to_vec();
        let count = arrays.shape("best epoch").map_or(1, |shape| shape.iter().product());
        let epochs = arrays.doubles("best epoch", &[count])?;
        let load = |(number, epoch): (usize, &f64)| {
            let mut parameters = network.parameters(0);
            parameters.load(&arrays.with_prefix(&prefix(number, count)))?;
            Ok((parameters, *epoch))
        };
        let trained = epochs.iter().enumerate().map(load).collect::<Result<Vec<_>>>()?;
        let entrance = Entrance::new(&settings, means, holes);
        Ok(Box::new(Fitted { network, entrance, trained, task }))
    }
}

/// What the arrays of one of several networks are under; one alone needs no name.
fn prefix(number: usize, networks: usize) -> String {
    if networks == 1 { String::new() } else { format!("network {}/", number + 1) }
}

/// The weights of a network, and the epoch after which they were kept.
type Weights = (Parameters, f64);

/// Trains every network, each with another part of the images set aside. Stopped, it gives those that are there.
fn train_all(settings: &Settings, scorer: &Held<'_>, targets: &Targets, run: &Run) -> Result<Vec<Weights>> {
    let networks = settings.networks;
    let parts = targets.rows().div_ceil(MOST_ASIDE).max(10).max(networks);
    let mut all = Vec::with_capacity(networks);
    for number in 0..networks {
        if number > 0 && run.stopped() {
            break;
        }
        let (learning, validation) = set_aside(targets, parts, number, run.seed());
        let plan = settings.plan(learning.len());
        let learner = Supervised { scorer, targets, learning, validation };
        let own = match networks {
            1 => run.clone(),
            _ => run
                .part(&format!("network {} of {networks}", number + 1))
                .with_seed(run.seed().wrapping_mul(1000).wrapping_add(number as u64)),
        };
        let trained = train(&learner, scorer.network.parameters(own.seed()), &plan, &own)?;
        all.push((trained.parameters, trained.best_epoch as f64));
    }
    Ok(all)
}

/// The network and the training images.
struct Held<'a> {
    network: &'a Network,
    entrance: &'a Entrance,
    /// With their holes.
    given: &'a ImageRows,
    /// As the network gets them.
    rows: &'a ImageRows,
    /// The densities of what is missing of them.
    kept: Option<&'a Kept>,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let visit = engine.moment().map(|moment| Visit { moment, given: self.given });
        let batch = self.rows.batch(rows);
        let view = match self.kept.filter(|_| visit.is_none() || !self.entrance.changes()) {
            Some(kept) => {
                let density = kept.mixture(&batch, rows);
                self.entrance.seen(batch, Some(density))
            }
            None => self.entrance.view(batch, rows, visit),
        };
        self.network.forward(engine, view)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }

    fn rows_at_once(&self) -> usize {
        AT_ONCE
    }
}

struct Fitted {
    network: Network,
    entrance: Entrance,
    trained: Vec<Weights>,
    task: Task,
}

impl Fitted {
    fn epochs(&self) -> Vec<f64> {
        self.trained.iter().map(|(_, epoch)| *epoch).collect()
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for (number, (parameters, _)) in self.trained.iter().enumerate() {
            arrays.put_all(&prefix(number, self.trained.len()), parameters.save());
        }
        arrays.put_singles("means", &[self.entrance.means.len()], self.entrance.means.clone());
        arrays.put_doubles("best epoch", &[self.trained.len()], self.epochs());
        self.entrance.holes.save(&mut arrays);
        arrays
    }

    fn summary(&self) -> Value {
        let weights: usize = self.trained.iter().map(|(parameters, _)| parameters.count()).sum();
        match self.epochs().as_slice() {
            [epoch] => json!({ "weights": weights, "best epoch": epoch }),
            epochs => json!({ "weights": weights, "best epochs": epochs }),
        }
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let images = rows.images()?;
        let input = self.entrance.write(graph, images)?;
        let marks = graph.cast(&images.observed, Kind::Single);
        let Size { channels, height, width } = images.size;
        let marks = graph.shaped(&marks, &[-1, channels as i64, height as i64, width as i64]);
        let mut scores = Vec::new();
        for (parameters, _) in &self.trained {
            let inputs = Inputs {
                plain: [input.clone()].into(),
                known: Some((marks.clone(), channels)),
                ..Inputs::default()
            };
            // One image, which is not looked at.
            let cells = images.size.cells();
            let view = View { values: vec![0.0; cells], observed: vec![true; cells], density: None };
            scores.push(network(graph, parameters, inputs, |writer| self.network.forward(writer, view))?);
        }
        let scores = graph.joined(&scores.iter().collect::<Vec<_>>(), 0);
        Ok(of_scores(graph, &scores, self.trained.len(), self.task))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = self.entrance.holes.filled(rows.images()?, None)?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let answers = |some: &[usize]| {
            let mut scores = Vec::new();
            for (parameters, _) in &self.trained {
                let view = self.entrance.view(rows.batch(some), some, None);
                let own = self.network.forward(&mut Plain::new(parameters), view);
                scores.extend_from_slice(own.values());
            }
            predictions(&scores, some.len(), self.task)
        };
        // Whole batches side by side: threads would have to wait for each other at every layer.
        let at_once = (PIXELS_AT_ONCE / rows.size().pixels()).clamp(1, PREDICTED_AT_ONCE);
        Ok(all.par_chunks(at_once).flat_map_iter(answers).collect())
    }
}

#[cfg(test)]
mod tests;
