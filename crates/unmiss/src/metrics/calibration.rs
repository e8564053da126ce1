//! Are probabilities right? Groups of rows of similar probability, and the share of each for which it came true.

use serde::Serialize;

/// Groups of rows of one class.
const GROUPS: usize = 10;
/// Rows of a group, at least.
const FEWEST_ROWS: usize = 15;

/// Calibration of one class against all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassCalibration {
    /// The class.
    pub name: String,
    /// Groups of rows of similar probability, ascending.
    pub points: Vec<CalibrationPoint>,
}

/// A group of rows of similar probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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
        let held = rows.iter().filter(|row| row.1).count();
        let (came_true, interval) = share_of(held, rows.len());
        let predicted = rows.iter().map(|row| row.0).sum::<f64>() / rows.len() as f64;
        Self { predicted, came_true, interval, rows: rows.len() }
    }
}

/// A share with its 95 % interval (Wilson): the shares p0 for which |p - p0| <= z sqrt(p0 (1 - p0) / n).
pub fn share_of(held: usize, all: usize) -> (f64, (f64, f64)) {
    let (share, z2) = (held as f64 / all as f64, 1.96_f64.powi(2) / all as f64);
    let centre = (share + z2 / 2.0) / (1.0 + z2);
    let half = (z2 * (share * (1.0 - share) + z2 / 4.0)).sqrt() / (1.0 + z2);
    (share, ((centre - half).max(0.0), (centre + half).min(1.0)))
}

/// Truth as a line of what was predicted; 0 and 1 where predictions are right on average and neither too bold nor too
/// modest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationLine {
    /// Above 0: too low on average.
    pub intercept: f64,
    /// Below 1: too bold; above 1: too modest.
    pub slope: f64,
}

impl CalibrationLine {
    /// Of numbers: least squares. `None` where predictions do not differ.
    pub fn of_numbers(predicted: &[f64], truth: &[f64]) -> Option<Self> {
        let count = predicted.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
        let (x, y) = (mean(predicted), mean(truth));
        let pairs = || predicted.iter().zip(truth);
        let spread: f64 = pairs().map(|(own, _)| (own - x).powi(2)).sum();
        let together: f64 = pairs().map(|(own, truth)| (own - x) * (truth - y)).sum();
        let slope = together / spread;
        slope.is_finite().then_some(Self { intercept: y - slope * x, slope })
    }

    /// Of the chances of an event: log odds of what came true as a line of those predicted (Cox 1958), by Newton's
    /// steps. `None` where there is no such line, as when chances tell the classes apart without a mistake.
    pub fn of_chances(chances: &[f64], came_true: &[bool]) -> Option<Self> {
        let odds: Vec<f64> = chances
            .iter()
            .map(|p| {
                let p = p.clamp(1e-6, 1.0 - 1e-6);
                (p / (1.0 - p)).ln()
            })
            .collect();
        let (mut intercept, mut slope) = (0.0, 1.0);
        for _ in 0..50 {
            let (mut first, mut second) = ([0.0; 2], [0.0; 3]);
            for (x, truth) in odds.iter().zip(came_true) {
                let p = 1.0 / (1.0 + (-(intercept + slope * x)).exp());
                let (error, weight) = (f64::from(u8::from(*truth)) - p, p * (1.0 - p));
                first = [first[0] + error, first[1] + error * x];
                second = [second[0] + weight, second[1] + weight * x, second[2] + weight * x * x];
            }
            let whole = second[0] * second[2] - second[1] * second[1];
            let step = [
                (second[2] * first[0] - second[1] * first[1]) / whole,
                (second[0] * first[1] - second[1] * first[0]) / whole,
            ];
            if !step.iter().all(|own| own.is_finite()) || slope.abs() > 100.0 {
                return None;
            }
            (intercept, slope) = (intercept + step[0], slope + step[1]);
            if step.iter().all(|own| own.abs() < 1e-9) {
                return Some(Self { intercept, slope });
            }
        }
        None
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
    fn lines_say_who_is_too_bold_or_too_low() {
        let numbers = CalibrationLine::of_numbers(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0]).unwrap();
        assert!((numbers.slope - 2.0).abs() < 1e-12 && (numbers.intercept - 1.0).abs() < 1e-12);
        // 3 of 4 where 90 % were told, 1 of 4 where 10 % were: log odds of half their size.
        let chances = [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1];
        let truth = [true, true, true, false, true, false, false, false];
        let found = CalibrationLine::of_chances(&chances, &truth).unwrap();
        assert!((found.slope - 0.5).abs() < 1e-6 && found.intercept.abs() < 1e-6, "{found:?}");
        assert_eq!(CalibrationLine::of_chances(&[0.9, 0.1], &[true, false]), None);
    }
}
