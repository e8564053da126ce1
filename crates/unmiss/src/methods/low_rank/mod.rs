#![doc = include_str!("README.md")]

mod factors;
mod learn;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Rows, Wide, Written};
use crate::error::{Error, Result};
use crate::linalg::Holes;
use crate::onnx::Graph;
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use factors::Factors;
use learn::{Course, learn};

/// Numbers of factors that are tried, in this order, as long as the error on hidden cells falls.
const TRIED: [usize; 6] = [2, 5, 10, 20, 40, 80];
/// Share of the known cells hidden to choose among them.
const HIDDEN: f64 = 0.1;
/// Rows on which they are tried, at most.
const ROWS_TRIED: usize = 4000;
/// Rounds of a trial: enough to tell them apart.
const ROUNDS_TRIED: usize = 25;
/// Factors that can be asked for, at most: every row and column keeps half their square for a moment.
const MOST_FACTORS: usize = 500;

/// The entry of the list.
pub struct LowRank;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    factors: usize,
    ridge: f64,
    rounds: usize,
    tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { factors: 0, ridge: 1.0, rounds: 100, tolerance: 1e-4 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (name, value) in [("ridge", settings.ridge), ("tolerance", settings.tolerance)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::setting(name, format!("{value} is not 0 or above")));
            }
        }
        if settings.rounds == 0 {
            return Err(Error::setting("rounds", "0 is not above 0"));
        }
        if settings.factors > MOST_FACTORS {
            return Err(Error::setting("factors", format!("{} is above {MOST_FACTORS}", settings.factors)));
        }
        Ok(settings)
    }

    fn course(&self) -> Course {
        Course { ridge: self.ridge, rounds: self.rounds, tolerance: self.tolerance }
    }
}

static CARD: Card = Card {
    name: "low-rank",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Fill)],
    cost: Cost::Medium,
    about: About {
        title: "A few hidden causes behind many columns",
        idea: "Every column is a sum of the same few causes and of noise of its own. The causes are learned \
               through the holes by expectation-maximisation, their number by hiding known cells; a row's \
               causes follow from its known cells, and its missing cells from its causes.",
        paper: "Tipping and Bishop 1999; Ilin and Raiko 2010; Rubin and Thayer 1982",
        when: "Hundreds or thousands of columns, or more columns than rows.",
        when_not: "A few dozen columns and many rows: `gaussian` knows every pair of them.",
    },
    settings: &[
        Setting { name: "factors", help: "how many causes; 0: chosen by hiding known cells" },
        Setting { name: "ridge", help: "holds loadings back, in units of rows; more for few rows" },
        Setting { name: "rounds", help: "rounds of expectation-maximisation, at most" },
        Setting { name: "tolerance", help: "a round that moves the mean noise less than this is the last" },
    ],
    space: &[
        Axis::new("factors", Choices::Integers(1, 60)),
        Axis::new("ridge", Choices::LogUniform(1e-2, 1e2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for LowRank {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let widened = wide.widen(rows);
        let count = match settings.factors {
            0 => choose(settings, &wide, &widened, run),
            asked => asked.min(widened.columns.max(1)),
        };
        let all: Vec<usize> = (0..widened.holes().rows()).collect();
        let mut last = (0, 0.0);
        let factors = learn(widened.holes(), &all, count, settings.course(), run.seed(), |round, change| {
            last = (round, change);
            run.progress(round as u64, settings.rounds as u64, format!("{count} causes, change {change:.5}"));
            !run.stopped()
        });
        run.finished();
        Ok(Box::new(Fitted { wide, factors, rounds: last.0, change: last.1 }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        self.check(settings)?;
        let wide = Wide::new(encoder);
        let columns = wide.columns();
        let [count, rounds, change] = *arrays.doubles("fit", &[3])? else {
            return Err(Error::data("array `fit` does not have three numbers"));
        };
        if !(count >= 1.0 && count <= MOST_FACTORS as f64 && count.fract() == 0.0) {
            return Err(Error::data(format!("{count} is no number of causes")));
        }
        let count = count as usize;
        let mean = arrays.doubles("mean", &[columns])?.to_vec();
        let loadings = arrays.doubles("loadings", &[columns, count])?.to_vec();
        let noise = arrays.doubles("noise", &[columns])?.to_vec();
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        if !finite(&mean)
            || !finite(&loadings)
            || !noise.iter().all(|value| *value > 0.0 && value.is_finite())
        {
            return Err(Error::data("an array has a number that can't be"));
        }
        let factors = Factors { count, mean, loadings, noise };
        Ok(Box::new(Fitted { wide, factors, rounds: rounds as usize, change }))
    }
}

/// How many causes tell most about hidden cells; the first number after which the error no longer falls ends it.
fn choose(settings: Settings, wide: &Wide, widened: &WideRows, run: &Run) -> usize {
    let columns = widened.columns;
    let mut rows = Stream::new(run.seed(), "low rank rows", 0, 0).permutation(widened.holes().rows());
    rows.truncate(ROWS_TRIED);
    rows.sort_unstable();
    let mut holed = widened.observed.clone();
    let mut hidden = Vec::new();
    for &row in &rows {
        let mut stream = Stream::new(run.seed(), "low rank cells", row as u64, 0);
        for feature in 0..wide.features() {
            // All indicators of a category together: one would tell the others.
            let cells = wide.places(feature).map(|place| row * columns + place);
            if stream.uniform() < HIDDEN && cells.clone().all(|cell| holed[cell]) {
                cells.clone().for_each(|cell| holed[cell] = false);
                hidden.extend(cells);
            }
        }
    }
    let data = Holes { columns, values: &widened.values, observed: &holed };
    let course = Course { rounds: ROUNDS_TRIED.min(settings.rounds), ..settings.course() };
    let mut best = (1, f64::INFINITY);
    // As many causes as columns or rows explain everything and nothing.
    for count in TRIED.into_iter().filter(|count| *count < columns.min(rows.len())) {
        run.progress(0, settings.rounds as u64, format!("trying {count} causes"));
        let factors = learn(data, &rows, count, course, run.seed(), |_, _| !run.stopped());
        let error = hidden_error(&factors, data, &hidden);
        if error >= best.1 || run.stopped() {
            break;
        }
        best = (count, error);
    }
    best.0
}

/// The mean squared error on hidden cells, given in order.
fn hidden_error(factors: &Factors, data: Holes<'_>, hidden: &[usize]) -> f64 {
    let columns = data.columns;
    let mut sum = 0.0;
    for cells in hidden.chunk_by(|a, b| a / columns == b / columns) {
        let row = cells[0] / columns;
        let mut line: Vec<f64> =
            data.values[row * columns..(row + 1) * columns].iter().map(|value| f64::from(*value)).collect();
        factors.fill(data.marks(row), &mut line);
        sum += cells
            .iter()
            .map(|cell| (line[cell % columns] - f64::from(data.values[*cell])).powi(2))
            .sum::<f64>();
    }
    sum / hidden.len().max(1) as f64
}

struct Fitted {
    wide: Wide,
    factors: Factors,
    rounds: usize,
    change: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let Factors { count, mean, loadings, noise } = &self.factors;
        arrays.put_doubles("mean", &[mean.len()], mean.clone());
        arrays.put_doubles("loadings", &[mean.len(), *count], loadings.clone());
        arrays.put_doubles("noise", &[noise.len()], noise.clone());
        arrays.put_doubles("fit", &[3], vec![*count as f64, self.rounds as f64, self.change]);
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "causes": self.factors.count, "rounds": self.rounds, "last change": self.change })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    /// Its causes are told of one known column after the other: z and what is open of it, `[factors, factors]`, where
    /// the columns' covariance would be `[columns, columns]`.
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let rows = rows.table()?;
        let wide = self.wide.write(graph, rows);
        let lines = self.factors.write(graph, &wide);
        Ok(Written::Table(self.wide.write_narrow(graph, &lines, rows)))
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let widened = self.wide.widen(rows);
        let columns = self.wide.columns();
        for_each_row(rows, |row, mut into| {
            let observed = &widened.observed[row * columns..(row + 1) * columns];
            let values = &widened.values[row * columns..(row + 1) * columns];
            let mut line: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            let open = self.factors.fill(observed, &mut line);
            let mut stream = draw.map(|draw| draw.stream("low rank", row));
            if let Some(stream) = &mut stream {
                // A category's chances are the expected indicators, without noise.
                let mut drawn = line.clone();
                self.factors.draw(observed, &open, &mut drawn, stream);
                line[..into.numbers.len()].copy_from_slice(&drawn[..into.numbers.len()]);
            }
            self.wide.narrow(&line, &mut into, stream.as_mut());
        });
        Ok(())
    }
}
