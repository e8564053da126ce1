//! Fitting one feature's equation.

use super::Sweep;
use crate::linalg::add_crossed;
use crate::methods::chained::equation::{Equation, Form};
use crate::methods::chained::logistic::Sample;
use crate::methods::chained::ridge;
use crate::rng::Stream;

/// Known cells that draws of a number are matched with, at most.
const MOST_DONORS: usize = 1000;
/// Rows that a category's equation is fitted on, at most.
const MOST_LOGISTIC_ROWS: usize = 20_000;

impl Sweep<'_> {
    /// An equation not fitted yet: with the columns that the user names for it, or all; of many those that go with the
    /// feature most.
    pub fn equation(&self, feature: usize, numbers: usize) -> Equation {
        let places = self.wide.places(feature);
        let mut predictors: Vec<usize> = match self.rules.predictors(feature) {
            Some(named) => named.iter().flat_map(|&other| self.wide.places(other)).collect(),
            None => (0..self.columns).filter(|column| !places.contains(column)).collect(),
        };
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
            let line = ridge::Line { weights: vec![0.0; predictors.len()], bias: 0.0, noise: 0.0 };
            Form::Number { line, range: self.ranges[feature] }
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
                let (rows, _) = self.logistic_rows(feature);
                let row = |row: usize, into: &mut [f64]| self.write(row, &predictors, into);
                for (weights, column) in indicators.iter_mut().zip(self.wide.places(feature)) {
                    let target = |row: usize| self.target(row, column);
                    let sample =
                        Sample { rows: &rows, predictors: predictors.len(), row: &row, target: &target };
                    sample.improve(weights);
                }
            }
        }
    }

    /// Rows on which a category's equation is fitted, and their share of all that know it.
    pub fn logistic_rows(&self, feature: usize) -> (Vec<usize>, f64) {
        let mut rows = self.known(feature);
        let all = rows.len().max(1) as f64;
        if rows.len() > MOST_LOGISTIC_ROWS {
            Stream::new(self.seed, "chained rows", feature as u64, 0).shuffle(&mut rows);
            rows.truncate(MOST_LOGISTIC_ROWS);
        }
        let share = rows.len() as f64 / all;
        (rows, share)
    }

    /// Writes a row's predictors.
    pub fn write(&self, row: usize, predictors: &[usize], into: &mut [f64]) {
        let cells = &self.filled[row * (self.columns + 1)..];
        into.iter_mut().zip(predictors).for_each(|(x, &column)| *x = cells[column]);
    }

    /// 1 where an indicator stands, else 0, and what the row counts.
    pub fn target(&self, row: usize, column: usize) -> (f64, f64) {
        (f64::from(u8::from(self.stands(row, column))), self.weights[row])
    }

    /// Whether an indicator stands in a row.
    pub fn stands(&self, row: usize, column: usize) -> bool {
        self.filled[row * (self.columns + 1) + column] > 0.0
    }

    /// The sums of a number's regression, over the rows that know it: those of all rows less those that don't, if
    /// they are fewer.
    pub fn sums(&self, feature: usize, predictors: &[usize]) -> ridge::Sums {
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
            count: at(one, one),
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
            .flat_map(|&row| {
                let root = self.weights[row].sqrt();
                picked.iter().map(move |&column| root * self.filled[row * width + column])
            })
            .collect();
        let all = size + 2;
        let mut products = vec![0.0; all * all];
        add_crossed(&mut products, (&gathered, all), (&gathered, all), 1.0);
        for (place, &i) in predictors.iter().enumerate() {
            products[place * all + place] +=
                f64::from(self.known_missing[feature * self.columns + i]) * self.open[i];
        }
        let at = |i: usize, j: usize| products[i * all + j];
        ridge::Sums {
            count: at(size + 1, size + 1),
            x: (0..size).map(|i| at(i, size + 1)).collect(),
            xx: (0..size * size).map(|cell| at(cell / size, cell % size)).collect(),
            xy: (0..size).map(|i| at(i, size)).collect(),
            y: at(size, size + 1),
            yy: at(size, size),
        }
    }

    /// (prediction, value) of known cells, by prediction: a choice of them where there are many.
    pub fn donors(&self, feature: usize, predictors: &[usize], line: &ridge::Line) -> Vec<(f64, f64)> {
        let width = self.columns + 1;
        let mut known = self.known(feature);
        if known.len() > MOST_DONORS {
            Stream::new(self.seed, "chained kept", feature as u64, 0).shuffle(&mut known);
            known.truncate(MOST_DONORS);
        }
        let pair = |&row: &usize| {
            let cells = &self.filled[row * width..(row + 1) * width];
            let sum: f64 = predictors.iter().zip(&line.weights).map(|(&column, w)| w * cells[column]).sum();
            // In single precision, as a file keeps them.
            (f64::from((line.bias + sum) as f32), f64::from(cells[feature] as f32))
        };
        let mut donors: Vec<(f64, f64)> = known.iter().map(pair).collect();
        donors.sort_by(|a, b| a.0.total_cmp(&b.0));
        donors
    }
}
