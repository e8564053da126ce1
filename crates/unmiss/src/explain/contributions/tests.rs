use super::*;
use crate::data::{Column, Data, Kind, Table};
use crate::model::{Aim, Recipe, Roles};

/// y = 2a + b + 3ab, with holes; words that move y by 1.
fn table(rows: usize) -> Data {
    let mut stream = Stream::new(8, "contributions", 0, 0);
    let (mut a, mut b, mut words, mut y, mut class) = (vec![], vec![], vec![], vec![], vec![]);
    for row in 0..rows {
        let [one, two] = [(); 2].map(|()| stream.normal());
        let word = ["x", "y"][row % 2];
        let sum = 2.0 * one + two + 3.0 * one * two + if word == "x" { 1.0 } else { 0.0 };
        a.push(if stream.uniform() < 0.2 { f64::NAN } else { one });
        b.push(two);
        words.push((row % 7 > 0).then_some(word));
        y.push(sum);
        class.push(Some(["low", "middle", "high"][usize::from(sum > 0.0) + usize::from(sum > 3.0)]));
    }
    Table::new(vec![
        Column::from_numbers("a", Kind::Real, &a),
        Column::from_numbers("b", Kind::Real, &b),
        Column::from_words("word", Kind::Category, &words),
        Column::from_numbers("y", Kind::Real, &y),
        Column::from_words("class", Kind::Category, &class),
    ])
    .unwrap()
    .into()
}

fn fitted(data: &Data, target: &str, method: &str, run: &Run) -> Model {
    let ignore = if target == "y" { "class" } else { "y" };
    let roles = Roles { ignore: vec![ignore.into()], ..Roles::target(target) };
    Model::fit(data, &Aim::Predict(roles), &Recipe::named(method).unwrap(), run).unwrap()
}

/// Shapley values by their definition, over all sets of three inputs, for every background row.
fn by_definition(explainer: &Explainer<'_>, rows: &Encoded, row: usize, output: usize) -> Vec<f64> {
    let width = explainer.base.len();
    let value = |set: usize| {
        let mut mixed = explainer.background.clone();
        for input in (0..3).filter(|input| set >> input & 1 == 1) {
            (0..mixed.rows).for_each(|place| Cell::of(rows, row, input).put(&mut mixed, place, input));
        }
        let count = mixed.rows as f64;
        let rows = Rows::from(mixed);
        let answers = explainer.model.unbounded(None, &rows).unwrap();
        answers.iter().skip(output).step_by(width).sum::<f64>() / count
    };
    // |S|! (3 - 1 - |S|)! / 3!
    let weight = |size: u32| [1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0][size as usize];
    let own = |input: usize| {
        let without = (0..8_usize).filter(|set| set >> input & 1 == 0);
        without.map(|set| weight(set.count_ones()) * (value(set | 1 << input) - value(set))).sum()
    };
    (0..3).map(own).collect()
}

#[test]
fn contributions_add_up_to_the_answer() {
    let (data, run) = (table(300), Run::new(1, 2).unwrap());
    for (target, method) in [("y", "linear"), ("y", "trees"), ("class", "linear"), ("class", "trees")] {
        let model = fitted(&data, target, method, &run);
        let explainer = Explainer::new(&model, &run).unwrap();
        let rows = model.coder.encode(&data, |_, _| {}).unwrap();
        let found = explainer.explain(&rows).unwrap();
        let whole = model.predicting().unwrap().unbounded(None, &rows).unwrap();
        let width = explainer.base.len();
        for row in 0..rows.len() {
            let sum = found.bases[row] + found.row(row).iter().sum::<f64>();
            let answer = whole[row * width + found.outputs[row]];
            assert!((sum - answer).abs() < 1e-9 * (1.0 + answer.abs()), "{method} {target} {sum} {answer}");
        }
        // A row's contributions do not depend on the rows beside it.
        let alone = explainer.explain(&rows.select(&[17]).unwrap()).unwrap();
        assert_eq!(alone.row(0), found.row(17));
    }
}

#[test]
fn a_linear_model_has_its_closed_form() {
    let (data, run) = (table(300), Run::new(1, 2).unwrap());
    let model = fitted(&data, "y", "linear", &run);
    let mut explainer = Explainer::new(&model, &run).unwrap();
    assert!(explainer.is_exact());
    let rows = model.coder.encode(&data, |_, _| {}).unwrap();
    let exact = explainer.explain(&rows).unwrap();
    assert!(exact.errors.iter().all(|error| *error == 0.0));
    let weight = |name: &str| model.summary.method["coefficients"][name].as_f64().unwrap();
    let (encoded, deviation) = (rows.table().unwrap(), model.predicting().unwrap().target.deviation);
    // Column b has no holes: w (x - mean of x over the background).
    let background = &explainer.background;
    let mean = background.numbers.iter().skip(1).step_by(2).sum::<f32>() / background.rows as f32;
    for row in 0..rows.len() {
        let expected = deviation * weight("b") * f64::from(encoded.numbers[row * 2 + 1] - mean);
        assert!((exact.row(row)[1] - expected).abs() < 1e-5, "{} {expected}", exact.row(row)[1]);
    }
    // Asked about orders, a linear model says the same for each of them.
    explainer.exact = false;
    let sampled = explainer.explain(&rows).unwrap();
    for (one, other) in exact.values.iter().zip(&sampled.values) {
        assert!((one - other).abs() < 1e-5 * deviation, "{one} {other}");
    }
}

#[test]
fn the_mean_of_fold_models_is_explained_by_turns() {
    let (data, run) = (table(300), Run::new(1, 2).unwrap());
    for (target, other, methods) in [("y", "class", "[\"linear\",\"trees\"]"), ("class", "y", "[\"linear\"]")]
    {
        let recipe = Recipe::named("ensemble").unwrap().set("methods", methods).unwrap();
        let roles = Roles { ignore: vec![other.into()], ..Roles::target(target) };
        let (model, _) = crate::compare::fit_best(&data, &roles, &[recipe], Some(3), &run).unwrap();
        let rows = model.coder.encode(&data, |_, _| {}).unwrap();
        let explainer = Explainer::new(&model, &run).unwrap();
        let found = explainer.explain(&rows).unwrap();
        // A mean of methods that are exact is; else each fold has its share of the background.
        assert_eq!(explainer.is_exact(), target == "y");
        assert!(
            explainer.is_exact() || (explainer.folds == 3 && explainer.background.rows.is_multiple_of(3))
        );
        let whole = model.predicting().unwrap().unbounded(None, &rows).unwrap();
        let width = explainer.base.len();
        let adds_up = |row: &usize| {
            let answer = whole[row * width + found.outputs[*row]];
            let sum = found.bases[*row] + found.row(*row).iter().sum::<f64>();
            (sum - answer).abs() < 1e-9 * (1.0 + answer.abs())
        };
        // Numbers far out are kept within the targets that single models learned from.
        let least = if explainer.is_exact() { rows.len() * 3 / 4 } else { rows.len() };
        assert!((0..rows.len()).filter(adds_up).count() >= least, "{target}");
    }
}

#[test]
fn contributions_are_those_of_the_definition() {
    let (data, run) = (table(400), Run::new(1, 2).unwrap());
    let (mut far, mut all) = (0, 0);
    for (target, method) in [("y", "trees"), ("class", "trees"), ("class", "linear")] {
        let model = fitted(&data, target, method, &run);
        let explainer = Explainer::new(&model, &run).unwrap();
        let rows =
            model.coder.encode(&data.select(&(0..40).collect::<Vec<_>>()).unwrap(), |_, _| {}).unwrap();
        let found = explainer.explain(&rows).unwrap();
        assert_eq!(explainer.is_exact(), target == "y");
        for row in 0..rows.len() {
            let expected = by_definition(&explainer, rows.table().unwrap(), row, found.outputs[row]);
            for ((value, error), expected) in found.row(row).iter().zip(found.errors(row)).zip(expected) {
                assert!(!explainer.is_exact() || (value - expected).abs() < 1e-9, "{value} {expected}");
                far += usize::from((value - expected).abs() > 2.0 * error + 1e-9);
                all += 1;
            }
        }
    }
    assert!(far * 20 <= all, "{far} of {all} lie more than two standard errors away");
}

#[test]
fn the_background_holds_what_the_columns_held() {
    let (data, run) = (table(400), Run::new(1, 2).unwrap());
    let model = fitted(&data, "y", "linear", &run);
    let encoder = model.coder.table().unwrap();
    let rows = drawn(encoder, model.summary.background.as_ref(), 400, 200, 3);
    let share = |marks: &[bool], width: usize, place: usize| {
        let known = marks.iter().skip(place).step_by(width).filter(|known| **known).count();
        1.0 - known as f64 / 200.0
    };
    let missing = encoder.numbers[0].missing as f64 / 400.0;
    assert!((share(&rows.numbers_observed, 2, 0) - missing).abs() < 0.01);
    assert_eq!(share(&rows.numbers_observed, 2, 1), 0.0);
    let mean = rows.numbers.iter().skip(1).step_by(2).sum::<f32>() / 200.0;
    assert!(mean.abs() < 0.05, "{mean}");
    // An older file knows means alone.
    let old = drawn(encoder, None, 400, 8, 3);
    assert!(old.numbers.iter().skip(1).step_by(2).all(|value| *value == encoder.numbers[1].mean));
    // Another seed, another background; the same, the same.
    assert_eq!(rows, drawn(encoder, model.summary.background.as_ref(), 400, 200, 3));
    assert_ne!(rows, drawn(encoder, model.summary.background.as_ref(), 400, 200, 4));
}
