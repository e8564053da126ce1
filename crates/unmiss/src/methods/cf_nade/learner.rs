//! The rows that CF-NADE learns from: a new random order of each row's ratings at every visit.

use std::sync::Arc;

use rayon::prelude::*;

use super::Settings;
use super::loss::{chances, loss};
use crate::data::ratings::{Compressed, Rating, Ratings};
use crate::nn::sparse::{Batch, Pattern, SparseLearner, SparseNetwork, Work};
use crate::nn::sparsity::input_factor;
use crate::rng::{Stream, hash, mix};

/// Rows summed up together: a fixed number, so that sums do not depend on threads.
const ROWS_AT_ONCE: usize = 64;

/// How ratings become inputs and outputs: each column has one for every level.
#[derive(Debug, Clone)]
pub(super) struct Coding {
    /// The values of the levels, ascending.
    pub levels: Vec<f32>,
    pub k: f32,
    pub normalize: bool,
    pub sharing: bool,
}

impl Coding {
    /// The level of a value: the nearest.
    pub fn level(&self, value: f32) -> usize {
        let above = self.levels.partition_point(|level| *level < value);
        match (above.checked_sub(1).map(|below| self.levels[below]), self.levels.get(above)) {
            (Some(below), Some(level)) if value - below < level - value => above - 1,
            (Some(_), None) => above - 1,
            _ => above,
        }
    }

    /// Adds known ratings of a row as inputs; with sharing, all levels up to the rating.
    fn push(
        &self,
        known: impl ExactSizeIterator<Item = (u32, f32)>,
        columns: &mut Vec<u32>,
        values: &mut Vec<f32>,
    ) {
        let factor = if self.normalize { input_factor(self.k, known.len()) } else { 1.0 };
        for (column, value) in known {
            let level = self.level(value) as u32;
            let first = column * self.levels.len() as u32;
            let levels = if self.sharing { 0..=level } else { level..=level };
            columns.extend(levels.map(|level| first + level));
            values.resize(columns.len(), factor);
        }
    }

    /// The scores of the levels as the softmax takes them; with sharing, sums up to each level.
    pub fn summed(&self, scores: &mut [f32]) {
        if self.sharing {
            (1..scores.len()).for_each(|level| scores[level] += scores[level - 1]);
        }
    }

    /// Derivatives by the network's scores, from those by the summed ones.
    fn unsummed(&self, gradients: &mut [f64]) {
        if self.sharing {
            (0..gradients.len() - 1).rev().for_each(|level| gradients[level] += gradients[level + 1]);
        }
    }

    /// The mean rating under the chances of some scores.
    pub fn expected(&self, scores: &mut [f32]) -> f32 {
        self.summed(scores);
        chances(scores)
            .iter()
            .zip(&self.levels)
            .map(|(chance, level)| chance * f64::from(*level))
            .sum::<f64>() as f32
    }

    /// Inputs of rows given by their known ratings.
    pub fn inputs<'a>(
        &self,
        width: usize,
        rows: impl Iterator<Item = Vec<(u32, f32)>> + 'a,
    ) -> (Arc<Pattern>, Vec<f32>) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            self.push(row.into_iter(), &mut columns, &mut values);
            starts.push(columns.len());
        }
        (Arc::new(Pattern::new(width * self.levels.len(), starts, columns)), values)
    }

    /// All levels of some columns of each row as wanted outputs.
    pub fn outputs(&self, width: usize, rows: impl Iterator<Item = Vec<u32>>) -> Arc<Pattern> {
        let levels = self.levels.len() as u32;
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in rows {
            columns.extend(row.into_iter().flat_map(|column| column * levels..(column + 1) * levels));
            starts.push(columns.len());
        }
        Arc::new(Pattern::new(width * self.levels.len(), starts, columns))
    }
}

/// Rows with their known ratings, and those set aside.
pub(super) struct Rows<'a> {
    rows: &'a Compressed,
    settings: &'a Settings,
    coding: &'a Coding,
    /// All known ratings as inputs, those set aside as wanted outputs with their values.
    held: Option<Batch>,
}

impl<'a> Rows<'a> {
    pub fn new(learning: &'a Ratings, held: &[Rating], settings: &'a Settings, coding: &'a Coding) -> Self {
        let rows = settings.vectors.of(learning);
        let cells = held.iter().map(|rating| {
            let (row, column) = settings.vectors.cell(rating.user, rating.item);
            (row, column, rating.value)
        });
        let wanted = Compressed::new(rows.rows(), rows.columns, cells);
        let used: Vec<u32> = (0..rows.rows() as u32).filter(|row| wanted.count(*row) > 0).collect();
        let held = (!held.is_empty()).then(|| {
            let (inputs, values) = coding.inputs(rows.columns, used.iter().map(|row| known(rows, *row)));
            let outputs = coding.outputs(rows.columns, used.iter().map(|row| wanted.row(*row).0.to_vec()));
            let targets = used.iter().flat_map(|row| wanted.row(*row).1).copied().collect();
            Batch::new(inputs, &values, outputs, targets)
        });
        Self { rows, settings, coding, held }
    }
}

/// The known ratings of a row.
pub(super) fn known(rows: &Compressed, row: u32) -> Vec<(u32, f32)> {
    rows.entries(row).collect()
}

impl SparseLearner for Rows<'_> {
    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn varies(&self) -> bool {
        true
    }

    fn batch(&self, rows: &[u32], seed: u64, epoch: usize) -> Batch {
        let order = |row: &u32| {
            let mut stream = Stream::new(seed, "rating order", u64::from(*row), epoch as u64);
            let mut ratings = known(self.rows, *row);
            stream.shuffle(&mut ratings);
            let inputs = stream.below(ratings.len());
            let rest = ratings.split_off(inputs);
            (ratings, rest)
        };
        let (inputs, rest): (Vec<_>, Vec<_>) = rows.iter().map(order).unzip();
        let width = self.rows.columns;
        let (inputs, values) = self.coding.inputs(width, inputs.into_iter());
        let columns = rest.iter().map(|rest| rest.iter().map(|(column, _)| *column).collect());
        let outputs = self.coding.outputs(width, columns);
        // A target carries its level; how much it weighs follows from the counts of its row.
        let targets = rest.iter().flatten().map(|(_, value)| self.coding.level(*value) as f32).collect();
        Batch::new(inputs, &values, outputs, targets)
    }

    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64 {
        let levels = self.coding.levels.len();
        let outputs = batch.outputs();
        // Pieces of whole rows, each with its own part of the derivatives.
        let mut pieces = Vec::new();
        let mut rest = gradients;
        for first in (0..batch.rows()).step_by(ROWS_AT_ONCE) {
            let rows = first..(first + ROWS_AT_ONCE).min(batch.rows());
            let length = outputs.row(rows.end - 1).end - outputs.row(first).start;
            let (own, others) = std::mem::take(&mut rest).split_at_mut(length);
            rest = others;
            pieces.push((rows, own));
        }
        let piece = |(rows, own): (std::ops::Range<usize>, &mut [f32])| {
            let start = outputs.row(rows.start).start;
            let (mut total, mut slopes, mut summed) = (0.0, vec![0.0; levels], vec![0.0; levels]);
            for row in rows {
                let entries = outputs.row(row);
                // D / (D - d): how many ratings the row has for each that is predicted.
                let predicted = entries.len() / levels;
                let weight = (predicted + self.inputs_of(batch, row)) as f64 / predicted.max(1) as f64;
                for first in entries.step_by(levels) {
                    summed.copy_from_slice(&scores[first..first + levels]);
                    self.coding.summed(&mut summed);
                    let truth = batch.targets[first / levels] as usize;
                    total += weight * loss(&summed, truth, self.settings.ordinal, &mut slopes);
                    self.coding.unsummed(&mut slopes);
                    let own = &mut own[first - start..first - start + levels];
                    own.iter_mut().zip(&slopes).for_each(|(own, slope)| *own = (weight * slope) as f32);
                }
            }
            total
        };
        pieces.into_par_iter().map(piece).collect::<Vec<f64>>().iter().sum()
    }

    fn validate(&self, network: &SparseNetwork) -> Option<f64> {
        let held = self.held.as_ref()?;
        let mut work = Work::default();
        network.forward(held, &mut work);
        let levels = self.coding.levels.len();
        let answers = work.scores.chunks_exact_mut(levels).map(|scores| self.coding.expected(scores));
        let squares: f64 =
            answers.zip(&held.targets).map(|(answer, truth)| f64::from(answer - truth).powi(2)).sum();
        Some((squares / held.targets.len() as f64).sqrt())
    }

    fn fingerprint(&self) -> u64 {
        let held = self.held.iter().flat_map(|held| &held.targets).map(|target| u64::from(target.to_bits()));
        let rest = hash(&format!("{:?} {:?}", self.settings, self.coding));
        mix(held.chain([self.rows.fingerprint(), rest]))
    }
}

impl Rows<'_> {
    /// How many ratings of a row are inputs. With sharing a rating takes as many inputs as its level says.
    fn inputs_of(&self, batch: &Batch, row: usize) -> usize {
        let columns = batch.input_columns(row);
        if !self.coding.sharing {
            return columns.len();
        }
        let levels = self.coding.levels.len();
        columns.iter().filter(|column| (**column as usize).is_multiple_of(levels)).count()
    }
}
