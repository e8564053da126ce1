//! Learning from rows with holes: of what is known of a row, a part is hidden from the encoder, another one at every
//! visit, and the decoder has to find all that is known likely ("denoising"). Where nothing is missing, all that is
//! known is the clean row.

use burn::Tensor;

use super::layout::{Layout, Visit};
use super::posterior::bounds;
use crate::methods::generative::{Cells, Hiding, Parts, Source};
use crate::nn::train::{Learner, Moment};
use crate::nn::{Lent, Parameters, Taped};
use crate::rng::{Stream, mix};

/// Latents of each row that is judged, at least.
const JUDGED: usize = 5;
/// Rows judged at a time.
const AT_ONCE: usize = 256;

/// The network and its rows.
pub struct Restoring<'a> {
    /// The network.
    pub layout: &'a Layout,
    /// All rows.
    pub source: &'a dyn Source,
    /// Which are learned from.
    pub parts: &'a Parts,
    /// What is hidden.
    pub hiding: &'a Hiding,
    /// K.
    pub importance: usize,
    /// The run's seed, for the rows set aside.
    pub seed: u64,
}

impl Restoring<'_> {
    /// What the encoder sees of rows, at an address.
    fn seen(&self, cells: &Cells, rows: &[usize], address: (u64, u64)) -> Vec<bool> {
        self.hiding.seen_of((cells, rows), self.source, self.parts, address)
    }

    /// How many numbers may hide themselves.
    fn hiding_numbers(&self) -> usize {
        self.layout.curves.as_ref().map_or(0, |_| self.layout.features.numbers())
    }

    fn visit<'a>(
        &self,
        cells: &'a Cells,
        seen: &'a [bool],
        per_row: usize,
        address: (u64, u64),
    ) -> Visit<'a> {
        let count = cells.rows * per_row;
        Visit {
            cells,
            seen,
            per_row,
            noise: noise("dvae noise", count * self.layout.latent, address),
            cell_noise: noise("dvae cell noise", count * self.hiding_numbers(), address),
        }
    }
}

/// So many standard normal numbers.
fn noise(purpose: &str, count: usize, (seed, step): (u64, u64)) -> Vec<f32> {
    let mut stream = Stream::new(seed, purpose, step, 0);
    (0..count).map(|_| stream.normal() as f32).collect()
}

impl Learner for Restoring<'_> {
    fn rows(&self) -> usize {
        self.parts.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.parts.learning[row]).collect();
        let cells = self.source.cells(&rows);
        let seen = self.seen(&cells, &rows, (moment.seed, moment.step));
        let visit = self.visit(&cells, &seen, self.importance, (moment.seed, moment.step));
        self.layout.loss(&mut Taped::new(parameters, moment), parameters, visit)
    }

    /// The mean of minus the bound of rows set aside, with what is hidden of them and the noise the same every time.
    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let mut total = 0.0;
        for rows in self.parts.aside.chunks(AT_ONCE) {
            let cells = self.source.cells(rows);
            let seen = self.seen(&cells, rows, (self.seed, u64::MAX));
            let address = (self.seed, u64::MAX - 1 - rows[0] as u64);
            let visit = self.visit(&cells, &seen, self.importance.max(JUDGED), address);
            total -= bounds(self.layout, parameters, visit, self.importance == 1).iter().sum::<f64>();
        }
        (!self.parts.aside.is_empty()).then(|| total / self.parts.aside.len() as f64)
    }

    fn fingerprint(&self) -> u64 {
        mix([self.source.fingerprint(), self.importance as u64])
    }
}
