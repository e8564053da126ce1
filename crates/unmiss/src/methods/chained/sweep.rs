//! The course of the rounds over a training table.

mod fit;

use rayon::prelude::*;

use super::equation::{Equation, Form};
use super::rules::Rules;
use crate::encode::features::NumberFeature;
use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Wide};
use crate::linalg::add_crossed;
use crate::rng::Stream;
use crate::run::Run;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;

/// A table on its way to being filled.
#[derive(Clone)]
pub struct Sweep<'a> {
    pub wide: &'a Wide,
    observed: &'a [bool],
    columns: usize,
    rows: usize,
    /// `[rows, columns + 1]`: the filled table, 1 in the last column.
    filled: Vec<f64>,
    /// Σ z z' over all rows, `[columns + 1, columns + 1]`.
    products: Vec<f64>,
    /// Lowest and highest value that each number may be filled with.
    ranges: Vec<(f64, f64)>,
    /// The same for draws.
    drawn_ranges: Vec<(f64, f64)>,
    /// Variance that each column's equation leaves at its holes.
    open: Vec<f64>,
    /// `[columns, columns]`: rows that know the first column and miss the second.
    known_missing: Vec<f32>,
    /// What each row counts.
    weights: Vec<f64>,
    rules: Rules,
    most_predictors: usize,
    seed: u64,
}

impl<'a> Sweep<'a> {
    /// Starts with every hole at the mean.
    pub fn new(
        encoder: &Encoder,
        wide: &'a Wide,
        rows: &'a WideRows,
        (rules, most_predictors): (Rules, usize),
        seed: u64,
    ) -> Self {
        let columns = wide.columns();
        let count = rows.values.len().checked_div(columns).unwrap_or(0);
        let mut filled = Vec::with_capacity(count * (columns + 1));
        for row in 0..count {
            filled.extend(
                rows.values[row * columns..(row + 1) * columns].iter().map(|value| f64::from(*value)),
            );
            filled.push(1.0);
        }
        let ranges = encoder.numbers.iter().map(NumberFeature::range).collect();
        let drawn_range = |feature: &NumberFeature| {
            let (low, high) = feature.allowed_for_draws();
            (feature.encoded(low).max(-1e9), feature.encoded(high).min(1e9))
        };
        let drawn_ranges = encoder.numbers.iter().map(drawn_range).collect();
        let mut sweep = Self {
            wide,
            observed: &rows.observed,
            columns,
            rows: count,
            filled,
            products: Vec::new(),
            ranges,
            drawn_ranges,
            open: vec![1.0; columns],
            known_missing: known_missing(rows),
            weights: vec![1.0; count],
            rules,
            most_predictors,
            seed,
        };
        let all: Vec<usize> = (0..count).collect();
        sweep.products = sweep.products_of(&all);
        sweep
    }

    /// Lets rows count differently.
    pub fn weigh(&mut self, weights: Vec<f64>) {
        if weights.iter().any(|weight| *weight != 1.0) {
            self.weights = weights;
            self.products = self.products_of(&(0..self.rows).collect::<Vec<_>>());
        }
    }

    /// A row's cells, 1 at the end, times the root of what it counts: products of such rows are weighted sums.
    fn rooted(&self, row: usize) -> impl Iterator<Item = f64> {
        let (width, root) = (self.columns + 1, self.weights[row].sqrt());
        self.filled[row * width..(row + 1) * width].iter().map(move |cell| root * cell)
    }

    /// Features with holes, fewest first unless the user says otherwise; and the others.
    pub fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let holes = |feature: usize| self.missing(feature).len();
        let (mut holed, complete): (Vec<usize>, Vec<usize>) = (0..self.wide.features())
            .filter(|&feature| !self.wide.places(feature).is_empty())
            .partition(|&feature| holes(feature) > 0);
        holed.sort_by_key(|&feature| holes(feature));
        self.rules.sort(&mut holed);
        (holed, complete)
    }

    /// Rows that do not know a feature.
    fn missing(&self, feature: usize) -> Vec<usize> {
        let place = self.wide.places(feature).start;
        (0..self.rows).filter(|row| !self.observed[row * self.columns + place]).collect()
    }

    fn known(&self, feature: usize) -> Vec<usize> {
        let place = self.wide.places(feature).start;
        (0..self.rows).filter(|row| self.observed[row * self.columns + place]).collect()
    }

    /// Fits every feature's equation once and fills its holes; returns the largest root mean square change of a
    /// feature.
    pub fn round(&mut self, equations: &mut [Equation], run: &Run) -> f64 {
        let mut largest: f64 = 0.0;
        for equation in equations {
            if run.stopped() {
                break;
            }
            self.fit(equation);
            if let Form::Number { line, .. } = &equation.form {
                self.open[equation.feature] = line.noise * line.noise;
            }
            let change = self.refill(equation.feature, |_, line| equation.guess(self.wide, line));
            if matches!(equation.form, Form::Category(_)) {
                let missing = self.missing(equation.feature);
                for column in self.wide.places(equation.feature) {
                    self.open[column] = self.open_indicator(column, &missing);
                }
            }
            largest = largest.max(change);
        }
        largest
    }

    /// Fills a feature's holes anew, each row by `fill`; returns the root mean square change.
    pub fn refill(&mut self, feature: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> f64 {
        let (missing, places, width) = (self.missing(feature), self.wide.places(feature), self.columns + 1);
        if missing.is_empty() {
            return 0.0;
        }
        let filled = |&row: &usize| {
            let mut line = self.filled[row * width..(row + 1) * width].to_vec();
            fill(row, &mut line);
            line
        };
        let lines: Vec<Vec<f64>> = missing.par_iter().with_min_len(64).map(filled).collect();
        let mut change = 0.0;
        for (&row, line) in missing.iter().zip(&lines) {
            for column in places.clone() {
                let cell = &mut self.filled[row * width + column];
                change += (line[column] - *cell).powi(2);
                *cell = line[column];
            }
        }
        let cells = (missing.len() * places.len().max(1)) as f64;
        places.for_each(|column| self.refresh(column));
        (change / cells).sqrt()
    }

    /// Lowest and highest value that a number may be drawn as.
    pub fn drawn_range(&self, feature: usize) -> (f64, f64) {
        self.drawn_ranges[feature]
    }

    /// Puts the value of a row that knows it into every hole, at random: where a chain starts.
    pub fn scatter_holes(&mut self, chain: u64) {
        let width = self.columns + 1;
        let told = |feature: &usize| !self.wide.places(*feature).is_empty();
        for feature in (0..self.wide.features()).filter(told).collect::<Vec<_>>() {
            let (known, missing) = (self.known(feature), self.missing(feature));
            let mut stream = Stream::new(self.seed, "chained start", feature as u64, chain);
            for row in missing.into_iter().filter(|_| !known.is_empty()) {
                let giver = known[stream.below(known.len())];
                for column in self.wide.places(feature) {
                    self.filled[row * width + column] = self.filled[giver * width + column];
                }
            }
        }
        // Draws have the spread of known values: nothing is left open.
        self.open.fill(0.0);
        self.products = self.products_of(&(0..self.rows).collect::<Vec<_>>());
    }

    /// Mean and standard deviation of what stands in a feature's holes (of a category its first indicator).
    pub fn spread_of_holes(&self, feature: usize) -> (f64, f64) {
        let column = self.wide.places(feature).start;
        let cells: Vec<f64> =
            self.missing(feature).iter().map(|row| self.filled[row * (self.columns + 1) + column]).collect();
        let count = cells.len().max(1) as f64;
        let mean = cells.iter().sum::<f64>() / count;
        (mean, (cells.iter().map(|cell| (cell - mean).powi(2)).sum::<f64>() / count).sqrt())
    }

    /// Mean variance p (1 - p) of an indicator at its holes, in the scale of the layout.
    fn open_indicator(&self, column: usize, missing: &[usize]) -> f64 {
        let Some((share, deviation)) = self.wide.indicator(column) else { return 0.0 };
        let variance = |&row: &usize| {
            let chance = (share + deviation * self.filled[row * (self.columns + 1) + column]).clamp(0.0, 1.0);
            chance * (1.0 - chance) / (deviation * deviation)
        };
        missing.iter().map(variance).sum::<f64>() / missing.len().max(1) as f64
    }

    /// Σ z z' over some rows.
    fn products_of(&self, rows: &[usize]) -> Vec<f64> {
        let width = self.columns + 1;
        let sums: Vec<Vec<f64>> = rows
            .par_chunks(CHUNK)
            .map(|rows| {
                let gathered: Vec<f64> = rows.iter().flat_map(|&row| self.rooted(row)).collect();
                let mut sum = vec![0.0; width * width];
                add_crossed(&mut sum, (&gathered, width), (&gathered, width), 1.0);
                sum
            })
            .collect();
        let mut total = vec![0.0; width * width];
        sums.iter().for_each(|sum| total.iter_mut().zip(sum).for_each(|(total, value)| *total += value));
        total
    }

    /// Brings the products of one column up to date.
    fn refresh(&mut self, column: usize) {
        let width = self.columns + 1;
        let sums: Vec<Vec<f64>> = self
            .filled
            .par_chunks(CHUNK * width)
            .zip(self.weights.par_chunks(CHUNK))
            .map(|(block, weights)| {
                let mut sum = vec![0.0; width];
                for (line, weight) in block.chunks(width).zip(weights) {
                    let own = weight * line[column];
                    sum.iter_mut().zip(line).for_each(|(sum, value)| *sum += own * value);
                }
                sum
            })
            .collect();
        let mut total = vec![0.0; width];
        sums.iter().for_each(|sum| total.iter_mut().zip(sum).for_each(|(total, value)| *total += value));
        for (other, value) in total.into_iter().enumerate() {
            self.products[column * width + other] = value;
            self.products[other * width + column] = value;
        }
    }
}

/// For each pair of columns, how many rows know the first and miss the second.
fn known_missing(rows: &WideRows) -> Vec<f32> {
    let columns = rows.columns;
    let sums: Vec<Vec<f32>> = rows
        .observed
        .par_chunks(CHUNK * columns.max(1))
        .map(|marks| {
            let known: Vec<f32> = marks.iter().map(|mark| f32::from(u8::from(*mark))).collect();
            let missing: Vec<f32> = known.iter().map(|mark| 1.0 - mark).collect();
            let mut sum = vec![0.0; columns * columns];
            add_crossed(&mut sum, (&known, columns), (&missing, columns), 1.0);
            sum
        })
        .collect();
    let mut total = vec![0.0; columns * columns];
    sums.iter().for_each(|sum| total.iter_mut().zip(sum).for_each(|(total, value)| *total += value));
    total
}
