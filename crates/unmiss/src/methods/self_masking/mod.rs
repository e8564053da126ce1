#![doc = include_str!("README.md")]

mod tilt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::each_row::for_each_row;
use super::gaussian::learn_default;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::WideRows;
use crate::encode::{Rows, Wide};
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Holes, Normal, Square};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use tilt::{Curve, tilt_all};

/// Rows that are learned from, at most.
const MOST_ROWS: usize = 20_000;
/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 256;
/// Added to the diagonal of the covariance in every round.
const RIDGE: f64 = 1e-3;

/// The entry of the list.
pub struct SelfMasking;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    rounds: usize,
    tolerance: f64,
    pull: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 100, tolerance: 2e-3, pull: 4.0 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.rounds == 0 {
            return Err(Error::setting("rounds", "0 is not above 0"));
        }
        for (name, value) in [("tolerance", settings.tolerance), ("pull", settings.pull)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::setting(name, format!("{value} is not 0 or above")));
            }
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "self-masking",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[],
    cost: Cost::High,
    about: About {
        title: "Joint normal distribution whose values hide themselves",
        idea: "As `gaussian`, with a curve for each number that says how likely a cell is missing given its own \
               value. If large values tend to be missing, a missing value is taken to be larger than the other \
               columns say. Distribution and curves are learned together.",
        paper: "Heckman 1979; Ipsen, Mattei and Frellsen 2021; Minka 2001",
        when: "Only when values are believed to hide themselves: detection limits, incomes, weights.",
        when_not: "Otherwise: where cells are missing at random it is worse than `gaussian`.",
    },
    settings: &[
        Setting { name: "rounds", help: "rounds of expectation-maximisation, at most" },
        Setting {
            name: "tolerance",
            help: "a round that moves no entry of mean and covariance further than this is the last",
        },
        Setting { name: "pull", help: "how strongly the curves are pulled to flat, in rows" },
    ],
    space: &[Axis::new("pull", Choices::LogUniform(0.5, 200.0))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for SelfMasking {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let sample = (rows.rows > MOST_ROWS).then(|| {
            let mut picked = Stream::new(run.seed(), "self-masking rows", 0, 0).permutation(rows.rows);
            picked.truncate(MOST_ROWS);
            rows.select(&picked)
        });
        let widened = wide.widen(sample.as_ref().unwrap_or(rows));
        let mut fit = Fit {
            normal: learn_default(&widened, run),
            curves: vec![Curve::default(); encoder.numbers.len()],
        };
        fit.start_curves(&widened);
        let mut last = (0, 0.0);
        for round in 1..=settings.rounds {
            let change = fit.round(&widened, settings.pull);
            last = (round, change);
            run.progress(round as u64, settings.rounds as u64, format!("change {change:.4}"));
            if change < settings.tolerance || run.stopped() {
                break;
            }
        }
        run.finished();
        let names = encoder.numbers.iter().map(|feature| feature.name.clone()).collect();
        Ok(Box::new(Fitted { fit, names, rounds: last.0, change: last.1, wide }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        self.check(settings)?;
        let wide = Wide::new(encoder);
        let columns = wide.columns();
        let mean = arrays.doubles("mean", &[columns])?.to_vec();
        let covariance = arrays.doubles("covariance", &[columns, columns])?.to_vec();
        let curves = arrays.doubles("curves", &[encoder.numbers.len(), 2])?;
        let [rounds, change] = *arrays.doubles("fit", &[2])? else {
            return Err(Error::data("array `fit` does not have two numbers"));
        };
        if !mean
            .iter()
            .chain(&covariance)
            .chain(curves)
            .chain([&rounds, &change])
            .all(|value| value.is_finite())
        {
            return Err(Error::data("an array has a number that is not finite"));
        }
        let curves = curves.chunks(2).map(|pair| Curve { level: pair[0], slope: pair[1] }).collect();
        let fit = Fit { normal: Normal::from_parts(mean, covariance), curves };
        let names = encoder.numbers.iter().map(|feature| feature.name.clone()).collect();
        Ok(Box::new(Fitted { fit, names, rounds: rounds as usize, change, wide }))
    }
}

/// Distribution and curves.
struct Fit {
    normal: Normal,
    /// One per number; categories have none.
    curves: Vec<Curve>,
}

/// What a chunk of rows adds to a round.
struct Sums {
    shift: Vec<f64>,
    squares: Square,
    /// (column, value, weight) of missing numbers: two points stand for what is left open.
    missing: Vec<(usize, f64, f64)>,
}

impl Fit {
    /// Flat curves at each column's share of holes.
    fn start_curves(&mut self, rows: &WideRows) {
        let count = rows.holes().rows().max(1) as f64;
        for (column, curve) in self.curves.iter_mut().enumerate() {
            let holes =
                rows.observed.iter().skip(column).step_by(rows.columns).filter(|mark| !**mark).count() as f64;
            let share = ((holes + 0.5) / (count + 1.0)).clamp(1e-6, 1.0 - 1e-6);
            *curve = Curve { level: (share / (1.0 - share)).ln(), slope: 0.0 };
        }
    }

    /// The missing part of a row after its curves: deviations in place, missing columns, what is left open.
    fn expect(
        &self,
        conditional: &Conditional<'_>,
        observed: &[bool],
        deviations: &mut [f64],
    ) -> (Vec<usize>, Square) {
        let (missing, mut open) = conditional.fill_and_open(observed, deviations);
        let mut shift: Vec<f64> = missing.iter().map(|&column| deviations[column]).collect();
        tilt_all(&self.curves, &missing, conditional.mean(), &mut shift, &mut open);
        missing.iter().zip(shift).for_each(|(&column, value)| deviations[column] = value);
        (missing, open)
    }

    /// One round; returns the change of mean and covariance.
    fn round(&mut self, rows: &WideRows, pull: f64) -> f64 {
        let columns = rows.columns;
        let data = rows.holes();
        let count = data.rows();
        let conditional = Conditional::new(&self.normal);
        let places: Vec<usize> = (0..count).collect();
        let parts: Vec<Sums> =
            places.par_chunks(CHUNK).map(|rows| self.sums(data, rows, &conditional)).collect();
        let (mut shift, mut squares) = (vec![0.0; columns], Square::zero(columns));
        let mut cells: Vec<Vec<(f64, f64, bool)>> = vec![Vec::new(); self.curves.len()];
        for part in parts {
            shift.iter_mut().zip(part.shift).for_each(|(sum, value)| *sum += value / count as f64);
            squares
                .cells
                .iter_mut()
                .zip(part.squares.cells)
                .for_each(|(sum, value)| *sum += value / count as f64);
            part.missing
                .iter()
                .for_each(|&(column, value, weight)| cells[column].push((value, weight, true)));
        }
        for row in 0..count {
            for (column, cells) in cells.iter_mut().enumerate().filter(|(column, _)| data.marks(row)[*column])
            {
                cells.push((f64::from(rows.values[row * columns + column]), 1.0, false));
            }
        }
        let holed = |cells: &Vec<(f64, f64, bool)>| {
            cells.iter().any(|cell| cell.2) && cells.iter().any(|cell| !cell.2)
        };
        let curves = self.curves.par_iter_mut().zip(&cells).filter(|(_, cells)| holed(cells));
        curves.for_each(|(curve, cells)| curve.improve(cells, pull));
        let next = self.normal.moved(&shift, squares, RIDGE);
        let change = next.distance(&self.normal);
        self.normal = next;
        change
    }

    fn sums(&self, data: Holes<'_>, rows: &[usize], conditional: &Conditional<'_>) -> Sums {
        let columns = data.columns;
        let mut sums =
            Sums { shift: vec![0.0; columns], squares: Square::zero(columns), missing: Vec::new() };
        let mut line = vec![0.0; columns];
        for &row in rows {
            data.deviations(row, conditional.mean(), &mut line);
            let (missing, open) = self.expect(conditional, data.marks(row), &mut line);
            for (i, a) in line.iter().enumerate() {
                sums.shift[i] += a;
                let cells = &mut sums.squares.cells[i * columns..(i + 1) * columns];
                cells.iter_mut().zip(&line).for_each(|(cell, b)| *cell += a * b);
            }
            for (i, &column) in missing.iter().enumerate() {
                for (j, &other) in missing.iter().enumerate() {
                    *sums.squares.at_mut(column, other) += open.at(i, j);
                }
                if column < self.curves.len() {
                    let (middle, spread) =
                        (conditional.mean()[column] + line[column], open.at(i, i).max(0.0).sqrt());
                    sums.missing.extend([(column, middle - spread, 0.5), (column, middle + spread, 0.5)]);
                }
            }
        }
        sums
    }
}

struct Fitted {
    wide: Wide,
    fit: Fit,
    names: Vec<String>,
    rounds: usize,
    change: f64,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (mean, covariance) = self.fit.normal.parts();
        arrays.put_doubles("mean", &[mean.len()], mean.to_vec());
        arrays.put_doubles("covariance", &[mean.len(), mean.len()], covariance.to_vec());
        let curves: Vec<f64> = self.fit.curves.iter().flat_map(|curve| [curve.level, curve.slope]).collect();
        arrays.put_doubles("curves", &[self.fit.curves.len(), 2], curves);
        arrays.put_doubles("fit", &[2], vec![self.rounds as f64, self.change]);
        arrays
    }

    fn summary(&self) -> Value {
        let slope = |(name, curve): (&String, &Curve)| (name.clone(), json!(curve.slope));
        let mut steep: Vec<(&String, &Curve)> =
            self.names.iter().zip(&self.fit.curves).filter(|(_, curve)| curve.slope.abs() > 0.5).collect();
        steep.sort_by(|a, b| b.1.slope.abs().total_cmp(&a.1.slope.abs()));
        let word = |(name, curve): &(&String, &Curve)| {
            format!("`{name}` ({})", if curve.slope > 0.0 { "large ones" } else { "small ones" })
        };
        let mut sentences =
            vec![format!("It took {} rounds; the last change was {:.4}.", self.rounds, self.change)];
        if !steep.is_empty() {
            let list = steep.iter().take(8).map(word).collect::<Vec<_>>().join(", ");
            sentences.push(format!("Values that seem to hide themselves: {list}."));
        }
        json!({
            "rounds": self.rounds,
            "last change": self.change,
            "slopes": Value::Object(self.names.iter().zip(&self.fit.curves).map(slope).collect::<Map<_, _>>()),
            "sentences": sentences,
        })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn why_no_formula(&self) -> &'static str {
        "it integrates over what a hole says of the value that it hides"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let conditional = Conditional::new(&self.fit.normal);
        let widened = self.wide.widen(rows);
        let columns = self.wide.columns();
        for_each_row(rows, |row, mut line| {
            let data = widened.holes();
            let mut filled = vec![0.0; columns];
            data.deviations(row, conditional.mean(), &mut filled);
            let (missing, open) = self.fit.expect(&conditional, data.marks(row), &mut filled);
            filled.iter_mut().zip(conditional.mean()).for_each(|(value, mean)| *value += mean);
            let mut stream = draw.map(|draw| draw.stream("self-masking", row));
            if let (Some(stream), Ok(lower)) = (&mut stream, open.cholesky(0.0)) {
                let noise: Vec<f64> = missing.iter().map(|_| stream.normal()).collect();
                // Numbers are drawn; a category by its expected indicators.
                let drawn = missing
                    .iter()
                    .zip(lower.times(&noise))
                    .filter(|(column, _)| **column < line.numbers.len());
                drawn.for_each(|(&column, noise)| filled[column] += noise);
            }
            self.wide.narrow(&filled, &mut line, stream.as_mut());
        });
        Ok(())
    }
}
