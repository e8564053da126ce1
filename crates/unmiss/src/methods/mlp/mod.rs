#![doc = include_str!("README.md")]

mod card;
pub(crate) mod layers;
mod pixels;
mod settings;

use serde_json::{Value, json};

use super::supervised::{Scorer, Supervised, predictions, set_aside};
use super::written::{network, of_scores};
use super::{Card, Examples, Layout, Learned, Method, Predictor, Training};
use crate::data::{Shape, other_shape};
use crate::encode::{Coder, Design, Encoding, Rows, Scale, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::nn::train::train;
use crate::nn::{Engine, Parameters, Plain};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use layers::{Held, Perceptron, Start};
use pixels::{HeldImages, PixelDesign};
pub use settings::{DecayOn, Layers, OptimizerName, ScaleSetting, ScheduleName, Settings};

/// Rows predicted at a time.
const ROWS_AT_ONCE: usize = 4096;

/// The entry of the list.
pub struct Mlp;

impl Method for Mlp {
    fn card(&self) -> &'static Card {
        &card::CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        let settings = Settings::checked(settings)?;
        let scale = match settings.scale {
            ScaleSetting::Auto => settings.missing.scale(),
            ScaleSetting::Standard => Scale::Standard,
            ScaleSetting::MinMax => Scale::MinMax,
            ScaleSetting::Robust => Scale::Robust,
        };
        Ok(Encoding { scale, ..Encoding::default() })
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let first = settings.hidden.first().copied().unwrap_or(1);
        if examples.shape() == Shape::Images {
            let (coder, rows, targets) = examples.told_images()?;
            check_scale(&settings)?;
            let k = settings.k.number(pixels::mean_known(rows), first, coder.size.cells()) as f32;
            let design = PixelDesign::fit(settings.missing, k, coder, rows);
            let perceptron = Perceptron::new(&settings, design.inputs(), targets.task.outputs(), Start::He);
            let scorer = HeldImages { perceptron: &perceptron, design: &design, rows };
            let (parameters, epoch) = learn(&settings, &perceptron, &scorer, targets, run)?;
            let (inputs, task) = (Inputs::Pixels(design), targets.task);
            return Ok(Box::new(Fitted { perceptron, inputs, parameters, task, k, epoch }));
        }
        let Training { encoder, inputs, targets } = examples.training()?;
        let k = settings.k.number(inputs.mean_known(), first, encoder.width()) as f32;
        let design = Design::new(encoder, settings.missing, k);
        let perceptron = Perceptron::new(&settings, design.inputs(), targets.task.outputs(), Start::He);
        let scorer = Held { perceptron: &perceptron, design: &design, rows: inputs };
        let (parameters, epoch) = learn(&settings, &perceptron, &scorer, targets, run)?;
        let (inputs, task) = (Inputs::Columns(design), targets.task);
        Ok(Box::new(Fitted { perceptron, inputs, parameters, task, k, epoch }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let k = arrays.finite_single("k")?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        let (inputs, task) = match layout.coder {
            Coder::Images(_) => {
                let (coder, task) = layout.predicting_images()?;
                (Inputs::Pixels(PixelDesign::load(settings.missing, k, coder, arrays)?), task)
            }
            _ => {
                let (encoder, task) = layout.predicting()?;
                (Inputs::Columns(Design::new(encoder, settings.missing, k)), task)
            }
        };
        let perceptron = Perceptron::new(&settings, inputs.count(), task.outputs(), Start::He);
        perceptron.check(arrays)?;
        let mut parameters = perceptron.parameters(0);
        parameters.load(arrays)?;
        Ok(Box::new(Fitted { perceptron, inputs, parameters, task, k, epoch }))
    }
}

/// Pixels are from 0 to 1, and no setting changes that.
fn check_scale(settings: &Settings) -> Result<()> {
    match settings.scale {
        ScaleSetting::Auto | ScaleSetting::MinMax => Ok(()),
        _ => Err(Error::setting("scale", "pixels are always from 0 to 1").with_hint("take auto or min-max")),
    }
}

/// Trains a perceptron with a fifth of the rows set aside: its weights, and the epoch after which they were kept.
fn learn(
    settings: &Settings,
    perceptron: &Perceptron,
    scorer: &impl Scorer,
    targets: &Targets,
    run: &Run,
) -> Result<(Parameters, f64)> {
    let (learning, validation) = set_aside(targets, 5, 0, run.seed());
    let learner = Supervised { scorer, targets, learning, validation };
    let trained = train(&learner, perceptron.parameters(run.seed()), &settings.plan(), run)?;
    Ok((trained.parameters, trained.best_epoch as f64))
}

/// How a row of inputs is built.
enum Inputs {
    Columns(Design),
    Pixels(PixelDesign),
}

impl Inputs {
    fn count(&self) -> usize {
        match self {
            Self::Columns(design) => design.inputs(),
            Self::Pixels(design) => design.inputs(),
        }
    }

    /// K, where rows are normalised.
    fn normalization(&self) -> Option<f32> {
        match self {
            Self::Columns(design) => design.normalization(),
            Self::Pixels(design) => design.normalization(),
        }
    }

    /// `[places, inputs]`
    fn dense(&self, rows: &Rows, places: &[usize]) -> Result<Vec<f32>> {
        match (self, rows) {
            (Self::Columns(design), Rows::Table(rows)) => Ok(design.dense(rows, places)),
            (Self::Pixels(design), Rows::Images(rows)) => Ok(design.dense(&rows.batch(places))),
            (Self::Columns(_), other) => Err(other_shape(Shape::Table, other.shape())),
            (Self::Pixels(_), other) => Err(other_shape(Shape::Images, other.shape())),
        }
    }
}

struct Fitted {
    perceptron: Perceptron,
    inputs: Inputs,
    parameters: Parameters,
    task: Task,
    k: f32,
    /// The epoch whose weights were kept.
    epoch: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        arrays.put_singles("k", &[1], vec![self.k]);
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        if let Inputs::Pixels(design) = &self.inputs {
            design.save(&mut arrays);
        }
        arrays
    }

    fn summary(&self) -> Value {
        let mut summary = json!({
            "inputs": self.inputs.count(),
            "weights": self.parameters.count(),
            "best epoch": self.epoch,
        });
        if let Some(k) = self.inputs.normalization() {
            summary["k"] = json!(k);
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let inputs = match &self.inputs {
            Inputs::Columns(design) => design.write(graph, rows.table()?),
            Inputs::Pixels(design) => design.write(graph, rows.images()?),
        };
        let scores = network(graph, &self.parameters, Default::default(), |writer| {
            self.perceptron.forward(writer, inputs)
        })?;
        Ok(of_scores(graph, &scores, 1, self.task))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let mut answers = Vec::with_capacity(rows.len() * self.task.outputs());
        for start in (0..rows.len()).step_by(ROWS_AT_ONCE) {
            let places: Vec<usize> = (start..(start + ROWS_AT_ONCE).min(rows.len())).collect();
            let mut engine = Plain::new(&self.parameters);
            let inputs = engine.input(self.inputs.dense(rows, &places)?, places.len());
            let scores = self.perceptron.forward(&mut engine, inputs);
            answers.extend(predictions(scores.values(), places.len(), self.task));
        }
        Ok(answers)
    }
}
