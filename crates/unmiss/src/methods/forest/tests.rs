//! A forest as a whole: what it learns, threads, weights, stopping, damaged files.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::*;
use crate::data::{Column, Kind, Table};
use crate::encode::Encoded;
use crate::rng::Stream;

type Sample = (Encoder, Encoded, Targets);

/// Numbers and a category with holes; the target depends on all of them.
fn sample(rows: usize, classes: usize) -> Sample {
    let mut stream = Stream::new(4, "forest", rows as u64, classes as u64);
    let mut numbers: Vec<Vec<f64>> = (0..4).map(|_| (0..rows).map(|_| stream.normal()).collect()).collect();
    let codes: Vec<usize> = (0..rows).map(|_| stream.below(6)).collect();
    let sums: Vec<f64> = (0..rows)
        .map(|row| numbers[0][row] + numbers[1][row].abs() + [0.0, 2.0, -1.0, 2.0, 0.0, -1.0][codes[row]])
        .collect();
    numbers.iter_mut().flatten().for_each(|cell| *cell = if stream.below(5) == 0 { f64::NAN } else { *cell });
    let words: Vec<Option<String>> =
        codes.iter().map(|code| (stream.below(9) > 0).then(|| format!("level {code}"))).collect();
    let named = numbers.iter().zip(["a", "b", "c", "d"]);
    let mut columns: Vec<Column> =
        named.map(|(cells, name)| Column::from_numbers(name, Kind::Real, cells)).collect();
    columns.push(Column::from_words("word", Kind::Category, &words));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let table = Table::new(columns).unwrap();
    let encoder = Encoder::fit(&table, &names, RandomForest.encoding(&Value::Null).unwrap()).unwrap();
    let inputs = encoder.encode(&table, |_, _| {}).unwrap();
    let task = if classes == 0 { Task::Regression } else { Task::Classification { classes } };
    let class = |sum: &f64| ((sum + 1.0).clamp(0.0, 2.99) / 3.0 * classes as f64) as u32;
    let targets = Targets {
        task,
        numbers: if classes == 0 { sums.iter().map(|sum| *sum as f32).collect() } else { vec![] },
        classes: if classes == 0 { vec![] } else { sums.iter().map(class).collect() },
        weights: vec![1.0; rows],
    };
    (encoder, inputs, targets)
}

fn fit(settings: &Value, (encoder, inputs, targets): &Sample, run: &Run) -> Box<dyn Learned> {
    RandomForest
        .fit(settings, Examples::Table { encoder, rows: inputs, targets: Some(targets) }, run)
        .unwrap()
}

fn loss_of(fitted: &dyn Learned, (_, inputs, targets): &Sample) -> f64 {
    crate::metrics::Score::of(&fitted.predict(inputs), targets).loss()
}

#[test]
fn it_learns_and_says_which_columns_matter() {
    for cuts in ["best", "random", "both"] {
        for (classes, bound) in [(0, 1.2), (2, 0.5), (4, 1.0)] {
            let all = sample(1500, classes);
            let part = |rows: std::ops::Range<usize>| {
                let rows: Vec<usize> = rows.collect();
                (all.0.clone(), all.1.select(&rows), all.2.select(&rows))
            };
            let settings = json!({ "trees": 40, "cuts": cuts });
            let fitted = fit(&settings, &part(0..1000), &Run::new(1, 2).unwrap());
            let loss = loss_of(fitted.as_ref(), &part(1000..1500));
            assert!(loss < bound, "{cuts}, {classes} classes: {loss}");
            let summary = fitted.summary();
            let importance = summary["importance"].as_object().unwrap();
            assert_eq!(importance.keys().next().unwrap(), "word");
            assert!((importance.values().map(|own| own.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn that_a_cell_is_missing_can_decide() {
    let missing = |row: usize| row.is_multiple_of(3);
    let cells: Vec<f64> = (0..300).map(|row| if missing(row) { f64::NAN } else { 1.0 }).collect();
    let table = Table::new(vec![Column::from_numbers("a", Kind::Real, &cells)]).unwrap();
    let encoder = Encoder::fit(&table, &["a".into()], Encoding::default()).unwrap();
    let inputs = encoder.encode(&table, |_, _| {}).unwrap();
    let numbers: Vec<f32> = (0..300).map(|row| f32::from(u8::from(missing(row)))).collect();
    let targets = Targets { task: Task::Regression, numbers, classes: vec![], weights: vec![1.0; 300] };
    for cuts in ["best", "random"] {
        let settings = json!({ "trees": 5, "cuts": cuts });
        let fitted =
            fit(&settings, &(encoder.clone(), inputs.clone(), targets.clone()), &Run::new(1, 1).unwrap());
        let answers = fitted.predict(&inputs);
        assert!((0..300).all(|row| answers[row] == f64::from(u8::from(missing(row)))), "{cuts}");
    }
}

#[test]
fn threads_change_nothing() {
    let data = sample(3000, 3);
    let settings = json!({ "trees": 6 });
    let one = fit(&settings, &data, &Run::new(1, 1).unwrap()).save();
    assert_eq!(one, fit(&settings, &data, &Run::new(1, 3).unwrap()).save());
}

#[test]
fn a_row_of_weight_zero_is_not_there() {
    let (encoder, inputs, mut targets) = sample(200, 0);
    (0..200).filter(|row| row % 3 == 0).for_each(|row| targets.weights[row] = 0.0);
    let mut wild = targets.clone();
    (0..200).filter(|row| row % 3 == 0).for_each(|row| wild.numbers[row] = 1e9);
    let (run, settings) = (Run::new(1, 1).unwrap(), json!({ "trees": 5 }));
    let calm = fit(&settings, &(encoder.clone(), inputs.clone(), targets), &run);
    assert_eq!(calm.save(), fit(&settings, &(encoder, inputs, wild), &run).save());
}

#[test]
fn a_stopped_fit_keeps_what_it_has() {
    let data = sample(400, 2);
    let run = Run::new(1, 2).unwrap();
    run.stop_switch().store(true, Ordering::Relaxed);
    let fitted = fit(&Value::Null, &data, &run);
    assert_eq!(fitted.summary()["trees"], json!(1));
    assert!(fitted.predict(&data.1).iter().all(|answer| answer.is_finite()));
}

#[test]
fn damaged_arrays_are_refused_and_never_panic() {
    for classes in [0, 3] {
        let data = sample(120, classes);
        let fitted = fit(&json!({ "trees": 3 }), &data, &Run::new(1, 1).unwrap());
        let good = fitted.save();
        let coder = crate::encode::Coder::Table(data.0.clone());
        let layout = Layout { coder: &coder, task: Some(data.2.task) };
        let load = |arrays: &Arrays| RandomForest.load(&Value::Null, layout, arrays);
        assert_eq!(load(&good).unwrap().predict(&data.1), fitted.predict(&data.1));
        let mut refused = 0;
        let mut attempt = |bad: &Arrays| match load(bad) {
            Ok(loaded) => drop(loaded.predict(&data.1.select(&[0, 1, 2]))),
            Err(_) => refused += 1,
        };
        for name in ["cut counts", "sizes", "gains", "prior", "prior share"] {
            let shape = good.shape(name).unwrap().to_vec();
            let numbers = good.doubles(name, &shape).unwrap().to_vec();
            for place in 0..numbers.len() {
                for wrong in [-1.0, 0.5, 1.0, 4.0, 1e300, f64::NAN, f64::INFINITY] {
                    let (mut bad, mut numbers) = (good.clone(), numbers.clone());
                    numbers[place] = wrong;
                    bad.put_doubles(name, &shape, numbers);
                    attempt(&bad);
                }
            }
        }
        for name in ["nodes", "sets", "counts", "classes"].into_iter().filter(|name| good.bytes(name).is_ok())
        {
            let bytes = good.bytes(name).unwrap().to_vec();
            for place in 0..bytes.len() {
                for wrong in [0, 1, 3, 7, 255] {
                    let (mut bad, mut bytes) = (good.clone(), bytes.clone());
                    bytes[place] = wrong;
                    bad.put_bytes(name, bytes);
                    attempt(&bad);
                }
            }
            let mut bad = good.clone();
            bad.put_bytes(name, bytes[..bytes.len() - 1].to_vec());
            assert!(load(&bad).is_err(), "{name}");
        }
        assert!(refused > 500, "{refused}");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    for wrong in [
        json!({ "trees": 0 }),
        json!({ "min-leaf": 0 }),
        json!({ "columns": 0.0 }),
        json!({ "columns": 1.5 }),
        json!({ "cuts": "no" }),
    ] {
        assert!(RandomForest.encoding(&wrong).is_err(), "{wrong}");
    }
}
