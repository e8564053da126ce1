//! The rows that AutoRec learns from, and its loss.

use std::sync::Arc;

use super::Settings;
use crate::data::ratings::{Compressed, Rating, Ratings};
use crate::nn::sparse::{Batch, Pattern, SparseLearner, SparseNetwork, Work};

/// Rows with their known ratings, and those set aside.
pub(super) struct Rows<'a> {
    rows: &'a Compressed,
    settings: &'a Settings,
    k: f32,
    /// What ratings are multiplied by on their way in and out.
    unit: f32,
    /// The known ratings as inputs, those set aside as wanted outputs.
    held: Option<Batch>,
    range: (f32, f32),
}

impl<'a> Rows<'a> {
    pub fn new(learning: &'a Ratings, held: &[Rating], settings: &'a Settings, k: f32, unit: f32) -> Self {
        let rows = settings.vectors.of(learning);
        let (low, high) = learning.range();
        let mut this = Self { rows, settings, k, unit, held: None, range: (unit * low, unit * high) };
        if !held.is_empty() {
            let cells = held.iter().map(|rating| {
                let (row, column) = settings.vectors.cell(rating.user, rating.item);
                (row, column, unit * rating.value)
            });
            let wanted = Compressed::new(rows.rows(), rows.columns, cells);
            // Rows without a wanted rating need not be computed.
            let used: Vec<u32> = (0..rows.rows() as u32).filter(|row| wanted.count(*row) > 0).collect();
            let (inputs, values) = this.inputs(&used);
            let (outputs, targets) = picked(&wanted, &used);
            this.held = Some(Batch::new(inputs, values, outputs, targets));
        }
        this
    }

    /// The known ratings of some rows as the network gets them.
    fn inputs(&self, rows: &[u32]) -> (Arc<Pattern>, Vec<f32>) {
        let (pattern, mut values) = picked(self.rows, rows);
        for place in 0..rows.len() {
            let entries = pattern.row(place);
            let factor = self.unit * self.settings.factor(self.k, entries.len());
            values[entries].iter_mut().for_each(|value| *value *= factor);
        }
        (pattern, values)
    }
}

/// The entries of some rows and their values.
pub(super) fn picked(matrix: &Compressed, rows: &[u32]) -> (Arc<Pattern>, Vec<f32>) {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        let (row_columns, row_values) = matrix.row(*row);
        columns.extend_from_slice(row_columns);
        values.extend_from_slice(row_values);
        starts.push(columns.len());
    }
    (Arc::new(Pattern::new(matrix.columns, starts, columns)), values)
}

impl SparseLearner for Rows<'_> {
    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn batch(&self, rows: &[u32], _: u64, _: usize) -> Batch {
        let (inputs, values) = self.inputs(rows);
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
        let held = self.held.as_ref()?;
        let mut work = Work::default();
        network.forward(held, &mut work);
        let error =
            |(score, target): (&f32, &f32)| f64::from(score.clamp(self.range.0, self.range.1) - target);
        let squares: f64 = work.scores.iter().zip(&held.targets).map(error).map(|error| error * error).sum();
        Some((squares / held.targets.len() as f64).sqrt() / f64::from(self.unit))
    }
}
