//! The loop on a sparse network: it learns, keeps the best, stops, resumes and recovers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::error::Error;
use crate::nn::schedule::Schedule;
use crate::nn::sparse::tests::{INPUTS, OUTPUTS, batch, network, squares};
use crate::nn::sparse::{Pattern, Squash};
use crate::rng::Stream;
use crate::run::{Event, StopReason};

/// A sum of squares over fixed entries.
struct Squares(Batch);

impl SparseLearner for Squares {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn batch(&self, rows: &[u32], _: u64, _: usize) -> Batch {
        let pick = |pattern: &Pattern, values: &[f32], width: usize| {
            let (mut starts, mut columns, mut kept) = (vec![0], Vec::new(), Vec::new());
            for row in rows {
                let entries = pattern.row(*row as usize);
                columns.extend_from_slice(&pattern.columns[entries.clone()]);
                kept.extend_from_slice(&values[entries]);
                starts.push(columns.len());
            }
            (Arc::new(Pattern::new(width, starts, columns)), kept)
        };
        let places = &self.0.inputs.places;
        let values: Vec<f32> = places.iter().map(|place| self.0.values[*place as usize]).collect();
        let (inputs, values) = pick(&self.0.inputs, &values, INPUTS);
        let (outputs, targets) = pick(&self.0.outputs, &self.0.targets, OUTPUTS);
        Batch::new(inputs, &values, outputs, targets)
    }
    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64 {
        let mut loss = 0.0;
        for ((score, target), gradient) in scores.iter().zip(&batch.targets).zip(gradients) {
            *gradient = 2.0 * (score - target);
            loss += f64::from(score - target).powi(2);
        }
        loss
    }
    fn validate(&self, _: &SparseNetwork) -> Option<f64> {
        None
    }
}

#[test]
fn training_learns_in_whole_and_in_parts() {
    let learner = Squares(batch(4));
    for (rows, rate) in [(0, 1e-2), (4, 1e-2)] {
        let settings = SparseSettings {
            epochs: 300,
            batch: rows,
            optimizer: Optimizer::default(),
            rate,
            decay: [0.0; 2],
            patience: 0,
            ..SparseSettings::default()
        };
        let train = |threads| {
            let run = Run::new(1, threads).unwrap();
            train_sparse(&learner, network(30, Squash::Tanh), &settings, &run).unwrap()
        };
        let trained = train(1);
        assert!(trained.network == train(2).network);
        let mut work = Work::default();
        trained.network.forward(&learner.0, &mut work);
        let loss = squares(&learner.0, &mut work) / work.scores.len() as f32;
        assert!(loss < 0.02, "{loss}");
    }
}

/// Squares whose looks at the network get these scores, one after the other; what was looked at is kept.
struct Scored {
    squares: Squares,
    scores: Vec<f64>,
    seen: Mutex<Vec<SparseNetwork>>,
}

impl SparseLearner for Scored {
    fn rows(&self) -> usize {
        self.squares.rows()
    }
    fn batch(&self, rows: &[u32], seed: u64, epoch: usize) -> Batch {
        self.squares.batch(rows, seed, epoch)
    }
    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64 {
        self.squares.loss(batch, scores, gradients)
    }
    fn validate(&self, network: &SparseNetwork) -> Option<f64> {
        let mut seen = self.seen.lock().unwrap();
        seen.push(network.clone());
        Some(self.scores[seen.len() - 1])
    }
}

#[test]
fn the_best_network_by_validation_is_given_back() {
    let scores = vec![3.0, 2.0, 2.5, 1.0, 1.5, 1.2, 4.0];
    let learner = Scored { squares: Squares(batch(4)), scores, seen: Default::default() };
    let settings = SparseSettings {
        epochs: 100,
        batch: 4,
        optimizer: Optimizer::default(),
        rate: 1e-2,
        decay: [0.1; 2],
        patience: 3,
        ..SparseSettings::default()
    };
    let run = Run::new(1, 2).unwrap();
    let trained = train_sparse(&learner, network(30, Squash::Tanh), &settings, &run).unwrap();
    assert_eq!((trained.best_epoch, trained.epochs, trained.validation), (4, 7, Some(1.0)));
    let seen = learner.seen.lock().unwrap();
    assert!(trained.network == seen[3] && seen[3] != seen[1] && seen[3] != seen[6]);
}

/// Squares, with an epoch's noise on the targets if they vary, that flip a switch at some step.
struct Stopping {
    squares: Squares,
    judged: bool,
    varies: bool,
    losses: AtomicUsize,
    stop: Option<(usize, Arc<AtomicBool>)>,
}

impl SparseLearner for Stopping {
    fn rows(&self) -> usize {
        self.squares.rows()
    }
    fn varies(&self) -> bool {
        self.varies
    }
    fn batch(&self, rows: &[u32], seed: u64, epoch: usize) -> Batch {
        let mut batch = self.squares.batch(rows, seed, epoch);
        let mut noise = Stream::new(seed, "noise", u64::from(rows[0]), epoch as u64);
        let size = if self.varies { 0.1 } else { 0.0 };
        batch.targets.iter_mut().for_each(|target| *target += size * noise.normal() as f32);
        batch
    }
    fn loss(&self, batch: &Batch, scores: &[f32], gradients: &mut [f32]) -> f64 {
        let place = self.losses.fetch_add(1, Ordering::Relaxed);
        if let Some((_, switch)) = self.stop.as_ref().filter(|(step, _)| *step == place) {
            switch.store(true, Ordering::Relaxed);
        }
        self.squares.loss(batch, scores, gradients)
    }
    fn validate(&self, network: &SparseNetwork) -> Option<f64> {
        let mut work = Work::default();
        network.forward(&self.squares.0, &mut work);
        // Some distance from the targets is best here, so that the best are not always the last.
        self.judged.then(|| (f64::from(squares(&self.squares.0, &mut work)) - 20.0).abs())
    }
}

#[test]
fn a_resumed_training_ends_in_the_same_weights() {
    let rprop: Optimizer = serde_json::from_value(serde_json::json!({ "rprop": {} })).unwrap();
    // All rows at once, the same and others every time; three batches an epoch, judged and not.
    // The last two: the running mean of the weights, judged and not, under a rate that falls.
    let falls = Schedule::Plateau { factor: 0.25, patience: 1, threshold: 0.0, minimum: 0.01 };
    for (rows, varies, judged, optimizer, schedule, averaging) in [
        (0, false, true, rprop, Schedule::Constant, 0.0),
        (0, true, true, Optimizer::default(), Schedule::Constant, 0.0),
        (4, false, true, Optimizer::default(), Schedule::Constant, 0.0),
        (4, true, false, Optimizer::default(), Schedule::Constant, 0.0),
        (4, true, true, Optimizer::default(), falls, 0.9),
        (4, true, false, Optimizer::default(), falls, 0.9),
    ] {
        let (rate, decay, patience) = (0.03, [0.1, 0.2], 5);
        let settings =
            SparseSettings { epochs: 8, batch: rows, optimizer, rate, decay, patience, schedule, averaging };
        let train = |run: &Run, stop: Option<usize>| {
            let stop = stop.map(|step| (step, run.stop_switch()));
            let learner =
                Stopping { squares: Squares(batch(4)), judged, varies, losses: AtomicUsize::new(0), stop };
            train_sparse(&learner, network(70, Squash::Tanh), &settings, run).unwrap()
        };
        let run = |threads: usize| Run::new(7, threads).unwrap();
        let whole = train(&run(1), None);
        for step in [0, 1, 4, 5] {
            let folder = tempfile::tempdir().unwrap();
            let cut = train(&run(1).checkpoints_in(folder.path()), Some(step));
            assert_eq!(cut.stopped, Why::Stopped(StopReason::Asked), "{rows} {varies} {step}");
            let (resumed, events) = heard(run(2).checkpoints_in(folder.path()));
            let resumed = train(&resumed, None);
            assert!(
                events
                    .lock()
                    .unwrap()
                    .iter()
                    .any(|event| matches!(event, Event::Note(text) if text.starts_with("going on")))
            );
            assert!(resumed.network == whole.network, "{rows} {varies} {step}");
            let ends = |trained: &SparseTrained| {
                (trained.best_epoch, trained.epochs, trained.validation, trained.stopped)
            };
            assert_eq!(ends(&resumed), ends(&whole));
            // What has come to its end is there at once.
            let again = train(&run(1).checkpoints_in(folder.path()), Some(0));
            assert!(again.network == whole.network && again.stopped == whole.stopped);
        }
    }
}

#[test]
fn time_that_runs_out_ends_a_training_with_the_best_so_far() {
    let learner = Stopping {
        squares: Squares(batch(4)),
        judged: true,
        varies: true,
        losses: AtomicUsize::new(0),
        stop: None,
    };
    let settings = SparseSettings {
        epochs: 1_000_000_000,
        batch: 4,
        optimizer: Optimizer::default(),
        rate: 1e-3,
        decay: [0.0; 2],
        patience: 0,
        ..SparseSettings::default()
    };
    let run = Run::new(1, 2).unwrap();
    let late = run.clone().within(Duration::from_millis(500));
    let trained = train_sparse(&learner, network(30, Squash::Tanh), &settings, &late).unwrap();
    assert_eq!(trained.stopped, Why::Stopped(StopReason::OutOfTime));
    assert!(trained.epochs > 0 && learner.validate(&trained.network) == trained.validation);
    let over = run.within(Duration::ZERO);
    let error = train_sparse(&learner, network(30, Squash::Tanh), &settings, &over).err();
    assert!(matches!(error, Some(Error::Stopped)));
}

/// A rate that makes the loss explode: with something to go back to it is halved, without it is an error.
#[test]
fn a_loss_that_is_not_finite_is_gone_back_from_or_told() {
    for judged in [true, false] {
        let learner = Stopping {
            squares: Squares(batch(4)),
            judged,
            varies: false,
            losses: AtomicUsize::new(0),
            stop: None,
        };
        let settings = SparseSettings {
            epochs: 40,
            batch: 4,
            optimizer: Optimizer::Sgd { momentum: 0.0, nesterov: false },
            rate: 0.2,
            decay: [0.0; 2],
            patience: 0,
            ..SparseSettings::default()
        };
        let (run, events) = heard(Run::new(1, 1).unwrap());
        let trained = train_sparse(&learner, network(30, Squash::Tanh), &settings, &run);
        let notes = events.lock().unwrap().iter().filter(|event| matches!(event, Event::Note(_))).count();
        match judged {
            true => assert!(notes > 0 && trained.unwrap().network.finite()),
            false => assert!(trained.err().unwrap().to_string().contains("not a finite number")),
        }
    }
}

/// What a run told.
fn heard(run: Run) -> (Run, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&events);
    (run.listened_by(move |event| ears.lock().unwrap().push(event.clone())), events)
}
