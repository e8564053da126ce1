//! The rows that AutoRec learns from, and its loss.

use std::sync::Arc;

use super::Settings;
use crate::data::ratings::{Compressed, Rating};
use crate::nn::sparse::{Batch, Pattern, SparseLearner, SparseNetwork, Work};

/// Rows answered at a time, so that memory does not grow with their number.
pub(super) const ROWS_AT_ONCE: usize = 1024;

/// Rows with their known ratings, and those set aside.
pub(super) struct Rows<'a> {
    rows: &'a Compressed,
    settings: &'a Settings,
    k: f32,
    /// What ratings are multiplied by on their way in and out.
    unit: f32,
    /// The ratings set aside, and the rows that have any: the others need not be computed.
    held: Compressed,
    held_rows: Vec<u32>,
    range: (f32, f32),
}

impl<'a> Rows<'a> {
    pub fn new(
        rows: &'a Compressed,
        (low, high): (f32, f32),
        held: &[Rating],
        settings: &'a Settings,
        k: f32,
        unit: f32,
    ) -> Self {
        let cells = held.iter().map(|rating| {
            let (row, column) = settings.vectors.cell(rating.user, rating.item);
            (row, column, unit * rating.value)
        });
        let held = Compressed::new(rows.rows(), rows.columns, cells);
        let held_rows = (0..rows.rows() as u32).filter(|row| held.count(*row) > 0).collect();
        Self { rows, settings, k, unit, held, held_rows, range: (unit * low, unit * high) }
    }

    /// Known ratings as inputs, those set aside as wanted outputs. Made anew for every look at them: kept, all of them
    /// would take as much memory as the ratings.
    fn exam(&self, rows: &[u32]) -> Batch {
        let inputs = Picked::inputs(self.rows, rows, |known| self.factor(known));
        let outputs = Picked::new(&self.held, rows);
        let patterns = [(inputs.starts, inputs.columns), (outputs.starts, outputs.columns)];
        let [known, wanted] = patterns.map(|(starts, columns)| Arc::new(Pattern::to_answer(starts, columns)));
        Batch::new(known, inputs.values, wanted, outputs.values)
    }

    /// What the ratings of a row with so many known are multiplied by.
    fn factor(&self, known: usize) -> f32 {
        self.unit * self.settings.factor(self.k, known)
    }
}

/// The entries of some rows.
pub(super) struct Picked {
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f32>,
}

impl Picked {
    pub fn new(matrix: &Compressed, rows: &[u32]) -> Self {
        Self::inputs(matrix, rows, |_| 1.0)
    }

    /// The entries times a factor that depends on how many a row has.
    pub fn inputs(matrix: &Compressed, rows: &[u32], factor: impl Fn(usize) -> f32) -> Self {
        let mut picked = Self { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in rows {
            let (columns, values) = matrix.row(*row);
            let factor = factor(columns.len());
            picked.columns.extend_from_slice(columns);
            picked.values.extend(values.iter().map(|value| factor * value));
            picked.starts.push(picked.columns.len());
        }
        picked
    }
}

impl SparseLearner for Rows<'_> {
    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn batch(&self, rows: &[u32], _: u64, _: usize) -> Batch {
        let Picked { starts, columns, values } = Picked::inputs(self.rows, rows, |known| self.factor(known));
        let inputs = Arc::new(Pattern::new(self.rows.columns, starts, columns));
        let known = rows.iter().flat_map(|row| self.rows.row(*row).1);
        let targets = known.map(|value| self.unit * value).collect();
        Batch::new(Arc::clone(&inputs), values, inputs, targets)
    }

    /// Σ (s - r)²
    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64 {
        let mut loss = 0.0;
        for ((score, target), gradient) in scores.iter().zip(&batch.targets).zip(gradients) {
            let error = score - target;
            *gradient = 2.0 * error;
            loss += f64::from(error * error);
        }
        loss
    }

    fn validate(&self, network: &SparseNetwork) -> Option<f64> {
        let (mut work, mut squares) = (Work::default(), 0.0);
        for rows in self.held_rows.chunks(ROWS_AT_ONCE) {
            let exam = self.exam(rows);
            network.forward(&exam, &mut work);
            for (score, target) in work.scores.iter().zip(&exam.targets) {
                squares += f64::from(score.clamp(self.range.0, self.range.1) - target).powi(2);
            }
        }
        let count = self.held.values.len();
        (count > 0).then(|| (squares / count as f64).sqrt() / f64::from(self.unit))
    }
}
