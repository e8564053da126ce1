//! How training went: the loss step by step, on the rows learned from and on those set aside.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::figure;
use crate::run::Curve;

const HEIGHT: f64 = 300.0;
/// Steps listed in the table of numbers for each training, at most.
const LISTED: usize = 60;
const TRAINING: Ink = Ink::Series(1);
const VALIDATION: Ink = Ink::Series(0);

/// The courses of one or more trainings.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// What is said about the chart.
    pub words: Words,
    /// What is drawn upwards, such as `log-loss`.
    pub loss: String,
    /// The courses; both losses in the same unit.
    pub curves: Vec<Curve>,
}

impl Training {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let steps = self.curves.iter().map(|curve| curve.training.len().max(curve.validation.len()));
        let step = self.curves.first().map_or("step", |curve| curve.step);
        let x = Axis {
            low: 0.0,
            high: steps.max().unwrap_or(1).max(1) as f64,
            title: step.to_owned(),
            form: Form::Number,
            whole: true,
        };
        let losses = self.curves.iter().flat_map(|curve| curve.training.iter().chain(&curve.validation));
        let y = Axis::over(losses.copied().filter(|loss| *loss < f64::MAX), &self.loss, Form::Number);
        let learned = self.curves.iter().any(|curve| !curve.training.is_empty());
        let mut keys = vec![Key { name: "rows set aside", ink: VALIDATION }];
        if learned {
            keys.push(Key { name: "rows learned from", ink: TRAINING });
        }
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame, &keys))?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers(step) })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame, keys: &[Key<'_>]) {
        frame.draw(canvas);
        frame.legend(canvas, keys);
        let strength = if self.curves.len() > 1 { 0.65 } else { 1.0 };
        for curve in &self.curves {
            for (losses, ink) in [(&curve.training, TRAINING), (&curve.validation, VALIDATION)] {
                let places: Vec<(f64, f64)> = losses
                    .iter()
                    .enumerate()
                    .filter(|(_, loss)| loss.is_finite() && **loss < f64::MAX)
                    .map(|(index, loss)| frame.at((index + 1) as f64, *loss))
                    .collect();
                canvas.faint_path(&places, ink, 1.6, strength);
            }
        }
        for curve in &self.curves {
            let loss = curve.best.checked_sub(1).and_then(|index| curve.validation.get(index));
            if let Some(loss) = loss.filter(|loss| loss.is_finite()) {
                let place = frame.at(curve.best as f64, *loss);
                canvas.dot(place, 3.0, VALIDATION, 1.0);
                canvas.ring(place, 6.0, Ink::Text, 1.4);
            }
        }
    }

    fn numbers(&self, step: &str) -> Grid {
        let mut grid = Grid::new(["training", step, "rows set aside", "rows learned from", "kept"]);
        let text = |losses: &[f64], index: usize| {
            losses.get(index).filter(|loss| **loss < f64::MAX).map_or("–".to_owned(), |loss| figure(*loss))
        };
        for curve in &self.curves {
            let steps = curve.training.len().max(curve.validation.len());
            let every = steps.div_ceil(LISTED).max(1);
            let listed = |index: &usize| (index + 1).is_multiple_of(every) || index + 1 == curve.best;
            for index in (0..steps).filter(listed) {
                let kept = if index + 1 == curve.best { "kept" } else { "" };
                grid = grid.row([
                    curve.task.clone(),
                    (index + 1).to_string(),
                    text(&curve.validation, index),
                    text(&curve.training, index),
                    kept.to_owned(),
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
    fn the_best_step_is_marked_and_listed() {
        let curve = Curve {
            task: "mlp".into(),
            step: "epoch",
            training: (0..300).map(|step| 1.0 / f64::from(step + 1)).collect(),
            validation: (0..300).map(|step| if step == 5 { f64::MAX } else { 0.5 }).collect(),
            best: 7,
        };
        let chart =
            Training { words: Words::default(), loss: "loss".into(), curves: vec![curve] }.draw().unwrap();
        assert_eq!(chart.numbers.rows.iter().filter(|row| row[4] == "kept").count(), 1);
        assert!(chart.numbers.rows.len() <= 62);
        assert!(chart.drawing.body.contains("r=\"60\""), "a ring");
    }
}
