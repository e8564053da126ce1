//! The process as a whole: what it learns, and what holes do to its answers.

use serde_json::json;

use super::*;
use crate::data::{Column, Kind, Table};
use crate::encode::{Encoded, Targets, Task};
use crate::metrics::Score;

/// Two correlated numbers, some cells missing, and a target that depends on both together; 0 classes: the number.
fn sample(rows: usize, classes: usize) -> (Encoder, Encoded, Targets) {
    let mut stream = Stream::new(8, "kernel sample", 0, 0);
    let (mut a, mut b, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let (one, other) = (stream.normal(), stream.normal());
        y.push((1.5 * one).sin() * (0.8 * one + 0.6 * other) + 0.1 * stream.normal());
        a.push(if stream.below(6) == 0 { f64::NAN } else { one });
        b.push(if stream.below(6) == 0 { f64::NAN } else { 0.8 * one + 0.6 * other });
    }
    let columns = [("a", &a), ("b", &b)].map(|(name, cells)| Column::from_numbers(name, Kind::Real, cells));
    let table = Table::new(columns.to_vec()).unwrap();
    let encoding = Kernel.encoding(&Value::Null).unwrap();
    let encoder = Encoder::fit(&table, &["a".into(), "b".into()], encoding).unwrap();
    let inputs = encoder.encode(&table, |_, _| {}).unwrap();
    let targets = match classes {
        0 => Targets {
            task: Task::Regression,
            numbers: y.iter().map(|y| *y as f32).collect(),
            classes: vec![],
            weights: vec![1.0; rows],
        },
        _ => Targets {
            task: Task::Classification { classes },
            numbers: vec![],
            classes: y.iter().map(|y| u32::from(*y > 0.3)).collect(),
            weights: vec![1.0; rows],
        },
    };
    (encoder, inputs, targets)
}

#[test]
fn bends_and_interactions_are_learned_through_holes() {
    for (classes, bound) in [(0, 0.55), (2, 0.45)] {
        let (encoder, inputs, targets) = sample(700, classes);
        let (learning, others): (Vec<usize>, Vec<usize>) = ((0..500).collect(), (500..700).collect());
        let (rows, own) = (inputs.select(&learning), targets.select(&learning));
        let examples = Examples::Table { encoder: &encoder, rows: &rows, targets: Some(&own) };
        let run = Run::new(1, 2).unwrap();
        let loss = |method: &dyn Method| {
            let fitted = method.fit(&method.defaults(), examples, &run).unwrap();
            let answers = fitted.predictor().unwrap().predict(&inputs.select(&others).into()).unwrap();
            Score::of(&answers, &targets.select(&others)).loss()
        };
        let (ours, straight) = (loss(&Kernel), loss(&crate::methods::linear::Linear));
        assert!(ours < bound && ours < 0.85 * straight, "{classes} classes: {ours} {straight}");
    }
}

/// A row of which nothing is known gets about the mean; one that is known gets its own answer.
#[test]
fn holes_make_answers_modest() {
    let (encoder, inputs, targets) = sample(400, 0);
    let examples = Examples::Table { encoder: &encoder, rows: &inputs, targets: Some(&targets) };
    let fitted = Kernel.fit(&json!({ "rows": 300 }), examples, &Run::new(1, 1).unwrap()).unwrap();
    let spread = |known: usize| {
        let mut rows = inputs.select(&(0..100).collect::<Vec<_>>());
        rows.numbers_observed.iter_mut().enumerate().for_each(|(cell, mark)| *mark &= cell % 2 < known);
        let answers = fitted.predictor().unwrap().predict(&rows.into()).unwrap();
        let mean = answers.iter().sum::<f64>() / 100.0;
        (answers.iter().map(|answer| (answer - mean).powi(2)).sum::<f64>() / 100.0).sqrt()
    };
    let [none, one, both] = [spread(0), spread(1), spread(2)];
    assert!(none < 0.05 && none < one && one < both, "{none} {one} {both}");
    assert_eq!(fitted.summary()["rows"], 300);
}

#[test]
fn too_many_columns_are_refused_with_a_way_out() {
    let columns: Vec<Column> = (0..151)
        .map(|place| {
            let cells: Vec<f64> = (0..4).map(|row| f64::from(row * place % 5)).collect();
            Column::from_numbers(format!("c{place}"), Kind::Real, &cells)
        })
        .collect();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let table = Table::new(columns).unwrap();
    let encoder = Encoder::fit(&table, &names, Kernel.encoding(&Value::Null).unwrap()).unwrap();
    let error = fitting(&encoder).err().unwrap();
    assert!(error.to_string().contains("more than 150"), "{error}");
}
