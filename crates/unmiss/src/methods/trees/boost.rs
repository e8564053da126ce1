//! The rounds of boosting: each adds a tree per output, fitted to the derivatives of the loss so far.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Settings;
use super::bins::Bins;
use super::forest::{Forest, Node};
use super::grow::{Grower, Grown};
use super::histogram::{Derivatives, MOST_ROWS};
use super::loss;
use super::split::Rules;
use crate::encode::{Encoded, Encoder, Targets, Task};
use crate::methods::supervised::set_aside;
use crate::rng::Stream;
use crate::run::{Curve, Event, Run};

/// Rows up to which several members are fitted, each with another part of the rows set aside, and up to which a single
/// member learns from all rows after trials.
const FEW_ROWS: usize = 20_000;
/// How many members then.
const MEMBERS: usize = 5;
/// Fits that find out after how many rounds to stop,
const TRIALS: usize = 2;
/// each of which sets one row in so many aside.
const TRIAL_PARTS: usize = 5;
/// Without trials, a single member sets one row in so many aside,
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

/// Fits all members. Rows of weight 0 are left out.
pub fn fit(encoder: &Encoder, inputs: &Encoded, targets: &Targets, settings: &Settings, run: &Run) -> Forest {
    let weighted = (0..inputs.rows as u32).filter(|&row| targets.weights[row as usize] > 0.0);
    let rows: Vec<u32> = weighted.take(MOST_ROWS).collect();
    let few = rows.len() <= FEW_ROWS;
    let min_rows =
        settings.min_rows.unwrap_or(rows.len() / 20).clamp(1, settings.min_rows.unwrap_or(20).max(1));
    let fits = Fits {
        bins: &Bins::new(encoder, inputs, &rows, settings.bins),
        targets,
        rules: Rules { min_rows: min_rows as u32, min_hessian: MIN_HESSIAN, l2: settings.l2 },
        settings,
        run,
    };
    let fitted = match settings.members.unwrap_or(if few { MEMBERS } else { 1 }) {
        1 if few => vec![fits.after_trials(rows)],
        1 => fits.set_aside(1, PARTS.max(rows.len().div_ceil(MOST_VALIDATION)), "member"),
        members => fits.set_aside(members, members.max(5), "member"),
    };
    let (bases, trees) = fitted.into_iter().unzip();
    Forest { shape: (encoder.numbers.len(), encoder.categories.len()), bases, trees }
}

/// Where sums start, and the trees of a member.
type Member = (Vec<f64>, Vec<Vec<Node>>);

/// What the fits of members share.
struct Fits<'a> {
    bins: &'a Bins,
    targets: &'a Targets,
    rules: Rules,
    settings: &'a Settings,
    run: &'a Run,
}

impl Fits<'_> {
    /// Fits side by side, each of which sets another one of so many parts of the rows aside and stops by it. If the run
    /// is stopped there may be fewer, but there is one.
    fn set_aside(&self, count: usize, parts: usize, name: &str) -> Vec<Member> {
        let fit = |number: usize| {
            if number > 0 && self.run.stopped() {
                return None;
            }
            let (learning, validation) = set_aside(self.targets, parts, number, self.run.seed());
            let (learning, validation) =
                (counted(&learning, self.targets), counted(&validation, self.targets));
            let most = if validation.is_empty() { BLIND_ROUNDS } else { usize::MAX };
            let run = match count {
                1 => self.run.clone(),
                _ => self.run.part(&format!("{name} {} of {count}", number + 1)),
            };
            Some(self.fit(learning, validation, self.settings.rounds.min(most), &run))
        };
        (0..count).into_par_iter().map(fit).flatten().collect()
    }

    /// One fit to all rows, with as many rounds as trials took on average: every row is learned from.
    fn after_trials(&self, rows: Vec<u32>) -> Member {
        let mut trials = self.set_aside(TRIALS, TRIAL_PARTS, "trial");
        if self.run.stopped() {
            return trials.swap_remove(0);
        }
        let trees: usize = trials.iter().map(|(_, trees)| trees.len()).sum();
        let rounds = trees as f64 / (loss::outputs(self.targets.task) * trials.len()) as f64;
        self.fit(rows, Vec::new(), rounds.round() as usize, self.run)
    }

    fn fit(&self, learning: Vec<u32>, validation: Vec<u32>, rounds: usize, run: &Run) -> Member {
        let outputs = loss::outputs(self.targets.task);
        let mut boosting =
            Boosting { targets: self.targets, learning, validation, outputs, sums: Vec::new(), run };
        boosting.fit(self.bins, self.rules, self.settings, rounds)
    }
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
    targets: &'a Targets,
    learning: Vec<u32>,
    validation: Vec<u32>,
    outputs: usize,
    /// `[rows, outputs]` of all rows.
    sums: Vec<f64>,
    run: &'a Run,
}

/// What the trees of a round see; none: everything.
struct Drawn {
    columns: Option<Vec<usize>>,
    /// Rows to learn from, and those that walk along.
    rows: Option<(Vec<u32>, Vec<u32>)>,
}

impl Boosting<'_> {
    /// Where sums start, and the trees up to the best round.
    fn fit(&mut self, bins: &Bins, rules: Rules, settings: &Settings, rounds: usize) -> Member {
        let base = loss::base(self.targets, &self.learning);
        self.sums = base.repeat(self.targets.rows());
        // Trees of one round do not wait for each other: one for each thread grows at a time.
        let at_once = self.outputs.min(rayon::current_num_threads());
        let mut growers: Vec<Grower> =
            (0..at_once).map(|_| Grower::new(bins, rules, settings.leaves, settings.rate)).collect();
        let (mut trees, mut course) = (Vec::new(), Vec::new());
        let (mut best, mut best_round, mut told) = (self.validation_loss(), 0, None::<Instant>);
        for round in 1..=rounds {
            let derivatives = self.derivatives();
            let by_output: Vec<&[Derivatives]> = derivatives.chunks_exact(self.targets.rows()).collect();
            let drawn = self.drawn(settings, bins.meanings.len(), round);
            for derivatives in by_output.chunks(at_once) {
                let (learning, watching) =
                    drawn.rows.as_ref().map_or((&self.learning, &self.validation), |(own, rest)| (own, rest));
                let grow = |(grower, derivatives): (&mut Grower, &&[Derivatives])| {
                    if let Some(columns) = &drawn.columns {
                        grower.allow(columns);
                    }
                    grower.grow(learning, watching, derivatives)
                };
                let grown: Vec<Grown> = growers.par_iter_mut().zip(derivatives).map(grow).collect();
                for tree in grown {
                    self.add(&tree, trees.len() % self.outputs);
                    trees.push(tree.nodes);
                }
            }
            let now = self.validation_loss();
            course.push(now);
            if now < best || self.validation.is_empty() {
                (best, best_round) = (now, round);
            }
            if told.is_none_or(|told| told.elapsed() >= BETWEEN_EVENTS) {
                let judged = !self.validation.is_empty();
                let detail = if judged { format!("validation loss {best:.4}") } else { String::new() };
                self.run.progress(round as u64, rounds as u64, detail);
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

    /// What the trees of a round see, drawn for it.
    fn drawn(&self, settings: &Settings, columns: usize, round: usize) -> Drawn {
        let mut stream = Stream::new(self.run.seed(), "trees", round as u64, self.learning.len() as u64);
        let part = |of: usize, share: f64| ((of as f64 * share).round() as usize).clamp(1, of.max(1));
        let own_columns = (settings.columns < 1.0).then(|| {
            let mut drawn = stream.permutation(columns);
            drawn.truncate(part(columns, settings.columns));
            drawn
        });
        let rows = (settings.sample < 1.0).then(|| {
            let mut learning = self.learning.clone();
            stream.shuffle(&mut learning);
            let mut rest = learning.split_off(part(learning.len(), settings.sample));
            rest.extend(&self.validation);
            learning.sort_unstable();
            rest.sort_unstable();
            (learning, rest)
        });
        Drawn { columns: own_columns, rows }
    }

    /// Tells how the validation loss went, a squared error as its root.
    fn tell(&self, course: &[f64], best: usize) {
        if self.validation.is_empty() {
            return;
        }
        let score = |loss: &f64| match self.targets.task {
            Task::Regression => (2.0 * loss).sqrt(),
            Task::Classification { .. } => *loss,
        };
        self.run.tell(&Event::Trained(Curve {
            task: self.run.task().to_owned(),
            step: "round",
            training: Vec::new(),
            validation: course.iter().map(score).collect(),
            best,
        }));
    }

    /// `[outputs, rows]`.
    fn derivatives(&self) -> Vec<Derivatives> {
        let (rows, outputs) = (self.targets.rows(), self.outputs);
        let mut by_row = vec![[0.0; 2]; rows * outputs];
        let each = by_row.par_chunks_mut(outputs).zip(self.sums.par_chunks(outputs)).enumerate();
        each.with_min_len(ROWS_AT_ONCE)
            .for_each(|(row, (found, sums))| loss::derivatives(self.targets, row, sums, found));
        if outputs == 1 {
            return by_row;
        }
        (0..outputs).flat_map(|output| by_row.iter().skip(output).step_by(outputs).copied()).collect()
    }

    /// Adds a tree to the sums of the rows that stand in its leaves.
    fn add(&mut self, tree: &Grown, output: usize) {
        for (rows, watching, value) in &tree.leaves {
            for &row in tree.rows[rows.clone()].iter().chain(&tree.watching[watching.clone()]) {
                self.sums[row as usize * self.outputs + output] += value;
            }
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
