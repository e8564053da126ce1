//! Cases of series, to be filled or predicted from, and what only they promise.

use serde_json::{Value, json};

use super::Case;
use crate::data::series::{Parts, Series};
use crate::data::{Column, Data, Kind, Shape};
use crate::encode::{ClassWeights, Coder, Encoding, Rows, TargetEncoder, Targets, Task};
use crate::methods::{Draw, Job, Learned, Method, methods_for};
use crate::rng::Stream;

const DRAW: Draw = Draw { seed: 1, number: 2, first_row: 0 };

/// Series of classes and of numbers; small ones down to a single series, one of a single step, one without any.
pub(super) fn cases(method: &dyn Method, job: Job, small: bool) -> Vec<Case> {
    let sizes: &[usize] = if small { &[1, 2, 7] } else { &[40] };
    let form =
        |settings: Value| sizes.iter().map(|count| case(*count, job, settings.clone())).collect::<Vec<_>>();
    forms(method).into_iter().flat_map(form).collect()
}

/// What makes a method quick, with every way of its own.
fn forms(method: &dyn Method) -> Vec<Value> {
    match method.name() {
        "statistics" => vec![
            json!({ "predictor": "linear", "statistics": ["mean", "last", "count"] }),
            json!({ "with": { "members": 1, "rounds": 20 } }),
        ],
        "surroundings" => {
            vec![json!({ "with": { "rounds": 20 } }), json!({ "predictor": "linear", "examples": 100 })]
        }
        "kalman" => vec![json!({}), json!({ "model": "trend" })],
        "recurrent" => vec![
            json!({ "units": 8, "batch": 8, "rate": 0.02, "epochs": 40, "patience": 0 }),
            json!({ "missing": "decay", "units": 4, "batch": 8, "rate": 0.02, "epochs": 4 }),
            json!({ "cell": "lstm", "missing": "sn-series", "units": 4, "batch": 8, "epochs": 2, "stop": "loss" }),
        ],
        "bidirectional" => vec![
            json!({ "units": 6, "batch": 8, "epochs": 10 }),
            json!({ "cell": "lstm", "error": "squared", "units": 4, "batch": 8, "epochs": 2 }),
        ],
        "last-value" => vec![json!({}), json!({ "before": "mean" })],
        "interpolation" => vec![json!({}), json!({ "ends": "mean" })],
        _ => vec![json!({})],
    }
}

/// Waves of three variables with holes, at irregular times; a fourth is never measured. Waves of every second series
/// are slow and lie higher.
fn series(count: usize) -> Series {
    let mut stream = Stream::new(5, "series promises", count as u64, 0);
    let mut parts =
        Parts { variables: ["a", "b", "c", "never"].map(str::to_owned).to_vec(), ..Parts::default() };
    for one in 0..count {
        // The second series has one step, the third none.
        let length = if one == 1 {
            1
        } else if one == 2 {
            0
        } else {
            6 + stream.below(10)
        };
        parts.ids.push(format!("s{one}"));
        parts.lengths.push(length);
        let (slow, mut time) = (if one % 2 == 1 { 3.0 } else { 1.0 }, 0.0);
        for _ in 0..length {
            time += 0.1 + 0.4 * stream.uniform();
            parts.times.push(time);
            let wave = (time / slow).sin() + if slow > 1.0 { 1.5 } else { 0.0 };
            for factor in [1.0, -2.0, 0.5] {
                parts.values.push(10.0 + factor * wave + 0.05 * stream.normal());
                parts.observed.push(stream.uniform() > 0.3);
            }
            parts.values.push(0.0);
            parts.observed.push(false);
        }
    }
    let classes: Vec<Option<&str>> = (0..count).map(|one| Some(["fast", "slow"][one % 2])).collect();
    let age: Vec<f64> = (0..count).map(|one| if one % 5 == 4 { f64::NAN } else { one as f64 }).collect();
    let ward: Vec<Option<&str>> = (0..count).map(|one| [Some("east"), None, Some("west")][one % 3]).collect();
    parts.statics = vec![
        Column::from_numbers("age", Kind::Real, &age),
        Column::from_words("ward", Kind::Category, &ward),
        Column::from_words("class", Kind::Category, &classes),
    ];
    Series::new(parts).unwrap()
}

fn case(count: usize, job: Job, settings: Value) -> Case {
    let data = Data::from(series(count));
    let statics: &[String] = if job == Job::Predict { &["age".into(), "ward".into()] } else { &[] };
    let coder = Coder::fit(&data, statics, Encoding::default()).unwrap();
    let rows = coder.encode(&data, |_, _| {}).unwrap();
    let targets = (job == Job::Predict).then(|| match count {
        1 => Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: vec![1],
            weights: vec![1.0],
        },
        _ => {
            let target = TargetEncoder::fit(&data, "class", None).unwrap();
            target.encode(&data, None, ClassWeights::Equal).unwrap()
        }
    });
    let answers = if job == Job::Predict { predicted } else { filled_cells };
    Case { coder, rows, targets, settings, answers }
}

fn predicted(learned: &dyn Learned, rows: &Rows, _first_row: usize) -> Vec<f64> {
    learned.predictor().unwrap().predict(rows).unwrap()
}

/// Series by series, a few cells of the best guess and of a draw: equally many of each.
fn filled_cells(learned: &dyn Learned, rows: &Rows, first_row: usize) -> Vec<f64> {
    let draw = Draw { first_row: first_row as u64, ..DRAW };
    let (guess, drawn) = (filled(learned, rows, None), filled(learned, rows, Some(draw)));
    let row = |row: usize| {
        let of = |series: &Series| {
            let mut cells: Vec<f64> = series.values(row).iter().copied().take(16).collect();
            cells.resize(16, 0.0);
            cells
        };
        [of(&guess), of(&drawn)].concat()
    };
    (0..rows.len()).flat_map(row).collect()
}

fn filled(learned: &dyn Learned, rows: &Rows, draw: Option<Draw>) -> Series {
    let mut rows = rows.clone();
    learned.imputer().unwrap().fill(&mut rows, draw).unwrap();
    rows.series().unwrap().series().as_ref().clone()
}

/// Nothing is known of any series.
pub(super) fn emptied(rows: &Rows) -> Rows {
    let mut empty = rows.clone();
    let inputs = rows.series().map(|own| own.coder().names().count()).unwrap();
    for row in 0..rows.len() {
        (0..inputs).for_each(|input| empty.hide(row, input).unwrap());
    }
    empty
}

#[test]
fn known_values_stay_and_every_hole_gets_a_value_of_the_range() {
    for method in methods_for(Shape::Series, Job::Fill) {
        for case in [1, 2, 3, 40].map(|count| case(count, Job::Fill, forms(method).remove(0))) {
            let learned = case.fit(method, 1);
            let (coder, before) = (case.coder.series().unwrap(), case.rows.series().unwrap().series());
            for draw in [None, Some(DRAW)] {
                let after = filled(&*learned, &case.rows, draw);
                assert_eq!(
                    after.fingerprint(),
                    before.fingerprint(),
                    "{}: marks or known values",
                    method.name()
                );
                for one in 0..after.len() {
                    for (cell, value) in after.values(one).iter().enumerate() {
                        let variable = &coder.variables[cell % 4];
                        let inside = (variable.low..=variable.high).contains(value);
                        assert!(inside, "{} {value} {variable:?}", method.name());
                    }
                }
            }
            let again = |number| filled(&*learned, &case.rows, Some(Draw { number, ..DRAW }));
            assert!(again(2) == again(2), "{}", method.name());
            assert!(before.len() < 20 || again(2) != again(3), "{}: draws differ", method.name());
        }
    }
}

/// A wave tells what lies between two of its values: every imputer must see it.
#[test]
fn imputers_of_series_learn_from_the_other_values() {
    for method in methods_for(Shape::Series, Job::Fill) {
        let mut case = case(40, Job::Fill, forms(method).remove(0));
        let truth = case.rows.series().unwrap().series().clone();
        let mut hidden = Vec::new();
        for one in 0..truth.len() {
            let known: Vec<(usize, f64, f64)> = truth.known(one, 1).collect();
            hidden.extend(
                known.get(2).filter(|_| known.len() > 4).map(|(step, _, value)| (one, *step, *value)),
            );
        }
        assert!(hidden.len() > 20);
        hidden.iter().for_each(|(one, step, _)| case.rows.series_mut().unwrap().hide_value(*one, *step, 1));
        let after = filled(&*case.fit(method, 2), &case.rows, None);
        let deviation = case.coder.series().unwrap().variables[1].deviation;
        let error =
            |(one, step, value): &(usize, usize, f64)| (after.values(*one)[step * 4 + 1] - value).abs();
        let mean = hidden.iter().map(error).sum::<f64>() / hidden.len() as f64;
        assert!(mean < 0.5 * deviation, "{}: {mean} of {deviation}", method.name());
    }
}

#[test]
fn chances_of_series_add_up_to_one_and_tell_waves_apart() {
    for method in methods_for(Shape::Series, Job::Predict) {
        let case = case(40, Job::Predict, forms(method).remove(0));
        let chances = case.answers(&*case.fit(method, 1));
        let right = chances.chunks(2).enumerate().filter(|(one, row)| {
            assert!((row[0] + row[1] - 1.0).abs() < 1e-6, "{} {row:?}", method.name());
            (row[1] > row[0]) == (one % 2 == 1)
        });
        assert!(right.count() > 32, "{}", method.name());
    }
}
