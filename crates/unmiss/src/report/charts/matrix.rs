//! The table seen from far: one thin line per row, one strip per column, dark where a cell is missing.

use crate::data::Column;
use crate::error::Result;
use crate::report::axes::WIDTH;
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, SMALL, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::{figure, width};

/// Rows and columns shown at most.
const MOST_ROWS: usize = 250;
const MOST_COLUMNS: usize = 60;
/// Room for the names above the columns, at most.
const NAMES: f64 = 130.0;
const PLOT_HEIGHT: f64 = 330.0;

/// Which cells of some rows are missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// What is said about the chart.
    pub words: Words,
    /// Names of the columns shown.
    pub columns: Vec<String>,
    /// Positions of the rows shown, from 0, in the table's order.
    pub rows: Vec<usize>,
    /// For each column shown, one mark per row shown: true where the value is known.
    pub observed: Vec<Vec<bool>>,
}

impl Matrix {
    /// A sample of a table: rows evenly spaced, and the columns with most holes, both in their order.
    pub fn sample(words: Words, columns: &[&Column]) -> Self {
        let all = columns.first().map_or(0, |column| column.rows());
        let shown = all.min(MOST_ROWS);
        let rows: Vec<usize> = (0..shown).map(|index| index * all / shown).collect();
        let mut places: Vec<usize> = (0..columns.len()).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(columns[place].missing()));
        places.truncate(MOST_COLUMNS);
        places.sort_unstable();
        let marks = |column: &Column| rows.iter().map(|&row| column.observed[row]).collect();
        Self {
            words,
            columns: places.iter().map(|&place| columns[place].name.clone()).collect(),
            observed: places.iter().map(|&place| marks(columns[place])).collect(),
            rows,
        }
    }

    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let names = self.columns.iter().map(|name| width(name, SMALL)).fold(20.0, f64::max).min(NAMES);
        let drawing = draw(WIDTH, names + 18.0 + PLOT_HEIGHT + 8.0, |canvas| self.paint(canvas, names))?;
        let mut numbers = Grid::new(["column", "missing in rows shown", "rows shown"]);
        for (name, observed) in self.columns.iter().zip(&self.observed) {
            let missing = observed.iter().filter(|observed| !**observed).count();
            numbers = numbers.row([name.clone(), figure(missing as f64), figure(self.rows.len() as f64)]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn paint(&self, canvas: &Canvas<'_>, names: f64) {
        let (left, right, top) = (64.0, WIDTH - 4.0, names + 14.0);
        let (columns, rows) = (self.columns.len().max(1) as f64, self.rows.len().max(1) as f64);
        let (wide, high) = ((right - left) / columns, PLOT_HEIGHT / rows);
        let gap = if wide > 6.0 { 1.0 } else { 0.3 };
        canvas.text((10.0, top + PLOT_HEIGHT / 2.0), "row", Lettering::new(Anchor::Middle).upwards());
        // First, middle and last row by their place in the file, counted from 1.
        for index in [0, self.rows.len() / 2, self.rows.len().saturating_sub(1)] {
            if let Some(row) = self.rows.get(index) {
                let y = (top + (index as f64 + 0.5) * high).clamp(top + 5.0, top + PLOT_HEIGHT - 5.0);
                canvas.text((left - 6.0, y), &figure((row + 1) as f64), Lettering::small(Anchor::End));
            }
        }
        let strip = |index: usize| (left + index as f64 * wide, left + (index + 1) as f64 * wide - gap);
        for index in 0..self.observed.len() {
            let (from, to) = strip(index);
            canvas.rectangle((from, top), (to, top + PLOT_HEIGHT), Ink::Known, 1.0);
        }
        for (index, observed) in self.observed.iter().enumerate() {
            let (from, to) = strip(index);
            for (start, end) in holes(observed) {
                let (start, end) = (top + start as f64 * high, top + end as f64 * high);
                canvas.rectangle((from, start), (to, end), Ink::Hole, 1.0);
            }
        }
        // Narrow strips: only as many names as can be read.
        let every = (13.0 / wide).ceil().max(1.0) as usize;
        for (index, name) in self.columns.iter().enumerate().step_by(every) {
            let (from, to) = strip(index);
            let letters =
                Lettering { size: SMALL.min(every as f64 * wide + 1.0), ..Lettering::small(Anchor::Start) };
            canvas.name(((from + to) / 2.0, top - 6.0), name, names, letters.upwards());
        }
    }
}

/// Runs of missing cells, as (start, end).
fn holes(observed: &[bool]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (row, _) in observed.iter().enumerate().filter(|(_, observed)| !**observed) {
        match runs.last_mut() {
            Some((_, end)) if *end == row => *end = row + 1,
            _ => runs.push((row, row + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn runs_are_joined() {
        assert_eq!(holes(&[false, false, true, false]), [(0, 2), (3, 4)]);
        assert!(holes(&[true, true]).is_empty());
    }

    #[test]
    fn large_tables_are_sampled_in_order_and_stay_small() {
        // The worst case: every second cell is missing, so that no two holes can be joined.
        let cells = |j: usize| -> Vec<f64> {
            (0..1000).map(|row| if (row / 4 + j).is_multiple_of(2) { f64::NAN } else { 1.5 }).collect()
        };
        let columns: Vec<Column> =
            (0..200).map(|j| Column::from_numbers(format!("c{j}"), Kind::Real, &cells(j))).collect();
        let matrix = Matrix::sample(Words::default(), &columns.iter().collect::<Vec<_>>());
        assert_eq!((matrix.rows.len(), matrix.columns.len()), (250, 60));
        assert!(matrix.rows.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(matrix.rows[249], 996);
        let size = matrix.draw().unwrap().svg("a").len();
        assert!(size < 300_000, "{size} bytes");
    }
}
