//! Are probabilities right? Predicted probability against the share of rows for which it came true.

use crate::error::Result;
use crate::metrics::ClassCalibration;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::figure;

const HEIGHT: f64 = 400.0;

/// Calibration of class probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// What is said about the chart.
    pub words: Words,
    /// The classes shown.
    pub classes: Vec<ClassCalibration>,
}

impl Calibration {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let axis = |title: &str| Axis {
            low: 0.0,
            high: 1.0,
            title: title.to_owned(),
            form: Form::Percent,
            whole: false,
        };
        let named = self.classes.iter().enumerate();
        let mut keys: Vec<Key<'_>> =
            named.map(|(index, class)| Key { name: &class.name, ink: Ink::Series(index) }).collect();
        if keys.len() < 2 {
            keys.clear();
        }
        let (x, y) = (axis("predicted probability"), axis("share that came true"));
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame, &keys))?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers() })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame, keys: &[Key<'_>]) {
        frame.draw(canvas);
        frame.legend(canvas, keys);
        canvas.path(&[frame.at(0.0, 0.0), frame.at(1.0, 1.0)], Ink::Soft, 1.0);
        for (index, class) in self.classes.iter().enumerate() {
            let ink = Ink::Series(index);
            for point in &class.points {
                let ends = [point.interval.0, point.interval.1].map(|end| frame.at(point.predicted, end));
                canvas.faint_path(&ends, ink, 1.3, 0.55);
            }
            let places: Vec<(f64, f64)> =
                class.points.iter().map(|point| frame.at(point.predicted, point.came_true)).collect();
            canvas.path(&places, ink, 1.6);
            places.iter().for_each(|&place| canvas.dot(place, 3.8, ink, 1.0));
        }
    }

    fn numbers(&self) -> Grid {
        let mut grid = Grid::new(["class", "predicted", "came true", "from", "to", "rows"]);
        for class in &self.classes {
            for point in &class.points {
                grid = grid.row([
                    class.name.clone(),
                    Form::Percent.write(point.predicted),
                    Form::Percent.write(point.came_true),
                    Form::Percent.write(point.interval.0),
                    Form::Percent.write(point.interval.1),
                    figure(point.rows as f64),
                ]);
            }
        }
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_probabilities_are_one_group() {
        let class = ClassCalibration::of("yes", &[0.5; 80], &[true; 80]);
        assert_eq!(class.points.len(), 1);
        Calibration { words: Words::default(), classes: vec![class] }.draw().unwrap();
    }
}
