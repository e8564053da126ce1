use super::*;

fn ward() -> Table {
    Table::new(vec![
        Column::from_numbers("age", Kind::Integer, &[61.0, f64::NAN, 40.0]),
        Column::from_words("sex", Kind::Binary, &[Some("m"), Some("f"), None]),
    ])
    .unwrap()
}

#[test]
fn holes_are_told_by_the_mask_alone() {
    let table = ward();
    let age = table.column("age").unwrap();
    assert_eq!(age.observed, [true, false, true]);
    assert_eq!(age.numbers().unwrap(), [61.0, 0.0, 40.0]);
    assert_eq!(age.cell(1), None);
    assert_eq!(table.column("sex").unwrap().cell(0).as_deref(), Some("m"));
}

#[test]
fn unknown_names_get_a_hint() {
    let error = ward().column("agee").unwrap_err();
    assert_eq!(error.hint_text(), "did you mean `age`?");
}

#[test]
fn rows_can_be_selected() {
    let picked = ward().select(&[2, 0]);
    assert_eq!(picked.column("age").unwrap().numbers().unwrap(), [40.0, 61.0]);
    assert_eq!(picked.column("sex").unwrap().observed, [false, true]);
}

#[test]
fn twins_and_odd_lengths_are_refused() {
    let column = |name: &str, rows| Column::from_numbers(name, Kind::Real, &vec![1.5; rows]);
    assert!(Table::new(vec![column("a", 2), column("a", 2)]).is_err());
    assert!(Table::new(vec![column("a", 2), column("b", 3)]).is_err());
    assert!(Table::new(vec![column("", 2)]).is_err());
    assert!(Table::new(vec![Column::from_numbers("a", Kind::Real, &[f64::INFINITY])]).is_err());
}

#[test]
fn numbers_are_written_short_and_exact() {
    assert_eq!(format_number(3.0), "3");
    assert_eq!(format_number(-0.0), "0");
    assert_eq!(format_number(0.1 + 0.2), "0.30000000000000004");
    assert_eq!(format_number(1e300), "1e300");
}
