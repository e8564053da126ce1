#![doc = include_str!("README.md")]

mod features;
mod written;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use features::names;
pub use features::{Statistic, features};
use written::write_features;

use super::{
    About, Card, Cost, Examples, Job, Layout, Learned, Method, Predictor, Recipe, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Coder, Encoder, Given, Rows, SeriesCoder, Written, WrittenSeries};
use crate::error::{Error, Result};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// The array with the translation of the table of statistics.
const ENCODER: &str = "encoder";

/// The entry of the list.
pub struct Statistics;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The numbers that each variable becomes.
    pub statistics: Vec<Statistic>,
    /// The predictor of tables that learns from them.
    pub predictor: String,
    /// Its settings, where they are not its defaults.
    pub with: Value,
}

impl Default for Settings {
    fn default() -> Self {
        Self { statistics: Statistic::ALL.to_vec(), predictor: "trees".into(), with: json!({}) }
    }
}

impl Settings {
    /// Settings that are sound, with the predictor that they name.
    ///
    /// # Errors
    /// When one has a value it can't have.
    pub fn checked(settings: &Value) -> Result<(Self, Recipe)> {
        let own: Self = parse(settings)?;
        let recipe = Recipe::of_tables(&own.predictor, &[], &own.with)?;
        if own.statistics.is_empty() {
            return Err(Error::setting("statistics", "there is none to learn from"));
        }
        Ok((own, recipe))
    }
}

static CARD: Card = Card {
    name: "statistics",
    does: &[(Shape::Series, Job::Predict)],
    short_lists: &[(Shape::Series, Job::Predict)],
    cost: Cost::Low,
    about: About {
        title: "A few statistics of each variable, and a predictor of tables",
        idea: "Every variable becomes a few numbers (mean, deviation, mean and deviation of changes, count, first, last, \
               lowest, highest, trend, time since it was seen); a predictor of tables learns from them, holes and all.",
        paper: "arXiv 2602.19531 (four statistics beat transformers and graph networks on four clinical sets)",
        when: "Always first: seconds, series of any length, and hard to beat.",
        when_not: "Where the order of events within a series decides and there are very many series.",
    },
    settings: &[
        Setting {
            name: "statistics",
            help: "what each variable becomes: some of count, mean, deviation, change, change-deviation, first, last, \
                   low, high, trend, since",
        },
        Setting { name: "predictor", help: "the predictor of tables that learns from them, as `ensemble`" },
        Setting { name: "with", help: "its settings, as {\"effort\": \"quick\"}" },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Statistics {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (own, recipe) = Settings::checked(settings)?;
        let (coder, rows, targets) = examples.told_series()?;
        let table = features(rows, &own.statistics)?;
        let known = table.columns().iter().filter(|column| column.missing() < column.rows());
        let names: Vec<String> = known.map(|column| column.name.clone()).collect();
        let encoder = Encoder::fit(&table, &names, recipe.method.encoding(&recipe.settings)?)?;
        let encoded = encoder.encode(&table, |_, _| {})?;
        let training = Examples::Table { encoder: &encoder, rows: &encoded, targets: Some(targets) };
        let learned = recipe.method.fit(&recipe.settings, training, run)?;
        Ok(Box::new(Fitted { settings: own, coder: coder.clone(), encoder, learned }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (own, recipe) = Settings::checked(settings)?;
        let (series, task) = layout.predicting_series()?;
        let encoder: Encoder = serde_json::from_slice(arrays.bytes(ENCODER)?)
            .map_err(|error| Error::damaged(format!("its statistics can't be read: {error}")))?;
        encoder.check_part()?;
        let coder = Coder::Table(encoder);
        let inner = Layout { coder: &coder, task: Some(task) };
        let learned = recipe.method.load(&recipe.settings, inner, &arrays.with_prefix("predictor/"))?;
        let Coder::Table(encoder) = coder else { return Err(Error::damaged("it is no table")) };
        Ok(Box::new(Fitted { settings: own, coder: series.clone(), encoder, learned }))
    }
}

struct Fitted {
    settings: Settings,
    /// The translation of series that it learned with.
    coder: SeriesCoder,
    /// The translation of the table of statistics.
    encoder: Encoder,
    learned: Box<dyn Learned>,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        // The translation is plain data: turning it into JSON can't fail.
        arrays.put_bytes(ENCODER, serde_json::to_vec(&self.encoder).unwrap_or_default());
        arrays.put_all("predictor/", self.learned.save());
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "columns": self.encoder.width(), "predictor": self.settings.predictor, "fit": self.learned.summary() })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Fitted {
    /// The columns of the table of statistics, in the order of its translation, as symbols.
    fn given(&self, graph: &mut Graph, series: &WrittenSeries) -> Given {
        let statistics = &self.settings.statistics;
        let features = write_features(graph, series, self.coder.variables.len(), statistics);
        let names = names(&self.coder, statistics);
        // What does not change: its own translation, and the columns as they come.
        let fixed = self.coder.statics.as_ref().zip(series.statics.as_ref().map(|(_, given)| given));
        let mut numbers = Vec::new();
        for feature in &self.encoder.numbers {
            let of_series = names.iter().position(|name| *name == feature.name);
            let own = of_series.map(|place| graph.columns(&features, [place])).or_else(|| {
                let (encoder, given) = fixed?;
                let place = encoder.numbers.iter().position(|own| own.name == feature.name)?;
                Some(graph.columns(given.numbers.as_ref()?, [place]))
            });
            numbers.extend(own);
        }
        let categories = self.encoder.categories.iter().filter_map(|feature| {
            let (encoder, given) = fixed?;
            let place = encoder.categories.iter().position(|own| own.name == feature.name)?;
            given.categories.get(place).cloned()
        });
        let categories = categories.collect();
        let numbers = (!numbers.is_empty()).then(|| graph.beside(&numbers.iter().collect::<Vec<_>>()));
        Given { numbers, categories }
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let given = self.given(graph, rows.series()?);
        let rows = Written::Table(self.encoder.write_given(graph, &given));
        let not_one = || Error::method(&self.settings.predictor, "it does not predict");
        let predictor = self.learned.predictor().ok_or_else(not_one)?;
        predictor.write(graph, &rows).map_err(|error| error.told_of(&self.settings.predictor))
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let table = features(rows.series()?, &self.settings.statistics)?;
        let encoded = Rows::Table(self.encoder.encode(&table, |_, _| {})?);
        let not_one = || Error::method(&self.settings.predictor, "it does not predict");
        self.learned.predictor().ok_or_else(not_one)?.predict(&encoded)
    }
}
