//! The loop on small problems: it learns, it is repeatable, it stops, resumes and recovers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::nn::loss::squared_error;
use crate::nn::product::tests::random;
use crate::nn::{Activation, Engine, Plain, Taped};
use crate::rng::Stream;
use crate::run::Event;

/// `y = |x1| + x2 x3` from three inputs, by a network of two hidden layers with noise on its input.
struct Curve {
    inputs: Vec<f32>,
    targets: Vec<f32>,
    rows: usize,
    hidden: usize,
    judged: bool,
    /// Batches whose loss is replaced by NaN: from this step on, for so many steps.
    poisoned: Option<(usize, usize)>,
    steps: AtomicUsize,
}

impl Curve {
    fn new(rows: usize, hidden: usize) -> Self {
        let inputs = random(rows * 3, "inputs");
        let targets = inputs.chunks(3).map(|x| x[0].abs() + x[1] * x[2]).collect();
        let steps = AtomicUsize::new(0);
        Self { inputs, targets, rows, hidden, judged: true, poisoned: None, steps }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let mut parameters = Parameters::new();
        let sizes = [3, self.hidden, self.hidden, 1];
        for (layer, pair) in sizes.windows(2).enumerate() {
            let scale = (2.0 / pair[0] as f64).sqrt();
            parameters.add_dense(&layer.to_string(), pair[0], pair[1], || (scale * stream.normal()) as f32);
        }
        parameters
    }

    fn forward<E: Engine>(&self, engine: &mut E, inputs: Vec<f32>) -> E::Value {
        let rows = inputs.len() / 3;
        let input = engine.input(inputs, rows);
        let first = engine.dense(input, 0, Activation::Relu);
        let second = engine.dense(first, 2, Activation::Relu);
        engine.dense(second, 4, Activation::Identity)
    }
}

impl Learner for Curve {
    fn rows(&self) -> usize {
        self.rows
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let mut noise = Stream::new(moment.seed, "noise", moment.step, 0);
        let mut inputs: Vec<f32> = rows.iter().flat_map(|row| self.inputs[3 * row..][..3].to_vec()).collect();
        inputs.iter_mut().for_each(|x| *x += 0.01 * noise.normal() as f32);
        let targets: Vec<f32> = rows.iter().map(|row| self.targets[*row]).collect();
        let said = self.forward(&mut Taped::new(parameters, moment), inputs);
        let loss = squared_error(said, &targets, None);
        let step = self.steps.fetch_add(1, Ordering::Relaxed);
        match self.poisoned {
            Some((first, count)) if (first..first + count).contains(&step) => loss * f32::NAN,
            _ => loss,
        }
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let error = |(p, t): (&f32, &f32)| f64::from(p - t).powi(2);
        let predictions = self.forward(&mut Plain::new(parameters), self.inputs.clone());
        self.judged.then(|| {
            predictions.values().iter().zip(&self.targets).map(error).sum::<f64>() / self.rows as f64
        })
    }
}

fn settings() -> TrainSettings {
    TrainSettings {
        epochs: 12,
        batch: 32,
        rate: 0.01,
        schedule: Schedule::Cosine,
        clip: Some(1.0),
        ..TrainSettings::default()
    }
}

fn run(threads: usize) -> Run {
    Run::new(7, threads).unwrap()
}

#[test]
fn it_learns() {
    let curve = Curve::new(400, 24);
    let settings = TrainSettings { epochs: 60, ..settings() };
    let trained = train(&curve, curve.parameters(), &settings, &run(1)).unwrap();
    let (first, last) = (trained.history[0], trained.history[59]);
    assert!(last.loss < 0.1 * first.loss, "{first:?} {last:?}");
    let best = trained.history.iter().filter_map(|epoch| epoch.validation).fold(f64::INFINITY, f64::min);
    assert_eq!(curve.validate(&trained.parameters), Some(best));
    assert_eq!(trained.history[trained.best_epoch - 1].validation, Some(best));
    assert_eq!(trained.stopped, Why::Epochs);
}

#[test]
fn threads_do_not_change_a_bit() {
    let curve = Curve::new(600, 200);
    let settings = TrainSettings { epochs: 2, batch: 256, ..settings() };
    let with = |threads| train(&curve, curve.parameters(), &settings, &run(threads)).unwrap();
    let (one, two) = (with(1), with(2));
    assert_eq!(one.parameters, two.parameters);
    assert_eq!(one.history, two.history);
}

#[test]
fn patience_ends_it_and_keeps_the_best() {
    let mut curve = Curve::new(100, 8);
    let settings = TrainSettings { epochs: 50, rate: 1e-12, patience: Some(3), ..settings() };
    // Steps too small to be seen: no epoch is better than the first weights.
    let trained = train(&curve, curve.parameters(), &settings, &run(1)).unwrap();
    assert_eq!((trained.stopped, trained.history.len(), trained.best_epoch), (Why::Patience, 3, 0));
    curve.judged = false;
    let trained = train(&curve, curve.parameters(), &settings, &run(1)).unwrap();
    assert_eq!((trained.stopped, trained.history.len(), trained.best_epoch), (Why::Epochs, 50, 50));
}

/// A learner that flips the run's stop switch at a step.
struct StopsAt<'a> {
    inner: &'a Curve,
    step: u64,
    switch: Arc<std::sync::atomic::AtomicBool>,
}

impl Learner for StopsAt<'_> {
    fn rows(&self) -> usize {
        self.inner.rows()
    }
    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        if moment.step == self.step {
            self.switch.store(true, Ordering::Relaxed);
        }
        self.inner.loss(parameters, rows, moment)
    }
    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        self.inner.validate(parameters)
    }
}

/// Trains until a step, as if interrupted there.
fn interrupted(curve: &Curve, step: u64, settings: &TrainSettings, run: &Run) -> Result<Trained> {
    let learner = StopsAt { inner: curve, step, switch: run.stop_switch() };
    train(&learner, curve.parameters(), settings, run)
}

#[test]
fn a_resumed_training_ends_where_an_uninterrupted_one_does() {
    let curve = Curve::new(200, 12);
    let plateau = Schedule::Plateau { factor: 0.5, patience: 0, threshold: 0.1, minimum: 0.01 };
    for schedule in [Schedule::Cosine, plateau] {
        let settings = TrainSettings { schedule, ..settings() };
        let whole = train(&curve, curve.parameters(), &settings, &run(1)).unwrap();
        // 7 batches an epoch: in the middle of an epoch, at an end, in the first, at the last step.
        for step in [17, 20, 3, 83] {
            let folder = tempfile::tempdir().unwrap();
            let stopped =
                interrupted(&curve, step, &settings, &run(1).checkpoints_in(folder.path())).unwrap();
            assert_eq!(
                stopped.stopped,
                if step == 83 { Why::Epochs } else { Why::Stopped(StopReason::Asked) }
            );
            let resumed =
                train(&curve, curve.parameters(), &settings, &run(2).checkpoints_in(folder.path())).unwrap();
            assert_eq!(resumed.parameters, whole.parameters, "after step {step}");
            assert_eq!((&resumed.history, resumed.best_epoch), (&whole.history, whole.best_epoch));
        }
    }
}

#[test]
fn a_stop_keeps_what_is_worth_keeping() {
    let mut curve = Curve::new(200, 12);
    let before = run(1);
    before.stop_switch().store(true, Ordering::Relaxed);
    assert!(matches!(train(&curve, curve.parameters(), &settings(), &before), Err(Error::Stopped)));
    let first = interrupted(&curve, 2, &settings(), &run(1)).unwrap();
    assert!(first.history.is_empty() && first.parameters.finite() && first.parameters != curve.parameters());
    let later = interrupted(&curve, 30, &settings(), &run(1)).unwrap();
    assert_eq!(curve.validate(&later.parameters), later.history[later.best_epoch - 1].validation);
    assert!(
        first.cut_off().is_none() && later.cut_off().is_some_and(|words| words.contains("the best then"))
    );
    assert!(train(&curve, curve.parameters(), &settings(), &run(1)).unwrap().cut_off().is_none());
    curve.judged = false;
    let last = interrupted(&curve, 30, &settings(), &run(1)).unwrap();
    assert!(last.cut_off().is_none());
    assert_ne!(last.parameters, later.parameters);
}

#[test]
fn time_that_runs_out_is_told_from_a_stop() {
    let curve = Curve::new(200, 12);
    let settings = TrainSettings { epochs: 1_000_000, ..settings() };
    let late = run(1).within(Duration::from_millis(500));
    let trained = train(&curve, curve.parameters(), &settings, &late).unwrap();
    assert_eq!(trained.stopped, Why::Stopped(StopReason::OutOfTime));
    assert_eq!(curve.validate(&trained.parameters), trained.history[trained.best_epoch - 1].validation);
}

/// What a run told.
fn heard(run: Run) -> (Run, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&events);
    (run.listened_by(move |event| ears.lock().unwrap().push(event.clone())), events)
}

#[test]
fn damaged_and_foreign_checkpoints_are_left_aside() {
    let curve = Curve::new(200, 12);
    let whole = train(&curve, curve.parameters(), &settings(), &run(1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    interrupted(&curve, 30, &settings(), &run(1).checkpoints_in(folder.path())).unwrap();
    let mut files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let path = files.find(|path| path.extension().is_some_and(|ending| ending == "training")).unwrap();
    let good = std::fs::read(&path).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() - 100] ^= 1;
    let damages = [good[..good.len() / 2].to_vec(), b"garbage".to_vec(), Vec::new(), flipped];
    for damage in damages {
        std::fs::write(&path, damage).unwrap();
        let (run, events) = heard(run(1).checkpoints_in(folder.path()));
        let again = train(&curve, curve.parameters(), &settings(), &run).unwrap();
        assert_eq!(again.parameters, whole.parameters);
        let warned = |event: &Event| matches!(event, Event::Warning(text) if text.contains("checkpoint"));
        assert!(events.lock().unwrap().iter().any(warned));
    }
    std::fs::write(&path, good).unwrap();
    let other = TrainSettings { rate: 0.02, ..settings() };
    let fresh = train(&curve, curve.parameters(), &other, &run(1)).unwrap();
    let beside = train(&curve, curve.parameters(), &other, &run(1).checkpoints_in(folder.path())).unwrap();
    assert_eq!(fresh.parameters, beside.parameters);
}

#[test]
fn a_loss_that_is_not_finite_halves_the_rate_and_in_the_end_is_an_error() {
    let mut curve = Curve::new(200, 12);
    curve.poisoned = Some((18, 2));
    let (listened, events) = heard(run(1));
    let trained = train(&curve, curve.parameters(), &settings(), &listened).unwrap();
    assert_eq!(trained.history.len(), 12);
    assert!(trained.parameters.finite());
    // Two poisoned steps, two halvings: the third epoch runs at a quarter of the planned rate.
    let share = 20.0 / 84.0 * std::f64::consts::PI;
    let planned = 0.01 * 0.5 * (1.0 + share.cos());
    assert!((trained.history[2].rate - planned / 4.0).abs() < 1e-12);
    let notes = events.lock().unwrap().iter().filter(|event| matches!(event, Event::Note(_))).count();
    assert_eq!(notes, 2);
    curve.poisoned = Some((0, usize::MAX / 2));
    curve.steps = AtomicUsize::new(0);
    let error = train(&curve, curve.parameters(), &settings(), &run(1).part("curve")).unwrap_err();
    assert!(error.to_string().contains("not a finite number") && error.hint().is_some(), "{error}");
}

#[test]
fn progress_is_told_and_closed() {
    let curve = Curve::new(100, 8);
    let (run, events) = heard(run(1).part("curve"));
    train(&curve, curve.parameters(), &settings(), &run).unwrap();
    let events = events.lock().unwrap();
    assert!(matches!(&events[0], Event::Progress { task, total: 48, .. } if task == "curve"));
    assert_eq!(events.last(), Some(&Event::Finished { task: "curve".into() }));
}

#[test]
fn settings_are_checked() {
    let curve = Curve::new(10, 2);
    let bad = [
        TrainSettings { rate: 0.0, ..settings() },
        TrainSettings { epochs: 0, ..settings() },
        TrainSettings { clip: Some(f64::NAN), ..settings() },
        TrainSettings { weight_decay: -1.0, ..settings() },
    ];
    for settings in bad {
        assert!(train(&curve, curve.parameters(), &settings, &run(1)).is_err());
    }
    assert!(train(&Curve::new(0, 2), Curve::new(0, 2).parameters(), &settings(), &run(1)).is_err());
    let text = serde_json::to_string(&settings()).unwrap();
    assert_eq!(serde_json::from_str::<TrainSettings>(&text).unwrap(), settings());
}
