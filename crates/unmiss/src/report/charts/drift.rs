//! How a model's answer moves with how much is known: mean line and quantile bands.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, draw};
use crate::report::chart::{Chart, Grid, Words};

const HEIGHT: f64 = 320.0;
/// Between two plots side by side.
const GAP: f64 = 34.0;
const BAND: Ink = Ink::Series(0);

/// One or two plots (before and after) with the same axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
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
    /// The plots from left to right.
    pub curves: Vec<DriftCurve>,
}

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftCurve {
    /// Its name, above it.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<DriftPoint>,
}

/// The answers at one amount of known cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriftPoint {
    /// How much is known.
    pub x: f64,
    /// Mean answer.
    pub mean: f64,
    /// Its 5, 25, 50, 75 and 95 % quantiles.
    pub quantiles: [f64; 5],
}

impl Drift {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let x = Axis::over(points().map(|point| point.x), &self.x, self.x_form);
        let answers = points().flat_map(|point| point.quantiles.into_iter().chain([point.mean]));
        let y = Axis::over(answers, &self.y, self.y_form);
        let keys = [Key { name: "mean, 50 % and 90 % of the answers", ink: BAND }];
        let mut whole = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        if self.curves.len() > 1 {
            whole.top += 18.0;
        }
        let drawing = draw(WIDTH, HEIGHT, |canvas| {
            whole.legend(canvas, &keys);
            self.paint(canvas, &whole);
        })?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers() })
    }

    fn paint(&self, canvas: &Canvas<'_>, whole: &Frame) {
        let plots = self.curves.len().max(1) as f64;
        let width = (whole.right - whole.left - (plots - 1.0) * GAP) / plots;
        for (index, curve) in self.curves.iter().enumerate() {
            let left = whole.left + index as f64 * (width + GAP);
            let frame = Frame { left, right: left + width, ..whole.clone() };
            self.axes(canvas, frame.clone(), index == 0);
            if self.curves.len() > 1 {
                let letters = Lettering::new(Anchor::Middle);
                canvas.name((left + width / 2.0, frame.top - 10.0), &curve.name, width, letters);
            }
            paint_curve(canvas, &frame, curve);
        }
        whole.draw_x_title(canvas);
    }

    /// Only the first plot has the labels of the upright axis; the title below is one for all.
    fn axes(&self, canvas: &Canvas<'_>, mut frame: Frame, first: bool) {
        frame.x.title.clear();
        if first {
            return frame.draw(canvas);
        }
        for (value, _) in frame.y.ticks(frame.y_ticks()) {
            canvas.path(&[frame.at(frame.x.low, value), frame.at(frame.x.high, value)], Ink::Grid, 0.7);
        }
        frame.draw_x(canvas);
    }

    fn numbers(&self) -> Grid {
        let mut grid = Grid::new(["model", self.x.as_str(), "mean", "5 %", "25 %", "50 %", "75 %", "95 %"]);
        for curve in &self.curves {
            for point in &curve.points {
                let mut cells =
                    vec![curve.name.clone(), self.x_form.write(point.x), self.y_form.write(point.mean)];
                cells.extend(point.quantiles.iter().map(|quantile| self.y_form.write(*quantile)));
                grid = grid.row(cells);
            }
        }
        grid
    }
}

fn paint_curve(canvas: &Canvas<'_>, frame: &Frame, curve: &DriftCurve) {
    for (low, high, strength) in [(0, 4, 0.14), (1, 3, 0.2)] {
        let upper = curve.points.iter().map(|point| frame.at(point.x, point.quantiles[high]));
        let lower = curve.points.iter().rev().map(|point| frame.at(point.x, point.quantiles[low]));
        canvas.polygon(&upper.chain(lower).collect::<Vec<_>>(), BAND, strength);
    }
    let mean: Vec<(f64, f64)> = curve.points.iter().map(|point| frame.at(point.x, point.mean)).collect();
    canvas.path(&mean, BAND, 2.4);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_and_after_stand_side_by_side_on_the_same_axis() {
        let curve = |name: &str, slope: f64| DriftCurve {
            name: name.into(),
            points: (1..=10)
                .map(|x| f64::from(x) / 10.0)
                .map(|x| DriftPoint {
                    x,
                    mean: slope * x,
                    quantiles: [-0.2, -0.1, 0.0, 0.1, 0.2].map(|q| slope * x + q),
                })
                .collect(),
        };
        let drift = Drift {
            words: Words::default(),
            x: "known".into(),
            x_form: Form::Percent,
            y: "prediction".into(),
            y_form: Form::Number,
            curves: vec![curve("before", 1.0), curve("after", 0.0)],
        };
        let chart = drift.draw().unwrap();
        assert_eq!(chart.drawing.body.matches("<polygon").count(), 4);
        assert_eq!(chart.numbers.rows.len(), 20);
        assert!(
            chart.drawing.body.contains(">before</text>") && chart.drawing.body.contains(">after</text>")
        );
    }
}
