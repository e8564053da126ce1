//! Learning by hiding: some known values of a series are hidden, and guessed from what remains.

use burn::Tensor;

use super::network::{Network, View};
use super::settings::{ErrorKind, Settings};
use crate::encode::{SeriesBatch, SeriesRows};
use crate::nn::loss::fused;
use crate::nn::train::{Learner, Moment};
use crate::nn::{Lent, Parameters, Plain, Steps, Taped};
use crate::rng::Stream;

/// Series guessed at a time.
const AT_ONCE: usize = 128;
/// The smallest share that is hidden.
const LEAST: f64 = 0.05;

/// The network, the series, and which of them are for what.
pub struct Hiding<'a> {
    pub settings: &'a Settings,
    pub network: &'a Network,
    pub rows: &'a SeriesRows,
    /// Series to learn from.
    pub learning: Vec<usize>,
    /// Series that tell when to stop.
    pub validation: Vec<usize>,
    /// The seed of what is hidden of them.
    pub seed: u64,
}

/// Some series with known values hidden.
struct Hidden {
    batch: SeriesBatch,
    /// `[series, T, D]`: 1 where a value is known and not hidden.
    shown: Vec<f32>,
}

impl Hidden {
    /// Hides a share of each series that is small more often than large; `stream` is that of a series.
    fn new(batch: SeriesBatch, most: f64, stream: impl Fn(usize) -> Stream) -> Self {
        let mut shown = batch.observed.clone();
        let length = (batch.steps * batch.variables).max(1);
        for (series, shown) in shown.chunks_mut(length).enumerate() {
            let mut stream = stream(series);
            let share = (LEAST + (most - LEAST) * stream.uniform().powi(2)).clamp(0.0, 1.0);
            for mark in shown.iter_mut().filter(|mark| **mark > 0.0) {
                *mark = if stream.uniform() < share { 0.0 } else { 1.0 };
            }
        }
        Self { batch, shown }
    }

    /// For every number of the rows of `steps`, `[rows, D]`, the truth where it was hidden.
    fn truths(&self, steps: &Steps) -> Vec<Option<f32>> {
        let width = self.batch.variables;
        let cells = steps.places().flat_map(|(series, step)| {
            let first = (series * self.batch.steps + step) * width;
            first..first + width
        });
        let hidden = |cell: usize| self.batch.observed[cell] > 0.0 && self.shown[cell] == 0.0;
        cells.map(|cell| hidden(cell).then(|| self.batch.values[cell])).collect()
    }
}

impl Hiding<'_> {
    /// Variable and error (truth less guess) of every hidden value of the series set aside, the same values each time.
    pub fn errors(&self, parameters: &Parameters) -> Vec<(usize, f32)> {
        let mut errors = Vec::new();
        for some in self.validation.chunks(AT_ONCE) {
            let stream = |series: usize| Stream::new(self.seed, "hidden aside", some[series] as u64, 0);
            let hidden = Hidden::new(self.rows.batch(some), self.settings.hide, stream);
            let view = View::new(&hidden.batch, &hidden.shown);
            let truths = hidden.truths(&view.steps);
            let guesses = self.network.forward(&mut Plain::new(parameters), view);
            let cells = truths.iter().zip(guesses.values()).enumerate();
            errors.extend(cells.filter_map(|(cell, (truth, guess))| {
                truth.map(|truth| (cell % hidden.batch.variables, truth - guess))
            }));
        }
        errors
    }

    fn size(&self, error: f64) -> f64 {
        match self.settings.error {
            ErrorKind::Absolute => error.abs(),
            ErrorKind::Squared => error * error,
        }
    }
}

impl Learner for Hiding<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|row| self.learning[*row]).collect();
        let stream = |series: usize| Stream::new(moment.seed, "hidden", moment.step, rows[series] as u64);
        let hidden = Hidden::new(self.rows.batch(&rows), self.settings.hide, stream);
        let view = View::new(&hidden.batch, &hidden.shown);
        let truths = hidden.truths(&view.steps);
        let guesses = self.network.forward(&mut Taped::new(parameters, moment), view);
        fused(guesses, |guesses, _| {
            let count = truths.iter().flatten().count().max(1) as f64;
            let mut sum = 0.0;
            let slope = |(guess, truth): (&f32, &Option<f32>)| {
                let Some(truth) = truth else { return 0.0 };
                let off = f64::from(guess - truth);
                sum += self.size(off);
                let slope = match self.settings.error {
                    ErrorKind::Absolute => off.signum(),
                    ErrorKind::Squared => 2.0 * off,
                };
                (slope / count) as f32
            };
            let gradient = guesses.iter().zip(&truths).map(slope).collect();
            (sum / count, gradient)
        })
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let errors = self.errors(parameters);
        let sum: f64 = errors.iter().map(|(_, error)| self.size(f64::from(*error))).sum();
        (!errors.is_empty()).then(|| sum / errors.len() as f64)
    }

    fn fingerprint(&self) -> u64 {
        crate::rng::mix([self.rows.fingerprint(), self.learning.len() as u64])
    }
}
