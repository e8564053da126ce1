//! What every method of the list promises, tested on each.

use serde_json::Value;

use super::{METHODS, Method, Predictor, Training};
use crate::data::{Column, Kind, Table};
use crate::encode::{ClassWeights, Encoded, Encoder, TargetEncoder, Targets, Task};
use crate::rng::Stream;
use crate::run::Run;

struct Case {
    encoder: Encoder,
    inputs: Encoded,
    targets: Targets,
}

/// Rows with numbers (one constant, one never known) and a category, all with holes; 0 classes: a regression.
fn case(method: &dyn Method, rows: usize, classes: usize) -> Case {
    let mut stream = Stream::new(2, "promises", rows as u64, classes as u64);
    let mut column = |name: &str, spread: f64| {
        let numbers: Vec<f64> = (0..rows).map(|_| 1.0 + spread * stream.normal()).collect();
        let hidden = |(row, value): (usize, f64)| if row % 5 == name.len() { f64::NAN } else { value };
        Column::from_numbers(
            name,
            Kind::Real,
            &numbers.into_iter().enumerate().map(hidden).collect::<Vec<_>>(),
        )
    };
    let mut columns = vec![column("a", 1.0), column("bb", 2.0), column("ccc", 0.0)];
    columns.push(Column::from_numbers("never", Kind::Real, &vec![f64::NAN; rows]));
    let words: Vec<Option<&str>> =
        (0..rows).map(|row| [Some("x"), Some("y"), None, Some("z")][row % 4]).collect();
    columns.push(Column::from_words("word", Kind::Category, &words));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let first = columns[0].numbers().unwrap().to_vec();
    let target: Vec<f64> = match classes {
        0 => first.iter().enumerate().map(|(row, value)| value + 0.1 * (row % 4) as f64).collect(),
        // The last class has one row.
        _ => (0..rows)
            .map(|row| if row == 0 { classes - 1 } else { usize::from(first[row] > 1.0) % classes } as f64)
            .collect(),
    };
    let kind = if classes == 0 { Kind::Real } else { Kind::Integer };
    columns.push(Column::from_numbers("target", kind, &target));
    let table = Table::new(columns).unwrap();
    let encoder = Encoder::fit(&table, &names, method.encoding(&Value::Null).unwrap()).unwrap();
    let inputs = encoder.encode(&table, |_, _| {}).unwrap();
    let targets = if rows == 1 {
        Targets { task: Task::Regression, numbers: vec![0.5], classes: vec![], weights: vec![1.0] }
    } else {
        let wanted = TargetEncoder::fit(&table, "target", None).unwrap();
        wanted.encode(&table, None, ClassWeights::Equal).unwrap()
    };
    Case { encoder, inputs, targets }
}

fn fit(method: &dyn Method, case: &Case, threads: usize) -> Box<dyn Predictor> {
    let training = Training { encoder: &case.encoder, inputs: &case.inputs, targets: &case.targets };
    method.fit(&Value::Null, training, &Run::new(3, threads).unwrap()).unwrap()
}

fn with_garbage(inputs: &Encoded) -> Encoded {
    let mut garbage = inputs.clone();
    let hidden = garbage.numbers.iter_mut().zip(&inputs.numbers_observed).filter(|cell| !cell.1);
    hidden.for_each(|(value, _)| *value = f32::NAN);
    let hidden = garbage.codes.iter_mut().zip(&inputs.codes_observed).filter(|cell| !cell.1);
    hidden.for_each(|(code, _)| *code = 77);
    garbage
}

const TASKS: [usize; 3] = [0, 2, 3];

#[test]
fn threads_garbage_and_batches_change_nothing() {
    for method in METHODS {
        for classes in TASKS {
            let case = case(*method, 120, classes);
            let one = fit(*method, &case, 1);
            let answers = one.predict(&case.inputs);
            assert_eq!(answers, fit(*method, &case, 2).predict(&case.inputs), "{} threads", method.name());
            let garbage = with_garbage(&case.inputs);
            let told = Case {
                inputs: garbage.clone(),
                encoder: case.encoder.clone(),
                targets: case.targets.clone(),
            };
            let again = fit(*method, &told, 2);
            assert_eq!(one.save(), again.save(), "{} fits garbage", method.name());
            assert_eq!(answers, one.predict(&garbage), "{} reads garbage", method.name());
            let outputs = case.targets.task.outputs();
            let alone = one.predict(&case.inputs.select(&[7]));
            assert_eq!(alone, answers[7 * outputs..8 * outputs], "{} batches", method.name());
        }
    }
}

#[test]
fn a_predictor_comes_back_bit_for_bit_and_damage_is_refused() {
    for method in METHODS {
        for classes in TASKS {
            let case = case(*method, 60, classes);
            let fitted = fit(*method, &case, 1);
            let load = |arrays: &crate::store::Arrays| {
                method.load(&Value::Null, &case.encoder, case.targets.task, arrays)
            };
            let loaded = load(&fitted.save()).unwrap();
            assert_eq!(fitted.predict(&case.inputs), loaded.predict(&case.inputs), "{}", method.name());
            assert_eq!(fitted.summary(), loaded.summary());
            assert!(load(&crate::store::Arrays::default()).is_err());
        }
    }
}

#[test]
fn tiny_tables_and_rows_with_nothing_known_get_finite_answers() {
    for method in METHODS {
        for (rows, classes) in [(1, 0), (2, 0), (3, 0), (2, 2), (3, 2), (6, 3), (40, 3)] {
            let case = case(*method, rows, classes);
            let fitted = fit(*method, &case, 1);
            let mut empty = with_garbage(&case.inputs);
            empty.numbers_observed.fill(false);
            empty.codes_observed.fill(false);
            for answers in [fitted.predict(&case.inputs), fitted.predict(&empty)] {
                assert!(answers.iter().all(|answer| answer.is_finite()), "{}, {rows} rows", method.name());
                if let Task::Classification { classes } = case.targets.task {
                    let sums = answers.chunks(classes).map(|row| row.iter().sum::<f64>());
                    sums.for_each(|sum| assert!((sum - 1.0).abs() < 1e-9));
                }
            }
        }
    }
}

/// A column that was complete in training and is empty now: the answer falls back to the middle, it does not jump to one
/// end, as boosted trees do elsewhere that send unseen holes down an arbitrary side. Not so `mlp` with Sparsity
/// Normalization, which makes up for the lost column by counting the other one double: `audit` measures that.
#[test]
fn a_column_that_is_suddenly_empty_does_not_shift_the_answers() {
    let rows = 300;
    let mut stream = Stream::new(4, "suddenly empty", 0, 0);
    let strong: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
    let weak: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
    let target: Vec<f64> = strong.iter().zip(&weak).map(|(strong, weak)| 2.0 * strong + weak).collect();
    let table = Table::new(vec![
        Column::from_numbers("strong", Kind::Real, &strong),
        Column::from_numbers("weak", Kind::Real, &weak),
        Column::from_numbers("target", Kind::Real, &target),
    ])
    .unwrap();
    let names = ["strong", "weak"].map(String::from);
    for method in METHODS.iter().filter(|method| method.name() != "mlp") {
        let encoder = Encoder::fit(&table, &names, method.encoding(&Value::Null).unwrap()).unwrap();
        let inputs = encoder.encode(&table, |_, _| {}).unwrap();
        let wanted = TargetEncoder::fit(&table, "target", None).unwrap();
        let targets = wanted.encode(&table, None, ClassWeights::Equal).unwrap();
        let case = Case { encoder, inputs, targets };
        let mut empty = case.inputs.clone();
        (0..rows).for_each(|row| empty.numbers_observed[2 * row] = false);
        // In standard deviations of the target, whose mean is 0.
        let answers = fit(*method, &case, 2).predict(&empty);
        let mean = answers.iter().sum::<f64>() / rows as f64;
        assert!(mean.abs() < 0.25, "{}: {mean}", method.name());
    }
}
