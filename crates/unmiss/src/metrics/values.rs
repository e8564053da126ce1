//! How far filled values of series are from the truth.

use serde::Serialize;

use crate::data::series::Series;
use crate::missing::ValuePlace;

/// Errors of filled values, in standard deviations of each variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueError {
    /// Values that were hidden.
    pub count: usize,
    /// The mean of what they are off by.
    pub mae: f64,
    /// The root of the mean of its square.
    pub rmse: f64,
    /// By variable: the mean of what they are off by; none where none was hidden.
    pub by_variable: Vec<Option<f64>>,
}

impl ValueError {
    /// Holds filled series against the truth at the places that were hidden.
    pub fn of(truth: &Series, filled: &Series, places: &[ValuePlace], deviations: &[f64]) -> Self {
        let width = deviations.len();
        let (mut sums, mut squares) = (vec![(0_usize, 0.0); width], 0.0);
        for &(one, step, variable) in places {
            let cell = step * width + variable;
            let error = (truth.values(one)[cell] - filled.values(one)[cell]).abs() / deviations[variable];
            sums[variable].0 += 1;
            sums[variable].1 += error;
            squares += error * error;
        }
        let total: f64 = sums.iter().map(|(_, sum)| sum).sum();
        let count = places.len().max(1) as f64;
        let mean = |(count, sum): &(usize, f64)| (*count > 0).then(|| sum / *count as f64);
        Self {
            count: places.len(),
            mae: total / count,
            rmse: (squares / count).sqrt(),
            by_variable: sums.iter().map(mean).collect(),
        }
    }
}
