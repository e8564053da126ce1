//! How far learning goes, by cross-validation: every stage is learned without some rows and answers for them. A later
//! stage is taken only where it is better by more than the standard error of the differences, row by row.

use rayon::prelude::*;

use super::answer::Item;
use super::point::Point;
use super::start::{Sample, Started};
use super::train::Plan;
use crate::linalg::groups;
use crate::rng::Stream;

/// Ridges to choose from where rows are few beside columns, from strong to weak; the last one else.
const RIDGES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-5];
/// Rows per column up to which the ridge is chosen.
const FEW_ROWS: usize = 50;
/// Rows below which nothing is held out: there the strongest start is taken as it is.
const FEWEST_ROWS: usize = 30;
/// Rows below which mean and covariance stay where expectation-maximisation left them,
const FEWEST_FOR_DISTRIBUTION: usize = 200;
/// and from which they are learned wherever sites are.
const MANY_ROWS: usize = 500;
/// Rows below which no network is tried unless the user wants one.
const FEWEST_FOR_NETWORK: usize = 500;
/// Rows held out in all, at most.
const MOST_HELD_OUT: usize = 5_000;
/// Rows that expectation-maximisation looks at: this over the cube of the columns, but never fewer than so many.
const WORK: f64 = 2.5e9;
const FEWEST_AT_START: usize = 2_000;

/// How far learning went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// What expectation-maximisation implies.
    Start,
    /// Coefficients learned.
    Coefficients,
    /// Sites and the effects of marks too.
    Sites,
    /// Mean and covariance too.
    Distribution,
    /// With a network.
    Network,
}

/// All stages.
pub const STAGES: [Stage; 5] =
    [Stage::Start, Stage::Coefficients, Stage::Sites, Stage::Distribution, Stage::Network];

/// What the user wants.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// Steps of each stage.
    pub steps: usize,
    /// Adam's rate.
    pub rate: f64,
    /// The ridge, or one that is chosen.
    pub ridge: Option<f64>,
    /// With a network or without, or as it turns out better.
    pub network: Option<bool>,
    /// Sites or none, or as it turns out better.
    pub sites: Option<bool>,
    /// The seed.
    pub seed: u64,
}

/// What was learned, and how it was chosen.
pub struct Outcome {
    /// The parameters.
    pub point: Point,
    /// How far learning went.
    pub stage: Stage,
    /// The ridge.
    pub ridge: f64,
    /// Held-out loss of each stage that was tried.
    pub losses: Vec<(Stage, f64)>,
}

/// Rows that are learned from, and rows that are held out.
struct Fold {
    learned: Vec<usize>,
    held_out: Vec<usize>,
}

/// Held-out losses of the rows of all folds by stage, `None` where it was not tried.
type Losses = [Option<Vec<f64>>; STAGES.len()];

/// A way of learning: rows, and what may end it.
pub struct Learner<'a> {
    /// What is learned from.
    pub sample: Sample<'a>,
    /// What the user wants.
    pub wish: Wish,
    /// Whether to go on.
    pub going: &'a (dyn Fn() -> bool + Sync),
}

impl Learner<'_> {
    /// Learns from a list of rows, in which heavier rows stand several times.
    pub fn learn(&self, rows: &[usize]) -> Outcome {
        let folds = self.folds(rows);
        let (ridge, starts) = self.ridge(rows, &folds);
        let (stage, held_out) = match self.wish.network {
            // What is wanted takes no trial.
            Some(true) => (Stage::Network, [const { None }; STAGES.len()]),
            _ => {
                let held_out = self.compared(&folds, &starts);
                (self.chosen(&held_out), held_out)
            }
        };
        let mean = |own: &Vec<f64>| own.iter().sum::<f64>() / own.len().max(1) as f64;
        let losses = STAGES.into_iter().zip(&held_out);
        let losses = losses.filter_map(|(stage, own)| own.as_ref().map(|own| (stage, mean(own)))).collect();
        let started = self.start(rows, ridge, None);
        let start = self.sample.point(&started, rows);
        let point = if stage == Stage::Start { start } else { self.next(start, stage, rows, 0) };
        Outcome { point, stage, ridge, losses }
    }

    /// Rows in folds. All of three where rows are few; of many rows one of five says enough.
    fn folds(&self, rows: &[usize]) -> Vec<Fold> {
        let mut each = rows.to_vec();
        each.dedup();
        if each.len() < FEWEST_ROWS {
            return Vec::new();
        }
        Stream::new(self.wish.seed, "conditional folds", 0, 0).shuffle(&mut each);
        if !self.sample.wanted.classes.is_empty() {
            each.sort_by_key(|row| self.sample.wanted.classes[*row]);
        }
        let (parts, used) = match each.len() {
            0..2_000 => (3, 3),
            2_000..8_000 => (5, 2),
            count => (5.max(count / MOST_HELD_OUT), 1),
        };
        let mut fold = vec![0; self.sample.data.rows()];
        each.iter().enumerate().for_each(|(place, row)| fold[*row] = place % parts);
        let one = |own: usize| {
            let mut held_out: Vec<usize> = each.iter().copied().filter(|row| fold[*row] == own).collect();
            held_out.sort_unstable();
            Fold { learned: rows.iter().copied().filter(|row| fold[*row] != own).collect(), held_out }
        };
        (0..used).map(one).collect()
    }

    /// Expectation-maximisation on as many rows as pay off.
    fn start(&self, rows: &[usize], ridge: f64, from: Option<&Started>) -> Started {
        let width = (self.sample.data.columns + self.sample.outputs) as f64;
        let most = ((WORK / width.powi(3)) as usize).max(FEWEST_AT_START);
        if rows.len() <= most {
            return self.sample.joint(rows, ridge, from, self.going);
        }
        let mut some = rows.to_vec();
        Stream::new(self.wish.seed, "conditional rows", 0, 0).shuffle(&mut some);
        some.truncate(most);
        self.sample.joint(&some, ridge, from, self.going)
    }

    /// The ridge with the least held-out loss, and what it leads to in each fold.
    fn ridge(&self, rows: &[usize], folds: &[Fold]) -> (f64, Vec<Started>) {
        let few = rows.len() < FEW_ROWS * self.sample.data.columns;
        let ridges = match self.wish.ridge {
            Some(ridge) => vec![ridge],
            None if folds.is_empty() => vec![RIDGES[0]],
            None if few => RIDGES.to_vec(),
            None => vec![RIDGES[RIDGES.len() - 1]],
        };
        if folds.is_empty() {
            return (ridges[0], Vec::new());
        }
        // Of each fold: what each ridge leads to, from the stronger one before it on, and its loss.
        let tried: Vec<Vec<(Started, f64)>> = folds
            .par_iter()
            .map(|Fold { learned, held_out }| {
                let mut own: Vec<(Started, f64)> = Vec::new();
                for ridge in &ridges {
                    let started = self.start(learned, *ridge, own.last().map(|(started, _)| started));
                    let loss = match ridges.len() {
                        1 => 0.0,
                        _ => self.losses(&self.sample.point(&started, learned), held_out).iter().sum(),
                    };
                    own.push((started, loss));
                }
                own
            })
            .collect();
        let loss = |place: usize| tried.iter().map(|own| own[place].1).sum::<f64>();
        let best = (0..ridges.len()).min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(0);
        (ridges[best], tried.into_iter().map(|mut own| own.swap_remove(best).0).collect())
    }

    /// Learns a stage from the start on.
    fn next(&self, point: Point, stage: Stage, rows: &[usize], fold: u64) -> Point {
        let Wish { steps, rate, seed, .. } = self.wish;
        let sites = stage >= Stage::Sites && point.has_sites() && self.wish.sites != Some(false);
        let plan = Plan { distribution: sites && stage >= Stage::Distribution, sites, steps, rate };
        let stream = Stream::new(seed, "conditional steps", fold, stage as u64);
        let point = if sites { point.speaking() } else { point };
        let point = match stage {
            Stage::Network => point.with_network(&mut Stream::new(seed, "conditional network", fold, 0)),
            _ => point,
        };
        point.train(self.sample, rows, plan, stream, self.going)
    }

    /// Held-out losses of all stages. A network, which takes longest, is tried in the other folds only if it is better
    /// in the first.
    fn compared(&self, folds: &[Fold], starts: &[Started]) -> Losses {
        let mut trials: Vec<(Losses, Point)> = folds
            .par_iter()
            .zip(starts)
            .enumerate()
            .map(|(place, (fold, started))| self.tried(place, fold, started))
            .collect();
        let network = |(place, (fold, trial)): (usize, (&Fold, &mut (Losses, Point)))| {
            let point = self.next(trial.1.clone(), Stage::Network, &fold.learned, 1 + place as u64);
            trial.0[Stage::Network as usize] = Some(self.losses(&point, &fold.held_out));
        };
        if self.tries_network(folds) && (self.going)() {
            folds.iter().zip(&mut trials).enumerate().take(1).for_each(network);
            let hopeful = trials.first().is_some_and(|(losses, _)| {
                let sum = |own: &Vec<f64>| own.iter().sum::<f64>();
                let others =
                    losses[..Stage::Network as usize].iter().flatten().map(sum).fold(f64::INFINITY, f64::min);
                losses[Stage::Network as usize].as_ref().is_some_and(|own| sum(own) < others)
            });
            if hopeful && (self.going)() {
                folds.par_iter().zip(&mut trials).enumerate().skip(1).for_each(network);
            }
        }
        // Of all folds together, for stages that all have.
        let mut all: Losses = [const { None }; STAGES.len()];
        for (place, own) in all.iter_mut().enumerate() {
            let parts: Option<Vec<&Vec<f64>>> =
                trials.iter().map(|(losses, _)| losses[place].as_ref()).collect();
            *own = parts
                .filter(|parts| !parts.is_empty())
                .map(|parts| parts.into_iter().flatten().copied().collect());
        }
        all
    }

    fn tries_network(&self, folds: &[Fold]) -> bool {
        let enough = folds.iter().all(|fold| fold.learned.len() + fold.held_out.len() >= FEWEST_FOR_NETWORK);
        self.wish.network.unwrap_or(enough)
    }

    /// Held-out losses of the stages before a network, and where they started.
    fn tried(&self, place: usize, fold: &Fold, started: &Started) -> (Losses, Point) {
        let Fold { learned, held_out } = fold;
        let start = self.sample.point(started, learned);
        let has_sites = start.has_sites() && self.wish.sites != Some(false);
        let mut losses: Losses = [const { None }; STAGES.len()];
        losses[Stage::Start as usize] = Some(self.losses(&start, held_out));
        for stage in [Stage::Coefficients, Stage::Sites, Stage::Distribution] {
            let worth = match stage {
                Stage::Coefficients => start.is_of_chances(),
                Stage::Sites => has_sites && learned.len() < MANY_ROWS,
                _ => has_sites && learned.len() >= FEWEST_FOR_DISTRIBUTION,
            };
            if worth && (self.going)() {
                let point = self.next(start.clone(), stage, learned, 1 + place as u64);
                losses[stage as usize] = Some(self.losses(&point, held_out));
            }
        }
        (losses, start)
    }

    /// The stage to go to. Coefficients take the place of the start where they are better at all; later stages must be
    /// better by more than the standard error.
    fn chosen(&self, losses: &Losses) -> Stage {
        let mut best = Stage::Start;
        for stage in STAGES.into_iter().skip(1) {
            let wanted = match stage {
                Stage::Sites | Stage::Distribution => self.wish.sites == Some(true) && best < Stage::Sites,
                _ => false,
            };
            let (Some(new), Some(old)) = (&losses[stage as usize], &losses[best as usize]) else { continue };
            let gains: Vec<f64> = old.iter().zip(new).map(|(old, new)| old - new).collect();
            let count = gains.len().max(2) as f64;
            let mean = gains.iter().sum::<f64>() / count;
            let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
            let error = if stage == Stage::Coefficients { 0.0 } else { (variance / count).sqrt() };
            if wanted || mean > error {
                best = stage;
            }
        }
        best
    }

    /// The loss of each of some rows.
    fn losses(&self, point: &Point, rows: &[usize]) -> Vec<f64> {
        let groups = groups(self.sample.data, rows);
        let items: Vec<Item<'_>> =
            groups.iter().map(|group| Item { observed: &group.observed, rows: &group.rows }).collect();
        let answer = point.answer();
        let mut scores = answer.predict(self.sample.data, &items);
        let outputs = answer.outputs();
        let one = |&row: &usize| {
            let scores = &mut scores[row * outputs..(row + 1) * outputs];
            self.sample.loss.slopes(self.sample.wanted, row, scores)
        };
        rows.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests;
