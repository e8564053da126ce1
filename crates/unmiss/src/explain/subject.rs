//! What is asked: a model, some rows, and the same rows with the cells of single columns changed.

use super::cells::Cell;
use crate::data::Data;
use crate::encode::{Encoded, Source, Targets, Task};
use crate::error::{Error, Result};
use crate::model::Predicting;
use crate::run::Run;

/// Cases asked about at a time.
pub(super) const MOST_CASES: usize = 8_192;
/// Chances below this count as this much before a logarithm is taken.
const SMALLEST_CHANCE: f64 = 1e-12;

/// A row as it is, or with the cell of one of its columns changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub row: usize,
    /// The column's place among [`Subject::columns`], and what becomes of its cell.
    pub change: Option<(usize, Change)>,
}

/// What becomes of a cell: of all inputs that are made of it, which say one thing and change together.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// It is that of another row.
    Row(usize),
    /// It is hidden.
    Hidden,
    /// It is this, of a column that is one input.
    Cell(Cell),
}

/// A model and rows to ask it about.
pub(super) struct Subject<'a> {
    pub model: Predicting<'a>,
    /// The rows as the user has them.
    pub data: Data,
    /// The same, encoded.
    pub rows: Encoded,
    /// The columns with their inputs among the encoded ones.
    pub columns: Vec<Source>,
    /// The fold that each row was held out in; none: the model answers as a whole.
    pub folds: Option<Vec<usize>>,
    /// Their targets, where they are known.
    pub truth: Option<Targets>,
    /// The weight of each row.
    pub weights: Vec<f64>,
    pub run: &'a Run,
}

impl<'a> Subject<'a> {
    /// Encodes the rows and, where `with_truth` says so, their targets.
    pub fn new(
        model: Predicting<'a>,
        data: Data,
        folds: Option<Vec<usize>>,
        with_truth: bool,
        run: &'a Run,
    ) -> Result<Self> {
        let mut unseen = Vec::new();
        let note = |column: &str, level: &str| unseen.push(format!("`{level}` in `{column}`"));
        let rows = model.coder.encode(&data, note)?.table()?.clone();
        if !unseen.is_empty() {
            let more = if unseen.len() > 3 { ", ..." } else { "" };
            unseen.truncate(3);
            run.note(format!("values that training never saw count as missing: {}{more}", unseen.join(", ")));
        }
        let weight = model.roles.weight.as_deref().filter(|name| data.column(name).is_ok());
        let truth = with_truth.then(|| model.target.encode(&data, weight, Default::default())).transpose()?;
        let weights = match &truth {
            Some(truth) => truth.weights.iter().map(|weight| f64::from(*weight)).collect(),
            None => vec![1.0; rows.rows],
        };
        let columns = model.coder.by_column();
        Ok(Self { model, data, rows, columns, folds, truth, weights, run })
    }

    /// Numbers per answer.
    pub fn outputs(&self) -> usize {
        self.model.target.task.outputs()
    }

    /// The outputs that are told of: the number, the second of two classes, or every class.
    pub fn told(&self) -> Vec<usize> {
        match self.model.target.task {
            Task::Regression => vec![0],
            Task::Classification { classes: 2 } => vec![1],
            Task::Classification { classes } => (0..classes).collect(),
        }
    }

    /// Whether a column is known in a row.
    pub fn is_known(&self, row: usize, column: usize) -> bool {
        self.columns[column].inputs.iter().any(|&input| Cell::of(&self.rows, row, input) != Cell::Hole)
    }

    /// `[cases, outputs]` in the user's units.
    ///
    /// # Errors
    /// When the model fails, or the run was stopped.
    pub fn answers(&self, cases: &[Case]) -> Result<Vec<f64>> {
        let outputs = self.outputs();
        let mut answers = vec![0.0; cases.len() * outputs];
        for (piece, answers) in cases.chunks(MOST_CASES).zip(answers.chunks_mut(MOST_CASES * outputs)) {
            if self.run.stopped() {
                return Err(Error::Stopped);
            }
            let Some(folds) = &self.folds else {
                let rows = self.changed(piece).into();
                answers.copy_from_slice(&self.run.compute(|| self.model.predict_rows(&rows))?);
                continue;
            };
            for fold in 0..=folds.iter().copied().max().unwrap_or(0) {
                let own: Vec<usize> =
                    (0..piece.len()).filter(|&case| folds[piece[case].row] == fold).collect();
                if own.is_empty() {
                    continue;
                }
                let asked: Vec<Case> = own.iter().map(|&case| piece[case]).collect();
                let rows = self.changed(&asked).into();
                let given = self.run.compute(|| self.model.predict_without(fold, &rows))?;
                for (case, answer) in own.into_iter().zip(given.chunks_exact(outputs)) {
                    answers[case * outputs..(case + 1) * outputs].copy_from_slice(answer);
                }
            }
        }
        Ok(answers)
    }

    /// The rows of cases, with their changes.
    fn changed(&self, cases: &[Case]) -> Encoded {
        let rows: Vec<usize> = cases.iter().map(|case| case.row).collect();
        let mut rows = self.rows.select(&rows);
        for (place, case) in cases.iter().enumerate() {
            let Some((column, change)) = case.change else { continue };
            for &input in &self.columns[column].inputs {
                let cell = match change {
                    Change::Row(giver) => Cell::of(&self.rows, giver, input),
                    Change::Hidden => Cell::Hole,
                    Change::Cell(cell) => cell,
                };
                cell.put(&mut rows, place, input);
            }
        }
        rows
    }

    /// The loss of an answer for a row: the squared error in variances of the target, or the log-loss; none without a
    /// truth.
    pub fn loss(&self, row: usize, answer: &[f64]) -> Option<f64> {
        let (truth, target) = (self.truth.as_ref()?, self.model.target);
        Some(match truth.task {
            Task::Regression => {
                let standardised = (answer[0] - target.mean) / target.deviation;
                (standardised - f64::from(truth.numbers[row])).powi(2)
            }
            Task::Classification { .. } => -answer[truth.classes[row] as usize].max(SMALLEST_CHANCE).ln(),
        })
    }

    /// How far two answers lie apart: in standard deviations of the target, or the chance that has moved.
    pub fn distance(&self, one: &[f64], other: &[f64]) -> f64 {
        let apart: f64 = one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum();
        match self.model.target.task {
            Task::Regression => apart / self.model.target.deviation,
            // What one class loses another gains.
            Task::Classification { .. } => apart / 2.0,
        }
    }
}
