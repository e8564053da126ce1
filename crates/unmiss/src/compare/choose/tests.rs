use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::*;
use crate::compare::Division;
use crate::data::{Column, Kind, ReadOptions, Table, read};
use crate::methods::folds::{MOST_ROWS_COMPARED, ROWS_KEPT_APART};
use crate::model::Predictions;
use crate::run::Event;

fn penguins() -> Data {
    read("sample:penguins".as_ref(), &ReadOptions::default()).unwrap().table.into()
}

fn mass() -> Roles {
    Roles::target("body_mass_g")
}

fn recipes(names: &[&str]) -> Vec<Recipe> {
    names.iter().map(|name| Recipe::named(name).unwrap()).collect()
}

fn numbers(model: &Model, data: &Data) -> Vec<f64> {
    let Predictions::Numbers(values) = model.predicting().unwrap().predict(data, |_, _| {}).unwrap() else {
        panic!("a number")
    };
    values
}

fn ensemble(methods: &str) -> Vec<Recipe> {
    vec![Recipe::named("ensemble").unwrap().set("methods", methods).unwrap()]
}

/// The model that is shipped is the mean of models that each saw all folds but one; the rows of a fold change nothing
/// of its own model. So for one method and for several.
#[test]
fn what_is_shipped_is_what_was_measured() {
    let (data, run) = (penguins(), Run::new(3, 2).unwrap());
    for recipes in [recipes(&["linear"]), ensemble(r#"["linear", "trees"]"#)] {
        let (model, choice) = fit_best(&data, &mass(), &recipes, Some(4), &run).unwrap();
        assert_eq!(model.predicting().unwrap().fold_models(), Some(4));
        // Held-out predictions are those of the fold models in the file: the row's own model does not know it.
        let labelled = Labelled::new(&data, &mass(), &Division::Free, &run).unwrap();
        let folds = labelled.folds(4, run.seed());
        let rows = model.coder.encode(&mass().labelled(&data).unwrap(), |_, _| {}).unwrap();
        let mut each = Vec::new();
        model.learned_folds().answers(&rows, |_, answers, _| each.push(answers)).unwrap();
        let mut place = 0;
        for (fold, held_out) in folds.held_out.iter().enumerate() {
            for &row in held_out {
                let (file, measured) = (each[fold][row], choice.entries[0].predictions[place]);
                assert!((file - measured).abs() < 1e-4, "{file} {measured}");
                place += 1;
            }
        }
    }
}

/// The mean of several errs less than each of them, and says what each counts.
#[test]
fn an_ensemble_weighs_its_methods() {
    let run = Run::new(3, 2).unwrap();
    let (model, choice) =
        fit_best(&penguins(), &mass(), &ensemble(r#"["trees", "linear"]"#), Some(5), &run).unwrap();
    assert_eq!(model.recipe.method.name(), "ensemble");
    let losses: Vec<f64> = choice.entries.iter().map(Entry::loss).collect();
    assert!(choice.entries.len() == 3 && losses.is_sorted(), "{losses:?}");
    let total: f64 = choice.weights.iter().map(|(_, weight)| weight).sum();
    assert!(total > 0.9 && total <= 1.0 + 1e-9 && choice.weights.iter().all(|(_, own)| *own > 0.0));
    for (told, kept) in choice.weights.iter().zip(model.predicting().unwrap().weights()) {
        assert!(told.0 == kept.0 && (told.1 - kept.1).abs() < 1e-12, "{told:?} {kept:?}");
    }
    assert!(choice.words()[0].contains("The model is a mean of methods"), "{:?}", choice.words());
    let error = fit_best(&penguins(), &mass(), &recipes(&["ensemble", "linear"]), None, &run).err().unwrap();
    assert!(error.to_string().contains("named alone"), "{error}");
}

/// The best of the methods that a mean would have.
#[test]
fn one_of_the_methods_of_a_mean_may_be_wanted_alone() {
    let run = Run::new(3, 2).unwrap();
    let how = Choosing { folds: Some(3), single: true, ..Choosing::default() };
    let (model, choice) =
        fit_best(&penguins(), &mass(), &ensemble(r#"["linear", "additive"]"#), how, &run).unwrap();
    assert_eq!((choice.entries.len(), choice.weights.len()), (2, 0));
    assert_eq!(model.recipe.method.name(), choice.entries[0].recipe.method.name());
}

/// Where there is nothing to learn from few rows, answers stay near the mean.
#[test]
fn noise_from_few_rows_is_answered_with_the_mean() {
    let mut stream = crate::rng::Stream::new(5, "noise", 0, 0);
    let mut normals = |count: usize| -> Vec<f64> { (0..count).map(|_| stream.normal()).collect() };
    let columns = ["a", "b", "c", "d", "y"].map(|name| Column::from_numbers(name, Kind::Real, &normals(30)));
    let data: Data = Table::new(columns.to_vec()).unwrap().into();
    let run = Run::new(1, 2).unwrap();
    let (model, choice) =
        fit_best(&data, &Roles::target("y"), &ensemble(r#"["linear", "trees"]"#), None, &run).unwrap();
    let (loss, alone) =
        (choice.entries[0].loss(), choice.entries.iter().map(Entry::loss).fold(0.0, f64::max));
    assert!(loss < 1.1 && loss <= alone, "{loss} {alone}");
    let answers = numbers(&model, &data);
    let (mean, spread) = (answers.iter().sum::<f64>() / 30.0, |y: &f64, mean: f64| (y - mean).abs());
    assert!(answers.iter().all(|y| spread(y, mean) < 0.6), "{answers:?}");
}

/// Garbage in the rows of a fold, the target included, reaches every model but that fold's.
#[test]
fn a_fold_model_has_seen_nothing_of_its_fold() {
    let mut stream = crate::rng::Stream::new(1, "garbage", 0, 0);
    let x: Vec<f64> = (0..60).map(|row| if row % 7 == 0 { f64::NAN } else { stream.normal() }).collect();
    let y: Vec<f64> = (0..60).map(f64::from).collect();
    let data = |x: &[f64], y: &[f64]| -> Data {
        Table::new(vec![Column::from_numbers("x", Kind::Real, x), Column::from_numbers("y", Kind::Real, y)])
            .unwrap()
            .into()
    };
    let run = Run::new(3, 1).unwrap();
    let recipe = Recipe::named("linear").unwrap();
    let labelled = Labelled::new(&data(&x, &y), &Roles::target("y"), &Division::Free, &run).unwrap();
    let folds = labelled.folds(3, 3);
    let (mut other_x, mut other_y) = (x.clone(), y.clone());
    for &row in &folds.held_out[0] {
        (other_x[row], other_y[row]) = (1e3, -1e4);
    }
    let garbled =
        Labelled::new(&data(&other_x, &other_y), &Roles::target("y"), &Division::Free, &run).unwrap();
    let model = |labelled: &Labelled, fold: usize| {
        let Prepared { coder, rows, targets } = labelled.prepare(Encoding::default()).unwrap();
        let training =
            Training { encoder: coder.table().unwrap(), inputs: rows.table().unwrap(), targets: &targets };
        let splits = Splits::new(training, &labelled.truth, &folds);
        let split = splits.split(fold, Encoding::default());
        let part = split.fit(&recipe, &run).unwrap();
        // In the user's units: those of all rows' target differ between the two tables.
        let target = &labelled.target;
        let rows = part.coder.encode(&data(&[0.5, -0.5], &[0.0, 1.0]), |_, _| {}).unwrap();
        let answers = part.answer(&rows, Task::Regression).unwrap();
        answers.iter().map(|answer| target.mean + target.deviation * answer).collect::<Vec<_>>()
    };
    for (ours, theirs) in model(&labelled, 0).iter().zip(model(&garbled, 0)) {
        assert!((ours - theirs).abs() < 0.01, "{ours} {theirs}");
    }
    assert!((model(&labelled, 1)[0] - model(&garbled, 1)[0]).abs() > 1.0);
}

/// Whoever stops after the first method has its fold models, which are finished, and nothing else is fitted.
#[test]
fn a_stop_ships_what_is_finished() {
    let switch: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let ears = Arc::clone(&switch);
    let run = Run::new(1, 1).unwrap().listened_by(move |event| {
        if matches!(event, Event::Progress { task, .. } if task.contains("trees")) {
            ears.get().unwrap().store(true, Ordering::Relaxed);
        }
    });
    switch.set(run.stop_switch()).unwrap();
    let (model, choice) =
        fit_best(&penguins(), &mass(), &recipes(&["linear", "trees"]), Some(3), &run).unwrap();
    assert_eq!((choice.entries.len(), model.recipe.method.name()), (1, "linear"));
    assert!(model.summary.cut_off.as_ref().unwrap().contains("linear had been compared"));
    assert!(model.predicting().unwrap().reach(0.9).unwrap().is_finite());
    let (alone, _) =
        fit_best(&penguins(), &mass(), &recipes(&["linear"]), Some(3), &Run::new(1, 1).unwrap()).unwrap();
    assert_eq!(numbers(&model, &penguins()), numbers(&alone, &penguins()));
}

/// Fold models that were kept are taken up again, bit for bit; a file of other work is not.
#[test]
fn work_that_was_kept_gives_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let run = |seed: u64| Run::new(seed, 1).unwrap().checkpoints_in(folder.path());
    let fit = |run: &Run| fit_best(&penguins(), &mass(), &recipes(&["trees"]), Some(3), run).unwrap();
    let (first, _) = fit(&run(1));
    let (again, choice) = fit(&run(1));
    assert_eq!(first.to_bytes().unwrap(), again.to_bytes().unwrap());
    // Nothing was trained again.
    assert!(choice.curves.is_empty());
    let (other, choice) = fit(&run(2));
    assert!(!choice.curves.is_empty());
    assert_ne!(numbers(&other, &penguins()), numbers(&again, &penguins()));
}

/// A table too large to be compared as a whole: one model of all rows but those kept apart.
#[test]
fn large_tables_have_one_model_and_split_conformal_intervals() {
    let rows = MOST_ROWS_COMPARED + ROWS_KEPT_APART + 2_000;
    let mut stream = crate::rng::Stream::new(1, "large", 0, 0);
    let x: Vec<f64> = (0..rows).map(|row| if row % 5 == 0 { f64::NAN } else { stream.normal() }).collect();
    let y: Vec<f64> = x
        .iter()
        .map(|x| if x.is_nan() { 2.0 * stream.normal() } else { 2.0 * x + stream.normal() })
        .collect();
    let data: Data = Table::new(vec![
        Column::from_numbers("x", Kind::Real, &x),
        Column::from_numbers("y", Kind::Real, &y),
    ])
    .unwrap()
    .into();
    let run = Run::new(1, 2).unwrap();
    let (model, choice) = fit_best(&data, &Roles::target("y"), &recipes(&["linear"]), None, &run).unwrap();
    assert_eq!((model.predicting().unwrap().fold_models(), choice.folds), (Some(1), 5));
    assert!(model.summary.cut_off.is_none());
    let predicting = model.predicting().unwrap();
    let answers = predicting.answers(&predicting.coder.encode(&data, |_, _| {}).unwrap()).unwrap();
    let intervals = answers.intervals(0.9).unwrap();
    for missing in [false, true] {
        let own: Vec<usize> = (0..rows).filter(|row| x[*row].is_nan() == missing).collect();
        let inside =
            own.iter().filter(|&&row| intervals[row].0 <= y[row] && y[row] <= intervals[row].1).count();
        let coverage = inside as f64 / own.len() as f64;
        assert!((coverage - 0.9).abs() < 0.015, "{missing}: {coverage}");
    }
}

/// What two folds found out about a response that bends holds for the others and for the model of all rows; what the
/// user says holds in any case.
#[test]
fn a_network_behind_the_distribution_is_tried_once_for_all_folds() {
    let mut stream = crate::rng::Stream::new(1, "bowl", 0, 0);
    let x: Vec<f64> = (0..1_000).map(|row| if row % 9 == 0 { f64::NAN } else { stream.normal() }).collect();
    let y: Vec<f64> =
        x.iter().map(|x| if x.is_nan() { 1.0 } else { x * x } + 0.2 * stream.normal()).collect();
    let columns = vec![Column::from_numbers("x", Kind::Real, &x), Column::from_numbers("y", Kind::Real, &y)];
    let (data, run) = (Data::from(Table::new(columns).unwrap()), Run::new(1, 2).unwrap());
    let labelled = Labelled::new(&data, &Roles::target("y"), &Division::Free, &run).unwrap();
    let Prepared { coder, rows, targets } = labelled.prepare(Encoding::default()).unwrap();
    let training =
        Training { encoder: coder.table().unwrap(), inputs: rows.table().unwrap(), targets: &targets };
    let mut folds = labelled.folds(5, 1);
    folds.apart = folds.held_out.pop().unwrap();
    let splits = Splits::new(training, &labelled.truth, &folds);
    for (head, stage) in [("auto", "network"), ("linear", "normal distribution")] {
        let recipe = Recipe::named("conditional").unwrap();
        let recipe =
            recipe.set_all([("steps", "100"), ("rate", "0.03"), ("sites", "no"), ("head", head)]).unwrap();
        let validated = cross_validate(&splits, &[recipe], None, &run).unwrap();
        let (all, _) = learn_from_all(&splits, &validated, &run).unwrap().unwrap();
        let models = validated.models.iter().chain([&all]);
        let chosen: Vec<Value> = models.map(|own| own.parts[0].learned.summary()["chosen"].clone()).collect();
        assert_eq!(chosen, vec![Value::from(stage); 5]);
        // The file says what the user said.
        assert_eq!(validated.members[0].0.settings["head"], head);
    }
}
