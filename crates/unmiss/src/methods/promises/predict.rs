//! Cases of predicting from a table, and what only that promises.

use serde_json::Value;

use super::Case;
use crate::data::{Column, Data, Kind, Shape, Table};
use crate::encode::{ClassWeights, Coder, Rows, TargetEncoder, Targets, Task};
use crate::methods::{Job, Learned, Method, methods_for};
use crate::rng::Stream;

/// A regression, two and three classes; small ones down to a single row.
pub(super) fn cases(method: &dyn Method, small: bool) -> Vec<Case> {
    let sizes: &[(usize, usize)] = match small {
        true => &[(1, 0), (2, 0), (3, 0), (2, 2), (3, 2), (6, 3), (40, 3)],
        false => &[(120, 0), (120, 2), (120, 3)],
    };
    sizes.iter().map(|(rows, classes)| case(method, *rows, *classes)).collect()
}

fn answers(learned: &dyn Learned, rows: &Rows, _: usize) -> Vec<f64> {
    learned.predictor().unwrap().predict(rows).unwrap()
}

/// Rows with numbers (one constant, one never known) and categories (one never known, as it may be in the training
/// part of a fold), all with holes; 0 classes: a regression.
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
    columns.push(Column::from_words("unheard", Kind::Category, &vec![None::<&str>; rows]));
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
    let data = Data::from(Table::new(columns).unwrap());
    let coder = Coder::fit(&data, &names, method.encoding(&Value::Null).unwrap()).unwrap();
    let encoded = coder.encode(&data, |_, _| {}).unwrap();
    let targets = if rows == 1 {
        Targets { task: Task::Regression, numbers: vec![0.5], classes: vec![], weights: vec![1.0] }
    } else {
        let wanted = TargetEncoder::fit(&data, "target", None).unwrap();
        wanted.encode(&data, None, ClassWeights::Equal).unwrap()
    };
    Case { coder, rows: encoded, targets: Some(targets), settings: Value::Null, answers }
}

#[test]
fn chances_add_up_to_one() {
    for method in methods_for(Shape::Table, Job::Predict) {
        for classes in [2, 3] {
            let case = case(method, 60, classes);
            let chances = case.answers(&*case.fit(method, 1));
            for row in chances.chunks(classes) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{} {row:?}", method.name());
            }
        }
    }
}

/// A column that was complete in training and is empty now: the answer falls back to the middle, it does not jump to
/// one end, as boosted trees do elsewhere that send unseen holes down an arbitrary side. Not so `mlp` with Sparsity
/// Normalization, which makes up for the lost column by counting the other one double: `audit` measures that.
#[test]
fn a_column_that_is_suddenly_empty_does_not_shift_the_answers() {
    let rows = 300;
    let mut stream = Stream::new(4, "suddenly empty", 0, 0);
    let strong: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
    let weak: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
    let target: Vec<f64> = strong.iter().zip(&weak).map(|(strong, weak)| 2.0 * strong + weak).collect();
    let data: Data = Table::new(vec![
        Column::from_numbers("strong", Kind::Real, &strong),
        Column::from_numbers("weak", Kind::Real, &weak),
        Column::from_numbers("target", Kind::Real, &target),
    ])
    .unwrap()
    .into();
    let names = ["strong", "weak"].map(String::from);
    for method in methods_for(Shape::Table, Job::Predict).filter(|method| method.name() != "mlp") {
        let coder = Coder::fit(&data, &names, method.encoding(&Value::Null).unwrap()).unwrap();
        let encoded = coder.encode(&data, |_, _| {}).unwrap();
        let wanted = TargetEncoder::fit(&data, "target", None).unwrap();
        let targets = Some(wanted.encode(&data, None, ClassWeights::Equal).unwrap());
        let case = Case { coder, rows: encoded, targets, settings: Value::Null, answers };
        let mut empty = case.rows.clone();
        (0..rows).for_each(|row| empty.hide(row, 0).unwrap());
        // In standard deviations of the target, whose mean is 0.
        let answers = answers(&*case.fit(method, 2), &empty, 0);
        let mean = answers.iter().sum::<f64>() / rows as f64;
        assert!(mean.abs() < 0.25, "{}: {mean}", method.name());
    }
}
