//! Named values below each other: bars from 0, or dots with intervals.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, WIDTH};
use crate::report::canvas::{Anchor, Canvas, Ink, LETTERS, Lettering, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::width;

/// Room for a row.
const ROW: f64 = 22.0;
/// Room for names, at most.
const NAMES: f64 = 190.0;
/// Letters may be so much wider than they are taken to be: fonts differ.
const WIDER: f64 = 1.12;
/// Room for the values beside the plot.
const VALUES: f64 = 74.0;

/// What a row is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// A bar from 0 to the value.
    Bars,
    /// A dot at the value, with a line over its interval.
    Dots,
    /// The same, with a line at 0: an interval that crosses it is drawn in another ink.
    Forest,
    /// The same in pairs: every second row belongs to the one above it and has an ink of its own.
    Pairs,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The interval of the value.
    pub interval: Option<(f64, f64)>,
}

/// Named values below each other, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What is said about the chart.
    pub words: Words,
    /// What the names are.
    pub names: String,
    /// What the values are: the title of the axis.
    pub values: String,
    /// How values are written.
    pub form: Form,
    /// Bars or dots.
    pub marks: Marks,
    /// The rows from top to bottom.
    pub rows: Vec<Ranked>,
}

impl Ranking {
    /// Draws the chart.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn draw(&self) -> Result<Chart> {
        let ends = |row: &Ranked| {
            let (low, high) = row.interval.unwrap_or((row.value, row.value));
            [row.value, low, high]
        };
        let mut x = Axis::over(self.rows.iter().flat_map(ends), &self.values, self.form);
        if self.marks != Marks::Dots {
            x = x.with_zero();
        }
        if self.marks == Marks::Bars && self.form == Form::Percent && x.low == 0.0 {
            x.high = 1.0;
        }
        let rows = self.rows.len().max(1) as f64;
        let y = Axis { low: 0.0, high: rows, title: String::new(), form: Form::Number, whole: true };
        let names = self.rows.iter().map(|row| width(&row.name, LETTERS)).fold(20.0, f64::max).min(NAMES);
        let height = rows * ROW + 60.0;
        let frame = Frame {
            left: WIDER * names + 14.0,
            right: WIDTH - VALUES,
            top: 10.0,
            bottom: 10.0 + rows * ROW,
            x,
            y,
        };
        let drawing = draw(WIDTH, height, |canvas| self.paint(canvas, &frame))?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers() })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame) {
        for (value, text) in frame.x.ticks(6) {
            let (x, _) = frame.at(value, 0.0);
            canvas.path(&[(x, frame.top), (x, frame.bottom)], Ink::Grid, 0.7);
            canvas.text((x, frame.bottom + 14.0), &text, Lettering::small(Anchor::Middle));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let middle = frame.top + (index as f64 + 0.5) * ROW;
            let place = |value: f64| (frame.at(value, 0.0).0, middle);
            let names = Lettering::new(Anchor::End);
            canvas.name((frame.left - 8.0, middle), &row.name, (frame.left - 12.0) / WIDER, names);
            if row.value.is_finite() {
                self.mark(canvas, (index, row), &place, &frame.x);
            }
            let value = Lettering::new(Anchor::End);
            canvas.text((WIDTH - 6.0, middle), &self.form.write(row.value), value);
        }
        let (base, _) = frame.at(0.0, 0.0);
        let base = if self.marks == Marks::Dots { frame.left } else { base };
        canvas.path(&[(base, frame.top), (base, frame.bottom)], Ink::Soft, 0.8);
        frame.draw_x_title(canvas);
    }

    fn mark(
        &self,
        canvas: &Canvas<'_>,
        (index, row): (usize, &Ranked),
        place: &dyn Fn(f64) -> (f64, f64),
        axis: &Axis,
    ) {
        let (x, y) = place(row.value);
        let ink = if row.value < 0.0 && axis.low < 0.0 { Ink::Series(1) } else { Ink::Series(0) };
        match self.marks {
            Marks::Bars => {
                let zero = place(0.0).0;
                canvas.rectangle((zero.min(x), y - 6.5), (zero.max(x), y + 6.5), ink, 1.0);
            }
            Marks::Dots | Marks::Forest | Marks::Pairs => {
                let crosses = |(low, high): (f64, f64)| low <= 0.0 && high >= 0.0;
                let ink = match self.marks {
                    Marks::Forest if row.interval.is_none_or(crosses) => Ink::Soft,
                    Marks::Pairs => Ink::Series(index % 2),
                    _ => Ink::Series(0),
                };
                if let Some((low, high)) =
                    row.interval.filter(|(low, high)| low.is_finite() && high.is_finite())
                {
                    canvas.path(&[place(low), place(high)], ink, 1.6);
                    for end in [low, high] {
                        let (x, y) = place(end);
                        canvas.path(&[(x, y - 4.0), (x, y + 4.0)], ink, 1.6);
                    }
                }
                canvas.dot((x, y), 4.5, ink, 1.0);
            }
        }
    }

    fn numbers(&self) -> Grid {
        let intervals = self.rows.iter().any(|row| row.interval.is_some());
        let mut head = vec![self.names.clone(), self.values.clone()];
        if intervals {
            head.extend(["from".to_owned(), "to".to_owned()]);
        }
        let mut grid = Grid::new(head);
        for row in &self.rows {
            let mut cells = vec![row.name.clone(), self.form.write(row.value)];
            if intervals {
                let (low, high) = row.interval.unwrap_or((f64::NAN, f64::NAN));
                cells.extend([self.form.write(low), self.form.write(high)]);
            }
            grid = grid.row(cells);
        }
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(marks: Marks, values: &[f64]) -> Chart {
        let row = |(index, value): (usize, &f64)| Ranked {
            name: format!("row {index}"),
            value: *value,
            interval: Some((value - 0.1, value + 0.1)),
        };
        let rows = values.iter().enumerate().map(row).collect();
        let words = Words::new("t", "s", "m");
        Ranking { words, names: "n".into(), values: "v".into(), form: Form::Number, marks, rows }
            .draw()
            .unwrap()
    }

    #[test]
    fn negative_bars_have_an_ink_of_their_own() {
        let body = ranking(Marks::Bars, &[0.5, -0.5]).drawing.body;
        assert!(body.contains("fill:var(--series-1)") && body.contains("fill:var(--series-2)"), "{body}");
    }

    #[test]
    fn odd_values_are_drawn_too() {
        ranking(Marks::Dots, &[]);
        ranking(Marks::Bars, &[0.0]);
        let chart = ranking(Marks::Dots, &[1.0, f64::NAN]);
        assert_eq!(chart.numbers.rows[0], ["row 0", "1", "0.9000", "1.100"]);
        assert_eq!(chart.numbers.rows[1], ["row 1", "–", "–", "–"]);
        assert!(!chart.drawing.body.contains("NaN"));
    }
}
