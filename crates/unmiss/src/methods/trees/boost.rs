//! The rounds of boosting: each adds a tree per output, fitted to the derivatives of the loss so far.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Settings;
use super::bins::{self, Column};
use super::forest::{Forest, Node, leaf};
use super::grow::{Derivatives, Grower, Grown};
use super::loss;
use super::split::Rules;
use crate::encode::{Encoded, Encoder, Targets, Task};
use crate::methods::supervised::set_aside;
use crate::run::{Curve, Event, Run};

/// Rows up to which several members are fitted, each with another part of the rows set aside.
const ROWS_FOR_MEMBERS: usize = 20_000;
/// How many members then.
const MEMBERS: usize = 5;
/// How many in all folds of a cross-validation together, whose models are averaged.
const MEMBERS_OF_FOLDS: usize = 10;
/// A single member sets one row in so many aside,
const PARTS: usize = 10;
/// and no more than this.
const MOST_VALIDATION: usize = 20_000;
/// Rounds of a fit with no row to spare for validation.
const BLIND_ROUNDS: usize = 10;
/// Hessian of a leaf at least.
const MIN_HESSIAN: f64 = 1e-3;
const BETWEEN_EVENTS: Duration = Duration::from_millis(100);
/// Rows a thread takes at once where rows are independent.
const ROWS_AT_ONCE: usize = 4096;

/// Members of each of so many folds' fits.
pub fn members_in_folds(folds: usize, rows: usize) -> usize {
    if rows <= ROWS_FOR_MEMBERS { (MEMBERS_OF_FOLDS / folds.max(1)).clamp(1, MEMBERS) } else { 1 }
}

/// Fits all members. Rows of weight 0 are left out.
pub fn fit(encoder: &Encoder, inputs: &Encoded, targets: &Targets, settings: &Settings, run: &Run) -> Forest {
    let rows: Vec<u32> = (0..inputs.rows as u32).filter(|&row| targets.weights[row as usize] > 0.0).collect();
    let columns = bins::columns(encoder, inputs, &rows, settings.bins);
    let shape = (encoder.numbers.len(), encoder.categories.len());
    let members = settings.members.unwrap_or(if rows.len() <= ROWS_FOR_MEMBERS { MEMBERS } else { 1 });
    let parts = if members > 1 { members.max(5) } else { PARTS.max(rows.len().div_ceil(MOST_VALIDATION)) };
    let min_rows =
        settings.min_rows.unwrap_or(rows.len() / 20).clamp(1, settings.min_rows.unwrap_or(20).max(1));
    let rules = Rules { min_rows: min_rows as u32, min_hessian: MIN_HESSIAN, l2: settings.l2 };
    let fit_member = |member: usize| {
        if member > 0 && run.stopped() {
            return None;
        }
        let (learning, validation) = set_aside(targets, parts, member, run.seed());
        let part = match members {
            1 => run.clone(),
            _ => run.part(&format!("member {} of {members}", member + 1)),
        };
        let mut boosting = Boosting {
            inputs,
            targets,
            shape,
            learning: counted(&learning, targets),
            validation: counted(&validation, targets),
            outputs: loss::outputs(targets.task),
            sums: Vec::new(),
            run: &part,
        };
        Some(boosting.fit(&columns, rules, settings))
    };
    let fitted: Vec<_> = (0..members).into_par_iter().map(fit_member).collect();
    let (bases, trees) = fitted.into_iter().flatten().unzip();
    Forest { shape, bases, trees }
}

/// Rows with a weight, ascending: memory is read in order.
fn counted(rows: &[usize], targets: &Targets) -> Vec<u32> {
    let mut rows: Vec<u32> =
        rows.iter().filter(|&&row| targets.weights[row] > 0.0).map(|&row| row as u32).collect();
    rows.sort_unstable();
    rows
}

/// One member.
struct Boosting<'a> {
    inputs: &'a Encoded,
    targets: &'a Targets,
    shape: (usize, usize),
    learning: Vec<u32>,
    validation: Vec<u32>,
    outputs: usize,
    /// `[rows, outputs]` of all rows.
    sums: Vec<f64>,
    run: &'a Run,
}

impl Boosting<'_> {
    /// Where sums start, and the trees up to the best round.
    fn fit(&mut self, columns: &[Column], rules: Rules, settings: &Settings) -> (Vec<f64>, Vec<Vec<Node>>) {
        let base = loss::base(self.targets, &self.learning);
        self.sums = base.repeat(self.inputs.rows);
        let rounds =
            if self.validation.is_empty() { settings.rounds.min(BLIND_ROUNDS) } else { settings.rounds };
        let mut grower = Grower::new(columns, rules, settings.leaves, settings.rate);
        let (mut trees, mut course) = (Vec::new(), Vec::new());
        let (mut best, mut best_round, mut told) = (self.validation_loss(), 0, None::<Instant>);
        for round in 1..=rounds {
            let derivatives = self.derivatives();
            for derivatives in derivatives.chunks_exact(self.inputs.rows) {
                let tree = grower.grow(&self.learning, derivatives);
                self.add(&tree, trees.len() % self.outputs);
                trees.push(tree.nodes);
            }
            let now = self.validation_loss();
            course.push(now);
            if now < best || self.validation.is_empty() {
                (best, best_round) = (now, round);
            }
            if told.is_none_or(|told| told.elapsed() >= BETWEEN_EVENTS) {
                self.run.progress(round as u64, rounds as u64, format!("validation loss {best:.4}"));
                told = Some(Instant::now());
            }
            if self.run.stopped() || round - best_round >= settings.patience {
                break;
            }
        }
        self.tell(&course, best_round);
        self.run.finished();
        trees.truncate(best_round * self.outputs);
        (base, trees)
    }

    /// Tells how the validation loss went, a squared error as its root.
    fn tell(&self, course: &[f64], best: usize) {
        let score = |loss: &f64| match self.targets.task {
            Task::Regression => (2.0 * loss).sqrt(),
            Task::Classification { .. } => *loss,
        };
        let judged = if self.validation.is_empty() { &[][..] } else { course };
        self.run.tell(&Event::Trained(Curve {
            task: self.run.task().to_owned(),
            step: "round",
            training: Vec::new(),
            validation: judged.iter().map(score).collect(),
            best,
        }));
    }

    /// `[outputs, rows]`.
    fn derivatives(&self) -> Vec<Derivatives> {
        let (rows, outputs) = (self.inputs.rows, self.outputs);
        let mut by_row = vec![[0.0; 2]; rows * outputs];
        let each = by_row.par_chunks_mut(outputs).zip(self.sums.par_chunks(outputs)).enumerate();
        each.with_min_len(ROWS_AT_ONCE)
            .for_each(|(row, (found, sums))| loss::derivatives(self.targets, row, sums, found));
        if outputs == 1 {
            return by_row;
        }
        (0..outputs).flat_map(|output| by_row.iter().skip(output).step_by(outputs).copied()).collect()
    }

    /// Adds a tree to the sums: learning rows stand in its leaves, validation rows walk.
    fn add(&mut self, tree: &Grown, output: usize) {
        for (range, value) in &tree.leaves {
            for &row in &tree.rows[range.clone()] {
                self.sums[row as usize * self.outputs + output] += value;
            }
        }
        let walk = |&row: &u32| leaf(&tree.nodes, self.shape, self.inputs, row as usize);
        let added: Vec<f64> = self.validation.par_iter().with_min_len(ROWS_AT_ONCE).map(walk).collect();
        for (&row, value) in self.validation.iter().zip(added) {
            self.sums[row as usize * self.outputs + output] += value;
        }
    }

    /// The weighted mean loss of the validation rows.
    fn validation_loss(&self) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for &row in &self.validation {
            let (row, weight) = (row as usize, f64::from(self.targets.weights[row as usize]));
            total += weight;
            sum += weight * loss::loss(self.targets, row, &self.sums[row * self.outputs..][..self.outputs]);
        }
        sum / total
    }
}
