//! Are probabilities right? Predicted probability against the share of rows for which it came true.

use crate::error::Result;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};
use crate::report::text::figure;

const HEIGHT: f64 = 400.0;
/// Groups of rows of one class.
const GROUPS: usize = 10;
/// Rows of a group, at least.
const FEWEST_ROWS: usize = 15;

/// Calibration of class probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// What is said about the chart.
    pub words: Words,
    /// The classes shown.
    pub classes: Vec<ClassCalibration>,
}

/// Calibration of one class against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassCalibration {
    /// The class.
    pub name: String,
    /// Groups of rows of similar probability, ascending.
    pub points: Vec<CalibrationPoint>,
}

/// A group of rows of similar probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationPoint {
    /// Mean predicted probability.
    pub predicted: f64,
    /// Share of the rows that are of the class.
    pub came_true: f64,
    /// 95 % interval of that share (Wilson).
    pub interval: (f64, f64),
    /// Rows.
    pub rows: usize,
}

impl ClassCalibration {
    /// Groups rows by their probability of a class, in groups of similar size; rows of equal probability stay
    /// together.
    pub fn of(name: impl Into<String>, probabilities: &[f64], is_class: &[bool]) -> Self {
        let mut rows: Vec<(f64, bool)> =
            probabilities.iter().copied().zip(is_class.iter().copied()).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = rows.len().div_ceil(GROUPS).max(FEWEST_ROWS);
        let mut points = Vec::new();
        let mut start = 0;
        while start < rows.len() {
            let mut end = (start + size).min(rows.len());
            while end < rows.len() && rows[end].0 == rows[end - 1].0 {
                end += 1;
            }
            if rows.len() - end < size / 2 {
                end = rows.len();
            }
            points.push(CalibrationPoint::of(&rows[start..end]));
            start = end;
        }
        Self { name: name.into(), points }
    }
}

impl CalibrationPoint {
    fn of(rows: &[(f64, bool)]) -> Self {
        let count = rows.len() as f64;
        let share = rows.iter().filter(|row| row.1).count() as f64 / count;
        // Wilson's interval: the shares p0 for which |p - p0| <= z sqrt(p0 (1 - p0) / n).
        let z2 = 1.96_f64.powi(2) / count;
        let centre = (share + z2 / 2.0) / (1.0 + z2);
        let half = (z2 * (share * (1.0 - share) + z2 / 4.0)).sqrt() / (1.0 + z2);
        Self {
            predicted: rows.iter().map(|row| row.0).sum::<f64>() / count,
            came_true: share,
            interval: ((centre - half).max(0.0), (centre + half).min(1.0)),
            rows: rows.len(),
        }
    }
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
    fn groups_hold_all_rows_and_the_interval_is_wilsons() {
        let probabilities: Vec<f64> = (0..100).map(|row| f64::from(row) / 100.0).collect();
        let truth: Vec<bool> = (0..100).map(|row| row >= 50).collect();
        let class = ClassCalibration::of("yes", &probabilities, &truth);
        assert_eq!(class.points.iter().map(|point| point.rows).sum::<usize>(), 100);
        assert!(class.points.windows(2).all(|pair| pair[0].predicted < pair[1].predicted));
        // 5 of 10 at the 95 % level: 0.2366 to 0.7634.
        let rows: Vec<(f64, bool)> = (0..10).map(|row| (0.5, row < 5)).collect();
        let (low, high) = CalibrationPoint::of(&rows).interval;
        assert!((low - 0.2366).abs() < 1e-4 && (high - 0.7634).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn equal_probabilities_are_one_group() {
        let class = ClassCalibration::of("yes", &[0.5; 80], &[true; 80]);
        assert_eq!(class.points.len(), 1);
        Calibration { words: Words::default(), classes: vec![class] }.draw().unwrap();
    }
}
