//! The course of the rounds over a training table.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::equation::{Drawn, Equation, Form, KEPT, Noise};
use super::{logistic, ridge};
use crate::encode::features::NumberFeature;
use crate::encode::wide::WideRows;
use crate::encode::{Encoder, Wide};
use crate::rng::Stream;
use crate::run::Run;

/// Rows that are summed in one go: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;
/// Rows that a category's equation is fitted on, at most.
const MOST_LOGISTIC_ROWS: usize = 20_000;

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
    /// Lowest and highest known value of each number.
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

    /// An equation not fitted yet: with the columns that go with the feature most, all if there are few.
    pub fn equation(&self, feature: usize, numbers: usize) -> Equation {
        let places = self.wide.places(feature);
        let mut predictors: Vec<usize> =
            (0..self.columns).filter(|column| !places.contains(column)).collect();
        if predictors.len() > self.most_predictors {
            let strength = |column: usize| {
                places.clone().map(|place| self.correlation(place, column).abs()).fold(0.0, f64::max)
            };
            let mut ranked: Vec<(f64, usize)> =
                predictors.iter().map(|&column| (strength(column), column)).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            predictors = ranked.iter().take(self.most_predictors).map(|(_, column)| *column).collect();
            predictors.sort_unstable();
        }
        let form = if feature < numbers {
            let size = predictors.len();
            let line = ridge::Line {
                weights: vec![0.0; size],
                bias: 0.0,
                noise: 0.0,
                factor: vec![0.0; size * size],
                center: vec![0.0; size],
            };
            Form::Number { line, range: self.ranges[feature], kept: Vec::new() }
        } else {
            Form::Category(vec![vec![0.0; predictors.len() + 1]; places.len()])
        };
        Equation { feature, predictors, form }
    }

    /// Correlation over the rows where both are known: holes stand at 0, the mean.
    fn correlation(&self, a: usize, b: usize) -> f64 {
        let width = self.columns + 1;
        let at = |i: usize, j: usize| self.products[i * width + j];
        let scale = (at(a, a) * at(b, b)).sqrt();
        if scale > 0.0 { at(a, b) / scale } else { 0.0 }
    }

    /// Fits one equation on the rows that know its feature.
    pub fn fit(&self, equation: &mut Equation) {
        let (feature, predictors) = (equation.feature, equation.predictors.clone());
        match &mut equation.form {
            Form::Number { line, .. } => {
                let sums = self.sums(feature, &predictors);
                *line = ridge::fit(&sums);
            }
            Form::Category(indicators) => {
                let mut rows = self.known(feature);
                if rows.len() > MOST_LOGISTIC_ROWS {
                    Stream::new(self.seed, "chained rows", feature as u64, 0).shuffle(&mut rows);
                    rows.truncate(MOST_LOGISTIC_ROWS);
                }
                let width = self.columns + 1;
                let write = |row: usize, into: &mut [f64]| {
                    into.iter_mut()
                        .zip(&predictors)
                        .for_each(|(x, &column)| *x = self.filled[row * width + column]);
                };
                for (weights, column) in indicators.iter_mut().zip(self.wide.places(feature)) {
                    let target = |row: usize| f64::from(u8::from(self.filled[row * width + column] > 0.0));
                    logistic::improve(&rows, predictors.len(), weights, write, target);
                }
            }
        }
    }

    /// The sums of a number's regression, over the rows that know it: those of all rows less those that don't, if
    /// they are fewer.
    fn sums(&self, feature: usize, predictors: &[usize]) -> ridge::Sums {
        let width = self.columns + 1;
        let (known, missing) = (self.known(feature), self.missing(feature));
        if 3 * predictors.len() < self.columns {
            return self.few_sums(feature, predictors, &known);
        }
        let products = if missing.is_empty() {
            self.products.clone()
        } else if missing.len() < known.len() {
            let less = self.products_of(&missing);
            self.products.iter().zip(less).map(|(all, less)| all - less).collect()
        } else {
            self.products_of(&known)
        };
        let mut products = products;
        // A filled cell varies less than a known one: what its equation leaves open is added, as in
        // expectation-maximisation, or columns that are filled from each other would drift together.
        for &i in predictors {
            let filled = f64::from(self.known_missing[feature * self.columns + i]);
            products[i * width + i] += filled * self.open[i];
        }
        let at = |i: usize, j: usize| products[i * width + j];
        let one = self.columns;
        ridge::Sums {
            count: known.len() as f64,
            x: predictors.iter().map(|&i| at(i, one)).collect(),
            xx: predictors
                .iter()
                .flat_map(|&i| predictors.iter().map(move |&j| (i, j)))
                .map(|(i, j)| at(i, j))
                .collect(),
            xy: predictors.iter().map(|&i| at(i, feature)).collect(),
            y: at(feature, one),
            yy: at(feature, feature),
        }
    }

    /// The same where only a few of many columns are predictors: their products alone.
    fn few_sums(&self, feature: usize, predictors: &[usize], known: &[usize]) -> ridge::Sums {
        let (width, size) = (self.columns + 1, predictors.len());
        // Predictors, then the feature, then 1.
        let picked: Vec<usize> = predictors.iter().copied().chain([feature, self.columns]).collect();
        let gathered: Vec<f64> = known
            .iter()
            .flat_map(|&row| picked.iter().map(move |&column| self.filled[row * width + column]))
            .collect();
        let all = size + 2;
        let block = MatRef::from_row_major_slice(&gathered, known.len(), all);
        let mut products = vec![0.0; all * all];
        let into = MatMut::from_row_major_slice_mut(&mut products, all, all);
        matmul(into, Accum::Replace, block.transpose(), block, 1.0, Par::Seq);
        for (place, &i) in predictors.iter().enumerate() {
            products[place * all + place] +=
                f64::from(self.known_missing[feature * self.columns + i]) * self.open[i];
        }
        let at = |i: usize, j: usize| products[i * all + j];
        ridge::Sums {
            count: known.len() as f64,
            x: (0..size).map(|i| at(i, size + 1)).collect(),
            xx: (0..size * size).map(|cell| at(cell / size, cell % size)).collect(),
            xy: (0..size).map(|i| at(i, size)).collect(),
            y: at(size, size + 1),
            yy: at(size, size),
        }
    }

    /// Keeps predictions and values of known cells, from which draws are matched.
    pub fn keep(&self, equation: &mut Equation) {
        let Form::Number { line, kept, .. } = &mut equation.form else { return };
        let width = self.columns + 1;
        let mut known = self.known(equation.feature);
        if known.len() > KEPT {
            Stream::new(self.seed, "chained kept", equation.feature as u64, 0).shuffle(&mut known);
            known.truncate(KEPT);
        }
        let pair = |&row: &usize| {
            let cells = &self.filled[row * width..(row + 1) * width];
            let sum: f64 =
                equation.predictors.iter().zip(&line.weights).map(|(&column, w)| w * cells[column]).sum();
            (line.bias + sum, cells[equation.feature])
        };
        *kept = known.iter().map(pair).collect();
        kept.sort_by(|a, b| a.0.total_cmp(&b.0));
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
                let block = MatRef::from_row_major_slice(&gathered, rows.len(), width);
                let mut sum = vec![0.0; width * width];
                let into = MatMut::from_row_major_slice_mut(&mut sum, width, width);
                matmul(into, Accum::Replace, block.transpose(), block, 1.0, Par::Seq);
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
            let count = marks.len() / columns.max(1);
            let known: Vec<f32> = marks.iter().map(|mark| f32::from(u8::from(*mark))).collect();
            let missing: Vec<f32> = known.iter().map(|mark| 1.0 - mark).collect();
            let mut sum = vec![0.0; columns * columns];
            let into = MatMut::from_row_major_slice_mut(&mut sum, columns, columns);
            let known = MatRef::from_row_major_slice(&known, count, columns);
            let missing = MatRef::from_row_major_slice(&missing, count, columns);
            matmul(into, Accum::Replace, known.transpose(), missing, 1.0, Par::Seq);
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
