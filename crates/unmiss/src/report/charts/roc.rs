//! The ROC curve: how many of a class are found against how many others are taken for it, from the highest chance down.

use crate::error::Result;
use crate::metrics::Ranked;
use crate::report::axes::{Axis, Form, Frame, Key, WIDTH};
use crate::report::canvas::{Canvas, Ink, draw};
use crate::report::chart::{Chart, Grid, Words};

const HEIGHT: f64 = 400.0;
/// Points of a line, at most.
const MOST_POINTS: usize = 200;

/// ROC curves of some classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Roc {
    /// What is said about the chart.
    pub words: Words,
    /// The classes shown.
    pub curves: Vec<RocCurve>,
}

/// The curve of one class against all others.
#[derive(Debug, Clone, PartialEq)]
pub struct RocCurve {
    /// The class.
    pub name: String,
    /// (1 - specificity, sensitivity), from the highest chance down.
    pub points: Vec<(f64, f64)>,
    /// Where the class is said in fact, if that is one place.
    pub at: Option<(f64, f64)>,
}

impl RocCurve {
    /// The curve of chances of a class; `at` is the chance from which on it is said.
    pub fn of(name: impl Into<String>, chances: &[f64], is_class: &[bool], at: Option<f64>) -> Self {
        let ranked = Ranked::new(chances);
        let all = is_class.iter().filter(|own| **own).count() as f64;
        let others = is_class.len() as f64 - all;
        let (mut points, mut up, mut down, mut place) = (vec![(0.0, 0.0)], 0.0, 0.0, at.map(|_| (0.0, 0.0)));
        for (step, row) in ranked.steps(|row| is_class[row], |_| 1.0).zip(ranked.rows_of_steps()) {
            (up, down) = (up + step.0, down + step.1);
            let point = (down / others.max(1.0), up / all.max(1.0));
            points.push(point);
            if at.is_some_and(|at| chances[row] >= at) {
                place = Some(point);
            }
        }
        Self { name: name.into(), points: thinned(points), at: place }
    }
}

/// Corners of a line that are left if it is drawn with fewer of them.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let all = points.len();
    if all <= MOST_POINTS {
        return points;
    }
    (0..MOST_POINTS).map(|index| points[index * (all - 1) / (MOST_POINTS - 1)]).collect()
}

impl Roc {
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
        let named = self.curves.iter().enumerate();
        let mut keys: Vec<Key<'_>> =
            named.map(|(index, curve)| Key { name: &curve.name, ink: Ink::Series(index) }).collect();
        if keys.len() < 2 {
            keys.clear();
        }
        let (x, y) = (axis("others taken for it (1 - specificity)"), axis("found (sensitivity)"));
        let frame = Frame::new((WIDTH, HEIGHT), x, y, &keys);
        let drawing = draw(WIDTH, HEIGHT, |canvas| self.paint(canvas, &frame, &keys))?;
        Ok(Chart { words: self.words.clone(), drawing, numbers: self.numbers() })
    }

    fn paint(&self, canvas: &Canvas<'_>, frame: &Frame, keys: &[Key<'_>]) {
        frame.draw(canvas);
        frame.legend(canvas, keys);
        canvas.path(&[frame.at(0.0, 0.0), frame.at(1.0, 1.0)], Ink::Soft, 1.0);
        for (index, curve) in self.curves.iter().enumerate() {
            let places: Vec<(f64, f64)> = curve.points.iter().map(|&(x, y)| frame.at(x, y)).collect();
            canvas.path(&places, Ink::Series(index), 1.8);
            if let Some((x, y)) = curve.at {
                canvas.dot(frame.at(x, y), 4.5, Ink::Series(index), 1.0);
            }
        }
    }

    fn numbers(&self) -> Grid {
        let mut grid = Grid::new(["class", "1 - specificity", "sensitivity"]);
        for curve in &self.curves {
            for (x, y) in &curve.points {
                grid = grid.row([curve.name.clone(), Form::Percent.write(*x), Form::Percent.write(*y)]);
            }
        }
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_from_corner_to_corner_and_marks_what_is_said() {
        let truth = [true, false, true, false];
        let curve = RocCurve::of("yes", &[0.9, 0.8, 0.4, 0.1], &truth, Some(0.5));
        assert_eq!(curve.points, [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]);
        assert_eq!(curve.at, Some((0.5, 0.5)));
        let many = RocCurve::of("yes", &(0..999).map(f64::from).collect::<Vec<_>>(), &[true; 999], None);
        assert_eq!((many.points.len(), many.points.last()), (MOST_POINTS, Some(&(0.0, 1.0))));
        let words = Words::default();
        assert!(Roc { words, curves: vec![curve, many] }.draw().unwrap().drawing.body.contains("<circle"));
    }
}
