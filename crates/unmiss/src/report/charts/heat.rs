//! A square of correlations: one ink for above 0, another for below, stronger the further from 0.

use crate::error::Result;
use crate::report::axes::WIDTH;
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, SMALL, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::width;

/// Room for names, at most.
const NAMES: f64 = 150.0;
/// Cells are no larger than this.
const LARGEST_CELL: f64 = 42.0;
/// Cells of at least this size have their number written in them.
const NUMBER_CELL: f64 = 27.0;

/// How things go together two by two.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// What is said about the chart.
    pub words: Words,
    /// The names along both sides.
    pub names: Vec<String>,
    /// `[names, names]`: from -1 to 1, symmetric.
    pub values: Vec<f64>,
}

impl Heat {
    /// Draws the chart: the lower half, as the upper one says the same.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let names = self.names.iter().map(|name| width(name, SMALL)).fold(20.0, f64::max).min(NAMES);
        let count = self.names.len().max(1) as f64;
        let cell = ((WIDTH - names - 16.0) / count).min(LARGEST_CELL);
        let height = cell * count + names.min(110.0) + 48.0;
        let drawing = draw(WIDTH, height, |canvas| self.paint(canvas, names, cell))?;
        let mut numbers = Grid::new(["column", "other column", "correlation"]);
        for (row, first) in self.names.iter().enumerate() {
            for (column, second) in self.names.iter().enumerate().take(row) {
                let value = format!("{:.2}", self.value(row, column));
                numbers = numbers.row([first.clone(), second.clone(), value]);
            }
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        self.values.get(row * self.names.len() + column).copied().unwrap_or(f64::NAN)
    }

    fn paint(&self, canvas: &Canvas<'_>, names: f64, cell: f64) {
        let (left, top) = (names + 12.0, 4.0);
        let bottom = top + cell * self.names.len() as f64;
        let size = SMALL.min(cell + 0.5);
        let letters = |anchor| Lettering { size, ..Lettering::small(anchor) };
        for (row, name) in self.names.iter().enumerate() {
            let middle = (row as f64 + 0.5) * cell;
            canvas.name((left - 6.0, top + middle), name, names, letters(Anchor::End));
            canvas.name(
                (left + middle, bottom + 6.0),
                name,
                names.min(110.0),
                letters(Anchor::End).upwards(),
            );
            for column in 0..=row {
                let value = if row == column { 1.0 } else { self.value(row, column) };
                let place = (left + column as f64 * cell, top + row as f64 * cell);
                self.cell(canvas, place, cell, value, row == column);
            }
        }
        self.scale(canvas, (left, bottom + names.min(110.0) + 24.0));
    }

    fn cell(&self, canvas: &Canvas<'_>, (x, y): (f64, f64), size: f64, value: f64, same: bool) {
        let inner = size - (size * 0.06).min(1.0);
        canvas.rectangle((x, y), (x + inner, y + inner), Ink::Known, if same { 0.5 } else { 1.0 });
        if same || !value.is_finite() {
            return;
        }
        let strength = (value.abs() * 100.0).round() / 100.0;
        if strength > 0.0 {
            let ink = if value > 0.0 { Ink::Series(0) } else { Ink::Series(1) };
            canvas.rectangle((x, y), (x + inner, y + inner), ink, strength);
        }
        if size >= NUMBER_CELL {
            let ink = if strength > 0.55 { Ink::Paper } else { Ink::Text };
            let letters = Lettering { size: 10.5, ink, ..Lettering::new(Anchor::Middle) };
            canvas.text((x + inner / 2.0, y + inner / 2.0), &short(value), letters);
        }
    }

    /// What the strengths stand for.
    fn scale(&self, canvas: &Canvas<'_>, (x, y): (f64, f64)) {
        for step in 0..=8 {
            let value = f64::from(step - 4) / 4.0;
            let place = (x + f64::from(step) * 24.0, y);
            canvas.rectangle(place, (place.0 + 24.0, y + 8.0), Ink::Known, 1.0);
            if value != 0.0 {
                let ink = if value > 0.0 { Ink::Series(0) } else { Ink::Series(1) };
                canvas.rectangle(place, (place.0 + 24.0, y + 8.0), ink, value.abs());
            }
            if step % 4 == 0 {
                let text = ["-1", "0", "1"][step as usize / 4];
                canvas.text((place.0 + 12.0, y + 16.0), text, Lettering::small(Anchor::Middle));
            }
        }
        canvas.text((x + 9.0 * 24.0 + 8.0, y + 4.0), "correlation", Lettering::small(Anchor::Start));
    }
}

/// Two places, without the 0 before the point: cells are small.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.as_str() {
        "0.00" | "-0.00" => "0".to_owned(),
        _ => text.replacen("0.", ".", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_large_cells_only() {
        let heat = |count: usize| {
            let names = (0..count).map(|j| format!("c{j}")).collect();
            Heat { words: Words::default(), names, values: vec![-0.25; count * count] }.draw().unwrap()
        };
        assert!(heat(3).drawing.body.contains(">-.25</text>"));
        assert!(!heat(30).drawing.body.contains(">-.25</text>"));
        assert_eq!(heat(3).numbers.rows.len(), 3);
        assert_eq!(short(-0.001), "0");
        assert_eq!(short(1.0), "1.00");
    }
}
