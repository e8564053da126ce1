//! One column's equation: what the other columns say about it, as a best guess.

use super::logistic::logistic;
use super::ridge::Line;
use crate::encode::Wide;
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::store::Arrays;

/// The equation of a feature (a number, or a category with its indicators).
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    /// Numbers first, then categories.
    pub feature: usize,
    /// The columns it uses.
    pub predictors: Vec<usize>,
    /// How it predicts.
    pub form: Form,
}

/// How an equation predicts.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number, by a line.
    Number {
        /// The line.
        line: Line,
        /// Lowest and highest value it may take.
        range: (f64, f64),
    },
    /// The indicators of a category, each by logistic weights, the bias last.
    Category(Vec<Vec<f64>>),
}

impl Equation {
    /// Puts the best guess into a line of the plain layout.
    pub fn guess(&self, wide: &Wide, line: &mut [f64]) {
        match &self.form {
            Form::Number { line: fit, range } => {
                let value = fit.bias + self.dot(&fit.weights, line);
                line[self.feature] = value.clamp(range.0, range.1);
            }
            Form::Category(indicators) => self.chances(wide, indicators, line),
        }
    }

    /// Puts the guess and noise into a line: a draw that takes the equation for certain.
    pub fn draw(&self, wide: &Wide, line: &mut [f64], stream: &mut Stream) {
        match &self.form {
            Form::Number { line: fit, .. } => {
                line[self.feature] = fit.bias + self.dot(&fit.weights, line) + fit.noise * stream.normal();
            }
            Form::Category(indicators) => {
                self.chances(wide, indicators, line);
                wide.draw_level(self.feature, line, stream);
            }
        }
    }

    /// The expected indicators of a category, in the scale of the layout.
    fn chances(&self, wide: &Wide, indicators: &[Vec<f64>], line: &mut [f64]) {
        let mut x: Vec<f64> = self.predictors.iter().map(|&column| line[column]).collect();
        x.push(1.0);
        let mut chances: Vec<f64> = indicators.iter().map(|weights| logistic(&x, weights)).collect();
        // Several levels compete: together they can't be likelier than 1.
        let total: f64 = chances.iter().sum();
        if total > 1.0 {
            chances.iter_mut().for_each(|chance| *chance /= total);
        }
        for (column, chance) in wide.places(self.feature).zip(chances) {
            if let Some((share, deviation)) = wide.indicator(column) {
                line[column] = (chance - share) / deviation;
            }
        }
    }

    fn dot(&self, weights: &[f64], line: &[f64]) -> f64 {
        self.predictors.iter().zip(weights).map(|(&column, weight)| weight * line[column]).sum()
    }

    /// Adds the arrays of this equation under a name.
    pub fn save(&self, name: &str, arrays: &mut Arrays) {
        let predictors: Vec<f64> = self.predictors.iter().map(|column| *column as f64).collect();
        arrays.put_doubles(format!("{name}/predictors"), &[predictors.len()], predictors);
        match &self.form {
            Form::Number { line, range } => {
                let head = vec![line.bias, line.noise, range.0, range.1];
                arrays.put_doubles(format!("{name}/line"), &[4], head);
                arrays.put_doubles(format!("{name}/weights"), &[line.weights.len()], line.weights.clone());
            }
            Form::Category(indicators) => {
                let size = self.predictors.len() + 1;
                arrays.put_doubles(format!("{name}/weights"), &[indicators.len(), size], indicators.concat());
            }
        }
    }

    /// Reads the arrays of the equation of a feature.
    ///
    /// # Errors
    /// When arrays are missing or do not fit.
    pub fn load(name: &str, feature: usize, wide: &Wide, numbers: usize, arrays: &Arrays) -> Result<Self> {
        let length = |array: &str| arrays.shape(array).and_then(|shape| shape.first().copied()).unwrap_or(0);
        let name_of = |part: &str| format!("{name}/{part}");
        let size = length(&name_of("predictors"));
        let predictors = arrays.doubles(&name_of("predictors"), &[size])?;
        if predictors.iter().any(|column| !(*column >= 0.0 && *column < wide.columns() as f64)) {
            return Err(Error::data(format!("array `{name}/predictors` names a column that is not there")));
        }
        let predictors: Vec<usize> = predictors.iter().map(|column| *column as usize).collect();
        let form = if feature < numbers {
            let [bias, noise, low, high] = *arrays.doubles(&name_of("line"), &[4])? else {
                return Err(Error::data(format!("array `{name}/line` does not have four numbers")));
            };
            let weights = arrays.doubles(&name_of("weights"), &[size])?.to_vec();
            Form::Number { line: Line { weights, bias, noise }, range: (low, high) }
        } else {
            let count = wide.places(feature).len();
            let weights = arrays.doubles(&name_of("weights"), &[count, size + 1])?;
            Form::Category(weights.chunks(size + 1).map(<[f64]>::to_vec).collect())
        };
        let equation = Self { feature, predictors, form };
        match equation.is_sound() {
            true => Ok(equation),
            false => Err(Error::data(format!("the equation `{name}` has numbers that can't be"))),
        }
    }

    fn is_sound(&self) -> bool {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        match &self.form {
            Form::Number { line, range } => {
                let head = [line.bias, line.noise, range.0, range.1];
                finite(&line.weights) && finite(&head) && range.0 <= range.1
            }
            Form::Category(indicators) => indicators.iter().all(|weights| finite(weights)),
        }
    }
}
