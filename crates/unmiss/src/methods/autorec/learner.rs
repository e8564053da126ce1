//! The rows that AutoRec learns from, and its loss.

use std::sync::Arc;

use super::Settings;
use crate::data::ratings::{Compressed, Part};
use crate::nn::sparse::{Batch, Pattern, SparseLearner, SparseNetwork, Work, one_ahead};
use crate::rng::{hash, mix};

/// Rows answered at a time, so that memory does not grow with their number.
pub(super) const ROWS_AT_ONCE: usize = 256;

/// Rows with their known ratings, and those set aside.
pub(super) struct Rows<'a> {
    rows: &'a Part<'a>,
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
        rows: &'a Part<'a>,
        (low, high): (f32, f32),
        settings: &'a Settings,
        k: f32,
        unit: f32,
    ) -> Self {
        let held = rows.rest();
        let held_rows = (0..rows.rows() as u32).filter(|row| held.count(*row) > 0).collect();
        Self { rows, settings, k, unit, held, held_rows, range: (unit * low, unit * high) }
    }

    /// Known ratings as inputs, those set aside as wanted outputs. Made anew for every look at them: kept, all of them
    /// would take as much memory as the ratings.
    fn exam(&self, rows: &[u32]) -> Batch {
        let inputs = Picked::new(rows, |row| self.rows.row(row), |known| self.factor(known));
        let outputs = Picked::new(rows, |row| self.held.entries(row), |_| self.unit);
        let width = self.rows.columns();
        let known = Pattern::new(width, inputs.starts, inputs.columns);
        let wanted = Pattern::new(width, outputs.starts, outputs.columns);
        Batch::new(Arc::new(known), &inputs.values, Arc::new(wanted), outputs.values)
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
    /// The entries of each row times a factor that depends on how many there are.
    pub fn new<I: Iterator<Item = (u32, f32)>>(
        rows: &[u32],
        entries: impl Fn(u32) -> I,
        factor: impl Fn(usize) -> f32,
    ) -> Self {
        // Room for all at once: vectors that grow leave gaps of half their size behind.
        let most = rows.iter().filter_map(|row| entries(*row).size_hint().1).sum();
        let (columns, values) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut picked = Self { starts: Vec::with_capacity(rows.len() + 1), columns, values };
        picked.starts.push(0);
        for row in rows {
            let start = picked.columns.len();
            for (column, value) in entries(*row) {
                picked.columns.push(column);
                picked.values.push(value);
            }
            let factor = factor(picked.columns.len() - start);
            picked.values[start..].iter_mut().for_each(|value| *value *= factor);
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
        let Picked { starts, columns, values } =
            Picked::new(rows, |row| self.rows.row(row), |known| self.factor(known));
        let inputs = Arc::new(Pattern::new(self.rows.columns(), starts, columns));
        let known = rows.iter().flat_map(|row| self.rows.row(*row));
        let mut targets = Vec::with_capacity(inputs.len());
        targets.extend(known.map(|(_, value)| self.unit * value));
        Batch::new(Arc::clone(&inputs), &values, inputs, targets)
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
        let make = |rows: &[u32]| self.exam(rows);
        one_ahead(self.held_rows.chunks(ROWS_AT_ONCE), make, |exam| {
            network.forward(&exam, &mut work);
            for (score, target) in work.scores.iter().zip(&exam.targets) {
                squares += f64::from(score.clamp(self.range.0, self.range.1) - target).powi(2);
            }
        });
        let count = self.held.values.len();
        (count > 0).then(|| (squares / count as f64).sqrt() / f64::from(self.unit))
    }
    fn fingerprint(&self) -> u64 {
        let rest = format!("{:?} {} {} {:?}", self.settings, self.k, self.unit, self.range);
        mix([self.rows.fingerprint(), hash(&rest)])
    }
}
