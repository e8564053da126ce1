#![doc = include_str!("README.md")]

mod layers;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::learned::with_cut_off;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Encoding, Rows, Scale, Wide};
use crate::error::{Error, Result};
use crate::nn::Parameters;
use crate::nn::optimizer::Optimizer;
use crate::nn::train::{TrainSettings, train};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use layers::{Layers, Restoring, Units};

/// Share of the known cells set aside.
const ASIDE: f64 = 0.1;
/// Known cells below which none is set aside.
const FEWEST_CELLS: usize = 100;
/// Parts in which known cells are hidden in turn, where none was set aside.
const TURNS: usize = 10;
/// What was left of a column's cells set aside counts as if so many more had been left as much as all on average.
const SHRUNK: f64 = 5.0;

/// The entry of the list.
pub struct AutoImpute;

/// What a cell is to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UnitsOf {
    /// As it stands in the table: columns share one unit.
    Table,
    /// From 0 to 1 in its column.
    Column,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    normalize: bool,
    hidden: usize,
    units: UnitsOf,
    decay: f64,
    rate: f64,
    batch: usize,
    epochs: usize,
    patience: usize,
    threshold: f64,
    start: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            normalize: true,
            hidden: 200,
            units: UnitsOf::Table,
            decay: 1.0,
            rate: 1e-3,
            batch: 64,
            epochs: 200,
            patience: 10,
            threshold: 0.0,
            start: None,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if !(1..=20_000).contains(&settings.hidden) {
            return Err(Error::setting("hidden", "there are 1 to 20000 hidden units"));
        }
        for (name, value) in [("decay", settings.decay), ("threshold", settings.threshold)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::setting(name, format!("{value} is not 0 or above")));
            }
        }
        if let Some(start) = settings.start.filter(|start| !(*start > 0.0 && start.is_finite())) {
            return Err(Error::setting("start", format!("{start} is not above 0")));
        }
        settings.plan(1).check()?;
        Ok(settings)
    }

    fn plan(&self, rows: usize) -> TrainSettings {
        TrainSettings {
            epochs: self.epochs,
            batch: self.batch,
            optimizer: Optimizer::rms_prop(),
            rate: self.rate,
            // The loss is that of a row, so the published λ/2 ‖W‖² beside the sum over rows is shared among them.
            weight_decay: self.decay / rows.max(1) as f64,
            patience: (self.patience > 0).then_some(self.patience),
            tolerance: (self.threshold > 0.0).then_some(self.threshold),
            ..TrainSettings::default()
        }
    }
}

static CARD: Card = Card {
    name: "autoimpute",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "AutoImpute: a wide layer over mostly holes",
        idea: "A row goes in with 0 for every hole, through one layer of sigmoids, and all its cells come out; known \
               cells are learned from, holes get what is said there. With normalize the input is divided by how much \
               of the row is known, so that the answer does not drift with it.",
        paper: "Talwar, Mongia, Sengupta and Majumdar 2018; Yi et al. 2020",
        when: "Counts of genes in single cells (`unmiss counts`), to run the published method with or without Sparsity \
               Normalization.",
        when_not: "Where `low-rank`, which is made for many columns and few rows, does as well: try both.",
    },
    settings: &[
        Setting { name: "normalize", help: "whether inputs are divided by how much of the row is known" },
        Setting { name: "hidden", help: "hidden units; 2000 as published" },
        Setting {
            name: "units",
            help: "table: columns as they stand, for columns of one unit; column: each from 0 to 1",
        },
        Setting { name: "decay", help: "what squares of weights cost beside all rows" },
        Setting { name: "rate", help: "learning rate of RMSProp; 0.0001 as published" },
        Setting { name: "batch", help: "rows in a batch; 0: all, as published" },
        Setting { name: "epochs", help: "passes over the rows, at most" },
        Setting {
            name: "patience",
            help: "epochs without a smaller error of cells set aside after which training ends; 0: none is set aside",
        },
        Setting {
            name: "threshold",
            help: "training ends once the loss of a row changes by no more than this; 0: never; 0.0001 as published",
        },
        Setting {
            name: "start",
            help: "deviation of the first weights and biases, 1 as published; null: by the number of inputs",
        },
    ],
    space: &[
        Axis::new("hidden", Choices::Options(&["50", "100", "200", "500"])),
        Axis::new("decay", Choices::LogUniform(1e-2, 1e2)),
        Axis::new("rate", Choices::LogUniform(1e-4, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for AutoImpute {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        self.check(settings)?;
        Ok(Encoding { scale: Scale::MinMax, ..Encoding::default() })
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let widened = wide.widen(rows);
        let known = widened.observed.iter().filter(|known| **known).count();
        let k = settings.normalize.then(|| (known as f64 / rows.rows.max(1) as f64).max(1.0) as f32);
        let layers = settings.layers(encoder, &wide, k);
        let sets_aside = settings.patience > 0 && known >= FEWEST_CELLS;
        let learning = if sets_aside { set_aside(&widened, run.seed()) } else { widened.observed.clone() };
        let learner = Restoring { layers: &layers, rows: &widened, learning, sets_aside };
        let first = layers.parameters(settings.start, &learner.means(), run.seed());
        let trained = train(&learner, first, &settings.plan(rows.rows), run)?;
        let left = match sets_aside {
            true => learner.left(&trained.parameters, &learner.learning),
            false => left_in_turns(&learner, &trained.parameters, run.seed()),
        };
        let deviations = deviations(&left, wide.columns());
        let course = Course { epoch: trained.best_epoch, judged: sets_aside, cut_off: trained.cut_off() };
        Ok(Box::new(Fitted { wide, layers, parameters: trained.parameters, deviations, course }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let k = if settings.normalize { Some(arrays.finite_single("k")?) } else { None };
        let layers = settings.layers(encoder, &wide, k);
        // Before memory for weights is taken.
        arrays.singles("encoder/weight", &[wide.columns(), settings.hidden])?;
        let mut parameters = layers.parameters(None, &vec![0.0; wide.columns()], 0);
        parameters.load(arrays)?;
        let deviations = arrays.singles("deviations", &[wide.columns()])?.to_vec();
        if !deviations.iter().all(|deviation| *deviation >= 0.0 && deviation.is_finite()) {
            return Err(Error::data("array `deviations` has a number that can't be"));
        }
        let epoch = arrays.doubles("best epoch", &[1])?[0] as usize;
        let course = Course { epoch, judged: true, cut_off: None };
        Ok(Box::new(Fitted { wide, layers, parameters, deviations, course }))
    }
}

impl Settings {
    fn layers(&self, encoder: &Encoder, wide: &Wide, k: Option<f32>) -> Layers {
        let units = Units::new(encoder, wide, self.units == UnitsOf::Table);
        Layers { columns: wide.columns(), hidden: self.hidden, k, units }
    }
}

/// What is known, without a share of it.
fn set_aside(rows: &WideRows, seed: u64) -> Vec<bool> {
    let mut stream = Stream::new(seed, "autoimpute aside", 0, 0);
    rows.observed.iter().map(|known| *known && stream.uniform() >= ASIDE).collect()
}

/// What is left of known cells that were all learned from, each hidden from the network while it is asked: less than
/// of cells that it never saw, but not nothing.
fn left_in_turns(learner: &Restoring<'_>, parameters: &Parameters, seed: u64) -> Vec<(usize, f32)> {
    let mut stream = Stream::new(seed, "autoimpute turns", 0, 0);
    let turns: Vec<usize> = learner.learning.iter().map(|_| stream.below(TURNS)).collect();
    let of_a_turn = |turn: usize| {
        let seen: Vec<bool> =
            learner.learning.iter().zip(&turns).map(|(known, own)| *known && *own != turn).collect();
        learner.left(parameters, &seen)
    };
    (0..TURNS).flat_map(of_a_turn).collect()
}

/// How much is left of each column on average: columns of few cells lean on all of them.
fn deviations(left: &[(usize, f32)], columns: usize) -> Vec<f32> {
    let mut sums = vec![(0.0, 0.0); columns];
    for (column, left) in left {
        sums[*column].0 += f64::from(*left).powi(2);
        sums[*column].1 += 1.0;
    }
    let (squares, count) = sums.iter().fold((0.0, 0.0), |all, own| (all.0 + own.0, all.1 + own.1));
    let overall = if count > 0.0 { squares / count } else { 0.0 };
    let deviation = |(squares, count): &(f64, f64)| ((squares + SHRUNK * overall) / (count + SHRUNK)).sqrt();
    sums.iter().map(|own| deviation(own) as f32).collect()
}

struct Fitted {
    wide: Wide,
    layers: Layers,
    parameters: Parameters,
    /// Per column, how much the network left of cells set aside.
    deviations: Vec<f32>,
    course: Course,
}

/// How the training went.
struct Course {
    /// The epoch whose weights were kept.
    epoch: usize,
    /// Whether cells were set aside, by which it is known how far off the network is.
    judged: bool,
    /// Why it was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.parameters.save();
        if let Some(k) = self.layers.k {
            arrays.put_singles("k", &[1], vec![k]);
        }
        arrays.put_singles("deviations", &[self.deviations.len()], self.deviations.clone());
        arrays.put_doubles("best epoch", &[1], vec![self.course.epoch as f64]);
        arrays
    }

    fn summary(&self) -> Value {
        let Course { epoch, judged, cut_off } = &self.course;
        let mut sentences = vec![format!("The weights of epoch {epoch} were kept.")];
        if !judged {
            sentences.push(
                "No cell was set aside: how far off it is was measured on cells that it learned from, so draws and \
                 intervals look surer than they are."
                    .into(),
            );
        }
        let summary =
            json!({ "weights": self.parameters.count(), "best epoch": epoch, "sentences": sentences });
        with_cut_off(summary, cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn why_no_formula(&self) -> &'static str {
        "its network is not described as operations of a graph yet"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let widened = self.wide.widen(rows);
        let said = self.layers.infer(&widened, &widened.observed, &self.parameters);
        let columns = self.wide.columns();
        for_each_row(rows, |row, mut line| {
            let own = &said[row * columns..(row + 1) * columns];
            let mut stream = draw.map(|draw| draw.stream("autoimpute", row));
            let cell = |(column, said): (usize, &f32)| {
                // Numbers get noise; a category is drawn by its expected indicators.
                let noise = stream.as_mut().filter(|_| self.wide.indicator(column).is_none());
                let noise = noise.map_or(0.0, |stream| self.deviations[column] * stream.normal() as f32);
                f64::from(self.layers.units.encoded(column, said + noise))
            };
            let filled: Vec<f64> = own.iter().enumerate().map(cell).collect();
            self.wide.narrow(&filled, &mut line, stream.as_mut());
        });
        Ok(())
    }
}
