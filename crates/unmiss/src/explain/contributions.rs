//! Why a row gets its answer: Shapley values (Shapley 1953; Lundberg and Lee 2017).
//!
//! A column's contribution is what the answer changes by when the row's cell, hole or not, takes the place of a cell
//! from the background, on average over the orders in which cells do so and over background rows b:
//!
//! ```text
//! contribution of j = mean over b and orders of  f(row so far with cell j) - f(row so far)
//! base              = mean over b of f(b)
//! base + sum of contributions = f(row)
//! ```
//!
//! Background rows are not kept (they would be rows of somebody's table): their cells are drawn column by column from
//! what the columns held in training, in equal shares (Latin hypercube: McKay, Beckman and Conover 1979), once for all
//! rows. Each b gets one random order and the same order backwards (antithetic: Mitchell et al. 2022), and, where the
//! model is the mean of fold models, the models of one fold, each fold as often as the others. What a row is told
//! depends on that row alone. Methods that can do it exactly for every order do so.

use super::cells::Cell;
use crate::encode::{Encoded, Encoder, Rows, Source, Task};
use crate::error::{Error, Result};
use crate::metrics::most_probable;
use crate::model::{Background, Model, Predicting};
use crate::rng::Stream;
use crate::run::Run;

/// Answers of the models of a fold that a row may cost, about.
const ANSWERS_PER_ROW: usize = 512;
/// Background rows, at least and at most.
const BACKGROUND: (usize, usize) = (4, 40);
/// Background rows where they cost little.
const EXACT_BACKGROUND: usize = 64;
/// Cases asked about at a time.
const MOST_CASES: usize = 16_384;

/// Tells for single rows what each column contributes to the answer: all that is made of it together.
pub struct Explainer<'a> {
    model: Predicting<'a>,
    columns: Vec<Source>,
    background: Encoded,
    /// `[background rows, outputs]`: answers for the background, each by the models of its fold.
    answers: Vec<f64>,
    /// How many folds the model is of; background row b goes with fold b modulo this.
    folds: usize,
    /// `[outputs]`: their mean.
    base: Vec<f64>,
    exact: bool,
    run: &'a Run,
}

/// What the columns contribute to the answers for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// How many columns there are.
    pub columns: usize,
    /// What is explained of each row: 0 for a number, else the class whose chance it is: of two the second, of more
    /// the most probable one.
    pub outputs: Vec<usize>,
    /// The answer of each row: the number, or that chance.
    pub answers: Vec<f64>,
    /// Where each row starts: the mean answer over the background.
    pub bases: Vec<f64>,
    /// `[rows, columns]`, in the order of [`Explainer::columns`].
    pub values: Vec<f64>,
    /// `[rows, columns]`: the standard error of each; 0 where they are exact.
    pub errors: Vec<f64>,
}

impl Contributions {
    /// The contributions to a row's answer.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// Their standard errors.
    pub fn errors(&self, row: usize) -> &[f64] {
        &self.errors[row * self.columns..(row + 1) * self.columns]
    }

    /// Columns of a row by the size of what they contribute, the largest first.
    pub fn largest(&self, row: usize) -> Vec<usize> {
        let own = self.row(row);
        let mut order: Vec<usize> = (0..self.columns).collect();
        order.sort_by(|&a, &b| own[b].abs().total_cmp(&own[a].abs()));
        order
    }
}

impl<'a> Explainer<'a> {
    /// Draws the background and asks about it.
    ///
    /// # Errors
    /// When the model does not predict from columns.
    pub fn new(model: &'a Model, run: &'a Run) -> Result<Self> {
        let (encoder, predicting) = (model.coder.table()?, model.predicting()?);
        let draw = |count: usize| {
            let background = model.summary.background.as_ref();
            drawn(encoder, background, model.summary.rows, count, run.seed())
        };
        let many = draw(EXACT_BACKGROUND);
        let (one, all) = (Rows::from(many.select(&[0])), Rows::from(many.clone()));
        let exact_base = predicting.contributions(&one, &all)?.map(|found| found.base);
        let exact = exact_base.is_some();
        let folds = if exact { 1 } else { predicting.fold_models().unwrap_or(1).max(1) };
        let columns = encoder.by_column();
        let count = (ANSWERS_PER_ROW / (2 * columns.len())).clamp(BACKGROUND.0, BACKGROUND.1);
        // As many for each fold.
        let background = if exact { many } else { draw(count.next_multiple_of(folds)) };
        let outputs = predicting.target.task.outputs();
        let mut answers = vec![0.0; background.rows * outputs];
        for fold in 0..folds {
            let own: Vec<usize> = (fold..background.rows).step_by(folds).collect();
            let (rows, which) = (Rows::from(background.select(&own)), (!exact).then_some(fold));
            let given = run.compute(|| predicting.unbounded(which, &rows))?;
            for (place, answer) in own.into_iter().zip(given.chunks_exact(outputs)) {
                answers[place * outputs..(place + 1) * outputs].copy_from_slice(answer);
            }
        }
        let mean = |output: usize| {
            answers.iter().skip(output).step_by(outputs).sum::<f64>() / background.rows as f64
        };
        let base = exact_base.map_or_else(|| (0..outputs).map(mean).collect(), |base| vec![base]);
        Ok(Self { model: predicting, columns, background, answers, folds, base, exact, run })
    }

    /// The columns that contribute, each with its inputs.
    pub fn columns(&self) -> &[Source] {
        &self.columns
    }

    /// Whether contributions are exact for the background, and not means over some orders.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The mean answer over the background: a number, or the chance of each class.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// Explains rows that the model's translation made. Contributions to a number are those before it is kept within
    /// the range of the known target, exact ones also before single models are.
    ///
    /// # Errors
    /// When the rows have another shape, or the run was stopped.
    pub fn explain(&self, rows: &Rows) -> Result<Contributions> {
        let encoded = rows.table()?;
        let (count, columns) = (encoded.rows, self.columns.len());
        let width = self.base.len();
        let answers = self.run.compute(|| self.model.predict_rows(rows))?;
        let outputs: Vec<usize> =
            answers.chunks_exact(width).map(|answer| explained(self.model.target.task, answer)).collect();
        let mut found = Contributions {
            columns,
            answers: (0..count).map(|row| answers[row * width + outputs[row]]).collect(),
            bases: outputs.iter().map(|&output| self.base[output]).collect(),
            values: vec![0.0; count * columns],
            errors: vec![0.0; count * columns],
            outputs,
        };
        if self.exact {
            let background = Rows::from(self.background.clone());
            let exact = self.run.compute(|| self.model.contributions(rows, &background))?;
            let width = self.columns.iter().map(|source| source.inputs.len()).sum::<usize>().max(1);
            let values = exact.map(|exact| exact.values).unwrap_or_default();
            let of = |own: &[f64], source: &Source| source.inputs.iter().map(|&input| own[input]).sum();
            found.values = values
                .chunks_exact(width)
                .flat_map(|own| self.columns.iter().map(move |source| of(own, source)))
                .collect();
            return Ok(found);
        }
        let ends: Vec<Vec<f64>> = (0..self.folds)
            .map(|fold| self.run.compute(|| self.model.unbounded(Some(fold), rows)))
            .collect::<Result<_>>()?;
        let most = (MOST_CASES / (2 * self.background.rows * columns)).max(1);
        for start in (0..count).step_by(most) {
            if self.run.stopped() {
                return Err(Error::Stopped);
            }
            let piece: Vec<usize> = (start..(start + most).min(count)).collect();
            self.sample(encoded, &piece, &ends, &mut found)?;
            self.run.progress((start + piece.len()) as u64, count as u64, "rows");
        }
        self.run.finished();
        Ok(found)
    }

    /// Walks from each background row to each of some rows, column by column, and once more in the other order. `ends`
    /// has what the models of each fold answer for the rows.
    fn sample(
        &self,
        rows: &Encoded,
        piece: &[usize],
        ends: &[Vec<f64>],
        found: &mut Contributions,
    ) -> Result<()> {
        let orders: Vec<Vec<usize>> = (0..self.background.rows as u64)
            .map(|place| Stream::new(self.run.seed(), "orders", place, 0).permutation(found.columns))
            .collect();
        let mut given = Vec::new();
        for fold in 0..self.folds {
            let mut cases = Encoded::default();
            for &row in piece {
                for (place, order) in orders.iter().enumerate().skip(fold).step_by(self.folds) {
                    for walk in self.walks(rows, row, place, order) {
                        self.push_walk(&mut cases, place, rows, row, &walk);
                    }
                }
            }
            let asked = Rows::from(cases);
            given.push(match asked.is_empty() {
                true => Vec::new(),
                false => self.run.compute(|| self.model.unbounded(Some(fold), &asked))?,
            });
        }
        let width = self.base.len();
        let mut given: Vec<_> = given.iter().map(|answers| answers.chunks_exact(width)).collect();
        for &row in piece {
            let output = found.outputs[row];
            let mut sums = Sums::new(found.columns);
            for (place, order) in orders.iter().enumerate() {
                let (fold, mut both) = (place % self.folds, vec![0.0; found.columns]);
                for walk in self.walks(rows, row, place, order) {
                    let mut before = self.answers[place * width + output];
                    for (step, &column) in walk.iter().enumerate() {
                        let after = match step + 1 == walk.len() {
                            true => ends[fold][row * width + output],
                            false => given[fold].next().map_or(0.0, |answer| answer[output]),
                        };
                        both[column] += (after - before) / 2.0;
                        before = after;
                    }
                }
                sums.add(&both);
            }
            let own = row * found.columns..(row + 1) * found.columns;
            sums.means(&mut found.values[own.clone()], &mut found.errors[own]);
        }
        Ok(())
    }

    /// The columns in which a row and a background row differ, in an order and backwards.
    fn walks(&self, rows: &Encoded, row: usize, place: usize, order: &[usize]) -> [Vec<usize>; 2] {
        let own = |input: &usize| Cell::of(rows, row, *input) != Cell::of(&self.background, place, *input);
        let differs = |column: &usize| self.columns[*column].inputs.iter().any(own);
        let there: Vec<usize> = order.iter().copied().filter(differs).collect();
        let back = there.iter().rev().copied().collect();
        [there, back]
    }

    /// Adds the rows between a background row and a row, both left out: their answers are known.
    fn push_walk(&self, cases: &mut Encoded, place: usize, rows: &Encoded, row: usize, walk: &[usize]) {
        let mut state = self.background.select(&[place]);
        for &column in &walk[..walk.len().saturating_sub(1)] {
            for &input in &self.columns[column].inputs {
                Cell::of(rows, row, input).put(&mut state, 0, input);
            }
            cases.rows += 1;
            cases.numbers.extend_from_slice(&state.numbers);
            cases.numbers_observed.extend_from_slice(&state.numbers_observed);
            cases.codes.extend_from_slice(&state.codes);
            cases.codes_observed.extend_from_slice(&state.codes_observed);
        }
    }
}

/// Sums and sums of squares over background rows.
struct Sums {
    sums: Vec<(f64, f64)>,
    count: usize,
}

impl Sums {
    fn new(columns: usize) -> Self {
        Self { sums: vec![(0.0, 0.0); columns], count: 0 }
    }

    fn add(&mut self, values: &[f64]) {
        self.count += 1;
        for ((sum, squares), value) in self.sums.iter_mut().zip(values) {
            (*sum, *squares) = (*sum + value, *squares + value * value);
        }
    }

    /// Means and their standard errors.
    fn means(&self, means: &mut [f64], errors: &mut [f64]) {
        let count = self.count as f64;
        for ((mean, error), (sum, squares)) in means.iter_mut().zip(errors).zip(&self.sums) {
            *mean = sum / count;
            *error = ((squares / count - *mean * *mean).max(0.0) / (count - 1.0).max(1.0)).sqrt();
        }
    }
}

/// The output that is explained.
fn explained(task: Task, answer: &[f64]) -> usize {
    match task {
        Task::Regression => 0,
        Task::Classification { classes: 2 } => 1,
        Task::Classification { .. } => most_probable(answer),
    }
}

/// So many rows whose columns hold what they held in training, holes too, each on its own.
fn drawn(
    encoder: &Encoder,
    background: Option<&Background>,
    learned_from: usize,
    count: usize,
    seed: u64,
) -> Encoded {
    let (numbers, codes) = (encoder.numbers.len(), encoder.categories.len());
    let mut rows = Encoded {
        rows: count,
        numbers: vec![0.0; count * numbers],
        numbers_observed: vec![false; count * numbers],
        codes: vec![0; count * codes],
        codes_observed: vec![false; count * codes],
    };
    for input in 0..numbers + codes {
        let missing = match input.checked_sub(numbers) {
            None => encoder.numbers[input].missing,
            Some(category) => encoder.categories[category].missing,
        };
        let missing = missing as f64 / learned_from.max(1) as f64;
        let order = Stream::new(seed, "background", input as u64, 0).permutation(count);
        for (place, row) in order.into_iter().enumerate() {
            // The middle of one of `count` equal parts of the column's distribution, holes first.
            let share = (place as f64 + 0.5) / count as f64;
            let known = (share - missing) / (1.0 - missing).max(f64::MIN_POSITIVE);
            if known < 0.0 {
                continue;
            }
            let cell = match input.checked_sub(numbers) {
                None => {
                    let own =
                        background.and_then(|own| own.quantiles.get(input)).filter(|own| !own.is_empty());
                    // Of an older model the mean is known and no more.
                    let mean = [encoder.numbers[input].mean];
                    let own = own.map_or(&mean[..], Vec::as_slice);
                    Cell::Number(own[((known * own.len() as f64) as usize).min(own.len() - 1)])
                }
                Some(category) => code_at(&encoder.categories[category].shares, known),
            };
            cell.put(&mut rows, row, input);
        }
    }
    rows
}

/// The code at a share of all known cells, codes one after the other.
fn code_at(shares: &[f32], at: f64) -> Cell {
    let mut before = 0.0;
    for (code, share) in shares.iter().enumerate() {
        before += f64::from(*share);
        if at < before {
            return Cell::Code(code as u32);
        }
    }
    shares.len().checked_sub(1).map_or(Cell::Hole, |last| Cell::Code(last as u32))
}

#[cfg(test)]
mod tests;
