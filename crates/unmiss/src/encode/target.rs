//! The target: what kind of task it makes, its values in model units, and the weight of each row.

use serde::{Deserialize, Serialize};

use super::{column::deviation, event};
use crate::data::{Column, Data, Kind, Values};
use crate::error::{Act, Error, Hint, Result};

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// A number.
    Regression,
    /// One of `classes` classes (2: binary).
    Classification {
        /// How many classes there are.
        classes: usize,
    },
}

impl Task {
    /// Outputs of a predictor per row: one number, or a probability for each class.
    pub fn outputs(self) -> usize {
        match self {
            Self::Regression => 1,
            Self::Classification { classes } => classes,
        }
    }
}

/// How classes of unequal size weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeights {
    /// Every row weighs the same.
    #[default]
    Equal,
    /// Every class weighs the same: rows / (classes x rows of the class).
    Balanced,
}

/// The fitted translation of the target column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetEncoder {
    /// The column's name.
    pub name: String,
    /// The column's kind in training.
    pub kind: Kind,
    /// What is predicted.
    pub task: Task,
    /// Classes in the order of probabilities; empty for regression.
    pub levels: Vec<String>,
    /// Mean of the training target; 0 for classes.
    pub mean: f64,
    /// Standard deviation of the training target; 1 for classes.
    pub deviation: f64,
    /// Smallest training target.
    pub low: f64,
    /// Largest training target.
    pub high: f64,
}

/// Targets in model units: standardised numbers or class positions, with the weight of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Targets {
    /// What is predicted.
    pub task: Task,
    /// Regression: (y - mean) / deviation. Classification: empty.
    pub numbers: Vec<f32>,
    /// Classification: position of the class. Regression: empty.
    pub classes: Vec<u32>,
    /// Weight of each row, 1 on average.
    pub weights: Vec<f32>,
}

impl Targets {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// A number that changes with any target or weight.
    pub fn fingerprint(&self) -> u64 {
        let numbers = self.numbers.iter().chain(&self.weights).map(|value| u64::from(value.to_bits()));
        crate::rng::mix(numbers.chain(self.classes.iter().map(|class| u64::from(*class))))
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let some = |empty: bool| if empty { &[][..] } else { rows };
        Self {
            task: self.task,
            numbers: some(self.numbers.is_empty()).iter().map(|&row| self.numbers[row]).collect(),
            classes: some(self.classes.is_empty()).iter().map(|&row| self.classes[row]).collect(),
            weights: rows.iter().map(|&row| self.weights[row]).collect(),
        }
    }
}

impl TargetEncoder {
    /// Learns the target's task, classes and scale from its observed rows.
    ///
    /// A column of two values or of words is a classification; so are the whole numbers 0..k or 1..=k with
    /// at most ten values. Other numbers are a regression. `wanted` overrides the guess.
    ///
    /// # Errors
    /// When the target is text or a date, has no observed row or only one value.
    pub fn fit(data: &Data, name: &str, wanted: Option<TaskKind>) -> Result<Self> {
        Self::fit_about(data, name, wanted, None)
    }

    /// The same; of two classes the named one is the event, which is the second. Where none is named the word for what
    /// happened is (`yes`, `died`, ...), else the last by the alphabet.
    ///
    /// # Errors
    /// As for [`TargetEncoder::fit`], and when the event is none of two classes.
    pub fn fit_about(data: &Data, name: &str, wanted: Option<TaskKind>, event: Option<&str>) -> Result<Self> {
        let column = data.column(name)?;
        let kind = column.kind;
        let mut encoder = Self {
            name: name.to_owned(),
            kind,
            task: Task::Regression,
            levels: Vec::new(),
            mean: 0.0,
            deviation: 1.0,
            low: 0.0,
            high: 0.0,
        };
        if !column.is_usable() {
            let (holds, hint) = match kind {
                Kind::Date => ("dates", Hint::from("make a number of them, such as days since a fixed date")),
                _ => ("free text", Act::ReadAsCategory { column: name.to_owned() }.into()),
            };
            let what = format!("the target `{name}` holds {holds}, which can't be predicted");
            return Err(Error::data(what).with_hint(hint));
        }
        let mut levels = observed_levels(column);
        if levels.len() < 2 {
            return Err(Error::data(format!("the target `{name}` has the same value in every row"))
                .with_hint("learning needs rows with at least two different target values"));
        }
        let classes = match wanted {
            Some(TaskKind::Classification) => true,
            Some(TaskKind::Regression) => false,
            None => column.numbers().is_none() || looks_like_classes(column, &levels),
        };
        if classes {
            event::put_last(&mut levels, event, name)?;
            encoder.task = Task::Classification { classes: levels.len() };
            encoder.levels = levels;
            return Ok(encoder);
        }
        if event.is_some() {
            return Err(Error::setting(
                "event",
                format!("the target `{name}` is a number, and has no classes"),
            )
            .with_hint("say --task classification if its values are classes"));
        }
        let known = observed_numbers(column)?;
        let count = known.len() as f64;
        encoder.mean = known.iter().sum::<f64>() / count;
        encoder.deviation = deviation(&known, encoder.mean).max(f64::MIN_POSITIVE);
        encoder.low = known.iter().copied().fold(f64::INFINITY, f64::min);
        encoder.high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(encoder)
    }

    /// The targets of rows whose target is observed (the caller selects those), with weights
    /// from an optional weight column and from the classes.
    ///
    /// # Errors
    /// When a class is new, or a weight is missing or negative.
    pub fn encode(&self, data: &Data, weight: Option<&str>, classes: ClassWeights) -> Result<Targets> {
        let column = data.column(&self.name)?;
        let rows = data.rows();
        let mut targets =
            Targets { task: self.task, numbers: Vec::new(), classes: Vec::new(), weights: vec![1.0; rows] };
        match self.task {
            Task::Regression => {
                let scaled = |y: &f64| ((y - self.mean) / self.deviation) as f32;
                targets.numbers = observed_numbers(column)?.iter().map(scaled).collect();
            }
            Task::Classification { .. } => {
                targets.classes = (0..rows).map(|row| self.class_of(column, row)).collect::<Result<_>>()?;
            }
        }
        if let Some(weight) = weight {
            multiply_weights(&mut targets.weights, data.column(weight)?)?;
        }
        if classes == ClassWeights::Balanced && !self.levels.is_empty() {
            balance(&mut targets, self.levels.len());
        }
        Ok(targets)
    }

    /// A prediction of the standardised target in the user's units, inside the range seen in training.
    pub fn decode(&self, standardised: f64) -> f64 {
        (self.mean + self.deviation * standardised).clamp(self.low, self.high)
    }

    fn class_of(&self, column: &Column, row: usize) -> Result<u32> {
        let cell = column.cell(row).unwrap_or_default();
        let position = self.levels.iter().position(|level| *level == cell);
        position.map(|position| position as u32).ok_or_else(|| {
            Error::data(format!(
                "the target `{}` has the class `{cell}`, which training never saw",
                self.name
            ))
        })
    }
}

/// The two kinds of task a user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// Predict a number.
    Regression,
    /// Predict a class.
    Classification,
}

/// Distinct observed values as text, in ascending order.
fn observed_levels(column: &Column) -> Vec<String> {
    match &column.values {
        Values::Numbers(values) => {
            let observed = values.iter().zip(&column.observed).filter(|(_, observed)| **observed);
            let mut known: Vec<f64> = observed.map(|(value, _)| *value).collect();
            known.sort_unstable_by(f64::total_cmp);
            known.dedup();
            known.into_iter().map(crate::data::table::format_number).collect()
        }
        Values::Codes { codes, levels } => {
            let mut seen = vec![false; levels.len()];
            for (code, observed) in codes.iter().zip(&column.observed) {
                if *observed {
                    seen[*code as usize] = true;
                }
            }
            levels.iter().zip(seen).filter(|(_, seen)| *seen).map(|(level, _)| level.clone()).collect()
        }
        Values::Texts(_) => Vec::new(),
    }
}

fn looks_like_classes(column: &Column, levels: &[String]) -> bool {
    let counts_up = |from: usize| levels.iter().zip(from..).all(|(level, n)| *level == n.to_string());
    column.kind == Kind::Integer && levels.len() <= 10 && (counts_up(0) || counts_up(1))
}

fn observed_numbers(column: &Column) -> Result<Vec<f64>> {
    let values = column.numbers().ok_or_else(|| {
        Error::data(format!("the target `{}` holds words, so it can't be a regression", column.name))
            .with_hint(Act::ReadAsNumber { column: column.name.clone() })
    })?;
    Ok(values
        .iter()
        .zip(&column.observed)
        .filter(|(_, observed)| **observed)
        .map(|(value, _)| *value)
        .collect())
}

fn multiply_weights(weights: &mut [f32], column: &Column) -> Result<()> {
    let name = &column.name;
    let hint = "a weight is a number, 0 or above, in every row";
    let values = numbers_of(column)
        .ok_or_else(|| Error::data(format!("the weight `{name}` holds words")).with_hint(hint))?;
    if let Some(row) = (0..weights.len()).find(|&row| !column.observed[row] || values[row] < 0.0) {
        let what = if column.observed[row] { &values[row].to_string() } else { "missing" };
        return Err(Error::data(format!("the weight `{name}` is {what} in a row")).with_hint(hint));
    }
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    if mean <= 0.0 {
        return Err(Error::data(format!("the weight `{name}` is 0 in every row")).with_hint(hint));
    }
    for (weight, value) in weights.iter_mut().zip(&values) {
        *weight *= (value / mean) as f32;
    }
    Ok(())
}

/// The values of a column of numbers; one of only two numbers is read as two levels, but counts as numbers here.
fn numbers_of(column: &Column) -> Option<Vec<f64>> {
    if let Some(values) = column.numbers() {
        return Some(values.to_vec());
    }
    let (codes, levels) = column.codes()?;
    let levels: Vec<f64> = levels.iter().map(|level| level.parse().ok()).collect::<Option<_>>()?;
    Some(codes.iter().map(|code| levels.get(*code as usize).copied().unwrap_or(0.0)).collect())
}

fn balance(targets: &mut Targets, classes: usize) {
    let mut totals = vec![0.0_f32; classes];
    for (class, weight) in targets.classes.iter().zip(&targets.weights) {
        totals[*class as usize] += weight;
    }
    let share = totals.iter().sum::<f32>() / classes as f32;
    for (class, weight) in targets.classes.iter().zip(&mut targets.weights) {
        *weight *= share / totals[*class as usize].max(f32::MIN_POSITIVE);
    }
}

#[cfg(test)]
mod tests;
