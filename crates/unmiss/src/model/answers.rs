//! Answers for rows: what the models say each, what they say on average, and how sure that is.

use rayon::prelude::*;

use super::intervals::{Intervals, Sets};
use crate::data::{Column, Kind, Values};
use crate::encode::{Rows, TargetEncoder, Task};
use crate::error::Result;
use crate::methods::Predictor;
use crate::methods::folds::FoldModels;
use crate::metrics::{class_said, most_probable};

/// The level of intervals if nobody says one.
pub const USUAL_LEVEL: f64 = 0.9;

/// Predictions in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// A number for each row.
    Numbers(Vec<f64>),
    /// `[rows, classes]` probabilities.
    Probabilities(Vec<f64>),
}

/// What is known of the answers' units and errors.
#[derive(Clone, Copy)]
pub(super) struct Promise<'a> {
    pub target: &'a TargetEncoder,
    pub intervals: Option<&'a Intervals>,
    pub sets: Option<&'a Sets>,
    /// From which chance on the second of two classes is said.
    pub threshold: Option<f64>,
}

/// What a model answers for some rows.
pub struct Answers<'a> {
    promise: Promise<'a>,
    /// `[rows, outputs]` in model units.
    mean: Vec<f64>,
    /// How many inputs of each row are known.
    known: Vec<usize>,
    /// `[folds][rows, outputs]` in model units; empty where there is one model that was learned at once.
    folds: Vec<Vec<f64>>,
    /// `[folds][rows]`: the spread of each model's errors by what is missing.
    spreads: Vec<Vec<f64>>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        promise: Promise<'a>,
        predictor: &dyn Predictor,
        folds: Option<&FoldModels>,
        rows: &Rows,
    ) -> Result<Self> {
        let known = rows.known_counts();
        let Some(models) = folds else {
            let mean = predictor.predict(rows)?;
            return Ok(Self { promise, mean, known, folds: Vec::new(), spreads: Vec::new() });
        };
        let mut mean = vec![0.0; rows.len() * promise.target.task.outputs()];
        let (mut folds, mut spreads) = (Vec::new(), Vec::new());
        let share = 1.0 / models.count() as f64;
        models.answers(rows, |fold, answers, own| {
            mean.iter_mut().zip(&answers).for_each(|(mean, answer)| *mean += share * answer);
            let spread = |row: usize| promise.spread(fold, &own.holes(row));
            spreads.push((0..own.len()).into_par_iter().with_min_len(256).map(spread).collect());
            folds.push(answers);
        })?;
        Ok(Self { promise, mean, known, folds, spreads })
    }

    /// How many inputs of each row are known.
    pub fn known(&self) -> &[usize] {
        &self.known
    }

    /// The answers in the user's units.
    pub fn predictions(&self) -> Predictions {
        match self.promise.target.task {
            Task::Regression => {
                Predictions::Numbers(self.mean.iter().map(|y| self.promise.target.decode(*y)).collect())
            }
            Task::Classification { .. } => Predictions::Probabilities(self.mean.clone()),
        }
    }

    /// Lower and upper end of each row's interval at a level, in the user's units; `None` where the model has none.
    pub fn intervals(&self, level: f64) -> Option<Vec<(f64, f64)>> {
        let (target, intervals) = (self.promise.target, self.promise.intervals?);
        let interval = |row: usize| {
            let prediction = target.decode(self.mean[row]);
            match intervals {
                Intervals::Grouped(own) => {
                    let half = own.half_width(self.known[row], level) * target.deviation;
                    (prediction - half, prediction + half)
                }
                Intervals::CrossValidated(own) => {
                    let (lower, upper) = own.interval(&at(&self.folds, row), &at(&self.spreads, row), level);
                    let decoded = |end: f64| target.mean + target.deviation * end;
                    // Answers stay in the range of the known target, ends need not.
                    (decoded(lower).min(prediction), decoded(upper).max(prediction))
                }
            }
        };
        Some((0..self.known.len()).into_par_iter().with_min_len(256).map(interval).collect())
    }

    /// `[rows, classes]`: whether a class belongs to the row's set at a level; `None` where the model has no sets. The
    /// most probable class always does.
    pub fn sets(&self, level: f64) -> Option<Vec<bool>> {
        let (classes, sets) = (self.promise.target.levels.len(), self.promise.sets?);
        let set = |row: usize| {
            let spreads = at(&self.spreads, row);
            let best = most_probable(&self.mean[row * classes..(row + 1) * classes]);
            let holds = |class: usize| {
                let chances = self.folds.iter().map(|answers| answers[row * classes + class]);
                class == best || sets.holds(class, chances, &spreads, level)
            };
            (0..classes).map(holds).collect::<Vec<_>>()
        };
        Some((0..self.known.len()).into_par_iter().with_min_len(256).flat_map_iter(set).collect())
    }
}

/// The answers as columns.
impl Answers<'_> {
    /// The columns as they are written to files: chances with the digits that they are worth.
    pub fn written(&self, level: Option<f64>) -> Vec<Column> {
        let mut columns = self.columns(level);
        if matches!(self.promise.target.task, Task::Classification { .. }) {
            for column in &mut columns {
                if let Values::Numbers(chances) = &mut column.values {
                    chances.iter_mut().for_each(|chance| *chance = worth(*chance));
                }
            }
        }
        columns
    }

    /// `prediction`; of a number with `lower` and `upper` at a level, which are holes where the model has no
    /// intervals; of a class with `probability_CLASS` for each and, where a level is told, the `set` of classes that it
    /// holds.
    pub fn columns(&self, level: Option<f64>) -> Vec<Column> {
        let TargetEncoder { levels, .. } = self.promise.target;
        match self.predictions() {
            Predictions::Numbers(values) => {
                let (lower, upper) = match self.intervals(level.unwrap_or(USUAL_LEVEL)) {
                    Some(intervals) => intervals.into_iter().unzip(),
                    None => (vec![f64::NAN; values.len()], vec![f64::NAN; values.len()]),
                };
                let named = [("prediction", values), ("lower", lower), ("upper", upper)];
                named.map(|(name, values)| Column::from_numbers(name, Kind::Real, &values)).into()
            }
            Predictions::Probabilities(chances) => {
                let rows = || chances.chunks_exact(levels.len());
                let codes = rows().map(|row| class_said(row, self.promise.threshold) as u32).collect();
                let values = Values::Codes { codes, levels: levels.clone() };
                let mut columns = vec![known("prediction", Kind::Category, values)];
                if let Some(sets) = level.and_then(|level| self.sets(level)) {
                    let named = |own: &[bool]| {
                        let held = levels.iter().zip(own).filter(|(_, held)| **held);
                        held.map(|(level, _)| level.as_str()).collect::<Vec<_>>().join("|")
                    };
                    let sets = sets.chunks_exact(levels.len()).map(named).collect();
                    columns.push(known("set", Kind::Text, Values::Texts(sets)));
                }
                columns.extend(levels.iter().enumerate().map(|(class, level)| {
                    let own: Vec<f64> = rows().map(|row| row[class]).collect();
                    Column::from_numbers(format!("probability_{level}"), Kind::Real, &own)
                }));
                columns
            }
        }
    }
}

/// A chance with the digits that it is worth: six places, and of one next to 0 or 1 three digits of the distance.
fn worth(chance: f64) -> f64 {
    let distance = chance.min(1.0 - chance);
    let places = if distance > 0.0 { (2.0 - distance.log10().floor()).clamp(6.0, 15.0) } else { 6.0 };
    format!("{chance:.*}", places as usize).parse().unwrap_or(chance)
}

/// A column without holes.
fn known(name: &str, kind: Kind, values: Values) -> Column {
    Column { name: name.into(), kind, observed: vec![true; values.len()], values }
}

/// What each fold has for a row.
fn at(folds: &[Vec<f64>], row: usize) -> Vec<f64> {
    folds.iter().map(|values| values[row]).collect()
}

impl Promise<'_> {
    /// The spread of a fold model's errors for a row with these holes; 1 where nothing is known of it.
    fn spread(&self, fold: usize, holes: &[u32]) -> f64 {
        match (self.intervals, self.sets) {
            (Some(Intervals::CrossValidated(own)), _) => own.spread(fold, holes),
            (_, Some(sets)) => Sets::spread(sets, fold, holes),
            _ => 1.0,
        }
    }
}
