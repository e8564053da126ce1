//! Lines with interval bands: a mean or shares along a number.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::figure;

const HEIGHT: f64 = 300.0;

/// Lines over the same axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// What is said about the chart.
    pub words: Words,
    /// Title of the lying axis.
    pub x: String,
    /// Title of the upright axis.
    pub y: String,
    /// How values on the upright axis are written.
    pub form: Form,
    /// Whether the lying axis has whole numbers only.
    pub whole: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<LinePoint>,
    /// A value to compare with, drawn across the chart.
    pub reference: Option<f64>,
}

/// One point.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePoint {
    /// Where it stands.
    pub x: f64,
    /// What its place is called in the table of numbers.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The interval of the value.
    pub interval: (f64, f64),
    /// Rows it was made from.
    pub rows: usize,
}

impl Lines {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Axis::over(points().map(|point| point.x), &self.x, Form::Number);
        let x = if self.whole { x.whole() } else { x };
        let ends = points().flat_map(|point| [point.value, point.interval.0, point.interval.1]);
        let references = self.lines.iter().filter_map(|line| line.reference);
        let mut y = Axis::over(ends.chain(references), &self.y, self.form);
        if self.form == Form::Percent {
            y.low = y.low.max(0.0);
        }
        let keys = self.keys();
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame, &keys))?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers() })
    }

    /// A single line needs no legend.
    fn keys(&self) -> Vec<Key<'_>> {
        let named = self.lines.iter().enumerate();
        let keys = named.map(|(index, line)| Key { name: &line.name, ink: Ink::Series(index) });
        if self.lines.len() < 2 { Vec::new() } else { keys.collect() }
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame, keys: &[Key<'_>]) {
        frame.draw(canvas);
        frame.legend(canvas, keys);
        for (index, line) in self.lines.iter().enumerate() {
            if let Some(reference) = line.reference {
                let ends = [frame.at(frame.x.low, reference), frame.at(frame.x.high, reference)];
                canvas.faint_path(&ends, Ink::Series(index), 1.0, 0.6);
            }
            let upper = line.points.iter().map(|point| frame.at(point.x, point.interval.1));
            let lower = line.points.iter().rev().map(|point| frame.at(point.x, point.interval.0));
            let band: Vec<(f64, f64)> = upper.chain(lower).collect();
            if line.points.len() > 1 {
                canvas.polygon(&band, Ink::Series(index), 0.18);
            } else {
                canvas.path(&band, Ink::Series(index), 1.4);
            }
        }
        for (index, line) in self.lines.iter().enumerate() {
            let places: Vec<(f64, f64)> =
                line.points.iter().map(|point| frame.at(point.x, point.value)).collect();
            canvas.path(&places, Ink::Series(index), 2.0);
            places.iter().for_each(|&place| canvas.dot(place, 3.4, Ink::Series(index), 1.0));
        }
    }

    fn numbers(&self) -> Grid {
        let mut grid = Grid::new([self.x.as_str(), "line", self.y.as_str(), "from", "to", "rows"]);
        for line in &self.lines {
            for point in &line.points {
                grid = grid.row([
                    point.name.clone(),
                    line.name.clone(),
                    self.form.write(point.value),
                    self.form.write(point.interval.0),
                    self.form.write(point.interval.1),
                    figure(point.rows as f64),
                ]);
            }
        }
        grid
    }
}
