//! The answers by share of known cells: of all rows together, and of a few single rows.

use serde::Serialize;

use super::collect::Answers;
use super::degree::{deviation, quantile};
use super::plan::Plan;

/// Single rows whose curves are kept.
const EXAMPLES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// The answers of all rows at one share of known cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Level {
    /// Share of a row's known cells that stay known.
    pub share: f64,
    /// How many cells that is on average.
    pub known: f64,
    /// Mean answer over rows and masks.
    pub mean: f64,
    /// 5 % of the answers lie below.
    pub low: f64,
    /// 25 % lie below.
    pub lower_quartile: f64,
    /// Half lie below.
    pub median: f64,
    /// 75 % lie below.
    pub upper_quartile: f64,
    /// 95 % lie below.
    pub high: f64,
    /// Standard deviation over the masks of one row, mean over rows: what WHICH cells are known does.
    pub scatter: f64,
}

/// The answers for one row as its cells are hidden.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// The row in the table, counted from 1.
    pub row: usize,
    /// Its known input cells.
    pub known: usize,
    /// The answer for the row as it is.
    pub answer: f64,
    /// The answers by number of known cells.
    pub levels: Vec<ExampleLevel>,
}

/// The answers for one row with so many cells known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExampleLevel {
    /// Known cells.
    pub known: usize,
    /// Mean answer.
    pub mean: f64,
    /// One answer per mask; a single one where everything is known.
    pub answers: Vec<f64>,
}

/// The curve of one output over all rows.
pub(super) fn curve(plan: &Plan, answers: &Answers, output: usize) -> Vec<Level> {
    plan.shares.iter().map(|&share| level(plan, answers, output, share)).collect()
}

fn level(plan: &Plan, answers: &Answers, output: usize, share: f64) -> Level {
    let rows = answers.rows().max(1) as f64;
    let mut all = Vec::with_capacity(answers.rows() * plan.masks);
    let (mut known, mut mean, mut scatter) = (0.0, 0.0, 0.0);
    for (row, planned) in plan.rows.iter().enumerate().take(answers.rows()) {
        let level = planned.level(share);
        let own: Vec<f64> = answers.at(row, level, output).collect();
        known += planned.counts[level] as f64 / rows;
        mean += own.iter().sum::<f64>() / own.len() as f64 / rows;
        scatter += deviation(&own) / rows;
        // Every row weighs the same, also one that has a single answer here.
        let copies = if own.len() == 1 { plan.masks } else { 1 };
        (0..copies).for_each(|_| all.extend_from_slice(&own));
    }
    all.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| quantile(&all, share);
    Level {
        share,
        known,
        mean,
        low: at(0.05),
        lower_quartile: at(0.25),
        median: at(0.5),
        upper_quartile: at(0.75),
        high: at(0.95),
        scatter,
    }
}

/// The curves of a few rows, from low to high answers.
pub(super) fn examples(plan: &Plan, answers: &Answers, output: usize) -> Vec<Example> {
    let mut order: Vec<usize> = (0..answers.rows()).collect();
    order.sort_by(|&a, &b| answers.full(a, output).total_cmp(&answers.full(b, output)).then(a.cmp(&b)));
    let mut chosen: Vec<usize> =
        EXAMPLES.iter().map(|share| order[(share * (order.len() - 1) as f64).round() as usize]).collect();
    chosen.dedup();
    chosen.into_iter().map(|row| example(plan, answers, output, row)).collect()
}

fn example(plan: &Plan, answers: &Answers, output: usize, row: usize) -> Example {
    let planned = &plan.rows[row];
    let levels = planned.counts.iter().enumerate().map(|(level, &known)| {
        let answers: Vec<f64> = answers.at(row, level, output).collect();
        ExampleLevel { known, mean: answers.iter().sum::<f64>() / answers.len() as f64, answers }
    });
    Example {
        row: planned.row + 1,
        known: planned.known.len(),
        answer: answers.full(row, output),
        levels: levels.collect(),
    }
}
