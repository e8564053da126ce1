//! What intervals and sets come to on rows that nothing was learned from.

use crate::data::{Column, Data, Table};
use crate::encode::Task;
use crate::error::Result;
use crate::metrics::{Score, most_probable};
use crate::model::{Model, Predictions};
use crate::run::Run;

/// Groups of equal width in which chances are held against what came true.
const BINS: usize = 10;
/// Rows that a kind of rows must have to be told of.
const FEWEST_ROWS: usize = 30;

/// Shares of rows for which the interval or the set holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Of all rows.
    pub all: f64,
    /// Of the third of the rows of which least is known.
    pub few: Option<f64>,
    /// Of the third of which most is known.
    pub many: Option<f64>,
    /// Of rows in which the column that matters most is missing.
    pub missing: Option<f64>,
}

/// What a model came to on new rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// How often intervals or sets held.
    pub coverage: Coverage,
    /// Mean width of intervals in standard deviations of the target, or mean size of sets.
    pub size: f64,
    /// Root mean square error in standard deviations of the new rows' target, or log-loss.
    pub loss: f64,
    /// Expected calibration error of classes: by how much the chance of the class that is named differs from how often
    /// it is right, on average.
    pub calibration: Option<f64>,
}

/// Judges a model at a level; `important` is the column whose absence counts.
pub fn judge(model: &Model, new: &Table, important: Option<&str>, level: f64, run: &Run) -> Result<Judged> {
    let predicting = model.predicting()?;
    let rows = predicting.coder.encode(&Data::from(new.clone()), |_, _| {})?;
    let answers = run.compute(|| predicting.answers(&rows))?;
    let truth = predicting.target.encode(&Data::from(new.clone()), None, Default::default())?;
    let missing = important.map(|name| new.column(name)).transpose()?;
    let coverage = |held: &[bool]| Coverage::of(held, answers.known(), missing);
    match answers.predictions() {
        Predictions::Numbers(values) => {
            let target = predicting.target;
            let truth: Vec<f64> =
                truth.numbers.iter().map(|y| target.mean + target.deviation * f64::from(*y)).collect();
            let deviation = deviation(&truth);
            let errors = values.iter().zip(&truth).map(|(value, y)| (value - y).powi(2));
            let loss = (errors.sum::<f64>() / truth.len() as f64).sqrt() / deviation;
            let intervals = answers.intervals(level).unwrap_or_default();
            let held: Vec<bool> =
                intervals.iter().zip(&truth).map(|((low, high), y)| low <= y && y <= high).collect();
            let widths = intervals.iter().map(|(low, high)| (high - low) / deviation);
            let size = widths.sum::<f64>() / truth.len() as f64;
            Ok(Judged { coverage: coverage(&held), size, loss, calibration: None })
        }
        Predictions::Probabilities(chances) => {
            let classes = predicting.target.levels.len();
            let sets = answers.sets(level).unwrap_or_default();
            let held: Vec<bool> = sets
                .chunks_exact(classes)
                .zip(&truth.classes)
                .map(|(set, class)| set[*class as usize])
                .collect();
            let size = sets.iter().filter(|held| **held).count() as f64 / truth.rows() as f64;
            let calibration = Some(calibration_error(&chances, &truth.classes, classes));
            let loss = Score::of(&chances, &truth).loss();
            debug_assert!(truth.task == Task::Classification { classes });
            Ok(Judged { coverage: coverage(&held), size, loss, calibration })
        }
    }
}

impl Coverage {
    fn of(held: &[bool], known: &[usize], important: Option<&Column>) -> Self {
        let mut sorted = known.to_vec();
        sorted.sort_unstable();
        let third = |place: usize| sorted.get(place * sorted.len() / 3).copied().unwrap_or(0);
        let (low, high) = (third(1), third(2));
        let share = |of: &dyn Fn(usize) -> bool| {
            let rows: Vec<bool> = (0..held.len()).filter(|&row| of(row)).map(|row| held[row]).collect();
            let share = rows.iter().filter(|held| **held).count() as f64 / rows.len().max(1) as f64;
            (rows.len() >= FEWEST_ROWS).then_some(share)
        };
        // Where most rows have as many known cells, there are no thirds.
        let differ = low < high || sorted.first() < sorted.last();
        Self {
            all: held.iter().filter(|held| **held).count() as f64 / held.len().max(1) as f64,
            few: share(&|row| differ && known[row] <= low && known[row] < *sorted.last().unwrap_or(&0)),
            many: share(&|row| differ && known[row] >= high && known[row] > low.min(high.saturating_sub(1))),
            missing: important.and_then(|column| share(&|row| !column.observed[row])),
        }
    }
}

fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt().max(f64::MIN_POSITIVE)
}

/// Σ over bins of (rows / all) |mean chance of the class named - share in which it is right| (Naeini et al. 2015).
fn calibration_error(chances: &[f64], truth: &[u32], classes: usize) -> f64 {
    let mut bins = [(0.0, 0.0); BINS];
    for (row, class) in chances.chunks_exact(classes).zip(truth) {
        let named = most_probable(row);
        let bin = &mut bins[((row[named] * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += row[named];
        bin.1 += f64::from(u8::from(named == *class as usize));
    }
    bins.iter().map(|(said, right)| (said - right).abs()).sum::<f64>() / truth.len().max(1) as f64
}

/// The number column that goes with the target most closely among those that are missing in 5 % to 95 % of the rows.
pub fn important(table: &Table, target: &str) -> Result<Option<String>> {
    let y = as_numbers(table.column(target)?);
    let mut best: Option<(f64, &str)> = None;
    for column in table.columns().iter().filter(|column| column.name != target) {
        let share = column.missing() as f64 / column.rows().max(1) as f64;
        let Some(values) = column.numbers().filter(|_| (0.05..0.95).contains(&share)) else { continue };
        let pairs: Vec<(f64, f64)> =
            (0..column.rows()).filter(|&row| column.observed[row]).map(|row| (values[row], y[row])).collect();
        let strength = correlation(&pairs).abs();
        if best.is_none_or(|(most, _)| strength > most) {
            best = Some((strength, &column.name));
        }
    }
    Ok(best.map(|(_, name)| name.to_owned()))
}

/// Numbers as they are, classes by their codes.
fn as_numbers(column: &Column) -> Vec<f64> {
    match (column.numbers(), column.codes()) {
        (Some(values), _) => values.to_vec(),
        (None, Some((codes, _))) => codes.iter().map(|code| f64::from(*code)).collect(),
        (None, None) => vec![0.0; column.rows()],
    }
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let product = mean(&|pair| (pair.0 - x) * (pair.1 - y));
    let (of_x, of_y) = (mean(&|pair| (pair.0 - x).powi(2)), mean(&|pair| (pair.1 - y).powi(2)));
    if of_x * of_y > 0.0 { product / (of_x * of_y).sqrt() } else { 0.0 }
}
