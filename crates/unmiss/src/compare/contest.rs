//! The comparison itself: every contestant on every part, each fit kept as soon as it is done.
//!
//! Parts come first and contestants second, so that a comparison that is stopped has compared all methods on the
//! parts it has done.

use std::path::Path;
use std::time::Instant;

use super::arena::{Arena, Outcome};
use super::comparison::{Comparison, Contestant, Failure, Fit, Question};
use super::held_out_ratings::HeldOutRatings;
use super::held_out_rows::HeldOutRows;
use super::hidden_cells::HiddenCells;
use super::hidden_pixels::HiddenPixels;
use super::hidden_values::HiddenValues;
use super::memory::Meter;
use crate::data::{Data, Shape};
use crate::error::{Act, Error, Result};
use crate::run::Run;

/// What is to be compared.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Predictors on held-out rows, imputers on hidden cells or pixels, or recommenders on held-out ratings.
    pub question: Question,
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// How often, with other folds or other hidden cells.
    pub repeats: usize,
}

/// One fit of a comparison, which can be made anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The place of the method among the contestants.
    pub contestant: usize,
    /// The repeat, from 0.
    pub repeat: usize,
    /// The fold, from 0.
    pub fold: usize,
}

/// A comparison that is being made.
pub struct Contest {
    comparison: Comparison,
    arena: Box<dyn Arena>,
}

impl Contest {
    /// A comparison in which nothing is done yet.
    ///
    /// # Errors
    /// When the data can't answer the question.
    pub fn new(data: &Data, setup: Setup, run: &Run) -> Result<Self> {
        let mut comparison = Comparison::new(data, setup.question, setup.repeats.max(1), run.seed());
        let arena: Box<dyn Arena> = match &comparison.question {
            Question::Predictors { roles, folds, division } => {
                Box::new(HeldOutRows::new(data, roles, division, *folds, run)?)
            }
            Question::Imputers { how, .. } if data.shape() == Shape::Series => {
                Box::new(HiddenValues::new(data, how, run)?)
            }
            Question::Imputers { how, ignore } => {
                Box::new(HiddenCells::new(data, how.parse()?, ignore, run)?)
            }
            Question::Pixels { how } => Box::new(HiddenPixels::new(data, how.parse()?, run)?),
            Question::Recommenders { share } => Box::new(HeldOutRatings::new(data, *share, run)?),
        };
        arena.describe(&mut comparison);
        let mut contest = Self { comparison, arena };
        setup.contestants.into_iter().for_each(|one| contest.add(one));
        Ok(contest)
    }

    /// Takes a contestant in, unless it takes part already, under a label of its own.
    fn add(&mut self, mut contestant: Contestant) {
        let others = &mut self.comparison.contestants;
        if others.iter().any(|other| other.same(&contestant)) {
            return;
        }
        let (base, mut number) = (contestant.label.clone(), 1);
        while others.iter().any(|other| other.label == contestant.label) {
            number += 1;
            contestant.label = format!("{base} #{number}");
        }
        others.push(contestant);
    }

    /// Goes on from an earlier comparison, kept in a file: its fits are not repeated, its methods stay.
    ///
    /// # Errors
    /// When it is of other data, another question or another seed.
    pub fn resume(&mut self, earlier: Comparison, path: &Path) -> Result<()> {
        if let Some((what, act)) = self.difference(&earlier) {
            return Err(Error::model(path, what).with_hint(act));
        }
        let asked = std::mem::replace(&mut self.comparison.contestants, earlier.contestants);
        self.comparison.fits = earlier.fits;
        self.comparison.repeats = self.comparison.repeats.max(earlier.repeats);
        asked.into_iter().for_each(|one| self.add(one));
        Ok(())
    }

    /// What tells another comparison from this one, if anything does, and what to do about it.
    fn difference(&self, other: &Comparison) -> Option<(&'static str, Act)> {
        let (own, same) = (&self.comparison, Act::SameQuestion { seed: other.seed });
        if other.fingerprint != own.fingerprint {
            return Some(("this is a comparison of other data", Act::OtherFile));
        }
        if other.question != own.question {
            return Some((
                "this comparison asked another question (target, roles, folds or hidden cells)",
                same,
            ));
        }
        (other.seed != own.seed).then_some(("this comparison has another seed", same))
    }

    /// The fits that it is made of, in the order in which they are made: tasks that do not depend on each other.
    pub fn tasks(&self) -> Vec<Task> {
        let contestants = 0..self.comparison.contestants.len();
        let at =
            |(repeat, fold)| contestants.clone().map(move |contestant| Task { contestant, repeat, fold });
        parts(&self.comparison).into_iter().flat_map(at).collect()
    }

    /// Makes a single fit, to be put together with the others by [`Contest::join`].
    ///
    /// # Errors
    /// When there is no such fit, or the run was stopped.
    pub fn hold_one(mut self, task: Task, run: &Run) -> Result<Comparison> {
        let contestant = self.comparison.contestants.get(task.contestant).cloned();
        let contestant = contestant.ok_or_else(|| Error::data("the comparison has no such method"))?;
        match timed(&*self.arena, &contestant, task.repeat, task.fold, run) {
            _ if run.stopped() => return Err(Error::Stopped),
            Ok(fit) => self.comparison.fits.push(fit),
            Err(error) => {
                self.comparison.failures.push(failure(contestant.label, (task.repeat, task.fold), &error))
            }
        }
        Ok(self.comparison)
    }

    /// Puts fits together that were made one by one, in the order of [`Contest::tasks`]: what [`Contest::hold`] finds,
    /// but for seconds and memory.
    ///
    /// # Errors
    /// When one of them belongs to another comparison.
    pub fn join(mut self, made: Vec<Comparison>) -> Result<Comparison> {
        if let Some((what, act)) = made.iter().find_map(|one| self.difference(one)) {
            return Err(Error::data(what).with_hint(act));
        }
        let Self { comparison, arena } = &mut self;
        comparison.parts = arena.parts(comparison.repeats);
        for one in made {
            let failed = |label: &String| comparison.failures.iter().any(|own| own.contestant == *label);
            let fits: Vec<Fit> = one.fits.into_iter().filter(|fit| !failed(&fit.contestant)).collect();
            let failures: Vec<Failure> =
                one.failures.into_iter().filter(|own| !failed(&own.contestant)).collect();
            comparison.fits.extend(fits);
            comparison.failures.extend(failures);
        }
        comparison.settle();
        Ok(self.comparison)
    }

    /// Makes every fit that is not done yet. `keep` is given the comparison after each, to be written down.
    /// Stopped, it returns what is done. A method that fails is told and left out; the others go on.
    ///
    /// # Errors
    /// When `keep` fails.
    pub fn hold(mut self, run: &Run, mut keep: impl FnMut(&Comparison) -> Result<()>) -> Result<Comparison> {
        let Self { comparison, arena } = &mut self;
        comparison.parts = arena.parts(comparison.repeats);
        comparison.settle();
        for (repeat, fold) in parts(comparison) {
            for contestant in comparison.contestants.clone() {
                let failed = comparison.failures.iter().any(|failure| failure.contestant == contestant.label);
                if failed || comparison.fit(&contestant.label, repeat, fold).is_some() {
                    continue;
                }
                match timed(&**arena, &contestant, repeat, fold, &named(run, comparison, &contestant)) {
                    // A method that was stopped gives its best so far: that is not what it can do.
                    _ if run.stopped() => return Ok(self.comparison),
                    Ok(fit) => comparison.fits.push(fit),
                    Err(error) => {
                        run.warn(format!("`{}` failed: {error}", contestant.label));
                        comparison.failures.push(failure(contestant.label, (repeat, fold), &error));
                    }
                }
                comparison.settle();
                keep(comparison)?;
                let (done, wanted) = comparison.progress();
                run.part("comparison").progress(done as u64, wanted as u64, time_left(comparison));
            }
        }
        run.part("comparison").finished();
        // A file that was complete already is written too: it may have more repeats, or none of its failures.
        keep(&self.comparison)?;
        Ok(self.comparison)
    }
}

/// What is told of a fit that failed.
fn failure(contestant: String, (repeat, fold): (usize, usize), error: &Error) -> Failure {
    Failure { contestant, repeat, fold, what: error.to_string() }
}

/// Every (repeat, fold) in order.
fn parts(comparison: &Comparison) -> Vec<(usize, usize)> {
    let folds = comparison.folds();
    (0..comparison.repeats).flat_map(|repeat| (0..folds).map(move |fold| (repeat, fold))).collect()
}

fn named(run: &Run, comparison: &Comparison, contestant: &Contestant) -> Run {
    let (done, wanted) = comparison.progress();
    run.part(&format!("fit {} of {wanted}, {}", done + 1, contestant.label))
}

/// One fit with what it cost.
fn timed(arena: &dyn Arena, contestant: &Contestant, repeat: usize, fold: usize, run: &Run) -> Result<Fit> {
    let (meter, start) = (Meter::start(), Instant::now());
    let outcome = arena.fit(contestant, repeat, fold, run)?;
    if !outcome.loss.is_finite() {
        return Err(Error::method(&contestant.method, "its predictions are not finite numbers"));
    }
    let Outcome { settings, loss, figures, classes, columns } = outcome;
    let (seconds, memory) = (start.elapsed().as_secs_f64(), meter.peak());
    let contestant = contestant.label.clone();
    Ok(Fit { contestant, repeat, fold, settings, loss, figures, seconds, memory, classes, columns })
}

/// How long the rest will take, from what each contestant took so far.
fn time_left(comparison: &Comparison) -> String {
    let parts = comparison.repeats * comparison.folds();
    let left = |contestant: &Contestant| {
        let own: Vec<f64> = comparison
            .fits
            .iter()
            .filter(|fit| fit.contestant == contestant.label)
            .map(|fit| fit.seconds)
            .collect();
        let each = own.iter().sum::<f64>() / own.len().max(1) as f64;
        let failed = comparison.failures.iter().any(|failure| failure.contestant == contestant.label);
        if failed { 0.0 } else { each * (parts.saturating_sub(own.len())) as f64 }
    };
    let seconds: f64 = comparison.contestants.iter().map(left).sum();
    if seconds < 90.0 {
        format!("about {seconds:.0} s left")
    } else {
        format!("about {:.0} min left", seconds / 60.0)
    }
}

#[cfg(test)]
mod tests;
