//! A map of an image: the stronger the ink of a pixel, the more often it is missing.

use crate::error::Result;
use crate::report::axes::WIDTH;
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, draw};
use crate::report::chart::{Chart, Grid, Words};

/// The map's longer side.
const SIDE: f64 = 360.0;
/// Room below for the scale.
const BELOW: f64 = 44.0;
/// Steps of the scale.
const STEPS: usize = 10;

/// Shares of pixels, each where it lies in the image.
#[derive(Debug, Clone, PartialEq)]
pub struct PixelMap {
    /// What is said about the chart.
    pub words: Words,
    /// Rows of the map.
    pub rows: usize,
    /// Columns of the map.
    pub columns: usize,
    /// `[rows, columns]`: from 0 to 1.
    pub shares: Vec<f64>,
}

impl PixelMap {
    /// Draws the chart. The numbers beside it are the means of rows and of columns.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let (rows, columns) = (self.rows.max(1), self.columns.max(1));
        let cell = SIDE / rows.max(columns) as f64;
        let drawing = draw(WIDTH, cell * rows as f64 + BELOW, |canvas| self.paint(canvas, cell))?;
        let mut numbers = Grid::new(["from the top", "missing", "from the left", "missing"]);
        let percent = |shares: Vec<f64>| match shares.len() {
            0 => String::new(),
            count => format!("{:.1} %", 100.0 * shares.iter().sum::<f64>() / count as f64),
        };
        for place in 0..rows.max(columns) {
            let of_row: Vec<f64> = self.shares.chunks(columns).nth(place).unwrap_or_default().to_vec();
            let inside = |exists: bool| if exists { (place + 1).to_string() } else { String::new() };
            let of_column: Vec<f64> = match place < columns {
                true => self.shares.iter().skip(place).step_by(columns).copied().collect(),
                false => Vec::new(),
            };
            numbers = numbers.row([
                inside(place < rows),
                percent(of_row),
                inside(place < columns),
                percent(of_column),
            ]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn paint(&self, canvas: &Canvas<'_>, cell: f64) {
        let left = (WIDTH - cell * self.columns as f64) / 2.0;
        for (place, share) in self.shares.iter().enumerate() {
            let (row, column) = (place / self.columns, place % self.columns);
            let (x, y) = (left + column as f64 * cell, row as f64 * cell);
            let end = (x + cell, y + cell);
            canvas.rectangle((x, y), end, Ink::Known, 1.0);
            // Hundredths are as fine as an eye can tell.
            let strength = (share * 100.0).round() / 100.0;
            if strength > 0.0 {
                canvas.rectangle((x, y), end, Ink::Series(0), strength);
            }
        }
        self.scale(canvas, self.rows as f64 * cell + 14.0);
    }

    fn scale(&self, canvas: &Canvas<'_>, y: f64) {
        let step = 20.0;
        let left = (WIDTH - (STEPS + 1) as f64 * step) / 2.0;
        for place in 0..=STEPS {
            let (x, share) = (left + place as f64 * step, place as f64 / STEPS as f64);
            canvas.rectangle((x, y), (x + step, y + 8.0), Ink::Known, 1.0);
            if share > 0.0 {
                canvas.rectangle((x, y), (x + step, y + 8.0), Ink::Series(0), share);
            }
            if place.is_multiple_of(STEPS / 2) {
                let text = format!("{:.0} %", 100.0 * share);
                canvas.text((x + step / 2.0, y + 18.0), &text, Lettering::small(Anchor::Middle));
            }
        }
    }
}
