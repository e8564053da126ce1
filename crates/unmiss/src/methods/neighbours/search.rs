//! The most alike donors of many rows at once.
//!
//! Donors stand column by column in tiles that fit the processor's cache; for a row and a tile, the sums of squared
//! differences and the numbers of columns known in both grow column by column, eight donors at a time.

use rayon::prelude::*;

use crate::encode::wide::WideRows;
use crate::nn::vectorised::vectorised;

/// Donors in a tile.
const TILE: usize = 256;
/// Nearest donors kept for a row: a wide margin, so that k of them know any one cell.
const MARGIN: usize = 32;

/// The donors in tiles, each `[columns, TILE]`; the last is filled up with donors that know nothing.
pub struct Donors {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
    /// 1 where known, else 0.
    marks: Vec<f32>,
}

impl Donors {
    /// Lays the rows out.
    pub fn new(wide: &WideRows) -> Self {
        let columns = wide.columns;
        let rows = wide.values.len().checked_div(columns).unwrap_or(0);
        let size = rows.div_ceil(TILE) * TILE * columns;
        let (mut values, mut marks) = (vec![0.0; size], vec![0.0; size]);
        for row in 0..rows {
            for column in (0..columns).filter(|column| wide.observed[row * columns + column]) {
                let cell = (row / TILE * columns + column) * TILE + row % TILE;
                values[cell] = wide.values[row * columns + column];
                marks[cell] = 1.0;
            }
        }
        Self { rows, columns, values, marks }
    }

    /// For each row the nearest donors in ascending distance, as many as are likely to hold k that know any one
    /// cell. `block` rows at a time share a thread and their distances are in memory together.
    pub fn nearest(&self, rows: &WideRows, k: usize, block: usize) -> Vec<Vec<(f32, u32)>> {
        let count = rows.values.len().checked_div(self.columns).unwrap_or(0);
        let starts: Vec<usize> = (0..count).step_by(block.max(1)).collect();
        let blocks: Vec<Vec<Vec<(f32, u32)>>> = starts
            .into_par_iter()
            .map(|start| self.nearest_of(rows, start..(start + block).min(count), k))
            .collect();
        blocks.into_iter().flatten().collect()
    }

    fn nearest_of(&self, rows: &WideRows, range: std::ops::Range<usize>, k: usize) -> Vec<Vec<(f32, u32)>> {
        let columns = self.columns;
        let mut all: Vec<Vec<(f32, u32)>> = range.clone().map(|_| Vec::with_capacity(self.rows)).collect();
        let tiles = self.values.chunks(columns * TILE).zip(self.marks.chunks(columns * TILE));
        for (tile, (values, marks)) in tiles.enumerate() {
            for (row, found) in range.clone().zip(&mut all) {
                let cells = row * columns..(row + 1) * columns;
                let (mut squares, mut common) = ([0.0_f32; TILE], [0.0_f32; TILE]);
                let asked = (&rows.values[cells.clone()], &rows.observed[cells]);
                add_up(asked.0, asked.1, values, marks, &mut squares, &mut common);
                let donors = squares.iter().zip(&common).zip((tile * TILE) as u32..);
                found.extend(
                    donors
                        .filter(|((_, common), _)| **common > 0.0)
                        .map(|((square, common), donor)| (columns as f32 * square / common, donor)),
                );
            }
        }
        all.into_iter().map(|found| sorted(found, k)).collect()
    }
}

vectorised! {
    /// Adds a tile's squared differences from a row, and the columns known in both.
    fn add_up(
        row: &[f32],
        observed: &[bool],
        values: &[f32],
        marks: &[f32],
        squares: &mut [f32; TILE],
        common: &mut [f32; TILE],
    ) {
        let columns = values.as_chunks::<TILE>().0.iter().zip(marks.as_chunks::<TILE>().0);
        for ((value, _), (values, marks)) in row.iter().zip(observed).zip(columns).filter(|(cell, _)| *cell.1) {
            for donor in 0..TILE {
                let difference = value - values[donor];
                squares[donor] += difference * difference * marks[donor];
                common[donor] += marks[donor];
            }
        }
    }
}

/// The nearest of all, in order. A donor that is the row itself stays: it does not know what the row does not know.
fn sorted(mut all: Vec<(f32, u32)>, k: usize) -> Vec<(f32, u32)> {
    let most = (MARGIN * k).max(256).min(all.len());
    if most < all.len() {
        all.select_nth_unstable_by(most - 1, order);
        all.truncate(most);
    }
    all.sort_unstable_by(order);
    all
}

fn order(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn rows(count: usize, columns: usize, seed: u64) -> WideRows {
        let mut stream = Stream::new(seed, "search", 0, 0);
        let observed: Vec<bool> = (0..count * columns).map(|_| stream.uniform() < 0.7).collect();
        let values = observed.iter().map(|known| if *known { stream.normal() as f32 } else { 0.0 }).collect();
        WideRows { values, observed, columns }
    }

    #[test]
    fn distances_are_those_of_the_formula() {
        let (donors, asked) = (rows(300, 5, 1), rows(7, 5, 2));
        let found = Donors::new(&rows(300, 5, 1)).nearest(&asked, 400, 3);
        for (row, found) in found.iter().enumerate() {
            let mut expected: Vec<(f32, u32)> = Vec::new();
            for donor in 0..300 {
                let both: Vec<usize> = (0..5)
                    .filter(|j| asked.observed[row * 5 + j] && donors.observed[donor * 5 + j])
                    .collect();
                let square = |j: &usize| (asked.values[row * 5 + j] - donors.values[donor * 5 + j]).powi(2);
                if !both.is_empty() {
                    let mean = both.iter().map(square).sum::<f32>() * 5.0 / both.len() as f32;
                    expected.push((mean, donor as u32));
                }
            }
            expected.sort_unstable_by(order);
            assert_eq!(found.len(), expected.len());
            found.iter().zip(&expected).for_each(|(a, b)| assert!((a.0 - b.0).abs() < 1e-3, "{a:?} {b:?}"));
        }
    }

    #[test]
    fn only_a_margin_of_the_nearest_is_kept() {
        let found = Donors::new(&rows(3000, 4, 1)).nearest(&rows(2, 4, 3), 5, 16);
        assert_eq!(found[0].len(), 256);
        assert!(found[0].is_sorted_by(|a, b| a.0 <= b.0));
    }
}
