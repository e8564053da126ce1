//! Which rows are audited, how many of their cells stay known, and which: the plan, made before anything is
//! predicted, so that two models can be audited with the same masks.

use rayon::prelude::*;

use super::subject::Cases;
use crate::rng::Stream;

/// The share of a row's known cells at the first level.
const FEWEST_SHARE: f64 = 0.05;

/// What is asked about.
pub(super) struct Plan {
    /// Number of inputs.
    pub inputs: usize,
    /// Masks per row and level.
    pub masks: usize,
    /// Shares of known cells, ascending; the last is 1.
    pub shares: Vec<f64>,
    /// The rows, in random order: a part from the front is a fair sample too.
    pub rows: Vec<PlannedRow>,
    seed: u64,
}

/// One audited row.
pub(super) struct PlannedRow {
    /// Its place in the table.
    pub row: usize,
    /// Places of its known inputs.
    pub known: Vec<usize>,
    /// The different numbers of cells that stay known, ascending; the last is all of them.
    pub counts: Vec<usize>,
}

impl PlannedRow {
    fn new(row: usize, known: Vec<usize>, shares: &[f64]) -> Self {
        let mut counts: Vec<usize> = shares.iter().map(|&share| count(share, known.len())).collect();
        counts.dedup();
        Self { row, known, counts }
    }

    /// Which of `counts` stands for a share.
    pub fn level(&self, share: f64) -> usize {
        let wanted = count(share, self.known.len());
        self.counts.iter().position(|count| *count == wanted).unwrap_or(self.counts.len() - 1)
    }

    /// Cases of this row: the row as it is, and `masks` for every smaller count.
    pub fn cases(&self, masks: usize) -> usize {
        1 + (self.counts.len() - 1) * masks
    }
}

/// How many of so many known cells a share is: at least one.
fn count(share: f64, known: usize) -> usize {
    ((share * known as f64).round() as usize).clamp(1, known.max(1))
}

impl Plan {
    /// Draws up to `rows` of the table's rows that have at least two known inputs: of one cell, nothing can be
    /// hidden and something left.
    pub fn new(
        table_rows: usize,
        known: impl Fn(usize) -> Vec<usize>,
        inputs: usize,
        (rows, levels, masks): (usize, usize, usize),
        seed: u64,
    ) -> Self {
        let step = (1.0 - FEWEST_SHARE) / (levels - 1) as f64;
        let mut shares: Vec<f64> = (0..levels).map(|level| FEWEST_SHARE + step * level as f64).collect();
        shares[levels - 1] = 1.0;
        let order = Stream::new(seed, "audit rows", 0, 0).permutation(table_rows);
        let drawn = order.into_iter().map(|row| (row, known(row))).filter(|(_, known)| known.len() >= 2);
        let rows = drawn.take(rows).map(|(row, known)| PlannedRow::new(row, known, &shares)).collect();
        Self { inputs, masks, shares, rows, seed }
    }

    /// All cases of some of the rows, row by row: first the row as it is, then count by count.
    pub fn cases(&self, rows: &[PlannedRow]) -> Cases {
        let mut cases: Vec<(&PlannedRow, Option<(usize, usize)>)> = Vec::new();
        for row in rows {
            cases.push((row, None));
            let (_, smaller) = row.counts.split_last().unwrap_or((&0, &[]));
            let masked = smaller.iter().flat_map(|&count| (0..self.masks).map(move |mask| (count, mask)));
            cases.extend(masked.map(|case| (row, Some(case))));
        }
        let mut observed = vec![false; cases.len() * self.inputs];
        observed.par_chunks_mut(self.inputs.max(1)).zip(&cases).for_each(
            |(observed, (row, mask))| match mask {
                None => row.known.iter().for_each(|&place| observed[place] = true),
                Some((count, mask)) => self.draw(row, *count, *mask, observed),
            },
        );
        Cases { rows: cases.iter().map(|(row, _)| row.row).collect(), observed }
    }

    /// Marks `count` of the row's known cells. The address of the stream holds the count, not the level, so that
    /// a finer grid keeps the masks it shares with a coarser one.
    fn draw(&self, row: &PlannedRow, count: usize, mask: usize, observed: &mut [bool]) {
        let address = ((count as u64) << 32) | mask as u64;
        let mut stream = Stream::new(self.seed, "audit mask", row.row as u64, address);
        let mut places = row.known.clone();
        // The first steps of a shuffle: whichever is fewer, the cells kept or the cells hidden, is drawn.
        let keeps = 2 * count <= places.len();
        let drawn = if keeps { count } else { places.len() - count };
        for place in 0..drawn {
            let other = place + stream.below(places.len() - place);
            places.swap(place, other);
        }
        let kept = if keeps { &places[..drawn] } else { &places[drawn..] };
        kept.iter().for_each(|&place| observed[place] = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_keep_as_many_known_cells_as_they_should() {
        // Row r knows the inputs 0..r of 30.
        let plan = Plan::new(31, |row| (0..row).collect(), 30, (100, 20, 7), 3);
        assert_eq!(plan.rows.len(), 29, "rows with fewer than two known cells have no part");
        for row in &plan.rows {
            let cases = plan.cases(std::slice::from_ref(row));
            assert_eq!(cases.rows, vec![row.row; row.cases(7)]);
            let counts = cases.observed.chunks_exact(30).map(|marks| {
                assert!(marks[row.row..].iter().all(|mark| !mark), "an unknown cell became known");
                marks.iter().filter(|mark| **mark).count()
            });
            let smaller = row.counts[..row.counts.len() - 1].iter().flat_map(|count| [*count; 7]);
            assert_eq!(
                counts.collect::<Vec<_>>(),
                std::iter::once(row.known.len()).chain(smaller).collect::<Vec<_>>()
            );
            assert!(row.counts.windows(2).all(|pair| pair[0] < pair[1]) && row.counts[0] >= 1);
            assert_eq!(row.level(1.0), row.counts.len() - 1);
        }
    }

    #[test]
    fn every_cell_is_kept_equally_often() {
        let plan = Plan::new(1, |_| (0..10).collect(), 10, (1, 2, 4000), 1);
        let cases = plan.cases(&plan.rows);
        for place in 0..10 {
            let kept = cases.observed.chunks_exact(10).skip(1).filter(|marks| marks[place]).count();
            // One of ten cells is kept: 400 of 4000 masks, standard deviation 19.
            assert!((kept as f64 - 400.0).abs() < 80.0, "{place}: {kept}");
        }
    }
}
