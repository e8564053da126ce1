//! The border to the boosting library: what it is given, and what is kept from reaching the user.
//!
//! Left to itself the library looks at the clock, at free memory and at the machine's cores. Here it gets
//! none of them: no time limit, an amount of memory computed from the size of the data, the run's threads
//! (which change nothing but the time: columns are independent, sums run in row order).

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use perpetual::objective::Objective;
use perpetual::{Matrix, PerpetualBooster};

use super::Settings;
use super::forest::Forest;
use crate::encode::{Encoded, Encoder};
use crate::error::{Error, Result};
use crate::run::Run;

/// Memory for split statistics in 10^9 bytes: trees of several thousand leaves. A machine with less free
/// memory than this grows smaller trees.
const STATISTICS_MEMORY: f32 = 1.0;
/// On some small regressions the library divides by nearly nothing and returns leaves of 10^7 and more. Such
/// a fit is repeated with a smaller budget, so often,
const RETRIES: usize = 3;
/// by this factor; what then is still broken is cut off.
const RETRY_BUDGET: f32 = 0.85;
/// Cells below which a second thread costs more than it brings.
const CELLS_FOR_THREADS: usize = 500_000;
/// Rows below which numbers are cut into few bins: measured better, and four times as small.
const ROWS_FOR_FINE_BINS: usize = 10_000;

/// Training rows as the library wants them: column after column, NaN where missing.
pub struct Columns {
    values: Vec<f64>,
    rows: usize,
    /// The place of each kept column in our rows.
    pub kept: Vec<u32>,
    categories: HashSet<usize>,
    weights: Vec<f64>,
    /// The rows that count: those with a weight above 0.
    pub picked: Vec<usize>,
}

impl Columns {
    /// Keeps rows of positive weight and columns with at least one known cell among them.
    pub fn new(encoder: &Encoder, inputs: &Encoded, weights: &[f32], native_categories: bool) -> Self {
        let picked: Vec<usize> = (0..inputs.rows).filter(|row| weights[*row] > 0.0).collect();
        let (numbers, width) = (encoder.numbers.len(), encoder.width());
        let mut columns = Self {
            values: Vec::with_capacity(picked.len() * width),
            rows: picked.len(),
            kept: Vec::new(),
            categories: HashSet::new(),
            weights: picked.iter().map(|row| f64::from(weights[*row])).collect(),
            picked,
        };
        for column in 0..width {
            let start = columns.values.len();
            let cells = columns.picked.iter().map(|row| cell(inputs, numbers, width, *row, column));
            columns.values.extend(cells);
            if columns.values[start..].iter().all(|value| value.is_nan()) {
                columns.values.truncate(start);
                continue;
            }
            if native_categories && column >= numbers {
                columns.categories.insert(columns.kept.len());
            }
            columns.kept.push(column as u32);
        }
        columns
    }

    /// The weighted mean of a target over the picked rows.
    pub fn mean(&self, targets: &[f64]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        targets.iter().zip(&self.weights).map(|(target, weight)| target * weight).sum::<f64>() / total
    }
}

/// One cell of our rows: numbers first, then codes; NaN where it is not observed.
pub fn cell(inputs: &Encoded, numbers: usize, width: usize, row: usize, column: usize) -> f64 {
    if column < numbers {
        let place = row * numbers + column;
        if inputs.numbers_observed[place] { f64::from(inputs.numbers[place]) } else { f64::NAN }
    } else {
        let place = row * (width - numbers) + column - numbers;
        if inputs.codes_observed[place] { f64::from(inputs.codes[place]) } else { f64::NAN }
    }
}

/// Fits the trees of one output. `targets` are those of the picked rows; with `classes` they are 0 and 1.
///
/// # Errors
/// When the library fails or panics.
pub fn fit(
    columns: &Columns,
    targets: &[f64],
    classes: bool,
    settings: &Settings,
    run: &Run,
) -> Result<Forest> {
    let low = targets.iter().copied().fold(f64::INFINITY, f64::min);
    let high = targets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low >= high || columns.kept.is_empty() {
        let mean = columns.mean(targets);
        // A class that every row has, or none: nearly certain, and never infinitely so.
        let odds = |share: f64| (share / (1.0 - share)).ln();
        return Ok(Forest::constant(if classes { odds(mean.clamp(1e-6, 1.0 - 1e-6)) } else { mean }));
    }
    // No leaf of a sound fit moves further than the targets are apart (classes: than near certainty).
    let bound = if classes { 30.0 } else { high - low };
    let mut settings = *settings;
    let mut forest = grow(columns, targets, classes, &settings, run)?;
    for _ in 0..RETRIES {
        if forest.largest_leaf() <= bound {
            return Ok(forest);
        }
        settings.budget *= RETRY_BUDGET;
        forest = grow(columns, targets, classes, &settings, run)?;
    }
    forest.cut_before(bound);
    Ok(forest)
}

fn grow(columns: &Columns, targets: &[f64], classes: bool, settings: &Settings, run: &Run) -> Result<Forest> {
    let mut booster = configured(columns, classes, settings, run);
    let data = Matrix::new(&columns.values, columns.rows, columns.kept.len());
    let even = columns.weights.iter().all(|weight| *weight == 1.0);
    let weights = (!even).then_some(columns.weights.as_slice());
    // The library panics on some inputs where it could return an error; none of its state outlives a panic.
    let fitted = catch_unwind(AssertUnwindSafe(|| booster.fit(&data, targets, weights, None)));
    let failed = |what: String| {
        Error::method("trees", what)
            .with_hint("try --method linear, or leave out the column that was added last")
    };
    match fitted {
        Ok(result) => result.map_err(|error| failed(error.to_string()))?,
        Err(_) => return Err(failed("the boosting library gave up on these rows".to_owned())),
    }
    let forest = Forest::from_booster(&booster, &columns.kept, classes)
        .ok_or_else(|| failed("the boosting library returned a broken tree".to_owned()))?;
    let width = columns.kept.iter().max().map_or(0, |last| *last as usize + 1);
    forest.check(width, classes).map_err(failed)?;
    Ok(forest)
}

fn configured(columns: &Columns, classes: bool, settings: &Settings, run: &Run) -> PerpetualBooster {
    let objective = if classes { Objective::LogLoss } else { Objective::SquaredLoss };
    let threads = if columns.values.len() < CELLS_FOR_THREADS { 1 } else { run.threads() };
    let held = columns.values.len() as f32 * 2.0 + columns.rows as f32 * 20.0;
    let mut booster = PerpetualBooster::default()
        .set_objective(objective)
        .set_budget(settings.budget)
        .set_max_bin(if columns.rows < ROWS_FOR_FINE_BINS { 64 } else { 256 })
        .set_missing(f64::NAN)
        .set_allow_missing_splits(true)
        .set_create_missing_branch(settings.missing == super::Missing::Branch)
        .set_num_threads(Some(threads))
        .set_seed(run.seed())
        .set_timeout(None)
        .set_iteration_limit(Some(settings.iterations))
        .set_memory_limit(Some(STATISTICS_MEMORY + held / 1e9 * 1.2))
        .set_categorical_features((!columns.categories.is_empty()).then(|| columns.categories.clone()));
    // Rare classes are weighted by the user or not at all: weights of the library's own would bend probabilities.
    booster.cfg.auto_class_weights = false;
    booster
}
