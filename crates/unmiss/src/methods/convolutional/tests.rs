//! Filling before the network, and several networks as one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::data::Data;
use crate::data::images::{LABEL, sample};
use crate::encode::{ClassWeights, Coder, Encoding, TargetEncoder};
use crate::missing::{Region, hide_region};

/// Some digits of the sample with squares forgotten.
fn digits(count: usize) -> (Coder, Rows, Targets) {
    let few = sample().unwrap().select(&(0..count).collect::<Vec<_>>());
    let data = Data::from(hide_region(few, &Region::Square(0.25), 1));
    let coder = Coder::fit(&data, &[], Encoding::default()).unwrap();
    let rows = coder.encode(&data, |_, _| {}).unwrap();
    let target = TargetEncoder::fit(&data, LABEL, None).unwrap();
    let targets = target.encode(&data, None, ClassWeights::Equal).unwrap();
    (coder, rows, targets)
}

#[test]
fn training_images_are_filled_from_others() {
    let (coder, rows, _) = digits(40);
    let (coder, rows) = (coder.images().unwrap(), rows.images().unwrap());
    let settings = Settings { missing: Missing::Knn, neighbours: 1, ..Settings::default() };
    let run = Run::new(1, 1).unwrap();
    let (holes, _) = Holes::fit(&settings, coder, rows, &run).unwrap();
    let whole = holes.filled(rows, Some(&run)).unwrap();
    assert!(!whole.images().has_holes() && rows.images().has_holes());
    let means = PixelMeans::fit(coder, rows);
    for (image, cell) in (0..40).flat_map(|image| (0..64).map(move |cell| (image, cell))) {
        let filled = whole.value(image, cell);
        if rows.images().is_known(image, cell) {
            assert_eq!(filled, rows.value(image, cell), "what is known stays");
            continue;
        }
        let knows = |other: &usize| rows.images().is_known(*other, cell);
        let others = (0..40).filter(|other| *other != image).filter(knows);
        let near = |value: f32| (filled - value).abs() < 0.003;
        let found = others.map(|other| rows.value(other, cell)).any(near);
        assert!(found || near(means.means()[cell]), "the value of another image that knows it");
    }
    // Asked with the hidden truth in place, the same image fills itself: it is its own nearest.
    let truth = sample().unwrap().select(&(0..40).collect::<Vec<_>>());
    let truth = coder.encode(&Arc::new(truth)).unwrap();
    let (knowing, _) = Holes::fit(&settings, coder, &truth, &run).unwrap();
    assert_eq!(knowing.filled(rows, None).unwrap().images().values(), truth.images().values());
}

#[test]
fn a_stop_while_holes_are_filled_is_a_stop() {
    let (coder, rows, targets) = digits(30);
    let run = Run::new(1, 1).unwrap();
    run.stop_switch().store(true, Ordering::Relaxed);
    let examples = Examples::new(&coder, &rows, Some(&targets)).unwrap();
    let stopped = Convolutional.fit(&json!({ "missing": "knn" }), examples, &run);
    assert!(matches!(stopped, Err(crate::error::Error::Stopped)));
}

#[test]
fn several_networks_are_averaged_and_come_back() {
    let (coder, rows, targets) = digits(60);
    let settings = json!({ "filters": [[3]], "hidden": [4], "epochs": 2, "networks": 2 });
    let run = Run::new(1, 2).unwrap();
    let examples = Examples::new(&coder, &rows, Some(&targets)).unwrap();
    let learned = Convolutional.fit(&settings, examples, &run).unwrap();
    let arrays = learned.save();
    let layout = Layout { coder: &coder, task: Some(targets.task) };
    let loaded = Convolutional.load(&settings, layout, &arrays).unwrap();
    let answers = |learned: &dyn Learned| learned.predictor().unwrap().predict(&rows).unwrap();
    assert_eq!(answers(&*learned), answers(&*loaded));
    assert_eq!(learned.summary()["best epochs"].as_array().map(Vec::len), Some(2));
    // Each alone, put under the names of a single one, and then averaged.
    let alone = |number: usize| {
        let mut own = arrays.with_prefix(&prefix(number, 2));
        own.put_singles("means", &[64], arrays.singles("means", &[64]).unwrap().to_vec());
        own.put_doubles("best epoch", &[1], vec![1.0]);
        answers(&*Convolutional.load(&settings, layout, &own).unwrap())
    };
    let (first, second) = (alone(0), alone(1));
    assert_ne!(first, second);
    for ((one, other), both) in first.iter().zip(&second).zip(answers(&*learned)) {
        assert!(((one + other) / 2.0 - both).abs() < 1e-12);
    }
}

/// Counts what a run tells, and stops it after so much.
fn stopping_after(run: Run, events: usize) -> (Run, Arc<AtomicUsize>) {
    let (count, switch) = (Arc::new(AtomicUsize::new(0)), run.stop_switch());
    let counted = Arc::clone(&count);
    let run = run.listened_by(move |_| {
        if counted.fetch_add(1, Ordering::Relaxed) + 1 == events {
            switch.store(true, Ordering::Relaxed);
        }
    });
    (run, count)
}

#[test]
fn what_was_stopped_goes_on_to_the_same_weights_with_every_part_of_the_work() {
    let (coder, rows, targets) = digits(40);
    let examples = Examples::new(&coder, &rows, Some(&targets)).unwrap();
    let deep = json!({ "net": "vgg-16", "filters": [[3], [4, 4]], "hidden": [5], "missing": "sn-conv", "sn-depth": 9,
                       "batch-norm": "before-relu", "networks": 2, "epochs": 2, "hide": "others", "shift": 1 });
    let filled = json!({ "missing": "dmfa-impute", "filters": [[3]], "hidden": [4], "epochs": 2, "density-epochs": 1 });
    for settings in [deep, filled] {
        let (run, count) = stopping_after(Run::new(1, 1).unwrap(), usize::MAX);
        let whole = Convolutional.fit(&settings, examples, &run).unwrap();
        let events = count.load(Ordering::Relaxed);
        for stop in [events / 4, events / 2, 3 * events / 4] {
            let folder = tempfile::tempdir().unwrap();
            let run = || Run::new(1, 1).unwrap().checkpoints_in(folder.path());
            let (cut, _) = stopping_after(run(), stop);
            if let Ok(cut) = Convolutional.fit(&settings, examples, &cut) {
                let answers = cut.predictor().unwrap().predict(&rows).unwrap();
                assert!(answers.iter().all(|answer| answer.is_finite()), "what there was until then");
            }
            let resumed = Convolutional.fit(&settings, examples, &run()).unwrap();
            assert_eq!(resumed.save(), whole.save(), "{settings} stopped after {stop} of {events} events");
        }
    }
}
