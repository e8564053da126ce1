//! Counting the trainings of a bench: progress for the whole, quiet for the single ones, and a look at the
//! stop switch in between.

use crate::run::{Event, Run};

/// How far a bench is.
pub struct Progress<'a> {
    run: &'a Run,
    done: u64,
    total: u64,
}

impl<'a> Progress<'a> {
    pub fn new(run: &'a Run, total: usize) -> Self {
        Self { run, done: 0, total: total as u64 }
    }

    /// Tells what comes next; false if the run was stopped.
    pub fn next(&mut self, what: &str) -> bool {
        if self.run.stopped() {
            return false;
        }
        self.run.progress(self.done, self.total, what);
        self.done += 1;
        true
    }

    /// Whether everything was done.
    pub fn end(self) -> bool {
        self.run.finished();
        self.done == self.total && !self.run.stopped()
    }
}

/// The run for one training of a repetition: its own seed, and no progress of its own among hundreds.
pub fn single(run: &Run, repetition: usize) -> Run {
    let outer = run.clone();
    run.with_seed(run.seed() + repetition as u64).listened_by(move |event| {
        if matches!(event, Event::Note(_) | Event::Warning(_)) {
            outer.tell(event);
        }
    })
}
