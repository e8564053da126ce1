//! A few single rows: every answer a dot, their mean a line.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};

const HEIGHT: f64 = 330.0;
/// Dots of a row, at most.
const MOST_DOTS: usize = 240;

/// Single rows on the same axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Singles {
    /// What is said about the chart.
    pub words: Words,
    /// Title of the lying axis.
    pub x: String,
    /// How its values are written.
    pub x_form: Form,
    /// Title of the upright axis.
    pub y: String,
    /// How its values are written.
    pub y_form: Form,
    /// The rows.
    pub rows: Vec<SingleRow>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleRow {
    /// Its name in the legend.
    pub name: String,
    /// (x, y) of its answers; many are thinned evenly.
    pub answers: Vec<(f64, f64)>,
    /// (x, y) of their means, from left to right.
    pub means: Vec<(f64, f64)>,
}

impl Singles {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let places = || self.rows.iter().flat_map(|row| row.answers.iter().chain(&row.means));
        let x = Axis::over(places().map(|place| place.0), &self.x, self.x_form);
        let y = Axis::over(places().map(|place| place.1), &self.y, self.y_form);
        let named = self.rows.iter().enumerate();
        let keys: Vec<Key<'_>> =
            named.map(|(index, row)| Key { name: &row.name, ink: Ink::Series(index) }).collect();
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame, &keys))?;
        let mut numbers = Grid::new(["row", self.x.as_str(), "mean answer"]);
        for row in &self.rows {
            for &(x, y) in &row.means {
                numbers = numbers.row([row.name.clone(), self.x_form.write(x), self.y_form.write(y)]);
            }
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame, keys: &[Key<'_>]) {
        frame.draw(canvas);
        frame.legend(canvas, keys);
        for (index, row) in self.rows.iter().enumerate() {
            let every = row.answers.len().div_ceil(MOST_DOTS).max(1);
            for &(x, y) in row.answers.iter().step_by(every) {
                canvas.dot(frame.at(x, y), 1.8, Ink::Series(index), 0.35);
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            let means: Vec<(f64, f64)> = row.means.iter().map(|&(x, y)| frame.at(x, y)).collect();
            canvas.path(&means, Ink::Series(index), 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_thinned_and_means_are_not() {
        let row = SingleRow {
            name: "row 7".into(),
            answers: (0..1000).map(|index| (f64::from(index % 20), f64::from(index))).collect(),
            means: (0..20).map(|x| (f64::from(x), 500.0)).collect(),
        };
        let singles = Singles {
            words: Words::default(),
            x: "known".into(),
            x_form: Form::Number,
            y: "answer".into(),
            y_form: Form::Number,
            rows: vec![row],
        };
        let chart = singles.draw().unwrap();
        assert_eq!(chart.drawing.body.matches("<circle").count(), 200);
        assert_eq!(chart.numbers.rows.len(), 20);
    }
}
