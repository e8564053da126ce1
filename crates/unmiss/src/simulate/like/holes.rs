//! Where the holes of a table are: one logistic regression after the other.
//!
//! Columns stand in the order of their holes, fewest first. Whether a cell is missing depends on what the row shows in
//! the columns before it: which of them are missing, and the values of those that are not. That is all that a table can
//! tell; whether a value hides itself it can't.

use super::marginal::Marginal;
use crate::data::Table;
use crate::linalg::{Square, dot};
use crate::missing::sigmoid;
use crate::rng::Stream;

/// Rows that are learned from, at most.
const MOST_ROWS: usize = 10_000;
/// What a column's holes may depend on, at most: the columns and marks that go with them most.
const MOST_INPUTS: usize = 40;
/// The penalty on squared weights of standardised inputs, in rows.
const PENALTY: f64 = 0.5;
/// Newton's steps.
const STEPS: usize = 25;

/// What a row shows of an earlier column.
#[derive(Clone, Copy)]
enum Shown {
    /// Its score where it is known, and 0 where not.
    Score(usize),
    /// 1 where it is missing.
    Mark(usize),
}

/// How a column goes missing.
enum Rule {
    Never,
    Always,
    /// Exactly where another does.
    With(usize),
    Logistic {
        weights: Vec<(Shown, f64)>,
        intercept: f64,
    },
}

/// How the columns of a table go missing.
pub(super) struct Holes {
    /// Columns in the order in which they are drawn, each with its rule.
    rules: Vec<(usize, Rule)>,
}

impl Holes {
    /// Learns from a table whose columns have marginals.
    pub(super) fn new(table: &Table, marginals: &[Marginal]) -> Self {
        let step = table.rows().div_ceil(MOST_ROWS).max(1);
        let rows: Vec<usize> = (0..table.rows()).step_by(step).collect();
        let columns = table.columns();
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&column| columns[column].missing());
        let mut rules: Vec<(usize, Rule)> = Vec::new();
        // What the columns so far show, row by row.
        let mut shown: Vec<(Shown, Vec<f64>)> = Vec::new();
        for column in order {
            let own = &columns[column];
            let missing = own.missing();
            let twin = rules.iter().map(|(earlier, _)| *earlier).find(|&earlier| {
                columns[earlier].observed == own.observed && missing > 0 && missing < own.rows()
            });
            let marks: Vec<f64> = rows.iter().map(|&row| f64::from(u8::from(!own.observed[row]))).collect();
            let rule = match twin {
                _ if missing == 0 => Rule::Never,
                _ if missing == own.rows() => Rule::Always,
                Some(twin) => Rule::With(twin),
                None => logistic(&shown, &marks),
            };
            if missing < own.rows() {
                let scores = marginals[column].scores(own);
                shown.push((Shown::Score(column), rows.iter().map(|&row| scores[row]).collect()));
                if matches!(rule, Rule::Logistic { .. }) {
                    shown.push((Shown::Mark(column), marks));
                }
            }
            rules.push((column, rule));
        }
        Self { rules }
    }

    /// Draws the marks of a row with these scores: true where known.
    pub(super) fn draw(&self, scores: &[f64], stream: &mut Stream) -> Vec<bool> {
        let mut observed = vec![true; scores.len()];
        for (column, rule) in &self.rules {
            observed[*column] = match rule {
                Rule::Never => true,
                Rule::Always => false,
                Rule::With(twin) => observed[*twin],
                Rule::Logistic { weights, intercept } => {
                    let input = |shown: Shown| match shown {
                        Shown::Score(other) => {
                            if observed[other] {
                                scores[other]
                            } else {
                                0.0
                            }
                        }
                        Shown::Mark(other) => f64::from(u8::from(!observed[other])),
                    };
                    let logit = weights.iter().map(|(shown, weight)| weight * input(*shown)).sum::<f64>();
                    stream.uniform() >= sigmoid(logit + intercept)
                }
            };
        }
        observed
    }
}

/// A penalised logistic regression on the inputs that go most with the marks.
fn logistic(shown: &[(Shown, Vec<f64>)], marks: &[f64]) -> Rule {
    let count = marks.len() as f64;
    let share = marks.iter().sum::<f64>() / count;
    // A step of every k-th row may show none or all of the holes.
    let share = share.clamp(0.5 / count, 1.0 - 0.5 / count);
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        (mean, deviation)
    };
    let goes_with = |values: &[f64]| {
        let (mean, deviation) = moments(values);
        let product: f64 =
            values.iter().zip(marks).map(|(value, mark)| (value - mean) * (mark - share)).sum();
        if deviation > 1e-9 { (product / deviation).abs() } else { 0.0 }
    };
    let mut ranked: Vec<(f64, usize)> =
        shown.iter().enumerate().map(|(place, (_, values))| (goes_with(values), place)).collect();
    ranked.retain(|(strength, _)| *strength > 0.0);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.truncate(MOST_INPUTS);
    let chosen: Vec<usize> = ranked.into_iter().map(|(_, place)| place).collect();
    let scales: Vec<(f64, f64)> = chosen.iter().map(|&place| moments(&shown[place].1)).collect();
    // [rows, inputs + 1], the last being 1.
    let width = chosen.len() + 1;
    let mut inputs = vec![1.0; marks.len() * width];
    for (input, (&place, (mean, deviation))) in chosen.iter().zip(&scales).enumerate() {
        for (row, value) in shown[place].1.iter().enumerate() {
            inputs[row * width + input] = (value - mean) / deviation;
        }
    }
    let mut weights = vec![0.0; width];
    weights[width - 1] = (share / (1.0 - share)).ln();
    newton(&mut weights, &inputs, marks);
    let mut intercept = weights[width - 1];
    let mut kept = Vec::with_capacity(chosen.len());
    for ((&place, (mean, deviation)), weight) in chosen.iter().zip(&scales).zip(&weights) {
        kept.push((shown[place].0, weight / deviation));
        intercept -= weight * mean / deviation;
    }
    Rule::Logistic { weights: kept, intercept }
}

/// Newton's steps on the penalised likelihood, the last weight being the intercept. Steps that would make it worse are
/// halved.
fn newton(weights: &mut Vec<f64>, inputs: &[f64], marks: &[f64]) {
    let width = weights.len();
    let loss = |weights: &[f64]| {
        let each = inputs.chunks_exact(width).zip(marks).map(|(row, mark)| {
            let logit = dot(row, weights);
            // log(1 + exp(logit)) - mark logit, without overflow.
            logit.max(0.0) + (-logit.abs()).exp().ln_1p() - mark * logit
        });
        each.sum::<f64>() + PENALTY / 2.0 * dot(&weights[..width - 1], &weights[..width - 1])
    };
    let mut now = loss(weights);
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; width];
        let mut curvature = Square::zero(width);
        for (row, mark) in inputs.chunks_exact(width).zip(marks) {
            let p = sigmoid(dot(row, weights));
            for i in 0..width {
                gradient[i] += (p - mark) * row[i];
                let bend = p * (1.0 - p) * row[i];
                (0..=i).for_each(|j| *curvature.at_mut(i, j) += bend * row[j]);
            }
        }
        for i in 0..width {
            let penalty = if i + 1 < width { PENALTY } else { 1e-6 };
            gradient[i] += if i + 1 < width { PENALTY * weights[i] } else { 0.0 };
            *curvature.at_mut(i, i) += penalty;
            (0..i).for_each(|j| *curvature.at_mut(j, i) = curvature.at(i, j));
        }
        let Ok(lower) = curvature.cholesky(0.0) else { return };
        let mut step = gradient;
        lower.forward(&mut step);
        lower.backward(&mut step);
        let mut length = 1.0;
        let better = loop {
            let tried: Vec<f64> =
                weights.iter().zip(&step).map(|(weight, step)| weight - length * step).collect();
            let then = loss(&tried);
            if then < now {
                break Some((tried, then));
            }
            length /= 2.0;
            if length < 1e-4 {
                break None;
            }
        };
        let Some((tried, then)) = better else { return };
        let gained = now - then;
        (*weights, now) = (tried, then);
        if gained < 1e-6 * (1.0 + now) {
            return;
        }
    }
}
