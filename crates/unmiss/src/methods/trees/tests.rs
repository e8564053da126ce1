//! Trees as a whole: threads, weights, stopping, damaged files.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::*;
use crate::data::{Column, Kind, Table};
use crate::encode::Targets;
use crate::rng::Stream;

/// Numbers and a category with holes; the target depends on all of them and on what is missing.
fn sample(rows: usize, classes: usize) -> (Encoder, Encoded, Targets) {
    let mut stream = Stream::new(4, "trees", rows as u64, classes as u64);
    let mut numbers: Vec<Vec<f64>> = (0..4).map(|_| (0..rows).map(|_| stream.normal()).collect()).collect();
    let codes: Vec<usize> = (0..rows).map(|_| stream.below(6)).collect();
    let sums: Vec<f64> = (0..rows)
        .map(|row| numbers[0][row] * numbers[1][row] + [0.0, 2.0, -1.0, 2.0, 0.0, -1.0][codes[row]])
        .collect();
    numbers.iter_mut().flatten().for_each(|cell| *cell = if stream.below(5) == 0 { f64::NAN } else { *cell });
    let words: Vec<Option<String>> =
        codes.iter().map(|code| (stream.below(9) > 0).then(|| format!("level {code}"))).collect();
    let mut columns: Vec<Column> = numbers
        .iter()
        .zip(["a", "b", "c", "d"])
        .map(|(cells, name)| Column::from_numbers(name, Kind::Real, cells))
        .collect();
    columns.push(Column::from_words("word", Kind::Category, &words));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let table = Table::new(columns).unwrap();
    let encoder = Encoder::fit(&table, &names, Trees.encoding(&Value::Null).unwrap()).unwrap();
    let inputs = encoder.encode(&table, |_, _| {}).unwrap();
    let task = if classes == 0 { Task::Regression } else { Task::Classification { classes } };
    let class = |sum: &f64| ((sum + 1.0).clamp(0.0, 1.99) / 2.0 * classes as f64) as u32;
    let targets = Targets {
        task,
        numbers: if classes == 0 { sums.iter().map(|sum| *sum as f32).collect() } else { vec![] },
        classes: if classes == 0 { vec![] } else { sums.iter().map(class).collect() },
        weights: vec![1.0; rows],
    };
    (encoder, inputs, targets)
}

fn fit(
    settings: &Value,
    (encoder, inputs, targets): &(Encoder, Encoded, Targets),
    run: &Run,
) -> Box<dyn Learned> {
    Trees.fit(settings, Examples::Table { encoder, rows: inputs, targets: Some(targets) }, run).unwrap()
}

fn loss_of(fitted: &dyn Learned, (_, inputs, targets): &(Encoder, Encoded, Targets)) -> f64 {
    crate::metrics::Score::of(&fitted.predict(inputs), targets).loss()
}

#[test]
fn it_learns_and_says_which_columns_matter() {
    for (classes, bound) in [(0, 0.9), (2, 0.45), (3, 0.7)] {
        let all = sample(3000, classes);
        let learning: Vec<usize> = (0..2000).collect();
        let testing: Vec<usize> = (2000..3000).collect();
        let part = |rows: &[usize]| (all.0.clone(), all.1.select(rows), all.2.select(rows));
        let fitted = fit(&json!({ "members": 1 }), &part(&learning), &Run::new(1, 2).unwrap());
        let loss = loss_of(fitted.as_ref(), &part(&testing));
        assert!(loss < bound, "{classes} classes: {loss}");
        let summary = fitted.summary();
        let importance = summary["importance"].as_object().unwrap();
        assert_eq!(importance.keys().next().unwrap(), "word");
        assert!((importance.values().map(|share| share.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn threads_change_nothing() {
    // Enough cells for nodes to be shared among threads.
    let data = sample(25_000, 3);
    let settings = json!({ "rounds": 3 });
    let one = fit(&settings, &data, &Run::new(1, 1).unwrap()).save();
    assert_eq!(one, fit(&settings, &data, &Run::new(1, 3).unwrap()).save());
}

/// Of five columns, two fifths are two: no tree asks for more, and not all trees for the same.
#[test]
fn a_tree_asks_for_the_columns_drawn_for_it_alone() {
    let all = sample(300, 0);
    let settings = json!({ "columns": 0.4, "sample": 0.5, "rounds": 20, "members": 1 });
    let columns = |threads: usize| {
        let (run, own) = (Run::new(1, threads).unwrap(), Settings::checked(&settings).unwrap());
        let (encoder, inputs, targets) = &all;
        let forest = run.compute(|| boost::fit(encoder, inputs, targets, &own, &run));
        let of = |tree: &Vec<Node>| {
            let asked = tree.iter().filter_map(|node| match node {
                Node::Split { column, .. } => Some(*column),
                Node::Leaf(_) => None,
            });
            asked.collect::<std::collections::BTreeSet<_>>()
        };
        forest.trees.iter().flatten().map(of).collect::<Vec<_>>()
    };
    let asked = columns(1);
    assert!(asked.iter().all(|own| own.len() <= 2), "{asked:?}");
    assert!(asked.iter().flatten().collect::<std::collections::BTreeSet<_>>().len() > 2, "{asked:?}");
    assert_eq!(asked, columns(2), "threads change nothing");
    assert!(
        Trees.check(&json!({ "sample": 0.0 })).is_err() && Trees.check(&json!({ "columns": 1.5 })).is_err()
    );
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let (encoder, inputs, mut targets) = sample(300, 2);
    // Few bins and rows in ascending order: both fits see the same cuts.
    let twice: Vec<usize> = (0..300).flat_map(|row| vec![row; 1 + row % 2]).collect();
    let columns = bins::Bins::new(&encoder, &inputs, &(0..300).collect::<Vec<_>>(), 255);
    let pick = |four: &Vec<bins::Four>| twice.iter().map(|&row| four[row]).collect();
    let repeated =
        bins::Bins { meanings: columns.meanings.clone(), fours: columns.fours.iter().map(pick).collect() };
    let copies = targets.select(&twice);
    (0..300).for_each(|row| targets.weights[row] = (1 + row % 2) as f32);
    let rules = split::Rules { min_rows: 1, min_hessian: 1.0, l2: 1.0 };
    let grow = |columns: &bins::Bins, targets: &Targets| {
        let rows: Vec<u32> = (0..targets.rows() as u32).collect();
        let base = loss::base(targets, &rows);
        let mut derivatives = vec![[0.0; 2]; rows.len()];
        derivatives.iter_mut().enumerate().for_each(|(row, one)| {
            loss::derivatives(targets, row, &base, std::slice::from_mut(one));
        });
        grow::Grower::new(columns, rules, 15, 1.0).grow(&rows, &[], &derivatives).nodes
    };
    let (weighted, repeated) = (grow(&columns, &targets), grow(&repeated, &copies));
    assert!(weighted.len() > 10);
    let shape = (encoder.numbers.len(), encoder.categories.len());
    for row in 0..300 {
        let [one, other] = [&weighted, &repeated].map(|tree| forest::leaf(tree, shape, &inputs, row));
        assert!((one - other).abs() < 1e-5, "row {row}: {one} {other}");
    }
}

#[test]
fn a_row_of_weight_zero_is_not_there() {
    let (encoder, inputs, mut targets) = sample(200, 0);
    (0..200).filter(|row| row % 3 == 0).for_each(|row| targets.weights[row] = 0.0);
    let mut wild = targets.clone();
    (0..200).filter(|row| row % 3 == 0).for_each(|row| wild.numbers[row] = 1e9);
    let run = Run::new(1, 1).unwrap();
    let calm = fit(&Value::Null, &(encoder.clone(), inputs.clone(), targets), &run);
    assert_eq!(calm.save(), fit(&Value::Null, &(encoder, inputs, wild), &run).save());
}

#[test]
fn a_stopped_fit_keeps_what_it_has() {
    let data = sample(400, 2);
    let run = Run::new(1, 2).unwrap();
    run.stop_switch().store(true, Ordering::Relaxed);
    let fitted = fit(&Value::Null, &data, &run);
    assert_eq!(fitted.summary()["rounds"], json!([1]));
    assert!(fitted.predict(&data.1).iter().all(|answer| answer.is_finite()));
}

#[test]
fn damaged_arrays_are_refused_and_never_panic() {
    let data = sample(300, 2);
    let fitted = fit(&json!({ "rounds": 3, "members": 2 }), &data, &Run::new(1, 1).unwrap());
    let good = fitted.save();
    let coder = crate::encode::Coder::Table(data.0.clone());
    let layout = Layout { coder: &coder, task: Some(data.2.task) };
    let load = |arrays: &Arrays| Trees.load(&Value::Null, layout, arrays);
    assert_eq!(load(&good).unwrap().predict(&data.1), fitted.predict(&data.1));
    let mut refused = 0;
    for name in ["bases", "trees", "sizes", "nodes"] {
        let shape = good.shape(name).unwrap().to_vec();
        let numbers = good.doubles(name, &shape).unwrap().to_vec();
        for place in 0..numbers.len() {
            for wrong in [-1.0, -2.0, 0.0, 0.5, 1.0, 4.0, 1e300, f64::NAN, f64::INFINITY] {
                let mut bad = good.clone();
                let mut numbers = numbers.clone();
                numbers[place] = wrong;
                bad.put_doubles(name, &shape, numbers);
                match load(&bad) {
                    Ok(loaded) => drop(loaded.predict(&data.1.select(&[0, 1, 2]))),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
    let mut bad = good.clone();
    bad.put_bytes("sets", vec![0; 31]);
    assert!(load(&bad).is_err());
}

#[test]
fn settings_out_of_range_are_refused() {
    for wrong in [
        json!({ "rounds": 0 }),
        json!({ "rate": 0.0 }),
        json!({ "leaves": 1 }),
        json!({ "min-rows": 0 }),
        json!({ "l2": -1.0 }),
        json!({ "bins": 256 }),
        json!({ "patience": 0 }),
        json!({ "members": 0 }),
    ] {
        assert!(Trees.encoding(&wrong).is_err(), "{wrong}");
    }
}
