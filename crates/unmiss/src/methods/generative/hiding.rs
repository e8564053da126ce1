//! What is hidden from the encoder in training, beside what is missing anyway.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::source::{Cells, Source};
use crate::rng::Stream;

/// How often a mask is copied; else cells are hidden evenly, so that rows with other holes than those of training are
/// met as well.
const COPIED: f64 = 0.9;
/// Rows whose marks are looked at in one go.
const AT_ONCE: usize = 256;
/// Rows that a thread takes at once at least.
const ROWS_AT_ONCE: usize = 16;

/// Rows below which none is set aside.
const FEWEST: usize = 20;
/// Rows set aside, at most.
const MOST_ASIDE: usize = 2_000;

/// The rows of a table or a set of images: those to learn from, and those that tell when to stop.
pub struct Parts {
    /// To learn from.
    pub learning: Vec<usize>,
    /// Set aside.
    pub aside: Vec<usize>,
}

impl Parts {
    /// Of so many rows a tenth is set aside, if any is to be.
    pub fn new(rows: usize, judged: bool, seed: u64) -> Self {
        let mut learning = Stream::new(seed, "generative rows", 0, 0).permutation(rows);
        let count = if rows < FEWEST || !judged { 0 } else { (rows / 10).min(MOST_ASIDE) };
        let aside = learning.split_off(rows - count);
        learning.sort_unstable();
        Self { learning, aside }
    }
}

/// Which cells are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Masks {
    /// Every known cell with the same chance, another for each row and visit.
    Uniform,
    /// What is missing in another row (An et al. 2025).
    Copied,
    /// Every known cell as often as its column is missing (Kim et al. 2025).
    ByColumn,
}

/// How cells are hidden in training.
pub struct Hiding {
    masks: Masks,
    /// The largest share of a row's cells that is hidden evenly; 0: nothing is hidden at all.
    most: f64,
    /// Share of rows in which each cell is missing.
    rates: Vec<f64>,
}

/// The share of some rows in which each cell is missing; 0 of what is known in no row, which can't be hidden: what is
/// beside an image is in none.
pub fn missing_rates(source: &dyn Source, rows: &[usize], cells: usize) -> Vec<f64> {
    let mut missing = vec![0_usize; cells];
    for some in rows.chunks(AT_ONCE) {
        for marks in source.cells(some).observed.chunks(cells.max(1)) {
            missing.iter_mut().zip(marks).for_each(|(count, known)| *count += usize::from(!known));
        }
    }
    let rate = |count: usize| if count == rows.len() { 0.0 } else { count as f64 / rows.len() as f64 };
    missing.into_iter().map(rate).collect()
}

impl Hiding {
    /// For some rows of a source. Where nothing is missing there is nothing to copy: cells are hidden evenly.
    pub fn new(masks: Masks, most: f64, source: &dyn Source, rows: &[usize], cells: usize) -> Self {
        let rates = missing_rates(source, rows, cells);
        let masks = if rates.iter().all(|rate| *rate == 0.0) { Masks::Uniform } else { masks };
        Self { masks, most, rates }
    }

    /// Share of rows in which each cell is missing.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// What an encoder sees of rows at a step: `[B, cells]`.
    pub fn seen_of(
        &self,
        (cells, rows): (&Cells, &[usize]),
        source: &dyn Source,
        parts: &Parts,
        (seed, step): (u64, u64),
    ) -> Vec<bool> {
        let lines = cells.observed.par_chunks(self.rates.len().max(1)).zip(rows);
        let row = |(observed, row): (&[bool], &usize)| {
            let mut stream = Stream::new(seed, "generative holes", step, *row as u64);
            self.seen(observed, (source, &parts.learning), &mut stream)
        };
        lines.with_min_len(ROWS_AT_ONCE).flat_map_iter(row).collect()
    }

    /// The marks of what an encoder sees of a row; `others` are the rows that masks may be copied from.
    fn seen(
        &self,
        observed: &[bool],
        (source, others): (&dyn Source, &[usize]),
        stream: &mut Stream,
    ) -> Vec<bool> {
        if self.most == 0.0 {
            return observed.to_vec();
        }
        let copies = self.masks == Masks::Copied && stream.uniform() < COPIED;
        if copies {
            let other = source.cells(&[others[stream.below(others.len())]]).observed;
            return observed.iter().zip(other).map(|(known, other)| *known && other).collect();
        }
        let even = self.most * stream.uniform();
        let by_column = self.masks == Masks::ByColumn;
        let stays = |place: usize| stream.uniform() >= if by_column { self.rates[place] } else { even };
        let places = (0..observed.len()).map(stays);
        let places: Vec<bool> = places.collect();
        observed.iter().zip(places).map(|(known, stays)| *known && stays).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three cells: always known, missing in every other row, never known.
    struct Made;

    impl Source for Made {
        fn len(&self) -> usize {
            400
        }
        fn cells(&self, rows: &[usize]) -> Cells {
            let observed = rows.iter().flat_map(|row| [true, row % 2 == 0, false]).collect();
            Cells { rows: rows.len(), values: vec![0.0; 3 * rows.len()], observed }
        }
        fn fingerprint(&self) -> u64 {
            0
        }
    }

    /// How often each cell that is known is seen.
    fn shares(masks: Masks, most: f64) -> [f64; 2] {
        let rows: Vec<usize> = (0..400).collect();
        let hiding = Hiding::new(masks, most, &Made, &rows, 3);
        assert_eq!(hiding.rates(), [0.0, 0.5, 0.0]);
        let mut seen = [0.0; 2];
        for visit in 0..4000 {
            let mut stream = Stream::new(1, "hiding", visit, 0);
            let own = hiding.seen(&[true, true, false], (&Made, &rows), &mut stream);
            assert!(!own[2], "what is missing is never seen");
            (0..2).for_each(|cell| seen[cell] += f64::from(u8::from(own[cell])) / 4000.0);
        }
        seen
    }

    #[test]
    fn cells_are_hidden_as_often_as_the_kind_of_mask_says() {
        let near = |found: [f64; 2], wanted: [f64; 2]| {
            found.iter().zip(wanted).for_each(|(a, b)| assert!((a - b).abs() < 0.03, "{found:?} {wanted:?}"));
        };
        near(shares(Masks::Uniform, 0.0), [1.0, 1.0]);
        near(shares(Masks::Uniform, 0.6), [0.7, 0.7]);
        near(shares(Masks::ByColumn, 0.6), [1.0, 0.5]);
        near(shares(Masks::Copied, 0.6), [0.9 + 0.07, 0.45 + 0.07]);
    }
}
