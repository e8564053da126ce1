//! Which class was told for which: a square of counts, stronger the larger the share of its true class.

use crate::error::Result;
use crate::report::axes::WIDTH;
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, SMALL, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::width;

/// Room for names, at most.
const NAMES: f64 = 150.0;
/// Cells are no larger than this.
const LARGEST_CELL: f64 = 42.0;
/// Cells of at least this size have their count written in them.
const NUMBER_CELL: f64 = 24.0;

/// True classes (rows) and the classes that were told (columns).
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// What is said about the chart.
    pub words: Words,
    /// The classes.
    pub classes: Vec<String>,
    /// `[true class, told class]`: how many.
    pub counts: Vec<usize>,
}

impl Confusion {
    /// Counts pairs of true and told classes.
    pub fn of(words: Words, classes: &[String], truth: &[u32], told: &[u32]) -> Self {
        let mut counts = vec![0; classes.len() * classes.len()];
        for (truth, told) in truth.iter().zip(told) {
            counts[*truth as usize * classes.len() + *told as usize] += 1;
        }
        Self { words, classes: classes.to_vec(), counts }
    }

    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let names = self.classes.iter().map(|name| width(name, SMALL)).fold(20.0, f64::max).min(NAMES);
        let count = self.classes.len().max(1) as f64;
        let cell = ((WIDTH - names - 16.0) / count).min(LARGEST_CELL);
        let height = cell * count + names.min(110.0) + 30.0;
        let drawing = draw(WIDTH, height, |canvas| self.paint(canvas, names, cell))?;
        let mut numbers = Grid::new(["class", "all", "right", "most often taken for"]);
        for (class, counts) in self.classes.iter().zip(self.counts.chunks(self.classes.len().max(1))) {
            let own = numbers.rows.len();
            let all: usize = counts.iter().sum();
            let others = (0..counts.len()).filter(|&other| other != own && counts[other] > 0);
            let other = others.max_by_key(|&other| (counts[other], std::cmp::Reverse(other)));
            let right = 100.0 * counts[own] as f64 / all.max(1) as f64;
            numbers = numbers.row([
                class.clone(),
                all.to_string(),
                if all > 0 { format!("{right:.1} %") } else { "-".to_owned() },
                other.map_or("-".to_owned(), |other| format!("{} ({})", self.classes[other], counts[other])),
            ]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn paint(&self, canvas: &Canvas<'_>, names: f64, cell: f64) {
        let (left, top, count) = (names + 12.0, 4.0, self.classes.len());
        let bottom = top + cell * count as f64;
        let letters = |anchor| Lettering { size: SMALL.min(cell + 0.5), ..Lettering::small(anchor) };
        for (row, name) in self.classes.iter().enumerate() {
            let middle = (row as f64 + 0.5) * cell;
            canvas.name((left - 6.0, top + middle), name, names, letters(Anchor::End));
            let below = (left + middle, bottom + 6.0);
            canvas.name(below, name, names.min(110.0), letters(Anchor::End).upwards());
            let counts = &self.counts[row * count..(row + 1) * count];
            let all: usize = counts.iter().sum();
            for (column, &told) in counts.iter().enumerate() {
                let place = (left + column as f64 * cell, top + row as f64 * cell);
                self.cell(canvas, place, cell, (told, all), row == column);
            }
        }
        let below = (left, bottom + names.min(110.0) + 20.0);
        canvas.text(below, "down: the true class; across: what was told", Lettering::small(Anchor::Start));
    }

    fn cell(&self, canvas: &Canvas<'_>, (x, y): (f64, f64), size: f64, counts: (usize, usize), right: bool) {
        let inner = size - (size * 0.06).min(1.0);
        let (told, all) = counts;
        canvas.rectangle((x, y), (x + inner, y + inner), Ink::Known, 1.0);
        if told == 0 {
            return;
        }
        // Mistakes are few: a share is drawn by its root, so that one in a hundred can be seen.
        let strength = (100.0 * (told as f64 / all as f64).sqrt()).round() / 100.0;
        let ink = if right { Ink::Series(0) } else { Ink::Series(1) };
        canvas.rectangle((x, y), (x + inner, y + inner), ink, strength);
        if size >= NUMBER_CELL {
            let ink = if strength > 0.55 { Ink::Paper } else { Ink::Text };
            let letters = Lettering { size: 10.5, ink, ..Lettering::new(Anchor::Middle) };
            canvas.text((x + inner / 2.0, y + inner / 2.0), &told.to_string(), letters);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_by_true_class() {
        let classes = ["a", "b", "c"].map(str::to_owned);
        let truth = [0, 0, 0, 1, 1];
        let confusion = Confusion::of(Words::default(), &classes, &truth, &[0, 2, 2, 1, 0]);
        assert_eq!(confusion.counts, [1, 0, 2, 1, 1, 0, 0, 0, 0]);
        let chart = confusion.draw().unwrap();
        assert_eq!(chart.numbers.rows[0], ["a", "3", "33.3 %", "c (2)"]);
        assert_eq!(chart.numbers.rows[2], ["c", "0", "-", "-"]);
        assert!(chart.drawing.body.contains(">2</text>"));
    }
}
