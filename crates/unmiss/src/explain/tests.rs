//! On data whose truth is known.

use super::*;
use crate::compare::fit_best;
use crate::data::{Column, Kind, Table, Values};
use crate::model::{Aim, ColumnImportance, Place, Recipe, Roles};

/// y = 2a + b + noise; c and the words of d say nothing. A tenth of a, b and c is missing, at random.
fn sums(rows: usize) -> Data {
    let mut stream = Stream::new(5, "sums", 0, 0);
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..rows {
        let [a, b, c] = [(); 3].map(|()| stream.normal());
        columns[3].push(2.0 * a + b + 0.3 * stream.normal());
        for (column, value) in [a, b, c].into_iter().enumerate() {
            columns[column].push(if stream.uniform() < 0.1 { f64::NAN } else { value });
        }
    }
    let words: Vec<Option<&str>> = (0..rows).map(|row| ["x", "y", "z"].get(row % 3).copied()).collect();
    let numbers = ["a", "b", "c", "y"].iter().zip(&columns);
    let mut table: Vec<Column> =
        numbers.map(|(name, values)| Column::from_numbers(*name, Kind::Real, values)).collect();
    table.push(Column::from_words("d", Kind::Category, &words));
    Table::new(table).unwrap().into()
}

/// The class is `yes` where h is missing, in nine of ten rows; what stands in h where it is known says nothing.
fn told_by_a_hole(rows: usize) -> Data {
    let mut stream = Stream::new(6, "hole", 0, 0);
    let (mut h, mut other, mut class) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let missing = stream.uniform() < 0.5;
        h.push(if missing { f64::NAN } else { stream.normal() });
        other.push(stream.normal());
        class.push(Some(if missing == (stream.uniform() < 0.9) { "yes" } else { "no" }));
    }
    Table::new(vec![
        Column::from_numbers("h", Kind::Real, &h),
        Column::from_numbers("other", Kind::Real, &other),
        Column::from_words("class", Kind::Category, &class),
    ])
    .unwrap()
    .into()
}

fn fitted(data: &Data, target: &str, method: &str) -> Model {
    let recipe = Recipe::named(method).unwrap();
    Model::fit(data, &Aim::predict(target), &recipe, &Run::new(1, 2).unwrap()).unwrap()
}

fn column<'a>(found: &'a Explanation, name: &str) -> &'a ColumnImportance {
    found.columns.iter().find(|column| column.column == name).unwrap()
}

#[test]
fn importance_is_what_the_formula_says() {
    let (data, run) = (sums(1500), Run::new(1, 2).unwrap());
    let model = fitted(&data, "y", "linear");
    let found = explain(&model, &data, &ExplainSettings::default(), &run).unwrap();
    let order: Vec<&str> = found.columns.iter().map(|column| column.column.as_str()).collect();
    assert_eq!(order[..2], ["a", "b"]);
    // Var y = 5.09. A known cell that changes places with another known one costs 2 w^2 sd^2 / Var y: for a 8 / 5.09,
    // times the 81 % of pairs in which both are known, and w^2 / Var y for each of the 18 % in which one is.
    let expected = |w: f64| (0.81 * 2.0 + 0.18) * w * w / 5.09;
    for (name, weight) in [("a", 2.0), ("b", 1.0)] {
        let own = column(&found, name).importance.unwrap();
        assert!((own.mean - expected(weight)).abs() < 4.0 * own.error + 0.05, "{name} {own:?}");
        assert!(own.error > 0.0 && own.error < 0.1 && own.is_above_noise());
    }
    for name in ["c", "d"] {
        assert!(column(&found, name).importance.unwrap().mean.abs() < 0.01, "{name}");
    }
    // Holes at random tell nothing. Hiding a costs its part of the variance; a hole of a is learned from 150 rows,
    // whose mean y lies within a few tenths of 0.
    assert!(column(&found, "a").from_holes.unwrap() < 0.15);
    let hidden = column(&found, "a").hidden.clone().unwrap();
    let (answer, loss) = (hidden.answer[0].mean, hidden.loss.unwrap().mean);
    assert!((loss - 4.0 / 5.09).abs() < 0.25 && answer.abs() < 0.8, "{answer} {loss}");
    let words = &found.summary[0];
    assert!(words.contains("of 4 columns matter") && words.contains("rows: `a` (+"), "{words}");
}

#[test]
fn a_curve_is_as_steep_as_the_weight() {
    let (data, run) = (sums(800), Run::new(1, 2).unwrap());
    let model = fitted(&data, "y", "linear");
    let found = explain(&model, &data, &ExplainSettings::default(), &run).unwrap();
    let curve = &found.curves[0];
    assert_eq!((curve.column.as_str(), curve.points.len()), ("a", 11));
    let (first, last) = (&curve.points[0], &curve.points[10]);
    let (Place::Number(low), Place::Number(high)) = (&first.value, &last.value) else { panic!("numbers") };
    let slope = (last.answer[0].mean - first.answer[0].mean) / (high - low);
    // Answers stay within the range of the known target, so a few at the ends are less steep.
    assert!((slope - 2.0).abs() < 0.1, "{slope}");
    // Missing at random, a hole counts as the mean.
    assert!(curve.missing[0].mean.abs() < 0.8, "{:?}", curve.missing);
    // Columns that do not matter have no curve, unless nobody can tell which do.
    let matters = |name: &str| column(&found, name).importance.unwrap().is_above_noise();
    assert!(found.curves.iter().all(|curve| matters(&curve.column)));
    let rows: Vec<usize> = (0..300).collect();
    let blind = data.part(&rows, |column| column.name != "y").unwrap();
    let found = explain(&model, &blind, &ExplainSettings::default(), &run).unwrap();
    let levels = found.curves.iter().find(|curve| curve.column == "d").unwrap();
    assert_eq!(levels.points.len(), 3);
    assert!(levels.points.iter().all(|point| matches!(&point.value, Place::Level(_))));
}

#[test]
fn a_hole_that_is_the_signal_is_found() {
    let (data, run) = (told_by_a_hole(800), Run::new(1, 2).unwrap());
    for method in ["linear", "trees"] {
        let model = fitted(&data, "class", method);
        let found = explain(&model, &data, &ExplainSettings::default(), &run).unwrap();
        assert_eq!(
            (found.classes.as_slice(), found.columns[0].column.as_str()),
            (&["yes".to_owned()][..], "h")
        );
        assert!(found.columns[0].from_holes.unwrap() > 0.9, "{method} {:?}", found.columns[0]);
        // Hidden, a known cell looks like `yes`: from a tenth to nine tenths.
        let change = found.columns[0].hidden.as_ref().unwrap().answer[0].mean;
        assert!((change - 0.8).abs() < 0.1, "{method} {change}");
        assert!(found.summary.iter().any(|words| words.contains("tells something by itself")));
        assert!(column(&found, "other").importance.unwrap().mean < 0.05);
    }
}

#[test]
fn fold_models_answer_for_rows_that_they_did_not_see() {
    let data = sums(300);
    let recipes = [Recipe::named("linear").unwrap()];
    let found = [1, 2].map(|threads| {
        let run = Run::new(1, threads).unwrap();
        let (model, choice) = fit_best(&data, &Roles::target("y"), &recipes, Some(3), &run).unwrap();
        let settings = ExplainSettings::in_passing(4);
        let found = explain_held_out(&model, &data, &choice.held_out, &settings, &run).unwrap();
        assert!(found.held_out && found.rows == 200);
        // The loss is that of the cross-validation, up to the rows that were drawn.
        let score = choice.entries[0].mean(crate::metrics::Score::loss, choice.test_share()).0.powi(2);
        assert!((found.loss.unwrap() - score).abs() < 0.05, "{:?} {score}", found.loss);
        found
    });
    assert_eq!(found[0], found[1], "the number of threads changes the figures");
}

#[test]
fn without_a_target_answers_are_enough_and_odd_rows_are_refused() {
    let (data, run) = (sums(200), Run::new(1, 2).unwrap());
    let model = fitted(&data, "y", "linear");
    let rows: Vec<usize> = (0..100).collect();
    let blind = data.part(&rows, |column| column.name != "y").unwrap();
    let found = explain(&model, &blind, &ExplainSettings::default(), &run).unwrap();
    assert_eq!(found.columns[0].column, "a");
    assert!(found.loss.is_none() && found.columns[0].importance.is_none());
    assert!(found.columns[0].moves.mean > found.columns[1].moves.mean);
    assert!(found.summary[0].contains("is not known"), "{}", found.summary[0]);
    assert!(explain(&model, &data.select(&[0]).unwrap(), &ExplainSettings::default(), &run).is_err());
    let without_a = data.part(&rows, |column| column.name != "a").unwrap();
    assert!(explain(&model, &without_a, &ExplainSettings::default(), &run).is_err());
}

#[test]
fn a_stopped_explanation_is_none() {
    let (data, run) = (sums(100), Run::new(1, 1).unwrap());
    let model = fitted(&data, "y", "linear");
    run.stop_switch().store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = explain(&model, &data, &ExplainSettings::default(), &run);
    assert!(matches!(stopped, Err(Error::Stopped)));
}

/// y follows the day that a row came, the words of its note and the grade, which has an order.
fn made_of(rows: usize) -> Data {
    let mut stream = Stream::new(9, "made", 0, 0);
    let (mut days, mut notes, mut grades, mut y) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let (day, fever, grade) = (row % 28, stream.uniform() < 0.5, row % 3);
        days.push(format!("2024-03-{:02}", day + 1));
        notes.push(format!(
            "{} seen by nurse {row}, bed {}",
            if fever { "fever" } else { "well" },
            row * 7 % 100
        ));
        grades.push(["low", "middle", "high"].get(grade).copied());
        y.push(day as f64 / 10.0 + if fever { 1.0 } else { 0.0 } + grade as f64 + 0.1 * stream.normal());
    }
    let texts = |name: &str, kind: Kind, texts: Vec<String>| Column {
        name: name.into(),
        kind,
        observed: (0..texts.len()).map(|row| row % 10 > 0).collect(),
        values: Values::Texts(texts),
    };
    Table::new(vec![
        texts("came", Kind::Date, days),
        texts("note", Kind::Text, notes),
        Column::from_words("grade", Kind::Category, &grades),
        Column::from_numbers("y", Kind::Real, &y),
    ])
    .unwrap()
    .into()
}

#[test]
fn what_is_made_of_a_column_is_explained_as_that_column() {
    let (data, run) = (made_of(300), Run::new(1, 2).unwrap());
    let order = ["low", "middle", "high"].map(str::to_owned).to_vec();
    let roles = Roles { ordered: [("grade".to_owned(), order.clone())].into(), ..Roles::target("y") };
    let (mut model, choice) =
        fit_best(&data, &roles, &[Recipe::named("linear").unwrap()], Some(3), &run).unwrap();
    explain_in_passing(&mut model, &data, &choice.held_out, &run);
    let found = model.summary.explanation.clone().expect("dates and text are explained");
    let mut names: Vec<&str> = found.columns.iter().map(|column| column.column.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["came", "grade", "note"]);
    assert!(found.columns.iter().all(|column| column.importance.unwrap().is_above_noise()));
    // A column of several inputs has no axis; one with an order has its words, in that order.
    assert_eq!(found.curves.iter().map(|curve| curve.column.as_str()).collect::<Vec<_>>(), ["grade"]);
    let words: Vec<Place> = found.curves[0].points.iter().map(|point| point.value.clone()).collect();
    assert_eq!(words, order.into_iter().map(Place::Level).collect::<Vec<_>>());
    let explainer = Explainer::new(&model, &run).unwrap();
    let rows = model.coder.encode(&data.select(&[0, 5]).unwrap(), |_, _| {}).unwrap();
    let why = explainer.explain(&rows).unwrap();
    assert_eq!((why.columns, explainer.columns().len()), (3, 3));
    let sum = why.bases[1] + why.row(1).iter().sum::<f64>();
    assert!((sum - why.answers[1]).abs() < 1e-6, "{sum} {}", why.answers[1]);
}
