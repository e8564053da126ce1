//! Predicted against true values of held-out rows.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::figure;

const HEIGHT: f64 = 420.0;
/// Rows shown at most.
const MOST_POINTS: usize = 1000;

/// Predicted against true values.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// What is said about the chart.
    pub words: Words,
    /// What is predicted.
    pub target: String,
    /// (true, predicted) of each row; many are thinned evenly.
    pub points: Vec<(f64, f64)>,
}

impl Truth {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let all = self.points.len();
        let shown: Vec<(f64, f64)> =
            (0..all.min(MOST_POINTS)).map(|index| self.points[index * all / all.min(MOST_POINTS)]).collect();
        let both = || shown.iter().flat_map(|&(truth, predicted)| [truth, predicted]);
        // The same range on both axes: the diagonal is where predictions are right.
        let x = Axis::over(both(), &format!("true {}", self.target), Form::Number);
        let y = Axis::over(both(), &format!("predicted {}", self.target), Form::Number);
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &[]);
        let drawing = draw(WIDTH, HEIGHT, |canvas| paint(canvas, &frame, &shown))?;
        let mut numbers = Grid::new([frame.x.title, frame.y.title]);
        for (truth, predicted) in &shown {
            numbers = numbers.row([figure(*truth), figure(*predicted)]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }
}

fn paint(canvas: &Canvas<'_>, frame: &Frame, points: &[(f64, f64)]) {
    frame.draw(canvas);
    let ends = [frame.x.low, frame.x.high].map(|end| frame.at(end, end));
    canvas.path(&ends, Ink::Soft, 1.0);
    let (radius, strength) = if points.len() > 300 { (2.4, 0.45) } else { (3.2, 0.6) };
    for &(truth, predicted) in points {
        canvas.dot(frame.at(truth, predicted), radius, Ink::Series(0), strength);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_thinned() {
        let points: Vec<(f64, f64)> = (0..5000).map(|row| (f64::from(row), f64::from(row) + 1.0)).collect();
        let chart = Truth { words: Words::default(), target: "days".into(), points }.draw().unwrap();
        assert_eq!(chart.drawing.body.matches("<circle").count(), 1000);
        assert_eq!(chart.numbers.rows[1], ["5", "6"]);
        Truth { words: Words::default(), target: "days".into(), points: vec![] }.draw().unwrap();
    }
}
