//! Series as rows of a table: a few numbers for each variable.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{Column, Kind, Table};
use crate::encode::{SeriesCoder, SeriesRows};
use crate::error::Result;

/// A number that says something about the known values of a variable of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// How many are known; 0 where none is.
    Count,
    /// Their mean.
    Mean,
    /// Their standard deviation.
    Deviation,
    /// The mean of the changes from one to the next.
    Change,
    /// The standard deviation of these changes.
    ChangeDeviation,
    /// The first.
    First,
    /// The last.
    Last,
    /// The lowest.
    Low,
    /// The highest.
    High,
    /// The slope of a line through them, by time.
    Trend,
    /// How long before the last step of the series the last of them was known.
    Since,
}

impl Statistic {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Count,
        Self::Mean,
        Self::Deviation,
        Self::Change,
        Self::ChangeDeviation,
        Self::First,
        Self::Last,
        Self::Low,
        Self::High,
        Self::Trend,
        Self::Since,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Mean => "mean",
            Self::Deviation => "deviation",
            Self::Change => "change",
            Self::ChangeDeviation => "deviation of changes",
            Self::First => "first",
            Self::Last => "last",
            Self::Low => "low",
            Self::High => "high",
            Self::Trend => "trend",
            Self::Since => "since",
        }
    }

    /// The number for known (time, value) in the order of time, in a series that ends at a time; NaN where there is
    /// none.
    pub fn of(self, known: &[(f64, f64)], end: f64) -> f64 {
        let values = || known.iter().map(|(_, value)| *value);
        let changes = || known.windows(2).map(|pair| pair[1].1 - pair[0].1);
        match self {
            Self::Count => known.len() as f64,
            Self::Mean => moments(values()).0,
            Self::Deviation => moments(values()).1,
            Self::Change => moments(changes()).0,
            Self::ChangeDeviation => moments(changes()).1,
            Self::First => known.first().map_or(f64::NAN, |(_, value)| *value),
            Self::Last => known.last().map_or(f64::NAN, |(_, value)| *value),
            Self::Low => values().fold(f64::NAN, f64::min),
            Self::High => values().fold(f64::NAN, f64::max),
            Self::Trend => trend(known),
            Self::Since => known.last().map_or(f64::NAN, |(time, _)| end - time),
        }
    }
}

/// Mean and standard deviation; NaN of nothing.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

/// The slope of the line that errs least; NaN of fewer than two values.
fn trend(known: &[(f64, f64)]) -> f64 {
    let ((time, _), (value, _)) =
        (moments(known.iter().map(|(time, _)| *time)), moments(known.iter().map(|(_, value)| *value)));
    let together: f64 = known.iter().map(|(own, y)| (own - time) * (y - value)).sum();
    together / known.iter().map(|(own, _)| (own - time).powi(2)).sum::<f64>()
}

/// A row for each series: what does not change over time, how many steps and how long, and the statistics of each
/// variable.
pub fn features(rows: &SeriesRows, statistics: &[Statistic]) -> Result<Table> {
    let (series, coder) = (rows.series(), rows.coder());
    let inputs: Vec<&str> = coder.statics.iter().flat_map(|encoder| encoder.names()).collect();
    let mut columns: Vec<Column> = series
        .statics()
        .columns()
        .iter()
        .filter(|own| inputs.contains(&own.name.as_str()))
        .cloned()
        .collect();
    let row = |row: usize| {
        let (times, origin) = (series.times(row), series.origin(row));
        let end = times.last().copied().unwrap_or(origin);
        let mut line = vec![times.len() as f64, end - origin];
        for variable in 0..coder.variables.len() {
            let known: Vec<(f64, f64)> = series.known(row, variable).map(|(_, time, y)| (time, y)).collect();
            line.extend(statistics.iter().map(|statistic| statistic.of(&known, end)));
        }
        // What overflows says nothing.
        line.iter_mut().filter(|number| number.is_infinite()).for_each(|number| *number = f64::NAN);
        line
    };
    let lines: Vec<Vec<f64>> = (0..series.len()).into_par_iter().map(row).collect();
    for (place, name) in names(coder, statistics).into_iter().enumerate() {
        let numbers: Vec<f64> = lines.iter().map(|line| line[place]).collect();
        columns.push(Column::from_numbers(name, Kind::Real, &numbers));
    }
    Table::new(columns)
}

/// What the numbers of a series are called: how many steps, how long, and the statistics of each variable. A name that
/// a column has which does not change says that it is another.
pub fn names(coder: &SeriesCoder, statistics: &[Statistic]) -> Vec<String> {
    let mut taken: Vec<String> =
        coder.statics.iter().flat_map(|encoder| encoder.names()).map(str::to_owned).collect();
    let first = taken.len();
    let own = coder.variables.iter().flat_map(|variable| {
        statistics.iter().map(move |statistic| format!("{} {}", variable.name, statistic.name()))
    });
    for name in ["steps".to_owned(), "length".to_owned()].into_iter().chain(own) {
        taken.push(if taken.contains(&name) { format!("{name} (series)") } else { name });
    }
    taken.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_what_they_are_called() {
        let known = [(0.0, 1.0), (1.0, 3.0), (4.0, 2.0)];
        let expected = [3.0, 2.0, (2.0_f64 / 3.0).sqrt(), 0.5, 1.5, 1.0, 2.0, 1.0, 3.0, 1.0 / 8.666_666, 6.0];
        for (statistic, expected) in Statistic::ALL.iter().zip(expected) {
            let found = statistic.of(&known, 10.0);
            assert!((found - expected).abs() < 1e-6, "{statistic:?}: {found}");
        }
        assert_eq!(Statistic::Count.of(&[], 1.0), 0.0);
        let nothing = |statistic: &Statistic| statistic.of(&[], 1.0).is_nan();
        assert!(Statistic::ALL[1..].iter().all(nothing));
        let one: Vec<bool> = Statistic::ALL.iter().map(|own| own.of(&[(1.0, 2.0)], 1.0).is_nan()).collect();
        assert_eq!(one, [false, false, false, true, true, false, false, false, false, true, false]);
    }
}
