use super::*;
use crate::data::{Table, Values};
use crate::model::Aim;

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
    let aim = Aim::Fill { ignored: ignored.to_vec(), limits };
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
