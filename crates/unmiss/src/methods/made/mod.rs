#![doc = include_str!("README.md")]

mod cells;
mod conditional;
mod fill;
mod masks;
mod network;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::learned::with_cut_off;
use super::{
    About, Axis, Card, Choices, Cost, Density, Examples, Imputer, Job, Layout, Learned, Method, Plausibility,
    Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Coder, Rows};
use crate::error::{Error, Result};
use crate::nn::Parameters;
use crate::nn::schedule::Schedule;
use crate::nn::train::{TrainSettings, train};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use cells::{Cells, Features, threshold};
use conditional::log_sum;
use masks::Order;
use network::{Learning, Network};

/// Rows below which none is set aside.
const FEWEST: usize = 20;
/// Rows set aside, at most.
const MOST_ASIDE: usize = 5_000;
/// Rows judged at a time.
const AT_ONCE: usize = 128;
/// Visits of rows in all that the usual number of epochs aims at.
const VISITS: usize = 200_000;

/// The entry of the list.
pub struct Made;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Units of one or two hidden layers.
    pub hidden: Vec<usize>,
    /// Masks, each with an order of the features.
    pub masks: usize,
    /// Sparsity Normalization.
    pub normalization: Normalization,
    /// The largest share of a row that is hidden in training; 0: holes are zeros to the network.
    pub hide: f64,
    /// Normal distributions of a number.
    pub components: usize,
    /// Passes over the rows; none: by their number.
    pub epochs: Option<usize>,
    /// Rows in a batch.
    pub batch: usize,
    /// Learning rate.
    pub rate: f64,
    /// Epochs without a better likelihood after which training ends; 0: never.
    pub patience: usize,
}

/// What is done about rows with more or fewer inputs that are not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalization {
    /// Nothing.
    None,
    /// Inputs are divided by how many of them are not 0, as published: no density any more.
    Paper,
    /// Masks are normalised as well.
    PaperAll,
    /// Each unit is divided by how many inputs that it may know of are not 0.
    Valid,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hidden: vec![128],
            masks: 4,
            normalization: Normalization::None,
            hide: 0.5,
            components: 3,
            epochs: None,
            batch: 64,
            rate: 3e-3,
            patience: 15,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let layers = settings.hidden.len();
        if !(1..=2).contains(&layers) || settings.hidden.iter().any(|units| !(1..=8192).contains(units)) {
            return Err(Error::setting("hidden", "there are one or two layers of 1 to 8192 units each"));
        }
        for (name, value) in [("masks", settings.masks), ("components", settings.components)] {
            if !(1..=256).contains(&value) {
                return Err(Error::setting(name, format!("{value} is not between 1 and 256")));
            }
        }
        if !(0.0..=1.0).contains(&settings.hide) {
            return Err(Error::setting("hide", format!("{} is not between 0 and 1", settings.hide)));
        }
        if settings.batch == 0 {
            return Err(Error::setting("batch", "0 is not above 0"));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }

    fn plan(&self, rows: usize) -> TrainSettings {
        let usual = (VISITS / rows.max(1)).clamp(5, 200);
        TrainSettings {
            epochs: self.epochs.unwrap_or(usual),
            batch: self.batch,
            rate: self.rate,
            schedule: Schedule::Plateau { factor: 0.5, patience: 5, threshold: 1e-4, minimum: 1e-5 },
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

static CARD: Card = Card {
    name: "made",
    does: &[(Shape::Table, Job::Density), (Shape::Table, Job::Fill), (Shape::Images, Job::Density)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Masked autoencoder for densities",
        idea: "A network says the distribution of each column given those before it in an order: a category's \
               chances, a number's mixture of normal distributions, a pixel's chance of being bright. Masks on the \
               weights keep it from seeing what comes after. Several orders take turns and are averaged.",
        paper: "Germain, Gregor, Murray and Larochelle 2015; Yi et al. 2020",
        when: "Densities that are no single cloud: thousands of rows whose numbers have several peaks or hang \
               together in bends; images in black and white.",
        when_not: "A few hundred rows: `gaussian` needs fewer. Images in shades: `dmfa`.",
    },
    settings: &[
        Setting { name: "hidden", help: "units of one or two hidden layers, such as [128] or [500, 500]" },
        Setting { name: "masks", help: "orders of the columns that take turns; what they say is averaged" },
        Setting {
            name: "normalization",
            help: "Sparsity Normalization: none, valid (each unit by the inputs it may know of), paper or paper-all \
                   (as published; outputs then know how many inputs are not 0, so that there is no density any more)",
        },
        Setting {
            name: "hide",
            help: "of half of the rows, up to this share of the known cells is hidden in training, so that rows with \
                   holes are judged rightly; 0: nothing is, and a hole is a 0 to the network",
        },
        Setting { name: "components", help: "normal distributions that a number's distribution is made of" },
        Setting { name: "epochs", help: "passes over the rows, at most; null: about 200,000 rows in all" },
        Setting { name: "batch", help: "rows in a batch" },
        Setting { name: "rate", help: "learning rate at the start" },
        Setting {
            name: "patience",
            help: "epochs without a better likelihood after which training ends; 0: never",
        },
    ],
    space: &[
        Axis::new("hidden", Choices::Options(&["[64]", "[128]", "[256]", "[128, 128]"])),
        Axis::new("masks", Choices::Integers(1, 16)),
        Axis::new("rate", Choices::LogUniform(5e-4, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Made {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let (coder, rows) = match examples {
            Examples::Images { coder, rows, .. } => {
                (Coder::Images(coder.clone()), Rows::Images(rows.clone()))
            }
            other => {
                let (encoder, rows) = other.table()?;
                (Coder::Table(encoder.clone()), Rows::Table(rows.clone()))
            }
        };
        let features = Features::new(&coder, settings.components, settings.hide > 0.0)?;
        let order = |number| Order::new(features.forms.len(), &settings.hidden, run.seed(), number);
        let orders = (0..settings.masks).map(order).collect();
        let mut network = Network::new(&settings, features, orders, 1.0);
        let threshold = threshold(&rows);
        let cells = Cells::new(&rows, threshold)?;
        network.learn_k(&cells);
        let mut learning = Stream::new(run.seed(), "made rows", 0, 0).permutation(cells.len());
        let aside = if cells.len() < FEWEST { 0 } else { (cells.len() / 6).min(MOST_ASIDE) };
        let validation = learning.split_off(learning.len() - aside);
        let plan = settings.plan(learning.len());
        let learner =
            Learning { network: &network, cells: &cells, learning, validation, hide: settings.hide };
        let trained = train(&learner, network.parameters(run.seed()), &plan, run)?;
        run.finished();
        let (epoch, cut_off) = (trained.best_epoch as f64, trained.cut_off());
        let (parameters, table, inputs) = (trained.parameters, rows.table().is_ok(), coder.names().len());
        Ok(Box::new(Fitted { network, parameters, epoch, cut_off, threshold, table, inputs }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let features = Features::new(layout.coder, settings.components, settings.hide > 0.0)?;
        let orders = masks::load(settings.masks, features.forms.len(), &settings.hidden, arrays)?;
        let network = Network::new(&settings, features, orders, arrays.finite_single("k")?);
        let mut parameters = network.parameters(0);
        parameters.load(arrays)?;
        let epoch = arrays.doubles("best epoch", &[1])?[0];
        let (table, inputs) = (layout.table().is_ok(), layout.coder.names().len());
        let threshold = arrays.finite_single("threshold")?;
        Ok(Box::new(Fitted { network, parameters, epoch, cut_off: None, threshold, table, inputs }))
    }
}

struct Fitted {
    network: Network,
    parameters: Parameters,
    /// The epoch whose weights were kept.
    epoch: f64,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
    /// Above which a pixel is bright.
    threshold: f32,
    /// Whether rows are those of a table, which can be filled as well.
    table: bool,
    /// Inputs of a row: of an image pixels, each with as many features as there are channels.
    inputs: usize,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        masks::save(&self.network.orders, &mut arrays);
        arrays.put_singles("k", &[1], vec![self.network.k]);
        arrays.put_singles("threshold", &[1], vec![self.threshold]);
        arrays.put_doubles("best epoch", &[1], vec![self.epoch]);
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({ "weights": self.parameters.count(), "best epoch": self.epoch });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        self.table.then_some(self)
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }
}

impl Density for Fitted {
    /// `p(x) = 1/M Σ_m Π_f p_m(x_f | known features before it in order m)`.
    fn plausibility(&self, rows: &Rows) -> Result<Vec<Plausibility>> {
        let cells = Cells::new(rows, self.threshold)?;
        let all: Vec<usize> = (0..cells.len()).collect();
        Ok(all.chunks(AT_ONCE).flat_map(|some| self.judge(&cells, some)).collect())
    }

    fn caveat(&self) -> Option<&'static str> {
        self.network.leaks().then_some(
            "With this `normalization` a cell is told how many later ones are not 0: what is said here is no \
             likelihood, and is not to be compared with one.",
        )
    }

    fn probabilities_of_pixels(&self) -> bool {
        !self.table
    }
}

impl Fitted {
    fn judge(&self, cells: &Cells, some: &[usize]) -> Vec<Plausibility> {
        let network = &self.network;
        let lines: Vec<(&[f32], &[bool])> = some.iter().map(|&row| cells.row(row)).collect();
        let said: Vec<Vec<f32>> =
            (0..network.orders.len()).map(|order| network.said(&self.parameters, order, &lines)).collect();
        let row = |(place, (values, known)): (usize, &(&[f32], &[bool]))| {
            let share = 1.0 / said.len() as f64;
            let mut logs = vec![0.0; said.len()];
            let mut found = Plausibility::default();
            for feature in (0..known.len()).filter(|feature| known[*feature]) {
                let mut surprise = 0.0;
                for (log, said) in logs.iter_mut().zip(&said) {
                    let outputs = said.len() / lines.len();
                    let own = network.part(&said[place * outputs..(place + 1) * outputs], feature);
                    let form = network.features.forms[feature];
                    let (log_density, (expected, variance)) =
                        (form.log_density(own, values[feature], None), form.moments(own));
                    *log += log_density;
                    found.add(0.0, share * expected, share * variance);
                    surprise += share * (expected - log_density);
                }
                found.note_surprise(feature % self.inputs, surprise);
            }
            if known.contains(&true) {
                found.log_likelihood = log_sum(&logs) + share.ln();
            }
            found
        };
        lines.iter().enumerate().map(row).collect()
    }
}
