//! Upright bars: a histogram, or amounts by name.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, WIDTH};
use crate::report::canvas::{Anchor, Canvas, Ink, Lettering, SMALL, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::{figure, width};

const HEIGHT: f64 = 270.0;

/// Bars side by side, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What is said about the chart.
    pub words: Words,
    /// What the names are: the title of the lying axis.
    pub names: String,
    /// What the heights are: the title of the upright axis.
    pub values: String,
    /// Name and height of each bar.
    pub bars: Vec<(String, f64)>,
}

impl Bars {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let count = self.bars.len().max(1) as f64;
        let x = Axis { low: 0.0, high: count, title: self.names.clone(), form: Form::Number, whole: true };
        let heights = self.bars.iter().map(|bar| bar.1);
        let mut y = Axis::over(heights, &self.values, Form::Number).with_zero();
        y.whole = self.bars.iter().all(|bar| bar.1 == bar.1.trunc());
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &[]);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame))?;
        let mut numbers = Grid::new([&self.names, &self.values]);
        for (name, value) in &self.bars {
            numbers = numbers.row([name.clone(), figure(*value)]);
        }
        Ok(Chart { words: self.words.clone(), drawing, numbers })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame) {
        frame.draw_y(canvas);
        let room = (frame.right - frame.left) / self.bars.len().max(1) as f64;
        let gap = (room * 0.08).min(3.0);
        for (index, (_, value)) in self.bars.iter().enumerate() {
            let (left, top) = frame.at(index as f64, *value);
            let (right, bottom) = frame.at(index as f64 + 1.0, 0.0);
            canvas.rectangle((left + gap, top), (right - gap, bottom), Ink::Series(0), 1.0);
        }
        // Only as many names as stand side by side.
        let widest = self.bars.iter().map(|bar| width(&bar.0, SMALL)).fold(1.0, f64::max).min(90.0);
        let every = ((widest + 8.0) / room).ceil().max(1.0) as usize;
        for (index, (name, _)) in self.bars.iter().enumerate().step_by(every) {
            let (x, y) = frame.at(index as f64 + 0.5, frame.y.low);
            canvas.name((x, y + 14.0), name, room * every as f64 - 4.0, Lettering::small(Anchor::Middle));
        }
        canvas.path(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], Ink::Soft, 0.8);
        frame.draw_x_title(canvas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taller_bars_are_taller() {
        let bars = vec![("a".to_owned(), 10.0), ("b".to_owned(), 5.0), ("c".to_owned(), 0.0)];
        let words = Words::new("t", "s", "m");
        let chart = Bars { words, names: "name".into(), values: "rows".into(), bars }.draw().unwrap();
        let path = chart.drawing.body.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        let heights: Vec<f64> =
            path.split('v').skip(1).map(|rest| rest.split('h').next().unwrap().parse().unwrap()).collect();
        assert_eq!(heights.len(), 3);
        assert!((heights[0] - 2.0 * heights[1]).abs() <= 1.0 && heights[2] == 0.0, "{heights:?}");
        assert_eq!(chart.numbers.rows[1], ["b", "5"]);
    }

    #[test]
    fn no_bars_are_no_fault() {
        Bars { words: Words::default(), names: String::new(), values: String::new(), bars: Vec::new() }
            .draw()
            .unwrap();
    }
}
