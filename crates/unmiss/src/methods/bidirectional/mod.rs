#![doc = include_str!("README.md")]

mod card;
mod hiding;
mod network;
mod settings;

use serde_json::{Value, json};

use super::learned::with_cut_off;
use super::{Card, Draw, Examples, Imputer, Layout, Learned, Method};
use crate::encode::{Rows, SeriesRows};
use crate::error::{Error, Result};
use crate::nn::train::train;
use crate::nn::{Parameters, Plain};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use hiding::Hiding;
use network::{Network, View};
pub use settings::{ErrorKind, Settings};

/// Of the series, one in so many is set aside.
const PARTS: usize = 5;
/// Errors kept of a variable, from which draws are taken.
const KEPT: usize = 1000;

/// The entry of the list.
pub struct Bidirectional;

impl Method for Bidirectional {
    fn card(&self) -> &'static Card {
        &card::CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let (coder, rows) = examples.series()?;
        let variables = coder.variables.len();
        let network = Network::new(&settings, variables);
        let order = Stream::new(run.seed(), "validation", 0, 0).permutation(rows.len());
        // A series alone is learned from and judged by.
        let aside = rows.len() / PARTS;
        let (validation, learning) = order.split_at(aside);
        let validation = if aside == 0 { learning } else { validation };
        let hiding = Hiding {
            settings: &settings,
            network: &network,
            rows,
            learning: learning.to_vec(),
            validation: validation.to_vec(),
            seed: run.seed(),
        };
        let trained = train(&hiding, network.parameters(run.seed()), &settings.plan(), run)?;
        let mut errors = vec![Vec::new(); variables];
        hiding
            .errors(&trained.parameters)
            .into_iter()
            .for_each(|(variable, error)| errors[variable].push(error));
        for (variable, errors) in errors.iter_mut().enumerate() {
            Stream::new(run.seed(), "kept errors", variable as u64, 0).shuffle(errors);
            errors.truncate(KEPT);
        }
        let (epoch, cut_off) = (trained.best_epoch as f64, trained.cut_off());
        Ok(Box::new(Fitted { network, parameters: trained.parameters, errors, epoch, cut_off }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let variables = layout.series()?.variables.len();
        let network = Network::new(&settings, variables);
        let mut parameters = network.parameters(0);
        parameters.load(arrays)?;
        let errors_of = |variable: usize| {
            let name = format!("errors {variable}");
            let length = arrays.shape(&name).and_then(|shape| shape.first().copied()).unwrap_or(0);
            let kept = arrays.singles(&name, &[length])?.to_vec();
            let sound = kept.iter().all(|number| number.is_finite());
            if sound { Ok(kept) } else { Err(Error::damaged(format!("array `{name}` has no numbers"))) }
        };
        let errors = (0..variables).map(errors_of).collect::<Result<_>>()?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        Ok(Box::new(Fitted { network, parameters, errors, epoch, cut_off: None }))
    }
}

struct Fitted {
    network: Network,
    parameters: Parameters,
    /// By variable: errors of guesses on series set aside.
    errors: Vec<Vec<f32>>,
    epoch: f64,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

impl Fitted {
    /// Every cell of a series, `[steps, D]`.
    fn guesses(&self, rows: &SeriesRows, row: usize, draw: Option<Draw>) -> Vec<f64> {
        let batch = rows.batch(&[row]);
        // The rows of one series are its steps.
        let view = View::new(&batch, &batch.observed);
        let guesses = self.network.forward(&mut Plain::new(&self.parameters), view);
        let mut filled: Vec<f64> = guesses.values().iter().map(|guess| f64::from(*guess)).collect();
        if let Some(draw) = draw {
            let mut stream = draw.stream("bidirectional", row);
            for (cell, value) in filled.iter_mut().enumerate() {
                let errors = &self.errors[cell % self.errors.len()];
                if batch.observed[cell] == 0.0 && !errors.is_empty() {
                    *value += f64::from(errors[stream.below(errors.len())]);
                }
            }
        }
        filled
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        for (variable, errors) in self.errors.iter().enumerate() {
            arrays.put_singles(format!("errors {variable}"), &[errors.len()], errors.clone());
        }
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({ "weights": self.parameters.count(), "best epoch": self.epoch });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        rows.series_mut()?.fill_each(|row, rows| self.guesses(rows, row, draw));
        Ok(())
    }
}
