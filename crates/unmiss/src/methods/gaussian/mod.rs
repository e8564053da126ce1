#![doc = include_str!("README.md")]

mod augment;
mod density;
mod row;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::{
    About, Axis, Card, Choices, Cost, Density, Draw, Examples, Imputer, Job, Layout, Learned, Method,
    Plausibility, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Rows, Wide, Written};
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Course, ExactSums, Normal, given_known};
use crate::onnx::{Graph, Kind};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use row::Steps;

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
        Self { ridge: 1e-3, rounds: 200, tolerance: 1e-3 }
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
    does: &[(Shape::Table, Job::Fill), (Shape::Table, Job::Density)],
    short_lists: &[(Shape::Table, Job::Fill), (Shape::Table, Job::Density)],
    cost: Cost::Medium,
    about: About {
        title: "Joint normal distribution, learned through the holes",
        idea: "Mean and covariance of all columns are learned by expectation-maximisation; a missing cell \
               becomes its mean given the known cells of the row, or a draw from that distribution. \
               Categories take part as one indicator per level.",
        paper: "Dempster, Laird and Rubin 1977; Tanner and Wong 1987; Schafer 1997",
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
            help: "it ends when all further rounds together would move no entry of mean and covariance further than this",
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
        let (normal, course) = learn(settings, &widened, run);
        Ok(Box::new(Fitted { wide, normal, course, ridge: settings.ridge, sets: Vec::new() }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        self.check(settings)?;
        let wide = Wide::new(encoder);
        let columns = wide.columns();
        let mean = arrays.doubles("mean", &[columns])?.to_vec();
        let covariance = arrays.doubles("covariance", &[columns, columns])?.to_vec();
        let all = mean.iter().chain(&covariance);
        if !all.into_iter().all(|value| value.is_finite()) {
            return Err(Error::data("an array has a number that is not finite"));
        }
        let normal = Normal::from_parts(mean, covariance);
        let sets = load_sets(columns, arrays)?;
        let settings = Settings::checked(settings)?;
        Ok(Box::new(Fitted { wide, normal, course: Ended::load(arrays)?, ridge: settings.ridge, sets }))
    }

    fn proper_draws(&self) -> bool {
        true
    }
}

/// The sets of parameters of a file; files of before have none.
fn load_sets(columns: usize, arrays: &Arrays) -> Result<Vec<Set>> {
    let numbers = columns + columns * (columns + 1) / 2;
    let Some(count) = arrays.shape("sets").and_then(|shape| shape.first().copied()) else {
        return Ok(Vec::new());
    };
    let cells = arrays.doubles("sets", &[count, numbers])?;
    if !cells.iter().all(|value| value.is_finite()) {
        return Err(Error::data("array `sets` has a number that is not finite"));
    }
    Ok(cells.chunks(numbers.max(1)).map(|set| Set::new(set.to_vec(), columns)).collect())
}

/// How expectation-maximisation ended.
#[derive(Debug, Clone, Copy, Default)]
struct Ended {
    rounds: usize,
    /// What the last round changed.
    change: f64,
    /// A change in parts of the one before, at most: the share of the information that is missing.
    rate: f64,
}

impl Ended {
    /// After one more round. The rate is that of the two steps between leaps.
    fn after(self, round: usize, change: f64) -> Self {
        let rate = if round.is_multiple_of(2) && self.change > 0.0 { change / self.change } else { 0.0 };
        Self { rounds: round, change, rate: self.rate.max(rate.min(1.0)) }
    }

    fn load(arrays: &Arrays) -> Result<Self> {
        let [rounds, change, rate] = match arrays.shape("course") {
            Some(_) => *arrays.doubles("course", &[3])?.as_array::<3>().unwrap_or(&[0.0; 3]),
            // Files of before: how many rows the known cells amount to, rounds, change.
            None => {
                arrays.doubles("fit", &[3])?.as_array::<3>().map_or([0.0; 3], |fit| [fit[1], fit[2], 0.0])
            }
        };
        if ![rounds, change, rate].iter().all(|value| value.is_finite()) {
            return Err(Error::data("an array has a number that is not finite"));
        }
        Ok(Self { rounds: rounds as usize, change, rate })
    }
}

/// Mean and covariance, and how the course ended.
fn learn(settings: Settings, widened: &WideRows, run: &Run) -> (Normal, Ended) {
    let rows = widened.holes().rows();
    let mut sample: Vec<usize> = (0..rows).collect();
    let most = (MOST_WORK / widened.columns.pow(2).max(1)).max(FEWEST_ROWS);
    if sample.len() > most {
        Stream::new(run.seed(), "gaussian rows", 0, 0).shuffle(&mut sample);
        sample.truncate(most);
    }
    let Settings { ridge, rounds, tolerance } = settings;
    let mut ended = Ended::default();
    let listen = |round, change| {
        ended = ended.after(round, change);
        run.progress(round as u64, rounds as u64, format!("change {change:.4}"));
        !run.stopped()
    };
    let normal = Normal::fit(widened.holes(), &sample, Course { ridge, rounds, tolerance }, listen);
    run.finished();
    (normal, ended)
}

/// What [`Method::load`] makes an imputer of, from sums over rows in the layout of [`Wide`]: `expect` gives those of a
/// round, given mean and covariance (`linalg::expect_exactly`).
///
/// # Errors
/// When a setting has a value it can't have.
pub fn arrays_of_sums(
    settings: &Value,
    columns: usize,
    expect: impl Fn(&Normal) -> ExactSums,
    run: &Run,
) -> Result<Arrays> {
    let Settings { ridge, rounds, tolerance } = Settings::checked(settings)?;
    let mut ended = Ended::default();
    let course = Course { ridge, rounds, tolerance };
    let normal = Normal::fit_sums(columns, course, expect, |round, change, _| {
        ended = ended.after(round, change);
        run.progress(round as u64, rounds as u64, format!("change {change:.4}"));
        !run.stopped()
    });
    run.finished();
    Ok(arrays_of(&normal, ended))
}

fn arrays_of(normal: &Normal, ended: Ended) -> Arrays {
    let mut arrays = Arrays::default();
    let (mean, covariance) = normal.parts();
    let columns = mean.len();
    arrays.put_doubles("mean", &[columns], mean.to_vec());
    arrays.put_doubles("covariance", &[columns, columns], covariance.to_vec());
    let Ended { rounds, change, rate } = ended;
    arrays.put_doubles("course", &[3], vec![rounds as f64, change, rate]);
    arrays
}

/// Mean and covariance as this imputer learns them by default, for imputers that build on it.
pub(super) fn learn_default(widened: &WideRows, run: &Run) -> Normal {
    learn(Settings::default(), widened, run).0
}

struct Fitted {
    wide: Wide,
    normal: Normal,
    course: Ended,
    ridge: f64,
    /// The parameters of each draw.
    sets: Vec<Set>,
}

/// One set of parameters, as a file keeps it and ready to use.
struct Set {
    numbers: Vec<f64>,
    normal: Normal,
}

impl Set {
    fn new(numbers: Vec<f64>, columns: usize) -> Self {
        Self { normal: augment::unflat(&numbers, columns), numbers }
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = arrays_of(&self.normal, self.course);
        if !self.sets.is_empty() {
            let columns = self.wide.columns();
            let numbers = columns + columns * (columns + 1) / 2;
            let cells = self.sets.iter().flat_map(|set| set.numbers.iter().copied()).collect();
            arrays.put_doubles("sets", &[self.sets.len(), numbers], cells);
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "rounds": self.course.rounds, "last change": self.course.change, "parameter sets": self.sets.len() })
    }

    fn prepare_draws(&mut self, sets: usize, examples: Examples<'_>, run: &Run) -> Result<()> {
        let (_, rows) = examples.table()?;
        let widened = self.wide.widen(rows);
        let estimate = (&self.normal, self.course.rate);
        let sets = augment::sets(sets, (widened.holes(), &self.wide), estimate, self.ridge, run)?;
        self.sets = sets.iter().map(|set| Set::new(augment::flat(set), self.wide.columns())).collect();
        Ok(())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }
}

impl Density for Fitted {
    fn plausibility(&self, rows: &Rows) -> Result<Vec<Plausibility>> {
        Ok(density::plausibility(&self.wide, &self.normal, rows.table()?))
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let drawn = draw.and_then(|draw| self.sets.get(draw.set(self.sets.len())));
        let conditional = Conditional::new(drawn.map_or(&self.normal, |set| &set.normal));
        let widened = self.wide.widen(rows);
        let holes = widened.holes();
        for_each_row(rows, |row, mut line| {
            let mut filled = vec![0.0; self.wide.columns()];
            holes.deviations(row, conditional.mean(), &mut filled);
            match draw {
                Some(draw) => {
                    let steps = Steps::new(&self.wide, &conditional, holes.marks(row));
                    steps.draw(&self.wide, &conditional, &mut filled, &mut draw.stream("gaussian", row));
                }
                None => conditional.fill(holes.marks(row), &mut filled, None),
            }
            filled.iter_mut().zip(conditional.mean()).for_each(|(value, mean)| *value += mean);
            self.wide.narrow(&filled, &mut line, None);
        });
        Ok(())
    }

    fn parameter_sets(&self) -> usize {
        self.sets.len()
    }

    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let rows = rows.table()?;
        let wide = self.wide.write(graph, rows);
        let values = graph.cast(&wide.values, Kind::Double);
        let (mean, _) = given_known(graph, &self.normal, (&values, &wide.observed), None);
        Ok(Written::Table(self.wide.write_narrow(graph, &mean, rows)))
    }
}
