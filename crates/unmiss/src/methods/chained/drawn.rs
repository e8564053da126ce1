//! One column's equation in one chain, its parameters drawn: what a draw of the column's holes comes from.
//!
//! A number's line has drawn noise σ, weights and mean. A hole with prediction p takes, by `draws`,
//!
//! ```text
//! matched   the value of a known cell whose own prediction is near p; where none is near (further than a tenth of σ),
//!           p and the residual of any known cell, in the drawn scale: matching alone can't go where nobody has been
//! known     the same without a look at how near it is
//! normal    p + σ z
//! ```
//!
//! A category is told level by level: is it the first, and if not, the second, ... Each question is a logistic
//! regression of its own, over the rows that come to it, with drawn weights.

use super::logistic::{Sample, logistic};
use super::ridge::{self, Line};
use super::sweep::Sweep;
use crate::encode::Wide;
use crate::rng::Stream;

/// Known values that matching chooses among.
const NEAREST: usize = 5;
/// How far a match may lie, in parts of the noise.
const NEAR: f64 = 0.1;

/// How numbers are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// A known value of a row with a near prediction, or the line and a row's residual where none is near.
    Matched,
    /// A known value of one of the rows with the nearest predictions, however far they are.
    Known,
    /// The prediction and normal noise.
    Normal,
}

/// The equation of a feature with drawn parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// Numbers first, then categories.
    pub feature: usize,
    /// The columns it uses.
    pub predictors: Vec<usize>,
    /// How it draws.
    pub form: Form,
}

/// How an equation draws.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number.
    Number {
        /// The drawn line.
        line: Line,
        /// What residuals of known cells are multiplied by, to have the drawn noise.
        scale: f64,
        /// Lowest and highest value that it may take.
        range: (f64, f64),
        /// (prediction by the fitted line, value) of known cells, by prediction.
        donors: Vec<(f64, f64)>,
    },
    /// A category: weights of each question, the bias last.
    Category(Vec<Vec<f64>>),
}

impl Drawn {
    /// Fits the equation to the table as it is filled now and draws its parameters. `start` are the weights of a
    /// category's questions to go on from; they are left at the likeliest ones.
    pub fn new(
        sweep: &Sweep<'_>,
        feature: usize,
        predictors: &[usize],
        start: &mut Vec<Vec<f64>>,
        stream: &mut Stream,
    ) -> Self {
        let form = match feature < sweep.wide.numbers() {
            true => number(sweep, feature, predictors, stream),
            false => Form::Category(questions(sweep, feature, predictors, start, stream)),
        };
        Self { feature, predictors: predictors.to_vec(), form }
    }

    /// Puts a draw into a line of the plain layout.
    pub fn draw(&self, wide: &Wide, noise: Noise, line: &mut [f64], stream: &mut Stream) {
        match &self.form {
            Form::Number { line: fit, scale, range, donors } => {
                let cells = self.predictors.iter().zip(&fit.weights);
                let prediction = fit.bias + cells.map(|(&column, weight)| weight * line[column]).sum::<f64>();
                let drawn = match noise {
                    Noise::Matched if !donors.is_empty() => {
                        matched(donors, prediction, (NEAR * fit.noise, *scale), stream)
                    }
                    Noise::Known if !donors.is_empty() => {
                        matched(donors, prediction, (f64::INFINITY, *scale), stream)
                    }
                    _ => prediction + fit.noise * stream.normal(),
                };
                line[self.feature] = drawn.clamp(range.0, range.1);
            }
            Form::Category(questions) => {
                let mut x: Vec<f64> = self.predictors.iter().map(|&column| line[column]).collect();
                x.push(1.0);
                let level = questions.iter().position(|weights| stream.uniform() < logistic(&x, weights));
                wide.write_level(self.feature, level.unwrap_or(questions.len()), line);
            }
        }
    }
}

fn number(sweep: &Sweep<'_>, feature: usize, predictors: &[usize], stream: &mut Stream) -> Form {
    let posterior = ridge::posterior(&sweep.sums(feature, predictors));
    let donors = sweep.donors(feature, predictors, &posterior.line);
    let squares: f64 = donors.iter().map(|(prediction, value)| (value - prediction).powi(2)).sum();
    let deviation = (squares / donors.len().max(1) as f64).sqrt();
    let line = posterior.draw(stream);
    let scale = if deviation > 0.0 { line.noise / deviation } else { 1.0 };
    Form::Number { line, scale, range: sweep.drawn_range(feature), donors }
}

/// Drawn weights of the questions of a category.
fn questions(
    sweep: &Sweep<'_>,
    feature: usize,
    predictors: &[usize],
    start: &mut Vec<Vec<f64>>,
    stream: &mut Stream,
) -> Vec<Vec<f64>> {
    let (mut rows, share) = sweep.logistic_rows(feature);
    let row = |row: usize, into: &mut [f64]| sweep.write(row, predictors, into);
    let places: Vec<usize> = sweep.wide.places(feature).collect();
    let mut drawn = Vec::new();
    for (question, &column) in places.iter().enumerate() {
        // Who is left has the last level: nothing to ask.
        if rows.iter().all(|&row| sweep.stands(row, column)) && question > 0 {
            break;
        }
        if start.len() <= question {
            start.push(vec![0.0; predictors.len() + 1]);
        }
        let target = |row: usize| sweep.target(row, column);
        let sample = Sample { rows: &rows, predictors: predictors.len(), row: &row, target: &target };
        drawn.push(sample.draw(&mut start[question], share.sqrt(), stream));
        rows.retain(|&row| !sweep.stands(row, column));
    }
    drawn
}

/// A known value from the rows whose predictions are nearest, or the prediction with somebody's residual.
fn matched(donors: &[(f64, f64)], prediction: f64, (near, scale): (f64, f64), stream: &mut Stream) -> f64 {
    let middle = donors.partition_point(|(own, _)| *own < prediction);
    let (mut low, mut high) = (middle, middle);
    while high - low < NEAREST.min(donors.len()) {
        let below = low.checked_sub(1).map(|place| prediction - donors[place].0);
        let above = donors.get(high).map(|(own, _)| own - prediction);
        match (below, above) {
            (Some(below), Some(above)) if below <= above => low -= 1,
            (Some(_), None) => low -= 1,
            _ => high += 1,
        }
    }
    let (own, value) = donors[low + stream.below(high - low)];
    if (own - prediction).abs() <= near {
        return value;
    }
    let (own, value) = donors[stream.below(donors.len())];
    prediction + scale * (value - own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_takes_a_known_value_from_the_nearest() {
        let donors: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 1000.0 + f64::from(i))).collect();
        for draw in 0..50 {
            let value = matched(&donors, 50.2, (3.0, 1.0), &mut Stream::new(1, "match", 0, draw));
            assert!((1048.0..=1052.0).contains(&value) && value.fract() == 0.0, "{value}");
        }
        assert_eq!(matched(&donors[..1], 0.1, (0.3, 1.0), &mut Stream::new(1, "match", 0, 0)), 1000.0);
    }

    /// Beyond the known predictions the line goes on, with residuals in the drawn scale.
    #[test]
    fn where_nobody_is_near_the_line_goes_on() {
        let donors: Vec<(f64, f64)> =
            (0..100).map(|i| (f64::from(i), f64::from(i) + if i % 2 == 0 { 1.0 } else { -1.0 })).collect();
        let values: Vec<f64> = (0..200)
            .map(|draw| matched(&donors, 500.0, (0.1, 1.5), &mut Stream::new(1, "far", 0, draw)))
            .collect();
        assert!(values.iter().all(|value| *value == 501.5 || *value == 498.5));
        assert!(values.contains(&501.5) && values.contains(&498.5));
    }
}
