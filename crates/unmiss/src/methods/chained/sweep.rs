//! The course of the rounds over a training table.

mod fit;

use rayon::prelude::*;

use super::equation::{Drawn, Equation, Form, Noise};
use super::ridge;
use crate::encode::features::NumberFeature;
use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Wide};
use crate::linalg::add_crossed;
use crate::rng::Stream;
use crate::run::Run;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;

/// A table on its way to being filled.
pub struct Sweep<'a> {
    wide: &'a Wide,
    observed: &'a [bool],
    columns: usize,
    rows: usize,
    /// `[rows, columns + 1]`: the filled table, 1 in the last column.
    filled: Vec<f64>,
    /// Σ z z' over all rows, `[columns + 1, columns + 1]`.
    products: Vec<f64>,
    /// Lowest and highest value that each number may be filled with.
    ranges: Vec<(f64, f64)>,
    /// Variance that each column's equation leaves at its holes.
    open: Vec<f64>,
    /// `[columns, columns]`: rows that know the first column and miss the second.
    known_missing: Vec<f32>,
    most_predictors: usize,
    seed: u64,
}

impl<'a> Sweep<'a> {
    /// Starts with every hole at the mean.
    pub fn new(
        encoder: &Encoder,
        wide: &'a Wide,
        rows: &'a WideRows,
        most_predictors: usize,
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
        let mut sweep = Self {
            wide,
            observed: &rows.observed,
            columns,
            rows: count,
            filled,
            products: Vec::new(),
            ranges,
            open: vec![1.0; columns],
            known_missing: known_missing(rows),
            most_predictors,
            seed,
        };
        let all: Vec<usize> = (0..count).collect();
        sweep.products = sweep.products_of(&all);
        sweep
    }

    /// Features with holes, fewest first; and the others.
    pub fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let holes = |feature: usize| self.missing(feature).len();
        let (mut holed, complete): (Vec<usize>, Vec<usize>) = (0..self.wide.features())
            .filter(|&feature| !self.wide.places(feature).is_empty())
            .partition(|&feature| holes(feature) > 0);
        holed.sort_by_key(|&feature| holes(feature));
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
    /// feature. With a round's number for noise, holes are filled with draws.
    pub fn round(&mut self, equations: &mut [Equation], noise: Option<u64>, run: &Run) -> f64 {
        let mut largest: f64 = 0.0;
        for equation in equations {
            if run.stopped() {
                break;
            }
            self.fit(equation);
            let noise_of = |line: &ridge::Line| line.noise * line.noise;
            if let (Form::Number { line, .. }, None) = (&equation.form, noise) {
                self.open[equation.feature] = noise_of(line);
            }
            let missing = self.missing(equation.feature);
            let places = self.wide.places(equation.feature);
            let width = self.columns + 1;
            let drawn = noise.map(|round| {
                let mut stream = Stream::new(self.seed, "chained weights", equation.feature as u64, round);
                (equation.drawn(&mut stream), round)
            });
            let lines: Vec<Vec<f64>> =
                missing.par_iter().map(|&row| self.filled_line(row, equation, drawn.as_ref())).collect();
            let mut change = 0.0;
            for (&row, line) in missing.iter().zip(&lines) {
                for column in places.clone() {
                    let cell = &mut self.filled[row * width + column];
                    change += (line[column] - *cell).powi(2);
                    *cell = line[column];
                }
            }
            if noise.is_some() {
                // Draws have the spread of known values: nothing is left open.
                places.clone().for_each(|column| self.open[column] = 0.0);
            } else if matches!(equation.form, Form::Category(_)) {
                places.clone().for_each(|column| self.open[column] = self.open_indicator(column, &missing));
            }
            if !missing.is_empty() {
                let cells = (missing.len() * places.len().max(1)) as f64;
                largest = largest.max((change / cells).sqrt());
                places.for_each(|column| self.refresh(column));
            }
        }
        largest
    }

    fn filled_line(&self, row: usize, equation: &Equation, drawn: Option<&(Drawn, u64)>) -> Vec<f64> {
        let width = self.columns + 1;
        let mut line = self.filled[row * width..(row + 1) * width].to_vec();
        match drawn {
            Some((weights, round)) => {
                let purpose = mixed(equation.feature, *round);
                let mut stream = Stream::new(self.seed, "chained noise", row as u64, purpose);
                // Matching needs predictions of the final round; on the way normal noise does.
                equation.draw(self.wide, weights, Noise::Normal, &mut line, &mut stream);
            }
            None => equation.guess(self.wide, &mut line),
        }
        line
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
                let gathered: Vec<f64> = rows
                    .iter()
                    .flat_map(|&row| &self.filled[row * width..(row + 1) * width])
                    .copied()
                    .collect();
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
            .map(|block| {
                let mut sum = vec![0.0; width];
                for line in block.chunks(width) {
                    let own = line[column];
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

/// One number from a feature and a round.
pub fn mixed(feature: usize, round: u64) -> u64 {
    (feature as u64) << 20 | round
}
