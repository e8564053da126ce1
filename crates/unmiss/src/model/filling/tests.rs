use super::*;
use crate::data::{Table, Values};
use crate::methods::{Job, methods_for};
use crate::model::{Aim, FillPlan, Limits, Model};

fn ward() -> Data {
    let nan = f64::NAN;
    let texts = Values::Texts(vec!["a b".into(), String::new(), "c".into(), "d".into()]);
    Table::new(vec![
        Column::from_numbers("age", Kind::Integer, &[61.0, nan, 40.0, 35.0]),
        Column::from_numbers("fever", Kind::Real, &[37.6, 38.1, nan, 36.5]),
        Column::from_words("sex", Kind::Binary, &[Some("m"), Some("f"), None, Some("m")]),
        Column::from_numbers("empty", Kind::Real, &[nan; 4]),
        Column {
            name: "note".into(),
            kind: Kind::Text,
            values: texts,
            observed: vec![true, false, true, true],
        },
    ])
    .unwrap()
    .into()
}

fn fitted(ignored: &[String], limits: Limits) -> Model {
    let aim = Aim::Fill(FillPlan { ignored: ignored.to_vec(), limits, ..FillPlan::default() });
    Model::fit(&ward(), &aim, &Recipe::named("gaussian").unwrap(), &Run::new(1, 1).unwrap()).unwrap()
}

#[test]
fn holes_are_filled_in_kind_and_what_is_left_is_told() {
    let filled = fitted(&[], Limits::default()).filling().unwrap().fill(&ward(), None, |_, _| {}).unwrap();
    let age = filled.data.column("age").unwrap();
    assert_eq!(age.missing(), 0);
    let value = age.numbers().unwrap()[1];
    assert!(value == value.round() && (35.0..=61.0).contains(&value));
    assert_eq!(filled.data.column("sex").unwrap().missing(), 0);
    assert_eq!(filled.counts[..3], [("age".into(), 1), ("fever".into(), 1), ("sex".into(), 1)]);
    let left: Vec<(&str, usize)> =
        filled.unfilled.iter().map(|left| (left.column.as_str(), left.rows.len())).collect();
    assert_eq!(left, [("empty", 4), ("note", 1)]);
    assert_eq!(filled.unfilled[0].reason, "it has no known cell to learn from");
    let ignoring = fitted(&["empty".into(), "note".into()], Limits::default());
    assert!(ignoring.filling().unwrap().fill(&ward(), None, |_, _| {}).unwrap().unfilled.is_empty());
}

#[test]
fn limits_hold() {
    let limits = Limits { columns: [("age".to_owned(), (70.0, 71.0))].into(), ..Limits::default() };
    let filled = fitted(&[], limits).filling().unwrap().fill(&ward(), None, |_, _| {}).unwrap();
    assert_eq!(filled.data.column("age").unwrap().numbers().unwrap()[1], 70.0);
}

/// y = 2x with noise, unknown where x is large: what is filled there lies beyond all that is known of y.
fn line() -> Data {
    let x: Vec<f64> = (0..120).map(|row| f64::from(row % 60) / 10.0 - 3.0).collect();
    let y = x.iter().enumerate().map(|(row, x)| 2.0 * x + 0.1 * ((row * 7 % 11) as f64 - 5.0));
    let y: Vec<f64> = y.map(|y| if y < 0.5 { y } else { f64::NAN }).collect();
    let columns = [("x", x), ("y", y)];
    Table::new(columns.map(|(name, cells)| Column::from_numbers(name, Kind::Real, &cells)).to_vec())
        .unwrap()
        .into()
}

/// Smallest and largest filled value of y: best guesses, and draws from the filler's file.
fn filled_range(method: &str, limits: &Limits) -> [(f64, f64); 2] {
    let aim = Aim::Fill(FillPlan { limits: limits.clone(), draws: 1, ..FillPlan::default() });
    let recipe = Recipe::named(method).unwrap();
    let model = Model::fit(&line(), &aim, &recipe, &Run::new(1, 1).unwrap()).unwrap();
    let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let draw = Draw { seed: 1, number: 1, first_row: 0 };
    [(&model, None), (&loaded, Some(draw))].map(|(model, draw)| {
        let table = model.filling().unwrap().fill(&line(), draw, |_, _| {}).unwrap().data;
        let known = line().columns()[1].observed.clone();
        let cells = table.columns()[1].numbers().unwrap().iter().zip(known).filter(|(_, known)| !known);
        cells.fold((f64::MAX, f64::MIN), |(low, high), (y, _)| (low.min(*y), high.max(*y)))
    })
}

/// Best guesses stay within the known range unless told otherwise, draws within what was asked for alone. Means and
/// neighbours are made of known values and can't leave their range, and a network does not go on in a straight line;
/// all others do.
#[test]
fn every_imputer_fills_within_the_limits_it_is_given_and_no_narrower_ones() {
    let known = line().columns()[1].numbers().unwrap().iter().copied().fold(f64::MIN, f64::max);
    let within =
        |low: f64, high: f64| Limits { columns: [("y".to_owned(), (low, high))].into(), ..Limits::default() };
    for method in methods_for(Shape::Table, Job::Fill).map(|method| method.name()) {
        let [(_, guess), (_, drawn)] = filled_range(method, &Limits::default());
        assert!(guess <= known, "{method}: {guess}");
        if ["gaussian", "chained", "auto"].contains(&method) {
            assert!(drawn > known, "{method}: {drawn}");
        }
        for (low, high) in filled_range(method, &within(-0.7, 0.2)) {
            assert!(low >= -0.7 && high <= 0.2, "{method}: {low} to {high}");
        }
        let beyond = Limits { observed_range: false, ..Limits::default() };
        for limits in [beyond, within(-20.0, 1e9)] {
            let [(_, guess), (_, drawn)] = filled_range(method, &limits);
            if ["mean", "neighbours"].contains(&method) {
                assert!(guess <= known && drawn <= known, "{method}: {guess}, {drawn}");
            } else if !["autoencoder", "autoimpute", "dvae", "forest"].contains(&method) {
                assert!(guess > known + 1.0, "{method}: {guess}");
                assert!(drawn > known + 1.0, "{method}: {drawn}");
            }
        }
    }
}

#[test]
fn limits_that_leave_nothing_are_refused() {
    let limits = Limits { columns: [("y".to_owned(), (2.0, 1.0))].into(), ..Limits::default() };
    let aim = Aim::Fill(FillPlan { limits, ..FillPlan::default() });
    let recipe = Recipe::named("mean").unwrap();
    let error = Model::fit(&line(), &aim, &recipe, &Run::new(1, 1).unwrap()).err().unwrap();
    assert!(error.to_string().contains("can't lie between 2 and 1"), "{error}");
}

#[test]
fn new_rows_may_have_unseen_levels_and_none_at_all() {
    let model = fitted(&["empty".into(), "note".into()], Limits::default());
    let filling = model.filling().unwrap();
    let new = Table::new(vec![
        Column::from_words("sex", Kind::Binary, &[Some("x"), None]),
        Column::from_numbers("fever", Kind::Real, &[f64::NAN, f64::NAN]),
        Column::from_numbers("age", Kind::Integer, &[40.0, f64::NAN]),
    ])
    .unwrap()
    .into();
    let mut told = Vec::new();
    let filled = filling.fill(&new, None, |column, level| told.push(format!("{column}={level}"))).unwrap();
    assert_eq!(told, ["sex=x"]);
    let sex = filled.data.column("sex").unwrap();
    assert_eq!((sex.cell(0).as_deref(), sex.missing()), (Some("x"), 0));
    assert!(filled.unfilled.is_empty());
    let lacking = Table::new(vec![Column::from_numbers("age", Kind::Integer, &[1.0])]).unwrap().into();
    assert!(filling.fill(&lacking, None, |_, _| {}).is_err());
}
