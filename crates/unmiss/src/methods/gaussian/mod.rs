#![doc = include_str!("README.md")]

mod posterior;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Rows, Wide};
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Course, Normal};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// Work of a round, in rows x columns², at most: of more rows a choice is learned from, which changes little,
const MOST_WORK: usize = 1_000_000_000;
/// but never fewer than this.
const FEWEST_ROWS: usize = 10_000;

/// The entry of the list.
pub struct Gaussian;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    ridge: f64,
    rounds: usize,
    tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { ridge: 1e-3, rounds: 100, tolerance: 2e-3 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let at_least_zero = |name: &str, value: f64| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::setting(name, format!("{value} is not 0 or above"))),
        };
        at_least_zero("ridge", settings.ridge)?;
        at_least_zero("tolerance", settings.tolerance)?;
        if settings.rounds == 0 {
            return Err(Error::setting("rounds", "0 is not above 0"));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "gaussian",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Fill)],
    cost: Cost::Medium,
    about: About {
        title: "Joint normal distribution, learned through the holes",
        idea: "Mean and covariance of all columns are learned by expectation-maximisation; a missing cell \
               becomes its mean given the known cells of the row, or a draw from that distribution. \
               Categories take part as one indicator per level.",
        paper: "Dempster, Laird and Rubin 1977; Honaker and King 2010",
        when: "First of all: on most tables the best of the simple imputers, and fast.",
        when_not: "Where relations bend or columns interact.",
    },
    settings: &[
        Setting {
            name: "ridge",
            help: "added to the diagonal of the covariance in every round; more for few rows with many columns",
        },
        Setting { name: "rounds", help: "rounds of expectation-maximisation, at most" },
        Setting {
            name: "tolerance",
            help: "a round that moves no entry of mean and covariance further than this is the last",
        },
    ],
    space: &[Axis::new("ridge", Choices::LogUniform(1e-6, 1.0))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Gaussian {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let widened = wide.widen(rows);
        let (normal, last) = learn(settings, &widened, run);
        let known = widened.observed.iter().filter(|observed| **observed).count() as f64;
        let weight = known / wide.columns().max(1) as f64;
        Ok(Box::new(Fitted { wide, normal, weight, rounds: last.0, change: last.1 }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        self.check(settings)?;
        let wide = Wide::new(encoder);
        let columns = wide.columns();
        let mean = arrays.doubles("mean", &[columns])?.to_vec();
        let covariance = arrays.doubles("covariance", &[columns, columns])?.to_vec();
        let [weight, rounds, change] = *arrays.doubles("fit", &[3])? else {
            return Err(Error::data("array `fit` does not have three numbers"));
        };
        let all = mean.iter().chain(&covariance).chain([&weight, &rounds, &change]);
        if !all.into_iter().all(|value| value.is_finite()) {
            return Err(Error::data("an array has a number that is not finite"));
        }
        let normal = Normal::from_parts(mean, covariance);
        Ok(Box::new(Fitted { wide, normal, weight, rounds: rounds as usize, change }))
    }
}

/// Mean and covariance, and the number and change of the last round.
fn learn(settings: Settings, widened: &WideRows, run: &Run) -> (Normal, (usize, f64)) {
    let rows = widened.holes().rows();
    let mut sample: Vec<usize> = (0..rows).collect();
    let most = (MOST_WORK / widened.columns.pow(2).max(1)).max(FEWEST_ROWS);
    if sample.len() > most {
        Stream::new(run.seed(), "gaussian rows", 0, 0).shuffle(&mut sample);
        sample.truncate(most);
    }
    let Settings { ridge, rounds, tolerance } = settings;
    let mut last = (0, 0.0);
    let listen = |round, change| {
        last = (round, change);
        run.progress(round as u64, rounds as u64, format!("change {change:.4}"));
        !run.stopped()
    };
    let normal = Normal::fit(widened.holes(), &sample, Course { ridge, rounds, tolerance }, listen);
    run.finished();
    (normal, last)
}

/// Mean and covariance as this imputer learns them by default, for imputers that build on it.
pub(super) fn learn_default(widened: &WideRows, run: &Run) -> Normal {
    learn(Settings::default(), widened, run).0
}

struct Fitted {
    wide: Wide,
    normal: Normal,
    /// How many complete rows the known cells amount to.
    weight: f64,
    rounds: usize,
    change: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (mean, covariance) = self.normal.parts();
        arrays.put_doubles("mean", &[mean.len()], mean.to_vec());
        arrays.put_doubles("covariance", &[mean.len(), mean.len()], covariance.to_vec());
        arrays.put_doubles("fit", &[3], vec![self.weight, self.rounds as f64, self.change]);
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "rounds": self.rounds, "last change": self.change })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let drawn = draw.and_then(|draw| {
            posterior::draw(&self.normal, self.weight, &mut draw.shared("gaussian parameters"))
        });
        let conditional = Conditional::new(drawn.as_ref().unwrap_or(&self.normal));
        let widened = self.wide.widen(rows);
        let columns = self.wide.columns();
        for_each_row(rows, |row, mut line| {
            let observed = &widened.observed[row * columns..(row + 1) * columns];
            let values = &widened.values[row * columns..(row + 1) * columns];
            let cells = values.iter().zip(observed).zip(conditional.mean());
            let mut filled: Vec<f64> =
                cells.map(|((x, known), mean)| if *known { f64::from(*x) - mean } else { 0.0 }).collect();
            let mut stream = draw.map(|draw| draw.stream("gaussian", row));
            // A category's chances are the expected indicators: kept from before noise is added.
            let mut expected = filled.clone();
            conditional.fill(observed, &mut expected, None);
            if stream.is_some() {
                conditional.fill(observed, &mut filled, stream.as_mut());
                filled[line.numbers.len()..].copy_from_slice(&expected[line.numbers.len()..]);
            } else {
                filled = expected;
            }
            filled.iter_mut().zip(conditional.mean()).for_each(|(value, mean)| *value += mean);
            self.wide.narrow(&filled, &mut line, stream.as_mut());
        });
        Ok(())
    }
}
