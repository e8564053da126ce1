use super::*;

fn table(numbers: &[f64]) -> Data {
    crate::data::Table::new(vec![Column::from_numbers("y", Kind::Integer, numbers)]).unwrap().into()
}

#[test]
fn counting_numbers_are_classes_and_others_are_not() {
    let task = |numbers: &[f64]| TargetEncoder::fit(&table(numbers), "y", None).unwrap().task;
    assert_eq!(task(&[0.0, 1.0, 2.0, 1.0]), Task::Classification { classes: 3 });
    assert_eq!(task(&[1.0, 2.0, 1.0]), Task::Classification { classes: 2 });
    assert_eq!(task(&[3.0, 5.0, 8.0]), Task::Regression);
    let wanted = Some(TaskKind::Regression);
    assert_eq!(TargetEncoder::fit(&table(&[0.0, 1.0]), "y", wanted).unwrap().task, Task::Regression);
}

#[test]
fn numbers_are_standardised_and_come_back_in_range() {
    let encoder = TargetEncoder::fit(&table(&[10.0, 30.0]), "y", None).unwrap();
    let targets = encoder.encode(&table(&[10.0, 30.0]), None, ClassWeights::Equal).unwrap();
    assert_eq!(targets.numbers, [-1.0, 1.0]);
    assert_eq!(encoder.decode(0.5), 25.0);
    assert_eq!(encoder.decode(9.0), 30.0);
}

#[test]
fn balanced_classes_weigh_the_same() {
    let rows = table(&[0.0, 0.0, 0.0, 1.0]);
    let encoder = TargetEncoder::fit(&rows, "y", None).unwrap();
    let targets = encoder.encode(&rows, None, ClassWeights::Balanced).unwrap();
    assert!((targets.weights[..3].iter().sum::<f32>() - targets.weights[3]).abs() < 1e-6);
    assert!((targets.weights.iter().sum::<f32>() - 4.0).abs() < 1e-6);
}

#[test]
fn a_target_of_one_value_is_refused() {
    assert!(TargetEncoder::fit(&table(&[7.0, 7.0, f64::NAN]), "y", None).is_err());
}
