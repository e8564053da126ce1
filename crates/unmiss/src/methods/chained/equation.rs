//! One column's equation: what the other columns say about it.

use super::logistic::logistic;
use super::ridge::Line;
use crate::encode::Wide;
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::store::Arrays;

/// Known values that predictive mean matching chooses among.
const NEAREST: usize = 5;
/// Known cells kept per number for it.
pub const KEPT: usize = 1000;

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
        /// (prediction, known value) of known cells, by prediction.
        kept: Vec<(f64, f64)>,
    },
    /// The indicators of a category, each by logistic weights, the bias last.
    Category(Vec<Vec<f64>>),
}

/// How numbers are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// A known value of a row with a near prediction.
    Matched,
    /// The prediction and normal noise.
    Normal,
}

impl Equation {
    /// Puts the best guess into a line of the plain layout.
    pub fn guess(&self, wide: &Wide, line: &mut [f64]) {
        match &self.form {
            Form::Number { line: fit, range, .. } => {
                let value = fit.bias + self.dot(&fit.weights, line);
                line[self.feature] = value.clamp(range.0, range.1);
            }
            Form::Category(indicators) => self.chances(wide, indicators, line),
        }
    }

    /// Puts a draw into a line. `weights` are the number's drawn weights.
    pub fn draw(&self, wide: &Wide, weights: &Drawn, noise: Noise, line: &mut [f64], stream: &mut Stream) {
        match &self.form {
            Form::Number { line: fit, range, kept } => {
                let prediction = weights.bias + self.dot(&weights.weights, line);
                line[self.feature] = match noise {
                    Noise::Matched if !kept.is_empty() => matched(kept, prediction, stream),
                    _ => (prediction + fit.noise * stream.normal()).clamp(range.0, range.1),
                };
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

    /// Weights drawn from what the rows leave open about them.
    pub fn drawn(&self, stream: &mut Stream) -> Drawn {
        let Form::Number { line, .. } = &self.form else { return Drawn { weights: Vec::new(), bias: 0.0 } };
        let size = line.weights.len();
        let z: Vec<f64> = (0..size).map(|_| stream.normal()).collect();
        let shift = |i: usize| (0..size).map(|k| line.factor[i * size + k] * z[k]).sum::<f64>();
        let weights: Vec<f64> =
            line.weights.iter().enumerate().map(|(i, weight)| weight + shift(i)).collect();
        // The line turns about the middle of its rows.
        let turned =
            weights.iter().zip(&line.weights).zip(&line.center).map(|((new, old), c)| (old - new) * c);
        let bias = line.bias + turned.sum::<f64>();
        Drawn { weights, bias }
    }

    /// Adds the arrays of this equation under a name.
    pub fn save(&self, name: &str, arrays: &mut Arrays) {
        let predictors: Vec<f64> = self.predictors.iter().map(|column| *column as f64).collect();
        arrays.put_doubles(format!("{name}/predictors"), &[predictors.len()], predictors);
        match &self.form {
            Form::Number { line, range, kept } => {
                let size = line.weights.len();
                let head = vec![line.bias, line.noise, range.0, range.1];
                arrays.put_doubles(format!("{name}/line"), &[4], head);
                arrays.put_doubles(format!("{name}/weights"), &[size], line.weights.clone());
                arrays.put_doubles(format!("{name}/center"), &[size], line.center.clone());
                let factor = line.factor.iter().map(|value| *value as f32).collect();
                arrays.put_singles(format!("{name}/factor"), &[size, size], factor);
                let kept: Vec<f64> =
                    kept.iter().flat_map(|(prediction, value)| [*prediction, *value]).collect();
                arrays.put_doubles(format!("{name}/kept"), &[kept.len() / 2, 2], kept);
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
            let kept = length(&name_of("kept"));
            let pairs = arrays.doubles(&name_of("kept"), &[kept, 2])?;
            let factor = arrays.singles(&name_of("factor"), &[size, size])?;
            let line = Line {
                weights: arrays.doubles(&name_of("weights"), &[size])?.to_vec(),
                bias,
                noise,
                factor: factor.iter().map(|value| f64::from(*value)).collect(),
                center: arrays.doubles(&name_of("center"), &[size])?.to_vec(),
            };
            let kept = pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect();
            Form::Number { line, range: (low, high), kept }
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
            Form::Number { line, range, kept } => {
                finite(&line.weights)
                    && finite(&line.factor)
                    && finite(&line.center)
                    && finite(&[line.bias, line.noise, range.0, range.1])
                    && range.0 <= range.1
                    && kept.iter().all(|(prediction, value)| finite(&[*prediction, *value]))
                    && kept.is_sorted_by(|a, b| a.0 <= b.0)
            }
            Form::Category(indicators) => indicators.iter().all(|weights| finite(weights)),
        }
    }
}

/// Weights of one draw.
pub struct Drawn {
    weights: Vec<f64>,
    bias: f64,
}

/// The known value of one of the rows whose prediction is nearest.
fn matched(kept: &[(f64, f64)], prediction: f64, stream: &mut Stream) -> f64 {
    let middle = kept.partition_point(|(own, _)| *own < prediction);
    let (mut low, mut high) = (middle, middle);
    while high - low < NEAREST.min(kept.len()) {
        let below = low.checked_sub(1).map(|place| prediction - kept[place].0);
        let above = kept.get(high).map(|(own, _)| own - prediction);
        match (below, above) {
            (Some(below), Some(above)) if below <= above => low -= 1,
            (Some(_), None) => low -= 1,
            _ => high += 1,
        }
    }
    kept[low + stream.below(high - low)].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_takes_a_known_value_from_the_nearest() {
        let kept: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 1000.0 + f64::from(i))).collect();
        for (prediction, low, high) in [(50.2, 1048.0, 1052.0), (-9.0, 1000.0, 1004.0), (1e9, 1095.0, 1099.0)]
        {
            for draw in 0..50 {
                let value = matched(&kept, prediction, &mut Stream::new(1, "match", 0, draw));
                assert!((low..=high).contains(&value), "{prediction}: {value}");
            }
        }
        assert_eq!(matched(&kept[..1], 3.0, &mut Stream::new(1, "match", 0, 0)), 1000.0);
    }
}
