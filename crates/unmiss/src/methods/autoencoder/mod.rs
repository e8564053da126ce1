#![doc = include_str!("README.md")]

mod layers;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::learned::with_cut_off;
use super::written::network;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Rows, Wide, Written};
use crate::error::{Error, Result};
use crate::nn::Parameters;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::{TrainSettings, train};
use crate::onnx::{Graph, Kind};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use layers::{Aside, Layers, Masks, Normalizer, Restoring, first_columns, hide};

/// Rows below which none is set aside.
const FEWEST_ROWS: usize = 20;
/// Rows set aside, at most.
const MOST_ASIDE: usize = 5_000;
/// Share of the known cells of rows set aside that is hidden.
const HIDDEN_ASIDE: f64 = 0.2;
/// Steps of training, at most: large tables get fewer epochs.
const MOST_STEPS: usize = 20_000;
/// Differences kept for draws, per column.
const KEPT: usize = 500;

/// Arrays of the range of inputs; files from before there was one do not have them.
const RANGE: [&str; 2] = ["input low", "input width"];

/// The entry of the list.
pub struct Autoencoder;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    hidden: Vec<usize>,
    epochs: usize,
    batch: usize,
    rate: f64,
    patience: usize,
    masks: Masks,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hidden: vec![128, 64, 128],
            epochs: 400,
            batch: 64,
            rate: 2e-3,
            patience: 40,
            masks: Masks::Uniform,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.hidden.len() > 32 || settings.hidden.iter().any(|units| !(1..=8192).contains(units)) {
            return Err(Error::setting("hidden", "layers have 1 to 8192 units, and there are 32 at most"));
        }
        if settings.batch == 0 || settings.patience == 0 {
            let name = if settings.batch == 0 { "batch" } else { "patience" };
            return Err(Error::setting(name, "0 is not above 0"));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }

    fn plan(&self, rows: usize) -> TrainSettings {
        let steps = rows.div_ceil(self.batch).max(1);
        TrainSettings {
            epochs: self.epochs.min((MOST_STEPS / steps).max(5)),
            batch: self.batch,
            optimizer: Optimizer::default(),
            rate: self.rate,
            schedule: Schedule::Plateau { factor: 0.5, patience: 10, threshold: 1e-4, minimum: 1e-5 },
            patience: Some(self.patience),
            ..TrainSettings::default()
        }
    }
}

static CARD: Card = Card {
    name: "autoencoder",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Denoising autoencoder with Sparsity Normalization",
        idea: "A network learns to say the known cells of a row from a random part of them, and then says the \
               missing ones. Its input is divided by the number of known cells, so that the answer does not \
               drift with how much is known.",
        paper: "Vincent et al. 2008; Yi et al. 2020; Talwar et al. 2018",
        when: "Many rows, and many columns that hang together in ways no line describes.",
        when_not: "A few hundred rows: `gaussian` and `boosted` need fewer.",
    },
    settings: &[
        Setting { name: "hidden", help: "units of the hidden layers, such as [128, 64, 128]" },
        Setting { name: "epochs", help: "passes over the rows, at most; fewer for large tables" },
        Setting { name: "batch", help: "rows in a batch" },
        Setting { name: "rate", help: "learning rate at the start" },
        Setting { name: "patience", help: "epochs without a better error after which training ends" },
        Setting {
            name: "masks",
            help: "what is hidden in training: uniform, copied (from other rows), by-column (as often as a column is \
                   missing) or both",
        },
    ],
    space: &[
        Axis::new("hidden", Choices::Options(&["[32]", "[64, 16, 64]", "[128, 64, 128]", "[256, 128, 256]"])),
        Axis::new("batch", Choices::Options(&["32", "64", "128", "256"])),
        Axis::new("rate", Choices::LogUniform(3e-4, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Autoencoder {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let widened = wide.widen(rows);
        let features = features(&wide);
        let layers = Layers::new(wide.columns(), &settings.hidden, Normalizer::new(&widened, &features));
        let mut order = Stream::new(run.seed(), "autoencoder rows", 0, 0).permutation(rows.rows);
        let count = if rows.rows < FEWEST_ROWS { 0 } else { (rows.rows / 6).min(MOST_ASIDE) };
        let aside = order.split_off(order.len() - count);
        let aside = (count > 0).then(|| set_aside(&widened, &features, &aside, run.seed()));
        order.sort_unstable();
        let rates = missing_rates(&widened, &order);
        // Where nothing is missing, there is nothing to copy.
        let masks = if rates.iter().all(|rate| *rate == 0.0) { Masks::Uniform } else { settings.masks };
        let learner = Restoring {
            masks,
            rates,
            layers: &layers,
            rows: &widened,
            features: &features,
            learning: order,
            aside,
        };
        let plan = settings.plan(learner.learning.len());
        let trained = train(&learner, layers.parameters(run.seed()), &plan, run)?;
        let mut kept = vec![Vec::new(); wide.columns()];
        if let Some(aside) = &learner.aside {
            for (column, difference) in aside.differences(&layers, &trained.parameters) {
                if kept[column].len() < KEPT {
                    kept[column].push(difference);
                }
            }
        }
        kept.iter_mut().filter(|kept| kept.is_empty()).for_each(|kept| kept.extend([-1.0, 0.0, 1.0]));
        run.finished();
        let (epoch, cut_off) = (trained.best_epoch, trained.cut_off());
        Ok(Box::new(Fitted { layers, parameters: trained.parameters, kept, epoch, cut_off, wide }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let k = arrays.finite_single("k")?;
        let numbers = |name: &str| arrays.singles(name, &[wide.columns()]).map(<[f32]>::to_vec);
        let range = match arrays.shape(RANGE[0]) {
            Some(_) => Some([numbers(RANGE[0])?, numbers(RANGE[1])?]),
            None => None,
        };
        let normalizer = Normalizer { k, range, first: first_columns(&features(&wide)) };
        let layers = Layers::new(wide.columns(), &settings.hidden, normalizer);
        layers.check(arrays)?;
        let mut parameters = layers.parameters(0);
        parameters.load(arrays)?;
        let epoch = arrays.doubles("best epoch", &[1])?[0] as usize;
        let kept = (0..wide.columns()).map(|column| {
            let name = format!("kept {column}");
            let length = arrays.shape(&name).and_then(|shape| shape.first().copied()).unwrap_or(0);
            let values = arrays.singles(&name, &[length])?.to_vec();
            match length > 0 && values.iter().all(|value| value.is_finite()) {
                true => Ok(values),
                false => Err(Error::data(format!("array `{name}` can't be"))),
            }
        });
        let kept = kept.collect::<Result<_>>()?;
        Ok(Box::new(Fitted { layers, parameters, kept, epoch, cut_off: None, wide }))
    }
}

/// Share of some rows in which each column is missing; 0 for one that none of them knows.
fn missing_rates(rows: &WideRows, some: &[usize]) -> Vec<f64> {
    let rate = |column: usize| {
        let missing = some.iter().filter(|&&row| !rows.observed[row * rows.columns + column]).count();
        if missing == some.len() { 0.0 } else { missing as f64 / some.len() as f64 }
    };
    (0..rows.columns).map(rate).collect()
}

/// The feature of each column.
fn features(wide: &Wide) -> Vec<usize> {
    (0..wide.features()).flat_map(|feature| wide.places(feature).map(move |_| feature)).collect()
}

/// Rows set aside, with a fixed part of their known cells hidden.
fn set_aside(rows: &WideRows, features: &[usize], picked: &[usize], seed: u64) -> Aside {
    let columns = rows.columns;
    let cells = || picked.iter().flat_map(|&row| row * columns..(row + 1) * columns);
    let mut stream = Stream::new(seed, "autoencoder aside", 0, 0);
    let marks = picked.iter().flat_map(|&row| {
        hide(&rows.observed[row * columns..(row + 1) * columns], features, |_| HIDDEN_ASIDE, &mut stream)
    });
    let marks = marks.collect();
    let values = cells().map(|cell| rows.values[cell]).collect();
    let observed = cells().map(|cell| rows.observed[cell]).collect();
    Aside { rows: WideRows { values, observed, columns }, marks }
}

struct Fitted {
    wide: Wide,
    layers: Layers,
    parameters: Parameters,
    /// Per column, what the network left at hidden cells.
    kept: Vec<Vec<f32>>,
    epoch: usize,
    /// Why training was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        let Normalizer { k, range, .. } = &self.layers.normalizer;
        arrays.put_singles("k", &[1], vec![*k]);
        for (name, numbers) in RANGE.iter().zip(range.iter().flatten()) {
            arrays.put_singles(*name, &[numbers.len()], numbers.clone());
        }
        arrays.put_doubles("best epoch", &[1], vec![self.epoch as f64]);
        for (column, kept) in self.kept.iter().enumerate() {
            arrays.put_singles(format!("kept {column}"), &[kept.len()], kept.clone());
        }
        arrays
    }

    fn summary(&self) -> Value {
        let summary = json!({
            "weights": self.parameters.count(),
            "best epoch": self.epoch,
            "sentences": [format!("The weights of epoch {} were kept.", self.epoch)],
        });
        with_cut_off(summary, self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let rows = rows.table()?;
        let wide = self.wide.write(graph, rows);
        let inputs = self.layers.normalizer.write(graph, &wide);
        let said = network(graph, &self.parameters, Default::default(), |writer| {
            self.layers.forward(writer, inputs)
        })?;
        let said = graph.cast(&said, Kind::Double);
        Ok(Written::Table(self.wide.write_narrow(graph, &said, rows)))
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let widened = self.wide.widen(rows);
        let said = self.layers.infer(&widened, &widened.observed, &self.parameters);
        let columns = self.wide.columns();
        for_each_row(rows, |row, mut line| {
            let mut filled: Vec<f64> =
                said[row * columns..(row + 1) * columns].iter().map(|value| f64::from(*value)).collect();
            let mut stream = draw.map(|draw| draw.stream("autoencoder", row));
            if let Some(stream) = &mut stream {
                // Numbers get a difference; a category is drawn by its expected indicators.
                for (value, kept) in filled[..line.numbers.len()].iter_mut().zip(&self.kept) {
                    *value += f64::from(kept[stream.below(kept.len())]);
                }
            }
            self.wide.narrow(&filled, &mut line, stream.as_mut());
        });
        Ok(())
    }
}
