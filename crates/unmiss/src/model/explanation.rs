//! What a model goes by, as figures: kept in its file, so that they can be read without the rows they come from.

use serde::{Deserialize, Serialize};

use crate::encode::Rows;

/// Values of a number column that are kept to draw from.
const MOST_QUANTILES: usize = 32;

/// What a model goes by: which columns, what their holes do, and how the answer follows the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// What to know, in sentences.
    pub summary: Vec<String>,
    /// What to be careful about, in sentences.
    pub warnings: Vec<String>,
    /// The target.
    pub target: String,
    /// The classes whose chances are told, of two the second; empty for a number.
    pub classes: Vec<String>,
    /// Rows that were asked about.
    pub rows: usize,
    /// Whether each row was answered for by models that did not learn from it.
    pub held_out: bool,
    /// Mean loss of those rows as they are; none where their target is not known. For numbers the squared error in
    /// variances of the target (1 - loss is R2), for classes the log-loss.
    pub loss: Option<f64>,
    /// Every column, the most important first.
    pub columns: Vec<ColumnImportance>,
    /// How the mean answer follows the most important columns.
    pub curves: Vec<Dependence>,
}

impl Explanation {
    /// Whether every answer is told for every class, so that whoever shows it can rely on that.
    pub(super) fn is_sound(&self) -> bool {
        let width = self.classes.len().max(1);
        let columns = self.columns.iter().filter_map(|column| column.hidden.as_ref());
        let points = self.curves.iter().flat_map(|curve| curve.points.iter().map(|point| &point.answer));
        let answers = columns.map(|hidden| &hidden.answer).chain(points);
        let mut answers = answers.chain(self.curves.iter().map(|curve| &curve.missing));
        answers.all(|answer| answer.len() == width)
            && self.curves.iter().all(|curve| !curve.points.is_empty())
    }
}

/// What a column does for the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnImportance {
    /// The column.
    pub column: String,
    /// By how much the loss rises when the column's cells, holes too, change places between rows.
    pub importance: Option<Estimate>,
    /// Times that cells changed places.
    pub repeats: usize,
    /// By how much answers change then, whatever the truth: in standard deviations of the target, or in chance.
    pub moves: Estimate,
    /// The part of the importance that is lost through the holes alone, 0 to 1: the rest is lost already when known
    /// values change places among themselves. None for a column without holes, or without importance.
    pub from_holes: Option<f64>,
    /// What happens when a known cell of the column is hidden; none where none is known.
    pub hidden: Option<Hidden>,
    /// Share of the training rows in which it was missing.
    pub missing_in_training: f64,
}

/// What hiding known cells of a column does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hidden {
    /// Rows in which it is known.
    pub rows: usize,
    /// Mean change of the answer, for each of [`Explanation::classes`], or of the number in its own unit.
    pub answer: Vec<Estimate>,
    /// Mean change of the loss.
    pub loss: Option<Estimate>,
}

/// A mean with its standard error over rows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    /// The weighted mean of values, and its standard error.
    pub fn of(values: &[f64], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Self::default();
        }
        let mean = values.iter().zip(weights).map(|(value, weight)| weight * value).sum::<f64>() / total;
        let squares: f64 =
            values.iter().zip(weights).map(|(value, weight)| (weight * (value - mean)).powi(2)).sum();
        let count = values.len() as f64;
        // n / (n - 1): the mean was estimated from the same values.
        let correction = if count > 1.0 { (count / (count - 1.0)).sqrt() } else { 1.0 };
        Self { mean, error: correction * squares.sqrt() / total }
    }

    /// The interval that holds the mean in about 19 of 20 cases.
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - 1.96 * self.error, self.mean + 1.96 * self.error)
    }

    /// Whether it is above 0 by more than chance explains.
    pub fn is_above_noise(&self) -> bool {
        self.mean > 2.0 * self.error && self.mean > 0.0
    }
}

/// How the mean answer follows a column (partial dependence): every row is given the same value, the rest stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dependence {
    /// The column.
    pub column: String,
    /// Rows whose answers are averaged.
    pub rows: usize,
    /// Values in ascending order, or levels by how frequent they are.
    pub points: Vec<DependencePoint>,
    /// The mean answers where the column is missing in every row.
    pub missing: Vec<Estimate>,
}

/// One value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependencePoint {
    /// The value.
    pub value: Place,
    /// The mean answer, for each of [`Explanation::classes`], or the number. The error is that of the point against
    /// the mean of all points: rows differ, but each is compared with itself.
    pub answer: Vec<Estimate>,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// Of a number column.
    Number(f64),
    /// Of a category.
    Level(String),
}

/// What single columns held in training, one by one: contributions are told against draws from it. No row can be put
/// together from it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Background {
    /// For each number column values in model units, each standing for as many rows as the others.
    pub quantiles: Vec<Vec<f32>>,
}

impl Background {
    /// The columns of rows; `None` where the rows have no columns.
    pub(super) fn of(rows: &Rows) -> Option<Self> {
        let rows = rows.table().ok()?;
        let (width, _) = rows.widths();
        let column = |place: usize| {
            let cells = (0..rows.rows).map(|row| row * width + place);
            let mut known: Vec<f32> =
                cells.filter(|&cell| rows.numbers_observed[cell]).map(|cell| rows.numbers[cell]).collect();
            known.sort_unstable_by(f32::total_cmp);
            let count = known.len().min(MOST_QUANTILES);
            (0..count).map(|index| known[(2 * index + 1) * known.len() / (2 * count)]).collect()
        };
        Some(Self { quantiles: (0..width).map(column).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoded;

    #[test]
    fn an_estimate_is_the_mean_with_its_error() {
        let found = Estimate::of(&[1.0, 2.0, 3.0, 4.0], &[1.0; 4]);
        assert_eq!(found.mean, 2.5);
        // The standard deviation 1.29099 over the root of 4.
        assert!((found.error - 1.290_994_4 / 2.0).abs() < 1e-6, "{found:?}");
        let doubled = Estimate::of(&[1.0, 2.0], &[3.0, 1.0]);
        assert_eq!(doubled.mean, 1.25);
        assert!(Estimate::of(&[1.0, 1.1, 0.9], &[1.0; 3]).is_above_noise());
        assert!(!Estimate::of(&[1.0, -1.1, 0.9], &[1.0; 3]).is_above_noise());
    }

    #[test]
    fn an_explanation_with_gaps_is_not_sound() {
        let answer = vec![Estimate::default()];
        let point = DependencePoint { value: Place::Number(1.0), answer: answer.clone() };
        let curve = Dependence { column: "a".into(), rows: 2, points: vec![point], missing: answer };
        let mut found = Explanation {
            summary: Vec::new(),
            warnings: Vec::new(),
            target: "y".into(),
            classes: Vec::new(),
            rows: 2,
            held_out: true,
            loss: None,
            columns: Vec::new(),
            curves: vec![curve],
        };
        assert!(found.is_sound());
        found.classes = vec!["x".into(), "y".into()];
        assert!(!found.is_sound());
        found.classes.clear();
        found.curves[0].points.clear();
        assert!(!found.is_sound());
    }

    #[test]
    fn a_background_keeps_quantiles_of_what_is_known() {
        let rows = Encoded {
            rows: 100,
            numbers: (0..100).map(|row| row as f32).collect(),
            numbers_observed: (0..100).map(|row| row < 80).collect(),
            ..Encoded::default()
        };
        let Background { quantiles } = Background::of(&rows.into()).unwrap();
        assert_eq!(quantiles[0].len(), MOST_QUANTILES);
        let mean = quantiles[0].iter().sum::<f32>() / MOST_QUANTILES as f32;
        assert!((mean - 39.5).abs() < 1.0, "{mean}");
        assert!(quantiles[0].iter().all(|value| *value < 80.0));
    }
}
